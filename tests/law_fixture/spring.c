/* SPDX-License-Identifier: MIT */
/* The worked example of materials/README.md: a law from outside, found by every part of firn
 * without another edit. */
#include "laws/law_common.h"

enum { RHO, YOUNG };
enum { MU };
static const firn_parameter_info parameters[] = {LAW_PARAMETER_RHO(1000), LAW_PARAMETER_E(1e5)};

FIRN_INLINE void derive(const fr *p, fr *d) { d[MU] = (real)0.5 * p[YOUNG]; }
FIRN_INLINE fr energy(law_point *q, const fr *s)
{
    return law_corotated_energy(fr_zero(), q->d[MU], s);
}
FIRN_INLINE void stress(law_point *q, const fr *s, fr *tau)
{
    for (int i = 0; i < 3; i++) tau[i] = 2 * q->d[MU] * (s[i] - 1) * s[i];
}
FIRN_INLINE fr modulus(law_point *q, const fr *s, const fr *tau)
{
    (void)tau;
    return law_corotated_modulus(fr_zero(), q->d[MU], s);
}
static const law_functions functions = {.form = FIRN_FORM_STRETCH,
                                        .allows_inversion = 1,
                                        .derive = derive,
                                        .energy = energy,
                                        .stress = stress,
                                        .modulus = modulus};
FIRN_LAW(spring, .title = "Spring-like solid", .equations = "Psi = mu sum (s_i - 1)^2",
         .citation = "this page", .validity = "an example", .is_isotropic = 1)
