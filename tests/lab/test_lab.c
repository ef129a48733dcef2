/* SPDX-License-Identifier: MIT */
/* The lab against closed forms. With principal stretches s_i (P_i nominal):
 *   neo-Hookean (log J)   P_i = mu (s_i - 1/s_i) + lambda ln J / s_i;
 *       simple shear k: tau = mu [k^2, k; k, 0]
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

#include "lab/lab.h"

static const double E_printed = 221.7404914697136, nu_printed = 0.10870245734856786;

static void resolve(firn_material *material, const char *law, int n, const char *const *names,
                    const double *values)
{
    firn_material_def def = firn_material_default();
    firn_messages *messages = firn_messages_create();
    snprintf(def.name, sizeof def.name, "lab");
    snprintf(def.law, sizeof def.law, "%s", law);
    for (int i = 0; i < n; i++) {
        def.parameters[i] = firn_parameter_default();
        snprintf(def.parameters[i].name, sizeof def.parameters[i].name, "%s", names[i]);
        def.parameters[i].value = values[i];
    }
    def.n_parameters = n;
    firn_status status = firn_material_resolve(&def, 0, material, messages);
    if (status != FIRN_OK) print_error("%s\n", firn_messages_text(messages, 0, NULL));
    assert_int_equal(status, FIRN_OK);
    firn_messages_destroy(messages);
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
    firn_messages *messages = firn_messages_create();
    firn_status status = firn_lab_run(material, options, &table, NULL, messages);
    if (status != FIRN_OK) print_error("%s\n", firn_messages_text(messages, 0, NULL));
    assert_int_equal(status, FIRN_OK);
    firn_messages_destroy(messages);
    return table;
}

static firn_lab_options path(const char *name, double to, int n_steps)
{
    firn_lab_options options = firn_lab_options_default();
    snprintf(options.path, sizeof options.path, "%s", name);
    options.to = to;
    options.n_steps = n_steps;
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
    static const double table[][2] = {{0.05, -3659.42885119}, {0.5, -188.51125735},
                                      {0.8, -52.74865982},    {1.2, 40.88741071},
                                      {2, 159.62781434},      {3, 276.83981646}};
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
    firn_table *motion =
        firn_table_parse("time (s), Fxx, Fxy\n0,1,0\n0.5,1,0.25\n1,1,0.5\n", "F.csv", NULL);
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
    o.by_stress = 1;
    o.stress = 157.402315;
    o.measure = FIRN_LAB_NOMINAL;
    firn_table *t = run(&nh, &o);
    assert_close(at(t, -1, "stretch"), 2, 1e-7);
    firn_table_destroy(t);
    o = path("simple_shear", NAN, 10);
    o.by_stress = 1;
    o.stress = 50;
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

static void failure_is_reported(void **state)
{
    (void)state;
    /* without cohesion and without pressure sand bears no shear stress at all */
    firn_material sand;
    resolve(&sand, "sand", 0, NULL, NULL);
    firn_lab_options o = path("simple_shear", NAN, 5);
    o.by_stress = 1;
    o.stress = 1e5;
    firn_table *t = NULL;
    firn_messages *messages = firn_messages_create();
    assert_int_equal(firn_lab_run(&sand, &o, &t, NULL, messages), FIRN_STOPPED);
    assert_non_null(t); /* what was reached is kept */
    const char *text = firn_messages_text(messages, 0, NULL);
    assert_non_null(strstr(text, "sand"));
    assert_non_null(strstr(text, "time 0.2 s"));
    firn_table_destroy(t);
    firn_messages_clear(messages);
    o = path("uniaxal", NAN, 5);
    assert_int_equal(firn_lab_run(&sand, &o, &t, NULL, messages), FIRN_REFUSED);
    assert_null(t);
    o = path("cyclic", 2.5, 5);
    assert_int_equal(firn_lab_run(&sand, &o, &t, NULL, messages), FIRN_REFUSED);
    firn_messages_destroy(messages);
}

/* ---------------------------------------------------------------- the tables of the thesis's laws
 */

/* P_i: St. Venant-Kirchhoff lambda s_i (sum s^2 - 3)/2 + mu s_i (s_i^2 - 1); neo-Hookean with
 * (J-1)^2 mu (s_i - 1/s_i) + lambda (J - 1) J/s_i; fixed corotated 2 mu (s_i - 1) + lambda (J -
 * 1) J/s_i, in shear 2 mu (F - R) F^T; bounded neo-Hookean continued linearly below 0.4. The
 * moduli are the printed pair. */
