/* SPDX-License-Identifier: MIT */
/* test_shot_clean.c: what firn clean removes, and what it must leave alone: other files, links and
 * what is behind them, folders that are no shots. */
#include "shot/shot_clean.h"
#include "shot/shot_verify.h"

#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/file.h>

#include <cmocka.h>

#include "support/sample_shot.h"
#include "support/scratch.h"

static const firn_clean_choice everything = {.is_removed = {1, 1, 1, 1}, .last = INT_MAX};

static void store(const char *name) { scratch_store(scratch(name), "12345678", 8); }

static int exists(const char *name)
{
    struct stat info;
    return lstat(scratch(name), &info) == 0;
}

/* A shot of five frames with what render, mesh and embed make of it, and what others have put there. */
static void make(void)
{
    sample_shot(scratch("s"), 4);
    mkdir(scratch("s/pictures"), 0755);
    mkdir(scratch("s/surface"), 0755);
    mkdir(scratch("s/embedded"), 0755);
    store("s/pictures/snow_ball.0000.png");
    store("s/pictures/snow_ball.0003.png");
    store("s/pictures/snow_ball.sheet.png");
    store("s/pictures/snow_ball.turn.0007.png");
    store("s/preview.png");
    store("s/surface/snow_ball.0003.vdb");
    store("s/surface/snow_ball.0003.500.obj");
    store("s/surface/snow_ball_colliders.0001.obj");
    store("s/embedded/snow_ball.0001.obj");
    store("s/pictures/reference.png");
    store("s/pictures/snow_ball.png");
    store("s/pictures/snow_ball.turn.0007.png.txt");
    store("s/notes.txt");
    store("s/other.0001.bgeo");
    store("outside.png");
    assert_int_equal(symlink("../../outside.png", scratch("s/pictures/snow_ball.0001.png")), 0);
}

static void removes_what_is_named(void **state)
{
    (void)state;
    firn_clean_found found[FIRN_CLEAN_KINDS];
    firn_verify_shot result;
    make();
    const firn_clean_choice dry = {.is_removed = {1, 1, 1, 1}, .last = INT_MAX, .is_dry = 1};
    assert_int_equal(firn_clean_shot(scratch("s"), &dry, found, NULL), FIRN_OK);
    const int64_t n_caches = found[FIRN_CLEAN_CACHES].n_files;
    assert_int_equal(found[FIRN_CLEAN_PICTURES].n_files, 5);
    assert_int_equal(found[FIRN_CLEAN_PICTURES].n_bytes, 40);
    assert_int_equal(found[FIRN_CLEAN_SURFACES].n_files, 4);
    assert_true(n_caches > 0 && exists("s/snow_ball.0000.bgeo") && exists("s/preview.png"));

    const firn_clean_choice later = {.is_removed = {0, 1, 1, 1}, .first = 2, .last = 3};
    assert_int_equal(firn_clean_shot(scratch("s"), &later, found, NULL), FIRN_OK);
    assert_int_equal(found[FIRN_CLEAN_PICTURES].n_files, 1);
    assert_int_equal(found[FIRN_CLEAN_SURFACES].n_files, 2);
    assert_false(exists("s/pictures/snow_ball.0003.png") || exists("s/snow_ball.0002.bgeo"));
    assert_true(exists("s/pictures/snow_ball.0000.png") && exists("s/snow_ball.0001.bgeo") &&
                exists("s/snow_ball.0004.bgeo") && exists("s/pictures/snow_ball.sheet.png"));
    assert_int_equal(firn_verify_shot_run(scratch("s"), &result, NULL), FIRN_IO); /* other.0001 */
    unlink(scratch("s/other.0001.bgeo"));
    assert_int_equal(firn_verify_shot_run(scratch("s"), &result, NULL), FIRN_OK);
    assert_int_equal(result.n_files + result.n_cleaned, n_caches);
    unlink(scratch("s/snow_ball.0001.bgeo")); /* by somebody else: that is missed */
    assert_int_equal(firn_verify_shot_run(scratch("s"), &result, NULL), FIRN_IO);

    assert_int_equal(firn_clean_shot(scratch("s"), &everything, found, NULL), FIRN_OK);
    assert_false(exists("s/snow_ball.0004.bgeo") || exists("s/preview.png") ||
                 exists("s/checkpoints/checkpoint.000004.firn") || exists("s/surface"));
    assert_true(exists("s/manifest.json") && exists("s/frames.jsonl") && exists("s/notes.txt") &&
                exists("s/pictures/reference.png") && exists("s/pictures/snow_ball.png") &&
                exists("s/pictures/snow_ball.turn.0007.png.txt"));
    assert_int_equal(firn_verify_shot_run(scratch("s"), &result, NULL), FIRN_OK);
}

