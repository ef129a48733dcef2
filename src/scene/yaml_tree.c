/* SPDX-License-Identifier: MIT */
/* yaml_tree.c: from libyaml's events to a tree with positions, bounded for any text.
 *
 * Aliases are followed by copying. Every node is then independent (a setting changes one of them
 * only), and the known attacks become counts: a bomb of aliases of aliases reaches
 * FIRN_YAML_TREE_NODES_MAX, an alias inside its own anchor meets a node that is still open. */
#include "scene/yaml_tree.h"
#include "base/name_table.h"
#include "base/messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

typedef struct anchor {
    char *name;
    firn_yaml_tree_node *node;
    int is_open;
} anchor;

typedef struct loader {
    firn_arena *arena;
    firn_messages *messages;
    const char *origin;
    int has_lines;
    int n_nodes, n_errors;
    anchor *anchors;
    int n_anchors, anchor_capacity;
    firn_name_table anchor_of; /* the last one of a name */
    /* nodes that are not complete, outermost first; a map that has its next key holds it in `key`
     */
    firn_yaml_tree_node *open[FIRN_YAML_TREE_DEPTH_MAX], *key[FIRN_YAML_TREE_DEPTH_MAX];
    int open_anchor[FIRN_YAML_TREE_DEPTH_MAX]; /* -1: none */
    int depth;
    firn_yaml_tree_node *root;
} loader;

void firn_yaml_tree_place(const firn_yaml_tree_node *node, char place[FIRN_YAML_TREE_PLACE])
{
    if (node->line)
        snprintf(place, FIRN_YAML_TREE_PLACE, "%.1100s:%d:%d: ", node->origin, node->line,
                 node->column);
    else
        snprintf(place, FIRN_YAML_TREE_PLACE, "%.1100s: ", node->origin);
}

/* Complains about a place (lines and columns from 0, as libyaml counts); returns 0. */
static int refuse(loader *l, yaml_mark_t mark, const char *sentence)
{
    char place[FIRN_YAML_TREE_PLACE];
    firn_yaml_tree_node node = {.origin = l->origin};
    if (l->has_lines) {
        node.line = (int)mark.line + 1;
        node.column = (int)mark.column + 1;
    }
    firn_yaml_tree_place(&node, place);
    firn_messages_add(l->messages, FIRN_REFUSED, "%s%s", place, sentence);
    l->n_errors++;
    return 0;
}

static int refuse_memory(loader *l)
{
    firn_messages_no_memory(l->messages, "%.1100s", l->origin);
    l->n_errors++;
    return 0;
}

/* ---------------------------------------------------------------- bytes */

/* Length of the UTF-8 character at p, 0 where there is none. */
static size_t utf8_length(const unsigned char *p, size_t left)
{
    size_t n = p[0] < 0x80                   ? 1
               : p[0] >= 0xc2 && p[0] < 0xe0 ? 2
               : (p[0] & 0xf0) == 0xe0       ? 3
               : p[0] >= 0xf0 && p[0] < 0xf5 ? 4
                                             : 0;
    if (n == 0 || n > left) return 0;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80) return 0;
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] >= 0xa0))
        return 0; /* overlong, surrogates */
    if ((p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] >= 0x90)) return 0;
    return n;
}

/* libyaml would find these as well, but without saying the line. */
static int check_bytes(loader *l, const char *text, size_t n_bytes)
{
    yaml_mark_t mark = {0};
    const unsigned char *p = (const unsigned char *)text;
    for (size_t i = 0; i < n_bytes;) {
        size_t n = utf8_length(p + i, n_bytes - i);
        char sentence[128];
        if (n == 0) {
            snprintf(sentence, sizeof sentence,
                     "byte 0x%02X is not UTF-8; try: save the file as UTF-8", p[i]);
            return refuse(l, mark, sentence);
        }
        if ((p[i] < 0x20 && p[i] != '\t' && p[i] != '\n' && p[i] != '\r') || p[i] == 0x7f) {
            snprintf(sentence, sizeof sentence, "control character 0x%02X in a text", p[i]);
            return refuse(l, mark, sentence);
        }
        mark.column++;
        if (p[i] == '\n') {
            mark.line++;
            mark.column = 0;
        }
        i += n;
    }
    return 1;
}

/* ---------------------------------------------------------------- nodes */

