/* SPDX-License-Identifier: MIT */
/* lanes.h: one wide number type for every instruction set.
 *
 * A file that includes this header is compiled several times, once for each variant:
 *
 *     FIRN_VARIANT   FIRN_ISA   real     LANES
 *     f64_scalar     0          double   1       the definition of correct: C, libm, no contraction
 *     f32_sse2       1          float    4       every x86-64 processor
 *     f32_avx2       2          float    8
 *     f64_avx2       2          double   4
 *     f32_avx512     3          float    16
 *     f64_avx512     3          double   8
 *
 *   real   the storage type of particles and grid
 *   fr     LANES reals, one particle a lane; + - * / and unary minus are the C operators
 *   fm     LANES truth values; made by fr_lt and friends, used by fr_select, fm_any, fm_all
 *   fi     LANES integers of the width of a real, for exponents
 *
 * A bundle is always 16 lanes: a loop over a bundle runs 16 / LANES times. Only this file knows
 * intrinsics for lane arithmetic.
 *
 * Accuracy (tests/simd/test_lanes.c): sqrt, floor, min and max are exact where C's are; log, exp
 * and relatives are within 2 ulp (float) and 4 ulp (double) in their useful range, sin and rsqrt
 * within twice that. */
#ifndef FIRN_LANES_H
#define FIRN_LANES_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifndef FIRN_ISA
#error "compile with -DFIRN_ISA, -DFIRN_DOUBLE and -DFIRN_VARIANT: see src/meson.build"
#endif

enum { FIRN_BUNDLE = 16 };

#define FIRN_PASTE_(a, b) a##_##b
#define FIRN_PASTE(a, b) FIRN_PASTE_(a, b)
#define FIRN_VARIANT_NAME(name) FIRN_PASTE(name, FIRN_VARIANT)
#define FIRN_INLINE static inline __attribute__((always_inline, unused))

#if FIRN_DOUBLE
typedef double real;
typedef int64_t lane_int;
#define REAL_EPSILON 2.220446049250313e-16
#define REAL_MAX 1.7976931348623157e308
#define REAL_MIN 2.2250738585072014e-308
#else
typedef float real;
typedef int32_t lane_int;
#define REAL_EPSILON 1.1920929e-7f
#define REAL_MAX 3.4028235e38f
#define REAL_MIN 1.17549435e-38f
#endif

#if FIRN_ISA == 0
#define LANES 1
#elif FIRN_ISA == 1
#define FIRN_VECTOR_BYTES 16
#elif FIRN_ISA == 2
#define FIRN_VECTOR_BYTES 32
#else
#define FIRN_VECTOR_BYTES 64
#endif

/* Asks the memory for a field of n components of a bundle that comes soon. Blocks of few
 * particles end before the processor notices that it walks along an array; the next block's
 * bundles follow in the same array, and to ask for what lies beyond its end does no harm. */
enum { LANES_AHEAD = 3 };
FIRN_INLINE void lanes_ask(const void *field, int64_t bundle, int n)
{
    const uintptr_t bytes =
        (uintptr_t)n * 16 * sizeof(real); /* numbers, as pointers may not leave their array */
    const uintptr_t from = (uintptr_t)field + (uintptr_t)(bundle + LANES_AHEAD) * bytes;
    for (uintptr_t i = 0; i < bytes; i += 64) __builtin_prefetch((const void *)(from + i));
}
FIRN_INLINE void lanes_ask_ids(const uint32_t *id, int64_t bundle)
{
    __builtin_prefetch(
        (const void *)((uintptr_t)id + (uintptr_t)(bundle + LANES_AHEAD) * 16 * sizeof *id));
}

#if FIRN_ISA == 0 /* ------------------------------------------------------------------ plain C */

typedef real fr;
typedef int fm;
typedef lane_int fi;

