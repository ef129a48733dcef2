/* SPDX-License-Identifier: MIT */
/* test_lattice.c: the turned lattice - a box has its volume in points, none is left out or met
 * twice, and a stream that is drawn out stays even. */
#include "geometry/lattice.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* Boxes anywhere, of 5 to 40 spacings: points by rows, and all points around by their places */
static void boxes_hold_their_volume(void **state)
{
    (void)state;
    for (int k = 0; k < 8; k++) {
        double spacing = 0.25, low[3], high[3], volume = 1;
        for (int a = 0; a < 3; a++) {
            low[a] = 0.37 * k - 0.61 * a - 1;
            high[a] = low[a] + 1.3 + 0.43 * ((3 * k + 5 * a) % 7);
            volume *= (high[a] - low[a]) / spacing;
        }
        int64_t first[2], last[2], at[3], end, n = 0, n_all = 0;
        firn_lattice_rows(spacing, low, high, first, last);
        for (at[0] = first[0]; at[0] <= last[0]; at[0]++)
            for (at[1] = first[1]; at[1] <= last[1]; at[1]++)
                for (firn_lattice_row(spacing, low, high, at, &end); at[2] <= end; at[2]++) n++;
        for (int i = 0; i < 80 * 80 * 80; i++) {
            double x[3], index[3] = {i % 80 - 40, i / 80 % 80 - 40, i / 6400 - 40};
            firn_lattice_place(spacing, index, x);
            n_all += x[0] >= low[0] && x[0] <= high[0] && x[1] >= low[1] && x[1] <= high[1] &&
                     x[2] >= low[2] && x[2] <= high[2];
        }
        assert_int_equal(n, n_all);
        assert_true(fabs((double)n - volume) < 8);
    }
}

/* However far the lattice is drawn out along an axis, at a constant volume: no two points come
 * nearer than .9 spacings. Along the axes itself they would come as near as 1 / sqrt(stretch). */
static void a_stretched_stream_stays_even(void **state)
{
    (void)state;
    enum { N = 24 };
    for (int axis = 0; axis < 3; axis++)
        for (double stretch = 0.125; stretch <= 8; stretch *= 1.1) {
            double least = INFINITY;
            for (int i = 0; i < (2 * N + 1) * (2 * N + 1) * (2 * N + 1); i++) {
                double x[3], r2 = 0,
                             index[3] = {i % (2 * N + 1) - N, i / (2 * N + 1) % (2 * N + 1) - N,
                                         i / (2 * N + 1) / (2 * N + 1) - N};
                if (index[0] == 0 && index[1] == 0 && index[2] == 0) continue;
                firn_lattice_place(1, index, x);
                for (int a = 0; a < 3; a++)
                    r2 += x[a] * x[a] * (a == axis ? stretch * stretch : 1 / stretch);
                least = fmin(least, r2);
            }
            assert_true(sqrt(least) > 0.905);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_hold_their_volume),
        cmocka_unit_test(a_stretched_stream_stays_even),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