static void tabulated(void **state)
{
    (void)state;
    static const struct {
        const char *law, *path, *column;
        double to, value;
    } table[] = {
        {"st_venant_kirchhoff", "uniaxial_strain", "nominal_xx", 0.05, -5.68026375},
        {"st_venant_kirchhoff", "uniaxial_strain", "nominal_xx", 0.5773502691896258,
         -43.83628143867098},
        {"st_venant_kirchhoff", "uniaxial_strain", "nominal_xx", 3, 2733.36},
        {"neo_hookean_quadratic", "uniaxial_strain", "nominal_xx", 0.05, -2021.391},
        {"neo_hookean_quadratic", "uniaxial_strain", "nominal_xx", 0.8, -50.556},
        {"neo_hookean_quadratic", "uniaxial_strain", "nominal_xx", 2, 177.78},
        {"fixed_corotated", "uniaxial_strain", "nominal_xx", 0.05, -216.391},
        {"fixed_corotated", "uniaxial_strain", "nominal_xx", 2, 227.78},
        {"bounded_neo_hookean", "uniaxial_strain", "nominal_xx", 0.5, -188.51125735},
        {"bounded_neo_hookean", "uniaxial_strain", "nominal_xx", -0.2, -908.2659783216502},
        {"st_venant_kirchhoff", "uniaxial", "nominal_xx", 0.5, -41.576342},
        {"st_venant_kirchhoff", "uniaxial", "Fyy", 0.5, 1.039965},
        {"st_venant_kirchhoff", "uniaxial", "nominal_xx", 2, 665.221474},
        {"fixed_corotated", "uniaxial", "nominal_xx", 2, 211.092444},
        {"fixed_corotated", "uniaxial", "Fzz", 2, 0.87292836},
        {"st_venant_kirchhoff", "equibiaxial", "nominal_yy", 1.5, 233.234920},
        {"fixed_corotated", "equibiaxial", "Fzz", 2, 0.48274578},
        {"st_venant_kirchhoff", "simple_shear", "cauchy_xx", 1, 327.78},
        {"st_venant_kirchhoff", "simple_shear", "cauchy_xy", 1, 213.89},
        {"st_venant_kirchhoff", "simple_shear", "cauchy_zz", 1, 13.89},
        {"fixed_corotated", "simple_shear", "cauchy_xx", 2, 575.735931},
        {"fixed_corotated", "simple_shear", "cauchy_xy", 2, 258.578644},
        {"fixed_corotated", "simple_shear", "cauchy_yy", 2, 58.578644},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        firn_material material = elastic(table[i].law, E_printed, nu_printed);
        firn_lab_options o = path(table[i].path, table[i].to, 37);
        firn_table *t = run(&material, &o);
        if (fabs(at(t, -1, table[i].column) - table[i].value) > 1e-6)
            print_error("%s %s\n", table[i].law, table[i].path);
        assert_close(at(t, -1, table[i].column), table[i].value, 1e-6);
        firn_table_destroy(t);
    }
}

/* von Mises in log strains, E = 5e5, nu = 0.4, yield stress 1e4 (K = 833333, mu = 178571): in
 * uniaxial strain beyond ln s = sy/(2 mu) the axial Kirchhoff stress is K ln s + 2/3 sy; in pure
 * shear it is bounded by sy/sqrt 3. */
