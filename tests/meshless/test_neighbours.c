/* SPDX-License-Identifier: MIT */
/* test_neighbours.c: lists against all pairs, for clouds, groups and points far apart; the counts of
 * neighbours of the body-centred lattice; refusal of places that are not finite. */
#include "meshless/neighbours.h"
#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { N = 700 };

static double number(uint64_t i) { return firn_random_unit(firn_random_mix(i + 1)); }

static int is_near(const firn_neighbour_search *s, int32_t i, int32_t j)
{
    const double reach = 0.5 * (s->radius[i] + s->radius[j]) * s->factor + s->skin;
    double d2 = 0;
    for (int a = 0; a < 3; a++)
        d2 += (s->x[3 * i + a] - s->x[3 * j + a]) * (s->x[3 * i + a] - s->x[3 * j + a]);
    return i != j && d2 < reach * reach && (!s->group || s->group[i] == s->group[j]);
}

static void against_all_pairs(void **state)
{
    (void)state;
    static double x[3 * N], radius[N];
    static int32_t group[N];
    firn_neighbours list = {0};
    for (int spread = 0; spread < 3; spread++) {
        const double size = spread == 0 ? 1 : spread == 1 ? 1e-3 : 1e7;
        for (int i = 0; i < N; i++) {
            for (int a = 0; a < 3; a++)
                x[3 * i + a] = size * (number((uint64_t)(3 * i + a)) - (a == 2 ? 5 : 0));
            radius[i] = spread == 2 ? 0.1 : size * (0.1 + 0.05 * number((uint64_t)i + 77777));
            group[i] = i % 3;
        }
        for (int k = 0; k < 4; k++) {
            const firn_neighbour_search search = {.n = N,
                                                  .x = x,
                                                  .radius = radius,
                                                  .factor = 1.3,
                                                  .skin = k & 1 ? 0.02 * size : 0,
                                                  .group = k & 2 ? group : NULL,
                                                  .n_threads = 1 + k};
            assert_int_equal(firn_neighbours_find(&list, &search, NULL), FIRN_OK);
            for (int32_t i = 0; i < N; i++) {
                int64_t b = list.first[i];
                for (int32_t j = 0; j < N; j++) {
                    assert_int_equal(firn_neighbours_has(&list, i, j), is_near(&search, i, j));
                    if (is_near(&search, i, j)) assert_int_equal(list.other[b++], j);
                }
                assert_int_equal(b, list.first[i + 1]);
            }
        }
    }
    firn_neighbours_clear(&list, NULL);
}

/* Body-centred cubic lattice of edge a, a point in the middle of many (verification2.md, section
 * 2). */
static void body_centred(void **state)
{
    (void)state;
    enum { CELLS = 6, POINTS = 2 * CELLS * CELLS * CELLS };
    static double x[3 * POINTS], radius[POINTS];
    static const double reach[8] = {0.866, 1, 1.414, 1.658, 1.732, 2, 2.179, 2.236};
    static const int64_t count[8] = {8, 14, 26, 50, 58, 64, 88, 112};
    int32_t n = 0, middle = -1;
    for (int i = 0; i < CELLS; i++)
        for (int j = 0; j < CELLS; j++)
            for (int k = 0; k < CELLS; k++)
                for (int c = 0; c < 2; c++) {
                    if (i == 3 && j == 3 && k == 3 && c == 0) middle = n;
                    x[3 * n] = i + 0.5 * c;
                    x[3 * n + 1] = j + 0.5 * c;
                    x[3 * n + 2] = k + 0.5 * c;
                    radius[n++] = 1;
                }
    firn_neighbours list = {0};
    for (int k = 0; k < 8; k++) {
        const firn_neighbour_search search = {
            .n = n, .x = x, .radius = radius, .factor = reach[k] + 0.001, .n_threads = 1};
        assert_int_equal(firn_neighbours_find(&list, &search, NULL), FIRN_OK);
        assert_int_equal(list.first[middle + 1] - list.first[middle], count[k]);
    }
    firn_neighbours_clear(&list, NULL);
}

static void not_finite(void **state)
{
    (void)state;
    double x[6] = {0, 0, 0, NAN, 0, 0}, radius[2] = {1, 1};
    firn_neighbours list = {0};
    const firn_neighbour_search search = {
        .n = 2, .x = x, .radius = radius, .factor = 1, .n_threads = 1};
    assert_int_equal(firn_neighbours_find(&list, &search, NULL), FIRN_STOPPED);
    const firn_neighbour_search none = {.n = 0, .x = x, .radius = radius, .n_threads = 1};
    assert_int_equal(firn_neighbours_find(&list, &none, NULL), FIRN_OK);
    assert_int_equal(list.first[0], 0);
    firn_neighbours_clear(&list, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(against_all_pairs),
                                       cmocka_unit_test(body_centred),
                                       cmocka_unit_test(not_finite)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
