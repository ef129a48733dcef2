/* SPDX-License-Identifier: MIT */
/* grid.c: the sparse background grid (grid.h): keys, hash table, halo, work ranges.
 *
 * Morton keys interleave the bits of the three block coordinates (offset by 2^20 to be positive), x
 * highest: blocks that are close in space are mostly close in the list, and so in memory, and the
 * blocks of a 2 x 2 x 2 cube with even corner are consecutive, which clusters rely on.
 *
 * Hash table: open addressing with linear probing, power of two, at most half full, so a search
 * ends at a free slot after about 1.5 probes. Keys are made once per block and sort, never per
 * particle.
 *
 * Cost of a rebuild: 27 lookups per owner block. Numbering depends on the owner list and the reach
 * of its particles alone, so it is the same for any number of threads. */
#include "mpm/grid.h"
#include "base/random.h"

#include <stdlib.h>
#include <string.h>

/* Colours along an axis: the parities of cubes; around a period of m = ceil(n / 2) cubes a third
 * one where two cubes of one parity would be less than two blocks apart (color_along). */
void firn_grid_init(firn_grid *grid, firn_memory *memory, size_t real_size, int keeps_old,
                    const int32_t n_around[3])
{
    *grid = (firn_grid){.memory = memory,
                        .node_size = real_size * FIRN_BLOCK_NODES * FIRN_CHANNELS,
                        .keeps_old = keeps_old,
                        .n_colors = 1};
    for (int a = 0; a < 3; a++) {
        const int32_t n = grid->n_around[a] = n_around[a], m = (n + 1) / 2;
        grid->n_parities[a] = m > 2 && (m % 2 || n % 2) ? 3 : 2;
        grid->n_colors *= grid->n_parities[a];
    }
}

static void release_blocks(firn_grid *grid)
{
    size_t n = (size_t)grid->capacity;
    firn_memory_release(grid->memory, grid->coord, n * sizeof *grid->coord);
    firn_memory_release(grid->memory, grid->nodes, n * grid->node_size);
    firn_memory_release(grid->memory, grid->old, n * grid->node_size);
    firn_memory_release(grid->memory, grid->range, n * sizeof *grid->range);
    grid->coord = NULL;
    grid->nodes = grid->old = NULL;
    grid->range = NULL;
    grid->capacity = 0;
}

static void release_owner(firn_grid *grid)
{
    size_t n = (size_t)grid->owner_capacity;
    firn_memory_release(grid->memory, grid->neighbours, n * sizeof *grid->neighbours);
    firn_memory_release(grid->memory, grid->reach, n * sizeof *grid->reach);
    firn_memory_release(grid->memory, grid->columns, n * sizeof *grid->columns);
    firn_memory_release(grid->memory, grid->clusters, n * sizeof *grid->clusters);
    grid->neighbours = NULL;
    grid->reach = NULL;
    grid->columns = NULL;
    grid->clusters = NULL;
    grid->owner_capacity = 0;
}

static void release_table(firn_grid *grid)
{
    firn_memory_release(grid->memory, grid->keys, (size_t)grid->table_size * sizeof *grid->keys);
    firn_memory_release(grid->memory, grid->values,
                        (size_t)grid->table_size * sizeof *grid->values);
    grid->keys = NULL;
    grid->values = NULL;
    grid->table_size = 0;
}

static void release_shares(firn_grid *grid)
{
    size_t n = (size_t)grid->n_shares;
    firn_memory_release(grid->memory, grid->owned, (n + 1) * sizeof *grid->owned);
    firn_memory_release(grid->memory, grid->cluster_start,
                        ((size_t)grid->n_colors * n * FIRN_CLUSTER_SIZES + 1) *
                            sizeof *grid->cluster_start);
    grid->owned = grid->cluster_start = NULL;
    grid->n_shares = 0;
}

void firn_grid_clear(firn_grid *grid)
{
    if (!grid->memory) return;
    release_blocks(grid);
    release_owner(grid);
    release_table(grid);
    release_shares(grid);
    grid->n_owners = grid->n_blocks = 0;
}

/* ---------------------------------------------------------------- keys */

/* One block of distance to the limit on either side, so that the halo of every owner block has
 * keys. */
int firn_grid_is_reachable(const int32_t coord[3])
{
    for (int a = 0; a < 3; a++)
        if (coord[a] <= -FIRN_COORD_LIMIT + 1 || coord[a] >= FIRN_COORD_LIMIT - 2) return 0;
    return 1;
}

static uint64_t spread(uint64_t x) /* bit i to bit 3 i */
{
    x &= 0x1fffff;
    x = (x | x << 32) & 0x1f00000000ffffull;
    x = (x | x << 16) & 0x1f0000ff0000ffull;
    x = (x | x << 8) & 0x100f00f00f00f00full;
    x = (x | x << 4) & 0x10c30c30c30c30c3ull;
    return (x | x << 2) & 0x1249249249249249ull;
}

