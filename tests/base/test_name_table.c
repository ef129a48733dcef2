/* SPDX-License-Identifier: MIT */
/* test_name_table.c: names come back with their last number, among any number of others. */
#include "base/name_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void finds_what_was_put(void **state)
{
    (void)state;
    enum { N = 20000 };
    firn_arena arena = {0};
    firn_name_table table = {0};
    char name[32];
    assert_int_equal(firn_name_table_find(&table, "a", 1), -1);
    for (int i = 0; i < N; i++) {
        int n = snprintf(name, sizeof name, "k%d", i);
        const char *copy = firn_arena_text(&arena, name, (size_t)n);
        assert_true(firn_name_table_put(&table, &arena, copy, (size_t)n, i));
    }
    for (int i = 0; i < N; i += 3) {
        int n = snprintf(name, sizeof name, "k%d", i);
        const char *copy = firn_arena_text(&arena, name, (size_t)n);
        assert_true(firn_name_table_put(&table, &arena, copy, (size_t)n, -i));
    }
    assert_int_equal(table.n, N);
    for (int i = 0; i < N; i++) {
        int n = snprintf(name, sizeof name, "k%d", i);
        assert_int_equal(firn_name_table_find(&table, name, (size_t)n), i % 3 ? i : -i);
    }
    assert_int_equal(firn_name_table_find(&table, "k", 1), -1);
    assert_int_equal(firn_name_table_find(&table, "k20000", 6), -1);
    assert_int_equal(firn_name_table_find(&table, "k10 and more", 3), 10); /* by its length alone */
    assert_true(firn_name_table_put(&table, &arena, "", 0, 7));
    assert_int_equal(firn_name_table_find(&table, "", 0), 7);
    firn_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(finds_what_was_put)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
