/* The lab against closed forms. With principal stretches s_i (P_i nominal):
 *   neo-Hookean (log J)   P_i = mu (s_i - 1/s_i) + lambda ln J / s_i;  simple shear k: tau = mu [k^2, k; k, 0]
 * Tabulated numbers are for mu = 100, lambda = 27.78, the pair printed with the figures 5 to 7. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lab.h"

static const double E_printed = 221.7404914697136, nu_printed = 0.10870245734856786;

static void resolve(firn_material *material, const char *law, int n, const char *const *names, const double *values)
{
    firn_material_def def = firn_material_default();
    firn_report *report = firn_report_create();
    snprintf(def.name, sizeof def.name, "lab");
    snprintf(def.law, sizeof def.law, "%s", law);
    for (int i = 0; i < n; i++) {
        def.parameters[i] = firn_parameter_default();
        snprintf(def.parameters[i].name, sizeof def.parameters[i].name, "%s", names[i]);
        def.parameters[i].value = values[i];
    }
    def.n_parameters = n;
    firn_status status = firn_material_resolve(&def, 0, material, report);
    if (status != FIRN_OK) print_error("%s\n", firn_report_sentence(report, 0, NULL));
    assert_int_equal(status, FIRN_OK);
    firn_report_destroy(report);
}

static firn_material elastic(const char *law, double E, double nu)
{
    firn_material material;
    resolve(&material, law, 2, (const char *const[]){"E", "nu"}, (const double[]){E, nu});
    return material;
}

static firn_table *run(const firn_material *material, const firn_lab_options *options)
{
    firn_table *table = NULL;
    firn_report *report = firn_report_create();
    firn_status status = firn_lab_run(material, options, &table, NULL, report);
    if (status != FIRN_OK) print_error("%s\n", firn_report_sentence(report, 0, NULL));
    assert_int_equal(status, FIRN_OK);
    firn_report_destroy(report);
    return table;
}

static firn_lab_options path(const char *name, double to, int n_steps)
{
    firn_lab_options options = firn_lab_options_default();
    snprintf(options.path, sizeof options.path, "%s", name);
    options.to = to, options.n_steps = n_steps;
    return options;
}

static double at(const firn_table *table, int row, const char *column)
{
    int c = firn_table_find(table, column);
    assert_true(c >= 0);
    return firn_table_value(table, row < 0 ? table->n_rows + row : row, c);
}

static void assert_close(double value, double expected, double relative)
{
    if (!(fabs(value - expected) <= relative * fmax(1, fabs(expected))))
        print_error("%.12g instead of %.12g\n", value, expected);
    assert_true(fabs(value - expected) <= relative * fmax(1, fabs(expected)));
}

/* ---------------------------------------------------------------- prescribed deformation */

static void uniaxial_strain(void **state)
{
    (void)state;
    firn_material nh = elastic("neo_hookean", E_printed, nu_printed);
    static const double table[][2] = {{0.05, -3659.42885119}, {0.5, -188.51125735}, {0.8, -52.74865982},
                                      {1.2, 40.88741071},     {2, 159.62781434},    {3, 276.83981646}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        firn_lab_options o = path("uniaxial_strain", table[i][0], 50);
        firn_table *t = run(&nh, &o);
        assert_int_equal(t->n_rows, 51);
        assert_close(at(t, -1, "nominal_xx"), table[i][1], 1e-9);
        assert_close(at(t, -1, "stretch"), table[i][0], 1e-12);
        assert_close(at(t, -1, "J"), table[i][0], 1e-12);
        /* laterals fixed: Cauchy = nominal along the axis, and lambda ln J / J across */
        assert_close(at(t, -1, "cauchy_xx"), table[i][1], 1e-9);
        assert_close(at(t, -1, "cauchy_yy"), 27.78 * log(table[i][0]) / table[i][0], 1e-9);
        firn_table_destroy(t);
    }
}

static void shear(void **state)
{
    (void)state;
    firn_material nh = elastic("neo_hookean", E_printed, nu_printed);
    static const double k[] = {0.1, 0.5, 1, 2};
    for (int i = 0; i < 4; i++) {
        firn_lab_options o = path("simple_shear", k[i], 20);
        firn_table *t = run(&nh, &o);
        assert_close(at(t, -1, "cauchy_xy"), 100 * k[i], 1e-10);
        assert_close(at(t, -1, "cauchy_xx"), 100 * k[i] * k[i], 1e-10);
        assert_close(at(t, -1, "cauchy_yy"), 0, 1e-10);
        assert_close(at(t, -1, "time"), k[i], 1e-12); /* rate 1/s */
        firn_table_destroy(t);
    }
}

