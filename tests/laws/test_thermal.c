/* SPDX-License-Identifier: MIT */
/* test_thermal.c: enthalpy over temperature and back; what is refused. */
#include "laws/thermal.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

typedef struct given {
    double value[FIRN_THERMAL_PARAMETERS];
    int n_table[FIRN_THERMAL_PARAMETERS];
    double T[FIRN_THERMAL_PARAMETERS][FIRN_MAX_TABLE],
        values[FIRN_THERMAL_PARAMETERS][FIRN_MAX_TABLE];
} given;

static given ice(void)
{
    given g = {.value = {[FIRN_THERMAL_CAPACITY] = 2100,
                         [FIRN_THERMAL_CAPACITY_LIQUID] = 4186,
                         [FIRN_THERMAL_CONDUCTIVITY] = 2.2,
                         [FIRN_THERMAL_CONDUCTIVITY_LIQUID] = 0.6,
                         [FIRN_THERMAL_LATENT] = 334e3,
                         [FIRN_THERMAL_SOLIDUS] = 273.15}};
    return g;
}

static const char *make(given *g, firn_thermal *th, int *which)
{
    return firn_thermal_make(th, g->value, g->n_table, g->T, g->values, which);
}

/* T(h(T)) = T, f in [0, 1] and rising, h rising. */
static void check_inverse(const firn_thermal *th, double from, double to)
{
    double h_before = -INFINITY, f_before = 0;
    for (double T = from; T < to; T += (to - from) / 997) {
        const double h = firn_thermal_enthalpy(th, T);
        double f = 0;
        assert_true(h > h_before);
        assert_true(fabs(firn_thermal_temperature(th, h, &f) - T) <= 1e-9 * T);
        assert_true(f >= f_before && f <= 1);
        assert_true(fabs(f - firn_thermal_fraction(th, T)) <= 1e-9);
        h_before = h;
        f_before = f;
    }
}

static void melting_at_a_point(void **state)
{
    (void)state;
    given g = ice();
    firn_thermal th;
    int which;
    double f = 0;
    assert_null(make(&g, &th, &which));
    check_inverse(&th, 200, 272);
    check_inverse(&th, 274, 350);
    assert_true(fabs(firn_thermal_enthalpy(&th, 263.15) + 21000) < 1e-6);
    assert_true(fabs(firn_thermal_enthalpy(&th, 283.15) - 334e3 - 41860) < 1e-6);
    assert_true(fabs(firn_thermal_temperature(&th, 83500, &f) - 273.15) < 1e-12);
    assert_true(fabs(f - 0.25) < 1e-12);
    assert_true(fabs(firn_thermal_conductivity(&th, 273.15, 0.25) - (0.75 * 2.2 + 0.15)) < 1e-12);
}

/* An interval with capacities over temperature: h is the integral of dh/dT. */
static void melting_in_an_interval(void **state)
{
    (void)state;
    given g = ice();
    firn_thermal th;
    int which;
    const double T[3] = {250, 270, 280}, c[3] = {1800, 2000, 2500};
    g.value[FIRN_THERMAL_LIQUIDUS] = 283.15;
    g.n_table[FIRN_THERMAL_CAPACITY] = 3;
    memcpy(g.T[FIRN_THERMAL_CAPACITY], T, sizeof T);
    memcpy(g.values[FIRN_THERMAL_CAPACITY], c, sizeof c);
    assert_null(make(&g, &th, &which));
    check_inverse(&th, 200, 350);
    assert_true(fabs(firn_thermal_enthalpy(&th, 273.15)) < 1e-9);
    assert_true(fabs(firn_thermal_enthalpy(&th, 270) - firn_thermal_enthalpy(&th, 250) - 38000) <
                1e-6);
    const double solid = 2000 + 500 * 0.315; /* c at the solidus */
    assert_true(fabs(firn_thermal_enthalpy(&th, 283.15) - 334e3 - 5 * (solid + 4186)) < 1e-6);
}

/* Liquid stays liquid until the solidus less its supercooling, then jumps to its equilibrium: the
 * temperature rises at constant enthalpy. */
static void supercooling(void **state)
{
    (void)state;
    given g = ice();
    firn_thermal th;
    int which;
    double f = 1;
    g.value[FIRN_THERMAL_SUPERCOOLING] = 5;
    assert_null(make(&g, &th, &which));
    assert_true(fabs(firn_thermal_temperature(&th, 334e3 - 4 * 4186, &f) - 269.15) < 1e-9);
    assert_true(f == 1);
    assert_true(fabs(firn_thermal_temperature(&th, 334e3 - 6 * 4186, &f) - 273.15) < 1e-12);
    assert_true(fabs(f - (1 - 6 * 4186 / 334e3)) < 1e-12);
    assert_true(fabs(firn_thermal_temperature(&th, 334e3 - 4 * 4186, &f) - 273.15) < 1e-12);
    assert_true(f < 1); /* once ice is there it melts and freezes in equilibrium */
}

static void refused(void **state)
{
    (void)state;
    firn_thermal th;
    int which = -1;
    given g = ice();
    g.value[FIRN_THERMAL_LIQUIDUS] = 270;
    assert_non_null(make(&g, &th, &which));
    assert_int_equal(which, FIRN_THERMAL_LIQUIDUS);
    g = ice();
    g.value[FIRN_THERMAL_SOLIDUS] = 0;
    assert_non_null(make(&g, &th, &which));
    assert_int_equal(which, FIRN_THERMAL_SOLIDUS);
    g = ice();
    g.value[FIRN_THERMAL_CAPACITY] = 0;
    assert_non_null(make(&g, &th, &which));
    assert_int_equal(which, FIRN_THERMAL_CAPACITY);
    g = ice();
    g.value[FIRN_THERMAL_LATENT] = 0;
    assert_non_null(make(&g, &th, &which));
    g = ice();
    g.value[FIRN_THERMAL_SUPERCOOLING] = 300;
    assert_non_null(make(&g, &th, &which));
    assert_int_equal(which, FIRN_THERMAL_SUPERCOOLING);
    memset(&g, 0, sizeof g);
    assert_null(make(&g, &th, &which));
    assert_false(th.is_on);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(melting_at_a_point),
                                       cmocka_unit_test(melting_in_an_interval),
                                       cmocka_unit_test(supercooling), cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
