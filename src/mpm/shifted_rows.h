/* SPDX-License-Identifier: MIT */
/* shifted_rows.h: the unit of all work in transfer.c: four z-nodes times four channels, in as many
 * vectors as that takes.
 *
 *     row       z0: c0 c1 c2 c3   z1: c0 c1 c2 c3   z2: ...   z3: ...
 *               as the nodes of a patch are stored
 *
 * A column of a patch, eight nodes along z, is two rows, its lower and its upper nodes, and is
 * stored as five shifted rows (kernels.h): row z begins with node z.
 *
 * Included by sources that are compiled once per variant (lanes.h). */
#ifndef FIRN_SHIFTED_ROWS_H
#define FIRN_SHIFTED_ROWS_H

#include "simd/lane_groups.h"
#include "mpm/kernels.h"

enum { ROW = FIRN_ROW, PARTS = ROW / LANES };

/* A row in vectors of LANES: 16 reals are one (AVX-512, float), two, four or sixteen (scalar)
 * parts. Part p holds channels p LANES .. of the row, so operations on rows are operations on
 * parts. */
typedef struct row {
    fr part[PARTS];
} row;
typedef real half_row
    __attribute__((vector_size(ROW / 2 * sizeof(real)), aligned(sizeof(real)), may_alias));

FIRN_INLINE row row_zero(void)
{
    row r;
    UNROLL for (int p = 0; p < PARTS; p++) r.part[p] = fr_zero();
    return r;
}
FIRN_INLINE row row_load(const real *a)
{
    row r;
    UNROLL for (int p = 0; p < PARTS; p++) r.part[p] = fr_load(a + p * LANES);
    return r;
}
/* Keeps a row in registers. Otherwise gcc reloads it for every use, or repeats a product in every
 * sum, where an addition would use other units of the processor. */
FIRN_INLINE row row_pin(row r)
{
#if LANES > 1
    UNROLL for (int p = 0; p < PARTS; p++) __asm__("" : "+v"(r.part[p]));
#endif
    return r;
}
FIRN_INLINE void row_store(real *a, row r)
{
    UNROLL for (int p = 0; p < PARTS; p++) fr_store(a + p * LANES, r.part[p]);
}
FIRN_INLINE row row_scale(fr s, row a)
{
    UNROLL for (int p = 0; p < PARTS; p++) a.part[p] = s * a.part[p];
    return a;
}
FIRN_INLINE row row_fma(fr s, row a, row c) /* c + s a */
{
    UNROLL for (int p = 0; p < PARTS; p++) c.part[p] = fr_fma(s, a.part[p], c.part[p]);
    return c;
}
FIRN_INLINE row row_add(row a, row b)
{
    UNROLL for (int p = 0; p < PARTS; p++) a.part[p] = a.part[p] + b.part[p];
    return a;
}
FIRN_INLINE row row_subtract(row a, row b)
{
    UNROLL for (int p = 0; p < PARTS; p++) a.part[p] = a.part[p] - b.part[p];
    return a;
}
FIRN_INLINE row row_mul(row a, row b)
{
    UNROLL for (int p = 0; p < PARTS; p++) a.part[p] = a.part[p] * b.part[p];
    return a;
}
FIRN_INLINE row row_mul_add(row a, row b, row c)
{
    UNROLL for (int p = 0; p < PARTS; p++) c.part[p] = fr_fma(a.part[p], b.part[p], c.part[p]);
    return c;
}

/* Four reals in memory as LANES: repeated (channels of every z-node), or each one four times,
 * beginning with number LANES / 4 * part (weights of a part's z-nodes). Intrinsics, because gcc 12
 * compiles a shuffle that widens a vector through memory, at three times the cost of the whole of
 * P2G. */
#if LANES == 16
FIRN_INLINE fr repeat_four(const real *four)
{
    return (fr)_mm512_broadcast_f32x4(_mm_loadu_ps(four));
}
FIRN_INLINE fr spread_four(const real *four, int part)
{
    (void)part;
    const __m512i each = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    return (fr)_mm512_permutexvar_ps(each, _mm512_castps128_ps512(_mm_loadu_ps(four)));
}
#elif LANES == 8 && FIRN_DOUBLE
FIRN_INLINE fr repeat_four(const real *four)
{
    return (fr)_mm512_broadcast_f64x4(_mm256_loadu_pd(four));
}
FIRN_INLINE fr spread_four(const real *four, int part)
{
    const __m512i low = _mm512_setr_epi64(0, 0, 0, 0, 1, 1, 1, 1),
                  high = _mm512_setr_epi64(2, 2, 2, 2, 3, 3, 3, 3);
    return (fr)_mm512_permutexvar_pd(part ? high : low,
                                     _mm512_castpd256_pd512(_mm256_loadu_pd(four)));
}
#elif LANES == 8
FIRN_INLINE fr repeat_four(const real *four)
{
    return (fr)_mm256_broadcast_ps((const __m128 *)four);
}
FIRN_INLINE fr spread_four(const real *four, int part)
{
    const __m256i low = _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1),
                  high = _mm256_setr_epi32(2, 2, 2, 2, 3, 3, 3, 3);
    return (fr)_mm256_permutevar8x32_ps(_mm256_castps128_ps256(_mm_loadu_ps(four)),
                                        part ? high : low);
}
#elif LANES == 4
FIRN_INLINE fr repeat_four(const real *four) { return fr_load(four); }
FIRN_INLINE fr spread_four(const real *four, int part) { return fr_set1(four[part]); }
#endif

