/* SPDX-License-Identifier: MIT */
#include "picture/legend.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The bar shows the map from left to right, and nothing is drawn outside the lower left corner. */
static void test_bar(void **state)
{
    (void)state;
    firn_colormap map;
    firn_colormap_init(&map, "ember");
    firn_image *image = firn_image_create(640, 360);
    firn_image_fill(image, firn_color_rgb(0, 0, 0));
    firn_legend legend = {"von Mises stress", "Pa", 0, 140e3, 0, &map};
    assert_true(firn_legend_draw_bar(image, &legend));
    int n_first = 0, n_last = 0;
    for (int j = 0; j < 360; j++)
        for (int i = 0; i < 640; i++) {
            const uint8_t *p = image->rgb + 3 * (j * 640 + i);
            const firn_color *a = &map.colors[0], *b = &map.colors[255];
            n_first += abs(p[0] - (int)(a->r * 255)) + abs(p[1] - (int)(a->g * 255)) +
                           abs(p[2] - (int)(a->b * 255)) <
                       6;
            n_last += abs(p[0] - (int)(b->r * 255)) + abs(p[1] - (int)(b->g * 255)) +
                          abs(p[2] - (int)(b->b * 255)) <
                      6;
            if ((i > 320 || j < 180) && p[0] + p[1] + p[2] > 0) fail_msg("ink at %d, %d", i, j);
        }
    assert_true(n_first >= 8 && n_last >= 8);
    firn_image_destroy(image);
}

/* Small pictures and empty or endless ranges are drawn without a complaint of any kind. */
static void test_odd_input(void **state)
{
    (void)state;
    firn_colormap map;
    firn_colormap_init(&map, "");
    firn_image *image = firn_image_create(24, 16);
    const double ranges[][2] = {{0, 0}, {-INFINITY, INFINITY}, {NAN, 1}, {1e-300, 1e300}, {5, -5}};
    for (int k = 0; k < 5; k++)
        for (int is_log = 0; is_log < 2; is_log++) {
            firn_legend legend = {"x", NULL, ranges[k][0], ranges[k][1], is_log, &map};
            assert_true(firn_legend_draw_bar(image, &legend));
        }
    assert_true(firn_legend_draw_caption(image, "one\n\nthree\n"));
    assert_true(firn_legend_draw_caption(image, ""));
    assert_true(firn_legend_draw_swatches(image, 1, (const char *const[]){"snow"},
                                          &(firn_color){1, 1, 1, 1}));
    firn_image_destroy(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bar),
                                       cmocka_unit_test(test_odd_input)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
