/* SPDX-License-Identifier: MIT */
/* The queue: everything pushed arrives and is recorded in order, memory stays within the bound,
 * errors come back and nothing is written after one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "shot/cache_queue.h"
#include "shot/manifest.h"
#include "base/memory.h"
#include "support/sample_shot.h"
#include "shot/shot_verify.h"

static firn_status push(firn_cache *cache, firn_shot *shot, int frame, int64_t n,
                        firn_messages *messages)
{
    firn_cache_item items[2];
    firn_ledger ledgers[2];
    firn_shot_time output_time = sample_time(frame, 0, ledgers);
    int n_items = 0;
    for (int i = 0; i < 2; i++)
        if (firn_shot_is_due(shot, i, frame, 0))
            items[n_items++] = (firn_cache_item){i, sample_points(n)};
    firn_status status = firn_cache_push(cache, &output_time, n_items, items, messages);
    memset(ledgers, 0x55, sizeof ledgers); /* the queue has its own copy */
    return status;
}

static void writes_all_in_order(void **state)
{
    (void)state;
    firn_messages *messages = firn_messages_create();
    firn_shot_setup setup = sample_setup(scratch("q"), 1);
    firn_shot *shot;
    firn_cache *cache;
    assert_int_equal(firn_shot_create(&setup, 0, &shot, messages), FIRN_OK);
    firn_points *points = sample_points(2000);
    const size_t one = firn_points_bytes(points), most = 3 * one;
    firn_points_destroy(points);
    assert_int_equal(firn_cache_create(shot, most, &cache, messages), FIRN_OK);
    for (int frame = 0; frame < 30; frame++)
        assert_int_equal(push(cache, shot, frame, 2000, messages), FIRN_OK);
    assert_int_equal(firn_cache_flush(cache, messages), FIRN_OK);
    firn_cache_stats stats = firn_cache_state(cache);
    assert_true(stats.bytes == 0 && stats.n_waiting == 0);
    assert_true(stats.bytes_peak >= one && stats.bytes_peak <= most);
    assert_true(stats.bytes_written > 45 * 2000 * 80);
    int frame, sub;
    assert_true(firn_shot_last(shot, &frame, &sub) && frame == 29);
    assert_int_equal(push(cache, shot, 30, 20, messages), FIRN_OK);
    assert_int_equal(firn_cache_destroy(cache, messages), FIRN_OK); /* waits for the last one */
    assert_true(firn_shot_last(shot, &frame, &sub) && frame == 30);
    assert_int_equal(firn_shot_close(shot, "finished", NULL, messages), FIRN_OK);
    firn_shot_destroy(shot);
    firn_verify_shot result;
    assert_int_equal(firn_verify_shot_run(scratch("q"), &result, messages), FIRN_OK);
    assert_true(result.n_output_times == 31 && result.n_files == 31 + 16);
    assert_int_equal(firn_messages_total(messages), 0);

    firn_points *read;
    assert_int_equal(firn_format_read(scratch("q/snow_ball.0017.bgeo"), &read, messages), FIRN_OK);
    assert_int_equal(read->n, 2000);
    assert_string_equal(firn_points_find_detail(read, "scene_hash")->strings[0],
                        "0000000000001234");
    firn_points_destroy(read);
    firn_messages_destroy(messages);
}

static void adds_the_frame(void **state)
{
    (void)state;
    firn_shot_setup setup = sample_setup(scratch("f"), 1);
    firn_shot *shot;
    firn_cache *cache;
    assert_int_equal(firn_shot_create(&setup, 0, &shot, NULL), FIRN_OK);
    assert_int_equal(firn_cache_create(shot, 0, &cache, NULL), FIRN_OK);
    firn_cache_item item = {0, firn_points_create(1)};
    firn_points_add(item.points, "P", FIRN_ATTRIBUTE_VECTOR, 3);
    firn_ledger ledgers[2];
    firn_shot_time output_time = sample_time(4, 0, ledgers);
    assert_int_equal(firn_cache_push(cache, &output_time, 1, &item, NULL), FIRN_OK);
    assert_int_equal(firn_cache_destroy(cache, NULL), FIRN_OK);
    firn_shot_destroy(shot);
    firn_points *read;
    assert_int_equal(firn_format_read(scratch("f/snow_ball.0004.bgeo"), &read, NULL), FIRN_OK);
    assert_int_equal(firn_points_find_detail(read, "frame")->data.i[0], 4);
    firn_points_destroy(read);
}

