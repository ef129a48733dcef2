/* SPDX-License-Identifier: MIT */
/* The invariants of work_ranges.h: every element is claimed exactly once; a thread with work of its
 * own claims from that first. */
#include "mpm/work_ranges.h"

#include <omp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { THREADS = 4, ITEMS = 1000 };

static void everything_is_done_once(void **state)
{
    (void)state;
    const int32_t uneven[][THREADS + 1] = {{0, 250, 500, 750, 1000},
                                           {0, 0, 0, 0, 1000},
                                           {0, 1000, 1000, 1000, 1000},
                                           {0, 3, 3, 990, 1000},
                                           {5, 5, 5, 5, 5}};
    for (size_t k = 0; k < sizeof uneven / sizeof *uneven; k++)
        for (int32_t most = 1; most <= 64; most *= 4) {
            static firn_work_range shares[THREADS];
            int done[ITEMS] = {0}, n_too_many = 0;
            firn_work_ranges_assign(shares, THREADS, uneven[k]);
#pragma omp parallel num_threads(THREADS) reduction(+ : n_too_many)
            for (firn_range s;
                 firn_work_ranges_claim(shares, THREADS, omp_get_thread_num(), most, &s);) {
                n_too_many += s.end - s.first > most || s.end <= s.first;
                for (int32_t i = s.first; i < s.end; i++)
#pragma omp atomic
                    done[i]++;
            }
            assert_int_equal(n_too_many, 0);
            for (int32_t i = 0; i < ITEMS; i++)
                assert_int_equal(done[i], i >= uneven[k][0] && i < uneven[k][THREADS]);
        }
}

/* One thread after the other, as if the others were slow: its own stretch comes first, in order,
 * then the next one's. */
static void own_comes_first(void **state)
{
    (void)state;
    const int32_t bounds[] = {0, 10, 20, 30};
    static firn_work_range shares[3];
    firn_range s;
    firn_work_ranges_assign(shares, 3, bounds);
    for (int32_t expected = 10; expected < 40; expected += 5) {
        assert_true(firn_work_ranges_claim(shares, 3, 1, 5, &s));
        assert_int_equal(s.first, expected % 30);
        assert_int_equal(s.end, expected % 30 + 5);
    }
    for (int me = 0; me < 3; me++) assert_false(firn_work_ranges_claim(shares, 3, me, 5, &s));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(everything_is_done_once),
                                       cmocka_unit_test(own_comes_first)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
