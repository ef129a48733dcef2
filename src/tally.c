/* tally.c: which material got what of the impulses that walls, colliders, grips and force fields give to nodes.
 *
 * A condition changes the velocity of a node by dv, for all that is on it. A material of which m_i^s is on node i so
 * gets the impulse sum_i m_i^s dv_i, and since m_i^s = sum_p m_p w_ip over its particles, that is
 *
 *     sum_p m_p sum_i w_ip dv_i
 *
 * - the same interpolation as in G2P, of dv instead of v. Work and friction per mass travel in the fourth channel.
 * Only scenes of several materials need it, and only blocks that something reaches have slots for it. */
#include "solver.h"

#include <string.h>

/* How many of the first givers a block has. */
static int32_t count_before(uint8_t givers, int giver)
{
    int32_t n = 0;
    for (int g = 0; g < giver; g++) n += givers >> g & 1;
    return n;
}

static size_t slot_size(const firn_sim *sim) { return sim->grid.node_size; }

static void release_blocks(firn_sim *sim)
{
    firn_tally *t = &sim->tally;
    firn_memory_release(&sim->memory, t->first, (size_t)t->block_capacity * sizeof *t->first);
    firn_memory_release(&sim->memory, t->givers, (size_t)t->block_capacity);
    t->first = NULL, t->givers = NULL, t->block_capacity = 0;
}

static firn_status reserve_blocks(firn_sim *sim)
{
    firn_tally *t = &sim->tally;
    if (sim->grid.n_blocks > t->block_capacity) {
        release_blocks(sim);
        t->block_capacity = sim->grid.n_blocks + sim->grid.n_blocks / 8;
        t->first = firn_memory_array(&sim->memory, (size_t)t->block_capacity, sizeof *t->first);
        t->givers = firn_memory_array(&sim->memory, (size_t)t->block_capacity, 1);
        if (!t->first || !t->givers) return release_blocks(sim), FIRN_MEMORY;
    }
    int64_t n = (int64_t)sim->grid.n_home * sim->n_pools;
    if (n > t->sum_capacity) {
        firn_memory_release(&sim->memory, t->sums, (size_t)t->sum_capacity * sizeof *t->sums);
        t->sum_capacity = n + n / 8;
        t->sums = firn_memory_array(&sim->memory, (size_t)t->sum_capacity, sizeof *t->sums);
        if (!t->sums) return t->sum_capacity = 0, FIRN_MEMORY;
    }
    return FIRN_OK;
}

firn_status firn_tally_prepare(firn_sim *sim)
{
    firn_tally *t = &sim->tally;
    if (reserve_blocks(sim) != FIRN_OK) return FIRN_MEMORY;
#pragma omp parallel for schedule(static) num_threads(sim->n_threads)
    for (int32_t b = 0; b < sim->grid.n_blocks; b++) t->givers[b] = (uint8_t)firn_conditions_givers(sim, b);
    t->n_slots = 0;
    for (int32_t b = 0; b < sim->grid.n_blocks; b++) {
        t->first[b] = t->givers[b] ? (int32_t)t->n_slots : -1;
        t->n_slots += count_before(t->givers[b], FIRN_N_GIVERS);
    }
    if (t->n_slots > INT32_MAX) return FIRN_MEMORY;
    if (t->n_slots > t->capacity) {
        firn_memory_release(&sim->memory, t->slots, (size_t)t->capacity * slot_size(sim));
        t->capacity = t->n_slots + t->n_slots / 8;
        t->slots = firn_memory_array(&sim->memory, (size_t)t->capacity, slot_size(sim));
        if (!t->slots) return t->capacity = 0, FIRN_MEMORY;
    }
    if (t->n_slots) memset(t->slots, 0, (size_t)t->n_slots * slot_size(sim));
    return FIRN_OK;
}

static int32_t slot_of(const firn_tally *t, int32_t block, int giver)
{
    if (block < 0 || t->first[block] < 0 || !(t->givers[block] >> giver & 1)) return -1;
    return t->first[block] + count_before(t->givers[block], giver);
}

void firn_tally_write(const firn_sim *sim, int32_t block, int node, const double given[FIRN_N_GIVERS][4])
{
    for (int g = 0; g < FIRN_N_GIVERS; g++) {
        int32_t slot = slot_of(&sim->tally, block, g);
        if (slot < 0) continue;
        char *at = sim->tally.slots + (size_t)slot * slot_size(sim);
        for (int c = 0; c < 4; c++) {
            if (sim->kernels->is_double)
                ((double *)(void *)at)[node * 4 + c] += given[g][c];
            else
                ((float *)(void *)at)[node * 4 + c] += (float)given[g][c];
        }
    }
}

void firn_tally_gather(firn_sim *sim, int32_t home, int pool_index, const firn_pool_block *block,
                       const firn_workspace *w)
{
    firn_tally *t = &sim->tally;
    double(*sums)[4] = t->sums[(size_t)pool_index * (size_t)sim->grid.n_home + (size_t)home];
    memset(sums, 0, sizeof *t->sums);
    const firn_pool *pool = &sim->pools[pool_index];
    const int32_t *near = sim->grid.neighbours[home];
    unsigned any = 0;
    for (int q = 0; q < 27; q++) any |= t->givers[near[q]];
    for (int g = 0; g < FIRN_N_GIVERS; g++) {
        int32_t slots[27];
        if (!(any >> g & 1)) continue;
        for (int q = 0; q < 27; q++) slots[q] = slot_of(t, near[q], g);
        firn_transfer transfer = pool->transfer;
        firn_block_particles particles = firn_pool_block_particles(pool, block);
        sim->kernels->patch_load(w->patch, sim->grid.columns[home], slots, t->slots);
        sim->kernels->collect(&transfer, &particles, w->patch, sums[g]);
    }
}

void firn_tally_collect(firn_sim *sim)
{
    for (int m = 0; m < sim->n_pools; m++) {
        firn_account *account = &sim->pools[m].account;
        for (int32_t b = 0; b < sim->pools[m].n_blocks; b++) {
            int32_t home = sim->pools[m].blocks[b].home;
            double(*sums)[4] = sim->tally.sums[(size_t)m * (size_t)sim->grid.n_home + (size_t)home];
            for (int g = 0; g < FIRN_N_GIVERS; g++) {
                for (int a = 0; a < 3; a++) account->impulse[g][a] += sums[g][a];
                *(g == FIRN_GIVER_WALLS ? &account->friction : &account->work) += sums[g][3];
            }
        }
    }
}

void firn_tally_clear(firn_sim *sim)
{
    firn_tally *t = &sim->tally;
    release_blocks(sim);
    firn_memory_release(&sim->memory, t->slots, (size_t)t->capacity * sim->grid.node_size);
    firn_memory_release(&sim->memory, t->sums, (size_t)t->sum_capacity * sizeof *t->sums);
}
