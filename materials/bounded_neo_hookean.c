/* SPDX-License-Identifier: MIT */
/* Neo-Hookean solid that is continued below a principal stretch s_c: finite for every stretch,
 * also zero and negative, so that it recovers from inversion.
 *
 *   s_i    principal stretches; the smallest carries the sign of det F
 *   s*_i = max(s_i, s_c),  d_i = s_i - s*_i <= 0,  r_i = 1/s*_i,  q_i = d_i r_i,  l = sum ln s*_j
 *
 * Above s_c the law is neo_hookean:
 *
 *   Psi_NH = mu/2 sum (s_i^2 - 1) - mu l + lambda/2 l^2
 *
 * Below s_c its Taylor series about s* continues it, with P_i = dPsi_NH/ds_i, H_ij = dP_i/ds_j:
 *
 *   Psi = Psi_NH(s*) + sum P_i(s*) d_i + cap/2 sum H_ij(s*) d_i d_j + k_v/2 (J - 1)^2
 *
 * In uniaxial strain the stress is then constant (cap = 0, continuous) or goes on linearly
 * (cap = 1, continuously differentiable). The penalty takes the true J. Differentiated with s* of
 * a stretch below s_c held fixed, the nominal stresses are
 *
 *   s_i < s_c:   P_i(s*) + cap (H_ii d_i + lambda r_i sum_{j != i} q_j),
 *                H_ii = mu (1 + r_i^2) + lambda (1 - l) r_i^2
 *   s_k >= s_c:  P_k(s*) + lambda r_k (sum q_j - cap/2 sum q_j^2)
 *
 * Limits. Equal to neo_hookean while every stretch is above s_c. */
#include "laws/law_common.h"

enum { PENALTY = LAW_OWN_PARAMETERS, CRITICAL, CAP };

static const firn_bound_info bounds[] = {
    {FIRN_BOUND_CONTINUED, "a stretch below s_c: the Taylor series"},
};
static const firn_parameter_info parameters[] = {
    LAW_PARAMETER_RHO(1000),
    LAW_PARAMETER_E(1e5),
    LAW_PARAMETER_NU(0.3),
    LAW_PARAMETER_KV(0),
    {"s_c", "1", "principal stretch below which the law is continued", 0.4, 0.05, 0.95},
    {"cap", "1",
     "0: stress capped at its value at s_c; 1: continued linearly (C1); between: that share of the "
     "slope",
     1, 0, 1},
};
static const firn_relation_info relations[] = {
    LAW_RELATION_NU,
};
static const firn_preset_info presets[] = {
    {"jello", "gelatine for effects: tuned for looks, survives being crushed",
     "rho=1000 E=2e4 nu=0.4 s_c=0.4"},
};

/* What energy, stress and modulus share. */
typedef struct continued {
    fr s[3], d[3], r[3], q[3], l, sum, squares;
    fm below[3];
} continued;

FIRN_INLINE continued continue_below(const law_point *point, const fr *s)
{
    continued c;
    for (int i = 0; i < 3; i++) {
        c.s[i] = fr_max(point->p[CRITICAL], s[i]);
        c.d[i] = s[i] - c.s[i];
        c.r[i] = 1 / c.s[i];
        c.q[i] = c.d[i] * c.r[i];
        c.below[i] = fr_lt(s[i], point->p[CRITICAL]);
    }
    c.l = fr_log1p(law_volume_change(c.s));
    c.sum = law_sum(c.q);
    c.squares = law_dot(c.q, c.q);
    return c;
}

FIRN_INLINE fr second_derivative(const law_point *point, const continued *c, int i, fr l)
{
    fr r2 = c->r[i] * c->r[i];
    return point->d[LAW_MU] * (1 + r2) + point->d[LAW_LAMBDA] * (1 - l) * r2;
}

