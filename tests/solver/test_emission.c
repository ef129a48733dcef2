/* SPDX-License-Identifier: MIT */
/* test_emission.c: what leaves a surface - as much as its area and speed say, along its normal
 * or the velocity, evenly, at its own moments; and that every seed is the scene's too. Emitters
 * of volumes: test_sim.c. */
#include "firn/firn.h"
#include "support/geometry.h"
#include "geometry/mesh/mesh.h"
#include "support/running.h"
#include "support/scratch.h"

#include <math.h>
#include <string.h>

typedef struct setup {
    firn_scene_def scene;
    firn_material_def material;
    firn_shape_def shape;
    firn_emitter_def emitter;
    firn_run_options options;
} setup;

static void make(setup *s)
{
    *s = (setup){firn_scene_default(), firn_material_default(), firn_shape_default(),
                 firn_emitter_default(), firn_run_options_default()};
    strcpy(s->material.name, "stuff");
    strcpy(s->material.law, "neo_hookean");
    strcpy(s->material.parameters[0].name, "E");
    s->material.parameters[0].value = 1;
    s->material.n_parameters = 1;
    strcpy(s->emitter.name, "tap");
    strcpy(s->emitter.material, "stuff");
    s->emitter.n_shapes = 1;
    s->emitter.shapes = &s->shape;
    s->emitter.from = FIRN_FROM_SURFACE;
    for (int a = 0; a < 3; a++) s->scene.gravity[a] = 0;
    s->scene.grid.dx = 0.1;
    s->scene.n_materials = 1;
    s->scene.materials = &s->material;
    s->scene.n_emitters = 1;
    s->scene.emitters = &s->emitter;
}

/* A ball sends out its area times the speed, wherever it lies on the lattice; after a moment
 * none is inside, and each goes away from the middle. The stuff is so soft and the time so short
 * that nothing pushes. */
static void a_ball_sends_out_its_area(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        setup s;
        make(&s);
        strcpy(s.shape.kind, "sphere");
        s.shape.radius = 0.6 + 0.037 * k;
        s.shape.center[1] = 0.0123 * k;
        s.emitter.outward = 0.5;
        firn_sim *sim = running_until(&s.scene, &s.options, 0.4);
        double R = s.shape.radius, n = 4 * M_PI * R * R * 0.5 * 0.4 / pow(0.05, 3);
        assert_true(fabs((double)firn_sim_n_particles(sim) / n - 1) < 0.01);
        double *P = running_copy(sim, "P"), *v = running_copy(sim, "v"), farthest = 0;
        for (int64_t i = 0; i < firn_sim_n_particles(sim); i++) {
            double r = hypot(hypot(P[3 * i], P[3 * i + 1] - s.shape.center[1]), P[3 * i + 2]),
                   along = 0;
            for (int a = 0; a < 3; a++)
                along += v[3 * i + a] * (P[3 * i + a] - (a == 1 ? s.shape.center[1] : 0)) / r;
            assert_true(r > R - 0.01 && along > 0.4);
            farthest = fmax(farthest, r);
        }
        assert_true(fabs(farthest - R - 0.5 * 0.4) < 0.02);
        free(P);
        free(v);
        firn_sim_destroy(sim);
    }
}

/* Of a box in a stream only the face that the stream leaves sends out: evenly in time, and no
 * more near the edges. */
