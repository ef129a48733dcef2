/* SPDX-License-Identifier: MIT */
/* name_table.h: numbers by name, in constant time however many there are: open addressing in a
 * power of two, at most half full. Memory is an arena's; names are not copied. */
#ifndef FIRN_NAME_TABLE_H
#define FIRN_NAME_TABLE_H

#include "base/arena.h"

typedef struct firn_name_table {
    struct firn_name_entry {
        const char *name; /* NULL: free */
        size_t n_name;
        int value;
    } * entries;
    size_t n, room;
} firn_name_table;

/* Enters a name, or replaces its number. 0: no memory, the table is as it was. */
int firn_name_table_put(firn_name_table *table, firn_arena *arena, const char *name, size_t n_name,
                        int value);
/* -1: not there. */
int firn_name_table_find(const firn_name_table *table, const char *name, size_t n_name);

#endif
