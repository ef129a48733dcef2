/* SPDX-License-Identifier: MIT */
/* The particle table: what is added is found, zeroed and counted; refusals change nothing; no
 * allocation that fails leaves anything behind or half made. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "points/points.h"

static void adds_and_finds(void **state)
{
    (void)state;
    firn_points *points = firn_points_create(7);
    char name[16];
    for (int i = 0; i < 40; i++) { /* past several doublings */
        snprintf(name, sizeof name, "a%d", i);
        firn_attribute *added = firn_points_add(points, name, FIRN_ATTRIBUTE_FLOAT, 1 + i % 5);
        assert_non_null(added);
        for (int k = 0; k < 7 * (1 + i % 5); k++) assert_true(added->data.f[k] == 0.0f);
        added->data.f[6] = (float)i;
    }
    assert_int_equal(points->n_attributes, 40);
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "a%d", i);
        const firn_attribute *found = firn_points_find(points, name);
        assert_non_null(found);
        assert_true(found->data.f[6] == (float)i);
        assert_int_equal(found->n_components, 1 + i % 5);
    }
    assert_null(firn_points_find(points, "a40"));
    assert_null(firn_points_find_detail(points, "a1")); /* the two lists are apart */
    assert_non_null(firn_points_add_detail(points, "a1", FIRN_ATTRIBUTE_INT, 1));
    assert_non_null(firn_points_find_detail(points, "a1"));
    firn_points_destroy(points);
}

static void refuses_nonsense(void **state)
{
    (void)state;
    assert_null(firn_points_create(-1));
    firn_points *points = firn_points_create(INT64_MAX / 2);
    assert_null(firn_points_add(points, "P", FIRN_ATTRIBUTE_VECTOR, 3)); /* the product overflows */
    firn_points_destroy(points);
    points = firn_points_create(0);
    char name[65];
    memset(name, 'x', 64);
    name[64] = 0;
    assert_null(firn_points_add(points, name, FIRN_ATTRIBUTE_FLOAT, 1));
    name[63] = 0;
    assert_non_null(firn_points_add(points, name, FIRN_ATTRIBUTE_FLOAT, 1));
    assert_null(firn_points_add(points, name, FIRN_ATTRIBUTE_FLOAT, 1)); /* twice */
    assert_null(firn_points_add(points, "", FIRN_ATTRIBUTE_FLOAT, 1));
    assert_null(firn_points_add(points, "n", FIRN_ATTRIBUTE_FLOAT, 0));
    assert_null(firn_points_add(points, "v", FIRN_ATTRIBUTE_VECTOR, 4));
    assert_int_equal(points->n_attributes, 1);
    firn_points_destroy(points);
    firn_points_destroy(NULL);
}

static void interns_strings(void **state)
{
    (void)state;
    firn_points *points = firn_points_create(1);
    firn_attribute *material = firn_points_add(points, "material", FIRN_ATTRIBUTE_INDEX, 1);
    size_t before = firn_points_bytes(points);
    char name[16];
    for (int i = 0; i < 20; i++) {
        snprintf(name, sizeof name, "m%d", i);
        assert_int_equal(firn_attribute_intern(material, name), i);
    }
    assert_int_equal(firn_attribute_intern(material, "m13"), 13);
    assert_int_equal(material->n_strings, 20);
    /* 10 names of 3 bytes, 10 of 4, room for 32 pointers */
    assert_int_equal(firn_points_bytes(points) - before, 10 * 3 + 10 * 4 + 32 * sizeof(char *));
    firn_points_destroy(points);
}

/* Every allocation fails in turn; the sanitizer build sees what leaks or is used half made. */
static void survives_failing_allocations(void **state)
{
    (void)state;
    int finished = 0;
    for (int k = 1; !finished; k++) {
        assert_in_range(k, 1, 100);
        firn_memory_fail_after(k);
        firn_points *points = firn_points_create(10);
        if (points) {
            finished = 1;
            for (int i = 0; i < 6 && finished; i++) {
                char name[8] = {'a', (char)('0' + i)};
                firn_attribute *added = firn_points_add(points, name, FIRN_ATTRIBUTE_INDEX, 1);
                finished = added && firn_attribute_intern(added, "one") == 0;
                if (added) assert_int_equal(points->n_attributes, i + 1);
            }
        }
        firn_memory_fail_after(0);
        firn_points_destroy(points);
    }
}

/* Some of the points, in the order that is asked for, with all that they have. */
static void takes_a_part(void **state)
{
    (void)state;
    const int64_t which[] = {3, 0, 4};
    firn_points *points = firn_points_create(5);
    float *p = firn_points_add(points, "P", FIRN_ATTRIBUTE_VECTOR, 3)->data.f;
    int32_t *id = firn_points_add(points, "id", FIRN_ATTRIBUTE_INT, 1)->data.i;
    firn_attribute *material = firn_points_add(points, "material", FIRN_ATTRIBUTE_INDEX, 1);
    firn_attribute_intern(material, "snow");
    firn_attribute_intern(material, "dough");
    for (int k = 0; k < 5; k++) {
        for (int c = 0; c < 3; c++) p[3 * k + c] = (float)(10 * k + c);
        id[k] = 100 + k;
        material->data.i[k] = k % 2;
    }
    firn_points_add_detail(points, "dx", FIRN_ATTRIBUTE_FLOAT, 1)->data.f[0] = 0.5f;
    firn_points *part = firn_points_subset(points, 3, which);
    assert_int_equal(part->n, 3);
    for (int k = 0; k < 3; k++) {
        assert_true(firn_points_find(part, "P")->data.f[3 * k + 2] == (float)(10 * which[k] + 2));
        assert_int_equal(firn_points_find(part, "id")->data.i[k], 100 + which[k]);
        assert_int_equal(firn_points_find(part, "material")->data.i[k], which[k] % 2);
    }
    assert_string_equal(firn_points_find(part, "material")->strings[1], "dough");
    assert_true(firn_points_find_detail(part, "dx")->data.f[0] == 0.5f);
    firn_points_destroy(part);
    for (int n = 1;; n++) {
        firn_memory_fail_after(n);
        part = firn_points_subset(points, 3, which);
        firn_memory_fail_after(0);
        if (part) break;
    }
    firn_points_destroy(part);
    part = firn_points_subset(points, 0, NULL);
    assert_int_equal(part->n, 0);
    firn_points_destroy(part);
    firn_points_destroy(points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adds_and_finds),
        cmocka_unit_test(refuses_nonsense),
        cmocka_unit_test(interns_strings),
        cmocka_unit_test(takes_a_part),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