static void a_stream_leaves_one_face(void **state)
{
    (void)state;
    setup s;
    make(&s);
    strcpy(s.shape.kind, "box");
    s.shape.size[0] = 1;
    s.shape.size[1] = 0.3;
    s.shape.size[2] = 1;
    s.emitter.velocity[1] = 1;
    s.emitter.start = 0.05;
    s.emitter.stop = 0.45;
    firn_sim *sim = running_until(&s.scene, &s.options, 0.5);
    double *P = running_copy(sim, "P"), full = 0.4 / pow(0.05, 3);
    int64_t n = firn_sim_n_particles(sim), n_layers[8] = {0}, n_rim = 0;
    assert_true(fabs((double)n / full - 1) < 0.01);
    for (int64_t i = 0; i < n; i++) {
        double y = P[3 * i + 1] - 0.15 - 0.05; /* the last were born 0.05 s ago */
        assert_true(y > -1e-3 && y < 0.4 + 1e-3 && fabs(P[3 * i]) < 0.501 &&
                    fabs(P[3 * i + 2]) < 0.501);
        n_layers[(int)fmax(0, fmin(7, y / 0.05))]++;
        n_rim += fmax(fabs(P[3 * i]), fabs(P[3 * i + 2])) > 0.45;
    }
    for (int k = 0; k < 8; k++) assert_true(fabs((double)n_layers[k] / (full / 8) - 1) < 0.08);
    assert_true(fabs((double)n_rim / (full * 0.19) - 1) < 0.05);
    free(P);
    firn_sim_destroy(sim);
}

/* A box with walls of an eighth of a spacing, lying anywhere on the lattice, in a stream
 * upwards: the outer side of its lid and the inner side of its floor send out, all of it, and by
 * their area: within a spacing of edges that stand out, and of those in corners, as much as in
 * the middle. */
static void a_thin_wall_has_two_sides(void **state)
{
    (void)state;
    double rims[2] = {0, 0};
    for (int k = 0; k < 5; k++) {
        setup s;
        make(&s);
        strcpy(s.shape.kind, "box");
        s.shape.size[0] = 1;
        s.shape.size[1] = 1;
        s.shape.size[2] = 1;
        s.shape.thickness = 0.05 / 8;
        s.shape.center[0] = 0.007 * k;
        s.shape.center[1] = 0.011 * k;
        s.emitter.velocity[1] = 1;
        firn_sim *sim = running_until(&s.scene, &s.options, 0.4);
        double *P = running_copy(sim, "P"), full = 0.4 / pow(0.05, 3), n_faces[2] = {0, 0};
        int64_t n = firn_sim_n_particles(sim);
        for (int64_t i = 0; i < n; i++) {
            int is_floor = P[3 * i + 1] < s.shape.center[1] + 0.499;
            n_faces[is_floor]++;
            rims[is_floor] += fmax(fabs(P[3 * i] - s.shape.center[0]), fabs(P[3 * i + 2])) > 0.45;
        }
        assert_true(fabs((double)n / (2 * full) - 1) < 0.01);
        for (int f = 0; f < 2; f++) {
            double area = pow(f ? 1 - 0.05 / 8 : 1 + 0.05 / 8, 2);
            if (fabs(n_faces[f] / (full * area) - 1) > 0.02)
                fail_msg("face %d: %g", f, n_faces[f] / (full * area));
            if (k == 4 && fabs(rims[f] / (5 * full * (area - 0.81)) - 1) > 0.05)
                fail_msg("rim of face %d: %g", f, rims[f] / (5 * full * (area - 0.81)));
        }
        free(P);
        firn_sim_destroy(sim);
    }
}

/* A cube from a mesh whose walls are a tenth of a spacing thick: what its voxels know reaches as
 * far above them as patches and flow are looked for. */
static void a_thin_wall_from_a_mesh(void **state)
{
    (void)state;
    setup s;
    make(&s);
    firn_mesh *cube = geometry_block((const double[3]){0, 0, 0}, (const double[3]){0.4, 0.4, 0.4});
    assert_int_equal(firn_mesh_write(scratch("cube.obj"), cube, NULL), FIRN_OK);
    firn_mesh_destroy(cube);
    strcpy(s.shape.kind, "mesh");
    snprintf(s.shape.file, sizeof s.shape.file, "%s", scratch("cube.obj"));
    s.shape.thickness = 0.005;
    s.emitter.outward = 0.5;
    firn_sim *sim = running_until(&s.scene, &s.options, 0.4);
    double full = 2 * 6 * 0.16 * 0.5 * 0.4 / pow(0.05, 3);
    assert_true(fabs((double)firn_sim_n_particles(sim) / full - 1) < 0.01);
    firn_sim_destroy(sim);
}

