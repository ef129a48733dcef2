/* SPDX-License-Identifier: MIT */
/* camera.h: where a picture is taken from. Pictures are made in local coordinates: metres about
 * the middle of the shot, y up, single precision; scenes with z up are turned when their
 * particles come in (firn_view_bounds_local).
 *
 * The eye stands at target + distance * (sin a cos e, sin e, cos a cos e), a azimuth, e
 * elevation: azimuth 0 looks along -z, growing azimuth walks round to the right
 * (counter-clockwise seen from above). */
#ifndef FIRN_CAMERA_H
#define FIRN_CAMERA_H

#include "firn/base.h"

typedef struct firn_camera_def {
    double azimuth, elevation; /* rad */
    double fov;                /* vertical opening, rad */
    double distance;           /* m; 0: as near as the whole shot still fits */
    int has_target;            /* otherwise the middle of the shot */
    double target[3];          /* in the coordinates of the scene */
} firn_camera_def;

typedef struct firn_camera {
    float eye[3], right[3], up[3], forward[3];
    float tan_x, tan_y; /* of half the opening angles */
} firn_camera;

/* A camera for a picture of so many pixels that sees the box min..max; `target` is local already.
 */
firn_camera firn_camera_look(const firn_camera_def *def, const float target[3], const float min[3],
                             const float max[3], int width, int height);
/* Unit direction through (x, y), both in -1..1 from left to right and bottom to top. */
void firn_camera_ray(const firn_camera *camera, float x, float y, float direction[3]);

#endif
