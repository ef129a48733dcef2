/* SPDX-License-Identifier: MIT */
/* clearance.c: the clearances of a bundle of particles after a step (defined in distance_cache.c).
 * A kernel, compiled once per variant (lanes.h), because every bundle near a collider with a second
 * pass comes here in every step.
 *
 * In a step the particle travels a path w, the surface s, and the surface turns by R. Relative to
 * the surface the path is u with |u| <= w + s + |R - 1| d, d the distance at the end of the step.
 * With |R - 1| <= 0.09, d > 1.1 (w + s) implies d > |u|:
 *
 *     |u| <= w + s + 0.09 d < d (1 / 1.1 + 0.09) = 0.9991 d
 *
 * Factors next to 1 round every bound to the safe side, so that float never makes a clearance
 * larger; 1e-5 h exceeds the rounding of positions. */
#include "mpm/clearance.h"

/* Components of CLEAR: bound of the nearest collider (m), bound of the others (m), index of the
 * nearest, as a real. */
enum { N = FIRN_BUNDLE };

uint32_t FIRN_VARIANT_NAME(firn_clearance)(const void *x_, const void *before_,
                                           const firn_distance_cache_motion *motion, void *clear_)
{
    const real *x = x_, *before = before_, more = (real)1e-5 * (real)motion->h;
    const fr cell = fr_set1((real)motion->h * (real)(1 + 1e-5)), keep = fr_set1(1 - (real)2e-7),
             most_displacement = fr_set1((real)motion->most_displacement * (real)(1 + 1e-5)),
             factor = fr_set1((real)1.1), most_needed = fr_set1((real)motion->most_needed + more);
    real *clear = clear_;
    uint32_t bits = 0;
    for (int l = 0; l < N; l += LANES) {
        const fr u = fr_load(x + l) - fr_load(before + l),
                 v = fr_load(x + N + l) - fr_load(before + N + l),
                 w = fr_load(x + 2 * N + l) - fr_load(before + 2 * N + l);
        const fr own = cell * fr_sqrt(u * u + v * v + w * w), which = fr_load(clear + 2 * N + l);
        fr moved = most_displacement, needed = most_needed;
        for (int k = 0; k < motion->n; k++) {
            const fm is_this = fr_eq(which, fr_set1((real)motion->which[k]));
            moved = fr_select(is_this, fr_set1((real)motion->displacement[k] * (real)(1 + 1e-5)),
                              moved);
            needed = fr_select(is_this, fr_set1((real)motion->needed[k] + more), needed);
        }
        const fr nearest = fr_load(clear + l) * keep - (own + moved),
                 others = fr_load(clear + N + l) * keep - (own + most_displacement);
        fr_store(clear + l, nearest);
        fr_store(clear + N + l, others);
        bits |= (uint32_t)fm_bits(fm_not(fr_gt(nearest, factor * own + needed))) << l;
        bits |= (uint32_t)fm_bits(fm_not(fr_gt(others, factor * own + most_needed))) << (N + l);
    }
    return bits;
}
