/* SPDX-License-Identifier: MIT */
/* mat3.h: 3 x 3 matrices on lanes: products, determinants, symmetric eigen-decomposition,
 * singular values.
 *
 *   A[9]   row-major, A[3 r + c]
 *   S[6]   symmetric: xx yy zz xy xz yz
 *   U[9]   the columns are vectors
 *
 * A lane's result never depends on its neighbours, and a NaN stays in its lane: choices are made
 * lane by lane, and work is left out only where it would change nothing in any lane.
 *
 * Eigenvalues come from cyclic Jacobi rotations (C. G. J. Jacobi, 1846). A rotation in the plane
 * p, q turns the off-diagonal element to zero; with d = a_pp - a_qq, o = 2 a_pq,
 * r = sqrt(d^2 + o^2) the smaller angle has
 *
 *   cos^2 = (1 + |d| / r) / 2,     sin cos = sign(d) o / (2 r),
 *
 * free of cancellation for every d and o. Convergence is quadratic once the matrix is nearly
 * diagonal. An element that is negligible against the largest is left as it is, exactly, so that
 * a sweep which no lane needs may be left out. */
#ifndef FIRN_MAT3_H
#define FIRN_MAT3_H

#include "simd/lanes.h"

#if FIRN_DOUBLE
enum { MAT3_SWEEPS = 6 };
#define MAT3_TINY 1e-150
#define MAT3_NEGLIGIBLE 1.1e-16 /* of the largest element: half a unit in its last place */
#else
enum { MAT3_SWEEPS = 4 };
#define MAT3_TINY 1e-18f /* its square is still normal */
#define MAT3_NEGLIGIBLE 6e-8f
#endif

FIRN_INLINE void mat3_identity(fr a[9])
{
    for (int i = 0; i < 9; i++) a[i] = fr_set1(i % 4 == 0 ? 1 : 0);
}

FIRN_INLINE void mat3_multiply(const fr a[9], const fr b[9], fr out[9])
{
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            out[3 * r + c] = a[3 * r] * b[c] + a[3 * r + 1] * b[3 + c] + a[3 * r + 2] * b[6 + c];
}

/* A <- (I + step L) A, the update of a deformation gradient by a velocity gradient */
FIRN_INLINE void mat3_advance(fr a[9], const fr l[9], fr step)
{
    fr k[9], change[9];
    for (int i = 0; i < 9; i++) k[i] = step * l[i];
    mat3_multiply(k, a, change);
    for (int i = 0; i < 9; i++) a[i] = a[i] + change[i];
}

FIRN_INLINE fr mat3_determinant(const fr a[9])
{
    return a[0] * (a[4] * a[8] - a[5] * a[7]) - a[1] * (a[3] * a[8] - a[5] * a[6]) +
           a[2] * (a[3] * a[7] - a[4] * a[6]);
}

/* det A - 1 without losing the small part where A is near I: with H = A - I it is tr H + (sum of
 * principal 2 x 2 minors of H) + det H. */
FIRN_INLINE fr mat3_determinant_minus_one(const fr a[9])
{
    fr h[9];
    for (int i = 0; i < 9; i++) h[i] = i % 4 == 0 ? a[i] - 1 : a[i];
    fr trace = h[0] + h[4] + h[8];
    fr minors =
        (h[0] * h[4] - h[1] * h[3]) + (h[0] * h[8] - h[2] * h[6]) + (h[4] * h[8] - h[5] * h[7]);
    return trace + (minors + mat3_determinant(h));
}

/* F F^T - shift I, for shift 0 or 1. With H = F - shift I this is H H^T + shift (H + H^T): near
 * the identity the small strain keeps all its digits, which F F^T alone would lose to the ones
 * on its diagonal. */
FIRN_INLINE void mat3_left_cauchy_green(const fr f[9], fr shift, fr b[6])
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    fr h[9];
    for (int i = 0; i < 9; i++) h[i] = i % 4 == 0 ? f[i] - shift : f[i];
    for (int k = 0; k < 6; k++) {
        const fr *u = h + 3 * row[k], *v = h + 3 * column[k];
        b[k] = u[0] * v[0] + u[1] * v[1] + u[2] * v[2] +
               shift * (h[3 * row[k] + column[k]] + h[3 * column[k] + row[k]]);
    }
}

/* A S A^T of a symmetric S */
FIRN_INLINE void mat3_congruence(const fr a[9], const fr s[6], fr out[6])
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    const fr full[9] = {s[0], s[3], s[4], s[3], s[1], s[5], s[4], s[5], s[2]};
    fr as[9];
    mat3_multiply(a, full, as);
    for (int k = 0; k < 6; k++) {
        const fr *u = as + 3 * row[k], *v = a + 3 * column[k];
        out[k] = u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
    }
}

