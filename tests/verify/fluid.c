/* SPDX-License-Identifier: MIT */
/* fluid.c: flows that have a closed form, in the plane.
 *
 * Column at rest, p = c^2 (rho - rho0): p = rho0 c^2 (exp(g d / c^2) - 1) at the depth d; c = 20
 * m/s, 1 m deep: 9931.3 Pa.
 *
 * Start-up between plates a distance H apart, Fo = nu t / H^2 (Fourier series of the diffusion
 * equation; H. Schlichting, Boundary-Layer Theory): one plate moves (Couette), Fo = .1: u / U =
 * .0883 .2628 .5761 at 1/4, 1/2, 3/4; a body force (Poiseuille), Fo = .05: centre at .37039 of
 * its final speed.
 *
 * A flow along x is cut off at both ends of a block of six depths, and read in its middle third:
 * motions are short and what the open ends do does not get there. */
#include "verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Mean velocity along x of the particles in the middle third of the block within a layer, from a
 * straight line. */
static double speed_at(firn_sim *sim, const double *X, double half_length, double y, double reach)
{
    int64_t n = firn_sim_n_particles(sim);
    double *v = verify_copy(sim, "v"), *x = verify_copy(sim, "P"), s0 = 0, s1 = 0, s2 = 0, u0 = 0,
           u1 = 0;
    for (int64_t i = 0; i < n; i++) {
        double d = x[3 * i + 1] - y;
        if (fabs(X[3 * i]) > half_length / 3 || fabs(d) > reach) continue;
        s0 += 1;
        s1 += d;
        s2 += d * d;
        u0 += v[3 * i];
        u1 += d * v[3 * i];
    }
    free(v);
    free(x);
    return (u0 * s2 - u1 * s1) / (s0 * s2 - s1 * s1);
}

/* ---------------------------------------------------------------- column */

static void column(verify_table *table, int cells)
{
    verify_scene s;
    const double g = 9.81, c = 20, rho = 1000, d = 1, h = d / cells,
                 bottom = rho * c * c * expm1(g * d / (c * c));
    verify_scene_init(&s, h, "liquid", 0, 0, rho);
    verify_parameter(&s, "c", c);
    verify_parameter(&s, "gamma", 1);
    verify_mirrors(&s, 1 | 2 | 4 | 16 | 32, (double[3]){0, 0, 0}, (double[3]){h, 4, h});
    /* what is 1 m deep under its own weight is p_bottom / (rho0 g) tall without; the lattice
     * takes whole layers */
    const double tall = round(bottom / (rho * g) * 2 * cells) / (2 * cells);
    verify_slice(&s, (double[2]){0, 0}, (double[2]){h, tall}, 2);
    s.scene.gravity[1] = -g;
    verify_force(&s, "drag")->strength = 3 * c / d;
    firn_sim *sim = verify_start(&s);
    verify_go(sim, 8 * d / c);
    int64_t n = firn_sim_n_particles(sim);
    double *J = verify_copy(sim, "J"), *x = verify_copy(sim, "P"), top = 0, worst = 0,
           low = INFINITY, deepest = 0;
    const double depth = c * c / g * log1p(g * tall / (c * c));
    for (int64_t i = 0; i < n; i++) top = fmax(top, x[3 * i + 1]);
    for (int64_t i = 0; i < n; i++) {
        double p = rho * c * c * (1 / J[i] - 1), under = depth - x[3 * i + 1];
        worst = fmax(worst, fabs(p - rho * c * c * expm1(g * under / (c * c))));
        if (x[3 * i + 1] < low) {
            low = x[3 * i + 1];
            deepest = p + rho * g * (1 + p / (rho * c * c)) * low;
        }
    }
    free(J);
    free(x);
    firn_sim_destroy(sim);
    verify_near(table, "column of liquid: pressure at the bottom (Pa)",
                rho * c * c * expm1(g * depth / (c * c)), deepest, 0.02, 0);
    verify_at_most(table, "column of liquid: largest error of pressure over that at the bottom",
                   worst / bottom, 0.02);
}

/* ---------------------------------------------------------------- start-up */

static void start_up(verify_table *table, int is_couette, int cells)
{
    verify_scene s;
    /* moved by a tenth of a cell at the end */
    const double H = 1, h = H / cells, nu = 1, Fo = is_couette ? 0.1 : 0.05, t = Fo * H * H / nu,
                 U = 0.1 * h / t;
    verify_scene_init(&s, h, "liquid", 0, 0, 1);
    verify_parameter(&s, "c", 6 * nu / h);
    verify_parameter(&s, "gamma", 1);
    verify_parameter(&s, "viscosity", nu);
    verify_slice(&s, (double[2]){-3 * H, 0}, (double[2]){3 * H, H}, 2);
    verify_floor(&s, 1, 0)->contact = FIRN_STICK;
    firn_collider_def *lid = verify_floor(&s, 1, H);
    lid->contact = FIRN_STICK;
    s.collider_shapes[1].normal[1] = -1;
    if (is_couette)
        lid->surface_velocity[0] = U;
    else
        s.scene.gravity[0] = 8 * nu * U / (H * H);
    firn_sim *sim = verify_start(&s);
    double *X = verify_copy(sim, "P");
    verify_go(sim, t);
    static const double at[] = {0.25, 0.5, 0.75}, moving[] = {0.088344, 0.262756, 0.576059};
    for (int k = 0; k < 3; k++) {
        char name[96];
        double u = speed_at(sim, X, 3 * H, at[k] * H, 1.5 * h) / U;
        snprintf(name, sizeof name, "Couette start-up Fo = .1: u / U at y / H = %g", at[k]);
        if (is_couette) verify_near(table, name, moving[k], u, 0.01, 1);
        if (!is_couette && k == 1)
            verify_near(table, "Poiseuille start-up Fo = .05: centre", 0.3703863, u, 0.01, 0);
    }
    free(X);
    firn_sim_destroy(sim);
}

int main(int argc, char **argv)
{
    verify_table table = verify_begin(argc, argv);
    const int cells = table.is_full ? 32 : 20;
    column(&table, 40); /* 81 layers, 1.0125 m: 1 m deep to four digits */
    start_up(&table, 1, cells);
    start_up(&table, 0, cells);
    return verify_end(&table);
}
