/* SPDX-License-Identifier: MIT */
/* emitter.h: one emitter and its shape: which points were inside, the patches of its surface, its
 * volume and flow (emitter.c); its keys, its pose and the nodes that it holds (emitter_time.c).
 * Places and velocities are in the frame of the shape, which `motion` moves. emission.c has the
 * births. */
#ifndef FIRN_EMITTER_H
#define FIRN_EMITTER_H

#include "firn/defs.h"
#include "base/memory.h"
#include "geometry/motion.h"
#include "geometry/shape.h"

/* The height above a moving or resting surface, in spacings, up to which distances are needed for
 * patches and flows (layer_above, flow_of_cell). */
#define FIRN_EMITTER_LOOKS_MOVING 1.5
#define FIRN_EMITTER_LOOKS 0.5
/* The deviation of an emitter's fill from 1 that is reported: of a mean over frames, as a small shape
 * holds some per cent more or fewer points of a lattice at a time. */
#define FIRN_EMITTER_SPACING_OFF 0.1

typedef struct firn_patch {
    double x[3];     /* m, close to the surface */
    uint64_t number; /* from its lattice indices, constant */
} firn_patch;

typedef struct firn_emitter {
    firn_emitter_def def; /* its pointers are not used after creation */
    firn_shape *shape;
    firn_emitter_key *keys; /* own copy, [def.n_keys] */
    firn_motion motion;
    int moves; /* by its motion */
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
    /* in the coming step: whether it holds nodes, the velocity that they have in the frame of the
     * shape (m/s), pose and time (s) of that */
    int is_holding;
    double hold[3], held_at;
    firn_pose pose;
    /* volume of the shape, m^3, 0: not asked yet; frames in which its fill was measured, sum of that
     * fill, and whether it has been reported; not part of a saved state */
    double volume, fill;
    int n_fills, is_told, is_overlap_told;
} firn_emitter;

typedef enum firn_emitter_factor { FIRN_EMITTER_RATE, FIRN_EMITTER_VELOCITY } firn_emitter_factor;

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

/* ---------------------------------------------------------------- see emitter_time.c */

firn_status firn_emitter_copy_keys(firn_emitter *e, firn_memory *memory);
void firn_emitter_release_keys(firn_emitter *e, firn_memory *memory);
/* A factor of the keys at a time; its largest value. */
double firn_emitter_factor_at(const firn_emitter *e, double time, firn_emitter_factor which);
double firn_emitter_largest_factor(const firn_emitter *e, firn_emitter_factor which);
/* Its integral, s; and the time at which the integral from `from` on reaches an amount, infinite
 * where it never does. */
double firn_emitter_flowed(const firn_emitter *e, double from, double until,
                           firn_emitter_factor which);
double firn_emitter_when(const firn_emitter *e, double from, double amount,
                         firn_emitter_factor which);

void firn_emitter_pose_at(const firn_emitter *e, double time, firn_pose *pose);
/* A place and a velocity of the shape's frame in the world, in the pose of a time. */
void firn_emitter_to_world(const firn_emitter *e, double time, double x[3], double v[3]);
/* The largest speed of a point of the shape by the motion at a time, m/s. */
double firn_emitter_speed_of_motion(const firn_emitter *e, double time);

int firn_emitter_can_hold(const firn_emitter_def *def);
/* Finds whether it holds nodes in the step from time to time + dt; has_room: max_particles has not
 * been reached. */
void firn_emitter_prepare_hold(firn_emitter *e, double time, double dt, int has_room);
/* Whether nodes within `radius` of x may be held; `reach`: of the shape function, m. */
int firn_emitter_holds_near(const firn_emitter *e, const double x[3], double radius, double reach);
/* Whether a node is held, and its velocity. */
int firn_emitter_holds(const firn_emitter *e, const double x[3], double reach, double v[3]);

#endif
