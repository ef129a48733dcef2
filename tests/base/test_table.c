/* SPDX-License-Identifier: MIT */
/* Tables: units to SI, separators, comments and gaps, errors that name the line, and a round
 * trip through CSV. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/table.h"

static void reads_units(void **state)
{
    (void)state;
    firn_table *t =
        firn_table_parse("# a comment\n\ntime [ms], stretch, \"stress (kPa)\", T (degC)\r\n"
                         "10, 1.5, -2, 20\r\n20, 1.6, , 21\n",
                         "x.csv", NULL);
    assert_non_null(t);
    assert_int_equal(t->n_columns, 4);
    assert_int_equal(t->n_rows, 2);
    assert_true(fabs(firn_table_value(t, 0, 0) - 0.010) < 1e-15);
    assert_string_equal(t->columns[0].unit, "s");
    int stress = firn_table_find(t, "stress");
    assert_int_equal(stress, 2);
    assert_string_equal(t->columns[stress].unit, "Pa");
    assert_true(firn_table_value(t, 0, stress) == -2000);
    assert_true(isnan(firn_table_value(t, 1, stress)));
    assert_true(fabs(firn_table_value(t, 0, 3) - 293.15) < 1e-9); /* an offset, not only a factor */
    assert_true(fabs(firn_table_value(t, 1, 3) - 294.15) < 1e-9);
    assert_int_equal(firn_table_find(t, "strain"), -1);
    firn_table_destroy(t);
    t = firn_table_parse("a (kPa) b\n 1   2\n3 4 \n", "x", NULL);
    assert_non_null(t);
    assert_true(firn_table_value(t, 0, 0) == 1000 && firn_table_value(t, 1, 1) == 4);
    firn_table_destroy(t);
}

static void refuses(void **state)
{
    (void)state;
    static const char *const bad[][2] = {{"1,2\n3,4\n", "no names of columns"},
                                         {"a,b\n1,x\n", "column \"b\": not a number (x)"},
                                         {"a,b\n1\n", "fewer values than columns (1 of 2)"},
                                         {"a,b\n1,2,3\n", "more values than columns; allowed: 2"},
                                         {"a (parsec)\n1\n", "column \"a\""},
                                         {"a,b\n", "no rows of numbers"},
                                         {"", "no rows of numbers"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        firn_messages *messages = firn_messages_create();
        assert_null(firn_table_parse(bad[i][0], "bad.csv", messages));
        assert_int_equal(firn_messages_status(messages), FIRN_REFUSED);
        assert_non_null(strstr(firn_messages_text(messages, 0, NULL), bad[i][1]));
        assert_non_null(strstr(firn_messages_text(messages, 0, NULL), "bad.csv"));
        firn_messages_destroy(messages);
    }
}

static void round_trip(void **state)
{
    (void)state;
    firn_table_column columns[2] = {{"time", "s"}, {"ratio", "1"}};
    firn_table *t = firn_table_create(2, columns);
    for (int i = 0; i < 300; i++) {
        double row[2] = {i * 0.125, i % 7 ? i / 7.0 : NAN};
        assert_true(firn_table_add(t, row));
    }
    firn_text csv = {0};
    firn_table_csv(t, &csv);
    assert_int_equal(strncmp(csv.data, "time (s),ratio\n", 15), 0);
    firn_table *back = firn_table_parse(csv.data, "again", NULL);
    assert_non_null(back);
    assert_int_equal(back->n_rows, 300);
    for (int i = 0; i < 300; i++) {
        assert_true(firn_table_value(back, i, 0) == i * 0.125);
        if (i % 7)
            assert_true(fabs(firn_table_value(back, i, 1) - i / 7.0) < 1e-8);
        else
            assert_true(isnan(firn_table_value(back, i, 1)));
    }
    firn_text_clear(&csv);
    firn_table_destroy(back);
    firn_table_destroy(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reads_units), cmocka_unit_test(refuses),
                                       cmocka_unit_test(round_trip)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
