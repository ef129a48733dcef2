/* surface.h: the surface of a cloud of particles, as a level set that carries velocity and temperature. */
#ifndef FIRN_SURFACE_H
#define FIRN_SURFACE_H

#include "points.h"
#include "volume.h"

typedef struct firn_surface_def {
    double radius; /* m, of a particle's sphere; 0: from attribute pscale, else from detail dx */
    double voxel;  /* m; 0: the radius */
    double reach;  /* how far a particle is felt, in radii; 0: 2 */
    int n_smooth;  /* passes of smoothing; the surface never recedes more than 0.4 radii, so that crumbs stay */
} firn_surface_def;

/* Channels of the volume behind the distance; 0: the points have no such attribute */
typedef struct firn_surface_channels {
    int velocity, temperature; /* v (3 channels), T */
} firn_surface_channels;

firn_status firn_surface_make(const firn_points *points, const firn_surface_def *def, firn_volume **volume,
                              firn_surface_channels *channels, firn_report *report);

#endif
