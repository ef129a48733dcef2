/* SPDX-License-Identifier: MIT */
/* scene_value.h: reading single values of a scene file by the type of their option. */
#ifndef FIRN_SCENE_VALUE_H
#define FIRN_SCENE_VALUE_H

#include "scene/scene_bind.h"
#include "base/units.h"

enum { FIRN_SCENE_SENTENCE = 1024 };

/* A number with a unit; 0: `sentence` completes a message that begins with the name of the value. */
int firn_scene_value_number(const firn_yaml_tree_node *node, const char *unit, double *value,
                            char sentence[FIRN_UNITS_MESSAGE]);
/* Any value but sections and lists, into the member at `out`. */
int firn_scene_value_read(firn_scene_binder *binder, const firn_schema_key *option,
                          const firn_yaml_tree_node *node, void *out,
                          char sentence[FIRN_SCENE_SENTENCE]);

#endif
