/* SPDX-License-Identifier: MIT */
/* pose.h: position and motion of a rigid body at a moment. Part of each query of a collider, so all
 * is inline.
 *
 *     x_world = position + R (x_shape - pivot)                    m
 *     v = velocity + spin x (x_world - position)                  m/s, rad/s
 */
#ifndef FIRN_POSE_H
#define FIRN_POSE_H

#include <stdint.h>
#include <string.h>

typedef struct firn_pose {
    double position[3], R[9], velocity[3], spin[3], pivot[3];
    int64_t is_turned; /* R is not 1, as it is for most colliders */
} firn_pose;

static inline void firn_pose_to_shape(const firn_pose *p, const double world[3], double shape[3])
{
    const double d[3] = {world[0] - p->position[0], world[1] - p->position[1],
                         world[2] - p->position[2]};
    for (int a = 0; a < 3; a++)
        shape[a] =
            (p->is_turned ? p->R[a] * d[0] + p->R[3 + a] * d[1] + p->R[6 + a] * d[2] : d[a]) +
            p->pivot[a];
}

static inline void firn_pose_direction(const firn_pose *p, const double shape[3], double world[3])
{
    if (!p->is_turned) {
        memcpy(world, shape, 3 * sizeof *world);
        return;
    }
    for (int a = 0; a < 3; a++)
        world[a] = p->R[3 * a] * shape[0] + p->R[3 * a + 1] * shape[1] + p->R[3 * a + 2] * shape[2];
}

static inline void firn_pose_to_world(const firn_pose *p, const double shape[3], double world[3])
{
    const double d[3] = {shape[0] - p->pivot[0], shape[1] - p->pivot[1], shape[2] - p->pivot[2]};
    firn_pose_direction(p, d, world);
    for (int a = 0; a < 3; a++) world[a] += p->position[a];
}

static inline void firn_pose_velocity(const firn_pose *p, const double world[3], double v[3])
{
    const double d[3] = {world[0] - p->position[0], world[1] - p->position[1],
                         world[2] - p->position[2]};
    v[0] = p->velocity[0] + p->spin[1] * d[2] - p->spin[2] * d[1];
    v[1] = p->velocity[1] + p->spin[2] * d[0] - p->spin[0] * d[2];
    v[2] = p->velocity[2] + p->spin[0] * d[1] - p->spin[1] * d[0];
}

#endif
