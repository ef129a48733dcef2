/* SPDX-License-Identifier: MIT */
/* Checkpoints: what was saved comes back, the newest complete one of this shot is found, those of
 * others are not, the last n are kept; kill -9 at a hundred random times of a writing process
 * leaves a folder that verifies and can be continued. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "shot/checkpoint.h"
#include "shot/manifest.h"
#include "base/memory.h"
#include "support/sample_shot.h"
#include "shot/shot_verify.h"

static void brings_back_what_was_saved(void **state)
{
    (void)state;
    char folder[512];
    strcpy(folder, scratch("c"));
    for (int frame = 0; frame <= 50; frame += 10)
        assert_int_equal(sample_checkpoint(folder, frame, 3), FIRN_OK);
    assert_int_equal(scratch_count(scratch("c/checkpoints")), 3); /* the last three */
    firn_messages *messages = firn_messages_create();
    firn_checkpoint checkpoint;
    assert_int_equal(firn_checkpoint_read(folder, 1000, &checkpoint, messages), FIRN_OK);
    assert_true(checkpoint.info.frame == 50 && checkpoint.info.step == 500 &&
                checkpoint.info.time == 50 / 24.0);
    assert_true(checkpoint.info.scene_hash == 0x1234 && checkpoint.n_state == 5000);
    for (int i = 0; i < 5000; i++) assert_int_equal(((char *)checkpoint.state)[i], 'a' + 50 % 26);
    firn_checkpoint_clear(&checkpoint);
    assert_int_equal(firn_checkpoint_read(folder, 49, &checkpoint, messages), FIRN_OK);
    assert_int_equal(checkpoint.info.frame, 40);
    firn_checkpoint_clear(&checkpoint);
    assert_int_equal(firn_messages_total(messages), 0);
    assert_int_equal(firn_checkpoint_read(folder, 29, &checkpoint, messages), FIRN_IO);
    assert_true(scratch_says(messages, "no checkpoint of that frame or an earlier one"));

    /* damaged ones are skipped; without a complete one there is a message */
    scratch_store(scratch("c/checkpoints/checkpoint.000050.firn"), "FIRNCKPT", 8);
    assert_int_equal(firn_checkpoint_read(folder, 1000, &checkpoint, messages), FIRN_OK);
    assert_int_equal(checkpoint.info.frame, 40);
    firn_checkpoint_clear(&checkpoint);
    assert_true(scratch_says(messages, "checkpoint skipped: "));
    scratch_store(scratch("c/checkpoints/checkpoint.000040.firn"), "", 0);
    scratch_store(scratch("c/checkpoints/checkpoint.000030.firn"), "x", 1);
    assert_int_equal(firn_checkpoint_read(folder, 1000, &checkpoint, messages), FIRN_IO);
    assert_true(scratch_says(messages, "none of 3 checkpoints can be used"));
    assert_int_equal(firn_checkpoint_drop_after(folder, 35, NULL), FIRN_OK);
    assert_int_equal(scratch_count(scratch("c/checkpoints")), 1);
    firn_messages_destroy(messages);
}

/* A header that claims more than the file holds is refused before anything is allocated for it. */
static void refuses_claims(void **state)
{
    (void)state;
    char folder[512];
    strcpy(folder, scratch("h"));
    assert_int_equal(sample_checkpoint(folder, 1, 1), FIRN_OK);
    size_t n;
    unsigned char *data = scratch_load(scratch("h/checkpoints/checkpoint.000001.firn"), &n);
    data[54] = 0x7F; /* 2^55 bytes or so */
    scratch_store(scratch("h/checkpoints/checkpoint.000001.firn"), data, n);
    firn_checkpoint_info info;
    firn_messages *messages = firn_messages_create();
    assert_int_equal(
        firn_checkpoint_verify(scratch("h/checkpoints/checkpoint.000001.firn"), &info, messages),
        FIRN_IO);
    assert_true(scratch_says(messages, "its length is not that in its header"));
    free(data);
    firn_messages_destroy(messages);
}

/* Verification and resume agree: 1: the checkpoint of frame 4 is taken. */
static int is_taken(const char *folder, const char *words)
{
    firn_verify_shot result;
    firn_checkpoint checkpoint;
    firn_messages *messages = firn_messages_create();
    firn_status verified = firn_verify_shot_run(folder, &result, messages);
    if (words) assert_true(scratch_says(messages, words));
    firn_messages_clear(messages);
    firn_status read = firn_checkpoint_read(folder, 9, &checkpoint, messages);
    if (words) assert_true(scratch_says(messages, words));
    assert_int_equal(verified, read);
    assert_int_equal(read, words ? FIRN_IO : FIRN_OK);
    firn_checkpoint_clear(&checkpoint);
    firn_messages_destroy(messages);
    return read == FIRN_OK;
}

