/* SPDX-License-Identifier: MIT */
/* test_meshless.c: methods without a grid as simulations: the cube of eight nodes of the thesis
 * against closed forms, free fall, the ledger against floors and grips, contact of two bodies, the
 * same bits for any number of threads and after save and restore, sinks, refusals. */
#include "meshless/meshless.h"
#include "verify/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const methods[] = {"sph_elastic", "efg", "sph_corotated"};
enum { N_METHODS = 3 };

#define NEAR(a, b, tolerance) near(a, b, tolerance, #a, __LINE__)
static void near(double a, double b, double tolerance, const char *what, int line)
{
    if (!(fabs(a - b) <= tolerance)) fail_msg("line %d: %s is %.12g, not %.12g", line, what, a, b);
}

static void choose(verify_scene *s, const char *method)
{
    snprintf(s->scene.method, sizeof s->scene.method, "%s", method);
}

/* ---------------------------------------------------------------- the cube of eight nodes */

/* Corners of a cube of edge L = 1 cm, E = 100 Pa, rho = 100 kg/m^3, nu = 0; those with the larger x
 * drawn out by .002 L, or released from there while the others are held. */
static firn_sim *eight_nodes(verify_scene *s, const char *method, int as_printed, int is_held)
{
    const double L = 0.01, low[3] = {-L / 2, -L / 2, -L / 2}, high[3] = {1.5 * L, 1.5 * L, 1.5 * L},
                 grip_low[3] = {-L / 4, -L, -L}, grip_high[3] = {L / 4, 2 * L, 2 * L};
    verify_scene_init(s, L, "fixed_corotated", 100, 0, 100);
    choose(s, method);
    s->scene.meshless.as_printed = as_printed;
    s->scene.meshless.support = 2;
    s->scene.time.cfl = 0.02;
    verify_box(s, low, high, 1);
    if (is_held) verify_grip(s, grip_low, grip_high);
    firn_sim *sim = verify_start(s);
    struct firn_meshless *m = sim->meshless;
    assert_int_equal(m->n, 8);
    for (int32_t i = 0; i < 8; i++)
        if (m->x[3 * i] > L / 2)
            firn_meshless_set(&m->particles[0], FIRN_FIELD_X, i, 0, m->x[3 * i] + 0.002 * L);
    assert_int_equal(firn_meshless_changed(sim, NULL), FIRN_OK);
    double *F = verify_copy(sim, "F");
    for (int k = 0; k < 8; k++) F[9 * k] = 1.002;
    verify_assign(sim, "F", F);
    free(F);
    return sim;
}

/* E A du/L = 2e-5 N through the middle, 5e-6 N a node, for particles of volume L^3/8; the force of
 * the method is proportional to the volume, and the particles here have L^3. */
static void force_of_eight(void **state)
{
    (void)state;
    const double L = 0.01, du = 0.002 * L, force = 100 * L * L * du / L;
    for (int k = 0; k < 2; k++)
        for (int as_printed = 0; as_printed < 2; as_printed++) {
            verify_scene scene;
            firn_sim *sim = eight_nodes(&scene, methods[k], as_printed, 0);
            struct firn_meshless *s = sim->meshless;
            const double printed = as_printed ? k == 0 ? 4 : 2 : 1;
            double sum = 0;
            assert_int_equal(s->hooks->forces(sim, NULL), FIRN_OK);
            for (int32_t i = 0; i < 8; i++) {
                const double f = s->force[3 * i] / 8; /* of volume L^3/8 */
                if (s->x[3 * i] < L / 2) continue;
                NEAR(-f, printed * 5e-6, 3e-3 * 5e-6 * printed); /* nominal stress at 1.002 */
                sum -= f;
            }
            NEAR(sum / printed, force, 3e-3 * force);
            firn_sim_destroy(sim);
        }
}

/* sqrt(k/m)/2pi = 22.5079 Hz with k = E A/L and the mass of four nodes, rho L^3/2; the period from
 * the passages of the middle. */
static void frequency_of_eight(void **state)
{
    (void)state;
    for (int k = 0; k < N_METHODS; k++) {
        verify_scene scene;
        firn_sim *sim = eight_nodes(&scene, methods[k], 0, 1);
        double before = 0.002 * 0.01, first = 0, last = 0;
        int n = 0;
        while (sim->time < 0.2) {
            assert_int_equal(firn_sim_step(sim, 0.2, NULL), FIRN_OK);
            double *x = verify_copy(sim, "P"), top = 0;
            for (int i = 0; i < 8; i++) top = fmax(top, x[3 * i]);
            const double u = top - 0.01;
            free(x);
            if (before > 0 && u <= 0) {
                const double at = sim->time - sim->dt * u / (u - before);
                if (n++ == 0) first = at;
                last = at;
            }
            before = u;
        }
        assert_true(n >= 4);
        NEAR((n - 1) / (last - first), 22.5079, 1e-3 * 22.5079);
        firn_sim_destroy(sim);
    }
}

