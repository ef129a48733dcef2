/* SPDX-License-Identifier: MIT */
/* Least squares against certified values, and laws whose known parameters must come back from
 * noisy curves. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lab/fit.h"

static void assert_close(double value, double expected, double relative)
{
    if (!(fabs(value - expected) <= relative * fabs(expected)))
        print_error("%.10g, expected %.10g\n", value, expected);
    assert_true(fabs(value - expected) <= relative * fabs(expected));
}

/* ---------------------------------------------------------------- NIST Statistical Reference
 * Datasets: Misra1a */

static const double misra_x[14] = {77.6,  114.9, 141.1, 190.8, 239.9, 289.0, 332.8,
                                   378.4, 434.8, 477.3, 536.8, 593.1, 689.1, 760.0};
static const double misra_y[14] = {10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02,
                                   44.82, 50.76, 55.05, 61.01, 66.40, 75.47, 81.78};

static int misra(void *user, const double *p, double *r)
{
    (void)user;
    for (int i = 0; i < 14; i++) r[i] = p[0] * (1 - exp(-p[1] * misra_x[i])) - misra_y[i];
    return 0;
}

static void certified_values(void **state)
{
    (void)state;
    for (int is_log = 0; is_log < 2; is_log++) {
        /* NIST's first, far start */
        firn_fit_parameter p[2] = {
            {.name = "b1", .start = 500, .min = 1, .max = 1e6, .is_log = is_log},
            {.name = "b2", .start = 1e-4, .min = 1e-9, .max = 1, .is_log = is_log}};
        firn_fit_result result;
        assert_int_equal(firn_fit_minimise(misra, NULL, 14, 2, p, &result, NULL), FIRN_OK);
        assert_close(p[0].value, 2.3894212918e2, 1e-7);
        assert_close(p[1].value, 5.5015643181e-4, 1e-7);
        assert_close(p[0].error, 2.7070075241, 1e-4);
        assert_close(p[1].error, 7.2668688436e-6, 1e-4);
        assert_close(result.sum_of_squares, 1.2455138894e-1, 1e-9);
        assert_close(result.deviation, 1.0187876330e-1, 1e-9);
        assert_int_equal(result.rank, 2);
        if (!is_log) assert_close(p[0].high - p[0].low, 2 * 2.178813 * 2.7070075241, 1e-4);
    }
}

static void student(void **state)
{
    (void)state;
    assert_close(firn_fit_student(1), 12.706205, 1e-6);
    assert_close(firn_fit_student(5), 2.570582, 1e-6);
    assert_close(firn_fit_student(12), 2.178813, 1e-6);
    assert_close(firn_fit_student(100000), 1.959988, 1e-6);
}

/* Two parameters whose sum alone is seen. */
static int only_the_sum(void *user, const double *p, double *r)
{
    (void)user;
    for (int i = 0; i < 5; i++) r[i] = (p[0] + p[1]) * i - 3 * i + (i % 2 ? 0.01 : -0.01);
    return 0;
}

static void degenerate(void **state)
{
    (void)state;
    firn_fit_parameter p[2] = {{.name = "a", .start = 1, .min = -10, .max = 10},
                               {.name = "b", .start = 1, .min = -10, .max = 10}};
    firn_fit_result result;
    assert_int_equal(firn_fit_minimise(only_the_sum, NULL, 5, 2, p, &result, NULL), FIRN_OK);
    assert_int_equal(result.rank, 1);
    assert_close(p[0].value + p[1].value, 3, 1e-2);
    assert_int_equal(firn_fit_minimise(only_the_sum, NULL, 2, 2, p, &result, NULL), FIRN_REFUSED);
    p[0].start = 11;
    assert_int_equal(firn_fit_minimise(only_the_sum, NULL, 5, 2, p, &result, NULL), FIRN_REFUSED);
}

/* ---------------------------------------------------------------- laws */

/* Normal numbers, fixed by the seed. */
static double noise(uint64_t *seed)
{
    double sum = 0;
    for (int i = 0; i < 12; i++) {
        *seed = *seed * 6364136223846793005u + 1442695040888963407u;
        sum += (double)(*seed >> 11) * 0x1p-53;
    }
    return sum - 6;
}

