/* SPDX-License-Identifier: MIT */
/* test_progress.c: what is told about a run, to the letter. */
#include "session/progress.h"
#include "support/skip.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

static const firn_progress sample = {
    .frame = 12,
    .last_frame = 120,
    .fraction = 0.0975,
    .time = 0.4875,
    .n_substeps = 34,
    .stats = {.limit = {1.25e-4, "wave", "wet \"snow\"", 123},
              .n_steps = 400,
              .n_retries = 1,
              .n_particles = 203456,
              .n_blocks = 812,
              .n_lost = 2,
              .memory_now = 310u << 20},
    .seconds = 8,
    .updates_per_second = 12.34e6,
    .eta = 75,
};

static void test_line(void **state)
{
    (void)state;
    firn_text text = {0};
    firn_progress_line(&sample, 0, &text);
    assert_string_equal(
        text.data,
        "frame 12/120  10 %  ETA 1:15  34 steps  dt 1.25e-04 (wave, wet \"snow\" #123)  203 k "
        "particles  812 blocks  310 MiB  12.3 M updates/s");
    firn_text_clear(&text);
    firn_progress_line(&sample, 20,
                       &text); /* a narrow terminal must not wrap: the line could not be erased */
    assert_string_equal(text.data, "frame 12/120  10 %  ");
    firn_text_clear(&text);
}

static void test_json(void **state)
{
    (void)state;
    firn_json_writer json;
    firn_json_init(&json, 0);
    firn_progress unknown = sample;
    unknown.eta = -1;
    unknown.updates_per_second = INFINITY;
    firn_progress_json(&unknown, &json);
    const char *text = firn_json_finish(&json, NULL);
    firn_json *parsed = firn_json_parse(text, strlen(text), "progress", NULL);
    assert_non_null(parsed);
    const firn_json_node *root = firn_json_root(parsed);
    assert_true(firn_json_number_of(root, "frame", -1) == 12);
    assert_true(firn_json_number_of(root, "steps", -1) == 34);
    assert_true(firn_json_number_of(root, "percent", -1) == 9.75);
    assert_true(firn_json_number_of(root, "memory", -1) == 325058560);
    assert_string_equal(firn_json_string_of(root, "dt_material", ""), "wet \"snow\"");
    assert_int_equal(firn_json_member(root, "eta")->type, FIRN_JSON_NULL);
    assert_int_equal(firn_json_member(root, "updates_per_second")->type, FIRN_JSON_NULL);
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1); /* one object, one line */
    firn_json_destroy(parsed);
    firn_json_clear(&json);
}

static void test_clock(void **state)
{
    (void)state;
    static const struct {
        double seconds;
        const char *text;
    } cases[] = {{0, "0:00"},       {59.6, "1:00"}, {75, "1:15"},
                 {3600, "1:00:00"}, {-1, "--:--"},  {NAN, "--:--"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[32];
        firn_progress_clock(cases[i].seconds, text, sizeof text);
        assert_string_equal(text, cases[i].text);
    }
}

/* A steady run of 2 s of wall time per simulated second and 10 updates a second; then one twice
 * as slow. */
static void test_rates_follow_the_run(void **state)
{
    (void)state;
    firn_progress_meter meter = {0};
    double wall = 0, time = 0, updates = 0;
    firn_progress_measure(&meter, wall = 7, 0, 0); /* it took seven seconds to begin */
    assert_true(meter.seconds_per_time == 0);
    firn_progress_measure(&meter, wall += 0.1, time += 0.0001,
                          updates += 1); /* and the first step was slow */
    for (int i = 0; i < 4; i++)
        firn_progress_measure(&meter, wall += 0.2, time += 0.1, updates += 2);
    assert_true(meter.seconds_per_time > 2 && meter.seconds_per_time < 2.3);
    meter = (firn_progress_meter){0};
    wall = time = updates = 0;
    for (int i = 0; i < 100; i++)
        firn_progress_measure(&meter, wall += 0.2, time += 0.1, updates += 2);
    assert_float_equal(meter.seconds_per_time, 2, 1e-9);
    assert_float_equal(meter.updates_per_second, 10, 1e-9);
    for (int i = 0; i < 100; i++)
        firn_progress_measure(&meter, wall += 0.4, time += 0.1, updates += 2);
    /* 40 s, eight windows: what was before counts e^-8 */
    assert_float_equal(meter.seconds_per_time, 4, 4 * 4e-4);
    assert_float_equal(meter.updates_per_second, 5, 5 * 4e-4);
}

static void test_a_broken_pipe_ends_the_telling_only(void **state)
{
    (void)state;
    FILE *full = fopen("/dev/full", "w");
    if (!full) SKIP("there is no /dev/full");
    firn_progress_display display = {.style = FIRN_PROGRESS_PLAIN, .out = full};
    firn_progress_show(&display, &sample, 1);
    assert_true(display.is_broken);
    firn_progress_show(&display, &sample, 1);
    assert_false(ferror(full));
    assert_int_equal(fflush(full), 0); /* nothing is left behind that would fail again */
    fclose(full);
}

/* What is left of a list is judged by what its first things took. */
static void test_list(void **state)
{
    (void)state;
    char line[160];
    firn_progress_list list = firn_progress_list_begin("pictures", 40);
    firn_progress_list_line(&list, 3, line, sizeof line);
    assert_string_equal(line, "0 of 40 pictures  ETA --:--");
    for (int k = 0; k < 10; k++) firn_progress_list_done(&list);
    firn_progress_list_line(&list, 30, line, sizeof line);
    assert_string_equal(line, "10 of 40 pictures  ETA 1:30");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_line),
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_clock),
        cmocka_unit_test(test_rates_follow_the_run),
        cmocka_unit_test(test_a_broken_pipe_ends_the_telling_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
