/* solver.h: the inside of a firn_sim, shared by the stages of a step. Each stage is a function in a file of its own
 * name; step.c calls them in order. */
#ifndef FIRN_SOLVER_H
#define FIRN_SOLVER_H

#include "firn/sim.h"
#include "grid.h"
#include "particles.h"
#include "shape.h"

enum { FIRN_CHUNKS = 64 }; /* fixed partition for sums, so that their order never depends on threads */

/* ---------------------------------------------------------------- things that act on nodes */

typedef struct firn_motion {
    firn_motion_def def;
    firn_key *keys; /* own copy */
} firn_motion;

/* Place and velocity of a rigid motion at a time: x_world = position + R (x_shape - pivot). */
typedef struct firn_pose {
    double position[3], R[9], velocity[3], spin[3], pivot[3];
} firn_pose;

typedef struct firn_collider {
    firn_collider_def def; /* its pointers are not used after creation */
    firn_shape *shape;
    firn_motion motion;
    firn_pose pose; /* at the time of the step being made */
    int is_active;
} firn_collider;

typedef struct firn_grip {
    firn_grip_def def;
    firn_shape *region;
    firn_motion motion;
    firn_pose pose;
    int is_active;
    int64_t n_particles; /* traction and follow: in the region at the start */
    double mass;         /* of these, kg */
} firn_grip;

typedef struct firn_sink {
    firn_sink_def def;
    firn_shape *shape;
    firn_motion motion;
    firn_pose pose;
    int is_active;
} firn_sink;

typedef struct firn_force {
    firn_force_def def;
    firn_force_key *keys;
    double factor; /* now */
    const struct firn_force_kind *kind;
} firn_force;

/* What colliders, grips and walls took from the nodes: index c for colliders, n_colliders + g for grips, then walls. */
typedef struct firn_exchange {
    double impulse[3], torque[3]; /* N s, N m s about the pivot: what the material gave */
    double work;                  /* J done on the material */
} firn_exchange;

/* Emission: where each range of ids came from. */
typedef struct firn_source {
    uint32_t first_id;
    char name[FIRN_NAME];
} firn_source;

/* ---------------------------------------------------------------- the simulation */

struct firn_sim {
    firn_memory memory;
    const firn_kernels *kernels;
    firn_variant variant;
    int n_threads;

    /* what was asked for */
    firn_scene_def scene; /* pointers inside are own copies where they are used */
    firn_time_def time_def;
    double h;
    int n_pools;
    firn_pool *pools;
    int n_colliders, n_grips, n_sinks, n_forces;
    firn_collider *colliders;
    firn_grip *grips;
    firn_sink *sinks;
    firn_force *forces;
    int has_pull, has_follow, has_particle_pass, keeps_old; /* has_pull: some grip is in mode traction or follow */
    firn_acceleration_fn acceleration;
    void *acceleration_user;
    struct firn_emission *emission; /* NULL: no emitters */
    int n_sources, source_capacity;
    firn_source *sources;

    /* where it stands */
    double time, dt;
    int64_t n_steps, n_retries, n_sorts;
    uint32_t next_id;
    int must_sort;
    int is_unchecked;           /* of benchmarks that ask what judging costs: no step is judged */
    double max_rate, max_speed; /* of all particles after the last step */
    int rate_is_viscous, rate_pool;
    int64_t rate_particle;
    firn_exchange *total; /* since the start, [n_exchanges] */
    firn_exchange *last;  /* of the last step */
    double external_work;

    /* scratch, made at a sort */
    firn_grid grid;
    void *spare; /* one field, for the permutation */
    size_t spare_bytes;
    uint32_t *order; /* permutation */
    int64_t order_capacity;
    char *thread_scratch; /* patches, grad v and the law's outputs of one block, a thread */
    size_t scratch_bytes; /* of one thread */
    int32_t max_block_bundles;
    firn_exchange *chunks;      /* [FIRN_CHUNKS][n_exchanges] */
    firn_block_report *reports; /* [pool][home] */
    int64_t report_capacity;

    firn_dt_limit limit;
    char limit_material[FIRN_NAME];
    double stage_seconds[FIRN_N_STAGES];
};

/* One thread's workspace, laid out in thread_scratch. */
typedef struct firn_workspace {
    void *patch, *forces, *grad_v, *wave, *viscosity, *plastic, *viscous, *flags, *pull, *energy;
} firn_workspace;
firn_workspace firn_solver_workspace(const firn_sim *sim, int thread);

double firn_solver_clock(void);
static inline int firn_solver_n_exchanges(const firn_sim *sim) { return sim->n_colliders + sim->n_grips + 1; }

/* ---------------------------------------------------------------- stages */

