/* SPDX-License-Identifier: MIT */
/* test_sim.c: the solver against closed forms - free fall, conservation, spin, linear fields -
 * and against itself: threads, instruction sets, save and restore. */
#include "firn/firn.h"
#include "support/running.h"
#include "base/memory.h"
#include "mpm/mpm.h"
#include "mpm/sort.h"

#include <math.h>
#include <omp.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct setup {
    firn_scene_def scene;
    firn_material_def material;
    firn_shape_def shape;
    firn_body_def body;
    firn_run_options options;
} setup;

/* A Neo-Hookean ball of radius 6.4 cells, no gravity. */
static void make_ball(setup *s)
{
    *s = (setup){firn_scene_default(), firn_material_default(), firn_shape_default(),
                 firn_body_default(), firn_run_options_default()};
    strcpy(s->material.name, "stuff");
    strcpy(s->material.law, "neo_hookean");
    strcpy(s->material.parameters[0].name, "E");
    s->material.parameters[0].value = 1e4;
    strcpy(s->material.parameters[1].name, "rho");
    s->material.parameters[1].value = 1000;
    s->material.n_parameters = 2;
    strcpy(s->shape.kind, "sphere");
    s->shape.radius = 0.64;
    strcpy(s->body.name, "ball");
    strcpy(s->body.material, "stuff");
    s->body.n_shapes = 1;
    s->body.shapes = &s->shape;
    s->body.sampling = FIRN_REGULAR;
    s->body.particles_per_cell = 8;
    for (int a = 0; a < 3; a++) s->scene.gravity[a] = 0;
    s->scene.grid.dx = 0.1;
    s->scene.n_materials = 1;
    s->scene.materials = &s->material;
    s->scene.n_bodies = 1;
    s->scene.bodies = &s->body;
}

static void go(firn_sim *sim, double until)
{
    firn_messages *messages = firn_messages_create();
    if (firn_sim_advance_to(sim, until, messages) != FIRN_OK)
        fail_msg("%s", firn_messages_text(messages, 0, NULL));
    firn_messages_destroy(messages);
}

/* x = x0 + v0 t - g t (t + dt) / 2 for the symplectic step, F = I (verification: rung 1). */
static void free_fall(void **state)
{
    (void)state;
    for (int is_double = 1; is_double >= 0; is_double--)
        for (int scheme = FIRN_APIC; scheme <= FIRN_AFLIP; scheme++) {
            setup s;
            make_ball(&s);
            s.scene.is_double = is_double;
            s.scene.gravity[1] = -9.81;
            s.body.velocity[0] = 2;
            s.scene.transfer.scheme = scheme;
            s.scene.transfer.flip_blend = 0.95;
            s.scene.time.dt_fixed = 0.25 / 128;
            firn_sim *sim = running_start(&s.scene, &s.options);
            double *before = running_copy(sim, "P");
            go(sim, 0.25);
            assert_int_equal(firn_sim_step_count(sim), 128);
            double *after = running_copy(sim, "P"), *F = running_copy(sim, "F"), worst = 0,
                   worst_F = 0;
            int64_t n = firn_sim_n_particles(sim);
            double t = 0.25, dt = t / 128, move[3] = {2 * t, -9.81 * t * (t + dt) / 2, 0};
            for (int64_t i = 0; i < 3 * n; i++)
                worst = fmax(worst, fabs(after[i] - before[i] - move[i % 3]));
            for (int64_t i = 0; i < 9 * n; i++)
                worst_F = fmax(worst_F, fabs(F[i] - (i % 9 % 4 == 0)));
            /* double: 1e-12; float: 128 roundings of a place within 5 cells of 0.1 m (3e-7 cells
             * each), and of v */
            assert_true(worst < (is_double ? 1e-12 : 2e-5));
            assert_true(worst_F < (is_double ? 1e-12 : 1e-4));
            free(before);
            free(after);
            free(F);
            firn_sim_destroy(sim);
        }
}

static firn_ledger ledger(firn_sim *sim)
{
    firn_ledger ledger;
    assert_int_equal(firn_sim_ledger(sim, -1, &ledger, NULL), FIRN_OK);
    return ledger;
}

/* One turn of a ball of R = 6.4 h: APIC keeps angular momentum with its affine part, PIC loses
 * more than half. */
