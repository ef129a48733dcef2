/* SPDX-License-Identifier: MIT */
/* variants.h: the compilations of everything that computes on lanes (lanes.h): laws, kernels,
 * probes. One source text becomes one variant for each instruction set and precision; the one
 * that runs is chosen when a simulation is created.
 *
 * f64_scalar is plain C, built everywhere, and the definition of correct. */
#ifndef FIRN_VARIANTS_H
#define FIRN_VARIANTS_H

#include <stddef.h>

/* X(argument, index, suffix, instruction set, is double), for each precision from slow to fast.
 * All of them are built, or two with -DFIRN_FEW_VARIANTS (sanitizers, which compile slowly);
 * processors other than x86-64 have the plain one. src/meson.build lists the same suffixes with
 * their compiler arguments. */
#define FIRN_VARIANTS_PLAIN(X, a) X(a, FIRN_F64_SCALAR, f64_scalar, "scalar", 1)
#define FIRN_VARIANTS_FEW(X, a) FIRN_VARIANTS_PLAIN(X, a) X(a, FIRN_F32_SSE2, f32_sse2, "sse2", 0)
#define FIRN_VARIANTS_ALL(X, a)                                                                    \
    FIRN_VARIANTS_FEW(X, a)                                                                        \
    X(a, FIRN_F32_AVX2, f32_avx2, "avx2", 0)                                                       \
    X(a, FIRN_F64_AVX2, f64_avx2, "avx2", 1)                                                       \
    X(a, FIRN_F32_AVX512, f32_avx512, "avx512", 0)                                                 \
    X(a, FIRN_F64_AVX512, f64_avx512, "avx512", 1)
#if !defined(__x86_64__)
#define FIRN_VARIANTS_BUILT FIRN_VARIANTS_PLAIN
#elif defined(FIRN_FEW_VARIANTS)
#define FIRN_VARIANTS_BUILT FIRN_VARIANTS_FEW
#else
#define FIRN_VARIANTS_BUILT FIRN_VARIANTS_ALL
#endif

#define FIRN_VARIANT_INDEX(a, index, suffix, isa, is_double) index,
typedef enum firn_variant { FIRN_VARIANTS_ALL(FIRN_VARIANT_INDEX, ) FIRN_N_VARIANTS } firn_variant;
#undef FIRN_VARIANT_INDEX

/* Built, and this processor has the instructions. */
int firn_variant_runs(firn_variant variant);
int firn_variant_is_double(firn_variant variant);
const char *firn_variant_name(firn_variant variant); /* its suffix */

/* The fastest variant of a precision for an instruction set (scalar sse2 avx2 avx512; "": the
 * best of this processor). -1: there is none, and `why` says why. */
int firn_variant_choose(const char *isa, int is_double, char *why, size_t n_why);

#endif
