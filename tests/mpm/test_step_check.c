/* SPDX-License-Identifier: MIT */
/* test_step_check.c: the check for energy from nothing, alone. In a scene the bound of stability.c
 * shortens long steps before the check sees them; here it is switched off. */
#include "mpm/mpm.h"
#include "verify/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

/* A ball of four cells that vibrates at 0.01 m/s. */
static firn_sim *ball(verify_scene *s, int scheme, double cfl, int is_bounded)
{
    const double center[3] = {0, 0, 0};
    verify_scene_init(s, 0.1, "neo_hookean", 1e4, 0.3, 1000);
    verify_ball(s, center, 0.4, 2);
    s->scene.transfer.scheme = scheme;
    s->scene.transfer.flip_blend = 1;
    s->scene.time.cfl = cfl;
    firn_sim *sim = verify_start(s);
    if (!is_bounded) sim->mpm->particles[0].transfer.bound_wave = 0;
    const int64_t n = 3 * firn_sim_n_particles(sim);
    double *v = malloc((size_t)n * sizeof *v);
    uint64_t seed = 1;
    for (int64_t i = 0; i < n; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        v[i] = 0.01 * ((double)(seed >> 11) * 0x1p-52 - 1);
    }
    verify_assign(sim, "v", v);
    free(v);
    return sim;
}

/* Three seconds; the largest energy over the first. Counts the steps that `criterion` limited. */
static double growth(firn_sim *sim, const char *criterion, int *n_limited)
{
    firn_ledger l;
    assert_int_equal(firn_sim_ledger(sim, -1, &l, NULL), FIRN_OK);
    const double first = l.kinetic + l.elastic;
    double most = first;
    *n_limited = 0;
    for (int k = 1; k <= 20; k++) {
        while (firn_sim_time(sim) < 0.15 * k) {
            assert_int_equal(firn_sim_step(sim, 0.15 * k, NULL), FIRN_OK);
            *n_limited += strcmp(firn_sim_stats(sim).limit.criterion, criterion) == 0;
        }
        assert_int_equal(firn_sim_ledger(sim, -1, &l, NULL), FIRN_OK);
        if (l.kinetic + l.elastic > most) most = l.kinetic + l.elastic;
    }
    return most / first;
}

/* Steps of 1.5 cells per wave are unstable: unchecked the ball ends with 10^4 times its energy, all
 * numbers finite. The check rejects them, and the energy stays below 1.5 times the first. Stable
 * steps are left as they are. */
static void energy(void **state)
{
    (void)state;
    for (int scheme = FIRN_APIC; scheme <= FIRN_FLIP; scheme++)
        for (int is_unstable = 0; is_unstable < 2; is_unstable++) {
            verify_scene s;
            int n_limited;
            firn_sim *sim = ball(&s, scheme, is_unstable ? 1.5 : 0.8, 0);
            assert_true(growth(sim, "energy", &n_limited) < 1.5);
            assert_true((firn_sim_stats(sim).n_retries > 0) == is_unstable);
            assert_true((n_limited > 0) == is_unstable);
            firn_sim_destroy(sim);
        }
}

/* With the bound no step has to be rejected. */
static void bounded(void **state)
{
    (void)state;
    for (int scheme = FIRN_APIC; scheme <= FIRN_FLIP; scheme++) {
        verify_scene s;
        int n_limited;
        firn_sim *sim = ball(&s, scheme, 1.5, 1);
        assert_true(growth(sim, "stability", &n_limited) < 1.5);
        assert_true(firn_sim_stats(sim).n_retries == 0 && n_limited > 0);
        firn_sim_destroy(sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(energy), cmocka_unit_test(bounded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
