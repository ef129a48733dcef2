/* SPDX-License-Identifier: MIT */
/* damage.h: files as a bad disk, a cut download or a wrong program leaves them. */
#ifndef FIRN_TEST_DAMAGE_H
#define FIRN_TEST_DAMAGE_H

#include "support/skip.h"

#include <stdint.h>
#include <string.h>

enum { DAMAGE_ROOM = 256 }; /* how much longer a file can become */

/* How many damaged .vdb files are read. A child of a sanitized process costs a quarter of a second
 * of the kernel; 60 have every kind of damage below, of which there are 48. */
#ifdef FIRN_TESTS_SANITIZED
enum { DAMAGE_CHANGES = 60 };
#else
enum { DAMAGE_CHANGES = 400 };
#endif

/* Up to four times in `bytes`, which are n and have DAMAGE_ROOM more behind them: a byte is
 * replaced, a length of four bytes by a huge one, some bytes are lost, or some come in between.
 * Two thirds fall into the first `head` bytes. Returns how many there are now. */
static inline size_t damage(unsigned char *bytes, size_t n, size_t head, int k, uint32_t *random)
{
    for (int times = k / 4 % 4; times >= 0; times--) {
        *random = *random * 1664525u + 1013904223u;
        size_t at = (*random >> 4) % (k % 3 && head < n ? head : n - 64),
               length = 1 + (*random >> 24) % 60;
        if (k % 4 == 0) bytes[at] = (unsigned char)(*random >> 8);
        if (k % 4 == 1) memcpy(bytes + at, (const unsigned char[]){0xFF, 0xFF, 0xFF, 0x7F}, 4);
        if (k % 4 == 2) {
            memmove(bytes + at, bytes + at + length, n - at - length);
            n -= length;
        }
        if (k % 4 == 3) {
            memmove(bytes + at + length, bytes + at, n - at);
            n += length;
        }
    }
    return n;
}

/* Where the next part packed by blosc begins at or after `at`; n where there is none. Its
 * header: two versions, flags and size of a value, then three counts of four bytes: unpacked, a
 * block, packed. */
static inline size_t damage_packed(const unsigned char *bytes, size_t n, size_t at)
{
    for (; at + 16 < n; at++) {
        uint32_t count[3];
        memcpy(count, bytes + at + 4, 12);
        if (bytes[at] == 2 && bytes[at + 1] == 1 && count[0] >= count[1] && count[1] >= 16 &&
            count[0] < 1 << 24 && count[2] > 16 && count[2] <= n - at)
            return at;
    }
    return n;
}

#endif
