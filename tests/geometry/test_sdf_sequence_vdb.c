/* SPDX-License-Identifier: MIT */
/* .vdb files as shapes, standing and in sequences, painted, damaged; what they share with
 * sequences of meshes. */
#include "geometry/sdf/sdf_sequence.h"
#include "geometry/vdb/vdb.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <cmocka.h>

#include "support/damage.h"
#include "support/geometry.h"
#include "support/scratch.h"
#include "support/shape_files.h"

/* A ball of radius 0.3 at x as a level set of eight-voxel leaves about it; with_v: and a grid v
 * of (0.24, 0, 0); with_paint: friction 0.5 + x, stickiness 100 (1 + y). */
static void write_ball(const char *path, double x, const char *bad, int with_v, int with_paint)
{
    firn_mesh *ball = geometry_sphere(40, 0.3, x, 0, 0);
    firn_sdf *volume;
    assert_int_equal(firn_vdb_from_mesh(ball, 0.02, 0.08, 0.08, 1, 6, 2, &volume, NULL, NULL),
                     FIRN_OK);
    for (int64_t l = 0; l < volume->n_leaves; l++)
        for (int m = 0; m < 512; m++) {
            int cell[3] = {m >> 6, m >> 3 & 7, m & 7}, at = (cell[0] * 9 + cell[1]) * 9 + cell[2];
            double p[3];
            for (int i = 0; i < 3; i++)
                p[i] =
                    volume->origin[i] + volume->voxel * (8.0 * volume->leaf_block[l][i] + cell[i]);
            *firn_sdf_at(volume, l, at, 1) = 0.24f;
            *firn_sdf_at(volume, l, at, 4) = (float)(0.5 + p[0]);
            *firn_sdf_at(volume, l, at, 5) = (float)(100 * (1 + p[1]));
        }
    firn_sdf_finish(volume);
    if (bad) *firn_sdf_at(volume, 0, 0, 0) = -INFINITY; /* a NaN would not be written */
    firn_vdb_contents contents = {.velocity = with_v ? 1 : 0,
                                  .friction = with_paint ? 4 : 0,
                                  .stickiness = with_paint ? 5 : 0};
    assert_int_equal(firn_vdb_write_volume(path, volume, &contents, 2, NULL), FIRN_OK);
    firn_sdf_destroy(volume);
    firn_mesh_destroy(ball);
}

/* Grids friction and stickiness of a .vdb paint its surface, as attributes of a mesh do. */
static void painted_volume(void **state)
{
    (void)state;
    write_ball(scratch("painted.vdb"), 0, NULL, 0, 1);
    firn_shape_def def = {.kind = "vdb"};
    snprintf(def.file, sizeof def.file, "%s", scratch("painted.vdb"));
    firn_shape *shape = build(&def);
    for (int i = 0; i < 50; i++) {
        double angle = 0.1 + i, x[3] = {0.3 * cos(angle), 0.18 * sin(angle), 0.24 * sin(angle)};
        firn_surface_point s;
        firn_shape_query(shape, x, 0, &s);
        assert_true(fabs(s.distance) < 2e-3);
        assert_true(fabs(s.friction - (0.5 + x[0])) < 1e-3 &&
                    fabs(s.stickiness - 100 * (1 + x[1])) < 0.1);
    }
    firn_shape_destroy(shape);
}

/* A ball that moves by half a voxel a file in a sequence of .vdb files: where it is between
 * files, and how fast its surface goes along its normal. */
static void sequence_of_volumes(void **state)
{
    (void)state;
    for (int k = 0; k < 5; k++) {
        char name[32];
        snprintf(name, sizeof name, "ball.%04d.vdb", k + 1);
        write_ball(scratch(name), 0.01 * k, NULL, 0, 0);
    }
    firn_shape_def def = {.kind = "vdb", .fps = 24, .start = 1};
    snprintf(def.file, sizeof def.file, "%s", scratch("ball.%04d.vdb"));
    firn_shape *shape;
    assert_int_equal(firn_shape_create(1, &def, (firn_shape_need){0}, &shape, NULL), FIRN_OK);
    for (int k = 0; k <= 40; k++) {
        double time = 1 + k / 240.0, center = k < 40 ? 0.001 * k : 0.04;
        for (int side = -1; side <= 1; side += 2) {
            firn_surface_point s;
            firn_shape_query(shape, (const double[3]){center + side * 0.31, 0.01, 0}, time, &s);
            assert_true(fabs(s.distance - (hypot(0.31, 0.01) - 0.3)) < 1.5e-3);
            assert_true(side * s.normal[0] > 0.99);
            if (k > 0 && k < 40) assert_true(fabs(s.velocity[0] - 0.24) < 0.02);
        }
    }
    assert_true(fabs(firn_shape_speed(shape) - 0.24) < 0.02); /* what limits the step */
    firn_shape_destroy(shape);
}