/* I + B <- (I + H)(I + B)(I + H)^T, for small B and H without losing their digits to the ones: with
 * M = H (I + B) it is B + M + M^T + M H^T. */
FIRN_INLINE void mat3_push_forward(const fr h[9], fr b[6])
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    const fr whole[9] = {b[0] + 1, b[3], b[4], b[3], b[1] + 1, b[5], b[4], b[5], b[2] + 1};
    fr m[9];
    mat3_multiply(h, whole, m);
    for (int k = 0; k < 6; k++) {
        int r = row[k], c = column[k];
        b[k] = b[k] + (m[3 * r + c] + m[3 * c + r]) +
               (m[3 * r] * h[3 * c] + m[3 * r + 1] * h[3 * c + 1] + m[3 * r + 2] * h[3 * c + 2]);
    }
}

/* The invariants of a symmetric S, for which det(I + k S) = 1 + k (i1 + k (i2 + k i3)). */
FIRN_INLINE void mat3_invariants(const fr s[6], fr *i1, fr *i2, fr *i3)
{
    fr xx = s[1] * s[2] - s[5] * s[5], yy = s[0] * s[2] - s[4] * s[4],
       zz = s[0] * s[1] - s[3] * s[3];
    *i1 = s[0] + s[1] + s[2];
    *i2 = xx + yy + zz;
    *i3 = s[0] * xx - s[3] * (s[3] * s[2] - s[5] * s[4]) + s[4] * (s[3] * s[5] - s[1] * s[4]);
}

/* U diag(d) U^T */
FIRN_INLINE void mat3_from_principal(const fr u[9], const fr d[3], fr s[6])
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; k++) {
        const fr *a = u + 3 * row[k], *b = u + 3 * column[k];
        s[k] = a[0] * b[0] * d[0] + a[1] * b[1] * d[1] + a[2] * b[2] * d[2];
    }
}

/* The symmetric part of a velocity gradient */
FIRN_INLINE void mat3_symmetric_part(const fr l[9], fr s[6])
{
    const fr half = fr_set1((real)0.5);
    s[0] = l[0];
    s[1] = l[4];
    s[2] = l[8];
    s[3] = half * (l[1] + l[3]);
    s[4] = half * (l[2] + l[6]);
    s[5] = half * (l[5] + l[7]);
}

FIRN_INLINE fr mat3_contract(const fr a[6], const fr b[6]) /* A : B */
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + 2 * (a[3] * b[3] + a[4] * b[4] + a[5] * b[5]);
}

/* Upper bound of the largest eigenvalue, exact for multiples of I: mean + sqrt(2/3) |deviator|. */
FIRN_INLINE fr mat3_largest_eigenvalue_bound(const fr s[6])
{
    fr mean = (s[0] + s[1] + s[2]) * (real)(1.0 / 3);
    const fr d[6] = {s[0] - mean, s[1] - mean, s[2] - mean, s[3], s[4], s[5]};
    return mean + fr_sqrt(mat3_contract(d, d) * (real)(2.0 / 3));
}

/* One Jacobi rotation: cosine and sine from d = a_pp - a_qq and a_pq. For d = a_pq = 0 it is no
 * rotation. */
FIRN_INLINE void mat3_angle(fr d, fr apq, fr *cosine, fr *sine, fr *tangent)
{
    fr o = 2 * apq, size = fr_max(fr_abs(d), fr_set1(MAT3_TINY));
    fr i = fr_rsqrt(size * size + o * o);
    fr c2 = (real)0.5 + (real)0.5 * size * i, ic = fr_rsqrt(c2);
    fr sc = fr_copysign(fr_set1((real)0.5), d) * o * i; /* sin cos */
    *cosine = c2 * ic;
    *sine = sc * ic;
    *tangent = sc * ic * ic;
}

/* rotates a pair of numbers by the angle */
FIRN_INLINE void mat3_turn(fr c, fr s, fr *x, fr *y)
{
    fr a = *x, b = *y;
    *x = c * a + s * b;
    *y = c * b - s * a;
}

/* apq to zero, unless it is negligible; k is the third index, u accumulates the rotations */
FIRN_INLINE void mat3_rotate(fr *app, fr *aqq, fr *apq, fr *apk, fr *aqk, fr u[9], int p, int q,
                             fr negligible)
{
    fm turns = fr_gt(fr_abs(*apq), negligible);
    fr c, s, t, off = fr_select(turns, *apq, fr_zero());
    mat3_angle(*app - *aqq, off, &c, &s, &t); /* off = 0 gives s = t = 0 exactly */
    c = fr_select(turns, c, fr_set1(1));
    *app = *app + t * off;
    *aqq = *aqq - t * off;
    *apq = *apq - off;
    mat3_turn(c, s, apk, aqk);
    for (int r = 0; r < 3; r++) mat3_turn(c, s, &u[3 * r + p], &u[3 * r + q]);
}

