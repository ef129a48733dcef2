/* SPDX-License-Identifier: MIT */
/* distance_cache.h: lower bounds on the distances of nodes and particles from colliders, so that
 * most of them need no query; distance_cache.c derives the bounds. Opaque to the rest of mpm/,
 * which uses the functions below. */
#ifndef FIRN_DISTANCE_CACHE_H
#define FIRN_DISTANCE_CACHE_H

#include "mpm/particles.h"
#include "solver/collider.h"

/* Numbers are states of the odometer (m) up to which a place is outside of all colliders. */
typedef struct firn_distance_cache_block {
    float all_particles; /* of all particles, from the colliders with a second pass */
    float again;         /* the next query of all_particles is due after this */
    int32_t is_stale;    /* the particles' clearances are out of date */
    int32_t still;       /* index of its entry in `still`; -1: none */
    int32_t wanted;      /* request: a collider at rest with nodes of the block inside; -1 */
    float others;        /* of all nodes, from the colliders not among these: */
    uint64_t colliders;  /* bits; colliders from 64 on are not cached */
    float nodes[FIRN_BLOCK_NODES];
    /* the collider that a node is in, which `nodes` leaves out; -1: none */
    int16_t in[FIRN_BLOCK_NODES];
} firn_distance_cache_block;

/* The surface of a collider at rest at the nodes inside it: distance (m), normal, friction,
 * stickiness (Pa). */
typedef struct firn_distance_cache_still {
    int32_t block, collider;
    int64_t pose;   /* the pose count for which the entry is valid */
    uint64_t known; /* bits: nodes with an entry */
    double nodes[FIRN_BLOCK_NODES][6];
} firn_distance_cache_still;

typedef struct firn_distance_cache {
    int is_kept, has_poses;
    double gone;                       /* the odometer, m */
    firn_distance_cache_motion motion; /* since particles last moved */
    double time;
    uint64_t active;  /* hash of the active colliders */
    firn_pose *poses; /* [n_colliders] the last */
    int64_t *n_poses; /* [n_colliders] number of changes */
    int64_t n_sorts, n_steps;
    int32_t n, capacity, table_size;
    firn_distance_cache_block *blocks, *spare; /* [n] of the grid */
    uint64_t *keys;                            /* [n] of the blocks, and the table of them */
    int32_t *table;
    int32_t n_still, still_capacity;
    firn_distance_cache_still *still;
} firn_distance_cache;

/* After the colliders' poses of a step are set. */
firn_status firn_distance_cache_prepare(firn_sim *sim);
void firn_distance_cache_clear(firn_sim *sim);

/* ---------------------------------------------------------------- nodes */

/* Whether distances are cached: not where a caller's function gives them. */
int firn_distance_cache_is_kept(const firn_sim *sim);
/* The colliders (bits) that nodes of a block may meet, and the least clearance (m) of any node from
 * the others; 0: not known, a query is needed. */
int firn_distance_cache_recall_colliders(const firn_sim *sim, int32_t block, uint64_t *colliders,
                                         double *others);
/* n < 0: too many to be cached. */
void firn_distance_cache_remember_colliders(const firn_sim *sim, int32_t block, int n,
                                            const uint16_t *colliders, double others);
/* Whether no collider can have reached any node of the block. */
int firn_distance_cache_is_clear(const firn_sim *sim, int32_t block);

/* The entry of a node: whether all colliders but the one that it is `in` (-1: none) are at least
 * `clearance` (m) away. */
typedef struct firn_distance_cache_node {
    int is_far, in;
    double clearance;
} firn_distance_cache_node;
firn_distance_cache_node firn_distance_cache_node_at(const firn_sim *sim, int32_t block, int node);
/* clearance NULL: unchanged. */
void firn_distance_cache_remember_node(const firn_sim *sim, int32_t block, int node, int in,
                                       const double *clearance);
/* As firn_contact_surface with reach 0, from the cache where the collider is at rest. */
int firn_distance_cache_surface(const firn_sim *sim, int collider, int32_t block, int node,
                                const double x[3], firn_surface_point *s);

/* ---------------------------------------------------------------- particles */

/* Displacements of colliders with a second pass in this step, for the kernel `clearance`. */
const firn_distance_cache_motion *firn_distance_cache_motion_of_step(const firn_sim *sim);
/* Whether no collider with a second pass can have touched any particle of an owner block. */
int firn_distance_cache_is_far(const firn_sim *sim, int32_t owner);
/* Clearances of particles in a far owner block are not updated: mark_stale notes it, and they are
 * cleared when the block comes close again (renew) and before a sort moves its particles
 * (renew_all). */
void firn_distance_cache_renew(firn_sim *sim, int32_t owner);
void firn_distance_cache_renew_all(firn_sim *sim);
void firn_distance_cache_mark_stale(firn_sim *sim, int32_t owner);

/* A particle's clearance (m) from the nearest of these colliders, which one that is, and the least
 * clearance from the others. */
typedef struct firn_distance_cache_clearances {
    double nearest, others;
    int which;
} firn_distance_cache_clearances;
firn_distance_cache_clearances firn_distance_cache_recall(const firn_particles *particles,
                                                          int64_t bundle, int lane);
void firn_distance_cache_remember(firn_particles *particles, int64_t bundle, int lane,
                                  const firn_distance_cache_clearances *clear);

#endif
