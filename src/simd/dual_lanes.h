/* SPDX-License-Identifier: MIT */
/* dual_lanes.h: lanes.h with a derivative. The text of a law, which is written on `fr`, is compiled
 * once more, as C++, with `fr` a pair of lanes: a value v and its derivative d along one direction,
 *
 *     (a + a' e)(b + b' e) = a b + (a b' + a' b) e,     e^2 = 0     (W. K. Clifford, 1873)
 *
 * so that every function of the law carries its exact directional derivative along (forward mode of
 * automatic differentiation: A. Griewank, A. Walther, Evaluating Derivatives, 2008, ch. 3). Masks
 * come from values alone; a choice between two results chooses their derivatives with them, so a
 * kink has the derivative of the side on which the value is. Where a value has none it gets a
 * finite one: that of a square root at zero is zero (the direction of a cone's tip).
 *
 * Values are those of lanes.h to the last bit. firn_lanes::fr is the plain type; mat3.h is there on
 * both. */
#ifndef FIRN_DUAL_LANES_H
#define FIRN_DUAL_LANES_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if FIRN_ISA > 0
#include <immintrin.h>
#endif

namespace firn_lanes
{
#include "simd/lanes.h"
#include "simd/mat3.h"
} // namespace firn_lanes
#undef FIRN_MAT3_H /* once more, on dual lanes */

using firn_lanes::FIRN_BUNDLE;
using firn_lanes::fm;
using firn_lanes::fm_all;
using firn_lanes::fm_and;
using firn_lanes::fm_any;
using firn_lanes::fm_not;
using firn_lanes::fm_or;
using firn_lanes::lanes_ask;
using firn_lanes::lanes_ask_ids;
using firn_lanes::real;

typedef firn_lanes::fr wide;

struct fr {
    wide v, d;
};

FIRN_INLINE fr fr_set1(real a) { return {firn_lanes::fr_set1(a), firn_lanes::fr_zero()}; }
FIRN_INLINE fr fr_zero(void) { return fr_set1(0); }
FIRN_INLINE fr fr_load(const real *p) { return {firn_lanes::fr_load(p), firn_lanes::fr_zero()}; }

/* Numbers are converted as C converts a scalar beside a vector. */
#define DUAL_NUMBER(T) template <typename T> FIRN_INLINE
FIRN_INLINE fr operator-(fr a) { return {-a.v, -a.d}; }
FIRN_INLINE fr operator+(fr a, fr b) { return {a.v + b.v, a.d + b.d}; }
FIRN_INLINE fr operator-(fr a, fr b) { return {a.v - b.v, a.d - b.d}; }
FIRN_INLINE fr operator*(fr a, fr b) { return {a.v * b.v, a.v * b.d + a.d * b.v}; }
FIRN_INLINE fr operator/(fr a, fr b)
{
    const wide q = a.v / b.v;
    return {q, (a.d - q * b.d) / b.v};
}
DUAL_NUMBER(T) fr operator+(fr a, T b) { return {a.v + (real)b, a.d}; }
DUAL_NUMBER(T) fr operator+(T a, fr b) { return {(real)a + b.v, b.d}; }
DUAL_NUMBER(T) fr operator-(fr a, T b) { return {a.v - (real)b, a.d}; }
DUAL_NUMBER(T) fr operator-(T a, fr b) { return {(real)a - b.v, -b.d}; }
DUAL_NUMBER(T) fr operator*(fr a, T b) { return {a.v * (real)b, a.d * (real)b}; }
DUAL_NUMBER(T) fr operator*(T a, fr b) { return {(real)a * b.v, (real)a * b.d}; }
DUAL_NUMBER(T) fr operator/(fr a, T b) { return {a.v / (real)b, a.d / (real)b}; }
DUAL_NUMBER(T) fr operator/(T a, fr b)
{
    const wide q = (real)a / b.v;
    return {q, -q * b.d / b.v};
}
#undef DUAL_NUMBER

FIRN_INLINE fm fr_lt(fr a, fr b) { return firn_lanes::fr_lt(a.v, b.v); }
FIRN_INLINE fm fr_le(fr a, fr b) { return firn_lanes::fr_le(a.v, b.v); }
FIRN_INLINE fm fr_gt(fr a, fr b) { return firn_lanes::fr_gt(a.v, b.v); }
FIRN_INLINE fm fr_ge(fr a, fr b) { return firn_lanes::fr_ge(a.v, b.v); }
FIRN_INLINE fm fr_eq(fr a, fr b) { return firn_lanes::fr_eq(a.v, b.v); }
FIRN_INLINE fr fr_select(fm m, fr a, fr b)
{
    return {firn_lanes::fr_select(m, a.v, b.v), firn_lanes::fr_select(m, a.d, b.d)};
}
FIRN_INLINE fm fr_is_finite(fr a) { return firn_lanes::fr_is_finite(a.v); }

