/* SPDX-License-Identifier: MIT */
/* frame_loop.h: the loop over frames: step until the next output time, call the observer,
 * continue. `firn run` and `firn resume` put the shot's files behind the observer (run_watch.h),
 * tests their own.
 *
 * Output times are the frames k / fps, sub-frames between them, and the extra times of the plan.
 * Frame 0 is the initial state. The simulation lands on every output time exactly. */
#ifndef FIRN_FRAME_LOOP_H
#define FIRN_FRAME_LOOP_H

#include "firn/sim.h"

typedef struct firn_output_time {
    int frame; /* the last frame reached */
    /* sub-frame: 0 on a frame, then 1 ... n_subframes - 1; -1: an extra time, or the end, between
     * sub-frames */
    int sub;
    double time;  /* s */
    int is_extra; /* also one of the plan's extra times */
    int is_end;   /* the last one */
} firn_output_time;

typedef struct firn_frame_plan {
    double fps;
    int n_subframes; /* output times per frame, at least 1 */
    double end;      /* s; the run ends here, on a frame or not */
    int n_extra;
    const double *extra; /* s, ascending */
    int skip_now; /* the present time is a past output time (resume): begin with the next one */
} firn_frame_plan;

typedef struct firn_frame_observer {
    void *user;
    /* After every step; nonzero stops the run, which then returns FIRN_INTERRUPTED, with every
     * output time up to the present observed. May be NULL. */
    int (*step)(void *user, firn_sim *sim, int frame);
    /* At every output time; anything but FIRN_OK ends the run with that status. */
    firn_status (*output_time)(void *user, firn_sim *sim, const firn_output_time *output_time,
                               firn_messages *messages);
} firn_frame_observer;

/* All frames of a scene. */
firn_frame_plan firn_frame_plan_of(const firn_scene_def *scene);

/* From the simulation's present time to the end of the plan. */
firn_status firn_frame_loop(firn_sim *sim, const firn_frame_plan *plan,
                            const firn_frame_observer *observer, firn_messages *messages);

#endif
