/* SPDX-License-Identifier: MIT */
/* test_node_boundary.c: grips that are followed against the harmonic oscillator, sinks against
 * counting, floors, plates and drag against closed forms. */
#include "verify/verify.h"
#include "support/geometry.h"
#include "support/scratch.h"
#include "mpm/mpm.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A neo-Hookean cube of 0.4 m about the origin, all of it in a grip that is followed. */
static firn_grip_def *make_led(verify_scene *s, double stiffness, double damping)
{
    const double low[3] = {-0.2, -0.2, -0.2}, high[3] = {0.2, 0.2, 0.2};
    verify_scene_init(s, 0.1, "neo_hookean", 1e4, 0.3, 1000);
    verify_box(s, low, high, 2);
    firn_grip_def *grip = verify_grip(s, low, high);
    grip->mode = FIRN_GRIP_FOLLOW;
    grip->stiffness = stiffness;
    grip->damping = damping;
    return grip;
}

/* Pulled to a place 0.1 m away without damping the cube of 64 kg swings as x = 0.1 (1 - cos w
 * t), w^2 = K / m, and the grip's impulse is its momentum. */
static void a_spring_swings(void **state)
{
    (void)state;
    const double w = 2 * 3.14159265358979, K = 64 * w * w;
    firn_key away = {.position = {0.1, 0, 0}, .rotation = {0, 0, 0, 1}};
    for (int scheme = FIRN_APIC; scheme <= FIRN_FLIP; scheme++) {
        verify_scene s;
        firn_grip_def *grip = make_led(&s, K, 0);
        grip->motion.keys = &away;
        grip->motion.n_keys = 1;
        s.scene.transfer.scheme = scheme;
        firn_sim *sim = verify_start(&s);
        for (int quarter = 1; quarter <= 4; quarter++) {
            verify_go(sim, 0.25 * quarter);
            firn_ledger l = verify_ledger(sim);
            firn_reaction reaction;
            firn_sim_grip_reaction(sim, 0, &reaction);
            /* a symplectic step runs half a step ahead */
            double ahead = 0.1 * w * firn_sim_stats(sim).limit.dt / 2;
            assert_true(fabs(l.center[0] - 0.1 * (1 - cos(w * 0.25 * quarter))) <
                        ahead * 1.1 + 1e-4);
            if (quarter % 2 == 0) assert_true(fabs(l.center[0] - (quarter == 2 ? 0.2 : 0)) < 5e-4);
            assert_true(fabs(reaction.impulse[0] - l.momentum[0]) < 1e-9 * l.mass);
            /* the work of the spring is what the cube has */
            assert_true(fabs(l.external_work - l.kinetic - l.elastic) < 0.01 * 0.5 * K * 0.01);
        }
        firn_sim_destroy(sim);
    }
}

/* Behind a target that moves with V a damped spring comes to rest relative to it: no lag is
 * left. It turns, too. */
static void a_target_is_followed(void **state)
{
    (void)state;
    verify_scene s;
    firn_grip_def *grip = make_led(&s, 64 * 400, 1); /* w = 20 1/s */
    grip->motion.velocity[1] = 0.5;
    grip->motion.spin[2] = 1;
    firn_sim *sim = verify_start(&s);
    double *before = verify_copy(sim, "P");
    verify_go(sim, 1);
    double *after = verify_copy(sim, "P");
    double c = cos(1.0), d = sin(1.0), worst = 0;
    for (int64_t i = 0; i < firn_sim_n_particles(sim); i++) {
        const double *x = before + 3 * i, *y = after + 3 * i;
        worst = fmax(worst, fabs(y[0] - (c * x[0] - d * x[1])));
        worst = fmax(worst, fabs(y[1] - (d * x[0] + c * x[1] + 0.5)));
    }
    assert_true(worst <
                2e-3); /* 0.28 m / 400: the spring gives that much to the centrifugal force */
    free(before);
    free(after);
    firn_sim_destroy(sim);
}

