/* PLY: the header as other programs want it, files of other programs, damage. Round trips are in test_format. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "memory.h"
#include "ply.h"
#include "sample_points.h"
#include "scratch.h"

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
    assert_non_null(strstr(text, "\nelement vertex 2\nproperty float v_x\nproperty float v_y\nproperty float v_z\n"
                                 "property float x\nproperty float y\nproperty float z\nproperty int id\n"));
    assert_non_null(strstr(text, "property float F_8\nproperty int pair_0\nproperty int pair_1\nend_header\n"));
    /* 3 + 3 + 1 + 1 + 1 + 9 + 2 numbers of 4 bytes a point */
    assert_int_equal(n - (size_t)(end + 11 - text), 2 * 20 * 4);
    assert_memory_equal(end + 11, points->attributes[0].data.f, 12);
    free(data);
    firn_points_destroy(points);
}

/* As scanners write: doubles, colours as bytes, faces behind the vertices. */
static void reads_files_of_others(void **state)
{
    (void)state;
    const char header[] = "ply\r\nformat binary_little_endian 1.0\ncomment hello\nobj_info x\nelement vertex 2\n"
                          "property double x\nproperty double y\nproperty float64 z\nproperty uchar red\n"
                          "property uint8 green\nproperty uchar blue\nproperty short label\nproperty float32 quality\n"
                          "element face 1\nproperty list uchar int vertex_indices\nend_header\n";
    unsigned char data[1000];
    size_t n = sizeof header - 1;
    memcpy(data, header, n);
    for (int i = 0; i < 2; i++) {
        const double x[3] = {1 + i, 2, 3};
        const unsigned char color[3] = {255, 0, 51};
        const int16_t label = (int16_t)(-5 - i);
        const float quality = 0.5f;
        memcpy(data + n, x, 24), memcpy(data + n + 24, color, 3), memcpy(data + n + 27, &label, 2);
        memcpy(data + n + 29, &quality, 4);
        n += 33;
    }
    memset(data + n, 1, 13);
    scratch_store(scratch("b.ply"), data, n + 13);
    firn_points *points;
    firn_report *report = firn_report_create();
    assert_int_equal(firn_ply_read(scratch("b.ply"), &points, report), FIRN_OK);
    assert_int_equal(points->n, 2);
    assert_true(firn_points_find(points, "P")->data.f[3] == 2.0f);
    assert_true(firn_points_find(points, "Cd")->data.f[5] == 0.2f);
    assert_int_equal(firn_points_find(points, "label")->data.i[1], -6);
    assert_true(firn_points_find(points, "quality")->data.f[0] == 0.5f);
    firn_points_destroy(points);
    firn_report_destroy(report);
}

static void refuse(const char *text, size_t n, const char *words)
{
    firn_points *points;
    firn_report *report = firn_report_create();
    scratch_store(scratch("bad.ply"), text, n);
    assert_int_equal(firn_ply_read(scratch("bad.ply"), &points, report), FIRN_IO);
    assert_null(points);
    assert_true(scratch_says(report, words));
    firn_report_destroy(report);
}

#define HEAD "ply\nformat binary_little_endian 1.0\n"

static void says_what_is_wrong(void **state)
{
    (void)state;
    const struct {
        const char *text, *words;
    } bad[] = {
        {"", "ends after 0 bytes, in the middle of the header"},
        {"solid\n", "is not a PLY file"},
        {"ply\nformat ascii 1.0\n", "only PLY in the format binary_little_endian"},
        {HEAD "end_header\n", "has no vertices"},
        {HEAD "element face 3\n", "only files whose first element is vertex"},
        {HEAD "element vertex -1\n", "an element without a number"},
        {HEAD "element vertex 0\nend_header\n", "have no properties"},
        {HEAD "element vertex 0\nproperty complex x\n", "a property that PLY does not know"},
        {HEAD "element vertex 0\nproperty list uchar int x\n", "lists as properties"},
        {HEAD "element vertex 1\nproperty float a\nend_header\n0123", "has no x y z"},
        {HEAD "element vertex 9000000000000\nproperty float x\nend_header\n0123", "more points than the file can hold"},
        {HEAD "element vertex 1\nproperty float x\nproperty float a\nproperty int a\nend_header\n012345678901",
         "two properties have the same name"},
        {HEAD "comment firn attribute float 0 a\n", "a comment of firn's makes no sense"},
        {HEAD "comment firn string a b\n", "a comment of firn's makes no sense"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) refuse(bad[i].text, strlen(bad[i].text), bad[i].words);
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
        cmocka_unit_test(reads_files_of_others),
        cmocka_unit_test(says_what_is_wrong),
        cmocka_unit_test(survives_cuts_flips_and_no_memory),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
