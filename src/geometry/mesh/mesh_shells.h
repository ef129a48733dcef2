/* SPDX-License-Identifier: MIT */
/* mesh_shells.h: which closed shells of a mesh are solids, and which are cavities in solids. */
#ifndef FIRN_MESH_SHELLS_H
#define FIRN_MESH_SHELLS_H

#include "geometry/mesh/mesh.h"

enum { FIRN_MESH_LEVELS = 32 };

/* Of a welded and closed mesh: levels[n_triangles] become 0 for solids, 1 for cavities in them, 2
 * for solids in these, and so on. The body is level 0 minus level 1 plus level 2 minus ..., in this
 * order. *n_levels is 1 where there is no cavity.
 *
 * A shell is a connected piece of the mesh. It is a cavity where it lies wholly inside another one
 * and has the opposite orientation; the orientation of the outermost one does not matter. Shells
 * that cross, touch, or lie inside others with the same orientation are parts of one solid. Where
 * orientation is not consistent a shell inside another one is filled, with a warning unless `name`
 * is NULL. */
firn_status firn_mesh_shells(const firn_mesh *mesh, const char *name, uint8_t *levels,
                             int *n_levels, firn_messages *messages);

/* Of a welded mesh whose holes are filled: is_loose[n_points] is 1 at rims of holes that were too
 * large to be filled. It becomes 1 on all points of shells with such a rim that lie wholly inside
 * another one without, and 0 elsewhere: these are sheets, which change nothing inside a body. */
firn_status firn_mesh_loose(const firn_mesh *mesh, uint8_t *is_loose, firn_messages *messages);

#endif
