/* SPDX-License-Identifier: MIT */
/* sort_kernels.c: the loops of a sort (sort.c) over every number of every particle. Compiled once
 * per variant (lanes.h).
 *
 * Targets by comparisons instead of divisions: x < -0.5 is the block below (shift -1), x >= 3.5 the
 * one above (+1). The cell is that of the first node of the spline, floor(x) or floor(x - 1/2)
 * clamped to -1 .. 3, so that particles of equal cell touch the same nodes. */
#include "mpm/sort_kernels.h"

enum { N = FIRN_BUNDLE };

void FIRN_VARIANT_NAME(firn_sort_targets)(const void *x, int is_quadratic, uint8_t target[16],
                                          uint8_t cell[16])
{
    static const real stride[3] = {1, 5, 25};
    const fr one = fr_set1(1), none = fr_zero(), half = fr_set1(is_quadratic ? (real)0.5 : 0);
    real targets[N], cells[N];
    for (int l = 0; l < N; l += LANES) {
        fr to = none, in = none;
        for (int a = 0; a < 3; a++) {
            const fr at = fr_load((const real *)x + a * N + l);
            const fr up = fr_select(fr_ge(at, fr_set1((real)3.5)), one, none);
            const fr shift = up - fr_select(fr_lt(at, fr_set1((real)-0.5)), one, none);
            const fr first = fr_clamp(fr_floor(at - 4 * shift - half), fr_set1(-1),
                                      fr_set1(3)); /* for any x, NaN included */
            to = 3 * to + shift + one;
            in = in + stride[a] * (first + one);
        }
        fr_store(targets + l, to);
        fr_store(cells + l, in);
    }
    for (int l = 0; l < N; l++) {
        target[l] = (uint8_t)(int)targets[l];
        cell[l] = (uint8_t)(int)cells[l];
    }
}

/* Bundle by bundle and component by component, so that writes fill whole cache lines. */
#define GATHER(name, type)                                                                         \
    static void name(const firn_gather *g, const type *from, type *to)                             \
    {                                                                                              \
        for (int p = 0; p < g->n; p += N) {                                                        \
            const int count = g->n - p < N ? g->n - p : N;                                         \
            size_t at[N];                                                                          \
            for (int l = 0; l < count; l++)                                                        \
                at[l] =                                                                            \
                    (size_t)(g->order[p + l] / N) * (size_t)g->stride * N + g->order[p + l] % N;   \
            for (int c = 0; c < g->n_components; c++, to += N) {                                   \
                for (int l = 0; l < count; l++) to[l] = from[at[l] + (size_t)c * N];               \
                for (int l = count; l < N; l++) to[l] = (type)g->blank[c];                         \
            }                                                                                      \
        }                                                                                          \
    }
GATHER(gather_reals, real)
GATHER(gather_integers, uint32_t)

void FIRN_VARIANT_NAME(firn_gather)(const firn_gather *gather, int is_integer, const void *from,
                                    void *to)
{
    if (is_integer)
        gather_integers(gather, from, to);
    else
        gather_reals(gather, from, to);
}

void FIRN_VARIANT_NAME(firn_rebase)(void *x_, int n, double low[3], double high[3])
{
    for (int a = 0; a < 3; a++) {
        real least = 4, most = -1;
        for (int p = 0; p < n; p += N) {
            real *x = (real *)x_ + (size_t)p * 3 + (size_t)a * N;
            for (int l = 0; l < (n - p < N ? n - p : N); l++) {
                x[l] += x[l] >= (real)3.5 ? -4 : x[l] < (real)-0.5 ? 4 : 0;
                least = x[l] < least ? x[l] : least;
                most = x[l] > most ? x[l] : most;
            }
        }
        low[a] = (double)least;
        high[a] = (double)most;
    }
}