static int32_t gather(uint64_t x)
{
    x &= 0x1249249249249249ull;
    x = (x | x >> 2) & 0x10c30c30c30c30c3ull;
    x = (x | x >> 4) & 0x100f00f00f00f00full;
    x = (x | x >> 8) & 0x1f0000ff0000ffull;
    x = (x | x >> 16) & 0x1f00000000ffffull;
    return (int32_t)((x | x >> 32) & 0x1fffff);
}

uint64_t firn_grid_key(const int32_t coord[3])
{
    uint64_t key = 0;
    for (int a = 0; a < 3; a++) key |= spread((uint64_t)(coord[a] + FIRN_COORD_LIMIT)) << (2 - a);
    return key;
}

void firn_grid_coord(uint64_t key, int32_t coord[3])
{
    for (int a = 0; a < 3; a++) coord[a] = gather(key >> (2 - a)) - FIRN_COORD_LIMIT;
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t p = *(const uint64_t *)a, q = *(const uint64_t *)b;
    return (p > q) - (p < q);
}

int32_t firn_grid_unique(uint64_t *keys, int32_t n)
{
    if (n > 1) qsort(keys, (size_t)n, sizeof *keys, compare_keys);
    int32_t kept = 0;
    for (int32_t i = 0; i < n; i++)
        if (i == 0 || keys[i] != keys[i - 1]) keys[kept++] = keys[i];
    return kept;
}

/* ---------------------------------------------------------------- hash table */

/* Keys are stored plus one: zero means free. */
/* The slot of a key, or the free slot where it belongs. Terminates, as at most half of the table is
 * in use. */
static int32_t *find_slot(const firn_grid *grid, uint64_t key)
{
    uint64_t mask = (uint64_t)grid->table_size - 1, at = (key * FIRN_RANDOM_STEP) >> 20 & mask;
    while (grid->keys[at] && grid->keys[at] != key + 1) at = (at + 1) & mask;
    return &grid->values[at];
}

static int is_free(const firn_grid *grid, const int32_t *slot)
{
    return grid->keys[slot - grid->values] == 0;
}

int32_t firn_grid_find(const firn_grid *grid, const int32_t coord[3])
{
    if (grid->table_size == 0) return -1;
    const int32_t *slot = find_slot(grid, firn_grid_key(coord));
    return is_free(grid, slot) ? -1 : *slot;
}

static void insert(firn_grid *grid, uint64_t key, int32_t block)
{
    int32_t *slot = find_slot(grid, key);
    grid->keys[slot - grid->values] = key + 1;
    *slot = block;
}

static firn_status make_table(firn_grid *grid, int32_t n_at_most)
{
    int32_t size = 64;
    while (size < 2 * n_at_most && size < 1 << 30) size *= 2;
    if (size > grid->table_size) {
        release_table(grid);
        grid->keys = firn_memory_array(grid->memory, (size_t)size, sizeof *grid->keys);
        grid->values = firn_memory_array(grid->memory, (size_t)size, sizeof *grid->values);
        grid->table_size = size;
        if (!grid->keys || !grid->values) return release_table(grid), FIRN_MEMORY;
    } else {
        memset(grid->keys, 0, (size_t)grid->table_size * sizeof *grid->keys);
    }
    return FIRN_OK;
}

/* ---------------------------------------------------------------- memory */

static firn_status reserve_owner(firn_grid *grid, int32_t n)
{
    if (n <= grid->owner_capacity) return FIRN_OK;
    release_owner(grid);
    n += n / 8;
    grid->neighbours = firn_memory_array(grid->memory, (size_t)n, sizeof *grid->neighbours);
    grid->reach = firn_memory_array(grid->memory, (size_t)n, sizeof *grid->reach);
    grid->columns = firn_memory_array(grid->memory, (size_t)n, sizeof *grid->columns);
    grid->clusters = firn_memory_array(grid->memory, (size_t)n, sizeof *grid->clusters);
    grid->owner_capacity = n;
    if (!grid->neighbours || !grid->reach || !grid->columns || !grid->clusters)
        return release_owner(grid), FIRN_MEMORY;
    return FIRN_OK;
}

static firn_status reserve_blocks(firn_grid *grid, int32_t n)
{
    if (n <= grid->capacity) return FIRN_OK;
    release_blocks(grid);
    n += n / 8;
    grid->coord = firn_memory_array(grid->memory, (size_t)n, sizeof *grid->coord);
    grid->nodes = firn_memory_array(grid->memory, (size_t)n, grid->node_size);
    grid->old =
        grid->keeps_old ? firn_memory_array(grid->memory, (size_t)n, grid->node_size) : NULL;
    grid->range = firn_memory_array(grid->memory, (size_t)n, sizeof *grid->range);
    grid->capacity = n;
    if (!grid->coord || !grid->nodes || (!grid->old && grid->keeps_old) || !grid->range)
        return release_blocks(grid), FIRN_MEMORY;
    return FIRN_OK;
}

