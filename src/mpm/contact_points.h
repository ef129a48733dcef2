/* SPDX-License-Identifier: MIT */
/* contact_points.h: contact of particles with colliders that have `touch: particles`, solved as a
 * constraint on node velocities; contact_points.c has the derivation. */
#ifndef FIRN_CONTACT_POINTS_H
#define FIRN_CONTACT_POINTS_H

#include "mpm/block_slots.h"
#include "solver/collider.h"

typedef struct firn_contact_points {
    int is_wanted;
    int32_t n, capacity;
    struct firn_contact_point *points; /* [n] by owner block, collider, material */
    int32_t *first;                    /* [n_owners + 1] first point of each owner block */
    int32_t owner_capacity;
    firn_block_slots slots; /* the nodes that points reach */
} firn_contact_points;

/* Whether a collider acts on points instead of nodes. */
int firn_contact_points_wants(const firn_collider *c);
/* Once per step, after the poses of colliders are set: the particles that may meet one. */
firn_status firn_contact_points_find(firn_sim *sim);
/* After the other boundaries of nodes, before velocities beyond mirror walls are unfolded. */
void firn_contact_points_solve(firn_sim *sim);
void firn_contact_points_clear(firn_sim *sim);

#endif
