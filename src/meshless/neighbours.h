/* SPDX-License-Identifier: MIT */
/* neighbours.h: which points are near each other: for each point the others within reach, as rows
 * of one array.
 *
 *     row i:   other[first[i]] ... other[first[i + 1] - 1]      in increasing order
 *
 * Lists are symmetric: j is in row i if and only if i is in row j; i is not in its own row. Rows
 * depend on positions alone, not on threads nor on how the points were found, so sums over a row
 * have the same bits after any rebuild. */
#ifndef FIRN_NEIGHBOURS_H
#define FIRN_NEIGHBOURS_H

#include "base/memory.h"
#include "firn/base.h"

#include <stdint.h>

typedef struct firn_neighbours {
    int32_t n;      /* points */
    int64_t *first; /* [n + 1] */
    int32_t *other; /* [first[n]] */
    int64_t point_capacity, pair_capacity;
} firn_neighbours;

typedef struct firn_neighbour_search {
    int32_t n;
    const double *x;      /* [n][3] m */
    const double *radius; /* [n] m: i and j are near if |x_i - x_j| < (radius_i + radius_j)/2 */
    double factor, skin;  /* radii are multiplied by factor, then skin (m) is added */
    const int32_t *group; /* [n] only pairs of one group; NULL: all */
    int n_threads;
} firn_neighbour_search;

/* FIRN_MEMORY: no memory; FIRN_STOPPED: a position is not finite. */
firn_status firn_neighbours_find(firn_neighbours *list, const firn_neighbour_search *search,
                                 firn_memory *memory);
/* Room for n points and so many pairs; contents are lost. */
firn_status firn_neighbours_reserve(firn_neighbours *list, int32_t n, int64_t n_pairs,
                                    firn_memory *memory);
void firn_neighbours_clear(firn_neighbours *list, firn_memory *memory);
/* Whether j is in row i: bisection. */
int firn_neighbours_has(const firn_neighbours *list, int32_t i, int32_t j);

#endif