/* What a symmetric matrix is turned into by rotations U: S becomes diagonal, with the eigenvalues.
 */
typedef struct mat3_turned {
    fr s[6], u[9], negligible;
} mat3_turned;

FIRN_INLINE fr mat3_off_diagonal(const fr s[6])
{
    return fr_max(fr_abs(s[3]), fr_max(fr_abs(s[4]), fr_abs(s[5])));
}

FIRN_INLINE void mat3_sweep(int plane, mat3_turned *m)
{
    fr *s = m->s;
    if (plane == 0) mat3_rotate(&s[0], &s[1], &s[3], &s[4], &s[5], m->u, 0, 1, m->negligible);
    if (plane == 1) mat3_rotate(&s[0], &s[2], &s[4], &s[3], &s[5], m->u, 0, 2, m->negligible);
    if (plane == 2) mat3_rotate(&s[1], &s[2], &s[5], &s[3], &s[4], m->u, 1, 2, m->negligible);
}

/* Symmetric eigen-decompositions A = U diag(l) U^T of n sets of lanes, a constant; U is a
 * rotation, the order of l is unspecified. Errors are those of round-off relative to the largest
 * element, or to 1e-10 (float) where that is larger: below are no strains. Every rotation waits
 * for the one before: with two sets at a time the processor has something to do meanwhile. */
FIRN_INLINE void mat3_eigen_sets(int n, mat3_turned *m)
{
    for (int i = 0; i < n; i++) {
        const fr *s = m[i].s, diagonal = fr_max(fr_max(fr_abs(s[0]), fr_abs(s[1])), fr_abs(s[2]));
        m[i].negligible = MAT3_NEGLIGIBLE * fr_max(diagonal, mat3_off_diagonal(s));
        mat3_identity(m[i].u);
    }
#pragma GCC unroll 1
    for (int sweep = 0; sweep < MAT3_SWEEPS; sweep++) {
        fm is_wanted = fr_gt(mat3_off_diagonal(m[0].s), m[0].negligible);
        for (int i = 1; i < n; i++)
            is_wanted = fm_or(is_wanted, fr_gt(mat3_off_diagonal(m[i].s), m[i].negligible));
        if (!fm_any(is_wanted)) break;
        for (int plane = 0; plane < 3; plane++)
            for (int i = 0; i < n; i++) mat3_sweep(plane, &m[i]);
    }
}

FIRN_INLINE void mat3_eigen(const fr a[6], fr l[3], fr u[9])
{
    mat3_turned m;
    for (int i = 0; i < 6; i++) m.s[i] = a[i];
    mat3_eigen_sets(1, &m);
    for (int i = 0; i < 3; i++) l[i] = m.s[i];
    for (int i = 0; i < 9; i++) u[i] = m.u[i];
}

/* Columns p < q of both matrices are exchanged where the first of `size` is smaller; the sign of
 * one turns so that the determinants stay. */
FIRN_INLINE void mat3_order(fr size[3], fr a[9], fr b[9], int p, int q)
{
    fm swap = fr_lt(size[p], size[q]);
    fr t = size[p];
    size[p] = fr_select(swap, size[q], t);
    size[q] = fr_select(swap, t, size[q]);
    for (int r = 0; r < 3; r++) {
        fr x = a[3 * r + p], y = a[3 * r + q];
        a[3 * r + p] = fr_select(swap, y, x);
        a[3 * r + q] = fr_select(swap, -x, y);
        x = b[3 * r + p];
        y = b[3 * r + q];
        b[3 * r + p] = fr_select(swap, y, x);
        b[3 * r + q] = fr_select(swap, -x, y);
    }
}

FIRN_INLINE fr mat3_column_dot(const fr a[9], int p, const fr b[9], int q)
{
    return a[p] * b[q] + a[3 + p] * b[3 + q] + a[6 + p] * b[6 + q];
}

/* Column q of b, freed of its part along column p of u and brought to length one. Where nothing
 * is left of it, any unit vector perpendicular to column p takes its place. */