FIRN_INLINE fr fr_set1(real a) { return a; }
FIRN_INLINE fr fr_load(const real *p) { return *p; }
FIRN_INLINE void fr_store(real *p, fr a) { *p = a; }
FIRN_INLINE real fr_lane(fr a, int lane)
{
    (void)lane;
    return a;
}
FIRN_INLINE real fr_least(fr a) { return a; }
FIRN_INLINE real fr_most(fr a) { return a; }
FIRN_INLINE fm fr_lt(fr a, fr b) { return a < b; }
FIRN_INLINE fm fr_le(fr a, fr b) { return a <= b; }
FIRN_INLINE fm fr_gt(fr a, fr b) { return a > b; }
FIRN_INLINE fm fr_ge(fr a, fr b) { return a >= b; }
FIRN_INLINE fm fr_eq(fr a, fr b) { return a == b; }
FIRN_INLINE fm fm_and(fm a, fm b) { return a && b; }
FIRN_INLINE fm fm_or(fm a, fm b) { return a || b; }
FIRN_INLINE fm fm_not(fm a) { return !a; }
FIRN_INLINE int fm_any(fm a) { return a; }
FIRN_INLINE int fm_all(fm a) { return a; }
FIRN_INLINE unsigned fm_bits(fm a) { return a ? 1u : 0u; } /* bit l: lane l */
FIRN_INLINE fr fr_select(fm m, fr a, fr b) { return m ? a : b; }
FIRN_INLINE fr fr_min(fr a, fr b) { return a < b ? a : b; }
FIRN_INLINE fr fr_max(fr a, fr b) { return a > b ? a : b; }
FIRN_INLINE fr fr_abs(fr a) { return fabs(a); }
FIRN_INLINE fr fr_sqrt(fr a) { return sqrt(a); }
FIRN_INLINE fr fr_rsqrt(fr a) { return 1 / sqrt(a); }
FIRN_INLINE fr fr_rcp(fr a) { return 1 / a; }
FIRN_INLINE fr fr_floor(fr a) { return floor(a); }
FIRN_INLINE fr fr_copysign(fr size, fr sign) { return copysign(size, sign); }
FIRN_INLINE fr fr_fma(fr a, fr b, fr c) { return a * b + c; }
FIRN_INLINE fr fr_log(fr x) { return log(x); }
FIRN_INLINE fr fr_exp(fr x) { return exp(x); }
FIRN_INLINE fr fr_log1p(fr x) { return log1p(x); }
FIRN_INLINE fr fr_log_sum(fr shift, fr x)
{
    return shift == 1 && x > -0.5 ? log1p(x) : log(shift + x);
}
FIRN_INLINE fr fr_expm1(fr x) { return expm1(x); }
FIRN_INLINE fr fr_pow(fr x, fr y) { return pow(x, y); }
FIRN_INLINE fr fr_cbrt(fr x) { return cbrt(x); }
FIRN_INLINE fr fr_sin(fr x) { return sin(x); }

#else /* ------------------------------------------------------------------ vectors */

#include <immintrin.h>

#define LANES (FIRN_VECTOR_BYTES / (FIRN_DOUBLE ? 8 : 4)) /* the preprocessor asks, too */
typedef real fr __attribute__((vector_size(FIRN_VECTOR_BYTES)));
typedef real fr_unaligned
    __attribute__((vector_size(FIRN_VECTOR_BYTES), aligned(sizeof(real)), may_alias));
typedef lane_int fi __attribute__((vector_size(FIRN_VECTOR_BYTES)));

/* FIRN_X(op) is the intrinsic `op` of this width and precision: _mm256_sqrt_ps and so on. */
#if FIRN_ISA == 3
#define FIRN_X_(op, suffix) _mm512_##op##_##suffix
#elif FIRN_ISA == 2
#define FIRN_X_(op, suffix) _mm256_##op##_##suffix
#else
#define FIRN_X_(op, suffix) _mm_##op##_##suffix
#endif
#if FIRN_DOUBLE
#define FIRN_X(op) FIRN_X_(op, pd)
#else
#define FIRN_X(op) FIRN_X_(op, ps)
#endif

FIRN_INLINE fr fr_set1(real a) { return (fr)FIRN_X(set1)(a); }
FIRN_INLINE fr fr_load(const real *p) { return (fr)FIRN_X(loadu)(p); }
FIRN_INLINE void fr_store(real *p, fr a) { FIRN_X(storeu)(p, a); }
FIRN_INLINE real fr_lane(fr a, int lane) { return a[lane]; }