firn_yaml_tree_node *firn_yaml_tree_create(firn_arena *arena, firn_yaml_tree_kind kind,
                                           const firn_yaml_tree_node *where)
{
    firn_yaml_tree_node *node = firn_arena_allocate(arena, sizeof *node);
    if (!node) return NULL;
    node->kind = kind;
    node->text = "";
    node->origin = where->origin;
    node->line = where->line;
    node->column = where->column;
    return node;
}

int firn_yaml_tree_add(firn_arena *arena, firn_yaml_tree_node *parent, firn_yaml_tree_node *key,
                       firn_yaml_tree_node *item)
{
    if (parent->n == parent->capacity) {
        int capacity = parent->capacity ? 2 * parent->capacity : 8;
        firn_yaml_tree_node **grown =
            firn_arena_allocate(arena, 2 * (size_t)capacity * sizeof *grown);
        if (!grown) return 0;
        if (parent->n) memcpy(grown, parent->items, (size_t)parent->n * sizeof *grown);
        if (parent->n) memcpy(grown + capacity, parent->keys, (size_t)parent->n * sizeof *grown);
        parent->items = grown;
        parent->keys = grown + capacity;
        parent->capacity = capacity;
    }
    parent->keys[parent->n] = key;
    parent->items[parent->n++] = item;
    return 1;
}

firn_yaml_tree_node *firn_yaml_tree_find(const firn_yaml_tree_node *map, const char *key)
{
    if (map->kind != FIRN_YAML_TREE_MAP) return NULL;
    for (int i = 0; i < map->n; i++)
        if (strcmp(map->keys[i]->text, key) == 0) return map->items[i];
    return NULL;
}

int firn_yaml_tree_is_null(const firn_yaml_tree_node *node)
{
    return node->kind == FIRN_YAML_TREE_SCALAR && !node->is_quoted &&
           (!*node->text || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0);
}

static firn_yaml_tree_node *new_node(loader *l, firn_yaml_tree_kind kind, yaml_mark_t mark)
{
    firn_yaml_tree_node where = {.origin = l->origin};
    if (l->has_lines) {
        where.line = (int)mark.line + 1;
        where.column = (int)mark.column + 1;
    }
    if (++l->n_nodes > FIRN_YAML_TREE_NODES_MAX) {
        refuse(l, mark, "more than 500000 values (aliases included)");
        return NULL;
    }
    firn_yaml_tree_node *node = firn_yaml_tree_create(l->arena, kind, &where);
    if (!node) refuse_memory(l);
    return node;
}

/* A copy of a whole subtree; positions stay those of the original, since that is where a mistake
 * is mended. */
static firn_yaml_tree_node *copy_node(loader *l, const firn_yaml_tree_node *from, yaml_mark_t mark)
{
    firn_yaml_tree_node *node = new_node(l, from->kind, mark);
    if (!node) return NULL;
    node->text = from->text;
    node->is_quoted = from->is_quoted;
    node->line = from->line;
    node->column = from->column;
    for (int i = 0; i < from->n; i++) {
        firn_yaml_tree_node *item = copy_node(l, from->items[i], mark);
        if (!item) return NULL;
        if (!firn_yaml_tree_add(l->arena, node, from->keys[i], item)) return refuse_memory(l), NULL;
    }
    return node;
}

static int height(const firn_yaml_tree_node *node)
{
    int most = 0;
    for (int i = 0; i < node->n; i++) {
        int h = height(node->items[i]);
        if (h > most) most = h;
    }
    return most + 1;
}

static int add_anchor(loader *l, const yaml_char_t *name, firn_yaml_tree_node *node, int is_open)
{
    if (!name) return -1;
    if (l->n_anchors == l->anchor_capacity) {
        int capacity = l->anchor_capacity ? 2 * l->anchor_capacity : 16;
        anchor *grown = firn_arena_allocate(l->arena, (size_t)capacity * sizeof *grown);
        if (!grown) return refuse_memory(l), -1;
        if (l->n_anchors) memcpy(grown, l->anchors, (size_t)l->n_anchors * sizeof *grown);
        l->anchors = grown;
        l->anchor_capacity = capacity;
    }
    char *copy = firn_arena_text(l->arena, (const char *)name, strlen((const char *)name));
    if (!copy || !firn_name_table_put(&l->anchor_of, l->arena, copy, strlen(copy), l->n_anchors))
        return refuse_memory(l), -1;
    l->anchors[l->n_anchors] = (anchor){copy, node, is_open};
    return l->n_anchors++;
}

