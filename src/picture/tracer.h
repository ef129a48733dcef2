/* SPDX-License-Identifier: MIT */
/* tracer.h: spheres and triangles behind Embree 3, as a table of functions. Where Embree was not found at build
 * time the table is NULL (tracer_none.c) and pictures are drawn by splat.h, which knows what the
 * eye sees but no shadows. No name of Embree is seen outside of tracer.c. */
#ifndef FIRN_TRACER_H
#define FIRN_TRACER_H

#include "picture/spheres.h"

enum { FIRN_TRACER_WIDTH = 8 };

typedef struct firn_tracer firn_tracer;

/* Eight rays at once, component by component. */
typedef struct firn_ray8 {
    float origin[3][FIRN_TRACER_WIDTH], direction[3][FIRN_TRACER_WIDTH];
    float near[FIRN_TRACER_WIDTH], far[FIRN_TRACER_WIDTH];
    float time[FIRN_TRACER_WIDTH];  /* 0 .. 1 within the shutter */
    int is_used[FIRN_TRACER_WIDTH]; /* -1 yes, 0 no: what Embree wants */
} firn_ray8;

/* Triangles (n_triangles > 0) or spheres. What moves has other places at the end of the shutter, in
 * between it moves straight on; NULL: it rests. Embree reads up to 4 bytes beyond the last vertex. */
typedef struct firn_tracer_shape {
    int64_t n_vertices, n_triangles, n_spheres;
    const float *xyz, *xyz_end;   /* [n_vertices][3] */
    const uint32_t *triangles;    /* [n_triangles][3] */
    const float *xyzr, *xyzr_end; /* [n_spheres][4] */
} firn_tracer_shape;

/* First hits of eight rays. */
typedef struct firn_hit8 {
    float t[FIRN_TRACER_WIDTH]; /* INFINITY: none */
    uint32_t shape[FIRN_TRACER_WIDTH], part[FIRN_TRACER_WIDTH];
    float u[FIRN_TRACER_WIDTH], v[FIRN_TRACER_WIDTH]; /* weights of the second and third corner */
} firn_hit8;

typedef struct firn_tracer_engine {
    /* The arrays of the shapes are borrowed until destroy. */
    firn_status (*create)(int n, const firn_tracer_shape *shapes, int n_threads,
                          firn_tracer **tracer, firn_messages *messages);
    void (*destroy)(firn_tracer *tracer);
    /* Fills hits[rows][columns]; the same bits for any number of threads. */
    void (*hits)(const firn_tracer *tracer, const firn_camera *camera, int columns, int rows,
                 int n_threads, firn_hit *hits);
    /* Thread-safe. */
    void (*first)(const firn_tracer *tracer, const firn_ray8 *rays, firn_hit8 *hits);
    /* is_free[k]: nothing lies on the ray between near and far. Thread-safe. */
    void (*free)(const firn_tracer *tracer, const firn_ray8 *rays, int is_free[FIRN_TRACER_WIDTH]);
} firn_tracer_engine;

extern const firn_tracer_engine *const firn_tracer_embree; /* NULL: built without Embree */

#endif
