/* SPDX-License-Identifier: MIT */
/* Help on scenes: the example in it is a scene, every key of every section is explained, the
 * schema is JSON. */
#include "base/json.h"
#include "scene/scene_schema.h"
#include "scene/scene_help.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *help(const char *path)
{
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    assert_non_null(out);
    int is_known = firn_scene_help(out, path);
    fclose(out);
    if (is_known) return text;
    free(text);
    return NULL;
}

static void test_example_is_a_scene(void **state)
{
    (void)state;
    char *text = help(""), *end = strstr(text, "\nNumbers"), *example = strstr(text, "    grid:");
    assert_true(example && end && example < end);
    *end = 0;
    firn_messages *messages = firn_messages_create();
    firn_scene *scene = firn_scene_parse(example, strlen(example), "example", 0, NULL, messages);
    if (!scene) fail_msg("%s", firn_messages_text(messages, 0, NULL));
    firn_scene_destroy(scene);
    firn_messages_destroy(messages);
    free(text);
}

static int check_section(const firn_schema_section *section, const char *path)
{
    int n = 0;
    char *text = help(path);
    assert_non_null(text);
    for (int i = 0; i < section->n_options; i++) {
        const firn_schema_key *option = &section->options[i];
        char key[80];
        snprintf(key, sizeof key, "\n  %s ", option->key);
        if (!strstr(text, key)) fail_msg("help on %s does not explain %s", path, option->key);
        n++;
        if (!option->section) continue;
        char below[256];
        snprintf(below, sizeof below, "%s%s%s", path, *path ? "." : "", option->key);
        n += check_section(option->section, below);
    }
    free(text);
    return n;
}

static void test_every_key_is_explained(void **state)
{
    (void)state;
    assert_true(check_section(&firn_schema_file, "") > 100);
    assert_null(help("bodis"));
    assert_null(help("grid.dx"));
}

static void test_schema(void **state)
{
    (void)state;
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    assert_int_equal(firn_scene_help_schema(out), FIRN_OK);
    fclose(out);
    firn_json *json = firn_json_parse(text, strlen(text), "schema", NULL);
    assert_non_null(json);
    const firn_json_node *file = firn_json_member(firn_json_root(json), "allOf")->first;
    const firn_json_node *sections = firn_json_member(file, "properties");
    for (int i = 0; i < firn_schema_file.n_options; i++)
        assert_non_null(firn_json_member(sections, firn_schema_file.options[i].key));
    const firn_json_node *grid = firn_json_member(firn_json_member(sections, "grid"), "properties");
    assert_string_equal(
        firn_json_member(firn_json_member(grid, "shape"), "anyOf")->first->first->first->string,
        "cubic");
    firn_json_destroy(json);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_example_is_a_scene),
                                       cmocka_unit_test(test_every_key_is_explained),
                                       cmocka_unit_test(test_schema)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
