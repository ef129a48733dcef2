/* SPDX-License-Identifier: MIT */
/* law_common.h: what many laws share - elastic constants, the volume penalty, Hencky's and
 * corotated elasticity, fluids.
 *
 *   E, nu        Young's modulus and Poisson's ratio;   lambda, mu  Lame's constants;   Pa
 *   e_i, tau_i   principal log strains and Kirchhoff stresses;   s_i  principal stretches
 *   j = J - 1    volume change, kept as such: J near 1 would lose its digits */
#ifndef FIRN_LAW_COMMON_H
#define FIRN_LAW_COMMON_H

#include "laws/law_driver.h"

/* The first entries of a parameter table. rho must come first in every law. */
#define LAW_PARAMETER_RHO(value)                                                                   \
    {                                                                                              \
        "rho", "kg/m^3", "density in the undeformed state", value, 1e-3, 1e5                       \
    }
#define LAW_PARAMETER_E(value)                                                                     \
    {                                                                                              \
        "E", "Pa", "Young's modulus at small strain, the stiffness", value, 1e-6, 1e13             \
    }
#define LAW_PARAMETER_NU(value)                                                                    \
    {                                                                                              \
        "nu", "1", "Poisson's ratio at small strain", value, -0.9, 0.4999                          \
    }
#define LAW_PARAMETER_KV(value)                                                                    \
    {                                                                                              \
        "k_v", "Pa",                                                                               \
            "volume-preserving penalty, energy k_v (J-1)^2 / 2; adds to the bulk modulus", value,  \
            0, 1e13                                                                                \
    }

/* Relations of laws with E and nu. */
#define LAW_RELATION_NU                                                                            \
    {                                                                                              \
        "nu", -1, 0.49,                                                                            \
            "nearly incompressible: volume locks (bending 5 % too stiff, and more), and dt falls " \
            "as sqrt(1 - 2 nu)"                                                                    \
    }
#define LAW_RELATION_YIELD(name)                                                                   \
    {                                                                                              \
        name " / E", 0, 0.5, "it is strained by half before it yields: an elastic solid"           \
    }

/* The bound of laws in log strains: 4 eps is 8.9e-16, in single precision 4.8e-7. */
#define LAW_BOUND_COLLAPSED                                                                        \
    {                                                                                              \
        FIRN_BOUND_COLLAPSED, "a stretch below 4 eps: its log strain is that of 4 eps"             \
    }

FIRN_INLINE fr law_mu(fr young, fr poisson) { return young / (2 * (1 + poisson)); }
FIRN_INLINE fr law_lambda(fr young, fr poisson)
{
    return young * poisson / ((1 + poisson) * (1 - 2 * poisson));
}

/* Laws whose parameters begin with rho, E, nu and whose constants begin with lambda, mu share
 * this derive(). */
enum { LAW_RHO, LAW_YOUNG, LAW_POISSON, LAW_OWN_PARAMETERS };
enum { LAW_LAMBDA, LAW_MU, LAW_OWN_CONSTANTS };
FIRN_INLINE void law_derive_lame(const fr *p, fr *d)
{
    d[LAW_LAMBDA] = law_lambda(p[LAW_YOUNG], p[LAW_POISSON]);
    d[LAW_MU] = law_mu(p[LAW_YOUNG], p[LAW_POISSON]);
}

/* The penalty k (J-1)^2 / 2: Kirchhoff pressure part k J (J-1), modulus J^2 U'' = k J^2. */
FIRN_INLINE fr law_penalty_energy(fr k, fr j) { return (real)0.5 * k * j * j; }
FIRN_INLINE fr law_penalty_stress(fr k, fr j) { return k * (1 + j) * j; }
FIRN_INLINE fr law_penalty_modulus(fr k, fr j) { return k * (1 + j) * (1 + j); }

