/* SPDX-License-Identifier: MIT */
/* Verification: flipped bits and cuts all over every file of a small shot is found; missing and
 * foreign frames as well; what a killed run leaves is not taken for damage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "shot/manifest.h"
#include "support/sample_shot.h"
#include "points/cache_sequence.h"
#include "shot/shot_verify.h"

static firn_status verify(const char *folder)
{
    firn_verify_shot result;
    return firn_verify_shot_run(folder, &result, NULL);
}

/* Every byte, or every second to seventh, in turn another bit; all of them where FIRN_TEST_ALL
 * is set (the campaign). */
static void flip_all(const char *path, const char *folder)
{
    size_t n;
    unsigned char *data = scratch_load(path, &n);
    const size_t step = getenv("FIRN_TEST_ALL") ? 1 : n > 1200 ? 57 : 19;
    for (size_t bit = 0; bit < 8 * n; bit += step) {
        scratch_poke(path, bit / 8, data[bit / 8] ^ (unsigned char)(1 << bit % 8));
        if (verify(folder) == FIRN_OK) fail_msg("%s: bit %zu", path, bit);
        scratch_poke(path, bit / 8, data[bit / 8]);
    }
    for (size_t cut = 0; cut < n; cut += step * 11) {
        scratch_store(path, data, cut);
        if (verify(folder) == FIRN_OK) fail_msg("%s: cut to %zu", path, cut);
    }
    unlink(path);
    assert_int_not_equal(verify(folder), FIRN_OK);
    scratch_store(path, data, n);
    data[n] = 'x'; /* the loader left room for one more */
    scratch_store(path, data, n + 1);
    assert_int_not_equal(verify(folder), FIRN_OK);
    scratch_store(path, data, n);
    assert_int_equal(verify(folder), FIRN_OK);
    free(data);
}

static void finds_flipped_bits(void **state)
{
    (void)state;
    sample_shot(scratch("bits"), 1);
    flip_all(scratch("bits/snow_ball.0001.bgeo"), scratch("bits"));
    flip_all(scratch("bits/snow_ball_2.0000.bgeo"), scratch("bits"));
    flip_all(scratch("bits/ledger.csv"), scratch("bits"));
    flip_all(scratch("bits/frames.jsonl"), scratch("bits"));
    flip_all(scratch("bits/manifest.json"), scratch("bits"));
}

static void finds_damaged_checkpoints(void **state)
{
    (void)state;
    sample_shot(scratch("ckpt"), 1);
    const char *path = scratch("ckpt/checkpoints/checkpoint.000001.firn");
    char kept[512];
    strcpy(kept, path);
    size_t n;
    unsigned char *data = scratch_load(kept, &n);
    assert_int_equal(n, 64 + 5000 + 8);
    for (size_t bit = 0; bit < 8 * n; bit += bit < 8 * 68 || bit > 8 * (n - 10) ? 1 : 307) {
        scratch_poke(kept, bit / 8, data[bit / 8] ^ (unsigned char)(1 << bit % 8));
        assert_int_equal(verify(scratch("ckpt")), FIRN_IO);
        scratch_poke(kept, bit / 8, data[bit / 8]);
    }
    free(data);
}

static void names_what_it_finds(void **state)
{
    (void)state;
    firn_verify_shot result;
    firn_messages *messages = firn_messages_create();
    sample_shot(scratch("finds"), 4);
    assert_int_equal(firn_verify_shot_run(scratch("finds"), &result, messages), FIRN_OK);
    assert_true(result.n_output_times == 5 && result.n_files == 8 && result.n_checkpoints == 1 &&
                result.n_problems == 0);
    assert_int_equal(firn_messages_total(messages), 0);
    unlink(scratch("finds/snow_ball.0002.bgeo"));
    scratch_store(scratch("finds/snow_ball.0099.bgeo"), "x", 1);
    scratch_store(scratch("finds/snow_ball.0001.bgeo"), "x", 1);
    scratch_store(scratch("finds/snow_ball.0001.bgeo.gz"), "x",
                  1); /* somebody converted one: none of ours */
    assert_int_equal(firn_verify_shot_run(scratch("finds"), &result, messages), FIRN_IO);
    assert_int_equal(result.n_problems, 3);
    assert_true(scratch_says(messages, "snow_ball.0002.bgeo: missing"));
    assert_true(scratch_says(messages, "snow_ball.0099.bgeo: foreign"));
    assert_true(scratch_says(messages, "snow_ball.0001.bgeo: cut off (1 bytes instead of"));
    assert_true(scratch_says(messages, "snow_ball.0001.bgeo.gz: not checked (not in the records"));
    firn_messages_clear(messages);
    assert_int_equal(firn_verify_shot_file(scratch("finds/snow_ball.0001.bgeo"), messages),
                     FIRN_IO);
    assert_int_equal(firn_verify_shot_file(scratch("finds/snow_ball.0000.bgeo"), NULL), FIRN_OK);
    assert_int_equal(
        firn_verify_shot_file(scratch("finds/checkpoints/checkpoint.000004.firn"), NULL), FIRN_OK);
    assert_int_equal(firn_verify_shot_run(scratch("nowhere"), &result, messages), FIRN_IO);
    assert_true(scratch_says(messages, "nowhere: no such file or folder"));
    firn_messages_destroy(messages);
}

