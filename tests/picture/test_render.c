/* SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "support/picture.h"
#include "picture/render.h"
#include "picture/tracer.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static firn_render_def small_picture(void)
{
    firn_render_def def = firn_render_default();
    def.width = 160;
    def.height = 90;
    def.n_threads = 2;
    def.has_legend = 0;
    return def;
}

static firn_image *picture(const firn_points *points, const firn_render_def *def)
{
    firn_view_bounds bounds = firn_view_bounds_default();
    assert_int_equal(firn_view_bounds_add(&bounds, points, def->attribute, NULL), FIRN_OK);
    firn_image *image;
    assert_int_equal(firn_render_frame(points, &bounds, def, &image, NULL), FIRN_OK);
    return image;
}

static const uint8_t *pixel(const firn_image *image, int i, int j)
{
    return image->rgb + 3 * (j * image->width + i);
}

static firn_points *one_ball(float y)
{
    firn_points *points = firn_points_create(1);
    firn_points_add(points, "P", FIRN_ATTRIBUTE_VECTOR, 3)->data.f[1] = y;
    firn_points_add(points, "pscale", FIRN_ATTRIBUTE_FLOAT, 1)->data.f[0] = 1;
    firn_points_add(points, "J", FIRN_ATTRIBUTE_FLOAT, 1)->data.f[0] = 0.5f;
    return points;
}

/* A ball that hovers over the ground, sun from the left behind the camera: bright on the left,
 * dark on the right, and the ground under it darker than elsewhere. Without a tracer there is no
 * shadow, but the same ball. */
static void test_light_and_shadow(void **state)
{
    (void)state;
    firn_points *points = one_ball(1);
    firn_render_def def = small_picture();
    def.camera.distance = 12;
    def.camera.elevation = 0.35;
    def.ground = FIRN_GROUND_GIVEN;
    def.ground_height = -0.2;
    for (int engine = FIRN_ENGINE_EMBREE; engine <= FIRN_ENGINE_SPLAT; engine++) {
        if (engine == FIRN_ENGINE_EMBREE && !firn_tracer_embree) continue;
        def.engine = (firn_engine)engine;
        firn_image *image = picture(points, &def);
        int bright = pixel(image, 74, 40)[1], dark = pixel(image, 90, 52)[1],
            far = pixel(image, 20, 62)[1];
        assert_true(bright > dark + 40);
        assert_true(bright > far + 60);
        int darkest = 255;
        for (int i = 80; i < 150; i++)
            for (int j = 56; j < 80; j++)
                darkest = pixel(image, i, j)[1] < darkest ? pixel(image, i, j)[1] : darkest;
        if (engine == FIRN_ENGINE_EMBREE) assert_true(darkest < far - 25);
        firn_image_destroy(image);
    }
    firn_points_destroy(points);
}

/* Lit data reads like the legend: on the sunny side of a ball of value 0.5 in 0..1, hue and
 * order of the channels are those of the middle of the map, and nothing is brighter than the map
 * itself. */
static void test_data_colors(void **state)
{
    (void)state;
    firn_points *points = one_ball(1);
    firn_render_def def = small_picture();
    strcpy(def.attribute, "J");
    def.has_range = 1;
    def.min = 0;
    def.max = 1;
    def.camera.distance = 8;
    firn_image *image = picture(points, &def);
    firn_colormap map;
    firn_colormap_init(&map, "");
    firn_color middle = firn_colormap_at(&map, 0.5);
    int best = 0;
    for (int j = 20; j < 70; j++)
        for (int i = 60; i < 100; i++) {
            const uint8_t *p = pixel(image, i, j);
            if (p[0] < 40 && p[1] > best) best = p[1];
        }
    assert_in_range(best, 0.9f * 255 * middle.g, 255 * middle.g + 1.5f);
    firn_image_destroy(image);
    firn_points_destroy(points);
}

/* The same picture, bit for bit, from any number of threads, by either engine. */
static void test_threads(void **state)
{
    (void)state;
    firn_points *points = picture_points(5000, 0.02f);
    firn_render_def def = small_picture();
    for (int engine = FIRN_ENGINE_AUTO; engine <= FIRN_ENGINE_SPLAT; engine += 2) {
        def.engine = (firn_engine)engine;
        def.n_threads = 1;
        firn_image *one = picture(points, &def);
        for (def.n_threads = 2; def.n_threads <= 5; def.n_threads++) {
            firn_image *many = picture(points, &def);
            assert_memory_equal(one->rgb, many->rgb, 160 * 90 * 3);
            firn_image_destroy(many);
        }
        firn_image_destroy(one);
    }
    firn_points_destroy(points);
}

