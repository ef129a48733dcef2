/* SPDX-License-Identifier: MIT */
/* ranks.h: the material point method on several processes (ranks), with the bits of one.
 *
 *     ranks.c          where the grid is cut; lists of what goes between ranks
 *     ranks_share.c    which rank owns what; sizes; values of blocks for all ranks
 *     ranks_halo.c     node sums and velocities at the borders between ranks, in every step
 *     ranks_move.c     particles that change their rank, at a sort
 *     ranks_forecast.c what a step on several ranks would cost
 *     ranks_gather.c   all particles on rank 0, for output; from a saved state to ranks
 *
 * Every rank knows the blocks of the whole grid, their reach and their numbers, which are those of
 * one process; it holds the particles and computes the nodes of its own. A rank owns a contiguous
 * range of chunks (mpm.h): the owner blocks of these chunks with their particles, and the halo
 * blocks of these chunks. So every loop over chunks or owner blocks is a part of the loop of one
 * process, and every running sum (comm.h) is its sum.
 *
 * What is known of the whole grid takes about 200 bytes per block on every rank, and the particles
 * of a full block some 100,000: up to some 64 ranks that is little. */
#ifndef FIRN_RANKS_H
#define FIRN_RANKS_H

#include "mpm/mpm.h"
#include "mpm/workspace.h"

/* A key with the particles that it will own on one rank; on all. */
typedef struct firn_rank_load {
    uint64_t key;
    int64_t n;
} firn_rank_load;

/* The part `q` of an owner block's patch that lies in its neighbour q. */
typedef struct firn_rank_piece {
    int32_t owner, q;
    int64_t at; /* first node of the piece in its buffer */
} firn_rank_piece;

/* What goes between this rank and another one in each step. */
typedef struct firn_rank_link {
    int64_t n_out, n_in;    /* nodes of pieces */
    int32_t n_give, n_take; /* blocks of nodes whose velocities go there, come from there */
    int32_t *give, *take;   /* [n_give], [n_take] */
    firn_rank_piece *out;   /* [n_out_pieces] pieces of own owner blocks for blocks of that rank */
    int32_t n_out_pieces;
    char *out_data, *in_data; /* [n_out], [n_in] nodes of pieces; then the same for velocities */
    size_t out_bytes, in_bytes;
} firn_rank_link;

typedef enum firn_rank_role {
    FIRN_ROLE_INNER,  /* an own block that reaches own nodes alone */
    FIRN_ROLE_SHARED, /* of any rank: adds to own nodes by pieces */
    FIRN_ROLE_OTHER   /* of another rank, far from here */
} firn_rank_role;

typedef struct firn_ranks {
    firn_comm comm;
    int32_t cut[FIRN_RANKS_MAX + 1]; /* first chunk of each rank, and the end */
    int is_cut;
    int64_t *n_all;      /* [n_materials] particles of all ranks */
    firn_particles *own; /* [n_materials] while rank 0 holds all; else unused */

    /* of the present grid */
    uint8_t *block_rank;   /* [n_blocks] that computes a block's nodes */
    uint8_t *role;         /* [n_owners] firn_rank_role */
    int64_t *first_add;    /* [n_owners + 1] */
    firn_rank_piece *adds; /* pieces that are added to own nodes, by owner block */
    const char **add_data; /* [of adds] the piece's buffer */
    int32_t *shared;       /* [n_shared] own owner blocks in role FIRN_ROLE_SHARED */
    int32_t n_shared;
    char *kept; /* [n_shared][512 nodes] their patches, piece by piece */
    int32_t block_capacity, owner_capacity, shared_capacity;
    int64_t add_capacity;
    size_t kept_bytes, item_bytes; /* of a node in a piece */
    char *staged;                  /* [n_threads][27 blocks] a patch on its way into pieces */
    size_t staged_bytes;
    firn_rank_link *links; /* [size] */

    /* counted */
    int64_t n_cuts, n_moved; /* cuts of the grid, particles that changed their rank */
    int64_t piece_bytes, velocity_bytes;
    int64_t n_steps;
    double imbalance, worst_imbalance; /* largest load of a rank over the mean, at the last sort */
} firn_ranks;

/* FIRN_REFUSED: the scene has what does not work on `size` ranks. */
firn_status firn_ranks_check(const firn_sim *sim, int size, firn_messages *messages);
firn_status firn_ranks_create(firn_sim *sim, firn_messages *messages);
void firn_ranks_clear(firn_sim *sim);

/* ---------------------------------------------------------------- what is whose */

