/* SPDX-License-Identifier: MIT */
/* Dough, batter, mud, paste: an elastic solid that flows above a yield stress, springs back slowly
 * and softens under work.
 *
 *   e_i   elastic principal log strains,  tau_i = 2 mu e_i + lambda tr(e)
 *   t     = |dev tau| / sqrt 2, the shear stress;   g  shear rate of the flow, 1/s
 *   w     broken share of the structure, 0 .. 1 (history `broken`)
 *   b_m   left Cauchy-Green tensor of a Maxwell branch (history holds b_m - I)
 *
 * Flow (Herschel-Bulkley)
 *
 *   t = (yield + K g^n) s,   s = (1 - softening w) / (1 - softening)
 *
 * Worked through (w = 1) s is 1: yield and K are those of a flow curve, which is measured on
 * worked material. Implicit in time, with t_trial before the flow, t = t_trial - mu g dt,
 * X = t_trial - yield s > 0 and y = mu g dt / X:
 *
 *   exp(a + n ln y) + exp(ln y) = 1,   a = ln(K s / X) + n ln(X / (mu dt))
 *
 * The logarithm of the left side is convex in v = ln y with slopes between n and 1, so that Newton
 * from the upper bound v = min(-a/n, 0) falls onto the root; for n = 0.1, the worst, with errors
 * of 1.8, 0.5, 0.06, 8e-4, 2e-7. The flow keeps the volume.
 *
 * Memory (Maxwell branch of modulus G_m)
 *
 *   tau += G_m dev(b_m);   energy G_m/2 (tr b_m - 3 - ln det b_m)
 *
 * b_m follows the volume-preserving part of the motion and relaxes to I at the rate
 * 1/t_m + g/memory_strain, so that flow wipes it out. In steady shear it carries
 * G_m g / (1/t_m + g/memory_strain), never more than G_m memory_strain. The energy that relaxation
 * takes is viscous work.
 *
 * Structure (thixotropy)      dw/dt = g (1 - w) / break_strain - w / recovery_time
 * Damping                     2 eta dev(sym grad v) in addition; adds eta g to the flow curve
 *
 * Limits. Small-strain shear modulus mu + G_m. In steady simple shear at the rate g elastic strain
 * turns the axes of flow: its rate is g / cosh(t/mu) and the shear stress t / cosh(t/mu) (b
 * stationary: the tangent of the angle of its axis is exp(-t/mu)). The flow curve is therefore
 * followed only while the stress is well below mu. */
#include "laws/law_common.h"

enum {
    YIELD = LAW_OWN_PARAMETERS,
    CONSISTENCY,
    EXPONENT,
    MEMORY,
    MEMORY_TIME,
    MEMORY_STRAIN,
    SOFTENING,
    BREAK,
    RECOVERY,
    DAMPING
};
enum { LOG_K = LAW_OWN_CONSTANTS, FADING, WIPING, BREAKING, MENDING, FRESH };
enum { BROKEN, BRANCH }; /* six components of b_m - I start at BRANCH */

