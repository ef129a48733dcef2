/* SPDX-License-Identifier: MIT */
/* Classic bgeo: bytes laid out by hand from the format's description, both ways; foreign, cut
 * and hostile files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <sys/resource.h>

#include "points/bgeo.h"
#include "base/memory.h"
#include "support/sample_points.h"
#include "support/scratch.h"

/* Two points with velocity, id and material, one detail: written by hand, byte by byte, from the
 * layout. */
static const unsigned char golden[] = {
    'B', 'g', 'e', 'o', 'V', 0, 0, 0, 5, /* magic, version */
    0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, /* points, primitives, point and primitive groups */
    0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    1,                                            /* attributes: point, vertex, primitive, detail */
    0, 1, 'v', 0, 3, 0, 0, 0, 5,                  /* vector */
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,           /* its default */
    0, 2, 'i', 'd', 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, /* int and its default */
    0, 8, 'm', 'a', 't', 'e', 'r', 'i', 'a', 'l', 0, 1, 0, 0, 0, 4, /* index */
    0, 0, 0, 2, 0, 4, 's', 'n', 'o', 'w', 0, 1, 'x',                /* two strings */
    /* 1 2 3 w | -2 0 0.5 | 7 | 1 */
    0x3F, 0x80, 0, 0, 0x40, 0, 0, 0, 0x40, 0x40, 0, 0, 0x3F, 0x80, 0, 0, 0xC0, 0, 0, 0, 0, 0, 0, 0,
    0x3F, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 1,
    /* -1 0 0 w | 0 0 1 | -1 | 0 */
    0xBF, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x3F, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x3F, 0x80,
    0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0, 4, 't', 'i', 'm', 'e', 0, 1, 0, 0, 0, 0, 0, 0, 0,
    0,                /* detail: float and its default */
    0x3E, 0x80, 0, 0, /* 0.25 */
    0, 0xFF};

static firn_points *golden_points(void)
{
    firn_points *points = firn_points_create(2);
    const float P[] = {1, 2, 3, -1, 0, 0}, v[] = {-2, 0, 0.5f, 0, 0, 1};
    memcpy(firn_points_add(points, "P", FIRN_ATTRIBUTE_VECTOR, 3)->data.f, P, sizeof P);
    memcpy(firn_points_add(points, "v", FIRN_ATTRIBUTE_VECTOR, 3)->data.f, v, sizeof v);
    firn_attribute *id = firn_points_add(points, "id", FIRN_ATTRIBUTE_INT, 1);
    id->data.i[0] = 7;
    id->data.i[1] = -1;
    firn_attribute *material = firn_points_add(points, "material", FIRN_ATTRIBUTE_INDEX, 1);
    firn_attribute_intern(material, "snow");
    firn_attribute_intern(material, "x");
    material->data.i[0] = 1;
    firn_points_add_detail(points, "time", FIRN_ATTRIBUTE_FLOAT, 1)->data.f[0] = 0.25f;
    return points;
}

static void has_the_bytes_of_the_layout(void **state)
{
    (void)state;
    firn_points *points = golden_points(), *read = NULL;
    firn_messages *messages = firn_messages_create();
    assert_int_equal(firn_bgeo_write(scratch("g.bgeo"), points, NULL, messages), FIRN_OK);
    size_t n;
    unsigned char *data = scratch_load(scratch("g.bgeo"), &n);
    assert_int_equal(n, sizeof golden);
    assert_memory_equal(data, golden, n);
    scratch_store(scratch("h.bgeo"), golden, sizeof golden);
    assert_int_equal(firn_bgeo_read(scratch("h.bgeo"), &read, messages), FIRN_OK);
    assert_null(sample_difference(points, read));
    assert_int_equal(firn_messages_total(messages), 0);
    free(data);
    firn_points_destroy(points);
    firn_points_destroy(read);
    firn_messages_destroy(messages);
}

/* A particle-system primitive with an attribute, as other programs write it, lies between points
 * and details. */
