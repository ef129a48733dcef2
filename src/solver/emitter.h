/* SPDX-License-Identifier: MIT */
/* emitter.h: one emitter and its shape - what was inside, where patches of its surface are, how
 * much it holds and sends out. When particles are born is emission.c's. */
#ifndef FIRN_EMITTER_H
#define FIRN_EMITTER_H

#include "firn/defs.h"
#include "base/memory.h"
#include "geometry/shape.h"

/* Patches and flows are looked for that far above a surface that moves or stands, in spacings;
 * see layer_above and flow_of_cell. */
#define FIRN_EMITTER_LOOKS_MOVING 1.5
#define FIRN_EMITTER_LOOKS 0.5

typedef struct firn_patch {
    double x[3];     /* next to the surface, m */
    uint64_t number; /* its own, always the same */
} firn_patch;

typedef struct firn_emitter {
    firn_emitter_def def;
    firn_shape *shape;
    int material;
    double noise; /* m/s, of each component of the velocity */
    double speed; /* m/s, the fastest of what is born, against the shape */
    double spacing, low[3], high[3],
        rest_rate; /* rest_rate: (wave speed at rest + speed) / dx, 1/s */
    double share;  /* true flow from the surface over that of its patches */
    /* how far below the surface patches may lie, in spacings: half a one; 0 in thin walls */
    double below;
    firn_patch *patches; /* in the order of their lattice, [n_patches] of n_room */
    int64_t n_patches, n_room;
    double queried_at; /* when they were found, if has_queried */
    int has_queried;
} firn_emitter;

/* In [0, 1), of three numbers alone. */
double firn_emitter_chance(uint64_t seed, uint64_t a, uint64_t b);
uint64_t firn_emitter_number(const int64_t at[3]); /* of a point of a lattice */

/* Was what drifts along and is at x at `time` inside then, or ever since another time? */
int firn_emitter_was_inside(const firn_emitter *e, const double x[3], double time, double since);
/* Moves x, which is near the surface, onto it; v becomes the velocity there, and the result is
 * v's part along the normal. */
double firn_emitter_onto_surface(const firn_emitter *e, double time, double x[3], double v[3]);

/* Which side of walls patches are looked for on; comes before all that follows. */
void firn_emitter_choose_sides(firn_emitter *e);
/* Finds the patches of a time, and where the shape moves those of a while about it. */
firn_status firn_emitter_query(firn_emitter *e, double time, firn_memory *memory);
/* Is what was found a patch at the very time? */
int firn_emitter_is_patch(const firn_emitter *e, const firn_patch *patch, double time);
/* Flow through the true surface, m^3/s */
firn_status firn_emitter_flow(const firn_emitter *e, double time, firn_memory *memory,
                              double *flow);
/* What the shape holds, m^3: right where it is thicker than an eighth of a spacing. */
firn_status firn_emitter_volume(const firn_emitter *e, double time, firn_memory *memory,
                                double *volume);
/* Finds e->share, and warns where nothing will be sent out. */
firn_status firn_emitter_share(firn_emitter *e, firn_memory *memory, firn_messages *messages);

#endif
