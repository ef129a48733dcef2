/* SPDX-License-Identifier: MIT */
/* sdf_sequence.h: distance fields over time, behind the shapes "mesh" and "vdb" (sdf_shapes.c):
 * one field, or a sequence of them.
 *
 * A file name with a printf number (boot.%04d.obj) is a sequence: all files of that pattern, `fps`
 * of them per second, the first one at `start`. Before the first and after the last the shape
 * rests. Between two files of a mesh there may be further fields (sdf_from_mesh.c). */
#ifndef FIRN_SDF_SEQUENCE_H
#define FIRN_SDF_SEQUENCE_H

#include "base/file_sequence.h"
#include "geometry/sdf/sdf.h"
#include "geometry/shape.h"

#define FIRN_SDF_SEQUENCE_BYTES ((size_t)4 << 30) /* at most, of all fields of a shape */

typedef struct firn_sdf_sequence {
    int n, capacity;
    firn_sdf **sdfs;                    /* [n] */
    double *times;                      /* [n] s */
    double *speeds;                     /* [n] m/s, the greatest from times[i] to times[i + 1] */
    double (*shifts)[3];                /* [n] m, of the centroid, likewise; see sdf_sequence.c */
    int velocity, friction, stickiness; /* first channels; 0: absent */
    double min[3], max[3];              /* m, box of the surface over all times */
    double max_speed;                   /* m/s */
    size_t n_bytes;
    int *recent; /* interval of the last query: mostly all queries of a step have one time */
} firn_sdf_sequence;

/* A mesh (.obj .ply .stl): closed where that is sound, its voxel chosen where it is 0; with a
 * thickness it may be open. Attributes friction and stickiness of its points paint the surface. */
firn_status firn_sdf_sequence_from_mesh(const firn_shape_def *def, firn_shape_need need,
                                        firn_sdf_sequence **sequence, firn_messages *messages);
/* A .vdb: level set or fog; grids friction and stickiness paint it. */
firn_status firn_sdf_sequence_from_vdb(const firn_shape_def *def, firn_shape_need need,
                                       firn_sdf_sequence **sequence, firn_messages *messages);
void firn_sdf_sequence_destroy(firn_sdf_sequence *sequence);

/* All members of *surface; distance and velocity alone (see shape.h). */
void firn_sdf_sequence_query(const firn_sdf_sequence *sequence, const double x[3], double time,
                             firn_surface_point *surface);
void firn_sdf_sequence_distance_query(const firn_sdf_sequence *sequence, const double x[3],
                                      double time, firn_surface_point *surface);
/* The greatest speed of the surface between two times, m/s; less than 0 where there is one field
 * only. */
double firn_sdf_sequence_speed(const firn_sdf_sequence *sequence, double from, double until);
/* The first time after `from` at which the velocity of the surface jumps; else infinite. */
double firn_sdf_sequence_border(const firn_sdf_sequence *sequence, double from);

/* ---------------------------------------------------------------- for the readers of files */

typedef firn_status firn_sdf_read_single(const firn_shape_def *def, firn_shape_need need,
                                         firn_sdf_sequence *sequence, firn_messages *messages);
typedef firn_status firn_sdf_read_sequence(const firn_shape_def *def, firn_shape_need need,
                                           const firn_file_sequence *files,
                                           firn_sdf_sequence *sequence, firn_messages *messages);
/* Calls the one that def->file asks for. n_pieces: fields for each file of a sequence at most. */
firn_status firn_sdf_sequence_load(const firn_shape_def *def, firn_shape_need need, int n_pieces,
                                   firn_sdf_read_single *single, firn_sdf_read_sequence *several,
                                   firn_sdf_sequence **sequence, firn_messages *messages);
/* Removes all fields. */
void firn_sdf_sequence_clear(firn_sdf_sequence *sequence);
/* Finishes the field (see sdf.h) and owns it from here on, also on failure. low, high: box of its
 * surface. */
firn_status firn_sdf_sequence_append(firn_sdf_sequence *sequence, double time, firn_sdf *sdf,
                                     const double low[3], const double high[3], const char *path,
                                     firn_messages *messages);
/* The speed of the surface in field i, or on its way to the next one. */
void firn_sdf_sequence_note_speed(firn_sdf_sequence *sequence, int i, double speed);
/* max_speed as the bound for all times, where bounds of single intervals are not known. */
void firn_sdf_sequence_note_max_speed(firn_sdf_sequence *sequence);
/* Where velocities are not known: sets the shifts. *residual: the greatest distance that is left
 * between the surfaces of two fields, *depth: the least depth of a field's deepest voxel, m. */
void firn_sdf_sequence_find_shifts(firn_sdf_sequence *sequence, double *residual, double *depth);
/* Where these say that a blend of two distances is wrong. way_out: what the user may do. */
void firn_sdf_sequence_check_blend(const firn_sdf_sequence *sequence, double residual, double depth,
                                   const char *path, const char *way_out, firn_messages *messages);

#endif
