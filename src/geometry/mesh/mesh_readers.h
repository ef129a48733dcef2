/* SPDX-License-Identifier: MIT */
/* mesh_readers.h: one reader for each mesh format, and what they share besides the cursor. Each
 * begins where the file begins; on failure *mesh may be set, and belongs to the caller. */
#ifndef FIRN_MESH_READERS_H
#define FIRN_MESH_READERS_H

#include "geometry/mesh/mesh_cursor.h"

firn_status firn_mesh_obj_read(firn_mesh_cursor *c, firn_mesh **mesh);
firn_status firn_mesh_stl_read(firn_mesh_cursor *c, firn_mesh **mesh);
firn_status firn_mesh_ply_read(firn_mesh_cursor *c, firn_mesh **mesh);

/* ---------------------------------------------------------------- mesh_polygon.c */

/* Triangles first ... first + n_triangles - 1 are a polygon's fan about its first corner. Where the
 * polygon is not convex they are replaced by as many that lie inside. Its points must have been
 * read. */
firn_status firn_mesh_polygon_cut(const firn_mesh_cursor *c, firn_mesh *mesh, int64_t first,
                                  int64_t n_triangles);

#endif
