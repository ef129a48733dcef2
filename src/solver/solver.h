/* SPDX-License-Identifier: MIT */
/* solver.h: the inside of a firn_sim, shared by the stages of a step. Each stage is a function
 * in a file of its own name; step.c calls them in order. */
#ifndef FIRN_SOLVER_H
#define FIRN_SOLVER_H

#include "firn/sim.h"
#include "mpm/grid.h"
#include "mpm/particles.h"
#include "geometry/shape.h"
#include "geometry/motion.h"
#include "mpm/work_ranges.h"

#include <math.h>

enum {
    FIRN_CHUNKS = 64
}; /* fixed partition for sums, so that their order never depends on threads */

/* ---------------------------------------------------------------- things that act on nodes */

typedef struct firn_collider {
    firn_collider_def def; /* its pointers are not used after creation */
    firn_shape *shape;
    firn_motion motion;
    firn_pose pose;        /* at the end of the step being made */
    firn_pose pose_before; /* and at its beginning */
    double dt;             /* of that step */
    int is_active,
        is_at_rest; /* at rest: its pose and surface are what they were the time before */
    int is_rigid;   /* its shape never changes */
    double steepness, margin, blur; /* of its distances; see distance_cache.c */
    double way; /* m: the longest of any point of it since particles last moved */
} firn_collider;

/* A grip holds the particles that were in its region when it took hold (field GRIP), until it is
 * released. */
typedef struct firn_grip {
    firn_grip_def def;
    firn_shape *region;
    firn_motion motion;
    firn_pose pose, pose_before; /* at the end and at the beginning of the step being made */
    int is_active, has_taken;
    int64_t n_particles; /* taken */
    double mass;         /* of these, kg */
} firn_grip;

typedef struct firn_sink {
    firn_sink_def def;
    firn_shape *shape;
    firn_motion motion;
    firn_pose pose, pose_before; /* at the end and at the beginning of the step being made */
    int is_active;
    double speed,
        steepness; /* m/s, of its surface in the shape; of its distances, see distance_cache.c */
} firn_sink;

typedef struct firn_force {
    firn_force_def def;
    firn_force_key *keys;
    double factor; /* now */
    const struct firn_force_kind *kind;
} firn_force;

/* What the material gave to one collider (index c), grip (n_colliders + g), to the walls and to
 * the force fields (the last two); see ledger_csv.c. */
typedef struct firn_boundary_impulse {
    double impulse[3], torque[3]; /* N s, N m s about the pivot */
    double work;                  /* J done on the material by what moves or pulls */
    double friction;              /* J lost in friction */
} firn_boundary_impulse;

/* Where materials share nodes, each must get its part of what the nodes were given; see
 * impulse_split.c. */
typedef struct firn_impulse_split {
    int is_kept;   /* from before P2G to the end of a step */
    int32_t *slot; /* [n_blocks] -1: nothing reaches it */
    /* [particles but the last][n_slots][64] reals: mass of the materials up to this one */
    char *masses;
    int32_t n_slots, capacity, block_capacity;
    double (*sums)[FIRN_N_BOUNDARY_KINDS]
                  [4]; /* [FIRN_CHUNKS][particles] impulse and work, friction in those of walls */
} firn_impulse_split;

/* Where the material stands that a node sees, near colliders that touch at its surface; see
 * contact_gap.c. */
typedef struct firn_contact_gap {
    int is_measured;
    int32_t *slot; /* [n_blocks]; -1: no such collider is near */
    int32_t block_capacity, capacity;
    double (*nodes)[FIRN_BLOCK_NODES][4]; /* sum m w (x - x_i) in cells, sum m w */
} firn_contact_gap;

/* What is known of the distance of nodes from all colliders; see distance_cache.c. A number says
 * up to which state of the odometer its place is outside of them. */
