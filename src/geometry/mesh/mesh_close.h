/* SPDX-License-Identifier: MIT */
/* mesh_close.h: makes a mesh watertight where that is sound, and reports where it is not. */
#ifndef FIRN_MESH_CLOSE_H
#define FIRN_MESH_CLOSE_H

#include "geometry/mesh/mesh.h"

/* Merges points with equal coordinates and removes triangles without three different corners. */
firn_status firn_mesh_weld(firn_mesh *mesh, const char *path, firn_messages *messages);

/* Fills holes, of a welded mesh.
 *
 * An edge is open where it has one face; faces with the same corners count as one. An edge of three
 * or more faces is where a wall inside the body or a flap on it ends, and is no opening. Holes
 * smaller than a tenth of the mesh, and slits no wider than a thousandth of it, are filled by a fan,
 * with a warning where they are more than rounding; a larger hole is refused with its place.
 *
 * Flipped, doubled and self-intersecting faces need no repair: inside is what a flood fill from
 * outside does not reach (README.md compares this with winding numbers, which need consistent
 * orientation). So an open sheet inside a closed shell changes nothing; it is removed, with a
 * warning. Only for a closed shell inside another one orientation decides: it may be a cavity
 * (mesh_shells.h); where its faces are not oriented consistently there is a warning. */
firn_status firn_mesh_close(firn_mesh *mesh, const char *name, firn_messages *messages);
/* 1 where the mesh has an open edge; -1: out of memory */
int firn_mesh_is_open(const firn_mesh *mesh);

#endif
