/* SPDX-License-Identifier: MIT */
/* Colliders in pictures: what a scene's are taken for, and what rays see of them, against closed
 * forms. */
#include "support/geometry.h"
#include "support/picture.h"
#include "picture/scene_colliders.h"
#include "picture/render.h"
#include "support/scratch.h"
#include "picture/sdf_trace.h"
#include "picture/spheres.h"

#include <malloc.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const char scene_text[] =
    "scene: {name: t}\n"
    "gravity: [0, 0, -9.81]\n"
    "grid: {dx: 1 cm}\n"
    "materials:\n"
    "  - {name: a, law: neo_hookean, color: [0.1, 0.2, 0.3]}\n"
    "  - {name: b, law: neo_hookean}\n"
    "bodies: [{name: x, material: a, shapes: [{kind: sphere, radius: 0.1}]}]\n"
    "colliders:\n"
    "  - {name: floor, shapes: [{kind: plane, center: [0, 0, -0.25], normal: [0, 0, 1]}]}\n"
    "  - {name: ball, shapes: [{kind: sphere, center: [2, 0, 0], radius: 0.5}],\n"
    "     motion: {velocity: [0, 1, 0]}, stop: 3}\n";

static firn_scene_colliders *make(void)
{
    firn_messages *messages = firn_messages_create();
    firn_scene *scene =
        firn_scene_parse(scene_text, sizeof scene_text - 1, "t.yaml", 0, NULL, messages);
    if (!scene) fail_msg("%s", firn_messages_text(messages, 0, NULL));
    firn_scene_colliders *colliders;
    assert_int_equal(
        firn_scene_colliders_of_scene(firn_scene_definition(scene), NULL, &colliders, messages),
        FIRN_OK);
    firn_scene_destroy(scene);
    firn_messages_destroy(messages);
    return colliders;
}

/* The level plane is the floor and no obstacle; the ball moves with its motion and is gone after
 * its end. */
static void test_scene(void **state)
{
    (void)state;
    firn_scene_colliders *colliders = make();
    double height, normal[3];
    assert_true(firn_scene_colliders_is_z_up(colliders));
    assert_true(firn_scene_colliders_floor(colliders, &height) && height == -0.25);
    firn_color color;
    assert_true(firn_scene_colliders_color(colliders, "a", &color) &&
                fabsf(color.g - 0.2f) < 1e-6f);
    assert_false(
        firn_scene_colliders_color(colliders, "b", &color)); /* the default grey is "not said" */
    assert_false(firn_scene_colliders_color(colliders, "c", &color));
    assert_int_equal(firn_scene_colliders_at(colliders, 2), 1);
    assert_true(fabs(firn_scene_colliders_distance(colliders, (double[3]){2, 2, 1.25}, normal) -
                     0.75) < 1e-12);
    assert_true(fabs(normal[2] - 1) < 1e-12);
    assert_true(fabs(firn_scene_colliders_distance(colliders, (double[3]){2, 2.1, 0}, NULL) + 0.4) <
                1e-12);
    assert_int_equal(firn_scene_colliders_at(colliders, 3.1), 0);
    assert_true(isinf(firn_scene_colliders_distance(colliders, (double[3]){2, 0, 0}, NULL)));
    firn_scene_colliders_destroy(colliders);
}

static firn_sdf_trace around(const firn_scene_colliders *colliders)
{
    return (firn_sdf_trace){.colliders = colliders,
                            .is_z_up = 1,
                            .min = {-4, -4, -4},
                            .max = {4, 4, 4},
                            .precision = 1e-4f};
}

/* y up, local: the ball at time 1 is at scene (2, 1, 0), that is (2, 0, -1). */
static void test_trace(void **state)
{
    (void)state;
    firn_scene_colliders *colliders = make();
    firn_scene_colliders_at(colliders, 1);
    firn_sdf_trace sdf = around(colliders);
    firn_sdf_hit hit =
        firn_sdf_trace_trace(&sdf, (float[3]){2, 3, -1}, (float[3]){0, -1, 0}, INFINITY);
    assert_true(fabsf(hit.t - 2.5f) < 2e-4f && fabsf(hit.normal[1] - 1) < 1e-3f);
    hit = firn_sdf_trace_trace(&sdf, (float[3]){2, 3, -1}, (float[3]){0, -1, 0}, 2.4f);
    assert_true(isinf(hit.t));
    hit = firn_sdf_trace_trace(&sdf, (float[3]){2.51f, 3, -1}, (float[3]){0, -1, 0},
                               INFINITY); /* just beside */
    assert_true(isinf(hit.t));
    hit = firn_sdf_trace_trace(&sdf, (float[3]){2, 0, -1}, (float[3]){0, -1, 0},
                               INFINITY); /* from inside: out */
    assert_true(isinf(hit.t));
    /* A box that ends where the ball does shows it there, too. */
    sdf.max[1] = 0.5f;
    hit = firn_sdf_trace_trace(&sdf, (float[3]){2.001f, 3, -1}, (float[3]){0, -1, 0}, INFINITY);
    assert_true(fabsf(hit.t - 2.5f) < 2e-4f && fabsf(hit.normal[1] - 1) < 1e-3f);
    /* A box that cuts the ball through its middle shows the cut. */
    sdf.max[1] = 0;
    hit = firn_sdf_trace_trace(&sdf, (float[3]){2.2f, 3, -1}, (float[3]){0, -1, 0}, INFINITY);
    assert_true(fabsf(hit.t - 3) < 1e-6f && hit.normal[1] == 1);
    firn_scene_colliders_destroy(colliders);
}

