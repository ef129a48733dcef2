/* SPDX-License-Identifier: MIT */
/* schema_space.h: the sections of a scene file that say what varies in space. */
#ifndef FIRN_SCHEMA_SPACE_H
#define FIRN_SCHEMA_SPACE_H

#include "scene/scene_schema.h"

extern const firn_schema_section firn_schema_maps, firn_schema_lumps, firn_schema_vectors;

#endif
