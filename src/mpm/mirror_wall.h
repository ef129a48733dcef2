/* SPDX-License-Identifier: MIT */
/* mirror_wall.h: momentum beyond a mirror wall is folded back before the grid update, velocities
 * are unfolded after it. */
#ifndef FIRN_MIRROR_WALL_H
#define FIRN_MIRROR_WALL_H

#include "firn/sim.h"

void firn_mirror_wall_fold(firn_sim *sim, double dt);
void firn_mirror_wall_unfold(firn_sim *sim);

#endif
