/* SPDX-License-Identifier: MIT */
/* sim.h: the inside of a firn_sim, shared by all methods. Storage and step of particles belong to
 * the method (method.h).
 *
 *     firn_sim ---- method     const table: create, step, read, save ...
 *        |
 *        +--- materials        resolved parameters, ledger sums
 *        +--- colliders, grips, sinks, forces, emission          act on points
 *        +--- time, dt, rates, limit                             present state
 *        +--- mpm | meshless   state of the method
 *
 * Units are SI. `last` and `total` hold what boundaries received in the last step and since the
 * start (boundary.h). */
#ifndef FIRN_SOLVER_SIM_H
#define FIRN_SOLVER_SIM_H

#include "base/comm.h"
#include "base/messages.h"
#include "base/memory.h"
#include "laws/law.h"
#include "solver/force_peak.h"
#include "solver/body_source.h"
#include "solver/boundary.h"
#include "solver/collider.h"
#include "solver/force.h"
#include "solver/grip.h"
#include "solver/heat.h"
#include "solver/method.h"
#include "solver/rates.h"
#include "solver/sink.h"

#include <math.h>

/* A material of the simulation: its law with resolved parameters, and its ledger sums. */
typedef struct firn_sim_material {
    firn_material resolved;
    float *painted[FIRN_MAX_PARAMETERS]; /* per particle id, see law.h; [resolved.n_painted] */
    uint32_t painted_capacity;
    firn_transfer_def transfer; /* its own, or the scene's */
    double color[3];            /* linear light */
    firn_ledger_sums sums;
    firn_force_peak peak;
} firn_sim_material;

/* The body or emitter of a range of ids, which begins at first_id and ends at the next. */
typedef struct firn_source {
    uint32_t first_id;
    char name[FIRN_NAME];
} firn_source;

/* When steps are bounded by motion instead of waves and viscosity: never, always, or where that pays
 * (time_step.c). Without inertia nothing falls, and load steps are bounded by displacements alone. */
typedef enum firn_implicit_use {
    FIRN_IMPLICIT_NEVER,
    FIRN_IMPLICIT_ALWAYS,
    FIRN_IMPLICIT_STATIC,
    FIRN_IMPLICIT_WHERE_IT_PAYS
} firn_implicit_use;

struct firn_sim {
    firn_memory memory;
    firn_comm comm;
    const firn_method *method;
    struct firn_mpm *mpm;           /* state of the material point method */
    struct firn_meshless *meshless; /* state of a method without a grid */
    firn_variant variant;           /* instruction set and precision of laws and kernels */
    int n_threads;                  /* in use; chosen by the method unless requested */
    int max_threads;                /* upper limit of that choice; 0: n_threads was requested */

    /* definition */
    firn_scene_def scene; /* pointers inside are own copies where in use */
    firn_time_def time_def;
    double h; /* node spacing or smoothing length, m */
    int n_materials, n_colliders, n_grips, n_sinks, n_forces;
    firn_sim_material *materials;
    firn_collider *colliders;
    firn_grip *grips;
    firn_sink *sinks;
    firn_force *forces;
    int has_pull, has_follow, has_particle_pass; /* has_pull: modes traction and follow */
    firn_acceleration_fn acceleration;
    void *acceleration_user;
    firn_heat *heat;                /* NULL: no material has a heat capacity */
    struct firn_emission *emission; /* NULL: no emitters */
    struct firn_paint *paint;       /* what varies in space (paint.h); NULL: nothing */
    int has_group_forces;           /* some force acts on one body, emitter or material */
    unsigned records;               /* FIRN_RECORD_ bits: what particles carry for outputs alone */
    int n_sources, source_capacity;
    firn_source *sources;

    /* state */
    double time, dt;
    int64_t n_steps, n_retries, n_sorts;
    uint32_t next_id;
    double record_until; /* s: the time towards which the present interval goes (records.c) */
    int must_sort;       /* births, or particles beyond their reach: the next step sorts */
    int is_spoiled;      /* the last step left a state that is not finite */
    int is_empty;        /* a restore failed and left no particles */
    int is_unchecked;    /* for benchmarks: the step check is off */
    firn_implicit_use implicit_use; /* of the integrator */
    int is_implicit;                /* neither waves nor viscosity bound the present step */
    firn_rates rates;
    double dt_factor; /* factor on the stable dt, below 1 after a step rejected for its energy */
    firn_boundary_impulse *total; /* since the start, [n_boundaries] */
    firn_boundary_impulse *last;  /* of the last step */
    firn_force_peak peak;         /* of all materials together */
    firn_dt_limit limit;
    double stage_seconds[FIRN_N_STAGES];
};

