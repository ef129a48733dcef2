/* SPDX-License-Identifier: MIT */
#include "points/format.h"
#include "support/picture.h"
#include "points/cache_sequence.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct place {
    char folder[64];
    char made[32][128];
    int n;
} place;

static void touch(place *p, const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", p->folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
    memcpy(p->made[p->n++], path, sizeof path);
}

static int begin(void **state)
{
    place *p = calloc(1, sizeof *p);
    strcpy(p->folder, "/tmp/firn-sequence-XXXXXX");
    *state = p;
    return mkdtemp(p->folder) ? 0 : 1;
}

static int end(void **state)
{
    place *p = *state;
    for (int k = 0; k < p->n; k++) unlink(p->made[k]);
    int result = rmdir(p->folder);
    free(p);
    return result;
}

/* The longest run is the shot; frames come by number, not by name; sub-frames stand between
 * frames; what a killed writer left, pictures and other formats are no frames. */
static void test_folder(void **state)
{
    place *p = *state;
    const char *const names[] = {
        "a.b.0002.bgeo",    "a.b.10000.bgeo",  "a.b.0010.bgeo",    "a.b.0002.500.bgeo",
        "a.b.0002.bgeo.gz", "other.0001.bgeo", "a.b.0001.png",     "preview.png",
        "notes.txt",        "x.bgeo",          "a.b.0003.bgeo.tmp"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) touch(p, names[k]);
    firn_cache_sequence sequence;
    assert_int_equal(firn_cache_sequence_open(p->folder, &sequence, NULL), FIRN_OK);
    assert_string_equal(sequence.title, "a.b");
    assert_int_equal(sequence.n, 4);
    const int frames[] = {2, 2, 10, 10000}, thousandths[] = {0, 500, 0, 0};
    for (int k = 0; k < 4; k++) {
        assert_int_equal(sequence.frames[k].frame, frames[k]);
        assert_int_equal(sequence.frames[k].thousandths, thousandths[k]);
        assert_int_equal(sequence.frames[k].has_decimals, thousandths[k] > 0);
    }
    assert_string_equal(strrchr(sequence.frames[2].path, '/'), "/a.b.0010.bgeo");
    firn_cache_sequence_clear(&sequence);
}

static void test_select(void **state)
{
    place *p = *state;
    for (int k = 0; k < 20; k++) {
        char name[32];
        snprintf(name, sizeof name, "s.%04d.bgeo", k);
        touch(p, name);
    }
    firn_cache_sequence sequence;
    assert_int_equal(firn_cache_sequence_open(p->folder, &sequence, NULL), FIRN_OK);
    assert_int_equal(firn_cache_sequence_select(&sequence, 3, 12, 4, NULL), FIRN_OK); /* 3 7 11 */
    assert_int_equal(sequence.n, 3);
    assert_int_equal(sequence.frames[2].frame, 11);
    firn_messages *messages = firn_messages_create();
    assert_int_equal(firn_cache_sequence_select(&sequence, 40, INT_MAX, 1, messages), FIRN_REFUSED);
    assert_non_null(strstr(firn_messages_text(messages, 0, NULL), "asked for; allowed: 3 to 11"));
    firn_messages_destroy(messages);
    firn_cache_sequence_clear(&sequence);
}

static void test_nothing_there(void **state)
{
    place *p = *state;
    touch(p, "readme.txt");
    firn_cache_sequence sequence;
    firn_messages *messages = firn_messages_create();
    assert_int_equal(firn_cache_sequence_open(p->folder, &sequence, messages), FIRN_REFUSED);
    assert_non_null(strstr(firn_messages_text(messages, 0, NULL),
                           "no caches of particles; allowed: files NAME.0001.bgeo and the like"));
    firn_messages_clear(messages);
    assert_int_equal(firn_cache_sequence_open("/nonexistent", &sequence, messages), FIRN_IO);
    char path[600];
    snprintf(path, sizeof path, "%s/readme.txt", p->folder);
    const char *text = path;
    assert_int_equal(firn_cache_sequence_of_files(1, &text, &sequence, messages), FIRN_REFUSED);
    firn_messages_clear(messages);
    text = "/nonexistent.txt";
    assert_int_equal(firn_cache_sequence_of_files(1, &text, &sequence, messages), FIRN_IO);
    assert_non_null(strstr(firn_messages_text(messages, 0, NULL), "no such file or folder"));
    firn_messages_destroy(messages);
}

/* Files keep the order in which they are given, whatever their numbers. */
static void test_files(void **state)
{
    (void)state;
    const char *const paths[] = {"/somewhere/b.0009.bgeo", "/somewhere/b.0001.bgeo", "x.bgeo"};
    firn_cache_sequence sequence;
    assert_int_equal(firn_cache_sequence_of_files(3, paths, &sequence, NULL), FIRN_OK);
    assert_int_equal(sequence.n, 3);
    assert_int_equal(sequence.frames[0].frame, 9);
    assert_int_equal(sequence.frames[1].frame, 1);
    assert_int_equal(sequence.frames[2].frame, -1);
    assert_string_equal(sequence.title, "b");
    assert_string_equal(sequence.folder, "/somewhere/");
    assert_string_equal(sequence.frames[1].path, paths[1]);
    firn_cache_sequence_clear(&sequence);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_folder, begin, end),
        cmocka_unit_test_setup_teardown(test_select, begin, end),
        cmocka_unit_test_setup_teardown(test_nothing_there, begin, end),
        cmocka_unit_test(test_files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