/* Bytes that are allocated; under sanitizers, whose allocator does not tell, none. */
static size_t in_use(void)
{
    struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
}

/* A sequence that goes a long way is drawn from the field that the simulation used, as coarse as
 * the depth of a cell allows; voxels chosen from the mesh alone would take gigabytes. */
static void test_sequence(void **state)
{
    (void)state;
    char text[2 * FIRN_PATH], name[32];
    for (int k = 0; k < 3; k++) {
        firn_mesh *ball = geometry_sphere(12, 0.1, k, 0, 0.5);
        snprintf(name, sizeof name, "s.%d.obj", k);
        assert_int_equal(firn_mesh_write(scratch(name), ball, NULL), FIRN_OK);
        firn_mesh_destroy(ball);
    }
    int n = snprintf(
        text, sizeof text,
        "grid: {dx: 8 cm}\nmaterials: {a: {law: neo_hookean}}\nbodies: {x: {material: a, shape: "
        "{kind: "
        "sphere, radius: 1}}}\ncolliders: {c: {shape: {kind: mesh, file: \"%s\", fps: 1}}}\n",
        scratch("s.%d.obj"));
    firn_messages *messages = firn_messages_create();
    firn_scene *scene = firn_scene_parse(text, (size_t)n, "t.yaml", 0, NULL, messages);
    if (!scene) fail_msg("%s", firn_messages_text(messages, 0, NULL));
    firn_scene_colliders *colliders;
    size_t before = in_use();
    assert_int_equal(
        firn_scene_colliders_of_scene(firn_scene_definition(scene), NULL, &colliders, messages),
        FIRN_OK);
    assert_true(in_use() - before < 200 << 20);
    assert_int_equal(firn_scene_colliders_at(colliders, 1.5), 1);
    double d = firn_scene_colliders_distance(colliders, (double[3]){1.5, 0, 0.65}, NULL);
    assert_true(fabs(d - 0.05) < 0.01);
    firn_scene_colliders_destroy(colliders);
    firn_scene_destroy(scene);
    firn_messages_destroy(messages);
}

/* Adaptive sampling sees what a ray through every sample sees, but for a few at grazing rims;
 * same for all threads. */
static void test_hits(void **state)
{
    (void)state;
    enum { W = 80, H = 60, S = 2, N = W * S * H * S };
    static firn_sdf_hit one[N], many[N];
    firn_scene_colliders *colliders = make();
    firn_scene_colliders_at(colliders, 0);
    firn_sdf_trace sdf = around(colliders);
    firn_camera_def def = {.fov = 0.6, .distance = 5};
    float target[3] = {2, 0, 0};
    firn_camera camera = firn_camera_look(&def, target, target, target, W, H);
    assert_int_equal(firn_sdf_trace_hits(&sdf, &camera, W, H, S, 1, one), FIRN_OK);
    assert_int_equal(firn_sdf_trace_hits(&sdf, &camera, W, H, S, 3, many), FIRN_OK);
    assert_memory_equal(one, many, sizeof one);
    int n_hit = 0, n_wrong = 0;
    for (int j = 0; j < H * S; j++)
        for (int i = 0; i < W * S; i++) {
            float d[3];
            firn_spheres_ray(&camera, W * S, H * S, i, j, d);
            double b = 0, qq = 0;
            for (int c = 0; c < 3; c++) {
                double q = (double)target[c] - camera.eye[c];
                b += q * d[c];
                qq += q * q;
            }
            int expected = qq - b * b < 0.25;
            n_hit += expected;
            n_wrong += expected != !isinf(one[j * W * S + i].t);
        }
    assert_true(n_hit > 500);
    assert_in_range(n_wrong, 0, n_hit / 100);
    firn_scene_colliders_destroy(colliders);
}

