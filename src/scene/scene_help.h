/* SPDX-License-Identifier: MIT */
/* scene_help.h: the keys of a scene file, printed from the tables that read it. */
#ifndef FIRN_SCENE_HELP_H
#define FIRN_SCENE_HELP_H

#include "firn/base.h"

#include <stdio.h>

/* path "": an overview; "bodies", "bodies.shape", ...: every key of that section. 0: no such
 * section. */
int firn_scene_help(FILE *out, const char *path);
/* The sections, blank-separated, for "did you mean" and completion. */
void firn_scene_help_sections(char *words, size_t n_bytes);
/* The JSON Schema (draft 2020-12) of a scene file, with which editors complete and check. */
firn_status firn_scene_help_schema(FILE *out);

#endif
