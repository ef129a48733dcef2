/* SPDX-License-Identifier: MIT */
/* skin_grains.h: grains on the surface of a body and of loose particles; a part of skin.c. */
#ifndef FIRN_SKIN_GRAINS_H
#define FIRN_SKIN_GRAINS_H

#include "geometry/sdf/sdf.h"
#include "picture/skin.h"

typedef struct firn_skin_grains {
    const firn_skin_def *def;
    const firn_sdf *volume; /* of the body; NULL: all are loose */
    const float *v;         /* of the points, scene coordinates; NULL: not wanted */
    const int64_t *which;   /* [n + n_loose] particles of the body, then loose ones */
    int64_t n, n_loose;
} firn_skin_grains;

/* Fills the grains of the piece, whose look has some. 0: out of memory. */
int firn_skin_make_grains(const firn_skin_grains *grains, firn_skin_piece *piece);
/* Unit normal of a distance field near x, from differences over two voxels. */
void firn_skin_normal(const firn_sdf *volume, const double x[3], float normal[3]);

#endif
