/* SPDX-License-Identifier: MIT */
/* force.h: force fields, as accelerations of points; force.c has the table of kinds and their
 * formulas. */
#ifndef FIRN_FORCE_H
#define FIRN_FORCE_H

#include "base/memory.h"
#include "firn/sim.h"
#include "geometry/motion.h"
#include "geometry/shape.h"
#include "geometry/volume.h"

typedef struct firn_force {
    firn_force_def def; /* its shapes: NULL */
    firn_force_key *keys;
    double factor; /* at the time of firn_force_prepare, as `pose` */
    const struct firn_force_kind *kind;
    firn_shape *shape; /* the region, or what is followed; NULL: everywhere */
    firn_motion motion;
    firn_pose pose;
    firn_volume *field; /* vectors from a file; NULL: none */
    int is_of_group;    /* acts on particles of one source or material */
    int material;       /* -1: def.of is a source */
} firn_force;

typedef struct firn_force_info {
    const char *name, *meaning;
    const char *keys; /* members of firn_force_def that it uses, in the notation of shape.h */
    const char *vector_unit, *strength_unit; /* "" where it has none */
    int needs_vector, needs_shape;
} firn_force_info;
const firn_force_info *firn_force_kind_at(int i); /* in order; NULL after the last */
const firn_force_info *firn_force_kind_find(const char *name);

firn_status firn_forces_create(firn_sim *sim, firn_messages *messages);
void firn_forces_destroy(firn_sim *sim);
firn_status firn_force_create(const firn_force_def *def, firn_memory *memory, firn_force *force,
                              firn_messages *messages);
void firn_force_destroy(firn_force *force, firn_memory *memory);
void firn_force_prepare(firn_force *force, double time);
/* Whether a force of a group acts on a particle of a material, by its id. */
int firn_force_is_of(const firn_sim *sim, const firn_force *force, int material, uint32_t id);
/* Adds the change of velocity in dt to v; forces act one after the other. */
void firn_force_push(const firn_force *force, const double x[3], double time, double dt,
                     double v[3]);

#endif