static void spinning(void **state)
{
    (void)state;
    for (int force = FIRN_FORCE_GRADIENT; force <= FIRN_FORCE_MLS; force++)
        for (int scheme = 0; scheme < 2; scheme++) {
            setup s;
            make_ball(&s);
            s.scene.is_double = 1;
            s.body.spin[2] = 1;
            s.scene.transfer.scheme = scheme ? FIRN_PIC : FIRN_APIC;
            s.scene.transfer.force = force;
            firn_sim *sim = running_start(&s.scene, &s.options);
            firn_ledger a = ledger(sim);
            go(sim, 2 * 3.14159265358979);
            firn_ledger b = ledger(sim);
            double change = fabs(b.angular_momentum[2] / a.angular_momentum[2] - 1);
            if (scheme)
                assert_true(change > 0.5);
            else
                assert_true(change < 1e-11 * sqrt((double)firn_sim_step_count(sim)));
            for (int c = 0; c < 3; c++) assert_true(fabs(b.momentum[c]) < 1e-11 * a.mass);
            assert_true(b.mass == a.mass);
            firn_sim_destroy(sim);
        }
}

/* A velocity field that is linear in space is a fixed point of APIC's transfers: C comes back
 * exactly. */
static void linear_field(void **state)
{
    (void)state;
    for (int spline = FIRN_CUBIC; spline <= FIRN_QUADRATIC; spline++) {
        setup s;
        make_ball(&s);
        s.scene.is_double = 1;
        s.scene.grid.spline = spline;
        firn_sim *sim = running_start(&s.scene, &s.options);
        int64_t n = firn_sim_n_particles(sim);
        double *x = running_copy(sim, "P"), *v = malloc((size_t)n * 3 * sizeof *v),
               *C = malloc((size_t)n * 9 * sizeof *C);
        const double A[9] = {0.1, -0.2, 0.3, 0.05, -0.1, 0.02, 0.4, 0.2, 0.01};
        for (int64_t i = 0; i < n; i++)
            for (int a = 0; a < 3; a++) {
                v[3 * i + a] = 0.5 * a;
                for (int b = 0; b < 3; b++) {
                    v[3 * i + a] += A[3 * a + b] * x[3 * i + b];
                    C[9 * i + 3 * a + b] = A[3 * a + b];
                }
            }
        assert_int_equal(firn_sim_assign(sim, "v", v, (size_t)n * 3, NULL), FIRN_OK);
        assert_int_equal(firn_sim_assign(sim, "C", C, (size_t)n * 9, NULL), FIRN_OK);
        assert_int_equal(firn_sim_step(sim, 1e-5, NULL), FIRN_OK);
        double *v2 = running_copy(sim, "v"), *C2 = running_copy(sim, "C"), worst = 0;
        for (int64_t i = 0; i < 3 * n; i++) worst = fmax(worst, fabs(v2[i] - v[i]));
        for (int64_t i = 0; i < 9 * n; i++) worst = fmax(worst, fabs(C2[i] - C[i]) * 0.1);
        assert_true(worst < 1e-12);
        free(x);
        free(v);
        free(C);
        free(v2);
        free(C2);
        firn_sim_destroy(sim);
    }
}

/* A busy scene: two balls collide on a plane, with APIC or FLIP. */
static uint64_t busy(int threads, const char *isa, int scheme, int is_double, double until,
                     double save_at)
{
    setup s;
    make_ball(&s);
    firn_body_def bodies[2] = {s.body, s.body};
    firn_shape_def shapes[2] = {s.shape, s.shape}, plane = firn_shape_default();
    strcpy(bodies[1].name, "other");
    shapes[0].center[0] = -0.35;
    shapes[1].center[0] = 0.35;
    shapes[1].center[1] = 0.1;
    shapes[0].radius = shapes[1].radius = 0.3;
    bodies[0].shapes = &shapes[0];
    bodies[1].shapes = &shapes[1];
    bodies[0].velocity[0] = 2;
    bodies[1].velocity[0] = -2;
    bodies[0].sampling = bodies[1].sampling = FIRN_JITTERED;
    firn_collider_def floor = firn_collider_default();
    strcpy(floor.name, "floor");
    strcpy(plane.kind, "plane");
    plane.normal[0] = 0;
    plane.normal[1] = 1;
    plane.normal[2] = 0;
    plane.center[1] = -0.32;
    floor.shapes = &plane;
    floor.n_shapes = 1;
    floor.contact = FIRN_SEPARATE;
    floor.friction = 0.3;
    s.scene.n_bodies = 2;
    s.scene.bodies = bodies;
    s.scene.n_colliders = 1;
    s.scene.colliders = &floor;
    s.scene.gravity[1] = -9.81;
    s.scene.transfer.scheme = scheme;
    s.scene.is_double = is_double;
    s.options.n_threads = threads;
    strcpy(s.options.isa, isa);
    firn_sim *sim = running_start(&s.scene, &s.options);
    if (save_at > 0) {
        void *saved;
        size_t n;
        go(sim, save_at);
        assert_int_equal(firn_sim_save(sim, &saved, &n, NULL), FIRN_OK);
        firn_sim *again = running_start(&s.scene, &s.options);
        assert_int_equal(firn_sim_restore(again, saved, n, NULL), FIRN_OK);
        firn_sim_release_state(sim, saved, n);
        firn_sim_destroy(sim);
        sim = again;
    }
    go(sim, until / 2);
    go(sim, until);
    uint64_t hash = firn_sim_hash(sim);
    assert_true(ledger(sim).max_speed > 0.5);
    firn_sim_destroy(sim);
    return hash;
}