static const firn_bound_info bounds[] = {
    LAW_BOUND_COLLAPSED,
    {FIRN_BOUND_MEMORY, "a volume ratio below 1e-3, of the motion that the memory follows or of "
                        "the memory, is held there"},
};
static const firn_parameter_info parameters[] = {
    LAW_PARAMETER_RHO(1100),
    LAW_PARAMETER_E(2.5e5),
    LAW_PARAMETER_NU(0.4),
    {"yield", "Pa", "shear stress at which worked material begins to flow", 60, 0, 1e9, 1},
    {"K", "Pa s^n",
     "consistency: shear stress of worked material is yield + K g^n at the shear rate g", 1387,
     1e-6, 1e9},
    {"n", "1", "exponent: 1 Bingham, below 1 shear-thinning, above 1 thickening", 0.38, 0.1, 2},
    {"G_m", "Pa", "shear modulus of the fading memory (Maxwell branch), which springs back", 0, 0,
     1e9},
    {"t_m", "s", "relaxation time of the memory at rest", 0.5, 1e-4, 1e6},
    {"memory_strain", "1",
     "shear strain of flow that wipes the memory out; it carries at most G_m times this", 0.25,
     1e-3, 1e3},
    {"softening", "1", "share of the yield stress and K of rested material that is lost by work", 0,
     0, 0.99},
    {"break_strain", "1", "shear strain of flow that breaks most of the structure", 2, 1e-3, 1e3},
    {"recovery_time", "s", "time in which the structure recovers at rest", 60, 1e-3, 1e9},
    {"eta", "Pa s", "damping viscosity, added at all stresses", 0, 0, 1e6},
};
static const firn_relation_info relations[] = {
    LAW_RELATION_NU,
    LAW_RELATION_YIELD("yield"),
    {"G_m / E", 0, 1, "the memory is stiffer than the material that carries it"},
};
static const firn_history_info history[] = {
    {"broken", "1", "share of the structure broken by work", 0, FIRN_HISTORY_DAMAGE},
    {"bm_xx", "1", "fading memory, b_m - I", 0},
    {"bm_yy", "1", "fading memory, b_m - I", 0},
    {"bm_zz", "1", "fading memory, b_m - I", 0},
    {"bm_xy", "1", "fading memory, b_m - I", 0},
    {"bm_xz", "1", "fading memory, b_m - I", 0},
    {"bm_yz", "1", "fading memory, b_m - I", 0},
};
#define TUNED "; density, nu, yield, memory and softening tuned for looks"
static const firn_preset_info presets[] = {
    {"bread_dough",
     "steady shear stress, yield and memory included, within 5 % of the published 1387 Pa s^n, n = "
     "0.38, 10 to 1e4 1/s (hard wheat flour dough in a capillary, J. Food Engineering 103(3), "
     "294-298, 2011); K, n and E chosen for that" TUNED,
     "rho=1150 E=2.5e5 nu=0.42 yield=40 K=860 n=0.45 G_m=1500 t_m=20 memory_strain=0.6 "
     "softening=0.3 break_strain=3 recovery_time=120"},
    {"pizza_dough",
     "steady shear stress, yield and memory included, within 5 % of the published 2395 Pa s^n, n = "
     "0.34, 9 to 5000 1/s (wheat flour-water dough in a capillary: Sharma, Hanna, Chen, Cereal "
     "Chem. 70, 59-63, 1993); K, n and E chosen for that" TUNED
     "; rebounds by less than a hundredth of the drop height",
     "rho=1150 E=8e5 nu=0.42 yield=80 K=1940 n=0.365 G_m=1500 t_m=15 memory_strain=0.5 "
     "softening=0.1 break_strain=4 recovery_time=300"},
    {"cookie_dough", "short dough that holds its shape and hardly springs back; tuned for looks",
     "rho=1250 E=1.5e5 nu=0.35 yield=1200 K=640 n=0.5 softening=0.2 break_strain=1 "
     "recovery_time=600 eta=20"},
    {"batter", "pours and levels out slowly; tuned for looks",
     "rho=1080 E=5e3 nu=0.45 yield=3.5 K=5.6 n=0.6 G_m=50 t_m=0.2 memory_strain=0.5 softening=0.3 "
     "break_strain=5 recovery_time=60 eta=1"},
    {"mud",
     "density, yield and viscosity (K with n = 1) from published effects work; elasticity tuned "
     "for looks",
     "rho=1000 E=2e4 nu=0.4 yield=300 K=100 n=1"},
    {"toothpaste", "keeps its ridges; all numbers tuned for looks",
     "rho=1300 E=1e4 nu=0.45 yield=105 K=42 n=0.45 softening=0.3 break_strain=2 recovery_time=30 "
     "eta=1"},
    {"bean_paste",
     "yield, K and n of sweet bean paste (start values of a published fit); elasticity tuned for "
     "looks",
     "rho=1200 E=1e4 nu=0.4 yield=20.5 K=16.7 n=0.68"},
};

FIRN_INLINE void derive(const fr *p, fr *d)
{
    law_derive_lame(p, d);
    d[LOG_K] = fr_log(p[CONSISTENCY]);
    d[FADING] = 1 / p[MEMORY_TIME];
    d[WIPING] = 1 / p[MEMORY_STRAIN];
    d[BREAKING] = 1 / p[BREAK];
    d[MENDING] = 1 / p[RECOVERY];
    d[FRESH] = 1 / (1 - p[SOFTENING]);
}

FIRN_INLINE fr energy(law_point *q, const fr *e)
{
    fr i1, i2, i3;
    mat3_invariants(q->h + BRANCH, &i1, &i2, &i3);
    fr low = fr_set1((real)(1e-3 - 1)), log_det = fr_log1p(fr_max(i1 + i2 + i3, low));
    law_bound(q, FIRN_BOUND_MEMORY,
              fm_and(fr_gt(q->p[MEMORY], fr_zero()), fr_lt(i1 + i2 + i3, low)));
    return law_hencky_energy_at(q, e) + (real)0.5 * q->p[MEMORY] * (i1 - log_det);
}

