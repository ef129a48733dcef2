/* SPDX-License-Identifier: MIT */
/* read_limits.c: the bound on one file, in bytes.
 *
 * Files of points and meshes are held in memory whole while they are read, outside the memory
 * that a simulation counts, so --max-memory must hold for their lengths too. Without it the bound
 * is half of the machine's memory: a point takes about as much memory as it takes in its file, and
 * the particle made of it 200 bytes at its peak, mostly more than that. Points that need more than
 * half of the memory leave no room for their particles. */
#include "base/read_limits.h"

#include <unistd.h>

uint64_t firn_read_limits_bytes(size_t max_memory)
{
    if (max_memory) return max_memory;
    const long n = sysconf(_SC_PHYS_PAGES), each = sysconf(_SC_PAGESIZE);
    return n > 0 && each > 0 ? (uint64_t)n / 2 * (uint64_t)each : UINT64_MAX;
}

uint64_t firn_read_limits_unpacked(uint64_t n_bytes)
{
    const uint64_t always = (uint64_t)64 << 20;
    if (n_bytes > UINT64_MAX / 16) return UINT64_MAX;
    return 16 * n_bytes > always ? 16 * n_bytes : always;
}
