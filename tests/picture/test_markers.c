/* SPDX-License-Identifier: MIT */
/* test_markers.c: emitters, grips and sinks over a picture. */
#include "picture/collider_mesh.h"
#include "picture/markers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { WIDTH = 240, HEIGHT = 160 };

static firn_scene *parse(const char *rest)
{
    char text[1024];
    int n = snprintf(text, sizeof text,
                     "grid: {dx: 8 cm}\nmaterials: {a: {law: neo_hookean}}\nbodies: {x: {material: "
                     "a, shape: {kind: sphere, radius: 1}}}\n%s\n",
                     rest);
    firn_messages *messages = firn_messages_create();
    firn_scene *scene = firn_scene_parse(text, (size_t)n, "t.yaml", 0, NULL, messages);
    if (!scene) fail_msg("%s", firn_messages_text(messages, 0, NULL));
    firn_messages_destroy(messages);
    return scene;
}

static int is_red(const firn_image *image, int i, int j)
{
    const uint8_t *p = image->rgb + 3 * (j * WIDTH + i);
    return p[0] > p[1] + 20 && p[0] > p[2] + 20;
}

/* First and last red pixel of the middle column, or of a row. */
static void extent(const firn_image *image, int row, int at[2])
{
    at[0] = at[1] = -1;
    for (int k = 0; k < (row < 0 ? HEIGHT : WIDTH); k++) {
        if (!is_red(image, row < 0 ? WIDTH / 2 : k, row < 0 ? k : row)) continue;
        if (at[0] < 0) at[0] = k;
        at[1] = k;
    }
}

/* A sink is a red disc of the size of its silhouette, R / sqrt(D^2 - R^2) at distance 1, where its
 * motion has it at that time, also before it starts; its name is over its middle. */
static void test_glass(void **state)
{
    (void)state;
    firn_scene *scene = parse("sinks: {drain: {shape: {kind: sphere, radius: 50 cm}, start: 2 s, "
                              "motion: {keys: [{time: 0, position: [0, 0, 0]}, {time: 1 s, "
                              "position: [0, 1 m, 0]}]}}}");
    firn_markers *markers;
    assert_int_equal(firn_markers_of_scene(firn_scene_definition(scene), &markers, NULL), FIRN_OK);
    firn_view_bounds bounds = firn_view_bounds_default();
    const double low[3] = {-1, -1, -1}, high[3] = {1, 1, 1};
    firn_view_bounds_include(&bounds, low, high);
    firn_render_def def = firn_render_default();
    def.camera = (firn_camera_def){.fov = 0.6, .distance = 8, .has_target = 1};
    def.n_threads = 2;
    firn_image *image = firn_image_create(WIDTH, HEIGHT);
    def.width = WIDTH;
    def.height = HEIGHT;
    firn_color grey = firn_color_hex(0x808080);
    for (int second = 0; second < 2; second++) {
        firn_image_fill(image, grey);
        firn_markers_at(markers, second);
        assert_true(firn_markers_draw(markers, &bounds, &def, image));
        double plane = 2 * tan(0.3) / HEIGHT,
               radius = 0.5 / sqrt(64 + second - 0.25) / plane, /* pixels; an ellipse to 1 % */
            middle = HEIGHT / 2 - 0.5 - second / 8.0 / plane;
        int at[2];
        extent(image, -1, at);
        assert_true(fabs(at[0] - (middle - radius)) < 1.5 && fabs(at[1] - (middle + radius)) < 1.5);
        extent(image, (int)(middle + 11), at);
        double half = sqrt(radius * radius - 121);
        assert_true(fabs(at[0] - (WIDTH / 2 - half)) < 2.5 &&
                    fabs(at[1] - (WIDTH / 2 + half)) < 2.5);
    }
    firn_image_destroy(image);
    firn_markers_destroy(markers);
    firn_scene_destroy(scene);
}