/* ---------------------------------------------------------------- motion and ledger */

static void falls(void **state)
{
    (void)state;
    const double low[3] = {0, 0, 0}, high[3] = {0.3, 0.3, 0.3}, g = 9.81;
    for (int k = 0; k < N_METHODS; k++) {
        verify_scene s;
        verify_scene_init(&s, 0.1, "neo_hookean", 1e5, 0.3, 1000);
        choose(&s, methods[k]);
        s.scene.gravity[1] = -g;
        s.scene.time.dt_fixed = 1e-3;
        verify_box(&s, low, high, 2)->velocity[0] = 2;
        firn_sim *sim = verify_start(&s);
        double *x = verify_copy(sim, "P");
        const int64_t n = firn_sim_n_particles(sim);
        verify_go(sim, 0.5);
        double *y = verify_copy(sim, "P"), *F = verify_copy(sim, "F");
        for (int64_t i = 0; i < n; i++) {
            NEAR(y[3 * i], x[3 * i] + 1, 1e-12);
            NEAR(y[3 * i + 1], x[3 * i + 1] - g * 0.5 * 0.5 / 2, 1e-11);
            for (int c = 0; c < 9; c++) NEAR(F[9 * i + c], c % 4 == 0, 1e-11);
        }
        free(x);
        free(y);
        free(F);
        firn_sim_destroy(sim);
    }
}

/* A block dropped on a wall or a floor: what the boundary gave is the change of momentum plus weight
 * times time, and the body comes to no harm. */
static void floors(void **state)
{
    (void)state;
    const double low[3] = {0, 0, 0}, high[3] = {0.4, 0.4, 0.4}, g = 9.81;
    for (int k = 0; k < N_METHODS; k++)
        for (int kind = FIRN_WALL_STICK; kind <= FIRN_WALL_MIRROR + 3; kind++) {
            verify_scene s;
            verify_scene_init(&s, 0.1, "neo_hookean", 1e5, 0.3, 1000);
            choose(&s, methods[k]);
            verify_box(&s, low, high, 1.5);
            s.bodies[0].velocity[0] = 1;
            s.bodies[0].velocity[1] = -1;
            s.scene.gravity[1] = -g;
            if (kind <= FIRN_WALL_MIRROR) {
                s.scene.grid.has_box = 1;
                s.scene.grid.wall_friction = 0.3;
                for (int a = 0; a < 3; a++) {
                    s.scene.grid.box_min[a] = a == 1 ? 0 : -9;
                    s.scene.grid.box_max[a] = 9;
                }
                s.scene.grid.walls[2] = kind;
            } else {
                firn_collider_def *floor = verify_floor(&s, 1, 0);
                floor->contact = kind - FIRN_WALL_MIRROR - 1;
                floor->friction = 0.3;
            }
            firn_sim *sim = verify_start(&s);
            const double mass = verify_ledger(sim).mass;
            verify_go(sim, 0.1);
            const firn_ledger l = verify_ledger(sim);
            const double *J = kind <= FIRN_WALL_MIRROR ? l.wall_impulse : l.collider_impulse;
            NEAR(J[0], l.momentum[0] - mass, 1e-10 * mass);
            NEAR(J[1], l.momentum[1] + mass + mass * g * 0.1, 1e-10 * mass);
            NEAR(J[2], l.momentum[2], 1e-10 * mass);
            assert_true(J[1] > 0.5 * mass && l.external_work == 0 && l.min[1] > 0.02);
            assert_true(l.friction_work >= 0);
            firn_sim_destroy(sim);
        }
}

