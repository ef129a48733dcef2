/* SPDX-License-Identifier: MIT */
/* shape.h: geometry as signed distance - analytic shapes, meshes and volumes, joined by union,
 * difference and intersection. Used to fill bodies, to collide, to select regions for grips and
 * emitters. A kind of shape is one entry of the table in shape.c (or mesh/vdb behind it);
 * nothing else names one. */
#ifndef FIRN_SHAPE_H
#define FIRN_SHAPE_H

#include "firn/defs.h"

typedef struct firn_shape firn_shape;

/* What is known of the nearest piece of surface. Distances in m, negative inside. */
typedef struct firn_surface_point {
    double distance, normal[3];  /* outward */
    double velocity[3];          /* of a deforming surface; zero for a rigid one */
    double friction, stickiness; /* painted values; NAN where the surface is not painted */
} firn_surface_point;

/* The table of kinds, for help and checks: i from 0 until NULL is returned. */
typedef struct firn_shape_kind_info {
    const char *name, *meaning;
    const char
        *keys; /* members of firn_shape_def that it uses besides center, rotate, thickness, csg */
    int is_half_space; /* everything behind the plane through center with this normal */
} firn_shape_kind_info;
const firn_shape_kind_info *firn_shape_kind_at(int i);
const firn_shape_kind_info *firn_shape_kind_find(const char *name);

/* Whether an analytic shape can be made of these numbers; the sentences begin "is no sphere:
 * ...". What is made from files is not looked at. */
firn_status firn_shape_check(const firn_shape_def *def, firn_messages *messages);

firn_status firn_shape_create(int n_shapes, const firn_shape_def *shapes, firn_shape **shape,
                              firn_messages *messages);
/* What is asked of shapes from files, m. */
typedef struct firn_shape_need {
    /* distances and normals are true that far below the surface: as deep as nodes that feel
     * material */
    double depth;
    /* what is smaller does not matter, and voxels that nobody chose are no larger; 0: not known */
    double cell;
    /* nobody asks for another time than 0: of a sequence the files around it are enough */
    int is_start;
    double above;  /* distances of walls are true that far above their surface; 0: some voxels */
    size_t memory; /* bytes that reading a .vdb may take: --max-memory; 0: no such limit */
} firn_shape_need;
firn_status firn_shape_create_for(int n_shapes, const firn_shape_def *shapes, firn_shape_need need,
                                  firn_shape **shape, firn_messages *messages);
void firn_shape_destroy(firn_shape *shape);
/* Thread-safe. `time` matters for deforming shapes only, of which the velocity is that of
 * arriving there. */
void firn_shape_query(const firn_shape *shape, const double x[3], double time,
                      firn_surface_point *surface);
/* The same distance and velocity, faster; nothing else of *surface may be read. */
void firn_shape_distance_query(const firn_shape *shape, const double x[3], double time,
                               firn_surface_point *surface);
/* The greatest speed of a deforming surface at any time, m/s; 0 for rigid ones and where it is
 * not known. */
double firn_shape_speed(const firn_shape *shape);
/* The greatest between two times; infinite where it is not known, less than 0 where the shape
 * never changes. */
double firn_shape_speed_between(const firn_shape *shape, double from, double until);
/* The first time after `from` at which the velocity of a part jumps; at most `until`. */
double firn_shape_border(const firn_shape *shape, double from, double until);
/* The largest voxel between which distances are interpolated, m; 0: all are from formulas. */
double firn_shape_voxel(const firn_shape *shape);
/* The greatest painted stickiness; 0: none is. */
double firn_shape_stickiness(const firn_shape *shape);
double firn_shape_distance(const firn_shape *shape, const double x[3], double time);
/* False where the shape is unbounded (plane, half_space); the box is then infinite. */
int firn_shape_bounds(const firn_shape *shape, double min[3], double max[3]);

#endif
