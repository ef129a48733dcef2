/* SPDX-License-Identifier: MIT */
/* gradient.c: strain and forces of methods with a reference state.
 *
 *     X_ij = X_j - X_i,  x_ij = x_j - x_i,  w_ij = w_ji a weight of |X_ij|
 *     A_i = sum_j w_ij X_ij X_ij^T                      moment matrix
 *     F_i = (sum_j w_ij x_ij X_ij^T) K_i,  K_i = A_i^-1                                       (1)
 *
 * (1) minimises sum_j w_ij |x_ij - F X_ij|^2 and is exact for x = A X + b on any cloud. With
 * d_ij = w_ij K_i X_ij the energy sum V_i psi(F_i) has the derivative
 *
 *     f_i = sum_j V_i P_i d_ij - V_j P_j d_ji = sum_j w_ij (Q_i + Q_j) X_ij,  Q_i = V_i P_i K_i (2)
 *
 * P = tau F^-T, V the initial volume. Each pair gives and takes the same to the last bit, so sum f
 * is zero to round-off; sum x cross f is the axial vector of sum V P F^T = sum V tau, which is zero
 * as tau is symmetric.
 *
 * Stabilisation. F_i does not see motions with sum_j w_ij x_ij X_ij^T = 0, such as (-1)^i on a
 * lattice. What is left of (1) gets an energy of its own,
 *
 *     U_s = 1/2 sum_i c_i sum_j w_ij |x_ij - F_i X_ij|^2,   c_i = stabilise M V_i / tr A_i,      (3)
 *
 * M the law's modulus. F_i minimises the inner sum, so its derivative by F_i is zero and
 *
 *     f_i += sum_j w_ij ((c_i + c_j) x_ij - (c_i F_i + c_j F_j) X_ij)
 *
 * is exact; it vanishes in every affine state (after G. C. Ganzenmueller, Comput. Methods Appl.
 * Mech. Engrg. 286, 2015, with the energy made consistent).
 *
 * Coplanar clouds. K_i is the pseudo-inverse; the column of F_i that is missing is the normal of the
 * image of the plane, of length 1, which turns with the body. Lines and lone points keep I there.
 *
 * Bounds (law_stage.c). The mass of j is divided among the clouds i in proportion to |d_ij|, with
 * d_ii = - sum_j d_ij. (3) is a graph Laplacian at most: stiff = 2 sum_j w_ij (c_i + c_j) / m_i. */
#include "meshless/gradient.h"
#include "meshless/quadratic.h"
#include "meshless/small3.h"

#include <string.h>

static const double least_eigenvalue = 1e-6; /* of the largest: below it a cloud is flat */

/* ---------------------------------------------------------------- reference state */

static void weigh_row(struct firn_meshless *s, int32_t i, const firn_gradient_choice *choice,
                      double A[9])
{
    memset(A, 0, 9 * sizeof *A);
    for (int64_t b = s->bonds.first[i]; b < s->bonds.first[i + 1]; b++) {
        const int32_t j = s->bonds.other[b];
        const double support = 0.5 * s->support * (s->spacing[i] + s->spacing[j]);
        double X[3];
        firn_meshless_pair(s->rest, i, j, X);
        s->weight[b] = choice->by_slope ? s->kernel->slope(firn_meshless_length(X), support)
                                        : s->kernel->value(firn_meshless_length(X), support);
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) A[3 * r + c] += s->weight[b] * X[r] * X[c];
    }
}

static void correct(firn_sim *sim, int32_t i, const firn_gradient_choice *choice)
{
    struct firn_meshless *s = sim->meshless;
    const int m = firn_meshless_material(sim, i);
    double A[9];
    weigh_row(s, i, choice, A);
    const double trace = A[0] + A[4] + A[8];
    s->rank[i] = (uint8_t)small3_safe_inverse(A, least_eigenvalue, s->correct + 9 * i);
    s->hold[i] = trace > 0 ? choice->stabilise * s->modulus[m] * s->volume[i] / trace : 0;
    for (int c = 0; choice->is_raw && c < 9; c++)
        s->correct[9 * i + c] = c % 4 == 0 ? s->volume[i] : 0;
    if (choice->is_raw) s->rank[i] = 3;
    if (s->quadratic && s->rank[i] == 3) firn_quadratic_refer(s, i);
}

