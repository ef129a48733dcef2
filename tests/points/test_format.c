/* SPDX-License-Identifier: MIT */
/* The table of formats: every entry that can do both brings back every bit; choice by ending;
 * sentences. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "points/format.h"
#include "base/hash.h"
#include "support/sample_points.h"
#include "support/scratch.h"

static void chooses_by_the_longest_ending(void **state)
{
    (void)state;
    assert_string_equal(firn_format_of("a/b.bgeo")->name, "bgeo");
    assert_string_equal(firn_format_of("snow.0001.bgeo.gz")->name, "bgeo.gz");
    assert_string_equal(firn_format_of("snow.0001.volumes.vdb")->name, "volumes.vdb");
    assert_string_equal(firn_format_of("volumes.vdb")->name, "vdb");
    assert_null(firn_format_of("a.gz"));
    assert_null(firn_format_of("bgeo"));
    assert_null(firn_format_of(".bgeo")); /* an ending is no name */
    assert_null(firn_format_of(""));
    assert_ptr_equal(firn_format_find("bgeo"), firn_format_of("x.bgeo"));
    assert_null(firn_format_find("bge"));
    for (int i = 0; firn_format_at(i); i++) {
        char path[64];
        snprintf(path, sizeof path, "x%s", firn_format_at(i)->extension);
        assert_ptr_equal(firn_format_of(path), firn_format_at(i)); /* no two with one ending */
        assert_true(firn_format_at(i)->read || firn_format_at(i)->write);
    }
    firn_messages *messages = firn_messages_create();
    firn_points *points;
    assert_int_equal(firn_format_read("a.xyz", &points, messages), FIRN_REFUSED);
    assert_true(scratch_says(messages, "unknown extension; allowed: .bgeo"));
    firn_messages_destroy(messages);
}

/* Endings in capitals, as some programs write them */
static void endings_in_any_case(void **state)
{
    (void)state;
    assert_ptr_equal(firn_format_of("A.0001.BGEO"), firn_format_of("a.0001.bgeo"));
    assert_ptr_equal(firn_format_of("a.Bgeo.GZ"), firn_format_of("a.bgeo.gz"));
    assert_ptr_equal(firn_format_of("a.PLY"), firn_format_of("a.ply"));
    assert_non_null(firn_format_of("a.VTP"));
    assert_null(firn_format_of("a.BGEOX"));
    firn_points *points = sample_points(3), *read = NULL;
    assert_int_equal(firn_format_write(scratch("CAPITALS.BGEO"), points, NULL, NULL), FIRN_OK);
    assert_int_equal(firn_format_read(scratch("CAPITALS.BGEO"), &read, NULL), FIRN_OK);
    assert_null(sample_difference(points, read));
    firn_points_destroy(points);
    firn_points_destroy(read);
}

/* Formats of other libraries may lose attributes (their entries say so) and are tested in
 * test_partio. */
static int is_lossless(const firn_format *format)
{
    const char *names[] = {"bgeo", "bgeo.gz", "bhclassic", "ply", "vtp"};
    for (int i = 0; i < 5; i++)
        if (strcmp(format->name, names[i]) == 0) return 1;
    return 0;
}

static void brings_back_every_bit(void **state)
{
    (void)state;
    const int64_t sizes[] = {0, 1, 5, 1000, 70001}; /* around blocks and 16-bit limits */
    firn_messages *messages = firn_messages_create();
    int n_tried = 0;
    for (int i = 0; firn_format_at(i); i++) {
        const firn_format *format = firn_format_at(i);
        if (!is_lossless(format) || !format->read || !format->write) continue;
        n_tried++;
        for (int k = 0; k < 5; k++) {
            char name[64];
            snprintf(name, sizeof name, "round%s", format->extension);
            firn_points *points = sample_points(sizes[k]), *read = NULL;
            firn_file_receipt receipt;
            assert_int_equal(firn_format_write(scratch(name), points, &receipt, messages), FIRN_OK);
            assert_int_equal(firn_format_read(scratch(name), &read, messages), FIRN_OK);
            const char *difference = sample_difference(points, read);
            if (difference)
                fail_msg("%s, %lld points: %s", format->name, (long long)sizes[k], difference);
            size_t n;
            unsigned char *data = scratch_load(scratch(name), &n);
            assert_true(receipt.n_bytes == n && receipt.checksum == firn_hash_of(data, n));
            free(data);
            firn_points_destroy(points);
            firn_points_destroy(read);
        }
    }
    assert_true(n_tried >= 3);
    assert_int_equal(firn_messages_total(messages), 0);
    firn_messages_destroy(messages);
}

/* A full disk at any write leaves no file under the name, in any format of ours. */
static void leaves_nothing_half_written(void **state)
{
    (void)state;
    firn_points *points = sample_points(20001);
    float *v = points->attributes[0].data.f;
    for (int k = 0; k < 6; k++)
        v[k] = 1; /* Partio's text format cannot hold what is not finite, and is refused */
    for (int i = 0; firn_format_at(i); i++) {
        const firn_format *format = firn_format_at(i);
        if (!format->write) continue;
        char name[64];
        snprintf(name, sizeof name, "full%s", format->extension);
        firn_status status = FIRN_IO;
        for (int k = 1; status != FIRN_OK; k++) {
            firn_file_fail_after(k, 28 /* ENOSPC */);
            status = firn_format_write(scratch(name), points, NULL, NULL);
            firn_file_fail_after(0, 0);
            size_t n;
            unsigned char *data = scratch_load(scratch(name), &n);
            if (data) { /* then it is whole, and only the folder's sync failed */
                firn_points *read = NULL;
                if (format->read)
                    assert_int_equal(format->read(scratch(name), &read, NULL), FIRN_OK);
                firn_points_destroy(read);
            }
            free(data);
            assert_in_range(k, 1, 200);
        }
        assert_int_equal(unlink(scratch(name)), 0);
    }
    firn_points_destroy(points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chooses_by_the_longest_ending),
        cmocka_unit_test(endings_in_any_case),
        cmocka_unit_test(brings_back_every_bit),
        cmocka_unit_test(leaves_nothing_half_written),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