/* A cache of a shot of another name is foreign where this one writes such files; what firn
 * itself, its user or another program puts beside the caches is not. */
static void knows_the_caches_of_others(void **state)
{
    (void)state;
    static const struct {
        const char *name, *words; /* NULL: accepted in silence */
        int is_problem;
    } files[] = {{"other.0001.bgeo",
                  "other.0001.bgeo: foreign (named as a cache of another shot, not in the records)",
                  1},
                 {"snow_ball_new.0001.bgeo", "snow_ball_new.0001.bgeo: foreign", 1},
                 {"snow_ball_3.0001.bgeo", "snow_ball_3.0001.bgeo: foreign", 1},
                 {"other.0001.500.bgeo", "other.0001.500.bgeo: foreign", 1},
                 {"a.b.0001.bgeo", "a.b.0001.bgeo: foreign", 1},
                 {"other.0001.vtp", "other.0001.vtp: not checked", 0},
                 {"snow_ball.0001.volumes.vdb", "not checked", 0},
                 {"._other.0001.bgeo", NULL, 0},
                 {"preview.bgeo", NULL, 0},
                 {"other.001.bgeo", NULL, 0},
                 {"preview.png", NULL, 0},
                 {"snow_ball.0001.png", NULL, 0},
                 {"other.0001.png", NULL, 0},
                 {"ledger.0001.csv", NULL, 0}};
    static const char *const states[] = {"finished", "running"};
    for (int s = 0; s < 2; s++) { /* nor does a killed run leave caches of another name */
        firn_shot *shot;
        firn_shot_setup setup = sample_setup(scratch(states[s]), 1);
        assert_int_equal(firn_shot_create(&setup, 0, &shot, NULL), FIRN_OK);
        assert_int_equal(sample_frame(shot, 0, 0, NULL), FIRN_OK);
        if (s == 0) assert_int_equal(firn_shot_close(shot, "finished", NULL, NULL), FIRN_OK);
        firn_shot_destroy(shot);
        for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
            if (s == 1 && strncmp(files[i].name, "snow_ball", 9) == 0)
                continue; /* resume makes them anew */
            char path[600];
            firn_verify_shot result;
            firn_messages *messages = firn_messages_create();
            snprintf(path, sizeof path, "%s/%s", scratch(states[s]), files[i].name);
            scratch_store(path, "x", 1);
            firn_status status = firn_verify_shot_run(scratch(states[s]), &result, messages);
            if (status != (files[i].is_problem ? FIRN_IO : FIRN_OK) ||
                result.n_problems != files[i].is_problem)
                fail_msg("%s: status %d, %d problems", files[i].name, status, result.n_problems);
            if (files[i].words) assert_true(scratch_says(messages, files[i].words));
            assert_int_equal(firn_messages_total(messages),
                             (files[i].words != NULL) + s); /* and that it runs */
            unlink(path);
            firn_messages_destroy(messages);
        }
        assert_int_equal(verify(scratch(states[s])), FIRN_OK);
    }
}

/* A killed run: half a line after the records, caches of the next frame, a temporary file. A
 * finished shot with the same things in it is not whole. */
