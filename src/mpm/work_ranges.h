/* SPDX-License-Identifier: MIT */
/* work_ranges.h: who does what in the loops over blocks in which a step spends its time (P2G,
 * grid, judging, G2P).
 *
 * What another core wrote last is slow to get where the two have no cache in common. So a thread
 * begins each of them with its own stretch of the list, which is about the same blocks in all
 * loops and from step to step; only who has finished helps the others, in small pieces:
 *
 *     thread 0 ->          thread 1 ->          thread 2 ->
 *     |------ 0 -----------|------ 1 -----------|------ 2 -----------|        the list
 *
 * Who does what never shows in a result. */
#ifndef FIRN_WORK_RANGES_H
#define FIRN_WORK_RANGES_H

#include <stdint.h>

/* What is left of one thread's stretch; threads write to it, so it has a cache line (and the
 * next one, which processors fetch along) of its own. */
typedef struct firn_work_range {
    int32_t next, end;
    char apart[120];
} firn_work_range;

/* Before the threads begin: [n] shares, the first from bounds[0] to bounds[1] and so on. */
static inline void firn_work_ranges_assign(firn_work_range *shares, int n, const int32_t *bounds)
{
    for (int t = 0; t < n; t++) {
        shares[t].next = bounds[t];
        shares[t].end = bounds[t + 1];
    }
}

typedef struct firn_range {
    int32_t first, end;
} firn_range;

/* The next piece of at most `most` for thread `me`; 0: nothing is left of anybody's. */
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
