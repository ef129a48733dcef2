/* SPDX-License-Identifier: MIT */
/* The CSV of ledgers, with ledgers made by the test. */
#include "shot/ledger_csv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Everything (material -1) and two materials. */
static firn_ledger ledger_of(int material)
{
    firn_ledger ledger = {
        .n_particles = 10 + material, .mass = 1.0 / 3, .bulk_max = {1, 2, 3}, .max_J = 1.5};
    if (material == 0) strcpy(ledger.material, "snow, \"wet\"");
    if (material == 1) strcpy(ledger.material, "ice");
    return ledger;
}

static int begins(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Columns of a line, without regard to quotes. */
static int n_commas(const char *line)
{
    int n = 0;
    for (; *line && *line != '\n'; line++) n += *line == ',';
    return n;
}

static void test_rows_fit_the_header(void **state)
{
    (void)state;
    firn_text header = {0}, rows = {0};
    firn_ledger_csv_header(&header);
    for (int material = -1; material < 2; material++) {
        firn_ledger ledger = ledger_of(material);
        firn_ledger_csv_row(&rows, 7, 0.1, &ledger);
    }
    assert_int_equal(n_commas(rows.data), n_commas(header.data));
    assert_true(begins(header.data, "frame,time,material,n_particles,n_lost,mass,center_x,"));
    /* everything first, then the materials; a name with a comma is quoted */
    assert_true(begins(rows.data, "7,0.10000000000000001,all,9,0,0.33333333333333331,0,"));
    const char *second = strchr(rows.data, '\n') + 1, *third = strchr(second, '\n') + 1;
    assert_true(begins(second, "7,0.10000000000000001,\"snow, \"\"wet\"\"\",10,"));
    assert_true(begins(third, "7,0.10000000000000001,ice,11,"));
    /* bulk_min and bulk_max, before the columns of heat */
    assert_true(strstr(third, ",0,0,0,1,2,3,0,") != NULL);
    firn_text_clear(&header);
    firn_text_clear(&rows);
}

static void test_columns_name_their_units(void **state)
{
    (void)state;
    const char *unit = NULL;
    int n = 0;
    for (; firn_ledger_csv_column(n, NULL, &unit); n++) assert_true(unit && *unit);
    firn_text name = {0};
    assert_true(firn_ledger_csv_column(2, &name, &unit));
    assert_string_equal(name.data, "mass");
    assert_string_equal(unit, "kg");
    firn_text_clear(&name);
    assert_true(firn_ledger_csv_column(5, &name, &unit));
    assert_string_equal(name.data, "center_z");
    assert_string_equal(firn_ledger_csv_unit("center_z"), "m");
    assert_string_equal(firn_ledger_csv_unit("friction_work"), "J");
    assert_string_equal(firn_ledger_csv_unit("frame"), "");
    firn_text_clear(&name);
    firn_text header = {0};
    firn_ledger_csv_header(&header);
    assert_int_equal(n_commas(header.data) + 1, n + 3);
    firn_text_clear(&header);
    assert_false(firn_ledger_csv_column(-1, NULL, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_fit_the_header),
        cmocka_unit_test(test_columns_name_their_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
