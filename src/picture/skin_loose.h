/* SPDX-License-Identifier: MIT */
/* skin_loose.h: which particles lie alone. */
#ifndef FIRN_SKIN_LOOSE_H
#define FIRN_SKIN_LOOSE_H

#include "firn/base.h"

/* is_loose[k]: particle k has at most FIRN_SKIN_LOOSE others and itself in the cube of edge three
 * spacings about it (27 inside a body, 13 at a flat surface, 7 at a corner). Places are [n][3]. 0:
 * out of memory. */
enum { FIRN_SKIN_LOOSE = 5 };
int firn_skin_find_loose(int64_t n, const float *xyz, double spacing, int n_threads,
                         uint8_t *is_loose);

#endif