/* Complete checkpoints that are not of this shot: another scene, another state, another frame in
 * the name, a frame that has no record. */
static void knows_its_own_shot(void **state)
{
    (void)state;
    const firn_checkpoint_info own = {
        .scene_hash = 0x1234, .frame = 4, .time = 4 / 24.0, .step = 40, .state_hash = 81};
    char folder[512], path[600];
    strcpy(folder, scratch("own"));
    sample_shot(folder, 4);
    assert_true(is_taken(folder, NULL));
    firn_checkpoint_info info = own;
    info.scene_hash = 0x5678;
    assert_int_equal(firn_checkpoint_write(folder, &info, "x", 1, 1, NULL), FIRN_OK);
    assert_false(is_taken(folder, "its scene, 0000000000005678, is not in the history"));
    info = own;
    info.state_hash = 80;
    assert_int_equal(firn_checkpoint_write(folder, &info, "x", 1, 1, NULL), FIRN_OK);
    assert_false(is_taken(folder, "state 0000000000000050, frame 4 has state 0000000000000051"));
    info.step = 39;
    assert_int_equal(firn_checkpoint_write(folder, &info, "x", 1, 1, NULL), FIRN_OK);
    assert_false(is_taken(folder, "step 39, frame 4 has step 40 in the records"));
    info.step = 45; /* on the way to frame 5 */
    info.time += 0.01;
    assert_int_equal(firn_checkpoint_write(folder, &info, "x", 1, 1, NULL), FIRN_OK);
    assert_true(is_taken(folder, NULL));
    info = own;
    info.frame = 5;
    assert_int_equal(firn_checkpoint_write(folder, &info, "x", 1, 1, NULL), FIRN_OK);
    assert_false(is_taken(folder, "frame 5, sub-frame 0 is not in the records"));
    snprintf(path, sizeof path, "%s/checkpoints/checkpoint.000004.firn", folder);
    assert_int_equal(rename(scratch("own/checkpoints/checkpoint.000005.firn"), path), 0);
    assert_false(is_taken(folder, "frame 4 in its name, frame 5 in its header"));
    /* a scene that was edited on a resume is in the history, as is the one before */
    firn_shot *shot;
    firn_shot_setup setup = sample_setup(folder, 1);
    setup.scene_hash = 0x5678;
    assert_int_equal(firn_shot_resume(&setup, 4, 0, &shot, NULL), FIRN_OK);
    assert_int_equal(firn_shot_close(shot, "interrupted", NULL, NULL), FIRN_OK);
    firn_shot_destroy(shot);
    info = own;
    for (int i = 0; i < 2; i++, info.scene_hash = 0x5678) {
        assert_int_equal(firn_checkpoint_write(folder, &info, "x", 1, 1, NULL), FIRN_OK);
        assert_true(is_taken(folder, NULL));
    }
}

/* Layout 1, without a state hash, can still be read. */
static void reads_layout_1(void **state)
{
    (void)state;
    char folder[512];
    strcpy(folder, scratch("old"));
    sample_shot(folder, 4);
    const char *path = scratch("old/checkpoints/checkpoint.000004.firn");
    size_t n;
    unsigned char *data = scratch_load(path, &n);
    data[8] = 1;
    memmove(data + 56, data + 64, 5000);
    uint64_t sum = firn_hash_of(data, 56 + 5000);
    memcpy(data + 56 + 5000, &sum, 8);
    scratch_store(path, data, 56 + 5000 + 8);
    free(data);
    firn_checkpoint checkpoint;
    assert_int_equal(firn_checkpoint_read(folder, 9, &checkpoint, NULL), FIRN_OK);
    assert_true(checkpoint.info.state_hash == 0 && checkpoint.n_state == 5000);
    for (int i = 0; i < 5000; i++) assert_int_equal(((char *)checkpoint.state)[i], 'a' + 4);
    firn_checkpoint_clear(&checkpoint);
    assert_true(is_taken(folder, NULL));
}

