/* SPDX-License-Identifier: MIT */
/* Snow: fixed corotated elasticity, clamped stretches, hardening by compaction.
 *
 *   s_i   elastic principal stretches,  J = s_1 s_2 s_3
 *   Jp    plastic volume ratio (history): 1 fresh, below 1 compacted, above 1 loosened
 *
 *   Psi   = h (mu sum (s_j - 1)^2 + lambda/2 (J - 1)^2),   h = exp(xi (1 - Jp)) in 1e-4 .. h_max
 *   tau_i = h (2 mu (s_i - 1) s_i + lambda J (J - 1))
 *   yield   1 - theta_c <= s_i <= 1 + theta_s
 *   flow    s_i is clamped; Jp grows by the product of s_i (before) / s_i (after)
 *
 * The total volume ratio is J Jp, exactly while Jp stays within 1e-3 .. 1e3, where it is held.
 *
 * Limits. xi = 0: no hardening. theta_c, theta_s large: fixed_corotated. */
#include "laws/law_common.h"

enum { THETA_C = LAW_OWN_PARAMETERS, THETA_S, XI, LARGEST };
enum { JP };

static const firn_bound_info bounds[] = {
    {FIRN_BOUND_VOLUME, "Jp is held between 1e-3 and 1e3"},
    {FIRN_BOUND_HARDENING, "h is held between 1e-4 and h_max"},
    {FIRN_BOUND_FLOW,
     "a stretch of 0 or below flows to 1 - theta_c in a step, with the plastic work of no motion"},
};
static const firn_parameter_info parameters[] = {
    LAW_PARAMETER_RHO(400),
    LAW_PARAMETER_E(1.4e5),
    LAW_PARAMETER_NU(0.2),
    {"theta_c", "1", "critical compression: 1 - theta_c is the smallest elastic stretch", 2.5e-2,
     1e-5, 0.9},
    {"theta_s", "1", "critical stretch: 1 + theta_s is the largest elastic stretch", 7.5e-3, 1e-5,
     0.9, 1},
    {"xi", "1", "hardening coefficient", 10, 0, 50},
    {"h_max", "1", "largest hardening factor (a limit for the time step, not in the paper)", 1000,
     1, 1e6},
};
static const firn_relation_info relations[] = {
    LAW_RELATION_NU,
    {"theta_s / theta_c", 0, 2, "it is crushed before it is torn: critical values swapped"},
    {"theta_c", 0, 0.5, "it is pressed to half before it is crushed: an elastic solid"},
};
static const firn_history_info history[] = {
    {"Jp", "1", "plastic volume ratio", 1, FIRN_HISTORY_PLASTIC_VOLUME}};
static const firn_preset_info presets[] = {
    {"packed_snow",
     "the published values (Stomakhin et al. 2013, table 2) with the hardening limited to 10, so "
     "that "
     "steps are at most 3.2 times as many where it is crushed",
     "rho=400 E=1.4e5 nu=0.2 theta_c=2.5e-2 theta_s=7.5e-3 xi=10 h_max=10"},
    {"snow_2013",
     "the published values (Stomakhin et al. 2013, table 2), confirmed by many public "
     "implementations; hardening without a limit that matters, so crushed snow takes up to 30 "
     "times "
     "as many steps",
     "rho=400 E=1.4e5 nu=0.2 theta_c=2.5e-2 theta_s=7.5e-3 xi=10"},
    {"powder_snow", "soft and weak end of the published ranges; density tuned for looks",
     "rho=200 E=4.8e4 nu=0.2 theta_c=1.9e-2 theta_s=5e-3 xi=10 h_max=10"},
    {"wet_snow", "published stiffness, theta_s and xi tuned for looks: sticks and lumps",
     "rho=500 E=1.4e5 nu=0.25 theta_c=2.5e-2 theta_s=1.5e-2 xi=5 h_max=10"},
    {"ice_cream",
     "after an artist's scene: wide thetas, no hardening, nu a quarter of the default; tuned for "
     "looks",
     "rho=550 E=1.4e5 nu=0.05 theta_c=6e-2 theta_s=3e-2 xi=0"},
};

