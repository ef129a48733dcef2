/* test_scene_json.c: a scene as JSON says what the definition says. */
#include "scene_json.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

static firn_scene_def sample(firn_material_def *material, firn_body_def *body, firn_shape_def *shape)
{
    *shape = firn_shape_default();
    strcpy(shape->kind, "sphere");
    shape->radius = 0.1;
    *material = firn_material_default();
    strcpy(material->name, "snow"), strcpy(material->law, "snow");
    material->n_parameters = 2;
    material->parameters[0] = (firn_parameter_def){.name = "E", .value = 1.4e5};
    material->parameters[1] = (firn_parameter_def){.name = "nu",
                                                   .value = 0.2,
                                                   .noise = 0.1,
                                                   .n_table = 2,
                                                   .table_temperature = {263, 273.15},
                                                   .table_value = {0.2, 0.25}};
    *body = firn_body_default();
    strcpy(body->name, "ball"), strcpy(body->material, "snow");
    body->shapes = shape, body->n_shapes = 1;
    body->velocity[0] = 1.0 / 3;
    firn_scene_def scene = firn_scene_default();
    strcpy(scene.name, "a \"name\"");
    scene.grid.dx = 0.02;
    scene.seed = UINT64_MAX - 1;
    scene.materials = material, scene.n_materials = 1;
    scene.bodies = body, scene.n_bodies = 1;
    return scene;
}

static void test_keys_and_values(void **state)
{
    (void)state;
    firn_material_def material;
    firn_body_def body;
    firn_shape_def shape;
    firn_scene_def scene = sample(&material, &body, &shape);
    firn_json_writer writer;
    firn_json_init(&writer, 1);
    firn_scene_json(&writer, NULL, &scene);
    size_t n;
    const char *text = firn_json_finish(&writer, &n);
    assert_non_null(text);
    firn_json *json = firn_json_parse(text, n, "scene", NULL);
    assert_non_null(json);
    const firn_json_node *root = firn_json_root(json), *part = firn_json_member(root, "scene");
    assert_string_equal(firn_json_string_of(part, "name", ""), "a \"name\"");
    assert_string_equal(firn_json_string_of(part, "precision", ""), "float");
    assert_non_null(strstr(text, "18446744073709551614")); /* all 64 bits of a seed */
    part = firn_json_member(root, "grid");
    assert_true(firn_json_number_of(part, "dx", 0) == 0.02);
    assert_null(firn_json_member(part, "box_min")); /* there is no box */
    part = firn_json_member(root, "materials")->first;
    assert_true(firn_json_number_of(part, "E", 0) == 1.4e5);
    part = firn_json_member(firn_json_member(part, "nu"), "table");
    assert_int_equal(part->n_items, 2);
    assert_true(part->first->number == 0.2);
    part = firn_json_member(root, "bodies")->first;
    assert_true(firn_json_member(part, "velocity")->first->number == 1.0 / 3); /* to the bit */
    part = firn_json_member(part, "shape")->first;
    assert_true(firn_json_number_of(part, "radius", 0) == 0.1);
    assert_null(firn_json_member(root, "colliders"));
    firn_json_destroy(json);
    firn_json_clear(&writer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_keys_and_values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