/* timestep.c: the largest stable dt that lands on `until`; remembers what limited it. */
firn_status firn_timestep_choose(firn_sim *sim, double until, firn_report *report);
/* sort.c: particles to their home blocks and cells, the grid around them. */
firn_status firn_sort_particles(firn_sim *sim, firn_report *report);
/* The grid and workspaces around particles that stand as a sort left them. */
firn_status firn_sort_rebuild(firn_sim *sim, firn_report *report);
/* stage.c: the loops over blocks. */
void firn_stage_p2g(firn_sim *sim);
void firn_stage_grid(firn_sim *sim);
int firn_stage_judge(firn_sim *sim, char *why, size_t n_why);
firn_status firn_stage_g2p(firn_sim *sim, firn_report *report);
void firn_stage_measure(firn_sim *sim); /* stress and limits of the state as it is */
/* The grid's mass density at the particles, for bodies whose volume is measured: m / rho becomes V0. */
void firn_stage_weigh(firn_sim *sim, const uint32_t *first_id, const uint32_t *end_id, int n_ranges);
/* conditions.c: forces, colliders, grips and walls on the nodes of a block; true when velocities were changed. */
void firn_conditions_prepare(firn_sim *sim);
int firn_conditions_apply(const firn_sim *sim, int32_t block, firn_exchange *exchange);
void firn_conditions_pull(const firn_sim *sim, const firn_pool *pool, const firn_pool_block *block, void *pull);
/* Why a particle at x is deleted, a firn_loss; -1: it stays. */
int firn_conditions_deletes(const firn_sim *sim, const double x[3]);
/* Is one of the block's particles in a sink? */
int firn_conditions_drains(const firn_sim *sim, const firn_pool *pool, const firn_pool_block *block);
/* A rate (1/s) of which cfl / rate is a stable step for grips that are followed; 0: there are none. */
double firn_conditions_rate(const firn_sim *sim);
/* The same for colliders that move. */
double firn_conditions_collider_rate(const firn_sim *sim);
/* The second pass for thin colliders: particles that went into or through one are put back on its surface. `before`:
 * the block's field x as it was before the step. */
void firn_conditions_particles(const firn_sim *sim, firn_pool *pool, const firn_pool_block *block, const void *before);
/* mirror.c: momentum beyond a mirror wall is folded back before, velocities are unfolded after the grid update. */
void firn_mirror_fold(firn_sim *sim);
void firn_mirror_unfold(firn_sim *sim);
/* motion.c */
firn_status firn_motion_create(const firn_motion_def *def, firn_memory *memory, firn_motion *motion);
void firn_motion_destroy(firn_motion *motion, firn_memory *memory);
void firn_motion_at(const firn_motion *motion, double time, double since, firn_pose *pose);
void firn_pose_to_world(const firn_pose *pose, const double shape[3], double world[3]);
void firn_pose_to_shape(const firn_pose *pose, const double world[3], double shape[3]);
void firn_pose_velocity(const firn_pose *pose, const double world[3], double velocity[3]);
void firn_pose_direction(const firn_pose *pose, const double shape[3], double world[3]);
/* force.c */
const char *firn_force_kind(int i); /* names of the kinds, in order; NULL after the last */
firn_status firn_force_create(const firn_force_def *def, firn_memory *memory, firn_force *force, firn_report *report);
void firn_force_destroy(firn_force *force, firn_memory *memory);
void firn_force_prepare(firn_force *force, double time);
void firn_force_add(const firn_force *force, const double x[3], const double v[3], double time, double a[3]);
/* populate.c: bodies and emitters into pools. */
typedef struct firn_newborn { /* particles to be added to one pool */
    int64_t n;
    const double *x;             /* [n][3] m */
    const double *v, *C, *F, *T; /* [n][3] [n][9] [n][9] [n]; NULL: those of `body`, else zero, zero, identity */
    const firn_body_def *body;   /* its velocity, spin about `center`, F; NULL: none */
    double center[3];
    double temperature, mass, volume;
    const double *masses, *volumes, *history; /* [n] [n] [n][n_history]; NULL: mass, volume, as declared */
} firn_newborn;
firn_status firn_populate_add(firn_sim *sim, firn_pool *pool, const firn_newborn *born, const char *source,
                              firn_report *report);
firn_status firn_populate_bodies(firn_sim *sim, firn_report *report);
/* The pool of a material by name; NULL: none. */
firn_pool *firn_populate_pool(firn_sim *sim, const char *name);
/* The center of a body's points, and, where wanted, the points moved by its F about it. */
void firn_populate_place(const firn_body_def *def, int64_t n, double *x, double center[3]);
/* populate_points.c: a body from a file of points. */
firn_status firn_populate_points(firn_sim *sim, const firn_body_def *def, firn_report *report);
#endif
