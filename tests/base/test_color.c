/* SPDX-License-Identifier: MIT */
#include "base/color.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void assert_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance)) fail_msg("%.9g is not within %.3g of %.9g", a, tolerance, b);
}

/* IEC 61966-2-1: 18 % grey is sRGB 0.4614; the two branches of the curve meet at 0.0031308. */
static void test_transfer_curve(void **state)
{
    (void)state;
    assert_near(firn_color_encode(0.18f), 0.46135, 1e-4);
    assert_near(firn_color_encode(0.0031308f), 12.92 * 0.0031308, 1e-6);
    assert_near(firn_color_encode(0.0031309f), 12.92 * 0.0031308, 1e-5);
    for (int k = 0; k <= 255; k++)
        assert_near(firn_color_encode(firn_color_decode((float)k / 255.0f)), k / 255.0, 1e-5);
    assert_true(firn_color_encode(-1.0f) == 0.0f && firn_color_encode(7.0f) == 1.0f);
    assert_true(firn_color_encode(NAN) == 0.0f);
}

/* Published pairs of the OKLab page: white is (1, 0, 0); sRGB red is (0.62796, 0.22486, 0.12585).
 */
static void test_oklab(void **state)
{
    (void)state;
    float lab[3];
    firn_color_to_oklab(firn_color_rgb(1, 1, 1), lab);
    assert_near(lab[0], 1, 1e-4);
    assert_near(lab[1], 0, 1e-4);
    assert_near(lab[2], 0, 1e-4);
    firn_color_to_oklab(firn_color_rgb(1, 0, 0), lab);
    assert_near(lab[0], 0.62796, 1e-4);
    assert_near(lab[1], 0.22486, 1e-4);
    assert_near(lab[2], 0.12585, 1e-4);
    firn_color color = {0.2f, 0.5f, 0.7f, 1};
    firn_color_to_oklab(color, lab);
    firn_color back = firn_color_from_oklab(lab);
    assert_near(back.r, color.r, 1e-4);
    assert_near(back.g, color.g, 1e-4);
    assert_near(back.b, color.b, 1e-4);
}

static void test_hex(void **state)
{
    (void)state;
    firn_color color = firn_color_hex(0x3366cc);
    assert_near(color.r, 0.2, 1e-6);
    assert_near(color.g, 0.4, 1e-6);
    assert_near(color.b, 0.8, 1e-6);
    assert_true(color.a == 1.0f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_transfer_curve),
                                       cmocka_unit_test(test_oklab), cmocka_unit_test(test_hex)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
