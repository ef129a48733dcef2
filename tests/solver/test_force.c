/* SPDX-License-Identifier: MIT */
/* test_force.c: force fields against their formulas, and their factors over time. */
#include "solver/force.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static firn_force make(const firn_force_def *def)
{
    firn_force force;
    assert_int_equal(firn_force_create(def, NULL, &force, NULL), FIRN_OK);
    firn_force_prepare(&force, 0);
    return force;
}

static firn_force_def of_kind(const char *kind, double strength)
{
    firn_force_def def = firn_force_default();
    strcpy(def.name, "f");
    strcpy(def.kind, kind);
    def.strength = strength;
    return def;
}

/* The acceleration of what rests at x. */
static void at(const firn_force *force, double x, double y, double z, double time, double a[3])
{
    const double place[3] = {x, y, z}, dt = 1e-3;
    for (int c = 0; c < 3; c++) a[c] = 0;
    firn_force_push(force, place, time, dt, a);
    for (int c = 0; c < 3; c++) a[c] /= dt;
}

static void check_near(const double a[3], double x, double y, double z)
{
    if (fabs(a[0] - x) + fabs(a[1] - y) + fabs(a[2] - z) > 1e-9)
        fail_msg("%g %g %g", a[0], a[1], a[2]);
}

/* Linear between keys, constant before the first and after the last. */
static void factors_over_time(void **state)
{
    (void)state;
    const firn_force_key keys[] = {{1, 0}, {2, 2}, {3, -1}};
    const double expected[][2] = {{0, 0}, {1, 0}, {1.5, 1}, {2, 2}, {2.5, 0.5}, {3, -1}, {9, -1}};
    firn_force_def def = of_kind("gravity", 0);
    def.vector[1] = -9;
    def.n_keys = 3;
    def.keys = keys;
    firn_force force = make(&def);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        double a[3];
        firn_force_prepare(&force, expected[i][0]);
        at(&force, 4, 5, 6, expected[i][0], a);
        check_near(a, 0, -9 * expected[i][1], 0);
    }
    firn_force_destroy(&force, NULL);
}

/* Full strength inside the radius, (radius / r)^2 of it beyond; nothing at the centre itself. */
static void points_and_vortices(void **state)
{
    (void)state;
    double a[3];
    firn_force_def def = of_kind("point", -3);
    def.position[0] = 1;
    firn_force pull = make(&def);
    at(&pull, 1, 50, 0, 0, a);
    check_near(a, 0, -3, 0);
    at(&pull, 1, 0, 0, 0, a);
    check_near(a, 0, 0, 0);
    def.radius = 2;
    firn_force near = make(&def);
    at(&near, 1, 0, 1.9, 0, a);
    check_near(a, 0, 0, -3);
    at(&near, 1, 0, -4, 0, a);
    check_near(a, 0, 0, 0.75);
    strcpy(def.kind, "vortex");
    def.vector[2] = 0.1; /* its length says nothing */
    firn_force whirl = make(&def);
    at(&whirl, 3, 0, 77, 0, a);
    check_near(a, 0, -3, 0);
    at(&whirl, 1, 4, 77, 0, a);
    check_near(a, 0.75, 0, 0);
    at(&whirl, 1, 0, 77, 0, a);
    check_near(a, 0, 0, 0);
}

/* Without divergence; as strong at any length of its swirls, of which the seed makes others;
 * time changes it. */
static void turbulence(void **state)
{
    (void)state;
    const double h = 1e-4;
    firn_force_def def = of_kind("turbulence", 5), other = def;
    def.length = 0.5;
    other.seed = 1;
    firn_force force = make(&def), unit = make(&other);
    double mean = 0, difference = 0, later = 0;
    for (int i = 0; i < 500; i++) {
        double x[3] = {0.137 * i - 20, 0.071 * i - 9, 0.211 * i - 40}, a[3], low[3], high[3],
               divergence = 0;
        for (int c = 0; c < 3; c++) {
            double d[3] = {c == 0 ? h : 0, c == 1 ? h : 0, c == 2 ? h : 0};
            at(&force, x[0] - d[0], x[1] - d[1], x[2] - d[2], 0.3, low);
            at(&force, x[0] + d[0], x[1] + d[1], x[2] + d[2], 0.3, high);
            divergence += (high[c] - low[c]) / (2 * h);
        }
        assert_true(fabs(divergence) < 1e-4); /* single derivatives are about 50 1/s^2 */
        at(&force, x[0], x[1], x[2], 0.3, a);
        at(&force, x[0], x[1], x[2], 1.3, high);
        at(&unit, 2 * x[0], 2 * x[1], 2 * x[2], 0.3, low);
        for (int c = 0; c < 3; c++) {
            mean += a[c] * a[c] / 500;
            difference += pow(a[c] - low[c], 2) / 500;
            later += pow(a[c] - high[c], 2) / 500;
        }
    }
    assert_true(mean > 10 && mean < 100);
    assert_true(difference > mean && later > mean);
    other.seed = 0;
    firn_force same = make(&other);
    double a[3], b[3];
    at(&force, 0.3, -0.7, 11, 2, a);
    at(&same, 0.6, -1.4, 22, 2, b);
    check_near(a, b[0], b[1], b[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_over_time),
        cmocka_unit_test(points_and_vortices),
        cmocka_unit_test(turbulence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
