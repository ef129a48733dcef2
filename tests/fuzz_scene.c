/* A libFuzzer target: any text is a scene or is refused in sentences; what is taken is written and read back. Built by
 * tools/fuzz_scene.sh only. */
#include "../src/scene.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
    firn_report *report = firn_report_create();
    firn_scene *scene = firn_scene_parse((const char *)data, n_bytes, "fuzz", 0, NULL, report);
    if (!scene && firn_report_status(report) == FIRN_OK) abort(); /* refused without a word */
    firn_text json = {0};
    if (scene && firn_scene_write(firn_scene_definition(scene), &json, report) == FIRN_OK) {
        firn_scene *again = firn_scene_parse(json.data, json.n, "again", 0, NULL, report);
        if (!again) abort();
        firn_scene_destroy(again);
    }
    firn_text_clear(&json);
    firn_scene_destroy(scene);
    firn_report_destroy(report);
    return 0;
}
