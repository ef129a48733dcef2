/* SPDX-License-Identifier: MIT */
/* save.h: particles in a saved state, and their hash. */
#ifndef FIRN_MPM_SAVE_H
#define FIRN_MPM_SAVE_H

#include "firn/sim.h"
#include "solver/walk.h"

firn_status firn_particles_pass(firn_sim *sim, int material, firn_walk *walk,
                                firn_messages *messages);
/* After all materials have been read: the grid around the particles. */
firn_status firn_particles_restored(firn_sim *sim, firn_messages *messages);
uint64_t firn_particles_hash(firn_sim *sim);
/* Removes all particles, after a failed restore. */
void firn_particles_empty(firn_sim *sim);

#endif
