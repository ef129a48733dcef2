/* SPDX-License-Identifier: MIT */
/* lane_groups.h: from lanes of particles or nodes to groups of four channels and back. Included
 * by what is compiled once for each variant (lanes.h).
 *
 *     lanes     a0 a1 a2 ...   b0 b1 b2 ...   c0 c1 c2 ...   d0 d1 d2 ...   one vector a channel
 *     groups    a0 b0 c0 d0   a1 b1 c1 d1   ...                  one group a particle, at slot() */
#ifndef FIRN_GROUPS_H
#define FIRN_GROUPS_H

#include "simd/lanes.h"

#if LANES == 1 /* nothing to gain, and minutes of compiling to lose */
#define UNROLL
#elif defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

/* Where the four numbers of a particle stand after transpose4: chunk of LANES particles, then
 * (particle mod 4), then (particle div 4). */
FIRN_INLINE int slot(int particle)
{
#if LANES == 1
    return 4 * particle;
#else
    int in_chunk = particle % LANES;
    return (particle - in_chunk) * 4 + (in_chunk & 3) * LANES + (in_chunk & ~3);
#endif
}

#if LANES == 4
#define INTERLEAVE_LOW(a, b) __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define INTERLEAVE_HIGH(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#elif LANES == 8
#define INTERLEAVE_LOW(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define INTERLEAVE_HIGH(a, b) __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#elif LANES == 16
#define INTERLEAVE_LOW(a, b)                                                                       \
    __builtin_shufflevector(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29)
#define INTERLEAVE_HIGH(a, b)                                                                      \
    __builtin_shufflevector(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31)
#endif

/* 4 x 4 transpose in every group of four lanes; its own inverse. */
FIRN_INLINE void transpose4(fr *a, fr *b, fr *c, fr *d)
{
#if LANES > 1
    fr p = INTERLEAVE_LOW(*a, *c), q = INTERLEAVE_HIGH(*a, *c), r = INTERLEAVE_LOW(*b, *d),
       s = INTERLEAVE_HIGH(*b, *d);
    *a = INTERLEAVE_LOW(p, r);
    *b = INTERLEAVE_HIGH(p, r);
    *c = INTERLEAVE_LOW(q, s);
    *d = INTERLEAVE_HIGH(q, s);
#else
    (void)a, (void)b, (void)c, (void)d;
#endif
}
FIRN_INLINE void groups_store(real *groups, int lane0, fr a, fr b, fr c, fr d)
{
    transpose4(&a, &b, &c, &d);
    real *to = groups + 4 * lane0;
    fr_store(to, a);
    fr_store(to + LANES, b);
    fr_store(to + 2 * LANES, c);
    fr_store(to + 3 * LANES, d);
}
FIRN_INLINE void groups_load(const real *groups, int lane0, fr *a, fr *b, fr *c, fr *d)
{
    const real *from = groups + 4 * lane0;
    *a = fr_load(from);
    *b = fr_load(from + LANES);
    *c = fr_load(from + 2 * LANES);
    *d = fr_load(from + 3 * LANES);
    transpose4(a, b, c, d);
}

#endif
