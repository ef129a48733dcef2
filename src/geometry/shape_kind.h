/* SPDX-License-Identifier: MIT */
/* shape_kind.h: the border between shape.c (placing, hollowing, joining) and the kinds of shape in
 * its tables.
 *
 * A kind works in its own frame: origin at the shape's center, z along the shape's axis, x and y
 * across. shape.c turns points in and normals out, so that no kind knows rotation, walls or other
 * shapes. */
#ifndef FIRN_SHAPE_KIND_H
#define FIRN_SHAPE_KIND_H

#include "geometry/shape.h"

typedef struct firn_shape_part firn_shape_part;

typedef struct firn_shape_kind {
    firn_shape_kind_info info;
    /* Fills the numbers of a part (and `data`, where there is more) from parameters that `check`
     * accepts; kinds from files check what they read here. `where` names the shape in messages. */
    firn_status (*build)(firn_shape_part *part, const firn_shape_def *def, const char *where,
                         firn_messages *messages);
    /* Signed distance (see shape.h), outward normal and, of surfaces that deform or are painted, the
     * other members of *surface, which arrive as those of a rigid one without paint. */
    void (*query)(const firn_shape_part *part, const double p[3], double time,
                  firn_surface_point *surface);
    /* Box in the kind's frame; NULL: unbounded. */
    void (*bounds)(const firn_shape_part *part, double min[3], double max[3]);
    void (*release)(firn_shape_part *part);       /* NULL: nothing to release */
    double (*speed)(const firn_shape_part *part); /* of a deforming surface; NULL: rigid */
    int is_axial;                                 /* the frame's z is the shape's `normal` */
    /* Distance and velocity of `query` alone, with the same bits; NULL: no faster. */
    void (*distance_query)(const firn_shape_part *part, const double p[3], double time,
                           firn_surface_point *surface);
    /* See shape.h. NULL: the shape never changes, is not interpolated, has no such time, no paint. */
    double (*speed_between)(const firn_shape_part *part, double from, double until);
    double (*voxel)(const firn_shape_part *part);
    double (*border)(const firn_shape_part *part, double from);
    double (*stickiness)(const firn_shape_part *part);
    /* The kind's own parameters; NULL: `build` checks. */
    firn_status (*check)(const firn_shape_def *def, const char *where, firn_messages *messages);
} firn_shape_kind;

struct firn_shape_part {
    const firn_shape_kind *kind;
    firn_csg csg;
    double center[3], frame[3][3]; /* world = center + frame * local = frame * (origin + local) */
    double origin[3];
    int is_turned;          /* frame is not that of the world */
    int is_aligned;         /* frame is that of the part before */
    double half_wall;       /* m, half the wall's thickness; 0: solid */
    int has_box;            /* distances are exact, and the part lies within */
    double low[3], high[3]; /* this box in the kind's frame */
    double radius, radius2, half[3];
    double side[2]; /* of cones: outward normal of the slanted side, r and z */
    firn_shape_need need;
    void *data; /* of kinds that need more */
};

/* Tables of kinds, each ended by one without a name */
extern const firn_shape_kind firn_analytic_kinds[]; /* analytic_shapes.c: analytic */
extern const firn_shape_kind firn_sdf_kinds[];      /* sdf_shapes.c: from files */

#endif