/* The energy column is the work of the nominal stress along the path (trapezium rule). */
static void energy_is_work(void **state)
{
    (void)state;
    firn_material nh = elastic("neo_hookean", E_printed, nu_printed);
    firn_lab_options o = path("pure_shear", 1.8, 2000);
    firn_table *t = run(&nh, &o);
    double work = 0;
    for (int i = 1; i < t->n_rows; i++)
        for (int c = 0; c < 2; c++) {
            const char *P = c ? "nominal_yy" : "nominal_xx", *F = c ? "Fyy" : "Fxx";
            work += (at(t, i, P) + at(t, i - 1, P)) / 2 * (at(t, i, F) - at(t, i - 1, F));
        }
    assert_close(at(t, -1, "energy"), work, 1e-5);
    firn_table_destroy(t);
}

static void path_from_table(void **state)
{
    (void)state;
    firn_material nh = elastic("neo_hookean", E_printed, nu_printed);
    firn_table *motion = firn_table_parse("time (s), Fxx, Fxy\n0,1,0\n0.5,1,0.25\n1,1,0.5\n", "F.csv", NULL);
    firn_lab_options o = path("file", NAN, 1);
    o.table = motion;
    firn_table *t = run(&nh, &o);
    assert_int_equal(t->n_rows, 3);
    assert_close(at(t, -1, "cauchy_xy"), 50, 1e-12);
    firn_table_destroy(t);
    firn_table_destroy(motion);
}

/* ---------------------------------------------------------------- prescribed stress */

static void free_laterals(void **state)
{
    (void)state;
    firn_material nh = elastic("neo_hookean", E_printed, nu_printed);
    static const double table[][3] = {{0.5, -180.601075, 1.07378088},
                                      {0.8, -51.095359, 1.02409124},
                                      {1.5, 89.151377, 0.95536870},
                                      {2, 157.402315, 0.92301338}};
    for (int i = 0; i < 4; i++) {
        firn_lab_options o = path("uniaxial", table[i][0], 20);
        firn_table *t = run(&nh, &o);
        assert_close(at(t, -1, "nominal_xx"), table[i][1], 1e-8);
        assert_close(at(t, -1, "Fyy"), table[i][2], 1e-8);
        assert_close(at(t, -1, "Fzz"), table[i][2], 1e-8);
        firn_table_destroy(t);
    }
    static const double biaxial[][3] = {{1.2, 44.036378, 0.95475832}, {2, 166.478722, 0.81879519}};
    for (int i = 0; i < 2; i++) {
        firn_lab_options o = path("equibiaxial", biaxial[i][0], 20);
        firn_table *t = run(&nh, &o);
        assert_close(at(t, -1, "nominal_xx"), biaxial[i][1], 1e-8);
        assert_close(at(t, -1, "nominal_yy"), biaxial[i][1], 1e-8);
        assert_close(at(t, -1, "Fzz"), biaxial[i][2], 1e-8);
        firn_table_destroy(t);
    }
}

/* Driven by the nominal stress that the strain-driven path ended in, the stretch comes back. */
static void driven_by_stress(void **state)
{
    (void)state;
    firn_material nh = elastic("neo_hookean", E_printed, nu_printed);
    firn_lab_options o = path("uniaxial", NAN, 10);
    o.by_stress = 1, o.stress = 157.402315, o.measure = FIRN_LAB_NOMINAL;
    firn_table *t = run(&nh, &o);
    assert_close(at(t, -1, "stretch"), 2, 1e-7);
    firn_table_destroy(t);
    o = path("simple_shear", NAN, 10);
    o.by_stress = 1, o.stress = 50;
    t = run(&nh, &o);
    assert_close(at(t, -1, "shear"), 0.5, 1e-9);
    firn_table_destroy(t);
}