/* A hard spring is heard in the choice of the step, and a released one no longer. */
static void a_hard_spring_limits_the_step(void **state)
{
    (void)state;
    verify_scene s;
    firn_grip_def *grip = make_led(&s, 64 * 1e8, 0.5);
    grip->release = 0.001;
    firn_sim *sim = verify_start(&s);
    assert_int_equal(firn_sim_step(sim, 1, NULL), FIRN_OK);
    firn_stats stats = firn_sim_stats(sim);
    assert_string_equal(stats.limit.criterion, "goal");
    double rate = 1e4 * (sqrt(1.25) + 0.5);
    assert_true(stats.limit.dt <= 0.4 / rate * (1 + 1e-9) && stats.limit.dt > 0.39 / rate);
    verify_go(sim, 0.01);
    assert_int_equal(firn_sim_step(sim, 1, NULL), FIRN_OK);
    assert_string_not_equal(firn_sim_stats(sim).limit.criterion, "goal");
    firn_sim_destroy(sim);
}

/* A bar between a mirror wall and a grip on its last two layers of 22, in cells of four
 * spacings: moved away by half of its length the grip draws the middle of the bar to 1.5 times
 * its place, and further, since it holds two cells more. */
static void a_bar_stays_in_its_grip(void **state)
{
    (void)state;
    verify_scene s;
    const double d = 0.0048, h = 4 * d, L = 22 * d, W = 6 * d, until = 0.04;
    const double low[3] = {0, 0, 0}, high[3] = {L, W, W}, wall_low[3] = {0, -20 * h, -20 * h},
                 wall_high[3] = {50 * h, 20 * h, 20 * h};
    verify_scene_init(&s, h, "neo_hookean", 9e8, 0.33, 36169);
    verify_box(&s, low, high, 4);
    verify_mirrors(&s, 1, wall_low, wall_high);
    verify_grip(&s, (double[3]){L - 2 * d, -1, -1}, (double[3]){L + d, 1, 1})->motion.velocity[0] =
        0.5 * L / until;
    verify_force(&s, "drag")->strength = 300;
    firn_sim *sim = verify_start(&s);
    verify_go(sim, until);
    double moved = verify_ledger(sim).center[0] / (0.5 * L);
    assert_true(moved > 1.45 && moved < 1.7); /* 1.1 where it slips */
    firn_sim_destroy(sim);
}

/* Only the body that is named is led, and a saved state goes on to the same bits. */
static void a_led_body_is_restored(void **state)
{
    (void)state;
    verify_scene s;
    firn_grip_def *grip = make_led(&s, 64 * 100, 0.2);
    const double low[3] = {0.5, -0.2, -0.2}, high[3] = {0.9, 0.2, 0.2};
    verify_box(&s, low, high, 2);
    strcpy(grip->body, s.bodies[0].name);
    s.grip_shapes[0].size[0] = 4; /* reaches over both */
    grip->motion.velocity[1] = 0.3;
    firn_sim *sim = verify_start(&s), *again = verify_start(&s);
    void *saved;
    size_t n;
    verify_go(sim, 0.3);
    assert_int_equal(firn_sim_save(sim, &saved, &n, NULL), FIRN_OK);
    assert_int_equal(firn_sim_restore(again, saved, n, NULL), FIRN_OK);
    firn_sim_release_state(sim, saved, n);
    verify_go(sim, 0.6);
    verify_go(again, 0.6);
    assert_true(firn_sim_hash(sim) == firn_sim_hash(again));
    double *P = verify_copy(sim, "P"), *source = verify_copy(sim, "source");
    for (int64_t i = 0; i < firn_sim_n_particles(sim); i++)
        assert_true(source[i] == 0 ? P[3 * i + 1] > -0.1 : fabs(P[3 * i + 1]) < 0.2);
    free(P);
    free(source);
    firn_sim_destroy(sim);
    firn_sim_destroy(again);
}

/* ---------------------------------------------------------------- a caller's distance */

typedef struct round_shape {
    double center[3], radius, growth; /* m, m, m/s */
} round_shape;

static double round_distance(void *user, const double x[3], double time, double normal[3])
{
    const round_shape *s = user;
    double r = 0;
    for (int a = 0; a < 3; a++) {
        normal[a] = x[a] - s->center[a];
        r += normal[a] * normal[a];
    }
    r = sqrt(r);
    for (int a = 0; a < 3; a++) normal[a] /= r;
    return r - s->radius - s->growth * time;
}

