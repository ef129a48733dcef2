/* SPDX-License-Identifier: MIT */
/* step_check.h: whether the step that the grid holds is stable; step_check.c has the criteria. */
#ifndef FIRN_STEP_CHECK_H
#define FIRN_STEP_CHECK_H

#include "firn/sim.h"

typedef enum firn_step_result {
    FIRN_STEP_GOOD,
    FIRN_STEP_MOTION, /* a particle would move too far, be inverted or become not finite */
    FIRN_STEP_ENERGY  /* a block would create energy */
} firn_step_result;

/* Writes the reason of a rejection to `why`. */
firn_step_result firn_step_check(firn_sim *sim, char *why, size_t n_why);

#endif
