/* SPDX-License-Identifier: MIT */
/* quadratic.c: deformation gradients from best fits of degree two (meshless.degree: 2).
 *
 * A fit of degree one has on a motion with second derivatives H the error
 *
 *     F_i - F = 1/2 (sum_j w_ij H:X_ij X_ij X_ij^T) K_i,
 *
 * third moments of the cloud: zero inside a lattice, of the order of a spacing times H where a face
 * cuts the cloud off. In pure bending, u_x = -kappa x y, an outer layer sees the strain kappa (y +
 * <dx^2 dy>/<dx^2>), that of a place further inside. Here
 *
 *     sum_j w_ij |x_ij - F_i X_ij - G_i q(X_ij)|^2 = least,    q quadratic in X (quadratic.h),
 *
 *     [K L; L^T Z] = [A B; B^T C]^-1,  A = sum w X X^T, B = sum w X q^T, C = sum w q q^T,
 *     F = M K + N L^T,  G = M L + N Z,  M = sum w x X^T, N = sum w x q^T,
 *
 * so F is exact for every quadratic motion, on any cloud. With d_ij = w_ij (K_i X_ij + L_i q_ij) F_i
 * is again sum x_ij d_ij^T and forces are derivatives of the same energy:
 *
 *     f_i = sum_j w_ij ((Q_i + Q_j) X_ij + (R_i - R_j) q_ij),   Q = V P K, R = V P L,
 *
 * antisymmetric to the last bit, as q is even in X; moments balance as before. Stabilisation has
 * what this fit leaves over, x_ij - F X_ij - G q_ij, with Q - c F, R - c G in place of Q, R.
 *
 * A cloud in which a monomial is nearly a combination of the others (two layers: X0 X0 = h X0) does
 * not determine the fit: where a pivot of the normalised matrix is below LEAST, degree one stays.
 * Derivatives from few points are large, and so is the fastest frequency: on a random cloud with
 * corners, over that of degree one, 8.6 with a support of 2.2 spacings, 3.4 with 2.6, 2.1 with 3, which
 * is the default (tests/meshless/test_gradient.c). */
#include "meshless/quadratic.h"
#include "meshless/small3.h"

#include <string.h>

enum { TERMS = 9 };
static const double LEAST = 1e-2;

/* ---------------------------------------------------------------- memory */

void firn_quadratic_clear(firn_sim *sim)
{
    struct firn_meshless *s = sim->meshless;
    firn_memory_release(&sim->memory, s->quadratic,
                        (size_t)s->quadratic_capacity * sizeof *s->quadratic);
    s->quadratic = NULL;
    s->quadratic_capacity = 0;
}

firn_status firn_quadratic_reserve(firn_sim *sim, firn_messages *messages)
{
    struct firn_meshless *s = sim->meshless;
    if (sim->scene.meshless.degree < 2 || s->capacity <= s->quadratic_capacity) return FIRN_OK;
    firn_quadratic_clear(sim);
    s->quadratic = firn_memory_array(&sim->memory, (size_t)s->capacity, sizeof *s->quadratic);
    if (!s->quadratic) return firn_messages_no_memory(messages, "%d particles", s->n);
    s->quadratic_capacity = s->capacity;
    return FIRN_OK;
}

/* ---------------------------------------------------------------- reference state */

/* Inverse of a symmetric positive matrix of unit diagonal, by Cholesky's A = T T^T. 0: a pivot is
 * below LEAST. */
static int invert(const double *A, double *out)
{
    double T[TERMS * TERMS] = {0}, I[TERMS * TERMS] = {0}; /* T, and its inverse */
    for (int r = 0; r < TERMS; r++)
        for (int c = 0; c <= r; c++) {
            double sum = A[TERMS * r + c];
            for (int k = 0; k < c; k++) sum -= T[TERMS * r + k] * T[TERMS * c + k];
            if (r == c && !(sum > LEAST)) return 0;
            T[TERMS * r + c] = r == c ? sqrt(sum) : sum / T[TERMS * c + c];
        }
    for (int c = 0; c < TERMS; c++)
        for (int r = c; r < TERMS; r++) {
            double sum = r == c;
            for (int k = c; k < r; k++) sum -= T[TERMS * r + k] * I[TERMS * k + c];
            I[TERMS * r + c] = sum / T[TERMS * r + r];
        }
    for (int r = 0; r < TERMS; r++)
        for (int c = 0; c < TERMS; c++) {
            double sum = 0;
            for (int k = r > c ? r : c; k < TERMS; k++) sum += I[TERMS * k + r] * I[TERMS * k + c];
            out[TERMS * r + c] = sum;
        }
    return 1;
}