FIRN_INLINE fr hardening(law_point *q)
{
    const fr least = fr_set1((real)1e-4), h = fr_exp(q->p[XI] * (1 - q->h[JP]));
    law_bound(q, FIRN_BOUND_HARDENING, fm_or(fr_lt(h, least), fr_gt(h, q->p[LARGEST])));
    return fr_clamp(h, least, q->p[LARGEST]);
}

FIRN_INLINE fr energy(law_point *q, const fr *s)
{
    return hardening(q) * law_corotated_energy(q->d[LAW_LAMBDA], q->d[LAW_MU], s);
}

FIRN_INLINE void stress(law_point *q, const fr *s, fr *tau)
{
    fr h = hardening(q);
    law_corotated_stress(h * q->d[LAW_LAMBDA], h * q->d[LAW_MU], s, tau);
}

FIRN_INLINE fr modulus(law_point *q, const fr *s, const fr *tau)
{
    (void)tau;
    return hardening(q) * law_corotated_modulus(q->d[LAW_LAMBDA], q->d[LAW_MU], s);
}

FIRN_INLINE void return_map(law_point *q, fr *s)
{
    fr low = 1 - q->p[THETA_C], high = 1 + q->p[THETA_S], ratio = fr_set1(1);
    for (int i = 0; i < 3; i++) {
        /* max takes its second argument when one is NaN, so that trouble stays visible */
        fr clamped = fr_max(low, fr_min(high, s[i]));
        ratio = ratio * fr_abs(s[i]) / clamped;
        law_bound(q, FIRN_BOUND_FLOW, fr_le(s[i], fr_zero()));
        s[i] = clamped;
    }
    /* an exact 1 where nothing was clamped; a collapsed lane must not leave Jp at zero for ever */
    const fr free = q->h[JP] * ratio, least = fr_set1((real)1e-3), most = fr_set1(1000);
    law_bound(q, FIRN_BOUND_VOLUME, fm_or(fr_lt(free, least), fr_gt(free, most)));
    q->h[JP] = fr_clamp(free, least, most);
}

/* The stretch that has gone farthest towards its clamp. */
FIRN_INLINE fr yield(law_point *q, const fr *s)
{
    fr most = fr_zero();
    for (int i = 0; i < 3; i++) {
        fr pressed = law_yield_share(1 - s[i], q->p[THETA_C]);
        most = fr_max(most, fr_max(pressed, law_yield_share(s[i] - 1, q->p[THETA_S])));
    }
    return most;
}

static const law_functions functions = {.form = FIRN_FORM_STRETCH,
                                        .allows_inversion = 1,
                                        .derive = law_derive_lame,
                                        .energy = energy,
                                        .stress = stress,
                                        .return_map = return_map,
                                        .yield = yield,
                                        .modulus = modulus};

FIRN_LAW(snow, .title = "Snow: clamped stretches and hardening by compaction",
         .equations =
             "Psi = h (mu sum (s_i - 1)^2 + lambda/2 (J-1)^2),  h = exp(xi (1 - Jp))\n"
             "1 - theta_c <= s_i <= 1 + theta_s;  Jp collects the volume that the clamp takes",
         .citation = "A. Stomakhin, C. Schroeder, L. Chai, J. Teran, A. Selle, A material point "
                     "method for snow simulation, ACM TOG 32(4), 2013, doi:10.1145/2461912.2461948",
         .validity = "Effects: the look of snow at human scale. theta_s is 7.5e-3; a value of "
                     "4.5e-3 circulates by mistake.",
         FIRN_HISTORY(history), FIRN_BOUNDS(bounds), FIRN_RELATIONS(relations),
         FIRN_PRESETS(presets), .is_isotropic = 1, .is_plastic = 1)
