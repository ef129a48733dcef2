/* SPDX-License-Identifier: MIT */
/* Weakly compressible liquid: pressure from the density alone, Newtonian viscosity.
 *
 *   J = det F, all that is kept of F; the density is rho / J;   d = sym grad v
 *   B = rho c^2 / gamma
 *
 *   p   = B (J^-gamma - 1)                                              Pa
 *   tau = -J p I + 2 J viscosity dev d
 *   Psi = B ((J^(1-gamma) - 1)/(gamma - 1) + J - 1)                     J/m^3
 *   modulus J^2 Psi'' = rho c^2 J^(1-gamma)
 *
 * Below J = 1 pressure pushes; above, the share `tension` of it pulls.
 *
 * Limits. gamma = 1: p = c^2 (rho/J - rho), linear in the density; gamma = 7: Tait's equation for
 * water. viscosity = 0: an ideal fluid. */
#include "laws/law_common.h"

enum { RHO, SPEED, GAMMA, VISCOSITY, TENSION };
enum { SCALE, POWER };

static const firn_bound_info bounds[] = {
    LAW_BOUND_FLUID,
};
static const firn_parameter_info parameters[] = {
    LAW_PARAMETER_RHO(1000),
    {"c", "m/s", "speed of sound: ten times the fastest flow keeps the density within one per cent",
     20, 1e-3, 1e4},
    {"gamma", "1", "stiffness exponent: 1 linear in density, 7 Tait for water", 7, 1, 12},
    {"viscosity", "Pa s", "dynamic viscosity", 0, 0, 1e9},
    {"tension", "1", "share of the negative pressure that is kept when the liquid is pulled apart",
     1, 0, 1},
};
static const firn_preset_info presets[] = {
    {"water",
     "density 998.2 kg/m^3 and viscosity 1.002 mPa s at 20 C, confirmed by the International "
     "Critical Tables and handbooks; c (far below 1480 m/s) and tension tuned for looks",
     "rho=998.2 c=20 gamma=7 viscosity=1.002e-3 tension=0"},
    {"honey",
     "clover honey of 18 per cent moisture at 20 C: density 1417 kg/m^3, confirmed; viscosity of "
     "the order that tables give (19 Pa s at 16 per cent, and 1 per cent acts like 3.5 degrees: "
     "near 10 Pa s); c tuned for looks",
     "rho=1417 c=20 gamma=7 viscosity=10"},
};

FIRN_INLINE void derive(const fr *p, fr *d)
{
    d[SCALE] = p[RHO] * p[SPEED] * p[SPEED] / p[GAMMA];
    d[POWER] = p[GAMMA] - 1;
}

FIRN_INLINE fr tension_share(const law_point *q, fr j)
{
    return fr_select(fr_gt(j, fr_zero()), q->p[TENSION], fr_set1(1));
}

FIRN_INLINE fr energy(law_point *q, const fr *f)
{
    fr j = law_fluid_volume_change(f), log_j = fr_log1p(j), power = q->d[POWER];
    /* (J^-n - 1)/n, which becomes -ln J as n goes to 0 */
    fr quotient = fr_expm1(-power * log_j) / fr_max(power, fr_set1((real)1e-6));
    fr first = fr_select(fr_gt(power, fr_set1((real)1e-6)), quotient, -log_j);
    return tension_share(q, j) * q->d[SCALE] * (first + j);
}

FIRN_INLINE void stress(law_point *q, const fr *f, fr *tau)
{
    fr j = law_fluid_volume_change(f);
    law_fluid_bound(q);
    fr pressure = tension_share(q, j) * q->d[SCALE] * fr_expm1(-q->p[GAMMA] * fr_log1p(j));
    for (int i = 0; i < 6; i++) tau[i] = i < 3 ? -(1 + j) * pressure : fr_zero();
}

/* the full stiffness also where tension is let go, since the next step may press again */
FIRN_INLINE fr modulus(law_point *q, const fr *f, const fr *tau)
{
    (void)tau;
    return q->d[SCALE] * q->p[GAMMA] * fr_exp(-q->d[POWER] * fr_log1p(law_fluid_volume_change(f)));
}

FIRN_INLINE fr viscosity(law_point *q) { return q->p[VISCOSITY] * fr_max(q->det, fr_zero()); }
FIRN_INLINE void viscous(law_point *q, const fr rate[6], fr tau[6])
{
    law_newtonian_stress(viscosity(q), rate, tau);
}

static const law_functions functions = {.form = FIRN_FORM_GENERAL,
                                        .derive = derive,
                                        .energy = energy,
                                        .stress = stress,
                                        .return_map = law_fluid_return_map,
                                        .modulus = modulus,
                                        .viscous = viscous,
                                        .viscosity = viscosity};

FIRN_LAW(liquid, .title = "Weakly compressible Newtonian liquid",
         .equations = "p = rho c^2 / gamma (J^-gamma - 1)   (gamma = 1: p = c^2 (rho/J - rho))\n"
                      "tau = -J p I + 2 J viscosity dev(sym grad v)",
         .citation = "P. G. Tait, 1888; J. J. Monaghan, Simulating free surface flows with SPH, J. "
                     "Comput. Phys. 110, 1994, doi:10.1006/jcph.1994.1034",
         .validity = "Flows slower than about c/10. No surface tension.", FIRN_BOUNDS(bounds),
         FIRN_PRESETS(presets), .is_isotropic = 1, .is_fluid = 1)
