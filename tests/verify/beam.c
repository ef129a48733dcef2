/* SPDX-License-Identifier: MIT */
/* beam.c: large deflection of a cantilever, nu = 0, in the plane (one layer of particles).
 *
 * References: the elastica under a dead load P at its tip (K. E. Bisshopp, D. C. Drucker, Large
 * deflection of cantilever beams, Quart. Appl. Math. 3, 1945), theta'' = -(P / EI) cos theta,
 * and under its own weight q a length, theta'' = -(q / EI) (L - s) cos theta; theta(0) = 0,
 * theta'(L) = 0, both solved by shooting. Deflection over length:
 *
 *     P L^2 / EI   1 .30172   2 .49346   5 .71379   10 .81061
 *     q L^3 / EI   2 .23851   5 .49591   10 .70020
 *
 * The law is fixed corotated: with nu = 0 its nominal stress is linear in the stretch, so the
 * moment is linear in the curvature, which is what the elastica assumes. What it leaves out is
 * shear, 0.25 E D^2 / (5/6 G L^2), 0.9 % of a small deflection at L = 8 D.
 *
 * Two layers of particles a cell carry moments as layers do, EI (1 - 1/n^2) with n of them: a
 * beam of 8 cells is held to the reference as it stands; the quicker one of 4 cells, n = 8,
 * takes its loads from the stiffness of its layers and leaves out the last one.
 *
 * The clamp is a mirror wall at x = 0 with the nodes of that plane held along y. The load is
 * carried by the last column of particles, so the beam that counts ends there, a quarter of a
 * cell before the body does. Equilibrium is reached by drag, twice the first natural frequency;
 * loads come one after the other in one run. */
#include "verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct beam {
    verify_scene scene;
    double D, L, end, EI,
        settle; /* end: of the beam that counts; EI and loads are those of the layer */
} beam;

static const double E = 1e6, rho = 1000;

static void beam_make(beam *b, int cells)
{
    const double h = 0.1 / cells, thickness = h / 2;
    b->D = 0.1;
    b->L = 8 * b->D;
    b->EI = E * thickness * pow(b->D, 3) / 12;
    if (cells < 8) b->EI *= 1 - 1 / (4.0 * cells * cells);
    verify_scene_init(&b->scene, h, "fixed_corotated", E, 0, rho);
    const double low[3] = {0, -64, 0}, high[3] = {64, 64, h};
    verify_mirrors(&b->scene, 1u | 16u | 32u, low, high);
    verify_slice(&b->scene, (double[2]){0, -b->D / 2}, (double[2]){b->L, b->D / 2}, 2);
    firn_grip_def *clamp =
        verify_grip(&b->scene, (double[3]){-h / 8, -1, -1}, (double[3]){h / 8, 1, 1});
    clamp->free_axes[0] = clamp->free_axes[2] = 1;
    const double omega = 3.516015 * sqrt(b->EI / (rho * thickness * b->D)) / (b->L * b->L);
    verify_force(&b->scene, "drag")->strength = 2 * omega;
    b->settle = 8 / omega;
    b->scene.scene.time.cfl = 0.8;
}

/* Mean displacement along -y of the last column of particles, or, extrapolated, of the end of
 * the body. */
static double sag(firn_sim *sim, const double *X, double L, double h, int is_extrapolated)
{
    int64_t n = firn_sim_n_particles(sim);
    double *x = verify_copy(sim, "P"), sum[2] = {0, 0};
    int count[2] = {0, 0};
    for (int64_t i = 0; i < n; i++)
        for (int k = 0; k < 2; k++)
            if (fabs(X[3 * i] - (L - h / 4 - k * h / 2)) < 0.01 * h) {
                sum[k] += X[3 * i + 1] - x[3 * i + 1];
                count[k]++;
            }
    free(x);
    double last = sum[0] / count[0], before = sum[1] / count[1];
    return is_extrapolated ? last + 0.5 * (last - before) : last;
}

static void tip_load(verify_table *table, int cells)
{
    static const double load[] = {1, 2, 5, 10}, reference[] = {.30172, .49346, .71379, .81061};
    beam b;
    beam_make(&b, cells);
    const double h = 0.1 / cells, length = b.L - h / 4;
    for (int k = 0; k < 4; k++) { /* each adds to those before it */
        firn_grip_def *pull =
            verify_grip(&b.scene, (double[3]){b.L - 0.4 * h, -1, -1}, (double[3]){9, 1, 1});
        pull->mode = FIRN_GRIP_TRACTION;
        pull->start = k * b.settle;
        pull->force[1] = -(load[k] - (k ? load[k - 1] : 0)) * b.EI / (length * length);
    }
    firn_sim *sim = verify_start(&b.scene);
    double *X = verify_copy(sim, "P");
    for (int k = 0; k < (cells < 8 ? 3 : 4); k++) {
        char name[96];
        verify_go(sim, (k + 1) * b.settle);
        snprintf(name, sizeof name, "beam %d cells deep tip load P L^2 / EI = %g: y / L", cells,
                 load[k]);
        verify_near(table, name, reference[k], sag(sim, X, b.L, h, 0) / length, 0.03, 0);
    }
    free(X);
    firn_sim_destroy(sim);
}

static void own_weight(verify_table *table, int cells)
{
    static const double load[] = {2, 5, 10}, reference[] = {.23851, .49591, .70020};
    beam b;
    beam_make(&b, cells);
    const double h = 0.1 / cells, t = b.settle;
    /* gravity that makes q L^3 / EI one, in three stairs */
    const firn_force_key keys[] = {{0, 2},     {t, 2},          {t * 1.001, 5},
                                   {2 * t, 5}, {2.001 * t, 10}, {3 * t, 10}};
    firn_force_def *weight = verify_force(&b.scene, "gravity");
    weight->vector[1] = -b.EI / (rho * b.D * h / 2 * pow(b.L, 3));
    weight->n_keys = 6;
    weight->keys = keys;
    firn_sim *sim = verify_start(&b.scene);
    double *X = verify_copy(sim, "P");
    for (int k = 0; k < (cells < 8 ? 2 : 3); k++) {
        char name[96];
        verify_go(sim, (k + 1) * t);
        snprintf(name, sizeof name, "beam %d cells deep own weight q L^3 / EI = %g: y / L", cells,
                 load[k]);
        verify_near(table, name, reference[k], sag(sim, X, b.L, h, 1) / b.L, 0.03, 0);
    }
    free(X);
    firn_sim_destroy(sim);
}

int main(int argc, char **argv)
{
    verify_table table = verify_begin(argc, argv);
    int cells = table.is_full ? 8 : 4;
    tip_load(&table, cells);
    own_weight(&table, cells);
    return verify_end(&table);
}
