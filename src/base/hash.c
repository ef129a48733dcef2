/* SPDX-License-Identifier: MIT */
/* hash.c: XXH64 (Y. Collet, "xxHash fast digest algorithm", specification 0.1.1), seed 0.
 *
 * Stripes of 32 bytes feed four lanes; each lane does
 *
 *     lane <- rotl(lane + word * P2, 31) * P1,
 *
 * a bijection of the lane for a given word and of the word for a given lane. So a change of one
 * word always changes its lane; the chance that the final mixing hides it is about 2^-64. */
#include "base/hash.h"

#include <string.h>

static const uint64_t P1 = 0x9E3779B185EBCA87u, P2 = 0xC2B2AE3D27D4EB4Fu, P3 = 0x165667B19E3779F9u,
                      P4 = 0x85EBCA77C2B2AE63u, P5 = 0x27D4EB2F165667C5u;

static uint64_t rotate(uint64_t x, int n) { return x << n | x >> (64 - n); }
static uint64_t step(uint64_t lane, uint64_t word) { return rotate(lane + word * P2, 31) * P1; }

/* The specification reads little-endian words, as do all machines that firn runs on. */
static uint64_t word64(const unsigned char *p)
{
    uint64_t word;
    memcpy(&word, p, 8);
    return word;
}

static uint32_t word32(const unsigned char *p)
{
    uint32_t word;
    memcpy(&word, p, 4);
    return word;
}

void firn_hash_init(firn_hash *hash) { *hash = (firn_hash){.lane = {P1 + P2, P2, 0, 0 - P1}}; }

static const unsigned char *stripes(uint64_t lane[4], const unsigned char *p, size_t n_stripes)
{
    uint64_t a = lane[0], b = lane[1], c = lane[2], d = lane[3];
    for (size_t i = 0; i < n_stripes; i++, p += 32) {
        a = step(a, word64(p));
        b = step(b, word64(p + 8));
        c = step(c, word64(p + 16));
        d = step(d, word64(p + 24));
    }
    lane[0] = a;
    lane[1] = b;
    lane[2] = c;
    lane[3] = d;
    return p;
}

void firn_hash_update(firn_hash *hash, const void *data, size_t n_bytes)
{
    const unsigned char *p = data;
    size_t held = hash->n_bytes % 32;
    hash->n_bytes += n_bytes;
    if (held + n_bytes < 32) {
        if (n_bytes) memcpy(hash->tail + held, p, n_bytes);
        return;
    }
    if (held) {
        memcpy(hash->tail + held, p, 32 - held);
        stripes(hash->lane, hash->tail, 1);
        p += 32 - held;
        n_bytes -= 32 - held;
    }
    p = stripes(hash->lane, p, n_bytes / 32);
    if (n_bytes % 32) memcpy(hash->tail, p, n_bytes % 32);
}

uint64_t firn_hash_value(const firn_hash *hash)
{
    const uint64_t *lane = hash->lane;
    uint64_t h = P5;
    if (hash->n_bytes >= 32) {
        h = rotate(lane[0], 1) + rotate(lane[1], 7) + rotate(lane[2], 12) + rotate(lane[3], 18);
        for (int i = 0; i < 4; i++) h = (h ^ step(0, lane[i])) * P1 + P4;
    }
    h += hash->n_bytes;
    const unsigned char *p = hash->tail, *end = p + hash->n_bytes % 32;
    for (; end - p >= 8; p += 8) h = rotate(h ^ step(0, word64(p)), 27) * P1 + P4;
    for (; end - p >= 4; p += 4) h = rotate(h ^ word32(p) * P1, 23) * P2 + P3;
    for (; p < end; p++) h = rotate(h ^ *p * P5, 11) * P1;
    h = (h ^ h >> 33) * P2;
    h = (h ^ h >> 29) * P3;
    return h ^ h >> 32;
}

uint64_t firn_hash_of(const void *data, size_t n_bytes)
{
    firn_hash hash;
    firn_hash_init(&hash);
    firn_hash_update(&hash, data, n_bytes);
    return firn_hash_value(&hash);
}