static void same_bits(void **state)
{
    (void)state;
    const int threads[] = {2, 3, 4, 7, 16};
    for (int scheme = FIRN_APIC; scheme <= FIRN_FLIP; scheme++) {
        uint64_t one = busy(1, "", scheme, 0, 0.08, 0);
        for (size_t i = 0; i < sizeof threads / sizeof *threads; i++)
            assert_true(busy(threads[i], "", scheme, 0, 0.08, 0) == one);
        assert_true(busy(2, "", scheme, 0, 0.08, 0.04) == one);
    }
}

/* Threads that are not requested: few particles get one, many get all there are; a request is
 * granted. */
static void threads_by_work(void **state)
{
    (void)state;
    setup s;
    make_ball(&s); /* 8,800 particles */
    int most = omp_get_max_threads();
    omp_set_num_threads(3);
    unsetenv("FIRN_THREADS");
    for (int many = 0; many < 2; many++)
        for (int asked = 0; asked <= 7; asked += 7) {
            s.shape.radius = many ? 0.64 : 0.2;
            s.options.n_threads = asked;
            firn_sim *sim = running_start(&s.scene, &s.options);
            assert_int_equal(firn_sim_n_threads(sim), asked ? asked : many ? 3 : 1);
            firn_sim_destroy(sim);
        }
    omp_set_num_threads(most);
}

/* What a hand holds has the velocity of the hand, at its rim, too: not what the grid makes of it.
 */
static void held(void **state)
{
    (void)state;
    setup s;
    make_ball(&s);
    firn_grip_def grip = firn_grip_default();
    firn_shape_def region = s.shape;
    region.radius = 0.3;
    grip.n_shapes = 1;
    grip.shapes = &region;
    strcpy(grip.name, "hand");
    grip.motion.velocity[0] = 1;
    grip.motion.spin[2] = 2;
    s.scene.n_grips = 1;
    s.scene.grips = &grip;
    s.scene.is_double = 1;
    firn_sim *sim = running_start(&s.scene, &s.options);
    double *at = running_copy(sim, "P"), worst = 0;
    go(sim, 0.02);
    double *x = running_copy(sim, "P"), *v = running_copy(sim, "v");
    int n_held = 0;
    for (int64_t i = 0; i < firn_sim_n_particles(sim); i++) {
        const double *p = at + 3 * i, *q = x + 3 * i, *u = v + 3 * i;
        if (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] > 0.299 * 0.299) continue;
        const double wanted[3] = {1 - 2 * q[1], 2 * (q[0] - 0.02), 0};
        for (int a = 0; a < 3; a++) worst = fmax(worst, fabs(u[a] - wanted[a]));
        n_held++;
    }
    assert_true(n_held > 500);
    if (worst > 1e-12) fail_msg("a held particle is %g m/s off", worst);
    free(at);
    free(x);
    free(v);
    firn_sim_destroy(sim);
}

/* Every instruction set simulates the same thing as plain double C, within round-off grown over
 * 15 steps. */
static void same_physics(void **state)
{
    (void)state;
    const struct {
        const char *isa;
        int is_double;
        double tolerance;
    } machines[] = {{"sse2", 0, 2e-4},
                    {"avx2", 0, 2e-4},
                    {"avx512", 0, 2e-4},
                    {"avx2", 1, 1e-11},
                    {"avx512", 1, 1e-11}};
    for (int scheme = FIRN_APIC; scheme <= FIRN_AFLIP; scheme++)
        for (int form = 0; form < 4; form++) {
            double *reference = NULL;
            for (int i = -1; i < 5; i++) {
                setup s;
                make_ball(&s);
                s.scene.is_double = i < 0 || machines[i].is_double;
                s.scene.transfer.scheme = scheme;
                s.scene.grid.spline = form & 1 ? FIRN_QUADRATIC : FIRN_CUBIC;
                s.scene.transfer.force = form & 2 ? FIRN_FORCE_MLS : FIRN_FORCE_GRADIENT;
                s.body.sampling = FIRN_JITTERED;
                s.shape.radius = 0.25;
                s.body.spin[0] = 3;
                s.body.F[0] = 1.1;
                s.body.F[1] = 0.1;
                strcpy(s.options.isa, i < 0 ? "scalar" : machines[i].isa);
                s.scene.time.dt_fixed = 1e-3;
                firn_sim *sim = NULL;
                if (firn_sim_create(&s.scene, &s.options, &sim, NULL) != FIRN_OK) {
                    assert_true(i >= 0); /* this processor has no such instructions */
                    continue;
                }
                go(sim, 0.015);
                double *x = running_copy(sim, "P"), worst = 0;
                for (int64_t k = 0; reference && k < 3 * firn_sim_n_particles(sim); k++)
                    worst = fmax(worst, fabs(x[k] - reference[k]) / 0.1);
                if (i >= 0 && worst > machines[i].tolerance)
                    fail_msg("%s scheme %d form %d: %g cells off", machines[i].isa, scheme, form,
                             worst);
                if (reference)
                    free(x);
                else
                    reference = x;
                firn_sim_destroy(sim);
            }
            free(reference);
        }
}

