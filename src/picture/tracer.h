/* SPDX-License-Identifier: MIT */
/* tracer.h: spheres behind Embree 3, as a table of functions. Where Embree was not found at build
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
    int is_used[FIRN_TRACER_WIDTH]; /* -1 yes, 0 no: what Embree wants */
} firn_ray8;

typedef struct firn_tracer_engine {
    /* The spheres are borrowed until destroy. */
    firn_status (*create)(const firn_spheres *spheres, int n_threads, firn_tracer **tracer,
                          firn_messages *messages);
    void (*destroy)(firn_tracer *tracer);
    /* Fills hits[rows][columns]; the same bits for any number of threads. */
    void (*hits)(const firn_tracer *tracer, const firn_camera *camera, int columns, int rows,
                 int n_threads, firn_hit *hits);
    /* is_free[k]: no sphere lies on the ray between near and far. Thread-safe. */
    void (*free)(const firn_tracer *tracer, const firn_ray8 *rays, int is_free[FIRN_TRACER_WIDTH]);
} firn_tracer_engine;

extern const firn_tracer_engine *const firn_tracer_embree; /* NULL: built without Embree */

#endif
