/* SPDX-License-Identifier: MIT */
/* sampling.h: fills a shape with points. The same seed gives the same points for any number of
 * threads. */
#ifndef FIRN_SAMPLE_H
#define FIRN_SAMPLE_H

#include "geometry/shape.h"

/* Points inside `shape`; `spacing` is the edge of the cube that one point stands for (dx /
 * cbrt(particles a cell)). *xyz gets n*3 doubles from firn_memory_allocate(NULL, ...), n_bytes =
 * *n * 24. */
firn_status firn_sample_shape(const firn_shape *shape, firn_sampling sampling, double spacing,
                              uint64_t seed, double **xyz, int64_t *n, firn_messages *messages);

/* The same in two layers: down to `depth` below the surface each point stands for a cube of edge
 * spacing[0], farther inside of spacing[1]. Of the *n points the first *n_surface are those of
 * the surface. The shape's distances must be true that deep (firn_shape_create_for). */
firn_status firn_sample_layers(const firn_shape *shape, firn_sampling sampling,
                               const double spacing[2], double depth, uint64_t seed, double **xyz,
                               int64_t *n, int64_t *n_surface, firn_messages *messages);

/* Volumes of a shape at a time by a lattice of samples, within about 1 % for what fills a fair
 * part of its box: that down to a depth below the surface, and that farther inside. False where
 * the shape has no bounds. */
int firn_sample_volumes(const firn_shape *shape, double time, double depth, double volumes[2]);

#endif
