/* SPDX-License-Identifier: MIT */
/* sdf_extrapolate.h: values of a surface, as its velocity, extended to voxels without one. */
#ifndef FIRN_SDF_EXTRAPOLATE_H
#define FIRN_SDF_EXTRAPOLATE_H

#include "geometry/sdf/sdf.h"

#ifdef __cplusplus
extern "C" {
#endif

/* n channels from `first` on, NaN where there is no value: such voxels get the mean of their
 * neighbours, up to n_passes voxels away; beyond, 0. Called before firn_sdf_finish. */
firn_status firn_sdf_extrapolate(firn_sdf *sdf, int first, int n, int n_passes,
                                 firn_messages *messages);

#ifdef __cplusplus
}
#endif
#endif