FIRN_INLINE fr energy(law_point *point, const fr *s)
{
    const continued c = continue_below(point, s);
    fr lambda = point->d[LAW_LAMBDA], mu = point->d[LAW_MU], cap = point->p[CAP];
    fr sum = -mu * c.l + (real)0.5 * lambda * c.l * c.l +
             law_penalty_energy(point->p[PENALTY], law_volume_change(s));
    for (int i = 0; i < 3; i++) {
        fr first = mu * (c.s[i] - c.r[i]) + lambda * c.l * c.r[i];
        sum = sum + (real)0.5 * mu * (c.s[i] - 1) * (c.s[i] + 1) + first * c.d[i] +
              (real)0.5 * cap * second_derivative(point, &c, i, c.l) * c.d[i] * c.d[i];
    }
    return sum + cap * lambda * (c.q[0] * c.q[1] + c.q[0] * c.q[2] + c.q[1] * c.q[2]);
}

FIRN_INLINE void stress(law_point *point, const fr *s, fr *tau)
{
    const continued c = continue_below(point, s);
    fr lambda = point->d[LAW_LAMBDA], mu = point->d[LAW_MU], cap = point->p[CAP];
    fr penalty = law_penalty_stress(point->p[PENALTY], law_volume_change(s));
    for (int i = 0; i < 3; i++) {
        law_bound(point, FIRN_BOUND_CONTINUED, c.below[i]);
        fr base = mu * (c.s[i] - 1) * (c.s[i] + 1) * c.r[i] + lambda * c.l * c.r[i];
        fr low = cap * (second_derivative(point, &c, i, c.l) * c.d[i] +
                        lambda * c.r[i] * (c.sum - c.q[i]));
        fr high = lambda * c.r[i] * (c.sum - (real)0.5 * cap * c.squares);
        tau[i] = s[i] * (base + fr_select(c.below[i], low, high)) + penalty;
    }
}

FIRN_INLINE fr modulus(law_point *point, const fr *s, const fr *tau)
{
    const continued c = continue_below(point, s);
    fr lambda = point->d[LAW_LAMBDA], cap = point->p[CAP], k[3][3], elastic[3];
    fr j = law_volume_change(s), penalty = law_penalty_stress(point->p[PENALTY], j);
    for (int i = 0; i < 3; i++) {
        fr low = cap * second_derivative(point, &c, i, c.l);
        fr high = second_derivative(point, &c, i, c.l + c.sum - (real)0.5 * cap * c.squares);
        k[i][i] = s[i] * s[i] * fr_select(c.below[i], low, high);
        elastic[i] = tau[i] - penalty;
        for (int n = 0; n < i; n++) {
            fr one = fr_set1(1), both = fr_select(fm_and(c.below[i], c.below[n]), cap, one);
            fr mixed = fr_select(fm_or(c.below[i], c.below[n]), 1 - cap * (c.q[i] + c.q[n]), one);
            fr share = fr_select(fm_and(c.below[i], c.below[n]), both, mixed);
            k[i][n] = k[n][i] = s[i] * s[n] * lambda * c.r[i] * c.r[n] * share;
        }
    }
    return law_isotropic_modulus(s, elastic, k) + law_penalty_modulus(point->p[PENALTY], j);
}

static const law_functions functions = {.form = FIRN_FORM_STRETCH,
                                        .allows_inversion = 1,
                                        .derive = law_derive_lame,
                                        .energy = energy,
                                        .stress = stress,
                                        .modulus = modulus};

FIRN_LAW(bounded_neo_hookean,
         .title = "Neo-Hookean solid, bounded below a principal stretch, safe under inversion",
         .equations = "s* = max(s, s_c), d = s - s*;  Psi(s) = Psi_NH(s*) + sum P_i(s*) d_i + "
                      "cap/2 sum H_ij(s*) d_i d_j\n"
                      "Psi_NH = mu/2 sum (s_i^2 - 1) - mu ln J + lambda/2 (ln J)^2,  P = "
                      "dPsi_NH/ds,  H = dP/ds;  + k_v/2 (J-1)^2",
         .citation = "In the manner of G. Irving, J. Teran, R. Fedkiw, Invertible finite elements "
                     "for robust simulation of large deformation, SCA 2004, "
                     "doi:10.1145/1028523.1028541; the continuation by "
                     "Taylor series is this project's own",
         .validity =
             "Every F, also det F <= 0. Below s_c it is a numerical continuation, not a material.",
         FIRN_BOUNDS(bounds), FIRN_RELATIONS(relations), FIRN_PRESETS(presets), .is_isotropic = 1)