/* Two bodies 10 km apart cost what one costs twice, and are as exact there. */
static void far_apart(void **state)
{
    (void)state;
    double fall[2];
    int64_t blocks[2];
    for (int i = 0; i < 2; i++) {
        setup s;
        make_ball(&s);
        s.shape.center[0] = i ? 10000.0 : 0.0;
        s.scene.gravity[1] = -9.81;
        firn_sim *sim = running_start(&s.scene, &s.options);
        go(sim, 0.1);
        firn_ledger l = ledger(sim);
        fall[i] = l.center[1];
        blocks[i] = firn_sim_stats(sim).n_blocks;
        firn_sim_destroy(sim);
    }
    assert_true(fabs(fall[0] - fall[1]) < 1e-6);
    assert_true(llabs(blocks[0] - blocks[1]) < blocks[0] / 3);
}

static void refuses(void **state)
{
    (void)state;
    firn_messages *messages = firn_messages_create();
    firn_sim *sim = NULL;
    setup s;
    make_ball(&s);
    s.body.marker = 0;
    assert_int_equal(firn_sim_create(&s.scene, NULL, &sim, messages), FIRN_REFUSED);
    assert_null(sim);
    make_ball(&s);
    s.options.max_memory = 200000;
    assert_int_equal(firn_sim_create(&s.scene, &s.options, &sim, messages), FIRN_MEMORY);
    make_ball(&s);
    strcpy(s.options.isa, "mmx");
    assert_int_equal(firn_sim_create(&s.scene, &s.options, &sim, messages), FIRN_REFUSED);
    firn_messages_clear(messages);
    make_ball(&s);
    s.shape.radius = 1e-6;
    s.body.sampling = FIRN_JITTERED;
    assert_int_equal(firn_sim_create(&s.scene, &s.options, &sim, messages), FIRN_REFUSED);
    assert_non_null(strstr(firn_messages_text(messages, 0, NULL), "o point falls into the shape"));
    assert_string_equal(firn_messages_text(messages, 1, NULL),
                        "body 'ball': cannot be filled, see above");
    firn_messages_destroy(messages);
    make_ball(&s);
    sim = running_start(&s.scene, &s.options);
    double x[3];
    void *nothing;
    size_t n;
    firn_view view;
    assert_int_equal(firn_sim_step(NULL, 1, NULL), FIRN_USAGE);
    assert_int_equal(firn_sim_save(NULL, &nothing, &n, NULL), FIRN_USAGE);
    assert_int_equal(firn_sim_restore(NULL, x, sizeof x, NULL), FIRN_USAGE);
    assert_int_equal(firn_sim_restore(sim, NULL, 0, NULL), FIRN_USAGE);
    assert_int_equal(firn_sim_copy(NULL, "P", x, 3, NULL), FIRN_USAGE);
    assert_int_equal(firn_sim_assign(NULL, "v", x, 3, NULL), FIRN_USAGE);
    assert_int_equal(firn_sim_view(NULL, 0, "v", &view, NULL), FIRN_USAGE);
    char garbage[64] = "not a state";
    assert_int_equal(firn_sim_restore(sim, garbage, sizeof garbage, NULL), FIRN_REFUSED);
    firn_sim_destroy(sim);
}

typedef struct copied {
    char *bytes;
    size_t n, used;
} copied;

static void keep_piece(void *user, const void *data, size_t n)
{
    copied *to = user;
    if (to->used + n <= to->n) memcpy(to->bytes + to->used, data, n);
    to->used += n;
}

/* At most 200 bytes a particle at peak, creation, sorts and checkpoints included; no allocation
 * in a step that does not sort. */