/* Emitters are framed, colliders that are much larger than the rest or endless are not; where there
 * are no particles all that has an end is. */
static void test_widen(void **state)
{
    (void)state;
    firn_scene *scene = parse(
        "emitters: {spout: {material: a, velocity: [0, -1, 0], shape: {kind: sphere, center: "
        "[0, 3, 0], radius: 50 cm}}}\ncolliders: {house: {shape: {kind: box, size: [90, 90, 90]}}, "
        "plane: {shape: {kind: half_space, normal: [1, 0, 0], center: [-4, 0, 0]}}, "
        "pole: {shape: {kind: box, center: [2, 0, 0], size: [1, 1, 1]}}}");
    const firn_scene_def *def = firn_scene_definition(scene);
    firn_markers *markers;
    firn_scene_colliders *colliders;
    assert_int_equal(firn_markers_of_scene(def, &markers, NULL), FIRN_OK);
    assert_int_equal(firn_scene_colliders_of_scene(def, NULL, &colliders, NULL), FIRN_OK);
    firn_scene_colliders_at(colliders, 0);
    firn_markers_at(markers, 0);
    firn_view_bounds bounds = firn_view_bounds_default();
    const double low[3] = {-1, -1, -1}, high[3] = {1, 1, 1};
    firn_view_bounds_include(&bounds, low, high);
    firn_markers_widen(markers, colliders, &bounds);
    assert_true(fabs(bounds.max[1] - 3.5) < 1e-6 && fabs(bounds.max[0] - 2.5) < 1e-6 &&
                fabs(bounds.min[0] + 1) < 1e-6);
    bounds = firn_view_bounds_default();
    firn_markers_widen(markers, colliders, &bounds);
    assert_true(fabs(bounds.max[0] - 45) < 1e-6 && bounds.n > 0);
    firn_scene_colliders_destroy(colliders);
    firn_markers_destroy(markers);
    firn_scene_destroy(scene);
}

/* Colliders as polygons: volume and place of a moved sphere, to the part that a voxel takes of a curved
 * surface, and of a half space cut by the box; nothing from none. */
static void test_polygons(void **state)
{
    (void)state;
    const char *const lists[] = {
        "ball: {shape: {kind: sphere, radius: 50 cm}, motion: {velocity: [1, 0, 0]}}",
        "wall: {shape: {kind: half_space, normal: [1, 0, 0], center: [-50 cm, 0, 0]}}", ""};
    const double volumes[] = {4.0 / 3 * M_PI / 8, 2, 0}, middles[] = {2, -0.75, 0};
    const double low[3] = {-1, -1, -1}, high[3] = {1, 1, 1};
    for (int k = 0; k < 3; k++) {
        char list[256];
        firn_mesh *mesh;
        firn_scene_colliders *colliders;
        snprintf(list, sizeof list, "colliders: {%s}", lists[k]);
        firn_scene *scene = parse(list);
        assert_int_equal(
            firn_scene_colliders_of_scene(firn_scene_definition(scene), NULL, &colliders, NULL),
            FIRN_OK);
        firn_scene_colliders_at(colliders, 2);
        assert_int_equal(firn_collider_mesh_make(colliders, low, high, 0.04, 2, &mesh, NULL),
                         FIRN_OK);
        assert_true((mesh != NULL) == (k < 2));
        if (mesh) {
            double min[3], max[3], volume = firn_mesh_volume(mesh);
            firn_mesh_bounds(mesh, min, max);
            if (fabs(volume - volumes[k]) > 0.015 * volumes[k]) fail_msg("volume %g", volume);
            assert_true(fabs(0.5 * (min[0] + max[0]) - middles[k]) < 0.01);
        }
        firn_mesh_destroy(mesh);
        firn_scene_colliders_destroy(colliders);
        firn_scene_destroy(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_glass), cmocka_unit_test(test_widen),
                                       cmocka_unit_test(test_polygons)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