static double rising_distance(void *user, const double x[3], double time, double normal[3])
{
    normal[0] = normal[2] = 0;
    normal[1] = 1;
    return x[1] - *(const double *)user * time;
}

/* The cube under the collider for half a second, without weight; its places and ledger. */
static firn_ledger struck(verify_scene *s, double **P)
{
    firn_sim *sim = verify_start(s);
    verify_go(sim, 0.5);
    firn_ledger l = verify_ledger(sim);
    *P = verify_copy(sim, "P");
    firn_sim_destroy(sim);
    return l;
}

/* A sphere given by a function is the sphere of the table, also where both are moved; a floor
 * that rises because its distance falls pushes as one that its motion raises, and one that
 * stands still does not. */
static void a_callers_distance(void **state)
{
    (void)state;
    const double low[3] = {-0.2, 0, -0.2}, high[3] = {0.2, 0.4, 0.2}, speed = 0.4;
    round_shape ball = {{0.1, -0.3, 0}, 0.3, 0};
    for (int kind = 0; kind < 6; kind++) {
        const firn_contact contact = kind % 3;
        const int is_floor = kind >= 3;
        firn_ledger l[2];
        double *P[2], worst = 0;
        for (int is_own = 0; is_own < 2; is_own++) {
            verify_scene s;
            verify_scene_init(&s, 0.1, "neo_hookean", 1e4, 0.3, 1000);
            verify_box(&s, low, high, 2);
            firn_collider_def *c = verify_floor(&s, 1, 0);
            c->contact = contact;
            c->friction = 0.3;
            c->motion.velocity[1] = speed;
            if (!is_floor) {
                strcpy(s.collider_shapes[0].kind, "sphere");
                s.collider_shapes[0].radius = ball.radius;
                memcpy(s.collider_shapes[0].center, ball.center, sizeof ball.center);
                c->motion.velocity[0] = -speed;
            }
            if (is_own) {
                c->shapes = NULL;
                c->n_shapes = 0;
                c->distance = is_floor ? rising_distance : round_distance;
                c->distance_user = is_floor ? (void *)&speed : &ball;
                if (is_floor) c->motion.velocity[1] = 0; /* the function rises instead */
            }
            l[is_own] = struck(&s, &P[is_own]);
        }
        for (int64_t i = 0; i < 3 * l[0].n_particles; i++)
            worst = fmax(worst, fabs(P[0][i] - P[1][i]));
        if (worst > 1e-9)
            fail_msg("contact %d, floor %d: %g m apart", (int)contact, is_floor, worst);
        assert_true(l[0].external_work > 0.1);
        assert_true(fabs(l[0].external_work - l[1].external_work) < 1e-6);
        free(P[0]);
        free(P[1]);
    }
}

static double half_a_distance(void *user, const double x[3], double time, double normal[3])
{
    (void)user, (void)time;
    normal[0] = normal[2] = 0;
    normal[1] = 1;
    return x[0] > 0.05 ? NAN : x[1];
}

/* A distance that is no number stops the run at once, with the collider's name and the place. */
static void a_distance_is_no_number(void **state)
{
    (void)state;
    const double low[3] = {-0.2, 0, -0.2}, high[3] = {0.2, 0.4, 0.2};
    verify_scene s;
    verify_scene_init(&s, 0.1, "neo_hookean", 1e4, 0.3, 1000);
    verify_box(&s, low, high, 2);
    firn_collider_def *c = verify_floor(&s, 1, 0);
    strcpy(c->name, "bowl");
    c->shapes = NULL;
    c->n_shapes = 0;
    c->distance = half_a_distance;
    firn_sim *sim = verify_start(&s);
    firn_messages *messages = firn_messages_create();
    assert_int_equal(firn_sim_advance_to(sim, 0.5, messages), FIRN_STOPPED);
    const char *sentence = firn_messages_text(messages, 0, NULL);
    assert_non_null(strstr(sentence, "'bowl'"));
    assert_non_null(strstr(sentence, "x = 0.1 m"));
    assert_true(firn_sim_time(sim) == 0);
    firn_messages_destroy(messages);
    firn_sim_destroy(sim);
}