/* A curve of the material with relative noise, every 5th step. */
static firn_table *measured(const char *spec, const firn_lab_options *options, const char *x,
                            const char *y, double share)
{
    firn_material material;
    firn_table *t = NULL;
    uint64_t seed = 7;
    assert_int_equal(firn_lab_material(spec, NULL, &material, NULL), FIRN_OK);
    assert_int_equal(firn_lab_run(&material, options, &t, NULL, NULL), FIRN_OK);
    firn_table_column columns[2] = {t->columns[firn_table_find(t, x)],
                                    t->columns[firn_table_find(t, y)]};
    firn_table *out = firn_table_create(2, columns);
    double last = firn_table_value(t, t->n_rows - 1, firn_table_find(t, y));
    for (int i = 5; i < t->n_rows; i += 5) {
        double row[2] = {firn_table_value(t, i, firn_table_find(t, x)),
                         firn_table_value(t, i, firn_table_find(t, y))};
        row[1] += share * last * noise(&seed);
        firn_table_add(out, row);
    }
    firn_table_destroy(t);
    return out;
}

static firn_fit_law problem(const char *spec, const char *path, const firn_table *data,
                            const char *x, const char *y)
{
    firn_fit_law p = {.data = data, .x = x, .y = y, .options = firn_lab_options_default()};
    firn_material material;
    assert_int_equal(firn_lab_material(spec, &p.def, &material, NULL), FIRN_OK);
    snprintf(p.options.path, sizeof p.options.path, "%s", path);
    return p;
}

static void rubber_comes_back(void **state)
{
    (void)state;
    firn_lab_options o = firn_lab_options_default();
    o.to = 1.6;
    o.n_steps = 150;
    firn_table *data = measured("neo_hookean,E=2e5,nu=0.35", &o, "stretch", "nominal_xx", 0.01);
    firn_fit_law p =
        problem("neo_hookean,E=1e6,nu=0.35", "uniaxial", data, "stretch", "nominal_xx");
    p.n_free = 1;
    snprintf(p.free[0], FIRN_NAME, "E");
    firn_fit_law_result r;
    assert_int_equal(firn_fit_law_run(&p, &r, NULL), FIRN_OK);
    assert_true(r.parameters[0].low < 2e5 && 2e5 < r.parameters[0].high);
    assert_close(r.parameters[0].value, 2e5, 0.02);
    assert_true(r.parameters[0].high - r.parameters[0].low < 0.04 * 2e5);
    assert_int_equal(r.table->n_rows, data->n_rows);
    firn_text yaml = {0};
    firn_fit_law_preset(&p, &r, "band", "data.csv", &yaml);
    assert_non_null(strstr(yaml.data, "law: neo_hookean"));
    assert_non_null(strstr(yaml.data, "nu: 0.35\n"));
    assert_non_null(strstr(yaml.data, " Pa  # 95 %"));
    assert_null(strstr(yaml.data, "E: 1000000"));
    /* and a scene can use it */
    firn_text scene = {0};
    firn_text_add(&scene,
                  "grid: {dx: 2 cm}\n%sbodies:\n  b: {material: band, shape: {kind: sphere, "
                  "radius: 10 cm}}\n",
                  yaml.data);
    firn_scene *loaded = firn_scene_parse(scene.data, scene.n, "fitted.yaml", 0, NULL, NULL);
    assert_non_null(loaded);
    assert_string_equal(firn_scene_definition(loaded)->materials[0].law, "neo_hookean");
    firn_scene_destroy(loaded);
    firn_text_clear(&scene);
    firn_text_clear(&yaml);
    firn_table_destroy(r.table);
    firn_table_destroy(data);
}

/* Two parameters, from compression and extension between fixed walls, and exactly when there is
 * no noise. */
