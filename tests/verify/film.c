/* SPDX-License-Identifier: MIT */
/* film.c: films on a wall under a body force along it, with damping of transfers per time
 * (mpm/transfer_damping.c) and a wall without slip: the speed must be that of the closed form
 * whatever dt is.
 *
 * A film of depth H = 1 carries the shear stress tau_b (1 - y); with the law's tau = f(g) the speed
 * is u(y) = int_0^y f^-1(tau_b (1 - s)) ds (Newton: tau_b (y - y^2 / 2) / eta). Films: Newton; the
 * jump-number fluid of de Souza Mendes and Dutra, f = (1 - exp(-(J + 1) g)) (1 + g^n), in units of
 * its yield stress and rate, with n = 1/2 (Herschel-Bulkley with tau_y = K = 1) and n = 1
 * (Bingham).
 *
 * The run begins on the exact profile and lasts one time of the slowest mode of the film with the
 * viscosity at the wall, H^2 / nu: what transfers take is gone by then. Density is chosen so that
 * the surface passes ten cells in that time. The box is four cells long and periodic. */
#include "verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct film {
    const char *name;
    double tau, J, n; /* J 0: Newton, eta = 1 */
} film;

static double stress(const film *f, double rate)
{
    if (f->J <= 0) return rate;
    return -expm1(-(f->J + 1) * rate) * (1 + pow(rate, f->n));
}

static double rate_at(const film *f, double tau)
{
    double low = 0, high = 1;
    while (stress(f, high) < tau) high *= 2;
    for (int i = 0; i < 80; i++) {
        const double middle = 0.5 * (low + high);
        *(stress(f, middle) < tau ? &low : &high) = middle;
    }
    return 0.5 * (low + high);
}

enum { LAYERS = 1000 };

/* u at y = i / LAYERS. */
static void profile(const film *f, double u[LAYERS + 1])
{
    u[0] = 0;
    for (int i = 0; i < LAYERS; i++)
        u[i + 1] = u[i] + rate_at(f, f->tau * (1 - (i + 0.5) / LAYERS)) / LAYERS;
}

static double between(const double u[LAYERS + 1], double y)
{
    const double at = fmin(fmax(y, 0), 1 - 1e-9) * LAYERS;
    const int i = (int)at;
    return u[i] + (at - i) * (u[i + 1] - u[i]);
}

/* Speed and its gradient along y, as a flow that has run for ever left them. */
static void begin(firn_sim *sim, const film *f, const double u[LAYERS + 1])
{
    const int64_t n = firn_sim_n_particles(sim);
    double *x = verify_copy(sim, "P"), *v = verify_copy(sim, "v"), *C = verify_copy(sim, "C");
    for (int64_t i = 0; i < n; i++) {
        v[3 * i] = between(u, x[3 * i + 1]);
        C[9 * i + 1] = rate_at(f, f->tau * (1 - x[3 * i + 1]));
    }
    verify_assign(sim, "v", v);
    verify_assign(sim, "C", C);
    free(x);
    free(v);
    free(C);
}

/* Mean over the depth and at the surface, over those of the closed form. */
static void read_speeds(firn_sim *sim, const double u[LAYERS + 1], double *mean, double *top)
{
    const int64_t n = firn_sim_n_particles(sim);
    double *x = verify_copy(sim, "P"), *v = verify_copy(sim, "v"), sum[4] = {0}, high = 0;
    for (int64_t i = 0; i < n; i++) high = fmax(high, x[3 * i + 1]);
    for (int64_t i = 0; i < n; i++) {
        const double exact = between(u, x[3 * i + 1]);
        sum[0] += v[3 * i];
        sum[1] += exact;
        if (x[3 * i + 1] < high - 1e-3) continue;
        sum[2] += v[3 * i];
        sum[3] += exact;
    }
    *mean = sum[0] / sum[1];
    *top = sum[2] / sum[3];
    free(x);
    free(v);
}

static void run(verify_table *table, const film *f, int cells, double cfl, double damping,
                double gate)
{
    verify_scene s;
    double u[LAYERS + 1], mean, top;
    const double h = 1.0 / cells, wall_rate = rate_at(f, f->tau), eta = f->tau / wall_rate,
                 largest = f->J > 0 ? f->J + 1.5 : 1;
    profile(f, u);
    const double rho = 10 * h * eta / u[LAYERS], time = rho / eta;
    verify_scene_init(&s, h, f->J > 0 ? "souza_mendes_dutra" : "liquid", 0, 0, rho);
    /* sound as fast as makes no smaller steps than viscosity does */
    verify_parameter(&s, "c", 5 * largest / (rho * h));
    if (f->J > 0) {
        verify_parameter(&s, "tau_0", 1);
        verify_parameter(&s, "K", 1);
        verify_parameter(&s, "n", f->n);
        verify_parameter(&s, "J", f->J);
    } else {
        verify_parameter(&s, "gamma", 1);
        verify_parameter(&s, "viscosity", 1);
    }
    verify_mirrors(&s, 48, (double[3]){0, 0, 0}, (double[3]){4 * h, 4, h});
    s.scene.grid.walls[0] = s.scene.grid.walls[1] = FIRN_WALL_PERIODIC;
    s.scene.grid.walls[2] = FIRN_WALL_NO_SLIP;
    verify_slice(&s, (double[2]){0, 0}, (double[2]){4 * h, 1}, 2);
    s.scene.gravity[0] = f->tau / rho;
    s.scene.transfer.damping = damping;
    s.scene.time.cfl = cfl;
    s.scene.time.dt_min = 0;
    firn_sim *sim = verify_start(&s);
    begin(sim, f, u);
    verify_go(sim, time);
    read_speeds(sim, u, &mean, &top);
    char name[128];
    snprintf(name, sizeof name, "%s: %d cells cfl %g (%ld steps): mean speed over exact", f->name,
             cells, cfl, (long)firn_sim_step_count(sim));
    verify_near(table, name, 1, mean, gate, 1);
    snprintf(name, sizeof name, "%s: %d cells cfl %g: speed of the surface over exact", f->name,
             cells, cfl);
    verify_near(table, name, 1, top, gate, 1);
    firn_sim_destroy(sim);
}

int main(int argc, char **argv)
{
    verify_table table = verify_begin(argc, argv);
    const film newton = {"Newtonian film", 1, 0, 1}, jump = {"film J 30 n 1/2", 2, 30, 0.5},
               strong = {"film J 100 n 1/2", 2, 100, 0.5},
               bingham = {"Bingham film J 100", 2, 100, 1};
    run(&table, &newton, 8, 0.4, 5, 0.02);
    run(&table, &newton, 8, 0.04, 5, 0.02);
    run(&table, &jump, 8, 0.4, 5, 0.02);
    if (table.is_full) {
        run(&table, &newton, 16, 0.4, 5, 0.01);
        run(&table, &jump, 8, 0.04, 5, 0.02);
        for (int k = 0; k < 2; k++) {
            run(&table, &strong, 8, k ? 0.04 : 0.4, 5, 0.02);
            run(&table, &bingham, 8, k ? 0.04 : 0.4, 5, 0.02);
        }
    }
    return verify_end(&table);
}
