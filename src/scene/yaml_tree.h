/* SPDX-License-Identifier: MIT */
/* yaml_tree.h: YAML text as a tree whose nodes know their place in the file. */
#ifndef FIRN_YAML_TREE_H
#define FIRN_YAML_TREE_H

#include "base/arena.h"
#include "firn/base.h"
#include "base/text.h"

typedef enum firn_yaml_tree_kind {
    FIRN_YAML_TREE_SCALAR,
    FIRN_YAML_TREE_LIST,
    FIRN_YAML_TREE_MAP
} firn_yaml_tree_kind;

typedef struct firn_yaml_tree_node {
    firn_yaml_tree_kind kind;
    const char *text; /* of a scalar, ended by a zero that is its only one */
    int is_quoted;
    const char *origin;                         /* file name, or the text of a setting */
    int line, column;                           /* from 1; 0: the origin has no lines */
    int n;                                      /* items of a list, pairs of a map */
    struct firn_yaml_tree_node **keys, **items; /* keys: maps only */
    int capacity;
    int is_refused; /* its error has been reported */
} firn_yaml_tree_node;

enum {
    FIRN_YAML_TREE_BYTES_MAX = 16 << 20,
    FIRN_YAML_TREE_NODES_MAX = 500000, /* after aliases have been followed */
    FIRN_YAML_TREE_DEPTH_MAX = 50,
    FIRN_YAML_TREE_PLACE = 1200
};

/* The tree of the text's only document; NULL: refused, with messages. A returned tree may have
 * errors too (duplicate keys): compare the counts of errors. `origin` and the arena must outlive
 * it. has_lines 0: a text that is no file, such as a setting. */
firn_yaml_tree_node *firn_yaml_tree_parse(firn_arena *arena, const char *text, size_t n_bytes,
                                          const char *origin, int has_lines,
                                          firn_messages *messages);
/* "file:line:column: ", the beginning of a message. */
void firn_yaml_tree_place(const firn_yaml_tree_node *node, char place[FIRN_YAML_TREE_PLACE]);
/* The value of a key, or NULL. */
firn_yaml_tree_node *firn_yaml_tree_find(const firn_yaml_tree_node *map, const char *key);
/* Adds a pair (key NULL: a list's item); 0: out of memory. */
int firn_yaml_tree_add(firn_arena *arena, firn_yaml_tree_node *parent, firn_yaml_tree_node *key,
                       firn_yaml_tree_node *item);
firn_yaml_tree_node *firn_yaml_tree_create(firn_arena *arena, firn_yaml_tree_kind kind,
                                           const firn_yaml_tree_node *where);
/* An empty value, as in `key:`. */
int firn_yaml_tree_is_null(const firn_yaml_tree_node *node);
/* The node in one line, as text that parses to the same tree. */
void firn_yaml_tree_write(const firn_yaml_tree_node *node, firn_text *text);

#endif
