/* SPDX-License-Identifier: MIT */
/* block_slots.h: one item for some of the grid's blocks, found by the block's number.
 *
 *     block     0   1   2   3   4   5   6 ...
 *     slot     -1   0   1  -1  -1   2  -1        -1: no item
 *     items         [0     1           2]        item_size bytes each, zero after assign
 *
 * The idiom of all caches by block (impulse_split, contact_gap, grip_nodes), which hold data for
 * the blocks near a collider, a grip or a wall: mark the blocks that need an item, assign, fill.
 * All items are rebuilt when the grid or a boundary has changed.
 *
 * Threads may mark, and fill different items, in parallel; reserve and assign are serial. */
#ifndef FIRN_BLOCK_SLOTS_H
#define FIRN_BLOCK_SLOTS_H

#include "base/memory.h"

typedef struct firn_block_slots {
    int32_t *slot; /* [block_capacity] */
    char *items;   /* [capacity][item_size] */
    int32_t n, capacity, block_capacity;
    size_t item_size;
} firn_block_slots;

/* Room for the marks of n_blocks blocks. The caller then sets slot[b] to 0 for blocks that need an
 * item, else to -1. */
firn_status firn_block_slots_reserve(firn_block_slots *slots, firn_memory *memory,
                                     int32_t n_blocks);
/* Numbers the marked blocks and clears their items. */
firn_status firn_block_slots_assign(firn_block_slots *slots, firn_memory *memory, int32_t n_blocks,
                                    size_t item_size);
void firn_block_slots_clear(firn_block_slots *slots, firn_memory *memory);

/* The item of a block; NULL: it has none. */
static inline void *firn_block_slots_at(const firn_block_slots *slots, int32_t block)
{
    const int32_t slot = slots->slot[block];
    return slot < 0 ? NULL : slots->items + (size_t)slot * slots->item_size;
}

#endif
