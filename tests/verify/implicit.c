/* SPDX-License-Identifier: MIT */
/* implicit.c: implicit steps against what a step of backward Euler does to a linear system,
 * exactly, with x = omega dt:
 *
 *     a mode        amplitude (1 + x^2)^(-n/2) and phase n atan x after n steps; midpoint: 1 and
 *                   2 n atan(x/2)
 *     a column      that is let go in its own weight, clamped below, free above: after one step its
 *                   tip is at 2 (1 - 1/cosh l)/l^2 of its static sag, l = pi/(2 omega_1 dt); rest
 *                   is reached in one step where that is long
 *     no growth     at 1000 times the explicit limit
 *     momentum      of bodies that collide, to the tolerance of the solve
 *
 * and the same bodies at small steps, which explicit steps must meet. */
#include "verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* Mean of weight(X) times a component of an attribute over all particles. */
static double moment(firn_sim *sim, const char *attribute, const double *X, double k)
{
    double *a = verify_copy(sim, attribute), sum = 0;
    const int64_t n = firn_sim_n_particles(sim);
    for (int64_t i = 0; i < n; i++) sum += sin(k * X[3 * i]) * a[3 * i];
    free(a);
    return 2 * sum / (double)n;
}

/* A bar between mirror walls at x = 0 and `end` (or free there), one cell wide. */
static void bar_of(verify_scene *s, int cells, int is_free, int scheme)
{
    const double h = 1.0 / cells, low[3] = {0, 0, 0}, high[3] = {1, h, h};
    const double box[3] = {is_free ? 2 : 1, h, h};
    verify_scene_init(s, h, "fixed_corotated", 1000, 0, 1000); /* c = 1 m/s */
    verify_box(s, low, high, 2);
    verify_mirrors(s, is_free ? 61u : 63u, low, box);
    s->scene.transfer.scheme = scheme;
    s->scene.transfer.flip_blend = 1;
    snprintf(s->scene.time.integrator, FIRN_NAME, "implicit");
    s->scene.time.tolerance = 1e-10;
}

static void mode_decays(verify_table *table, int cells, int steps, int scheme, int is_midpoint)
{
    char name[128];
    verify_scene s;
    bar_of(&s, cells, 0, scheme);
    if (is_midpoint) snprintf(s.scene.time.integrator, FIRN_NAME, "midpoint");
    const double k = pi, T = 2 * pi / k, x = 2 * pi / steps, v0 = 1e-4;
    s.scene.time.dt_fixed = T / steps;
    firn_sim *sim = verify_start(&s);
    double *X = verify_copy(sim, "P"), *v = verify_copy(sim, "v");
    for (int64_t i = 0; i < firn_sim_n_particles(sim); i++) v[3 * i] = v0 * sin(k * X[3 * i]);
    verify_assign(sim, "v", v);
    double *start = verify_copy(sim, "P");
    verify_go(sim, T);
    const double velocity = moment(sim, "v", X, k) / v0;
    double *end = verify_copy(sim, "P"), u = 0;
    const int64_t n = firn_sim_n_particles(sim);
    for (int64_t i = 0; i < n; i++)
        u += 2 * sin(k * X[3 * i]) * (end[3 * i] - start[3 * i]) / (double)n;
    const double amplitude = hypot(velocity, u * k / v0),
                 exact = is_midpoint ? 1 : pow(1 + x * x, -0.5 * steps);
    const double phase = atan2(u * k / v0, velocity),
                 wanted = remainder(steps * (is_midpoint ? 2 * atan(x / 2) : atan(x)), 2 * pi);
    const char *how = is_midpoint ? "midpoint" : "backward Euler",
               *what = scheme == FIRN_APIC ? "APIC" : "FLIP";
    snprintf(name, sizeof name, "%s mode %d cells %d steps %s: amplitude", how, cells, steps, what);
    verify_near(table, name, exact, amplitude, 1e-3, 0);
    snprintf(name, sizeof name, "%s mode %d cells %d steps %s: phase (rad)", how, cells, steps,
             what);
    verify_near(table, name, wanted, phase, 5e-3, 1);
    free(X);
    free(v);
    free(start);
    free(end);
    firn_sim_destroy(sim);
}

/* Displacement of the last layer of a column in its own weight after one step. */
static double sag(int cells, double step, double weight)
{
    verify_scene s;
    bar_of(&s, cells, 1, FIRN_APIC);
    s.scene.gravity[0] = -weight;
    s.scene.time.cfl = 2;
    firn_sim *sim = verify_start(&s);
    double *X = verify_copy(sim, "P");
    verify_go(sim, step);
    double *x = verify_copy(sim, "P"), sum = 0;
    int n = 0;
    for (int64_t i = 0; i < firn_sim_n_particles(sim); i++)
        if (X[3 * i] > 1 - 0.5 / cells) {
            sum += X[3 * i] - x[3 * i];
            n++;
        }
    if (firn_sim_stats(sim).n_steps != 1)
        printf("column: %g steps instead of one\n", (double)firn_sim_stats(sim).n_steps);
    free(x);
    free(X);
    firn_sim_destroy(sim);
    return sum / n;
}

