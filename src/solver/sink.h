/* SPDX-License-Identifier: MIT */
/* sink.h: what deletes particles: sinks, and walls of type delete; sink.c has the method. */
#ifndef FIRN_SINK_H
#define FIRN_SINK_H

#include "geometry/motion.h"
#include "geometry/shape.h"
#include "firn/sim.h"

typedef struct firn_sink {
    firn_sink_def def;
    firn_shape *shape;
    firn_motion motion;
    firn_pose pose, pose_before; /* at the end and at the beginning of the step */
    int is_active;
    double speed, lipschitz; /* m/s, deformation; of its distance */
} firn_sink;

firn_status firn_sinks_create(firn_sim *sim, firn_messages *messages);
void firn_sinks_destroy(firn_sim *sim);
/* Poses of the coming step; poses of the present time. */
void firn_sinks_prepare(firn_sim *sim);
void firn_sinks_place(firn_sim *sim);
/* The reason to delete a particle at x, a firn_loss; -1: none. */
int firn_sinks_delete(const firn_sim *sim, const double x[3]);
/* Whether a sink can meet a particle that stays within `radius` (m) of `center` until `time`. */
int firn_sinks_reach(const firn_sim *sim, const double center[3], double radius, double time);
/* Whether a particle that moved from `before` to x in this step met a sink. */
int firn_sinks_take(const firn_sim *sim, const double before[3], const double x[3]);

#endif
