/* SPDX-License-Identifier: MIT */
/* Growing text: content across many growths, escaping, and a refused allocation leaving what was
 * there. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

static void grows(void **state)
{
    (void)state;
    firn_text text = {0};
    for (int i = 0; i < 2000; i++) firn_text_add(&text, "%d,", i);
    assert_int_equal(text.n, 10 * 2 + 90 * 3 + 900 * 4 + 1000 * 5);
    assert_int_equal(strlen(text.data), text.n);
    assert_string_equal(text.data + text.n - 10, "1998,1999,");
    firn_text_clear(&text);
    assert_null(text.data);
    /* lengths around the capacity of the first block */
    for (size_t n = 250; n < 260; n++) {
        char line[300];
        memset(line, 'x', sizeof line);
        firn_text_add_bytes(&text, line, n);
        assert_int_equal(strlen(text.data), n);
        firn_text_clear(&text);
    }
}

static void escapes(void **state)
{
    (void)state;
    firn_text text = {0};
    firn_text_add_xml(&text, "a<b & \"c\" > 'd'");
    assert_string_equal(text.data, "a&lt;b &amp; &quot;c&quot; &gt; &#39;d&#39;");
    firn_text_clear(&text);
    firn_text_add_csv(&text, "a \"b\", c");
    assert_string_equal(text.data, "\"a \"\"b\"\", c\"");
    firn_text_clear(&text);
}

static void shows_sizes(void **state)
{
    (void)state;
    firn_text text = {0};
    const double sizes[] = {0, 1023, 1024, 1536, 1 << 20, 2.5 * (1 << 30)};
    for (int i = 0; i < 6; i++) {
        firn_text_add(&text, i ? ", " : "");
        firn_text_add_size(&text, sizes[i]);
    }
    assert_string_equal(text.data, "0 bytes, 1023 bytes, 1.0 KiB, 1.5 KiB, 1.0 MiB, 2.5 GiB");
    firn_text_clear(&text);
}

static void survives_short_memory(void **state)
{
    (void)state;
    firn_text text = {0};
    firn_text_add(&text, "kept");
    firn_memory_fail_after(1);
    for (int i = 0; i < 200; i++) firn_text_add(&text, " more");
    firn_memory_fail_after(0);
    assert_true(text.has_failed);
    assert_int_equal(strncmp(text.data, "kept more", 9), 0);
    firn_text_clear(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(grows), cmocka_unit_test(escapes),
                                       cmocka_unit_test(shows_sizes),
                                       cmocka_unit_test(survives_short_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
