/* SPDX-License-Identifier: MIT */
/* measure.h: quantities of a simulation by name, for `expect`, reports and comparisons. */
#ifndef FIRN_MEASURE_H
#define FIRN_MEASURE_H

#include "firn/firn.h"

typedef enum firn_measure_kind {
    FIRN_MEASURE_PARTICLES, /* of all, a body, a material, or a region of them */
    FIRN_MEASURE_LEDGER,    /* of all or a material: what the ledger has */
    FIRN_MEASURE_REACTION,  /* of a collider or grip */
    FIRN_MEASURE_PROBE      /* of a probe, which samples it between frames (probes.h) */
} firn_measure_kind;

/* The simulation at one time; particle arrays are fetched when first needed. */
typedef struct firn_measure_view firn_measure_view;

typedef struct firn_measure {
    const char *name, *unit, *doc; /* unit "": that of the attribute */
    firn_measure_kind kind;
    int has_axis, has_attribute, needs_start;
    /* evaluation: see measure.c */
    double (*of_particle)(const firn_measure_view *view, int64_t i, int axis);
    int reduction;
    double (*of_ledger)(const firn_ledger *ledger, int axis);
    double (*of_reaction)(const firn_reaction *reaction, int axis);
} firn_measure;

const firn_measure *firn_measure_at(int i); /* i = 0, 1, ... until NULL */
const firn_measure *firn_measure_find(const char *name);
/* All names, blank-separated. */
void firn_measure_names(char *words, size_t n_bytes);

/* Ids and places of particles at the start, for displacements and regions. */
typedef struct firn_measure_start {
    int64_t n;
    double *id, *P; /* [n], [n][3] */
} firn_measure_start;

firn_status firn_measure_start_take(firn_sim *sim, firn_measure_start *start,
                                    firn_messages *messages);
void firn_measure_start_clear(firn_measure_start *start);

/* What a measure is of. */
typedef struct firn_measure_target {
    int body, material;             /* index in the scene (emitters follow bodies); -1: any */
    int collider, grip;             /* reactions; -1: none */
    int probe;                      /* index in the scene; -1: none */
    const unsigned char *in_region; /* [start.n]; NULL: no region */
    int64_t particle;               /* id; -1: any */
    double place[3], radius;        /* particles within radius of place; radius 0: any */
    char attribute[FIRN_NAME];
    int component;
} firn_measure_target;

/* The target by the name of a body, material, collider, grip or probe, "": everything. A name that a
 * body and a material share means the body, where the measure has bodies. */
firn_measure_target firn_measure_target_of(const firn_scene_def *scene, const firn_measure *measure,
                                           const char *name, const char *attribute, int component);
/* Marks the particles that start inside the shapes: (*in_region)[start->n]. */
firn_status firn_measure_region_mark(int n_shapes, const firn_shape_def *shapes, double cell,
                                     const firn_measure_start *start, unsigned char **in_region,
                                     firn_messages *messages);

/* NULL: out of memory. */
firn_measure_view *firn_measure_view_create(firn_sim *sim, const firn_scene_def *scene,
                                            const firn_measure_start *start);
void firn_measure_view_destroy(firn_measure_view *view);
/* NAN: no particle in the target. */
firn_status firn_measure_take(firn_measure_view *view, const firn_measure *measure,
                              const firn_measure_target *target, int axis, double *value,
                              firn_messages *messages);

#endif
