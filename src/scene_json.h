/* scene_json.h: a scene as it was understood - every setting with its default, in SI - as the text of a JSON object.
 * It has the keys of a scene file, and JSON is YAML: firn_scene_parse reads it back as the same scene. Settings at
 * infinity (a collider that never stops) are left out, because JSON has no infinity and it is their default. */
#ifndef FIRN_SCENE_JSON_H
#define FIRN_SCENE_JSON_H

#include "firn/defs.h"
#include "json.h"

/* As the value of `key`; NULL where it has none. */
void firn_scene_json(firn_json_writer *json, const char *key, const firn_scene_def *scene);

#endif