/* (c0 c1 c2 c3) for each of the four z-nodes: a channel vector repeated */
FIRN_INLINE row row_of_channels(const real *four)
{
    row r;
    UNROLL for (int p = 0; p < PARTS; p++)
#if LANES == 1
        r.part[p] = four[p & 3];
#else
        r.part[p] = repeat_four(four);
#endif
    return r;
}

/* (w0 w0 w0 w0 w1 ...): a z-weight for each channel of its node */
FIRN_INLINE row row_of_weights(const real *four)
{
    row r;
    UNROLL for (int p = 0; p < PARTS; p++)
#if LANES == 1
        r.part[p] = four[p >> 2];
#else
        r.part[p] = spread_four(four, p);
#endif
    return r;
}

/* (0 0 0 0 1 1 1 1 2 ...): the number of each channel's node, counted from 0 or from -1 */
FIRN_INLINE row row_of_nodes(int from)
{
    static const real number[ROW + 4] __attribute__((aligned(64))) = {
        -1, -1, -1, -1, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3};
    return row_load(number + 4 * (from + 1));
}

/* ---------------------------------------------------------------- columns */

typedef struct column { /* nodes 0 to 3 and 4 to 7 */
    row low, high;
} column;

/* Nodes n to n + 3 of the eight of a column. */
FIRN_INLINE row row_within(row low, row high, int n)
{
    enum {
        NODES = LANES < 4 ? 1 : LANES / 4,
        PARTS_A_NODE = LANES < 4 ? 4 : 1
    }; /* nodes per part; parts per node */
    fr a[2 * PARTS];
    row r;
    UNROLL for (int p = 0; p < PARTS; p++)
    {
        a[p] = low.part[p];
        a[PARTS + p] = high.part[p];
    }
    const int whole = n * PARTS_A_NODE / NODES, rest = n % NODES;
    UNROLL for (int p = 0; p < PARTS; p++)
    {
        r.part[p] = a[p + whole];
#if LANES == 8
        if (rest)
            r.part[p] =
                __builtin_shufflevector(r.part[p], a[p + whole + 1], 4, 5, 6, 7, 8, 9, 10, 11);
#elif LANES == 16
        const fr next = a[p + 1];
        if (rest == 1)
            r.part[p] = __builtin_shufflevector(a[p], next, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
                                                15, 16, 17, 18, 19);
        if (rest == 2)
            r.part[p] = __builtin_shufflevector(a[p], next, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17,
                                                18, 19, 20, 21, 22, 23);
        if (rest == 3)
            r.part[p] = __builtin_shufflevector(a[p], next, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                                22, 23, 24, 25, 26, 27);
#else
        (void)rest;
#endif
    }
    return r;
}

/* A row from two halves in memory, two nodes each. */
FIRN_INLINE row row_of_halves(const real *low, const real *high)
{
    row r;
#if LANES == 16
    const half_row a = *(const half_row *)low, b = *(const half_row *)high;
    r.part[0] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#else
    UNROLL for (int p = 0; p < PARTS / 2; p++)
    {
        r.part[p] = fr_load(low + p * LANES);
        r.part[PARTS / 2 + p] = fr_load(high + p * LANES);
    }
#endif
    return r;
}

/* Adds two nodes of a row, the lower (0) or the upper (1), to memory. */
FIRN_INLINE void row_add_half(real *to, row r, int half)
{
#if LANES == 16
    *(half_row *)to +=
        half ? __builtin_shufflevector(r.part[0], r.part[0], 8, 9, 10, 11, 12, 13, 14, 15)
             : __builtin_shufflevector(r.part[0], r.part[0], 0, 1, 2, 3, 4, 5, 6, 7);
#else
    UNROLL for (int p = 0; p < PARTS / 2; p++)
        fr_store(to + p * LANES, fr_load(to + p * LANES) + r.part[half * (PARTS / 2) + p]);
#endif
}