FIRN_INLINE fr law_sum(const fr a[3]) { return a[0] + a[1] + a[2]; }
FIRN_INLINE fr law_dot(const fr a[3], const fr b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
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

/* How far a measure of stress or strain has gone to what is allowed: 1 at yield. At most 1000, so
 * that what is allowed to carry nothing stays finite. */
FIRN_INLINE fr law_yield_share(fr size, fr allowed)
{
    return fr_min(size / fr_max(allowed, fr_set1(MAT3_TINY)), fr_set1(1000));
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
/* Here s_i^2 G_ij = mu x / (1 - exp(-x)) with x = 2 (e_i - e_j), at most mu (1 + x) for x >= 0
 * and mu below. */
FIRN_INLINE fr law_hencky_modulus(fr lambda, fr mu, const fr e[3], const fr tau[3])
{
    fr g = mu * (1 + 2 * (law_max3(e) - law_min3(e))), least = law_min3(tau);
    return g + fr_max(fr_max(lambda + 2 * mu - least - g, lambda + g - least), fr_zero());
}

/* The same as functions of a law that starts with law_derive_lame: for plastic laws whose
 * elastic part is Hencky's. */
FIRN_INLINE fr law_hencky_energy_at(law_point *q, const fr *e)
{
    return law_hencky_energy(q->d[LAW_LAMBDA], q->d[LAW_MU], e);
}
FIRN_INLINE void law_hencky_stress_at(law_point *q, const fr *e, fr *tau)
{
    law_hencky_stress(q->d[LAW_LAMBDA], q->d[LAW_MU], e, tau);
}
FIRN_INLINE fr law_hencky_modulus_at(law_point *q, const fr *e, const fr *tau)
{
    return law_hencky_modulus(q->d[LAW_LAMBDA], q->d[LAW_MU], e, tau);
}

/* Fluids: only J is kept of F. J - 1 is held where the pressure is finite in a collapsed or
 * inverted lane. */
#define LAW_FLUID_LEAST_J 0.01
#define LAW_BOUND_FLUID                                                                            \
    {                                                                                              \
        FIRN_BOUND_VOLUME, "J below 0.01 becomes 0.01"                                             \
    }
FIRN_INLINE fr law_fluid_volume_change(const fr *f)
{
    return fr_max(fr_set1((real)(LAW_FLUID_LEAST_J - 1)), mat3_determinant_minus_one(f));
}
/* To be asked in `stress`: q->det is that of the state before the return map. */
FIRN_INLINE void law_fluid_bound(law_point *q)
{
    law_bound(q, FIRN_BOUND_VOLUME, fr_lt(q->det, fr_set1((real)LAW_FLUID_LEAST_J)));
}
FIRN_INLINE void law_fluid_return_map(law_point *q, fr *f)
{
    (void)q;
    fr size = fr_expm1(fr_log1p(law_fluid_volume_change(f)) * (real)(1.0 / 3));
    for (int i = 0; i < 9; i++) f[i] = i % 4 == 0 ? 1 + size : fr_zero();
}

/* The deviator of a symmetric tensor, in place. */
FIRN_INLINE void law_take_deviator(fr s[6])
{
    fr mean = (s[0] + s[1] + s[2]) * (real)(1.0 / 3);
    for (int i = 0; i < 3; i++) s[i] = s[i] - mean;
}
/* Newtonian stress 2 eta dev(rate) */
FIRN_INLINE void law_newtonian_stress(fr eta, const fr rate[6], fr tau[6])
{
    for (int i = 0; i < 6; i++) tau[i] = rate[i];
    law_take_deviator(tau);
    for (int i = 0; i < 6; i++) tau[i] = 2 * eta * tau[i];
}

/* Fixed corotated: Psi = mu sum (s_i - 1)^2 + lambda (J - 1)^2 / 2, finite for every stretch,
 * also negative ones. The part with mu has K_ii = 2 mu s_i^2, G_ij = 2 mu (1 - 1/(s_i + s_j)),
 * K_ij + s_i^2 G_ij - tau_i = 2 mu s_i s_j/(s_i + s_j). */
FIRN_INLINE fr law_corotated_energy(fr lambda, fr mu, const fr s[3])
{
    const fr x[3] = {s[0] - 1, s[1] - 1, s[2] - 1};
    return mu * law_dot(x, x) + law_penalty_energy(lambda, law_volume_change(s));
}
FIRN_INLINE void law_corotated_stress(fr lambda, fr mu, const fr s[3], fr tau[3])
{
    fr volumetric = law_penalty_stress(lambda, law_volume_change(s));
    for (int i = 0; i < 3; i++) tau[i] = 2 * mu * (s[i] - 1) * s[i] + volumetric;
}
FIRN_INLINE fr law_corotated_modulus(fr lambda, fr mu, const fr s[3])
{
    fr g = fr_set1(-REAL_MAX), along = fr_zero();
    for (int i = 0; i < 3; i++)
        for (int j = i + 1; j < 3; j++) {
            /* the two stretches cancel only in inverted states, where G falls without bound: a
             * floor is safe */
            fr per_sum = 1 / fr_max(s[i] + s[j], fr_set1((real)1e-3));
            fr big = fr_max(s[i] * s[i], s[j] * s[j]), small = fr_min(s[i] * s[i], s[j] * s[j]);
            g = fr_max(g, fr_max(big * (1 - per_sum), small * (1 - per_sum)));
            along = fr_max(along, s[i] * s[j] * per_sum);
        }
    for (int i = 0; i < 3; i++) along = fr_max(along, s[i] * s[i] - g);
    return 2 * mu * (g + along) + law_penalty_modulus(lambda, law_volume_change(s));
}

/* The bound at the top of law_driver.h for any isotropic law, from K[3][3] = d tau_i / d e_j -
 * delta_ij tau_i.
 * Where two stretches coincide the quotient G turns into the difference of the derivatives. */
FIRN_INLINE fr law_isotropic_modulus(const fr s[3], const fr tau[3], fr k[3][3])
{
    const fr close = fr_set1(sizeof(real) == 8 ? (real)1e-6 : (real)2e-3);
    fr g = fr_set1(-REAL_MAX), along = fr_zero(), cross[3];
    int n = 0;
    for (int i = 0; i < 3; i++)
        for (int j = i + 1; j < 3; j++) {
            fr difference = s[i] - s[j], size = fr_abs(s[i]) + fr_abs(s[j]);
            /* opposite stretches (inverted) make the sum vanish: the quotient is then kept bounded
             */
            fr sum = fr_max(s[i] + s[j], (real)0.05 * size);
            fm same = fr_lt(fr_abs(difference), close * size);
            fr quotient = (tau[i] - tau[j]) / (fr_select(same, fr_set1(1), difference) * sum);
            fr limit = (k[i][i] + tau[i] + k[j][j] + tau[j] - 2 * k[i][j]) /
                       fr_max(size * size, fr_set1(MAT3_TINY));
            fr ratio = fr_select(same, limit, quotient);
            g = fr_max(g, fr_max(s[i] * s[i] * ratio, s[j] * s[j] * ratio));
            cross[n++] = k[i][j] + s[i] * s[i] * ratio - tau[i];
        }
    for (int i = 0; i < 3; i++) along = fr_max(along, fr_max(k[i][i] - g, cross[i]));
    return g + along;
}

#endif
