/* SPDX-License-Identifier: MIT */
/* peak_flops.h: multiply-adds of one variant. Returns how many floating-point operations were
 * made in n_rounds. */
#ifndef FIRN_PEAK_FLOPS_H
#define FIRN_PEAK_FLOPS_H

#include "simd/variants.h"

#define FIRN_PEAK_FLOPS_FN(name)                                                                   \
    double name(long n_rounds, double *sink);                                                      \
    double name(long n_rounds, double *sink)

typedef double (*firn_peak_flops_fn)(long n_rounds, double *sink);
firn_peak_flops_fn firn_peak_flops_find(firn_variant variant); /* NULL: not built */

#endif
