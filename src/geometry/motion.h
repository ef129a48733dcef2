/* SPDX-License-Identifier: MIT */
/* motion.h: rigid motion of colliders, grips and sinks: pose, velocity and spin as functions of
 * time, by keys or at constant velocity and spin (motion.c). */
#ifndef FIRN_MOTION_H
#define FIRN_MOTION_H

#include "base/memory.h"
#include "firn/defs.h"
#include "geometry/pose.h"

typedef struct firn_motion {
    firn_motion_def def; /* its keys: NULL */
    firn_key *keys;      /* own copy, [def.n_keys] */
} firn_motion;

firn_status firn_motion_create(const firn_motion_def *def, firn_memory *memory,
                               firn_motion *motion);
void firn_motion_destroy(firn_motion *motion, firn_memory *memory);
/* Pose at `time`, s. `since`: when a motion without keys starts, s; before, it rests where it is
 * defined. */
void firn_motion_at(const firn_motion *motion, double time, double since, firn_pose *pose);

#endif
