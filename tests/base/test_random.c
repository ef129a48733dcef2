/* SPDX-License-Identifier: MIT */
/* random.h: the published constants (reference outputs of splitmix64), ranges, and numbers that
 * are spread evenly and do not depend on each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "base/random.h"

/* The first outputs of splitmix64 with seed 1234567, as its reference implementation prints them
 * (S. Vigna, prng.di.unimi.it). */
static void is_splitmix64(void **state)
{
    (void)state;
    const uint64_t expected[] = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                 4593380528125082431u, 16408922859458223821u};
    for (uint64_t i = 0; i < 5; i++)
        assert_true(firn_random_mix(1234567u + (i + 1) * FIRN_RANDOM_STEP) == expected[i]);
}

static void ranges_have_their_ends(void **state)
{
    (void)state;
    double u[3];
    assert_true(firn_random_unit(0) == 0);
    assert_true(firn_random_unit(UINT64_MAX) == 1 - 0x1p-53);
    firn_random_unit_cube(UINT64_MAX, u);
    for (int a = 0; a < 3; a++) assert_true(u[a] == 1 - 0x1p-21);
    firn_random_unit_cube((uint64_t)1 << 41, u);
    assert_true(u[0] == 0 && u[1] == 0.5 && u[2] == 0);
}

/* Means are 1/2 to 5 standard errors and coordinates uncorrelated: a lattice's neighbours differ
 * in one bit, which must not show. */
static void cells_are_independent(void **state)
{
    (void)state;
    enum { N = 24 };
    double mean[3] = {0}, product[3] = {0}, along[3] = {0}, u[3], v[3];
    const double n = N * N * N;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++) {
                firn_random_unit_cube(firn_random_of_cell(7, i - N / 2, j, k), u);
                firn_random_unit_cube(firn_random_of_cell(7, i - N / 2 + 1, j, k), v);
                for (int a = 0; a < 3; a++) {
                    mean[a] += u[a] / n;
                    product[a] += (u[a] - 0.5) * (u[(a + 1) % 3] - 0.5) / n;
                    along[a] += (u[a] - 0.5) * (v[a] - 0.5) / n;
                }
            }
    for (int a = 0; a < 3; a++) {
        assert_true(fabs(mean[a] - 0.5) < 5 * sqrt(1 / (12 * n)));
        assert_true(fabs(product[a]) < 5 / 12.0 / sqrt(n));
        assert_true(fabs(along[a]) < 5 / 12.0 / sqrt(n));
    }
    assert_true(firn_random_of_cell(7, 1, 2, 3) != firn_random_of_cell(8, 1, 2, 3));
    assert_true(firn_random_of_cell(7, 1, 2, 3) != firn_random_of_cell(7, 3, 2, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_splitmix64),
        cmocka_unit_test(ranges_have_their_ends),
        cmocka_unit_test(cells_are_independent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
