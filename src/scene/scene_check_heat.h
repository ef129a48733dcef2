/* SPDX-License-Identifier: MIT */
/* scene_check_heat.h: the part of the check of a scene that concerns heat. */
#ifndef FIRN_SCENE_CHECK_HEAT_H
#define FIRN_SCENE_CHECK_HEAT_H

#include "scene/scene_complaints.h"

/* Relations of the section `heat`, and of temperatures, with the rest of the scene. */
void firn_scene_check_heat(firn_complaints *c, const firn_scene_def *scene);

#endif
