/* SPDX-License-Identifier: MIT */
/* Partio as the second opinion on classic bgeo: what firn writes Partio reads, and the other way
 * round, every value. Its own formats are tried for positions at least; what else they keep is
 * theirs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "points/bgeo.h"
#include "points/format.h"
#include "points/partio.h"
#include "support/sample_points.h"
#include "support/scratch.h"

/* Partio keeps a string once, as a real table would; so the sample's four are all it has. Its
 * indices are never -1. */
static firn_points *sample(int64_t n)
{
    firn_points *points = sample_points(n);
    firn_attribute *material = &points->attributes[4];
    for (int64_t i = 0; i < n; i++) material->data.i[i] = (int32_t)(i % 4);
    return points;
}

static void reads_what_firn_writes(void **state)
{
    (void)state;
    const int64_t sizes[] = {0, 1, 5, 4321, 70001};
    for (int k = 0; k < 5; k++)
        for (int gzip = 0; gzip < 2; gzip++) {
            const char *path = scratch(gzip ? "a.bgeo.gz" : "a.bgeo");
            firn_points *points = sample(sizes[k]), *read = NULL;
            firn_messages *messages = firn_messages_create();
            assert_int_equal(
                (gzip ? firn_bgeo_write_gzip : firn_bgeo_write)(path, points, NULL, messages),
                FIRN_OK);
            assert_int_equal(firn_partio_read(path, &read, messages), FIRN_OK);
            const char *difference = sample_difference(points, read);
            if (difference)
                fail_msg("%lld points, gzip %d: %s", (long long)sizes[k], gzip, difference);
            assert_int_equal(firn_messages_total(messages), 0);
            firn_points_destroy(points);
            firn_points_destroy(read);
            firn_messages_destroy(messages);
        }
}

static void writes_what_firn_reads(void **state)
{
    (void)state;
    const int64_t sizes[] = {1, 5, 4321};
    for (int k = 0; k < 3; k++)
        for (int gzip = 0; gzip < 2; gzip++) {
            const char *path = scratch(gzip ? "b.bgeo.gz" : "b.bgeo");
            firn_points *points = sample(sizes[k]), *read = NULL;
            firn_messages *messages = firn_messages_create();
            assert_int_equal(firn_partio_write(path, points, NULL, messages), FIRN_OK);
            assert_int_equal((gzip ? firn_bgeo_read_gzip : firn_bgeo_read)(path, &read, messages),
                             FIRN_OK);
            const char *difference = sample_difference(points, read);
            if (difference)
                fail_msg("%lld points, gzip %d: %s", (long long)sizes[k], gzip, difference);
            firn_points_destroy(points);
            firn_points_destroy(read);
            firn_messages_destroy(messages);
        }
}

static void brings_positions_back_in_its_formats(void **state)
{
    (void)state;
    const char *names[] = {"geo", "pdc", "ptc"};
    firn_points *points = firn_points_create(300);
    firn_attribute *P = firn_points_add(points, "P", FIRN_ATTRIBUTE_VECTOR, 3);
    for (int i = 0; i < 900; i++) P->data.f[i] = (float)i * 0.25f - 30;
    firn_points_add(points, "id", FIRN_ATTRIBUTE_INT, 1);
    firn_points_add(points, "Jp", FIRN_ATTRIBUTE_FLOAT, 1);
    firn_points_add(points, "v", FIRN_ATTRIBUTE_VECTOR, 3);
    firn_attribute *material = firn_points_add(points, "material", FIRN_ATTRIBUTE_INDEX, 1);
    firn_attribute_intern(material, "snow");
    P = &points->attributes[0]; /* adding moves attributes */
    for (int k = 0; k < 3; k++) {
        char name[32];
        firn_points *read;
        firn_file_receipt receipt;
        firn_messages *messages = firn_messages_create();
        snprintf(name, sizeof name, "c.%s", names[k]);
        assert_non_null(firn_format_find(names[k]));
        if (firn_format_write(scratch(name), points, &receipt, messages) != FIRN_OK)
            fail_msg("%s: %s", names[k], firn_messages_text(messages, 0, NULL));
        assert_true(receipt.n_bytes > 300 * 12);
        if (firn_format_read(scratch(name), &read, messages) != FIRN_OK)
            fail_msg("%s: %s", names[k], firn_messages_text(messages, 0, NULL));
        assert_int_equal(read->n, 300);
        for (int i = 0; i < 900; i++)
            assert_true(fabsf(firn_points_find(read, "P")->data.f[i] - P->data.f[i]) < 1e-3f);
        firn_points_destroy(read);
        firn_messages_destroy(messages);
    }
    firn_points_destroy(points);
}

static void says_what_it_cannot_do(void **state)
{
    (void)state;
    firn_points *points;
    firn_messages *messages = firn_messages_create();
    assert_int_equal(firn_partio_read(scratch("none.geo"), &points, messages), FIRN_IO);
    assert_true(scratch_says(messages, "no such file or folder"));
    scratch_store(scratch("x.bgeo"), "hello, world, this is no geometry", 33);
    assert_int_equal(firn_partio_read(scratch("x.bgeo"), &points, messages), FIRN_IO);
    assert_null(points);
    points = sample(10);
    firn_file_fail_after(1, 28 /* ENOSPC */);
    assert_int_equal(firn_partio_write(scratch("y.geo"), points, NULL, messages), FIRN_IO);
    firn_file_fail_after(0, 0);
    assert_int_not_equal(access(scratch("y.geo"), F_OK), 0);
    assert_int_equal(firn_partio_write(scratch("no/such/y.geo"), points, NULL, messages), FIRN_IO);
    firn_points_destroy(points);
    firn_messages_destroy(messages);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_firn_writes),
        cmocka_unit_test(writes_what_firn_reads),
        cmocka_unit_test(brings_positions_back_in_its_formats),
        cmocka_unit_test(says_what_it_cannot_do),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
