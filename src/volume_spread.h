/* volume_spread.h: what a surface carries, out to voxels that have none of it. */
#ifndef FIRN_VOLUME_SPREAD_H
#define FIRN_VOLUME_SPREAD_H

#include "volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of n channels from `first` on, NaN where there is no value: values spread by up to so many voxels; beyond it is 0.
 * Before firn_volume_finish. */
firn_status firn_volume_spread(firn_volume *volume, int first, int n, int n_passes, firn_report *report);

#ifdef __cplusplus
}
#endif
#endif