static void two_sides(void **state)
{
    (void)state;
    firn_lab_options o = firn_lab_options_default();
    snprintf(o.path, sizeof o.path, "uniaxial_strain");
    firn_table *data = NULL, *both = NULL;
    for (int side = 0; side < 2; side++) {
        o.to = side ? 0.7 : 1.4;
        o.n_steps = 100;
        data = measured("neo_hookean,E=2e5,nu=0.35", &o, "stretch", "cauchy_xx", 0);
        if (!side) {
            both = data;
            continue;
        }
        for (int i = 0; i < data->n_rows; i++) firn_table_add(both, data->values + 2 * i);
        firn_table_destroy(data);
    }
    firn_fit_law p =
        problem("neo_hookean,E=1e6,nu=0.1", "uniaxial_strain", both, "stretch", "cauchy_xx");
    p.n_free = 2;
    snprintf(p.free[0], FIRN_NAME, "E");
    snprintf(p.free[1], FIRN_NAME, "nu");
    firn_fit_law_result r;
    assert_int_equal(firn_fit_law_run(&p, &r, NULL), FIRN_OK);
    assert_close(r.parameters[0].value, 2e5, 2e-3);
    assert_close(r.parameters[1].value, 0.35, 2e-3);
    firn_table_destroy(r.table);
    firn_table_destroy(both);
}

/* Consistency and exponent from a flow curve with 2 % noise. */
static void dough_comes_back(void **state)
{
    (void)state;
    firn_table_column columns[2] = {{"rate", "1/s"}, {"cauchy_xy", "Pa"}};
    firn_table *data = firn_table_create(2, columns);
    uint64_t seed = 3;
    for (int i = 0; i <= 20; i++) {
        double rate = pow(10, i / 5.0 - 1);
        firn_table_add(
            data, (double[2]){rate, (300 + 1387 * pow(rate, 0.38)) * (1 + 0.02 * noise(&seed))});
    }
    firn_fit_law p = problem("dough,E=1e7,G_m=0,softening=0,eta=0,yield=200,K=500,n=0.6",
                             "flow_curve", data, "rate", "cauchy_xy");
    static const double known[3] = {1387, 0.38, 300};
    static const char *const names[3] = {"K", "n", "yield"};
    p.options.to = 5;
    p.options.n_steps = 20;
    p.is_relative = 1;
    p.n_free = 3;
    for (int k = 0; k < 3; k++) snprintf(p.free[k], FIRN_NAME, "%s", names[k]);
    firn_fit_law_result r;
    assert_int_equal(firn_fit_law_run(&p, &r, NULL), FIRN_OK);
    for (int k = 0; k < 3; k++) {
        assert_true(r.parameters[k].low < known[k] && known[k] < r.parameters[k].high);
        assert_close(r.parameters[k].value, known[k], k == 2 ? 0.25 : 0.05);
    }
    firn_table_destroy(r.table);
    firn_table_destroy(data);
}

static void refuses(void **state)
{
    (void)state;
    firn_lab_options o = firn_lab_options_default();
    firn_table *data = measured("neo_hookean", &o, "stretch", "nominal_xx", 0);
    firn_fit_law p = problem("neo_hookean", "uniaxial", data, "stretch", "cauchy_xx");
    firn_messages *messages = firn_messages_create();
    firn_fit_law_result r;
    p.n_free = 1;
    assert_int_equal(firn_fit_law_run(&p, &r, messages), FIRN_REFUSED);
    assert_non_null(strstr(firn_messages_text(messages, 0, NULL), "no column 'cauchy_xx'"));
    firn_messages_clear(messages);
    p.y = "nominal_xx";
    snprintf(p.free[0], FIRN_NAME, "G");
    assert_int_equal(firn_fit_law_run(&p, &r, messages), FIRN_REFUSED);
    assert_non_null(strstr(firn_messages_text(messages, 0, NULL), "'G'"));
    firn_messages_destroy(messages);
    firn_table_destroy(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(certified_values), cmocka_unit_test(student),
        cmocka_unit_test(degenerate),       cmocka_unit_test(rubber_comes_back),
        cmocka_unit_test(two_sides),        cmocka_unit_test(dough_comes_back),
        cmocka_unit_test(refuses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