/* Two blocks of one material meet head on: momentum to round-off, and they part again. */
static void contact(void **state)
{
    (void)state;
    const double low[2][3] = {{0, 0, 0}, {0.35, 0.02, 0.03}},
                 high[2][3] = {{0.3, 0.3, 0.3}, {0.65, 0.32, 0.33}};
    for (int k = 0; k < N_METHODS; k++) {
        verify_scene s;
        verify_scene_init(&s, 0.1, "neo_hookean", 1e5, 0.3, 1000);
        choose(&s, methods[k]);
        for (int b = 0; b < 2; b++) verify_box(&s, low[b], high[b], 2)->velocity[0] = b ? -1 : 1;
        firn_sim *sim = verify_start(&s);
        const double mass = verify_ledger(sim).mass;
        double K0 = verify_ledger(sim).kinetic, least = K0;
        while (sim->time < 0.15) {
            assert_int_equal(firn_sim_step(sim, 0.15, NULL), FIRN_OK);
            least = fmin(least, verify_ledger(sim).kinetic);
        }
        const firn_ledger l = verify_ledger(sim);
        for (int a = 0; a < 3; a++) NEAR(l.momentum[a], 0, 1e-12 * mass);
        assert_true(least < 0.3 * K0);
        assert_true(l.kinetic > 0.5 * K0 && l.kinetic + l.elastic < 1.01 * K0);
        firn_sim_destroy(sim);
    }
}

/* ---------------------------------------------------------------- state */

static void busy_scene(verify_scene *s, const char *method, int n_threads)
{
    const double low[2][3] = {{0, 0.02, 0}, {0.05, 0.5, 0.05}},
                 high[2][3] = {{0.4, 0.42, 0.4}, {0.35, 0.8, 0.35}}, grip_low[3] = {0, 0.35, 0},
                 grip_high[3] = {0.1, 0.5, 0.4};
    verify_scene_init(s, 0.1, "neo_hookean", 5e4, 0.3, 1000);
    choose(s, method);
    for (int b = 0; b < 2; b++) verify_box(s, low[b], high[b], 2)->sampling = FIRN_JITTERED;
    s->bodies[1].velocity[1] = -3;
    s->bodies[1].spin[2] = 4;
    s->scene.gravity[1] = -9.81;
    verify_floor(s, 1, 0)->friction = 0.4;
    verify_grip(s, grip_low, grip_high)->motion.velocity[0] = 0.3;
    verify_force(s, "drag")->strength = 0.5;
    s->forces[0].vector[2] = 1;
    s->options.n_threads = n_threads;
}

static void threads_and_restore(void **state)
{
    (void)state;
    for (int k = 0; k < N_METHODS; k++) {
        uint64_t hash[4] = {0};
        for (int n_threads = 1; n_threads <= 3; n_threads++) {
            verify_scene s;
            busy_scene(&s, methods[k], n_threads);
            firn_sim *sim = verify_start(&s);
            verify_go(sim, 0.03);
            if (n_threads == 2) {
                void *saved = NULL;
                size_t n_bytes = 0;
                assert_int_equal(firn_sim_save(sim, &saved, &n_bytes, NULL), FIRN_OK);
                firn_sim *other = verify_start(&s);
                assert_int_equal(firn_sim_restore(other, saved, n_bytes, NULL), FIRN_OK);
                assert_true(firn_sim_hash(other) == firn_sim_hash(sim));
                verify_go(other, 0.06);
                hash[0] = firn_sim_hash(other);
                for (size_t cut = 0; cut < n_bytes; cut += n_bytes / 7)
                    assert_int_not_equal(firn_sim_restore(other, saved, cut, NULL), FIRN_OK);
                firn_sim_destroy(other);
                firn_sim_release_state(sim, saved, n_bytes);
            }
            verify_go(sim, 0.06);
            hash[n_threads] = firn_sim_hash(sim);
            const firn_ledger l = verify_ledger(sim);
            assert_true(l.collider_impulse[1] > 0 && isfinite(l.grip_impulse[0]));
            firn_sim_destroy(sim);
        }
        for (int i = 1; i < 4; i++) assert_true(hash[0] == hash[i]);
    }
}

/* Setting the reference state anew changes neither energy nor, in an affine state, forces inside. */
static void resets(void **state)
{
    (void)state;
    const double low[3] = {0, 0, 0}, high[3] = {0.6, 0.6, 0.6},
                 F0[9] = {1.1, 0.05, 0, 0, 0.95, 0, 0, 0.02, 1.02};
    for (int k = 0; k < 2; k++) {
        verify_scene scene;
        verify_scene_init(&scene, 0.1, "neo_hookean", 1e5, 0.3, 1000);
        choose(&scene, methods[k]);
        scene.scene.meshless.reset = 0.02;
        firn_body_def *body = verify_box(&scene, low, high, 1);
        memcpy(body->F, F0, sizeof F0);
        body->deform_positions = 1;
        firn_sim *sim = verify_start(&scene);
        struct firn_meshless *s = sim->meshless;
        const double before = verify_ledger(sim).elastic, P0 = s->F[0];
        NEAR(P0, F0[0], 1e-12);
        assert_int_equal(firn_meshless_reset(sim, NULL), FIRN_OK);
        NEAR(s->F[0], 1, 1e-12);
        NEAR(verify_ledger(sim).elastic, before, 1e-10 * before);
        assert_int_equal(s->hooks->forces(sim, NULL), FIRN_OK);
        double f[3] = {0}, size = 0;
        for (int32_t i = 0; i < 3 * s->n; i++) {
            f[i % 3] += s->force[i];
            size += fabs(s->force[i]);
        }
        for (int a = 0; a < 3; a++) NEAR(f[a], 0, 1e-12 * size);
        verify_go(sim, 0.02); /* springs back through several references */
        const firn_ledger l = verify_ledger(sim);
        assert_true(l.kinetic + l.elastic < 1.02 * before && l.kinetic > 0.05 * before);
        firn_sim_destroy(sim);
    }
}

