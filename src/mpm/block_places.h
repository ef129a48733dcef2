/* SPDX-License-Identifier: MIT */
/* block_places.h: conversion of positions between metres and cells of an owner block: x =
 * origin + (4 coord + cells) h. Other files of mpm/ leave the conversion to this one.
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
    return firn_mpm_metres(sim, axis, 4.0 * block->coord[axis] + cells);
}
static inline double firn_block_cells(const firn_sim *sim, const firn_particle_block *block,
                                      int axis, double metres)
{
    return (metres - sim->mpm->origin[axis]) / sim->h - 4.0 * block->coord[axis];
}

/* Periods between a coordinate (m) and the box: particles leave it by up to a cell before a sort
 * brings them to the other side. */
static inline int firn_block_images(const firn_sim *sim, int axis, double metres)
{
    const double from = metres - sim->mpm->origin[axis];
    return sim->mpm->grid.n_around[axis] == 0 ? 0
           : from < 0                         ? -1
                                              : from >= firn_mpm_period(sim, axis);
}

/* Particle p of a block, in metres; along periodic axes up to a cell outside the box. */
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