static void memory_bound(void **state)
{
    (void)state;
    setup s;
    make_ball(&s);
    s.scene.grid.dx = 0.025;
    s.body.velocity[0] = 3;
    s.body.sampling = FIRN_JITTERED;
    s.options.n_threads = 2;
    firn_sim *sim = running_start(&s.scene, &s.options);
    int n_quiet = 0;
    while (firn_sim_stats(sim).n_sorts < 4) {
        int64_t sorts = firn_sim_stats(sim).n_sorts, allocations = sim->memory.n_allocations;
        assert_int_equal(firn_sim_step(sim, 1, NULL), FIRN_OK);
        if (firn_sim_stats(sim).n_sorts > sorts) continue;
        assert_int_equal(sim->memory.n_allocations, allocations);
        n_quiet++;
    }
    assert_true(n_quiet > 0);
    copied pieces = {0};
    size_t n_bytes;
    assert_int_equal(firn_save_stream(sim, NULL, NULL, &pieces.n, NULL), FIRN_OK);
    pieces.bytes = malloc(pieces.n);
    assert_int_equal(firn_save_stream(sim, keep_piece, &pieces, &n_bytes, NULL), FIRN_OK);
    assert_true(pieces.n == n_bytes && pieces.used == n_bytes);
    double each = (double)firn_sim_stats(sim).memory_peak / (double)firn_sim_n_particles(sim);
    if (each > (sim->mpm->kernels->is_double ? 400 : 200)) fail_msg("%g bytes a particle", each);
    void *saved;
    assert_int_equal(firn_sim_save(sim, &saved, &n_bytes, NULL), FIRN_OK);
    assert_true(n_bytes == pieces.n);
    assert_memory_equal(saved, pieces.bytes, n_bytes);
    firn_sim_release_state(sim, saved, n_bytes);
    free(pieces.bytes);
    firn_sim_destroy(sim);
}

/* No step is taken in which a law fails: it is repeated with smaller dt, and where that does not
 * help refused with law, particle, cell, time and step; the state is then unchanged. A ball under
 * pressure is beyond its law at once; one that contracts from twice its size goes on in ever
 * shorter steps up to the edge, the same on any number of threads. */
static void law_fails_from(double stretch, int n_threads, uint64_t *at_end)
{
    setup s;
    make_ball(&s);
    strcpy(s.material.law, "st_venant_kirchhoff");
    for (int a = 0; a < 3; a++) s.body.F[4 * a] = stretch;
    s.options.n_threads = n_threads;
    firn_sim *sim = running_start(&s.scene, &s.options);
    firn_messages *messages = firn_messages_create();
    firn_status status = FIRN_OK;
    int64_t n_retries = 0;
    while (status == FIRN_OK && firn_sim_time(sim) < 10) {
        *at_end = firn_sim_hash(sim);
        n_retries = firn_sim_stats(sim).n_retries;
        status = firn_sim_step(sim, 10, messages);
    }
    assert_int_equal(status, FIRN_STOPPED);
    assert_true(firn_sim_hash(sim) == *at_end && !sim->is_spoiled);
    assert_int_equal(firn_sim_stats(sim).n_retries - n_retries, 10);
    assert_true((n_retries > 0) == (stretch > 1));
    const char *sentence = firn_messages_text(messages, 0, NULL);
    const char *const words[] = {"step ", " after 10 halvings (t = ",
                                 "): material 'stuff' (law st_venant_kirchhoff), particle ",
                                 ", cell ", "material failure: no longer elliptic"};
    for (int i = 0; i < 5; i++)
        if (!strstr(sentence, words[i])) fail_msg("%s", sentence);
    firn_messages_destroy(messages);
    firn_sim_destroy(sim);
}

static void law_fails(void **state)
{
    (void)state;
    uint64_t one, two;
    law_fails_from(0.5, 1, &one);
    law_fails_from(2, 1, &one);
    law_fails_from(2, 3, &two);
    assert_true(one == two);
}

