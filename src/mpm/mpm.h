/* SPDX-License-Identifier: MIT */
/* mpm.h: the state of the material point method behind a firn_sim.
 *
 *     particles   AoSoA bundles of 16 lanes, owner block by owner block (particles.h)
 *     grid        sparse blocks of 4 x 4 x 4 nodes around them, rebuilt at a sort (grid.h)
 *     caches by block: impulse_split, contact_gap, contact_points, distance_cache, grip_nodes
 *     workspace   patches and outputs of one block, per thread (workspace.h)
 *
 * Everything but particles is derived: a restored state rebuilds the grid and starts with empty
 * caches, and gives the same bits. */
#ifndef FIRN_MPM_H
#define FIRN_MPM_H

#include "mpm/block_slots.h"
#include "mpm/contact_gap.h"
#include "mpm/contact_points.h"
#include "mpm/distance_cache.h"
#include "mpm/grid.h"
#include "mpm/grip_nodes.h"
#include "mpm/impulse_split.h"
#include "mpm/integrator.h"
#include "mpm/particles.h"
#include "mpm/work_ranges.h"
#include "solver/sim.h"

/* The reports of a chunk's owner blocks, reduced for one material; see kernels.h. */
typedef struct firn_summary {
    double max_rate, max_speed, plastic, viscous, drained_mass, drained_heat;
    int64_t rate_particle, n_bounded[FIRN_N_BOUNDS], n_drained;
    int is_out_of_reach;
    firn_rate_kind rate_kind;
    unsigned flags;
} firn_summary;

struct firn_mpm {
    const firn_kernels *kernels;
    const firn_integrator *integrator;
    firn_particles *particles; /* [n_materials] */
    int keeps_old;    /* some material needs velocities before forces: they stay on the grid */
    int has_flip;     /* some blends v alone (FLIP, AFLIP) */
    int keeps_affine; /* some keeps v and C over a step (APIC with damping per time) */

    firn_grid grid;
    double origin[3]; /* m, of node 0: box_min along periodic axes, see plane.c, else the shift */
    firn_impulse_split impulse_split;
    firn_contact_gap contact_gap;
    firn_contact_points contact_points;
    firn_distance_cache distance_cache;
    firn_grip_nodes grip_nodes;
    struct firn_implicit *implicit; /* NULL before the first implicit step */
    /* Velocities after the step where they are not those that particles move with (midpoint): G2P
     * takes v and C from these, x and grad v from the grid. NULL: one velocity. */
    const void *end_nodes;

    firn_boundary_impulse *chunks; /* [FIRN_CHUNKS][n_boundaries] impulses on nodes in this step */
    /* [n_boundaries] column in `impulses` of a boundary that acts on particles, else -1 */
    int n_impulses, *impulse_of;
    firn_boundary_impulse *impulses; /* [material][owner][n_impulses] impulses on particles */
    int64_t impulse_capacity;

    /* sized at a sort */
    void *spare; /* one field, for the permutation */
    size_t spare_bytes;
    uint32_t *order; /* permutation */
    int64_t order_capacity;
    char *thread_scratch; /* see workspace.h */
    size_t scratch_bytes; /* of one thread */
    int scratch_threads;
    int32_t max_block_bundles;
    firn_work_range *shares; /* [n_colors + 1][n_threads], see block_loops.c */
    int share_capacity;
    firn_block_report *reports;       /* [material][owner] */
    firn_summary *summaries;          /* [FIRN_CHUNKS][n_materials] */
    struct firn_pressures *pressures; /* NULL: the scene has none */
    struct firn_heat_grid *heat;      /* NULL until the first step with heat */
    int has_reports;                  /* the reports are those of the present positions */
    int64_t report_capacity;
    struct firn_ranks *ranks; /* NULL: one process (ranks.h) */
    struct firn_ranks
        *ranks_apart; /* rank 0 holds all particles: the ranks until it gives them back */
};

/* A fixed partition of the blocks, which makes the order of sums independent of threads: the part
 * of a chunk among the owner blocks (part 0) and among the halo (1). Owner blocks are in Morton
 * order, so a chunk is a range of keys, from firn_mpm_chunk_key of its number up to that of the
 * next, which other processes can compute from the keys alone (base/comm.h). */
enum { FIRN_CHUNKS = 64 };
static inline firn_range firn_mpm_chunk(const firn_sim *sim, int chunk, int part)
{
    const firn_grid *grid = &sim->mpm->grid;
    const int64_t base = part ? grid->n_owners : 0,
                  n = part ? grid->n_blocks - base : grid->n_owners;
    return (firn_range){(int32_t)(base + n * chunk / FIRN_CHUNKS),
                        (int32_t)(base + n * (chunk + 1) / FIRN_CHUNKS)};
}

/* The key of a chunk's first owner block; UINT64_MAX behind the last block. */
static inline uint64_t firn_mpm_chunk_key(const firn_sim *sim, int chunk)
{
    const int32_t first = firn_mpm_chunk(sim, chunk, 0).first;
    return first < sim->mpm->grid.n_owners ? firn_grid_key(sim->mpm->grid.coord[first])
                                           : UINT64_MAX;
}

/* The coordinate of a node, or of a place between nodes, in metres. */
static inline double firn_mpm_metres(const firn_sim *sim, int axis, double nodes)
{
    return nodes * sim->h + sim->mpm->origin[axis];
}
/* The length of a period, m; 0: the axis is not periodic. */
static inline double firn_mpm_period(const firn_sim *sim, int axis)
{
    return 4.0 * sim->mpm->grid.n_around[axis] * sim->h;
}

extern const firn_method firn_method_mpm; /* method.c */

#endif
