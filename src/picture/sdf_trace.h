/* SPDX-License-Identifier: MIT */
/* sdf_trace.h: the colliders of a scene as seen by rays, through their signed distance (sphere
 * tracing: from any point a ray may advance by the distance of the nearest surface without
 * missing anything; J. C. Hart, 1996).
 *
 * Colliders may be endless, so they are drawn inside a box around the shot only, and end there
 * in a plane cut. */
#ifndef FIRN_SOLIDS_H
#define FIRN_SOLIDS_H

#include "picture/camera.h"
#include "picture/scene_colliders.h"

typedef struct firn_sdf_trace {
    const firn_scene_colliders *props; /* at its time */
    int is_z_up;
    double origin[3];     /* of local coordinates, y up, m */
    float min[3], max[3]; /* the box, local */
    float precision;      /* m: nearer than this is touched */
} firn_sdf_trace;

typedef struct firn_sdf_hit {
    float t, normal[3]; /* t INFINITY: nothing */
} firn_sdf_hit;

/* From `origin` along the unit direction, at most to `far`. A ray that starts inside a solid
 * first leaves it. */
firn_sdf_hit firn_sdf_trace_trace(const firn_sdf_trace *solids, const float origin[3],
                                  const float direction[3], float far);
/* Signed distance of a local point, m. */
float firn_sdf_trace_distance(const firn_sdf_trace *solids, const float p[3]);
/* hits[height * samples][width * samples]. Inside a pixel rays are told apart only where its
 * neighbours differ. FIRN_MEMORY is the only trouble. */
firn_status firn_sdf_trace_hits(const firn_sdf_trace *solids, const firn_camera *camera, int width,
                                int height, int samples, int n_threads, firn_sdf_hit *hits);

#endif
