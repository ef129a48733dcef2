/* SPDX-License-Identifier: MIT */
#include "plot/image.h"
#include "base/memory.h"

#include <math.h>
#include <png.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const uint8_t *pixel(const firn_image *image, int i, int j)
{
    return image->rgb + 3 * (j * image->width + i);
}

/* libpng itself reads back what was written, byte for byte, through its simplified interface. */
static void test_png_round_trip(void **state)
{
    (void)state;
    firn_image *image = firn_image_create(123, 45);
    uint32_t random = 1;
    for (int k = 0; k < 123 * 45 * 3; k++) {
        random = random * 1664525u + 1013904223u;
        image->rgb[k] = random >> 24;
    }
    firn_text bytes = {0};
    assert_int_equal(firn_image_encode_png(image, &bytes, NULL), FIRN_OK);
    png_image in = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_memory(&in, bytes.data, bytes.n));
    assert_int_equal(in.width, 123);
    assert_int_equal(in.height, 45);
    in.format = PNG_FORMAT_RGB;
    uint8_t *rgb = malloc(PNG_IMAGE_SIZE(in));
    assert_true(png_image_finish_read(&in, NULL, rgb, 0, NULL));
    assert_memory_equal(rgb, image->rgb, 123 * 45 * 3);
    free(rgb);
    firn_text_clear(&bytes);
    firn_image_destroy(image);
}

static void test_png_file(void **state)
{
    (void)state;
    char folder[] = "/tmp/firn-image-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.png", folder);
    firn_image *image = firn_image_create(3, 2);
    assert_int_equal(firn_image_write_png(image, path, NULL), FIRN_OK);
    png_image in = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&in, path));
    png_image_free(&in);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0); /* and nothing else lay there */

    firn_messages *messages = firn_messages_create();
    assert_int_equal(firn_image_write_png(image, "/nonexistent/a.png", messages), FIRN_IO);
    assert_non_null(strstr(firn_messages_text(messages, 0, NULL), "/nonexistent"));
    firn_messages_destroy(messages);
    firn_image_destroy(image);
}

/* Each allocation on the way fails once: a sentence comes back, nothing leaks (the sanitizer
 * build looks). libpng allocates by itself; what is made to fail here is our buffer, out of
 * which libpng has to be left by longjmp. */
static void test_png_memory(void **state)
{
    (void)state;
    firn_image *image = firn_image_create(300, 300);
    for (int k = 0; k < 300 * 300 * 3; k++) image->rgb[k] = (uint8_t)(k * 2654435761u >> 13);
    firn_messages *messages = firn_messages_create();
    firn_text bytes = {0};
    firn_memory_fail_after(2);
    assert_int_equal(firn_image_encode_png(image, &bytes, messages), FIRN_MEMORY);
    firn_memory_fail_after(0);
    assert_string_equal(firn_messages_text(messages, 0, NULL),
                        "PNG of 300 x 300 pixels: out of memory");
    firn_text_clear(&bytes);
    firn_messages_destroy(messages);
    firn_image_destroy(image);
    firn_memory_fail_after(2);
    assert_null(firn_image_create(10, 10));
    firn_memory_fail_after(0);
}

static void test_bad_sizes(void **state)
{
    (void)state;
    assert_null(firn_image_create(0, 10));
    assert_null(firn_image_create(10, -1));
    assert_null(firn_image_create(FIRN_IMAGE_MAX + 1, 1));
}

/* What a shape covers is its area: the sum of the darkening over all pixels, wherever it lies
 * between them. */
static double ink(const firn_image *image)
{
    double sum = 0;
    for (int k = 0; k < image->width * image->height; k++) sum += 1 - image->rgb[3 * k] / 255.0;
    return sum;
}

static void test_areas(void **state)
{
    (void)state;
    firn_image *image = firn_image_create(64, 64);
    firn_color white = firn_color_rgb(1, 1, 1), black = firn_color_rgb(0, 0, 0);
    firn_image_fill(image, white);
    firn_image_rectangle(image, 10.25f, 5.5f, 20.75f, 9.0f, black);
    assert_true(fabs(ink(image) - 10.5 * 3.5) < 0.1);
    assert_int_equal(pixel(image, 15, 7)[0], 0);
    assert_int_equal(pixel(image, 21, 7)[0], 255);
    firn_image_fill(image, white);
    firn_image_disc(image, 31.3f, 30.8f, 12, black);
    assert_true(fabs(ink(image) - 3.14159265 * 144) < 3);
    firn_image_fill(image, white);
    firn_image_line(image, 10, 20.5f, 50, 20.5f, 1,
                    black); /* along pixel centres: full rows, half-disc ends */
    assert_int_equal(pixel(image, 30, 20)[1], 0);
    assert_int_equal(pixel(image, 30, 21)[1], 255);
    assert_true(fabs(ink(image) - (40 + 3.14159265 / 4)) < 0.4);
    firn_image_fill(image, white);
    firn_image_disc(image, -100, 1e9f, 12, black); /* far outside: nothing */
    firn_image_disc(image, NAN, 3, 12, black);
    firn_image_line(image, -1e30f, 5, 1e30f, NAN, 1, black);
    assert_true(ink(image) == 0);
    firn_image_destroy(image);
}

/* Crossing half-transparent strokes are one shape: the crossing is not darker than the arms. */
static void test_strokes_are_one_shape(void **state)
{
    (void)state;
    firn_image *image = firn_image_create(21, 21);
    firn_image_fill(image, firn_color_rgb(1, 1, 1));
    firn_segment cross[2] = {{2, 10.5f, 19, 10.5f}, {10.5f, 2, 10.5f, 19}};
    assert_true(firn_image_strokes(image, 2, cross, 3, (firn_color){0, 0, 0, 0.5f}));
    assert_int_equal(pixel(image, 10, 10)[0], pixel(image, 5, 10)[0]);
    assert_in_range(pixel(image, 10, 10)[0], 127, 128);
    firn_image_destroy(image);
}

static void test_paste(void **state)
{
    (void)state;
    firn_image *image = firn_image_create(8, 8), *patch = firn_image_create(4, 4);
    firn_image_fill(patch, firn_color_rgb(1, 1, 1));
    firn_image_paste(image, patch, -2, 6); /* cut on two sides: two columns, two rows remain */
    assert_true(fabs(64 - ink(image) - 4) < 1e-9);
    firn_image_paste(image, patch, 8, 0);
    firn_image_paste(image, patch, -4, -4);
    assert_true(fabs(64 - ink(image) - 4) < 1e-9);
    firn_image_destroy(patch);
    firn_image_destroy(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_png_round_trip), cmocka_unit_test(test_png_file),
        cmocka_unit_test(test_png_memory),     cmocka_unit_test(test_bad_sizes),
        cmocka_unit_test(test_areas),          cmocka_unit_test(test_strokes_are_one_shape),
        cmocka_unit_test(test_paste)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