#if FIRN_ISA == 3
#if FIRN_DOUBLE
typedef __mmask8 fm;
#define FIRN_COMPARE(a, b, how) _mm512_cmp_pd_mask(a, b, how)
#else
typedef __mmask16 fm;
#define FIRN_COMPARE(a, b, how) _mm512_cmp_ps_mask(a, b, how)
#endif
#define FIRN_ALL_LANES ((fm)((1u << LANES) - 1u))
FIRN_INLINE fm fr_lt(fr a, fr b) { return FIRN_COMPARE(a, b, _CMP_LT_OQ); }
FIRN_INLINE fm fr_le(fr a, fr b) { return FIRN_COMPARE(a, b, _CMP_LE_OQ); }
FIRN_INLINE fm fr_gt(fr a, fr b) { return FIRN_COMPARE(a, b, _CMP_GT_OQ); }
FIRN_INLINE fm fr_ge(fr a, fr b) { return FIRN_COMPARE(a, b, _CMP_GE_OQ); }
FIRN_INLINE fm fr_eq(fr a, fr b) { return FIRN_COMPARE(a, b, _CMP_EQ_OQ); }
FIRN_INLINE fm fm_and(fm a, fm b) { return (fm)(a & b); }
FIRN_INLINE fm fm_or(fm a, fm b) { return (fm)(a | b); }
FIRN_INLINE fm fm_not(fm a) { return (fm)(~a & FIRN_ALL_LANES); }
FIRN_INLINE int fm_any(fm a) { return a != 0; }
FIRN_INLINE int fm_all(fm a) { return a == FIRN_ALL_LANES; }
FIRN_INLINE unsigned fm_bits(fm a) { return a; }
FIRN_INLINE fr fr_select(fm m, fr a, fr b) { return (fr)FIRN_X(mask_blend)(m, b, a); }
#else
typedef fi fm;
FIRN_INLINE fm fr_lt(fr a, fr b) { return a < b; }
FIRN_INLINE fm fr_le(fr a, fr b) { return a <= b; }
FIRN_INLINE fm fr_gt(fr a, fr b) { return a > b; }
FIRN_INLINE fm fr_ge(fr a, fr b) { return a >= b; }
FIRN_INLINE fm fr_eq(fr a, fr b) { return a == b; }
FIRN_INLINE fm fm_and(fm a, fm b) { return a & b; }
FIRN_INLINE fm fm_or(fm a, fm b) { return a | b; }
FIRN_INLINE fm fm_not(fm a) { return ~a; }
FIRN_INLINE unsigned fm_bits(fm a) { return (unsigned)FIRN_X(movemask)((fr)a); }
FIRN_INLINE int fm_any(fm a) { return fm_bits(a) != 0; }
FIRN_INLINE int fm_all(fm a) { return fm_bits(a) == (1u << LANES) - 1u; }
FIRN_INLINE fr fr_select(fm m, fr a, fr b) { return (fr)((m & (fi)a) | (~m & (fi)b)); }
#endif

FIRN_INLINE fr fr_min(fr a, fr b) { return (fr)FIRN_X(min)(a, b); }
FIRN_INLINE fr fr_max(fr a, fr b) { return (fr)FIRN_X(max)(a, b); }
FIRN_INLINE fr fr_sqrt(fr a) { return (fr)FIRN_X(sqrt)(a); }

/* Over all lanes; none of them is NaN. */
#if FIRN_ISA == 3
FIRN_INLINE real fr_least(fr a) { return FIRN_X(reduce_min)(a); }
FIRN_INLINE real fr_most(fr a) { return FIRN_X(reduce_max)(a); }
#else
FIRN_INLINE real fr_least(fr a)
{
    real x[LANES];
    fr_store(x, a);
    for (int half = LANES / 2; half; half /= 2)
        for (int l = 0; l < half; l++) x[l] = x[l + half] < x[l] ? x[l + half] : x[l];
    return x[0];
}
FIRN_INLINE real fr_most(fr a) { return -fr_least(-a); }
#endif

#if FIRN_DOUBLE
#define LANE_SIGN ((lane_int)0x8000000000000000ull)
#define LANE_MANTISSA_BITS 52
#define LANE_BIAS 1023
#else
#define LANE_SIGN ((lane_int)0x80000000u)
#define LANE_MANTISSA_BITS 23
#define LANE_BIAS 127
#endif
FIRN_INLINE fi fi_set1(lane_int a) { return (fi){0} + a; }
FIRN_INLINE fr fr_abs(fr a) { return (fr)((fi)a & fi_set1(~LANE_SIGN)); }
FIRN_INLINE fr fr_copysign(fr size, fr sign)
{
    return (fr)(((fi)size & fi_set1(~LANE_SIGN)) | ((fi)sign & fi_set1(LANE_SIGN)));
}
/* Contraction is on in the vector variants, so this becomes one instruction where there is one. */
FIRN_INLINE fr fr_fma(fr a, fr b, fr c) { return a * b + c; }

FIRN_INLINE fr fr_floor(fr a)
{
#if FIRN_ISA >= 2
    return (fr)FIRN_X(floor)(a);
#else /* |a| < 2^31: enough for grid coordinates and exponents */
    fr t = __builtin_convertvector(__builtin_convertvector(a, fi), fr);
    return t - fr_select(fr_gt(t, a), fr_set1(1), fr_set1(0));
#endif
}

