/* VTP: every array is found again by following the XML to its offset, as a reader would, and has the right bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "memory.h"
#include "sample_points.h"
#include "scratch.h"
#include "vtp.h"

/* The bytes of an appended array by name, and their number. */
static const unsigned char *array(const unsigned char *data, const char *type, const char *name, uint64_t *n_bytes)
{
    char wanted[128];
    snprintf(wanted, sizeof wanted, "<DataArray type=\"%s\" Name=\"%s\" ", type, name);
    const char *at = strstr((const char *)data, wanted);
    if (!at) fail_msg("no array %s", name);
    const char *start = strstr((const char *)data, "<AppendedData encoding=\"raw\">\n_");
    assert_non_null(start);
    const unsigned char *p = (const unsigned char *)start + 31 + strtoull(strstr(at, "offset=\"") + 8, NULL, 10);
    memcpy(n_bytes, p, 8);
    return p + 8;
}

static void leads_to_every_array(void **state)
{
    (void)state;
    const int64_t n = 5000;
    firn_points *points = sample_points(n);
    assert_int_equal(firn_vtp_write(scratch("a.vtp"), points, NULL, NULL), FIRN_OK);
    size_t size;
    unsigned char *data = scratch_load(scratch("a.vtp"), &size);
    for (int a = 0; a < points->n_attributes; a++) {
        const firn_attribute *attribute = &points->attributes[a];
        int is_P = strcmp(attribute->name, "P") == 0;
        uint64_t bytes;
        const char *type =
            attribute->type == FIRN_ATTRIBUTE_INT || attribute->type == FIRN_ATTRIBUTE_INDEX ? "Int32" : "Float32";
        const unsigned char *p = array(data, type, is_P ? "Points" : attribute->name, &bytes);
        assert_int_equal(bytes, n * attribute->n_components * 4);
        assert_memory_equal(p, attribute->data.f, bytes);
    }
    uint64_t bytes;
    int64_t value;
    const unsigned char *p = array(data, "Int64", "connectivity", &bytes);
    assert_int_equal(bytes, n * 8);
    memcpy(&value, p + 8 * (n - 1), 8);
    assert_int_equal(value, n - 1);
    p = array(data, "Int64", "offsets", &bytes);
    assert_int_equal(bytes, 8);
    memcpy(&value, p, 8);
    assert_int_equal(value, n);
    assert_string_equal((const char *)p + 8, "\n</AppendedData>\n</VTKFile>\n"); /* it was the last array */
    p = array(data, "Float32", "gravity", &bytes);
    assert_int_equal(bytes, 12);
    assert_memory_equal(p, firn_points_find_detail(points, "gravity")->data.f, 12);
    const char *text = (const char *)data;
    assert_non_null(strstr(text, "NumberOfPoints=\"5000\" NumberOfVerts=\"1\""));
    assert_non_null(strstr(text, "Name=\"F\" NumberOfComponents=\"9\""));
    assert_non_null(strstr(text, "Name=\"TimeValue\""));
    assert_non_null(
        strstr(text, "Name=\"material_strings\" NumberOfTuples=\"4\" format=\"ascii\">\n115 110 111 119 0\n"));
    free(data);
    firn_points_destroy(points);
}

static void writes_no_points(void **state)
{
    (void)state;
    firn_points *points = sample_points(0);
    assert_int_equal(firn_vtp_write(scratch("b.vtp"), points, NULL, NULL), FIRN_OK);
    size_t size;
    unsigned char *data = scratch_load(scratch("b.vtp"), &size);
    assert_non_null(strstr((const char *)data, "NumberOfPoints=\"0\" NumberOfVerts=\"0\""));
    free(data);
    firn_points_destroy(points);
}

static void survives_failing_allocations(void **state)
{
    (void)state;
    firn_points *points = sample_points(3);
    int k = 1;
    for (firn_status status = FIRN_MEMORY; status != FIRN_OK; k++) {
        firn_memory_fail_after(k);
        status = firn_vtp_write(scratch("c.vtp"), points, NULL, NULL);
        firn_memory_fail_after(0);
        assert_true(status == FIRN_OK || access(scratch("c.vtp"), F_OK) != 0);
        assert_in_range(k, 1, 50);
    }
    firn_points_destroy(points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leads_to_every_array),
        cmocka_unit_test(writes_no_points),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
