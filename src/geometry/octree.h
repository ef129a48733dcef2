/* SPDX-License-Identifier: MIT */
/* octree.h: fills a shape with the leaves of an octree, small at the surface. */
#ifndef FIRN_OCTREE_H
#define FIRN_OCTREE_H

#include "geometry/shape.h"

/* The largest leaf of a body over a cell of the grid: below .9, from which on particles of a grid part
 * (mpm/separation.c). */
#define FIRN_OCTREE_MOST 0.89

/* Centres of the leaves inside `shape`, and their edges, m, from `least` at the surface to the
 * largest least 2^k that is not above `most`. *leaves[*n][4] is x y z edge, to be released by
 * firn_memory_release(NULL, *leaves, *n * 32). */
firn_status firn_octree_sample(const firn_shape *shape, double least, double most, double **leaves,
                               int64_t *n, firn_messages *messages);

#endif
