/* law_common.h: what many laws share - elastic constants, the volume penalty, Hencky's quadratic energy.
 *
 * Notation   E, nu Young's modulus and Poisson's ratio;  lambda, mu Lame's constants;  K bulk modulus
 *            e_i principal log strains;  tau_i principal Kirchhoff stresses;  J = det F;  j = J - 1 */
#ifndef FIRN_LAW_COMMON_H
#define FIRN_LAW_COMMON_H

#include "law_driver.h"

/* The first entries of a parameter table. rho must come first in every law. */
#define LAW_PARAMETER_RHO(value)                                                                                       \
    {                                                                                                                  \
        "rho", "kg/m^3", "density in the undeformed state", value, 1e-3, 1e5                                           \
    }
#define LAW_PARAMETER_E(value)                                                                                         \
    {                                                                                                                  \
        "E", "Pa", "Young's modulus at small strain", value, 1e-6, 1e13                                                \
    }
#define LAW_PARAMETER_NU(value)                                                                                        \
    {                                                                                                                  \
        "nu", "1", "Poisson's ratio at small strain", value, -0.9, 0.4999                                              \
    }
#define LAW_PARAMETER_KV(value)                                                                                        \
    {                                                                                                                  \
        "k_v", "Pa", "volume-preserving penalty, energy k_v (J-1)^2 / 2; adds to the bulk modulus", value, 0, 1e13     \
    }

FIRN_INLINE fr law_mu(fr young, fr poisson) { return young / (2 * (1 + poisson)); }
FIRN_INLINE fr law_lambda(fr young, fr poisson) { return young * poisson / ((1 + poisson) * (1 - 2 * poisson)); }

/* The penalty k (J-1)^2 / 2: Kirchhoff pressure part k J (J-1), modulus J^2 U'' = k J^2. */
FIRN_INLINE fr law_penalty_energy(fr k, fr j) { return (real)0.5 * k * j * j; }
FIRN_INLINE fr law_penalty_stress(fr k, fr j) { return k * (1 + j) * j; }
FIRN_INLINE fr law_penalty_modulus(fr k, fr j) { return k * (1 + j) * (1 + j); }

FIRN_INLINE fr law_sum(const fr a[3]) { return a[0] + a[1] + a[2]; }
FIRN_INLINE fr law_dot(const fr a[3], const fr b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
FIRN_INLINE fr law_max3(const fr a[3]) { return fr_max(a[0], fr_max(a[1], a[2])); }
FIRN_INLINE fr law_min3(const fr a[3]) { return fr_min(a[0], fr_min(a[1], a[2])); }

/* product of stretches minus one, exact for stretches near one: x = s - 1 */
FIRN_INLINE fr law_volume_change(const fr s[3])
{
    const fr x[3] = {s[0] - 1, s[1] - 1, s[2] - 1};
    return law_sum(x) + (x[0] * x[1] + x[0] * x[2] + x[1] * x[2] + x[0] * x[1] * x[2]);
}

/* Splits log strains into trace and deviator; returns the deviator's length. */
FIRN_INLINE fr law_deviator(const fr e[3], fr *trace, fr dev[3])
{
    *trace = law_sum(e);
    fr mean = *trace * (real)(1.0 / 3);
    for (int i = 0; i < 3; i++) dev[i] = e[i] - mean;
    return fr_sqrt(law_dot(dev, dev));
}

/* Hencky: Psi = mu sum e_i^2 + lambda (sum e_i)^2 / 2 */
FIRN_INLINE fr law_hencky_energy(fr lambda, fr mu, const fr e[3])
{
    fr trace = law_sum(e);
    return mu * law_dot(e, e) + (real)0.5 * lambda * trace * trace;
}
FIRN_INLINE void law_hencky_stress(fr lambda, fr mu, const fr e[3], fr tau[3])
{
    fr pressure = lambda * law_sum(e);
    for (int i = 0; i < 3; i++) tau[i] = 2 * mu * e[i] + pressure;
}
/* Here s_i^2 G_ij = mu x / (1 - exp(-x)) with x = 2 (e_i - e_j), at most mu (1 + x) for x >= 0 and mu below. */
FIRN_INLINE fr law_hencky_modulus(fr lambda, fr mu, const fr e[3], const fr tau[3])
{
    fr g = mu * (1 + 2 * (law_max3(e) - law_min3(e))), least = law_min3(tau);
    return g + fr_max(fr_max(lambda + 2 * mu - least - g, lambda + g - least), fr_zero());
}

#endif
