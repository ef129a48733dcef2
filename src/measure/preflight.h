/* SPDX-License-Identifier: MIT */
/* preflight.h: the pre-flight - what a scene will cost, before the night is spent on it. */
#ifndef FIRN_CHECK_H
#define FIRN_CHECK_H

#include "solver/emission.h"
#include "firn/firn.h"

#include <stdio.h>

typedef struct firn_check_body {
    char name[FIRN_NAME];
    /* from the volume of its shape, before anything is made; -1: from a file, not known */
    int64_t n_expected;
    int64_t n_particles;
} firn_check_body;

typedef struct firn_check {
    int n_bodies;
    firn_check_body *bodies;
    int64_t n_expected, n_particles; /* at the start; emitters add to it */
    int n_emitters;
    firn_forecast *emitters;
    int64_t n_emitted;                        /* by the end of the shot, were there no sinks */
    double end;                               /* of the shot, s */
    double memory_expected, memory_available; /* bytes */
    double disk_needed, disk_free;            /* bytes; caches (uncompressed) and checkpoints */
    int n_frames, n_files;
    int is_measured; /* the rest is known: the simulation was made and has run for a while */
    firn_stats stats;
    char material[FIRN_NAME]; /* whose particles limit dt; "": none's */
    double memory_peak, dt, steps_a_frame, seconds_a_step;
    double mean_particles; /* in the steps that were measured */
    double
        eta; /* s for all, with the emitted ones; infinite where no particle was there to measure */
} firn_check;

/* Estimates, then makes the simulation and runs it for about `seconds` of wall time (0: not).
 * FIRN_MEMORY or FIRN_IO with a sentence when memory or disk cannot hold it; what is known so
 * far is in `check` all the same, to be cleared in any case. `folder`: where the shot would be
 * written; it need not exist. */
firn_status firn_check_scene(const firn_scene_def *scene, const firn_run_options *options,
                             const char *folder, double seconds, firn_check *check,
                             firn_messages *messages);
void firn_check_clear(firn_check *check);
void firn_check_print(const firn_check *check, FILE *out);

#endif
