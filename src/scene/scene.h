/* SPDX-License-Identifier: MIT */
/* scene.h: loaded scenes inside the library, and the effective scene as text. */
#ifndef FIRN_SCENE_H
#define FIRN_SCENE_H

#include "firn/firn.h"
#include "base/text.h"
#include "laws/law.h"

/* The two members of a loaded scene that a command line changes after the check; nothing that was
 * checked depends on them: the folder of the shot, and a number of frames beyond the scene's. */
void firn_scene_place(firn_scene *scene, const char *folder);
void firn_scene_lengthen(firn_scene *scene, int n_frames);

/* The materials of a loaded scene as its check resolved them, [n_materials]; NULL for any other
 * definition, also for a copy of a loaded one. */
const firn_material *firn_scene_materials(const firn_scene_def *def);

/* Where a loaded scene says something: "file:line:column: " of the path "bodies.loaf.shape", or of
 * what it is part of. 0: not known, as the definition was made in C. */
int firn_scene_place_of(const firn_scene_def *def, const char *path, char *place, size_t n_bytes);

/* The effective scene, every default and every parameter of every material filled in, as JSON;
 * that is YAML too and reads back to the same definition. A collider's distance function cannot
 * be written and is left out. `hash` gets the hash of that text without the folder of the shot:
 * the same scene has it in any folder; NULL: not wanted.
 * FIRN_REFUSED: a material does not resolve. */
firn_status firn_scene_write(const firn_scene_def *def, firn_text *json, uint64_t *hash,
                             firn_messages *messages);
/* The hash alone. */
firn_status firn_scene_hash(const firn_scene_def *def, uint64_t *hash, firn_messages *messages);

/* A path relative to the working folder as an absolute one, since the text may be read elsewhere.
 * Returns `whole`. */
enum { FIRN_SCENE_PATH = 2 * FIRN_PATH };
const char *firn_scene_whole_path(const char *path, char whole[FIRN_SCENE_PATH]);

#endif
