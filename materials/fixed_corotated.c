/* SPDX-License-Identifier: MIT */
/* Fixed corotated solid: linear elasticity in the stretches, with a volume term that needs no
 * logarithm.
 *
 *   s_i   principal stretches, the smallest with the sign of det F;   J = s_1 s_2 s_3
 *
 *   Psi   = mu sum (s_j - 1)^2 + (lambda + k_v)/2 (J - 1)^2          J/m^3
 *   tau_i = 2 mu (s_i - 1) s_i + (lambda + k_v) J (J - 1)            Pa
 *
 * In tensors tau = 2 mu (F - R) F^T + ..., R the rotation of F = R U. Modulus: law_common.h.
 *
 * Limits. Linear elasticity at small strain; finite for every F, also det F <= 0, and therefore
 * weak against extreme compression. */
#include "laws/law_common.h"

enum { RHO, YOUNG, POISSON, PENALTY };
enum { VOLUME, MU };

static const firn_parameter_info parameters[] = {LAW_PARAMETER_RHO(1000), LAW_PARAMETER_E(1e5),
                                                 LAW_PARAMETER_NU(0.3), LAW_PARAMETER_KV(0)};
static const firn_relation_info relations[] = {
    LAW_RELATION_NU,
};

FIRN_INLINE void derive(const fr *p, fr *d)
{
    d[VOLUME] = law_lambda(p[YOUNG], p[POISSON]) + p[PENALTY];
    d[MU] = law_mu(p[YOUNG], p[POISSON]);
}

FIRN_INLINE fr energy(law_point *q, const fr *s)
{
    return law_corotated_energy(q->d[VOLUME], q->d[MU], s);
}
FIRN_INLINE void stress(law_point *q, const fr *s, fr *tau)
{
    law_corotated_stress(q->d[VOLUME], q->d[MU], s, tau);
}
FIRN_INLINE fr modulus(law_point *q, const fr *s, const fr *tau)
{
    (void)tau;
    return law_corotated_modulus(q->d[VOLUME], q->d[MU], s);
}

static const law_functions functions = {.form = FIRN_FORM_STRETCH,
                                        .allows_inversion = 1,
                                        .derive = derive,
                                        .energy = energy,
                                        .stress = stress,
                                        .modulus = modulus};

FIRN_LAW(fixed_corotated, .title = "Fixed corotated solid",
         .equations = "Psi = mu sum (s_i - 1)^2 + (lambda + k_v)/2 (J-1)^2\n"
                      "tau = 2 mu (F - R) F^T + (lambda + k_v) J (J-1) I",
         .citation = "A. Stomakhin, R. Howes, C. Schroeder, J. Teran, Energetically consistent "
                     "invertible elasticity, SCA 2012",
         .validity = "Every F, also det F <= 0. Weak resistance to extreme compression.",
         FIRN_RELATIONS(relations), .is_isotropic = 1)
