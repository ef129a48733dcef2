/* SPDX-License-Identifier: MIT */
/* Tests of mat3.h, in the variant that this file is compiled for: eigen-decomposition and
 * singular values of random and adversarial matrices against LAPACKE, in doubles. The argument
 * is the number of matrices. */
#include "simd/mat3.h"

#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>
#include <lapacke.h>
#include <stdlib.h>

#if FIRN_DOUBLE
#define RECONSTRUCTION 1e-13
#define ORTHOGONALITY 2e-14
#else
#define RECONSTRUCTION 2e-6
#define ORTHOGONALITY 2e-6
#endif

static int n_matrices = 20000;

static double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(int64_t)(*state & ~2047ull) * 0x1p-63;
}

static void rotation(uint64_t *state, double q[9])
{
    double w = uniform(state), x = uniform(state), y = uniform(state), z = uniform(state);
    double n = sqrt(w * w + x * x + y * y + z * z);
    w /= n;
    x /= n;
    y /= n;
    z /= n;
    const double r[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                         2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(q, r, sizeof r);
}

/* The stretches that decompositions stumble over: repeated, nearly repeated, zero, negative, far
 * apart. */
static const double stretches[][3] = {
    {1, 1, 1},
    {1, 1, -1},
    {2, 2, 1},
    {2, 1, 1},
    {1, 1 + 1e-7, 1 - 1e-7},
    {1, 1e-4, 1e-4},
    {1, 3e-4, -2e-4},
    {1, 1e-8, 1e-8},
    {1, 1, 0},
    {1, 0, 0},
    {0, 0, 0},
    {1, 1e-3, 1e-6},
    {5, 5, -5},
    {1e4, 1, 1e-4},
    {1e-6, 1e-6, 1e-6},
    {1e-6, 1e-6, 2e-6},
    {3, 3, -1e-5},
    {1, 0.999999, -0.5},
    {1, 1e-2, -1e-2},
    {1e6, 1e6, 1e6},
    {1, 1e-15, 0},
    {7, 1e-1, 1e-1},
    {1e9, 1, 1},
    {1, 1, 1e-12},
};
enum { N_KINDS = (int)(sizeof stretches / sizeof stretches[0]) };

/* Matrix number k: every other one is random, the rest take turns among the kinds and among
 * plain, diagonal-free and triangular frames. */
static void make(int k, uint64_t *state, double F[9])
{
    if (k % 2) {
        for (int i = 0; i < 9; i++) F[i] = uniform(state) + (k % 4 == 1 && i % 4 == 0);
        return;
    }
    const double *s = stretches[k / 2 % N_KINDS];
    double U[9], V[9];
    rotation(state, U);
    rotation(state, V);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            F[3 * r + c] = 0;
            for (int i = 0; i < 3; i++) F[3 * r + c] += U[3 * r + i] * s[i] * V[3 * c + i];
            if (k / 2 / N_KINDS % 4 == 0) F[3 * r + c] = r == c ? s[r] : 0;
        }
}

static double worst_column_product(const real *u, int lane, int size)
{
    double worst = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double sum = i == j ? -1 : 0;
            for (int r = 0; r < 3; r++)
                sum += (double)u[(3 * r + i) * size + lane] * (double)u[(3 * r + j) * size + lane];
            worst = fmax(worst, fabs(sum));
        }
    return worst;
}

static double det(const real *a, int lane)
{
    double m[9];
    for (int i = 0; i < 9; i++) m[i] = (double)a[i * LANES + lane];
    return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) +
           m[2] * (m[3] * m[7] - m[4] * m[6]);
}

/* One matrix: F = U diag(s) V^T, U and V rotations, s ordered with the sign at the end, values
 * as LAPACKE's. */
