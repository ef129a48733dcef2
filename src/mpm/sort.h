/* SPDX-License-Identifier: MIT */
/* sort.h: particles to their owner blocks and cells, and the sparse grid around them. */
#ifndef FIRN_SORT_H
#define FIRN_SORT_H

#include "firn/sim.h"

firn_status firn_sort_particles(firn_sim *sim, firn_messages *messages);
/* The grid and workspaces around particles in the order that a sort left, after a restore. */
firn_status firn_sort_rebuild(firn_sim *sim, firn_messages *messages);

#endif
