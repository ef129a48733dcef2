/* SPDX-License-Identifier: MIT */
/* splat.h: the engine without Embree (spheres.h): first hits, no shadows. */
#ifndef FIRN_SPLAT_H
#define FIRN_SPLAT_H

#include "picture/spheres.h"

/* Fills hits[rows][columns]; the same bits for any number of threads. FIRN_OK or FIRN_MEMORY. */
firn_status firn_splat_hits(const firn_spheres *spheres, const firn_camera *camera, int columns,
                            int rows, int n_threads, firn_hit *hits);

#endif
