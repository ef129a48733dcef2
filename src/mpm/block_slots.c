/* SPDX-License-Identifier: MIT */
/* block_slots.c: items for some blocks (block_slots.h).
 *
 * Cost: one pass over the marks per assign, no search later: an item is found by two loads. Memory
 * is kept between calls; a request beyond the capacity is met with an eighth more, so that a body
 * that spreads slowly does not reallocate in every step.
 *
 * Failure: FIRN_MEMORY leaves capacity 0 and no items, which the next call may reserve again. */
#include "mpm/block_slots.h"

#include <string.h>

static void release_items(firn_block_slots *slots, firn_memory *memory)
{
    firn_memory_release(memory, slots->items, (size_t)slots->capacity * slots->item_size);
    slots->items = NULL;
    slots->capacity = 0;
}

static void release_blocks(firn_block_slots *slots, firn_memory *memory)
{
    firn_memory_release(memory, slots->slot, (size_t)slots->block_capacity * sizeof *slots->slot);
    slots->slot = NULL;
    slots->block_capacity = 0;
}

firn_status firn_block_slots_reserve(firn_block_slots *slots, firn_memory *memory, int32_t n_blocks)
{
    if (n_blocks <= slots->block_capacity) return FIRN_OK;
    release_blocks(slots, memory);
    const int32_t capacity = n_blocks + n_blocks / 8;
    slots->slot = firn_memory_array(memory, (size_t)capacity, sizeof *slots->slot);
    if (!slots->slot) return FIRN_MEMORY;
    slots->block_capacity = capacity;
    return FIRN_OK;
}

/* Invariant after success: slot[b] in [0, n) for marked blocks, increasing with b; -1 for the
 * others. Numbering in the order of blocks makes the layout a function of the marks alone. */
firn_status firn_block_slots_assign(firn_block_slots *slots, firn_memory *memory, int32_t n_blocks,
                                    size_t item_size)
{
    slots->n = 0;
    for (int32_t b = 0; b < n_blocks; b++)
        if (slots->slot[b] >= 0) slots->slot[b] = slots->n++;

    if (slots->n > slots->capacity || item_size != slots->item_size) {
        release_items(slots, memory);
        const int32_t capacity = slots->n + slots->n / 8;
        slots->item_size = item_size;
        slots->items = firn_memory_array(memory, (size_t)capacity, item_size);
        if (capacity && !slots->items) return FIRN_MEMORY;
        slots->capacity = capacity;
    }
    if (slots->n) memset(slots->items, 0, (size_t)slots->n * item_size);
    return FIRN_OK;
}

void firn_block_slots_clear(firn_block_slots *slots, firn_memory *memory)
{
    release_items(slots, memory);
    release_blocks(slots, memory);
}
