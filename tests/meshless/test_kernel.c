/* SPDX-License-Identifier: MIT */
/* test_kernel.c: smoothing kernels: integral 1 over space, slope the derivative of the value, zero
 * from the support on; the sums over a lattice that verification states for spiky and quintic. */
#include "meshless/kernel.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const double pi = 3.14159265358979323846;

/* Gauss-Legendre with 5 points on many pieces: exact for the polynomials, close for the cosine. */
static double integral(const firn_kernel *kernel, double support)
{
    static const double at[5] = {-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831,
                                 0.9061798459386640},
                        weight[5] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                                     0.4786286704993665, 0.2369268850561891};
    enum { PIECES = 60 };
    double sum = 0;
    for (int piece = 0; piece < PIECES; piece++)
        for (int k = 0; k < 5; k++) {
            const double r = support * (piece + 0.5 + 0.5 * at[k]) / PIECES;
            sum += 4 * pi * r * r * kernel->value(r, support) * weight[k] * 0.5 * support / PIECES;
        }
    return sum;
}

static void integrals(void **state)
{
    (void)state;
    for (int k = 0; firn_kernel_at(k); k++) {
        assert_true(fabs(integral(firn_kernel_at(k), 1) - 1) < 1e-12);
        assert_true(fabs(integral(firn_kernel_at(k), 0.037) - 1) < 1e-12);
        assert_ptr_equal(firn_kernel_find(firn_kernel_at(k)->name), firn_kernel_at(k));
    }
    assert_null(firn_kernel_find("gauss"));
}

static void slopes(void **state)
{
    (void)state;
    const double support = 0.3, step = 1e-7;
    for (int k = 0; firn_kernel_at(k); k++) {
        const firn_kernel *kernel = firn_kernel_at(k);
        const double scale = kernel->value(0, support);
        for (double r = 0.0123; r < support; r += 0.0217) {
            const double slope =
                (kernel->value(r - step, support) - kernel->value(r + step, support)) /
                (2 * step * r);
            assert_true(fabs(slope - kernel->slope(r, support)) * r * support < 1e-6 * scale);
            assert_true(kernel->value(r, support) > 0 && kernel->slope(r, support) > 0);
        }
        assert_true(kernel->value(support, support) == 0 && kernel->slope(support, support) == 0);
        assert_true(kernel->value(2 * support, support) == 0);
    }
}

/* Sums over a cubic lattice of spacing d, the point itself included in the first: sum d^3 W, and
 * the factor by which plain SPH multiplies a gradient, sum d^3 slope x^2. */
static void lattice(const firn_kernel *kernel, double support, double d, double *unity,
                    double *gradient)
{
    const int n = (int)(support / d) + 1;
    *unity = *gradient = 0;
    for (int x = -n; x <= n; x++)
        for (int y = -n; y <= n; y++)
            for (int z = -n; z <= n; z++) {
                const double r = d * sqrt(x * x + y * y + z * z);
                *unity += d * d * d * kernel->value(r, support);
                *gradient += d * d * d * kernel->slope(r, support) * d * d * x * x;
            }
}

/* verification2.md, "Numbers: meshless". */
static void lattice_factors(void **state)
{
    (void)state;
    static const struct {
        const char *kernel;
        double support, d, unity, gradient;
    } cases[] = {
        {"spiky", 1, 0.4, 1.0962, 0.949828},       {"spiky", 1, 0.5, 1.2359, 0.956289},
        {"spiky", 1, 0.6, 1.4704, 0.834981},       {"spiky", 1, 0.7, 1.9030, 0.621017},
        {"spiky", 1, 0.8, 2.5620, 0.469367},       {"quintic", 3, 0.8, 0.9999112, 0.9993523},
        {"quintic", 3, 1, 0.9999800, 1.0010013},   {"quintic", 3, 1.2, 1.0006857, 0.9935705},
        {"quintic", 3, 1.5, 1.0457091, 0.8639761},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double unity, gradient;
        lattice(firn_kernel_find(cases[k].kernel), cases[k].support, cases[k].d, &unity, &gradient);
        assert_true(fabs(unity - cases[k].unity) < 6e-5);
        assert_true(fabs(gradient - cases[k].gradient) < 1e-6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(integrals), cmocka_unit_test(slopes),
                                       cmocka_unit_test(lattice_factors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
