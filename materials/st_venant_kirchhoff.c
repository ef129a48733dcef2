/* SPDX-License-Identifier: MIT */
/* St. Venant-Kirchhoff: Hooke's law between Green's strain and the second Piola-Kirchhoff stress.
 *
 *   s_i   principal stretches, J = s_1 s_2 s_3;   E_i = (s_i^2 - 1)/2, Green's strain
 *
 *   Psi   = lambda/2 (sum E_j)^2 + mu sum E_j^2 + k_v/2 (J - 1)^2        J/m^3
 *   tau_i = s_i^2 (lambda sum E_j + 2 mu E_i) + k_v J (J - 1)            Pa
 *
 * Modulus, with T = lambda sum E_j and without the penalty (law_driver.h has the bound):
 *
 *   K_ii = tau_i + (lambda + 2 mu) s_i^4
 *   G_ij = T + mu (s_i^2 + s_j^2 - 1)
 *   K_ij + s_i^2 G_ij - tau_i = (lambda + mu) s_i^2 s_j^2
 *
 * Limits. Linear elasticity at small strain. In compression the stress passes a minimum (uniaxial
 * strain: at s = 1/sqrt 3, whatever the moduli) and returns to zero at s = 0. Beyond the minimum
 * the law has no real wave speed, and lanes there are flagged FAILED.
 *
 * Edge. Real waves need G_ij > 0 and K_ii/s_i^2 = T + mu (s_i^2 - 1) + (lambda + 2 mu) s_i^2 > 0.
 * A strain e <= 1/16 (FIRN_EDGE_STRAIN) leaves at least q = (1 - e)^2 = .879 of every s_i^2, which
 * turns either sum X into at least q X - (1 - q) (3/2 lambda + mu): positive while
 * X > .207 lambda + .138 mu. */
#include "laws/law_common.h"

enum { PENALTY = LAW_OWN_PARAMETERS };

static const firn_parameter_info parameters[] = {LAW_PARAMETER_RHO(1000), LAW_PARAMETER_E(1e5),
                                                 LAW_PARAMETER_NU(0.3), LAW_PARAMETER_KV(0)};
static const firn_relation_info relations[] = {
    LAW_RELATION_NU,
};

FIRN_INLINE void green(const fr *s, fr strain[3])
{
    for (int i = 0; i < 3; i++) strain[i] = (real)0.5 * (s[i] - 1) * (s[i] + 1);
}

FIRN_INLINE fr energy(law_point *q, const fr *s)
{
    fr strain[3];
    green(s, strain);
    fr trace = law_sum(strain);
    return (real)0.5 * q->d[LAW_LAMBDA] * trace * trace + q->d[LAW_MU] * law_dot(strain, strain) +
           law_penalty_energy(q->p[PENALTY], law_volume_change(s));
}

FIRN_INLINE void stress(law_point *q, const fr *s, fr *tau)
{
    fr strain[3], penalty = law_penalty_stress(q->p[PENALTY], law_volume_change(s));
    green(s, strain);
    fr spherical = q->d[LAW_LAMBDA] * law_sum(strain);
    for (int i = 0; i < 3; i++)
        tau[i] = s[i] * s[i] * (spherical + 2 * q->d[LAW_MU] * strain[i]) + penalty;
}

FIRN_INLINE fr modulus(law_point *q, const fr *s, const fr *tau)
{
    fr strain[3], s2[3], lambda = q->d[LAW_LAMBDA], mu = q->d[LAW_MU], zero = fr_zero();
    fr penalty = law_penalty_modulus(q->p[PENALTY], law_volume_change(s));
    fr shift = law_penalty_stress(q->p[PENALTY],
                                  law_volume_change(s)); /* tau without the penalty's part */
    green(s, strain);
    fr spherical = lambda * law_sum(strain), g = fr_set1(-REAL_MAX), along = zero,
       least = fr_set1(REAL_MAX), nearest;
    for (int i = 0; i < 3; i++) s2[i] = s[i] * s[i];
    for (int i = 0; i < 3; i++)
        for (int j = i + 1; j < 3; j++) {
            fr ratio = spherical + mu * (s2[i] + s2[j] - 1);
            g = fr_max(g, fr_max(s2[i] * ratio, s2[j] * ratio));
            along = fr_max(along, (lambda + mu) * s2[i] * s2[j]);
            least = fr_min(least, ratio);
        }
    nearest = least;
    fr bound = along;
    for (int i = 0; i < 3; i++) {
        fr k = tau[i] - shift + (lambda + 2 * mu) * s2[i] * s2[i];
        bound = fr_max(bound, k - g);
        least = fr_min(least, k + penalty);
        nearest = fr_min(nearest, spherical + mu * (s2[i] - 1) + (lambda + 2 * mu) * s2[i]);
    }
    q->failed = fr_le(least, zero);
    fr edge = (real)0.21 * fr_abs(lambda) + (real)0.14 * mu;
    q->is_edge = fr_lt(nearest, edge);
    return g + bound + penalty;
}

static const law_functions functions = {.form = FIRN_FORM_STRETCH,
                                        .derive = law_derive_lame,
                                        .energy = energy,
                                        .stress = stress,
                                        .modulus = modulus};

FIRN_LAW(
    st_venant_kirchhoff, .title = "St. Venant-Kirchhoff solid",
    .equations = "E = (F^T F - I)/2,  Psi = lambda/2 tr(E)^2 + mu E:E + k_v/2 (J-1)^2\n"
                 "S = lambda tr(E) I + 2 mu E,  tau = F S F^T + k_v J (J-1) I",
    .citation = "P. G. Ciarlet, Mathematical Elasticity I, 1988, ch. 4",
    .validity =
        "Large rotations, small to moderate strains. Softens in compression and loses ellipticity "
        "at the stretch 1/sqrt(3) = 0.577 of uniaxial strain; such lanes are flagged as failed.",
    FIRN_RELATIONS(relations), .is_isotropic = 1, .can_fail = 1)