static void von_mises_yields(void **state)
{
    (void)state;
    firn_material material;
    firn_messages *messages = firn_messages_create();
    assert_int_equal(
        firn_lab_material("von_mises,E=5e5,nu=0.4,yield=1e4", NULL, &material, messages), FIRN_OK);
    firn_messages_destroy(messages);
    firn_lab_options o = path("uniaxial_strain", 1.2, 100);
    firn_table *t = run(&material, &o);
    double K = 5e5 / (3 * (1 - 0.8)), work = 0;
    assert_close(at(t, -1, "kirchhoff_xx"), K * log(1.2) + 2.0 / 3 * 1e4, 1e-9);
    assert_close(at(t, -1, "kirchhoff_xx") - at(t, -1, "kirchhoff_yy"), 1e4, 1e-9);
    for (int i = 1; i < t->n_rows; i++)
        work += (at(t, i, "nominal_xx") + at(t, i - 1, "nominal_xx")) / 2 *
                (at(t, i, "Fxx") - at(t, i - 1, "Fxx"));
    /* what was put in is stored or spent; the trapezium rule and the implicit flow are good to
     * the first order */
    assert_close(at(t, -1, "energy") + at(t, -1, "plastic_work"), work, 2e-3);
    firn_table_destroy(t);
    o = path("pure_shear", 1.1, 50);
    t = run(&material, &o);
    assert_close(at(t, -1, "kirchhoff_xx"), 1e4 / sqrt(3), 1e-9);
    firn_table_destroy(t);
}

/* Rows begin at `from`, also beyond an inversion: there a law that allows none has no stress, and
 * one that does its own (figure 7 of the thesis: the bounded law, continued below s_c = 0.4). */
static void a_ramp_may_begin_elsewhere(void **state)
{
    (void)state;
    firn_lab_options o = path("uniaxial_strain", 3, 160);
    o.from = -0.5;
    firn_material neo = elastic("neo_hookean", E_printed, nu_printed), bounded;
    firn_table *t = run(&neo, &o);
    assert_int_equal(t->n_rows, 161);
    assert_close(at(t, 0, "stretch"), -0.5, 1e-12);
    assert_true(isnan(at(t, 0, "nominal_xx")));
    assert_close(at(t, -1, "nominal_xx"), 276.83981646, 1e-8);
    firn_table_destroy(t);
    bounded = elastic("bounded_neo_hookean", E_printed, nu_printed);
    t = run(&bounded, &o);
    /* P_NH(0.4) + H (s - 0.4), H = mu (1 + 1/s_c^2) + lambda (1 - ln s_c)/s_c^2 */
    double P = -273.63639133, H = 100 * (1 + 6.25) + 27.78 * (1 - log(0.4)) * 6.25;
    assert_close(at(t, 0, "nominal_xx"), P + H * (-0.5 - 0.4), 1e-7);
    firn_table_destroy(t);
    o.by_stress = 1;
    assert_int_equal(firn_lab_run(&neo, &o, &t, NULL, NULL), FIRN_REFUSED);
}

/* ---------------------------------------------------------------- sand in soil mechanics' own
 * tests */

/* Oedometer on the cone: K0 = (1 - S/sqrt 6)/(1 + S sqrt(2/3)), S = (3 lambda + 2 mu) alpha / K;
 * 0.58879 at 15 degrees (E = 3.537e5, nu = 0.3); elastic, so nu/(1-nu) = 0.42857, at 30 degrees. */
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

/* Triaxial compression to failure: sigma_1 / sigma_3 = (1 + sin phi)/(1 - sin phi) = 3 at 30
 * degrees. */
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

/* ---------------------------------------------------------------- time */

static firn_material dough(const char *settings)
{
    firn_material material;
    char spec[256];
    snprintf(spec, sizeof spec, "dough,eta=0,softening=0,%s", settings);
    assert_int_equal(firn_lab_material(spec, NULL, &material, NULL), FIRN_OK);
    return material;
}

/* Without flow, dough is a spring mu parallel to a Maxwell branch G_m, t_m. Held at a shear k, the
 * stress above its limit is G_m k exp(-t/t_m). */
static void relaxation(void **state)
{
    (void)state;
    firn_material material = dough("yield=1e9,E=2e4,nu=0.4,G_m=3000,t_m=0.8");
    firn_lab_options o = path("relaxation", 0.1, 200);
    o.rate = 1e4;
    o.hold = 8;
    firn_table *t = run(&material, &o);
    double last = at(t, -1, "cauchy_xy"), ramp = 0.1 / 1e4;
    int n_ramp = t->n_rows - 1 - 200;
    for (int i = 0; i <= 100; i += 10) {
        double time = at(t, n_ramp + i, "time") - ramp,
               left = 300 * (exp(-time / 0.8) - exp(-8 / 0.8));
        assert_close(at(t, n_ramp + i, "cauchy_xy") - last, left, 1e-3);
    }
    firn_table_destroy(t);
}

