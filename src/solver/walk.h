/* SPDX-License-Identifier: MIT */
/* walk.h: one walk over a state serves measuring, writing and reading it. */
#ifndef FIRN_WALK_H
#define FIRN_WALK_H

#include "firn/sim.h"

typedef void firn_save_put(void *user, const void *data, size_t n_bytes);

typedef struct firn_walk {
    char *at, *end; /* NULL at: measure only, or hand on to `put` */
    firn_save_put *put;
    void *user;
    size_t n_bytes;
    int is_reading, is_short; /* short: the state ended too early, what came after is not read */
} firn_walk;

/* The next n bytes of the state, from or into `data`. */
void firn_walk_pass(firn_walk *walk, void *data, size_t n);

#endif
