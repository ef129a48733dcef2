/* SPDX-License-Identifier: MIT */
/* read_limits.h: the largest file, in bytes, that may be held in memory whole. */
#ifndef FIRN_READ_LIMITS_H
#define FIRN_READ_LIMITS_H

#include <stddef.h>
#include <stdint.h>

/* max_memory where it is not 0 (--max-memory), else half of the machine's memory; UINT64_MAX
 * where the system does not tell. The same bound holds for what a packed file unpacks to. */
uint64_t firn_read_limits_bytes(size_t max_memory);

/* What a packed file of n_bytes may unpack to where no other bound is given: 64 MiB, or 16 times
 * its length. Caches of firn unpack to up to ten times theirs. */
uint64_t firn_read_limits_unpacked(uint64_t n_bytes);

#endif
