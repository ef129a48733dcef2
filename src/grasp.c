/* grasp.c: which nodes the particles that a grip holds can see.
 *
 * Held particles move with the grip exactly (acts.c), and nodes in its region do. Between the two would be nodes that
 * held and free particles share: these lag behind, because held particles are not strained and so do not pull, and the
 * body is drawn out of its grip layer by layer - a bar of 22 layers, two of them held, at 1.1 times its length. So
 * every node that a held particle reaches moves with the grip: free particles next to the held ones are led by nodes
 * that all move alike and follow without being torn off. The grip so holds up to two cells more than its region. */
#include "solver.h"

#include <math.h>
#include <string.h>

static uint32_t wanted_bits(const firn_sim *sim)
{
    uint32_t bits = 0;
    for (int g = 0; g < sim->n_grips; g++)
        if (sim->grips[g].is_active && sim->grips[g].def.mode == FIRN_GRIP_MOTION && sim->grips[g].n_particles > 0)
            bits |= 1u << g;
    return bits;
}

static uint32_t bits_of(const firn_pool *pool, const firn_pool_block *block, int p)
{
    return (uint32_t)firn_pool_value(pool, FIRN_FIELD_GRIP, block->first + p / 16, 0, p % 16);
}

static uint32_t bits_of_home(const firn_sim *sim, int32_t home)
{
    uint32_t bits = 0;
    for (int m = 0; m < sim->n_pools; m++) {
        const firn_pool_block *block = firn_pool_block_at(&sim->pools[m], home);
        for (int p = 0; block && p < block->n; p++) bits |= bits_of(&sim->pools[m], block, p);
    }
    return bits;
}

static void release_blocks(firn_sim *sim)
{
    firn_grasp *g = &sim->grasp;
    firn_memory_release(&sim->memory, g->slot, (size_t)g->block_capacity * sizeof *g->slot);
    firn_memory_release(&sim->memory, g->home, (size_t)g->block_capacity * sizeof *g->home);
    g->slot = NULL, g->home = NULL, g->block_capacity = 0;
}

static firn_status reserve_blocks(firn_sim *sim, int32_t n)
{
    firn_grasp *g = &sim->grasp;
    if (n <= g->block_capacity) return FIRN_OK;
    release_blocks(sim);
    g->block_capacity = n + n / 8;
    g->slot = firn_memory_array(&sim->memory, (size_t)g->block_capacity, sizeof *g->slot);
    g->home = firn_memory_array(&sim->memory, (size_t)g->block_capacity, sizeof *g->home);
    if (!g->slot || !g->home) return release_blocks(sim), FIRN_MEMORY;
    return FIRN_OK;
}

/* Slots for the blocks around held particles. */
static firn_status reserve(firn_sim *sim, uint32_t wanted)
{
    firn_grasp *g = &sim->grasp;
    const int32_t n_blocks = sim->grid.n_blocks, n_home = sim->grid.n_home;
    if (reserve_blocks(sim, n_blocks) != FIRN_OK) return FIRN_MEMORY;
#pragma omp parallel for schedule(dynamic, 16) num_threads(sim->n_threads)
    for (int32_t home = 0; home < n_home; home++) g->home[home] = bits_of_home(sim, home) & wanted;
    for (int32_t b = 0; b < n_blocks; b++) g->slot[b] = -1;
    int32_t n = 0;
    for (int32_t home = 0; home < n_home; home++)
        for (int q = 0; g->home[home] && q < 27; q++) {
            int32_t block = sim->grid.neighbours[home][q];
            if (block >= 0 && g->slot[block] < 0) g->slot[block] = n++;
        }
    if (n > g->capacity) {
        firn_memory_release(&sim->memory, g->nodes, (size_t)g->capacity * sizeof *g->nodes);
        g->capacity = n + n / 8;
        g->nodes = firn_memory_array(&sim->memory, (size_t)g->capacity, sizeof *g->nodes);
        if (!g->nodes) return g->capacity = 0, FIRN_MEMORY;
    }
    if (n) memset(g->nodes, 0, (size_t)n * sizeof *g->nodes);
    return FIRN_OK;
}

/* x in cells from the first node of the home block: nodes less than half a spline away, which are at -2 .. 5. */
static void mark(firn_sim *sim, const int32_t neighbours[27], const double x[3], uint32_t bits)
{
    const double reach = sim->scene.grid.spline == FIRN_QUADRATIC ? 1.5 : 2;
    int first[3], last[3];
    for (int a = 0; a < 3; a++) {
        double at = fmin(fmax(x[a], -1), 4); /* an index is always in the patch */
        first[a] = (int)fmax(floor(at - reach) + 1, -2), last[a] = (int)fmin(ceil(at + reach) - 1, 5);
    }
    for (int i = first[0]; i <= last[0]; i++)
        for (int j = first[1]; j <= last[1]; j++)
            for (int k = first[2]; k <= last[2]; k++) {
                int32_t block = neighbours[((i + 4) / 4 * 3 + (j + 4) / 4) * 3 + (k + 4) / 4];
                if (block < 0) continue;
                sim->grasp.nodes[sim->grasp.slot[block]][((i & 3) << 2 | (j & 3)) << 2 | (k & 3)] |= bits;
            }
}

static void mark_home(firn_sim *sim, int32_t home)
{
    for (int m = 0; m < sim->n_pools; m++) {
        const firn_pool *pool = &sim->pools[m];
        const firn_pool_block *block = firn_pool_block_at(pool, home);
        for (int p = 0; block && p < block->n; p++) {
            double x[3];
            uint32_t bits = bits_of(pool, block, p) & sim->grasp.wanted;
            for (int a = 0; a < 3; a++) x[a] = firn_pool_value(pool, FIRN_FIELD_X, block->first + p / 16, a, p % 16);
            if (bits) mark(sim, sim->grid.neighbours[home], x, bits);
        }
    }
}

firn_status firn_grasp_measure(firn_sim *sim)
{
    const firn_grid *grid = &sim->grid;
    sim->grasp.wanted = wanted_bits(sim);
    if (!sim->grasp.wanted) return FIRN_OK;
    if (reserve(sim, sim->grasp.wanted) != FIRN_OK) return FIRN_MEMORY;
#pragma omp parallel num_threads(sim->n_threads)
    for (int color = 0; color < FIRN_COLORS; color++) { /* octets of one colour share no nodes */
#pragma omp for schedule(dynamic, 1)
        for (int32_t i = firn_grid_octet(grid, color, 0); i < firn_grid_octet(grid, color + 1, 0); i++)
            for (int32_t home = grid->octets[i].first; home < grid->octets[i].end; home++)
                if (sim->grasp.home[home]) mark_home(sim, home);
    }
    return FIRN_OK;
}

const uint32_t *firn_grasp_nodes(const firn_sim *sim, int32_t block)
{
    int32_t slot = sim->grasp.wanted ? sim->grasp.slot[block] : -1;
    return slot < 0 ? NULL : sim->grasp.nodes[slot];
}

void firn_grasp_clear(firn_sim *sim)
{
    firn_grasp *g = &sim->grasp;
    release_blocks(sim);
    firn_memory_release(&sim->memory, g->nodes, (size_t)g->capacity * sizeof *g->nodes);
}
