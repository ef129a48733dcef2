/* SPDX-License-Identifier: MIT */
/* scene_check.h: is a scene acceptable - one check for definitions made in C and for those read
 * from a file. */
#ifndef FIRN_SCENE_CHECK_H
#define FIRN_SCENE_CHECK_H

#include "laws/law.h"

/* Where the thing called `path` ("bodies.ball.velocity") was said, as text that a sentence can
 * begin with, e.g. "scene.yaml:7:3: ". Returns 0 when trouble there is already reported and no
 * more should be said. */
typedef int (*firn_scene_locate)(void *user, const char *path, char *place, size_t n_bytes);

/* As firn_scene_check; `locate` may be NULL. `materials` gets the scene's materials as resolved for
 * the check, [n_materials], complete where FIRN_OK is returned; NULL: they are not wanted. */
firn_status firn_scene_check_located(const firn_scene_def *scene, firn_scene_locate locate,
                                     void *user, firn_material *materials, firn_messages *messages);

#endif
