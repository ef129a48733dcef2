/* SPDX-License-Identifier: MIT */
/* walk.c: see walk.h. */
#include "solver/walk.h"

#include <string.h>

void firn_walk_pass(firn_walk *w, void *data, size_t n)
{
    if (n == 0) return; /* `data` may be NULL then */
    w->n_bytes += n;
    if (w->put) w->put(w->user, data, n);
    if (!w->at || w->is_short) return;
    if ((size_t)(w->end - w->at) < n) {
        w->is_short = 1;
        return;
    }
    if (w->is_reading)
        memcpy(data, w->at, n);
    else
        memcpy(w->at, data, n);
    w->at += n;
}
