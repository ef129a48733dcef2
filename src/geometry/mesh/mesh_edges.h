/* SPDX-License-Identifier: MIT */
/* mesh_edges.h: the edges of a mesh, sorted so that all triangles at one edge are neighbours. */
#ifndef FIRN_MESH_EDGES_H
#define FIRN_MESH_EDGES_H

#include "geometry/mesh/mesh.h"

/* One for each side of each triangle, sorted by all members but the last */
typedef struct firn_mesh_edge {
    uint32_t low, high; /* its ends */
    /* the triangle's third corner: edges with the same one are of triangles with the same corners */
    uint32_t opposite;
    uint32_t triangle;
    uint32_t from; /* the end that the triangle runs through first: low or high */
} firn_mesh_edge;

/* *n edges, without those whose ends are one point; NULL: out of memory */
firn_mesh_edge *firn_mesh_edges(const firn_mesh *mesh, int64_t *n);
void firn_mesh_edges_release(firn_mesh_edge *edges, int64_t n_triangles);
/* One past the last edge with the ends of edges[i] */
int64_t firn_mesh_edges_end(const firn_mesh_edge *edges, int64_t n, int64_t i);

#endif
