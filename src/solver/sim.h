/* SPDX-License-Identifier: MIT */
/* sim.h: the inside of a firn_sim: what every method shares. How particles are stored and stepped
 * is the method's own (method.h).
 *
 *     firn_sim ---- method     const table: create, step, read, save ...
 *        |
 *        +--- materials        resolved parameters, ledger sums
 *        +--- colliders, grips, sinks, forces, emission          act on points
 *        +--- time, dt, rates, limit                             where it stands
 *        +--- mpm | ...        state of the method */
#ifndef FIRN_SOLVER_SIM_H
#define FIRN_SOLVER_SIM_H

#include "base/comm.h"
#include "base/messages.h"
#include "base/memory.h"
#include "laws/law.h"
#include "solver/body_source.h"
#include "solver/boundary.h"
#include "solver/collider.h"
#include "solver/force.h"
#include "solver/grip.h"
#include "solver/method.h"
#include "solver/sink.h"

#include <math.h>

/* A material of the simulation: its law with numbers, and what has happened to it. */
typedef struct firn_sim_material {
    firn_material resolved;
    float *painted[FIRN_MAX_PARAMETERS]; /* see law.h; [resolved.n_painted] */
    firn_transfer_def transfer;          /* its own, or the scene's */
    double color[3];                     /* linear light */
    firn_ledger_sums sums;
} firn_sim_material;

/* Emission: where each range of ids came from. */
typedef struct firn_source {
    uint32_t first_id;
    char name[FIRN_NAME];
} firn_source;

/* What limits the step, over all particles after the last step: 1/s, m/s. */
typedef struct firn_rates {
    double max_rate, max_speed;
    int is_viscous, material;
    int64_t particle;
} firn_rates;

struct firn_sim {
    firn_memory memory;
    firn_comm comm;
    const firn_method *method;
    struct firn_mpm *mpm; /* state of the material point method */
    firn_variant variant; /* of laws and kernels */
    int n_threads;        /* now; chosen by the method where the caller gave no number */
    int max_threads;      /* the most that may be used then; 0: n_threads was asked for */

    /* what was asked for */
    firn_scene_def scene; /* pointers inside are own copies where they are used */
    firn_time_def time_def;
    double h; /* node spacing or smoothing length, m */
    int n_materials, n_colliders, n_grips, n_sinks, n_forces;
    firn_sim_material *materials;
    firn_collider *colliders;
    firn_grip *grips;
    firn_sink *sinks;
    firn_force *forces;
    int has_pull, has_follow, has_particle_pass; /* has_pull: some grip pulls or leads */
    firn_acceleration_fn acceleration;
    void *acceleration_user;
    struct firn_emission *emission; /* NULL: no emitters */
    int n_sources, source_capacity;
    firn_source *sources;

    /* where it stands */
    double time, dt;
    int64_t n_steps, n_retries, n_sorts;
    uint32_t next_id;
    int must_sort;    /* particles came or left their blocks: neighbourhoods are rebuilt first */
    int is_spoiled;   /* the last step left something that is not a number */
    int is_empty;     /* a restore failed half way and left no particles */
    int is_unchecked; /* for benchmarks of the step check: no step is checked */
    firn_rates rates;
    double dt_factor;             /* share of the stable dt, < 1 after a step that made energy */
    firn_boundary_impulse *total; /* since the start, [n_boundaries] */
    firn_boundary_impulse *last;  /* of the last step */
    firn_dt_limit limit;
    double stage_seconds[FIRN_N_STAGES];
};

/* Boundaries are counted: colliders, grips, walls, force fields. */
static inline int firn_sim_n_boundaries(const firn_sim *sim)
{
    return sim->n_colliders + sim->n_grips + 2;
}
static inline int firn_sim_walls(const firn_sim *sim) { return sim->n_colliders + sim->n_grips; }
static inline int firn_sim_forces(const firn_sim *sim)
{
    return sim->n_colliders + sim->n_grips + 1;
}
static inline firn_boundary_kind firn_sim_boundary_kind(const firn_sim *sim, int boundary)
{
    if (boundary < sim->n_colliders) return FIRN_BOUNDARY_COLLIDERS;
    if (boundary < firn_sim_walls(sim)) return FIRN_BOUNDARY_GRIPS;
    return boundary == firn_sim_walls(sim) ? FIRN_BOUNDARY_WALLS : FIRN_BOUNDARY_FORCES;
}

double firn_sim_clock(void);
/* Adds the time since `since` to a stage; returns the time now. */
double firn_sim_lap(firn_sim *sim, int stage, double since);

/* What has been made of a scene before its simulation. */
typedef struct firn_scene_parts {
    const firn_material *materials; /* [n_materials], resolved */
    firn_body_source *bodies;       /* [n_bodies], taken over; NULL: none is open yet */
} firn_scene_parts;
/* The simulation of a scene that has been checked (scene/create.c). */
firn_status firn_solver_create(const firn_scene_def *scene, const firn_scene_parts *parts,
                               const firn_run_options *options, const firn_method *method,
                               firn_sim **sim, firn_messages *messages);
/* Adds particles of a body or emitter to a material; sets born->first_id. */
firn_status firn_solver_add(firn_sim *sim, int material, firn_newborn *born, const char *source,
                            firn_messages *messages);
/* The number of a material by name; -1: none. */
int firn_solver_material(const firn_sim *sim, const char *name);
/* Which entry of sim->sources a particle came from. */
int firn_solver_source(const firn_sim *sim, uint32_t id);
/* One number of a particle, position in metres. */
static inline double firn_solver_value(const firn_sim *sim, firn_place at, firn_field field,
                                       int component)
{
    double values[FIRN_FIELD_MOST];
    sim->method->read(sim, at, 1, field, values);
    return values[component];
}

/* time_step.c: the largest stable dt that lands on `until`; remembers what limited it. */
firn_status firn_time_step_choose(firn_sim *sim, double until, firn_messages *messages);
/* populate.c: the bodies of the scene; populate_points.c: one from a file of points. */
firn_status firn_populate_bodies(firn_sim *sim, const firn_scene_def *scene,
                                 firn_body_source *sources, firn_messages *messages);
firn_status firn_populate_points(firn_sim *sim, const firn_body_def *def, const firn_points *points,
                                 firn_messages *messages);
/* The center of a body's points, and, where wanted, the points moved by its F about it. */
void firn_populate_place(const firn_body_def *def, int64_t n, double *x, double center[3]);
/* save.c: the state of firn_sim_save piece by piece, so that it need not stand in memory twice.
 * NULL put: only counts. */
firn_status firn_save_stream(firn_sim *sim, firn_save_put *put, void *user, size_t *n_bytes,
                             firn_messages *messages);

#endif
