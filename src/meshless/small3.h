/* SPDX-License-Identifier: MIT */
/* small3.h: 3 x 3 matrices of double, row by row, one at a time.
 *
 * Eigenvalues by cyclic Jacobi rotations (C. G. J. Jacobi, 1846); rotations from F by the
 * eigenvectors of F^T F, completed by cross products, so that a singular or inverted F has a proper
 * rotation too. */
#ifndef FIRN_SMALL3_H
#define FIRN_SMALL3_H

#include <math.h>
#include <string.h>

static inline void small3_multiply(const double a[9], const double b[9], double out[9])
{
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            out[3 * r + c] = a[3 * r] * b[c] + a[3 * r + 1] * b[3 + c] + a[3 * r + 2] * b[6 + c];
}

/* a b^T */
static inline void small3_multiply_turned(const double a[9], const double b[9], double out[9])
{
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            out[3 * r + c] =
                a[3 * r] * b[3 * c] + a[3 * r + 1] * b[3 * c + 1] + a[3 * r + 2] * b[3 * c + 2];
}

/* a^T b */
static inline void small3_turned_multiply(const double a[9], const double b[9], double out[9])
{
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            out[3 * r + c] = a[r] * b[c] + a[3 + r] * b[3 + c] + a[6 + r] * b[6 + c];
}

static inline void small3_apply(const double a[9], const double x[3], double out[3])
{
    for (int r = 0; r < 3; r++)
        out[r] = a[3 * r] * x[0] + a[3 * r + 1] * x[1] + a[3 * r + 2] * x[2];
}

static inline double small3_determinant(const double a[9])
{
    return a[0] * (a[4] * a[8] - a[5] * a[7]) - a[1] * (a[3] * a[8] - a[5] * a[6]) +
           a[2] * (a[3] * a[7] - a[4] * a[6]);
}

/* The matrix of cofactors, det(a) a^-T: finite for every a. */
static inline void small3_cofactors(const double a[9], double out[9])
{
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            const int r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
            out[3 * r + c] = a[3 * r1 + c1] * a[3 * r2 + c2] - a[3 * r1 + c2] * a[3 * r2 + c1];
        }
}

/* a^-T; 0 and zeros where a is singular to the last digit. */
static inline int small3_invert_turned(const double a[9], double out[9])
{
    const double det = small3_determinant(a);
    small3_cofactors(a, out);
    const double scale = det != 0 && isfinite(1 / det) ? 1 / det : 0;
    for (int i = 0; i < 9; i++) out[i] *= scale;
    return scale != 0;
}

static inline void small3_turn(const double a[9], double out[9])
{
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) out[3 * r + c] = a[3 * c + r];
}

/* One rotation in the plane p, q that makes s[p][q] zero; columns of V follow. */
static inline void small3_rotate(double s[9], double V[9], int p, int q)
{
    const double o = s[3 * p + q];
    if (fabs(o) <= 1e-18 * (fabs(s[4 * p]) + fabs(s[4 * q]))) return;
    const double theta = (s[4 * q] - s[4 * p]) / (2 * o),
                 t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1)),
                 c = 1 / sqrt(t * t + 1), z = t * c;
    for (int k = 0; k < 3; k++) {
        const double a = s[3 * k + p], b = s[3 * k + q];
        s[3 * k + p] = c * a - z * b;
        s[3 * k + q] = z * a + c * b;
    }
    for (int k = 0; k < 3; k++) {
        const double a = s[3 * p + k], b = s[3 * q + k];
        s[3 * p + k] = c * a - z * b;
        s[3 * q + k] = z * a + c * b;
        const double v = V[3 * k + p], w = V[3 * k + q];
        V[3 * k + p] = c * v - z * w;
        V[3 * k + q] = z * v + c * w;
    }
}

