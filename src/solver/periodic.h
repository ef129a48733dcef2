/* SPDX-License-Identifier: MIT */
/* periodic.h: checks of bodies and colliders against periodic walls. */
#ifndef FIRN_PERIODIC_H
#define FIRN_PERIODIC_H

#include "solver/sim.h"

/* Refuses points (m) of a body that are a period or more apart. */
firn_status firn_periodic_check_body(const firn_sim *sim, const char *name, int64_t n,
                                     const double *x, firn_messages *messages);
/* Warns of colliders that are not the same on both walls of a periodic axis. */
void firn_periodic_warn_colliders(firn_sim *sim, firn_messages *messages);

#endif