typedef struct firn_distance_cache_block {
    float all_particles; /* of all particles of the block, from the colliders with a second pass */
    float again;         /* until when it is not asked whether they are that far */
    int32_t is_stale;    /* what the particles remember is from before they were far */
    int32_t still;       /* its place among those below; -1: none */
    int32_t wanted;      /* a collider at rest that has nodes of the block in it, -1: none */
    float others;        /* of all nodes, from the colliders that are not among these: */
    uint64_t colliders;  /* bits; more than 64 are not remembered */
    float nodes[FIRN_BLOCK_NODES];
    /* the collider that a node is in, of which its number does not speak; -1: none */
    int16_t in[FIRN_BLOCK_NODES];
} firn_distance_cache_block;
/* The surface of a collider at rest, as nodes in it see it: distance, normal, friction, stickiness.
 */
typedef struct firn_distance_cache_still {
    int32_t block, collider;
    int64_t pose;   /* the number of the pose for which the rest holds */
    uint64_t known; /* bits: nodes */
    double nodes[FIRN_BLOCK_NODES][6];
} firn_distance_cache_still;
typedef struct firn_distance_cache {
    int is_kept, has_poses;
    double gone;                   /* the odometer, m */
    firn_distance_cache_ways ways; /* since particles last moved */
    double time;
    uint64_t active;  /* which colliders act */
    firn_pose *poses; /* [n_colliders] the last */
    int64_t *n_poses; /* [n_colliders] how often it has been another one than the time before */
    int64_t n_sorts, n_steps;
    int32_t n, capacity, table_size;
    firn_distance_cache_block *blocks, *spare; /* [n] of the grid */
    uint64_t *keys; /* [n] of the blocks, and the table that finds them */
    int32_t *table;
    int32_t n_still, still_capacity;
    firn_distance_cache_still *still;
} firn_distance_cache;

/* Nodes that particles held by a grip reach; see grip_nodes.c. */
typedef struct firn_grip_nodes {
    uint32_t wanted; /* bits: grips that hold now */
    int32_t *slot;   /* [n_blocks]; -1: none is near */
    uint32_t *owner; /* [n_owners] bits: held by which */
    int32_t block_capacity, capacity;
    uint32_t (*nodes)[FIRN_BLOCK_NODES]; /* bits */
} firn_grip_nodes;

/* Emission: where each range of ids came from. */
typedef struct firn_source {
    uint32_t first_id;
    char name[FIRN_NAME];
} firn_source;

/* What the reports of the owner blocks of a chunk come to, for one particles; see kernels.h. */
typedef struct firn_summary {
    double max_rate, max_speed, plastic, viscous, drained_mass;
    int64_t rate_particle, n_inverted, n_drained;
    int rate_is_viscous, is_out_of_reach;
    unsigned flags;
} firn_summary;

/* ---------------------------------------------------------------- the simulation */

struct firn_sim {
    firn_memory memory;
    const firn_kernels *kernels;
    firn_variant variant;
    int n_threads; /* now; chosen at each sort where nobody asked for a number */
    /* without being asked for: the most that may be used; 0: n_threads was asked for */
    int max_threads;

    /* what was asked for */
    firn_scene_def scene; /* pointers inside are own copies where they are used */
    firn_time_def time_def;
    double h;
    int n_materials;
    firn_particles *particles;
    int n_colliders, n_grips, n_sinks, n_forces;
    firn_collider *colliders;
    firn_grip *grips;
    firn_sink *sinks;
    firn_force *forces;
    int has_pull, has_follow, has_particle_pass,
        keeps_old; /* has_pull: some grip is in mode traction or follow */
    firn_acceleration_fn acceleration;
    void *acceleration_user;
    struct firn_emission *emission; /* NULL: no emitters */
    int n_sources, source_capacity;
    firn_source *sources;

    /* where it stands */
    double time, dt;
    int64_t n_steps, n_retries, n_sorts;
    uint32_t next_id;
    int must_sort, is_spoiled; /* spoiled: the last step left something that is not a number */
    int is_empty; /* a restore that failed half way left no particles; nothing goes on from there */
    int is_unchecked;           /* of benchmarks that ask what judging costs: no step is judged */
    double max_rate, max_speed; /* of all particles after the last step */
    /* share of the stable dt, less than 1 after a step that would have made energy */
    double dt_factor;
    int rate_is_viscous, rate_material;
    int64_t rate_particle;
    firn_boundary_impulse *total; /* since the start, [n_boundaries] */
    firn_boundary_impulse *last;  /* of the last step */
    firn_impulse_split impulse_split;
    firn_contact_gap contact_gap;
    firn_distance_cache distance_cache;
    firn_grip_nodes grip_nodes;
    /* [n_boundaries] what acts on particles one by one: its place among them, else -1 */
    int n_acts, *act_of;
    firn_boundary_impulse *acts; /* [particles][owner][n_acts] */
    int64_t act_capacity;

