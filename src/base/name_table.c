/* SPDX-License-Identifier: MIT */
/* name_table.c: see name_table.h. */
#include "base/name_table.h"
#include "base/hash.h"

#include <string.h>

typedef struct firn_name_entry entry;

/* The entry of a name, or the free one where it belongs. */
static entry *find(const firn_name_table *table, const char *name, size_t n_name)
{
    const size_t mask = table->room - 1;
    size_t at = (size_t)firn_hash_of(name, n_name) & mask;
    for (;; at = (at + 1) & mask) {
        entry *e = &table->entries[at];
        if (!e->name || (e->n_name == n_name && memcmp(e->name, name, n_name) == 0)) return e;
    }
}

static int grow(firn_name_table *table, firn_arena *arena)
{
    firn_name_table grown = {.room = table->room ? 4 * table->room : 64, .n = table->n};
    grown.entries = firn_arena_allocate(arena, grown.room * sizeof *grown.entries);
    if (!grown.entries) return 0;
    for (size_t i = 0; i < table->room; i++) {
        const entry *e = &table->entries[i];
        if (e->name) *find(&grown, e->name, e->n_name) = *e;
    }
    *table = grown;
    return 1;
}

int firn_name_table_put(firn_name_table *table, firn_arena *arena, const char *name, size_t n_name,
                        int value)
{
    if (2 * (table->n + 1) > table->room && !grow(table, arena)) return 0;
    entry *e = find(table, name, n_name);
    if (!e->name) table->n++;
    *e = (entry){name, n_name, value};
    return 1;
}

int firn_name_table_find(const firn_name_table *table, const char *name, size_t n_name)
{
    if (!table->room) return -1;
    const entry *e = find(table, name, n_name);
    return e->name ? e->value : -1;
}
