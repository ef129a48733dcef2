/* SPDX-License-Identifier: MIT */
#include "plot/font.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static firn_image *page(void)
{
    firn_image *image = firn_image_create(200, 60);
    firn_image_fill(image, firn_color_rgb(1, 1, 1));
    return image;
}

/* Box of all pixels that are not white; returns how many are black to within rounding. */
static int ink(const firn_image *image, int box[4])
{
    int n = 0;
    box[0] = image->width;
    box[1] = image->height;
    box[2] = box[3] = -1;
    for (int j = 0; j < image->height; j++)
        for (int i = 0; i < image->width; i++) {
            int v = image->rgb[3 * (j * image->width + i)];
            n += v < 3;
            if (v > 200) continue;
            if (i < box[0]) box[0] = i;
            if (j < box[1]) box[1] = j;
            if (i > box[2]) box[2] = i;
            if (j > box[3]) box[3] = j;
        }
    return n;
}

/* Every printable ASCII sign and every sign promised leaves ink of its own; an unknown one is
 * the open box. */
static void test_every_sign_is_drawn(void **state)
{
    (void)state;
    const char *others = "°±²³·×ΔΣΨΩαβγδεηθκλμνπρστφχψω–…→−√≈≤≥⁰¹⁴⁵⁶⁷⁸⁹⁻µ";
    char text[600] = "";
    for (int c = '!'; c <= '~'; c++) text[c - '!'] = (char)c;
    strcat(text, others);
    static uint8_t box_sign[200 * 60 * 3];
    firn_text_style style = {.size = 16, .color = firn_color_rgb(0, 0, 0)};
    firn_image *image = page();
    assert_true(firn_font_draw(image, 20, 40, "\xE4\xB8\xAD", &style));
    memcpy(box_sign, image->rgb, sizeof box_sign);
    for (char *at = text; *at;) {
        char sign[5] = {*at++};
        for (int k = 1; (*at & 0xC0) == 0x80; k++) sign[k] = *at++;
        firn_image_fill(image, firn_color_rgb(1, 1, 1));
        assert_true(firn_font_draw(image, 20, 40, sign, &style));
        int box[4];
        ink(image, box);
        if (box[2] < 0) fail_msg("'%s' is invisible", sign);
        if (!memcmp(box_sign, image->rgb, sizeof box_sign))
            fail_msg("'%s' is not in the font", sign);
        assert_in_range(box[1], 20, 45);
    }
    firn_image_destroy(image);
}

/* An upright stroke is fitted to the grid at every size: half-way up, a pixel is ink or paper,
 * not grey. */
static void test_stems_are_crisp(void **state)
{
    (void)state;
    for (float size = 10; size < 40; size += 0.7f) {
        firn_image *image = page();
        firn_text_style style = {.size = size, .color = firn_color_rgb(0, 0, 0)};
        firn_font_draw(image, 20.4f, 50.3f, "l", &style);
        int box[4], n_dark = 0;
        ink(image, box);
        assert_int_equal(box[3], 49); /* it stands on the baseline */
        for (int i = 0; i < image->width; i++) {
            int v = image->rgb[3 * ((50 - (int)(size / 3)) * image->width + i)];
            if (v > 40 && v < 228) fail_msg("size %g: grey %d beside the stem", (double)size, v);
            n_dark += v <= 40;
        }
        assert_in_range(n_dark, 1, 4);
        firn_image_destroy(image);
    }
}

static void test_anchors_and_width(void **state)
{
    (void)state;
    const char *text = "stress (kPa)";
    float width = firn_font_width(text, 14);
    assert_true(width > 60 && width < 110);
    assert_true(fabsf(firn_font_width(text, 28) - 2 * width) < 1e-3f);
    int start[4], middle[4], end[4], up[4];
    firn_text_style style = {.size = 14, .color = firn_color_rgb(0, 0, 0)};
    firn_image *image = page();
    firn_font_draw(image, 10, 40, text, &style);
    ink(image, start);
    firn_image_fill(image, firn_color_rgb(1, 1, 1));
    style.anchor = FIRN_ANCHOR_MIDDLE;
    firn_font_draw(image, 10 + width / 2, 40, text, &style);
    ink(image, middle);
    firn_image_fill(image, firn_color_rgb(1, 1, 1));
    style.anchor = FIRN_ANCHOR_END;
    firn_font_draw(image, 10 + width, 40, text, &style);
    ink(image, end);
    for (int k = 0; k < 4; k++) {
        assert_in_range(middle[k], start[k] - 1, start[k] + 1);
        assert_in_range(end[k], start[k] - 1, start[k] + 1);
    }
    assert_true(start[0] >= 10 &&
                (float)start[2] <= 10 + width); /* the ink lies within the advance */
    /* Upwards, the same ink turned by a quarter. */
    firn_image_fill(image, firn_color_rgb(1, 1, 1));
    style.anchor = FIRN_ANCHOR_START;
    style.is_vertical = 1;
    firn_font_draw(image, 100, 59, "ab", &style);
    ink(image, up);
    firn_image_fill(image, firn_color_rgb(1, 1, 1));
    style.is_vertical = 0;
    firn_font_draw(image, 100, 59, "ab", &style);
    ink(image, start);
    assert_int_equal(up[2] - up[0], start[3] - start[1]);
    assert_int_equal(up[3] - up[1], start[2] - start[0]);
    firn_image_destroy(image);
}

/* Damaged UTF-8 is boxes, never a read past the end. */
static void test_damaged_text(void **state)
{
    (void)state;
    firn_image *image = page();
    firn_text_style style = {.size = 12, .color = firn_color_rgb(0, 0, 0)};
    assert_true(firn_font_draw(image, 5, 30, "\xFF\xC3\xE2\x82", &style));
    assert_true(firn_font_width("\xF0\x9F", 12) > 0);
    assert_true(firn_font_draw(image, 5, 30, "", &style));
    assert_true(firn_font_width("", 12) == 0);
    firn_image_destroy(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_sign_is_drawn), cmocka_unit_test(test_stems_are_crisp),
        cmocka_unit_test(test_anchors_and_width), cmocka_unit_test(test_damaged_text)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
