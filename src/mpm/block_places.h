/* SPDX-License-Identifier: MIT */
/* block_places.h: conversion of positions between metres and cells of an owner block: x = (4 coord
 * + cells) h. Other files of mpm/ leave the conversion to this one.
 *
 * Cells relative to a block in [-1, 4) have a resolution of 2^-22 cells in float, anywhere in
 * space; metres in float would lose a digit at every power of ten of the distance from the
 * origin. */
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

/* The same from an array with the layout of the block's positions, beginning at its first
 * bundle. */
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
