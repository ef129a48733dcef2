/* SPDX-License-Identifier: MIT */
/* expect.h: compares a simulation with the expectations of its scene. A recorder measures during
 * the run and evaluates at the end.
 *
 *     firn_expect_create(scene, sim, &recorder, messages);            before the first step
 *     firn_expect_record(recorder, sim, is_end, messages);            at every frame
 *     firn_expect_print(recorder, stdout);
 *     n_missed = firn_expect_count(recorder, FIRN_EXPECT_MISSED);
 *     firn_expect_destroy(recorder); */
#ifndef FIRN_EXPECT_H
#define FIRN_EXPECT_H

#include "firn/firn.h"

#include <stdio.h>

typedef struct firn_expect_recorder firn_expect_recorder;

typedef enum firn_expect_outcome {
    FIRN_EXPECT_MET,
    FIRN_EXPECT_MISSED,
    /* the run did not reach the time, or was resumed and its start is unknown */
    FIRN_EXPECT_UNMEASURED
} firn_expect_outcome;

typedef struct firn_expect_result {
    const firn_expect_def *def;
    const char *unit;
    double measured; /* NAN: not measured */
    firn_expect_outcome outcome;
} firn_expect_result;

/* The scene must outlive the recorder. */
firn_status firn_expect_create(const firn_scene_def *scene, firn_sim *sim,
                               firn_expect_recorder **recorder, firn_messages *messages);
/* A sample of a probe, for the expectations of it. */
firn_status firn_expect_sample(firn_expect_recorder *recorder, int probe, double time, double value,
                               firn_messages *messages);
void firn_expect_destroy(firn_expect_recorder *recorder);
firn_status firn_expect_record(firn_expect_recorder *recorder, firn_sim *sim, int is_end,
                               firn_messages *messages);
firn_expect_result firn_expect_evaluate(const firn_expect_recorder *recorder, int i);
int firn_expect_count(const firn_expect_recorder *recorder, firn_expect_outcome outcome);
/* A table: measure, expected, measured, tolerance, outcome, source. */
void firn_expect_print(const firn_expect_recorder *recorder, FILE *out);

#endif