/* Boundaries are numbered: colliders, grips, walls, force fields, emitters. What an emitter's hold
 * on nodes gives is entered with the grips. */
static inline int firn_sim_n_boundaries(const firn_sim *sim)
{
    return sim->n_colliders + sim->n_grips + 2 + sim->scene.n_emitters;
}
static inline int firn_sim_walls(const firn_sim *sim) { return sim->n_colliders + sim->n_grips; }
static inline int firn_sim_forces(const firn_sim *sim)
{
    return sim->n_colliders + sim->n_grips + 1;
}
static inline int firn_sim_emitters(const firn_sim *sim) { return firn_sim_forces(sim) + 1; }
static inline firn_boundary_kind firn_sim_boundary_kind(const firn_sim *sim, int boundary)
{
    if (boundary < sim->n_colliders) return FIRN_BOUNDARY_COLLIDERS;
    if (boundary < firn_sim_walls(sim)) return FIRN_BOUNDARY_GRIPS;
    if (boundary > firn_sim_forces(sim)) return FIRN_BOUNDARY_GRIPS;
    return boundary == firn_sim_walls(sim) ? FIRN_BOUNDARY_WALLS : FIRN_BOUNDARY_FORCES;
}

/* Whether every particle may be pulled, not those of grips alone: by the caller, or by forces of a
 * group. */
static inline int firn_sim_pulls_any(const firn_sim *sim)
{
    return sim->acceleration != NULL || sim->has_group_forces;
}

/* Whether the box of a grid is periodic along an axis; along any. */
static inline int firn_grid_def_repeats(const firn_grid_def *grid, int axis)
{
    return grid->has_box && grid->walls[2 * axis] == FIRN_WALL_PERIODIC;
}
static inline int firn_grid_def_is_periodic(const firn_grid_def *grid)
{
    return firn_grid_def_repeats(grid, 0) || firn_grid_def_repeats(grid, 1) ||
           firn_grid_def_repeats(grid, 2);
}

/* The volume of a particle of this spacing (m): a cube; in plane strain a square and a cell. */
static inline double firn_sim_particle_volume(const firn_sim *sim, double spacing)
{
    return spacing * spacing * (sim->scene.grid.geometry == FIRN_PLANE_STRAIN ? sim->h : spacing);
}

double firn_sim_clock(void);
/* Adds the seconds since `since` to a stage; returns the present time. */
double firn_sim_lap(firn_sim *sim, int stage, double since);

/* What has been made of a scene before its simulation. */
typedef struct firn_scene_parts {
    const firn_material *materials; /* [n_materials], resolved */
    firn_body_source *bodies;       /* [n_bodies], taken over; NULL: none is open yet */
} firn_scene_parts;
/* Creates the simulation of a checked scene (scene/create.c). */
firn_status firn_solver_create(const firn_scene_def *scene, const firn_scene_parts *parts,
                               const firn_run_options *options, const firn_method *method,
                               firn_sim **sim, firn_messages *messages);
/* Adds particles of a body or emitter to a material; sets born->first_id. */
firn_status firn_solver_add(firn_sim *sim, int material, firn_newborn *born, const char *source,
                            firn_messages *messages);
/* Index of a material by name; -1: none. */
int firn_solver_material(const firn_sim *sim, const char *name);
/* Index in sim->sources of a particle's source. */
int firn_solver_source(const firn_sim *sim, uint32_t id);
/* One component of a particle's field, position in metres. */
static inline double firn_solver_value(const firn_sim *sim, firn_place at, firn_field field,
                                       int component)
{
    double values[FIRN_FIELD_MOST];
    sim->method->read(sim, at, 1, field, values);
    return values[component];
}

/* How many explicit steps an implicit one would replace now, and from how many on `auto` takes it:
 * what an implicit step costs in explicit ones, as measured (mpm/README.md, section 14). */
enum { FIRN_BREAK_EVEN = 60 };
double firn_time_step_gain(const firn_sim *sim, double remaining);
/* time_step.c: sets sim->dt, the largest stable step that meets `until`, and sim->limit. */
firn_status firn_time_step_choose(firn_sim *sim, double until, firn_messages *messages);
/* populate.c: the bodies of the scene. */
firn_status firn_populate_bodies(firn_sim *sim, const firn_scene_def *scene,
                                 firn_body_source *sources, firn_messages *messages);
/* The center of a body's points, and, where wanted, the points moved by its F about it. */
void firn_populate_place(const firn_body_def *def, int64_t n, double *x, double center[3]);
/* save.c: the state of firn_sim_save piece by piece, without a second copy in memory. put NULL:
 * only measures. */
firn_status firn_save_stream(firn_sim *sim, firn_save_put *put, void *user, size_t *n_bytes,
                             firn_messages *messages);

#endif
