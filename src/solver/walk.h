/* SPDX-License-Identifier: MIT */
/* walk.h: one walk over a state, which measures, writes or reads it. Functions named pass_... visit
 * the pieces of a state in a fixed order and call firn_walk_pass for each; the three directions
 * share them, so a piece cannot be written and not read. */
#ifndef FIRN_WALK_H
#define FIRN_WALK_H

#include "firn/sim.h"

typedef void firn_save_put(void *user, const void *data, size_t n_bytes);

/* Invariant: at is NULL or at <= end; n_bytes counts all pieces, also those that are not stored. */
typedef struct firn_walk {
    char *at, *end; /* at NULL: only measures, or hands pieces to `put` */
    firn_save_put *put;
    void *user;
    size_t n_bytes;
    int is_reading, is_short; /* is_short: the state ended early, the rest was not read */
} firn_walk;

/* The next n bytes of the state, from `data` or into it. */
void firn_walk_pass(firn_walk *walk, void *data, size_t n);

#endif
