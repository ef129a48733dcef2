/* SPDX-License-Identifier: MIT */
/* Crushable, cohesive, porous material - snow, bread crumb: a non-associated Cam-Clay type law.
 *
 *   e_i     elastic principal log strains,  tau_i = 2 mu e_i + lambda tr(e),  K = lambda + 2 mu / 3
 *   p       = -K tr(e),   q = sqrt(3/2) |dev tau| = sqrt(6) mu |dev e|
 *   alpha   log volume that hardening counts (history): falls by crushing, grows by loosening
 *   log_Jp  plastic log volume of F (history): tr(e) + log_Jp is the log of the total volume ratio
 *
 *   yield   (1 + 2 beta) q^2 + M^2 (p + beta p_0)(p - p_0) <= 0: an ellipse from -beta p_0 to p_0
 *   p_0     = K sinh(xi x),   x = max(compaction - alpha, 0)
 *
 * Return map. Shear moves alpha but not the volume of F (non-associated), so that nothing swells
 * when it is torn; alpha and log_Jp therefore differ.
 *
 *   p > p_0         crushing, onto the tip. x solves x + sinh(xi x) = compaction - alpha - tr(e)
 *                   by Newton from an upper bound: the function is convex and rising, so that the
 *                   iterates fall onto the root
 *   p < -beta p_0   tearing, onto the other tip, with the strength that is left after opening
 *   q too large     q shrinks at constant p. alpha changes as on the straight way to the ellipse's
 *                   centre: it loosens below the middle pressure and packs above, never so far
 *                   that p itself is outside
 *
 * After tearing alpha > compaction: that volume must close before strength returns.
 *
 * Limits. beta -> 0: no tensile strength; the ellipse then ends at the origin, as that of modified
 * Cam-Clay. */
#include "laws/law_common.h"

enum { SLOPE = LAW_OWN_PARAMETERS, COHESION, XI, COMPACTION };
enum { BULK = LAW_OWN_CONSTANTS };
enum { ALPHA, LOG_JP };

static const firn_bound_info bounds[] = {
    LAW_BOUND_COLLAPSED,
    {FIRN_BOUND_HARDENING,
     "packed by shear only until the pressure is on the ellipse: alpha is held there"},
};
static const firn_parameter_info parameters[] = {
    LAW_PARAMETER_RHO(300),
    LAW_PARAMETER_E(1e6),
    LAW_PARAMETER_NU(0.3),
    {"M", "1", "slope of the critical state line, q over p", 1.85, 0.05, 4},
    {"beta", "1", "cohesion: tensile over compressive strength", 0.3, 1e-3, 2, 1},
    {"xi", "1", "hardening: p_0 = K sinh(xi x)", 1, 1e-2, 100},
    {"compaction", "1", "log compaction of fresh material: x at the start", 0.02, 0, 1},
};
static const firn_relation_info relations[] = {
    LAW_RELATION_NU,
    {"compaction", 1e-6, 1, "it has no strength at the start and falls apart"},
    {"xi * compaction", 0, 0.5, "its strength is above half its bulk modulus: it never crushes"},
    {"xi", 0, 30, "it hardens thirty times as stiff as it is elastic: it hardly crushes"},
    {"beta", 0, 1, "it is stronger in tension than in compression"},
};
static const firn_history_info history[] = {
    {"alpha", "1", "log volume that hardening counts: negative crushed, positive loosened", 0},
    {"log_Jp", "1", "plastic log volume of F", 0, FIRN_HISTORY_PLASTIC_LOG_VOLUME}};
static const firn_preset_info presets[] = {
    {"crushable_snow",
     "slab snow: the form of Gaume et al. 2018; all numbers tuned for looks (not confirmed against "
     "theirs)",
     "rho=300 E=1e6 nu=0.3 M=1.85 beta=0.3 xi=1 compaction=0.01"},
    {"bread_crumb", "soft open crumb, crushes for good; tuned for looks",
     "rho=250 E=3e4 nu=0.1 M=1.2 beta=0.6 xi=0.6 compaction=0.08"},
};

FIRN_INLINE void derive(const fr *p, fr *d)
{
    law_derive_lame(p, d);
    d[BULK] = d[LAW_LAMBDA] + (real)(2.0 / 3) * d[LAW_MU];
}

FIRN_INLINE fr sinh_of(fr x) { return (real)0.5 * (fr_expm1(x) - fr_expm1(-x)); }
FIRN_INLINE fr asinh_of(fr x)
{
    return fr_log1p(x + x * x / (1 + fr_sqrt(x * x + 1)));
} /* x >= 0 */

/* x + sinh(xi x) = r; 0 for r <= 0 */
FIRN_INLINE fr crush(fr xi, fr r)
{
    r = fr_max(r, fr_zero());
    fr x = fr_min(r, asinh_of(r) / xi);
#pragma GCC unroll 1
    for (int i = 0; i < 6; i++) {
        fr s = sinh_of(xi * x);
        x = x - (x + s - r) / (1 + xi * fr_sqrt(1 + s * s));
    }
    return fr_max(x, fr_zero());
}

