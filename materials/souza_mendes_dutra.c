/* SPDX-License-Identifier: MIT */
/* Generalised Newtonian fluid with a jump number, after de Souza Mendes and Dutra: nearly solid at
 * rest, yields, then thins by a power law.
 *
 *   d = sym grad v,   g = sqrt(2 dev d : dev d)  shear rate, 1/s
 *   g_1 = (tau_0 / K)^(1/n),   x = g / g_1,   J_vol = det F
 *
 *   shear stress   tau_0 f(x),   f = (1 - exp(-(J + 1) x)) (1 + x^n)
 *   viscosity      eta(x) = tau_0 / g_1 f(x) / x                        Pa s
 *   tau            = rho c^2 (J_vol - 1) I + 2 J_vol eta dev d          Pa
 *
 * The pressure is that of the law liquid with gamma = 1: p = c^2 (rho/J_vol - rho). Only J_vol is
 * kept of F.
 *
 * Limits. At rest eta = (J + 1) tau_0 / g_1; far above yield the stress is tau_0 + K g^n. With
 * n < 1 the viscosity first rises: for n = 1/2 its maximum is 1.3458 times tau_0/g_1 at J = 0 and
 * 101.497 times at J = 100. The time step needs that maximum; it is found by golden-section search
 * over ln x. */
#include "laws/law_common.h"

enum { RHO, SPEED, YIELD, CONSISTENCY, EXPONENT, JUMP };
enum { SCALE, RATE, LARGEST };

static const firn_bound_info bounds[] = {
    LAW_BOUND_FLUID,
};
static const firn_parameter_info parameters[] = {
    LAW_PARAMETER_RHO(1000),
    {"c", "m/s", "speed of sound: ten times the fastest flow keeps the density within one per cent",
     20, 1e-3, 1e4},
    {"tau_0", "Pa", "shear stress at which the fluid gives way", 10, 1e-6, 1e9},
    {"K", "Pa s^n", "consistency: shear stress is tau_0 + K g^n far above yield", 10, 1e-6, 1e9},
    {"n", "1", "exponent: 1 Bingham, below 1 shear-thinning", 0.5, 0.1, 1},
    {"J", "1", "jump number: viscosity at rest is (J + 1) tau_0 (K/tau_0)^(1/n)", 100, 0, 1e5},
};
static const firn_relation_info relations[] = {
    {"K / tau_0", 1e-4, 1e6, "yield stress and consistency act at rates that no run has both"},
    {"J", 1e-6, 1e5, "no jump: it creeps at all stresses"},
};
static const firn_preset_info presets[] = {
    {"melt",
     "a slowly melting solid, tuned for looks; give J a table over temperature: from J_max below "
     "to J_min above the melting range, (1-u) J_max + u J_min",
     "rho=900 c=20 tau_0=50 K=20 n=0.5 J=1000"},
};

/* (1 - exp(-(J+1) x)) (1/x + x^(n-1)) at x = exp(y) */
FIRN_INLINE fr relative_viscosity(fr jump, fr n, fr y)
{
    return -fr_expm1(-(jump + 1) * fr_exp(y)) * (fr_exp(-y) + fr_exp((n - 1) * y));
}

FIRN_INLINE fr largest_viscosity(fr jump, fr n)
{
    const real golden = (real)0.61803398874989485;
    /* the maximum lies where (J+1) x is of order one or below */
    fr low = -fr_log(jump + 1) - 16, high = low + 19;
    fr a = high - golden * (high - low), b = low + golden * (high - low);
    fr at_a = relative_viscosity(jump, n, a), at_b = relative_viscosity(jump, n, b);
#pragma GCC unroll 1
    for (int i = 0; i < 24; i++) {
        fm left = fr_gt(at_a, at_b);
        low = fr_select(left, low, a);
        high = fr_select(left, b, high);
        fr next = fr_select(left, high - golden * (high - low), low + golden * (high - low));
        fr value = relative_viscosity(jump, n, next);
        fr old = fr_select(left, a, b), at_old = fr_select(left, at_a, at_b);
        a = fr_select(left, next, old);
        at_a = fr_select(left, value, at_old);
        b = fr_select(left, old, next);
        at_b = fr_select(left, at_old, value);
    }
    /* flat at its top: the rest of the interval is worth less than the last digits */
    return fr_max(fr_max(at_a, at_b), jump + 1);
}

FIRN_INLINE void derive(const fr *p, fr *d)
{
    d[SCALE] = p[RHO] * p[SPEED] * p[SPEED];
    d[RATE] = fr_exp(fr_log(p[YIELD] / p[CONSISTENCY]) / p[EXPONENT]);
    d[LARGEST] = largest_viscosity(p[JUMP], p[EXPONENT]) * p[YIELD] / d[RATE];
}

FIRN_INLINE fr energy(law_point *q, const fr *f)
{
    fr j = law_fluid_volume_change(f);
    return q->d[SCALE] * (j - fr_log1p(j));
}
FIRN_INLINE void stress(law_point *q, const fr *f, fr *tau)
{
    fr j = law_fluid_volume_change(f); /* -J p = rho c^2 j */
    law_fluid_bound(q);
    for (int i = 0; i < 6; i++) tau[i] = i < 3 ? q->d[SCALE] * j : fr_zero();
}
FIRN_INLINE fr modulus(law_point *q, const fr *f, const fr *tau)
{
    (void)f, (void)tau;
    return q->d[SCALE]; /* J^2 Psi'' = rho c^2 */
}
FIRN_INLINE fr viscosity(law_point *q) { return q->d[LARGEST] * fr_max(q->det, fr_zero()); }
FIRN_INLINE void viscous(law_point *q, const fr rate[6], fr tau[6])
{
    for (int i = 0; i < 6; i++) tau[i] = rate[i];
    law_take_deviator(tau);
    fr x = fr_sqrt(2 * mat3_contract(tau, tau)) / q->d[RATE];
    fr y = fr_log(fr_max(x, fr_set1((real)1e-12)));
    fr eta = relative_viscosity(q->p[JUMP], q->p[EXPONENT], y) * q->p[YIELD] / q->d[RATE];
    for (int i = 0; i < 6; i++) tau[i] = 2 * eta * fr_max(q->det, fr_zero()) * tau[i];
}

static const law_functions functions = {.form = FIRN_FORM_GENERAL,
                                        .derive = derive,
                                        .energy = energy,
                                        .stress = stress,
                                        .return_map = law_fluid_return_map,
                                        .modulus = modulus,
                                        .viscous = viscous,
                                        .viscosity = viscosity};

FIRN_LAW(
    souza_mendes_dutra, .title = "Generalised Newtonian fluid with a jump number (melting solids)",
    .equations =
        "eta = tau_0/g_1 (1 - exp(-(J+1) x)) (x^(n-1) + 1/x),  x = g/g_1,  g_1 = (tau_0/K)^(1/n)\n"
        "g = sqrt(2 dev d : dev d);  tau = rho c^2 (J_vol - 1) I + 2 J_vol eta dev d",
    .citation =
        "P. R. de Souza Mendes, E. S. S. Dutra, Viscosity function for yield-stress liquids, "
        "Applied Rheology 14(6), 2004; in particle form A. Paiva et al., Particle-based "
        "viscoplastic fluid/solid simulation, Computer-Aided Design 41(4), 2009",
    .validity = "Viscous, no springing back. The explicit step shrinks with the largest viscosity, "
                "that is with J.",
    FIRN_BOUNDS(bounds), FIRN_RELATIONS(relations), FIRN_PRESETS(presets), .alias = "jump_number",
    .is_isotropic = 1, .is_fluid = 1)