static void check_svd(int k, const double F[9], const real *u, const real *s, const real *v,
                      int lane)
{
    double A[9], values[3], superb[2], size = 1e-300, error = 0;
    memcpy(A, F, sizeof A);
    assert_int_equal(
        LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'N', 'N', 3, 3, A, 3, values, NULL, 3, NULL, 3, superb),
        0);
    for (int i = 0; i < 9; i++) size = fmax(size, fabs(F[i]));
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            double sum = -F[3 * r + c];
            for (int i = 0; i < 3; i++)
                sum += (double)u[(3 * r + i) * LANES + lane] * (double)s[i * LANES + lane] *
                       (double)v[(3 * c + i) * LANES + lane];
            error = fmax(error, fabs(sum));
        }
    double s0 = (double)s[lane], s1 = (double)s[LANES + lane], s2 = (double)s[2 * LANES + lane];
    if (!(error <= RECONSTRUCTION * size))
        fail_msg("matrix %d: reconstruction off by %g of %g", k, error, size);
    if (!(worst_column_product(u, lane, LANES) <= ORTHOGONALITY))
        fail_msg("matrix %d: U off by %g", k, worst_column_product(u, lane, LANES));
    if (!(worst_column_product(v, lane, LANES) <= ORTHOGONALITY))
        fail_msg("matrix %d: V off by %g", k, worst_column_product(v, lane, LANES));
    if (!(det(u, lane) > 0.9 && det(v, lane) > 0.9)) fail_msg("matrix %d: not rotations", k);
    double slack = RECONSTRUCTION * size;
    if (!(s0 >= s1 - slack && s1 >= fabs(s2) - slack && s1 >= -slack))
        fail_msg("matrix %d: order %g %g %g", k, s0, s1, s2);
    if (!(fabs(s0 - values[0]) <= slack && fabs(s1 - values[1]) <= slack &&
          fabs(fabs(s2) - values[2]) <= slack))
        fail_msg("matrix %d: values %g %g %g", k, s0, s1, s2);
    double d = F[0] * (F[4] * F[8] - F[5] * F[7]) - F[1] * (F[3] * F[8] - F[5] * F[6]) +
               F[2] * (F[3] * F[7] - F[4] * F[6]);
    double noise = 1e-15 * size * size * size; /* of the determinant as computed here */
    if (fabs(s2) > slack && fabs(d) > noise && (s2 > 0) != (d > 0))
        fail_msg("matrix %d: sign of %g", k, s2);
}

static void singular_values(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int k = 0; k < n_matrices; k += LANES) {
        double F[LANES][9];
        real f[9 * LANES], us[9 * LANES], ss[3 * LANES], vs[9 * LANES];
        fr a[9], u[9], s[3], v[9];
        for (int lane = 0; lane < LANES; lane++) {
            make(k + lane, &seed, F[lane]);
            for (int i = 0; i < 9; i++) {
                f[i * LANES + lane] = (real)F[lane][i];
                F[lane][i] = (double)(real)F[lane][i];
            }
        }
        for (int i = 0; i < 9; i++) a[i] = fr_load(f + i * LANES);
        mat3_svd(a, u, s, v);
        for (int i = 0; i < 9; i++) {
            fr_store(us + i * LANES, u[i]);
            fr_store(vs + i * LANES, v[i]);
        }
        for (int i = 0; i < 3; i++) fr_store(ss + i * LANES, s[i]);
        for (int lane = 0; lane < LANES; lane++) check_svd(k + lane, F[lane], us, ss, vs, lane);
    }
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A = U diag(l) U^T, values as LAPACKE's */
static void check_eigen(int k, const double S[6], const real *u, const real *l, int lane)
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    double A[9] = {S[0], S[3], S[4], S[3], S[1], S[5], S[4], S[5], S[2]}, values[3], mine[3];
    double size = FIRN_DOUBLE ? 1e-100 : 1e-10; /* the floor that mat3.h states */
    assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', 3, A, 3, values), 0);
    for (int i = 0; i < 6; i++) size = fmax(size, fabs(S[i]));
    for (int i = 0; i < 3; i++) mine[i] = (double)l[i * LANES + lane];
    for (int c = 0; c < 6; c++) {
        double sum = -S[c];
        for (int i = 0; i < 3; i++)
            sum += (double)u[(3 * row[c] + i) * LANES + lane] * mine[i] *
                   (double)u[(3 * column[c] + i) * LANES + lane];
        if (!(fabs(sum) <= 2 * RECONSTRUCTION * size))
            fail_msg("matrix %d: element %d off by %g of %g", k, c, sum, size);
    }
    if (!(worst_column_product(u, lane, LANES) <= 2 * ORTHOGONALITY))
        fail_msg("matrix %d: not orthogonal", k);
    qsort(mine, 3, sizeof mine[0], ascending);
    for (int i = 0; i < 3; i++)
        if (!(fabs(mine[i] - values[i]) <= RECONSTRUCTION * size))
            fail_msg("matrix %d: value %d", k, i);
}

