/* SPDX-License-Identifier: MIT */
/* test_motion.c: rigid keys - every key is passed, and velocity and spin are what place and
 * rotation do, without a jump at a key. */
#include "geometry/motion.h"
#include "base/memory.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void turn(firn_key *key, double x, double y, double z, double degrees)
{
    double half = degrees * acos(-1) / 360, n = sqrt(x * x + y * y + z * z), s = sin(half) / n;
    const double q[4] = {s * x, s * y, s * z, cos(half)};
    memcpy(key->rotation, q, sizeof q);
}

static firn_motion create(const firn_key *keys, int n)
{
    firn_motion_def def = firn_motion_default();
    firn_motion motion;
    def.keys = keys;
    def.n_keys = n;
    assert_int_equal(firn_motion_create(&def, NULL, &motion), FIRN_OK);
    return motion;
}

static firn_pose at(const firn_motion *motion, double time)
{
    firn_pose pose;
    firn_motion_at(motion, time, 0, &pose);
    return pose;
}

/* Uneven times, axes that change, one turn of nearly half a circle after a small one against it */
static int make_keys(firn_key keys[5])
{
    for (int i = 0; i < 5; i++)
        keys[i] = (firn_key){.time = 0.3 * i + 0.1 * i * i, .position = {i * i, 1.0 / (1 + i), -i}};
    turn(&keys[0], 0, 0, 1, 10);
    turn(&keys[1], 0, 1, 1, -40);
    turn(&keys[2], 1, 1, 0, 130);
    turn(&keys[3], 1, 0.2, 0, -60);
    turn(&keys[4], 1, 0, 0, 100);
    return 5;
}

static void every_key_is_passed(void **unused)
{
    (void)unused;
    firn_key keys[5];
    firn_motion motion = create(keys, make_keys(keys));
    for (int i = 0; i < 5; i++) {
        const double *q = keys[i].rotation;
        const double first_column[3] = {1 - 2 * (q[1] * q[1] + q[2] * q[2]),
                                        2 * (q[0] * q[1] + q[2] * q[3]),
                                        2 * (q[0] * q[2] - q[1] * q[3])};
        for (int side = -1; side <= 1; side++) {
            firn_pose pose = at(&motion, keys[i].time + side * 1e-9);
            for (int a = 0; a < 3; a++) {
                assert_true(fabs(pose.position[a] - keys[i].position[a]) < 1e-7);
                assert_true(fabs(pose.R[3 * a] - first_column[a]) < 1e-7);
            }
        }
    }
    firn_motion_destroy(&motion, NULL);
}

/* dx/dt = v and dR/dt = [spin] R by central differences everywhere; v and spin go on through keys.
 */