/* The float kernels on the same path: to their own accuracy. */
static void other_variants(void **state)
{
    (void)state;
    firn_material nh = elastic("neo_hookean", E_printed, nu_printed);
    firn_lab_options o = path("uniaxial", 2, 20);
    o.variant = FIRN_F32_SSE2;
    firn_table *t = run(&nh, &o);
    assert_close(at(t, -1, "nominal_xx"), 157.402315, 2e-5);
    firn_table_destroy(t);
    assert_int_equal(firn_lab_variant("f32_sse2"), FIRN_F32_SSE2);
    assert_int_equal(firn_lab_variant("f16"), -1);
}

static void failure_is_a_sentence(void **state)
{
    (void)state;
    /* without cohesion and without pressure sand bears no shear stress at all */
    firn_material sand;
    resolve(&sand, "sand", 0, NULL, NULL);
    firn_lab_options o = path("simple_shear", NAN, 5);
    o.by_stress = 1, o.stress = 1e5;
    firn_table *t = NULL;
    firn_report *report = firn_report_create();
    assert_int_equal(firn_lab_run(&sand, &o, &t, NULL, report), FIRN_STOPPED);
    assert_non_null(t); /* what was reached is kept */
    const char *sentence = firn_report_sentence(report, 0, NULL);
    assert_non_null(strstr(sentence, "sand"));
    assert_non_null(strstr(sentence, "time 0.2 s"));
    firn_table_destroy(t);
    firn_report_clear(report);
    o = path("uniaxal", NAN, 5);
    assert_int_equal(firn_lab_run(&sand, &o, &t, NULL, report), FIRN_REFUSED);
    assert_null(t);
    o = path("cyclic", 2.5, 5);
    assert_int_equal(firn_lab_run(&sand, &o, &t, NULL, report), FIRN_REFUSED);
    firn_report_destroy(report);
}

/* ---------------------------------------------------------------- sand in soil mechanics' own tests */

/* Oedometer on the cone: K0 = (1 - S/sqrt 6)/(1 + S sqrt(2/3)), S = (3 lambda + 2 mu) alpha / K; 0.58879 at 15
 * degrees (E = 3.537e5, nu = 0.3); elastic, so nu/(1-nu) = 0.42857, at 30 degrees. */
static void oedometer(void **state)
{
    (void)state;
    static const double angle[] = {15, 30}, K0[] = {0.5887907064808636, 0.42857142857142855};
    for (int i = 0; i < 2; i++) {
        firn_material sand;
        resolve(&sand, "sand", 3, (const char *const[]){"E", "nu", "friction_angle"},
                (const double[]){3.537e5, 0.3, angle[i] * M_PI / 180});
        firn_lab_options o = path("oedometer", 0.97, 400);
        firn_table *t = run(&sand, &o);
        assert_close(at(t, -1, "stress_ratio"), K0[i], 1e-9);
        firn_table_destroy(t);
    }
}

/* Triaxial compression to failure: sigma_1 / sigma_3 = (1 + sin phi)/(1 - sin phi) = 3 at 30 degrees. */
static void triaxial(void **state)
{
    (void)state;
    firn_material sand;
    resolve(&sand, "sand", 3, (const char *const[]){"E", "nu", "friction_angle"},
            (const double[]){3.537e5, 0.3, 30 * M_PI / 180});
    firn_lab_options o = path("triaxial", 0.9, 200);
    o.pressure = 1000;
    firn_table *t = run(&sand, &o);
    assert_close(at(t, -1, "cauchy_yy"), -1000, 1e-7);
    assert_close(at(t, -1, "cauchy_zz"), -1000, 1e-7);
    assert_close(at(t, -1, "cauchy_xx"), -3000, 1e-3);
    firn_table_destroy(t);
}

/* ---------------------------------------------------------------- moduli and stability */

static void small_strain(void **state)
{
    (void)state;
    firn_material nh = elastic("neo_hookean", 1.4e5, 0.2);
    double E, nu;
    firn_lab_small_strain(&nh, 293.15, &E, &nu);
    assert_close(E, 1.4e5, 1e-6);
    assert_close(nu, 0.2, 1e-6);
}

/* Uniaxial strain s of the neo-Hookean law: along e1 the acoustic tensor is mu + (mu + lambda (1 - ln s))/s^2, along
 * e2 it is 2 mu + lambda (1 - ln s), across it is mu. With nu = 0.3, lambda = 1.5 mu, the second vanishes first, at
 * s = exp(7/3), although the stretch is along e1. */