/* ---------------------------------------------------------------- reach */

/* A particle at x reaches the block below if x - drift < 1, as its first node floor(x) - 1 is then
 * below 0; the one above if x + drift >= 2, as its last node floor(x) + 2 is then above 3. drift =
 * 0.5 cells until the next sort. */
uint32_t firn_grid_reach(const double low[3], const double high[3])
{
    const double drift = 0.5;
    uint32_t reach = 0;
    for (int a = 0; a < 3; a++)
        reach |= (uint32_t)(low[a] - drift < 1) << 2 * a | (uint32_t)(high[a] + drift >= 2)
                                                               << (2 * a + 1);
    return reach;
}

void firn_grid_reach_ends(uint32_t reach, double lowest[3], double most[3])
{
    for (int a = 0; a < 3; a++) {
        lowest[a] = reach >> 2 * a & 1 ? -1 : 1;
        most[a] = reach >> (2 * a + 1) & 1 ? 4 : 2;
    }
}

/* Whether neighbour q is in reach. */
static int reaches(uint32_t reach, int q)
{
    const int step[3] = {q / 9 - 1, q / 3 % 3 - 1, q % 3 - 1};
    for (int a = 0; a < 3; a++)
        if (step[a] && !(reach >> (2 * a + (step[a] > 0)) & 1)) return 0;
    return 1;
}

/* ---------------------------------------------------------------- activation */

/* The first half of a rebuild: numbers of owner blocks are known, their reach is not, so the halo
 * waits for firn_grid_activate. */
firn_status firn_grid_set_owners(firn_grid *grid, const uint64_t *keys, int32_t n)
{
    grid->n_owners = grid->n_blocks = 0; /* an empty grid after a failure */
    if (n > FIRN_OWNERS_MAX || reserve_owner(grid, n) != FIRN_OK ||
        make_table(grid, 2 * n) != FIRN_OK)
        return FIRN_MEMORY;
    for (int32_t b = 0; b < n; b++) {
        insert(grid, keys[b], b);
        grid->reach[b] = 0;
    }
    grid->n_owners = n;
    return FIRN_OK;
}

/* Numbers the halo in the order of discovery: a function of the owner list and its reach alone.
 * Returns the number of blocks; -1: the table would be more than half full. */
static int32_t number_halo(firn_grid *grid, const uint64_t *keys)
{
    int32_t total = grid->n_owners;
    for (int32_t b = 0; b < grid->n_owners; b++) {
        int32_t c[3];
        firn_grid_coord(keys[b], c);
        for (int q = 0; q < 27; q++) {
            grid->neighbours[b][q] = -1;
            if (!reaches(grid->reach[b], q)) continue;
            int32_t beside[3];
            firn_grid_beside(grid, c, q, beside);
            uint64_t key = firn_grid_key(beside);
            int32_t *slot = find_slot(grid, key);
            if (is_free(grid, slot)) {
                if (2 * (total + 1) > grid->table_size) return -1;
                insert(grid, key, total++);
            }
            grid->neighbours[b][q] = *slot;
        }
    }
    return total;
}

/* Material that fills its blocks has two or three blocks per owner block, spray up to eight: the
 * table grows as needed. Blocks are numbered first, with keys alone, because the arrays of nodes
 * are allocated in one piece. */
firn_status firn_grid_activate(firn_grid *grid, const uint64_t *keys)
{
    const int32_t n = grid->n_owners;
    int32_t total = number_halo(grid, keys);
    for (int32_t bound = 4 * n; total < 0; bound *= 2) {
        if (make_table(grid, bound) != FIRN_OK) return grid->n_owners = 0, FIRN_MEMORY;
        for (int32_t b = 0; b < n; b++) insert(grid, keys[b], b);
        total = number_halo(grid, keys);
    }
    if (reserve_blocks(grid, total) != FIRN_OK) return grid->n_owners = 0, FIRN_MEMORY;
    grid->n_blocks = total;
    for (int32_t b = 0; b < n; b++) {
        int32_t c[3];
        firn_grid_coord(keys[b], c);
        for (int q = 0; q < 27; q++) {
            if (grid->neighbours[b][q] >= 0)
                firn_grid_beside(grid, c, q, grid->coord[grid->neighbours[b][q]]);
        }
    }
    return FIRN_OK;
}

/* ---------------------------------------------------------------- shares */