/* A sink takes the lower part of a block; the rest goes on, and mass adds up. */
static void sinks(void **state)
{
    (void)state;
    const double low[3] = {0, 0, 0}, high[3] = {0.3, 0.3, 0.3};
    verify_scene s;
    firn_shape_def shape = firn_shape_default();
    firn_sink_def sink = firn_sink_default();
    verify_scene_init(&s, 0.1, "neo_hookean", 1e5, 0.3, 1000);
    choose(&s, "efg");
    verify_box(&s, low, high, 2)->velocity[1] = -1;
    snprintf(shape.kind, sizeof shape.kind, "half_space");
    shape.normal[1] = 1;
    shape.center[1] = -0.1;
    snprintf(sink.name, sizeof sink.name, "drain");
    sink.shapes = &shape;
    sink.n_shapes = 1;
    s.scene.sinks = &sink;
    s.scene.n_sinks = 1;
    firn_sim *sim = verify_start(&s);
    const double mass = verify_ledger(sim).mass;
    verify_go(sim, 0.27);
    const firn_ledger l = verify_ledger(sim);
    assert_true(l.n_lost > 50 && l.n_particles > 20);
    NEAR(l.mass + l.lost_mass, mass, 1e-12 * mass);
    assert_true(l.n_lost + l.n_particles == 216);
    firn_sim_destroy(sim);
}

/* ---------------------------------------------------------------- refusals */

static void refuse(verify_scene *s, const char *sentence)
{
    firn_messages *messages = firn_messages_create();
    firn_sim *sim = NULL;
    s->scene.n_materials = 1;
    s->scene.materials = &s->material;
    s->scene.n_bodies = s->n_bodies;
    s->scene.bodies = s->bodies;
    assert_int_equal(firn_sim_create(&s->scene, &s->options, &sim, messages), FIRN_REFUSED);
    assert_null(sim);
    int found = 0;
    for (int i = 0; i < firn_messages_total(messages); i++)
        found |= strstr(firn_messages_text(messages, i, NULL), sentence) != NULL;
    if (!found) fail_msg("no message with '%s'", sentence);
    firn_messages_destroy(messages);
}

static void refusals(void **state)
{
    (void)state;
    const double low[3] = {0, 0, 0}, high[3] = {0.3, 0.3, 0.3};
    verify_scene s;
    firn_emitter_def emitter = firn_emitter_default();
    firn_shape_def shape = firn_shape_default();
    for (int k = 0; k < N_METHODS; k++) {
        verify_scene_init(&s, 0.1, "neo_hookean", 1e5, 0.3, 1000);
        choose(&s, methods[k]);
        verify_box(&s, low, high, 1);
        snprintf(shape.kind, sizeof shape.kind, "sphere");
        shape.radius = 0.1;
        snprintf(emitter.name, sizeof emitter.name, "tap");
        snprintf(emitter.material, sizeof emitter.material, "stuff");
        emitter.shapes = &shape;
        emitter.n_shapes = 1;
        s.scene.emitters = &emitter;
        s.scene.n_emitters = 1;
        refuse(&s, "no emitters");
    }
    verify_scene_init(&s, 0.1, "liquid", 0, 0, 1000);
    choose(&s, "sph_corotated");
    verify_box(&s, low, high, 1);
    refuse(&s, "has no E and nu");
    verify_scene_init(&s, 0.1, "von_mises", 1e5, 0.3, 1000);
    choose(&s, "sph_corotated");
    verify_box(&s, low, high, 1);
    refuse(&s, "is elastic");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(force_of_eight), cmocka_unit_test(frequency_of_eight),
        cmocka_unit_test(falls),          cmocka_unit_test(floors),
        cmocka_unit_test(contact),        cmocka_unit_test(threads_and_restore),
        cmocka_unit_test(resets),         cmocka_unit_test(sinks),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
