/* SPDX-License-Identifier: MIT */
/* camera.h: the camera of a picture. Pictures are made in local coordinates: m about the middle
 * of the shot, y up, single precision; scenes with z up are turned (firn_view_bounds_turn).
 *
 * The eye is at target + distance (sin a cos e, sin e, cos a cos e), a the azimuth, e the
 * elevation: azimuth 0 looks along -z, and the camera moves counter-clockwise, seen from above,
 * as a grows. */
#ifndef FIRN_CAMERA_H
#define FIRN_CAMERA_H

#include "firn/base.h"

typedef struct firn_camera_def {
    double azimuth, elevation; /* rad */
    double fov;                /* vertical opening, rad */
    double distance;           /* m; 0: the smallest at which the whole shot fits */
    int has_target;            /* else the middle of the shot */
    double target[3];          /* in the coordinates of the scene */
} firn_camera_def;

typedef struct firn_camera {
    float eye[3], right[3], up[3], forward[3];
    float tan_x, tan_y; /* of half the opening angles */
} firn_camera;

/* A camera for a picture of width x height pixels that sees the box min..max; all local. */
firn_camera firn_camera_look(const firn_camera_def *def, const float target[3], const float min[3],
                             const float max[3], int width, int height);
/* The same, with n >= 1 points as large as they can be in the middle of the picture: where def has
 * neither target nor distance, the camera is also shifted sideways. */
firn_camera firn_camera_fit(const firn_camera_def *def, const float target[3], int64_t n,
                            const float (*points)[3], int width, int height);
/* Unit direction through (x, y), both in -1..1 from left to right and bottom to top. */
void firn_camera_ray(const firn_camera *camera, float x, float y, float direction[3]);

#endif