static void skips_particle_primitives(void **state)
{
    (void)state;
    const size_t detail_at = sizeof golden - 22;
    const unsigned char primitive[] = {
        0, 1, 'q',  0, 1, 0, 0, 0, 1, 0, 0, 0, 0, /* primitive attribute */
        0, 0, 0x80, 0, 0, 0, 0, 2, 0, 0, 0, 1,    /* type, 2 points as shorts */
        0, 0, 0,    9};                           /* its value */
    unsigned char data[sizeof golden + sizeof primitive];
    memcpy(data, golden, detail_at);
    memcpy(data + detail_at, primitive, sizeof primitive);
    memcpy(data + detail_at + sizeof primitive, golden + detail_at, sizeof golden - detail_at);
    data[16] = 1; /* primitives */
    data[36] = 1; /* primitive attributes */
    scratch_store(scratch("p.bgeo"), data, sizeof data);
    firn_points *points = golden_points(), *read = NULL;
    firn_messages *messages = firn_messages_create();
    assert_int_equal(firn_bgeo_read(scratch("p.bgeo"), &read, messages), FIRN_OK);
    assert_null(sample_difference(points, read));
    firn_points_destroy(read);
    data[detail_at + 13 + 3] =
        1; /* another kind of primitive: points stay, details go, a warning says so */
    scratch_store(scratch("p.bgeo"), data, sizeof data);
    assert_int_equal(firn_bgeo_read(scratch("p.bgeo"), &read, messages), FIRN_OK);
    assert_int_equal(read->n, 2);
    assert_true(
        scratch_says(messages, "primitives of unknown kinds; points are read, details are not"));
    firn_points_destroy(points);
    firn_points_destroy(read);
    firn_messages_destroy(messages);
}

static void refuse_bytes(const void *data, size_t n, const char *words)
{
    scratch_store(scratch("bad.bgeo"), data, n);
    firn_messages *messages = firn_messages_create();
    firn_points *points;
    assert_int_equal(firn_bgeo_read(scratch("bad.bgeo"), &points, messages), FIRN_IO);
    assert_null(points);
    assert_true(scratch_says(messages, words));
    firn_messages_destroy(messages);
}

static void refuse_change(size_t at, unsigned char byte, const char *words)
{
    unsigned char data[sizeof golden];
    memcpy(data, golden, sizeof data);
    data[at] = byte;
    refuse_bytes(data, sizeof data, words);
}

static void says_what_is_wrong(void **state)
{
    (void)state;
    refuse_bytes("", 0, "cut off (ends after 0 bytes, inside the header)");
    refuse_bytes("\x7FNSJb...", 8,
                 "Houdini's newer bgeo; allowed: classic bgeo; try: save it as .bhclassic");
    refuse_bytes("\x1F\x8B\x08\0\0\0\0", 7, "gzip data; try: rename it to .bgeo.gz");
    refuse_bytes("PGEOMETRY V5", 12, "not a bgeo file");
    refuse_change(8, 6, "a version other than 5 (6)");
    refuse_change(9, 0x80, "a negative number in the header");
    refuse_change(9, 0x7F, "more points than the file can hold");  /* 2^31 of them: some 80 GB */
    refuse_change(11, 0x01, "more points than the file can hold"); /* 258 */
    refuse_change(27, 0x7F, "");                                   /* point attributes */
    refuse_change(42, 99, "name of a length outside 1 to 63");
    refuse_change(44, 0xFF, "number of components outside");
    refuse_change(46, 1, "");
    refuse_change(49, 2, "a type other than 0, 1, 4 and 5 (2)");
    refuse_change(sizeof golden - 1, 0xFE, "a wrong trailer");
    unsigned char more[sizeof golden + 1] = {0};
    memcpy(more, golden, sizeof golden);
    refuse_bytes(more, sizeof more, "more bytes after the end");
}

/* No cut and no flipped bit crashes, hangs or asks for more memory than the bound; cuts are all
 * refused. */
static void survives_cuts_and_flips(void **state)
{
    (void)state;
    firn_points *points;
    for (size_t cut = 0; cut < sizeof golden; cut++) {
        scratch_store(scratch("cut.bgeo"), golden, cut);
        assert_int_equal(firn_bgeo_read(scratch("cut.bgeo"), &points, NULL), FIRN_IO);
        assert_null(points);
    }
    unsigned char data[sizeof golden];
    memcpy(data, golden, sizeof data);
    for (size_t bit = 0; bit < 8 * sizeof golden; bit++) {
        data[bit / 8] ^= (unsigned char)(1 << bit % 8);
        scratch_store(scratch("cut.bgeo"), data, sizeof data);
        data[bit / 8] ^= (unsigned char)(1 << bit % 8);
        firn_status status = firn_bgeo_read(scratch("cut.bgeo"), &points, NULL);
        assert_true(status == FIRN_OK ? points != NULL : status == FIRN_IO && points == NULL);
        if (points)
            for (int a = 0; a < points->n_attributes; a++)
                if (points->attributes[a].type == FIRN_ATTRIBUTE_INDEX)
                    for (int64_t i = 0; i < points->n; i++)
                        assert_in_range(points->attributes[a].data.i[i] + 1, 0,
                                        points->attributes[a].n_strings);
        firn_points_destroy(points);
    }
}

