/* SPDX-License-Identifier: MIT */
/* PLY: the header as other programs want it, files of other programs, damage. Round trips are in
 * test_format. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"
#include "points/ply.h"
#include "support/sample_points.h"
#include "support/scratch.h"

static void writes_a_header_that_others_read(void **state)
{
    (void)state;
    firn_points *points = sample_points(2);
    assert_int_equal(firn_ply_write(scratch("a.ply"), points, NULL, NULL), FIRN_OK);
    size_t n;
    unsigned char *data = scratch_load(scratch("a.ply"), &n);
    char *text = (char *)data, *end = strstr(text, "end_header\n");
    assert_non_null(end);
    assert_int_equal(strncmp(text, "ply\nformat binary_little_endian 1.0\n", 36), 0);
    assert_non_null(strstr(
        text, "\nelement vertex 2\nproperty float v_x\nproperty float v_y\nproperty float v_z\n"
              "property float x\nproperty float y\nproperty float z\nproperty int id\n"));
    assert_non_null(
        strstr(text, "property float F_8\nproperty int pair_0\nproperty int pair_1\nend_header\n"));
    /* 3 + 3 + 1 + 1 + 1 + 9 + 2 numbers of 4 bytes a point */
    assert_int_equal(n - (size_t)(end + 11 - text), 2 * 20 * 4);
    assert_memory_equal(end + 11, points->attributes[0].data.f, 12);
    free(data);
    firn_points_destroy(points);
}

/* ---------------------------------------------------------------- other encodings, arrays by name
 */

static const char *const formats[3] = {"ascii", "binary_little_endian", "binary_big_endian"};

/* Values of one type of PLY behind what is there, in an encoding */
static size_t put(char *at, int encoding, const char *type, double value)
{
    if (encoding == 0) return (size_t)sprintf(at, "%.9g ", value);
    float f = (float)value;
    int32_t i = (int32_t)value;
    unsigned char c = (unsigned char)value, bytes[8];
    size_t n = !strcmp(type, "double") ? 8 : !strcmp(type, "uchar") ? 1 : 4;
    memcpy(bytes,
           n == 8         ? (void *)&value
           : n == 1       ? (void *)&c
           : *type == 'i' ? (void *)&i
                          : (void *)&f,
           n);
    for (size_t b = 0; b < n; b++) at[b] = (char)bytes[encoding == 1 ? b : n - 1 - b];
    return n;
}

/* n points of which property k of point i is 10 i + k, with what stands behind */
static firn_points *read_numbered(int encoding, const char *const *properties, int n_properties,
                                  int n, const char *behind, firn_messages *messages)
{
    static char data[20000];
    size_t at =
        (size_t)sprintf(data, "ply\nformat %s 1.0\nelement vertex %d\n", formats[encoding], n);
    for (int k = 0; k < n_properties; k++)
        at += (size_t)sprintf(data + at, "property %s\n", properties[k]);
    at += (size_t)sprintf(data + at, "end_header\n");
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n_properties; k++) {
            char type[16];
            sscanf(properties[k], "%15s", type);
            at += put(data + at, encoding, type, 10 * i + k);
        }
        if (encoding == 0 && (i < n - 1 || behind[0]))
            at += (size_t)sprintf(data + at, i % 2 ? "\r\n" : "\n");
    }
    at += (size_t)sprintf(data + at, "%s", behind);
    scratch_store(scratch("n.ply"), data, at);
    firn_points *points = NULL;
    firn_ply_read(scratch("n.ply"), &points, messages);
    return points;
}

static void expect_array(const firn_points *points, const char *name, firn_attribute_type type,
                         int n_components, int first)
{
    const firn_attribute *a = firn_points_find(points, name);
    if (!a) fail_msg("there is no %s", name);
    assert_int_equal(a->type, type);
    assert_int_equal(a->n_components, n_components);
    for (int i = 0; i < points->n; i++)
        for (int c = 0; c < n_components; c++) {
            double value = type == FIRN_ATTRIBUTE_INT ? a->data.i[i * n_components + c]
                                                      : a->data.f[i * n_components + c];
            assert_true(value == 10 * i + first + c);
        }
}

