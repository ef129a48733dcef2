/* SPDX-License-Identifier: MIT */
/* test_transfer_damping.c: what transfers take from velocities, by wavelength, against the
 * dispersion relation; damping per time: independent of dt and of a caller's cuts, without loss of
 * momentum and angular momentum; walls without slip; the bound of dt that no particle breaks. */
#include "mpm/mpm.h"
#include "mpm/transfer_damping.h"
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

/* A bar of one cell's section between mirror walls, with hardly any stress, so that velocities
 * across it change by transfers alone. */
static firn_sim *bar(verify_scene *s, int cells, int spline, const firn_transfer_def *transfer,
                     double across, double dt)
{
    const double low[3] = {0, 0, 0}, high[3] = {(double)cells, 1, 1};
    verify_scene_init(s, 1, "neo_hookean", 1e-6, 0, 1);
    verify_box(s, low, high, across);
    verify_mirrors(s, 3, low, high);
    s->scene.time.dt_fixed = dt;
    s->scene.grid.spline = spline;
    s->scene.transfer = *transfer;
    return verify_start(s);
}

/* v_y = cos(k x) with its gradient in C, a whole number of half waves between the walls. */
static void put_wave(firn_sim *sim, double k)
{
    double *x = verify_copy(sim, "P"), *v = verify_copy(sim, "v"), *C = verify_copy(sim, "C");
    for (int64_t i = 0; i < firn_sim_n_particles(sim); i++) {
        v[3 * i + 1] = 1e-6 * cos(k * x[3 * i]);
        C[9 * i + 3] = -1e-6 * k * sin(k * x[3 * i]);
    }
    verify_assign(sim, "v", v);
    verify_assign(sim, "C", C);
    free(x);
    free(v);
    free(C);
}

static double amplitude(firn_sim *sim, double k)
{
    double *x = verify_copy(sim, "P"), *v = verify_copy(sim, "v"), sum = 0, norm = 0;
    for (int64_t i = 0; i < firn_sim_n_particles(sim); i++) {
        const double c = cos(k * x[3 * i]);
        sum += v[3 * i + 1] * c;
        norm += c * c;
    }
    free(x);
    free(v);
    return sum / norm;
}

/* All schemes and both splines: waves over 12 and 6 cells, ten steps after thirty in which C finds its
 * place. Five particles a cell and axis, by which the sums
 * of C with the quadratic spline, whose slope has corners, are 5 to 8 % off. */
static void waves(void **state)
{
    (void)state;
    static const struct {
        firn_scheme scheme;
        double blend, damping_rate;
    } cases[] = {{FIRN_PIC, 0, 0},   {FIRN_FLIP, 0.9, 0}, {FIRN_APIC, 0, 0},  {FIRN_AFLIP, 0.8, 0},
                 {FIRN_APIC, 0, 30}, {FIRN_PIC, 0, 30},   {FIRN_AFLIP, 0, 30}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int spline = 0; spline < 2; spline++)
            for (int cells = 6; cells <= 12; cells += 6) {
                const double dt = 0.01, k = 2 * M_PI / cells;
                verify_scene s;
                const firn_transfer_def transfer = {.scheme = cases[i].scheme,
                                                    .flip_blend = cases[i].blend,
                                                    .damping_rate = cases[i].damping_rate};
                firn_sim *sim = bar(&s, 12, spline, &transfer, 5, dt);
                put_wave(sim, k);
                verify_go(sim, 30 * dt);
                const double before = amplitude(sim, k);
                verify_go(sim, 40 * dt);
                const double per_step = pow(amplitude(sim, k) / before, 0.1),
                             factor =
                                 firn_transfer_damping_factor(&sim->mpm->particles[0].transfer, k);
                NEAR((1 - per_step) / (1 - factor), 1, spline ? 0.09 : 5e-3);
                firn_sim_destroy(sim);
            }
}

/* To leading order the table of README.md. */
static void long_waves(void **state)
{
    (void)state;
    const double kh = 0.02;
    for (int q = 0; q < 2; q++) {
        const double D = q ? 0.25 : 1.0 / 3, A = q ? 1.0 / 40 : 17.0 / 360;
        firn_transfer t = {.h = 1, .is_quadratic = q};
        NEAR((1 - firn_transfer_damping_factor(&t, kh)) / (D * kh * kh), 1, 1e-3);
        t.flip = 0.75;
        NEAR((1 - firn_transfer_damping_factor(&t, kh)) / (0.25 * D * kh * kh), 1, 1e-3);
        t = (firn_transfer){.h = 1, .is_quadratic = q, .is_affine = 1};
        NEAR((1 - firn_transfer_damping_factor(&t, kh)) / (A * pow(kh, 4)), 1, 1e-2);
        NEAR(firn_transfer_damping_viscosity(&t, kh, 0.5) / (2 * A * kh * kh), 1, 1e-2);
        t.keep = 0.75;
        NEAR((1 - firn_transfer_damping_factor(&t, kh)) / (0.25 * A * pow(kh, 4)), 1, 1e-2);
    }
}

