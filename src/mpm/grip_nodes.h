/* SPDX-License-Identifier: MIT */
/* grip_nodes.h: the nodes within reach of particles that a grip holds; grip_nodes.c states why they
 * move with it. */
#ifndef FIRN_GRIP_NODES_H
#define FIRN_GRIP_NODES_H

#include "mpm/block_slots.h"
#include "firn/sim.h"

typedef struct firn_grip_nodes {
    uint32_t wanted;        /* bits: grips with a motion that are active */
    firn_block_slots slots; /* [64] uint32_t: bits of grips */
    uint32_t *held;         /* [owners] bits of the grips with a particle there */
    int32_t held_capacity;
} firn_grip_nodes;

/* Once per step, before constraints of nodes are found. */
firn_status firn_grip_nodes_measure(firn_sim *sim);
/* Bits of grips for the 64 nodes of a block; NULL: none. */
const uint32_t *firn_grip_nodes_of_block(const firn_sim *sim, int32_t block);
void firn_grip_nodes_clear(firn_sim *sim);

#endif