static void takes_a_kill_for_no_damage(void **state)
{
    (void)state;
    firn_shot *shot;
    firn_shot_setup setup = sample_setup(scratch("killed"), 1);
    assert_int_equal(firn_shot_create(&setup, 0, &shot, NULL), FIRN_OK);
    for (int frame = 0; frame < 3; frame++)
        assert_int_equal(sample_frame(shot, frame, 0, NULL), FIRN_OK);
    firn_shot_destroy(shot); /* never closed */
    FILE *file = fopen(scratch("killed/frames.jsonl"), "ab");
    fputs("{\"frame\": 3, \"su", file);
    fclose(file);
    scratch_store(scratch("killed/snow_ball.0003.bgeo"), "whole or absent in earnest", 26);
    scratch_store(scratch("killed/.part.1.0.snow_ball.0004.bgeo"), "x", 1);
    firn_verify_shot result;
    firn_messages *messages = firn_messages_create();
    assert_int_equal(firn_verify_shot_run(scratch("killed"), &result, messages), FIRN_OK);
    assert_int_equal(result.n_output_times, 3);
    assert_true(
        scratch_says(messages, "after the last complete record, left by a run that was killed"));
    assert_true(scratch_says(messages, "snow_ball.0003.bgeo: not yet in the records"));
    assert_true(scratch_says(messages, "left by a run that was killed; resume removes it"));
    assert_true(scratch_says(messages, "firn resume"));
    assert_int_equal(firn_shot_resume(&setup, 2, 0, &shot, NULL), FIRN_OK);
    assert_int_not_equal(access(scratch("killed/snow_ball.0003.bgeo"), F_OK), 0);
    assert_int_not_equal(access(scratch("killed/.part.1.0.snow_ball.0004.bgeo"), F_OK), 0);
    assert_int_equal(sample_frame(shot, 3, 0, NULL), FIRN_OK);
    assert_int_equal(firn_shot_close(shot, "finished", NULL, NULL), FIRN_OK);
    firn_shot_destroy(shot);
    firn_messages_clear(messages);
    assert_int_equal(firn_verify_shot_run(scratch("killed"), &result, messages), FIRN_OK);
    assert_int_equal(firn_messages_total(messages), 0);
    scratch_store(scratch("killed/snow_ball.0004.bgeo"), "x", 1);
    assert_int_equal(verify(scratch("killed")), FIRN_IO);
    firn_messages_destroy(messages);
}

/* Caches that firn writes and has no points to read from are compared with the records like
 * others, and without records read to their end. */
static void checks_what_cannot_be_read(void **state)
{
    (void)state;
    firn_shot *shot;
    firn_cache_sequence sequence;
    firn_messages *messages = firn_messages_create();
    firn_shot_setup setup = sample_setup(scratch("volumes"), 1);
    for (int i = 0; i < 2; i++) strcpy(sample_outputs[i].format, "volumes.vdb");
    assert_int_equal(firn_shot_create(&setup, 0, &shot, messages), FIRN_OK);
    for (int frame = 0; frame < 3; frame++)
        assert_int_equal(sample_frame(shot, frame, 0, messages), FIRN_OK);
    assert_int_equal(firn_shot_close(shot, "finished", NULL, messages), FIRN_OK);
    firn_shot_destroy(shot);
    assert_int_equal(verify(scratch("volumes")), FIRN_OK);
    const char *path = scratch("volumes/snow_ball_2.0002.volumes.vdb");
    assert_int_equal(firn_verify_shot_file(path, messages), FIRN_OK);
    assert_int_equal(firn_messages_total(messages), 0);
    assert_int_equal(firn_cache_sequence_open(scratch("volumes"), &sequence, messages),
                     FIRN_REFUSED);
    assert_true(scratch_says(
        messages, "its caches *.volumes.vdb hold volumes and no points; points are needed here"));
    flip_all(scratch("volumes/snow_ball.0001.volumes.vdb"), scratch("volumes"));
    scratch_store(scratch("volumes/snow_ball.0009.volumes.vdb"), "x", 1);
    firn_messages_clear(messages);
    firn_verify_shot result;
    assert_int_equal(firn_verify_shot_run(scratch("volumes"), &result, messages), FIRN_IO);
    assert_true(scratch_says(messages, "snow_ball.0009.volumes.vdb: foreign"));
    assert_int_equal(firn_verify_shot_file(scratch("volumes/snow_ball.0009.volumes.vdb"), messages),
                     FIRN_IO);
    firn_messages_destroy(messages);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_flipped_bits),         cmocka_unit_test(finds_damaged_checkpoints),
        cmocka_unit_test(names_what_it_finds),        cmocka_unit_test(knows_the_caches_of_others),
        cmocka_unit_test(takes_a_kill_for_no_damage), cmocka_unit_test(checks_what_cannot_be_read),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