/* A ball between camera and particles: the camera walks round it. */
static void test_free_azimuth(void **state)
{
    (void)state;
    firn_scene_colliders *colliders = make();
    firn_scene_colliders_at(colliders, 0);
    firn_points *points = picture_points(1000, 0.02f); /* about the origin; the ball is at x = 2 */
    float *p = firn_points_find(points, "P")->data.f;
    for (int k = 0; k < 3000; k++) p[k] = 2.6f * (p[k] - (k % 3 == 1 ? 0.5f : 0.0f));
    firn_view_bounds bounds = firn_view_bounds_default();
    bounds.is_z_up = 1;
    assert_int_equal(firn_view_bounds_add(&bounds, points, "", NULL), FIRN_OK);
    firn_render_def def = firn_render_default();
    def.camera.elevation = 0;
    def.camera.azimuth = 0; /* along scene y: free */
    assert_true(firn_render_free_azimuth(&def, &bounds) == 0);
    def.colliders = colliders;
    assert_true(firn_render_free_azimuth(&def, &bounds) == 0);
    def.camera.azimuth = 1.5707963; /* from +x: the ball is in the way */
    double free_azimuth = firn_render_free_azimuth(&def, &bounds);
    assert_true(fabs(free_azimuth - def.camera.azimuth) > 0.2);
    firn_points_destroy(points);
    firn_scene_colliders_destroy(colliders);
}

/* The box of what has an end, where it is at that time: the floor has none. */
static void test_bounds(void **state)
{
    (void)state;
    firn_scene_colliders *colliders = make();
    double min[3], max[3];
    firn_scene_colliders_at(colliders,
                            1); /* the ball of radius 0.5 has gone from (2, 0, 0) to (2, 1, 0) */
    const double center[3] = {0, 0, 0};
    assert_true(firn_scene_colliders_bounds(colliders, center, 3, min, max));
    const double low[3] = {1.5, 0.5, -0.5}, high[3] = {2.5, 1.5, 0.5};
    for (int c = 0; c < 3; c++)
        assert_true(fabs(min[c] - low[c]) < 1e-9 && fabs(max[c] - high[c]) < 1e-9);
    firn_scene_colliders_at(colliders, 4); /* it is gone */
    assert_false(firn_scene_colliders_bounds(colliders, center, 3, min, max));
    firn_scene_colliders_destroy(colliders);
}

static firn_scene_colliders *parse(const char *list)
{
    char text[1024];
    int n = snprintf(text, sizeof text,
                     "grid: {dx: 8 cm}\nmaterials: {a: {law: neo_hookean}}\nbodies: {x: {material: "
                     "a, shape: {kind: "
                     "sphere, radius: 1}}}\ncolliders: {%s}\n",
                     list);
    firn_messages *messages = firn_messages_create();
    firn_scene *scene = firn_scene_parse(text, (size_t)n, "t.yaml", 0, NULL, messages);
    if (!scene) fail_msg("%s", firn_messages_text(messages, 0, NULL));
    firn_scene_colliders *colliders;
    assert_int_equal(
        firn_scene_colliders_of_scene(firn_scene_definition(scene), NULL, &colliders, messages),
        FIRN_OK);
    firn_scene_destroy(scene);
    firn_messages_destroy(messages);
    return colliders;
}

/* A wall some way off the particles of the frames that are drawn, as before a throw, is drawn: the
 * box of what is drawn reaches it. The picture shows it on the right and nothing on the left. */
