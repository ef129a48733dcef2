/* SPDX-License-Identifier: MIT */
/* scene_preset.c: `preset: band.yaml`, a file that `firn fit` wrote, into the scene's material.
 *
 * Such a file is a piece of a scene: `materials:` with one material, or several of which the one
 * of the same name is taken. Parameters in the scene take precedence. Errors are reported at
 * their place in the file they stand in. */
#include "scene/scene.h"
#include "base/file.h"
#include "base/memory.h"
#include "scene/scene_bind.h"

#include <stdio.h>
#include <string.h>

typedef firn_yaml_tree_node node;

static void refuse(const node *at, const char *path, const char *sentence, firn_messages *messages)
{
    char place[FIRN_YAML_TREE_PLACE];
    firn_yaml_tree_place(at, place);
    firn_messages_add(messages, FIRN_REFUSED, "%spreset file '%s': %s", place, path, sentence);
}

static int is_file_name(const node *preset)
{
    size_t n = preset && preset->kind == FIRN_YAML_TREE_SCALAR ? strlen(preset->text) : 0;
    return n > 5 && (strcmp(preset->text + n - 5, ".yaml") == 0 ||
                     (n > 4 && strcmp(preset->text + n - 4, ".yml") == 0));
}

/* The name of entry i of `materials`, written as a map of names or as a list with `name:`. */
static const char *name_of(const node *materials, int i)
{
    if (materials->kind == FIRN_YAML_TREE_MAP) return materials->keys[i]->text;
    const node *name = materials->items[i]->kind == FIRN_YAML_TREE_MAP
                           ? firn_yaml_tree_find(materials->items[i], "name")
                           : NULL;
    return name && name->kind == FIRN_YAML_TREE_SCALAR ? name->text : "";
}

/* The material of a preset file that is meant: the only one, or the one of this name. */
static const node *choose(const node *root, const char *name)
{
    const node *materials =
        root->kind == FIRN_YAML_TREE_MAP ? firn_yaml_tree_find(root, "materials") : NULL;
    if (!materials || materials->kind == FIRN_YAML_TREE_SCALAR) return NULL;
    int at = materials->n == 1 ? 0 : -1;
    for (int i = 0; at < 0 && i < materials->n; i++)
        if (strcmp(name_of(materials, i), name) == 0) at = i;
    return at >= 0 && materials->items[at]->kind == FIRN_YAML_TREE_MAP ? materials->items[at]
                                                                       : NULL;
}

static void remove_pair(node *map, const char *key)
{
    for (int i = 0; i < map->n; i++) {
        if (strcmp(map->keys[i]->text, key) != 0) continue;
        map->n--;
        memmove(map->keys + i, map->keys + i + 1, (size_t)(map->n - i) * sizeof *map->keys);
        memmove(map->items + i, map->items + i + 1, (size_t)(map->n - i) * sizeof *map->items);
        return;
    }
}

static void take(firn_arena *arena, node *material, const node *from)
{
    remove_pair(material, "preset");
    for (int i = 0; i < from->n; i++)
        if (strcmp(from->keys[i]->text, "name") != 0 &&
            !firn_yaml_tree_find(material, from->keys[i]->text))
            firn_yaml_tree_add(arena, material, from->keys[i], from->items[i]);
}

static void read_preset(firn_arena *arena, node *material, const char *name, const char *folder,
                        firn_messages *messages)
{
    material->is_refused = 1; /* until the end is reached */
    node *preset = firn_yaml_tree_find(material, "preset");
    char path[2 * FIRN_PATH];
    size_t n_bytes;
    snprintf(path, sizeof path, "%s%s", preset->text[0] == '/' ? "" : folder, preset->text);
    firn_messages *own = firn_messages_create();
    char *text = own ? firn_file_text(path, FIRN_YAML_TREE_BYTES_MAX, &n_bytes, own) : NULL;
    if (!text)
        refuse(preset, path, own ? firn_messages_text(own, 0, NULL) : "out of memory", messages);
    firn_messages_destroy(own);
    if (!text) return;
    const char *origin = firn_arena_text(arena, path, strlen(path));
    node *root = origin ? firn_yaml_tree_parse(arena, text, n_bytes, origin, 1, messages) : NULL;
    firn_memory_release(NULL, text, n_bytes + 1);
    if (!root) return;
    const node *from = choose(root, name);
    if (!from)
        refuse(preset, path,
               "no such material; allowed: `materials:` with one entry, or one of this name",
               messages);
    else if (is_file_name(firn_yaml_tree_find(from, "preset")))
        refuse(preset, path, "its material has a preset file too; allowed: one level", messages);
    else {
        take(arena, material, from);
        material->is_refused = 0;
    }
}

void firn_scene_take_presets(firn_arena *arena, node *root, const char *folder,
                             firn_messages *messages)
{
    node *materials =
        root->kind == FIRN_YAML_TREE_MAP ? firn_yaml_tree_find(root, "materials") : NULL;
    for (int i = 0; materials && materials->kind != FIRN_YAML_TREE_SCALAR && i < materials->n;
         i++) {
        node *material = materials->items[i];
        if (material->kind == FIRN_YAML_TREE_MAP &&
            is_file_name(firn_yaml_tree_find(material, "preset")))
            read_preset(arena, material, name_of(materials, i), folder, messages);
    }
}