/* At a rate: as many as it says, on all faces by their area, and not one within. */
static void at_a_rate_by_area(void **state)
{
    (void)state;
    setup s;
    make(&s);
    strcpy(s.shape.kind, "box");
    s.shape.size[0] = 2;
    s.shape.size[1] = 0.5;
    s.shape.size[2] = 1;
    s.emitter.rate = 100000;
    s.emitter.stop = 0.1;
    firn_sim *sim = running_until(&s.scene, &s.options, 0.1);
    double *P = running_copy(sim, "P"), faces[3] = {0, 0, 0}, area[3] = {1, 4, 2};
    assert_int_equal(firn_sim_n_particles(sim), 10000);
    for (int64_t i = 0; i < 10000; i++) {
        int n_on = 0;
        for (int a = 0; a < 3; a++) {
            int is_on = fabs(fabs(P[3 * i + a]) - 0.5 * s.shape.size[a]) < 1e-3;
            faces[a] += is_on;
            n_on += is_on;
        }
        assert_true(n_on > 0);
    }
    for (int a = 0; a < 3; a++) assert_true(fabs(faces[a] / (10000 * area[a] / 7) - 1) < 0.05);
    free(P);
    firn_sim_destroy(sim);
}

/* One after the other, too far apart to feel each other: at every moment each has fallen since
 * its own birth, however many steps that waited for. */
static void each_falls_since_its_birth(void **state)
{
    (void)state;
    const double rate = 20, speed = 10, end = 0.73, g = 9.81;
    setup s;
    make(&s);
    strcpy(s.shape.kind, "sphere");
    s.shape.radius = 0.01;
    s.emitter.from = FIRN_FROM_VOLUME;
    s.emitter.velocity[0] = speed;
    s.emitter.rate = rate;
    s.scene.gravity[1] = -g;
    s.scene.time.dt_max = 0.003;
    s.scene.is_double = 1;
    firn_sim *sim = running_until(&s.scene, &s.options, end);
    double *P = running_copy(sim, "P"), *v = running_copy(sim, "v");
    assert_int_equal(firn_sim_n_particles(sim), 15);
    for (int k = 0; k < 15; k++) { /* in the order of their births */
        const double t = end - k / rate;
        assert_true(fabs(v[3 * k] - speed) < 1e-9 && fabs(v[3 * k + 1] + g * t) < 1e-9);
        assert_true(fabs(P[3 * k] - speed * t) < 0.0101 &&
                    fabs(P[3 * k + 1] + 0.5 * g * t * t) < 0.0101 + g * t * 0.003);
    }
    free(P);
    free(v);
    firn_sim_destroy(sim);
}

/* The same for any number of threads and after a restore in the midst of things, while births
 * wait; others with another seed, the emitter's or the scene's. */
static void chance_is_in_the_seeds(void **state)
{
    (void)state;
    for (int from = FIRN_FROM_VOLUME; from <= FIRN_FROM_SURFACE; from++)
        for (int at_rate = 0; at_rate < 2; at_rate++) {
            uint64_t hash[5];
            for (int k = 0; k < 5; k++) {
                setup s;
                make(&s);
                strcpy(s.shape.kind, "sphere");
                s.shape.radius = 0.5;
                s.emitter.from = (firn_birthplace)from;
                s.emitter.velocity[0] = 1;
                s.emitter.rate = at_rate * 20000;
                s.options.n_threads = k == 0 ? 1 : 3;
                s.scene.seed = k == 2 ? 5 : 0;
                s.emitter.seed = k == 3 ? 5 : 0;
                firn_sim *sim = k == 4 ? running_start(&s.scene, &s.options)
                                       : running_until(&s.scene, &s.options, 0.2);
                if (k == 4) {
                    void *saved;
                    size_t n;
                    while (firn_sim_time(sim) < 0.1)
                        assert_int_equal(firn_sim_step(sim, 0.2, NULL), FIRN_OK);
                    assert_int_equal(firn_sim_save(sim, &saved, &n, NULL), FIRN_OK);
                    firn_sim *again = running_start(&s.scene, &s.options);
                    assert_int_equal(firn_sim_restore(again, saved, n, NULL), FIRN_OK);
                    firn_sim_release_state(sim, saved, n);
                    firn_sim_destroy(sim);
                    assert_int_equal(firn_sim_advance_to(again, 0.2, NULL), FIRN_OK);
                    sim = again;
                }
                hash[k] = firn_sim_hash(sim);
                firn_sim_destroy(sim);
            }
            assert_true(hash[0] == hash[1] && hash[4] == hash[1]);
            assert_true(hash[2] != hash[1] && hash[2] == hash[3]);
        }
}

