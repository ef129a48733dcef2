/* SPDX-License-Identifier: MIT */
/* comm.h with one process: what is reduced comes back as it was, to the bit; ids follow each
 * other and are refused before they run out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/comm.h"

static void one_process_is_rank_0_of_1(void **state)
{
    (void)state;
    firn_comm comm = firn_comm_single();
    assert_int_equal(comm.rank, 0);
    assert_int_equal(comm.size, 1);
    firn_comm_barrier(&comm);
}

static void reductions_give_the_value_back(void **state)
{
    (void)state;
    firn_comm comm = firn_comm_single();
    struct running {
        double mass, momentum[3];
        int64_t n;
    } sum = {0.1, {-0.0, INFINITY, 1e-310}, 3}, before = sum;
    firn_comm_sum_begin(&comm, &sum, sizeof sum);
    assert_memory_equal(&sum, &before, sizeof sum);
    sum.mass += 0.2;
    before.mass += 0.2;
    firn_comm_sum_end(&comm, &sum, sizeof sum);
    assert_memory_equal(&sum, &before, sizeof sum);

    assert_true(firn_comm_max(&comm, -3.5) == -3.5);
    assert_true(firn_comm_min(&comm, INFINITY) == INFINITY);
    assert_true(isnan(firn_comm_max(&comm, NAN)));
    assert_true(firn_comm_count(&comm, (int64_t)1 << 40) == (int64_t)1 << 40);
    assert_int_equal(firn_comm_rank_of_max(&comm, 7), 0);
    firn_comm_share(&comm, 0, &sum, sizeof sum);
    assert_memory_equal(&sum, &before, sizeof sum);
    for (int value = 0; value < 2; value++) {
        assert_int_equal(firn_comm_and(&comm, value), value);
        assert_int_equal(firn_comm_or(&comm, value), value);
    }
}

static void ids_follow_each_other(void **state)
{
    (void)state;
    uint32_t next = 0, first = 99;
    assert_int_equal(firn_comm_allocate_ids(&next, 10, &first), FIRN_OK);
    assert_int_equal(first, 0);
    assert_int_equal(firn_comm_allocate_ids(&next, 5, &first), FIRN_OK);
    assert_int_equal(first, 10);
    assert_int_equal(firn_comm_allocate_ids(&next, 0, &first), FIRN_OK);
    assert_int_equal(first, 15);
    assert_int_equal(next, 15);
}

static void ids_do_not_run_over(void **state)
{
    (void)state;
    uint32_t next = 1000, first = 99;
    const int64_t left = (int64_t)UINT32_MAX - 1000;
    const int64_t too_many[] = {-1, left, left + 1, INT64_MAX};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(firn_comm_allocate_ids(&next, too_many[i], &first), FIRN_REFUSED);
        assert_true(next == 1000 && first == 99);
    }
    assert_int_equal(firn_comm_allocate_ids(&next, left - 1, &first), FIRN_OK);
    assert_true(next == UINT32_MAX - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_process_is_rank_0_of_1),
        cmocka_unit_test(reductions_give_the_value_back),
        cmocka_unit_test(ids_follow_each_other),
        cmocka_unit_test(ids_do_not_run_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