    /* scratch, made at a sort */
    firn_grid grid;
    void *spare; /* one field, for the permutation */
    size_t spare_bytes;
    uint32_t *order; /* permutation */
    int64_t order_capacity;
    char *thread_scratch; /* patches, grad v and the law's outputs of one block, a thread */
    size_t scratch_bytes; /* of one thread */
    int scratch_threads;
    int32_t max_block_bundles;
    firn_work_range *shares; /* [FIRN_COLORS + 1][n_threads], see block_loops.c */
    int share_capacity;
    firn_boundary_impulse *chunks; /* [FIRN_CHUNKS][n_boundaries] */
    firn_block_report *reports;    /* [particles][owner] */
    firn_summary *summaries;       /* [FIRN_CHUNKS][n_materials] */
    int has_reports;               /* they speak of the particles as they stand */
    int64_t report_capacity;

    firn_dt_limit limit;
    char limit_material[FIRN_NAME];
    double stage_seconds[FIRN_N_STAGES];
};

/* One thread's workspace, laid out in thread_scratch. */
typedef struct firn_workspace {
    void *patch, *forces, *grad_v, *wave, *viscosity, *plastic, *viscous, *flags, *pull, *energy,
        *before, *try_tau;
} firn_workspace;
firn_workspace firn_solver_workspace(const firn_sim *sim, int thread);

double firn_solver_clock(void);
/* The blocks of a chunk: its part of the owner blocks (part 0), and of the halo (1), which are
 * around these. */
static inline firn_range firn_solver_chunk(const firn_sim *sim, int chunk, int part)
{
    const int64_t base = part ? sim->grid.n_owners : 0,
                  n = part ? sim->grid.n_blocks - base : sim->grid.n_owners;
    return (firn_range){(int32_t)(base + n * chunk / FIRN_CHUNKS),
                        (int32_t)(base + n * (chunk + 1) / FIRN_CHUNKS)};
}
static inline int firn_solver_n_boundaries(const firn_sim *sim)
{
    return sim->n_colliders + sim->n_grips + 2;
}
static inline int firn_solver_walls(const firn_sim *sim) { return sim->n_colliders + sim->n_grips; }
static inline int firn_solver_forces(const firn_sim *sim)
{
    return sim->n_colliders + sim->n_grips + 1;
}
static inline firn_boundary_kind firn_solver_boundary_kind(const firn_sim *sim, int boundary)
{
    if (boundary < sim->n_colliders) return FIRN_BOUNDARY_COLLIDERS;
    if (boundary < firn_solver_walls(sim)) return FIRN_BOUNDARY_GRIPS;
    return boundary == firn_solver_walls(sim) ? FIRN_BOUNDARY_WALLS : FIRN_BOUNDARY_FORCES;
}

/* ---------------------------------------------------------------- stages */

/* time_step.c: the largest stable dt that lands on `until`; remembers what limited it. */
firn_status firn_time_step_choose(firn_sim *sim, double until, firn_messages *messages);
/* sort.c: particles to their owner blocks and cells, the grid around them. */
firn_status firn_sort_particles(firn_sim *sim, firn_messages *messages);
/* The grid and workspaces around particles that stand as a sort left them. */
firn_status firn_sort_rebuild(firn_sim *sim, firn_messages *messages);
/* block_loops.c: the loops over blocks. */
void firn_block_loops_p2g(firn_sim *sim);
void firn_block_loops_grid(firn_sim *sim);
firn_status firn_block_loops_g2p(firn_sim *sim, firn_messages *messages);
/* Home blocks shared out among threads (work_ranges.h): before the threads begin, and by each
 * until it returns 0. */