static firn_material thermal(const char *spec)
{
    firn_material material;
    assert_int_equal(firn_lab_material(spec, NULL, &material, NULL), FIRN_OK);
    return material;
}

/* Hencky's law, alpha 1e-4/K, 100 K warmer: a rod between walls has tau = - E alpha dT, a free one the
 * stretch exp(alpha dT); one that carries 2 kPa while its modulus falls from 1 MPa to 200 kPa has
 * log stretches of tau/E. A quench is there after its first step. */
static void heated(void **state)
{
    (void)state;
    const firn_material rod =
        thermal("hencky,E=1e6,nu=0.3,heat_capacity=1000,conductivity=1,expansion=1e-4");
    firn_lab_options o = path("heating", NAN, 50);
    o.temperature = 300;
    o.heat_to = 400;
    firn_table *t = run(&rod, &o);
    for (int i = 0; i <= 50; i += 10) {
        assert_close(at(t, i, "temperature"), 300 + 2 * i, 1e-9);
        assert_close(at(t, i, "kirchhoff_xx"), -1e6 * 1e-4 * 2 * i, 1e-3);
    }
    firn_table_destroy(t);
    snprintf(o.path, sizeof o.path, "quench");
    t = run(&rod, &o);
    assert_close(at(t, 1, "kirchhoff_xx"), -1e4, 1e-3);
    assert_close(at(t, -1, "kirchhoff_xx"), -1e4, 1e-3);
    firn_table_destroy(t);
    snprintf(o.path, sizeof o.path, "heating");
    o.by_stress = 1;
    o.stress = 0;
    t = run(&rod, &o);
    assert_close(at(t, -1, "stretch"), exp(0.01), 1e-9);
    firn_table_destroy(t);

    const firn_material softens = thermal("hencky,E=1e6 @ 300 K; 2e5 @ 400 K,nu=0.3");
    o.measure = FIRN_LAB_KIRCHHOFF;
    o.stress = 2000;
    t = run(&softens, &o);
    assert_close(at(t, 3, "stretch"), exp(2e-3), 1e-9); /* loaded, still cold */
    assert_close(at(t, -1, "stretch"), exp(1e-2), 1e-9);
    firn_table_destroy(t);
}

/* Plastic work heats what exchanges no heat, up to its melting point and no further until it has
 * melted: rho c dT + rho L f = beta W. */
static void adiabatic(void **state)
{
    (void)state;
    for (int melts = 0; melts < 2; melts++) {
        const firn_material metal =
            thermal(melts ? "von_mises,rho=1000,E=1e9,nu=0.3,yield=1e6,heat_capacity=10,"
                            "conductivity=1,taylor_quinney=0.9,solidus=310,liquidus=311,"
                            "latent_heat=100"
                          : "von_mises,rho=1000,E=1e9,nu=0.3,yield=1e6,heat_capacity=10,"
                            "conductivity=1,taylor_quinney=0.9");
        firn_lab_options o = path("simple_shear", 0.6, 200);
        o.temperature = 300;
        o.is_adiabatic = 1;
        firn_table *t = run(&metal, &o);
        const double heat = 0.9 * at(t, -1, "plastic_work") / 1000, T = at(t, -1, "temperature");
        assert_true(heat > 210);
        assert_close(T, melts ? 311 + (heat - 110 - 100) / 10 : 300 + heat / 10, 1e-6);
        firn_table_destroy(t);
    }
}

/* Under a small constant shear stress the same solid creeps from s/(mu + G_m) to s/mu with the time
 * t_m (mu + G_m)/mu. */
static void creep(void **state)
{
    (void)state;
    firn_material material = dough("yield=1e9,E=2e4,nu=0.4,G_m=3000,t_m=0.8");
    firn_lab_options o = path("creep", NAN, 400);
    snprintf(o.mode, sizeof o.mode, "simple_shear");
    o.rate = 1e5;
    o.hold = 4;
    o.stress = 5;
    firn_table *t = run(&material, &o);
    double mu = 2e4 / 2.8, slow = 0.8 * (mu + 3000) / mu;
    for (int i = 40; i < t->n_rows; i += 40) {
        double expected = 5 * (1 / mu - (1 / mu - 1 / (mu + 3000)) * exp(-at(t, i, "time") / slow));
        assert_true(fabs(at(t, i, "shear") / expected - 1) < 1e-3);
        assert_close(at(t, i, "cauchy_xy"), 5, 1e-9);
    }
    firn_table_destroy(t);
}

