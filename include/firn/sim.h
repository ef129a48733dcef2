/* SPDX-License-Identifier: MIT */
/* firn/sim.h: a simulation: create, advance, query, save, restore, destroy.
 *
 *     firn_sim *sim = NULL;
 *     if (firn_sim_create(&scene, NULL, &sim, messages) != FIRN_OK) ...
 *     while (firn_sim_time(sim) < 1.0)
 *         if (firn_sim_step(sim, 1.0, messages) != FIRN_OK) break;
 *     firn_sim_destroy(sim);
 *
 * Several simulations may exist in one process; each is used from one thread at a time and is
 * parallel inside. The same scene gives the same bits for any number of threads, and after save and
 * restore. */
#ifndef FIRN_SIM_H
#define FIRN_SIM_H

#include "firn/defs.h"
#include "firn/laws.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct firn_sim firn_sim;

/* Options of execution, which do not change results. */
typedef struct firn_run_options {
    uint32_t marker;
    /* 0: FIRN_THREADS, or as many as the particles are worth, up to OMP_NUM_THREADS or all cores */
    int n_threads;
    char isa[16];      /* "" : the best this processor has, or FIRN_ISA; scalar sse2 avx2 avx512 */
    size_t max_memory; /* bytes; 0: no limit but the machine's */
    firn_hooks hooks;
    const struct firn_comm
        *comm; /* of the program's own processes (base/comm.h); NULL: this one alone */
} firn_run_options;

FIRN_API firn_run_options firn_run_options_default(void);

FIRN_API firn_status firn_sim_create(const firn_scene_def *scene, const firn_run_options *options,
                                     firn_sim **sim, firn_messages *messages);
FIRN_API void firn_sim_destroy(firn_sim *sim);

/* One step, at most to `until`, which is met exactly. A step that fails the check is repeated with
 * half the dt. */
FIRN_API firn_status firn_sim_step(firn_sim *sim, double until, firn_messages *messages);
/* Steps until the time is reached. */
FIRN_API firn_status firn_sim_advance_to(firn_sim *sim, double until, firn_messages *messages);

/* The complete state, independent of threads, to and from memory. A restored simulation continues
 * bit for bit; after a failed restore it is empty and may only be restored again or destroyed. */
FIRN_API firn_status firn_sim_save(firn_sim *sim, void **state, size_t *n_bytes,
                                   firn_messages *messages);
FIRN_API firn_status firn_sim_restore(firn_sim *sim, const void *state, size_t n_bytes,
                                      firn_messages *messages);
FIRN_API void firn_sim_release_state(firn_sim *sim, void *state, size_t n_bytes);

FIRN_API double firn_sim_time(const firn_sim *sim);
FIRN_API int64_t firn_sim_step_count(const firn_sim *sim);
FIRN_API int64_t firn_sim_n_particles(const firn_sim *sim);
FIRN_API uint64_t firn_sim_hash(firn_sim *sim); /* of particles and time */
/* Threads in use (unless requested, the number follows that of particles), and the variant of
 * kernels and laws, e.g. "f32_avx512" (precision and instruction set). */
FIRN_API int firn_sim_n_threads(const firn_sim *sim);
FIRN_API const char *firn_sim_variant(const firn_sim *sim);

/* ---------------------------------------------------------------- what happened */

/* The criterion that set dt (s) of the last step. */
typedef struct firn_dt_limit {
    double dt;
    const char
        *criterion; /* speed wave stability viscosity heat emission goal energy user frame retry */
    const char *material; /* "" where no particle is meant */
    int64_t particle;     /* id; -1 where no particle is meant */
} firn_dt_limit;

/* Stages of a step, in the order in which they run. */
enum {
    FIRN_STAGE_TIME_STEP, /* the choice of dt */
    FIRN_STAGE_SORT,      /* births, grips that take hold, sorting, the grid around particles */
    FIRN_STAGE_P2G,       /* particles to grid */
    FIRN_STAGE_GRID,      /* forces and boundaries on nodes */
    FIRN_STAGE_CHECK,     /* the step check */
    FIRN_STAGE_G2P,       /* grid to particles */
    FIRN_STAGE_LAW,       /* return map, stress */
    FIRN_STAGE_DIAGNOSE,  /* limits and reports */
    FIRN_STAGE_HEAT,      /* conduction, exchange and melting */
    FIRN_N_STAGES
};

typedef struct firn_stats {
    firn_dt_limit limit;
    int64_t n_steps, n_retries, n_sorts, n_particles, n_blocks, n_lost,
        n_inverted;                   /* the last two as in the ledger */
    int64_t n_bounded[FIRN_N_BOUNDS]; /* as n_bounded_by of all ledgers */
    size_t memory_now, memory_peak;
    /* What transfers between particles and grid did in the last step, as a kinematic viscosity
     * (m^2/s) in a layer of 8 cells, for the material to which it means most; that material's own
     * viscosity (an upper bound; 0: inviscid). */
    double transfer_viscosity, own_viscosity;
    double stage_seconds[FIRN_N_STAGES];
} firn_stats;

FIRN_API firn_stats firn_sim_stats(const firn_sim *sim);
FIRN_API const char *firn_stage_name(int stage);

/* The reason to delete a particle: beyond the reach of the grid, through a wall of type delete,
 * into a sink. */
typedef enum firn_loss { FIRN_LOST_FAR, FIRN_LOST_WALL, FIRN_LOST_SINK, FIRN_N_LOSSES } firn_loss;

