/* SPDX-License-Identifier: MIT */
/* arena.h: many small blocks that are released together. */
#ifndef FIRN_ARENA_H
#define FIRN_ARENA_H

#include <stddef.h>

typedef struct firn_arena {
    struct firn_arena_block *blocks;
    int has_failed; /* an allocation was refused since the last clear */
} firn_arena;

void firn_arena_clear(firn_arena *arena);
/* Zeroed, 16-byte aligned; NULL: refused. */
void *firn_arena_allocate(firn_arena *arena, size_t n_bytes);
/* A copy of n_bytes of text with a zero after it; NULL: refused. */
char *firn_arena_text(firn_arena *arena, const char *text, size_t n_bytes);

#endif
