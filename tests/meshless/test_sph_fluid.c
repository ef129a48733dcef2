/* SPDX-License-Identifier: MIT */
/* test_sph_fluid.c: smoothed particles of fluids: velocity gradients on a lattice, balance of
 * momentum, continuity in a column that comes to rest, XSPH, births, the same bits for any number of
 * threads and after save and restore, refusals. */
#include "meshless/meshless.h"
#include "meshless/small3.h"
#include "verify/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#define NEAR(a, b, tolerance) near(a, b, tolerance, #a, __LINE__)
static void near(double a, double b, double tolerance, const char *what, int line)
{
    if (!(fabs(a - b) <= tolerance)) fail_msg("line %d: %s is %.12g, not %.12g", line, what, a, b);
}

static void fluid(verify_scene *s, const char *law)
{
    verify_scene_init(s, 0.1, law, 0, 0, 1000);
    strcpy(s->scene.method, "sph_fluid");
}

/* Plain SPH: grad v is 1.0010013 times itself inside a lattice of d = h (verification2.md);
 * normalised it is exact, at faces too. */
static void gradients(void **state)
{
    (void)state;
    const double low[3] = {0, 0, 0}, high[3] = {0.9, 0.9, 0.9},
                 A[9] = {0.3, 0.2, -0.1, 0.05, -0.7, 0.15, -0.2, 0.1, 0.4};
    for (int normalise = 0; normalise < 2; normalise++) {
        verify_scene scene;
        fluid(&scene, "liquid");
        scene.scene.sph_fluid.xsph = 0;
        scene.scene.sph_fluid.normalise = normalise;
        verify_box(&scene, low, high, 1);
        firn_sim *sim = verify_start(&scene);
        struct firn_meshless *s = sim->meshless;
        int n = 0;
        for (int32_t i = 0; i < s->n; i++) small3_apply(A, s->x + 3 * i, s->v + 3 * i);
        firn_meshless_scatter(sim);
        assert_int_equal(firn_meshless_changed(sim, NULL), FIRN_OK);
        assert_int_equal(s->hooks->forces(sim, NULL), FIRN_OK);
        assert_int_equal(s->hooks->strain(sim, 1, NULL), FIRN_OK);
        for (int32_t i = 0; i < s->n; i++) {
            int inside = 1, n_cut = 0;
            for (int a = 0; a < 3; a++) {
                inside &= fabs(s->x[3 * i + a] - 0.45) < 0.15;
                n_cut += fabs(s->x[3 * i + a] - 0.45) > 0.35;
            }
            for (int c = 0; inside && c < 9; c++)
                NEAR(s->grad_v[9 * i + c], (normalise ? 1 : 1.0010013) * A[c], 1e-6);
            for (int c = 0; normalise && n_cut == 1 && c < 9; c++)
                NEAR(s->grad_v[9 * i + c], A[c], 1e-12);
            n += inside;
        }
        assert_int_equal(n, 27);
        firn_sim_destroy(sim);
    }
}

/* A jittered block in shear: sum f = 0 with viscous stress and artificial viscosity. */
static void balance(void **state)
{
    (void)state;
    const double low[3] = {0, 0, 0}, high[3] = {0.5, 0.5, 0.5};
    verify_scene scene;
    fluid(&scene, "liquid");
    verify_parameter(&scene, "viscosity", 50);
    verify_box(&scene, low, high, 1.5)->sampling = FIRN_JITTERED;
    firn_sim *sim = verify_start(&scene);
    struct firn_meshless *s = sim->meshless;
    for (int32_t i = 0; i < s->n; i++) {
        s->v[3 * i] = 3 * s->x[3 * i + 1];
        s->v[3 * i + 1] = sin(20 * s->x[3 * i]);
    }
    firn_meshless_scatter(sim);
    assert_int_equal(firn_meshless_changed(sim, NULL), FIRN_OK);
    verify_go(sim, 5e-3);
    assert_int_equal(s->hooks->forces(sim, NULL), FIRN_OK);
    double f[3] = {0}, size = 0;
    for (int32_t i = 0; i < s->n; i++)
        for (int a = 0; a < 3; a++) {
            f[a] += s->force[3 * i + a];
            size += fabs(s->force[3 * i + a]);
        }
    assert_true(size > 1);
    for (int a = 0; a < 3; a++) NEAR(f[a], 0, 1e-13 * size);
    firn_sim_destroy(sim);
}

/* A column between walls to which gravity is given at once: it swings with the period 4 H/c, H
 * from its lowest layer, which stands half a spacing above the floor, to its top; over whole periods
 * the floor carries its weight, and the mean pressure in its middle is rho g depth. */