/* Likely mistakes cause a warning and run: bodies beyond closed walls, holds without particles. */
static void doubtful_scenes(void **state)
{
    (void)state;
    setup s;
    make_ball(&s);
    firn_shape_def region = firn_shape_default();
    firn_grip_def grip = firn_grip_default();
    strcpy(region.kind, "sphere");
    region.radius = 0.1;
    region.center[0] = 5;
    strcpy(grip.name, "hand");
    grip.n_shapes = 1;
    grip.shapes = &region;
    s.scene.n_grips = 1;
    s.scene.grips = &grip;
    s.scene.grid.has_box = 1;
    s.scene.grid.overlap = FIRN_OVERLAP_KEEP;
    s.scene.grid.walls[0] = FIRN_WALL_SLIP;
    s.scene.grid.walls[3] = FIRN_WALL_DELETE;
    for (int a = 0; a < 3; a++) {
        s.scene.grid.box_min[a] = 0;
        s.scene.grid.box_max[a] = 1;
    }
    firn_messages *messages = firn_messages_create();
    firn_sim *sim = NULL;
    assert_int_equal(firn_sim_create(&s.scene, &s.options, &sim, messages), FIRN_OK);
    int64_t n = 0;
    double *x = running_copy(sim, "P");
    for (int64_t i = 0; i < firn_sim_n_particles(sim); i++) n += x[3 * i] < 0;
    char words[120];
    snprintf(words, sizeof words,
             "material 'stuff': %lld particles begin beyond closed walls, the first at -",
             (long long)n);
    assert_int_equal(firn_messages_count(messages, FIRN_WARNING), 2);
    assert_string_equal(
        firn_messages_text(messages, 0, NULL),
        "grip 'hand': holds no particle; it moves the nodes of the grid in its region, "
        "and what comes there");
    assert_memory_equal(firn_messages_text(messages, 1, NULL), words, strlen(words));
    free(x);
    firn_messages_destroy(messages);
    firn_sim_destroy(sim);
}

static void push(void *user, int64_t particle, const double x[3], double time, double a[3])
{
    (void)time;
    a[0] = *(double *)user * (x[0] > 0 ? 1 : -1);
    a[1] = a[2] = 0 * (double)particle;
}

/* Colours are said as pickers show them and written as Houdini keeps them, in linear light: half
 * is .21404. */
static void colors(void **state)
{
    (void)state;
    setup s;
    make_ball(&s);
    s.material.color[0] = 0.5;
    s.material.color[1] = 0;
    s.material.color[2] = 1;
    firn_sim *sim = running_start(&s.scene, &s.options);
    double *Cd = running_copy(sim, "Cd");
    assert_true(fabs(Cd[0] - 0.2140411) < 1e-6 && Cd[1] == 0 && Cd[2] == 1);
    free(Cd);
    firn_sim_destroy(sim);
}

/* A step that would move particles across cells is never taken: it is repeated with half the dt,
 * and refused with a message when ten halvings do not help; the particles are then unchanged. */
static void judged(void **state)
{
    (void)state;
    for (int hopeless = 0; hopeless < 2; hopeless++) {
        setup s;
        make_ball(&s);
        double strength = hopeless ? 1e15 : 3e4;
        firn_messages *messages = firn_messages_create();
        firn_sim *sim = running_start(&s.scene, &s.options);
        firn_sim_set_acceleration(sim, push, &strength);
        uint64_t before = firn_sim_hash(sim);
        firn_status status = firn_sim_step(sim, 0.02, messages);
        assert_true(firn_sim_stats(sim).n_retries > 0);
        if (hopeless) {
            assert_int_equal(status, FIRN_STOPPED);
            assert_int_equal(firn_sim_stats(sim).n_retries, 10);
            assert_non_null(strstr(firn_messages_text(messages, 0, NULL),
                                   "): material 'stuff' (law neo_hookean), particle"));
            assert_true(firn_sim_hash(sim) == before);
        } else {
            assert_int_equal(status, FIRN_OK);
            assert_string_equal(firn_sim_stats(sim).limit.criterion, "retry");
            assert_true(ledger(sim).min_J > 0);
        }
        firn_messages_destroy(messages);
        firn_sim_destroy(sim);
    }
}

/* A traction of F newtons on a free body gives it the momentum F t; a motion grip's reaction is
 * the momentum it gave. */
static void grips(void **state)
{
    (void)state;
    for (int mode = FIRN_GRIP_MOTION; mode <= FIRN_GRIP_TRACTION; mode++)
        for (int scheme = FIRN_APIC; scheme <= FIRN_FLIP; scheme++) {
            setup s;
            make_ball(&s);
            firn_grip_def grip = firn_grip_default();
            firn_shape_def region = s.shape;
            region.radius = mode == FIRN_GRIP_TRACTION ? 1 : 0.3;
            strcpy(grip.name, "hand");
            grip.mode = mode;
            grip.shapes = &region;
            grip.n_shapes = 1;
            grip.force[0] = 30;
            grip.force[2] = -7;
            grip.motion.velocity[1] = 0.5;
            grip.release = 0.05;
            s.scene.is_double = 1;
            s.scene.n_grips = 1;
            s.scene.grips = &grip;
            s.scene.transfer.scheme = scheme;
            firn_sim *sim = running_start(&s.scene, &s.options);
            go(sim, 0.05);
            go(sim, 0.1); /* released after half the time */
            firn_ledger l = ledger(sim);
            firn_reaction reaction;
            assert_int_equal(firn_sim_grip_reaction(sim, 0, &reaction), FIRN_OK);
            for (int a = 0; a < 3; a++) {
                double given =
                    mode == FIRN_GRIP_TRACTION ? grip.force[a] * 0.05 : reaction.impulse[a];
                assert_true(fabs(l.momentum[a] - given) < 1e-9 * l.mass);
            }
            if (mode == FIRN_GRIP_MOTION) assert_true(l.momentum[1] > 0.01 * l.mass);
            assert_int_equal(firn_sim_stats(sim).n_retries, 0);
            firn_sim_destroy(sim);
        }
}

