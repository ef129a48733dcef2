/* SPDX-License-Identifier: MIT */
/* run_ranks.h: what the ranks of a run (base/comm.h) agree on between steps, and what ranks behind
 * the first do. Rank 0 has the say: progress, files and messages are its own; the others follow the
 * same loop over frames and give it their particles when it writes. With one process each function
 * does its local part alone. */
#ifndef FIRN_RUN_RANKS_H
#define FIRN_RUN_RANKS_H

#include "session/frame_loop.h"
#include "session/run_session.h"
#include "solver/sim.h"

/* Whether all ranks run the same program, scene and instruction set: else results would not be
 * those of one process. FIRN_REFUSED on all of them, with a message on each. */
firn_status firn_run_ranks_compare(const firn_run_options *options, const firn_scene_def *scene,
                                   uint64_t scene_hash, firn_messages *messages);

/* After a step, on all ranks. */
typedef struct firn_turn {
    int has_signal;     /* some rank is asked to end */
    int has_checkpoint; /* rank 0 is going to write one */
} firn_turn;
firn_turn firn_run_ranks_turn(const firn_sim *sim, int has_signal, int has_checkpoint);

/* Particles of all ranks on rank 0, where everything can be read as with one process; and back.
 * Called on all ranks. */
firn_status firn_run_ranks_assemble(firn_sim *sim, firn_messages *messages);
void firn_run_ranks_disperse(firn_sim *sim);
/* The status of rank 0 on all. */
firn_status firn_run_ranks_share(const firn_sim *sim, firn_status status);
/* The first error of a step that any rank has, to rank 0. Called on all ranks after the same
 * status. */
void firn_run_ranks_tell(const firn_sim *sim, firn_status status, firn_messages *messages);

/* Ranks behind the first: the loop over frames until its end, checkpoints included. */
firn_status firn_run_ranks_follow(firn_sim *sim, const firn_frame_plan *plan,
                                  firn_messages *messages);
/* Whether a last checkpoint is written after a loop that ended so: then all ranks assemble. */
static inline int firn_run_ranks_has_end(firn_status status)
{
    return status == FIRN_OK || status == FIRN_INTERRUPTED || status == FIRN_STOPPED;
}

/* What rank 0 says of ranks after a run: balance, bytes, share of time waited. */
void firn_run_ranks_print(const firn_sim *sim, double seconds);

#endif