static void acoustic(void **state)
{
    (void)state;
    firn_material nh = elastic("neo_hookean", 1e5, 0.3);
    double mu = 1e5 / 2.6, F[9] = {2, 0, 0, 0, 1, 0, 0, 0, 1}, smallest, N[3];
    assert_int_equal(firn_lab_acoustic(&nh, 293.15, F, NULL, &smallest, N, NULL), FIRN_OK);
    assert_close(smallest, mu, 1e-7);
    double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, far[9] = {20, 0, 0, 0, 1, 0, 0, 0, 1}, where;
    assert_int_equal(firn_lab_ellipticity_loss(&nh, 293.15, identity, far, NULL, 10, &where, NULL), FIRN_OK);
    assert_close(1 + 19 * where, exp(7.0 / 3), 1e-7);
    far[0] = 10;
    assert_int_equal(firn_lab_ellipticity_loss(&nh, 293.15, identity, far, NULL, 10, &where, NULL), FIRN_OK);
    assert_true(isnan(where));
}

/* ---------------------------------------------------------------- materials as words */

static void specs(void **state)
{
    (void)state;
    firn_material material;
    firn_material_def def;
    assert_int_equal(firn_lab_material("neo_hookean/rubber, E = 2 MPa,nu=0.48", &def, &material, NULL), FIRN_OK);
    assert_string_equal(def.preset, "rubber");
    assert_int_equal(def.n_parameters, 2);
    double E, nu;
    firn_lab_small_strain(&material, 293.15, &E, &nu);
    assert_close(E, 2e6, 1e-5);
    assert_close(nu, 0.48, 1e-5);
    /* a preset alone finds its law; angles are converted */
    assert_int_equal(firn_lab_material("dry_sand,friction_angle=45 deg", &def, &material, NULL), FIRN_OK);
    assert_string_equal(material.law->info.name, "sand");
    assert_close(def.parameters[0].value, M_PI / 4, 1e-12);
    firn_report *report = firn_report_create();
    static const char *const bad[][2] = {
        {"nolaw", "nolaw"}, {"sand,E", "E=140 kPa"}, {"sand,E=3 m", "E"}, {"sand,Q=3", "Q"}, {"sand/nix", "nix"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(firn_lab_material(bad[i][0], NULL, &material, report), FIRN_REFUSED);
        assert_non_null(strstr(firn_report_sentence(report, 0, NULL), bad[i][1]));
        firn_report_clear(report);
    }
    firn_report_destroy(report);
}

/* ---------------------------------------------------------------- pictures */

static int contains(const char *path, const char *words)
{
    static char text[400000];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t n = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[n] = 0;
    return strstr(text, words) != NULL;
}

static void drawn_with_the_loss_marked(void **state)
{
    (void)state;
    firn_material nh = elastic("neo_hookean", 1e5, 0.3);
    firn_lab_options o = path("uniaxial_strain", 12, 44);
    o.with_stability = 1;
    firn_lab_curve curve = {.label = "soft"};
    firn_table *t = NULL;
    assert_int_equal(firn_lab_run(&nh, &o, &t, &curve.loss, NULL), FIRN_OK);
    assert_close(curve.loss.stretch, exp(7.0 / 3), 1e-7);
    curve.table = t;
    char name[64];
    snprintf(name, sizeof name, "test_lab_%d.svg", (int)getpid());
    assert_int_equal(firn_lab_draw("path", 1, &curve, "stretch", "nominal_xx", name, NULL), FIRN_OK);
    assert_true(contains(name, "soft loses ellipticity at 10.312"));
    assert_true(contains(name, "nominal stress xx (kPa)"));
    assert_int_equal(firn_lab_draw("path", 1, &curve, "stretch", "nix", name, NULL), FIRN_REFUSED);
    remove(name);
    firn_table_destroy(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniaxial_strain), cmocka_unit_test(shear),
        cmocka_unit_test(energy_is_work),  cmocka_unit_test(path_from_table),
        cmocka_unit_test(free_laterals),   cmocka_unit_test(driven_by_stress),
        cmocka_unit_test(other_variants),  cmocka_unit_test(oedometer),
        cmocka_unit_test(triaxial),        cmocka_unit_test(small_strain),
        cmocka_unit_test(acoustic),        cmocka_unit_test(failure_is_a_sentence),
        cmocka_unit_test(specs),           cmocka_unit_test(drawn_with_the_loss_marked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
