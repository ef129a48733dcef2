/* SPDX-License-Identifier: MIT */
/* view_bounds.h: what has to be known of a whole shot before its first frame is drawn, so that
 * camera, ground and colours stand still: where the material goes, and between which values an
 * attribute moves. A handful of frames is enough. */
#ifndef FIRN_SURVEY_H
#define FIRN_SURVEY_H

#include "points/points.h"

typedef struct firn_view_bounds {
    int is_z_up;
    int64_t n;             /* points seen; nothing below means anything while it is 0 */
    double min[3], max[3]; /* box of all but the outermost 0.5 % a side, y up, m */
    double lowest;         /* lowest y but for the outermost 0.1 %: where a ground would be */
    int has_values;
    double value_min, value_max; /* of the attribute: all but the outermost 1 % a side */
} firn_view_bounds;

firn_view_bounds firn_view_bounds_default(void); /* empty, y up */
/* Adds a frame. `attribute` as in particle_color.h, "" for none. */
firn_status firn_view_bounds_add(firn_view_bounds *survey, const firn_points *points,
                                 const char *attribute, firn_messages *messages);
/* A point of the scene in the coordinates of the picture (y up). */
void firn_view_bounds_turn(int is_z_up, const double scene[3], double turned[3]);

#endif