/* Reciprocal and reciprocal root, correctly rounded to 1 ulp in double; in float an estimate and
 * one Newton step where the instruction exists (relative error below 1e-7). Zero gives a huge
 * value or inf, not a trap. */
FIRN_INLINE fr fr_rcp(fr a)
{
#if FIRN_ISA == 3 && !FIRN_DOUBLE
    fr r = (fr)_mm512_rcp14_ps(a);
    return r * (2 - a * r);
#else
    return 1 / a;
#endif
}
FIRN_INLINE fr fr_rsqrt(fr a)
{
#if FIRN_ISA == 3 && !FIRN_DOUBLE
    fr r = (fr)_mm512_rsqrt14_ps(a);
    return r * ((real)1.5 - ((real)0.5 * a * r) * r);
#else
    return 1 / fr_sqrt(a);
#endif
}

/* x = m 2^e with m in [sqrt(1/2), sqrt(2)), x > 0 and normal. */
FIRN_INLINE fr fr_split_exponent(fr x, fr *exponent)
{
    const lane_int one_bits = (lane_int)LANE_BIAS << LANE_MANTISSA_BITS;
#if FIRN_DOUBLE
    const lane_int root_half = 0x3fe6a09e667f3bcdll;
#else
    const lane_int root_half = 0x3f3504f3;
#endif
    fi bits = (fi)x - root_half; /* so that the exponent field turns over at sqrt(1/2) */
    fi e = bits >> LANE_MANTISSA_BITS;
    fi m = (bits & (((lane_int)1 << LANE_MANTISSA_BITS) - 1)) + root_half;
    (void)one_bits;
    *exponent = __builtin_convertvector(e, fr);
    return (fr)m;
}

/* ln((1 + f) 2^e) = e ln 2 + 2 atanh(z), z = f/(2 + f), |z| < 0.1716; the odd series needs 4
 * (float) or 11 terms. */
FIRN_INLINE fr fr_log_core(fr f, fr e)
{
    fr z = f * fr_rcp(f + 2), w = z * z;
#if FIRN_DOUBLE
    fr s = fr_set1(1.0 / 23);
    s = s * w + 1.0 / 21;
    s = s * w + 1.0 / 19;
    s = s * w + 1.0 / 17;
    s = s * w + 1.0 / 15;
    s = s * w + 1.0 / 13;
    s = s * w + 1.0 / 11;
    s = s * w + 1.0 / 9;
    s = s * w + 1.0 / 7;
    s = s * w + 1.0 / 5;
    s = s * w + 1.0 / 3;
    const double ln2_hi = 6.93147180369123816490e-01, ln2_lo = 1.90821492927058770002e-10;
#else
    fr s = fr_set1(1.0f / 9);
    s = s * w + 1.0f / 7;
    s = s * w + 1.0f / 5;
    s = s * w + 1.0f / 3;
    const float ln2_hi = 6.93359375e-1f, ln2_lo = -2.12194440e-4f;
#endif
    /* 2 z = f - z f keeps the leading term exact */
    fr r = f - z * (f - 2 * w * s);
    return e * ln2_hi + (r + e * ln2_lo);
}
FIRN_INLINE fr fr_log(fr x)
{
    fr e, m = fr_split_exponent(x, &e);
    return fr_log_core(m - 1, e);
}
FIRN_INLINE fr fr_pow2(fr whole) /* 2^whole, whole a whole number in the exponent's range */
{
    fi e = __builtin_convertvector(whole, fi);
    return (fr)((e + LANE_BIAS) << LANE_MANTISSA_BITS);
}

/* ln(1 + x): the exponent is that of the rounded sum, but the mantissa is made of x itself, so
 * that nothing is lost: f = (1 + x) 2^-e - 1 = x 2^-e + (2^-e - 1), one rounding. */
FIRN_INLINE fr fr_log1p(fr x)
{
    fr e;
    fr_split_exponent(1 + x, &e);
    fr scale = fr_pow2(-e);
    return fr_log_core(x * scale + (scale - 1), e);
}

/* ln(shift + x) for shift 0 or 1 with all digits of x. Below -1/2 the sum 1 + x is exact, and
 * 2^-e may be so large that the way of fr_log1p would round. */
FIRN_INLINE fr fr_log_sum(fr shift, fr x)
{
    fr e, sum = shift + x, m = fr_split_exponent(sum, &e), scale = fr_pow2(-e);
    return fr_log_core(
        fr_select(fr_lt(sum, fr_set1((real)0.5)), m - 1, x * scale + (shift * scale - 1)), e);
}

