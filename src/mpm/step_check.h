/* SPDX-License-Identifier: MIT */
/* step_check.h: whether the step that the grid holds is good. */
#ifndef FIRN_STEP_CHECK_H
#define FIRN_STEP_CHECK_H

#include "firn/sim.h"

typedef enum firn_step_result {
    FIRN_STEP_GOOD,
    FIRN_STEP_MOTION, /* some particle would move too far, be inverted, or stop being a number */
    FIRN_STEP_ENERGY  /* it would make energy out of nothing */
} firn_step_result;

/* The reason goes to `why` where it is not good. */
firn_step_result firn_step_check(firn_sim *sim, char *why, size_t n_why);

#endif
