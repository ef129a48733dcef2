/* Dough, batter, mud, paste: an elastic solid that flows above a yield stress, springs back slowly, softens under work.
 *
 * Elastic    tau = 2 mu e + lambda tr(e), e principal elastic log strains; t = |dev tau| / sqrt 2 is the shear stress
 * Flow       Herschel-Bulkley: t = (yield + K g^n) (1 - softening w), g the shear rate of the flow. Implicit in time:
 * with t_trial before the flow, t = t_trial - mu g dt and X = t_trial - yield (1 - softening w) > 0, K' g^n + mu dt g =
 * X,   solved for u = ln g:  ln(exp(ln K' + n u) + exp(ln(mu dt) + u)) = ln X. The left side is convex with slopes
 * between n and 1, so Newton from the upper bound falls onto the root. Memory     a Maxwell branch of modulus G_m: b_m
 * follows the volume-preserving part of the motion and relaxes to I with the time t_m (upper-convected, stays positive
 * definite); tau += G_m dev(b_m). History keeps b_m - I. Energy G_m/2 (tr b_m - 3 - ln det b_m); what relaxation takes
 * of it is viscous work. Thixotropy w in 0 .. 1 is the broken share of the structure: dw/dt = g (1 - w) / break_strain
 * - w / recovery_time. Damping    2 eta dev(sym grad v), for dough that must not bounce. The small-strain shear modulus
 * felt at once is mu + G_m. */
#include "law_common.h"

enum { RHO, YOUNG, POISSON, YIELD, CONSISTENCY, EXPONENT, MEMORY, MEMORY_TIME, SOFTENING, BREAK, RECOVERY, DAMPING };
enum { LAMBDA, MU, LOG_K };
enum { BROKEN, BRANCH }; /* six components of b_m - I start at BRANCH */

static const firn_parameter_info parameters[] = {
    LAW_PARAMETER_RHO(1100),
    LAW_PARAMETER_E(2e4),
    LAW_PARAMETER_NU(0.4),
    {"yield", "Pa", "shear stress at which flow sets in", 300, 0, 1e9},
    {"K", "Pa s^n", "consistency: shear stress is yield + K g^n in flow at the shear rate g", 1387, 1e-6, 1e9},
    {"n", "1", "exponent: 1 Bingham, below 1 shear-thinning, above 1 thickening", 0.38, 0.1, 2},
    {"G_m", "Pa", "shear modulus of the fading memory (Maxwell branch)", 0, 0, 1e9},
    {"t_m", "s", "time in which the memory fades", 0.5, 1e-4, 1e6},
    {"softening", "1", "share of yield and K that is lost when the structure is fully broken", 0, 0, 0.99},
    {"break_strain", "1", "shear strain of flow that breaks most of the structure", 2, 1e-3, 1e3},
    {"recovery_time", "s", "time in which rest mends the structure", 60, 1e-3, 1e9},
    {"eta", "Pa s", "damping viscosity, added at all stresses", 0, 0, 1e6},
};
static const firn_history_info history[] = {
    {"broken", "1", "share of the structure broken by work", 0},
    {"bm_xx", "1", "fading memory, b_m - I", 0},
    {"bm_yy", "1", "fading memory, b_m - I", 0},
    {"bm_zz", "1", "fading memory, b_m - I", 0},
    {"bm_xy", "1", "fading memory, b_m - I", 0},
    {"bm_xz", "1", "fading memory, b_m - I", 0},
    {"bm_yz", "1", "fading memory, b_m - I", 0},
};
#define TUNED "; elasticity, yield, memory and softening tuned for looks"
static const firn_preset_info presets[] = {
    {"bread_dough", "K and n of wheat dough in capillary shear, 1e1 to 1e4 1/s" TUNED,
     "rho=1150 E=2e4 nu=0.42 yield=300 K=1387 n=0.38 G_m=3000 t_m=0.8 softening=0.4 break_strain=3 recovery_time=120 "
     "eta=5"},
    {"pizza_dough", "K and n of a stiffer wheat dough, 9 to 5000 1/s" TUNED "; damped so that it does not bounce",
     "rho=1150 E=3e4 nu=0.42 yield=500 K=2395 n=0.34 G_m=6000 t_m=1.5 softening=0.3 break_strain=4 recovery_time=300 "
     "eta=30"},
    {"cookie_dough", "short dough that holds its shape and hardly springs back; tuned for looks",
     "rho=1250 E=5e4 nu=0.35 yield=1500 K=800 n=0.5 G_m=0 t_m=0.2 softening=0.2 break_strain=1 recovery_time=600 "
     "eta=20"},
    {"batter", "pours and levels out slowly; tuned for looks",
     "rho=1080 E=5e3 nu=0.45 yield=5 K=8 n=0.6 G_m=50 t_m=0.2 softening=0.3 break_strain=5 recovery_time=60 eta=1"},
    {"mud", "density, yield and viscosity (K with n = 1) from published effects work; elasticity tuned for looks",
     "rho=1000 E=2e4 nu=0.4 yield=300 K=100 n=1"},
    {"toothpaste", "keeps its ridges; yield of the usual order for tooth paste, the rest tuned for looks",
     "rho=1300 E=1e4 nu=0.45 yield=150 K=60 n=0.45 softening=0.3 break_strain=2 recovery_time=30 eta=1"},
    {"bean_paste", "yield, K and n of sweet bean paste (start values of a published fit); elasticity tuned for looks",
     "rho=1200 E=1e4 nu=0.4 yield=20.5 K=16.7 n=0.68"},
};

