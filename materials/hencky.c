/* SPDX-License-Identifier: MIT */
/* Hencky solid: quadratic in the logarithmic strains.
 *
 *   e_i   principal log strains, e_i = ln s_i;   J = exp(e_1 + e_2 + e_3)
 *
 *   Psi   = mu sum e_j^2 + lambda/2 (sum e_j)^2 + k_v/2 (J - 1)^2      J/m^3
 *   tau_i = 2 mu e_i + lambda sum e_j + k_v J (J - 1)                  Pa
 *
 * Modulus: law_common.h.
 *
 * Limits. Linear elasticity at small strain. The nominal stress in tension passes a maximum (for
 * nu = 0 at the stretch e); tau itself rises without bound in both directions. */
#include "laws/law_common.h"

enum { PENALTY = LAW_OWN_PARAMETERS };

static const firn_bound_info bounds[] = {LAW_BOUND_COLLAPSED};
static const firn_parameter_info parameters[] = {LAW_PARAMETER_RHO(1000), LAW_PARAMETER_E(1e5),
                                                 LAW_PARAMETER_NU(0.3), LAW_PARAMETER_KV(0)};
static const firn_relation_info relations[] = {
    LAW_RELATION_NU,
};

FIRN_INLINE fr energy(law_point *q, const fr *e)
{
    return law_hencky_energy(q->d[LAW_LAMBDA], q->d[LAW_MU], e) +
           law_penalty_energy(q->p[PENALTY], fr_expm1(law_sum(e)));
}

FIRN_INLINE void stress(law_point *q, const fr *e, fr *tau)
{
    fr penalty = law_penalty_stress(q->p[PENALTY], fr_expm1(law_sum(e)));
    law_hencky_stress(q->d[LAW_LAMBDA], q->d[LAW_MU], e, tau);
    for (int i = 0; i < 3; i++) tau[i] = tau[i] + penalty;
}

FIRN_INLINE fr modulus(law_point *q, const fr *e, const fr *tau)
{
    fr elastic[3], j = fr_expm1(law_sum(e));
    for (int i = 0; i < 3; i++) elastic[i] = tau[i] - law_penalty_stress(q->p[PENALTY], j);
    return law_hencky_modulus(q->d[LAW_LAMBDA], q->d[LAW_MU], e, elastic) +
           law_penalty_modulus(q->p[PENALTY], j);
}

static const law_functions functions = {.form = FIRN_FORM_LOG,
                                        .derive = law_derive_lame,
                                        .energy = energy,
                                        .stress = stress,
                                        .modulus = modulus};

FIRN_LAW(hencky, .title = "Hencky solid (logarithmic strain)",
         .equations = "e = ln sqrt(F F^T),  Psi = mu e:e + lambda/2 tr(e)^2 + k_v/2 (J-1)^2\n"
                      "tau = 2 mu e + lambda tr(e) I + k_v J (J-1) I",
         .citation = "H. Hencky, Zeitschrift fuer technische Physik 9, 1928; L. Anand, Journal of "
                     "Applied Mechanics 46, 1979",
         .validity = "Moderate strains: nominal stress in tension passes a maximum (for small nu "
                     "near stretch e).",
         FIRN_BOUNDS(bounds), FIRN_RELATIONS(relations), .is_isotropic = 1)
