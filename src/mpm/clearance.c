/* SPDX-License-Identifier: MIT */
/* clearance.c: what a step leaves of the clearances of a bundle of particles (distance_cache.c
 * says what these are). Compiled once a variant (lanes.h), because every bundle near a collider
 * with a second pass comes here in every step.
 *
 * A particle went a way w in the step, the surface s, and it turned by R. Seen from the surface
 * the particle's way is u, |u| <= w + s + |R - 1| d with d at the step's end, and d > |u|
 * follows from d > 1.1 (w + s) while |R - 1| <= 0.09. The factors just below and above 1 keep
 * rounding from losing what is small against the clearance; 1e-5 h is more than places are
 * rounded by. */
#include "mpm/clearance.h"

enum { N = FIRN_BUNDLE };

uint32_t FIRN_VARIANT_NAME(firn_clearance)(const void *x_, const void *before_,
                                           const firn_distance_cache_ways *ways, void *clear_)
{
    const real *x = x_, *before = before_, more = (real)1e-5 * (real)ways->h;
    const fr cell = fr_set1((real)ways->h * (real)(1 + 1e-5)), keep = fr_set1(1 - (real)2e-7),
             most_way = fr_set1((real)ways->most_way * (real)(1 + 1e-5)),
             factor = fr_set1((real)1.1), most_needed = fr_set1((real)ways->most_needed + more);
    real *clear = clear_;
    uint32_t bits = 0;
    for (int l = 0; l < N; l += LANES) {
        const fr u = fr_load(x + l) - fr_load(before + l),
                 v = fr_load(x + N + l) - fr_load(before + N + l),
                 w = fr_load(x + 2 * N + l) - fr_load(before + 2 * N + l);
        const fr own = cell * fr_sqrt(u * u + v * v + w * w), which = fr_load(clear + 2 * N + l);
        fr way = most_way, needed = most_needed;
        for (int k = 0; k < ways->n; k++) {
            const fm is_this = fr_eq(which, fr_set1((real)ways->which[k]));
            way = fr_select(is_this, fr_set1((real)ways->way[k] * (real)(1 + 1e-5)), way);
            needed = fr_select(is_this, fr_set1((real)ways->needed[k] + more), needed);
        }
        const fr nearest = fr_load(clear + l) * keep - (own + way),
                 others = fr_load(clear + N + l) * keep - (own + most_way);
        fr_store(clear + l, nearest);
        fr_store(clear + N + l, others);
        bits |= (uint32_t)fm_bits(fm_not(fr_gt(nearest, factor * own + needed))) << l;
        bits |= (uint32_t)fm_bits(fm_not(fr_gt(others, factor * own + most_needed))) << (N + l);
    }
    return bits;
}
