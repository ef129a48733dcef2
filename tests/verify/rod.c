/* SPDX-License-Identifier: MIT */
/* rod.c: torsion of a round rod and of the seed's square bar, psi radians a metre.
 *
 * Round, incompressible neo-Hookean, radius a (R. S. Rivlin, Large elastic deformations of
 * isotropic materials IV, Phil. Trans. R. Soc. A 241, 1948; the normal force is Poynting's
 * effect):
 *
 *     T = pi mu psi a^4 / 2          N = -pi mu psi^2 a^4 / 4
 *         (T = .0314159 N m, N = -.314159 N below)
 *
 * Square, small twist (B. de Saint-Venant 1855): T = .140577 mu psi W^4, 32.722 N m a rad/m for
 * W = 28.8 mm, E = 9e8, nu = .33. The bar of 792 = 22 x 6 x 6 particles is held to it with cells
 * of two and of four spacings, and so are finer ones of the same size.
 *
 * The rod begins twisted, F = I + psi (-y, x, 0) (x) e_z at its places: the exact shear, without
 * the pressure, the contraction and the warping of sections that equilibrium wants. Nodes beyond
 * its ends are held; drag brings the rest to equilibrium. T and N are integrals of Cauchy stress
 * over the layers in the middle quarter; the twist there is read from how far its layers have
 * turned. */
#include "verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

typedef struct rod {
    int is_round;
    double mu, nu, rho, width, length, psi; /* width: diameter or edge */
    double cells, across;                   /* cells a width, particles a cell */
} rod;

typedef struct measured {
    double torque, normal, psi;
} measured;

static measured measure(firn_sim *sim, const rod *r, const double *X, double spacing)
{
    int64_t n = firn_sim_n_particles(sim);
    double *x = verify_copy(sim, "P"), *s = verify_copy(sim, "stress"), *J = verify_copy(sim, "J");
    double torque = 0, normal = 0, turn[2] = {0, 0}, inertia[2] = {0, 0}, middle = r->length / 2,
           quarter = r->length / 4;
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < n; i++) {
        const double *p = x + 3 * i, *P = X + 3 * i, z = P[2] - middle;
        if (fabs(z) > 0.5 * quarter) continue;
        double V = J[i] * pow(spacing, 3);
        torque += V * (p[0] * s[6 * i + 5] - p[1] * s[6 * i + 4]);
        normal += V * s[6 * i + 2];
        low = fmin(low, P[2]);
        high = fmax(high, P[2]);
        turn[z > 0] += P[0] * p[1] - P[1] * p[0];
        inertia[z > 0] += P[0] * P[0] + P[1] * P[1];
    }
    free(x);
    free(s);
    free(J);
    double height =
        high - low + spacing; /* of the layers; the middles of its halves are half of it apart */
    return (measured){torque / height, normal / height,
                      r->psi + (turn[1] / inertia[1] - turn[0] / inertia[0]) / (0.5 * height)};
}

static measured twist(const rod *r)
{
    verify_scene s;
    const double h = r->width / r->cells, E = 2 * r->mu * (1 + r->nu), W = r->width / 2,
                 L = r->length;
    const double low[3] = {-W, -W, 0}, high[3] = {W, W, L}, slow = pi * sqrt(r->mu / r->rho) / L;
    verify_scene_init(&s, h, "neo_hookean", E, r->nu, r->rho);
    verify_box(&s, low, high, r->across);
    if (r->is_round) {
        firn_shape_def *shape = &s.body_shapes[0][0];
        strcpy(shape->kind, "cylinder");
        shape->radius = W;
        shape->height = L;
        shape->normal[0] = shape->normal[1] = 0;
        shape->normal[2] = 1;
    }
    for (int end = 0; end < 2; end++)
        verify_grip(&s, (double[3]){-1, -1, end ? L - 0.01 * h : -1},
                    (double[3]){1, 1, end ? L + 1 : 0.01 * h});
    verify_force(&s, "drag")->strength = 2 * slow;
    firn_sim *sim = verify_start(&s);
    int64_t n = firn_sim_n_particles(sim);
    double *X = verify_copy(sim, "P"), *F = verify_copy(sim, "F");
    for (int64_t i = 0; i < n; i++) {
        F[9 * i + 2] = -r->psi * X[3 * i + 1];
        F[9 * i + 5] = r->psi * X[3 * i];
    }
    verify_assign(sim, "F", F);
    verify_go(sim, 8 / slow);
    measured m = measure(sim, r, X, h / r->across);
    free(X);
    free(F);
    firn_sim_destroy(sim);
    return m;
}

static void round_rod(verify_table *table)
{
    const rod r = {1, 1e5, 0.49, 1000, 0.02, 0.04, 20, table->is_full ? 14 : 10, 2};
    const double a = r.width / 2;
    measured m = twist(&r);
    double share = r.psi / m.psi; /* sections turn a little at the held ends */
    verify_near(table, "torsion of a round rod: torque at 20 rad/m (N m)",
                pi * r.mu * r.psi * pow(a, 4) / 2, m.torque * share, 0.03, 0);
    verify_near(table, "torsion of a round rod: normal force at 20 rad/m (N)",
                -pi * r.mu * pow(r.psi, 2) * pow(a, 4) / 4, m.normal * share * share, 0.03, 0);
}

static double square_bar(double cells, double across)
{
    const double mu = 9e8 / (2 * 1.33), W = 0.0288, L = 0.1056;
    const rod r = {0, mu, 0.33, 3.168 / (L * W * W), W, L, 1, cells, across};
    measured m = twist(&r);
    return m.torque / m.psi;
}

int main(int argc, char **argv)
{
    verify_table table = verify_begin(argc, argv);
    const double T = 32.722399446;
    round_rod(&table);
    verify_series errors = {.label = "torsion of the square bar"};
    for (int cells = 3; cells <= (table.is_full ? 12 : 6); cells *= 2) {
        double got = square_bar(cells, 2);
        char name[96];
        verify_add(&errors, cells, fabs(got / T - 1));
        snprintf(name, sizeof name, "torsion of the square bar %d cells wide (N m a rad/m)", cells);
        if (cells > 3)
            verify_near(&table, name, T, got, 0.03, 0);
        else
            verify_known_below(
                &table, "torsion of the bar of 792 particles dx 9.6 mm: share of St. Venant",
                got / T, 0.97, "three cells a width; the finer rows converge by second order");
    }
    verify_known_below(&table, "torsion of the bar of 792 particles dx 19.2 mm: 1 - error",
                       1 - fabs(square_bar(1.5, 4) / T - 1), 0.97,
                       "sections do not warp within 1.5 cells");
    verify_convergence(&table, "torsion", "Torsional stiffness of a square bar: relative error", 2,
                       1, &errors);
    return verify_end(&table);
}