/* z up is the same picture as y up of points turned likewise. */
static void test_z_up(void **state)
{
    (void)state;
    firn_points *points = picture_points(3000, 0.02f);
    firn_render_def def = small_picture();
    firn_image *upright = picture(points, &def), *turned;
    float *p = firn_points_find(points, "P")->data.f;
    for (int k = 0; k < 3000; k++) {
        float y = p[3 * k + 1];
        p[3 * k + 1] = -p[3 * k + 2];
        p[3 * k + 2] = y;
    }
    firn_view_bounds bounds = firn_view_bounds_default();
    bounds.is_z_up = 1;
    assert_int_equal(firn_view_bounds_add(&bounds, points, "", NULL), FIRN_OK);
    assert_int_equal(firn_render_frame(points, &bounds, &def, &turned, NULL), FIRN_OK);
    assert_memory_equal(upright->rgb, turned->rgb, 160 * 90 * 3);
    firn_image_destroy(upright);
    firn_image_destroy(turned);
    firn_points_destroy(points);
}

static void refused(const firn_points *points, const firn_render_def *def, const char *part)
{
    firn_view_bounds bounds = firn_view_bounds_default();
    firn_view_bounds_add(&bounds, points, "", NULL);
    firn_messages *messages = firn_messages_create();
    firn_image *image;
    assert_int_equal(firn_render_frame(points, &bounds, def, &image, messages), FIRN_REFUSED);
    assert_null(image);
    const char *sentence = firn_messages_text(messages, 0, NULL);
    if (!strstr(sentence, part)) fail_msg("'%s' does not have '%s'", sentence, part);
    firn_messages_destroy(messages);
}

static void test_refusals(void **state)
{
    (void)state;
    firn_points *points = picture_points(10, 0.02f);
    firn_render_def def = small_picture();
    def.width = 0;
    refused(points, &def, "0 x 90");
    def = small_picture();
    def.samples = 0;
    refused(points, &def, "samples");
    if (!firn_tracer_embree) {
        firn_image *image;
        def = small_picture();
        def.engine = FIRN_ENGINE_EMBREE;
        assert_int_equal(firn_render_frame(points, &(firn_view_bounds){0}, &def, &image, NULL),
                         FIRN_USAGE);
        assert_null(image);
    }
    def = small_picture();
    def.camera.fov = NAN;
    refused(points, &def, "field of view");
    def = small_picture();
    def.camera.azimuth = INFINITY;
    refused(points, &def, "finite");
    def = small_picture();
    def.radius_scale = -1;
    refused(points, &def, "radii");
    def = small_picture();
    strcpy(def.attribute, "v");
    def.has_range = 1;
    def.min = 3;
    def.max = 3;
    refused(points, &def, "3 to 3");
    def = small_picture();
    strcpy(def.attribute, "v");
    strcpy(def.map, "jet");
    refused(points, &def, "lichen ember");
    def = small_picture();
    strcpy(def.attribute, "w");
    refused(points, &def, "v pscale material");
    firn_points_destroy(points);
}

/* Nothing, one point, all points in one place, points that are no numbers: always a picture. */
static void test_odd_points(void **state)
{
    (void)state;
    for (int n = 0; n <= 2; n++)
        for (int kind = 0; kind < 3; kind++) {
            firn_points *points = firn_points_create(n);
            float *p = firn_points_add(points, "P", FIRN_ATTRIBUTE_VECTOR, 3)->data.f;
            for (int k = 0; k < 3 * n; k++)
                p[k] = kind == 1 ? NAN : kind == 2 ? 1e30f * (float)(k % 2) : 0;
            firn_render_def def = small_picture();
            for (int engine = FIRN_ENGINE_AUTO; engine <= FIRN_ENGINE_SPLAT; engine += 2) {
                def.engine = (firn_engine)engine;
                firn_image_destroy(picture(points, &def));
            }
            firn_points_destroy(points);
        }
}

/* Whichever allocation fails: FIRN_MEMORY and a sentence. */
static void test_no_memory(void **state)
{
    (void)state;
    firn_points *points = picture_points(50, 0.05f);
    firn_view_bounds bounds = firn_view_bounds_default();
    firn_view_bounds_add(&bounds, points, "v", NULL);
    firn_render_def def = small_picture();
    strcpy(def.attribute, "v");
    strcpy(def.caption, "caption");
    def.has_legend = 1;
    def.engine = FIRN_ENGINE_SPLAT;
    firn_messages *messages = firn_messages_create();
    int n = 1;
    for (;; n++) {
        firn_image *image;
        firn_messages_clear(messages);
        firn_memory_fail_after(n);
        firn_status status = firn_render_frame(points, &bounds, &def, &image, messages);
        firn_memory_fail_after(0);
        if (status == FIRN_OK) {
            firn_image_destroy(image);
            break;
        }
        assert_int_equal(status, FIRN_MEMORY);
        assert_null(image);
        assert_string_equal(firn_messages_text(messages, 0, NULL), "picture: out of memory");
    }
    assert_true(n > 8);
    firn_messages_destroy(messages);
    firn_points_destroy(points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_light_and_shadow), cmocka_unit_test(test_data_colors),
        cmocka_unit_test(test_threads),          cmocka_unit_test(test_z_up),
        cmocka_unit_test(test_refusals),         cmocka_unit_test(test_odd_points),
        cmocka_unit_test(test_no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
