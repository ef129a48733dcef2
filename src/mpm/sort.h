/* SPDX-License-Identifier: MIT */
/* sort.h: particles to their owner blocks and cells, and the sparse grid around them. */
#ifndef FIRN_SORT_H
#define FIRN_SORT_H

#include "firn/sim.h"
#include "mpm/particles.h"

firn_status firn_sort_particles(firn_sim *sim, firn_messages *messages);
/* The grid and workspaces around particles in the order that a sort left, after a restore. */
firn_status firn_sort_rebuild(firn_sim *sim, firn_messages *messages);

/* The neighbour (x*3 + y)*3 + z of its block to which a particle belongs now; -1: it is deleted. */
int firn_sort_target(const firn_sim *sim, const firn_particles *particles,
                     const firn_particle_block *block, int p);

#endif
