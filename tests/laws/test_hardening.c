/* SPDX-License-Identifier: MIT */
/* test_hardening.c: waves of what is struck, against the shock in closed form, and the parameter that
 * makes them faster. Snow: s the clamped stretch 1 - theta_c, h = exp(xi (1 - Jp)) with Jp = J / s. */
#include "laws/hardening.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static firn_material snow(const char *preset)
{
    firn_material m;
    firn_material_def def = firn_material_default();
    strcpy(def.name, "snow");
    strcpy(def.law, "snow");
    strcpy(def.preset, preset);
    assert_int_equal(firn_material_resolve(&def, 0, &m, NULL), FIRN_OK);
    return m;
}

static double parameter(const firn_material *m, const char *name)
{
    return m->value[firn_material_parameter_index(&m->law->info, name, strlen(name))];
}

/* P(J) (1 - J) = rho V^2, P = h (2 mu (1 - s) s + lambda s (1 - s)) / J, by bisection for J; waves
 * grow like sqrt(h), but for the little that the clamped stretch changes. */
static void a_shock(void **state)
{
    (void)state;
    const firn_material m = snow("snow_2013");
    const double E = parameter(&m, "E"), nu = parameter(&m, "nu"), xi = parameter(&m, "xi"),
                 s = 1 - parameter(&m, "theta_c"), mu = E / 2 / (1 + nu),
                 lambda = E * nu / (1 + nu) / (1 - 2 * nu);
    for (double V = 4; V <= 16; V *= 2) {
        double low = 0.05, high = s, rest;
        for (int i = 0; i < 60; i++) {
            const double J = 0.5 * (low + high), h = exp(xi * (1 - J / s)),
                         P = h * (2 * mu * (1 - s) * s + lambda * s * (1 - s)) / J;
            if (P * (1 - J) > m.density * V * V)
                low = J;
            else
                high = J;
        }
        const double struck = firn_hardening_struck(&m, 293.15, V, 0.01, &rest),
                     expected = exp(0.5 * xi * (1 - low / s));
        if (!(fabs(struck / rest / expected - 1) < 0.08))
            fail_msg("%g m/s: %g times for %g", V, struck / rest, expected);
    }
}

/* What does not move does not harden, and the limit of the preset for use holds. */
static void limits(void **state)
{
    (void)state;
    const firn_material used = snow("packed_snow"), published = snow("snow_2013");
    double rest;
    assert_true(firn_hardening_struck(&published, 293.15, 0, 0.01, &rest) == rest);
    assert_true(firn_hardening_struck(&used, 293.15, 30, 0.01, &rest) < 1.05 * sqrt(10) * rest);
    assert_true(firn_hardening_struck(&published, 293.15, 30, 0.01, &rest) > 5 * rest);
}

/* Jp = 0.6: h = exp(4) by xi; three times the speed at rest would be exp(0.4 xi) = 9. With a limit of
 * 10 it is the limit, and twice the speed at rest would be 4. */
static void causes(void **state)
{
    (void)state;
    const firn_hardening_state crushed = {
        .F = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .history = {0.6}, .temperature = 293.15};
    const firn_hardening_state fresh = {
        .F = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .history = {1}, .temperature = 293.15};
    const firn_material published = snow("snow_2013"), used = snow("packed_snow");
    firn_hardening_cause cause = firn_hardening_find_cause(&published, &crushed, 3);
    assert_true(fabs(cause.ratio / exp(2) - 1) < 1e-6);
    assert_string_equal(published.law->info.parameters[cause.parameter].name, "xi");
    assert_true(fabs(cause.value - log(9) / 0.4) < 1e-6);
    cause = firn_hardening_find_cause(&used, &crushed, 2);
    assert_true(fabs(cause.ratio / sqrt(10) - 1) < 1e-6);
    assert_string_equal(used.law->info.parameters[cause.parameter].name, "h_max");
    assert_true(fabs(cause.value - 4) < 1e-6);
    cause = firn_hardening_find_cause(&used, &fresh, 3);
    assert_true(cause.parameter < 0 && fabs(cause.ratio - 1) < 1e-12 && isnan(cause.value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_shock), cmocka_unit_test(limits),
                                       cmocka_unit_test(causes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
