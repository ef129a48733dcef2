/* SPDX-License-Identifier: MIT */
/* cache_queue.h: writing caches while the simulation goes on. One thread takes moments from a
 * bounded queue, writes their files and enters them in the shot's books, in order. Errors come
 * back at the next push or flush; what was good before stays good, and nothing is written after
 * an error. */
#ifndef FIRN_CACHE_H
#define FIRN_CACHE_H

#include "shot/shot.h"

typedef struct firn_cache firn_cache;

typedef struct firn_cache_item {
    int output;          /* of the scene */
    firn_points *points; /* a snapshot; the detail `frame` is added by the queue */
} firn_cache_item;

/* max_bytes: of points waiting or being written; 0: FIRN_CACHE_BYTES. The shot is lent until
 * destroy. */
#define FIRN_CACHE_BYTES ((size_t)2 << 30)
firn_status firn_cache_create(firn_shot *shot, size_t max_bytes, firn_cache **cache,
                              firn_messages *messages);
/* Takes over the points whatever happens; the moment is copied. Waits while the queue is full; a
 * moment that alone exceeds max_bytes is refused. */
firn_status firn_cache_push(firn_cache *cache, const firn_shot_time *output_time, int n_items,
                            const firn_cache_item *items, firn_messages *messages);
/* Waits until everything is on disk and in the books. */
firn_status firn_cache_flush(firn_cache *cache, firn_messages *messages);
/* Flushes; errors not yet told are told here. */
firn_status firn_cache_destroy(firn_cache *cache, firn_messages *messages);

typedef struct firn_cache_stats {
    int n_waiting; /* moments */
    size_t bytes, bytes_peak;
    double write_seconds,
        wait_seconds; /* of the writer at work; of the simulation waiting for room */
    uint64_t bytes_written;
} firn_cache_stats;
firn_cache_stats firn_cache_state(firn_cache *cache);

#endif
