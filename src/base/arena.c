/* SPDX-License-Identifier: MIT */
/* arena.c: a chain of blocks of at least BLOCK bytes, used from the front. */
#include "base/arena.h"
#include "base/memory.h"

#include <string.h>

enum { BLOCK = 1 << 16 };

struct firn_arena_block {
    struct firn_arena_block *next;
    size_t size, used; /* both count the header */
};

static size_t round_up(size_t n) { return (n + 15) & ~(size_t)15; }

void firn_arena_clear(firn_arena *arena)
{
    while (arena->blocks) {
        struct firn_arena_block *block = arena->blocks;
        arena->blocks = block->next;
        firn_memory_release(NULL, block, block->size);
    }
    arena->has_failed = 0;
}

void *firn_arena_allocate(firn_arena *arena, size_t n_bytes)
{
    size_t header = round_up(sizeof(struct firn_arena_block)),
           wanted = round_up(n_bytes ? n_bytes : 1);
    struct firn_arena_block *block = arena->blocks;
    if (wanted < n_bytes) return arena->has_failed = 1, NULL;
    if (!block || block->size - block->used < wanted) {
        size_t size = header + (wanted > BLOCK ? wanted : BLOCK);
        block = firn_memory_allocate(NULL, size);
        if (!block) return arena->has_failed = 1, NULL;
        *block = (struct firn_arena_block){.next = arena->blocks, .size = size, .used = header};
        arena->blocks = block;
    }
    void *result = (char *)block + block->used;
    block->used += wanted;
    return result;
}

char *firn_arena_text(firn_arena *arena, const char *text, size_t n_bytes)
{
    char *copy = firn_arena_allocate(arena, n_bytes + 1);
    if (copy && n_bytes) memcpy(copy, text, n_bytes);
    return copy;
}
