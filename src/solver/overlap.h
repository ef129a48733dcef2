/* SPDX-License-Identifier: MIT */
/* overlap.h: material that would begin inside a collider, beyond a closed wall, or where other
 * material is (overlap.c). */
#ifndef FIRN_OVERLAP_H
#define FIRN_OVERLAP_H

#include "solver/body_source.h"
#include "solver/sim.h"

/* What the overlap of one body is judged with. */
typedef struct firn_overlap_scene {
    firn_sim *sim;
    const firn_scene_def *scene;
    const firn_body_source *sources; /* [scene->n_bodies], open */
    int is_refused;                  /* an overlap was found that is not allowed */
    firn_messages *messages;
} firn_overlap_scene;

/* The places of body i, n points [3] at the start of the run, `spacing` (m) apart: fills
 * keep[n] with 0 for those that are left out, reports how many of them are where they should not be.
 * Overlaps that are refused set is_refused and are reported; all bodies are looked at first. */
void firn_overlap_find(firn_overlap_scene *o, int body, double spacing, int64_t n, const double *x,
                       unsigned char *keep);

/* populate_points.c: the particles of a body from a file of points. */
firn_status firn_populate_points(firn_overlap_scene *o, int body);

/* Whether x is deeper than `tolerance` (m) in collider c at a time, which must have its pose of that
 * time; *depth: how deep, m. */
int firn_overlap_in_collider(const firn_collider *c, const double x[3], double time,
                             double tolerance, double *depth);

/* How deep x is inside a collider now, m; 0: in none. After the first step, or before it. */
double firn_overlap_depth(const firn_sim *sim, const double x[3]);
/* Particles deeper than half a cell in colliders now: how many, the deepest, where. */
typedef struct firn_overlap_sunk {
    int64_t n, n_all;
    double depth, x[3]; /* m */
    int collider;
} firn_overlap_sunk;
firn_overlap_sunk firn_overlap_find_sunk(const firn_sim *sim);

/* Share of space that material fills now, around places in a box: tent-weighted volumes of particles
 * on nodes h apart. */
typedef struct firn_overlap_fill {
    double low[3], h;
    int64_t n[3];
    float *share; /* [n[0]][n[1]][n[2]] */
} firn_overlap_fill;
firn_status firn_overlap_fill_measure(firn_sim *sim, const double low[3], const double high[3],
                                      firn_overlap_fill *fill);
double firn_overlap_fill_at(const firn_overlap_fill *fill, const double x[3]);
void firn_overlap_fill_clear(firn_sim *sim, firn_overlap_fill *fill);

#endif
