/* SPDX-License-Identifier: MIT */
/* node_boundary.h: forces, colliders, grips and walls on nodes, projected in this order;
 * node_boundary.c states why. */
#ifndef FIRN_NODE_BOUNDARY_H
#define FIRN_NODE_BOUNDARY_H

#include "solver/constraint.h"

enum {
    FIRN_CONSTRAINTS_MAX = 8
}; /* of one node; further ones are left out where they are listed */

/* Poses, caches and sums of the coming step. */
firn_status firn_node_boundary_prepare(firn_sim *sim);
/* Projects the velocities of a block's nodes, with their ledger; true when velocities changed. */
int firn_node_boundary_apply(const firn_sim *sim, int32_t block, int chunk);
/* For integrators that project themselves: force fields act on the nodes of a block, and the
 * constraints of each are handed over in their order. n = 0: the node is the image of another
 * (mirror_wall.h) and no unknown. */
typedef void (*firn_constraints_found)(void *user, int32_t block, int index, const double x[3],
                                       const firn_constraint *constraints, int n);
void firn_node_boundary_find(const firn_sim *sim, int32_t block, int chunk,
                             firn_constraints_found find, void *user);
/* The ledger of what the constraints of a node gave it: m (after - before). */
typedef struct firn_node_impulse {
    int index, n;
    const firn_constraint *constraints;
    double x[3], mass, before[3], after[3];
} firn_node_impulse;
void firn_node_boundary_book(const firn_sim *sim, int32_t block, int chunk,
                             const firn_node_impulse *given);
/* Grips and walls once more, after contact on particles has changed velocities. */
void firn_node_boundary_hold(const firn_sim *sim, int32_t block, int chunk);
/* After all blocks: FIRN_STOPPED where a caller's distance function returned NaN. */
firn_status firn_node_boundary_check(const firn_sim *sim, firn_messages *messages);

/* After the step: sums of all chunks and blocks, into the ledgers. Impulses on particles are known
 * by material; those on nodes are divided by impulse_split.c where there are several. */
void firn_node_boundary_collect(firn_sim *sim);

#endif