static void refuses_what_cannot_fit(void **state)
{
    (void)state;
    firn_messages *messages = firn_messages_create();
    firn_shot_setup setup = sample_setup(scratch("big"), 1);
    firn_shot *shot;
    firn_cache *cache;
    assert_int_equal(firn_shot_create(&setup, 0, &shot, NULL), FIRN_OK);
    assert_int_equal(firn_cache_create(shot, 1 << 20, &cache, NULL), FIRN_OK);
    assert_int_equal(push(cache, shot, 0, 100000, messages), FIRN_MEMORY);
    assert_true(scratch_says(messages, "larger than the queue for writing"));
    assert_int_equal(push(cache, shot, 0, 10, NULL), FIRN_OK); /* the queue still works */
    assert_int_equal(firn_cache_destroy(cache, NULL), FIRN_OK);
    firn_shot_destroy(shot);
    firn_messages_destroy(messages);
}

/* A link with the name of a cache, made while the run goes on: what it leads to is not written. */
static void follows_no_links(void **state)
{
    (void)state;
    firn_messages *messages = firn_messages_create();
    firn_shot_setup setup = sample_setup(scratch("l"), 1);
    firn_shot *shot;
    firn_cache *cache;
    scratch_store(scratch("mine"), "mine", 4);
    assert_int_equal(firn_shot_create(&setup, 0, &shot, NULL), FIRN_OK);
    assert_int_equal(symlink(scratch("mine"), scratch("l/snow_ball.0001.bgeo")), 0);
    assert_int_equal(firn_cache_create(shot, 0, &cache, NULL), FIRN_OK);
    assert_int_equal(push(cache, shot, 0, 10, NULL), FIRN_OK);
    push(cache, shot, 1, 10, NULL);
    assert_int_equal(firn_cache_destroy(cache, messages), FIRN_REFUSED);
    assert_true(scratch_says(messages, "l/snow_ball.0001.bgeo: a symbolic link"));
    int frame, sub;
    assert_true(firn_shot_last(shot, &frame, &sub) && frame == 0);
    firn_shot_destroy(shot);
    size_t n;
    unsigned char *data = scratch_load(scratch("mine"), &n);
    assert_true(n == 4 && memcmp(data, "mine", 4) == 0);
    free(data);
    firn_messages_destroy(messages);
}

/* The disk fills at the k-th call: the error comes back at a push or at the end, and what was
 * recorded is complete. */
static void brings_errors_back(void **state)
{
    (void)state;
    for (int k = 1; k < 120; k += 7) {
        firn_messages *messages = firn_messages_create();
        firn_shot_setup setup = sample_setup(scratch("full"), 1);
        firn_shot *shot;
        firn_cache *cache;
        assert_int_equal(firn_shot_create(&setup, 1, &shot, NULL), FIRN_OK);
        assert_int_equal(firn_cache_create(shot, 0, &cache, NULL), FIRN_OK);
        firn_file_fail_after(k, 28 /* ENOSPC */);
        firn_status status = FIRN_OK;
        for (int frame = 0; frame < 10 && status == FIRN_OK; frame++)
            status = push(cache, shot, frame, 50, messages);
        firn_status end = firn_cache_destroy(cache, messages);
        firn_file_fail_after(0, 0);
        assert_int_equal(end, FIRN_IO);
        assert_true(status == FIRN_OK || status == FIRN_IO);
        assert_true(scratch_says(messages, "the disk is full"));
        assert_int_equal(firn_messages_total(messages), 1); /* told once */
        assert_int_equal(firn_shot_close(shot, "stopped", "the disk is full", NULL), FIRN_OK);
        firn_shot_destroy(shot);
        firn_verify_shot result;
        firn_messages_clear(messages);
        if (firn_verify_shot_run(scratch("full"), &result, messages) != FIRN_OK)
            fail_msg("call %d: %s", k, firn_messages_text(messages, 0, NULL));
        assert_true(result.n_output_times < 10);
        firn_messages_destroy(messages);
    }
}

static void survives_failing_allocations(void **state)
{
    (void)state;
    for (int k = 1; k < 60; k++) {
        firn_shot_setup setup = sample_setup(scratch("memory"), 1);
        firn_shot *shot;
        firn_cache *cache = NULL;
        assert_int_equal(firn_shot_create(&setup, 1, &shot, NULL), FIRN_OK);
        firn_cache_item item = {0, sample_points(5)};
        firn_ledger ledgers[2];
        firn_shot_time output_time = sample_time(0, 0, ledgers);
        firn_memory_fail_after(k);
        firn_status status = firn_cache_create(shot, 0, &cache, NULL);
        if (status == FIRN_OK)
            status = firn_cache_push(cache, &output_time, 1, &item, NULL);
        else
            firn_points_destroy(item.points);
        firn_status end = firn_cache_destroy(cache, NULL);
        firn_memory_fail_after(0);
        firn_shot_destroy(shot);
        if (status == FIRN_OK && end == FIRN_OK) return;
    }
    fail();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_all_in_order),     cmocka_unit_test(adds_the_frame),
        cmocka_unit_test(refuses_what_cannot_fit), cmocka_unit_test(follows_no_links),
        cmocka_unit_test(brings_errors_back),      cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
