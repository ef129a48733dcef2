/* SPDX-License-Identifier: MIT */
/* sdf_motion.h: how the surfaces of two distance fields of a sequence lie to each other. Measured
 * on voxels at most a voxel from the surface. */
#ifndef FIRN_SDF_MOTION_H
#define FIRN_SDF_MOTION_H

#include "geometry/sdf/sdf.h"

/* Centroid of the surface; returns the depth of the deepest voxel, m. */
double firn_sdf_motion_centroid(const firn_sdf *sdf, double centroid[3]);
/* The greatest distance between both surfaces once the first is moved by `shift`, m; beyond a band
 * a lower bound. */
double firn_sdf_motion_residual(const firn_sdf *a, const firn_sdf *b, const double shift[3]);
/* The greatest speed, m/s; velocity: the first of its three channels. */
double firn_sdf_motion_speed(const firn_sdf *sdf, int velocity);

/* Means over the surface of `before`, which is moved by its own velocity for `duration`, s. */
typedef struct firn_sdf_motion_error {
    double missed; /* m, distance to the surface of `after` */
    double moved;  /* m, displacement along the normal */
} firn_sdf_motion_error;
firn_sdf_motion_error firn_sdf_motion_advect(const firn_sdf *before, const firn_sdf *after,
                                             int velocity, double duration);

#endif
