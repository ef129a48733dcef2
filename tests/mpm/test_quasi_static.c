/* SPDX-License-Identifier: MIT */
/* test_quasi_static.c: equilibrium at every step: a column in its own weight against its closed form,
 * a bar pulled by grips (equal and opposite forces, and the law's own stress), a load that comes at
 * once, bodies that nothing holds; threads and restores. */
#include "mpm/implicit.h"
#include "verify/verify.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static void near(double a, double b, double tolerance, const char *what, int line)
{
    if (!(fabs(a - b) <= tolerance)) fail_msg("line %d: %s is %.12g, not %.12g", line, what, a, b);
}
#define NEAR(a, b, tolerance) near(a, b, tolerance, #a, __LINE__)

enum { CELLS = 16 };

/* A column of CELLS cells of 1 cm on a mirror wall, confined, E = M for nu = 0. */
static firn_sim *column(verify_scene *s, double E, double gravity)
{
    const double low[3] = {0, 0, 0}, high[3] = {0.02, 0.01 * CELLS, 0.02}, far[3] = {0.02, 9, 0.02};
    verify_scene_init(s, 0.01, "hencky", E, 0, 1000);
    verify_box(s, low, high, 4);
    verify_mirrors(s, 1 + 2 + 4 + 16 + 32, low, far);
    s->scene.gravity[1] = -gravity;
    s->scene.time.tolerance = 1e-8;
    strcpy(s->scene.time.integrator, "quasi_static");
    return verify_start(s);
}

/* ln F / F = -rho g (L - X)/M at every X: by bisection in F, between 1/e and 1. */
static double stretch(double load)
{
    double low = 0.05, high = 1;
    for (int k = 0; k < 100; k++) {
        const double F = 0.5 * (low + high);
        *(-log(F) / F > load ? &low : &high) = F;
    }
    return low;
}

/* The weight comes at once. Each particle has the stretch of the load above it, the particles of
 * the lowest and the highest two cells left out; the floor carries the weight. */
static void column_in_its_weight(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        verify_scene s;
        const double load = k ? 0.4 : 0.04, L = 0.01 * CELLS; /* rho g L / M */
        firn_sim *sim = column(&s, 1000 * 10 * L / load, 10);
        double *X = verify_copy(sim, "P");
        verify_go(sim, 10);
        double *F = verify_copy(sim, "F"), worst = 0;
        for (int64_t i = 0; i < firn_sim_n_particles(sim); i++) {
            const double y = X[3 * i + 1];
            if (y < 0.02 || y > L - 0.02) continue;
            const double exact = stretch(load * (L - y) / L);
            worst = fmax(worst, fabs(F[9 * i + 4] - exact) / (1 - exact));
        }
        print_message("load %g: stretches off by %.3g of the strain, %lld steps, %lld failed\n",
                      load, worst, (long long)firn_sim_stats(sim).n_steps,
                      (long long)firn_sim_stats(sim).n_retries);
        assert_true(worst < 0.01);
        assert_true(firn_sim_stats(sim).n_steps < 60);
        free(X);
        free(F);
        firn_sim_destroy(sim);
    }
}

/* Mean nominal stress M ln F / F of the particles in the middle of the bar below. */
static double middle_stress(firn_sim *sim, const double *X)
{
    double *F = verify_copy(sim, "F"), sum = 0;
    int n = 0;
    for (int64_t i = 0; i < firn_sim_n_particles(sim); i++) {
        if (fabs(X[3 * i] - 0.08) > 0.02) continue;
        sum += 1e5 * log(F[9 * i]) / F[9 * i];
        n++;
    }
    free(F);
    return sum / n;
}

/* A confined bar between two grips, one of which goes away at 1 mm/s for 20 s: an eighth of its
 * length. The forces of the grips are opposite, and those of the law in the middle: .4 % off, as
 * particles there differ by as much in their stretch. */
