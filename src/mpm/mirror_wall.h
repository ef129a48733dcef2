/* SPDX-License-Identifier: MIT */
/* mirror_wall.h: momentum beyond a mirror wall is folded back before the grid update, velocities
 * are unfolded after it. */
#ifndef FIRN_MIRROR_WALL_H
#define FIRN_MIRROR_WALL_H

#include "firn/sim.h"

/* Whether a wall is a mirror: of slip, or of no slip. */
static inline int firn_mirror_wall_is(firn_wall wall)
{
    return wall == FIRN_WALL_MIRROR || wall == FIRN_WALL_NO_SLIP;
}

void firn_mirror_wall_fold(firn_sim *sim, double dt);
void firn_mirror_wall_unfold(firn_sim *sim);
/* The same for a trial state of an implicit step, [n_blocks][64][4] reals: forces of nodes beyond are
 * added to their images, and `booked` of them put into the ledger; velocities are copied back. */
void firn_mirror_wall_fold_trial(firn_sim *sim, void *forces, double booked);
void firn_mirror_wall_unfold_trial(firn_sim *sim, void *velocities);
/* The image of a node beyond mirror walls: its block (-1: not in the grid), node, and the axes (bits)
 * along which velocities are reversed; 0: the node is inside all of them. */
int firn_mirror_wall_image(const firn_sim *sim, const int64_t node[3], int32_t *block, int *in,
                           unsigned *flipped);

#endif
