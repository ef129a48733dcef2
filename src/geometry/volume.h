/* SPDX-License-Identifier: MIT */
/* volume.h: numbers or vectors on a sparse lattice as they are, not as a surface (sdf/sdf.h): fog,
 * wetness, velocity. Leaves of 8^3 values found by a hash of their block; between lattice points
 * trilinear, outside of all leaves the background.
 *
 *     index = to_index (x, 1),   block = floor(index / 8)
 *
 * The lattice may be turned, skewed and of any spacing: to_index is affine. */
#ifndef FIRN_VOLUME_H
#define FIRN_VOLUME_H

#include "firn/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FIRN_VOLUME_LEAF = 512, FIRN_VOLUME_COMPONENTS = 3 };

typedef struct firn_volume {
    double to_index[3][4];
    int n_components; /* 1 to 3 */
    float background[FIRN_VOLUME_COMPONENTS];
    int64_t n_leaves;
    int32_t (*block)[3]; /* [leaf] */
    float *values;       /* [leaf][8][8][8][component] */
    uint32_t *slots;     /* [n_slots] leaf + 1; 0: free */
    uint32_t n_slots;    /* power of two */
} firn_volume;

/* The caller fills to_index, background, block and values, and calls firn_volume_finish. */
firn_status firn_volume_create(int n_components, int64_t n_leaves, firn_volume **volume,
                               firn_messages *messages);
void firn_volume_finish(firn_volume *volume);
void firn_volume_destroy(firn_volume *volume);
/* value[n_components] at x, m. Thread-safe. */
void firn_volume_sample(const firn_volume *volume, const double x[3], double *value);

#ifdef __cplusplus
}
#endif
#endif