/* In every encoding the names that firn itself writes are its attributes, without its comments,
 * too. */
static void gathers_arrays_by_name(void **state)
{
    (void)state;
    static const char *const properties[] = {
        "float x",    "double y",   "float z",   "float v_x",     "float v_y",    "float v_z",
        "float F_0",  "float F_1",  "float F_2", "float F_3",     "float F_4",    "float F_5",
        "float F_6",  "float F_7",  "float F_8", "double nx",     "float ny",     "float nz",
        "int pair_0", "int pair_1", "int id",    "float alone_0", "float hole_0", "float hole_2",
        "float w_x",  "float w_z",  "int part",  "float mixed_0", "int mixed_1"};
    for (int encoding = 0; encoding < 3; encoding++) {
        firn_points *points = read_numbered(encoding, properties,
                                            sizeof properties / sizeof *properties, 3, "", NULL);
        assert_non_null(points);
        assert_int_equal(points->n, 3);
        expect_array(points, "P", FIRN_ATTRIBUTE_VECTOR, 3, 0);
        expect_array(points, "v", FIRN_ATTRIBUTE_VECTOR, 3, 3);
        expect_array(points, "F", FIRN_ATTRIBUTE_FLOAT, 9, 6);
        expect_array(points, "N", FIRN_ATTRIBUTE_VECTOR, 3, 15);
        expect_array(points, "pair", FIRN_ATTRIBUTE_INT, 2, 18);
        expect_array(points, "id", FIRN_ATTRIBUTE_INT, 1, 20);
        expect_array(points, "alone_0", FIRN_ATTRIBUTE_FLOAT, 1, 21);
        expect_array(points, "hole_0", FIRN_ATTRIBUTE_FLOAT, 1, 22);
        expect_array(points, "hole_2", FIRN_ATTRIBUTE_FLOAT, 1, 23);
        expect_array(points, "w_x", FIRN_ATTRIBUTE_FLOAT, 1, 24);
        expect_array(points, "part", FIRN_ATTRIBUTE_INT, 1, 26);
        expect_array(points, "mixed", FIRN_ATTRIBUTE_FLOAT, 2, 27);
        assert_int_equal(points->n_attributes, 13);
        firn_points_destroy(points);
    }
    static const char *const numbers[] = {"float x",     "float y",   "float z",   "float vz",
                                          "float vx",    "float C_1", "float C_0", "uchar red",
                                          "uchar green", "uchar blue"};
    for (int encoding = 0; encoding < 3; encoding++) { /* out of order, and one of three missing */
        firn_points *points =
            read_numbered(encoding, numbers, 10, 2, encoding ? "" : "\n \n", NULL);
        assert_non_null(points);
        expect_array(points, "vz", FIRN_ATTRIBUTE_FLOAT, 1, 3);
        expect_array(points, "vx", FIRN_ATTRIBUTE_FLOAT, 1, 4);
        assert_null(firn_points_find(points, "v"));
        assert_true(firn_points_find(points, "C")->data.f[2] == 16 &&
                    firn_points_find(points, "C")->data.f[3] == 15);
        assert_true(firn_points_find(points, "Cd")->data.f[3] == (float)(17 / 255.0));
        firn_points_destroy(points);
    }
}

/* What another program made a text or big-endian of, with firn's comments left in: names and
 * details are there. */
static void reads_comments_in_every_encoding(void **state)
{
    (void)state;
    for (int encoding = 0; encoding < 3; encoding++) {
        char data[1000];
        size_t n = (size_t)sprintf(
            data,
            "ply\nformat %s 1.0\ncomment firn attribute vector 3 P\n"
            "comment firn attribute index 1 material\ncomment firn string material snow\n"
            "comment firn detail float 1 time 3f000000\nelement vertex 1\nproperty float x\n"
            "property float y\nproperty float z\nproperty int material\nend_header\n",
            formats[encoding]);
        for (int k = 0; k < 3; k++) n += put(data + n, encoding, "float", 0.5 * k);
        n += put(data + n, encoding, "int", 0);
        scratch_store(scratch("c.ply"), data, n);
        firn_points *points;
        assert_int_equal(firn_ply_read(scratch("c.ply"), &points, NULL), FIRN_OK);
        assert_true(firn_points_find(points, "P")->data.f[2] == 1);
        assert_string_equal(firn_points_find(points, "material")->strings[0], "snow");
        assert_true(firn_points_find_detail(points, "time")->data.f[0] == 0.5f);
        firn_points_destroy(points);
    }
}

