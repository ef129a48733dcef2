/* variants.c: which compilation of the kernels runs here. */
#include "kernels.h"
#include "ceiling.h"

#include <stdio.h>
#include <string.h>

#if defined(__x86_64__)
#define FIRN_X86 1
#endif

#define FLOPS(variant) double firn_ceiling_flops_##variant(long n_rounds, double *sink)
extern const firn_kernels firn_kernels_f64_scalar;
FLOPS(f64_scalar);
#if FIRN_X86
extern const firn_kernels firn_kernels_f32_sse2, firn_kernels_f32_avx2, firn_kernels_f64_avx2, firn_kernels_f32_avx512,
    firn_kernels_f64_avx512;
FLOPS(f32_sse2);
FLOPS(f32_avx2);
FLOPS(f64_avx2);
FLOPS(f32_avx512);
FLOPS(f64_avx512);
#endif

static const struct {
    const char *name, *isa;
    int is_double;
    const firn_kernels *kernels;
    firn_ceiling_fn flops;
} variants[FIRN_N_VARIANTS] = {
    [FIRN_F64_SCALAR] = {"f64_scalar", "scalar", 1, &firn_kernels_f64_scalar, firn_ceiling_flops_f64_scalar},
#if FIRN_X86
    [FIRN_F32_SSE2] = {"f32_sse2", "sse2", 0, &firn_kernels_f32_sse2, firn_ceiling_flops_f32_sse2},
    [FIRN_F32_AVX2] = {"f32_avx2", "avx2", 0, &firn_kernels_f32_avx2, firn_ceiling_flops_f32_avx2},
    [FIRN_F64_AVX2] = {"f64_avx2", "avx2", 1, &firn_kernels_f64_avx2, firn_ceiling_flops_f64_avx2},
    [FIRN_F32_AVX512] = {"f32_avx512", "avx512", 0, &firn_kernels_f32_avx512, firn_ceiling_flops_f32_avx512},
    [FIRN_F64_AVX512] = {"f64_avx512", "avx512", 1, &firn_kernels_f64_avx512, firn_ceiling_flops_f64_avx512},
#endif
};

static int processor_runs(firn_variant variant)
{
#if FIRN_X86
    __builtin_cpu_init();
    switch (variant) {
    case FIRN_F32_AVX2:
    case FIRN_F64_AVX2: return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    case FIRN_F32_AVX512:
    case FIRN_F64_AVX512:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    default: return 1;
    }
#else
    return variant == FIRN_F64_SCALAR;
#endif
}

const firn_kernels *firn_kernels_find(firn_variant variant)
{
    return (int)variant >= 0 && variant < FIRN_N_VARIANTS && processor_runs(variant) ? variants[variant].kernels : NULL;
}

firn_ceiling_fn firn_ceiling_find(firn_variant variant)
{
    return firn_kernels_find(variant) ? variants[variant].flops : NULL;
}

const char *firn_variant_name(firn_variant variant) { return variants[variant].name ? variants[variant].name : ""; }

int firn_kernels_choose(const char *isa, int is_double, char *why, size_t n_why)
{
    int best = -1, is_known = isa[0] == 0;
    for (int v = 0; v < FIRN_N_VARIANTS; v++) {
        if (!variants[v].name) continue;
        int is_asked = strcmp(isa, variants[v].isa) == 0;
        is_known |= is_asked;
        if ((isa[0] && !is_asked) || variants[v].is_double != is_double || !firn_kernels_find(v)) continue;
        best = v; /* the table goes from slow to fast */
    }
    if (best < 0 && isa[0] == 0) best = FIRN_F64_SCALAR; /* a processor without vector kernels of ours */
    if (best >= 0) return best;
    if (!is_known)
        snprintf(why, n_why, "instruction set '%s' is not known; use scalar, sse2, avx2 or avx512", isa);
    else if (strcmp(isa, "scalar") == 0)
        snprintf(why, n_why, "the scalar kernels are double only; add --precision double, or use sse2");
    else if (strcmp(isa, "sse2") == 0)
        snprintf(why, n_why, "sse2 has no double kernels; use scalar, avx2 or avx512");
    else
        snprintf(why, n_why, "this processor or build has no %s kernels for %s precision", isa[0] ? isa : "vector",
                 is_double ? "double" : "float");
    return -1;
}
