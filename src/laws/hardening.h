/* SPDX-License-Identifier: MIT */
/* hardening.h: how much stiffer, and so slower to compute, a material becomes when it is struck, and
 * which of its parameters does it (hardening.c). In the scalar double variant. */
#ifndef FIRN_HARDENING_H
#define FIRN_HARDENING_H

#include "laws/law.h"

/* The fastest wave (m/s) of a material that comes at `speed` (m/s) against something rigid, in cells
 * of h (m), on the way to the state behind the shock; at least that at rest, *rest. */
double firn_hardening_struck(const firn_material *material, double temperature, double speed,
                             double h, double *rest);

/* One particle's state. */
typedef struct firn_hardening_state {
    double F[9], history[FIRN_MAX_HISTORY], temperature;
} firn_hardening_state;

/* What makes the waves of a particle faster than those of the material at rest. */
typedef struct firn_hardening_cause {
    double ratio;  /* of the wave speeds, now over at rest */
    int parameter; /* the one whose influence has grown most; -1: none has */
    double value; /* of that parameter, with which the ratio would be at most `wanted`; NAN: none */
} firn_hardening_cause;
firn_hardening_cause firn_hardening_find_cause(const firn_material *material,
                                               const firn_hardening_state *state, double wanted);

#endif