/* A sheet that rises through its files: its patches are looked for now and then only, and a run
 * that goes on from a saved state looks for them at other times; yet it sends out the same. */
static void a_moving_sheet_goes_on_alike(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        char name[32];
        firn_mesh *quad = firn_mesh_create(4, 2);
        for (int c = 0; c < 4; c++)
            memcpy(quad->xyz + 3 * c,
                   (double[3]){c == 1 || c == 2 ? 0.3 : -0.3, 0.03 * k, c < 2 ? 0.3 : -0.3}, 24);
        memcpy(quad->triangles, (uint32_t[6]){0, 1, 2, 0, 2, 3}, 24);
        snprintf(name, sizeof name, "sheet.%d.obj", k);
        assert_int_equal(firn_mesh_write(scratch(name), quad, NULL), FIRN_OK);
        firn_mesh_destroy(quad);
    }
    uint64_t hash[2];
    for (int k = 0; k < 2; k++) {
        setup s;
        make(&s);
        strcpy(s.shape.kind, "mesh");
        snprintf(s.shape.file, sizeof s.shape.file, "%s", scratch("sheet.%d.obj"));
        s.shape.fps = 10;
        s.shape.thickness = 0.04;
        s.shape.voxel = 0.013;
        s.emitter.outward = 0.5;
        s.scene.time.dt_max = 0.004;
        firn_sim *sim = running_until(
            &s.scene, &s.options,
            0.075); /* what is born until then must be there, so both come by this moment */
        if (k) {
            void *saved;
            size_t n;
            assert_int_equal(firn_sim_save(sim, &saved, &n, NULL), FIRN_OK);
            firn_sim *again = running_start(&s.scene, &s.options);
            assert_int_equal(firn_sim_restore(again, saved, n, NULL), FIRN_OK);
            firn_sim_release_state(sim, saved, n);
            firn_sim_destroy(sim);
            sim = again;
        }
        assert_int_equal(firn_sim_advance_to(sim, 0.15, NULL), FIRN_OK);
        hash[k] = firn_sim_hash(sim);
        double area = 2 * 0.36 + 2.4 * M_PI * 0.02,
               n = area * 0.5 * 0.15 / pow(0.05, 3); /* with a round rim */
        if (fabs((double)firn_sim_n_particles(sim) / n - 1) > 0.1)
            fail_msg("%g of what it should be", (double)firn_sim_n_particles(sim) / n);
        firn_sim_destroy(sim);
    }
    assert_true(hash[0] == hash[1]);
}

/* A collider waits for an emitter that begins later, and is there when all that came has gone
 * into a sink. */
