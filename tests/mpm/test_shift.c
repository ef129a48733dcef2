/* SPDX-License-Identifier: MIT */
/* test_shift.c: a shifted grid. Moving the nodes by s cells and moving everything else by -s h is the
 * same motion, seen from another place; other shifts of the same scene differ. */
#include "verify/verify.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

static const double h = 0.1, shift[3] = {0.3, 0.15, -0.7};

/* A block that falls on a floor, all of it moved by `moved` cells; its ledger after the impact. */
static firn_ledger fall(const double grid_shift[3], const double moved[3])
{
    verify_scene s;
    double low[3] = {0, 0.05, 0}, high[3] = {0.4, 0.45, 0.3};
    for (int a = 0; a < 3; a++) {
        low[a] += moved[a] * h;
        high[a] += moved[a] * h;
    }
    verify_scene_init(&s, h, "neo_hookean", 1e5, 0.3, 1000);
    verify_box(&s, low, high, 2);
    s.scene.gravity[1] = -9.81;
    s.bodies[0].velocity[0] = 0.5;
    verify_floor(&s, 1, moved[1] * h)->friction = 0.3;
    for (int a = 0; a < 3; a++) s.scene.grid.shift[a] = grid_shift[a];
    firn_sim *sim = verify_start(&s);
    verify_go(sim, 0.2);
    firn_ledger ledger;
    assert_int_equal(firn_sim_ledger(sim, -1, &ledger, NULL), FIRN_OK);
    firn_sim_destroy(sim);
    return ledger;
}

static void shift_is_relative(void **state)
{
    (void)state;
    const double none[3] = {0, 0, 0}, back[3] = {-shift[0], -shift[1], -shift[2]};
    firn_ledger here = fall(none, none), same = fall(shift, shift), moved = fall(none, back),
                other = fall(shift, none);
    for (int a = 0; a < 3; a++) {
        assert_true(fabs(same.center[a] - shift[a] * h - here.center[a]) < 1e-9);
        assert_true(fabs(other.center[a] - shift[a] * h - moved.center[a]) < 1e-9);
        assert_true(fabs(same.collider_impulse[a] - here.collider_impulse[a]) < 1e-6);
    }
    assert_true(fabs(same.elastic - here.elastic) < 1e-7 * here.elastic);
    assert_true(fabs(other.elastic - moved.elastic) < 1e-7 * moved.elastic);
    assert_true(fabs(other.elastic - here.elastic) > 1e-4 * here.elastic);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shift_is_relative)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
