/* SPDX-License-Identifier: MIT */
/* The checksum: the values that the reference implementation prints, the same however the input
 * is cut, and different after any single flipped bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/hash.h"

/* Published XXH64 values, seed 0 (the xxHash specification's and its tools' own examples). */
static void matches_published_values(void **state)
{
    (void)state;
    assert_true(firn_hash_of("", 0) == 0xEF46DB3751D8E999u);
    assert_true(firn_hash_of("a", 1) == 0xD24EC4F1A98C6E5Bu);
    assert_true(firn_hash_of("abc", 3) == 0x44BC2CF5AD770999u);
    /* longer than a stripe */
    assert_true(firn_hash_of("Nobody inspects the spammish repetition", 39) == 0xFBCEA83C8A378BF1u);
}

static void does_not_depend_on_pieces(void **state)
{
    (void)state;
    unsigned char data[300];
    for (int i = 0; i < 300; i++) data[i] = (unsigned char)(i * 7 + i / 32);
    for (size_t n = 0; n <= 300; n += 3)
        for (size_t piece = 1; piece < 70; piece += 11) {
            firn_hash hash;
            firn_hash_init(&hash);
            for (size_t at = 0; at < n; at += piece) {
                firn_hash_value(&hash); /* asking meanwhile changes nothing */
                firn_hash_update(&hash, data + at, n - at < piece ? n - at : piece);
            }
            assert_true(firn_hash_value(&hash) == firn_hash_of(data, n));
        }
}

static void sees_every_bit(void **state)
{
    (void)state;
    unsigned char data[133];
    memset(data, 0x5A, sizeof data);
    uint64_t whole = firn_hash_of(data, sizeof data);
    for (int bit = 0; bit < 8 * (int)sizeof data; bit++) {
        data[bit / 8] ^= (unsigned char)(1 << bit % 8);
        assert_true(firn_hash_of(data, sizeof data) != whole);
        data[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    for (size_t n = 0; n < sizeof data; n++) assert_true(firn_hash_of(data, n) != whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches_published_values),
        cmocka_unit_test(does_not_depend_on_pieces),
        cmocka_unit_test(sees_every_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
