/* SPDX-License-Identifier: MIT */
/* shape_kind.h: the border between shape.c (placing, hollowing, joining) and the kinds of shape
 * behind its table.
 *
 * A kind works in its own frame: origin at the shape's center, z along the shape's axis, x and y
 * across. shape.c turns points in and normals out, so that no kind knows of rotation, of walls
 * or of other shapes. */
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
    /* Signed distance, outward normal and, for surfaces that deform or are painted, the rest;
     * the other members of *surface arrive as "rigid and not painted". The distance must be
     * exact or nearer (1-Lipschitz). */
    void (*query)(const firn_shape_part *part, const double p[3], double time,
                  firn_surface_point *surface);
    /* Box in the kind's frame; NULL: unbounded. */
    void (*bounds)(const firn_shape_part *part, double min[3], double max[3]);
    void (*release)(firn_shape_part *part);       /* NULL: nothing to release */
    double (*speed)(const firn_shape_part *part); /* of a deforming surface; NULL: rigid */
    int is_axial;                                 /* the frame's z is the shape's `normal` */
    /* The distance and velocity of query, to the last bit, and nothing else, where that is
     * faster; NULL: it is not. */
    void (*distance_query)(const firn_shape_part *part, const double p[3], double time,
                           firn_surface_point *surface);
    double (*speed_between)(const firn_shape_part *part, double from,
                            double until); /* see shape.h; NULL: never changes */
    double (*voxel)(
        const firn_shape_part *part); /* see shape.h; NULL: distances are from formulas */
    double (*border)(const firn_shape_part *part, double from); /* see shape.h; NULL: never */
    double (*stickiness)(const firn_shape_part *part);          /* see shape.h; NULL: not painted */
    /* The kind's own parameters; NULL: `build` checks. */
    firn_status (*check)(const firn_shape_def *def, const char *where, firn_messages *messages);
} firn_shape_kind;

struct firn_shape_part {
    const firn_shape_kind *kind;
    firn_csg csg;
    double center[3], frame[3][3]; /* world = center + frame * local = frame * (origin + local) */
    double origin[3];
    int is_turned;          /* frame is not that of the world */
    int is_aligned;         /* it is that of the part before */
    double half_wall;       /* half the wall's thickness; 0: solid */
    int has_box;            /* exact, and nowhere outside of this: */
    double low[3], high[3]; /* box in the kind's frame */
    double radius, radius2, half[3];
    double side[2]; /* of cones: outward normal of the slanted side, r and z */
    firn_shape_need need;
    void *data; /* of kinds with more than numbers */
};

/* Tables of kinds, each ended by one without a name */
extern const firn_shape_kind firn_analytic_kinds[]; /* analytic_shapes.c: analytic */
extern const firn_shape_kind firn_sdf_kinds[]; /* sdf_shapes.c: from files */

#endif
