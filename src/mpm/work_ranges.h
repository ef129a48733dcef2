/* SPDX-License-Identifier: MIT */
/* work_ranges.h: the assignment of work to threads in the loops over blocks that take most of a
 * step's time (P2G, grid, check, G2P).
 *
 * Data written last by another core are slow to fetch where the two share no cache. So each thread
 * begins every loop with its own range of the list, which covers about the same blocks in all loops
 * and from step to step; a thread that has finished helps the others, in small pieces:
 *
 *     thread 0 ->          thread 1 ->          thread 2 ->
 *     |------ 0 -----------|------ 1 -----------|------ 2 -----------|        the list
 *
 * Each element is claimed exactly once (an atomic fetch-and-add on `next`); which thread claims it
 * never changes a result. */
#ifndef FIRN_WORK_RANGES_H
#define FIRN_WORK_RANGES_H

#include <stdint.h>

/* The unclaimed rest of one thread's range. Threads write to it, so it occupies a cache line of its
 * own, and the next one, which processors prefetch along. */
typedef struct firn_work_range {
    int32_t next, end;
    char apart[120];
} firn_work_range;

/* Before a parallel region: n ranges, the first from bounds[0] to bounds[1] and so on. */
static inline void firn_work_ranges_assign(firn_work_range *shares, int n, const int32_t *bounds)
{
    for (int t = 0; t < n; t++) {
        shares[t].next = bounds[t];
        shares[t].end = bounds[t + 1];
    }
}

/* A piece of the list: elements first to end - 1. */
typedef struct firn_range {
    int32_t first, end;
} firn_range;

/* Claims the next piece of at most `most` elements for thread `me`, from its own range first; 0:
 * all are claimed. */
static inline int firn_work_ranges_claim(firn_work_range *shares, int n, int me, int32_t most,
                                         firn_range *piece)
{
    for (int k = 0; k < n; k++) {
        firn_work_range *s = &shares[(me + k) % n];
        const int32_t end = s->end;
        int32_t first;
#pragma omp atomic read
        first = s->next;
        if (first >= end) continue;
#pragma omp atomic capture
        {
            first = s->next;
            s->next += most;
        }
        if (first >= end) continue;
        *piece = (firn_range){first, end - first < most ? end : first + most};
        return 1;
    }
    return 0;
}

#endif
