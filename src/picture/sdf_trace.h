/* SPDX-License-Identifier: MIT */
/* sdf_trace.h: rays against the colliders of a scene by their signed distance. Sphere tracing:
 * from any point a ray can advance by the distance to the nearest surface without passing one (J.
 * C. Hart, Sphere tracing, The Visual Computer 12, 1996).
 *
 * Colliders may be infinite; they are drawn inside a box around the shot, cut by its planes, which
 * reaches those that are near (render.c). */
#ifndef FIRN_SDF_TRACE_H
#define FIRN_SDF_TRACE_H

#include "picture/camera.h"
#include "picture/scene_colliders.h"

typedef struct firn_sdf_trace {
    const firn_scene_colliders *colliders; /* at its time */
    int is_z_up;
    double origin[3];     /* of local coordinates, y up, m */
    float min[3], max[3]; /* the box, local */
    float precision;      /* m: nearer than this is a hit */
} firn_sdf_trace;

typedef struct firn_sdf_hit {
    float t, normal[3]; /* t INFINITY: nothing */
} firn_sdf_hit;

/* From `origin` along the unit direction, at most to `far`. A ray that starts inside a collider
 * leaves it first. */
firn_sdf_hit firn_sdf_trace_trace(const firn_sdf_trace *sdf, const float origin[3],
                                  const float direction[3], float far);
/* How clear the way from `origin` to infinity is: the least distance to a collider over the way
 * gone, the angle in rad by which the ray misses; 0: it hits, INFINITY: nothing near. */
float firn_sdf_trace_clearance(const firn_sdf_trace *sdf, const float origin[3],
                               const float direction[3]);
/* Scene coordinates of a local point, m. */
void firn_sdf_trace_to_scene(const firn_sdf_trace *sdf, const float p[3], double x[3]);
/* Signed distance of a local point, m. */
float firn_sdf_trace_distance(const firn_sdf_trace *sdf, const float p[3]);
/* hits[height * samples][width * samples]. Only pixels that differ from a neighbour get a ray per
 * sample. FIRN_OK or FIRN_MEMORY. */
firn_status firn_sdf_trace_hits(const firn_sdf_trace *sdf, const firn_camera *camera, int width,
                                int height, int samples, int n_threads, firn_sdf_hit *hits);

/* The same for sample k of every pixel alone, with a ray each. */
void firn_sdf_trace_sample(const firn_sdf_trace *sdf, const firn_camera *camera, int width,
                           int height, int samples, int k, int n_threads, firn_sdf_hit *hits);

#endif