/* The branch as an elastic solid adds at most 4/3 G_m times the largest eigenvalue of b_m, and
 * its own stress. */
FIRN_INLINE fr modulus(law_point *q, const fr *e, const fr *tau)
{
    fr largest = 1 + fr_max(mat3_largest_eigenvalue_bound(q->h + BRANCH), fr_zero());
    return law_hencky_modulus_at(q, e, tau) + (real)(4.0 / 3) * q->p[MEMORY] * largest;
}

/* ---------------------------------------------------------------- the flow */

/* y of  exp(a + n ln y) + y = 1 */
FIRN_INLINE fr solve_flow(fr a, fr n)
{
    /* at the start one of the two terms is 1 and needs no exponential */
    fr alone = -a * fr_rcp(n), v = fr_min(alone, fr_zero()), one = fr_set1(1);
    fm linear_leads = fr_gt(alone, fr_zero());
    fr other = fr_exp(fr_select(linear_leads, a, v));
    fr power = fr_select(linear_leads, other, one), linear = fr_select(linear_leads, one, other);
    fr step = fr_log1p(other) * (1 + other) * fr_rcp(n * power + linear);
#pragma GCC unroll 1
    for (int i = 0; i < (sizeof(real) == 8 ? 5 : 3); i++) {
        v = v - step;
        power = fr_exp(a + n * v);
        linear = fr_exp(v);
        fr over = power + linear - 1; /* small: (1 + over) times its logarithm by a series */
        step =
            over * (1 + over * ((real)0.5 - over * (real)(1.0 / 6))) * fr_rcp(n * power + linear);
    }
    return linear * (1 - step * (1 - (real)0.5 * step));
}

FIRN_INLINE void return_map(law_point *q, fr *e)
{
    const real root_half = (real)0.70710678118654752;
    const fr *p = q->p, tiny = fr_set1((real)1e-18), zero = fr_zero();
    fr dev[3], trace, size = law_deviator(e, &trace, dev), broken = q->h[BROKEN];
    fr strength = (1 - p[SOFTENING] * broken) * q->d[FRESH];
    fr excess = 2 * q->d[LAW_MU] * size * root_half - p[YIELD] * strength;
    fm flows = fr_gt(excess, zero);
    /* where nothing flows all of this would add exact zeros */
    if (fm_any(flows)) {
        fr x = fr_max(excess, tiny), fastest = x * fr_rcp(fr_max(q->d[LAW_MU] * q->dt, tiny));
        fr a = q->d[LOG_K] + fr_log(strength * fr_rcp(x)) + p[EXPONENT] * fr_log(fastest);
        q->flowed = fr_select(flows, solve_flow(a, p[EXPONENT]) * fastest * q->dt, zero);
        /* |dev e| falls by flowed / sqrt 2 */
        fr lost =
            fr_min(q->flowed * root_half * fr_rcp(fr_max(size, fr_set1(MAT3_TINY))), fr_set1(1));
        for (int i = 0; i < 3; i++) e[i] = e[i] - lost * dev[i];
    }
    fr breaking = q->flowed * q->d[BREAKING];
    q->h[BROKEN] = (broken + breaking) * fr_rcp(1 + breaking + q->dt * q->d[MENDING]);
}

FIRN_INLINE fr yield(law_point *q, const fr *e)
{
    fr dev[3], trace, size = law_deviator(e, &trace, dev);
    fr strength = (1 - q->p[SOFTENING] * q->h[BROKEN]) * q->d[FRESH];
    return law_yield_share(2 * q->d[LAW_MU] * size * (real)0.70710678118654752,
                           q->p[YIELD] * strength);
}

/* ---------------------------------------------------------------- the fading memory */

