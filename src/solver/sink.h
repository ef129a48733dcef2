/* SPDX-License-Identifier: MIT */
/* sink.h: what deletes particles - sinks, and walls that delete. */
#ifndef FIRN_SINK_H
#define FIRN_SINK_H

#include "geometry/motion.h"
#include "geometry/shape.h"
#include "firn/sim.h"

typedef struct firn_sink {
    firn_sink_def def;
    firn_shape *shape;
    firn_motion motion;
    firn_pose pose, pose_before; /* at the end and at the beginning of the step being made */
    int is_active;
    double speed, steepness; /* m/s of its surface in the shape; Lipschitz bound of its distance */
} firn_sink;

firn_status firn_sinks_create(firn_sim *sim, firn_messages *messages);
void firn_sinks_destroy(firn_sim *sim);
/* Sinks as they stand after the coming step, and now. */
void firn_sinks_prepare(firn_sim *sim);
void firn_sinks_place(firn_sim *sim);
/* Why a particle at x is deleted, a firn_loss; -1: it stays. */
int firn_sinks_delete(const firn_sim *sim, const double x[3]);
/* Whether any sink may take a particle that stays within `radius` of `center` until `time`. */
int firn_sinks_reach(const firn_sim *sim, const double center[3], double radius, double time);
/* Whether a particle that went from `before` to x in this step is taken. */
int firn_sinks_take(const firn_sim *sim, const double before[3], const double x[3]);

#endif