static void eigenvalues(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int k = 0; k < n_matrices; k += LANES) {
        double F[9], S[LANES][6];
        real f[6 * LANES], us[9 * LANES], ls[3 * LANES];
        fr a[6], u[9], l[3];
        for (int lane = 0; lane < LANES; lane++) {
            make(k + lane, &seed, F);
            const double full[6] = {F[0] * F[0] + F[1] * F[1] + F[2] * F[2] - 1,
                                    F[3] * F[3] + F[4] * F[4] + F[5] * F[5] - 1,
                                    F[6] * F[6] + F[7] * F[7] + F[8] * F[8] - 1,
                                    F[0] * F[3] + F[1] * F[4] + F[2] * F[5],
                                    F[0] * F[6] + F[1] * F[7] + F[2] * F[8],
                                    F[3] * F[6] + F[4] * F[7] + F[5] * F[8]};
            for (int i = 0; i < 6; i++) {
                f[i * LANES + lane] = (real)full[i];
                S[lane][i] = (double)(real)full[i];
            }
        }
        for (int i = 0; i < 6; i++) a[i] = fr_load(f + i * LANES);
        mat3_eigen(a, l, u);
        for (int i = 0; i < 9; i++) fr_store(us + i * LANES, u[i]);
        for (int i = 0; i < 3; i++) fr_store(ls + i * LANES, l[i]);
        for (int lane = 0; lane < LANES; lane++) check_eigen(k + lane, S[lane], us, ls, lane);
    }
}

/* Near the identity both keep the digits of the small part. */
static void small_strains_keep_their_digits(void **state)
{
    (void)state;
    const double x = 3.0 / 1048576, y = -5.0 / 1048576; /* exact in float when added to one */
    fr f[9], b[6];
    mat3_identity(f);
    f[0] = fr_set1((real)(1 + x));
    f[4] = fr_set1((real)(1 + y));
    double expected = x + y + x * y, got = (double)fr_lane(mat3_determinant_minus_one(f), 0);
    assert_true(fabs(got - expected) <= 4 * (double)REAL_EPSILON * fabs(expected));
    mat3_left_cauchy_green(f, fr_set1(1), b);
    assert_true(fabs((double)fr_lane(b[0], 0) - (2 * x + x * x)) <= 4 * (double)REAL_EPSILON * x);
    assert_true((double)fr_lane(b[3], 0) == 0);
}

int main(int argc, char **argv)
{
    if (argc > 1) n_matrices = atoi(argv[1]);
#if defined(__x86_64__)
    __builtin_cpu_init(); /* 77: skipped, this processor cannot run the variant */
    if (FIRN_ISA == 2 && !(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")))
        return 77;
    if (FIRN_ISA == 3 && !__builtin_cpu_supports("avx512vl")) return 77;
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(singular_values),
        cmocka_unit_test(eigenvalues),
        cmocka_unit_test(small_strains_keep_their_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
