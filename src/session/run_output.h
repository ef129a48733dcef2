/* SPDX-License-Identifier: MIT */
/* run_output.h: what a run writes, moment by moment - snapshots into the cache queue, ledgers
 * into the books, checkpoints when they are due. It joins the simulation (attributes.h), the
 * shot (shot.h), the queue (cache_queue.h) and checkpoints. */
#ifndef FIRN_RECORD_H
#define FIRN_RECORD_H

#include "shot/cache_queue.h"
#include "session/frame_loop.h"

typedef struct firn_run_output {
    firn_shot *shot;   /* owned */
    firn_cache *cache; /* owned */
    const firn_scene_def *scene;
    uint64_t scene_hash;
    int first_frame, last_frame; /* caches are written within */
    double began;                /* wall clock, s */
    double last_checkpoint;
    double checkpoint_seconds; /* all checkpoints together */
    int n_checkpoints;
    int frame, sub; /* the last moment told */
    firn_ledger *ledgers;
    unsigned char *told_gaps; /* [n_ledgers] see separation.h */
    int n_ledgers;
} firn_run_output;

/* Takes over the shot, also when it fails. `frame` and `sub`: the last moment in the books, -1
 * for none. max_memory: what the whole run may use, 0: no limit; up to a quarter of it may wait
 * for the disk. */
firn_status firn_run_output_begin(firn_run_output *record, firn_shot *shot,
                                  const firn_scene_def *scene, uint64_t scene_hash,
                                  const firn_sim *sim, size_t max_memory, firn_messages *messages);
firn_status firn_run_output_write(firn_run_output *record, firn_sim *sim,
                                  const firn_output_time *output_time, firn_messages *messages);
/* After a step: writes a checkpoint when the scene's wall-time interval has passed, or more:
 * until then the run must have gone on for 33 times as long as a checkpoint takes, so that they
 * never cost more than 3 % of it. */
firn_status firn_run_output_step(firn_run_output *record, firn_sim *sim, firn_messages *messages);
/* Waits for the queue, leaves a checkpoint so that the shot can be gone on with, closes the
 * books. `status` and `why` are how the run ended; returns that, or what went wrong here.
 * Everything is released; what checkpoints took remains. */
firn_status firn_run_output_end(firn_run_output *record, firn_sim *sim, firn_status status,
                                const char *why, firn_messages *messages);

/* Seconds of a clock that never goes back. */
double firn_run_output_clock(void);

#endif
