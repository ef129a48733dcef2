/* SPDX-License-Identifier: MIT */
/* mesh_shells.h: which closed shells of a mesh are solids, and which are cavities in others. */
#ifndef FIRN_MESH_SHELLS_H
#define FIRN_MESH_SHELLS_H

#include "geometry/mesh/mesh.h"

enum { FIRN_MESH_LEVELS = 32 };

/* Of a welded and closed mesh: levels[n_triangles] get 0 for solids, 1 for cavities in them, 2
 * for solids in these, and so on: the body is level 0 less level 1 and level 2 less ..., in this
 * order. *n_levels is 1 where there is no cavity.
 *
 * A shell is a connected piece of the mesh. It is a cavity where it lies wholly inside another
 * one and its faces look the other way; which way the outermost one looks does not matter.
 * Shells that cross, touch, or lie inside others and look the same way are parts of one solid.
 * Where faces do not say it a shell inside another one is filled, and with a name a warning
 * tells so. */
firn_status firn_mesh_shells(const firn_mesh *mesh, const char *name, uint8_t *levels,
                             int *n_levels, firn_messages *messages);

/* Of a welded mesh whose holes were filled: is_loose[n_points] says on which points the rims of
 * holes lay that are too large to be filled. It becomes true on all points of shells with such
 * rims that lie wholly inside another one without, false elsewhere: these are sheets, and inside
 * a body no sheet changes anything. */
firn_status firn_mesh_loose(const firn_mesh *mesh, uint8_t *is_loose, firn_messages *messages);

#endif
