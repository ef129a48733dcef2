/* SPDX-License-Identifier: MIT */
/* emission.h: particles born while the simulation runs. */
#ifndef FIRN_EMISSION_H
#define FIRN_EMISSION_H

#include "firn/sim.h"

struct firn_emitter;

firn_status firn_emission_create(firn_sim *sim, const firn_scene_def *scene,
                                 firn_messages *messages);
void firn_emission_destroy(firn_sim *sim);
/* Adds the births up to the end of the coming step (sim->dt is set), or defers them to a later one
 * before `until`. */
firn_status firn_emission_step(firn_sim *sim, double until, firn_messages *messages);
/* What emitters hold in the coming step (sim->dt is set); one of them, and its births so far. */
void firn_emission_prepare(firn_sim *sim);
struct firn_emitter *firn_emission_emitter(const firn_sim *sim, int i);
int64_t firn_emission_n_born(const firn_sim *sim, int i);
/* A rate, 1/s: dt <= cfl / rate is stable for particles born before `until`; 0: there are none. */
double firn_emission_rate(const firn_sim *sim, double until);
/* The state to save for an identical continuation; n_bytes 0: none. */
void *firn_emission_state(firn_sim *sim, size_t *n_bytes);
/* Whether that state, as it was read, can be one of a run. */
int firn_emission_is_sound(const firn_sim *sim);

/* A forecast of births: `at_start` at once, `rate` per second after. */
typedef struct firn_forecast {
    char name[FIRN_NAME];
    double start, stop, at_start, rate;
    int64_t most;
    /* exact for a given rate; else an estimate from the shape and the flow through its surface */
    int is_exact;
} firn_forecast;
firn_status firn_emission_forecast(const firn_sim *sim, int i, double until,
                                   firn_forecast *forecast, firn_messages *messages);
/* The number of births before `time`. */
int64_t firn_forecast_count(const firn_forecast *forecast, double time);
/* Once per frame: an emitter whose shape was not as full in the mean of some frames as it fills it
 * is reported, once. */
firn_status firn_emission_watch(firn_sim *sim, firn_messages *messages);

#endif
