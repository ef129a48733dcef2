/* SPDX-License-Identifier: MIT */
/* measure.h: quantities that can be read off a simulation, by name - for `expect`, reports and
 * comparisons. */
#ifndef FIRN_MEASURE_H
#define FIRN_MEASURE_H

#include "firn/firn.h"

typedef enum firn_measure_kind {
    FIRN_MEASURE_PARTICLES, /* of everything, a body, a material, or a region of them */
    FIRN_MEASURE_LEDGER,    /* of everything or a material: the books hold nothing finer */
    FIRN_MEASURE_REACTION   /* of a collider or grip */
} firn_measure_kind;

/* The simulation at one moment; particle arrays are fetched when first asked for. */
typedef struct firn_measure_view firn_measure_view;

typedef struct firn_measure {
    const char *name, *unit, *doc; /* unit "": that of the attribute */
    firn_measure_kind kind;
    int has_axis, has_attribute, needs_start;
    /* how it is made: see measure.c */
    double (*of_particle)(const firn_measure_view *view, int64_t i, int axis);
    int reduction;
    double (*of_ledger)(const firn_ledger *ledger, int axis);
    double (*of_reaction)(const firn_reaction *reaction, int axis);
} firn_measure;

const firn_measure *firn_measure_at(int i); /* i from 0 until NULL is returned */
const firn_measure *firn_measure_find(const char *name);
/* All names, blank-separated. */
void firn_measure_names(char *words, size_t n_bytes);

/* Particles as they were at the start, by id, for displacements and regions. */
typedef struct firn_measure_start {
    int64_t n;
    double *id, *P; /* [n], [n][3] */
} firn_measure_start;

firn_status firn_measure_start_take(firn_sim *sim, firn_measure_start *start,
                                    firn_messages *messages);
void firn_measure_start_clear(firn_measure_start *start);

/* What a measure is taken of. */
typedef struct firn_measure_target {
    int body, material; /* number in the scene (emitters count on after bodies); -1: any */
    int collider, grip; /* reactions; -1: none */
    const unsigned char *in_region; /* [start.n], or NULL: no region */
    char attribute[FIRN_NAME];
    int component;
} firn_measure_target;

firn_measure_view *firn_measure_view_create(
    firn_sim *sim, const firn_scene_def *scene,
    const firn_measure_start *start); /* NULL: out of memory */
void firn_measure_view_destroy(firn_measure_view *view);
/* NAN where there is nothing to measure (no particle there). */
firn_status firn_measure_take(firn_measure_view *view, const firn_measure *measure,
                              const firn_measure_target *target, int axis, double *value,
                              firn_messages *messages);

#endif
