/* SPDX-License-Identifier: MIT */
/* sweep.h: studies - one scene file that stands for many runs. */
#ifndef FIRN_SWEEP_H
#define FIRN_SWEEP_H

#include "firn/base.h"

/* `sweep:` of a scene file: paths, each with the values that it takes in turn. A scene with a
 * sweep stands for product-of-all-lists runs; firn_scene_load takes the values outside the sweep
 * where no setting gives one, and warns. */
typedef struct firn_sweep_axis {
    const char *path; /* as for --set */
    int n;
    const char *const *values; /* as text, as for --set */
} firn_sweep_axis;

typedef struct firn_sweep firn_sweep;

/* A scene without `sweep` gives a sweep of one run without settings. NULL: the report says why. */
firn_sweep *firn_sweep_load(const char *path, firn_messages *messages);
void firn_sweep_destroy(firn_sweep *sweep);
int firn_sweep_n_axes(const firn_sweep *sweep);
const firn_sweep_axis *firn_sweep_axis_at(const firn_sweep *sweep, int i);
int64_t firn_sweep_n_runs(const firn_sweep *sweep);
/* The settings "path=value" of one run, one for each axis, the last axis changing fastest; they
 * belong to the sweep and stay valid. NULL: no such run or out of memory. */
const char *const *firn_sweep_settings(firn_sweep *sweep, int64_t run);

#endif
