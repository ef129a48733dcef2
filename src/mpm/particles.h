/* SPDX-License-Identifier: MIT */
/* particles.h: the particles of one material, in bundles of 16 lanes (AoSoA), owner block by owner
 * block.
 *
 *   field[f]   [bundle][component][lane]    one array per field, each 64-byte aligned
 *
 *   block 0            block 1        block 2
 *   |bundle|bundle|bun.|bundle|bu....|bundle|    a block begins with a new bundle; padding lanes
 *                                                have mass 0, F = I and stand in the middle of
 *                                                the block
 *
 * Positions (field X) are in cells relative to the first node of the owner block (kernels.h states
 * why); block_places.h converts them to metres. The fields are those of solver/fields.h: storage,
 * sorting, saving, hashing and views are made from that list. */
#ifndef FIRN_PARTICLES_H
#define FIRN_PARTICLES_H

#include "mpm/stability.h"
#include "base/memory.h"
#include "firn/sim.h"
#include "solver/fields.h"

typedef struct firn_particle_block {
    int32_t coord[3]; /* of the owner block; its first node is at 4 * coord * dx */
    int32_t owner;    /* index in the grid's list of owner blocks */
    int32_t n;        /* particles */
    uint16_t reach;   /* reach until the next sort, see firn_grid_reach */
    uint16_t
        is_watched; /* some law is close to its edge: every step is tried first, see step_check.c */
    int64_t first;  /* bundle */
} firn_particle_block;

typedef struct firn_particles {
    firn_memory *memory;
    struct firn_sim_material *material;
    firn_transfer transfer;
    firn_stability_law at_rest;
    size_t real_size;
    int n_components[FIRN_N_FIELDS];
    void *field[FIRN_N_FIELDS];
    int64_t capacity[FIRN_N_FIELDS]; /* bundles, per field */
    int64_t n_particles, n_bundles;
    int32_t n_blocks, block_capacity;
    firn_particle_block *blocks;
    int32_t *block_of_owner; /* [owner_capacity]: index into blocks, -1: none here */
    int32_t owner_capacity;
} firn_particles;

static inline int firn_bundles_of(int64_t n)
{
    return (int)((n + FIRN_BUNDLE_LANES - 1) / FIRN_BUNDLE_LANES);
}

void firn_particles_init(firn_particles *particles, firn_memory *memory, size_t real_size,
                         int has_grip, int has_start, int has_clear, int has_image,
                         int has_T_gradient, unsigned records);
void firn_particles_clear(firn_particles *particles);
/* Room for that many bundles and blocks; contents are kept. */
firn_status firn_particles_reserve(firn_particles *particles, int64_t n_bundles, int32_t n_blocks);
size_t firn_particles_field_bytes(const firn_particles *particles, firn_field field,
                                  int64_t n_bundles);
void *firn_particles_at(const firn_particles *particles, firn_field field, int64_t bundle);
/* One component as a double, for every type. */
static inline double firn_particles_value(const firn_particles *particles, firn_field field,
                                          int64_t bundle, int component, int lane)
{
    size_t at = ((size_t)bundle * (size_t)particles->n_components[field] + (size_t)component) *
                    FIRN_BUNDLE_LANES +
                (size_t)lane;
    if (firn_field_is_integer(field)) return ((const uint32_t *)particles->field[field])[at];
    return particles->real_size == sizeof(double)
               ? ((const double *)particles->field[field])[at]
               : (double)((const float *)particles->field[field])[at];
}
static inline void firn_particles_set(firn_particles *particles, firn_field field, int64_t bundle,
                                      int component, int lane, double value)
{
    size_t at = ((size_t)bundle * (size_t)particles->n_components[field] + (size_t)component) *
                    FIRN_BUNDLE_LANES +
                (size_t)lane;
    if (firn_field_is_integer(field))
        ((uint32_t *)particles->field[field])[at] = (uint32_t)value;
    else if (particles->real_size == sizeof(double))
        ((double *)particles->field[field])[at] = value;
    else
        ((float *)particles->field[field])[at] = (float)value;
}
/* The value of a padding lane: no mass, F = I, the middle of the block. */
double firn_particles_blank(const firn_particles *particles, firn_field field, int component);
/* The particles of an owner block of the grid; NULL: none. */
static inline const firn_particle_block *firn_particle_block_at(const firn_particles *particles,
                                                                int32_t owner)
{
    int32_t b = particles->block_of_owner[owner];
    return b < 0 ? NULL : &particles->blocks[b];
}
firn_block_particles firn_particle_block_particles(const firn_particles *particles,
                                                   const firn_particle_block *block);

#endif
