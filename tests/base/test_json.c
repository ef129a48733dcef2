/* SPDX-License-Identifier: MIT */
/* JSON: what is written reads back to the bit; what is no JSON is refused with its place;
 * nothing crashes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <locale.h>
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "support/scratch.h"

static void writes_compactly(void **state)
{
    (void)state;
    firn_json_writer w;
    firn_json_init(&w, 0);
    firn_json_begin(&w, NULL, '{');
    firn_json_string(&w, "a\"b", "x\\\n\x01\xC3\xA4\xFF\xE2\x82");
    firn_json_number(&w, "n", 0.1);
    firn_json_number(&w, "nan", NAN);
    firn_json_begin(&w, "list", '[');
    firn_json_integer(&w, NULL, INT64_MIN);
    firn_json_flag(&w, NULL, 1);
    firn_json_begin(&w, NULL, '[');
    firn_json_end(&w);
    firn_json_end(&w);
    firn_json_hex(&w, "hash", 0xABCu);
    firn_json_end(&w);
    size_t n;
    const char *text = firn_json_finish(&w, &n);
    assert_string_equal(
        text,
        "{\"a\\\"b\": \"x\\\\\\n\\u0001\xC3\xA4\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\", \"n\": 0.1, "
        "\"nan\": null, \"list\": [-9223372036854775808, true, []], "
        "\"hash\": \"0000000000000abc\"}\n");
    assert_int_equal(n, strlen(text));
    firn_json_clear(&w);
}

/* Containers on one line inside an indented text, nested and empty ones too; after them lines go
 * on. */
static void writes_parts_on_one_line(void **state)
{
    (void)state;
    firn_json_writer w;
    firn_json_init(&w, 1);
    firn_json_begin(&w, NULL, '{');
    firn_json_begin_inline(&w, "a", '{');
    firn_json_integer(&w, "b", 1);
    firn_json_begin(&w, "c", '[');
    firn_json_begin_inline(&w, NULL, '{');
    firn_json_end(&w);
    firn_json_integer(&w, NULL, 2);
    firn_json_end(&w);
    firn_json_integer(&w, "d", 3);
    firn_json_end(&w);
    firn_json_begin(&w, "e", '[');
    firn_json_integer(&w, NULL, 4);
    firn_json_end(&w);
    firn_json_end(&w);
    assert_string_equal(firn_json_finish(&w, NULL),
                        "{\n  \"a\": {\"b\": 1, \"c\": [{}, 2], \"d\": 3},\n"
                        "  \"e\": [\n    4\n  ]\n}\n");
    firn_json_clear(&w);
}

/* The shortest text that gives the number back, also under a locale with a decimal comma where
 * there is one. */
static void numbers_come_back(void **state)
{
    (void)state;
    const double values[] = {
        0,      -0.0, 1, 0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, 123456789012345678.0,
        2.5e-9, -7.25};
    setlocale(LC_NUMERIC, "de_DE.UTF-8");
    firn_json_writer w;
    firn_json_init(&w, 1);
    firn_json_begin(&w, NULL, '[');
    for (int i = 0; i < 10; i++) firn_json_number(&w, NULL, values[i]);
    firn_json_end(&w);
    size_t n;
    const char *text = firn_json_finish(&w, &n);
    assert_non_null(strstr(text, "  0.1,\n"));
    firn_json *json = firn_json_parse(text, n, "t", NULL);
    assert_non_null(json);
    const firn_json_node *node = firn_json_root(json)->first;
    for (int i = 0; i < 10; i++, node = node->next)
        assert_memory_equal(&node->number, &values[i], 8);
    firn_json_destroy(json);
    firn_json_clear(&w);
    setlocale(LC_NUMERIC, "C");
}