/* The ledger of one material, or of all (material -1), in SI units. Impulses and works are sums
 * since the start, impulses as they acted on the material; where materials share a node each gets
 * its part by mass.
 *
 * Momentum changes by gravity and the four impulses, by births and losses (and, for one material of
 * several, by what the others gave it). A body does the work J . v with the velocity v of its
 * surface, none at rest, and friction takes -J . (slip); a pull does J . v with the mean of the
 * velocities before and after. Energy that an impact dissipates on the grid is in none of them. */
typedef struct firn_ledger {
    char material[FIRN_NAME];
    int64_t n_particles, n_lost, n_lost_by[FIRN_N_LOSSES];
    /* States that the law held at a bound, one per particle, step and kind: all, and by kind
     * (firn_bound); n_inverted is the first kind again */
    int64_t n_bounded, n_bounded_by[FIRN_N_BOUNDS], n_inverted;
    double mass, lost_mass, center[3], momentum[3],
        angular_momentum[3]; /* about the origin, affine part included */
    double kinetic, elastic, potential, plastic_work, viscous_work;
    double external_work,
        friction_work; /* of colliders, grips and force fields; lost to colliders and walls */
    double wall_impulse[3], collider_impulse[3], grip_impulse[3], force_impulse[3];
    /* The largest force (N) of all walls together and of all colliders since the start, as mean
     * over a twentieth of a frame, at least one step. */
    double peak_wall_force, peak_collider_force;
    /* present particles: V0 at rest, V0 J now, with J elastic and plastic */
    double initial_volume, volume;
    double min_J, max_J, max_speed; /* J as above */
    double min[3], max[3];          /* bounding box */
    /* along each axis half a per cent of the mass lies below, and half above: without crumbs */
    double bulk_min[3], bulk_max[3];
    /* The largest distance of neighbouring particles, in cells: the largest stretch in F times the
     * particle's edge before deformation. Beyond about 0.9 the grid separates them whatever the law
     * (numerical fracture). F is the whole deformation for elastic laws; for laws that flow it is
     * the elastic part, and this a lower bound. */
    double max_gap, gap_stretch, gap_place[3]; /* its stretch and place (m) */
    int64_t gap_particle;                      /* its id; -1: none */
    /* Heat, J: thermal_energy = heat_born + heat_conducted + heat_colliders + heat_surroundings +
     * heat_sources + heat_work - heat_lost, with h = 0 at 273.15 K. heat_conducted is what came
     * over the nodes, from walls of fixed temperature and other materials, heat_surroundings
     * through free surfaces and from walls with a flux or a film coefficient; latent_energy a
     * part of thermal_energy. */
    double thermal_energy, latent_energy, melted_mass;
    double heat_born, heat_conducted, heat_colliders, heat_surroundings, heat_sources, heat_work,
        heat_lost;
    int64_t n_heat_limited; /* temperatures held in the range of their causes */
} firn_ledger;

FIRN_API int firn_sim_n_materials(const firn_sim *sim);
FIRN_API firn_status firn_sim_ledger(firn_sim *sim, int material, firn_ledger *ledger,
                                     firn_messages *messages);

/* Force (N) and torque (N m, about its pivot) that a collider or grip exerted on the material in
 * the last step, and the impulse since the start; colliders and grips are counted in the order
 * of the scene. */
typedef struct firn_reaction {
    double force[3], torque[3], impulse[3];
} firn_reaction;
FIRN_API firn_status firn_sim_collider_reaction(const firn_sim *sim, int collider,
                                                firn_reaction *reaction);
FIRN_API firn_status firn_sim_grip_reaction(const firn_sim *sim, int grip, firn_reaction *reaction);

/* ---------------------------------------------------------------- particles */

/* A read-only strided view of one field of one material: component c of particle lane l of bundle b
 * is base[(b * n_components + c) * 16 + l], as float or double. Padding lanes have mass 0. Valid
 * until the next step. Positions are in cells relative to the corner of the bundle's block:
 * firn_sim_copy gives metres. */
typedef struct firn_view {
    const void *base;
    int is_double, n_components;
    int64_t n_bundles;
} firn_view;
FIRN_API firn_status firn_sim_view(const firn_sim *sim, int material, const char *field,
                                   firn_view *view, firn_messages *messages);

/* Copies a field ("P" in metres, "v", "F", "id", "J", "stress", ... the names of `firn help
 * attributes`) of all particles, ordered by id, as doubles: n_particles * n_components numbers. */
FIRN_API int firn_attribute_components(const char *name); /* 0: no such attribute */
FIRN_API firn_status firn_sim_copy(firn_sim *sim, const char *attribute, double *out, size_t n_out,
                                   firn_messages *messages);

/* Sets a field ("v" "C" "F" "T", or a history field) of all particles, in the order of
 * firn_sim_copy; stresses and rates are recomputed. For initial states that a scene file cannot
 * express. */
FIRN_API firn_status firn_sim_assign(firn_sim *sim, const char *attribute, const double *values,
                                     size_t n_values, firn_messages *messages);

/* An acceleration (m/s^2) per particle, added to gravity in every step: manufactured solutions,
 * couplings. Called from several threads; x in metres. NULL removes it. Not part of a saved
 * state. */
typedef void (*firn_acceleration_fn)(void *user, int64_t particle, const double x[3], double time,
                                     double acceleration[3]);
FIRN_API void firn_sim_set_acceleration(firn_sim *sim, firn_acceleration_fn acceleration,
                                        void *user);

#ifdef __cplusplus
}
#endif
#endif
