/* SPDX-License-Identifier: MIT */
/* scene_check.h: the check of a scene definition, the same for those made in C and those read from
 * a file. */
#ifndef FIRN_SCENE_CHECK_H
#define FIRN_SCENE_CHECK_H

#include "laws/law.h"

/* The place of a path ("bodies.ball.velocity"), as the beginning of a message: "scene.yaml:7:3: ".
 * 0: an error there has been reported already, and no more is. */
typedef int (*firn_scene_locate)(void *user, const char *path, char *place, size_t n_bytes);

/* As firn_scene_check; `locate` may be NULL. `materials` gets the scene's materials as resolved for
 * the check, [n_materials], complete where FIRN_OK is returned; NULL: they are not wanted. */
firn_status firn_scene_check_located(const firn_scene_def *scene, firn_scene_locate locate,
                                     void *user, firn_material *materials, firn_messages *messages);

#endif
