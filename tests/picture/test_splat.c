/* SPDX-License-Identifier: MIT */
/* Both engines of spheres.h against the closed form and against each other. Without Embree the
 * comparison is skipped and says so. */
#include "base/memory.h"
#include "support/picture.h"
#include "picture/splat.h"
#include "picture/tracer.h"
#include "support/skip.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double degree = 0.017453292519943295;

static firn_camera look(double distance, int width, int height)
{
    firn_camera_def def = {.fov = 40 * degree, .distance = distance};
    float zero[3] = {0};
    return firn_camera_look(&def, zero, zero, zero, width, height);
}

static void with_splat(const firn_spheres *spheres, const firn_camera *camera, int columns,
                       int rows, int n_threads, firn_hit *hits)
{
    assert_int_equal(firn_splat_hits(spheres, camera, columns, rows, n_threads, hits), FIRN_OK);
}

static void with_embree(const firn_spheres *spheres, const firn_camera *camera, int columns,
                        int rows, int n_threads, firn_hit *hits)
{
    firn_tracer *tracer;
    firn_tracer_shape shape = {.n_spheres = spheres->n, .xyzr = spheres->xyzr};
    assert_int_equal(firn_tracer_embree->create(1, &shape, n_threads, &tracer, NULL), FIRN_OK);
    firn_tracer_embree->hits(tracer, camera, columns, rows, n_threads, hits);
    firn_tracer_embree->destroy(tracer);
}

typedef void engine(const firn_spheres *, const firn_camera *, int, int, int, firn_hit *);

/* A sphere of radius r at distance D: depth at the centre D - r; the silhouette is the circle of
 * half angle asin(r / D), on a picture of half height tan(fov/2) a disc of radius tan(asin(r/D))
 * / tan(fov/2) * rows / 2. */
static void check_single(engine *hits_of)
{
    enum { SIDE = 401 };
    static firn_hit hits[SIDE * SIDE];
    float sphere[4] = {0, 0, 0, 0.5f};
    firn_spheres spheres = {1, sphere};
    firn_camera camera = look(3, SIDE, SIDE);
    hits_of(&spheres, &camera, SIDE, SIDE, 2, hits);
    assert_true(fabsf(hits[SIDE * (SIDE / 2) + SIDE / 2].t - 2.5f) < 1e-5f);
    double radius = tan(asin(0.5 / 3)) / tan(20 * degree) * SIDE / 2, area = 0;
    for (int j = 0; j < SIDE; j++)
        for (int i = 0; i < SIDE; i++) {
            double d = hypot(i - SIDE / 2, j - SIDE / 2);
            int is_hit = hits[j * SIDE + i].id == 0;
            area += is_hit;
            if (d < radius - 0.02 && !is_hit) fail_msg("hole at %d, %d", i, j);
            if (d > radius + 0.02 && is_hit) fail_msg("outside at %d, %d", i, j);
        }
    assert_true(fabs(sqrt(area / 3.14159265) - radius) < 0.1);
}

static void test_single_splat(void **state) { (void)state, check_single(with_splat); }

static void test_single_embree(void **state)
{
    (void)state;
    if (!firn_tracer_embree) SKIP("firn was built without Embree");
    check_single(with_embree);
}

/* Off the axis the silhouette is an ellipse; every ray against the quadratic in double precision.
 */
static void test_off_axis(void **state)
{
    (void)state;
    enum { W = 160, H = 90 };
    static firn_hit hits[W * H];
    float sphere[3][4] = {
        {1.1f, 0.5f, 0.2f, 0.3f}, {-1.2f, -0.6f, 0.5f, 0.2f}, {0, 0, 5, 0.4f}}; /* one is behind */
    firn_spheres spheres = {3, sphere[0]};
    firn_camera camera = look(3, W, H);
    with_splat(&spheres, &camera, W, H, 1, hits);
    for (int j = 0; j < H; j++)
        for (int i = 0; i < W; i++) {
            float d[3];
            firn_spheres_ray(&camera, W, H, i, j, d);
            double nearest = INFINITY, margin = 1;
            for (int k = 0; k < 3; k++) {
                double q[3], b = 0, qq = 0;
                for (int c = 0; c < 3; c++) {
                    q[c] = (double)sphere[k][c] - camera.eye[c];
                    b += q[c] * d[c];
                    qq += q[c] * q[c];
                }
                double rest = (double)sphere[k][3] * sphere[k][3] - (qq - b * b),
                       t = b - sqrt(fmax(rest, 0));
                margin = fmin(margin, fabs(rest));
                if (rest >= 0 && t > 0) nearest = fmin(nearest, t);
            }
            if (margin < 1e-5) continue; /* on the rim */
            float t = hits[j * W + i].t;
            if (isinf(nearest) ? !isinf(t) : fabs(t - nearest) > 1e-4)
                fail_msg("%d, %d: %g for %g", i, j, (double)t, nearest);
        }
}