/* Eigenvalues of a symmetric matrix, largest first, and their vectors as the columns of V. */
static inline void small3_eigen(const double symmetric[9], double value[3], double V[9])
{
    double s[9], W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    int order[3] = {0, 1, 2};
    memcpy(s, symmetric, sizeof s);
    for (int sweep = 0; sweep < 8; sweep++) {
        small3_rotate(s, W, 0, 1);
        small3_rotate(s, W, 0, 2);
        small3_rotate(s, W, 1, 2);
    }
    for (int i = 0; i < 2; i++)
        for (int k = i + 1; k < 3; k++)
            if (s[4 * order[k]] > s[4 * order[i]]) {
                const int other = order[i];
                order[i] = order[k];
                order[k] = other;
            }
    for (int i = 0; i < 3; i++) {
        value[i] = s[4 * order[i]];
        for (int k = 0; k < 3; k++) V[3 * k + i] = W[3 * k + order[i]];
    }
}

/* Inverse of a symmetric positive matrix in which eigenvalues below `least` of the largest count as
 * infinite (coplanar, collinear or lone points): the pseudo-inverse, which gives such directions no
 * strain and no force. Returns the rank. */
static inline int small3_safe_inverse(const double symmetric[9], double least, double out[9])
{
    double value[3], V[9];
    int rank = 0;
    small3_eigen(symmetric, value, V);
    memset(out, 0, 9 * sizeof *out);
    for (int k = 0; k < 3; k++) {
        if (!(value[k] > least * value[0]) || !(value[0] > 0)) continue;
        rank++;
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) out[3 * r + c] += V[3 * r + k] * V[3 * c + k] / value[k];
    }
    return rank;
}

static inline void small3_cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* The rotation nearest to F, det R = 1 always: with the eigenvectors v_k of F^T F the columns
 * u_k = F v_k / |F v_k| of the two largest, and cross products for the third; R = sum u_k v_k^T. */
static inline void small3_rotation(const double F[9], double R[9])
{
    double C[9], value[3], V[9], u[3][3], v[3][3];
    small3_turned_multiply(F, F, C);
    small3_eigen(C, value, V);
    for (int k = 0; k < 2; k++) {
        double length = 0, along = 0;
        for (int i = 0; i < 3; i++) v[k][i] = V[3 * i + k];
        small3_apply(F, v[k], u[k]);
        for (int i = 0; i < 3; i++) along += k ? u[0][i] * u[1][i] : 0;
        for (int i = 0; i < 3; i++) u[k][i] -= k ? along * u[0][i] : 0;
        for (int i = 0; i < 3; i++) length += u[k][i] * u[k][i];
        length = sqrt(length);
        for (int i = 0; i < 3 && length > 0; i++) u[k][i] /= length;
        if (length > 0) continue;
        /* rank below two: any direction normal to the first */
        const double *w = k ? u[0] : v[0];
        const int a = fabs(w[0]) < 0.6 ? 0 : 1;
        double axis[3] = {a == 0, a == 1, 0}, size = 0;
        if (k)
            small3_cross(w, axis, u[k]);
        else
            memcpy(u[k], v[0], sizeof u[k]);
        for (int i = 0; i < 3; i++) size += u[k][i] * u[k][i];
        for (int i = 0; i < 3; i++) u[k][i] /= sqrt(size);
    }
    small3_cross(u[0], u[1], u[2]);
    small3_cross(v[0], v[1], v[2]);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            R[3 * r + c] = u[0][r] * v[0][c] + u[1][r] * v[1][c] + u[2][r] * v[2][c];
}

/* The largest eigenvalue of a symmetric matrix from its mean m, the size p of its deviator and the
 * cosine of three times an angle (O. K. Smith, Comm. ACM 4, 1961); to 1e-8 of it. */
static inline double small3_largest(const double s[9])
{
    const double m = (s[0] + s[4] + s[8]) / 3,
                 d[9] = {s[0] - m, s[1], s[2], s[3], s[4] - m, s[5], s[6], s[7], s[8] - m};
    double p2 = 0;
    for (int i = 0; i < 9; i++) p2 += d[i] * d[i] / 6;
    const double p = sqrt(p2), r = p2 > 0 ? small3_determinant(d) / (2 * p2 * p) : 0;
    return m + 2 * p * cos(acos(fmax(-1, fmin(1, r))) / 3);
}

/* The largest eigenvalue of a^-1 a^-T, that is 1 / (smallest singular value)^2. */
static inline double small3_inverse_square(const double a[9])
{
    double turned[9], C[9];
    if (!small3_invert_turned(a, turned)) return INFINITY;
    small3_multiply_turned(turned, turned, C);
    return small3_largest(C);
}

#endif
