/* SPDX-License-Identifier: MIT */
/* plane.h: plane strain: one layer of particles, one layer of nodes that counts. */
#ifndef FIRN_PLANE_H
#define FIRN_PLANE_H

#include "mpm/block_loops.h"

/* The node along z that stands for its column, in every block. */
enum { FIRN_PLANE_NODE = 1 };

static inline int firn_plane_is(const firn_sim *sim)
{
    return sim->scene.grid.geometry == FIRN_PLANE_STRAIN;
}
/* Position of a particle along z, cells of its block; plane.c states why. */
static inline double firn_plane_place(void) { return 1.5; }

/* Before the grid update: momentum, force and mass of each column to its node; motion along z ends.
 */
void firn_plane_collapse(firn_sim *sim, int32_t block);
/* After it: the velocity of that node to its column; `with_mass`: mass as well. */
void firn_plane_expand(firn_sim *sim, int32_t block, int with_mass);
/* Clears the components of grad v (and of C where given) that have a z, but for round-off zero. */
void firn_plane_restrict(const firn_sim *sim, int n_bundles, void *grad_v, void *C);
/* The surface of a body that is cut by the plane: normal and velocity in the plane; 0: its surface
 * is parallel to the plane there. */
int firn_plane_cut(firn_surface_point *s);

#endif
