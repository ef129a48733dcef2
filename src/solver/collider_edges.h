/* SPDX-License-Identifier: MIT */
/* collider_edges.h: colliders that need the second pass on particles (collider_edges.c). */
#ifndef FIRN_COLLIDER_EDGES_H
#define FIRN_COLLIDER_EDGES_H

#include "solver/collider.h"

/* Whether a collider with a shape is thinner than two cells somewhere, or has edges, corners or
 * curvature that nodes do not keep material out of, in its pose at the start. */
int firn_collider_has_edges(const firn_collider *c, const firn_grid_def *grid);

#endif