/* d_ij of cloud i, X from i to j. */
static void derivative(const struct firn_meshless *s, int32_t i, int64_t bond, const double X[3],
                       double d[3])
{
    small3_apply(s->correct + 9 * i, X, d);
    if (s->quadratic) {
        double q[6], curved[3];
        firn_quadratic_terms(X, q);
        firn_quadratic_apply(s->quadratic[i].mixed, q, curved);
        for (int a = 0; a < 3; a++) d[a] += curved[a];
    }
    for (int a = 0; a < 3; a++) d[a] *= s->weight[bond];
}

static void own_derivative(const struct firn_meshless *s, int32_t i, double d[3])
{
    d[0] = d[1] = d[2] = 0;
    for (int64_t b = s->bonds.first[i]; b < s->bonds.first[i + 1]; b++) {
        double X[3], one[3];
        firn_meshless_pair(s->rest, i, s->bonds.other[b], X);
        derivative(s, i, b, X, one);
        for (int a = 0; a < 3; a++) d[a] -= one[a];
    }
}

/* The sum of |d| over the clouds that particle i is in, kept in column rate for the next pass. */
static void share(struct firn_meshless *s, int32_t i)
{
    double d[3];
    own_derivative(s, i, d);
    s->rate[i] = firn_meshless_length(d);
    for (int64_t b = s->bonds.first[i]; b < s->bonds.first[i + 1]; b++) {
        double X[3];
        firn_meshless_pair(s->rest, s->bonds.other[b], i, X);
        derivative(s, s->bonds.other[b], b, X, d);
        s->rate[i] += firn_meshless_length(d);
    }
}

static void add_share(const struct firn_meshless *s, int32_t j, const double d[3], double B[9])
{
    const double size = firn_meshless_length(d);
    for (int r = 0; r < 3 && size > 0; r++)
        for (int c = 0; c < 3; c++) B[3 * r + c] += d[r] * d[c] * s->rate[j] / (size * s->mass[j]);
}

static void bound(struct firn_meshless *s, int32_t i)
{
    double B[9] = {0}, d[3], value[3], V[9], stiff = 0;
    own_derivative(s, i, d);
    add_share(s, i, d, B);
    for (int64_t b = s->bonds.first[i]; b < s->bonds.first[i + 1]; b++) {
        const int32_t j = s->bonds.other[b];
        double X[3];
        firn_meshless_pair(s->rest, i, j, X);
        derivative(s, i, b, X, d);
        add_share(s, j, d, B);
        stiff += s->weight[b] * (s->hold[i] + s->hold[j]);
    }
    small3_eigen(B, value, V);
    s->compliant[i] = s->volume[i] * value[0];
    s->stiff[i] = 2 * stiff / s->mass[i];
}

void firn_gradient_refer(firn_sim *sim, const firn_gradient_choice *choice)
{
    struct firn_meshless *s = sim->meshless;
#pragma omp parallel num_threads(sim->n_threads)
    {
#pragma omp for schedule(static)
        for (int32_t i = 0; i < s->n; i++) correct(sim, i, choice);
#pragma omp for schedule(static)
        for (int32_t i = 0; i < s->n; i++) share(s, i);
#pragma omp for schedule(static)
        for (int32_t i = 0; i < s->n; i++) bound(s, i);
    }
}

firn_status firn_gradient_refer_by_kernel(firn_sim *sim, firn_messages *messages)
{
    const firn_gradient_choice choice = {.stabilise = sim->scene.meshless.stabilise};
    const firn_status status = firn_quadratic_reserve(sim, messages);
    if (status == FIRN_OK) firn_gradient_refer(sim, &choice);
    return status;
}

