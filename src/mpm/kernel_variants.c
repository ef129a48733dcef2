/* SPDX-License-Identifier: MIT */
/* kernel_variants.c: the table of compiled variants of the kernels, one per instruction set and
 * precision (simd/variants.h lists them). */
#include "mpm/kernels.h"

#define DECLARE(a, index, suffix, isa, is_double) extern const firn_kernels firn_kernels_##suffix;
FIRN_VARIANTS_BUILT(DECLARE, )

static const firn_kernels *const built[FIRN_N_VARIANTS] = {
#define KERNELS(a, index, suffix, isa, is_double) [index] = &firn_kernels_##suffix,
    FIRN_VARIANTS_BUILT(KERNELS, )};

const firn_kernels *firn_kernels_find(firn_variant variant)
{
    return firn_variant_runs(variant) ? built[variant] : NULL;
}