/* The colour of cube i = c / 2 along an axis: its parity. Around a period of n blocks, m = ceil(n /
 * 2) cubes, cube 0 follows cube m - 1, which is half a cube where n is odd:
 *
 *     m odd                  the last cube and the first have parity 0: the last gets colour 2
 *     n odd, m even          cubes m - 2 and 0 have parity 0 and one block between them: m - 2
 *                            gets colour 2
 *
 * With m <= 2 a parity has one cube at most. */
static int color_along(const firn_grid *grid, int axis, int32_t c)
{
    const int32_t i = c >> 1, n = grid->n_around[axis], m = (n + 1) / 2;
    return grid->n_parities[axis] == 3 && i == (m % 2 ? m - 1 : m - 2) ? 2 : i & 1;
}

/* The colour of a block's cube. Cubes of one colour are two blocks apart along some axis, patches
 * reach one block beyond a cube: they do not overlap. */
static int color_of(const firn_grid *grid, const int32_t c[3])
{
    int color = 0;
    for (int a = 0; a < 3; a++) color = color * grid->n_parities[a] + color_along(grid, a, c[a]);
    return color;
}

/* The cluster that begins with an owner block: consecutive blocks of the list in the same cube of 2
 * x 2 x 2 (Morton order makes them adjacent). */
static firn_block_cluster cluster_at(const firn_grid *grid, int32_t first)
{
    const int32_t *c = grid->coord[first];
    int32_t end = first + 1;
    for (; end < grid->n_owners; end++) {
        const int32_t *d = grid->coord[end];
        if (c[0] >> 1 != d[0] >> 1 || c[1] >> 1 != d[1] >> 1 || c[2] >> 1 != d[2] >> 1) break;
    }
    return (firn_block_cluster){first, end};
}

static firn_status reserve_shares(firn_grid *grid, int n_shares)
{
    if (n_shares == grid->n_shares) return FIRN_OK;
    release_shares(grid);
    grid->n_shares = n_shares;
    grid->owned = firn_memory_array(grid->memory, (size_t)n_shares + 1, sizeof *grid->owned);
    grid->cluster_start = firn_memory_array(
        grid->memory, (size_t)grid->n_colors * (size_t)n_shares * FIRN_CLUSTER_SIZES + 1,
        sizeof *grid->cluster_start);
    if (!grid->owned || !grid->cluster_start) return release_shares(grid), FIRN_MEMORY;
    return FIRN_OK;
}

/* Cuts the owner list where the running sum of weights passes multiples of total / n_shares. */
static void share_owner(firn_grid *grid, const int32_t *weight)
{
    int64_t all = 0, sum = 0;
    int share = 0;
    for (int32_t b = 0; b < grid->n_owners; b++) all += weight[b];
    for (int32_t b = 0; b < grid->n_owners; sum += weight[b++])
        for (; sum * grid->n_shares >= all * share; share++) grid->owned[share] = b;
    for (; share <= grid->n_shares; share++) grid->owned[share] = grid->n_owners;
}

/* Counting sort of clusters by colour, share and size, the largest first, so that no thread begins
 * a large cluster when the others have finished. */
static void order_clusters(firn_grid *grid)
{
    const int32_t n_places = grid->n_colors * grid->n_shares * FIRN_CLUSTER_SIZES;
    int32_t *start = grid->cluster_start;
    memset(start, 0, ((size_t)n_places + 1) * sizeof *start);
    for (int is_placing = 0; is_placing < 2; is_placing++) {
        firn_block_cluster o;
        for (int32_t b = 0, share = 0; b < grid->n_owners; b = o.end) {
            o = cluster_at(grid, b);
            while (b >= grid->owned[share + 1]) share++;
            int32_t place =
                (color_of(grid, grid->coord[b]) * grid->n_shares + share + 1) * FIRN_CLUSTER_SIZES -
                (o.end - o.first);
            if (is_placing)
                grid->clusters[start[place]++] = o;
            else
                start[place]++;
        }
        if (is_placing) continue;
        for (int32_t k = 0, before = 0, count; k <= n_places; k++, before += count) {
            count = start[k];
            start[k] = before;
        }
    }
    memmove(start + 1, start,
            (size_t)n_places * sizeof *start); /* placing has advanced each start to its end */
    start[0] = 0;
}

firn_status firn_grid_share(firn_grid *grid, int n_shares, const int32_t *weight)
{
    if (reserve_shares(grid, n_shares) != FIRN_OK) return FIRN_MEMORY;
    share_owner(grid, weight);
    order_clusters(grid);
    return FIRN_OK;
}

void *firn_grid_nodes(const firn_grid *grid, int32_t block)
{
    return (char *)grid->nodes + (size_t)block * grid->node_size;
}

void *firn_grid_old(const firn_grid *grid, int32_t block)
{
    return grid->old ? (char *)grid->old + (size_t)block * grid->node_size : NULL;
}