/* As scanners write: doubles, colours as bytes, faces behind the vertices. */
static void reads_files_of_others(void **state)
{
    (void)state;
    const char header[] =
        "ply\r\nformat binary_little_endian 1.0\ncomment hello\nobj_info x\nelement vertex 2\n"
        "property double x\nproperty double y\nproperty float64 z\nproperty uchar red\n"
        "property uint8 green\nproperty uchar blue\nproperty short label\nproperty float32 "
        "quality\n"
        "element face 1\nproperty list uchar int vertex_indices\nend_header\n";
    unsigned char data[1000];
    size_t n = sizeof header - 1;
    memcpy(data, header, n);
    for (int i = 0; i < 2; i++) {
        const double x[3] = {1 + i, 2, 3};
        const unsigned char color[3] = {255, 0, 51};
        const int16_t label = (int16_t)(-5 - i);
        const float quality = 0.5f;
        memcpy(data + n, x, 24);
        memcpy(data + n + 24, color, 3);
        memcpy(data + n + 27, &label, 2);
        memcpy(data + n + 29, &quality, 4);
        n += 33;
    }
    memset(data + n, 1, 13);
    scratch_store(scratch("b.ply"), data, n + 13);
    firn_points *points;
    firn_messages *messages = firn_messages_create();
    assert_int_equal(firn_ply_read(scratch("b.ply"), &points, messages), FIRN_OK);
    assert_int_equal(points->n, 2);
    assert_true(firn_points_find(points, "P")->data.f[3] == 2.0f);
    assert_true(firn_points_find(points, "Cd")->data.f[5] == 0.2f);
    assert_int_equal(firn_points_find(points, "label")->data.i[1], -6);
    assert_true(firn_points_find(points, "quality")->data.f[0] == 0.5f);
    firn_points_destroy(points);
    firn_messages_destroy(messages);
}

static void refuse(const char *text, size_t n, const char *words)
{
    firn_points *points;
    firn_messages *messages = firn_messages_create();
    scratch_store(scratch("bad.ply"), text, n);
    assert_int_equal(firn_ply_read(scratch("bad.ply"), &points, messages), FIRN_IO);
    assert_null(points);
    assert_true(scratch_says(messages, words));
    firn_messages_destroy(messages);
}

#define TEXT                                                                                       \
    "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float " \
    "z\n"                                                                                          \
    "property uchar id\nend_header\n"
#define HEAD "ply\nformat binary_little_endian 1.0\n"

