/* SPDX-License-Identifier: MIT */
/* Sequences of meshes against closed formulas: where a surface is between files, and how fast it
 * goes. */
#include "geometry/sdf/sdf_sequence.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/geometry.h"
#include "support/scratch.h"
#include "support/shape_files.h"

/* Ten files of a sphere that moves and grows. Between files and at them: the distance of the
 * formula, the speed of the surface, and no file number missed. 0.2 m a file is ten voxels. */
static void sequence_of_meshes(void **state)
{
    (void)state;
    for (int k = 0; k < 10; k++) {
        char name[32];
        snprintf(name, sizeof name, "walk.%04d.obj", 7 + k);
        write_sphere(name, 48, 0.3 + 0.01 * k, 0.2 * k, 0);
    }
    firn_shape_def def = mesh_def(scratch("walk.%04d.obj"));
    def.fps = 10;
    def.start = 1;
    def.voxel = 0.02;
    firn_shape *shape = build(&def);
    for (int trial = 0; trial < 600; trial++) {
        double time = 0.95 + 1.0 * trial / 600, age = fmax(0, fmin(0.9, time - 1));
        double center = 2 * age, radius = 0.3 + 0.1 * age, angle = 0.11 * trial;
        double n[3] = {cos(angle), sin(angle) * cos(3 * angle), sin(angle) * sin(3 * angle)};
        double offset = 0.03 * sin(7.0 * trial), x[3];
        for (int a = 0; a < 3; a++) x[a] = (a == 0) * center + (radius + offset) * n[a];
        firn_surface_point s;
        firn_shape_query(shape, x, time, &s);
        assert_true(fabs(s.distance - offset) <
                    2e-3); /* a tenth of a voxel, on a sphere of facets */
        assert_true(s.normal[0] * n[0] + s.normal[1] * n[1] + s.normal[2] * n[2] > 0.99);
        int is_moving = time > 1.02 && time < 1.88;
        double v[3] = {2 + 0.1 * n[0], 0.1 * n[1], 0.1 * n[2]};
        for (int a = 0; a < 3; a++)
            if (is_moving) assert_true(fabs(s.velocity[a] - v[a]) < 0.05);
        if (time <= 1 || time > 1.9 + 1e-9) assert_true(length(s.velocity) == 0);
    }
    /* at the last file's time it arrives with its speed, and at the first one's it still rests */
    const double top[3] = {1.8, 0.39, 0}, last = firn_shape_border(shape, 1.5, 7);
    firn_surface_point s;
    firn_shape_query(shape, top, last, &s);
    assert_true(fabs(last - 1.9) < 1e-12 && fabs(s.velocity[0] - 2) < 0.05);
    firn_shape_query(shape, top, nextafter(last, 7), &s);
    assert_true(length(s.velocity) == 0);
    assert_true(firn_shape_border(shape, 0, 7) == 1 && firn_shape_border(shape, 1, 1.3) == 1.3);
    assert_true(firn_shape_border(shape, last, 7) == 7 &&
                firn_shape_border(shape, 1.3, 1.5) == 1.5);
    firn_shape_destroy(shape);
}

/* A ball that turns: what lies below its surface or above goes round as it does, with w x r, not
 * with the speed that the surface has. */
static void a_sequence_that_turns(void **state)
{
    (void)state;
    const double w = 4, fps = 30;
    for (int k = 0; k < 6; k++) {
        char name[32];
        snprintf(name, sizeof name, "turn.%d.obj", k);
        firn_mesh *ball = geometry_sphere(32, 0.3, 0, 0, 0);
        for (int64_t p = 0; p < ball->n_points; p++) {
            const double x = ball->xyz[3 * p], y = ball->xyz[3 * p + 1], angle = w * k / fps;
            ball->xyz[3 * p] = cos(angle) * x - sin(angle) * y;
            ball->xyz[3 * p + 1] = sin(angle) * x + cos(angle) * y;
        }
        assert_int_equal(firn_mesh_write(scratch(name), ball, NULL), FIRN_OK);
        firn_mesh_destroy(ball);
    }
    firn_shape_def def = mesh_def(scratch("turn.%d.obj"));
    def.fps = fps;
    def.voxel = 0.02;
    firn_shape *shape;
    assert_int_equal(firn_shape_create(1, &def, (firn_shape_need){.depth = 0.15}, &shape, NULL),
                     FIRN_OK);
    for (int i = 0; i < 300; i++) {
        const double r = 0.18 + 0.15 * fmod(0.618034 * i, 1), z = 0.2 * fmod(0.754878 * i, 1) - 0.1,
                     x[3] = {sqrt(r * r - z * z) * cos(i), sqrt(r * r - z * z) * sin(i), z};
        firn_surface_point s;
        firn_shape_query(shape, x, 1.5 / fps + 0.05 * fmod(0.56984 * i, 1), &s);
        assert_true(fabs(s.distance - (r - 0.3)) < 4e-3);
        assert_true(hypot(s.velocity[0] + w * x[1], s.velocity[1] - w * x[0]) < 0.02 * w * 0.3);
    }
    firn_shape_destroy(shape);
}

