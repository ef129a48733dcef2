/* SPDX-License-Identifier: MIT */
/* Units: conversions against exact factors, and the exact sentence for everything that must be
 * refused. */
#include "base/units.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void check_value(const char *text, const char *unit, double expected)
{
    double value = NAN;
    char message[FIRN_UNITS_MESSAGE] = "";
    if (!firn_units_read(text, unit, &value, message)) fail_msg("%s: %s", text, message);
    if (fabs(value - expected) > 1e-14 * fabs(expected))
        fail_msg("%s is %.17g, not %.17g", text, value, expected);
}

static void check_refused(const char *text, const char *unit, const char *expected)
{
    double value = NAN;
    char message[FIRN_UNITS_MESSAGE] = "";
    if (firn_units_read(text, unit, &value, message)) fail_msg("%s was taken as %g", text, value);
    assert_string_equal(message, expected);
}

static void test_conversions(void **state)
{
    (void)state;
    check_value("140 kPa", "Pa", 140e3);
    check_value("1.4e5", "Pa", 1.4e5);
    check_value("0.14MPa", "Pa", 0.14e6);
    check_value("30 deg", "rad", M_PI / 6);
    check_value("2 cm", "m", 0.02);
    check_value("2cm", "m", 0.02);
    check_value("9.81 m/s^2", "m/s^2", 9.81);
    check_value("9.81 m/s2", "m/s^2", 9.81);
    check_value("9.81 m s^-2", "m/s^2", 9.81);
    check_value("1.2e-3 Pa s", "Pa s", 1.2e-3);
    check_value("1.2 mPa s", "Pa*s", 1.2e-3);
    check_value("400 kg/m^3", "kg/m^3", 400);
    check_value("0.4 g/cm^3", "kg/m^3", 400);
    check_value("1387 Pa s^n", "Pa s^n", 1387);
    check_value("4.186 kJ/(kg K)", "J/(kg K)", 4186);
    check_value("20 degC", "K", 293.15);
    check_value("-5 degC", "K", 268.15);
    check_value("10 %", "1", 0.1);
    check_value("7200 km/h", "m/s", 2000);
    check_value("60 rpm", "rad/s", 2 * M_PI);
    check_value("2 turn", "rad", 4 * M_PI);
    check_value("24 Hz", "1/s", 24);
    check_value("5 ms", "s", 5e-3);
    check_value("1 min", "s", 60);
    check_value("-.5", "m", -0.5);
    check_value("+3.", "m", 3);
    check_value("3 m/s", "", 3);
    check_value("1 J/m^3", "Pa", 1);
}

static void test_refusals(void **state)
{
    (void)state;
    check_refused("1.0e4 kg", "Pa",
                  "is \"1.0e4 kg\", but kg does not convert to Pa; allowed: a number in Pa");
    check_refused("1.0e4Pq", "Pa",
                  "is \"1.0e4Pq\", but there is no unit \"Pq\"; allowed: a number in Pa; did you "
                  "mean \"Pa\"?");
    check_refused("1e400", "Pa", "is \"1e400\", which is too large for a number");
    check_refused("1e308 GPa", "Pa", "is \"1e308 GPa\", which is too large for a number");
    check_refused("nan", "Pa", "is \"nan\", which is not a number; allowed: a number in Pa");
    check_refused(".inf", "1", "is \".inf\", which is not a number; allowed: a number");
    check_refused("", "m", "is \"\", which is not a number; allowed: a number in m");
    check_refused(
        "0x10", "m",
        "is \"0x10\", but there is no unit \"x\"; allowed: a number in m; did you mean \"m\"?");
    check_refused("1,5 m", "m",
                  "is \"1,5 m\", in which \",5 m\" cannot be read; allowed: a number in m");
    check_refused("2 cm cm)", "m",
                  "is \"2 cm cm)\", in which \")\" cannot be read; allowed: a number in m");
    check_refused("30 deg", "1", "is \"30 deg\", but must be without a unit");
    check_refused("3 m/", "m/s",
                  "is \"3 m/\", in which \"\" cannot be read; allowed: a number in m/s");
    check_refused(
        "3 Pa s^2", "Pa s^n",
        "is \"3 Pa s^2\", but Pa s^2 does not convert to Pa s^n; allowed: a number in Pa s^n");
    check_refused("3 kmin", "s",
                  "is \"3 kmin\", but there is no unit \"kmin\"; allowed: a number in s; did you "
                  "mean \"min\"?");
    check_refused("20 degC/m", "K/m",
                  "is \"20 degC/m\", but degC can only stand alone, as a temperature; allowed: a "
                  "number in K/m");
    check_refused("((((((((((3", "m",
                  "is \"((((((((((3\", which is not a number; allowed: a number in m");
    check_refused("3 m^99", "m",
                  "is \"3 m^99\", in which \"^99\" cannot be read; allowed: a number in m");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_conversions),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
