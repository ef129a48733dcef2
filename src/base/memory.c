/* SPDX-License-Identifier: MIT */
/* memory.c: see memory.h. Blocks come from the hooks of a simulation, or from aligned_alloc. */
#include "base/memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Fault injection for tests; besides that of file.c the only mutable static of the library, never
 * changed in production. */
static _Atomic int64_t fail_countdown;

void firn_memory_fail_after(int64_t n) { atomic_store(&fail_countdown, n); }

static int must_fail(void)
{
    int64_t left = atomic_load(&fail_countdown);
    if (left == 0) return 0;
    if (left > 1) {
        atomic_fetch_sub(&fail_countdown, 1);
        return 0;
    }
    return 1;
}

static void *default_allocate(void *user, size_t n_bytes)
{
    (void)user;
    return aligned_alloc(64, (n_bytes + 63) & ~(size_t)63);
}

static void default_release(void *user, void *block, size_t n_bytes)
{
    (void)user, (void)n_bytes;
    free(block);
}

firn_hooks firn_hooks_default(void)
{
    return (firn_hooks){.allocate = default_allocate, .release = default_release};
}

void *firn_memory_allocate(firn_memory *memory, size_t n_bytes)
{
    if (n_bytes == 0) n_bytes = 1;
    if (n_bytes > SIZE_MAX - 64 || must_fail()) return NULL;
    if (memory && memory->limit &&
        (n_bytes > memory->limit || memory->now > memory->limit - n_bytes))
        return NULL;
    firn_hooks hooks = memory ? memory->hooks : firn_hooks_default();
    void *block = hooks.allocate(hooks.user, n_bytes);
    if (!block) return NULL;
    memset(block, 0, n_bytes);
    if (memory) {
        memory->now += n_bytes;
        memory->n_allocations++;
        if (memory->now > memory->peak) memory->peak = memory->now;
    }
    return block;
}

void firn_memory_release(firn_memory *memory, void *block, size_t n_bytes)
{
    if (!block) return;
    if (n_bytes == 0) n_bytes = 1;
    firn_hooks hooks = memory ? memory->hooks : firn_hooks_default();
    hooks.release(hooks.user, block, n_bytes);
    if (memory) memory->now -= n_bytes;
}

void *firn_memory_array(firn_memory *memory, size_t n, size_t size)
{
    if (size && n > SIZE_MAX / size) return NULL;
    return firn_memory_allocate(memory, n * size);
}

char *firn_memory_string(firn_memory *memory, const char *text)
{
    size_t n = strlen(text) + 1;
    char *copy = firn_memory_allocate(memory, n);
    if (copy) memcpy(copy, text, n);
    return copy;
}
