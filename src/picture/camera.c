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

static firn_camera turned(const firn_camera_def *def, int width, int height)
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
    return camera;
}

/* From the target at distance d a point q relative to it has depth d + q.forward, and is inside the
 * picture reduced by `fill` where |q.a| <= t (d + q.forward), a the side, t = fill tan of half the
 * angle. So d must be at least h+ = max(q.a/t - q.forward) and h- = max(-q.a/t - q.forward); with
 * the camera shifted by s along a, at least h+ - s/t and h- + s/t, which is least, (h+ + h-)/2, at
 * s = t (h+ - h-)/2. */
static float fitting_distance(const firn_camera *camera, const float target[3], int64_t n,
                              const float (*points)[3], float shift[2])
{
    float most[2][2] = {{-INFINITY, -INFINITY}, {-INFINITY, -INFINITY}}, distance = 0;
    const float *sides[2] = {camera->right, camera->up};
    const float tans[2] = {fill * camera->tan_x, fill * camera->tan_y};
    for (int64_t k = 0; k < n; k++) {
        float q[3];
        for (int c = 0; c < 3; c++) q[c] = points[k][c] - target[c];
        float depth = dot(q, camera->forward);
        for (int side = 0; side < 2; side++) {
            float a = dot(q, sides[side]) / tans[side];
            most[side][0] = fmaxf(most[side][0], a - depth);
            most[side][1] = fmaxf(most[side][1], -a - depth);
        }
    }
    for (int side = 0; side < 2; side++) {
        float high = fmaxf(most[side][0], most[side][1]);
        if (shift) {
            high = 0.5f * (most[side][0] + most[side][1]);
            shift[side] = 0.5f * tans[side] * (most[side][0] - most[side][1]);
        }
        distance = fmaxf(distance, high);
    }
    return distance;
}

static firn_camera place(const firn_camera_def *def, const float target[3], int64_t n,
                         const float (*points)[3], int width, int height, int may_shift)
{
    firn_camera camera = turned(def, width, height);
    float shift[2] = {0, 0}, distance = (float)def->distance;
    may_shift = may_shift && !(distance > 0) && !def->has_target;
    if (!(distance > 0))
        distance = fitting_distance(&camera, target, n, points, may_shift ? shift : NULL);
    if (!(distance > 0)) distance = 1; /* a single particle without a size */
    for (int c = 0; c < 3; c++)
        camera.eye[c] = target[c] - distance * camera.forward[c] + shift[0] * camera.right[c] +
                        shift[1] * camera.up[c];
    return camera;
}

firn_camera firn_camera_fit(const firn_camera_def *def, const float target[3], int64_t n,
                            const float (*points)[3], int width, int height)
{
    return place(def, target, n, points, width, height, 1);
}

firn_camera firn_camera_look(const firn_camera_def *def, const float target[3], const float min[3],
                             const float max[3], int width, int height)
{
    float corners[8][3];
    for (int corner = 0; corner < 8; corner++)
        for (int c = 0; c < 3; c++) corners[corner][c] = corner >> c & 1 ? max[c] : min[c];
    return place(def, target, 8, (const float(*)[3])corners, width, height, 0);
}

void firn_camera_ray(const firn_camera *camera, float x, float y, float direction[3])
{
    float a = x * camera->tan_x, b = y * camera->tan_y, scale = 1.0f / sqrtf(1.0f + a * a + b * b);
    for (int c = 0; c < 3; c++)
        direction[c] = scale * (camera->forward[c] + a * camera->right[c] + b * camera->up[c]);
}
