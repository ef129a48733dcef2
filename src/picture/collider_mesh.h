/* SPDX-License-Identifier: MIT */
/* collider_mesh.h: the colliders of a scene as polygons, for other programs. */
#ifndef FIRN_COLLIDER_MESH_H
#define FIRN_COLLIDER_MESH_H

#include "geometry/mesh/mesh.h"
#include "picture/scene_colliders.h"

/* The surface of all colliders that are drawn at their time, scene coordinates, closed, outward; those
 * without an end within the box alone. Edges are rounded over a voxel. *mesh is NULL where there is
 * nothing. */
firn_status firn_collider_mesh_make(const firn_scene_colliders *colliders, const double min[3],
                                    const double max[3], double voxel, int n_threads,
                                    firn_mesh **mesh, firn_messages *messages);

#endif
