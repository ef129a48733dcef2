/* SPDX-License-Identifier: MIT */
/* grip_nodes.c: the nodes within reach of particles that a grip holds.
 *
 * Held particles move with the grip exactly (grip_particles.c), and so do nodes in its region.
 * Nodes shared by held and free particles in between would lag behind, because held particles are
 * not strained and do not pull, and the body would be drawn out of its grip layer by layer
 * (measured: a bar of 22 layers, two of them held, at 1.1 times its length). So every node that a
 * held particle reaches moves with the grip: free particles next to held ones see nodes that all
 * move alike, and follow. The grip thereby extends by up to two cells beyond its region.
 *
 * Parallel by clusters and colours as P2G, because neighbouring blocks mark common nodes. */
#include "mpm/grip_nodes.h"
#include "mpm/ranks.h"

#include <math.h>
#include <string.h>

static uint32_t wanted_bits(const firn_sim *sim)
{
    uint32_t bits = 0;
    for (int g = 0; g < sim->n_grips; g++)
        if (sim->grips[g].is_active && sim->grips[g].def.mode == FIRN_GRIP_MOTION &&
            sim->grips[g].n_particles > 0)
            bits |= 1u << g;
    return bits;
}

static uint32_t bits_of(const firn_particles *particles, const firn_particle_block *block, int p)
{
    return (uint32_t)firn_particles_value(particles, FIRN_FIELD_GRIP, block->first + p / 16, 0,
                                          p % 16);
}

static uint32_t bits_of_owner(const firn_sim *sim, int32_t owner)
{
    uint32_t bits = 0;
    for (int m = 0; m < sim->n_materials; m++) {
        const firn_particle_block *block = firn_particle_block_at(&sim->mpm->particles[m], owner);
        for (int p = 0; block && p < block->n; p++)
            bits |= bits_of(&sim->mpm->particles[m], block, p);
    }
    return bits;
}

static firn_status reserve_owners(firn_sim *sim, int32_t n)
{
    firn_grip_nodes *g = &sim->mpm->grip_nodes;
    if (n <= g->held_capacity) return FIRN_OK;
    firn_memory_release(&sim->memory, g->held, (size_t)g->held_capacity * sizeof *g->held);
    const int32_t capacity = n + n / 8;
    g->held = firn_memory_array(&sim->memory, (size_t)capacity, sizeof *g->held);
    g->held_capacity = g->held ? capacity : 0;
    return g->held ? FIRN_OK : FIRN_MEMORY;
}

/* Items for the blocks around owner blocks with held particles. */
/* Owner blocks are tested in parallel first; only the 27 neighbours of those with held particles
 * get items, so a scene with a small grip pays for its surroundings only. */
static firn_status reserve(firn_sim *sim, uint32_t wanted)
{
    firn_grip_nodes *g = &sim->mpm->grip_nodes;
    const firn_grid *grid = &sim->mpm->grid;
    firn_status status = reserve_owners(sim, grid->n_owners);
    if (status == FIRN_OK)
        status = firn_block_slots_reserve(&g->slots, &sim->memory, grid->n_blocks);
    if (firn_comm_agree(&sim->comm, status) != FIRN_OK) return FIRN_MEMORY;
#pragma omp parallel for schedule(dynamic, 16) num_threads(sim->n_threads)
    for (int32_t owner = 0; owner < grid->n_owners; owner++)
        g->held[owner] = bits_of_owner(sim, owner) & wanted;
    if (sim->mpm->ranks) firn_ranks_share_owners(sim, g->held, sizeof *g->held);

    for (int32_t b = 0; b < grid->n_blocks; b++) g->slots.slot[b] = -1;
    for (int32_t owner = 0; owner < grid->n_owners; owner++)
        for (int q = 0; g->held[owner] && q < 27; q++) {
            const int32_t block = grid->neighbours[owner][q];
            if (block >= 0) g->slots.slot[block] = 0;
        }
    return firn_block_slots_assign(&g->slots, &sim->memory, grid->n_blocks,
                                   FIRN_BLOCK_NODES * sizeof(uint32_t));
}

