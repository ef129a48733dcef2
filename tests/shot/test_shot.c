/* SPDX-License-Identifier: MIT */
/* The shot's folder: names, records, resume, refusals; whatever fails leaves the records readable,
 * and nothing outside the folder is touched. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/resource.h>
#include <sys/wait.h>

#include "shot/manifest.h"
#include "base/memory.h"
#include "support/sample_shot.h"
#include "shot/shot_verify.h"

static void names_as_houdini_counts(void **state)
{
    (void)state;
    firn_shot *shot;
    firn_shot_setup setup = sample_setup(scratch("names"), 4);
    strcpy(sample_outputs[1].format, "bgeo.gz");
    sample_outputs[2] = sample_outputs[0];
    sample_scene.n_outputs = 3;
    assert_int_equal(firn_shot_create(&setup, 0, &shot, NULL), FIRN_OK);
    char name[128];
    firn_shot_file_name(shot, 0, 7, 0, name, sizeof name);
    assert_string_equal(name, "snow_ball.0007.000.bgeo"); /* before .250, also by name */
    firn_shot_file_name(shot, 0, 7, 3, name, sizeof name);
    assert_string_equal(name, "snow_ball.0007.750.bgeo");
    firn_shot_file_name(shot, 1, 12345, 0, name, sizeof name);
    assert_string_equal(name, "snow_ball.12345.bgeo.gz");
    firn_shot_file_name(shot, 2, 0, 0, name,
                        sizeof name); /* a second output of one format does not hit the first */
    assert_string_equal(name, "snow_ball_2.0000.000.bgeo");
    /* output 0: all four output times of a frame; output 1: one of every other frame */
    int due = 0;
    for (int frame = 0; frame < 4; frame++)
        for (int sub = 0; sub < 4; sub++) {
            assert_true(firn_shot_is_due(shot, 0, frame, sub));
            due += firn_shot_is_due(shot, 1, frame, sub);
        }
    assert_int_equal(due, 2);
    assert_false(firn_shot_is_due(shot, 0, 1, -1)); /* a time of an expectation, no output time */
    firn_shot_destroy(shot);

    int frame, thousandths;
    size_t n_stem;
    assert_true(firn_shot_parse_name("snow_ball.0007.750.bgeo.gz", "snow_ball", &frame,
                                     &thousandths, &n_stem));
    assert_true(frame == 7 && thousandths == 750 && n_stem == 9);
    assert_true(
        firn_shot_parse_name("snow_ball_2.12345.bgeo", "snow_ball", &frame, &thousandths, &n_stem));
    assert_true(frame == 12345 && thousandths == 0 && n_stem == 11);
    const char *others[] = {
        "snow_ball.7.bgeo",   "snow_ball.0007.png",        "snow_ball2.0007.bgeo", "snow_ball.0007",
        "snow_bal.0007.bgeo", "snow_ball.x.0007.bgeo",     "snow_ball..bgeo",      "manifest.json",
        "snow_ball.bgeo",     "snow_ball.99999999999.bgeo"};
    for (int i = 0; i < 10; i++)
        assert_false(firn_shot_parse_name(others[i], "snow_ball", &frame, &thousandths, &n_stem));
}

typedef struct seen {
    int n, last_frame, n_files;
} seen;

static void look(void *user, const firn_manifest_time *output_time)
{
    seen *s = user;
    assert_int_equal(output_time->state_hash, 77 + output_time->frame);
    assert_int_equal(firn_json_number_of(output_time->node, "steps", -1), 10 * output_time->frame);
    const firn_json_node *ledgers = firn_json_member(output_time->node, "ledgers");
    assert_int_equal(ledgers->n_items, 2);
    assert_string_equal(firn_json_string_of(ledgers->first->next, "material", ""), "snow");
    s->n++;
    s->last_frame = output_time->frame;
    s->n_files += output_time->n_files;
}

/* The manifest holds the last line of the records. */
static void check_last(const char *manifest, const char *words)
{
    size_t n;
    char path[512]; /* others still use theirs */
    snprintf(path, sizeof path, "%s/%s", scratch_folder, manifest);
    char *text = (char *)scratch_load(path, &n);
    const char *last = strstr(text, "\"last\": {");
    if (!last || !strstr(last, words)) fail_msg("%s not in %s", words, text);
    free(text);
}

