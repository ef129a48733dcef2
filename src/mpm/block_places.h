/* SPDX-License-Identifier: MIT */
/* block_places.h: positions between metres and cells of an owner block. All of mpm/ that needs
 * metres asks here. */
#ifndef FIRN_BLOCK_PLACES_H
#define FIRN_BLOCK_PLACES_H

#include "mpm/mpm.h"

static inline double firn_block_metres(const firn_sim *sim, const firn_particle_block *block,
                                       int axis, double cells)
{
    return (4.0 * block->coord[axis] + cells) * sim->h;
}
static inline double firn_block_cells(const firn_sim *sim, const firn_particle_block *block,
                                      int axis, double metres)
{
    return metres / sim->h - 4.0 * block->coord[axis];
}

/* Particle p of a block, in metres. */
static inline void firn_block_place(const firn_sim *sim, const firn_particles *particles,
                                    const firn_particle_block *block, int p, double x[3])
{
    for (int a = 0; a < 3; a++)
        x[a] = firn_block_metres(
            sim, block, a,
            firn_particles_value(particles, FIRN_FIELD_X, block->first + p / 16, a, p % 16));
}

/* The same from an array that is laid out as the block's positions, from its first bundle on. */
static inline void firn_block_place_of(const firn_sim *sim, const firn_particle_block *block, int p,
                                       const void *places, double x[3])
{
    for (int a = 0; a < 3; a++) {
        const int at = (p / 16) * 48 + a * 16 + p % 16;
        const double u = sim->mpm->kernels->is_double ? ((const double *)places)[at]
                                                      : (double)((const float *)places)[at];
        x[a] = firn_block_metres(sim, block, a, u);
    }
}

#endif