FIRN_INLINE void mat3_perpendicular(const fr b[9], int q, fr u[9], int p, fr threshold)
{
    fr v[3], w[3], along = mat3_column_dot(u, p, b, q);
    for (int r = 0; r < 3; r++) v[r] = b[3 * r + q] - along * u[3 * r + p];
    /* the axis on which u_p is smallest, made perpendicular: its length is at least sqrt(2/3) */
    fr x = fr_abs(u[p]), y = fr_abs(u[3 + p]), z = fr_abs(u[6 + p]);
    fm first = fm_and(fr_le(x, y), fr_le(x, z)), second = fm_and(fm_not(first), fr_le(y, z));
    w[0] = fr_select(first, fr_set1(1), fr_zero());
    w[1] = fr_select(second, fr_set1(1), fr_zero());
    w[2] = 1 - w[0] - w[1];
    fr part = w[0] * u[p] + w[1] * u[3 + p] + w[2] * u[6 + p];
    fm lost = fm_not(fr_gt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2], threshold * threshold));
    for (int r = 0; r < 3; r++) v[r] = fr_select(lost, w[r] - part * u[3 * r + p], v[r]);
    fr scale = fr_rsqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int r = 0; r < 3; r++) v[r] = v[r] * scale;
    /* once more, for what the cancellation left */
    along = v[0] * u[p] + v[1] * u[3 + p] + v[2] * u[6 + p];
    for (int r = 0; r < 3; r++) v[r] = v[r] - along * u[3 * r + p];
    scale = fr_rsqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int r = 0; r < 3; r++) u[3 * r + q] = v[r] * scale;
}

/* Brings a nearly orthogonal matrix to orthogonality within round-off: one Newton step V (3 I -
 * V^T V) / 2. */
FIRN_INLINE void mat3_polish(fr v[9])
{
    fr half[9], out[9];
    for (int i = 0; i < 9; i++)
        half[i] = (real)(i % 4 == 0 ? 1.5 : 0) - (real)0.5 * mat3_column_dot(v, i / 3, v, i % 3);
    mat3_multiply(v, half, out);
    for (int i = 0; i < 9; i++) v[i] = out[i];
}

/* Singular values F = U diag(s) V^T with U and V rotations (determinant +1), s0 >= s1 >= |s2|,
 * and s2 carrying the sign of det F. V comes from the eigenvectors of F^T F; one sweep of
 * one-sided rotations on the columns of
 * B = F V (M. R. Hestenes, 1958) then makes small columns perpendicular to the last digit
 * relative to their own length, which F^T F cannot. */
FIRN_INLINE void mat3_svd(const fr f[9], fr u[9], fr s[3], fr v[9])
{
    fr biggest = fr_set1(MAT3_TINY);
    for (int i = 0; i < 9; i++) biggest = fr_max(biggest, fr_abs(f[i]));
    fr scale = 1 / biggest, g[9], transposed[9], c[6], b[9];
    for (int i = 0; i < 9; i++)
        g[i] = f[i] * scale; /* so that squares neither overflow nor vanish */
    for (int i = 0; i < 9; i++) transposed[i] = g[3 * (i % 3) + i / 3];
    mat3_left_cauchy_green(transposed, fr_zero(), c);
    mat3_eigen(c, s, v);
    mat3_polish(v);
    mat3_multiply(g, v, b);
    const int pair[6][2] = {{0, 1}, {0, 2}, {1, 2}, {0, 1}, {0, 2}, {1, 2}};
#pragma GCC unroll 6
    for (int k = 0; k < 6; k++) {
        int p = pair[k][0], q = pair[k][1];
        fr cosine, sine, tangent;
        fr pp = mat3_column_dot(b, p, b, p), qq = mat3_column_dot(b, q, b, q);
        mat3_angle(pp - qq, mat3_column_dot(b, p, b, q), &cosine, &sine, &tangent);
        fr unit = (real)1.5 - (real)0.5 * (cosine * cosine + sine * sine);
        cosine = cosine * unit;
        sine = sine * unit;
        for (int r = 0; r < 3; r++) {
            mat3_turn(cosine, sine, &b[3 * r + p], &b[3 * r + q]);
            mat3_turn(cosine, sine, &v[3 * r + p], &v[3 * r + q]);
        }
    }
    for (int k = 0; k < 3; k++) s[k] = mat3_column_dot(b, k, b, k);
    mat3_order(s, b, v, 0, 1);
    mat3_order(s, b, v, 0, 2);
    mat3_order(s, b, v, 1, 2);
    fm zero = fm_not(fr_gt(s[0], fr_set1(MAT3_TINY * MAT3_TINY)));
    fr inverse = fr_rsqrt(fr_max(s[0], fr_set1(MAT3_TINY * MAT3_TINY)));
    for (int r = 0; r < 3; r++)
        u[3 * r] = fr_select(zero, fr_set1(r == 0 ? 1 : 0), b[3 * r] * inverse);
    fr length = fr_rsqrt(mat3_column_dot(u, 0, u, 0));
    for (int r = 0; r < 3; r++) u[3 * r] = u[3 * r] * length;
    mat3_perpendicular(b, 1, u, 0, fr_set1((real)16 * REAL_EPSILON * REAL_EPSILON));
    u[2] = u[3] * u[7] - u[6] * u[4];
    u[5] = u[6] * u[1] - u[0] * u[7];
    u[8] = u[0] * u[4] - u[3] * u[1];
    for (int k = 0; k < 3; k++) s[k] = mat3_column_dot(u, k, b, k) * biggest;
}

#endif