void firn_block_loops_assign_owners(firn_sim *sim);
int firn_block_loops_claim_owners(const firn_sim *sim, firn_range *owners);
void firn_block_loops_load(const firn_sim *sim, int32_t owner, const void *nodes, void *patch);
void firn_block_loops_measure(firn_sim *sim); /* stress and limits of the state as it is */
/* The grid's mass density at the particles, for bodies whose volume is measured: m / rho becomes
 * V0. */
void firn_block_loops_weigh(firn_sim *sim, const uint32_t *first_id, const uint32_t *end_id,
                            int n_ranges);
/* The particles of one material in one owner block, and what the kernels are called with in the
 * present step. */
typedef struct firn_block_material {
    int material;
    firn_particles *particles;
    const firn_particle_block *block;
    firn_transfer transfer;
    firn_block_particles block_particles;
} firn_block_material;
int firn_block_loops_material(const firn_sim *sim, int32_t owner, int material,
                              firn_block_material *r); /* 0: it has none there */
/* The next material after r->material that has particles there; 0: there is none. */
int firn_block_loops_next_material(const firn_sim *sim, int32_t owner, firn_block_material *r);
#define FIRN_BLOCK_MATERIALS(sim, owner, r)                                                        \
    for (firn_block_material r = {.material = -1}; firn_block_loops_next_material(sim, owner, &r);)
/* "material 'snow' (law snow), particle 12, cell 1 -2 3" */
void firn_block_loops_particle(const firn_particles *particles, const firn_particle_block *block,
                               int bundle, int lane, char *text, size_t n);
/* What a law's flags say, as a sentence. */
const char *firn_block_loops_trouble(unsigned flags);
firn_law_batch firn_block_loops_batch(const firn_sim *sim, const firn_particles *particles,
                                      const firn_particle_block *block, const firn_workspace *w);
/* step_check.c: whether the step that the grid holds may be taken; the reason where it may not. */
typedef enum firn_step_result {
    FIRN_STEP_GOOD,
    FIRN_STEP_MOTION,
    FIRN_STEP_ENERGY
} firn_step_result;
firn_step_result firn_step_check(firn_sim *sim, char *why, size_t n_why);
/* node_boundary.c: forces, colliders, grips and walls on the nodes of a block; true when
 * velocities were changed. */
firn_status firn_node_boundary_prepare(firn_sim *sim);
int firn_node_boundary_reach(const firn_sim *sim, int32_t block); /* does anything? */
int firn_node_boundary_apply(const firn_sim *sim, int32_t block, int chunk);
firn_status firn_node_boundary_check(const firn_sim *sim,
                                     firn_messages *messages); /* after all blocks */
/* sinks.c: sinks as they stand after the coming step, and now. */
void firn_sinks_prepare(firn_sim *sim);
void firn_sinks_place(firn_sim *sim);
/* Why a particle at x is deleted, a firn_loss; -1: it stays. */
int firn_sinks_delete(const firn_sim *sim, const double x[3]);
/* Whether that can be of any particle of a owner block. */
int firn_sinks_may_delete(const firn_sim *sim, const int32_t coord[3]);
/* May a particle of a owner block come into a sink in this step? Then those that did are taken
 * out at its end; `before`: where the block's particles were at its beginning. */
int firn_sinks_reach(const firn_sim *sim, const int32_t coord[3]);
void firn_sinks_drain(const firn_sim *sim, firn_particles *particles, firn_particle_block *block,
                      const void *before, firn_block_report *report);
/* contact.c: one point against one body; and its ledger. */
/* The surface as it stands at x, when that is nearer than `reach` (0: when x is inside). */
int firn_contact_surface(const firn_collider *c, const double x[3], double time, double reach,
                         firn_surface_point *s);
/* The same distance and velocity, faster; nothing else of *s may be read. */
int firn_contact_distance_query(const firn_collider *c, const double x[3], double time,
                                double reach, firn_surface_point *s);