/* Steady shear of Herschel-Bulkley: yield + K g^n over five decades. */
/* Sheared and let go, bread dough springs back by its elastic strain at once and then, slowly,
 * by several times that; rubber comes all the way back at once, and what has no memory stays. */
static void recovery(void **state)
{
    (void)state;
    static const char *const specs[] = {"bread_dough", "cookie_dough", "rubber"};
    double at_once[3], in_a_second[3], in_ten[3];
    for (int k = 0; k < 3; k++) {
        firn_material material;
        assert_int_equal(firn_lab_material(specs[k], NULL, &material, NULL), FIRN_OK);
        firn_lab_options o = path("recovery", 1, 500);
        o.rate = 2;
        o.hold = 10;
        firn_table *t = run(&material, &o);
        assert_close(at(t, 500, "shear"), 1, 1e-12);
        at_once[k] = 1 - at(t, 501, "shear");
        in_a_second[k] = 1 - at(t, 550, "shear");
        in_ten[k] = 1 - at(t, -1, "shear");
        assert_true(fabs(at(t, -1, "cauchy_xy")) < 1e-6);
        firn_table_destroy(t);
    }
    assert_true(at_once[0] > 0.01 && at_once[0] < 0.06);
    assert_true(in_a_second[0] > 2 * at_once[0] && in_ten[0] > 1.3 * in_a_second[0] &&
                in_ten[0] < 0.4);
    assert_true(in_ten[1] < 0.06 && fabs(in_ten[1] - at_once[1]) < 0.005);
    assert_true(fabs(at_once[2] - 1) < 1e-6);
}

static void flow_curve(void **state)
{
    (void)state;
    firn_material material = dough("yield=300,K=1387,n=0.38,E=1e7,G_m=0");
    firn_lab_options o = path("flow_curve", 5, 100);
    o.rate_from = 0.01;
    o.rate_to = 1000;
    firn_table *t = run(&material, &o);
    assert_int_equal(t->n_rows, 25);
    assert_close(at(t, 0, "rate"), 0.01, 1e-9);
    assert_close(at(t, -1, "rate"), 1000, 1e-9);
    for (int i = 0; i < t->n_rows; i++)
        assert_true(fabs(at(t, i, "cauchy_xy") / (300 + 1387 * pow(at(t, i, "rate"), 0.38)) - 1) <
                    1e-3);
    firn_table_destroy(t);
}

/* A cycle ends where it began, and between its ends only once a cycle at each extreme. */
static void cyclic(void **state)
{
    (void)state;
    firn_material nh = elastic("neo_hookean", 1e5, 0.3);
    firn_lab_options o = path("cyclic", 1.2, 80);
    o.n_cycles = 2;
    firn_table *t = run(&nh, &o);
    assert_close(at(t, 10, "stretch"), 1.2, 1e-12);
    assert_close(at(t, 30, "stretch"), 0.8, 1e-12);
    assert_close(at(t, 50, "stretch"), 1.2, 1e-12);
    assert_close(at(t, -1, "stretch"), 1, 1e-12);
    assert_close(at(t, -1, "nominal_xx"), 0, 1e-6);
    assert_close(at(t, -1, "time"), 2 * 0.8, 1e-9); /* two cycles of four times 0.2 at 1/s */
    firn_table_destroy(t);
    o = path("constant_rate", 2, 50);
    o.rate = 0.5;
    t = run(&nh, &o);
    assert_close(at(t, -1, "time"), log(2) / 0.5, 1e-9);
    assert_close(at(t, 25, "stretch"), sqrt(2), 1e-9);
    firn_table_destroy(t);
}

/* ---------------------------------------------------------------- moduli and stability */