/* The chunks and owner blocks of this rank; with one process all. */
static inline firn_range firn_ranks_chunks(const firn_sim *sim)
{
    const firn_ranks *r = sim->mpm->ranks;
    return r ? (firn_range){r->cut[r->comm.rank], r->cut[r->comm.rank + 1]}
             : (firn_range){0, FIRN_CHUNKS};
}
firn_range firn_ranks_owners_of(const firn_sim *sim, int rank);
static inline firn_range firn_ranks_owners(const firn_sim *sim)
{
    return sim->mpm->ranks ? firn_ranks_owners_of(sim, sim->mpm->ranks->comm.rank)
                           : (firn_range){0, sim->mpm->grid.n_owners};
}
int firn_ranks_of_owner(const firn_sim *sim, int32_t owner);
static inline int firn_ranks_computes(const firn_sim *sim, int32_t block)
{
    const firn_ranks *r = sim->mpm->ranks;
    return !r || r->block_rank[block] == r->comm.rank;
}
static inline firn_rank_role firn_ranks_role(const firn_sim *sim, int32_t owner)
{
    return sim->mpm->ranks ? (firn_rank_role)sim->mpm->ranks->role[owner] : FIRN_ROLE_INNER;
}
/* The load of each owner block, from the particles that this process holds. */
void firn_ranks_weigh(const firn_sim *sim, int32_t *weight);
/* The cut of all chunks into `size` parts with the least largest load; returns the imbalance. */
double firn_ranks_best_cut(const firn_sim *sim, const int32_t *weight, int size, int32_t *cut);
/* Cuts the grid anew if the loads of ranks differ by too much; weight [n_owners] of all blocks. */
void firn_ranks_cut(firn_sim *sim, const int32_t *weight);

/* ---------------------------------------------------------------- in a step */

/* Nodes of piece q, and of those before it: a patch is 512. */
int firn_rank_piece_nodes(int q);
int firn_rank_piece_first(int q);
/* Arrays of nodes in use (nodes, old); masses that a node has by material (impulse_split.h). */
int firn_ranks_arrays(const firn_sim *sim);
int firn_ranks_masses(const firn_sim *sim);
/* Bytes of a node in a piece, of a block of velocities, of a patch on its way into pieces. */
size_t firn_ranks_item_bytes(const firn_sim *sim);
size_t firn_ranks_block_bytes(const firn_sim *sim);
size_t firn_ranks_staged_bytes(const firn_sim *sim);

/* After a sort: lists of what goes between ranks. */
firn_status firn_ranks_link(firn_sim *sim);
/* Before P2G: patches of own blocks that reach nodes of other ranks, to these; made by a function
 * of block_loops.h. */
typedef firn_columns firn_rank_patch(firn_sim *sim, int32_t owner, int with_force,
                                     const firn_workspace *w, void *masses);
void firn_ranks_send_patches(firn_sim *sim, firn_rank_patch *patch, int with_force);
/* In its turn in P2G, in place of a block's own patch. */
void firn_ranks_add_pieces(const firn_sim *sim, int32_t owner);
/* After the grid: velocities of nodes to the ranks whose particles reach them. */
void firn_ranks_share_nodes(firn_sim *sim);
/* Bits of nodes, [64] for each block with items in the slots, combined at the borders. */
void firn_ranks_share_bits(firn_sim *sim, firn_block_slots *slots);

/* ---------------------------------------------------------------- at a sort */

/* The keys of all ranks with their particles, sorted and unique, from those of each. */
firn_status firn_ranks_merge_keys(firn_sim *sim, const firn_rank_load *own, int32_t n_own,
                                  firn_rank_load **all, int32_t *n, size_t *bytes);
/* Particles whose new block belongs to another rank go there. Before: the grid has its owners. */
firn_status firn_ranks_migrate(firn_sim *sim);
/* Values [FIRN_CHUNKS]: each rank comes with those of its own chunks and leaves with all of them, to
 * add them in the order of one process. */
void firn_ranks_share_chunks(firn_sim *sim, void *values, size_t size);
/* Values [n_owners]: the same for the blocks of each rank. */
void firn_ranks_share_owners(firn_sim *sim, void *values, size_t size);

/* ---------------------------------------------------------------- all in one place */

firn_status firn_ranks_assemble(firn_sim *sim);
void firn_ranks_disperse(firn_sim *sim);
/* Of particles that every rank holds alike, after a restore, each keeps its own. */
firn_status firn_ranks_keep_own(firn_sim *sim);

/* ---------------------------------------------------------------- before a run */

/* What a step on several ranks would cost, from the present particles of one process. */
typedef struct firn_rank_forecast {
    int size;
    double imbalance;         /* largest load over the mean */
    double bytes, most_bytes; /* per step: all that is sent; most that one rank sends */
    double least_bytes;       /* a block of nodes to its rank and back, where needed */
    int n_exchanges;          /* per step, one after the other */
} firn_rank_forecast;
firn_status firn_ranks_forecast(firn_sim *sim, int size, firn_rank_forecast *forecast);

#endif
