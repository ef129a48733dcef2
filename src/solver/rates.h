/* SPDX-License-Identifier: MIT */
/* rates.h: what bounds the next explicit step. A rate is 1 / dt at cfl 1, in 1/s. */
#ifndef FIRN_RATES_H
#define FIRN_RATES_H

#include <stdint.h>

/* What the largest rate is of: a particle's speed and wave, its viscosity, or the bound that no
 * cloud of particles can break (mpm/stability.c). */
typedef enum firn_rate_kind {
    FIRN_RATE_WAVE,
    FIRN_RATE_VISCOSITY,
    FIRN_RATE_STABILITY
} firn_rate_kind;

/* The largest rate and speed (m/s) over all particles after the last step, and the particle with
 * that rate. */
typedef struct firn_rates {
    double max_rate, max_speed;
    firn_rate_kind kind;
    int material;
    int64_t particle;
    const char *criterion; /* the method's own word; NULL: wave, speed, viscosity or stability */
} firn_rates;

#endif
