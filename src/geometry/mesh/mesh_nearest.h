/* SPDX-License-Identifier: MIT */
/* mesh_nearest.h: the nearest point of a set of triangles, or of points, and its weights: what is
 * written at the corners can be read anywhere in space. */
#ifndef FIRN_MESH_NEAREST_H
#define FIRN_MESH_NEAREST_H

#include "geometry/mesh/mesh.h"

typedef struct firn_mesh_nearest firn_mesh_nearest;

/* Of triangles [n_triangles][3] with corners xyz; n_triangles 0: of the points alone. Arrays are
 * borrowed for the life of the search tree. */
firn_status firn_mesh_nearest_create(int64_t n_points, const double *xyz, int64_t n_triangles,
                                     const uint32_t *triangles, firn_mesh_nearest **tree,
                                     firn_messages *messages);
void firn_mesh_nearest_destroy(firn_mesh_nearest *tree);
/* The corners of the nearest triangle and the weights of its nearest point, which are at least 0
 * with the sum 1; of equally near ones the first found. Returns the distance, m. Thread-safe. */
double firn_mesh_nearest_find(const firn_mesh_nearest *tree, const double x[3], uint32_t corners[3],
                              double weights[3]);

#endif
