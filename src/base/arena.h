/* SPDX-License-Identifier: MIT */
/* arena.h: many small things that live and die together. */
#ifndef FIRN_ARENA_H
#define FIRN_ARENA_H

#include <stddef.h>

typedef struct firn_arena {
    struct firn_arena_block *blocks;
    int has_failed; /* an allocation was refused since the last clear */
} firn_arena;

void firn_arena_clear(firn_arena *arena);
void *firn_arena_allocate(firn_arena *arena,
                          size_t n_bytes); /* zeroed, 16-byte aligned; NULL: refused */
/* A copy of n_bytes of text with a zero behind it. */
char *firn_arena_text(firn_arena *arena, const char *text, size_t n_bytes);

#endif
