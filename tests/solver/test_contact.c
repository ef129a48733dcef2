/* SPDX-License-Identifier: MIT */
/* test_contact.c: what a surface does with the velocity of a point on it, against Coulomb's law
 * in closed form: with the normal part un and the tangential part t of the velocity against the
 * surface, sliding takes away friction (adhesion + |un|) of |t|, at most all of it. */
#include "solver/collider.h"

#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

static const double up[3] = {0, 1, 0}, belt[3] = {0.5, 0, 0};

static void expect(firn_contact contact, double friction, double adhesion, const double v[3],
                   const double wanted[3])
{
    double is[3];
    memcpy(is, v, sizeof is);
    firn_contact_resolve(contact, friction, adhesion, belt, up, is);
    for (int a = 0; a < 3; a++)
        if (fabs(is[a] - wanted[a]) > 1e-15)
            fail_msg("component %d is %.17g, not %.17g", a, is[a], wanted[a]);
}

/* Against the belt the point moves (3, un, 4): t = 5. */
static void coulomb(void **state)
{
    (void)state;
    const double in[3] = {3.5, -2, 4}, out[3] = {3.5, 2, 4};
    expect(FIRN_SEPARATE, 0, 0, in, (const double[3]){3.5, 0, 4});
    expect(FIRN_SEPARATE, 0.5, 0, in,
           (const double[3]){0.5 + 3 * 0.8, 0, 4 * 0.8}); /* 1 - .5 2 / 5 */
    expect(FIRN_SEPARATE, 0.5, 3, in,
           (const double[3]){0.5 + 3 * 0.5, 0, 4 * 0.5}); /* 1 - .5 (3 + 2) / 5 */
    expect(FIRN_SLIP, 0.5, 0, in, (const double[3]){0.5 + 3 * 0.8, 0, 4 * 0.8});
    expect(FIRN_SLIP, 0.5, 0, out,
           (const double[3]){0.5 + 3 * 0.8, 0, 4 * 0.8}); /* held from leaving, and pressed */
    expect(FIRN_STICK, 0.5, 0, out, belt);
}

/* Friction stops; it never turns a velocity round. */
static void sticks(void **state)
{
    (void)state;
    expect(FIRN_SEPARATE, 2.5, 0, (const double[3]){3.5, -2, 4}, belt); /* 2.5 2 = 5: just */
    expect(FIRN_SEPARATE, 10, 0, (const double[3]){3.5, -2, 4}, belt);
    expect(FIRN_SLIP, 10, 0, (const double[3]){0.5, -2, 1e-3}, belt);
    expect(FIRN_SEPARATE, 1, 0, (const double[3]){0.5, -2, 0},
           belt); /* nothing tangential: no 0 / 0 */
}

/* A surface that separates lets go of what leaves, one that is sticky of what leaves fast enough.
 */
static void lets_go(void **state)
{
    (void)state;
    const double out[3] = {3.5, 2, 4};
    expect(FIRN_SEPARATE, 0.5, 0, out, out);
    expect(FIRN_SEPARATE, 0.5, 2, out, out);
    expect(FIRN_SEPARATE, 0.5, 4, out,
           (const double[3]){0.5 + 3 * 0.8, 0, 4 * 0.8}); /* press = 4 - 2 */
}

/* The ledger of one point of 2 kg that is stopped on the belt: what it lost is what the belt
 * received. */
static void ledger_of_a_contact(void **state)
{
    (void)state;
    firn_boundary_impulse e = {0};
    const double x[3] = {1, 2, 3}, pivot[3] = {1, 1, 1}, before[3] = {3.5, -2, 4};
    firn_contact_impulse(&e, x, 2, before, belt, belt, pivot);
    const double impulse[3] = {6, -4, 8},
                 torque[3] = {1 * 8 - 2 * -4, 2 * 6 - 0 * 8, 0 * -4 - 1 * 6};
    for (int a = 0; a < 3; a++) {
        assert_true(fabs(e.impulse[a] - impulse[a]) < 1e-14);
        assert_true(fabs(e.torque[a] - torque[a]) < 1e-14);
    }
    assert_true(fabs(e.work - -3) < 1e-14);    /* J . v of the belt, on the material: -6 x .5 */
    assert_true(fabs(e.friction - 0) < 1e-14); /* no slip is left after the step */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(coulomb), cmocka_unit_test(sticks),
                                       cmocka_unit_test(lets_go),
                                       cmocka_unit_test(ledger_of_a_contact)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
