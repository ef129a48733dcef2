/* SPDX-License-Identifier: MIT */
/* camera.c: see camera.h. */
#include "picture/camera.h"

#include <math.h>

/* Share of the half picture that the shot may fill; the rest is for caption and legend. */
static const float fill = 0.84f;

static float dot(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The smallest distance d at which every corner of the box is inside the picture reduced by
 * `fill`: a corner q relative to the target is at depth d + q.forward, and |q.right| <= tan_x (d
 * + q.forward), likewise up. */
static float fitting_distance(const firn_camera *camera, const float target[3], const float min[3],
                              const float max[3])
{
    float distance = 0;
    for (int corner = 0; corner < 8; corner++) {
        float q[3];
        for (int c = 0; c < 3; c++) q[c] = (corner >> c & 1 ? max[c] : min[c]) - target[c];
        float depth = dot(q, camera->forward);
        distance = fmaxf(distance, fabsf(dot(q, camera->right)) / (fill * camera->tan_x) - depth);
        distance = fmaxf(distance, fabsf(dot(q, camera->up)) / (fill * camera->tan_y) - depth);
    }
    return distance;
}

firn_camera firn_camera_look(const firn_camera_def *def, const float target[3], const float min[3],
                             const float max[3], int width, int height)
{
    float sa = (float)sin(def->azimuth), ca = (float)cos(def->azimuth);
    float se = (float)sin(def->elevation), ce = (float)cos(def->elevation);
    firn_camera camera = {
        .right = {ca, 0, -sa},
        .up = {-sa * se, ce, -ca * se},
        .forward = {-sa * ce, -se, -ca * ce},
        .tan_y = (float)tan(0.5 * def->fov),
    };
    camera.tan_x = camera.tan_y * (float)width / (float)height;
    float distance = (float)def->distance;
    if (!(distance > 0)) distance = fitting_distance(&camera, target, min, max);
    if (!(distance > 0)) distance = 1; /* a single particle without a size */
    for (int c = 0; c < 3; c++) camera.eye[c] = target[c] - distance * camera.forward[c];
    return camera;
}

void firn_camera_ray(const firn_camera *camera, float x, float y, float direction[3])
{
    float a = x * camera->tan_x, b = y * camera->tan_y, scale = 1.0f / sqrtf(1.0f + a * a + b * b);
    for (int c = 0; c < 3; c++)
        direction[c] = scale * (camera->forward[c] + a * camera->right[c] + b * camera->up[c]);
}
