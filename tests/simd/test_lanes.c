/* SPDX-License-Identifier: MIT */
/* Tests of lanes.h, in the variant that this file is compiled for: the accuracy that its top
 * claims, in ulp of the lane's type against long double, and lane by lane meaning of the rest. */
#include "simd/lanes.h"

#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>

#if FIRN_DOUBLE
#define GATE 4.0
#else
#define GATE 2.0
#endif

static double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(int64_t)(*state & ~2047ull) * 0x1p-63;
}

/* |got - exact| in units of the last place of exact */
static double ulps(real got, long double exact)
{
    int exponent;
    frexpl(exact, &exponent);
    long double unit = ldexpl(1, exponent - (FIRN_DOUBLE ? 53 : 24));
    return (double)(fabsl((long double)got - exact) / unit);
}

typedef fr (*lane_function)(fr x);
static fr log_lanes(fr x) { return fr_log(x); }
static fr exp_lanes(fr x) { return fr_exp(x); }
static fr log1p_lanes(fr x) { return fr_log1p(x); }
static fr expm1_lanes(fr x) { return fr_expm1(x); }
static fr cbrt_lanes(fr x) { return fr_cbrt(x); }
static fr sin_lanes(fr x) { return fr_sin(x); }
static fr rcp_lanes(fr x) { return fr_rcp(x); }
static fr rsqrt_lanes(fr x) { return fr_rsqrt(x); }
static fr sqrt_lanes(fr x) { return fr_sqrt(x); }
static long double reciprocal(long double x) { return 1 / x; }
static long double reciprocal_root(long double x) { return 1 / sqrtl(x); }

/* Not inlined: with contraction the compiler may otherwise round an argument differently for its
 * two readers. */
__attribute__((noinline)) static void arguments(uint64_t *seed, double low, double high,
                                                int is_logarithmic, real *x)
{
    for (int lane = 0; lane < LANES; lane++) {
        double t = 0.5 + 0.5 * uniform(seed);
        x[lane] = (real)(is_logarithmic ? low * exp(t * log(high / low)) : low + t * (high - low));
    }
}

/* Arguments low .. high, evenly or evenly in their logarithm. */
static void accuracy(const char *name, lane_function f, long double (*exact)(long double),
                     double low, double high, int is_logarithmic, double gate)
{
    uint64_t seed = 3;
    double worst = 0, where = 0;
    for (int k = 0; k < 40000; k += LANES) {
        real x[LANES], y[LANES];
        arguments(&seed, low, high, is_logarithmic, x);
        fr_store(y, f(fr_load(x)));
        for (int lane = 0; lane < LANES; lane++) {
            double error = ulps(y[lane], exact((long double)x[lane]));
            if (!(error <= worst)) {
                worst = error;
                where = (double)x[lane];
            }
        }
    }
    if (!(worst <= gate)) fail_msg("%s: %g ulp at %.9g", name, worst, where);
}

static void functions_are_as_accurate_as_claimed(void **state)
{
    (void)state;
    accuracy("log", log_lanes, logl, 1e-30, 1e30, 1, GATE);
    accuracy("log near 1", log_lanes, logl, 0.7, 1.5, 0, GATE);
    accuracy("log1p", log1p_lanes, log1pl, 1e-12, 10, 1, GATE);
    accuracy("log1p around 0", log1p_lanes, log1pl, -0.5, 0.5, 0, GATE);
    accuracy("exp", exp_lanes, expl, -80, 80, 0, GATE);
    accuracy("expm1", expm1_lanes, expm1l, -1, 1, 0, GATE);
    accuracy("expm1 small", expm1_lanes, expm1l, 1e-12, 20, 1, GATE);
    accuracy("cbrt", cbrt_lanes, cbrtl, 1e-20, 1e20, 1, GATE);
    accuracy("sin", sin_lanes, sinl, -1.5, 1.5, 0, 1.5 * GATE);
    accuracy("sqrt", sqrt_lanes, sqrtl, 1e-20, 1e20, 1, 0.5);
    accuracy("rcp", rcp_lanes, reciprocal, 1e-10, 1e10, 1, GATE);
    accuracy("rsqrt", rsqrt_lanes, reciprocal_root, 1e-10, 1e10, 1, 2 * GATE);
}

static void edges_stay_finite(void **state)
{
    (void)state;
    assert_true(isnan((double)fr_lane(fr_exp(fr_set1((real)NAN)), 0)));
    assert_true(isfinite((double)fr_lane(fr_cbrt(fr_set1(0)), 0)) &&
                fr_lane(fr_cbrt(fr_set1(0)), 0) == 0);
    assert_true(fabs((double)fr_lane(fr_cbrt(fr_set1(-27)), 0) + 3) < 1e-6);
    assert_true(fr_lane(fr_exp(fr_set1(-1000)), 0) >= 0);
    assert_true(fr_lane(fr_expm1(fr_set1(0)), 0) == 0 && fr_lane(fr_log1p(fr_set1(0)), 0) == 0);
}

/* Comparisons, choice and mask queries act on each lane alone. */
static void masks_act_lane_by_lane(void **state)
{
    (void)state;
    real a[LANES], b[LANES], c[LANES];
    for (int i = 0; i < LANES; i++) {
        a[i] = (real)i;
        b[i] = (real)(i % 2 ? i : 2 * LANES);
    }
    fm less = fr_lt(fr_load(a), fr_load(b));
    unsigned bits = 0;
    for (int i = 0; i < LANES; i++) bits |= (unsigned)(a[i] < b[i]) << i;
    assert_int_equal(fm_bits(less), bits);
    assert_int_equal(fm_bits(fm_not(less)), ~bits & ((1u << LANES) - 1u));
    assert_int_equal(fm_any(less), 1);
    assert_int_equal(fm_all(fm_or(less, fm_not(less))), 1);
    assert_int_equal(fm_any(fm_and(less, fm_not(less))), 0);
    fr_store(c, fr_select(less, fr_load(a), fr_load(b)));
    for (int i = 0; i < LANES; i++) assert_true(c[i] == (a[i] < b[i] ? a[i] : b[i]));
    a[0] = (real)NAN;
    assert_int_equal(fm_bits(fr_is_finite(fr_load(a))) & 1u, 0);
    assert_int_equal(fm_bits(fr_le(fr_load(a), fr_load(a))) & 1u, 0);
}

static void rounding_is_as_in_c(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (int k = 0; k < 1000; k++) {
        real x = (real)(1e5 * uniform(&seed)), y = (real)uniform(&seed);
        assert_true((double)fr_lane(fr_floor(fr_set1(x)), 0) == floor((double)x));
        assert_true((double)fr_lane(fr_copysign(fr_set1(x), fr_set1(y)), 0) ==
                    copysign((double)x, (double)y));
        assert_true((double)fr_lane(fr_abs(fr_set1(x)), 0) == fabs((double)x));
        assert_true(fr_lane(fr_clamp(fr_set1(x), fr_set1(-1), fr_set1(2)), 0) == (x < -1  ? -1
                                                                                  : x > 2 ? 2
                                                                                          : x));
    }
}

int main(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init(); /* 77: skipped, this processor cannot run the variant */
    if (FIRN_ISA == 2 && !(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")))
        return 77;
    if (FIRN_ISA == 3 && !__builtin_cpu_supports("avx512vl")) return 77;
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_are_as_accurate_as_claimed),
        cmocka_unit_test(edges_stay_finite),
        cmocka_unit_test(masks_act_lane_by_lane),
        cmocka_unit_test(rounding_is_as_in_c),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
