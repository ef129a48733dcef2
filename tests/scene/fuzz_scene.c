/* SPDX-License-Identifier: MIT */
/* A libFuzzer target: any text is a scene or is refused in sentences; what is taken is written
 * and read back. Built by tools/campaigns/fuzz_scene.sh only. */
#include "scene/scene.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
    firn_messages *messages = firn_messages_create();
    firn_scene *scene = firn_scene_parse((const char *)data, n_bytes, "fuzz", 0, NULL, messages);
    if (!scene && firn_messages_status(messages) == FIRN_OK) abort(); /* refused without a word */
    firn_text json = {0};
    if (scene && firn_scene_write(firn_scene_definition(scene), &json, NULL, messages) == FIRN_OK) {
        firn_scene *again = firn_scene_parse(json.data, json.n, "again", 0, NULL, messages);
        if (!again) abort();
        firn_scene_destroy(again);
    }
    firn_text_clear(&json);
    firn_scene_destroy(scene);
    firn_messages_destroy(messages);
    return 0;
}
