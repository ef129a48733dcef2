/* SPDX-License-Identifier: MIT */
/* emitter.h: one emitter and its shape: which points were inside, the patches of its surface, its
 * volume and flow. emission.c has the times of births. */
#ifndef FIRN_EMITTER_H
#define FIRN_EMITTER_H

#include "firn/defs.h"
#include "base/memory.h"
#include "geometry/shape.h"

/* The height above a moving or resting surface, in spacings, up to which distances are needed for
 * patches and flows (layer_above, flow_of_cell). */
#define FIRN_EMITTER_LOOKS_MOVING 1.5
#define FIRN_EMITTER_LOOKS 0.5

typedef struct firn_patch {
    double x[3];     /* m, close to the surface */
    uint64_t number; /* from its lattice indices, constant */
} firn_patch;

typedef struct firn_emitter {
    firn_emitter_def def;
    firn_shape *shape;
    int material;
    double noise; /* m/s, of each component of the velocity */
    double speed; /* m/s, upper bound of births relative to the shape */
    double spacing, low[3], high[3],
        rest_rate; /* rest_rate: (wave speed at rest + speed) / dx, 1/s */
    double share;  /* flow of the true surface / of its patches */
    /* depth of the layer of patches below the surface, in spacings: 0.5; 0 in thin walls */
    double below;
    firn_patch *patches; /* [n_patches] of n_room, in lattice order */
    int64_t n_patches, n_room;
    double queried_at; /* s, time of the patches, if has_queried */
    int has_queried;
} firn_emitter;

/* Uniform in [0, 1), a hash of three numbers. */
double firn_emitter_chance(uint64_t seed, uint64_t a, uint64_t b);
uint64_t firn_emitter_number(const int64_t at[3]); /* of a lattice point */

/* Whether the lattice point at x at `time` is inside then, or has been since `since`. */
int firn_emitter_was_inside(const firn_emitter *e, const double x[3], double time, double since);
/* Moves x, which is close to the surface, onto it; v becomes the velocity of emission there.
 * Returns its normal component, m/s. */
double firn_emitter_onto_surface(const firn_emitter *e, double time, double x[3], double v[3]);

/* Chooses the sides of walls that have patches; before all that follows. */
void firn_emitter_choose_sides(firn_emitter *e);
/* Finds the patches at a time and, of a moving shape, those within a margin, so that they serve
 * some steps. */
firn_status firn_emitter_query(firn_emitter *e, double time, firn_memory *memory);
/* Whether a candidate is a patch at exactly this time. */
int firn_emitter_is_patch(const firn_emitter *e, const firn_patch *patch, double time);
/* Flow through the true surface, m^3/s. */
firn_status firn_emitter_flow(const firn_emitter *e, double time, firn_memory *memory,
                              double *flow);
/* Volume of the shape, m^3; exact where it is thicker than an eighth of a spacing. */
firn_status firn_emitter_volume(const firn_emitter *e, double time, firn_memory *memory,
                                double *volume);
/* Sets e->share; warns of an emitter that emits nothing. */
firn_status firn_emitter_share(firn_emitter *e, firn_memory *memory, firn_messages *messages);

#endif