static void keeps_records(void **state)
{
    (void)state;
    sample_shot(scratch("records"), 9);
    firn_messages *messages = firn_messages_create();
    firn_manifest manifest;
    assert_int_equal(firn_manifest_read(scratch("records"), &manifest, messages), FIRN_OK);
    assert_string_equal(manifest.name, "snow_ball");
    check_last("records/manifest.json", "{\"frame\": 9, \"sub\": 0, \"time\": 0.375, ");
    check_last("records/manifest.json", "\"state_hash\": \"0000000000000056\"");
    assert_string_equal(manifest.state, "finished");
    assert_string_equal(manifest.scene_json, "{\"scene\": {\"name\": \"snow ball\"}}");
    assert_true(manifest.scene_hash == 0x1234 && manifest.n_output_times == 10 &&
                manifest.last_frame == 9);
    seen s = {0};
    assert_int_equal(firn_manifest_walk(scratch("records"), &manifest, look, &s, messages),
                     FIRN_OK);
    assert_true(s.n == 10 && s.last_frame == 9 && s.n_files == 15);
    firn_manifest_clear(&manifest);
    /* a header and two rows per output time */
    size_t n;
    unsigned char *ledger = scratch_load(scratch("records/ledger.csv"), &n);
    int n_lines = 0;
    for (size_t i = 0; i < n; i++) n_lines += ledger[i] == '\n';
    assert_int_equal(n_lines, 1 + 2 * 10);
    free(ledger);
    assert_int_equal(firn_messages_total(messages), 0);
    firn_messages_destroy(messages);
}

/* Nothing that identifies the place of the run is written down. */
static void names_no_host(void **state)
{
    (void)state;
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    size_t n;
    unsigned char *text = scratch_load(scratch("records/manifest.json"), &n);
    assert_non_null(strstr((char *)text, "\"machine\""));
    if (strlen(host) > 3) assert_null(strstr((char *)text, host));
    assert_null(strstr((char *)text, scratch_folder));
    free(text);
}

static void goes_on_after_an_output_time(void **state)
{
    (void)state;
    firn_messages *messages = firn_messages_create();
    sample_shot(scratch("resume"), 9);
    firn_shot_setup setup = sample_setup(scratch("resume"), 1);
    setup.edits_json = "[\"gravity=[0, 0, 0]\"]";
    firn_shot *shot, *second;
    assert_int_equal(firn_shot_resume(&setup, 5, 0, &shot, messages), FIRN_OK);
    int frame, sub;
    assert_true(firn_shot_last(shot, &frame, &sub) && frame == 5 && sub == 0);
    assert_int_equal(access(scratch("resume/snow_ball.0005.bgeo"), F_OK), 0);
    assert_int_not_equal(access(scratch("resume/snow_ball.0006.bgeo"), F_OK), 0);
    assert_int_not_equal(access(scratch("resume/snow_ball_2.0008.bgeo"), F_OK), 0);
    check_last("resume/manifest.json", "\"state_hash\": \"0000000000000052\"");
    /* one writer at a time */
    assert_int_equal(firn_shot_resume(&setup, 5, 0, &second, messages), FIRN_IO);
    assert_true(scratch_says(messages, "another run is writing into this folder"));
    assert_int_equal(sample_frame(shot, 5, 0, messages), FIRN_USAGE); /* twice */
    for (frame = 6; frame < 12; frame++)
        assert_int_equal(sample_frame(shot, frame, 0, NULL), FIRN_OK);
    assert_int_equal(firn_shot_close(shot, "finished", NULL, NULL), FIRN_OK);
    firn_shot_destroy(shot);
    firn_verify_shot result;
    firn_messages_clear(messages);
    assert_int_equal(firn_verify_shot_run(scratch("resume"), &result, messages), FIRN_OK);
    assert_int_equal(result.n_output_times, 12);
    assert_int_equal(firn_messages_total(messages), 0);
    firn_manifest manifest;
    assert_int_equal(firn_manifest_read(scratch("resume"), &manifest, NULL), FIRN_OK);
    assert_non_null(strstr(manifest.history_json, "\"what\": \"run\""));
    assert_non_null(strstr(manifest.history_json, "\"after_frame\": 5"));
    check_last("resume/manifest.json", "\"state_hash\": \"0000000000000058\"");
    assert_non_null(strstr(manifest.history_json, "\"edits\": [\"gravity=[0, 0, 0]\"]"));
    firn_manifest_clear(&manifest);
    firn_messages_destroy(messages);
}