/* A level set has a band of a few voxels; walls of any thickness along it are whole all the
 * same, and nothing far off is taken for one. Voxels of 0.02 m, a band of 4. */
static void walls_along_volumes(void **state)
{
    (void)state;
    write_ball(scratch("wall.vdb"), 0, NULL, 0, 0);
    firn_shape_def def = {.kind = "vdb"};
    snprintf(def.file, sizeof def.file, "%s", scratch("wall.vdb"));
    for (def.thickness = 0.04; def.thickness < 0.4; def.thickness += 0.08) {
        firn_shape *shape = build(&def);
        for (int i = 0; i < 400; i++) {
            const double r = 0.05 + 0.9 * fmod(0.618034 * i, 1), x[3] = {r * cos(i), r * sin(i), 0};
            const double wanted = fabs(r - 0.3) - 0.5 * def.thickness,
                         d = firn_shape_distance(shape, x, 0);
            assert_true(fabs(wanted) < 3e-3 || (wanted < 0) == (d < 0));
        }
        firn_shape_destroy(shape);
    }
    firn_shape *shape;
    firn_messages *messages = firn_messages_create();
    def.thickness = 5;
    assert_int_equal(firn_shape_create(1, &def, (firn_shape_need){0}, &shape, messages),
                     FIRN_REFUSED);
    assert_true(scratch_says(messages, "half the thickness is 125 voxels; allowed: at most 98"));
    firn_messages_destroy(messages);
}

/* Nobody knows which point of a file is which of the next, where faces change or level sets have
 * no grid v: what moves as one is carried all the same, however far, and has all of its
 * velocity. */
static void sequences_without_velocity(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        char name[2][32];
        snprintf(name[0], sizeof name[0], "remeshed.%d.obj", k);
        snprintf(name[1], sizeof name[1], "far.%d.vdb", k);
        firn_mesh *ball = geometry_sphere(40 + k, 0.3, 0.5 * k, 0.1 * k, 0);
        assert_int_equal(firn_mesh_write(scratch(name[0]), ball, NULL), FIRN_OK);
        firn_mesh_destroy(ball);
        write_ball(scratch(name[1]), 0.5 * k, NULL, 0, 0);
    }
    for (int kind = 0; kind < 2; kind++) {
        firn_shape_def def = {.voxel = kind ? 0 : 0.02, .fps = 10};
        strcpy(def.kind, kind ? "vdb" : "mesh");
        snprintf(def.file, sizeof def.file, "%s", scratch(kind ? "far.%d.vdb" : "remeshed.%d.obj"));
        firn_messages *messages = firn_messages_create();
        firn_shape *shape;
        assert_int_equal(firn_shape_create(1, &def, (firn_shape_need){0}, &shape, messages),
                         FIRN_OK);
        assert_int_equal(firn_messages_total(messages), 0);
        for (int k = 1; k < 30; k++) {
            const double time = 0.01 * k, center[2] = {5 * time, kind ? 0 : time};
            for (int side = -1; side <= 1; side += 2) {
                firn_surface_point s;
                firn_shape_query(shape, (const double[3]){center[0] + side * 0.32, center[1], 0},
                                 time, &s);
                assert_true(fabs(s.distance - 0.02) < 4e-3 && side * s.normal[0] > 0.99);
                if (k % 10)
                    assert_true(fabs(s.velocity[0] - 5) < 0.1 &&
                                fabs(s.velocity[1] - center[1] / time) < 0.1);
            }
        }
        assert_true(fabs(firn_shape_speed(shape) / hypot(5, kind ? 0 : 1) - 1) < 0.05);
        firn_shape_destroy(shape);
        firn_messages_destroy(messages);
    }
}

/* With a grid v the surface has all of its velocity, along itself too, and may move by many
 * voxels from file to file. */
