/* SPDX-License-Identifier: MIT */
/* Sand: Hencky elasticity with a Drucker-Prager cone; friction and cohesion depend on water.
 *
 *   e_i   elastic principal log strains,  tau_i = 2 mu e_i + lambda tr(e),  p = -tr(tau)/3
 *   K     = lambda + 2 mu / 3
 *   v     volume_gain (history): log volume opened while the grains were apart
 *
 *   yield   |dev tau| <= 3 alpha p + k
 *           alpha = sqrt(2/3) 2 sin(phi) / (3 - sin(phi))
 *           k     = sqrt(2/3) 6 c cos(phi) / (3 - sin(phi))
 *
 * This cone touches Mohr-Coulomb (friction angle phi, cohesion c) in triaxial compression. In log
 * strains the distance to it is |dev e| + (3 alpha K tr(e) - k) / (2 mu).
 *
 *   flow    without dilation: dev e shrinks onto the cone at constant tr(e). Beyond the apex,
 *           tr(e) >= k / (3 alpha K), dev e vanishes and tr(e) stops at the apex
 *   volume  what opens beyond the apex is added to v and must close before the grains carry load
 *           again; without that, sand swells a little each time it is stirred. tr(e) + v is the
 *           log of the total volume ratio: v is the plastic log volume
 *
 * Limits. Dry sand (k = 0) has its apex at rest and carries no tension. */
#include "laws/law_sand.h"

enum { VOLUME_GAIN };

static const firn_bound_info bounds[] = {LAW_BOUND_COLLAPSED};
static const firn_parameter_info parameters[] = {SAND_PARAMETERS};
static const firn_relation_info relations[] = {SAND_RELATIONS};
static const firn_history_info history[] = {
    {"volume_gain", "1",
     "log volume opened by separation that must close before the grains touch again", 0,
     FIRN_HISTORY_PLASTIC_LOG_VOLUME},
};
static const firn_preset_info presets[] = {
    {"dry_sand",
     "E, nu and density of the dry sand of Klar et al. 2016, confirmed by public implementations; "
     "the friction angle of 30 degrees is the usual choice",
     "rho=2200 E=3.537e5 nu=0.3 friction_angle=0.5235987755982988"},
    {"wet_sand",
     "as dry_sand; saturation and capillary cohesion tuned for looks (stands in steep walls)",
     "rho=2200 E=3.537e5 nu=0.3 friction_angle=0.5235987755982988 saturation=0.4 "
     "wet_cohesion=1500"},
};

FIRN_INLINE void return_map(law_point *q, fr *e)
{
    fr gain = q->h[VOLUME_GAIN], closed[3], dev[3], trace;
    for (int i = 0; i < 3; i++) closed[i] = e[i] + gain * (real)(1.0 / 3);
    fr size = law_deviator(closed, &trace, dev);
    fr allowed = q->d[SAND_REACH] - q->d[SAND_SLOPE] * trace; /* of |dev e| */
    fm is_apart = fr_ge(trace, q->d[SAND_APEX]), slips = fr_gt(size, allowed);
    fr keep = fr_select(slips, allowed / fr_max(size, fr_set1(MAT3_TINY)), fr_set1(1));
    fr mean = trace * (real)(1.0 / 3), apex = q->d[SAND_APEX] * (real)(1.0 / 3),
       before = law_sum(e);
    for (int i = 0; i < 3; i++) {
        fr on_cone = fr_select(slips, mean + keep * dev[i], closed[i]);
        e[i] = fr_select(is_apart, apex, on_cone);
    }
    /* written so that an elastic step leaves an exact zero */
    q->h[VOLUME_GAIN] =
        fr_select(is_apart, fr_max(gain + before - q->d[SAND_APEX], fr_zero()), fr_zero());
}

/* Grains that are apart, or just touch without cohesion, carry no shear stress: they yield. */
FIRN_INLINE fr yield(law_point *q, const fr *e)
{
    fr dev[3], trace, size = law_deviator(e, &trace, dev);
    fr share = law_yield_share(size, q->d[SAND_REACH] - q->d[SAND_SLOPE] * trace);
    return fr_select(fr_ge(trace + q->h[VOLUME_GAIN], q->d[SAND_APEX]), fr_set1(1), share);
}

static const law_functions functions = {.form = FIRN_FORM_LOG,
                                        .derive = law_sand_derive,
                                        .energy = law_hencky_energy_at,
                                        .stress = law_hencky_stress_at,
                                        .return_map = return_map,
                                        .yield = yield,
                                        .modulus = law_hencky_modulus_at};

FIRN_LAW(
    sand, .title = "Sand: Drucker-Prager with cohesion and wetness, Hencky elasticity",
    .equations =
        "tau = 2 mu e + lambda tr(e) I,  e = principal log strains\n"
        "|dev tau| <= 3 alpha p + k,  p = -tr(tau)/3\n"
        "alpha = sqrt(2/3) 2 sin(phi) / (3 - sin(phi)),  k = sqrt(2/3) 6 c cos(phi) / (3 - "
        "sin(phi))\n"
        "phi = (1-S) friction_angle + S wet_friction_angle,  c = cohesion + 4 S (1-S) wet_cohesion",
    .citation = "G. Klar et al., Drucker-Prager elastoplasticity for sand animation, ACM TOG "
                "35(4), 2016, doi:10.1145/2897824.2925906; volume correction after A. P. "
                "Tampubolon et al., Multi-species "
                "simulation of porous sand and water mixtures, ACM TOG 36(4), 2017",
    .validity = "Slow to moderately fast granular flow without dilation. In plane strain this cone "
                "mobilises more than its nominal angle (43.9 deg at 30 deg), so judge angles of "
                "repose in 3D.",
    FIRN_HISTORY(history), FIRN_BOUNDS(bounds), FIRN_RELATIONS(relations), FIRN_PRESETS(presets),
    .is_isotropic = 1, .is_plastic = 1)