static void keeps_the_old_one_when_the_disk_fills(void **state)
{
    (void)state;
    char folder[512];
    strcpy(folder, scratch("d"));
    for (int k = 1;; k++) {
        assert_int_equal(sample_checkpoint(folder, 1, 1), FIRN_OK);
        firn_file_fail_after(k, 28 /* ENOSPC */);
        firn_status status = sample_checkpoint(folder, 2, 1);
        firn_file_fail_after(0, 0);
        firn_checkpoint checkpoint;
        assert_int_equal(firn_checkpoint_read(folder, 9, &checkpoint, NULL), FIRN_OK);
        firn_checkpoint_clear(&checkpoint);
        if (status == FIRN_OK) break;
        assert_int_equal(status, FIRN_IO);
        assert_in_range(k, 1, 50);
        firn_checkpoint_drop_after(folder, 1, NULL);
    }
}

/* The life of a run as far as the disk is concerned; never returns. A frame's caches, its records,
 * and a checkpoint; a byte to `tell` after each frame. */
static void write_for_ever(const char *folder, int is_first, int tell)
{
    firn_shot *shot;
    firn_shot_setup setup = sample_setup(folder, 1);
    int frame = 0;
    if (is_first) {
        if (firn_shot_create(&setup, 1, &shot, NULL) != FIRN_OK) _exit(1);
    } else {
        firn_checkpoint checkpoint;
        firn_manifest manifest;
        if (firn_manifest_read(folder, &manifest, NULL) != FIRN_OK) _exit(2);
        int last = manifest.last_frame;
        firn_manifest_clear(&manifest);
        if (firn_checkpoint_read(folder, last, &checkpoint, NULL) == FIRN_OK) {
            frame = checkpoint.info.frame + 1;
            if (((char *)checkpoint.state)[4999] != 'a' + checkpoint.info.frame % 26) _exit(3);
            firn_checkpoint_clear(&checkpoint);
        }
        if (frame < last) _exit(4); /* more than one interval lost */
        if (firn_shot_resume(&setup, frame - 1, 0, &shot, NULL) != FIRN_OK) _exit(5);
        if (firn_checkpoint_drop_after(folder, frame - 1, NULL) != FIRN_OK) _exit(6);
    }
    for (;; frame++) {
        if (sample_frame(shot, frame, 0, NULL) != FIRN_OK) _exit(7);
        if (sample_checkpoint(folder, frame, 2) != FIRN_OK) _exit(8);
        if (write(tell, "x", 1) != 1) _exit(9);
    }
}

static void survives_kill_9(void **state)
{
    (void)state;
    char folder[512];
    strcpy(folder, scratch("k"));
    const char *given = getenv("FIRN_TEST_KILLS"); /* the campaign asks for more */
    int n_kills = given ? atoi(given) : 100, last = -1, n_progress = 0;
    uint32_t random = 12345;
    for (int i = 0; i < n_kills; i++) {
        int is_first = !firn_manifest_exists(folder);
        int frames[2];
        assert_int_equal(pipe(frames), 0);
        pid_t child = fork();
        if (child == 0) write_for_ever(folder, is_first, frames[1]);
        close(frames[1]);
        /* some frames (none, sometimes, to hit the beginning), then a random while into the next */
        random = random * 1664525u + 1013904223u;
        char byte;
        for (uint32_t n = (random >> 28) % 4; n > 0; n--)
            assert_int_equal(read(frames[0], &byte, 1), 1);
        struct timespec pause = {0, (random >> 8) % 4000000};
        nanosleep(&pause, NULL);
        kill(child, SIGKILL);
        int code;
        waitpid(child, &code, 0);
        close(frames[0]);
        if (WIFEXITED(code)) fail_msg("kill %d: the writer gave up with %d", i, WEXITSTATUS(code));
        if (!firn_manifest_exists(folder)) continue; /* killed before the shot began */
        firn_verify_shot result;
        firn_messages *messages = firn_messages_create();
        if (firn_verify_shot_run(folder, &result, messages) != FIRN_OK)
            fail_msg("kill %d: %s", i, firn_messages_text(messages, 0, NULL));
        firn_messages_destroy(messages);
        n_progress += result.n_output_times - 1 > last;
        last = (int)result.n_output_times - 1;
    }
    assert_true(n_progress > n_kills / 2); /* it did get somewhere */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(brings_back_what_was_saved),
        cmocka_unit_test(refuses_claims),
        cmocka_unit_test(knows_its_own_shot),
        cmocka_unit_test(reads_layout_1),
        cmocka_unit_test(keeps_the_old_one_when_the_disk_fills),
        cmocka_unit_test(survives_kill_9),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