/* H = (volume-preserving part of I + dt grad v) - I */
FIRN_INLINE void isochoric_step(law_point *q, const fr *grad_v, fr h[9])
{
    const fr low = fr_set1((real)(1e-3 - 1));
    for (int i = 0; i < 9; i++) h[i] = q->dt * grad_v[i] + (real)(i % 4 == 0);
    fr change = mat3_determinant_minus_one(h), j = fr_max(change, low);
    law_bound(q, FIRN_BOUND_MEMORY, fm_and(fr_gt(q->p[MEMORY], fr_zero()), fr_lt(change, low)));
    fr less = fr_expm1(fr_log1p(j) * (real)(-1.0 / 3)), scale = (1 + less) * q->dt;
    for (int i = 0; i < 9; i++) h[i] = scale * grad_v[i] + (i % 4 == 0 ? less : fr_zero());
}

FIRN_INLINE fr flow(law_point *q, const fr *grad_v)
{
    fm remembers = fr_gt(q->p[MEMORY], fr_zero());
    if (!fm_any(remembers)) return fr_zero();
    fr h[9], b[6], i1, i2, i3, low = fr_set1((real)(1e-3 - 1));
    fr forgotten = fr_expm1(-(q->dt * q->d[FADING] + q->flowed * q->d[WIPING])), k = 1 + forgotten;
    isochoric_step(q, grad_v, h);
    for (int i = 0; i < 6; i++) b[i] = q->h[BRANCH + i];
    mat3_push_forward(h, b);
    mat3_invariants(b, &i1, &i2, &i3);
    for (int i = 0; i < 6; i++) q->h[BRANCH + i] = fr_select(remembers, k * b[i], q->h[BRANCH + i]);
    fr kept = k * (i1 + k * (i2 + k * i3)), before = fr_max(i1 + i2 + i3, low),
       after = fr_max(kept, low);
    law_bound(q, FIRN_BOUND_MEMORY, fm_and(remembers, fr_lt(fr_min(i1 + i2 + i3, kept), low)));
    fr log_ratio =
        fr_log1p((after - before) * fr_rcp(1 + before)); /* of the determinants, after to before */
    return fr_max((real)0.5 * q->p[MEMORY] * (log_ratio - forgotten * i1), fr_zero());
}

FIRN_INLINE void branch(law_point *q, fr tau[6])
{
    fr s[6];
    for (int i = 0; i < 6; i++) s[i] = q->h[BRANCH + i];
    law_take_deviator(s);
    for (int i = 0; i < 6; i++) tau[i] = tau[i] + q->p[MEMORY] * s[i];
}

FIRN_INLINE fr viscosity(law_point *q) { return q->p[DAMPING]; }
FIRN_INLINE void viscous(law_point *q, const fr rate[6], fr tau[6])
{
    law_newtonian_stress(viscosity(q), rate, tau);
}

static const law_functions functions = {.form = FIRN_FORM_LOG,
                                        .derive = derive,
                                        .energy = energy,
                                        .stress = law_hencky_stress_at,
                                        .return_map = return_map,
                                        .yield = yield,
                                        .modulus = modulus,
                                        .flow = flow,
                                        .branch = branch,
                                        .viscous = viscous,
                                        .viscosity = viscosity};

FIRN_LAW(
    dough,
    .title = "Dough, batter, mud, paste: elastic, Herschel-Bulkley flow, fading memory, thixotropy",
    .equations = "tau = 2 mu e + lambda tr(e) I + G_m dev(b_m) + 2 eta dev(sym grad v)\n"
                 "flow: t = (yield + K g^n)(1 - softening w)/(1 - softening),  t = |dev tau_e| / "
                 "sqrt 2,  g = its shear rate\n"
                 "b_m: upper-convected, relaxes to I at the rate 1/t_m + g/memory_strain\n"
                 "dw/dt = g (1 - w)/break_strain - w/recovery_time",
    .citation = "W. H. Herschel, R. Bulkley, Kolloid-Zeitschrift 39, 1926; J. G. Oldroyd, Proc. R. "
                "Soc. A 200, 1950, doi:10.1098/rspa.1950.0035; relaxation that grows with the rate "
                "after J. L. White, A. B. "
                "Metzner, J. Appl. Polym. Sci. 7, 1963; flow in this setting after Y. Yue et al., "
                "Continuum foam, ACM TOG 34(5), 2015",
    .validity =
        "Flow curves of the cited doughs hold for capillary shear; no yield stress was measured "
        "with them. The curve is followed while the stress is below about E/4; a smaller E than "
        "the presets' makes longer time steps and bends the curve at high rates.",
    FIRN_HISTORY(history), FIRN_BOUNDS(bounds), FIRN_RELATIONS(relations), FIRN_PRESETS(presets),
    .is_isotropic = 1, .is_plastic = 1)