/* A box of 1 x 0.5 x 0.5 m that emits at 2 m/s along its long side holds its volume at once and
 * adds 2 m/s times its cross-section; at a rate the count is exact. A restored run emits the
 * same particles. */
static void emitting(void **state)
{
    (void)state;
    for (int at_rate = 0; at_rate < 2; at_rate++) {
        setup s;
        make_ball(&s);
        firn_emitter_def tap = firn_emitter_default();
        firn_shape_def box = firn_shape_default();
        strcpy(box.kind, "box");
        box.size[0] = 1;
        box.size[1] = box.size[2] = 0.5;
        strcpy(tap.name, "tap");
        strcpy(tap.material, "stuff");
        tap.shapes = &box;
        tap.n_shapes = 1;
        tap.velocity[0] = 2;
        tap.rate = at_rate ? 5000 : 0;
        tap.start = 0.01;
        tap.stop = 0.26;
        tap.particles_per_cell = 8;
        s.scene.n_bodies = 0;
        s.scene.n_emitters = 1;
        s.scene.emitters = &tap;
        firn_sim *sim = running_start(&s.scene, &s.options),
                 *again = running_start(&s.scene, &s.options);
        void *saved;
        size_t n;
        go(sim, 0.15);
        assert_int_equal(firn_sim_save(sim, &saved, &n, NULL), FIRN_OK);
        assert_int_equal(firn_sim_restore(again, saved, n, NULL), FIRN_OK);
        firn_sim_release_state(sim, saved, n);
        go(sim, 0.3);
        go(again, 0.3);
        assert_true(firn_sim_hash(sim) == firn_sim_hash(again));
        assert_int_equal(firn_sim_stats(sim).n_retries, 0);
        double count = (double)firn_sim_n_particles(sim),
               full = (0.25 + 0.25 * 2 * 0.25) * 8 / 1e-3;
        if (at_rate)
            assert_true(count == 1250);
        else
            assert_true(fabs(count / full - 1) < 0.02);
        firn_ledger l = ledger(sim);
        assert_true(l.max[0] > 0.5 + 2 * 0.25 - 0.1 && l.min[1] > -0.3);
        firn_sim_destroy(sim);
        firn_sim_destroy(again);
    }
}

/* Whatever a place is, the kernel's answers are indices; where it makes sense, they are those of
 * the definition. */
static void places_of_particles(void **state)
{
    (void)state;
    const double wild[] = {NAN, INFINITY, -INFINITY, 1e30,      -1e30,       -0.5,
                           3.5, -1,       0,         3.4999998, -0.50000006, 2.5};
    for (int v = 0; v < FIRN_N_VARIANTS; v++) {
        const firn_kernels *k = firn_kernels_find((firn_variant)v);
        if (!k) continue;
        for (int round = 0; round < 400; round++) {
            double x[48], wide[48];
            float narrow[48];
            for (int i = 0; i < 48; i++) {
                const int number = round * 48 + i;
                x[i] = number % 5 == 0 ? wild[number / 5 % 12] : -1.4 + 0.0121 * (number * 7 % 480);
                narrow[i] = (float)x[i];
                wide[i] = x[i] = k->is_double ? x[i] : (double)narrow[i];
            }
            uint8_t target[16], cell[16];
            k->targets(k->is_double ? (void *)wide : (void *)narrow, round & 1, target, cell);
            for (int l = 0; l < 16; l++) {
                int to = 0, in = 0, is_sane = 1;
                for (int a = 0; a < 3; a++)
                    to = 3 * to + 1 + (x[16 * a + l] >= 3.5) - (x[16 * a + l] < -0.5);
                for (int a = 2; a >= 0; a--) {
                    const double at = x[16 * a + l], moved = at - (at >= 3.5   ? 4
                                                                   : at < -0.5 ? -4
                                                                               : 0);
                    const double y =
                        k->is_double ? moved : (double)(float)moved; /* as it will stand there */
                    const double first = floor(y - (round & 1 ? 0.5 : 0));
                    is_sane &= first >= -1 && first <= 3;
                    in = 5 * in + (is_sane ? (int)first + 1 : 0);
                }
                assert_true(target[l] == to && cell[l] < 125);
                if (is_sane) assert_int_equal(cell[l], in);
            }
        }
    }
}

