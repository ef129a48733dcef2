/* SPDX-License-Identifier: MIT */
/* Words of blank-separated lists: found whole or not at all, the empty one never, and the one
 * that was meant by a mistyped one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"

/* On the heap and without room to spare, so that reading beyond either end shows. */
static int has(const char *words, const char *word)
{
    char *w = strdup(words);
    int found = firn_suggest_has(w, word);
    free(w);
    return found;
}

static void finds_whole_words(void **state)
{
    (void)state;
    assert_true(has("bgeo ply vtp", "bgeo"));
    assert_true(has("bgeo ply vtp", "ply"));
    assert_true(has("bgeo ply vtp", "vtp"));
    assert_true(has("  bgeo   ply ", "ply"));
    assert_true(has("bgeo.gz bgeo", "bgeo"));
    const char *absent[] = {"bg", "geo", "pl", "vtpx", "bgeo ply", " ", "ply ", ""};
    for (int i = 0; i < 8; i++) assert_false(has("bgeo ply vtp", absent[i]));
    assert_false(has("", "ply"));
    assert_false(has("", ""));
    assert_false(firn_suggest_has(NULL, "ply"));
}

static void suggests_what_was_meant(void **state)
{
    (void)state;
    char word[16];
    assert_true(firn_suggest_word("shpere", "sphere box", word, sizeof word));
    assert_string_equal(word, "sphere");
    assert_true(firn_suggest_word("mat", "bodies material", word, sizeof word));
    assert_string_equal(word, "material");
    assert_false(firn_suggest_word("cylinder", "sphere box", word, sizeof word));
    assert_false(firn_suggest_word("", "x y z", word, sizeof word));
}

static void lists_with_commas(void **state)
{
    (void)state;
    char text[16];
    firn_suggest_list(" a  b c ", text, sizeof text);
    assert_string_equal(text, ", a, b, c");
    firn_suggest_list("abc def ghi jkl", text, 8);
    assert_string_equal(text, "abc, de");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_whole_words),
        cmocka_unit_test(suggests_what_was_meant),
        cmocka_unit_test(lists_with_commas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