static void colliders_without_particles(void **state)
{
    (void)state;
    setup s;
    make(&s);
    firn_collider_def floor = firn_collider_default();
    firn_sink_def drain = firn_sink_default();
    firn_shape_def plane = firn_shape_default(), below = firn_shape_default();
    strcpy(plane.kind, "plane");
    strcpy(floor.name, "floor");
    floor.shapes = &plane;
    floor.n_shapes = 1;
    strcpy(below.kind, "half_space");
    below.center[1] = 0.3;
    strcpy(drain.name, "drain");
    drain.shapes = &below;
    drain.n_shapes = 1;
    strcpy(s.shape.kind, "sphere");
    s.shape.radius = 0.2;
    s.shape.center[1] = 0.6;
    s.emitter.from = FIRN_FROM_VOLUME;
    s.emitter.velocity[1] = -2;
    s.emitter.start = 0.1;
    s.emitter.stop = 0.15;
    s.scene.n_colliders = 1;
    s.scene.colliders = &floor;
    s.scene.n_sinks = 1;
    s.scene.sinks = &drain;
    s.scene.time.dt_max = 0.02;
    firn_sim *sim = running_until(&s.scene, &s.options, 0.09);
    assert_int_equal(firn_sim_n_particles(sim), 0);
    assert_int_equal(firn_sim_advance_to(sim, 0.2, NULL), FIRN_OK);
    assert_true(firn_sim_n_particles(sim) > 100);
    assert_int_equal(firn_sim_advance_to(sim, 1, NULL), FIRN_OK);
    assert_int_equal(firn_sim_n_particles(sim), 0);
    firn_sim_destroy(sim);
}

/* Two boxes in line and a box with a hole: what has flowed out of one part comes into the next
 * and is not born again, nor is it after a restore. In the end the stream has filled the box of
 * all and its section times the way. */
static void a_stream_that_comes_in_again(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        setup s;
        make(&s);
        firn_shape_def parts[2] = {firn_shape_default(), firn_shape_default()};
        strcpy(parts[0].kind, "box");
        strcpy(parts[1].kind, k ? "sphere" : "box");
        for (int a = 0; a < 3; a++) parts[0].size[a] = parts[1].size[a] = 0.4;
        parts[1].center[0] = k ? 0 : 0.6;
        parts[1].radius = 0.15;
        parts[1].csg = k ? FIRN_DIFFERENCE : FIRN_UNION;
        s.emitter.shapes = parts;
        s.emitter.n_shapes = 2;
        s.emitter.from = FIRN_FROM_VOLUME;
        s.emitter.velocity[0] = 1;
        firn_sim *sim = running_until(&s.scene, &s.options, 0.5),
                 *again = running_start(&s.scene, &s.options);
        void *saved;
        size_t n;
        assert_int_equal(firn_sim_save(sim, &saved, &n, NULL), FIRN_OK);
        assert_int_equal(firn_sim_restore(again, saved, n, NULL), FIRN_OK);
        firn_sim_release_state(sim, saved, n);
        assert_int_equal(firn_sim_advance_to(sim, 1, NULL), FIRN_OK);
        assert_int_equal(firn_sim_advance_to(again, 1, NULL), FIRN_OK);
        assert_true(firn_sim_hash(sim) == firn_sim_hash(again));
        double full = 0.16 * ((k ? 0.4 : 1) + 1) / pow(0.05, 3);
        assert_true(fabs((double)firn_sim_n_particles(sim) / full - 1) < 0.02);
        firn_sim_destroy(sim);
        firn_sim_destroy(again);
    }
}

static double volume_of(firn_sim *sim)
{
    double *volume = running_copy(sim, "volume"), sum = 0;
    for (int64_t i = 0; i < firn_sim_n_particles(sim); i++) sum += volume[i];
    free(volume);
    return sum;
}

/* A filling emitter holds its volume when it begins, and adds its cross-section times the way,
 * whether its edges are whole numbers of spacings (0.05 m) or not, along an axis and askew; a
 * ball, too. */