static void small_strain(void **state)
{
    (void)state;
    firn_material nh = elastic("neo_hookean", 1.4e5, 0.2);
    double E, nu;
    firn_lab_small_strain(&nh, 293.15, 0, &E, &nu);
    assert_close(E, 1.4e5, 1e-6);
    assert_close(nu, 0.2, 1e-6);
    firn_lab_small_strain(&nh, 293.15, 1, &E, &nu);
    assert_close(E, 1.4e5, 1e-6);
    assert_close(nu, 0.2, 1e-6);

    /* dough: mu = E/2(1 + nu) for ever, mu + G_m at once with the same bulk modulus; viscous damping
     * is in neither */
    for (int is_damped = 0; is_damped < 2; is_damped++) {
        firn_material d = dough(is_damped ? "yield=1e9,E=2e4,nu=0.4,G_m=3000,t_m=0.8,eta=5"
                                          : "yield=1e9,E=2e4,nu=0.4,G_m=3000,t_m=0.8");
        const double K = 2e4 / 0.6, fast = 2e4 / 2.8 + 3000;
        firn_lab_small_strain(&d, 293.15, 0, &E, &nu);
        assert_close(E, 2e4, 1e-6);
        assert_close(nu, 0.4, 1e-6);
        firn_lab_small_strain(&d, 293.15, 1, &E, &nu);
        assert_close(E, 9 * K * fast / (3 * K + fast), 1e-5);
        assert_close(nu, (3 * K - 2 * fast) / (2 * (3 * K + fast)), 1e-5);
    }
}

/* Uniaxial strain s of the neo-Hookean law: along e1 the acoustic tensor is mu + (mu + lambda (1
 * - ln s))/s^2, along e2 it is 2 mu + lambda (1 - ln s), across it is mu. With nu = 0.3, lambda
 * = 1.5 mu, the second vanishes first, at s = exp(7/3), although the stretch is along e1. */
static void acoustic(void **state)
{
    (void)state;
    firn_material nh = elastic("neo_hookean", 1e5, 0.3);
    double mu = 1e5 / 2.6, F[9] = {2, 0, 0, 0, 1, 0, 0, 0, 1}, smallest, N[3];
    assert_int_equal(firn_lab_acoustic(&nh, 293.15, F, NULL, NULL, &smallest, N, NULL), FIRN_OK);
    assert_close(smallest, mu, 1e-7);
    double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, far[9] = {20, 0, 0, 0, 1, 0, 0, 0, 1}, where;
    assert_int_equal(
        firn_lab_ellipticity_loss(&nh, 293.15, identity, far, NULL, NULL, 10, &where, NULL),
        FIRN_OK);
    assert_close(1 + 19 * where, exp(7.0 / 3), 1e-7);
    far[0] = 10;
    assert_int_equal(
        firn_lab_ellipticity_loss(&nh, 293.15, identity, far, NULL, NULL, 10, &where, NULL),
        FIRN_OK);
    assert_true(isnan(where));
}

/* Smallest eigenvalue of St. Venant-Kirchhoff's Q = (N.S N) I + F ((lambda + mu) N N + mu I) F^T
 * in uniaxial strain s for N at the angle a from the axis: a symmetric 2 x 2 matrix in the plane
 * of both, and NSN + mu across it. */
static double stvk_smallest(double lambda, double mu, double s, double a)
{
    double c = cos(a), d = sin(a), g = (s * s - 1) / 2;
    double NSN = c * c * (lambda + 2 * mu) * g + d * d * lambda * g;
    double q11 = NSN + s * s * ((lambda + mu) * c * c + mu), q22 = NSN + (lambda + mu) * d * d + mu;
    double q12 = s * (lambda + mu) * c * d;
    double in_plane = (q11 + q22) / 2 - sqrt((q11 - q22) * (q11 - q22) / 4 + q12 * q12);
    return fmin(in_plane, NSN + mu); /* or swinging across the plane */
}

