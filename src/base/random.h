/* SPDX-License-Identifier: MIT */
/* random.h: random numbers without state, counter-based: a number is a hash of what it belongs to
 * (seed, particle id, place in a lattice, number of an event), never of what was drawn before. So
 * the same scene draws the same numbers for any number of threads, after a resume and in any
 * order.
 *
 * firn_random_mix is the finaliser of splitmix64 with the constants of D. Stafford's variant 13
 * (G. L. Steele, D. Lea, C. H. Flood, Fast splittable pseudorandom number generators, OOPSLA
 * 2014). It is a bijection of 64 bits in which every bit of the input reaches every bit of the
 * output; 0 maps to 0, so callers add FIRN_RANDOM_STEP or multiply by it first. Several inputs are
 * combined by   mix(a * STEP + b * other odd constant ...)   or by chaining   mix(mix(a) ^ b).
 *
 * State hashes depend on these functions: a change of one constant changes every jittered scene. */
#ifndef FIRN_RANDOM_H
#define FIRN_RANDOM_H

#include <stdint.h>

/* 2^64 / golden ratio, odd: multiples of it are spread evenly over 64 bits. */
#define FIRN_RANDOM_STEP 0x9e3779b97f4a7c15u
#define FIRN_RANDOM_A 0xbf58476d1ce4e5b9u
#define FIRN_RANDOM_B 0x94d049bb133111ebu

static inline uint64_t firn_random_mix(uint64_t x)
{
    x = (x ^ x >> 30) * FIRN_RANDOM_A;
    x = (x ^ x >> 27) * FIRN_RANDOM_B;
    return x ^ x >> 31;
}

/* Of the cell (i, j, k) of a lattice. */
static inline uint64_t firn_random_of_cell(uint64_t seed, int64_t i, int64_t j, int64_t k)
{
    uint64_t h = firn_random_mix(seed + FIRN_RANDOM_STEP);
    h = firn_random_mix(h ^ ((uint64_t)i + FIRN_RANDOM_STEP));
    h = firn_random_mix(h ^ ((uint64_t)j + FIRN_RANDOM_STEP));
    return firn_random_mix(h ^ ((uint64_t)k + FIRN_RANDOM_STEP));
}

/* Mixed bits as a number in [0, 1): the upper 53, exactly. */
static inline double firn_random_unit(uint64_t bits) { return (double)(bits >> 11) * 0x1p-53; }

/* The same bits as three numbers in [0, 1), the lower 63 in groups of 21. */
static inline void firn_random_unit_cube(uint64_t bits, double u[3])
{
    for (int a = 0; a < 3; a++) u[a] = (double)(bits >> (21 * a) & 0x1fffff) * 0x1p-21;
}

#endif
