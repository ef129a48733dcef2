/* SPDX-License-Identifier: MIT */
/* per_time.c: with damping of transfers per time (mpm/transfer_damping.c) results do not depend on
 * dt, nor on how often a caller asks for the state.
 *
 * Bars: two equal elastic bars without lateral strain meet head on. The exact restitution is 1: one
 * pulse runs through each bar and back (J. D. Achenbach, Wave Propagation in Elastic Solids, ch. 3).
 * Sand: a column beside a wall collapses on a rough floor; the foot after the same time. Each is run
 * with the default step, a tenth of it, and cut by a caller; the spread over the runs is gated. */
#include "verify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct setting {
    const char *name;
    double cfl, cut; /* cut: s between calls; 0: one call */
} setting;

static const setting settings[] = {
    {"cfl .4", 0.4, 0}, {"cfl .04", 0.04, 0}, {"cut every .1 ms", 0.4, 1}};
enum { SETTINGS = 3 };

static void go(firn_sim *sim, double until, double cut)
{
    for (int i = 1; cut > 0 && i * cut < until; i++) verify_go(sim, i * cut);
    verify_go(sim, until);
}

/* Restitution: the relative speed of the centres after over before. */
static double bars(const setting *by, double damping, int is_full)
{
    verify_scene s;
    const double h = 1.0 / (is_full ? 64 : 32), c = 10, v = 0.5, gap = 3 * h;
    verify_scene_init(&s, h, "neo_hookean", 1e5, 0, 1000);
    verify_slice(&s, (double[2]){-1 - gap / 2, 0}, (double[2]){-gap / 2, 4 * h}, 2)->velocity[0] =
        v;
    verify_slice(&s, (double[2]){gap / 2, 0}, (double[2]){1 + gap / 2, 4 * h}, 2)->velocity[0] = -v;
    s.scene.transfer.damping = damping;
    s.scene.time.cfl = by->cfl;
    firn_sim *sim = verify_start(&s);
    go(sim, gap / (2 * v) + 3 / c, by->cut * 1e-4);
    const int64_t n = firn_sim_n_particles(sim);
    double *u = verify_copy(sim, "v"), *x = verify_copy(sim, "P"), sum = 0;
    for (int64_t i = 0; i < n; i++) sum += (x[3 * i] > 0 ? 1 : -1) * u[3 * i] / (double)n;
    free(u);
    free(x);
    firn_sim_destroy(sim);
    return sum / v;
}

/* Where half a per cent of the mass lies beyond, m. */
static double column(const setting *by, double damping, int is_full)
{
    verify_scene s;
    const double h = is_full ? 0.01 : 0.02;
    verify_scene_init(&s, h, "sand", 3.5e5, 0.3, 1600);
    verify_mirrors(&s, 49, (double[3]){0, -1, 0}, (double[3]){2, 2, h});
    verify_slice(&s, (double[2]){0, 0}, (double[2]){0.1, 0.2}, 2);
    verify_floor(&s, 1, 0)->contact = FIRN_STICK;
    s.scene.gravity[1] = -9.81;
    s.scene.transfer.damping = damping;
    s.scene.time.cfl = by->cfl;
    firn_sim *sim = verify_start(&s);
    go(sim, 0.5, by->cut * 1e-4);
    const firn_ledger books = verify_ledger(sim);
    firn_sim_destroy(sim);
    return books.bulk_max[0];
}

static void compare(verify_table *table, const char *what, double run(const setting *, double, int),
                    int n, double damping, double gate)
{
    double first = 0;
    for (int i = 0; i < n; i++) {
        char name[128];
        const double value = run(&settings[i], damping, table->is_full);
        if (i == 0) first = value;
        snprintf(name, sizeof name, "%s: damping %g %s over cfl .4 (%.4g)", what, damping,
                 settings[i].name, first);
        verify_near(table, name, 1, value / first, gate, 1);
    }
}

int main(int argc, char **argv)
{
    verify_table table = verify_begin(argc, argv);
    compare(&table, "restitution of bars", bars, SETTINGS, 10, 0.03);
    compare(&table, "foot of a column of sand", column, 2, 10, 0.03);
    if (table.is_full) { /* for comparison: per step */
        compare(&table, "restitution of bars", bars, SETTINGS, 0, 1);
        compare(&table, "foot of a column of sand", column, 2, 0, 1);
    }
    return verify_end(&table);
}