static void refuses_what_is_there_already(void **state)
{
    (void)state;
    firn_messages *messages = firn_messages_create();
    firn_shot *shot;
    sample_shot(scratch("there"), 2);
    firn_shot_setup setup = sample_setup(scratch("there"), 1);
    assert_int_equal(firn_shot_create(&setup, 0, &shot, messages), FIRN_REFUSED);
    assert_true(scratch_says(messages, "holds a shot; try: continue it (firn resume)"));
    scratch_store(scratch("there/preview.png"), "x", 1);
    scratch_store(scratch("there/notes.png"), "x", 1);
    assert_int_equal(firn_shot_create(&setup, 1, &shot, messages),
                     FIRN_OK); /* replaced: only what a shot consists of */
    firn_shot_destroy(shot);
    assert_int_equal(access(scratch("there/notes.png"), F_OK), 0);
    assert_int_not_equal(access(scratch("there/preview.png"), F_OK), 0);
    assert_int_not_equal(access(scratch("there/snow_ball.0001.bgeo"), F_OK), 0);
    assert_int_equal(scratch_count(scratch("there/checkpoints")), 0);
    setup = sample_setup(scratch("loose"), 1);
    assert_int_equal(mkdir(scratch("loose"), 0777), 0);
    scratch_store(scratch("loose/snow_ball.0003.bgeo"), "x", 1);
    assert_int_equal(firn_shot_create(&setup, 0, &shot, messages), FIRN_REFUSED);
    assert_true(scratch_says(messages, "holds 1 caches snow_ball.* that belong to no shot"));
    setup = sample_setup(scratch("new"), 1);
    strcpy(sample_outputs[1].format, "xyz");
    assert_int_equal(firn_shot_create(&setup, 0, &shot, messages), FIRN_REFUSED);
    assert_true(scratch_says(messages, "output 2: format \"xyz\" is unknown"));
    setup = sample_setup(scratch("new"), 1);
    setup.scene_json = "{";
    assert_int_equal(firn_shot_create(&setup, 0, &shot, messages), FIRN_REFUSED);
    assert_int_not_equal(access(scratch("new"), F_OK), 0); /* refusals make no folders */
    assert_int_equal(firn_shot_resume(&setup, 0, 0, &shot, NULL), FIRN_REFUSED);
    setup = sample_setup(scratch("empty"), 1);
    assert_int_equal(mkdir(scratch("empty"), 0777), 0);
    assert_int_equal(firn_shot_resume(&setup, 0, 0, &shot, messages), FIRN_IO);
    assert_true(scratch_says(messages, "not the folder of a shot (no manifest.json in it)"));
    firn_messages_destroy(messages);
}

/* A shot that replaces one of another name leaves no cache of the old records, and nothing else is
 * touched. */
static void replaces_a_shot_of_another_name(void **state)
{
    (void)state;
    firn_messages *messages = firn_messages_create();
    firn_shot *shot;
    sample_shot(scratch("other"), 3);
    scratch_store(scratch("other/snow_ball.0009.bgeo"), "x", 1); /* in no records */
    firn_shot_setup setup = sample_setup(scratch("other"), 1);
    strcpy(sample_scene.name, "sand");
    assert_int_equal(firn_shot_create(&setup, 1, &shot, messages), FIRN_OK);
    firn_shot_destroy(shot);
    assert_int_equal(firn_messages_total(messages), 0);
    for (int frame = 0; frame <= 3; frame++)
        for (int output = 0; output < 2; output++) {
            char name[64];
            snprintf(name, sizeof name, "other/snow_ball%s.%04d.bgeo", output ? "_2" : "", frame);
            assert_int_not_equal(access(scratch(name), F_OK), 0);
        }
    assert_int_equal(access(scratch("other/snow_ball.0009.bgeo"), F_OK), 0);
    /* damaged records do not hold the names: that is warned of, and the new shot begins */
    sample_shot(scratch("damaged"), 3);
    scratch_store(scratch("damaged/manifest.json"), "{", 1);
    setup = sample_setup(scratch("damaged"), 1);
    strcpy(sample_scene.name, "sand");
    assert_int_equal(firn_shot_create(&setup, 1, &shot, messages), FIRN_OK);
    firn_shot_destroy(shot);
    assert_true(scratch_says(messages, "other names than sand.* may remain"));
    firn_messages_destroy(messages);
}

/* A run killed after its last checkpoint and before its shot was closed: finish removes what the
 * kill left and closes it; a finished shot is not touched again. */