/* ---------------------------------------------------------------- duplicate keys */

typedef struct place_key {
    const char *text;
    int index;
} place_key;

static int compare_keys(const void *a, const void *b)
{
    const place_key *x = a, *y = b;
    int order = strcmp(x->text, y->text);
    return order ? order : x->index - y->index;
}

/* By sorting, so that a map of a hundred thousand keys does not take a minute. The tree keeps
 * the first of twins and goes on, so that the rest of the text is looked at as well. */
static int drop_duplicates(loader *l, firn_yaml_tree_node *map)
{
    if (map->n < 2) return 1;
    place_key *keys = firn_arena_allocate(l->arena, (size_t)map->n * sizeof *keys);
    if (!keys) return refuse_memory(l);
    for (int i = 0; i < map->n; i++) keys[i] = (place_key){map->keys[i]->text, i};
    qsort(keys, (size_t)map->n, sizeof *keys, compare_keys);
    for (int i = 1, first = 0; i < map->n; i++) {
        if (strcmp(keys[i].text, keys[first].text) != 0) {
            first = i;
            continue;
        }
        const firn_yaml_tree_node *node = map->keys[keys[i].index],
                                  *other = map->keys[keys[first].index];
        char place[FIRN_YAML_TREE_PLACE];
        firn_yaml_tree_place(node, place);
        firn_messages_add(l->messages, FIRN_REFUSED,
                          "%skey \"%.60s\" is given twice; the first is in line %d", place,
                          node->text, other->line);
        map->items[keys[i].index] = NULL;
    }
    int n = 0;
    for (int i = 0; i < map->n; i++)
        if (map->items[i]) {
            map->keys[n] = map->keys[i];
            map->items[n++] = map->items[i];
        }
    map->n = n;
    return 1;
}

/* ---------------------------------------------------------------- events */

/* Puts a complete or just opened node into the innermost open one. */
static int attach(loader *l, firn_yaml_tree_node *node, yaml_mark_t mark)
{
    if (l->depth == 0) {
        l->root = node;
        return 1;
    }
    firn_yaml_tree_node *parent = l->open[l->depth - 1], **key = &l->key[l->depth - 1];
    if (parent->kind == FIRN_YAML_TREE_MAP && !*key) {
        if (node->kind != FIRN_YAML_TREE_SCALAR)
            return refuse(l, mark, "a key must be a word, not a list or a map");
        *key = node;
        return 1;
    }
    if (!firn_yaml_tree_add(l->arena, parent, *key, node)) return refuse_memory(l);
    *key = NULL;
    return 1;
}

static int take_scalar(loader *l, const yaml_event_t *event)
{
    const char *value = (const char *)event->data.scalar.value;
    size_t n = event->data.scalar.length;
    if (memchr(value, 0, n)) return refuse(l, event->start_mark, "character \\0 in a text");
    firn_yaml_tree_node *node = new_node(l, FIRN_YAML_TREE_SCALAR, event->start_mark);
    if (!node) return 0;
    node->text = firn_arena_text(l->arena, value, n);
    if (!node->text) return refuse_memory(l);
    node->is_quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    add_anchor(l, event->data.scalar.anchor, node, 0);
    return attach(l, node, event->start_mark);
}

static int take_alias(loader *l, const yaml_event_t *event)
{
    const char *name = (const char *)event->data.alias.anchor;
    const anchor *found = NULL;
    char sentence[256];
    const int at = firn_name_table_find(&l->anchor_of, name, strlen(name));
    if (at >= 0) found = &l->anchors[at];
    if (!found) {
        snprintf(sentence, sizeof sentence, "alias *%.60s has no anchor &%.60s before it", name,
                 name);
        return refuse(l, event->start_mark, sentence);
    }
    if (found->is_open) {
        snprintf(sentence, sizeof sentence, "alias *%.60s is inside its own anchor", name);
        return refuse(l, event->start_mark, sentence);
    }
    if (l->depth + height(found->node) > FIRN_YAML_TREE_DEPTH_MAX)
        return refuse(l, event->start_mark,
                      "lists and maps are nested too deeply; allowed: 50 levels");
    firn_yaml_tree_node *copy = copy_node(l, found->node, event->start_mark);
    return copy && attach(l, copy, event->start_mark);
}

