/* SPDX-License-Identifier: MIT */
/* surface.h: the surface of a cloud of particles, as a level set that carries velocity and
 * temperature. */
#ifndef FIRN_SURFACE_H
#define FIRN_SURFACE_H

#include "points/points.h"
#include "geometry/sdf/sdf.h"

typedef struct firn_surface_def {
    double radius; /* m, of a particle's sphere; 0: from attribute pscale, else from detail dx */
    double voxel;  /* m; 0: the radius */
    double reach;  /* how far a particle is felt, in radii; 0: 2 */
    /* passes of smoothing; the surface never recedes more than 0.4 radii, so that crumbs stay */
    int n_smooth;
    const float *carried; /* [n][3]: numbers of the caller that are averaged like v; NULL: none */
    int no_velocity, no_temperature; /* leave these channels out */
} firn_surface_def;

/* Channels of the volume behind the distance; 0: the points have no such attribute */
typedef struct firn_surface_channels {
    int velocity, temperature; /* v (3 channels), T */
    int carried;               /* 3 channels */
} firn_surface_channels;

/* Radius of a particle's sphere without a definition, m: 1.2 spacings; 0: the points have no size. */
double firn_surface_natural_radius(const firn_points *points);

firn_status firn_surface_make(const firn_points *points, const firn_surface_def *def,
                              firn_sdf **volume, firn_surface_channels *channels,
                              firn_messages *messages);

#endif
