/* SPDX-License-Identifier: MIT */
/* hash.h: a 64-bit checksum that can be fed in pieces: XXH64 with seed 0, written from its public
 * specification, so that a standard tool (`xxhsum -H1`) gives the checksums of a manifest. */
#ifndef FIRN_HASH_H
#define FIRN_HASH_H

#include "firn/base.h"

typedef struct firn_hash {
    uint64_t lane[4];
    uint64_t n_bytes;
    unsigned char tail[32]; /* of an incomplete stripe: n_bytes % 32 of them */
} firn_hash;

void firn_hash_init(firn_hash *hash);
void firn_hash_update(firn_hash *hash, const void *data, size_t n_bytes);
uint64_t firn_hash_value(const firn_hash *hash); /* of all so far; more may follow */
uint64_t firn_hash_of(const void *data, size_t n_bytes);

#endif