/* ---------------------------------------------------------------- sinks */

static void add_sink(verify_scene *s, firn_sink_def *sink, firn_shape_def *shape)
{
    *sink = firn_sink_default();
    *shape = firn_shape_default();
    strcpy(sink->name, "drain");
    strcpy(shape->kind, "box");
    for (int a = 0; a < 3; a++) shape->size[a] = 1;
    sink->shapes = shape;
    sink->n_shapes = 1;
    s->scene.sinks = sink;
    s->scene.n_sinks = 1;
}

/* 1024 particles at rest, and a sink that comes over half of them; its front begins at -0.1 m. */
static void make_sweep(verify_scene *s, firn_sink_def *sink, firn_shape_def *shape)
{
    const double low[3] = {0, 0, 0}, high[3] = {0.8, 0.4, 0.4};
    verify_scene_init(s, 0.1, "neo_hookean", 1e4, 0.3, 1000);
    verify_box(s, low, high, 2);
    add_sink(s, sink, shape);
    shape->center[0] = -0.6;
    sink->motion.velocity[0] = 1;
    sink->stop = 0.52;
}

/* A sink that sweeps over a body at rest takes what it reached, to the particle, and says so
 * apart from the walls. */
static void a_sink_sweeps(void **state)
{
    (void)state;
    verify_scene s;
    firn_sink_def sink;
    firn_shape_def shape;
    make_sweep(&s, &sink, &shape);
    firn_sim *sim = verify_start(&s);
    assert_int_equal(firn_sim_n_particles(sim), 1024);
    verify_go(sim, 0.05);
    assert_int_equal(firn_sim_n_particles(sim), 1024);
    verify_go(sim, 0.51); /* its front at 0.41, half of the body taken */
    assert_true(llabs(firn_sim_n_particles(sim) - 512) <= 64);
    verify_go(sim, 1);
    firn_ledger l = verify_ledger(sim);
    assert_int_equal(l.n_particles, 512);
    assert_int_equal(l.n_lost, 512);
    assert_int_equal(l.n_lost_by[FIRN_LOST_SINK], 512);
    assert_int_equal(l.n_lost_by[FIRN_LOST_WALL], 0);
    firn_sim_destroy(sim);
}

/* A sheet of an eightieth of a cell takes all that flies through it at a cell a step, and all
 * that it flies through; what passes beside it stays. */
static void thin_sinks_take_all(void **state)
{
    (void)state;
    for (int sink_flies = 0; sink_flies < 3; sink_flies++) {
        verify_scene s;
        firn_sink_def sink;
        firn_shape_def shape;
        const double low[3] = {0, 0, 0}, high[3] = {0.8, 0.4, 0.4}, spin[3] = {0, 0, 40};
        verify_scene_init(&s, 0.1, "neo_hookean", 1e4, 0.3, 1000);
        verify_box(&s, low, high, 2);
        add_sink(&s, &sink, &shape);
        shape.size[0] = 0.00125;
        shape.size[1] = 4;
        shape.size[2] = 0.38;
        shape.center[2] = 0; /* z from -.19 to .19 */
        shape.center[0] = sink_flies ? -1 : 2;
        s.scene.time.dt_max = 0.005;
        if (sink_flies)
            sink.motion.velocity[0] = 20;
        else
            s.bodies[0].velocity[0] = 20;
        if (sink_flies == 2) {
            memcpy(sink.motion.spin, spin, sizeof spin);
            shape.size[1] = 9;
        }
        firn_sim *sim = verify_start(&s);
        verify_go(sim, 0.2);
        firn_ledger l = verify_ledger(sim);
        assert_int_equal(l.n_lost, l.n_lost_by[FIRN_LOST_SINK]);
        assert_int_equal(l.n_particles + l.n_lost, 1024);
        assert_int_equal(l.n_lost, 512); /* z up to 0.19 of 0.4: four of eight layers */
        firn_sim_destroy(sim);
    }
}

/* What a sink takes follows from the state alone: from every step on, a restored simulation goes
 * on to the same bits. */
