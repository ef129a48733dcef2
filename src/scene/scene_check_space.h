/* SPDX-License-Identifier: MIT */
/* scene_check_space.h: the part of the check of a scene that concerns what varies in space. */
#ifndef FIRN_SCENE_CHECK_SPACE_H
#define FIRN_SCENE_CHECK_SPACE_H

#include "scene/scene_complaints.h"

/* Maps, and whatever names one. */
void firn_scene_check_space(firn_complaints *c, const firn_scene_def *scene);

#endif
