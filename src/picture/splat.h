/* SPDX-License-Identifier: MIT */
/* splat.h: pictures without Embree. See spheres.h. */
#ifndef FIRN_SPLAT_H
#define FIRN_SPLAT_H

#include "picture/spheres.h"

/* Fills hits[rows][columns]; the same bits for any number of threads. FIRN_MEMORY is the only
 * trouble. */
firn_status firn_splat_hits(const firn_spheres *spheres, const firn_camera *camera, int columns,
                            int rows, int n_threads, firn_hit *hits);

#endif
