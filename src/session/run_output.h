/* SPDX-License-Identifier: MIT */
/* run_output.h: what a run writes at its output times: snapshots into the cache queue, ledgers into
 * the shot, checkpoints when they are due. Joins the simulation (attributes.h), the shot (shot.h),
 * the queue (cache_queue.h) and checkpoints. */
#ifndef FIRN_RUN_OUTPUT_H
#define FIRN_RUN_OUTPUT_H

#include "shot/cache_queue.h"
#include "session/frame_loop.h"
#include "session/probe_log.h"

typedef struct firn_run_output {
    firn_shot *shot;   /* owned */
    firn_cache *cache; /* owned */
    const firn_scene_def *scene;
    uint64_t scene_hash;
    int first_frame, last_frame; /* caches are written within */
    double began;                /* wall time, s */
    double last_checkpoint;
    double checkpoint_seconds; /* all checkpoints together */
    int n_checkpoints;
    int is_new;     /* the shot had no output time when the run began */
    int frame, sub; /* the last output time that was written */
    firn_ledger *ledgers;
    unsigned char *is_warned; /* [n_ledgers] of separation, see separation.h */
    int n_ledgers;
    firn_probe_log probes;
} firn_run_output;

/* Takes over the shot, also when it fails. `frame` and `sub` become the last output time of the
 * shot, -1: none. max_memory: of the whole run, 0: no limit; up to a quarter of it may wait for the
 * disk. */
firn_status firn_run_output_begin(firn_run_output *output, firn_shot *shot,
                                  const firn_scene_def *scene, uint64_t scene_hash,
                                  const firn_sim *sim, size_t max_memory, firn_messages *messages);
firn_status firn_run_output_write(firn_run_output *output, firn_sim *sim,
                                  const firn_output_time *output_time, firn_messages *messages);
/* After a step a checkpoint is due when the scene's interval of wall time has passed, but at the
 * earliest after 33 times the time that a checkpoint takes, so that they cost at most 3 % of the
 * run. Then `step` writes it. */
int firn_run_output_is_due(const firn_run_output *output);
firn_status firn_run_output_step(firn_run_output *output, firn_sim *sim, firn_messages *messages);
/* Waits for the queue, writes a last checkpoint, closes the shot. `status` and `why`: how the run
 * ended; returns that, or what failed here. Releases everything; the numbers of checkpoints stay. */
firn_status firn_run_output_end(firn_run_output *output, firn_sim *sim, firn_status status,
                                const char *why, firn_messages *messages);

/* Seconds of a monotonic clock. */
double firn_run_output_clock(void);

#endif
