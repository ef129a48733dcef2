/* SPDX-License-Identifier: MIT */
/* scene_bind.h: from a tree of text to a scene definition, by the tables of scene_schema.c. */
#ifndef FIRN_SCENE_BIND_H
#define FIRN_SCENE_BIND_H

#include "base/name_table.h"
#include "laws/law.h"
#include "scene/yaml_tree.h"
#include "scene/scene_schema.h"

/* The node of a path, for the places of later messages. */
typedef struct firn_scene_mark {
    const char *path;
    const firn_yaml_tree_node *node;
    int is_refused; /* an error here has been reported */
} firn_scene_mark;

typedef struct firn_scene_former firn_scene_former;

typedef struct firn_scene_binder {
    firn_arena *arena;
    firn_messages *messages;
    const char *folder; /* of the scene file, "" or ending in a slash; base of relative paths */
    double fps;         /* frames per second of the scene, for times that are given in frames */
    int n_errors;
    char path[512];
    firn_scene_mark *marks;
    int n_marks, mark_capacity;
    firn_name_table mark_of;           /* the last mark of a path */
    const firn_yaml_tree_node *beside; /* the present map: units can depend on its other keys */
    firn_scene_former *formers;        /* former names that have been reported */
} firn_scene_binder;

/* Checks types, units, words and keys; ranges and relations are left to firn_scene_check_located.
 * The definition is complete: refused values keep their defaults. */
void firn_scene_bind(firn_scene_binder *binder, firn_yaml_tree_node *root, firn_scene_def *def);
/* A firn_scene_locate; `user` is the binder. */
int firn_scene_bind_locate(void *user, const char *path, char *place, size_t n_bytes);
/* scene_former.c: warns, once per file, if `key` is a former key of the option. */
void firn_scene_former_key(firn_scene_binder *binder, const firn_schema_section *section,
                           const firn_schema_key *option, const firn_yaml_tree_node *key);
/* ... if the node's text is a former word of the option: the place of the present one, else -1. */
int firn_scene_former_word(firn_scene_binder *binder, const firn_schema_key *option,
                           const firn_yaml_tree_node *at);
/* ... of the law and the preset of a material, which become the present ones. */
void firn_scene_former_material(firn_scene_binder *binder, const firn_yaml_tree_node *map,
                                firn_material_def *def);

/* Applies "path.to.key=value" to the tree. 0: refused. */
int firn_scene_set(firn_arena *arena, firn_yaml_tree_node *root, const char *setting,
                   firn_messages *messages);
/* Reads the preset files of materials into them. `folder` as in the binder. */
void firn_scene_take_presets(firn_arena *arena, firn_yaml_tree_node *root, const char *folder,
                             firn_messages *messages);

#endif