/* What alpha becomes when the deviator alone is outside: P = p/K, Q = q/K, strength p_0/K. */
FIRN_INLINE fr shear_alpha(law_point *point, fm sheared, fr alpha, fr pressure, fr q, fr strength)
{
    const fr *p = point->p;
    fr middle = (real)0.5 * (1 - p[COHESION]) * strength,
       half = (real)0.5 * (1 + p[COHESION]) * strength;
    fr away = pressure - middle;
    fr length = fr_sqrt((1 + 2 * p[COHESION]) * q * q + p[SLOPE] * p[SLOPE] * away * away);
    fr share = p[SLOPE] * half / fr_max(length, fr_set1(MAT3_TINY));
    fr moved =
        alpha -
        away * (1 - share); /* plastic volume change (p_x - p)/K, p_x = middle + share away */
    /* the smallest x that still holds this pressure */
    fr needed = asinh_of(fr_max(pressure, -pressure / p[COHESION])) / p[XI];
    fr most = p[COMPACTION] - needed;
    law_bound(point, FIRN_BOUND_HARDENING, fm_and(sheared, fr_gt(moved, most)));
    return fr_min(moved, most);
}

FIRN_INLINE void return_map(law_point *point, fr *e)
{
    const fr *p = point->p;
    fr dev[3], trace, size = law_deviator(e, &trace, dev), alpha = point->h[ALPHA];
    fr to_q = (real)2.449489742783178 * point->d[LAW_MU] / point->d[BULK]; /* sqrt(6) mu / K */
    fr pressure = -trace, q = to_q * size,
       strength = sinh_of(p[XI] * fr_max(p[COMPACTION] - alpha, fr_zero()));

    fm crushed = fr_gt(pressure, strength), torn = fr_lt(pressure, -p[COHESION] * strength);
    fr room = fr_max((pressure + p[COHESION] * strength) * (strength - pressure), fr_zero());
    fm sheared = fr_gt((1 + 2 * p[COHESION]) * q * q, p[SLOPE] * p[SLOPE] * room);
    sheared = fm_and(sheared, fm_not(fm_or(crushed, torn)));

    fr r = p[COMPACTION] - alpha - trace, x = crush(p[XI], r);
    fr alpha_crushed = fr_select(fr_gt(r, fr_zero()), p[COMPACTION] - x, alpha + trace);
    fr alpha_torn = alpha + trace - p[COHESION] * strength;
    fr after = fr_select(crushed, alpha_crushed, fr_select(torn, alpha_torn, alpha));
    after = fr_select(sheared, shear_alpha(point, sheared, alpha, pressure, q, strength), after);
    strength = sinh_of(p[XI] * fr_max(p[COMPACTION] - after, fr_zero()));

    /* the deviator that is allowed at this pressure now; what is left by rounding at a tip is
     * nothing */
    room = (pressure + p[COHESION] * strength) * (strength - pressure) / (1 + 2 * p[COHESION]);
    room = fr_select(fr_gt(room, (real)(sizeof(real) == 8 ? 1e-10 : 1e-5) * strength * strength),
                     room, fr_zero());
    fr allowed = p[SLOPE] * fr_sqrt(room),
       keep = fr_min(allowed / fr_max(q, fr_set1(MAT3_TINY)), fr_set1(1));
    fr third = (real)(1.0 / 3) * fr_select(crushed, -strength, p[COHESION] * strength),
       mean = trace * (real)(1.0 / 3);
    fm is_at_tip = fm_or(crushed, torn);
    for (int i = 0; i < 3; i++) {
        fr inside = fr_select(sheared, mean + keep * dev[i], e[i]);
        e[i] = fr_select(is_at_tip, third, inside);
    }
    point->h[ALPHA] = after;
    point->h[LOG_JP] = point->h[LOG_JP] + fr_select(is_at_tip, trace - 3 * third, fr_zero());
}

/* The ellipse's centre and half axis along p, in units of K; distances from the centre are
 * measured in half axes. Without strength the ellipse is a point, which only yields. */
FIRN_INLINE fr yield(law_point *point, const fr *e)
{
    const fr *p = point->p;
    fr dev[3], trace, size = law_deviator(e, &trace, dev);
    fr strength = sinh_of(p[XI] * fr_max(p[COMPACTION] - point->h[ALPHA], fr_zero()));
    fr q = (real)2.449489742783178 * point->d[LAW_MU] / point->d[BULK] * size / p[SLOPE];
    fr away = -trace - (real)0.5 * (1 - p[COHESION]) * strength;
    fr half = (real)0.5 * (1 + p[COHESION]) * strength;
    fr share = law_yield_share(fr_sqrt((1 + 2 * p[COHESION]) * q * q + away * away), half);
    return fr_select(fr_gt(strength, fr_zero()), share, fr_set1(1));
}

static const law_functions functions = {.form = FIRN_FORM_LOG,
                                        .derive = derive,
                                        .energy = law_hencky_energy_at,
                                        .stress = law_hencky_stress_at,
                                        .return_map = return_map,
                                        .yield = yield,
                                        .modulus = law_hencky_modulus_at};

FIRN_LAW(cam_clay,
         .title = "Crushable porous solid: non-associated Cam-Clay type, for snow and bread",
         .equations = "(1 + 2 beta) q^2 + M^2 (p + beta p_0)(p - p_0) <= 0,  p_0 = K sinh(xi "
                      "max(compaction - alpha, 0))\n"
                      "tau = 2 mu e + lambda tr(e) I;  alpha: log volume that hardening counts; no "
                      "dilation of F in shear",
         .citation = "J. Gaume, T. Gast, J. Teran, A. van Herwijnen, C. Jiang, Dynamic anticrack "
                     "propagation in snow, Nature Communications 9, 2018, "
                     "doi:10.1038/s41467-018-05181-w; non-associated form "
                     "after J. Wolper et al., CD-MPM, ACM TOG 38(4), 2019",
         .validity = "Effects and comparison. Softening localises: results depend on the cell size "
                     "once it tears.",
         FIRN_HISTORY(history), FIRN_BOUNDS(bounds), FIRN_RELATIONS(relations),
         FIRN_PRESETS(presets), .is_isotropic = 1, .is_plastic = 1)