/* After a sort: every particle is in its owner block, by cell; bundles are full but for the last,
 * whose other lanes are padding; none is lost or doubled, and each kept all of its fields. */
static void sorted(void **state)
{
    (void)state;
    for (int is_double = 0; is_double < 2; is_double++) {
        setup s;
        make_ball(&s);
        s.scene.is_double = is_double;
        s.body.velocity[0] = 3;
        s.body.velocity[1] = -2;
        s.body.velocity[2] = 1;
        firn_sim *sim = running_start(&s.scene, &s.options);
        go(sim, 0.08);
        firn_particles *particles = &sim->mpm->particles[0];
        const int64_t n = particles->n_particles;
        double *velocity = calloc((size_t)n, sizeof *velocity);
        int *seen = calloc((size_t)n, sizeof *seen);
        assert_true(velocity && seen);
        for (int round = 0; round < 2; round++) {
            int64_t bundle = 0, total = 0;
            for (int32_t b = 0; b < particles->n_blocks; b++) {
                const firn_particle_block *block = &particles->blocks[b];
                assert_true(!round || block->first == bundle);
                bundle += firn_bundles_of(block->n);
                total += block->n;
                for (int p = 0, last = -1; p < 16 * firn_bundles_of(block->n); p++) {
                    const int64_t at = block->first + p / 16;
                    int cell = 0;
                    for (int a = 2; a >= 0; a--) {
                        const double x =
                            firn_particles_value(particles, FIRN_FIELD_X, at, a, p % 16);
                        if (round) assert_true(p < block->n ? x >= -0.5 && x < 3.5 : x == 1.5);
                        cell = 5 * cell + (int)floor(x) + 1;
                    }
                    if (p >= block->n) {
                        assert_true(
                            firn_particles_value(particles, FIRN_FIELD_MASS, at, 0, p % 16) == 0);
                        assert_true(firn_particles_value(particles, FIRN_FIELD_F, at, 4, p % 16) ==
                                    1);
                        continue;
                    }
                    assert_true(!round || cell >= last);
                    last = cell;
                    const size_t id =
                        (size_t)firn_particles_value(particles, FIRN_FIELD_ID, at, 0, p % 16);
                    const double v = firn_particles_value(particles, FIRN_FIELD_V, at, 1, p % 16) +
                                     firn_particles_value(particles, FIRN_FIELD_C, at, 7, p % 16);
                    assert_true(id < (size_t)n && seen[id]++ == round);
                    if (round) assert_true(v == velocity[id]);
                    velocity[id] = v;
                }
            }
            assert_true(total == n);
            if (!round) assert_int_equal(firn_sort_particles(sim, NULL), FIRN_OK);
        }
        free(velocity);
        free(seen);
        firn_sim_destroy(sim);
    }
}

/* Every allocation fails once; each failure is a clean refusal and nothing leaks (the sanitizer
 * build watches). */
static void starved(void **state)
{
    (void)state;
    int succeeded = 0;
    for (int64_t n = 1; n < 400 && !succeeded; n++) {
        setup s;
        make_ball(&s);
        s.shape.radius = 0.2;
        firn_sim *sim = NULL;
        firn_memory_fail_after(n);
        firn_status status = firn_sim_create(&s.scene, &s.options, &sim, NULL);
        if (status == FIRN_OK) status = firn_sim_advance_to(sim, 0.01, NULL);
        firn_memory_fail_after(0);
        succeeded = status == FIRN_OK;
        if (!succeeded && sim)
            assert_int_equal(status, FIRN_MEMORY); /* once made, nothing else can go wrong */
        firn_sim_destroy(sim);
    }
    assert_true(succeeded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colors),
        cmocka_unit_test(free_fall),
        cmocka_unit_test(spinning),
        cmocka_unit_test(linear_field),
        cmocka_unit_test(same_bits),
        cmocka_unit_test(threads_by_work),
        cmocka_unit_test(held),
        cmocka_unit_test(same_physics),
        cmocka_unit_test(far_apart),
        cmocka_unit_test(refuses),
        cmocka_unit_test(memory_bound),
        cmocka_unit_test(law_fails),
        cmocka_unit_test(doubtful_scenes),
        cmocka_unit_test(judged),
        cmocka_unit_test(grips),
        cmocka_unit_test(emitting),
        cmocka_unit_test(places_of_particles),
        cmocka_unit_test(sorted),
        cmocka_unit_test(starved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