static void filling_is_right_to_half_a_percent(void **state)
{
    (void)state;
    static const struct {
        double size[3], center; /* a radius alone: a ball */
        int is_oblique;
    } cases[] = {
        {{0.43, 0.43, 0.43}, 0, 0},  {{0.52, 0.175, 0.325}, 0, 0}, {{0.9, 0.475, 0.625}, 0.0123, 0},
        {{0.5, 0.4, 0.45}, 0.01, 0}, {{0.43, 0.43, 0.43}, 0, 1},   {{0.47, 0.325, 0.675}, 0.017, 1},
        {{0.23, 0, 0}, 0, 0},        {{0.317, 0, 0}, 0.02, 1},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int moves = 0; moves < 2; moves++) {
            setup s;
            make(&s);
            const double *size = cases[k].size, v = moves ? 2 : 0, T = moves ? 3 : 0.01,
                         *u = s.emitter.velocity;
            int is_ball = size[1] == 0;
            strcpy(s.shape.kind, is_ball ? "sphere" : "box");
            s.shape.radius = size[0];
            for (int a = 0; a < 3; a++) {
                s.shape.size[a] = size[a];
                s.shape.center[a] = (a + 1) * cases[k].center;
            }
            s.emitter.from = FIRN_FROM_VOLUME;
            s.scene.time.dt_max = 0.02;
            s.emitter.velocity[0] = cases[k].is_oblique ? 0.6 * v : v;
            s.emitter.velocity[1] = cases[k].is_oblique ? 0.8 * v : 0;
            firn_sim *sim = running_until(&s.scene, &s.options, T);
            double section = is_ball ? M_PI * size[0] * size[0] * v
                                     : u[0] * size[1] * size[2] + u[1] * size[0] * size[2];
            double full =
                (is_ball ? 4.0 / 3 * M_PI * pow(size[0], 3) : size[0] * size[1] * size[2]) +
                section * T;
            double miss = volume_of(sim) / full - 1;
            if (fabs(miss) > 0.005)
                fail_msg("case %zu, %s: %+.3f %%", k, moves ? "moving" : "still", 100 * miss);
            firn_sim_destroy(sim);
        }
}

/* A sheet of a fifth of a spacing that lies askew holds its volume when it begins. */
static void a_thin_sheet_askew_is_filled(void **state)
{
    (void)state;
    setup s;
    make(&s);
    const double size[3] = {0.9, 0.9, 0.01}, turn[3] = {0.5, 0.3, 0};
    strcpy(s.shape.kind, "box");
    s.emitter.from = FIRN_FROM_VOLUME;
    for (int a = 0; a < 3; a++) {
        s.shape.size[a] = size[a];
        s.shape.rotate[a] = turn[a];
        s.emitter.velocity[a] = 0;
    }
    firn_sim *sim = running_until(&s.scene, &s.options, 0.01);
    assert_true(fabs(volume_of(sim) / (size[0] * size[1] * size[2]) - 1) < 5e-3);
    firn_sim_destroy(sim);
}

/* A flow into the shape emits nothing, which a warning says; what begins before the shot is
 * refused. */
static void what_cannot_be_is_told(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        setup s;
        make(&s);
        strcpy(s.shape.kind, "sphere");
        s.shape.radius = 0.3;
        s.emitter.outward = k == 1 ? -0.5 : 0.5;
        s.emitter.start = k == 2 ? -1 : 0;
        firn_messages *messages = firn_messages_create();
        firn_sim *sim = NULL;
        assert_int_equal(firn_sim_create(&s.scene, &s.options, &sim, messages),
                         k == 2 ? FIRN_REFUSED : FIRN_OK);
        assert_int_equal(firn_messages_total(messages) > 0, k > 0);
        if (k)
            assert_non_null(
                strstr(firn_messages_text(messages, 0, NULL), k == 1 ? "emits nothing" : "start"));
        firn_sim_destroy(sim);
        firn_messages_destroy(messages);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_sends_out_its_area),
        cmocka_unit_test(a_stream_leaves_one_face),
        cmocka_unit_test(a_thin_wall_has_two_sides),
        cmocka_unit_test(a_thin_wall_from_a_mesh),
        cmocka_unit_test(at_a_rate_by_area),
        cmocka_unit_test(each_falls_since_its_birth),
        cmocka_unit_test(chance_is_in_the_seeds),
        cmocka_unit_test(colliders_without_particles),
        cmocka_unit_test(a_stream_that_comes_in_again),
        cmocka_unit_test(what_cannot_be_is_told),
        cmocka_unit_test(filling_is_right_to_half_a_percent),
        cmocka_unit_test(a_thin_sheet_askew_is_filled),
        cmocka_unit_test(a_moving_sheet_goes_on_alike),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
