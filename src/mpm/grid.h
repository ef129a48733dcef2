/* SPDX-License-Identifier: MIT */
/* grid.h: the sparse background grid: blocks of 4 x 4 x 4 nodes, only where particles can reach; no
 * domain.
 *
 * Owner blocks (those that own particles) come first in the list, in Morton order; then the halo:
 * those of the 27 neighbours of each that its particles can reach. The grid is rebuilt at a sort
 * and constant until the next. The coordinate of a block times four is the global index of its
 * first node; coordinates span +-2^20 blocks, four million cells to either side.
 *
 * Along an axis, a particle at x cells from the first node of its owner block has nodes floor(x) -
 * 1 .. floor(x) + 2:
 *
 *     block below        owner block              block above
 *     -2   -1   |    0    1    2    3    |    4    5        nodes
 *     x < 1: some below                   x >= 2: some above
 *
 * A full block reaches all of its neighbours; a single particle reaches one side of each axis,
 * eight blocks in all. Particles are sorted to -0.5 <= x < 3.5 and may drift by half a cell; one
 * that drifts further requests the next sort.
 *
 * Periodic axes. A period is a whole number of blocks, n_around. Coordinates of blocks along the
 * axis are 0 .. n_around - 1, those beyond are the same blocks again (firn_grid_wrap): neighbours,
 * halo and owners are found by wrapped coordinates, so transfers need no copies and no exchange.
 * Up to three neighbours of a block may then be one block, or the block itself. */
#ifndef FIRN_GRID_H
#define FIRN_GRID_H

#include "mpm/kernels.h"
#include "base/memory.h"

enum {
    FIRN_COLORS_MAX = 27, /* 8 without periodic axes */
    FIRN_CLUSTER_SIZES = 8,
    FIRN_COORD_LIMIT = 1 << 20,
    FIRN_OWNERS_MAX = 1 << 24 /* 27 times as many fit an int32 */
};

/* The owner blocks of a cube of 2 x 2 x 2, consecutive in the list: the unit of work of P2G, large
 * enough to keep common nodes and the stream of particles in the cache. Clusters of one colour are
 * two blocks apart, also around a period, so their patches never overlap. */
typedef struct firn_block_cluster {
    int32_t first, end;
} firn_block_cluster;

typedef struct firn_grid {
    firn_memory *memory;
    size_t node_size; /* bytes of one block's nodes */
    int keeps_old;
    int32_t n_around[3]; /* blocks of the period along each axis; 0: not periodic */
    int n_parities[3];   /* colours along each axis, 2 or 3 */
    int n_colors;        /* their product */
    int32_t n_owners, n_blocks, owner_capacity, capacity;
    int32_t (*coord)[3]; /* [n_blocks] */
    /* [n_owners] neighbour (x*3 + y)*3 + z, the block itself at 13; -1: out of reach */
    int32_t (*neighbours)[27];
    uint32_t *reach;       /* [n_owners] of all its particles, see firn_grid_reach */
    firn_columns *columns; /* [n_owners] touched in the last P2G */
    int n_shares;          /* number of threads that share the owner blocks */
    int32_t *owned;        /* [n_shares + 1] first owner block of each share, and the end */
    /* [n_owners at most] by colour, by share, the largest first, then in list order */
    firn_block_cluster *clusters;
    int32_t *cluster_start;  /* [colour][share][size] first cluster, and the end */
    void *nodes, *old;       /* [n_blocks][64][4] */
    firn_block_range *range; /* [n_blocks] */
    uint64_t *keys;          /* hash table of coordinates: open addressing, */
    int32_t *values;         /* power of two, at most half full */
    int32_t table_size;
} firn_grid;

/* n_around as in the grid. */
void firn_grid_init(firn_grid *grid, firn_memory *memory, size_t real_size, int keeps_old,
                    const int32_t n_around[3]);
void firn_grid_clear(firn_grid *grid);
int firn_grid_is_reachable(const int32_t coord[3]);
/* Along periodic axes: the block of the first period that is the same. */
static inline void firn_grid_wrap(const firn_grid *grid, int32_t coord[3])
{
    for (int a = 0; a < 3; a++) {
        const int32_t n = grid->n_around[a];
        if (n > 0 && (coord[a] < 0 || coord[a] >= n)) coord[a] = (coord[a] % n + n) % n;
    }
}
/* Neighbour (x*3 + y)*3 + z of a block. */
static inline void firn_grid_beside(const firn_grid *grid, const int32_t block[3], int q,
                                    int32_t coord[3])
{
    coord[0] = block[0] + q / 9 - 1;
    coord[1] = block[1] + q / 3 % 3 - 1;
    coord[2] = block[2] + q % 3 - 1;
    firn_grid_wrap(grid, coord);
}
/* Morton key of a block: interleaved bits of its coordinates. */
uint64_t firn_grid_key(const int32_t coord[3]);
void firn_grid_coord(uint64_t key, int32_t coord[3]);
/* Sets the owner blocks from sorted unique keys; their reach is empty. */
firn_status firn_grid_set_owners(firn_grid *grid, const uint64_t *keys, int32_t n);
/* Adds the halo, from the same keys, once `reach` of each owner block is set. */
firn_status firn_grid_activate(firn_grid *grid, const uint64_t *keys);
/* Divides the owner blocks among threads so that each gets about the same sum of `weight`
 * [n_owners]. */
firn_status firn_grid_share(firn_grid *grid, int n_shares, const int32_t *weight);
/* The first cluster of a share of a colour; that of share n_shares is the next colour's. */
static inline int32_t firn_grid_cluster(const firn_grid *grid, int color, int share)
{
    return grid->cluster_start[(color * grid->n_shares + share) * FIRN_CLUSTER_SIZES];
}
/* The neighbours that particles between `low` and `high` (cells) may touch before the next sort:
 * bit 2 a, the block below along axis a; bit 2 a + 1, the one above. And back: the interval of
 * their positions, from lowest up to most. */
uint32_t firn_grid_reach(const double low[3], const double high[3]);
void firn_grid_reach_ends(uint32_t reach, double lowest[3], double most[3]);
int32_t firn_grid_find(const firn_grid *grid, const int32_t coord[3]); /* -1: not active */
void *firn_grid_nodes(const firn_grid *grid, int32_t block);
void *firn_grid_old(const firn_grid *grid, int32_t block);

/* Sorts keys and removes duplicates; returns how many are left. */
int32_t firn_grid_unique(uint64_t *keys, int32_t n);

#endif
