/* SPDX-License-Identifier: MIT */
/* frame_loop.h: the loop over frames - step until the next moment, tell the observer, go on -
 * and nothing else. `firn run` and `firn resume` put a shot's files behind the observer
 * (shot.h), `firn check`, `compare` and tests their own.
 *
 * Moments are frame times k / fps, sub-frame times between them, and the extra times of the
 * plan, e.g. those at which an expectation is measured. Frame 0 is the initial state. The
 * simulation lands on every moment exactly. */
#ifndef FIRN_RUN_H
#define FIRN_RUN_H

#include "firn/sim.h"

typedef struct firn_output_time {
    int frame; /* the last frame reached */
    /* sub-frame: 0 on a frame, then 1 ... n_subframes - 1; -1: an extra time, or the end, off
     * the raster */
    int sub;
    double time;  /* s */
    int is_extra; /* also one of the plan's extra times */
    int is_end;   /* nothing comes after it */
} firn_output_time;

typedef struct firn_frame_plan {
    double fps;
    int n_subframes; /* moments a frame, at least 1 */
    double end;      /* s; the run ends here, on a frame or not */
    int n_extra;
    const double *extra; /* s, ascending */
    int skip_now;        /* the present moment was told before (resume): begin with the next one */
} firn_frame_plan;

typedef struct firn_frame_observer {
    void *user;
    /* After every step; nonzero stops the run, which then returns FIRN_INTERRUPTED. Every moment
     * up to the present time has been told then. May be NULL. */
    int (*step)(void *user, firn_sim *sim, int frame);
    /* At every moment; anything but FIRN_OK ends the run with that status. */
    firn_status (*output_time)(void *user, firn_sim *sim, const firn_output_time *output_time,
                               firn_messages *messages);
} firn_frame_observer;

/* The plan of a whole scene. */
firn_frame_plan firn_frame_plan_of(const firn_scene_def *scene);

/* From the simulation's present time to the end of the plan. */
firn_status firn_frame_loop(firn_sim *sim, const firn_frame_plan *plan,
                            const firn_frame_observer *observer, firn_messages *messages);

#endif