/* ---------------------------------------------------------------- strain */

/* The part of F that a flat cloud does not determine: see the head of this file. */
static void complete(const struct firn_meshless *s, int32_t i, double F[9])
{
    double value[3], V[9], u[3][3], v[3][3];
    small3_eigen(s->correct + 9 * i, value, V);
    for (int k = 0; k < 3; k++)
        for (int a = 0; a < 3; a++) v[k][a] = V[3 * a + k];
    if (s->rank[i] == 2) {
        small3_apply(F, v[0], u[0]);
        small3_apply(F, v[1], u[1]);
        small3_cross(v[0], v[1], v[2]);
        small3_cross(u[0], u[1], u[2]);
        const double size = firn_meshless_length(u[2]);
        for (int a = 0; a < 3; a++) u[2][a] = size > 0 ? u[2][a] / size : v[2][a];
    } else {
        memcpy(u, v, sizeof u);
    }
    for (int k = s->rank[i]; k < 3; k++)
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) F[3 * r + c] += u[k][r] * v[k][c];
}

static void gradient_at(const struct firn_meshless *s, int32_t i, double F[9])
{
    double M[9] = {0};
    for (int64_t b = s->bonds.first[i]; b < s->bonds.first[i + 1]; b++) {
        const int32_t j = s->bonds.other[b];
        double X[3], x[3];
        firn_meshless_pair(s->rest, i, j, X);
        firn_meshless_pair(s->x, i, j, x);
        for (int r = 0; r < 3; r++) {
            const double wx = s->weight[b] * x[r];
            for (int c = 0; c < 3; c++) M[3 * r + c] += wx * X[c];
        }
    }
    small3_multiply(M, s->correct + 9 * i, F);
    if (s->rank[i] < 3) complete(s, i, F);
}

void firn_gradient_advance(firn_sim *sim, int32_t i, const double F[9], int is_step)
{
    struct firn_meshless *s = sim->meshless;
    double turned[9], step[9];
    if (is_step) {
        small3_invert_turned(s->F + 9 * i, turned);
        small3_multiply_turned(F, turned, step); /* F F_before^-1 */
        for (int c = 0; c < 9; c++) s->grad_v[9 * i + c] = (step[c] - (c % 4 == 0)) / sim->dt;
    }
    memcpy(s->F + 9 * i, F, 9 * sizeof *F);
}

firn_status firn_gradient_strain(firn_sim *sim, int is_step, firn_messages *messages)
{
    struct firn_meshless *s = sim->meshless;
    (void)messages;
#pragma omp parallel for num_threads(sim->n_threads) schedule(static)
    for (int32_t i = 0; i < s->n; i++) {
        double F[9];
        if (s->quadratic && s->rank[i] == 3)
            firn_quadratic_gradient(s, i, F);
        else
            gradient_at(s, i, F);
        firn_gradient_advance(sim, i, F, is_step);
    }
    return FIRN_OK;
}

/* ---------------------------------------------------------------- forces */

void firn_gradient_flux(firn_sim *sim, int32_t i, const double P[9])
{
    struct firn_meshless *s = sim->meshless;
    double Q[9];
    small3_multiply(P, s->correct + 9 * i, Q);
    for (int c = 0; c < 9; c++)
        s->flux[9 * i + c] = s->volume[i] * Q[c] - s->hold[i] * s->F[9 * i + c];
    if (s->quadratic) firn_quadratic_flux(s, i, P);
}