/* A rate (1/s) of which cfl / rate is a step in which no surface jumps over nodes. */
double firn_contact_rate(const firn_sim *sim);
double firn_contact_distance(const firn_collider *c, const double x[3], double time);
void firn_contact_resolve(firn_contact contact, double friction, double adhesion,
                          const double surface_v[3], const double n[3], double v[3]);
void firn_contact_book(firn_boundary_impulse *e, const double x[3], double mass,
                       const double before[3], const double after[3], const double surface_v[3],
                       const double pivot[3]);
/* contact_gap.c: once a step, before colliders meet nodes; and the gap (m) that is left between
 * the material of a node at x and the body whose surface there is s; 0: they touch. */
firn_status firn_contact_gap_measure(firn_sim *sim);
double firn_contact_gap_at(const firn_sim *sim, const firn_collider *c, int32_t block, int node,
                           const double x[3], const firn_surface_point *s);
void firn_contact_gap_clear(firn_sim *sim);
/* distance_cache.c: after the colliders' poses; then NULL or what is known of a block. */
firn_status firn_distance_cache_prepare(firn_sim *sim);
firn_distance_cache_block *firn_distance_cache_at(const firn_sim *sim, int32_t block);
/* How far the collider's surface or a point `distance` away from it may go before they meet; and
 * up to when a place with that clearance from all colliders is outside. */
static inline double firn_distance_cache_clearance(const firn_collider *c, double distance)
{
    return fmax((distance - c->margin) / c->steepness, distance - c->margin - c->blur);
}
float firn_distance_cache_until(const firn_sim *sim, double clearance);
/* As firn_contact_surface for a node that is in the collider, or near it. */
int firn_distance_cache_surface(const firn_sim *sim, int collider, int32_t block, int node,
                                const double x[3], firn_surface_point *s);
/* None can have touched any particle of a owner block. */
int firn_distance_cache_is_far(const firn_sim *sim, int32_t owner);
/* Of a owner block that is far nothing is kept up to date: before it is near again, and before
 * its particles go to other blocks, what they remember is forgotten. */
void firn_distance_cache_renew(firn_sim *sim, int32_t owner);
void firn_distance_cache_renew_all(firn_sim *sim);
/* A particle's clearance from the nearest of these colliders, and the least from the others. */
typedef struct firn_distance_cache_clearances {
    double nearest, others;
    int which;
} firn_distance_cache_clearances;
firn_distance_cache_clearances firn_distance_cache_recall(const firn_particles *particles,
                                                          int64_t bundle, int lane);
void firn_distance_cache_remember(firn_particles *particles, int64_t bundle, int lane,
                                  const firn_distance_cache_clearances *clear);
void firn_distance_cache_clear(firn_sim *sim);
/* grip_nodes.c: once a step, before conditions meet nodes; then bits of grips for the nodes of a
 * block, NULL: none. */
firn_status firn_grip_nodes_measure(firn_sim *sim);
const uint32_t *firn_grip_nodes_of_block(const firn_sim *sim, int32_t block);
void firn_grip_nodes_clear(firn_sim *sim);
/* acts.c: what acts on particles one by one. The momentum that grips and the caller's
 * acceleration give in the step, before P2G; after G2P the ledger of that, grips that hold their
 * particles, and the second pass for thin colliders. */
int firn_particle_boundary_any(const firn_sim *sim);
/* Which of these there may be for a owner block's particles. */
enum { FIRN_PARTICLE_PULLS = 1, FIRN_PARTICLE_SURFACES = 2 };
unsigned firn_particle_boundary_expected(firn_sim *sim, int32_t owner);
void firn_particle_boundary_place(const firn_sim *sim, const firn_particles *particles,
                                  const firn_particle_block *block, int p, double x[3]);
/* The same of places that are laid out as the block's, from its first bundle on. */
void firn_particle_boundary_place_of(const firn_sim *sim, const firn_particle_block *block, int p,
                                     const void *places, double x[3]);
void firn_particle_boundary_pull(const firn_sim *sim, const firn_particles *particles,
                                 const firn_particle_block *block, void *pull);
/* `x` and, for pulls, `v`: of the particles before G2P. */
void firn_particle_boundary_apply(const firn_sim *sim, firn_particles *particles,
                                  const firn_particle_block *block, unsigned expected,
                                  const void *x, const void *v, firn_boundary_impulse *acts);