static void finishes_what_was_killed(void **state)
{
    (void)state;
    firn_shot *shot;
    char folder[512];
    strcpy(folder, scratch("ended"));
    firn_shot_setup setup = sample_setup(folder, 1);
    assert_int_equal(firn_shot_create(&setup, 0, &shot, NULL), FIRN_OK);
    for (int frame = 0; frame < 4; frame++)
        assert_int_equal(sample_frame(shot, frame, 0, NULL), FIRN_OK);
    assert_int_equal(sample_checkpoint(folder, 3, 2), FIRN_OK);
    firn_shot_destroy(shot); /* never closed */
    FILE *file = fopen(scratch("ended/frames.jsonl"), "ab");
    fputs("{\"frame\": 4, \"su", file);
    fclose(file);
    scratch_store(scratch("ended/.part.1.0.manifest.json"), "x", 1);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(firn_shot_finish(&setup, 3, 0, NULL), FIRN_OK);
        firn_verify_shot result;
        firn_messages *messages = firn_messages_create();
        assert_int_equal(firn_verify_shot_run(folder, &result, messages), FIRN_OK);
        assert_string_equal(result.state, "finished");
        assert_int_equal(result.n_output_times, 4);
        assert_int_equal(firn_messages_total(messages), 0);
        firn_messages_destroy(messages);
    }
    check_last("ended/manifest.json", "{\"frame\": 3, ");
    firn_manifest manifest;
    assert_int_equal(firn_manifest_read(folder, &manifest, NULL), FIRN_OK);
    const char *second = strstr(manifest.history_json, "\"what\": \"resume\"");
    assert_true(second && !strstr(second + 1, "\"what\""));
    firn_manifest_clear(&manifest);
}

/* A link where the shot has a file or folder of its own, with and without `replace`, at the start
 * of a new shot and of a resumed one: refused, and what it leads to stays as it was. */
static void follows_no_links(void **state)
{
    (void)state;
    static const char *const names[] = {"manifest.json", "frames.jsonl", "ledger.csv",
                                        "preview.png", "checkpoints"};
    char outside[512], victim[512], inside[600];
    strcpy(outside, scratch("outside"));
    strcpy(victim, scratch("outside/checkpoint.000001.firn"));
    assert_int_equal(mkdir(outside, 0777), 0);
    for (int i = 0; i < 5; i++)
        for (int is_resume = 0; is_resume < 2; is_resume++) {
            firn_shot *shot;
            firn_messages *messages = firn_messages_create();
            scratch_store(victim, "mine", 4);
            sample_shot(scratch("linked"), 2);
            firn_shot_setup setup = sample_setup(scratch("linked"), 1);
            snprintf(inside, sizeof inside, "%s/%s", setup.folder, names[i]);
            if (i == 4) unlink(scratch("linked/checkpoints/checkpoint.000002.firn"));
            remove(inside);
            assert_int_equal(symlink(i == 4 ? outside : victim, inside), 0);
            firn_status status = is_resume ? firn_shot_resume(&setup, 1, 0, &shot, messages)
                                           : firn_shot_create(&setup, 1, &shot, messages);
            assert_int_equal(status, FIRN_REFUSED);
            assert_true(scratch_says(messages, names[i]));
            assert_true(scratch_says(messages, "a symbolic link; a shot is written inside"));
            if (i == 4) {
                assert_int_equal(sample_checkpoint(setup.folder, 2, 1), FIRN_REFUSED);
                assert_int_equal(firn_checkpoint_drop_after(setup.folder, -1, NULL), FIRN_REFUSED);
            }
            size_t n;
            unsigned char *data = scratch_load(victim, &n);
            assert_true(n == 4 && memcmp(data, "mine", 4) == 0);
            free(data);
            unlink(inside);
            firn_messages_destroy(messages);
        }
}

