/* SPDX-License-Identifier: MIT */
/* embed.h: a detailed surface that is carried by particles: each point of it moves with the best
 * affine fit of the particles around it (embed.c). Works on particles outside of a simulation, so
 * for every method. Lengths in the unit of the particles, m. */
#ifndef FIRN_EMBED_H
#define FIRN_EMBED_H

#include "base/messages.h"
#include "meshless/neighbours.h"
#include "points/points.h"

typedef struct firn_embed_choice {
    double support; /* m: particles this near carry a point; 0: 2.2 spacings, from pscale */
    double tear;    /* stretch between particles beyond which the surface opens; 0: never */
    int n_threads;
} firn_embed_choice;

typedef struct firn_embed firn_embed;

/* Ties n points to the particles at rest, which must have ids. `x` is copied. */
firn_status firn_embed_bind(int64_t n, const double *x, const firn_points *rest,
                            const firn_embed_choice *choice, firn_embed **embed,
                            firn_messages *messages);
/* Present positions, and the deformation gradient around each point (NULL: not wanted). */
firn_status firn_embed_move(firn_embed *embed, const firn_points *now, double *x, double *F,
                            firn_messages *messages);
/* After firn_embed_move: whether a polygon of these points has been torn apart. */
int firn_embed_is_torn(const firn_embed *embed, int n, const int64_t *points);
void firn_embed_destroy(firn_embed *embed);

/* embed_obj.c: an .obj file, whose texture coordinates, groups, materials and faces stay as they
 * are; points and normals move. */
typedef struct firn_embed_mesh firn_embed_mesh;
firn_status firn_embed_mesh_read(const char *path, firn_embed_mesh **mesh, firn_messages *messages);
int64_t firn_embed_mesh_points(const firn_embed_mesh *mesh, const double **x);
firn_status firn_embed_mesh_write(const firn_embed_mesh *mesh, const firn_embed *embed,
                                  const double *x, const double *F, const char *path,
                                  firn_messages *messages);
void firn_embed_mesh_destroy(firn_embed_mesh *mesh);

#endif
