/* SPDX-License-Identifier: MIT */
/* emission.h: particles born while the simulation runs. */
#ifndef FIRN_EMISSION_H
#define FIRN_EMISSION_H

#include "firn/sim.h"

firn_status firn_emission_create(firn_sim *sim, const firn_scene_def *scene,
                                 firn_messages *messages);
void firn_emission_destroy(firn_sim *sim);
/* Adds what is born until the end of the coming step (sim->dt is known), or has it wait for a
 * later one on the way to `until`. */
firn_status firn_emission_step(firn_sim *sim, double until, firn_messages *messages);
/* A rate (1/s) below which dt must stay for what is born before `until`; 0: nothing is. */
double firn_emission_rate(const firn_sim *sim, double until);
/* What must be saved to go on identically; n_bytes 0: nothing. */
void *firn_emission_state(firn_sim *sim, size_t *n_bytes);

/* What an emitter makes: all at once as it starts, and a second from then on. */
typedef struct firn_forecast {
    char name[FIRN_NAME];
    double start, stop, at_start, rate;
    int64_t most;
    /* at a rate; else an estimate from the shape and the flow through its surface until a time */
    int is_exact;
} firn_forecast;
firn_status firn_emission_forecast(const firn_sim *sim, int i, double until,
                                   firn_forecast *forecast, firn_messages *messages);
/* How many are born before `time`. */
int64_t firn_forecast_count(const firn_forecast *forecast, double time);

#endif