static void terms(const double X[3], double t[TERMS])
{
    memcpy(t, X, 3 * sizeof *t);
    firn_quadratic_terms(X, t + 3);
}

int firn_quadratic_refer(struct firn_meshless *s, int32_t i)
{
    firn_quadratic *own = &s->quadratic[i];
    double A[TERMS * TERMS] = {0}, inverse[TERMS * TERMS], scale[TERMS], t[TERMS], X[3];
    memset(own, 0, sizeof *own);
    for (int64_t b = s->bonds.first[i]; b < s->bonds.first[i + 1]; b++) {
        firn_meshless_pair(s->rest, i, s->bonds.other[b], X);
        terms(X, t);
        for (int r = 0; r < TERMS; r++)
            for (int c = 0; c < TERMS; c++) A[TERMS * r + c] += s->weight[b] * t[r] * t[c];
    }
    for (int r = 0; r < TERMS; r++) {
        if (!(A[(TERMS + 1) * r] > 0)) return 0;
        scale[r] = 1 / sqrt(A[(TERMS + 1) * r]);
    }
    for (int r = 0; r < TERMS; r++)
        for (int c = 0; c < TERMS; c++) A[TERMS * r + c] *= scale[r] * scale[c];
    if (!invert(A, inverse)) return 0;
    for (int r = 0; r < TERMS; r++)
        for (int c = 0; c < TERMS; c++) {
            const double value = inverse[TERMS * r + c] * scale[r] * scale[c];
            if (r < 3 && c < 3) s->correct[9 * i + 3 * r + c] = value;
            if (r < 3 && c >= 3) own->mixed[6 * r + c - 3] = value;
            if (r >= 3 && c >= 3) own->curved[6 * (r - 3) + c - 3] = value;
        }
    return 1;
}

/* ---------------------------------------------------------------- present state */

void firn_quadratic_gradient(struct firn_meshless *s, int32_t i, double F[9])
{
    firn_quadratic *own = &s->quadratic[i];
    double M[9] = {0}, N[18] = {0};
    for (int64_t b = s->bonds.first[i]; b < s->bonds.first[i + 1]; b++) {
        const int32_t j = s->bonds.other[b];
        double X[3], x[3], q[6];
        firn_meshless_pair(s->rest, i, j, X);
        firn_meshless_pair(s->x, i, j, x);
        firn_quadratic_terms(X, q);
        for (int r = 0; r < 3; r++) {
            const double wx = s->weight[b] * x[r];
            for (int c = 0; c < 3; c++) M[3 * r + c] += wx * X[c];
            for (int c = 0; c < 6; c++) N[6 * r + c] += wx * q[c];
        }
    }
    small3_multiply(M, s->correct + 9 * i, F);
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 6; k++) F[3 * r + c] += N[6 * r + k] * own->mixed[6 * c + k];
        for (int c = 0; c < 6; c++) {
            double sum = 0;
            for (int k = 0; k < 3; k++) sum += M[3 * r + k] * own->mixed[6 * k + c];
            for (int k = 0; k < 6; k++) sum += N[6 * r + k] * own->curved[6 * k + c];
            own->G[6 * r + c] = sum;
        }
    }
}

void firn_quadratic_flux(struct firn_meshless *s, int32_t i, const double P[9])
{
    firn_quadratic *own = &s->quadratic[i];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 6; c++) {
            double sum = 0;
            for (int k = 0; k < 3; k++) sum += P[3 * r + k] * own->mixed[6 * k + c];
            own->flux[6 * r + c] = s->volume[i] * sum - s->hold[i] * own->G[6 * r + c];
        }
}
