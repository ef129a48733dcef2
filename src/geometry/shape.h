/* SPDX-License-Identifier: MIT */
/* shape.h: geometry as signed distance: analytic shapes, meshes and volumes, joined by union,
 * difference and intersection. It fills bodies, collides, and selects the regions of grips, sinks
 * and emitters. A kind of shape is one entry of a table (shape_kind.h); nothing else names one.
 *
 * Distances d are in m, negative inside, exact or lower bounds in size, and 1-Lipschitz:
 * |d(x) - d(y)| <= |x - y|; those of shapes from files are interpolated (sdf/sdf.h). */
#ifndef FIRN_SHAPE_H
#define FIRN_SHAPE_H

#include "firn/defs.h"

typedef struct firn_shape firn_shape;

/* The nearest point of the surface */
typedef struct firn_surface_point {
    double distance, normal[3];  /* m; outward, length 1 */
    double velocity[3];          /* m/s, of a deforming surface; 0 of a rigid one */
    double friction, stickiness; /* painted values, 1 and Pa; NAN where there is no paint */
} firn_surface_point;

/* The kinds, for help and checks: i from 0 until NULL is returned. */
typedef struct firn_shape_kind_info {
    const char *name, *meaning;
    const char *keys;  /* of firn_shape_def, besides center, rotate, thickness, csg */
    int is_half_space; /* everything below the plane through center with this normal */
} firn_shape_kind_info;
const firn_shape_kind_info *firn_shape_kind_at(int i);
const firn_shape_kind_info *firn_shape_kind_find(const char *name);

/* Checks the numbers of an analytic shape; messages begin "is no sphere: ...". Shapes from files are
 * not checked. */
firn_status firn_shape_check(const firn_shape_def *def, firn_messages *messages);

/* What the caller needs of shapes from files; {0}: nothing in particular. */
typedef struct firn_shape_need {
    /* m: distances and normals are interpolated from exact ones down to this depth: that of nodes
     * that material reaches */
    double depth;
    double cell;   /* m: a voxel that is not given is no larger; 0: not known */
    int is_start;  /* all queries are for time 0: of a sequence the files around it suffice */
    double above;  /* m: distances of walls are exact up to this height; 0: some voxels */
    size_t memory; /* bytes that reading a .vdb may take (--max-memory); 0: no limit */
} firn_shape_need;
firn_status firn_shape_create(int n_shapes, const firn_shape_def *shapes, firn_shape_need need,
                              firn_shape **shape, firn_messages *messages);
void firn_shape_destroy(firn_shape *shape);
/* Thread-safe. `time`, s, matters for deforming shapes only, whose velocity is that of the interval
 * before it. */
void firn_shape_query(const firn_shape *shape, const double x[3], double time,
                      firn_surface_point *surface);
/* Distance and velocity alone, with the same bits, faster; the rest of *surface is undefined. */
void firn_shape_distance_query(const firn_shape *shape, const double x[3], double time,
                               firn_surface_point *surface);
/* The greatest speed of a deforming surface at any time, m/s; 0 for rigid ones and where it is not
 * known. */
double firn_shape_speed(const firn_shape *shape);
/* The greatest between two times; infinite where it is not known, less than 0 where the shape
 * never changes. */
double firn_shape_speed_between(const firn_shape *shape, double from, double until);
/* The first time after `from` at which the velocity of a part jumps; at most `until`. */
double firn_shape_border(const firn_shape *shape, double from, double until);
/* The largest voxel, m; 0: no part is interpolated. */
double firn_shape_voxel(const firn_shape *shape);
/* The greatest painted stickiness, Pa; 0: none is painted. */
double firn_shape_stickiness(const firn_shape *shape);
double firn_shape_distance(const firn_shape *shape, const double x[3], double time);
/* Box of the shape, m; returns 0 where it is unbounded (plane, half_space), with an infinite box. */
int firn_shape_bounds(const firn_shape *shape, double min[3], double max[3]);

#endif
