/* SPDX-License-Identifier: MIT */
/* memory.h: the one place where firn allocates. Blocks are 64-byte aligned and zeroed, and counted
 * against a limit; allocations can be made to fail (tests). A NULL firn_memory: counted for no
 * simulation. */
#ifndef FIRN_MEMORY_H
#define FIRN_MEMORY_H

#include "firn/base.h"

typedef struct firn_memory {
    firn_hooks hooks;
    size_t now, peak, limit; /* bytes; limit 0: none */
    int64_t n_allocations;   /* since creation: constant in the steady state of a run */
} firn_memory;

/* NULL: refused. */
void *firn_memory_allocate(firn_memory *memory, size_t n_bytes);
/* n_bytes as allocated; block may be NULL. */
void firn_memory_release(firn_memory *memory, void *block, size_t n_bytes);
/* n * size bytes; NULL also where the product overflows. */
void *firn_memory_array(firn_memory *memory, size_t n, size_t size);
char *firn_memory_string(firn_memory *memory, const char *text);

/* Tests only: the n-th allocation from now (1: the next) and all after it fail; 0: off. */
void firn_memory_fail_after(int64_t n);

#endif
