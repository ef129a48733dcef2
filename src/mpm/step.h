/* SPDX-License-Identifier: MIT */
/* step.h: one step of the material point method. */
#ifndef FIRN_STEP_H
#define FIRN_STEP_H

#include "firn/sim.h"

firn_status firn_step(firn_sim *sim, double until, firn_messages *messages);

#endif
