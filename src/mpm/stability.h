/* SPDX-License-Identifier: MIT */
/* stability.h: the largest dt that is stable for every arrangement of particles. */
#ifndef FIRN_STABILITY_H
#define FIRN_STABILITY_H

#include "mpm/kernels.h"

/* The limits of a law at rest. */
typedef struct firn_stability_law {
    double breathing; /* 3 K / (rho c^2), 1 to 3: a lone particle breathes, a wave does not */
    double wave;      /* m/s */
    double viscosity; /* upper bound of the kinematic viscosity, m^2/s */
} firn_stability_law;
firn_stability_law firn_stability_of_law(const firn_material *material);

/* Sets what `diagnose` needs so that no dt = cfl / rate exceeds the stable one. */
void firn_stability_set(firn_transfer *transfer, const firn_stability_law *law, double cfl);

#endif
