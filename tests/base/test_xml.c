/* SPDX-License-Identifier: MIT */
/* Tags and attributes of XML; values that just fit and just do not; every cut of a text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xml.h"

static const char *const TEXT = "<?xml version='1.0'?><!-- <no> --><a x=\"1 &lt; 2\" y = 'a>b'>"
                                "<b/></a>";

static void reads_tags(void **state)
{
    (void)state;
    const char *at = TEXT, *end = TEXT + strlen(TEXT);
    firn_xml_tag tag;
    char value[64];
    assert_int_equal(firn_xml_next(&at, end, &tag), FIRN_XML_TAG);
    assert_true(firn_xml_is(&tag, "a") && !firn_xml_is(&tag, "ab") && !tag.is_closing);
    assert_true(firn_xml_attribute(&tag, "x", value, sizeof value));
    assert_string_equal(value, "1 < 2");
    assert_true(firn_xml_attribute(&tag, "y", value, sizeof value));
    assert_string_equal(value, "a>b");
    assert_false(firn_xml_attribute(&tag, "z", value, sizeof value));
    assert_string_equal(value, "");
    assert_int_equal(firn_xml_next(&at, end, &tag), FIRN_XML_TAG);
    assert_true(firn_xml_is(&tag, "b") && tag.is_empty);
    assert_int_equal(firn_xml_next(&at, end, &tag), FIRN_XML_TAG);
    assert_true(firn_xml_is(&tag, "a") && tag.is_closing);
    assert_int_equal(firn_xml_next(&at, end, &tag), FIRN_XML_END);
}

/* A value as long as its room, and longer, is refused and leaves an empty text with its end. */
static void ends_every_value(void **state)
{
    (void)state;
    for (int n = 0; n < 12; n++) {
        char text[64], value[8];
        snprintf(text, sizeof text, "<a x=\"%.*s\">", n, "abcdefghijkl");
        const char *at = text;
        firn_xml_tag tag;
        assert_int_equal(firn_xml_next(&at, text + strlen(text), &tag), FIRN_XML_TAG);
        memset(value, '#', sizeof value);
        int is_there = firn_xml_attribute(&tag, "x", value, sizeof value);
        assert_int_equal(is_there, n < 8);
        assert_int_equal(memchr(value, 0, sizeof value) != NULL, 1);
        assert_int_equal(strlen(value), n < 8 ? n : 0);
    }
}

/* Any beginning of the text, followed by a zero: an end, never a read beyond it. */
static void survives_cuts(void **state)
{
    (void)state;
    for (size_t n = 0; n <= strlen(TEXT); n++) {
        char *cut = calloc(n + 1, 1), value[16];
        memcpy(cut, TEXT, n);
        const char *at = cut;
        firn_xml_tag tag;
        while (firn_xml_next(&at, cut + n, &tag) == FIRN_XML_TAG) {
            firn_xml_attribute(&tag, "x", value, sizeof value);
            assert_in_range(tag.end - cut, 1, n);
        }
        free(cut);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_tags),
        cmocka_unit_test(ends_every_value),
        cmocka_unit_test(survives_cuts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