/* The weight is such that the column sags by a small part of a cell. */
static void column_in_one_step(verify_table *table, int cells)
{
    const double omega = pi / 2, c = 1;
    static const double x[3] = {10, 100, 1000}, share[3] = {.9898213, .9998972, .99999897},
                        gate[3] = {1e-3, 1e-4, 1e-4};
    for (int k = 0; k < 3; k++) {
        char name[96];
        const double step = x[k] / omega, weight = 1 / (cells * step * step);
        const double rest = weight / (2 * c * c);
        snprintf(name, sizeof name, "column in one step; omega dt = %g: tip/static", x[k]);
        verify_near(table, name, share[k], sag(cells, step, weight) / rest, gate[k], 0);
    }
}

/* A cube with random velocities at 1000 times the explicit limit. */
static void no_growth(verify_table *table)
{
    const double low[3] = {0, 0, 0}, high[3] = {1, 1, 1};
    const double h = 0.25, E = 1e6, c = sqrt(E * (1 - .3) / (1.3 * .4) / 1000);
    verify_scene s;
    verify_scene_init(&s, h, "neo_hookean", E, 0.3, 1000);
    verify_box(&s, low, high, 2);
    snprintf(s.scene.time.integrator, FIRN_NAME, "implicit");
    s.scene.time.tolerance = 1e-8;
    s.scene.time.dt_fixed = 1000 * 0.4 * h / c;
    firn_sim *sim = verify_start(&s);
    double *v = verify_copy(sim, "v"), mean[3] = {0, 0, 0};
    const int64_t n = firn_sim_n_particles(sim);
    uint64_t seed = 5;
    for (int64_t i = 0; i < 3 * n; i++) {
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        v[i] = 1e-5 * c * (double)(int64_t)seed * 0x1p-63;
        mean[i % 3] += v[i] / (double)n;
    }
    for (int64_t i = 0; i < 3 * n; i++) v[i] -= mean[i % 3];
    verify_assign(sim, "v", v);
    const firn_ledger before = verify_ledger(sim);
    double most = 0;
    for (int k = 1; k <= 100; k++) {
        verify_go(sim, k * s.scene.time.dt_fixed);
        const firn_ledger now = verify_ledger(sim);
        most = fmax(most, now.kinetic + now.elastic);
    }
    const firn_ledger after = verify_ledger(sim);
    verify_at_most(table, "1000 x explicit dt; 100 steps: largest energy over the first",
                   most / before.kinetic, 1);
    verify_at_most(table, "1000 x explicit dt; 100 steps: energy left",
                   after.elastic / before.kinetic, 1e-7);
    verify_near(table, "1000 x explicit dt: steps", 100, (double)firn_sim_stats(sim).n_steps, 0, 1);
    free(v);
    firn_sim_destroy(sim);
}

/* Two balls that collide off center. */
static void momentum(verify_table *table)
{
    const double a[3] = {-.55, .1, 0}, b[3] = {.55, -.1, .05};
    verify_scene s;
    verify_scene_init(&s, 0.125, "neo_hookean", 1e5, 0.3, 1000);
    firn_body_def *left = verify_ball(&s, a, 0.4, 2);
    left->velocity[0] = 2;
    firn_body_def *right = verify_ball(&s, b, 0.4, 2);
    right->velocity[0] = -1;
    snprintf(s.scene.time.integrator, FIRN_NAME, "implicit");
    s.scene.time.tolerance = 1e-6;
    firn_sim *sim = verify_start(&s);
    const firn_ledger before = verify_ledger(sim);
    verify_go(sim, 0.3);
    const firn_ledger after = verify_ledger(sim);
    const double p = before.mass * 1.5;
    double error = 0;
    for (int i = 0; i < 3; i++)
        error = fmax(error, fabs(after.momentum[i] - before.momentum[i]) / p);
    verify_at_most(table, "collision: momentum lost (share)", error, 1e-6);
    verify_at_most(table, "collision: energy over the first",
                   (after.kinetic + after.elastic) / before.kinetic, 1);
    firn_sim_destroy(sim);
}

int main(int argc, char **argv)
{
    verify_table table = verify_begin(argc, argv);
    mode_decays(&table, 64, 100, FIRN_APIC, 0);
    mode_decays(&table, 64, 20, FIRN_FLIP, 0);
    mode_decays(&table, 64, 100, FIRN_APIC, 1);
    mode_decays(&table, 64, 20, FIRN_FLIP, 1);
    column_in_one_step(&table, 64);
    no_growth(&table);
    momentum(&table);
    return verify_end(&table);
}
