/* SPDX-License-Identifier: MIT */
/* sampling.h: fills a shape with points. The same seed gives the same points for any number of
 * threads. */
#ifndef FIRN_SAMPLING_H
#define FIRN_SAMPLING_H

#include "geometry/shape.h"

/* Points inside `shape`. spacing: edge of the cube of one point, dx / cbrt(particles per cell), m.
 * *xyz[*n][3] is released by firn_memory_release(NULL, *xyz, *n * 24). */
firn_status firn_sample_shape(const firn_shape *shape, firn_sampling sampling, double spacing,
                              uint64_t seed, double **xyz, int64_t *n, firn_messages *messages);

/* Two layers: spacing[0] down to `depth` below the surface, spacing[1] farther inside. The first
 * *n_surface of the *n points are those near the surface. The shape's distances must be exact to
 * that depth (firn_shape_create). */
firn_status firn_sample_layers(const firn_shape *shape, firn_sampling sampling,
                               const double spacing[2], double depth, uint64_t seed, double **xyz,
                               int64_t *n, int64_t *n_surface, firn_messages *messages);

/* The same for the section z = 0 of the shape, all points at z = 0: spacing is the edge of the square
 * of one point. depth 0: one layer, of spacing[1]. Not for blue noise. */
firn_status firn_sample_section(const firn_shape *shape, firn_sampling sampling,
                                const double spacing[2], double depth, uint64_t seed, double **xyz,
                                int64_t *n, int64_t *n_surface, firn_messages *messages);

/* Volumes of a shape at a time, m^3, down to `depth` below the surface and farther inside, from a
 * lattice of samples: within about 1 % for a shape that fills a good part of its box. Returns 0
 * where the shape is unbounded. */
int firn_sample_volumes(const firn_shape *shape, double time, double depth, double volumes[2]);
/* Areas of its section z = 0, m^2. */
int firn_sample_areas(const firn_shape *shape, double time, double depth, double areas[2]);

#endif
