/* SPDX-License-Identifier: MIT */
/* A flow from computer graphics, kept for comparison: a power of the deformation becomes plastic.
 *
 *   F* = F det(F)^(-1/3),   F_p = (F*)^gamma,   F_e = F F_p^-1
 *   gamma = min(rate dt (|s| - yield - hardening alpha) / |s|, 1), at least 0
 *
 *   |s|     length of the deviator of the Kirchhoff stress of a Hencky solid
 *   alpha   accumulated length of the plastic log strain (history)
 *
 * In principal log strains the product is a difference: e <- e - gamma dev(e), and alpha grows by
 * gamma |dev e|. The flow keeps the volume.
 *
 * Limits. rate -> 0: hencky. rate dt -> 1: stress above yield is taken off within a step, but so
 * is stress below it in proportion, so that the yield surface is soft and depends on dt. */
#include "laws/law_common.h"

enum { YIELD = LAW_OWN_PARAMETERS, HARDENING, RATE };
enum { ALPHA };

static const firn_bound_info bounds[] = {
    LAW_BOUND_COLLAPSED,
    {FIRN_BOUND_FLOW, "gamma above 1 becomes 1: dt is longer than the flow takes"},
};
static const firn_parameter_info parameters[] = {
    LAW_PARAMETER_RHO(1000),
    LAW_PARAMETER_E(1e5),
    LAW_PARAMETER_NU(0.3),
    {"yield", "Pa", "stress at which flow sets in (P_y)", 1e3, 0, 1e12, 1},
    {"hardening", "Pa", "growth of that stress with plastic strain (K)", 0, 0, 1e12},
    {"rate", "1/s",
     "share of the deviator that flows per second, far above yield (mu of the source)", 100, 0,
     1e6},
};
static const firn_relation_info relations[] = {
    LAW_RELATION_NU,
    LAW_RELATION_YIELD("yield"),
    {"rate", 1e-9, 1e9, "it never flows: an elastic solid"},
};
static const firn_history_info history[] = {{"alpha", "1",
                                             "accumulated length of the plastic log strain", 0,
                                             FIRN_HISTORY_PLASTIC_STRAIN_LENGTH}};

FIRN_INLINE void return_map(law_point *q, fr *e)
{
    fr dev[3], trace, strain = law_deviator(e, &trace, dev), size = 2 * q->d[LAW_MU] * strain;
    fr excess = fr_max(size - q->p[YIELD] - q->p[HARDENING] * q->h[ALPHA], fr_zero());
    fr wanted = q->p[RATE] * q->dt * excess / fr_max(size, fr_set1(MAT3_TINY)),
       gamma = fr_min(wanted, fr_set1(1));
    law_bound(q, FIRN_BOUND_FLOW, fr_gt(wanted, fr_set1(1)));
    for (int i = 0; i < 3; i++) e[i] = e[i] - gamma * dev[i];
    q->h[ALPHA] = q->h[ALPHA] + gamma * strain;
}

FIRN_INLINE fr yield(law_point *q, const fr *e)
{
    fr dev[3], trace, size = 2 * q->d[LAW_MU] * law_deviator(e, &trace, dev);
    return law_yield_share(size, q->p[YIELD] + q->p[HARDENING] * q->h[ALPHA]);
}

static const law_functions functions = {.form = FIRN_FORM_LOG,
                                        .derive = law_derive_lame,
                                        .energy = law_hencky_energy_at,
                                        .stress = law_hencky_stress_at,
                                        .return_map = return_map,
                                        .yield = yield,
                                        .modulus = law_hencky_modulus_at};

FIRN_LAW(
    bargteil_flow, .title = "Flow by a power of the deformation (Bargteil and others)",
    .equations = "F* = F det(F)^(-1/3),  F_p = (F*)^gamma,  F_e = F F_p^-1\n"
                 "gamma = min(rate dt (|s| - yield - hardening alpha) / |s|, 1)",
    .citation =
        "A. W. Bargteil, C. Wojtan, J. K. Hodgins, G. Turk, A finite element method "
        "for animating large viscoplastic flow, ACM TOG 26(3), 2007, doi:10.1145/1276377.1276397",
    .validity = "For comparison. Stress above yield persists until flow has had time, so the "
                "yield surface is soft.",
    FIRN_HISTORY(history), FIRN_BOUNDS(bounds), .alias = "power_flow", FIRN_RELATIONS(relations),
    .is_isotropic = 1, .is_plastic = 1)
