/* SPDX-License-Identifier: MIT */
/* node_boundary.h: forces, colliders, grips and walls on nodes, projected in this order;
 * node_boundary.c states why. */
#ifndef FIRN_NODE_BOUNDARY_H
#define FIRN_NODE_BOUNDARY_H

#include "firn/sim.h"

/* Poses, caches and sums of the coming step. */
firn_status firn_node_boundary_prepare(firn_sim *sim);
/* Projects the velocities of a block's nodes, with their ledger; true when velocities changed. */
int firn_node_boundary_apply(const firn_sim *sim, int32_t block, int chunk);
/* After all blocks: FIRN_STOPPED where a caller's distance function returned NaN. */
firn_status firn_node_boundary_check(const firn_sim *sim, firn_messages *messages);

/* After the step: sums of all chunks and blocks, into the ledgers. Impulses on particles are known
 * by material; those on nodes are divided by impulse_split.c where there are several. */
void firn_node_boundary_collect(firn_sim *sim);

#endif
