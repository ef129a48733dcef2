/* SPDX-License-Identifier: MIT */
/* scene_check_measures.h: what the table of the schema cannot say of probes and expectations: their
 * measure, what it is of, its attribute. */
#ifndef FIRN_SCENE_CHECK_MEASURES_H
#define FIRN_SCENE_CHECK_MEASURES_H

#include "scene/scene_complaints.h"

/* Refuses an attribute that the laws of the scene cannot give to every particle. */
void firn_scene_check_attribute(firn_complaints *c, const firn_scene_def *scene, const char *key,
                                const char *name);
/* Every attribute of the scene's particles: the solver's table and the history fields of the
 * laws. */
void firn_scene_know_attributes(firn_known_words *known, const firn_scene_def *scene);
void firn_scene_check_measures(firn_complaints *c, const firn_scene_def *scene);

#endif
