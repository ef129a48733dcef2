/* SPDX-License-Identifier: MIT */
/* mesh_close.h: makes a mesh watertight where that is sound, and says where it is not. */
#ifndef FIRN_MESH_CLOSE_H
#define FIRN_MESH_CLOSE_H

#include "geometry/mesh/mesh.h"

/* Joins points at the same place and drops triangles that have become lines. */
firn_status firn_mesh_weld(firn_mesh *mesh, const char *path, firn_messages *messages);

/* After welding: an edge of one face is open; faces with the same corners count as one. Where
 * three or more meet, a wall inside the body or a flap on it ends, which lets nothing in. Holes
 * smaller than a tenth of the mesh, and slits no wider than a thousandth of it, are filled by a
 * fan (a warning says how many and where, if they are more than rounding); a larger one is
 * refused with its place. Flipped, doubled and self-intersecting faces need no repair: inside is
 * what the outside cannot reach (a flood fill). Winding numbers would ask for faces that agree
 * on their side, which is just what inverted and doubled ones do not. So a sheet that lies loose
 * inside a closed shell changes nothing: it is left out, and a warning says where it was. Only a
 * closed shell inside another one is asked which way it looks: it may be a cavity
 * (mesh_shells.h); where the faces do not say it, a warning does. */
firn_status firn_mesh_close(firn_mesh *mesh, const char *name, firn_messages *messages);
/* Has the mesh an open edge? -1: out of memory */
int firn_mesh_is_open(const firn_mesh *mesh);

#endif
