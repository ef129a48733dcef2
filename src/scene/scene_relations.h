/* SPDX-License-Identifier: MIT */
/* scene_relations.h: the part of scene_check.h that no table of the schema can hold. */
#ifndef FIRN_SCENE_RELATIONS_H
#define FIRN_SCENE_RELATIONS_H

#include "scene/scene_complaints.h"
#include "scene/scene_schema.h"

/* Relations of a whole scene, whose markers, arrays and texts can be relied on. */
void firn_scene_relations_check(firn_complaints *c, const firn_scene_def *scene);

/* The kind of a shape, and the parameters that it needs. */
void firn_scene_relations_shape(firn_complaints *c, const firn_schema_section *section,
                                const firn_shape_def *shape);

#endif
