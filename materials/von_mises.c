/* SPDX-License-Identifier: MIT */
/* Metals, clay, wax: Hencky elasticity, von Mises yield, linear hardening, creep of the overstress.
 *
 *   e_i     elastic principal log strains,  tau_i = 2 mu e_i + lambda tr(e),  s = dev tau
 *   alpha   accumulated equivalent plastic strain (history)
 *
 *   yield   |s| <= sqrt(2/3) (yield + hardening alpha)
 *   flow    dgamma = (|s| - sqrt(2/3) (yield + hardening alpha)) / (2 mu + 2/3 hardening)
 *           dev e shrinks by dgamma in length, alpha grows by sqrt(2/3) dgamma
 *   creep   of dgamma only the share 1 - exp(-dt/creep_time) flows in a step; creep_time 0: all
 *
 * The return is radial and closed for linear hardening. The flow keeps the volume.
 *
 * Limits. creep_time -> infinity: hencky. Uniaxial tension yields at the true stress `yield`. */
#include "laws/law_common.h"

enum { YIELD = LAW_OWN_PARAMETERS, HARDENING, CREEP };
enum { ALPHA };

static const firn_bound_info bounds[] = {LAW_BOUND_COLLAPSED};
static const firn_parameter_info parameters[] = {
    LAW_PARAMETER_RHO(1800),
    LAW_PARAMETER_E(3e5),
    LAW_PARAMETER_NU(0.25),
    {"yield", "Pa", "yield stress in uniaxial tension", 5e3, 0, 1e12, 1},
    {"hardening", "Pa", "growth of the yield stress with plastic strain", 0, 0, 1e12},
    {"creep_time", "s", "time in which stress above yield relaxes; 0: at once", 0, 0, 1e6},
};
static const firn_relation_info relations[] = {
    LAW_RELATION_NU,
    LAW_RELATION_YIELD("yield"),
    {"hardening / E", 0, 1, "flow hardens it beyond its elasticity: it hardly flows"},
};
static const firn_history_info history[] = {
    {"alpha", "1", "accumulated equivalent plastic strain", 0, FIRN_HISTORY_PLASTIC_STRAIN},
};
static const firn_preset_info presets[] = {
    {"clay", "plasticine: E, nu and yield from published effects work; density of plasticine",
     "rho=1800 E=3e5 nu=0.25 yield=5e3"},
    {"wax",
     "soft sculpting wax, tuned for looks; give E and yield tables over temperature to melt it",
     "rho=900 E=2e6 nu=0.4 yield=3e4 creep_time=0.02"},
    {"copper",
     "all constants as in the Taylor bar benchmark (32.4 x 3.2 mm, 227 m/s), confirmed by its "
     "published particle implementations (doi 10.1007/s40571-019-00277-6); hardening is the "
     "plastic modulus",
     "rho=8930 E=1.17e11 nu=0.35 yield=4e8 hardening=1e8"},
};

#define ROOT ((real)0.81649658092772603) /* sqrt(2/3) */

/* of |dev tau|, at the present hardening */
FIRN_INLINE fr allowed_deviator(const law_point *q)
{
    return ROOT * (q->p[YIELD] + q->p[HARDENING] * q->h[ALPHA]);
}

FIRN_INLINE fr yield(law_point *q, const fr *e)
{
    fr dev[3], trace, size = law_deviator(e, &trace, dev);
    return law_yield_share(2 * q->d[LAW_MU] * size, allowed_deviator(q));
}

FIRN_INLINE void return_map(law_point *q, fr *e)
{
    fr dev[3], trace, size = law_deviator(e, &trace, dev), two_mu = 2 * q->d[LAW_MU];
    fr allowed = allowed_deviator(q);
    fr flow = (two_mu * size - allowed) / (two_mu + (real)(2.0 / 3) * q->p[HARDENING]);
    fr time = q->p[CREEP], at_once = fr_set1(1);
    fr share = fr_select(fr_gt(time, fr_zero()),
                         -fr_expm1(-q->dt / fr_max(time, fr_set1((real)1e-30))), at_once);
    flow = fr_max(flow, fr_zero()) * share;
    fr shrink = flow / fr_max(size, fr_set1(MAT3_TINY));
    for (int i = 0; i < 3; i++) e[i] = e[i] - shrink * dev[i];
    q->h[ALPHA] = q->h[ALPHA] + ROOT * flow;
}

static const law_functions functions = {.form = FIRN_FORM_LOG,
                                        .derive = law_derive_lame,
                                        .energy = law_hencky_energy_at,
                                        .stress = law_hencky_stress_at,
                                        .return_map = return_map,
                                        .yield = yield,
                                        .modulus = law_hencky_modulus_at};

FIRN_LAW(
    von_mises,
    .title = "Metal, clay, wax: von Mises plasticity in log strain with hardening and creep",
    .equations =
        "tau = 2 mu e + lambda tr(e) I,  |dev tau| <= sqrt(2/3) (yield + hardening alpha)\n"
        "overstress relaxes with creep_time (0: at once)",
    .citation = "J. C. Simo, T. J. R. Hughes, Computational Inelasticity, 1998, "
                "doi:10.1007/b98904, ch. 3 and 9",
    .validity =
        "Isotropic hardening, no dependence of the yield stress on rate beyond the creep time.",
    FIRN_HISTORY(history), FIRN_BOUNDS(bounds), FIRN_RELATIONS(relations), FIRN_PRESETS(presets),
    .is_isotropic = 1, .is_plastic = 1)
