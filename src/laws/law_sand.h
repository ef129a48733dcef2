/* SPDX-License-Identifier: MIT */
/* law_sand.h: what the laws of sand share - the Drucker-Prager cone in log strains, friction and
 * cohesion by water.
 *
 *   e_i   elastic principal log strains,  tau_i = 2 mu e_i + lambda tr(e),  p = -tr(tau)/3
 *   K     = lambda + 2 mu / 3
 *
 *   yield   |dev tau| <= 3 alpha p + k
 *           alpha = sqrt(2/3) 2 sin(phi) / (3 - sin(phi))
 *           k     = sqrt(2/3) 6 c cos(phi) / (3 - sin(phi))
 *
 * In log strains this is |dev e| <= REACH - SLOPE tr(e) with REACH = k / (2 mu) and SLOPE =
 * 3 alpha K / (2 mu); the apex is at tr(e) = APEX = REACH / SLOPE. */
#ifndef FIRN_LAW_SAND_H
#define FIRN_LAW_SAND_H

#include "laws/law_common.h"

enum {
    SAND_FRICTION = LAW_OWN_PARAMETERS,
    SAND_COHESION,
    SAND_SATURATION,
    SAND_WET_FRICTION,
    SAND_WET_COHESION,
    SAND_OWN_PARAMETERS
};
enum { SAND_SLOPE = LAW_OWN_CONSTANTS, SAND_REACH, SAND_APEX, SAND_OWN_CONSTANTS };

#define SAND_PARAMETERS                                                                            \
    LAW_PARAMETER_RHO(2200), LAW_PARAMETER_E(3.537e5), LAW_PARAMETER_NU(0.3),                      \
        {"friction_angle",   "rad",  "friction angle of the dry grains in triaxial compression",   \
         0.5235987755982988, 0.0175, 1.2},                                                         \
        {"cohesion", "Pa", "cohesion of the dry grains (Mohr-Coulomb c)", 0, 0, 1e8, 1},           \
        {"saturation", "1", "share of the pores filled with water", 0, 0, 1},                      \
        {"wet_friction_angle", "rad",  "friction angle at saturation 1; linear between",           \
         0.4363323129985824,   0.0175, 1.2},                                                       \
    {                                                                                              \
        "wet_cohesion", "Pa", "capillary cohesion at saturation 1/2; adds 4 S (1 - S) times this", \
            0, 0, 1e8, 1                                                                           \
    }

#define SAND_RELATIONS                                                                             \
    LAW_RELATION_NU, {"cohesion / E", 0, 0.1, "its cohesion is never overcome: an elastic solid"}, \
    {                                                                                              \
        "wet_cohesion / E", 0, 0.1, "its cohesion is never overcome when wet: an elastic solid"    \
    }

FIRN_INLINE void law_sand_derive(const fr *p, fr *d)
{
    const real root = (real)0.81649658092772603; /* sqrt(2/3) */
    fr wet = p[SAND_SATURATION], phi = (1 - wet) * p[SAND_FRICTION] + wet * p[SAND_WET_FRICTION];
    fr cohesion = p[SAND_COHESION] + 4 * wet * (1 - wet) * p[SAND_WET_COHESION];
    fr sine = fr_sin(phi), cosine = fr_sqrt(1 - sine * sine);
    fr alpha = root * 2 * sine / (3 - sine), k = root * 6 * cohesion * cosine / (3 - sine);
    law_derive_lame(p, d);
    fr three_bulk = 3 * d[LAW_LAMBDA] + 2 * d[LAW_MU];
    d[SAND_SLOPE] = alpha * three_bulk / (2 * d[LAW_MU]);
    d[SAND_REACH] = k / (2 * d[LAW_MU]);
    d[SAND_APEX] = k / (alpha * three_bulk); /* tr(e) at the apex */
}

#endif