/* A body asks for the start alone: of ten files those around it are read, and say the same to
 * the last bit. */
static void start_of_a_sequence(void **state)
{
    (void)state;
    for (int k = 0; k < 10; k++) {
        char name[32];
        snprintf(name, sizeof name, "start.%d.obj", k);
        write_sphere(name, 24, 0.3 + 0.01 * k, 0.1 * k, 0);
    }
    firn_shape_def def = mesh_def(scratch("start.%d.obj"));
    def.fps = 10;
    def.voxel = 0.02;
    const double starts[4] = {0, 0.5, -0.43,
                              -3}; /* before the files, in the midst of them, behind them */
    for (int k = 0; k < 4; k++) {
        firn_shape *all, *around;
        def.start = starts[k];
        assert_int_equal(firn_shape_create(1, &def, (firn_shape_need){0}, &all, NULL), FIRN_OK);
        assert_int_equal(
            firn_shape_create(1, &def, (firn_shape_need){.is_start = 1}, &around, NULL), FIRN_OK);
        for (int i = 0; i < 400; i++) {
            const double x[3] = {-0.5 + 0.005 * i, 0.2 * sin(i), 0.2 * cos(2 * i)};
            assert_true(firn_shape_distance(all, x, 0) == firn_shape_distance(around, x, 0));
        }
        firn_shape_destroy(all);
        firn_shape_destroy(around);
    }
    FILE *damaged = fopen(scratch("start.9.obj"), "w");
    assert_non_null(damaged);
    fclose(damaged);
    firn_shape *shape;
    def.start = 0;
    assert_int_not_equal(firn_shape_create(1, &def, (firn_shape_need){0}, &shape, NULL), FIRN_OK);
    assert_int_equal(firn_shape_create(1, &def, (firn_shape_need){.is_start = 1}, &shape, NULL),
                     FIRN_OK);
    firn_shape_destroy(shape);
}

/* When no voxel is said a sequence has voxels that fit the depth that a collider needs, so that
 * many files fit into memory; one file keeps its detail. */
static void voxels_of_sequences(void **state)
{
    (void)state;
    firn_shape_def def = mesh_def(scratch("v.obj"));
    firn_sdf_sequence *field;
    size_t n_bytes[2];
    for (int k = 0; k < 2; k++) {
        firn_mesh *ball = geometry_sphere(12, 0.5, 0, 0, 0);
        assert_int_equal(firn_mesh_write(scratch(k ? "v.1.obj" : "v.obj"), ball, NULL), FIRN_OK);
        if (k) assert_int_equal(firn_mesh_write(scratch("v.2.obj"), ball, NULL), FIRN_OK);
        firn_mesh_destroy(ball);
        if (k) def = mesh_def(scratch("v.%d.obj"));
        assert_int_equal(
            firn_sdf_sequence_from_mesh(&def, (firn_shape_need){.depth = 0.25}, &field, NULL),
            FIRN_OK);
        n_bytes[k] = field->n_bytes;
        firn_sdf_sequence_destroy(field);
    }
    assert_true(n_bytes[1] < n_bytes[0]); /* two volumes of four channels in less than one of one */
    for (int k = 0; k < 2;
         k++) { /* emitters, sinks and grips ask for no depth: half a cell is enough */
        assert_int_equal(
            firn_sdf_sequence_from_mesh(&def, (firn_shape_need){.cell = 0.08 * k}, &field, NULL),
            FIRN_OK);
        n_bytes[k] = field->n_bytes;
        firn_sdf_sequence_destroy(field);
    }
    assert_true(n_bytes[1] < n_bytes[0] / 10);
}