/* As lanes.h: the second argument where one is NaN. */
FIRN_INLINE fr fr_min(fr a, fr b) { return fr_select(fr_lt(a, b), a, b); }
FIRN_INLINE fr fr_max(fr a, fr b) { return fr_select(fr_gt(a, b), a, b); }
FIRN_INLINE fr fr_clamp(fr x, fr low, fr high) { return fr_min(fr_max(x, low), high); }
FIRN_INLINE fr fr_abs(fr a)
{
    const fm is_negative = firn_lanes::fr_lt(a.v, firn_lanes::fr_zero());
    return {firn_lanes::fr_abs(a.v), firn_lanes::fr_select(is_negative, -a.d, a.d)};
}
FIRN_INLINE fr fr_copysign(fr size, fr sign)
{
    const fr s = fr_abs(size);
    const wide one = firn_lanes::fr_copysign(firn_lanes::fr_set1(1), sign.v);
    return {firn_lanes::fr_copysign(s.v, sign.v), one * s.d};
}
FIRN_INLINE fr fr_floor(fr a) { return {firn_lanes::fr_floor(a.v), firn_lanes::fr_zero()}; }
FIRN_INLINE fr fr_fma(fr a, fr b, fr c)
{
    return {firn_lanes::fr_fma(a.v, b.v, c.v), a.v * b.d + (a.d * b.v + c.d)};
}

/* d / (2 root), and zero where the root is */
FIRN_INLINE fr fr_sqrt(fr a)
{
    const wide root = firn_lanes::fr_sqrt(a.v), zero = firn_lanes::fr_zero();
    const fm is_zero = firn_lanes::fr_eq(root, zero);
    const wide twice = firn_lanes::fr_select(is_zero, firn_lanes::fr_set1(1), 2 * root);
    return {root, firn_lanes::fr_select(is_zero, zero, a.d / twice)};
}
FIRN_INLINE fr fr_rcp(fr a)
{
    const wide r = firn_lanes::fr_rcp(a.v);
    return {r, -(r * r) * a.d};
}
FIRN_INLINE fr fr_rsqrt(fr a)
{
    const wide r = firn_lanes::fr_rsqrt(a.v);
    return {r, (real)-0.5 * (r * r) * r * a.d};
}
FIRN_INLINE fr fr_log(fr x) { return {firn_lanes::fr_log(x.v), x.d / x.v}; }
FIRN_INLINE fr fr_log1p(fr x) { return {firn_lanes::fr_log1p(x.v), x.d / (1 + x.v)}; }
FIRN_INLINE fr fr_log_sum(fr shift, fr x)
{
    return {firn_lanes::fr_log_sum(shift.v, x.v), (shift.d + x.d) / (shift.v + x.v)};
}
FIRN_INLINE fr fr_exp(fr x)
{
    const wide e = firn_lanes::fr_exp(x.v);
    return {e, e * x.d};
}
FIRN_INLINE fr fr_expm1(fr x)
{
    const wide e = firn_lanes::fr_expm1(x.v);
    return {e, (e + 1) * x.d};
}
FIRN_INLINE fr fr_pow(fr x, fr y) /* x > 0 */
{
    const wide p = firn_lanes::fr_pow(x.v, y.v);
    return {p, p * (y.d * firn_lanes::fr_log(x.v) + y.v * x.d / x.v)};
}
FIRN_INLINE fr fr_cbrt(fr x)
{
    const wide r = firn_lanes::fr_cbrt(x.v), zero = firn_lanes::fr_zero();
    const fm is_zero = firn_lanes::fr_eq(r, zero);
    const wide slope = firn_lanes::fr_select(is_zero, firn_lanes::fr_set1(1), 3 * r * r);
    return {r, firn_lanes::fr_select(is_zero, zero, x.d / slope)};
}
FIRN_INLINE fr fr_sin(fr x) /* |x| <= pi; the cosine is sin(pi/2 - |x|) */
{
    const wide size = firn_lanes::fr_abs(x.v);
    return {firn_lanes::fr_sin(x.v), firn_lanes::fr_sin((real)1.57079632679489662 - size) * x.d};
}

#include "simd/mat3.h"

#endif