static void reads_what_is_there(void **state)
{
    (void)state;
    const char *text = " { \"a\" : [1, -2.5e1, \"\\u00e4\\ud83d\\ude00\\/\" ] , "
                       "\"b\":{\"c\":true}, \"h\": \"00000000000000ff\" } ";
    firn_json *json = firn_json_parse(text, strlen(text), "t", NULL);
    assert_non_null(json);
    const firn_json_node *root = firn_json_root(json), *a = firn_json_member(root, "a");
    assert_int_equal(root->n_items, 3);
    assert_int_equal(a->n_items, 3);
    assert_true(a->first->next->number == -25);
    assert_string_equal(a->first->next->next->string, "\xC3\xA4\xF0\x9F\x98\x80/");
    assert_true(firn_json_member(firn_json_member(root, "b"), "c")->number == 1);
    assert_int_equal(text[a->first_byte], '[');
    assert_int_equal(text[a->last_byte - 1], ']');
    uint64_t hash;
    assert_true(firn_json_hex_of(root, "h", &hash) && hash == 255);
    assert_false(firn_json_hex_of(root, "a", &hash));
    assert_true(firn_json_number_of(root, "none", 7) == 7);
    assert_string_equal(firn_json_string_of(NULL, "x", "y"), "y");
    firn_json_destroy(json);
}

static void refuse(const char *text, size_t n, const char *words)
{
    firn_messages *messages = firn_messages_create();
    assert_null(firn_json_parse(text, n, "t.json", messages));
    assert_true(scratch_says(messages, words));
    firn_messages_destroy(messages);
}

static void says_where_it_is_wrong(void **state)
{
    (void)state;
    const struct {
        const char *text, *words;
    } bad[] = {
        {"", "t.json:1:1: not a JSON value"},
        {"{\n\"a\": tru}", "t.json:2:6: not a JSON value"},
        {"[1, 2", "t.json:1:6: comma or ]"},
        {"[1 2]", "t.json:1:4: comma or ]"},
        {"[1,]", "t.json:1:4: not a JSON value"},
        {"{a: 1}", "name in quotes"},
        {"{\"a\" 1}", "colon expected"},
        {"\"abc", "ends inside a string"},
        {"\"a\nb\"", "control character"},
        {"\"\\x\"", "unknown escape"},
        {"\"\\u12\"", "unknown escape"},
        {"\"\\ud800\"", "unknown escape"},
        {"\"\\u0000\"", "unknown escape"},
        {"01", "more text after"},
        {"1.", "not a JSON value"},
        {"-", "not a JSON value"},
        {"1e999", "too large for a double"},
        {"NaN", "not a JSON value"},
        {"{} {}", "more text after"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuse(bad[i].text, strlen(bad[i].text), bad[i].words);
    char deep[200];
    memset(deep, '[', sizeof deep);
    refuse(deep, sizeof deep, "nested too deeply");
    refuse("[1\0]", 4, "comma or ]");
}

static void survives_cuts_flips_and_no_memory(void **state)
{
    (void)state;
    char text[] = "{\"a\": [1, -2.5e-1, \"\\u00e4\", null], \"b\": {\"c\": true, \"d\": [[], {}]}}";
    size_t n = sizeof text - 1;
    for (size_t cut = 0; cut < n; cut++) {
        char *exact = malloc(cut ? cut : 1); /* so that a sanitizer sees a byte too far */
        memcpy(exact, text, cut);
        assert_null(firn_json_parse(exact, cut, "t", NULL));
        free(exact);
    }
    for (size_t bit = 0; bit < 8 * n; bit++) {
        text[bit / 8] ^= (char)(1 << bit % 8);
        firn_json_destroy(firn_json_parse(text, n, "t", NULL));
        text[bit / 8] ^= (char)(1 << bit % 8);
    }
    firn_json *json = NULL;
    for (int k = 1; !json; k++) {
        firn_memory_fail_after(k);
        json = firn_json_parse(text, n, "t", NULL);
        firn_memory_fail_after(0);
    }
    firn_json_destroy(json);
    firn_memory_fail_after(1);
    firn_json_writer w;
    firn_json_init(&w, 0);
    firn_json_string(&w, NULL, "x");
    assert_null(firn_json_finish(&w, NULL));
    firn_memory_fail_after(0);
    firn_json_clear(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_compactly),
        cmocka_unit_test(writes_parts_on_one_line),
        cmocka_unit_test(numbers_come_back),
        cmocka_unit_test(reads_what_is_there),
        cmocka_unit_test(says_where_it_is_wrong),
        cmocka_unit_test(survives_cuts_flips_and_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
