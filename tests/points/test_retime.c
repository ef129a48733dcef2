/* SPDX-License-Identifier: MIT */
/* test_retime.c: particles between two caches: a throw is exact, births, ends and jumps stay where
 * they belong, and velocities are those of what is seen. */
#include "points/retime.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const double g = -9.81, v0[3] = {1.5, 4, -0.5};

/* Particles with these ids on parabolas, each from a place of its own. */
static firn_points *thrown(int n, const int32_t *ids, double t)
{
    firn_points *points = firn_points_create(n);
    firn_points_add(points, "P", FIRN_ATTRIBUTE_VECTOR, 3);
    firn_points_add(points, "v", FIRN_ATTRIBUTE_VECTOR, 3);
    firn_points_add(points, "id", FIRN_ATTRIBUTE_INT, 1);
    firn_points_add(points, "T", FIRN_ATTRIBUTE_FLOAT, 1);
    for (int i = 0; i < n; i++) {
        for (int c = 0; c < 3; c++) {
            const double a = c == 1 ? g : 0;
            points->attributes[0].data.f[3 * i + c] =
                (float)(0.1 * ids[i] + v0[c] * t + a * t * t / 2);
            points->attributes[1].data.f[3 * i + c] = (float)(v0[c] + a * t);
        }
        points->attributes[2].data.i[i] = ids[i];
        points->attributes[3].data.f[i] = (float)(300 + 10 * t);
    }
    return points;
}

/* In another order in each cache; at a quarter of the speed velocities are a quarter. */
static void throw_is_exact(void **state)
{
    (void)state;
    const int32_t before[] = {3, 1, 2}, after[] = {2, 3, 1};
    firn_points *a = thrown(3, before, 0.1), *b = thrown(3, after, 0.3), *r = NULL;
    for (int k = 0; k <= 8; k++) {
        const double t = 0.1 + 0.025 * k;
        assert_int_equal(firn_retime_between(a, b, 0.1, 0.3, t, 0.25, &r, NULL), FIRN_OK);
        firn_points *exact = thrown(3, k < 4 ? before : after, t);
        assert_int_equal(r->n, 3);
        for (int i = 0; i < 9; i++) {
            assert_true(fabs(r->attributes[0].data.f[i] - exact->attributes[0].data.f[i]) < 2e-6);
            assert_true(fabs(r->attributes[1].data.f[i] - 0.25 * exact->attributes[1].data.f[i]) <
                        5e-6);
        }
        for (int i = 0; i < 3; i++) {
            assert_int_equal(r->attributes[2].data.i[i], exact->attributes[2].data.i[i]);
            assert_true(fabs(r->attributes[3].data.f[i] - exact->attributes[3].data.f[i]) < 1e-3);
        }
        firn_points_destroy(exact);
        firn_points_destroy(r);
    }
    firn_points_destroy(a);
    firn_points_destroy(b);
}

/* 7 ends and 9 begins between the caches: each in the half next to its own. */
static void ends_and_births(void **state)
{
    (void)state;
    const int32_t before[] = {1, 7}, after[] = {9, 1};
    firn_points *a = thrown(2, before, 0), *b = thrown(2, after, 0.1), *r = NULL;
    assert_int_equal(firn_retime_between(a, b, 0, 0.1, 0.02, 1, &r, NULL), FIRN_OK);
    assert_int_equal(r->n, 2);
    assert_int_equal(r->attributes[2].data.i[1], 7);
    assert_true(fabs(r->attributes[0].data.f[3] - (0.7 + 0.02 * v0[0])) < 1e-6);
    firn_points_destroy(r);
    assert_int_equal(firn_retime_between(a, b, 0, 0.1, 0.08, 1, &r, NULL), FIRN_OK);
    assert_int_equal(r->n, 2);
    assert_int_equal(r->attributes[2].data.i[0], 9);
    assert_true(fabs(r->attributes[0].data.f[0] - (0.9 + 0.08 * v0[0])) < 1e-6);
    firn_points_destroy(r);
    firn_points_destroy(a);
    firn_points_destroy(b);
}

/* A rotation about z by 0 and by 60 degrees, written with the other sign: half way is 30 degrees.
 * An acceleration is that of what is seen. */
static void rotations(void **state)
{
    (void)state;
    const int32_t ids[] = {1};
    firn_points *ends[2], *r = NULL;
    for (int k = 0; k < 2; k++) {
        ends[k] = thrown(1, ids, 0.1 * k);
        float *q = firn_points_add(ends[k], "orient", FIRN_ATTRIBUTE_FLOAT, 4)->data.f;
        q[2] = (float)-sin(k * M_PI / 6);
        q[3] = (float)(k ? -cos(M_PI / 6) : 1);
        firn_points_add(ends[k], "accel", FIRN_ATTRIBUTE_VECTOR, 3)->data.f[1] = -8;
    }
    assert_int_equal(firn_retime_between(ends[0], ends[1], 0, 0.1, 0.05, 0.5, &r, NULL), FIRN_OK);
    const float *q = firn_points_find(r, "orient")->data.f;
    assert_true(fabs(q[2] - sin(M_PI / 12)) < 1e-6 && fabs(q[3] - cos(M_PI / 12)) < 1e-6);
    assert_true(firn_points_find(r, "accel")->data.f[1] == -2);
    firn_points_destroy(r);
    firn_points_destroy(ends[0]);
    firn_points_destroy(ends[1]);
}

/* Through a periodic wall: never in the middle of the box. */
static void jumps(void **state)
{
    (void)state;
    const int32_t ids[] = {0};
    firn_points *a = thrown(1, ids, 0), *b = thrown(1, ids, 0.01), *r = NULL;
    b->attributes[0].data.f[0] -= 10;
    for (int k = 0; k <= 10; k++) {
        assert_int_equal(firn_retime_between(a, b, 0, 0.01, 0.001 * k, 1, &r, NULL), FIRN_OK);
        assert_true(fabs(r->attributes[0].data.f[0] - (k < 5 ? 0 : -10)) < 0.1);
        firn_points_destroy(r);
    }
    firn_points_destroy(a);
    firn_points_destroy(b);
}

static void needs_velocities(void **state)
{
    (void)state;
    firn_points *a = firn_points_create(1), *r = NULL;
    firn_points_add(a, "P", FIRN_ATTRIBUTE_VECTOR, 3);
    assert_int_equal(firn_retime_between(a, a, 0, 1, 0.5, 1, &r, NULL), FIRN_REFUSED);
    assert_null(r);
    firn_points_destroy(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(throw_is_exact),   cmocka_unit_test(ends_and_births),
        cmocka_unit_test(rotations),        cmocka_unit_test(jumps),
        cmocka_unit_test(needs_velocities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