static void a_sink_goes_on_after_a_restore(void **state)
{
    (void)state;
    verify_scene s;
    firn_sink_def sink;
    firn_shape_def shape;
    make_sweep(&s, &sink, &shape);
    firn_sim *sim = verify_start(&s);
    while (firn_sim_time(sim) < 0.6) {
        firn_sim *again = verify_start(&s);
        void *saved;
        size_t n;
        assert_int_equal(firn_sim_save(sim, &saved, &n, NULL), FIRN_OK);
        assert_int_equal(firn_sim_restore(again, saved, n, NULL), FIRN_OK);
        firn_sim_release_state(sim, saved, n);
        assert_int_equal(firn_sim_step(sim, 1, NULL), FIRN_OK);
        assert_int_equal(firn_sim_step(again, 1, NULL), FIRN_OK);
        assert_int_equal(firn_sim_n_particles(again), firn_sim_n_particles(sim));
        assert_true(firn_sim_hash(again) == firn_sim_hash(sim));
        firn_sim_destroy(again);
    }
    assert_true(firn_sim_n_particles(sim) < 1024);
    firn_sim_destroy(sim);
}

/* Two bodies fall, one into a sink, one through a deleting wall: each is counted where it went,
 * nothing is left, and an empty simulation goes on. */
static void causes_are_told_apart(void **state)
{
    (void)state;
    verify_scene s;
    firn_sink_def sink;
    firn_shape_def shape;
    const double low[3] = {0, 0, 0}, high[3] = {0.4, 0.4, 0.4}, low2[3] = {2, 0, 0},
                 high2[3] = {2.2, 0.4, 0.4};
    verify_scene_init(&s, 0.1, "neo_hookean", 1e4, 0.3, 1000);
    verify_box(&s, low, high, 2);
    verify_box(&s, low2, high2, 2);
    add_sink(&s, &sink, &shape);
    shape.center[1] = -1.5;
    s.scene.gravity[1] = -9.81;
    s.scene.grid.has_box = 1;
    for (int a = 0; a < 3; a++) {
        s.scene.grid.box_min[a] = -4;
        s.scene.grid.box_max[a] = 4;
    }
    s.scene.grid.walls[2] = FIRN_WALL_DELETE;
    firn_sim *sim = verify_start(&s), *again = verify_start(&s);
    verify_go(sim, 0.6);
    void *saved;
    size_t n;
    assert_int_equal(firn_sim_save(sim, &saved, &n, NULL), FIRN_OK);
    assert_int_equal(firn_sim_restore(again, saved, n, NULL), FIRN_OK);
    firn_sim_release_state(sim, saved, n);
    for (int k = 0; k < 2; k++) {
        firn_sim *one = k ? again : sim;
        verify_go(one, 2);
        firn_ledger l = verify_ledger(one);
        assert_int_equal(l.n_particles, 0);
        assert_int_equal(l.n_lost_by[FIRN_LOST_SINK], 512);
        assert_int_equal(l.n_lost_by[FIRN_LOST_WALL], 256);
        assert_int_equal(l.n_lost_by[FIRN_LOST_FAR], 0);
        assert_int_equal(l.n_lost, 768);
        assert_true(one->rates.max_rate == 0 && one->rates.max_speed == 0 &&
                    !one->must_sort); /* no particle is left */
        firn_sim_destroy(one);
    }
}

/* ---------------------------------------------------------------- where a fall ends */

/* A cube of 0.4 m falls on a floor and comes to rest: how far its lower face is from the floor,
 * in cells, less what its weight compresses (rho g L^2 / 2 E at its middle). */
static double rests_at(double floor_height, int touch, int n_threads, uint64_t *hash)
{
    verify_scene s;
    const double h = 0.05, L = 0.4, E = 1e6, rho = 1000, g = 9.81, low[3] = {0, 0.13, 0},
                 high[3] = {L, 0.13 + L, L};
    verify_scene_init(&s, h, "neo_hookean", E, 0.3, rho);
    verify_box(&s, low, high, 2);
    verify_floor(&s, 1, floor_height)->touch = touch;
    s.colliders[0].friction = 0.5;
    s.scene.gravity[1] = -g;
    verify_force(&s, "drag")->strength = 8;
    s.options.n_threads = n_threads;
    firn_sim *sim = verify_start(&s);
    verify_go(sim, 1.2);
    double middle = verify_ledger(sim).center[1];
    *hash = firn_sim_hash(sim);
    firn_sim_destroy(sim);
    return (middle - (L / 2 - rho * g * L * L / (2 * E)) - floor_height) / h;
}