FIRN_INLINE void derive(const fr *p, fr *d)
{
    d[LAMBDA] = law_lambda(p[YOUNG], p[POISSON]);
    d[MU] = law_mu(p[YOUNG], p[POISSON]);
    d[LOG_K] = fr_log(p[CONSISTENCY]);
}

/* ---------------------------------------------------------------- the elastic part and its flow */

/* ln det(I + B), from the small parts */
FIRN_INLINE fr log_det_of(const fr b[6])
{
    const fr whole[9] = {b[0] + 1, b[3], b[4], b[3], b[1] + 1, b[5], b[4], b[5], b[2] + 1};
    return fr_log1p(fr_max(mat3_determinant_minus_one(whole), fr_set1((real)(1e-3 - 1))));
}

FIRN_INLINE fr energy(law_point *q, const fr *e)
{
    const fr *b = q->h + BRANCH;
    return law_hencky_energy(q->d[LAMBDA], q->d[MU], e) +
           (real)0.5 * q->p[MEMORY] * (b[0] + b[1] + b[2] - log_det_of(b));
}

FIRN_INLINE void stress(law_point *q, const fr *e, fr *tau) { law_hencky_stress(q->d[LAMBDA], q->d[MU], e, tau); }

/* The branch as an elastic solid adds at most 4/3 G_m times the largest eigenvalue of b_m, and its own stress. */
FIRN_INLINE fr modulus(law_point *q, const fr *e, const fr *tau)
{
    fr largest = 1 + fr_max(mat3_largest_eigenvalue_bound(q->h + BRANCH), fr_zero());
    return law_hencky_modulus(q->d[LAMBDA], q->d[MU], e, tau) + (real)(4.0 / 3) * q->p[MEMORY] * largest;
}

/* ln g of  exp(a + n u) + exp(b + u) = exp(c) */
FIRN_INLINE fr log_rate(fr a, fr n, fr b, fr c)
{
    fr u = fr_min((c - a) / n, c - b);
#pragma GCC unroll 1
    for (int i = 0; i < (sizeof(real) == 8 ? 7 : 5); i++) {
        /* in units of exp(c), so that nothing overflows */
        fr power = fr_exp(a + n * u - c), linear = fr_exp(b + u - c), sum = power + linear;
        u = u - fr_log(sum) * sum / (n * power + linear);
    }
    return u;
}

FIRN_INLINE void return_map(law_point *q, fr *e)
{
    const real root_half = (real)0.70710678118654752;
    const fr *p = q->p, tiny = fr_set1((real)1e-30);
    fr dev[3], trace, size = law_deviator(e, &trace, dev), broken = q->h[BROKEN];
    fr weak = 1 - p[SOFTENING] * broken, trial = 2 * q->d[MU] * size * root_half;
    fr excess = trial - p[YIELD] * weak;
    fm flows = fr_gt(excess, fr_zero());
    fr stiffness = fr_max(q->d[MU] * q->dt, tiny);
    fr u = log_rate(q->d[LOG_K] + fr_log(weak), p[EXPONENT], fr_log(stiffness), fr_log(fr_max(excess, tiny)));
    fr strain = fr_select(flows, fr_exp(u) * q->dt, fr_zero()); /* shear strain of the flow */
    /* |dev e| falls by strain / sqrt 2 */
    fr keep = fr_max(1 - strain * root_half / fr_max(size, fr_set1(MAT3_TINY)), fr_zero());
    for (int i = 0; i < 3; i++) e[i] = fr_select(flows, e[i] - (1 - keep) * dev[i], e[i]);
    fr breaking = 1 - (1 - broken) * fr_exp(-strain / p[BREAK]);
    q->h[BROKEN] = breaking * fr_exp(-q->dt / p[RECOVERY]);
}