static void refuses_to_write_what_does_not_fit(void **state)
{
    (void)state;
    firn_messages *messages = firn_messages_create();
    firn_points *points = firn_points_create(1);
    assert_int_equal(firn_bgeo_write(scratch("no.bgeo"), points, NULL, messages), FIRN_REFUSED);
    assert_true(scratch_says(messages, "attribute P (three floats) is missing"));
    firn_points_add(points, "P", FIRN_ATTRIBUTE_VECTOR, 3);
    firn_attribute *index = firn_points_add(points, "m", FIRN_ATTRIBUTE_INDEX, 1);
    char *string = calloc(1, 65537);
    memset(string, 's', 65536);
    firn_attribute_intern(index, string);
    assert_int_equal(firn_bgeo_write(scratch("no.bgeo"), points, NULL, messages), FIRN_REFUSED);
    assert_true(scratch_says(messages, "is too long for bgeo; allowed: 65535 bytes"));
    free(string);
    assert_int_not_equal(access(scratch("no.bgeo"), F_OK), 0);
    firn_points_destroy(points);
    firn_messages_destroy(messages);
}

static void survives_failing_allocations(void **state)
{
    (void)state;
    scratch_store(scratch("g.bgeo"), golden, sizeof golden);
    int k = 1;
    for (firn_status status = FIRN_MEMORY; status != FIRN_OK; k++) {
        firn_points *points = NULL;
        firn_memory_fail_after(k);
        status = firn_bgeo_read(scratch("g.bgeo"), &points, NULL);
        firn_memory_fail_after(0);
        assert_true((status == FIRN_OK) == (points != NULL));
        firn_points_destroy(points);
        assert_in_range(k, 1, 100);
    }
    assert_true(k > 10);
}

/* Eight million points, all the same: some hundred kB on the disk, 122 MB unpacked, of which 92
 * are P's. */
static void store_bomb(const char *path)
{
    firn_file_writer *writer = firn_file_create(path, 1, NULL);
    static const unsigned char header[41] = {'B', 'g', 'e', 'o', 'V', 0, 0, 0, 5, 0, 0x7A, 0x12, 0};
    static const char zeros[16 * 1000] = {0};
    firn_file_write(writer, header, sizeof header);
    for (int k = 0; k < 8000; k++) firn_file_write(writer, zeros, sizeof zeros);
    firn_file_write(writer, "\x00\xFF", 2);
    assert_int_equal(firn_file_commit(writer, NULL, NULL), FIRN_OK);
}

/* What is unpacked is bounded to the byte, wherever the bound falls, and before memory is taken
 * for it. */
static void unpacks_within_a_bound(void **state)
{
    (void)state;
    firn_points *points = golden_points(), *read = NULL;
    assert_int_equal(firn_bgeo_write_gzip(scratch("b.bgeo.gz"), points, NULL, NULL), FIRN_OK);
    for (uint64_t most = 0; most <= sizeof golden; most++) {
        firn_messages *messages = firn_messages_create();
        firn_status status =
            firn_bgeo_read_gzip_within(scratch("b.bgeo.gz"), most, &read, messages);
        assert_int_equal(status, most == sizeof golden ? FIRN_OK : FIRN_MEMORY);
        if (status) assert_true(!read && scratch_says(messages, "b.bgeo.gz: unpacks to more than"));
        firn_messages_destroy(messages);
    }
    assert_null(sample_difference(points, read));
    firn_points_destroy(points);
    firn_points_destroy(read);

    store_bomb(scratch("bomb.bgeo.gz"));
    struct stat info;
    assert_true(stat(scratch("bomb.bgeo.gz"), &info) == 0 && info.st_size < 1 << 20);
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    firn_messages *messages = firn_messages_create();
    /* without a bound that is given: 64 MiB, or 16 times the file */
    assert_int_equal(firn_bgeo_read_gzip(scratch("bomb.bgeo.gz"), &read, NULL), FIRN_MEMORY);
    assert_null(read);
    assert_int_equal(firn_bgeo_read_gzip_within(scratch("bomb.bgeo.gz"), 64 << 20, &read, messages),
                     FIRN_MEMORY);
    assert_true(
        scratch_says(messages, "unpacks to more than may be held in memory; allowed: 64 MiB"));
    firn_messages_destroy(messages);
    getrusage(RUSAGE_SELF, &after);
    assert_true(after.ru_maxrss - before.ru_maxrss < 8 << 10); /* kB */
    assert_int_equal(firn_bgeo_read_gzip_within(scratch("bomb.bgeo.gz"), 128 << 20, &read, NULL),
                     FIRN_OK);
    assert_int_equal(read->n, 8000000);
    firn_points_destroy(read);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_the_bytes_of_the_layout),
        cmocka_unit_test(skips_particle_primitives),
        cmocka_unit_test(says_what_is_wrong),
        cmocka_unit_test(survives_cuts_and_flips),
        cmocka_unit_test(refuses_to_write_what_does_not_fit),
        cmocka_unit_test(survives_failing_allocations),
        cmocka_unit_test(unpacks_within_a_bound),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