static void says_what_is_wrong(void **state)
{
    (void)state;
    const struct {
        const char *text, *words;
    } bad[] = {
        {"", "cut off (ends after 0 bytes, inside the header)"},
        {"solid\n", "not a PLY file"},
        {"ply\nformat ascii 7.3\n",
         "the format is \"ascii 7.3\"; allowed: ascii, binary_little_endian"},
        {"ply\nformat middle_endian 1.0\n", "the format is \"middle_endian 1.0\"; allowed: ascii, "
                                            "binary_little_endian, binary_big_endian, each 1.0"},
        {"ply\nelement vertex 1\nproperty float x\nend_header\n0",
         "the header has no line `format`"},
        {TEXT "1 2 3\n", "more points than the file can hold"},
        {TEXT "1 2 3 4\n1 2 3\n\n",
         "the line of point 1 ends before id; the header names 4 numbers per point"},
        {TEXT "1 2 3 4 5\n1 2 3 4\n",
         "the line of point 0 has more than the 4 numbers of the header"},
        {TEXT "1 2 3 4\n1 2 3 4\n1 2 3 4\n", "more lines than the 2 points of the header"},
        {TEXT "1 2 3 4\n1 2.0.1 3 4\n", "point 1 has y = \"2.0.1\", which is no number"},
        {TEXT "1 2 3 4\n1 2 3 4.5\n",
         "point 1 has id = 4.5; allowed for type uchar: whole numbers from 0 to 255"},
        {TEXT "1 2 3 4\n1 2 3 -4\n", "point 1 has id = -4;"},
        {TEXT "1 2 3 4\n1 2 3 nan\n", "point 1 has id = nan;"},
        {TEXT "1 2 3 4           \n", "the file ends after 1 of the 2 points"},
        {HEAD "element vertex 1\nproperty float vx\nproperty float vy\nproperty float vz\nproperty "
              "float v_x\n"
              "property float v_y\nproperty float v_z\nend_header\n012345678901234567890123",
         "properties vx and v_x both mean attribute v; allowed: one of them"},
        {HEAD "end_header\n", "no vertices"},
        {HEAD "element face 3\n", "the first element is not vertex"},
        {HEAD "element vertex -1\n", "an element without a number"},
        {HEAD "element vertex 0\nend_header\n", "have no properties"},
        {HEAD "element vertex 0\nproperty complex x\n", "a property of unknown type"},
        {HEAD "element vertex 0\nproperty float \n", "a property has no name"},
        {HEAD "element vertex 0\nproperty list uchar int x\n",
         "a list as property of vertices; allowed: numbers"},
        {HEAD "element vertex 1\nproperty float a\nend_header\n0123", "no x y z"},
        {HEAD "element vertex 9000000000000\nproperty float x\nend_header\n0123",
         "more points than the file can hold"},
        {HEAD "element vertex 1\nproperty float x\nproperty float a\nproperty int "
              "a\nend_header\n012345678901",
         "two properties are called a"},
        {HEAD "comment firn attribute float 0 a\n", "damaged header (a comment of firn)"},
        {HEAD "comment firn string a b\n", "damaged header (a comment of firn)"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuse(bad[i].text, strlen(bad[i].text), bad[i].words);
}

static void survives_cuts_flips_and_no_memory(void **state)
{
    (void)state;
    firn_points *points = sample_points(4), *read;
    assert_int_equal(firn_ply_write(scratch("c.ply"), points, NULL, NULL), FIRN_OK);
    size_t n;
    unsigned char *data = scratch_load(scratch("c.ply"), &n);
    for (size_t cut = 0; cut < n; cut++) {
        scratch_store(scratch("cut.ply"), data, cut);
        assert_int_equal(firn_ply_read(scratch("cut.ply"), &read, NULL), FIRN_IO);
        assert_null(read);
    }
    for (size_t bit = 0; bit < 8 * n; bit += 3) {
        data[bit / 8] ^= (unsigned char)(1 << bit % 8);
        scratch_store(scratch("cut.ply"), data, n);
        data[bit / 8] ^= (unsigned char)(1 << bit % 8);
        firn_status status = firn_ply_read(scratch("cut.ply"), &read, NULL);
        assert_true((status == FIRN_OK) == (read != NULL));
        firn_points_destroy(read);
    }
    int k = 1;
    for (firn_status status = FIRN_MEMORY; status != FIRN_OK; k++) {
        firn_memory_fail_after(k);
        status = firn_ply_read(scratch("c.ply"), &read, NULL);
        firn_memory_fail_after(0);
        assert_true((status == FIRN_OK) == (read != NULL));
        firn_points_destroy(read);
        assert_in_range(k, 1, 200);
    }
    assert_true(k > 20);
    free(data);
    firn_points_destroy(points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_a_header_that_others_read),
        cmocka_unit_test(gathers_arrays_by_name),
        cmocka_unit_test(reads_comments_in_every_encoding),
        cmocka_unit_test(reads_files_of_others),
        cmocka_unit_test(says_what_is_wrong),
        cmocka_unit_test(survives_cuts_flips_and_no_memory),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
