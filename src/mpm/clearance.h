/* SPDX-License-Identifier: MIT */
/* clearance.h: the function of clearance.c, by variant; kernels.h describes it. */
#ifndef FIRN_CLEARANCE_H
#define FIRN_CLEARANCE_H

#include "mpm/kernels.h"
#include "simd/lanes.h"

uint32_t FIRN_VARIANT_NAME(firn_clearance)(const void *x, const void *before,
                                           const firn_distance_cache_motion *motion, void *clear);

#endif
