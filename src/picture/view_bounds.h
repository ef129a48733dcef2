/* SPDX-License-Identifier: MIT */
/* view_bounds.h: what must be known of a whole shot before its first frame is drawn, so that
 * camera, ground and colours stay fixed: the box of the material and the range of an attribute. A
 * few frames are enough. */
#ifndef FIRN_VIEW_BOUNDS_H
#define FIRN_VIEW_BOUNDS_H

#include "points/points.h"

enum { FIRN_VIEW_SAMPLES = 1024 };

typedef struct firn_view_bounds {
    int is_z_up;
    int64_t n;             /* points seen; 0: the rest is undefined */
    double min[3], max[3]; /* box of all but the outermost 0.5 % per side, y up, m */
    double lowest;         /* y below which 0.1 % of the points are: height of the ground */
    int has_values;
    double value_min, value_max; /* of the attribute: all but the outermost 1 % per side */
    /* some points of all frames, y up, m; where there are many frames fewer of each */
    int n_samples, n_per_frame;
    float samples[FIRN_VIEW_SAMPLES][3];
} firn_view_bounds;

firn_view_bounds firn_view_bounds_default(void); /* empty, y up */
/* Adds a frame. `attribute` as in particle_color.h, "" for none. */
firn_status firn_view_bounds_add(firn_view_bounds *bounds, const firn_points *points,
                                 const char *attribute, firn_messages *messages);
/* Widens the box, and what the camera frames, by a box of the scene. */
void firn_view_bounds_include(firn_view_bounds *bounds, const double min[3], const double max[3]);
/* A point of the scene in the coordinates of the picture (y up). */
void firn_view_bounds_turn(int is_z_up, const double scene[3], double turned[3]);

#endif