/* A distance_query finds the distance and velocity of a whole query, to the last bit, wherever
 * and whenever: of one file, of sequences with velocity and without, of walls, of shapes joined. */
static void a_glance_is_a_query(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        char name[32];
        snprintf(name, sizeof name, "distance_query.%d.obj", k);
        write_sphere(name, 16, 0.3 + 0.05 * k, 0.1 * k, 0);
        snprintf(name, sizeof name, "other.%d.obj", k);
        write_sphere(name, 16 + k, 0.3, 0, 0.05 * k); /* other faces: no velocity is known */
    }
    firn_shape_def moving = mesh_def(scratch("distance_query.%d.obj")),
                   other = mesh_def(scratch("other.%d.obj")),
                   wall = mesh_def(scratch("distance_query.1.obj"));
    moving.fps = other.fps = 10;
    moving.voxel = other.voxel = wall.voxel = 0.05;
    wall.thickness = 0.12;
    wall.center[1] = 0.2;
    moving.rotate[2] = 0.3;
    firn_shape_def can = {
        .kind = "cylinder", .radius = 0.3, .height = 0.4, .normal = {0, 1, 0}, .csg = FIRN_UNION};
    wall.csg = FIRN_DIFFERENCE;
    firn_shape_def lists[4][2] = {{moving}, {other}, {moving, can}, {can, wall}};
    for (int i = 0; i < 4; i++) {
        firn_shape *shape;
        assert_int_equal(
            firn_shape_create(i < 2 ? 1 : 2, lists[i], (firn_shape_need){0}, &shape, NULL),
            FIRN_OK);
        uint32_t random = 7;
        int n_moving = 0;
        for (int trial = 0; trial < 4000; trial++) {
            double x[3], time = 0.25 * trial / 4000 - 0.02;
            for (int a = 0; a < 3; a++) {
                random = random * 1664525u + 1013904223u;
                x[a] = 1.6 * (random / 4294967296.0 - 0.5);
            }
            firn_surface_point whole, distance_query;
            firn_shape_query(shape, x, time, &whole);
            firn_shape_distance_query(shape, x, time, &distance_query);
            assert_true(whole.distance == distance_query.distance &&
                        whole.distance == firn_shape_distance(shape, x, time));
            for (int a = 0; a < 3; a++)
                assert_true(whole.velocity[a] == distance_query.velocity[a]);
            n_moving += length(distance_query.velocity) > 0;
        }
        assert_true(i == 3 ? n_moving == 0 : n_moving > 500);
        firn_shape_destroy(shape);
    }
}

/* A ball stands for two files, goes for two and stands again: its speed between two times is
 * that of these times, with the file before and after, which share it. Of one file it is less
 * than 0, where faces change it is not known. */
static void speed_between_times(void **state)
{
    (void)state;
    for (int k = 0; k < 6; k++) {
        char name[32];
        snprintf(name, sizeof name, "pause.%d.obj", k);
        firn_mesh *ball = geometry_sphere(16, 0.3, 0.1 * fmin(fmax(k - 2, 0), 1), 0, 0);
        assert_int_equal(firn_mesh_write(scratch(name), ball, NULL), FIRN_OK);
        firn_mesh_destroy(ball);
        snprintf(name, sizeof name, "change.%d.obj", k);
        ball = geometry_sphere(12 + k, 0.3, 0, 0, 0);
        assert_int_equal(firn_mesh_write(scratch(name), ball, NULL), FIRN_OK);
        firn_mesh_destroy(ball);
    }
    firn_shape_def def = mesh_def(scratch("pause.%d.obj"));
    def.fps = 10;
    def.voxel = 0.05;
    firn_shape *shape = build(&def);
    assert_true(fabs(firn_shape_speed(shape) - 1) < 1e-6 ||
                fabs(firn_shape_speed(shape) - 0.5) < 1e-6);
    assert_true(firn_shape_speed_between(shape, 0, 0.05) == 0);
    assert_true(fabs(firn_shape_speed_between(shape, 0.21, 0.25) - 1) <
                1e-6); /* the way of the points themselves */
    assert_true(fabs(firn_shape_speed_between(shape, 0.05, 0.45) - 1) < 1e-6);
    assert_true(firn_shape_speed_between(shape, 0.41, 0.5) == 0 &&
                firn_shape_speed_between(shape, 7, 8) == 0);
    assert_true(firn_shape_speed_between(shape, -INFINITY, INFINITY) >= firn_shape_speed(shape));
    firn_shape_destroy(shape);
    def = mesh_def(scratch("pause.0.obj"));
    def.voxel = 0.05;
    shape = build(&def);
    assert_true(firn_shape_speed_between(shape, 0, 1) < 0);
    firn_shape_destroy(shape);
    def = mesh_def(scratch("change.%d.obj"));
    def.fps = 10;
    def.voxel = 0.05;
    shape = build(&def);
    double speed = firn_shape_speed(
        shape); /* as far as facets of different sizes are apart, in a tenth of a second */
    assert_true(firn_shape_speed_between(shape, 0.1, 0.2) == speed && speed > 0 && speed < 0.2);
    firn_shape_destroy(shape);
}

