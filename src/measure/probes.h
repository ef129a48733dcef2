/* SPDX-License-Identifier: MIT */
/* probes.h: measures of a scene sampled at a fixed interval, or after every step, without a change
 * of the steps. */
#ifndef FIRN_PROBES_H
#define FIRN_PROBES_H

#include "firn/firn.h"

typedef struct firn_probes firn_probes;

/* Receives samples; those of one probe in the order of time. */
typedef firn_status (*firn_probe_fn)(void *user, int probe, double time, double value,
                                     firn_messages *messages);

/* The scene and the simulation outlive it. A simulation that was restored continues after its
 * time: samples up to it have been taken. Regions and measures that need the start
 * take no samples then, with a warning. */
firn_status firn_probes_create(const firn_scene_def *scene, firn_sim *sim, firn_probe_fn put,
                               void *user, firn_probes **probes, firn_messages *messages);
/* After a step, and once before the first. */
firn_status firn_probes_sample(firn_probes *probes, firn_messages *messages);
void firn_probes_destroy(firn_probes *probes);

#endif
