/* SPDX-License-Identifier: MIT */
/* hash.h: a 64-bit checksum that can be fed in pieces. It is XXH64 with seed 0, written from its
 * public specification, so that anybody can check a cache against its manifest with a standard
 * tool (`xxhsum -H1`). */
#ifndef FIRN_HASH_H
#define FIRN_HASH_H

#include "firn/base.h"

typedef struct firn_hash {
    uint64_t lane[4];
    uint64_t n_bytes;
    unsigned char tail[32]; /* the bytes that do not fill a stripe yet: n_bytes % 32 of them */
} firn_hash;

void firn_hash_init(firn_hash *hash);
void firn_hash_update(firn_hash *hash, const void *data, size_t n_bytes);
uint64_t firn_hash_value(const firn_hash *hash); /* of all so far; feeding may go on */
uint64_t firn_hash_of(const void *data, size_t n_bytes);

#endif