#if FIRN_DOUBLE
#define FIRN_EXP_LOW (-700.0)
#define FIRN_EXP_HIGH 700.0
#else
#define FIRN_EXP_LOW (-87.0f)
#define FIRN_EXP_HIGH 88.0f
#endif

/* e^r - 1 for |r| <= ln(2)/2, Taylor in Horner form */
FIRN_INLINE fr fr_expm1_core(fr r)
{
#if FIRN_DOUBLE
    fr s = fr_set1(1.0 / 6227020800.0);
    s = s * r + 1.0 / 479001600.0;
    s = s * r + 1.0 / 39916800.0;
    s = s * r + 1.0 / 3628800.0;
    s = s * r + 1.0 / 362880.0;
    s = s * r + 1.0 / 40320.0;
    s = s * r + 1.0 / 5040.0;
    s = s * r + 1.0 / 720.0;
    s = s * r + 1.0 / 120.0;
    s = s * r + 1.0 / 24.0;
    s = s * r + 1.0 / 6.0;
#else
    fr s = fr_set1(1.0f / 5040);
    s = s * r + 1.0f / 720;
    s = s * r + 1.0f / 120;
    s = s * r + 1.0f / 24;
    s = s * r + 1.0f / 6;
#endif
    s = s * r + (real)0.5;
    return r + r * r * s;
}

FIRN_INLINE fr fr_reduce_exp(fr x, fr *n)
{
    *n = fr_floor(x * (real)1.4426950408889634 + (real)0.5);
#if FIRN_DOUBLE
    return (x - *n * 6.93147180369123816490e-01) - *n * 1.90821492927058770002e-10;
#else
    return (x - *n * 6.93359375e-1f) - *n * -2.12194440e-4f;
#endif
}

/* Clamped to the range that neither overflows nor goes denormal; a NaN stays a NaN. */
FIRN_INLINE fr fr_exp(fr x)
{
    x = fr_max(fr_set1(FIRN_EXP_LOW),
               fr_min(fr_set1(FIRN_EXP_HIGH), x)); /* min/max return x when it is NaN */
    fr n, r = fr_reduce_exp(x, &n), p = fr_pow2(n);
    return p + p * fr_expm1_core(r);
}
FIRN_INLINE fr fr_expm1(fr x)
{
    x = fr_max(fr_set1(FIRN_EXP_LOW), fr_min(fr_set1(FIRN_EXP_HIGH), x));
    fr n, r = fr_reduce_exp(x, &n), p = fr_pow2(n);
    return (p - 1) + p * fr_expm1_core(r);
}
FIRN_INLINE fr fr_pow(fr x, fr y) { return fr_exp(y * fr_log(x)); } /* x > 0 */
FIRN_INLINE fr fr_cbrt(fr x)
{
    fr a = fr_abs(x), r = fr_exp(fr_log(fr_max(a, fr_set1((real)1e-30))) * (real)(1.0 / 3));
    r = r - (r - a / (r * r)) * (real)(1.0 / 3); /* one Newton step for the last digits */
    return fr_copysign(fr_select(fr_gt(a, fr_set1((real)1e-30)), r, fr_set1(0)), x);
}
/* |x| <= pi */
FIRN_INLINE fr fr_sin(fr x)
{
    const fr pi = fr_set1((real)3.14159265358979323846);
    fr a = fr_abs(x);
    a = fr_select(fr_gt(a, pi * (real)0.5), pi - a, a);
    fr w = a * a;
#if FIRN_DOUBLE
    fr s = fr_set1(1.0 / 51090942171709440000.0);
    s = s * w - 1.0 / 121645100408832000.0;
    s = s * w + 1.0 / 355687428096000.0;
    s = s * w - 1.0 / 1307674368000.0;
    s = s * w + 1.0 / 6227020800.0;
    s = s * w - 1.0 / 39916800.0;
    s = s * w + 1.0 / 362880.0;
#else
    fr s = fr_set1(-1.0f / 39916800);
    s = s * w + 1.0f / 362880;
#endif
    s = s * w - (real)(1.0 / 5040);
    s = s * w + (real)(1.0 / 120);
    s = s * w - (real)(1.0 / 6);
    return fr_copysign(a + a * w * s, x);
}
#endif

FIRN_INLINE fr fr_clamp(fr x, fr low, fr high) { return fr_min(fr_max(x, low), high); }
FIRN_INLINE fr fr_zero(void) { return fr_set1(0); }
FIRN_INLINE fm fr_is_finite(fr x)
{
    return fr_le(fr_abs(x), fr_set1(REAL_MAX));
} /* false for NaN too */

#endif