/* Stores a column as its five shifted rows: row z holds nodes z to z + 3. */
FIRN_INLINE void column_spread(real *rows, column c)
{
    UNROLL for (int z = 0; z < FIRN_SHIFTED_ROWS; z++)
        row_store(rows + z * ROW, row_within(c.low, c.high, z));
}

/* The inverse of column_spread for sums: node k of the column is the sum over rows z of their
 * element k - z. */
FIRN_INLINE column column_fold(const real *rows)
{
    const row zero = row_zero();
    column c = {row_load(rows), row_load(rows + 4 * ROW)};
    UNROLL for (int z = 1; z < 4; z++)
    {
        const row r = row_load(rows + z * ROW);
        c.low = row_add(c.low, row_within(zero, r, 4 - z));
        c.high = row_add(c.high, row_within(r, zero, 4 - z));
    }
    return c;
}

/* For FLIP: velocities and masses (vx vy vz m), old velocities (ox oy oz 0), those of the next
 * column (px py pz 0) become (vx vy vz ox) and (oy oz py pz). */
FIRN_INLINE void row_weave(row v, row o, row next, row *both, row *pairs)
{
    UNROLL for (int p = 0; p < PARTS; p++)
    {
        const fr a = v.part[p], b = o.part[p], c = next.part[p];
#if LANES == 16
        both->part[p] =
            __builtin_shufflevector(a, b, 0, 1, 2, 16, 4, 5, 6, 20, 8, 9, 10, 24, 12, 13, 14, 28);
        pairs->part[p] = __builtin_shufflevector(b, c, 1, 2, 17, 18, 5, 6, 21, 22, 9, 10, 25, 26,
                                                 13, 14, 29, 30);
#elif LANES == 8
        both->part[p] = __builtin_shufflevector(a, b, 0, 1, 2, 8, 4, 5, 6, 12);
        pairs->part[p] = __builtin_shufflevector(b, c, 1, 2, 9, 10, 5, 6, 13, 14);
#elif LANES == 4
        both->part[p] = __builtin_shufflevector(a, b, 0, 1, 2, 4);
        pairs->part[p] = __builtin_shufflevector(b, c, 1, 2, 5, 6);
#else
        (void)a, (void)c;
        both->part[p] = p % 4 == 3 ? o.part[p - 3] : v.part[p];
        pairs->part[p] = p % 4 < 2 ? o.part[p + 1] : next.part[p - 1];
        (void)b;
#endif
    }
}

/* ---------------------------------------------------------------- sums over z */

/* The gathered rows of a bundle's particles, to be summed over z for all at once; then four
 * channels per particle, by slot. With short vectors the sum is formed immediately: the registers
 * cannot hold the rows of another particle meanwhile. */
enum { KEPT = LANES == 16 ? ROW : FIRN_CHANNELS };
typedef struct kept_rows {
    real of[16 * KEPT];
} __attribute__((aligned(64))) kept_rows;

FIRN_INLINE void row_keep(row a, int lane, kept_rows *kept)
{
    real *four = kept->of + (LANES == 16 ? lane * ROW : slot(lane));
#if LANES == 1
    for (int c = 0; c < 4; c++)
        four[c] = (a.part[c] + a.part[4 + c]) + (a.part[8 + c] + a.part[12 + c]);
#elif LANES == 4
    fr_store(four, (a.part[0] + a.part[1]) + (a.part[2] + a.part[3]));
#elif LANES == 8
    typedef real quad __attribute__((vector_size(4 * sizeof(real))));
    fr s = a.part[0] + a.part[1];
    quad q = __builtin_shufflevector(s, s, 0, 1, 2, 3) + __builtin_shufflevector(s, s, 4, 5, 6, 7);
    memcpy(four, &q, sizeof q);
#else
    row_store(four, a);
#endif
}

/* Sums over z, in place. */
FIRN_INLINE void kept_sum_z(kept_rows *kept)
{
    (void)kept;
#if LANES == 16
    fr sum[4];
    UNROLL for (int p = 0; p < 4; p++) /* of particles p, p + 4, p + 8 and p + 12, see slot() */
    {
        fr half[2];
        UNROLL for (int q = 0; q < 2; q++)
        {
            const fr a = fr_load(kept->of + (p + 8 * q) * ROW),
                     b = fr_load(kept->of + (p + 8 * q + 4) * ROW);
            half[q] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21,
                                              22, 23) +
                      __builtin_shufflevector(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27,
                                              28, 29, 30, 31);
        }
        const fr a = half[0], b = half[1];
        sum[p] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26,
                                         27) +
                 __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29,
                                         30, 31);
    }
    UNROLL for (int p = 0; p < 4; p++) fr_store(kept->of + p * ROW, sum[p]);
#endif
}

#endif
