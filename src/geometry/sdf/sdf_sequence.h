/* SPDX-License-Identifier: MIT */
/* sdf_sequence.h: the distance field behind the shapes "mesh" and "vdb" - one volume, or a
 * sequence of them over time.
 *
 * A file name with a printf number (boot.%04d.obj) is a sequence: all files of that pattern,
 * `fps` a second, the first one at `start`. Before the first and after the last the shape stands
 * still. */
#ifndef FIRN_FIELD_H
#define FIRN_FIELD_H

#include "geometry/shape.h"
#include "geometry/sdf/sdf.h"

typedef struct firn_field firn_field;

/* A mesh (.obj .ply .stl): closed where sound, its voxel chosen when 0; thickness > 0 allows
 * open meshes. Attributes friction and stickiness of its points paint the surface. */
firn_status firn_sdf_sequence_from_mesh(const firn_shape_def *def, firn_shape_need need,
                                        firn_field **field, firn_messages *messages);
/* A .vdb: level set or fog; grids friction and stickiness paint it. */
firn_status firn_sdf_sequence_from_vdb(const firn_shape_def *def, firn_shape_need need,
                                       firn_field **field, firn_messages *messages);
void firn_sdf_sequence_destroy(firn_field *field);

void firn_sdf_sequence_query(const firn_field *field, const double x[3], double time,
                             firn_surface_point *surface);
/* Its distance and velocity alone. */
void firn_sdf_sequence_distance(const firn_field *field, const double x[3], double time,
                                firn_surface_point *surface);
/* The greatest speed of the surface between two times; less than 0 where there is one volume only.
 */
double firn_sdf_sequence_speed(const firn_field *field, double from, double until);
/* Box of the surface over all times */
void firn_sdf_sequence_bounds(const firn_field *field, double min[3], double max[3]);
int firn_sdf_sequence_n_volumes(const firn_field *field);
size_t firn_sdf_sequence_bytes(const firn_field *field);

#endif
