/* document.h: YAML text as a tree whose every node knows where it stands. */
#ifndef FIRN_DOCUMENT_H
#define FIRN_DOCUMENT_H

#include "arena.h"
#include "firn/base.h"
#include "text.h"

typedef enum firn_document_kind { FIRN_DOCUMENT_SCALAR, FIRN_DOCUMENT_LIST, FIRN_DOCUMENT_MAP } firn_document_kind;

typedef struct firn_document_node {
    firn_document_kind kind;
    const char *text; /* of a scalar, ended by a zero that is its only one */
    int is_quoted;
    const char *origin;                        /* file name, or the text of a setting */
    int line, column;                          /* from 1; 0: the origin is all there is to say */
    int n;                                     /* items of a list, pairs of a map */
    struct firn_document_node **keys, **items; /* keys: maps only */
    int capacity;
    int is_refused; /* what is wrong with it has been told */
} firn_document_node;

enum {
    FIRN_DOCUMENT_BYTES_MAX = 16 << 20,
    FIRN_DOCUMENT_NODES_MAX = 1000000, /* after aliases have been followed */
    FIRN_DOCUMENT_DEPTH_MAX = 50,
    FIRN_DOCUMENT_PLACE = 1200
};

/* The tree of the text's only document; NULL: the report says why. Also a tree that is returned may have been
 * complained about (duplicate keys): count the report's errors. `origin` and the arena must outlive it.
 * has_lines 0: a text that is no file, such as a setting. */
firn_document_node *firn_document_parse(firn_arena *arena, const char *text, size_t n_bytes, const char *origin,
                                        int has_lines, firn_report *report);
/* "file:line:column: ", for a sentence to begin with. */
void firn_document_place(const firn_document_node *node, char place[FIRN_DOCUMENT_PLACE]);
/* The value of a key, or NULL. */
firn_document_node *firn_document_find(const firn_document_node *map, const char *key);
/* Adds a pair (key NULL: a list's item); 0: out of memory. */
int firn_document_add(firn_arena *arena, firn_document_node *parent, firn_document_node *key, firn_document_node *item);
firn_document_node *firn_document_create(firn_arena *arena, firn_document_kind kind, const firn_document_node *where);
/* An empty value: `key:` with nothing behind it. */
int firn_document_is_null(const firn_document_node *node);
/* The node in one line, as text that parses to the same tree. */
void firn_document_write(const firn_document_node *node, firn_text *text);

#endif
