/* SPDX-License-Identifier: MIT */
/* scene_help.h: the keys of a scene file, printed from the tables that read it. */
#ifndef FIRN_SCENE_HELP_H
#define FIRN_SCENE_HELP_H

#include "firn/base.h"

#include <stdio.h>

/* path "": an overview; "bodies", "bodies.shape", ...: every key of that section. 0: no such
 * section. */
int firn_scene_help(FILE *out, const char *path);
/* What a word names: a section or key by its path below `scene`, else the first section, else the
 * keys, that are called so at any place. Returns how many are printed. */
int firn_scene_help_named(FILE *out, const char *word);
/* Calls visit for each key, with its path ("scene.bodies.shape.center"), its sentence, and further
 * words under which it is looked for. */
void firn_scene_help_each(void (*visit)(void *user, const char *path, const char *doc,
                                        const char *about),
                          void *user);
/* The sections, blank-separated, for "did you mean" and completion. */
void firn_scene_help_sections(char *words, size_t n_bytes);
/* The JSON Schema (draft 2020-12) of a scene file, with which editors complete and check. */
firn_status firn_scene_help_schema(FILE *out);

#endif
