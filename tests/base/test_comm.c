/* SPDX-License-Identifier: MIT */
/* comm.h. With one process what is reduced comes back as it was, to the bit; ids follow each other and
 * are refused before they run out. With several: running sums have the digits of one process, NaN
 * wins, long messages arrive whole, and a rank that has gone is noticed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/comm_local.h"

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

/* ---------------------------------------------------------------- several ranks */

#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "rank %d, line %d: not so: %s\n", comm->rank, __LINE__, #condition);   \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

/* Each rank in a process of its own; the number that did not end with 0. */
static int on_ranks(int size, void (*be)(const firn_comm *comm), int killed)
{
    firn_comm_local local;
    pid_t ranks[FIRN_LOCAL_RANKS_MAX];
    int n_failed = 0;
    assert_int_equal(firn_comm_local_create(&local, size), FIRN_OK);
    for (int r = 0; r < size; r++) {
        ranks[r] = fork();
        assert_true(ranks[r] >= 0);
        if (ranks[r]) continue;
        firn_comm comm = firn_comm_local_join(&local, r);
        be(&comm);
        firn_comm_close(&comm);
        _exit(0);
    }
    firn_comm_local_leave(&local);
    if (killed >= 0) kill(ranks[killed], SIGKILL);
    for (int r = 0; r < size; r++) {
        int how = 0;
        assert_int_equal(waitpid(ranks[r], &how, 0), ranks[r]);
        n_failed += !WIFEXITED(how) || WEXITSTATUS(how) != 0;
    }
    return n_failed;
}

/* 64 numbers of many sizes, whose sum depends on the order; a rank has a range of them. */
static double number(int i) { return ldexp(1.0 + i * 0.37, (i * 29) % 53 - 26); }

static void sum_in_order(const firn_comm *comm)
{
    struct {
        double sum;
        int64_t n;
    } one = {0.1, 0}, many = {0.1, 0};
    for (int i = 0; i < 64; i++) one.sum += number(i);
    firn_comm_sum_begin(comm, &many, sizeof many);
    for (int i = 64 * comm->rank / comm->size; i < 64 * (comm->rank + 1) / comm->size; i++) {
        many.sum += number(i);
        many.n++;
    }
    firn_comm_sum_end(comm, &many, sizeof many);
    MUST(many.sum == one.sum && many.n == 64);
}

static void decide(const firn_comm *comm)
{
    const int last = comm->size - 1, me = comm->rank;
    MUST(firn_comm_max(comm, me) == last && firn_comm_min(comm, -me) == -last);
    MUST(isnan(firn_comm_max(comm, me == 1 ? NAN : 7)));
    MUST(firn_comm_rank_of_max(comm, me > 0 ? 5 : 1) == 1);
    MUST(firn_comm_count(comm, me) == (int64_t)last * comm->size / 2);
    MUST(firn_comm_or(comm, me == 1) && !firn_comm_and(comm, me == 1) && firn_comm_and(comm, 1));
    MUST(firn_comm_agree(comm, me == last ? FIRN_IO : FIRN_OK) == FIRN_IO);
    char word[8] = "none";
    if (me == 1) strcpy(word, "from 1");
    firn_comm_share(comm, 1, word, sizeof word);
    MUST(strcmp(word, "from 1") == 0);
    size_t lengths[FIRN_LOCAL_RANKS_MAX];
    char own[16], all[64] = "";
    for (int r = 0; r < comm->size; r++) lengths[r] = (size_t)r; /* none of rank 0 */
    memset(own, 'a' + me, sizeof own);
    firn_comm_collect_parts(comm, own, lengths, all);
    MUST(strncmp(all, comm->size == 3 ? "bcc" : "bccddd", 3) == 0);
}

/* Everybody to everybody at once, more than any socket holds. */
static void long_messages(const firn_comm *comm)
{
    enum { BYTES = 3 << 20 };
    firn_comm_message out[2 * FIRN_LOCAL_RANKS_MAX] = {{0}}, in[2 * FIRN_LOCAL_RANKS_MAX] = {{0}};
    firn_comm_counts counts = {0};
    firn_comm counted = *comm;
    int n = 0;
    counted.counts = &counts;
    for (int r = 0; r < comm->size; r++)
        for (int k = 0; r != comm->rank && k < 2; k++, n++) {
            const size_t bytes = k ? 5 : BYTES;
            out[n] = (firn_comm_message){r, bytes, malloc(bytes)};
            in[n] = (firn_comm_message){r, bytes, malloc(bytes)};
            MUST(out[n].data && in[n].data);
            memset(out[n].data, 16 * comm->rank + k, bytes);
        }
    firn_comm_exchange(&counted, out, n, in, n);
    for (int i = 0; i < n; i++) {
        const unsigned char *bytes = in[i].data;
        for (size_t k = 0; k < in[i].n_bytes; k++) MUST(bytes[k] == 16 * in[i].peer + i % 2);
        free(in[i].data);
        free(out[i].data);
    }
    MUST(counts.n_messages == n && counts.n_bytes == (comm->size - 1) * (int64_t)(BYTES + 5));
}

static void several_ranks(void **state)
{
    (void)state;
    for (int size = 2; size <= 4; size++) {
        assert_int_equal(on_ranks(size, sum_in_order, -1), 0);
        if (size > 2) assert_int_equal(on_ranks(size, decide, -1), 0);
        assert_int_equal(on_ranks(size, long_messages, -1), 0);
    }
}

static void go(const firn_comm *comm, int rank)
{
    (void)comm, (void)rank;
    _exit(7);
}

static void work_for_ever(const firn_comm *comm)
{
    firn_comm own = *comm;
    own.lost = go;
    for (;;) firn_comm_barrier(&own);
}

/* All end, the dead one and those that have noticed. */
static void a_rank_dies(void **state)
{
    (void)state;
    for (int r = 0; r < 3; r++) assert_int_equal(on_ranks(3, work_for_ever, r), 3);
}

static void text_of_sockets(void **state)
{
    (void)state;
    firn_comm_local local, read;
    firn_comm comm;
    char text[256];
    assert_int_equal(firn_comm_local_create(&local, 3), FIRN_OK);
    assert_true(firn_comm_local_write(&local, 1, text, sizeof text));
    assert_false(firn_comm_local_write(&local, 1, text, 6));
    static const char *const wrong[] = {"", "0", "3 3 1 1 1", "0 99", "0 2 -1", "0 2 -1 999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(firn_comm_local_read(&read, wrong[i], &comm));
    assert_true(firn_comm_local_write(&local, 1, text, sizeof text));
    assert_true(firn_comm_local_read(&read, text, &comm));
    assert_true(comm.rank == 1 && comm.size == 3);
    firn_comm_local_leave(&local);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_process_is_rank_0_of_1),
        cmocka_unit_test(reductions_give_the_value_back),
        cmocka_unit_test(ids_follow_each_other),
        cmocka_unit_test(ids_do_not_run_over),
        cmocka_unit_test(several_ranks),
        cmocka_unit_test(a_rank_dies),
        cmocka_unit_test(text_of_sockets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