/* A rate (1/s) of which cfl / rate is a stable step for grips that are followed; 0: there are none.
 */
double firn_particle_boundary_rate(const firn_sim *sim);
/* Grips whose time has come take hold of the particles in their regions. */
void firn_particle_boundary_grip(firn_sim *sim, firn_messages *messages);
/* impulse_split.c */
firn_status firn_impulse_split_prepare(firn_sim *sim);
void firn_impulse_split_clear_masses(const firn_sim *sim);
void firn_impulse_split_weigh(const firn_sim *sim, int32_t owner, int particles,
                              const void *patch); /* after the particles's P2G */
void firn_impulse_split_fold(const firn_sim *sim, int32_t from_block, int from_node,
                             int32_t to_block, int to_node);
/* Shares what a node of this mass was given: dv x y z and work per mass; for walls: friction per
 * mass. `kinds`: bits, nothing is read of others. */
void firn_impulse_split_share(const firn_sim *sim, int chunk, int32_t block, int node, double mass,
                              unsigned kinds, const double given[FIRN_N_BOUNDARY_KINDS][4]);
void firn_impulse_split_collect(firn_sim *sim);
void firn_impulse_split_clear(firn_sim *sim);
/* mirror_wall.c: momentum beyond a mirror wall is folded back before, velocities are unfolded
 * after the grid update. */
void firn_mirror_wall_fold(firn_sim *sim, double dt);
void firn_mirror_wall_unfold(firn_sim *sim);
/* save.c: the state of firn_sim_save piece by piece, so that it need not stand in memory twice.
 * NULL put: only counts. */
typedef void firn_save_put(void *user, const void *data, size_t n_bytes);
firn_status firn_save_stream(firn_sim *sim, firn_save_put *put, void *user, size_t *n_bytes,
                             firn_messages *messages);
/* force.c */
typedef struct firn_force_info {
    const char *name, *meaning;
    const char *keys; /* members of firn_force_def that it uses, see shape.h */
    const char *vector_unit, *strength_unit; /* "" where it has none */
    int needs_vector;
} firn_force_info;
const firn_force_info *firn_force_kind_at(int i); /* in order; NULL after the last */
const firn_force_info *firn_force_kind_find(const char *name);
firn_status firn_force_create(const firn_force_def *def, firn_memory *memory, firn_force *force,
                              firn_messages *messages);
void firn_force_destroy(firn_force *force, firn_memory *memory);
void firn_force_prepare(firn_force *force, double time);
/* Changes v by what the force does in dt; forces act one after the other. */
void firn_force_push(const firn_force *force, const double x[3], double time, double dt,
                     double v[3]);
/* populate.c: bodies and emitters into particles. */
typedef struct firn_newborn { /* particles to be added to one particles */
    int64_t n;
    const double *x; /* [n][3] m */
    const double *v, *C, *F,
        *T; /* [n][3] [n][9] [n][9] [n]; NULL: those of `body`, else zero, zero, identity */
    const firn_body_def *body; /* its velocity, spin about `center`, F; NULL: none */
    double center[3];
    double temperature, mass, volume;
    const double *masses, *volumes,
        *history; /* [n] [n] [n][n_history]; NULL: mass, volume, as declared */
} firn_newborn;
firn_status firn_populate_add(firn_sim *sim, firn_particles *particles, const firn_newborn *born,
                              const char *source, firn_messages *messages);
firn_status firn_populate_bodies(firn_sim *sim, firn_messages *messages);
/* The particles of a material by name; NULL: none. */
firn_particles *firn_populate_material(firn_sim *sim, const char *name);
/* The center of a body's points, and, where wanted, the points moved by its F about it. */
void firn_populate_place(const firn_body_def *def, int64_t n, double *x, double center[3]);
/* populate_points.c: a body from a file of points. */
firn_status firn_populate_points(firn_sim *sim, const firn_body_def *def, firn_messages *messages);
/* Which entry of sim->sources a particle came from. */
int firn_populate_source(const firn_sim *sim, uint32_t id);
#endif