/* (R_i - R_j) q of a bond, to be added to the rest of its force. */
static void add_curved(const struct firn_meshless *s, int32_t i, int64_t bond, double f[3])
{
    const int32_t j = s->bonds.other[bond];
    const double *R = s->quadratic[i].flux, *O = s->quadratic[j].flux;
    double X[3], q[6];
    firn_meshless_pair(s->rest, i, j, X);
    firn_quadratic_terms(X, q);
    for (int r = 0; r < 3; r++) {
        double sum = 0;
        for (int c = 0; c < 6; c++) sum += (R[6 * r + c] - O[6 * r + c]) * q[c];
        f[r] += s->weight[bond] * sum;
    }
}

void firn_gradient_pairs(firn_sim *sim)
{
    struct firn_meshless *s = sim->meshless;
#pragma omp parallel for num_threads(sim->n_threads) schedule(static)
    for (int32_t i = 0; i < s->n; i++) {
        double f[3] = {0, 0, 0};
        for (int64_t b = s->bonds.first[i]; b < s->bonds.first[i + 1]; b++) {
            const int32_t j = s->bonds.other[b];
            const double *Q = s->flux + 9 * i, *O = s->flux + 9 * j, w = s->weight[b],
                         hold = s->hold[i] + s->hold[j];
            double X[3], x[3];
            firn_meshless_pair(s->rest, i, j, X);
            firn_meshless_pair(s->x, i, j, x);
            for (int r = 0; r < 3; r++) {
                const double taken = (Q[3 * r] + O[3 * r]) * X[0] +
                                     (Q[3 * r + 1] + O[3 * r + 1]) * X[1] +
                                     (Q[3 * r + 2] + O[3 * r + 2]) * X[2];
                f[r] += w * (taken + hold * x[r]);
            }
            if (s->quadratic) add_curved(s, i, b, f);
        }
        memcpy(s->force + 3 * i, f, sizeof f);
    }
}

/* P = tau F^-T. Where F is singular to the last digit its inverse is taken as 0. */
firn_status firn_gradient_forces(firn_sim *sim, firn_messages *messages)
{
    struct firn_meshless *s = sim->meshless;
    (void)messages;
    for (int m = 0; m < sim->n_materials; m++)
#pragma omp parallel for num_threads(sim->n_threads) schedule(static)
        for (int32_t i = s->first[m]; i < s->first[m + 1]; i++) {
            double t[6], turned[9], P[9];
            firn_meshless_tensor(&s->particles[m], FIRN_FIELD_TAU, i - s->first[m], 6, t);
            const double tau[9] = {t[0], t[3], t[4], t[3], t[1], t[5], t[4], t[5], t[2]};
            small3_invert_turned(s->F + 9 * i, turned);
            small3_multiply(tau, turned, P);
            firn_gradient_flux(sim, i, P);
        }
    firn_gradient_pairs(sim);
    return FIRN_OK;
}

firn_status firn_gradient_forces_printed(firn_sim *sim, firn_messages *messages)
{
    const firn_status status = firn_gradient_forces(sim, messages);
    for (int32_t i = 0; sim->scene.meshless.as_printed && i < 3 * sim->meshless->n; i++)
        sim->meshless->force[i] *= sim->meshless->hooks->printed_factor;
    return status;
}

double firn_gradient_held(const firn_sim *sim, int32_t i)
{
    const struct firn_meshless *s = sim->meshless;
    double sum = 0;
    for (int64_t b = s->bonds.first[i]; s->hold[i] > 0 && b < s->bonds.first[i + 1]; b++) {
        double X[3], x[3], y[3];
        firn_meshless_pair(s->rest, i, s->bonds.other[b], X);
        firn_meshless_pair(s->x, i, s->bonds.other[b], x);
        small3_apply(s->F + 9 * i, X, y);
        if (s->quadratic) {
            double q[6], curved[3];
            firn_quadratic_terms(X, q);
            firn_quadratic_apply(s->quadratic[i].G, q, curved);
            for (int a = 0; a < 3; a++) y[a] += curved[a];
        }
        for (int a = 0; a < 3; a++) sum += s->weight[b] * (x[a] - y[a]) * (x[a] - y[a]);
    }
    return 0.5 * s->hold[i] * sum;
}