static void test_a_wall_is_always_drawn(void **state)
{
    (void)state;
    firn_scene_colliders *wall =
        parse("wall: {shape: {kind: half_space, center: [1.5, 0, 0], normal: [-1, 0, 0]}}");
    double min[3], max[3];
    const double center[3] = {0, 0.5, 0}, low[3] = {1.2, 0.2, -0.3}, high[3] = {1.8, 0.8, 0.3};
    firn_scene_colliders_at(wall, 0);
    assert_false(firn_scene_colliders_bounds(wall, center, 1.4, min, max));
    assert_true(firn_scene_colliders_bounds(wall, center, 3, min, max));
    for (int c = 0; c < 3; c++)
        assert_true(fabs(min[c] - low[c]) < 1e-9 && fabs(max[c] - high[c]) < 1e-9);

    firn_points *points = picture_points(1000, 0.02f); /* a unit cube around (0, 0.5, 0) */
    firn_view_bounds bounds = firn_view_bounds_default();
    assert_int_equal(firn_view_bounds_add(&bounds, points, "", NULL), FIRN_OK);
    firn_image *images[2];
    for (int k = 0; k < 2; k++) {
        firn_render_def def = firn_render_default();
        def.width = 160;
        def.height = 90;
        def.samples = 1;
        def.camera.azimuth = def.camera.elevation = 0;
        def.camera.distance = 8;
        def.sun_azimuth = -0.5; /* from the left: the wall shades nothing */
        def.sun_elevation = 0.5;
        def.ground = FIRN_GROUND_NONE;
        def.colliders = k ? wall : NULL;
        assert_int_equal(firn_render_frame(points, &bounds, &def, &images[k], NULL), FIRN_OK);
    }
    int n_changed[2] = {0, 0};
    for (int j = 0; j < 90; j++)
        for (int i = 0; i < 160; i++)
            n_changed[i >= 80] += memcmp(images[0]->rgb + 3 * (j * 160 + i),
                                         images[1]->rgb + 3 * (j * 160 + i), 3) != 0;
    if (n_changed[0] != 0 || n_changed[1] < 200)
        fail_msg("%d and %d pixels changed", n_changed[0], n_changed[1]);
    for (int k = 0; k < 2; k++) firn_image_destroy(images[k]);
    firn_points_destroy(points);
    firn_scene_colliders_destroy(wall);
}

/* Particles rest on a step of a terrain that goes on below them: the ground is not put at the
 * step, where it would cut the terrain, but where that one stands. What moves, or has no end,
 * does not count. */
static void test_the_ground_is_below_what_stands(void **state)
{
    (void)state;
#define LIFT                                                                                       \
    "lift: {shape: {kind: sphere, radius: 0.2, center: [0, -5, 0]}, motion: {velocity: [0, 1, "    \
    "0]}}"
#define HILL "hill: {shape: {kind: half_space, center: [0, -3, 0], normal: [0.2, 1, 0]}}"
    double foot;
    firn_scene_colliders *none = parse(LIFT ", " HILL);
    assert_false(firn_scene_colliders_foot(none, &foot));
    firn_scene_colliders_destroy(none);
    firn_scene_colliders *colliders =
        parse("a: {shape: {kind: box, center: [-1.5, -0.2, 0], size: [4, 0.4, 4]}}, " LIFT ", "
              "b: {shape: {kind: box, center: [0, -0.5, 0], size: [6, 0.6, 4]}}");
    assert_true(firn_scene_colliders_foot(colliders, &foot) && fabs(foot + 0.8) < 2e-3);
    firn_scene_colliders_at(colliders, 0);
    firn_points *points = picture_points(1000, 0.02f);
    firn_view_bounds bounds = firn_view_bounds_default();
    assert_int_equal(firn_view_bounds_add(&bounds, points, "", NULL), FIRN_OK);
    firn_image *images[3]; /* by itself, given at the foot, given at the step */
    for (int k = 0; k < 3; k++) {
        firn_render_def def = firn_render_default();
        def.width = 160;
        def.height = 90;
        def.samples = 1;
        def.camera.elevation = 0.5;
        def.colliders = colliders;
        def.ground = k ? FIRN_GROUND_GIVEN : FIRN_GROUND_AUTO;
        def.ground_height = k == 1 ? foot : bounds.lowest - 0.02;
        assert_int_equal(firn_render_frame(points, &bounds, &def, &images[k], NULL), FIRN_OK);
    }
    assert_memory_equal(images[0]->rgb, images[1]->rgb, 160 * 90 * 3);
    assert_true(memcmp(images[0]->rgb, images[2]->rgb, 160 * 90 * 3) != 0);
    for (int k = 0; k < 3; k++) firn_image_destroy(images[k]);
    firn_points_destroy(points);
    firn_scene_colliders_destroy(colliders);
}

/* A folder without a manifest has no colliders, and that is no trouble. */
static void test_no_manifest(void **state)
{
    (void)state;
    firn_scene_colliders *colliders;
    assert_int_equal(firn_scene_colliders_open("/tmp", &colliders, NULL), FIRN_OK);
    assert_null(colliders);
    firn_scene_colliders_destroy(colliders);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scene),
                                       cmocka_unit_test(test_sequence),
                                       cmocka_unit_test(test_trace),
                                       cmocka_unit_test(test_hits),
                                       cmocka_unit_test(test_bounds),
                                       cmocka_unit_test(test_free_azimuth),
                                       cmocka_unit_test(test_no_manifest),
                                       cmocka_unit_test(test_the_ground_is_below_what_stands),
                                       cmocka_unit_test(test_a_wall_is_always_drawn)};
    return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
