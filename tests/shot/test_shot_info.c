/* SPDX-License-Identifier: MIT */
/* Contents for info: ranges by hand, a file as JSON, the state of a shot; hostile names
 * stay harmless. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "shot/shot_info.h"
#include "base/memory.h"
#include "support/sample_shot.h"

static firn_points *three_points(void)
{
    firn_points *points = firn_points_create(3);
    const float P[] = {0, 1, 2, -1, 5, 2, 4, 3, 2}, T[] = {300, NAN, 310};
    memcpy(firn_points_add(points, "P", FIRN_ATTRIBUTE_VECTOR, 3)->data.f, P, sizeof P);
    memcpy(firn_points_add(points, "T", FIRN_ATTRIBUTE_FLOAT, 1)->data.f, T, sizeof T);
    firn_attribute *material = firn_points_add(points, "material", FIRN_ATTRIBUTE_INDEX, 1);
    firn_attribute_intern(material, "snow");
    firn_attribute_intern(material, "bad\x1b[31m");
    material->data.i[0] = 1;
    material->data.i[2] = -1;
    firn_points_add_detail(points, "frame", FIRN_ATTRIBUTE_INT, 1)->data.i[0] = 12;
    return points;
}

static void takes_ranges(void **state)
{
    (void)state;
    firn_points *points = three_points();
    firn_info_range range = firn_info_range_of(firn_points_find(points, "P"), 3, 1);
    assert_true(range.min == 1 && range.max == 5 && range.mean == 3 && range.n == 3);
    range = firn_info_range_of(firn_points_find(points, "P"), 3, -1);
    assert_true(range.min == -1 && range.max == 5 && range.mean == 2 && range.n == 9);
    range = firn_info_range_of(firn_points_find(points, "T"), 3, 0);
    assert_true(range.min == 300 && range.max == 310 && range.mean == 305 &&
                range.n_not_finite == 1);
    range = firn_info_range_of(firn_points_find(points, "T"), 0, 0);
    assert_true(isnan(range.mean) && range.n == 0);
    firn_points_destroy(points);
}

static void describes_a_file(void **state)
{
    (void)state;
    firn_points *points = three_points();
    assert_int_equal(firn_format_write(scratch("i.bgeo"), points, NULL, NULL), FIRN_OK);
    firn_points_destroy(points);
    firn_text text = {0};
    assert_int_equal(firn_info_file(scratch("i.bgeo"), &text, NULL, NULL), FIRN_OK);
    assert_non_null(strstr(text.data, "3 points, bgeo"));
    assert_non_null(strstr(text.data, "bounding box: 5 x 4 x 0 m, from (-1, 1, 2)"));
    assert_non_null(strstr(text.data, "details: frame 12"));
    assert_non_null(strstr(text.data, "snow (1), bad?[31m (1), none (1)"));
    assert_non_null(strstr(text.data, "(1 not finite)"));
    assert_null(strchr(text.data, 0x1b));
    firn_text_clear(&text);

    firn_json_writer writer;
    firn_json_init(&writer, 1);
    assert_int_equal(firn_info_file(scratch("i.bgeo"), NULL, &writer, NULL), FIRN_OK);
    size_t n;
    const char *written = firn_json_finish(&writer, &n);
    firn_json *json = firn_json_parse(written, n, "info", NULL);
    assert_non_null(json);
    const firn_json_node *root = firn_json_root(json),
                         *P = firn_json_member(root, "attributes")->first;
    assert_true(firn_json_number_of(root, "points", 0) == 3);
    assert_string_equal(firn_json_string_of(P, "name", ""), "P");
    assert_string_equal(firn_json_string_of(P, "type", ""), "vector");
    assert_true(firn_json_member(P, "max")->first->next->number == 5);
    assert_true(firn_json_number_of(P->next, "not_finite", 0) == 1);
    firn_json_destroy(json);
    firn_json_clear(&writer);
}

static void describes_a_shot(void **state)
{
    (void)state;
    firn_messages *messages = firn_messages_create();
    sample_shot(scratch("s"), 6);
    firn_text text = {0};
    assert_int_equal(firn_info_shot(scratch("s"), &text, NULL, messages), FIRN_OK);
    assert_non_null(strstr(text.data, "shot 'snow_ball', finished"));
    assert_non_null(strstr(text.data, "frames 0 to 6 (0.25 s), 11 caches"));
    assert_non_null(strstr(text.data, "60 steps"));
    assert_non_null(strstr(text.data, "limited by wave of snow"));
    assert_non_null(strstr(text.data, "snow_ball.0006.bgeo: 4 points, bgeo"));
    firn_text_clear(&text);
    firn_json_writer writer;
    firn_json_init(&writer, 1);
    assert_int_equal(firn_info_shot(scratch("s"), NULL, &writer, messages), FIRN_OK);
    size_t n;
    const char *written = firn_json_finish(&writer, &n);
    firn_json *json = firn_json_parse(written, n, "info", messages);
    assert_non_null(json);
    assert_true(firn_json_number_of(firn_json_root(json), "last_frame", 0) == 6);
    assert_true(firn_json_number_of(firn_json_member(firn_json_root(json), "last_cache"), "points",
                                    0) == 4);
    firn_json_destroy(json);
    firn_json_clear(&writer);
    assert_int_equal(firn_info_checkpoint(scratch("s/checkpoints/checkpoint.000006.firn"), &text,
                                          NULL, messages),
                     FIRN_OK);
    assert_non_null(strstr(text.data, "checkpoint of frame 6"));
    firn_text_clear(&text);
    assert_int_equal(firn_messages_total(messages), 0);
    firn_messages_destroy(messages);
}

static void survives_failing_allocations(void **state)
{
    (void)state;
    for (int k = 1; k < 300; k++) {
        firn_text text = {0};
        firn_memory_fail_after(k);
        firn_status status = firn_info_shot(scratch("s"), &text, NULL, NULL);
        firn_memory_fail_after(0);
        firn_text_clear(&text);
        if (status == FIRN_OK) return;
    }
    fail();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_ranges),
        cmocka_unit_test(describes_a_file),
        cmocka_unit_test(describes_a_shot),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
