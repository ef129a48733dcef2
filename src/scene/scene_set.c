/* SPDX-License-Identifier: MIT */
/* scene_set.c: --set path.to.key=value as a change of the tree before it is bound, so that it is
 * typed and checked like the file. Items of lists are addressed by their name, or by their number
 * from 0. */
#include "base/messages.h"
#include "base/suggest.h"
#include "scene/scene_bind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef firn_yaml_tree_node node;

typedef struct walk {
    firn_arena *arena;
    firn_messages *messages;
    const char *setting;
    char at[512]; /* the path so far, for sentences */
} walk;

static int refuse(walk *w, const char *sentence)
{
    firn_messages_add(w->messages, FIRN_REFUSED, "--set %.300s: %s%s%s", w->setting, w->at,
                      *w->at ? " " : "", sentence);
    return 0;
}

static int no_memory(walk *w)
{
    firn_messages_no_memory(w->messages, "--set %.300s", w->setting);
    return 0;
}

/* The item of a list: by name, by number, or the only one when `key` is neither (a list of one
 * shape). */
static node **item_of_list(node *list, const char *key, int *is_passed)
{
    *is_passed = 0;
    for (int i = 0; i < list->n; i++) {
        const node *name = firn_yaml_tree_find(list->items[i], "name");
        if (name && strcmp(name->text, key) == 0) return &list->items[i];
    }
    char *end;
    long i = strtol(key, &end, 10);
    if (end != key && !*end) return i >= 0 && i < list->n ? &list->items[i] : NULL;
    if (list->n != 1) return NULL;
    *is_passed = 1;
    return &list->items[0];
}

static void known_items(const node *parent, char words[1024])
{
    size_t used = 0;
    words[0] = 0;
    for (int i = 0; i < parent->n && used < 1024 - FIRN_NAME; i++) {
        const node *name = parent->kind == FIRN_YAML_TREE_MAP
                               ? parent->keys[i]
                               : firn_yaml_tree_find(parent->items[i], "name");
        char number[32];
        snprintf(number, sizeof number, "%d", i);
        used += (size_t)snprintf(words + used, 1024 - used, "%.60s ", name ? name->text : number);
    }
}

static int refuse_item(walk *w, const node *parent, const char *key)
{
    char words[1024], shown[1100], near[64], sentence[1400];
    known_items(parent, words);
    firn_suggest_list(words, shown, sizeof shown);
    int has_near = firn_suggest_word(key, words, near, sizeof near);
    snprintf(sentence, sizeof sentence, "has no \"%.60s\"; allowed: %s%s%s%s", key,
             *shown ? shown : "none", has_near ? "; did you mean \"" : "", has_near ? near : "",
             has_near ? "\"?" : "");
    return refuse(w, sentence);
}

/* The value of an option under any of its names; NULL: it is not given. */
static node **find_option(node *map, const firn_schema_section *section,
                          const firn_schema_key *option)
{
    for (int i = 0; option && i < map->n; i++)
        if (firn_schema_find(section, map->keys[i]->text) == option) return &map->items[i];
    return NULL;
}

static node **find_in_map(node *map, const char *key)
{
    for (int i = 0; i < map->n; i++)
        if (strcmp(map->keys[i]->text, key) == 0) return &map->items[i];
    return NULL;
}

/* Adds `key` with an empty map, or finds it; NULL: refused or out of memory. */
static node **child_of_map(walk *w, node *map, const firn_schema_section *section,
                           const firn_schema_key *option, const char *key, const node *where)
{
    node **found = find_in_map(map, key);
    if (!found) found = find_option(map, section, option);
    if (found) return found;
    node *name = firn_yaml_tree_create(w->arena, FIRN_YAML_TREE_SCALAR, where);
    node *item = firn_yaml_tree_create(w->arena, FIRN_YAML_TREE_MAP, where);
    if (!name || !item || !(name->text = firn_arena_text(w->arena, key, strlen(key))) ||
        !firn_yaml_tree_add(w->arena, map, name, item))
        return no_memory(w), NULL;
    return &map->items[map->n - 1];
}

/* One step down the path. `list` is the list option whose items `at` holds, or NULL; `section`
 * describes a map. */
static node **step(walk *w, node **at, const char *key, const firn_schema_section **section,
                   const firn_schema_key **list, const node *where)
{
    if (*list && ((*at)->kind == FIRN_YAML_TREE_LIST ||
                  ((*list)->section->is_named && (*at)->kind == FIRN_YAML_TREE_MAP))) {
        int is_passed = 0;
        node **item = (*at)->kind == FIRN_YAML_TREE_LIST ? item_of_list(*at, key, &is_passed)
                                                         : find_in_map(*at, key);
        if (!item) return refuse_item(w, *at, key), NULL;
        *section = (*list)->section;
        *list = NULL;
        return is_passed ? step(w, item, key, section, list, where) : item;
    }
    if (*list) { /* a single item, written without a list */
        *section = (*list)->section;
        *list = NULL;
        if (strcmp(key, "0") == 0) return at;
    }
    if ((*at)->kind == FIRN_YAML_TREE_LIST) {
        int is_passed;
        node **item = item_of_list(*at, key, &is_passed);
        return item && !is_passed ? item : (refuse_item(w, *at, key), NULL);
    }
    if (firn_yaml_tree_is_null(*at)) { /* `grid:` with nothing behind it */
        *at = firn_yaml_tree_create(w->arena, FIRN_YAML_TREE_MAP, where);
        if (!*at) return no_memory(w), NULL;
    }
    if ((*at)->kind == FIRN_YAML_TREE_SCALAR)
        return refuse(w, "is a single value without keys"), NULL;
    const firn_schema_key *option = *section ? firn_schema_find(*section, key) : NULL;
    node **child = child_of_map(w, *at, *section, option, key, where);
    *list = option && option->type == FIRN_SCHEMA_LIST ? option : NULL;
    *section = option ? option->section : NULL;
    return child;
}

int firn_scene_set(firn_arena *arena, firn_yaml_tree_node *root, const char *setting,
                   firn_messages *messages)
{
    walk w = {.arena = arena, .messages = messages, .setting = setting};
    const char *equals = strchr(setting, '=');
    if (!equals || equals == setting || strlen(setting) > FIRN_PATH)
        return refuse(&w, "not of the form path.to.key=value");
    size_t n_origin = strlen(setting) + sizeof "--set ";
    char *origin = firn_arena_allocate(arena, n_origin),
         *path = firn_arena_text(arena, setting, (size_t)(equals - setting));
    if (!origin || !path) return no_memory(&w);
    snprintf(origin, n_origin, "--set %s", setting);
    node where = {.origin = origin};
    node *value =
        equals[1] ? firn_yaml_tree_parse(arena, equals + 1, strlen(equals + 1), origin, 0, messages)
                  : firn_yaml_tree_create(arena, FIRN_YAML_TREE_SCALAR, &where);
    if (!value) return 0;
    if (root->kind != FIRN_YAML_TREE_MAP) return 1; /* the binder refuses it */
    const firn_schema_section *section = &firn_schema_file;
    const firn_schema_key *list = NULL;
    node *top = root, **at = &top;
    for (char *rest = path, *key; at && (key = strsep(&rest, ".")) != NULL;) {
        if (!*key) return refuse(&w, "not of the form path.to.key=value");
        at = step(&w, at, key, &section, &list, &where);
        size_t n = strlen(w.at);
        snprintf(w.at + n, sizeof w.at - n, "%s%s", n ? "." : "", key);
    }
    if (!at) return 0;
    *at = value;
    return 1;
}
