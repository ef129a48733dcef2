/* SPDX-License-Identifier: MIT */
/* mesh.h: triangles: read from OBJ, PLY and STL, checked, closed where that is sound (mesh_close.h),
 * written to OBJ and PLY.
 *
 * Lengths are in m once `scale` is applied. Polygons, convex or not, are cut into triangles while
 * reading. Attributes belong to points: "friction" (1), "v" (3), "T" (1), ... */
#ifndef FIRN_MESH_H
#define FIRN_MESH_H

#include "firn/base.h"

enum { FIRN_MESH_ATTRIBUTES = 8 };

typedef struct firn_mesh_attribute {
    char name[64];
    int n_components; /* 1 to 3 */
    float *data;      /* [n_points][n_components] */
} firn_mesh_attribute;

typedef struct firn_mesh {
    int64_t n_points, n_triangles;
    double *xyz;         /* [n_points][3] */
    uint32_t *triangles; /* [n_triangles][3], counterclockwise seen from outside */
    int n_attributes;
    firn_mesh_attribute attributes[FIRN_MESH_ATTRIBUTES];
} firn_mesh;

/* All arrays zeroed; NULL when out of memory. */
firn_mesh *firn_mesh_create(int64_t n_points, int64_t n_triangles);
void firn_mesh_destroy(firn_mesh *mesh);
/* NULL: out of memory, or FIRN_MESH_ATTRIBUTES are there. */
firn_mesh_attribute *firn_mesh_add(firn_mesh *mesh, const char *name, int n_components);
const firn_mesh_attribute *firn_mesh_find(const firn_mesh *mesh, const char *name);

void firn_mesh_scale(firn_mesh *mesh, double factor);
void firn_mesh_bounds(const firn_mesh *mesh, double min[3], double max[3]);
/* Enclosed volume by the divergence theorem, m^3; negative where the faces look inwards. */
double firn_mesh_volume(const firn_mesh *mesh);
double firn_mesh_area(const firn_mesh *mesh);

/* Reads a file by its ending. Each count of the file is compared with the bytes that are there
 * before memory is taken for it; each coordinate must be finite and at most 1e9 in size, each index
 * must name a point. FIRN_IO: the file is cut off, damaged or not of its format; FIRN_REFUSED: it
 * is whole, and holds something that no mesh may. */
firn_status firn_mesh_read(const char *path, firn_mesh **mesh, firn_messages *messages);
/* Writes .obj (positions only) or .ply (binary, with attributes), whole or not at all. */
firn_status firn_mesh_write(const char *path, const firn_mesh *mesh, firn_messages *messages);

#endif