/* What touches at its surface comes to rest on the floor, on a plane of nodes to a tenth of a
 * cell, between them to a quarter, because the node that holds it is that much deeper; by its
 * particles to a fiftieth wherever the floor is; at the grid it hovers, by up to 1.05 cells. */
static void a_fall_ends_on_the_floor(void **state)
{
    (void)state;
    uint64_t hash[5];
    for (int k = 0; k < 4; k++) {
        double above = rests_at(0.0125 * k, FIRN_TOUCH_SURFACE, 1, &hash[0]);
        double hovers = rests_at(0.0125 * k, FIRN_TOUCH_GRID, 1, &hash[1]);
        double rests = rests_at(0.0125 * k, FIRN_TOUCH_PARTICLES, 1, &hash[3]);
        assert_true(fabs(rests) < 0.02);
        assert_true(fabs(above) < (k ? 0.25 : 0.1));
        assert_true(hovers > 0.3 && (k || hovers > 1));
    }
    rests_at(0.0125 * 3, FIRN_TOUCH_SURFACE, 3, &hash[2]);
    assert_true(hash[2] == hash[0]);
    rests_at(0.0125 * 3, FIRN_TOUCH_PARTICLES, 3, &hash[4]);
    assert_true(hash[4] == hash[3]);
}

/* A block eight cells high is pressed by a plate to .96 of its height, nu = 0: the force of uniaxial
 * strain of the law, E / 2 (1 / .96 - .96), to half a per cent wherever floor and plate are between
 * nodes. In plane strain between mirror walls. The drag that brings it to rest takes its part of the
 * force first, 1 / (1 + rate dt). */
static void a_plate_presses_at_once(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        verify_scene s;
        const double h = 0.05, E = 1e6, rho = 1000, H = 8 * h, c = sqrt(E / rho), T = 20 * H / c,
                     low = 0.25 * k * h, rate = 0.5 * c / H;
        verify_scene_init(&s, h, "neo_hookean", E, 0, rho);
        verify_box(&s, (double[3]){0, low, -h}, (double[3]){h, H + low, h}, 2);
        verify_mirrors(&s, 3, (double[3]){0, -9, -9}, (double[3]){h, 9, 9});
        s.scene.grid.geometry = FIRN_PLANE_STRAIN;
        s.scene.grid.spline = k % 2 ? FIRN_QUADRATIC : FIRN_CUBIC;
        verify_floor(&s, 1, low)->touch = FIRN_TOUCH_PARTICLES;
        firn_collider_def *plate = verify_floor(&s, 1, H + low);
        s.collider_shapes[1].normal[1] = -1;
        plate->touch = FIRN_TOUCH_PARTICLES;
        const firn_key keys[2] = {{0, {0, 0, 0}, {0, 0, 0, 1}},
                                  {T, {0, -0.04 * H, 0}, {0, 0, 0, 1}}};
        plate->motion.keys = keys;
        plate->motion.n_keys = 2;
        verify_force(&s, "drag")->strength = rate;
        firn_sim *sim = verify_start(&s);
        verify_go(sim, 2.5 * T);
        firn_reaction up, down;
        assert_int_equal(firn_sim_collider_reaction(sim, 1, &up), FIRN_OK);
        assert_int_equal(firn_sim_collider_reaction(sim, 0, &down), FIRN_OK);
        const double wanted = E / 2 * (1 / 0.96 - 0.96) * h * h / (1 + rate * sim->dt);
        assert_true(fabs(fabs(up.force[1]) / wanted - 1) < 5e-3);
        assert_true(fabs(up.force[1] + down.force[1]) < 5e-3 * wanted);
        firn_sim_destroy(sim);
    }
}

/* What sticks touches at the grid, also where the stickiness is painted; paint of nothing is none.
 */
