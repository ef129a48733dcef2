/* SPDX-License-Identifier: MIT */
/* node_boundary.h: forces, colliders, grips and walls on nodes. */
#ifndef FIRN_NODE_BOUNDARY_H
#define FIRN_NODE_BOUNDARY_H

#include "firn/sim.h"

/* Poses, caches and sums of the coming step. */
firn_status firn_node_boundary_prepare(firn_sim *sim);
/* Projects the velocities of a block's nodes and books what they were given; true when velocities
 * were changed. */
int firn_node_boundary_apply(const firn_sim *sim, int32_t block, int chunk);
/* After all blocks: a caller's distance function that returned NaN stops the run. */
firn_status firn_node_boundary_check(const firn_sim *sim, firn_messages *messages);

/* After the step: sums of all chunks and blocks, into the ledgers. What acted on particles is
 * known by material; what acted on nodes is shared by impulse_split.c where there are several. */
void firn_node_boundary_collect(firn_sim *sim);

#endif
