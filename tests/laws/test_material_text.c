/* SPDX-License-Identifier: MIT */
/* Tests of material_text.c: everything in a law's table appears, for every law; wrong names get
 * the nearest one. */
#include "laws/law.h"
#include "laws/material_text.h"
#include "scene/scene_bind.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

static void list_names_every_law_and_preset(void **state)
{
    (void)state;
    firn_text list = {0}, names = {0};
    firn_materials_text_list(&list);
    firn_materials_text_names(&names);
    for (int i = 0; i < firn_law_count(); i++) {
        const firn_law_info *law = firn_law_at(i);
        assert_non_null(strstr(list.data, law->name));
        assert_non_null(strstr(list.data, law->title));
        assert_non_null(strstr(names.data, law->name));
        for (int k = 0; k < law->n_presets; k++) {
            assert_non_null(strstr(list.data, law->presets[k].name));
            assert_non_null(strstr(names.data, law->presets[k].name));
        }
    }
    firn_text_clear(&list);
    firn_text_clear(&names);
}

/* Is the text there, whatever its line breaks? */
static int holds(const char *text, const char *words)
{
    for (; *text; text++) {
        const char *a = text, *b = words;
        while (*b) {
            if (*b == ' ') {
                if (*a != ' ' && *a != '\n') break;
                while (*a == ' ' || *a == '\n') a++;
                while (*b == ' ') b++;
            } else if (*a++ != *b++) {
                b--;
                break;
            }
        }
        if (!*b) return 1;
    }
    return 0;
}

static void description_holds_the_whole_table(void **state)
{
    (void)state;
    for (int i = 0; i < firn_law_count(); i++) {
        const firn_law_info *law = firn_law_at(i);
        firn_text text = {0};
        assert_int_equal(firn_materials_text_describe(law->name, &text, NULL), FIRN_OK);
        for (int k = 0; k < law->n_parameters; k++) {
            assert_true(holds(text.data, law->parameters[k].name) &&
                        holds(text.data, law->parameters[k].unit));
            assert_true(holds(text.data, law->parameters[k].meaning));
        }
        for (int k = 0; k < law->n_history; k++)
            assert_true(holds(text.data, law->history[k].meaning));
        for (int k = 0; k < law->n_presets; k++)
            assert_true(holds(text.data, law->presets[k].settings) &&
                        holds(text.data, law->presets[k].note));
        assert_true(holds(text.data, law->citation) && holds(text.data, law->validity));
        firn_text_clear(&text);
    }
}

static void preset_is_described_with_its_law(void **state)
{
    (void)state;
    firn_text text = {0};
    assert_int_equal(firn_materials_text_describe("bread_dough", &text, NULL), FIRN_OK);
    assert_true(holds(text.data, "1387 Pa s^n, n = 0.38") &&
                holds(text.data, "preset: bread_dough"));
    firn_text_clear(&text);
}

static void wrong_name_gets_the_nearest(void **state)
{
    (void)state;
    firn_text text = {0};
    firn_messages *messages = firn_messages_create();
    assert_int_equal(firn_materials_text_describe("dry_snad", &text, messages), FIRN_REFUSED);
    assert_non_null(strstr(firn_messages_text(messages, 0, NULL), "\"dry_sand\"?"));
    firn_messages_destroy(messages);
    firn_text_clear(&text);
}

/* What is written out for pasting is read back as a scene, to the same numbers. */
static void yaml_means_the_presets(void **state)
{
    (void)state;
    firn_text text = {0};
    firn_messages *messages = firn_messages_create();
    firn_text_add(
        &text,
        "grid: {dx: 2 cm}\nbodies: {b: {material: jello, shape: {kind: sphere, radius: 1}}}\n");
    assert_int_equal(firn_materials_text_yaml(&text, messages), FIRN_OK);
    firn_scene *scene = firn_scene_parse(text.data, text.n, "presets.yaml", 0, NULL, messages);
    if (!scene) fail_msg("%s", firn_messages_text(messages, 0, NULL));
    const firn_scene_def *def = firn_scene_definition(scene);
    int n_presets = 0;
    for (int i = 0; i < firn_law_count(); i++) n_presets += firn_law_at(i)->n_presets;
    assert_int_equal(def->n_materials, n_presets);
    for (int i = 0; i < def->n_materials; i++) {
        firn_material written, meant;
        firn_material_def preset = firn_material_default();
        memcpy(preset.preset, def->materials[i].name, sizeof preset.preset);
        assert_int_equal(firn_material_resolve(&def->materials[i], 0, &written, messages), FIRN_OK);
        assert_int_equal(firn_material_resolve(&preset, 0, &meant, messages), FIRN_OK);
        assert_ptr_equal(written.law, meant.law);
        for (int k = 0; k < meant.law->info.n_parameters; k++)
            assert_true(fabs(written.value[k] - meant.value[k]) <= 1e-14 * fabs(meant.value[k]));
    }
    firn_scene_destroy(scene);
    firn_messages_destroy(messages);
    firn_text_clear(&text);
}

/* The presets that people are promised by name. */
static void promised_presets_are_there(void **state)
{
    (void)state;
    static const char *const promised[] = {
        "powder_snow",  "packed_snow", "wet_snow",    "ice_cream", "bread_dough", "pizza_dough",
        "cookie_dough", "batter",      "bread_crumb", "jello",     "rubber",      "dry_sand",
        "wet_sand",     "mud",         "clay",        "wax",       "honey",       "water",
        "toothpaste",   "copper",      "sand_castle"};
    for (size_t i = 0; i < sizeof promised / sizeof promised[0]; i++) {
        firn_material_def def = {.name = "test"};
        memcpy(def.preset, promised[i], strlen(promised[i]) + 1);
        firn_material material;
        assert_int_equal(firn_material_resolve(&def, 1, &material, NULL), FIRN_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(list_names_every_law_and_preset),
        cmocka_unit_test(description_holds_the_whole_table),
        cmocka_unit_test(preset_is_described_with_its_law),
        cmocka_unit_test(wrong_name_gets_the_nearest),
        cmocka_unit_test(promised_presets_are_there),
        cmocka_unit_test(yaml_means_the_presets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
