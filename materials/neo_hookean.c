/* SPDX-License-Identifier: MIT */
/* Compressible neo-Hookean solid with the logarithmic volume term.
 *
 *   b = F F^T,  J = det F
 *
 *   Psi = mu/2 (tr b - 3) - mu ln J + lambda/2 (ln J)^2 + k_v/2 (J - 1)^2      J/m^3
 *   tau = mu (b - I) + (lambda ln J + k_v J (J - 1)) I                         Pa
 *
 * No principal values are needed. J times the acoustic tensor for the direction n in space is
 *
 *   mu (n.b n) I + (mu + lambda (1 - ln J) + k_v J^2) n n,
 *
 * whose largest eigenvalue is bounded by the sum of both coefficients.
 *
 * Limits. Linear elasticity at small strain; stress without bound as J -> 0. Ellipticity is lost in
 * tension beyond J = exp(1 + mu/lambda). */
#include "laws/law_common.h"

enum { PENALTY = LAW_OWN_PARAMETERS };

static const firn_bound_info bounds[] = {
    {FIRN_BOUND_VOLUME, "J below 1e-5 becomes 1e-5 in the volume terms"},
};
static const firn_parameter_info parameters[] = {LAW_PARAMETER_RHO(1000), LAW_PARAMETER_E(1e5),
                                                 LAW_PARAMETER_NU(0.3), LAW_PARAMETER_KV(0)};
static const firn_relation_info relations[] = {
    LAW_RELATION_NU,
};

static const firn_preset_info presets[] = {
    {"rubber", "soft natural rubber; E and nu tuned for looks, real rubber is 1e6 Pa and above",
     "rho=1100 E=1e6 nu=0.45"},
    {"figures_printed", "the pair mu = 100, lambda = 27.78 as printed with figures 5 to 7",
     "rho=100 E=221.7404914697136 nu=0.10870245734856786"},
    {"figures_consistent", "E = 100, nu = 0.2, that is lambda = 27.78 and mu = 41.67",
     "rho=100 E=100 nu=0.2"},
};

/* J - 1, kept above -1 so that the logarithm stays finite in a collapsed or inverted lane */
#define LEAST_J 1e-5
FIRN_INLINE fr volume_change(const fr *f)
{
    return fr_max(fr_set1((real)(LEAST_J - 1)), mat3_determinant_minus_one(f));
}

FIRN_INLINE fr energy(law_point *q, const fr *f)
{
    fr g[6], j = volume_change(f), log_j = fr_log1p(j);
    mat3_left_cauchy_green(f, fr_set1(1), g);
    return (real)0.5 * (q->d[LAW_MU] * (g[0] + g[1] + g[2] - 2 * log_j) +
                        q->d[LAW_LAMBDA] * log_j * log_j) +
           law_penalty_energy(q->p[PENALTY], j);
}

FIRN_INLINE void stress(law_point *q, const fr *f, fr *tau)
{
    fr j = volume_change(f);
    fr volumetric = q->d[LAW_LAMBDA] * fr_log1p(j) + law_penalty_stress(q->p[PENALTY], j);
    law_bound(q, FIRN_BOUND_VOLUME, fr_lt(q->det, fr_set1((real)LEAST_J)));
    mat3_left_cauchy_green(f, fr_set1(1), tau);
    for (int i = 0; i < 6; i++) tau[i] = q->d[LAW_MU] * tau[i] + (i < 3 ? volumetric : fr_zero());
}

FIRN_INLINE fr modulus(law_point *q, const fr *f, const fr *tau)
{
    fr g[6], j = volume_change(f);
    (void)tau;
    mat3_left_cauchy_green(f, fr_set1(1), g);
    fr along =
        q->d[LAW_MU] + q->d[LAW_LAMBDA] * (1 - fr_log1p(j)) + law_penalty_modulus(q->p[PENALTY], j);
    return q->d[LAW_MU] * (1 + mat3_largest_eigenvalue_bound(g)) + fr_max(along, fr_zero());
}

static const law_functions functions = {.form = FIRN_FORM_GENERAL,
                                        .derive = law_derive_lame,
                                        .energy = energy,
                                        .stress = stress,
                                        .modulus = modulus};

FIRN_LAW(neo_hookean, .title = "Compressible neo-Hookean solid, logarithmic volume term",
         .equations = "Psi = mu/2 (tr b - 3) - mu ln J + lambda/2 (ln J)^2 + k_v/2 (J-1)^2\n"
                      "tau = mu (b - I) + (lambda ln J + k_v J (J-1)) I",
         .citation = "J. Bonet, R. D. Wood, Nonlinear Continuum Mechanics for Finite Element "
                     "Analysis, 2008, sec. 6.4",
         .validity =
             "Any J > 0; stress grows without bound as J goes to 0. Inverted elements are flagged.",
         FIRN_BOUNDS(bounds), FIRN_RELATIONS(relations), FIRN_PRESETS(presets), .is_isotropic = 1)
