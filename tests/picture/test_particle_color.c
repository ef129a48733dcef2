/* SPDX-License-Identifier: MIT */
/* Numbers and colours of particles, and the bounds of a shot. */
#include "base/memory.h"
#include "support/picture.h"
#include "picture/view_bounds.h"
#include "picture/particle_color.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void test_numbers(void **state)
{
    (void)state;
    firn_points *points = firn_points_create(2);
    float *v = firn_points_add(points, "v", FIRN_ATTRIBUTE_VECTOR, 3)->data.f;
    v[3] = 3;
    v[4] = -4;
    v[5] = 12;
    float *F = firn_points_add(points, "F", FIRN_ATTRIBUTE_FLOAT, 9)->data.f;
    memcpy(F + 9, (float[9]){2, 1, 0, 0, 3, 5, 1, 0, 4},
           36); /* determinant 2*12 - 1*(0 - 5) = 29 */
    firn_points_add(points, "id", FIRN_ATTRIBUTE_INT, 1)->data.i[1] = 77;
    firn_particle_color_number number;
    assert_int_equal(firn_particle_color_find(points, "v", &number, NULL), FIRN_OK);
    assert_true(fabs(firn_particle_color_value(&number, 1) - 13) < 1e-6);
    assert_int_equal(firn_particle_color_find(points, "v.y", &number, NULL), FIRN_OK);
    assert_true(firn_particle_color_value(&number, 1) == -4);
    assert_int_equal(firn_particle_color_find(points, "F", &number, NULL), FIRN_OK);
    assert_true(fabs(firn_particle_color_value(&number, 1) - 29) < 1e-6);
    assert_int_equal(firn_particle_color_find(points, "F[5]", &number, NULL), FIRN_OK);
    assert_true(firn_particle_color_value(&number, 1) == 5);
    assert_int_equal(firn_particle_color_find(points, "id", &number, NULL), FIRN_OK);
    assert_true(firn_particle_color_value(&number, 1) == 77);
    firn_messages *messages = firn_messages_create();
    assert_int_equal(firn_particle_color_find(points, "speed", &number, messages), FIRN_REFUSED);
    assert_string_equal(firn_messages_text(messages, 0, NULL),
                        "attribute: not in this cache (speed); allowed: v F id");
    const char *const bad[] = {"v.w", "v[3]", "v[-1]", "v[", "v[1", "v.xy", "v.", "id[1]"};
    for (int k = 0; k < 8; k++)
        assert_int_equal(firn_particle_color_find(points, bad[k], &number, messages), FIRN_REFUSED);
    firn_messages_destroy(messages);
    firn_points_destroy(points);
}

static void test_materials(void **state)
{
    (void)state;
    firn_points *points = picture_points(100, 0.01f);
    firn_particle_color_palette palette;
    firn_particle_color_categories(points, &palette);
    assert_int_equal(palette.n, 2);
    assert_string_equal(palette.names[1], "dough");
    assert_true(palette.colors[0].b > palette.colors[0].r); /* snow is bluish, dough is not */
    assert_true(palette.colors[1].b < palette.colors[1].r);
    float linear[3];
    const firn_attribute *material = firn_points_find(points, "material");
    material->data.i[3] = 99; /* a damaged cache */
    firn_particle_color_by_material(points, &palette, 3, linear);
    assert_true(linear[0] > 0);
    firn_points_add(points, "Cd", FIRN_ATTRIBUTE_VECTOR, 3)->data.f[9] = 0.25f;
    firn_particle_color_by_material(points, &palette, 3, linear);
    assert_true(linear[0] == 0.25f && linear[1] == 0);
    firn_points_destroy(points);
}

/* One stray particle and one that is not a number leave the box as it was. */
static void test_survey(void **state)
{
    (void)state;
    firn_points *points = picture_points(10000, 0.01f);
    float *p = firn_points_find(points, "P")->data.f;
    p[0] = 1000;
    p[31] = NAN;
    firn_view_bounds bounds = firn_view_bounds_default();
    assert_int_equal(firn_view_bounds_add(&bounds, points, "v", NULL), FIRN_OK);
    for (int c = 0; c < 3; c++) {
        double low = c == 1 ? 0 : -0.5;
        assert_true(fabs(bounds.min[c] - low) < 0.02 && fabs(bounds.max[c] - low - 1) < 0.02);
    }
    assert_true(bounds.lowest >= 0 && bounds.lowest < 0.005);
    assert_true(bounds.value_min >= 0 && bounds.value_max < 0.5 &&
                bounds.value_max > 0.48); /* |v| = |x| */
    /* A second frame widens it; with z up the axes are turned: (x, y, z) -> (x, z, -y). */
    for (int k = 0; k < 10000; k++) p[3 * k + 1] += 5;
    assert_int_equal(firn_view_bounds_add(&bounds, points, "", NULL), FIRN_OK);
    assert_true(bounds.max[1] > 5.9 && bounds.min[1] < 0.1 && bounds.n == 20000);
    firn_view_bounds turned = firn_view_bounds_default();
    turned.is_z_up = 1;
    assert_int_equal(firn_view_bounds_add(&turned, points, "", NULL), FIRN_OK);
    assert_true(turned.max[1] < 0.51 && turned.min[2] < -5.9 && turned.max[2] < -4.9);
    assert_int_equal(firn_view_bounds_add(&bounds, points, "nothing", NULL), FIRN_REFUSED);
    firn_memory_fail_after(1);
    assert_int_equal(firn_view_bounds_add(&bounds, points, "", NULL), FIRN_MEMORY);
    firn_memory_fail_after(0);
    firn_points_destroy(points);
    points = firn_points_create(3);
    assert_int_equal(firn_view_bounds_add(&bounds, points, "", NULL), FIRN_REFUSED);
    firn_points_destroy(points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_numbers),
                                       cmocka_unit_test(test_materials),
                                       cmocka_unit_test(test_survey)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
