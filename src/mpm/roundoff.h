/* SPDX-License-Identifier: MIT */
/* roundoff.h: whether single precision can hold a run. */
#ifndef FIRN_ROUNDOFF_H
#define FIRN_ROUNDOFF_H

#include "solver/sim.h"

/* The speed (m/s) that round-off of F gives to particles in so many seconds, at the dt of the last
 * step; 0 before a step. *material: of the fastest. */
double firn_roundoff_speed(const firn_sim *sim, double seconds, int *material);
/* FIRN_STOPPED with a message where it is more than a tenth of the speed of the motion. */
firn_status firn_roundoff_check(const firn_sim *sim, double seconds, firn_messages *messages);

#endif