/* Records of 40 MB under a limit of 12 MiB more address space: nothing may hold all of them. */
static void reads_records_line_by_line(void **state)
{
    (void)state;
#ifdef FIRN_TESTS_SANITIZED
    SKIP("sanitizers reserve address space of their own");
#else
    enum { LINES = 30000 };
    char folder[512];
    strcpy(folder, scratch("long"));
    sample_shot(folder, 0);
    firn_manifest manifest;
    assert_int_equal(firn_manifest_read(folder, &manifest, NULL), FIRN_OK);
    FILE *file = fopen(scratch("long/frames.jsonl"), "wb");
    firn_hash hash;
    firn_hash_init(&hash);
    for (int frame = 0; frame < LINES; frame++) {
        firn_json_writer writer;
        firn_ledger ledgers[2];
        firn_shot_time output_time = sample_time(frame, 0, ledgers);
        size_t n;
        const char *line =
            firn_manifest_line(&writer, &output_time, manifest.ledger.n_bytes, 0, NULL, &n);
        assert_int_equal(fwrite(line, 1, n, file), n);
        firn_hash_update(&hash, line, n);
        firn_json_clear(&writer);
    }
    fclose(file);
    assert_true(hash.n_bytes > (40 << 20));
    manifest.frames = (firn_file_receipt){hash.n_bytes, firn_hash_value(&hash)};
    manifest.n_output_times = LINES;
    manifest.last_frame = LINES - 1;
    assert_int_equal(firn_manifest_write(folder, &manifest, NULL), FIRN_OK);
    firn_manifest_clear(&manifest);
    pid_t child = fork();
    if (child == 0) {
        firn_shot *shot;
        firn_shot_setup setup = sample_setup(folder, 1);
        long pages = 0;
        FILE *statm = fopen("/proc/self/statm", "r");
        if (!statm || fscanf(statm, "%ld", &pages) != 1) _exit(2);
        fclose(statm);
        rlim_t limit = (rlim_t)(pages * sysconf(_SC_PAGESIZE) + (12 << 20));
        setrlimit(RLIMIT_AS, &(struct rlimit){limit, limit});
        _exit(firn_shot_resume(&setup, LINES - 2, 0, &shot, NULL) == FIRN_OK ? 0 : 1);
    }
    int code;
    waitpid(child, &code, 0);
    assert_true(WIFEXITED(code));
    assert_int_equal(WEXITSTATUS(code), 0);
    assert_int_equal(firn_manifest_read(folder, &manifest, NULL), FIRN_OK);
    assert_int_equal(manifest.n_output_times, LINES - 1);
    firn_manifest_clear(&manifest);
    check_last("long/manifest.json", "{\"frame\": 29998, ");
#endif
}

/* Each system call of a whole life fails in turn - then everything after it, as on a full disk.
 * What is on disk then is either no shot at all or one that verifies, with all frames that were
 * recorded. */
static void survives_failing_calls(void **state)
{
    (void)state;
    int n_failures = 0;
    for (int k = 1;; k++) {
        firn_shot *shot;
        firn_shot_setup setup = sample_setup(scratch("fail"), 1);
        int n_recorded = 0;
        firn_file_fail_after(k, 28 /* ENOSPC */);
        firn_status status = firn_shot_create(&setup, 1, &shot, NULL);
        for (int frame = 0; status == FIRN_OK && frame < 3; frame++) {
            status = sample_frame(shot, frame, 0, NULL);
            n_recorded += status == FIRN_OK;
        }
        if (status == FIRN_OK) status = firn_shot_close(shot, "finished", NULL, NULL);
        firn_file_fail_after(0, 0);
        firn_shot_destroy(shot);
        if (status == FIRN_OK) break;
        n_failures++;
        if (firn_manifest_exists(scratch("fail"))) {
            firn_verify_shot result;
            firn_messages *messages = firn_messages_create();
            if (firn_verify_shot_run(scratch("fail"), &result, messages) != FIRN_OK)
                fail_msg("call %d: %s", k, firn_messages_text(messages, 0, NULL));
            assert_true(result.n_output_times == n_recorded ||
                        result.n_output_times == n_recorded + 1);
            firn_messages_destroy(messages);
        }
        assert_in_range(k, 1, 300);
    }
    assert_true(n_failures > 60);
}

static void survives_failing_allocations(void **state)
{
    (void)state;
    for (int k = 1;; k++) {
        firn_shot *shot;
        firn_shot_setup setup = sample_setup(scratch("memory"), 1);
        firn_memory_fail_after(k);
        firn_status status = firn_shot_create(&setup, 1, &shot, NULL);
        firn_ledger ledgers[2];
        firn_shot_time output_time = sample_time(0, 0, ledgers);
        if (status == FIRN_OK) status = firn_shot_record(shot, &output_time, 0, NULL, NULL);
        firn_memory_fail_after(0);
        firn_shot_destroy(shot);
        if (status == FIRN_OK) break;
        assert_true(status == FIRN_MEMORY || status == FIRN_REFUSED || status == FIRN_IO);
        assert_in_range(k, 1, 200);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_as_houdini_counts),
        cmocka_unit_test(keeps_records),
        cmocka_unit_test(names_no_host),
        cmocka_unit_test(goes_on_after_an_output_time),
        cmocka_unit_test(refuses_what_is_there_already),
        cmocka_unit_test(replaces_a_shot_of_another_name),
        cmocka_unit_test(finishes_what_was_killed),
        cmocka_unit_test(follows_no_links),
        cmocka_unit_test(reads_records_line_by_line),
        cmocka_unit_test(survives_failing_calls),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
