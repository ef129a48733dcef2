/* SPDX-License-Identifier: MIT */
/* variants.c: which variants are built, and which of them this processor runs. */
#include "simd/variants.h"
#include "simd/peak_flops.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *isa;
    int is_double;
} variants[FIRN_N_VARIANTS] = {
#define NAMES(a, index, suffix, isa, is_double) [index] = {#suffix, isa, is_double},
    FIRN_VARIANTS_ALL(NAMES, )};

#define DECLARE(a, index, suffix, isa, is_double)                                                  \
    double firn_peak_flops_##suffix(long n_rounds, double *sink);
FIRN_VARIANTS_BUILT(DECLARE, )

/* NULL where a variant is not built. */
static const firn_peak_flops_fn flops[FIRN_N_VARIANTS] = {
#define FLOPS(a, index, suffix, isa, is_double) [index] = firn_peak_flops_##suffix,
    FIRN_VARIANTS_BUILT(FLOPS, )};

/* The avx2 variants are compiled with fused multiply-add, the avx512 variants for x86-64-v4: every
 * part of it that their code may hold is asked for. */
static int processor_runs(firn_variant variant)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    switch (variant) {
    case FIRN_F32_AVX2:
    case FIRN_F64_AVX2: return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    case FIRN_F32_AVX512:
    case FIRN_F64_AVX512:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("fma") &&
               __builtin_cpu_supports("bmi2");
    default: return 1;
    }
#else
    return variant == FIRN_F64_SCALAR;
#endif
}

int firn_variant_runs(firn_variant variant)
{
    return (int)variant >= 0 && variant < FIRN_N_VARIANTS && flops[variant] &&
           processor_runs(variant);
}

firn_peak_flops_fn firn_peak_flops_find(firn_variant variant)
{
    return firn_variant_runs(variant) ? flops[variant] : NULL;
}

const char *firn_variant_name(firn_variant variant) { return variants[variant].name; }

int firn_variant_is_double(firn_variant variant) { return variants[variant].is_double; }

int firn_variant_choose(const char *isa, int is_double, char *why, size_t n_why)
{
    int best = -1, is_known = isa[0] == 0;
    for (int v = 0; v < FIRN_N_VARIANTS; v++) {
        int is_asked = strcmp(isa, variants[v].isa) == 0;
        is_known |= is_asked;
        if ((isa[0] && !is_asked) || variants[v].is_double != is_double || !firn_variant_runs(v))
            continue;
        best = v; /* the table goes from slow to fast */
    }
    if (best < 0 && isa[0] == 0) best = FIRN_F64_SCALAR; /* a processor without vector variants */
    if (best >= 0) return best;
    if (!is_known)
        snprintf(why, n_why,
                 "instruction set '%s' is not known; allowed: scalar, sse2, avx2, avx512", isa);
    else if (strcmp(isa, "scalar") == 0)
        snprintf(why, n_why,
                 "the scalar kernels are double only; try: --precision double, or sse2");
    else if (strcmp(isa, "sse2") == 0)
        snprintf(why, n_why, "sse2 has no double kernels; try: scalar, avx2 or avx512");
    else
        snprintf(why, n_why, "this processor or build has no %s kernels for %s precision",
                 isa[0] ? isa : "vector", is_double ? "double" : "float");
    return -1;
}
