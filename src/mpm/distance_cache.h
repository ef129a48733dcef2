/* SPDX-License-Identifier: MIT */
/* distance_cache.h: what is known of the distances of nodes and particles from colliders, so that
 * most of them need no query. distance_cache.c says by which bounds. */
#ifndef FIRN_DISTANCE_CACHE_H
#define FIRN_DISTANCE_CACHE_H

#include "mpm/particles.h"
#include "solver/collider.h"

/* A number says up to which state of the odometer its place is outside of all colliders. */
typedef struct firn_distance_cache_block {
    float all_particles; /* of all particles of the block, from the colliders with a second pass */
    float again;         /* until when it is not asked whether they are that far */
    int32_t is_stale;    /* what the particles remember is from before they were far */
    int32_t still;       /* its place among those below; -1: none */
    int32_t wanted;      /* a collider at rest that has nodes of the block in it, -1: none */
    float others;        /* of all nodes, from the colliders that are not among these: */
    uint64_t colliders;  /* bits; more than 64 are not remembered */
    float nodes[FIRN_BLOCK_NODES];
    /* the collider that a node is in, which its number leaves out; -1: none */
    int16_t in[FIRN_BLOCK_NODES];
} firn_distance_cache_block;

/* The surface of a collider at rest, as nodes in it see it: distance, normal, friction,
 * stickiness. */
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
    int64_t *n_poses; /* [n_colliders] how often it has changed */
    int64_t n_sorts, n_steps;
    int32_t n, capacity, table_size;
    firn_distance_cache_block *blocks, *spare; /* [n] of the grid */
    uint64_t *keys;                            /* [n] of the blocks, and the table of them */
    int32_t *table;
    int32_t n_still, still_capacity;
    firn_distance_cache_still *still;
} firn_distance_cache;

/* After the colliders' poses of a step are known. */
firn_status firn_distance_cache_prepare(firn_sim *sim);
void firn_distance_cache_clear(firn_sim *sim);

/* ---------------------------------------------------------------- nodes */

/* Whether anything is kept: not where a caller's function gives distances. */
int firn_distance_cache_is_kept(const firn_sim *sim);
/* The colliders (bits) that nodes of a block may meet, and the least clearance (m) of any node
 * from the others, as remembered; 0: they must be asked anew. */
int firn_distance_cache_recall_colliders(const firn_sim *sim, int32_t block, uint64_t *colliders,
                                         double *others);
/* n < 0: too many to be remembered. */
void firn_distance_cache_remember_colliders(const firn_sim *sim, int32_t block, int n,
                                            const uint16_t *colliders, double others);
/* No collider can have come near any node of the block. */
int firn_distance_cache_is_clear(const firn_sim *sim, int32_t block);

/* What is known of a node: whether all colliders but the one that it is `in` (-1: none) are at
 * least `clearance` (m) away. */
typedef struct firn_distance_cache_node {
    int is_far, in;
    double clearance;
} firn_distance_cache_node;
firn_distance_cache_node firn_distance_cache_node_at(const firn_sim *sim, int32_t block, int node);
/* clearance NULL: as it was. */
void firn_distance_cache_remember_node(const firn_sim *sim, int32_t block, int node, int in,
                                       const double *clearance);
/* As firn_contact_surface for a node that is in the collider, or near it. */
int firn_distance_cache_surface(const firn_sim *sim, int collider, int32_t block, int node,
                                const double x[3], firn_surface_point *s);

/* ---------------------------------------------------------------- particles */

/* What colliders with a second pass did in this step, for the kernel `clearance`. */
const firn_distance_cache_ways *firn_distance_cache_ways_of_step(const firn_sim *sim);
/* No collider with a second pass can have touched any particle of an owner block. */
int firn_distance_cache_is_far(const firn_sim *sim, int32_t owner);
/* Of an owner block that is far nothing is kept up to date: before it is near again, and before
 * its particles go to other blocks, what they remember is forgotten. */
void firn_distance_cache_renew(firn_sim *sim, int32_t owner);
void firn_distance_cache_renew_all(firn_sim *sim);
void firn_distance_cache_mark_stale(firn_sim *sim, int32_t owner);

/* A particle's clearance from the nearest of these colliders, and the least from the others. */
typedef struct firn_distance_cache_clearances {
    double nearest, others;
    int which;
} firn_distance_cache_clearances;
firn_distance_cache_clearances firn_distance_cache_recall(const firn_particles *particles,
                                                          int64_t bundle, int lane);
void firn_distance_cache_remember(firn_particles *particles, int64_t bundle, int lane,
                                  const firn_distance_cache_clearances *clear);

#endif
