/* SPDX-License-Identifier: MIT */
/* impulse_split.h: impulses on nodes that several materials share, divided by mass. */
#ifndef FIRN_IMPULSE_SPLIT_H
#define FIRN_IMPULSE_SPLIT_H

#include "mpm/block_slots.h"
#include "solver/boundary.h"

typedef struct firn_impulse_split {
    int is_kept;            /* from before P2G to the end of a step */
    firn_block_slots slots; /* [materials but the last][64] reals: mass of materials up to this */
    double (*sums)[FIRN_N_BOUNDARY_KINDS][4]; /* [FIRN_CHUNKS][material] impulse and work, of walls
                                               * impulse and friction */
} firn_impulse_split;

/* Once per step: room for the marks of blocks; then, with slots.slot[b] set to 0 for blocks that a
 * boundary reaches and -1 for the others, their items. */
firn_status firn_impulse_split_prepare(firn_sim *sim);
firn_status firn_impulse_split_begin(firn_sim *sim);
/* Before every P2G, called by all of its threads (a step may be repeated). */
void firn_impulse_split_clear_masses(const firn_sim *sim);
/* After P2G of a material into the patch of an owner block. */
void firn_impulse_split_weigh(const firn_sim *sim, int32_t owner, int material, const void *patch);
/* The masses [64] of the materials up to one; NULL: no boundary reaches the block. */
void *firn_impulse_split_masses_of(const firn_sim *sim, int32_t block, int material);
/* Adds the masses of a node beyond a mirror wall to its mirror node. */
void firn_impulse_split_fold(const firn_sim *sim, int32_t from_block, int from_node,
                             int32_t to_block, int to_node);
/* Whether a boundary may reach nodes of the block; else they are skipped. */
int firn_impulse_split_is_reached(const firn_sim *sim, int32_t block);
/* Divides what a node of this mass received: dv x y z (m/s) and work per mass (J/kg); for walls
 * friction per mass. `kinds`: bits; the others are not read. */
void firn_impulse_split_share(const firn_sim *sim, int chunk, int32_t block, int node, double mass,
                              unsigned kinds, const double given[FIRN_N_BOUNDARY_KINDS][4]);
void firn_impulse_split_collect(firn_sim *sim);
void firn_impulse_split_clear(firn_sim *sim);
/* Applies `change` to the masses [64] of each material on a block, where they are kept. */
void firn_impulse_split_masses(const firn_sim *sim, int32_t block,
                               void (*change)(const firn_sim *sim, void *masses));

#endif