static int take_open(loader *l, const yaml_event_t *event, firn_yaml_tree_kind kind,
                     const yaml_char_t *name)
{
    if (l->depth == FIRN_YAML_TREE_DEPTH_MAX)
        return refuse(l, event->start_mark,
                      "lists and maps are nested too deeply; allowed: 50 levels");
    firn_yaml_tree_node *node = new_node(l, kind, event->start_mark);
    if (!node || !attach(l, node, event->start_mark)) return 0;
    l->open_anchor[l->depth] = add_anchor(l, name, node, 1);
    l->key[l->depth] = NULL;
    l->open[l->depth++] = node;
    return 1;
}

static int take_close(loader *l)
{
    firn_yaml_tree_node *node = l->open[--l->depth];
    int a = l->open_anchor[l->depth];
    if (a >= 0) l->anchors[a].is_open = 0;
    return node->kind == FIRN_YAML_TREE_MAP ? drop_duplicates(l, node) : 1;
}

/* 0: stop, with a message. */
static int take(loader *l, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        return l->root
                   ? refuse(l, event->start_mark, "a second document (---) begins; allowed: one")
                   : 1;
    case YAML_SCALAR_EVENT: return take_scalar(l, event);
    case YAML_ALIAS_EVENT: return take_alias(l, event);
    case YAML_SEQUENCE_START_EVENT:
        return take_open(l, event, FIRN_YAML_TREE_LIST, event->data.sequence_start.anchor);
    case YAML_MAPPING_START_EVENT:
        return take_open(l, event, FIRN_YAML_TREE_MAP, event->data.mapping_start.anchor);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: return take_close(l);
    default: return 1;
    }
}

/* libyaml's own words, which are good, with the place put first. */
static int refuse_syntax(loader *l, const yaml_parser_t *parser)
{
    char sentence[512];
    if (parser->error == YAML_MEMORY_ERROR) return refuse_memory(l);
    snprintf(sentence, sizeof sentence, "not YAML: %s%s%s",
             parser->problem ? parser->problem : "unreadable", parser->context ? ", " : "",
             parser->context ? parser->context : "");
    return refuse(l, parser->problem_mark, sentence);
}

firn_yaml_tree_node *firn_yaml_tree_parse(firn_arena *arena, const char *text, size_t n_bytes,
                                          const char *origin, int has_lines,
                                          firn_messages *messages)
{
    loader l = {.arena = arena, .messages = messages, .origin = origin, .has_lines = has_lines};
    if (n_bytes > FIRN_YAML_TREE_BYTES_MAX)
        return refuse(&l, (yaml_mark_t){0}, "longer than 16 MiB"), NULL;
    if (!check_bytes(&l, text, n_bytes)) return NULL;
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser)) return refuse_memory(&l), NULL;
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, n_bytes);
    for (int goes_on = 1; goes_on;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event)) {
            refuse_syntax(&l, &parser);
            break;
        }
        goes_on = event.type != YAML_STREAM_END_EVENT && take(&l, &event);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    if (!l.n_errors && !l.root) refuse(&l, (yaml_mark_t){0}, "empty file");
    return l.n_errors ? NULL : l.root;
}

/* ---------------------------------------------------------------- back to text */

static void write_scalar(const firn_yaml_tree_node *node, firn_text *text)
{
    if (!node->is_quoted && strcspn(node->text, "[]{},:#&*!|>'\"%@`\n") == strlen(node->text)) {
        firn_text_add(text, "%s", node->text);
        return;
    }
    firn_text_add(text, "\"");
    for (const char *p = node->text; *p; p++) {
        if (*p == '"' || *p == '\\')
            firn_text_add(text, "\\%c", *p);
        else if (*p == '\n')
            firn_text_add(text, "\\n");
        else
            firn_text_add_bytes(text, p, 1);
    }
    firn_text_add(text, "\"");
}

void firn_yaml_tree_write(const firn_yaml_tree_node *node, firn_text *text)
{
    if (node->kind == FIRN_YAML_TREE_SCALAR) {
        write_scalar(node, text);
        return;
    }
    firn_text_add(text, node->kind == FIRN_YAML_TREE_MAP ? "{" : "[");
    for (int i = 0; i < node->n; i++) {
        if (i) firn_text_add(text, ", ");
        if (node->kind == FIRN_YAML_TREE_MAP) {
            write_scalar(node->keys[i], text);
            firn_text_add(text, ": ");
        }
        firn_yaml_tree_write(node->items[i], text);
    }
    firn_text_add(text, node->kind == FIRN_YAML_TREE_MAP ? "}" : "]");
}