static void bar_between_grips(void **state)
{
    (void)state;
    const double low[3] = {0, 0, 0}, high[3] = {0.16, 0.02, 0.02}, far[3] = {9, 0.02, 0.02},
                 ends[2][2][3] = {{{-0.01, 0, 0}, {0.02, 0.02, 0.02}},
                                  {{0.14, 0, 0}, {0.17, 0.02, 0.02}}};
    verify_scene s;
    verify_scene_init(&s, 0.01, "hencky", 1e5, 0, 1000);
    verify_box(&s, low, high, 3);
    verify_mirrors(&s, 4 + 8 + 16 + 32, low, far);
    for (int k = 0; k < 2; k++) {
        firn_grip_def *grip = verify_grip(&s, ends[k][0], ends[k][1]);
        grip->mode = FIRN_GRIP_MOTION;
        if (k) grip->motion.velocity[0] = 1e-3;
    }
    s.scene.time.tolerance = 1e-8;
    strcpy(s.scene.time.integrator, "quasi_static");
    firn_sim *sim = verify_start(&s);
    double *X = verify_copy(sim, "P"), force[2];
    verify_go(sim, 19.999);
    for (int k = 0; k < 2; k++) force[k] = sim->total[k].impulse[0];
    verify_go(sim, 20);
    for (int k = 0; k < 2; k++) force[k] = (force[k] - sim->total[k].impulse[0]) / 1e-3;
    const double P = middle_stress(sim, X);
    print_message("P A %.8g N, grips %.8g and %.8g N, %lld steps, %lld products\n", P * 4e-4,
                  force[0], force[1], (long long)firn_sim_stats(sim).n_steps,
                  (long long)sim->mpm->implicit->counts.n_products);
    NEAR(force[0] + force[1], 0, 1e-5 * force[1]); /* the mass that resists steps: 4e-6 */
    NEAR(force[1], P * 4e-4, 5e-3 * force[1]);
    free(X);
    firn_sim_destroy(sim);
}

/* A ball that nothing holds has no equilibrium: told, not fallen for ever. */
static void nothing_holds(void **state)
{
    (void)state;
    const double center[3] = {0, 0, 0};
    verify_scene s;
    verify_scene_init(&s, 0.1, "neo_hookean", 1e4, 0.3, 1000);
    verify_ball(&s, center, 0.1, 1);
    s.scene.gravity[1] = -10;
    strcpy(s.scene.time.integrator, "quasi_static");
    firn_sim *sim = verify_start(&s);
    firn_messages *messages = firn_messages_create();
    assert_int_equal(firn_sim_advance_to(sim, 1e3, messages), FIRN_STOPPED);
    assert_non_null(strstr(firn_messages_text(messages, 0, NULL), "no equilibrium"));
    firn_messages_destroy(messages);
    firn_sim_destroy(sim);
}

/* A soft ball of dough let go on a rough floor: it flows and settles; the floor carries its weight.
 * The same bits with other threads and after a restore. */
static void ball_on_a_floor(void **state)
{
    (void)state;
    const double center[3] = {0, 0.1, 0};
    uint64_t hash[2];
    void *saved = NULL;
    size_t n_bytes = 0;
    for (int k = 0; k < 2; k++) {
        verify_scene s;
        verify_scene_init(&s, 0.025, "von_mises", 2e4, 0.3, 1000);
        verify_parameter(&s, "yield", 2000);
        verify_ball(&s, center, 0.1, 2);
        firn_collider_def *floor = verify_floor(&s, 1, 0);
        floor->friction = 0.5;
        s.scene.gravity[1] = -10;
        s.options.n_threads = 1 + 2 * k;
        strcpy(s.scene.time.integrator, "quasi_static");
        firn_sim *sim = verify_start(&s);
        if (k) {
            assert_int_equal(firn_sim_restore(sim, saved, n_bytes, NULL), FIRN_OK);
            firn_sim_release_state(sim, saved, n_bytes);
        } else {
            for (int j = 0; j < 3; j++) assert_int_equal(firn_sim_step(sim, 1, NULL), FIRN_OK);
            assert_int_equal(firn_sim_save(sim, &saved, &n_bytes, NULL), FIRN_OK);
        }
        verify_go(sim, 1);
        const firn_ledger before = verify_ledger(sim);
        verify_go(sim, 2);
        const firn_ledger after = verify_ledger(sim);
        hash[k] = firn_sim_hash(sim);
        print_message("center %.4f m, floor %.6g N, weight %.6g N, %lld steps, %lld failed\n",
                      after.center[1], after.collider_impulse[1] - before.collider_impulse[1],
                      after.mass * 10, (long long)firn_sim_stats(sim).n_steps,
                      (long long)firn_sim_stats(sim).n_retries);
        NEAR(after.collider_impulse[1] - before.collider_impulse[1], after.mass * 10,
             1e-3 * after.mass * 10);
        assert_true(after.center[1] < 0.097 && after.plastic_work > 0);
        firn_sim_destroy(sim);
    }
    assert_true(hash[0] == hash[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(column_in_its_weight), cmocka_unit_test(bar_between_grips),
        cmocka_unit_test(ball_on_a_floor), cmocka_unit_test(nothing_holds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
