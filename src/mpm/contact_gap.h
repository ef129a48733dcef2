/* SPDX-License-Identifier: MIT */
/* contact_gap.h: the centre of the material that a node sees, close to colliders with `touch:
 * surface`; contact_gap.c has the derivation. */
#ifndef FIRN_CONTACT_GAP_H
#define FIRN_CONTACT_GAP_H

#include "mpm/block_slots.h"
#include "solver/collider.h"

typedef struct firn_contact_gap {
    int is_measured;
    firn_block_slots slots; /* [64][4] doubles: sum m w (x - x_i) in cells, sum m w */
} firn_contact_gap;

/* Once per step, before constraints of nodes are found. */
firn_status firn_contact_gap_measure(firn_sim *sim);
/* The gap (m) between the material of a node at x and the body whose surface there is s; 0:
 * contact. */
double firn_contact_gap_at(const firn_sim *sim, const firn_collider *c, int32_t block, int node,
                           const double x[3], const firn_surface_point *s);

#endif
