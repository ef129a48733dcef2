/* SPDX-License-Identifier: MIT */
/* spheres.h: the border between visibility and shading. For each ray of a picture an engine finds
 * the first sphere: tracer.c by Embree, splat.c by drawing the spheres into a depth buffer. Both
 * intersect ray and sphere exactly, so silhouettes are the same.
 *
 * The rays of a picture form a grid of `columns` x `rows`, one ray through the middle of each
 * cell, row 0 on top. */
#ifndef FIRN_SPHERES_H
#define FIRN_SPHERES_H

#include "picture/camera.h"

typedef struct firn_spheres {
    int64_t n;
    const float *xyzr; /* [n][4], local metres */
} firn_spheres;

typedef struct firn_hit {
    float t;     /* distance from the eye, m; INFINITY: none */
    uint32_t id; /* of the sphere; FIRN_NO_SPHERE: none */
} firn_hit;

#define FIRN_NO_SPHERE UINT32_MAX

/* Direction of the ray through cell (i, j). */
static inline void firn_spheres_ray(const firn_camera *camera, int columns, int rows, int i, int j,
                                    float direction[3])
{
    firn_camera_ray(camera, (2.0f * (float)i + 1.0f) / (float)columns - 1.0f,
                    1.0f - (2.0f * (float)j + 1.0f) / (float)rows, direction);
}

#endif
