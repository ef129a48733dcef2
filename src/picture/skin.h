/* SPDX-License-Identifier: MIT */
/* skin.h: the surfaces of a frame of particles as the renderer wants them: for each look one mesh,
 * the same level set that `firn mesh` makes, and the grains that lie on it.
 *
 * Grains are small spheres around the particles next to the surface, pulled onto it, at places that
 * depend on the particle's id alone: they move with the material and do not flicker. A particle with
 * few neighbours is loose: it has no part in the mesh and becomes a cluster of grains. */
#ifndef FIRN_SKIN_H
#define FIRN_SKIN_H

#include "picture/look.h"
#include "points/points.h"

enum { FIRN_SKIN_LOOKS = 8 };

typedef struct firn_skin_piece {
    const firn_look *look;
    int64_t n_vertices, n_triangles, n_grains;
    float *xyz;     /* [n_vertices + 2][3], local m; the last two are not used (Embree reads on) */
    float *normal;  /* [n_vertices][3] */
    float *color;   /* [n_vertices][3] linear light */
    float *xyz_end; /* likewise, at the end of the shutter; NULL: nothing moves */
    uint32_t *triangles;  /* [n_triangles][3] */
    float *grains;        /* [n_grains][4]: place and radius */
    float *grain_normal;  /* [n_grains][3] of the surface below */
    float *grain_color;   /* [n_grains][3] */
    float *grains_end;    /* [n_grains][4] at the end of the shutter; NULL: nothing moves */
    uint32_t *grain_id;   /* [n_grains] a hash, for glints */
    float spacing, voxel; /* m */
} firn_skin_piece;

typedef struct firn_skin {
    int n;
    firn_skin_piece pieces[FIRN_SKIN_LOOKS];
} firn_skin;

typedef struct firn_skin_def {
    const firn_points *points; /* for id and v */
    const float *xyzr;         /* [n][4] local places; radius 0: the particle is left out */
    const float *colors;       /* [n][3] linear light */
    const uint8_t *look;       /* [n]: which of the looks */
    int n_looks, is_z_up;      /* at most FIRN_SKIN_LOOKS */
    const firn_look *looks[FIRN_SKIN_LOOKS];
    double spacing; /* of the particles, m */
    double voxel;   /* m; 0: 0.6 radii of the surface */
    double pixel;   /* m, size of a pixel at the shot: finer grains are not made */
    double shutter; /* s, over which places move with v about those given; 0: they rest */
    int n_threads;
} firn_skin_def;

firn_status firn_skin_make(const firn_skin_def *def, firn_skin *skin, firn_messages *messages);
void firn_skin_clear(firn_skin *skin);

#endif