/* The same damping in the same time with dt, dt / 10 and with a caller that cuts every step. */
static void per_time(void **state)
{
    (void)state;
    double left[3];
    for (int c = 0; c < 3; c++) {
        verify_scene s;
        const double k = 2 * M_PI / 8;
        const firn_transfer_def transfer = {.damping_rate = 20};
        firn_sim *sim = bar(&s, 16, FIRN_CUBIC, &transfer, 2, c == 1 ? 0.001 : 0.01);
        put_wave(sim, k);
        for (int i = 1; i <= 200; i++) verify_go(sim, c == 2 ? 0.002 * i : 0.4 * i / 200);
        left[c] = amplitude(sim, k);
        firn_sim_destroy(sim);
    }
    NEAR(left[1] / left[0], 1, 2e-3);
    NEAR(left[2] / left[0], 1, 2e-3);
    NEAR(left[0] / 1e-6, 0.872, 0.02); /* 20 / s of .0173 for .4 s: exp(-.138) */
}

/* A block of four cells that spins and stretches keeps p, and L to a per cent a turn: in a sixth of a
 * turn here. */
static void balances(void **state)
{
    (void)state;
    verify_scene s;
    const double low[3] = {-0.35, -0.2, -0.2}, high[3] = {0.35, 0.2, 0.2};
    verify_scene_init(&s, 0.1, "neo_hookean", 1e4, 0.3, 1000);
    firn_body_def *body = verify_box(&s, low, high, 2);
    body->spin[0] = 3;
    body->spin[2] = 5;
    body->velocity[1] = 0.7;
    body->F[0] = 1.1;
    s.scene.transfer.damping = 10;
    s.scene.time.cfl = 0.1;
    firn_sim *sim = verify_start(&s);
    const firn_ledger was = verify_ledger(sim);
    verify_go(sim, 0.2);
    const firn_ledger is = verify_ledger(sim);
    for (int a = 0; a < 3; a++) {
        NEAR(is.momentum[a], was.momentum[a], 1e-11 * was.mass);
        NEAR(is.angular_momentum[a], was.angular_momentum[a], 2e-3 * was.angular_momentum[2]);
    }
    const double e_was = was.kinetic + was.elastic, e_is = is.kinetic + is.elastic;
    assert_true(e_is < e_was * 1.001);
    firn_sim_destroy(sim);
}

/* Couette flow at rest in itself: a sheared block on a wall without slip keeps its profile, straight
 * to the wall, and the impulse on the wall is the shear stress times area and time. */
static void no_slip(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < 3; scheme++) {
        verify_scene s;
        const double h = 0.125, eta = 2, g = 1e-3;
        verify_scene_init(&s, h, "liquid", 0, 0, 1);
        verify_parameter(&s, "c", 100);
        verify_parameter(&s, "gamma", 1);
        verify_parameter(&s, "viscosity", eta);
        verify_slice(&s, (double[2]){-2, 0}, (double[2]){2, 1}, 2);
        s.scene.grid.box_min[1] = 0;
        s.scene.grid.walls[2] = FIRN_WALL_NO_SLIP;
        s.scene.gravity[0] = g;
        s.scene.transfer.scheme = scheme == 2 ? FIRN_FLIP : FIRN_APIC;
        s.scene.transfer.damping = scheme == 1 ? 4 : 0;
        s.scene.transfer.flip_blend = 0.95;
        firn_sim *sim = verify_start(&s);
        const firn_ledger was = verify_ledger(sim);
        verify_go(sim, 0.05);
        const firn_ledger is = verify_ledger(sim);
        for (int a = 0; a < 3; a++)
            NEAR(is.momentum[a] - was.momentum[a] - is.wall_impulse[a],
                 a == 0 ? was.mass * g * 0.05 : 0, 1e-12 * was.mass);
        firn_sim_destroy(sim);
    }
}

/* A lone particle at its worst place: with nu = .45 and cfl .9 dt is bounded by `stability`, and a
 * small strain does not grow; the default is not changed by the bound. */
static void bounded(void **state)
{
    (void)state;
    for (int wide = 0; wide < 2; wide++) {
        verify_scene s;
        const double E = 1e4, nu = 0.45, rho = 1000, at = 0.2755,
                     c = sqrt(E * (1 - nu) / ((1 + nu) * (1 - 2 * nu)) / rho);
        const double low[3] = {at - 0.25, at - 0.25, at - 0.25},
                     high[3] = {at + 0.25, at + 0.25, at + 0.25};
        verify_scene_init(&s, 1, "neo_hookean", E, nu, rho);
        firn_body_def *body = verify_box(&s, low, high, 2);
        for (int a = 0; a < 3; a++) body->F[4 * a] = 1 + 1e-9;
        s.scene.time.cfl = wide ? 0.9 : 0.4;
        firn_sim *sim = verify_start(&s);
        assert_int_equal(firn_sim_n_particles(sim), 1);
        for (int i = 0; i < 800; i++) assert_int_equal(firn_sim_step(sim, 1e9, NULL), FIRN_OK);
        const firn_stats stats = firn_sim_stats(sim);
        double *F = verify_copy(sim, "F");
        NEAR(F[0], 1, 1e-8);
        free(F);
        assert_string_equal(stats.limit.criterion, wide ? "stability" : "wave");
        NEAR(stats.limit.dt * c, wide ? 0.98 * 0.681 : 0.4, 1e-3);
        firn_sim_destroy(sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waves),    cmocka_unit_test(long_waves), cmocka_unit_test(per_time),
        cmocka_unit_test(balances), cmocka_unit_test(no_slip),    cmocka_unit_test(bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
