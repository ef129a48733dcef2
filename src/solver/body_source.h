/* SPDX-License-Identifier: MIT */
/* body_source.h: what a body is filled from, its shape or its file of points, read once: for the
 * estimate of a pre-flight and for the particles. */
#ifndef FIRN_BODY_SOURCE_H
#define FIRN_BODY_SOURCE_H

#include "geometry/shape.h"
#include "points/points.h"

typedef struct firn_body_source {
    firn_shape *shape;   /* NULL: points */
    firn_points *points; /* NULL: a shape */
} firn_body_source;

/* h: grid spacing, m; max_memory: bytes, 0: no limit. On failure *source is empty. */
firn_status firn_body_source_open(const firn_body_def *def, double h, size_t max_memory,
                                  firn_body_source *source, firn_messages *messages);
void firn_body_source_close(firn_body_source *source);
static inline int firn_body_source_is_open(const firn_body_source *source)
{
    return source->shape || source->points;
}

/* Depth below the surface with particles of their own, m; 0: none. */
double firn_body_source_depth(const firn_body_def *def, double h);

#endif