/* The two engines see the same of a heap of 20,000 spheres: all but a few rays that graze a rim. */
static void test_engines_agree(void **state)
{
    (void)state;
    if (!firn_tracer_embree) SKIP("firn was built without Embree");
    enum { W = 320, H = 180, N = 20000 };
    static firn_hit a[W * H], b[W * H];
    static float xyzr[N][4];
    uint32_t random = 3;
    for (int k = 0; k < N; k++) {
        for (int c = 0; c < 3; c++) xyzr[k][c] = picture_random(&random) - 0.5f;
        xyzr[k][3] = 0.02f * picture_random(&random);
    }
    firn_spheres spheres = {N, xyzr[0]};
    firn_camera camera = look(2, W, H);
    with_splat(&spheres, &camera, W, H, 2, a);
    with_embree(&spheres, &camera, W, H, 2, b);
    int n_hit = 0, n_outline = 0, n_other = 0;
    for (int k = 0; k < W * H; k++) {
        n_hit += a[k].id != FIRN_NO_SPHERE;
        n_outline += (a[k].id == FIRN_NO_SPHERE) != (b[k].id == FIRN_NO_SPHERE);
        n_other +=
            a[k].id != b[k].id || (a[k].id != FIRN_NO_SPHERE && fabsf(a[k].t - b[k].t) > 1e-4f);
    }
    assert_true(n_hit > W * H / 8);
    assert_in_range(n_outline, 0, 2);
    assert_in_range(n_other, 0, 20);
}

static void check_threads(engine *hits_of)
{
    enum { W = 203, H = 101, N = 5000 }; /* sizes that no packet and no band divides */
    static firn_hit one[W * H], many[W * H];
    static float xyzr[N][4];
    uint32_t random = 9;
    for (int k = 0; k < N; k++) {
        for (int c = 0; c < 3; c++) xyzr[k][c] = picture_random(&random) - 0.5f;
        xyzr[k][3] = 0.03f;
    }
    firn_spheres spheres = {N, xyzr[0]};
    firn_camera camera = look(2, W, H);
    hits_of(&spheres, &camera, W, H, 1, one);
    for (int n_threads = 2; n_threads < 6; n_threads++) {
        memset(many, 0xA5, sizeof many);
        hits_of(&spheres, &camera, W, H, n_threads, many);
        assert_memory_equal(one, many, sizeof one);
    }
}

static void test_threads(void **state)
{
    (void)state;
    check_threads(with_splat);
    if (firn_tracer_embree) check_threads(with_embree);
}

/* An eye inside a sphere, spheres of no size, spheres that are not numbers, and none at all. */
static void check_odd(engine *hits_of)
{
    firn_hit hits[12 * 8];
    float odd[4][4] = {{0, 0, 3, 1}, {0, 0, 0, 0}, {NAN, 0, 0, 1}, {0, 0, -4, INFINITY}};
    firn_camera camera = look(3, 12, 8);
    for (int n = 0; n <= 3; n++) {
        firn_spheres spheres = {n, odd[0]};
        memset(hits, 0xA5, sizeof hits);
        hits_of(&spheres, &camera, 12, 8, 1, hits);
        for (int k = 0; k < 96; k++)
            assert_true(hits[k].id == FIRN_NO_SPHERE || hits[k].id < (uint32_t)n);
    }
}

static void test_odd(void **state)
{
    (void)state;
    check_odd(with_splat);
    if (firn_tracer_embree) check_odd(with_embree);
}

static void test_free_rays(void **state)
{
    (void)state;
    if (!firn_tracer_embree) SKIP("firn was built without Embree");
    float sphere[4] = {0, 0, 0, 1};
    firn_tracer_shape shape = {.n_spheres = 1, .xyzr = sphere};
    firn_tracer *tracer;
    assert_int_equal(firn_tracer_embree->create(1, &shape, 1, &tracer, NULL), FIRN_OK);
    firn_ray8 rays = {0};
    for (int k = 0; k < 8;
         /* from x = 3 towards it; every second one aside, one too short, one starting behind */
         k++) {
        rays.is_used[k] = -1;
        rays.origin[0][k] = 3;
        rays.direction[0][k] = -1;
        rays.far[k] = 100;
        if (k % 2) rays.origin[1][k] = 1.5f;
    }
    rays.far[2] = 1.9f;
    rays.near[4] = 4.1f;
    int is_free[8];
    firn_tracer_embree->free(tracer, &rays, is_free);
    const int expected[8] = {0, 1, 1, 1, 1, 1, 0, 1};
    for (int k = 0; k < 8; k++) assert_int_equal(is_free[k], expected[k]);
    firn_tracer_embree->destroy(tracer);
}

static void test_no_memory(void **state)
{
    (void)state;
    float sphere[4] = {0, 0, 0, 1};
    firn_spheres spheres = {1, sphere};
    firn_hit hits[4];
    firn_camera camera = look(3, 2, 2);
    firn_memory_fail_after(1);
    assert_int_equal(firn_splat_hits(&spheres, &camera, 2, 2, 1, hits), FIRN_MEMORY);
    firn_memory_fail_after(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_single_splat), cmocka_unit_test(test_single_embree),
        cmocka_unit_test(test_off_axis),     cmocka_unit_test(test_engines_agree),
        cmocka_unit_test(test_threads),      cmocka_unit_test(test_odd),
        cmocka_unit_test(test_free_rays),    cmocka_unit_test(test_no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
