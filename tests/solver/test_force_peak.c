/* SPDX-License-Identifier: MIT */
/* test_force_peak.c: peak forces of known histories of impulses. */
#include "solver/force_peak.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

enum { WALLS = FIRN_BOUNDARY_WALLS, COLLIDERS = FIRN_BOUNDARY_COLLIDERS };

/* n steps of dt under a force F(t) = a + b t of the walls */
static double peak_of_ramp(int n, double dt, double window, double a, double b)
{
    firn_force_peak peak = {0};
    firn_ledger_sums sums = {0};
    for (int k = 1; k <= n; k++) {
        double t = k * dt;
        sums.impulse[WALLS][1] = a * t + b * t * t / 2;
        firn_force_peak_step(&peak, &sums, t, window);
    }
    assert_true(peak.force[1] == 0);
    return peak.force[0];
}

/* A constant force whatever the window; a ramp: the mean of the last whole window. */
static void constant_and_ramp(void **state)
{
    (void)state;
    assert_true(fabs(peak_of_ramp(1000, 1e-3, 0.01, 5, 0) - 5) < 1e-9);
    assert_true(fabs(peak_of_ramp(7, 1e-3, 0, 5, 0) - 5) < 1e-9);
    assert_true(fabs(peak_of_ramp(1000, 1e-3, 0.01, 0, 2) - 2 * 0.995) < 1e-9);
    assert_true(fabs(peak_of_ramp(1000, 1e-3, 0, 0, 2) - 2 * 0.9995) < 1e-9);
}

/* An impulse of 3 N s within one step is 3/window, 3/dt where steps are longer; impulses of walls
 * and of colliders are apart, and a force that turns round keeps its size. */
static void impacts(void **state)
{
    (void)state;
    firn_force_peak peak = {0};
    firn_ledger_sums sums = {0};
    for (int k = 1; k <= 100; k++) {
        if (k == 50) sums.impulse[COLLIDERS][0] -= 3;
        if (k == 70) sums.impulse[WALLS][2] += 4;
        firn_force_peak_step(&peak, &sums, k * 1e-3, 0.01);
    }
    assert_true(fabs(peak.force[1] - 300) < 1e-6 && fabs(peak.force[0] - 400) < 1e-6);
    sums.impulse[WALLS][2] += 4;
    firn_force_peak_step(&peak, &sums, 0.105, 0.01); /* within the window */
    assert_true(fabs(peak.force[0] - 400) < 1e-6);
    firn_force_peak_step(&peak, &sums, 0.105, 0.001);
    assert_true(fabs(peak.force[0] - 800) < 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constant_and_ramp),
        cmocka_unit_test(impacts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