static void column(void **state)
{
    (void)state;
    const double low[3] = {0, 0, 0}, high[3] = {0.15, 0.8, 0.15}, c = 20, g = 9.81;
    verify_scene scene;
    verify_scene_init(&scene, 0.05, "liquid", 0, 0, 1000);
    strcpy(scene.scene.method, "sph_fluid");
    verify_parameter(&scene, "c", c);
    verify_parameter(&scene, "gamma", 1);
    scene.scene.gravity[1] = -g;
    verify_box(&scene, low, high, 1);
    verify_mirrors(&scene, 0x37, low, (double[3]){0.15, 2, 0.15});
    firn_sim *sim = verify_start(&scene);
    const double period = 4 * 0.775 / c, mass = verify_ledger(sim).mass;
    double sum = 0, before = 0, first = 0, last = 0;
    int n = 0, turns = 0;
    for (int frame = 1; frame <= 80; frame++) {
        verify_go(sim, 4 * period * frame / 80);
        double *x = verify_copy(sim, "P"), *p = verify_copy(sim, "pressure");
        for (int64_t i = 0; i < firn_sim_n_particles(sim); i++)
            if (fabs(x[3 * i + 1] - 0.4) < 0.06) {
                sum += p[i];
                n++;
            }
        free(x);
        free(p);
        const double v = verify_ledger(sim).momentum[1] / mass;
        if (before < 0 && v >= 0) {
            last = sim->time;
            if (turns++ == 0) first = sim->time;
        }
        before = v;
    }
    assert_true(turns >= 3);
    NEAR((last - first) / (turns - 1), period, 0.1 * period);
    NEAR(verify_ledger(sim).wall_impulse[1], mass * g * 4 * period, 0.03 * mass * g * 4 * period);
    NEAR(sum / n, 1000 * g * 0.4, 0.1 * 1000 * g * 0.4);
    firn_sim_destroy(sim);
}

static void tap(verify_scene *s, firn_emitter_def *emitter, firn_shape_def *shape)
{
    *emitter = firn_emitter_default();
    *shape = firn_shape_default();
    snprintf(shape->kind, sizeof shape->kind, "sphere");
    shape->radius = 0.12;
    shape->center[1] = 0.6;
    snprintf(emitter->name, sizeof emitter->name, "tap");
    snprintf(emitter->material, sizeof emitter->material, "stuff");
    emitter->shapes = shape;
    emitter->n_shapes = 1;
    emitter->velocity[1] = -2;
    s->scene.emitters = emitter;
    s->scene.n_emitters = 1;
}

static void threads_births_and_restore(void **state)
{
    (void)state;
    const double low[3] = {-0.3, 0, -0.3}, high[3] = {0.3, 0.3, 0.3};
    uint64_t hash[4] = {0};
    for (int n_threads = 1; n_threads <= 3; n_threads++) {
        verify_scene s;
        firn_emitter_def emitter;
        firn_shape_def shape;
        fluid(&s, "liquid");
        verify_parameter(&s, "c", 20);
        verify_parameter(&s, "tension", 0);
        s.scene.gravity[1] = -9.81;
        verify_box(&s, low, high, 1.3)->sampling = FIRN_JITTERED;
        verify_floor(&s, 1, 0)->friction = 0.2;
        tap(&s, &emitter, &shape);
        s.options.n_threads = n_threads;
        firn_sim *sim = verify_start(&s);
        const int64_t before = firn_sim_n_particles(sim);
        verify_go(sim, 0.06);
        assert_true(firn_sim_n_particles(sim) > before);
        if (n_threads == 2) {
            void *saved = NULL;
            size_t n_bytes = 0;
            assert_int_equal(firn_sim_save(sim, &saved, &n_bytes, NULL), FIRN_OK);
            firn_sim *other = verify_start(&s);
            assert_int_equal(firn_sim_restore(other, saved, n_bytes, NULL), FIRN_OK);
            verify_go(other, 0.12);
            hash[0] = firn_sim_hash(other);
            firn_sim_destroy(other);
            firn_sim_release_state(sim, saved, n_bytes);
        }
        verify_go(sim, 0.12);
        hash[n_threads] = firn_sim_hash(sim);
        firn_sim_destroy(sim);
    }
    for (int i = 1; i < 4; i++) assert_true(hash[0] == hash[i]);
}

/* XSPH that moves positions leaves a uniform stream and all momentum alone. */
static void xsph(void **state)
{
    (void)state;
    const double low[3] = {0, 0, 0}, high[3] = {0.5, 0.5, 0.5};
    for (int changes = 0; changes < 2; changes++) {
        verify_scene scene;
        fluid(&scene, "liquid");
        scene.scene.sph_fluid.xsph_changes_velocity = changes;
        verify_box(&scene, low, high, 1)->velocity[0] = 3;
        firn_sim *sim = verify_start(&scene);
        verify_go(sim, 0.02);
        const firn_ledger l = verify_ledger(sim);
        NEAR(l.momentum[0], 3 * l.mass, 1e-12 * l.mass);
        NEAR(l.center[0], 0.25 + 0.06, 1e-12);
        NEAR(l.kinetic, 4.5 * l.mass, 1e-10 * l.mass);
        firn_sim_destroy(sim);
    }
}

/* A law of a solid runs, with a warning. */
static void warnings(void **state)
{
    (void)state;
    const double low[3] = {0, 0, 0}, high[3] = {0.3, 0.3, 0.3};
    verify_scene s;
    firn_messages *messages = firn_messages_create();
    firn_sim *sim = NULL;
    verify_scene_init(&s, 0.1, "neo_hookean", 1e5, 0.3, 1000);
    strcpy(s.scene.method, "sph_fluid");
    verify_box(&s, low, high, 1);
    s.scene.n_materials = 1;
    s.scene.materials = &s.material;
    s.scene.n_bodies = s.n_bodies;
    s.scene.bodies = s.bodies;
    assert_int_equal(firn_sim_create(&s.scene, &s.options, &sim, messages), FIRN_OK);
    assert_non_null(strstr(firn_messages_text(messages, 0, NULL), "not one of a fluid"));
    verify_go(sim, 0.01);
    firn_sim_destroy(sim);
    firn_messages_destroy(messages);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients), cmocka_unit_test(balance),
        cmocka_unit_test(column),    cmocka_unit_test(threads_births_and_restore),
        cmocka_unit_test(xsph),      cmocka_unit_test(warnings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