/* A thin moving plate is never absent in between: three voxels thick, moving fourteen a file. */
static void thin_plate_does_not_fade(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        char name[32];
        snprintf(name, sizeof name, "plate%d.obj", k);
        double x = 0.28 * k;
        firn_mesh *plate =
            geometry_block((double[3]){x, -0.5, -0.5}, (double[3]){x + 0.06, 0.5, 0.5});
        assert_int_equal(firn_mesh_write(scratch(name), plate, NULL), FIRN_OK);
        firn_mesh_destroy(plate);
    }
    firn_shape_def def = mesh_def(scratch("plate%d.obj"));
    def.fps = 1;
    def.voxel = 0.02;
    firn_shape *shape = build(&def);
    for (int i = 0; i <= 300; i++) {
        double time = i / 100.0;
        double d =
            firn_shape_distance(shape, (const double[3]){0.28 * time + 0.03, 0.1, 0.2}, time);
        assert_true(fabs(d + 0.03) < 2e-3);
    }
    firn_shape_destroy(shape);
}

/* What moves beside its middle by more than half of what it is thick cannot be mixed, and is told.
 */
static void what_fades_is_told(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        firn_mesh *ball = geometry_sphere(20 + k, 0.1 + 0.2 * k, 0, 0, 0);
        assert_int_equal(firn_mesh_write(scratch(k ? "grows.1.obj" : "grows.0.obj"), ball, NULL),
                         FIRN_OK);
        firn_mesh_destroy(ball);
    }
    firn_shape_def def = mesh_def(scratch("grows.%d.obj"));
    def.voxel = 0.02;
    firn_messages *messages = firn_messages_create();
    firn_shape *shape;
    assert_int_equal(firn_shape_create(1, &def, (firn_shape_need){0}, &shape, messages), FIRN_OK);
    assert_true(scratch_says(messages, "more than half the thickness"));
    firn_shape_destroy(shape);
    firn_messages_destroy(messages);
}

/* All files of a sequence are painted or none: a channel that a file has not is another's. */
static void paint_of_sequences(void **state)
{
    (void)state;
    for (int painted = 0; painted < 2; painted++)
        for (int changes = 0; changes < 2; changes++) {
            for (int k = 0; k < 2; k++) {
                firn_mesh *ball = geometry_sphere(12 + k * changes, 0.3, 0, 0, 0);
                if (k == painted) firn_mesh_add(ball, "friction", 1);
                assert_int_equal(
                    firn_mesh_write(scratch(k ? "paint.1.ply" : "paint.0.ply"), ball, NULL),
                    FIRN_OK);
                firn_mesh_destroy(ball);
            }
            firn_shape_def def = mesh_def(scratch("paint.%d.ply"));
            def.voxel = 0.05;
            firn_messages *messages = firn_messages_create();
            firn_shape *shape;
            assert_int_equal(firn_shape_create(1, &def, (firn_shape_need){0}, &shape, messages),
                             FIRN_REFUSED);
            assert_true(scratch_says(
                messages, painted ? "paint.1.ply: its points have an attribute friction"
                                  : "paint.1.ply: its points have no attribute friction"));
            firn_messages_destroy(messages);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(voxels_of_sequences),      cmocka_unit_test(sequence_of_meshes),
        cmocka_unit_test(a_sequence_that_turns),    cmocka_unit_test(start_of_a_sequence),
        cmocka_unit_test(a_glance_is_a_query),      cmocka_unit_test(speed_between_times),
        cmocka_unit_test(thin_plate_does_not_fade), cmocka_unit_test(what_fades_is_told),
        cmocka_unit_test(paint_of_sequences),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