static void rates_are_true_and_continuous(void **unused)
{
    (void)unused;
    firn_key keys[5];
    firn_motion motion = create(keys, make_keys(keys));
    const double e = 1e-5, end = keys[4].time;
    for (double t = 0.013; t < end; t += 0.037) {
        firn_pose now = at(&motion, t), before = at(&motion, t - e), after = at(&motion, t + e);
        const double *w = now.spin, W[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
        for (int a = 0; a < 3; a++) {
            assert_true(fabs((after.position[a] - before.position[a]) / (2 * e) - now.velocity[a]) <
                        1e-6);
            for (int b = 0; b < 3; b++) {
                double rate = 0;
                for (int c = 0; c < 3; c++) rate += W[3 * a + c] * now.R[3 * c + b];
                assert_true(fabs((after.R[3 * a + b] - before.R[3 * a + b]) / (2 * e) - rate) <
                            1e-6);
            }
        }
    }
    for (int i = 1; i < 4; i++) {
        firn_pose before = at(&motion, keys[i].time - 1e-9),
                  after = at(&motion, keys[i].time + 1e-9);
        for (int a = 0; a < 3; a++) {
            assert_true(fabs(before.velocity[a] - after.velocity[a]) < 1e-6);
            assert_true(fabs(before.spin[a] - after.spin[a]) < 1e-6);
        }
        assert_true(fabs(after.spin[0]) + fabs(after.spin[1]) + fabs(after.spin[2]) > 0.1);
    }
    firn_motion_destroy(&motion, NULL);
}

/* Between two keys no coordinate leaves their range, so a hold is a hold and a press does not go too
 * deep; the same for the angle about a fixed axis. */
static void nothing_overshoots(void **unused)
{
    (void)unused;
    const double place[8] = {0, 0, -0.07, -0.07, -0.07, 0.02, 0.5, 0.5},
                 angle[8] = {0, 0, 40, 40, 35, 35, 160, 160};
    firn_key keys[8] = {{0}};
    for (int i = 0; i < 8; i++) {
        keys[i].time = 0.2 * i + 0.05 * (i % 3);
        keys[i].position[1] = place[i];
        turn(&keys[i], 0, 0, 1, angle[i]);
    }
    firn_motion motion = create(keys, 8);
    for (int i = 0; i < 7; i++)
        for (double s = 0; s <= 1; s += 0.01) {
            firn_pose pose = at(&motion, keys[i].time + s * (keys[i + 1].time - keys[i].time));
            double turned = atan2(pose.R[3], pose.R[0]) * 180 / acos(-1);
            assert_true(pose.position[1] >= fmin(place[i], place[i + 1]) - 1e-12 &&
                        pose.position[1] <= fmax(place[i], place[i + 1]) + 1e-12);
            assert_true(turned >= fmin(angle[i], angle[i + 1]) - 1e-9 &&
                        turned <= fmax(angle[i], angle[i + 1]) + 1e-9);
            if (place[i] == place[i + 1]) assert_true(pose.velocity[1] == 0);
        }
    firn_motion_destroy(&motion, NULL);
}

/* Linear segments have constant velocity and spin, whatever comes before and after. */
static void linear_keys(void **unused)
{
    (void)unused;
    firn_key keys[5];
    make_keys(keys);
    keys[1].ease = FIRN_EASE_LINEAR;
    firn_motion motion = create(keys, 5);
    const double span = keys[2].time - keys[1].time;
    firn_pose middle = at(&motion, keys[1].time + span / 2);
    for (double s = 0.01; s < 1; s += 0.1) {
        firn_pose pose = at(&motion, keys[1].time + s * span);
        for (int a = 0; a < 3; a++) {
            double along = keys[2].position[a] - keys[1].position[a];
            assert_true(fabs(pose.position[a] - keys[1].position[a] - s * along) < 1e-12);
            assert_true(fabs(pose.velocity[a] - along / span) < 1e-12);
            assert_true(fabs(pose.spin[a] - middle.spin[a]) < 1e-9);
        }
    }
    firn_motion_destroy(&motion, NULL);
}

/* Keys of a constant spin give it back, whatever their times; so do any two keys. At both ends
 * everything rests. */
static void even_turns_stay_even(void **unused)
{
    (void)unused;
    firn_key keys[4] = {{.time = 0.5}, {.time = 0.7}, {.time = 1.9}, {.time = 2.0}};
    for (int n = 2; n <= 4; n++) {
        for (int i = 0; i < n; i++) turn(&keys[i], 1, -2, 0.5, 100 * keys[i].time);
        firn_motion motion = create(keys, n);
        double length = sqrt(1 + 4 + 0.25), rate = 100 * acos(-1) / 180;
        for (double t = 0.51; t < keys[n - 1].time; t += 0.03) {
            firn_pose pose = at(&motion, t);
            const double expected[3] = {rate / length, -2 * rate / length, 0.5 * rate / length};
            for (int a = 0; a < 3; a++) assert_true(fabs(pose.spin[a] - expected[a]) < 1e-9);
        }
        firn_pose rest[2] = {at(&motion, 0.4), at(&motion, 2.1)};
        for (int k = 0; k < 2; k++)
            for (int a = 0; a < 3; a++)
                assert_true(rest[k].spin[a] == 0 && rest[k].velocity[a] == 0);
        firn_motion_destroy(&motion, NULL);
    }
}

/* What the help says: between two keys alone a straight line at one speed, rest before and
 * after, so that velocity jumps there; not where the keys of the ends are repeated. Without keys
 * motion counts from the start. */
static void ends_jump_unless_keys_are_repeated(void **unused)
{
    (void)unused;
    const firn_key keys[4] = {{.time = 0, .rotation = {0, 0, 0, 1}},
                              {.time = 1, .rotation = {0, 0, 0, 1}},
                              {.time = 3, .position = {4, 0, 2}, .rotation = {0.6, 0, 0, 0.8}},
                              {.time = 4, .position = {4, 0, 2}, .rotation = {0.6, 0, 0, 0.8}}};
    firn_motion two = create(keys + 1, 2), four = create(keys, 4);
    for (double t = 1 + 1e-9; t < 3; t += 0.1) {
        firn_pose pose = at(&two, t);
        assert_true(fabs(pose.velocity[0] - 2) < 1e-12 && fabs(pose.velocity[2] - 1) < 1e-12);
        assert_true(fabs(pose.position[0] - 2 * (t - 1)) < 1e-12 &&
                    fabs(pose.position[2] - (t - 1)) < 1e-12);
    }
    for (int k = 0; k < 2; k++) {
        const double outside[2] = {1 - 1e-9, 3 + 1e-9}, inside[2] = {1e-9, 4 - 1e-9};
        firn_pose rest = at(&two, outside[k]), slow = at(&four, inside[k]);
        assert_true(rest.velocity[0] == 0 && rest.spin[0] == 0);
        assert_true(fabs(slow.velocity[0]) < 1e-6 && fabs(slow.spin[0]) < 1e-6);
    }
    firn_pose begins = at(&two, 1),
              arrives = at(&two, 3); /* at a key that ends a rest or a way: the time before */
    assert_true(begins.velocity[0] == 0 && begins.spin[0] == 0);
    assert_true(fabs(arrives.velocity[0] - 2) < 1e-12 && arrives.spin[0] > 0.1 &&
                arrives.position[0] == 4);
    firn_motion_destroy(&two, NULL);
    firn_motion_destroy(&four, NULL);
    firn_motion even = {.def = firn_motion_default()};
    firn_pose pose;
    even.def.velocity[0] = 2;
    firn_motion_at(&even, 5, 3, &pose); /* three seconds is its start */
    assert_true(fabs(pose.position[0] - 4) < 1e-12);
}

/* A key's position is the shift of the shape, wherever the pivot is: without a turn every point
 * goes that way, and with one the pivot does. */
static void keys_shift_and_turn_about_the_pivot(void **unused)
{
    (void)unused;
    firn_motion_def def = firn_motion_default();
    firn_motion motion;
    firn_key keys[2] = {{.time = 0, .position = {0, 0, 0}}, {.time = 1, .position = {0.5, 0, 1}}};
    const double pivot[3] = {3, -1, 2}, corner[3] = {4, -1, 2};
    double x[3];
    turn(&keys[0], 0, 0, 1, 0);
    turn(&keys[1], 0, 0, 1, 90);
    def.keys = keys;
    def.n_keys = 2;
    memcpy(def.pivot, pivot, sizeof pivot);
    assert_int_equal(firn_motion_create(&def, NULL, &motion), FIRN_OK);
    firn_pose begin = at(&motion, 0), end = at(&motion, 1);
    firn_pose_to_world(&begin, corner, x);
    for (int a = 0; a < 3; a++) assert_true(fabs(x[a] - corner[a]) < 1e-12);
    firn_pose_to_world(&end, pivot, x);
    for (int a = 0; a < 3; a++) assert_true(fabs(x[a] - pivot[a] - keys[1].position[a]) < 1e-12);
    firn_pose_to_world(&end, corner, x);
    assert_true(fabs(x[0] - 3.5) < 1e-12 && fabs(x[1]) < 1e-12 && fabs(x[2] - 3) < 1e-12);
    firn_motion_destroy(&motion, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_is_passed),
        cmocka_unit_test(rates_are_true_and_continuous),
        cmocka_unit_test(ends_jump_unless_keys_are_repeated),
        cmocka_unit_test(nothing_overshoots),
        cmocka_unit_test(linear_keys),
        cmocka_unit_test(even_turns_stay_even),
        cmocka_unit_test(keys_shift_and_turn_about_the_pivot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
