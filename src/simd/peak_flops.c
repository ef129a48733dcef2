/* SPDX-License-Identifier: MIT */
/* peak_flops.c: how fast this processor multiplies and adds, once for each variant. Twelve
 * independent chains hide the latency of a fused multiply-add; the factor keeps the numbers
 * finite. */
#include "simd/lanes.h"
#include "simd/peak_flops.h"

FIRN_PEAK_FLOPS_FN(FIRN_VARIANT_NAME(firn_peak_flops))
{
    enum { CHAINS = 12 };
    fr x[CHAINS], a = fr_set1((real)0.999), b = fr_set1((real)0.001);
    for (int i = 0; i < CHAINS; i++) x[i] = fr_set1((real)(i + 1));
    for (long n = 0; n < n_rounds; n++)
        for (int i = 0; i < CHAINS; i++) x[i] = fr_fma(x[i], a, b);
    fr sum = x[0];
    for (int i = 1; i < CHAINS; i++) sum = sum + x[i];
    *sink += (double)fr_lane(sum, 0);
    return 2.0 * CHAINS * LANES * (double)n_rounds;
}