static void sequence_with_velocity(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        char name[32];
        snprintf(name, sizeof name, "fast.%d.vdb", k);
        write_ball(scratch(name), 0.24 * k, NULL, 1, 1);
    }
    firn_shape_def def = {.kind = "vdb", .fps = 1};
    snprintf(def.file, sizeof def.file, "%s", scratch("fast.%d.vdb"));
    firn_shape *shape = build(&def);
    for (int k = 1; k < 20; k++) {
        firn_surface_point s;
        firn_shape_query(shape, (const double[3]){0.024 * k, 0, 0.3}, 0.1 * k, &s);
        assert_true(fabs(s.velocity[0] - 0.24) < 1e-3 && fabs(s.distance) < 2e-3);
        assert_true(fabs(s.friction - 0.5 - 0.024 * k) < 0.15); /* that of the nearer file */
    }
    assert_true(fabs(firn_shape_speed(shape) - 0.24) < 1e-3);
    firn_shape_destroy(shape);
    /* deeper than the four voxels that have velocities, as far as nodes feel material */
    assert_int_equal(firn_shape_create(1, &def, (firn_shape_need){.depth = 0.2}, &shape, NULL),
                     FIRN_OK);
    for (int k = 1; k < 20; k++) {
        firn_surface_point s;
        firn_shape_query(shape, (const double[3]){0.024 * k, 0, 0.12}, 0.1 * k, &s);
        assert_true(fabs(s.velocity[0] - 0.24) < 1e-3 && fabs(s.distance + 0.18) < 5e-3);
    }
    firn_shape_destroy(shape);
    firn_messages *messages = firn_messages_create();
    for (int fps = 1; fps <= 2; fps++) { /* made for one file a second */
        def.fps = fps;
        assert_int_equal(firn_shape_create(1, &def, (firn_shape_need){0}, &shape, messages),
                         FIRN_OK);
        firn_shape_destroy(shape);
        assert_true(fps == 1 ? firn_messages_total(messages) == 0
                             : scratch_says(messages, "v must be in m/s for this shape's fps"));
    }
    firn_messages_clear(messages);
    write_ball(scratch("fast.1.vdb"), 0.24, NULL, 0, 1);
    assert_int_equal(firn_shape_create(1, &def, (firn_shape_need){0}, &shape, messages),
                     FIRN_REFUSED);
    assert_true(scratch_says(messages,
                             "it has other grids (friction, stickiness, v) than the files before"));
    firn_messages_destroy(messages);
}

/* Cut anywhere or holding what is no number: a sentence. */
static void damaged_volumes(void **state)
{
    (void)state;
    write_ball(scratch("nan.vdb"), 0, "infinite", 0, 0);
    firn_shape_def def = {.kind = "vdb"};
    firn_shape *shape;
    firn_messages *messages = firn_messages_create();
    snprintf(def.file, sizeof def.file, "%s", scratch("nan.vdb"));
    assert_int_equal(firn_shape_create(1, &def, (firn_shape_need){0}, &shape, messages),
                     FIRN_REFUSED);
    assert_true(scratch_says(messages, "not finite"));
    firn_messages_destroy(messages);
    write_ball(scratch("whole.vdb"), 0, NULL, 0, 1);
    size_t n;
    unsigned char *data = scratch_load(scratch("whole.vdb"), &n);
    snprintf(def.file, sizeof def.file, "%s", scratch("cut.vdb"));
    for (size_t length = 0; length < n; length += length < 40 ? 1 : n / 50) {
        scratch_store(scratch("cut.vdb"), data, length);
        assert_int_not_equal(firn_shape_create(1, &def, (firn_shape_need){0}, &shape, NULL),
                             FIRN_OK);
    }
    free(data);
    scratch_store(scratch("text.vdb"), "v 0 0 0", 7);
    snprintf(def.file, sizeof def.file, "%s", scratch("text.vdb"));
    assert_int_not_equal(firn_shape_create(1, &def, (firn_shape_need){0}, &shape, NULL), FIRN_OK);
    mkdir(scratch("folder.vdb"), 0700);
    snprintf(def.file, sizeof def.file, "%s", scratch("folder.vdb"));
    assert_int_equal(firn_shape_create(1, &def, (firn_shape_need){0}, &shape, NULL), FIRN_IO);
}

/* Bytes are replaced, lost or come in at random: an answer in words or a volume, and never more
 * memory than follows from the length of the file (vdb_child.hpp). */