/* Marks the nodes less than half the width of the spline away from x (cells from the first node of
 * the owner block), which are at -2 .. 5. */
static void mark(firn_sim *sim, const int32_t neighbours[27], const double x[3], uint32_t bits)
{
    const double reach = sim->scene.grid.spline == FIRN_QUADRATIC ? 1.5 : 2;
    int first[3], last[3];
    for (int a = 0; a < 3; a++) {
        double at = fmin(fmax(x[a], -1), 4); /* keeps the index in the patch for any x */
        first[a] = (int)fmax(floor(at - reach) + 1, -2);
        last[a] = (int)fmin(ceil(at + reach) - 1, 5);
    }
    for (int i = first[0]; i <= last[0]; i++)
        for (int j = first[1]; j <= last[1]; j++)
            for (int k = first[2]; k <= last[2]; k++) {
                int32_t block = neighbours[((i + 4) / 4 * 3 + (j + 4) / 4) * 3 + (k + 4) / 4];
                if (block < 0) continue;
                uint32_t *nodes = firn_block_slots_at(&sim->mpm->grip_nodes.slots, block);
                nodes[((i & 3) << 2 | (j & 3)) << 2 | (k & 3)] |= bits;
            }
}

static void mark_owner(firn_sim *sim, int32_t owner)
{
    for (int m = 0; m < sim->n_materials; m++) {
        const firn_particles *particles = &sim->mpm->particles[m];
        const firn_particle_block *block = firn_particle_block_at(particles, owner);
        for (int p = 0; block && p < block->n; p++) {
            double x[3];
            uint32_t bits = bits_of(particles, block, p) & sim->mpm->grip_nodes.wanted;
            for (int a = 0; a < 3; a++)
                x[a] =
                    firn_particles_value(particles, FIRN_FIELD_X, block->first + p / 16, a, p % 16);
            if (bits) mark(sim, sim->mpm->grid.neighbours[owner], x, bits);
        }
    }
}

firn_status firn_grip_nodes_measure(firn_sim *sim)
{
    const firn_grid *grid = &sim->mpm->grid;
    sim->mpm->grip_nodes.wanted = wanted_bits(sim);
    if (!sim->mpm->grip_nodes.wanted) return FIRN_OK;
    const firn_status status = reserve(sim, sim->mpm->grip_nodes.wanted);
    if (firn_comm_agree(&sim->comm, status) != FIRN_OK) return FIRN_MEMORY;
#pragma omp parallel num_threads(sim->n_threads)
    for (int color = 0; color < grid->n_colors;
         color++) { /* clusters of one colour share no nodes */
#pragma omp for schedule(dynamic, 1)
        for (int32_t i = firn_grid_cluster(grid, color, 0);
             i < firn_grid_cluster(grid, color + 1, 0); i++)
            for (int32_t owner = grid->clusters[i].first; owner < grid->clusters[i].end; owner++)
                if (sim->mpm->grip_nodes.held[owner]) mark_owner(sim, owner);
    }
    if (sim->mpm->ranks) firn_ranks_share_bits(sim, &sim->mpm->grip_nodes.slots);
    return FIRN_OK;
}

const uint32_t *firn_grip_nodes_of_block(const firn_sim *sim, int32_t block)
{
    const firn_grip_nodes *g = &sim->mpm->grip_nodes;
    return g->wanted ? firn_block_slots_at(&g->slots, block) : NULL;
}

void firn_grip_nodes_clear(firn_sim *sim)
{
    firn_grip_nodes *g = &sim->mpm->grip_nodes;
    firn_block_slots_clear(&g->slots, &sim->memory);
    firn_memory_release(&sim->memory, g->held, (size_t)g->held_capacity * sizeof *g->held);
}
