/* SPDX-License-Identifier: MIT */
/* Compressible neo-Hookean solid with a quadratic volume term: the logarithm of neo_hookean
 * linearised in J.
 *
 *   b = F F^T,  J = det F
 *
 *   Psi = mu/2 (tr b - 3) - mu ln J + (lambda + k_v)/2 (J - 1)^2      J/m^3
 *   tau = mu (b - I) + (lambda + k_v) J (J - 1) I                     Pa
 *
 * J times the acoustic tensor for the direction n in space is
 *
 *   mu (n.b n) I + (mu + (lambda + k_v) J^2) n n.
 *
 * Limits. Equal to neo_hookean at small strain. As J -> 0 the volume term stays finite, only
 * -mu ln J resists. */
#include "laws/law_common.h"

enum { RHO, YOUNG, POISSON, PENALTY };
enum { VOLUME, MU };

static const firn_bound_info bounds[] = {
    {FIRN_BOUND_VOLUME, "J below 1e-5 becomes 1e-5 in the energy's logarithm"},
};
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

FIRN_INLINE fr energy(law_point *q, const fr *f)
{
    fr g[6], j = mat3_determinant_minus_one(f);
    mat3_left_cauchy_green(f, fr_set1(1), g);
    /* the logarithm alone is kept finite in collapsed lanes; it has no part in the stress's
     * volume term */
    fr log_j = fr_log1p(fr_max(fr_set1((real)(1e-5 - 1)), j));
    return (real)0.5 * q->d[MU] * (g[0] + g[1] + g[2] - 2 * log_j) +
           law_penalty_energy(q->d[VOLUME], j);
}

FIRN_INLINE void stress(law_point *q, const fr *f, fr *tau)
{
    fr volumetric = law_penalty_stress(q->d[VOLUME], mat3_determinant_minus_one(f));
    law_bound(q, FIRN_BOUND_VOLUME, fr_lt(q->det, fr_set1((real)1e-5)));
    mat3_left_cauchy_green(f, fr_set1(1), tau);
    for (int i = 0; i < 6; i++) tau[i] = q->d[MU] * tau[i] + (i < 3 ? volumetric : fr_zero());
}

FIRN_INLINE fr modulus(law_point *q, const fr *f, const fr *tau)
{
    fr g[6];
    (void)tau;
    mat3_left_cauchy_green(f, fr_set1(1), g);
    return q->d[MU] * (2 + mat3_largest_eigenvalue_bound(g)) +
           law_penalty_modulus(q->d[VOLUME], mat3_determinant_minus_one(f));
}

static const law_functions functions = {.form = FIRN_FORM_GENERAL,
                                        .derive = derive,
                                        .energy = energy,
                                        .stress = stress,
                                        .modulus = modulus};

FIRN_LAW(neo_hookean_quadratic, .title = "Compressible neo-Hookean solid, quadratic volume term",
         .equations = "Psi = mu/2 (tr b - 3) - mu ln J + (lambda + k_v)/2 (J-1)^2\n"
                      "tau = mu (b - I) + (lambda + k_v) J (J-1) I",
         .citation = "T. Belytschko, W. K. Liu, B. Moran, Nonlinear Finite Elements for Continua "
                     "and Structures, 2000, sec. 5.4, with the volume term linearised in J",
         .validity = "Moderate volume changes: unlike the logarithmic form, the volume term stays "
                     "finite as J goes to 0.",
         .alias = "neo_hookean_j1", FIRN_BOUNDS(bounds), FIRN_RELATIONS(relations),
         .is_isotropic = 1)
