/* SPDX-License-Identifier: MIT */
/* cache_queue.h: writing caches while the simulation goes on. One thread takes output times from a
 * bounded queue, writes their files and enters them in the shot's records, in order. Errors come
 * back at the next push or flush; nothing is written after an error, and what was recorded before
 * it stays. */
#ifndef FIRN_CACHE_QUEUE_H
#define FIRN_CACHE_QUEUE_H

#include "shot/shot.h"

typedef struct firn_cache firn_cache;

typedef struct firn_cache_item {
    int output;          /* its number in the scene */
    firn_points *points; /* a snapshot; the detail `frame` is added by the queue */
} firn_cache_item;

/* max_bytes: of points that wait or are being written; 0: FIRN_CACHE_BYTES. The shot is borrowed
 * until destroy. */
#define FIRN_CACHE_BYTES ((size_t)2 << 30)
firn_status firn_cache_create(firn_shot *shot, size_t max_bytes, firn_cache **cache,
                              firn_messages *messages);
/* Owns the points from then on, also on failure; the output time is copied. Waits while the queue
 * is full; caches that alone exceed max_bytes are refused. */
firn_status firn_cache_push(firn_cache *cache, const firn_shot_time *output_time, int n_items,
                            const firn_cache_item *items, firn_messages *messages);
/* Waits until everything is on disk and in the records. */
firn_status firn_cache_flush(firn_cache *cache, firn_messages *messages);
/* Flushes; errors not reported before are reported here. */
firn_status firn_cache_destroy(firn_cache *cache, firn_messages *messages);

typedef struct firn_cache_stats {
    int n_waiting; /* output times */
    size_t bytes, bytes_peak;
    double write_seconds; /* of the writer at work */
    double wait_seconds;  /* of the simulation waiting for room */
    uint64_t bytes_written;
} firn_cache_stats;
firn_cache_stats firn_cache_state(firn_cache *cache);

#endif