static void follows_no_link(void **state)
{
    (void)state;
    firn_clean_found found[FIRN_CLEAN_KINDS];
    firn_messages *messages = firn_messages_create();
    assert_true(exists("s/pictures/snow_ball.0001.png") && exists("outside.png"));
    sample_shot(scratch("l"), 4);
    mkdir(scratch("elsewhere"), 0755);
    store("elsewhere/snow_ball.0000.png");
    assert_int_equal(symlink("../elsewhere", scratch("l/pictures")), 0);
    assert_int_equal(firn_clean_shot(scratch("l"), &everything, found, messages), FIRN_OK);
    assert_int_equal(found[FIRN_CLEAN_PICTURES].n_files, 0);
    assert_true(exists("elsewhere/snow_ball.0000.png") && exists("l/pictures"));
    assert_true(scratch_says(messages, "pictures: left alone"));
    firn_messages_clear(messages);
    assert_int_equal(symlink("l", scratch("link")), 0);
    assert_int_equal(firn_clean_shot(scratch("link"), &everything, found, messages), FIRN_REFUSED);
    assert_int_equal(firn_clean_shot(scratch("link/"), &everything, found, messages), FIRN_REFUSED);
    assert_true(scratch_says(messages, "a link"));
    firn_messages_destroy(messages);
}

static void refuses_other_folders(void **state)
{
    (void)state;
    firn_clean_found found[FIRN_CLEAN_KINDS];
    firn_messages *messages = firn_messages_create();
    mkdir(scratch("photos"), 0755);
    store("photos/snow_ball.0001.bgeo");
    assert_int_equal(firn_clean_shot(scratch("photos"), &everything, found, messages),
                     FIRN_REFUSED);
    assert_true(scratch_says(messages, "no shot") && exists("photos/snow_ball.0001.bgeo"));
    assert_int_equal(firn_clean_shot(scratch("nowhere"), &everything, found, messages), FIRN_IO);
    sample_shot(scratch("busy"), 4);
    const int fd = open(scratch("busy"), O_RDONLY | O_DIRECTORY);
    assert_true(fd >= 0 && flock(fd, LOCK_EX) == 0);
    firn_messages_clear(messages);
    assert_int_equal(firn_clean_shot(scratch("busy"), &everything, found, messages), FIRN_IO);
    assert_true(scratch_says(messages, "a run is writing"));
    close(fd);
    firn_messages_destroy(messages);
}

/* The newest stay; one of a shot that is not finished, unless said otherwise. */
static void keeps_checkpoints(void **state)
{
    (void)state;
    firn_clean_found found[FIRN_CLEAN_KINDS];
    sample_shot(scratch("k"), 4);
    for (int frame = 1; frame < 5; frame++)
        assert_int_equal(sample_checkpoint(scratch("k"), frame, 9), FIRN_OK);
    firn_clean_choice choice = {.is_removed = {1, 0, 0, 0}, .last = INT_MAX, .keep = 2};
    assert_int_equal(firn_clean_shot(scratch("k"), &choice, found, NULL), FIRN_OK);
    assert_int_equal(found[FIRN_CLEAN_CHECKPOINTS].n_files, 2);
    assert_true(exists("k/checkpoints/checkpoint.000003.firn") &&
                exists("k/checkpoints/checkpoint.000004.firn"));
    choice.keep = 0;
    assert_int_equal(firn_clean_shot(scratch("k"), &choice, found, NULL), FIRN_OK);
    assert_int_equal(found[FIRN_CLEAN_CHECKPOINTS].n_files, 2);
}

/* Frames that are written again are missed again. */
static void forgets_what_is_made_anew(void **state)
{
    (void)state;
    firn_clean_ranges ranges;
    sample_shot(scratch("f"), 4);
    const firn_clean_choice choice = {.is_removed = {0, 0, 0, 1}, .first = 1, .last = 3};
    firn_clean_found found[FIRN_CLEAN_KINDS];
    assert_int_equal(firn_clean_shot(scratch("f"), &choice, found, NULL), FIRN_OK);
    assert_int_equal(firn_clean_forget_after(scratch("f"), 2, NULL), FIRN_OK);
    assert_int_equal(firn_clean_read(scratch("f"), &ranges, NULL), FIRN_OK);
    assert_true(!firn_clean_has(&ranges, 0) && firn_clean_has(&ranges, 1) &&
                firn_clean_has(&ranges, 2) && !firn_clean_has(&ranges, 3));
    firn_clean_clear(&ranges);
    assert_int_equal(firn_clean_forget_after(scratch("f"), 0, NULL), FIRN_OK);
    assert_false(exists("f/" FIRN_CLEAN_RECORD));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(removes_what_is_named),     cmocka_unit_test(follows_no_link),
        cmocka_unit_test(refuses_other_folders),     cmocka_unit_test(keeps_checkpoints),
        cmocka_unit_test(forgets_what_is_made_anew),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
