/* SPDX-License-Identifier: MIT */
#include "picture/colormap.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static double step(const firn_color *a, const firn_color *b)
{
    float p[3], q[3];
    firn_color_to_oklab(*a, p);
    firn_color_to_oklab(*b, q);
    return sqrt(pow(p[0] - q[0], 2) + pow(p[1] - q[1], 2) + pow(p[2] - q[2], 2));
}

/* Calls check for every map that is named. */
static void each(void (*check)(const firn_colormap *map))
{
    char names[200];
    strcpy(names, firn_colormap_names());
    int n = 0;
    for (char *name = strtok(names, " "); name; name = strtok(NULL, " "), n++) {
        firn_colormap map;
        assert_true(firn_colormap_init(&map, name));
        assert_string_equal(map.name, name);
        check(&map);
    }
    assert_true(n >= 5);
}

static void check_lightness(const firn_colormap *map)
{
    for (int k = 1; k < FIRN_COLORMAP_SIZE; k++) {
        float a[3], b[3];
        firn_color_to_oklab(map->colors[k - 1], a);
        firn_color_to_oklab(map->colors[k], b);
        int falls = map->is_diverging && k > FIRN_COLORMAP_SIZE / 2;
        if (map->is_diverging && k == FIRN_COLORMAP_SIZE / 2)
            continue; /* the two entries of the middle */
        if (falls ? b[0] >= a[0] : b[0] <= a[0])
            fail_msg("%s: lightness turns at %d", map->name, k);
    }
}
static void test_lightness_is_monotone(void **state) { (void)state, each(check_lightness); }

/* The same step of the number is the same step in OKLab, to within 10 % over any tenth of the map.
 */
static void check_steps(const firn_colormap *map)
{
    double tenth[10] = {0}, mean = 0;
    for (int k = 0; k < 250; k++) {
        if (map->is_diverging && k == 127) continue; /* the two halves meet: no step there */
        double d = step(&map->colors[k], &map->colors[k + 1]);
        tenth[k / 25] += d;
        mean += d / 10;
    }
    for (int i = 0; i < 10; i++)
        if (fabs(tenth[i] / mean - 1) > 0.1)
            fail_msg("%s: tenth %d is %.3f of the mean", map->name, i, tenth[i] / mean);
}
static void test_steps_are_equal(void **state) { (void)state, each(check_steps); }

static void check_symmetry(const firn_colormap *map)
{
    float middle[3];
    firn_color_to_oklab(firn_colormap_at(map, 0.5), middle);
    if (!map->is_diverging) return;
    assert_true(hypotf(middle[1], middle[2]) < 0.02f); /* zero has no colour */
    for (int k = 0; k < 128; k++) {
        float a[3], b[3];
        firn_color_to_oklab(map->colors[k], a);
        firn_color_to_oklab(map->colors[255 - k], b);
        assert_true(fabsf(a[0] - b[0]) < 0.04f);
    }
}
static void test_diverging_is_symmetric(void **state) { (void)state, each(check_symmetry); }

static void test_lookup(void **state)
{
    (void)state;
    firn_colormap map;
    assert_false(firn_colormap_init(&map, "jet"));
    assert_true(firn_colormap_init(&map, ""));
    assert_string_equal(map.name, "lichen");
    firn_color low = firn_colormap_at(&map, -3), high = firn_colormap_at(&map, INFINITY),
               nan = firn_colormap_at(&map, NAN);
    assert_memory_equal(&low, &map.colors[0], sizeof low);
    assert_true(step(&high, &map.colors[255]) < 1e-6);
    assert_true(nan.r == 1 && nan.g == 0 && nan.b == 1);
    firn_color between = firn_colormap_at(&map, 10.5 / 255);
    assert_true(fabsf(between.g - 0.5f * (map.colors[10].g + map.colors[11].g)) < 1e-5f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lightness_is_monotone), cmocka_unit_test(test_steps_are_equal),
        cmocka_unit_test(test_diverging_is_symmetric), cmocka_unit_test(test_lookup)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
