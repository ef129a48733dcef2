/* SPDX-License-Identifier: MIT */
/* sdf_motion.h: how the surfaces of two volumes of a sequence lie to each other. */
#ifndef FIRN_VOLUME_WAY_H
#define FIRN_VOLUME_WAY_H

#include "geometry/sdf/sdf.h"

/* The middle of the surface; returned is how deep the deepest voxel lies, m. */
double firn_sdf_motion_middle(const firn_sdf *volume, double middle[3]);
/* How far the surfaces are apart at most when the first is moved by `shift`, m; of what is
 * farther than a band a lower bound. */
double firn_sdf_motion_way(const firn_sdf *a, const firn_sdf *b, const double shift[3]);
/* The greatest velocity near the surface, of three channels from `velocity` on, m/s. */
double firn_sdf_motion_speed(const firn_sdf *volume, int velocity);
/* How far the surface of the first, carried for `duration` by these, comes to lie beside that of
 * the second, and how far it went along its normal: on the mean, m. */
typedef struct firn_sdf_motion_carried {
    double missed, moved;
} firn_sdf_motion_carried;
firn_sdf_motion_carried firn_sdf_motion_carry(const firn_sdf *before, const firn_sdf *after,
                                              int velocity, double duration);

#endif
