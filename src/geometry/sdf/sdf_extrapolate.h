/* SPDX-License-Identifier: MIT */
/* sdf_extrapolate.h: what a surface carries, out to voxels that have none of it. */
#ifndef FIRN_VOLUME_SPREAD_H
#define FIRN_VOLUME_SPREAD_H

#include "geometry/sdf/sdf.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of n channels from `first` on, NaN where there is no value: values spread by up to so many
 * voxels; beyond it is 0. Before firn_sdf_finish. */
firn_status firn_sdf_extrapolate(firn_sdf *volume, int first, int n, int n_passes,
                                 firn_messages *messages);

#ifdef __cplusplus
}
#endif
#endif