static void painted_stickiness_touches_at_the_grid(void **state)
{
    (void)state;
    const double low[3] = {0, 0.5, 0}, high[3] = {0.2, 0.7, 0.2};
    for (int k = 0; k < 3; k++) {
        verify_scene s;
        firn_mesh *ball = geometry_sphere(20, 0.3, 0, 0, 0);
        firn_mesh_attribute *paint = firn_mesh_add(ball, "stickiness", 1);
        for (int64_t i = 0; i < ball->n_points; i++) paint->data[i] = k && i % 4 == 0 ? 500 : 0;
        assert_int_equal(firn_mesh_write(scratch("sticky.ply"), ball, NULL), FIRN_OK);
        firn_mesh_destroy(ball);
        verify_scene_init(&s, 0.1, "neo_hookean", 1e4, 0.3, 1000);
        verify_box(&s, low, high, 2);
        firn_collider_def *collider = verify_floor(&s, 1, 0);
        firn_shape_def *shape = &s.collider_shapes[0];
        *shape = firn_shape_default();
        strcpy(shape->kind, "mesh");
        strcpy(shape->file, scratch("sticky.ply"));
        collider->touch = k == 2 ? FIRN_TOUCH_GRID : FIRN_TOUCH_SURFACE;
        s.scene.n_materials = 1;
        s.scene.materials = &s.material;
        s.scene.n_bodies = 1;
        s.scene.bodies = s.bodies;
        s.scene.n_colliders = 1;
        s.scene.colliders = s.colliders;
        firn_messages *messages = firn_messages_create();
        firn_sim *sim = NULL;
        firn_status status = firn_sim_create(&s.scene, &s.options, &sim, messages);
        if (status && k != 1) fail_msg("%s", firn_messages_text(messages, 0, NULL));
        if (k == 1)
            assert_true(scratch_says(
                messages,
                "touch: surface does not combine with the painted stickiness of its shape"));
        firn_messages_destroy(messages);
        firn_sim_destroy(sim);
    }
}

/* Drag is implicit: what falls reaches exactly the speed g / rate, and however strong it is,
 * nothing is carried past the wind. */
static void drag_never_overshoots(void **state)
{
    (void)state;
    const double low[3] = {-0.2, -0.2, -0.2}, high[3] = {0.2, 0.2, 0.2}, rates[] = {50, 400, 1e5};
    for (int i = 0; i < 3; i++) {
        verify_scene s;
        verify_scene_init(&s, 0.1, "neo_hookean", 1e4, 0.3, 1000);
        verify_box(&s, low, high, 2)->velocity[0] = 1;
        s.scene.gravity[1] = -10;
        firn_force_def *wind = verify_force(&s, "drag");
        wind->strength = rates[i];
        wind->vector[0] = -1;
        firn_sim *sim = verify_start(&s);
        for (double fastest = 1; firn_sim_time(sim) < 1;) {
            assert_int_equal(firn_sim_step(sim, 1, NULL), FIRN_OK);
            double v = verify_ledger(sim).momentum[0] / 64;
            assert_true(v <= fastest + 1e-9 && v >= -1 - 1e-9);
            fastest = v;
        }
        firn_ledger l = verify_ledger(sim);
        assert_true(fabs(l.momentum[0] / l.mass + 1) < 1e-6);
        assert_true(fabs(l.momentum[1] / l.mass + 10 / rates[i]) < 1e-9);
        firn_sim_destroy(sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spring_swings),
        cmocka_unit_test(a_target_is_followed),
        cmocka_unit_test(a_hard_spring_limits_the_step),
        cmocka_unit_test(a_bar_stays_in_its_grip),
        cmocka_unit_test(a_led_body_is_restored),
        cmocka_unit_test(a_callers_distance),
        cmocka_unit_test(a_distance_is_no_number),
        cmocka_unit_test(a_sink_sweeps),
        cmocka_unit_test(thin_sinks_take_all),
        cmocka_unit_test(a_sink_goes_on_after_a_restore),
        cmocka_unit_test(causes_are_told_apart),
        cmocka_unit_test(a_fall_ends_on_the_floor),
        cmocka_unit_test(painted_stickiness_touches_at_the_grid),
        cmocka_unit_test(a_plate_presses_at_once),
        cmocka_unit_test(drag_never_overshoots),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