static double stvk_lost(double lambda, double mu)
{
    double low = 0.3, high = 1;
    while (high - low > 1e-12) {
        double middle = (low + high) / 2, worst = INFINITY;
        for (int i = 0; i <= 20000; i++)
            worst = fmin(worst, stvk_smallest(lambda, mu, middle, M_PI_2 * i / 20000));
        if (worst < 0)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* Both moduli of the figures, and lambda = 4 mu: 1/sqrt 3 along a bar whatever they are, and
 * earlier in space. */
static void stvk_loses_ellipticity(void **state)
{
    (void)state;
    static const double moduli[3][4] = {{221.7404914697136, 0.10870245734856786, 27.78, 100},
                                        {100, 0.2, 100 / 3.6, 100 / 2.4},
                                        {100, 0.4, 40 / 0.28, 100 / 2.8}};
    for (int i = 0; i < 3; i++) {
        firn_material stvk = elastic("st_venant_kirchhoff", moduli[i][0], moduli[i][1]);
        firn_lab_options o = path("uniaxial_strain", 0.4, 30);
        o.with_stability = 1;
        firn_lab_stability lost;
        firn_table *t = NULL;
        assert_int_equal(firn_lab_run(&stvk, &o, &t, &lost, NULL), FIRN_OK);
        assert_close(lost.axis.stretch, 1 / sqrt(3), 1e-8);
        assert_close(lost.any.stretch, stvk_lost(moduli[i][2], moduli[i][3]), 1e-7);
        assert_true(lost.any.stretch > lost.axis.stretch + 0.01);
        firn_table_destroy(t);
    }
    /* under pressure it fails in shear: s^2 = (1.5 lambda + mu) / (1.5 lambda + 2 mu) = 2/3 */
    firn_material stvk = elastic("st_venant_kirchhoff", 100, 0.2);
    firn_lab_options o = path("hydrostatic", 0.7, 10);
    o.with_stability = 1;
    firn_lab_stability lost;
    firn_table *t = NULL;
    assert_int_equal(firn_lab_run(&stvk, &o, &t, &lost, NULL), FIRN_OK);
    assert_close(lost.any.stretch, sqrt(2.0 / 3), 1e-7);
    firn_table_destroy(t);
}

/* The map holds what the formula above gives, in every node of its middle row, and its contours
 * lie where the bisection finds the loss. A neo-Hookean solid with ln J keeps ellipticity up to
 * J = exp(1 + mu/lambda), far outside. */
static void map_of_stability(void **state)
{
    (void)state;
    firn_material stvk = elastic("st_venant_kirchhoff", 221.7404914697136, 0.10870245734856786);
    firn_lab_map_options o = firn_lab_map_options_default();
    o.from = 0.4;
    o.to = 1.6;
    o.n = 25;
    firn_lab_map map;
    assert_int_equal(firn_lab_map_run(&stvk, &o, &map, NULL), FIRN_OK);
    for (int i = 0; i < o.n; i++) {
        double s = 0.4 + 1.2 * i / 24, worst = INFINITY;
        for (int k = 0; k <= 20000; k++)
            worst = fmin(worst, stvk_smallest(27.78, 100, s, M_PI_2 * k / 20000));
        assert_true(fabs(map.any[12 * o.n + i] - worst) < 1e-4);
        assert_true(map.axes[12 * o.n + i] >= map.any[12 * o.n + i] - 1e-6);
        /* isotropic: the same with the two stretches exchanged */
        assert_true(fabs(map.any[12 * o.n + i] - map.any[i * o.n + 12]) < 1e-6);
    }
    assert_close(map.lost_axis, 1 / sqrt(3), 1e-7);
    assert_close(map.lost_any, stvk_lost(27.78, 100), 1e-7);
    assert_true(fabs(map.lost_direction[0]) < 0.95); /* oblique */
    assert_true(fabs(map.at_rest - 100) < 1e-6);     /* mu: the slower wave */
    firn_text text = {0};
    firn_lab_map_explain(&map, &text);
    assert_non_null(strstr(text.data, "0.577350"));
    assert_non_null(strstr(text.data, "0.605"));
    firn_text_clear(&text);
    assert_int_equal(firn_lab_map_csv(&map, &text, NULL), FIRN_OK);
    assert_non_null(strstr(text.data, "acoustic_min (Pa)"));
    firn_text_clear(&text);
    firn_lab_map_clear(&map);

    firn_material nh = elastic("neo_hookean", 100, 0.2);
    o.n = 9;
    assert_int_equal(firn_lab_map_run(&nh, &o, &map, NULL), FIRN_OK);
    for (int k = 0; k < o.n * o.n; k++) assert_true(map.any[k] > 0);
    assert_true(isnan(map.lost_any) && isnan(map.lost_axis));
    firn_lab_map_clear(&map);
    o.from = 0;
    assert_int_equal(firn_lab_map_run(&nh, &o, &map, NULL), FIRN_REFUSED);
}

/* ---------------------------------------------------------------- materials as words */

static void specs(void **state)
{
    (void)state;
    /* E(T): linear between the rows, and kept when it is written for a scene */
    firn_material waxy;
    firn_material_def written;
    assert_int_equal(
        firn_lab_material("wax,nu=0.4,E=2 MPa @ 290 K; 50 kPa @ 330 K", &written, &waxy, NULL),
        FIRN_OK);
    double warm_E, warm_nu;
    firn_lab_small_strain(&waxy, 310, 0, &warm_E, &warm_nu);
    assert_close(warm_E, 1.025e6, 1e-6);
    firn_text value = {0};
    firn_lab_write_value(&written.parameters[1], &value);
    assert_string_equal(value.data, "{table: {290: 2000000, 330: 50000}}");
    firn_text_clear(&value);
    assert_int_equal(firn_lab_material("wax,E=2 MPa @ 290 K; 50 kPa", NULL, &waxy, NULL),
                     FIRN_REFUSED);
    firn_material material;
    firn_material_def def;
    assert_int_equal(
        firn_lab_material("neo_hookean/rubber, E = 2 MPa,nu=0.48", &def, &material, NULL), FIRN_OK);
    assert_string_equal(def.preset, "rubber");
    assert_int_equal(def.n_parameters, 2);
    double E, nu;
    firn_lab_small_strain(&material, 293.15, 0, &E, &nu);
    assert_close(E, 2e6, 1e-5);
    assert_close(nu, 0.48, 1e-5);
    /* a preset alone finds its law; angles are converted */
    assert_int_equal(firn_lab_material("dry_sand,friction_angle=45 deg", &def, &material, NULL),
                     FIRN_OK);
    assert_string_equal(material.law->info.name, "sand");
    assert_close(def.parameters[0].value, M_PI / 4, 1e-12);
    firn_messages *messages = firn_messages_create();
    static const char *const bad[][2] = {{"nolaw", "nolaw"},
                                         {"sand,E", "E=140 kPa"},
                                         {"sand,E=3 m", "E"},
                                         {"sand,Q=3", "Q"},
                                         {"sand/nix", "nix"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(firn_lab_material(bad[i][0], NULL, &material, messages), FIRN_REFUSED);
        assert_non_null(strstr(firn_messages_text(messages, 0, NULL), bad[i][1]));
        firn_messages_clear(messages);
    }
    firn_messages_destroy(messages);
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
    assert_int_equal(firn_lab_run(&nh, &o, &t, &curve.stability, NULL), FIRN_OK);
    assert_close(curve.stability.any.stretch, exp(7.0 / 3), 1e-7);
    curve.table = t;
    char name[64];
    snprintf(name, sizeof name, "test_lab_%d.svg", (int)getpid());
    firn_lab_picture picture = {"path", "stretch", "nominal_xx", {NAN, NAN}, 1, &curve};
    assert_int_equal(firn_lab_draw(&picture, name, NULL), FIRN_OK);
    assert_true(contains(name, "lost in some direction at 10.312"));
    assert_true(contains(name, "nominal stress xx (kPa)"));
    picture.y = "nix";
    assert_int_equal(firn_lab_draw(&picture, name, NULL), FIRN_REFUSED);
    remove(name);
    firn_table_destroy(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniaxial_strain),
        cmocka_unit_test(shear),
        cmocka_unit_test(energy_is_work),
        cmocka_unit_test(path_from_table),
        cmocka_unit_test(free_laterals),
        cmocka_unit_test(driven_by_stress),
        cmocka_unit_test(other_variants),
        cmocka_unit_test(oedometer),
        cmocka_unit_test(triaxial),
        cmocka_unit_test(small_strain),
        cmocka_unit_test(acoustic),
        cmocka_unit_test(stvk_loses_ellipticity),
        cmocka_unit_test(map_of_stability),
        cmocka_unit_test(failure_is_reported),
        cmocka_unit_test(specs),
        cmocka_unit_test(relaxation),
        cmocka_unit_test(creep),
        cmocka_unit_test(heated),
        cmocka_unit_test(adiabatic),
        cmocka_unit_test(recovery),
        cmocka_unit_test(flow_curve),
        cmocka_unit_test(cyclic),
        cmocka_unit_test(tabulated),
        cmocka_unit_test(von_mises_yields),
        cmocka_unit_test(a_ramp_may_begin_elsewhere),
        cmocka_unit_test(drawn_with_the_loss_marked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
