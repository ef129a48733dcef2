/* SPDX-License-Identifier: MIT */
#include "picture/camera.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const double degree = 0.017453292519943295;

/* Azimuth 0 looks along -z, azimuth 90 along -x, elevation 90 straight down; right, up, -forward
 * is right-handed. */
static void test_directions(void **state)
{
    (void)state;
    float zero[3] = {0}, one[3] = {1, 1, 1}, minus[3] = {-1, -1, -1};
    firn_camera_def def = {.fov = 30 * degree, .distance = 5};
    firn_camera c = firn_camera_look(&def, zero, minus, one, 100, 100);
    assert_true(fabsf(c.eye[2] - 5) < 1e-5f && fabsf(c.forward[2] + 1) < 1e-6f &&
                fabsf(c.right[0] - 1) < 1e-6f);
    def.azimuth = 90 * degree;
    c = firn_camera_look(&def, zero, minus, one, 100, 100);
    assert_true(fabsf(c.eye[0] - 5) < 1e-5f && fabsf(c.right[2] + 1) < 1e-6f);
    def.azimuth = 33 * degree;
    def.elevation = 20 * degree;
    c = firn_camera_look(&def, zero, minus, one, 100, 100);
    assert_true(c.eye[1] > 1.7f && c.up[1] > 0.9f);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        assert_true(fabsf(c.right[j] * c.up[k] - c.right[k] * c.up[j] + c.forward[i]) < 1e-6f);
    }
}

/* Without a distance all corners of the box are inside the picture, and one of them nearly
 * touches the allowed rim. */
static void test_fit(void **state)
{
    (void)state;
    float zero[3] = {0}, low[3] = {-3, -0.2f, -1}, high[3] = {3, 0.2f, 1};
    const int shapes[][2] = {{1280, 720}, {300, 900}};
    for (int shape = 0; shape < 2; shape++)
        for (double azimuth = 0; azimuth < 360; azimuth += 40) {
            firn_camera_def def = {
                .fov = 28 * degree, .azimuth = azimuth * degree, .elevation = 25 * degree};
            firn_camera c =
                firn_camera_look(&def, zero, low, high, shapes[shape][0], shapes[shape][1]);
            float widest = 0;
            for (int corner = 0; corner < 8; corner++) {
                float q[3], x = 0, y = 0, z = 0;
                for (int i = 0; i < 3; i++) q[i] = (corner >> i & 1 ? high[i] : low[i]) - c.eye[i];
                for (int i = 0; i < 3; i++) {
                    x += q[i] * c.right[i];
                    y += q[i] * c.up[i];
                    z += q[i] * c.forward[i];
                }
                widest = fmaxf(widest, fmaxf(fabsf(x) / z / c.tan_x, fabsf(y) / z / c.tan_y));
            }
            assert_true(widest < 0.85f && widest > 0.83f);
        }
}

/* Points that lie to one side of the target: the camera is shifted until they touch the rim of one
 * pair of sides equally, and stand in the middle of the other. A target or a distance holds it. */
static void test_fit_of_points(void **state)
{
    (void)state;
    enum { N = 500 };
    float points[N][3], zero[3] = {0};
    for (int k = 0; k < N; k++) {
        double a = 2.4 * k, y = 1 - 2 * (k + 0.5) / N, r = sqrt(1 - y * y);
        points[k][0] = (float)(3 + r * cos(a));
        points[k][1] = (float)(2 * y);
        points[k][2] = (float)(r * sin(a) - 1);
    }
    for (double azimuth = 0; azimuth < 360; azimuth += 60) {
        firn_camera_def def = {
            .fov = 28 * degree, .azimuth = azimuth * degree, .elevation = 25 * degree};
        firn_camera c = firn_camera_fit(&def, zero, N, (const float(*)[3])points, 1280, 720);
        float low[2] = {9, 9}, high[2] = {-9, -9};
        for (int k = 0; k < N; k++) {
            float q[3], z = 0, x[2] = {0, 0};
            for (int i = 0; i < 3; i++) q[i] = points[k][i] - c.eye[i];
            for (int i = 0; i < 3; i++) {
                x[0] += q[i] * c.right[i] / c.tan_x;
                x[1] += q[i] * c.up[i] / c.tan_y;
                z += q[i] * c.forward[i];
            }
            for (int side = 0; side < 2; side++) {
                low[side] = fminf(low[side], x[side] / z);
                high[side] = fmaxf(high[side], x[side] / z);
            }
        }
        assert_true(fabsf(high[1] - 0.84f) < 1e-3f && fabsf(low[1] + 0.84f) < 1e-3f);
        assert_true(high[0] < 0.84f && fabsf(high[0] + low[0]) < 0.02f);
        def.has_target = 1;
        c = firn_camera_fit(&def, zero, N, (const float(*)[3])points, 1280, 720);
        float beside = c.eye[0] * c.right[0] + c.eye[1] * c.right[1] + c.eye[2] * c.right[2];
        assert_true(fabsf(beside) < 1e-4f);
    }
}

static void test_rays(void **state)
{
    (void)state;
    float zero[3] = {0}, d[3];
    firn_camera_def def = {.fov = 90 * degree, .distance = 1};
    firn_camera c = firn_camera_look(&def, zero, zero, zero, 200, 100);
    firn_camera_ray(&c, 0, 0, d);
    assert_true(fabsf(d[2] + 1) < 1e-6f);
    firn_camera_ray(&c, 1, 0, d); /* 90 degrees high, twice as wide: tan of half the width is 2 */
    assert_true(fabsf(d[0] / -d[2] - 2) < 1e-5f);
    firn_camera_ray(&c, 0, 1, d);
    assert_true(fabsf(d[1] / -d[2] - 1) < 1e-5f &&
                fabsf(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] - 1) < 1e-6f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_directions), cmocka_unit_test(test_fit),
        cmocka_unit_test(test_fit_of_points), cmocka_unit_test(test_rays)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