static void scrambled_volumes(void **state)
{
    (void)state;
    enum { CHANGES = DAMAGE_CHANGES };
    size_t n;
    write_ball(scratch("whole.vdb"), 0, NULL, 1, 1);
    unsigned char *data = scratch_load(scratch("whole.vdb"), &n), *bytes = malloc(n + DAMAGE_ROOM);
    firn_shape_def def = {.kind = "vdb"};
    snprintf(def.file, sizeof def.file, "%s", scratch("scrambled.vdb"));
    uint32_t random = 1;
    int n_refused = 0, n_words = 0;
    for (int k = 0; k < CHANGES; k++) {
        memcpy(bytes, data, n);
        scratch_store(scratch("scrambled.vdb"), bytes,
                      damage(bytes, n, k % 2 ? 3000 : n, k, &random));
        firn_shape *shape = NULL;
        firn_messages *messages = firn_messages_create();
        if (firn_shape_create(1, &def, (firn_shape_need){0}, &shape, messages) != FIRN_OK) {
            n_refused++;
            n_words += firn_messages_total(messages) > 0;
        }
        firn_messages_destroy(messages);
        firn_shape_destroy(shape);
    }
    struct rusage self, largest;
    getrusage(RUSAGE_SELF, &self);
    getrusage(RUSAGE_CHILDREN, &largest);
    assert_true(n_refused > CHANGES / 8 && n_words == n_refused);
    /* in kB: what the process had, and the allowance of one file */
#ifndef FIRN_TESTS_SANITIZED /* its own memory counts too */
    assert_true(largest.ru_maxrss < self.ru_maxrss + (128 << 10) + (long)n / 8);
#endif
    free(data);
    free(bytes);
}

/* A length of a packed part below 0, that many bytes and not packed, goes beyond the room for it;
 * one in blosc's own header may be of no account, then the volume is what it was. */
static void lengths_of_packed_parts(void **state)
{
    (void)state;
    size_t n, n_parts = 0;
    write_ball(scratch("whole.vdb"), 0, NULL, 1, 1);
    unsigned char *data = scratch_load(scratch("whole.vdb"), &n), *bytes = malloc(n);
    firn_shape *whole;
    firn_shape_def def = {.kind = "vdb"};
    snprintf(def.file, sizeof def.file, "%s", scratch("whole.vdb"));
    assert_int_equal(firn_shape_create(1, &def, (firn_shape_need){0}, &whole, NULL), FIRN_OK);
    snprintf(def.file, sizeof def.file, "%s", scratch("long.vdb"));
    for (size_t at = damage_packed(data, n, 0); at < n; at = damage_packed(data, n, at + 16)) {
        int64_t length;
        memcpy(&length, data + at - 8, sizeof length);
        if (memcmp(&length, data + at + 12, 4) != 0) continue; /* no part of a tree */
        for (int how = 0; how < 2; how++) {
            memcpy(bytes, data, n);
            length = -60000;
            memcpy(how ? bytes + at + 12 : bytes + at - 8,
                   how ? &(int32_t){1 << 24} : (void *)&length, how ? 4 : 8);
            scratch_store(scratch("long.vdb"), bytes, n);
            firn_shape *shape;
            firn_messages *messages = firn_messages_create();
            firn_status status = firn_shape_create(1, &def, (firn_shape_need){0}, &shape, messages);
            assert_true(status == FIRN_IO || (how && !status));
            if (status) assert_true(scratch_says(messages, "long.vdb: damaged"));
            for (int i = 0; i < 100 && !status; i++) {
                const double x[3] = {.3 * sin(i), .3 * sin(1.7 * i), .3 * sin(2.3 * i)};
                assert_true(firn_shape_distance(shape, x, 0) == firn_shape_distance(whole, x, 0));
            }
            if (!status) firn_shape_destroy(shape);
            firn_messages_destroy(messages);
        }
        if (++n_parts == 40) break;
    }
    assert_true(n_parts == 40);
    firn_shape_destroy(whole);
    free(data);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(painted_volume),          cmocka_unit_test(sequence_of_volumes),
        cmocka_unit_test(walls_along_volumes),     cmocka_unit_test(sequences_without_velocity),
        cmocka_unit_test(sequence_with_velocity),  cmocka_unit_test(damaged_volumes),
        cmocka_unit_test(lengths_of_packed_parts), cmocka_unit_test(scrambled_volumes),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