/* ---------------------------------------------------------------- the fading memory */

/* The volume-preserving part of I + dt grad v */
FIRN_INLINE void unimodular_step(const law_point *q, const fr *grad_v, fr f[9])
{
    mat3_identity(f);
    for (int i = 0; i < 9; i++) f[i] = f[i] + q->dt * grad_v[i];
    fr j = fr_max(mat3_determinant_minus_one(f), fr_set1((real)(1e-3 - 1)));
    fr less = fr_expm1(fr_log1p(j) * (real)(-1.0 / 3));
    for (int i = 0; i < 9; i++) f[i] = f[i] + less * f[i];
}

FIRN_INLINE fr flow(law_point *q, const fr *grad_v)
{
    fr f[9], carried[6], own[6], *b = q->h + BRANCH, decay = fr_exp(-q->dt / q->p[MEMORY_TIME]);
    unimodular_step(q, grad_v, f);
    mat3_congruence(f, b, carried), mat3_left_cauchy_green(f, fr_set1(1), own);
    for (int i = 0; i < 6; i++) carried[i] = carried[i] + own[i], b[i] = decay * carried[i];
    fr lost = (carried[0] + carried[1] + carried[2]) - log_det_of(carried) - (b[0] + b[1] + b[2]) + log_det_of(b);
    return fr_max((real)0.5 * q->p[MEMORY] * lost, fr_zero());
}

FIRN_INLINE void branch(law_point *q, fr tau[6])
{
    const fr *b = q->h + BRANCH;
    fr mean = (b[0] + b[1] + b[2]) * (real)(1.0 / 3);
    for (int i = 0; i < 6; i++) tau[i] = tau[i] + q->p[MEMORY] * (i < 3 ? b[i] - mean : b[i]);
}

FIRN_INLINE fr viscosity(law_point *q) { return q->p[DAMPING]; }
FIRN_INLINE void viscous(law_point *q, const fr rate[6], fr tau[6])
{
    fr mean = (rate[0] + rate[1] + rate[2]) * (real)(1.0 / 3);
    for (int i = 0; i < 6; i++) tau[i] = 2 * q->p[DAMPING] * (i < 3 ? rate[i] - mean : rate[i]);
}

static const law_functions functions = {.form = FIRN_FORM_LOG,
                                        .derive = derive,
                                        .energy = energy,
                                        .stress = stress,
                                        .return_map = return_map,
                                        .modulus = modulus,
                                        .flow = flow,
                                        .branch = branch,
                                        .viscous = viscous,
                                        .viscosity = viscosity};

FIRN_LAW(
    dough, .title = "Dough, batter, mud, paste: elastic, Herschel-Bulkley flow, fading memory, thixotropy",
    .equations = "tau = 2 mu e + lambda tr(e) I + G_m dev(b_m) + 2 eta dev(sym grad v)\n"
                 "flow: t = (yield + K g^n)(1 - softening w),  t = |dev tau_e| / sqrt 2,  g = shear rate of the flow\n"
                 "b_m: upper-convected, relaxes to I in t_m;  dw/dt = g (1 - w)/break_strain - w/recovery_time",
    .citation =
        "W. H. Herschel, R. Bulkley, Kolloid-Zeitschrift 39, 1926; J. G. Oldroyd, Proc. R. Soc. A 200, 1950; in "
        "this setting Y. Yue et al., Continuum foam, ACM TOG 34(5), 2015",
    .validity = "Flow curves of the cited doughs hold for capillary shear; no yield stress was measured with them.",
    FIRN_HISTORY(history), FIRN_PRESETS(presets), .is_isotropic = 1)
