/* tally.c: which material got what of the impulses that walls, colliders, grips and force fields give to nodes.
 *
 * A condition changes the velocity of a node by dv, for all that is on it. A material of which m_i^s is on node i so
 * gets the impulse m_i^s dv_i, which is what its particles find there in G2P: sum_p m_p w_ip dv_i. Work and friction
 * are shared in the same way.
 *
 * Masses of materials are known while P2G fills a block's patch, one material after the other: what stands in its mass
 * channel after material s is the mass of materials 0 .. s. These sums are kept for blocks of nodes that something
 * reaches; the last one is the mass of the node itself. Only scenes of several materials need any of this. */
#include "solver.h"

#include <math.h>
#include <string.h>

static size_t slot_size(const firn_sim *sim) /* of one block and one sum */
{
    return FIRN_BLOCK_NODES * sim->kernels->real_size;
}

static void release_slots(firn_sim *sim)
{
    firn_tally *t = &sim->tally;
    firn_memory_release(&sim->memory, t->masses, (size_t)t->capacity * (size_t)(sim->n_pools - 1) * slot_size(sim));
    t->masses = NULL, t->capacity = 0;
}

firn_status firn_tally_prepare(firn_sim *sim)
{
    firn_tally *t = &sim->tally;
    const int32_t n = sim->grid.n_blocks;
    t->is_kept = 0;
    if (n > t->block_capacity) {
        firn_memory_release(&sim->memory, t->slot, (size_t)t->block_capacity * sizeof *t->slot);
        t->block_capacity = n + n / 8;
        t->slot = firn_memory_array(&sim->memory, (size_t)t->block_capacity, sizeof *t->slot);
        if (!t->slot) return t->block_capacity = 0, FIRN_MEMORY;
    }
    size_t n_sums = (size_t)FIRN_CHUNKS * (size_t)sim->n_pools;
    if (!t->sums) t->sums = firn_memory_array(&sim->memory, n_sums, sizeof *t->sums);
    if (!t->sums) return FIRN_MEMORY;
    memset(t->sums, 0, n_sums * sizeof *t->sums);
#pragma omp parallel for schedule(static) num_threads(sim->n_threads)
    for (int32_t b = 0; b < n; b++) t->slot[b] = firn_conditions_reach(sim, b) ? 0 : -1;
    int32_t n_slots = 0;
    for (int32_t b = 0; b < n; b++)
        if (t->slot[b] == 0) t->slot[b] = n_slots++;
    if (n_slots > t->capacity) {
        release_slots(sim);
        t->capacity = n_slots + n_slots / 8;
        t->masses = firn_memory_array(&sim->memory, (size_t)t->capacity * (size_t)(sim->n_pools - 1), slot_size(sim));
        if (!t->masses) return t->capacity = 0, FIRN_MEMORY;
    }
    t->n_slots = n_slots, t->is_kept = 1;
    return FIRN_OK;
}

static char *masses_of(const firn_sim *sim, int pool)
{
    return sim->tally.masses + (size_t)pool * (size_t)sim->tally.n_slots * slot_size(sim);
}

/* Once for every P2G, by its threads: a step may be tried more than once. */
void firn_tally_clear_masses(const firn_sim *sim)
{
    const firn_tally *t = &sim->tally;
    int32_t n = t->is_kept ? t->n_slots * (sim->n_pools - 1) : 0;
#pragma omp for schedule(static)
    for (int32_t i = 0; i < n; i++) memset(t->masses + (size_t)i * slot_size(sim), 0, slot_size(sim));
}

void firn_tally_weigh(const firn_sim *sim, int32_t home, int pool, const void *patch)
{
    const firn_tally *t = &sim->tally;
    int32_t slots[27], is_near = 0;
    if (!t->is_kept || pool == sim->n_pools - 1) return;
    for (int q = 0; q < 27; q++) {
        int32_t block = sim->grid.neighbours[home][q];
        slots[q] = block < 0 ? -1 : t->slot[block];
        is_near |= slots[q] >= 0;
    }
    if (is_near) sim->kernels->patch_weigh(patch, sim->grid.columns[home], slots, masses_of(sim, pool));
}

static void *mass_at(const firn_sim *sim, int32_t slot, int pool, int node)
{
    return masses_of(sim, pool) + ((size_t)slot * FIRN_BLOCK_NODES + (size_t)node) * sim->kernels->real_size;
}

void firn_tally_fold(const firn_sim *sim, int32_t from_block, int from_node, int32_t to_block, int to_node)
{
    const firn_tally *t = &sim->tally;
    if (!t->is_kept || t->slot[from_block] < 0 || t->slot[to_block] < 0) return;
    for (int s = 0; s < sim->n_pools - 1; s++) {
        const void *from = mass_at(sim, t->slot[from_block], s, from_node);
        void *to = mass_at(sim, t->slot[to_block], s, to_node);
        if (sim->kernels->is_double)
            *(double *)to += *(const double *)from;
        else
            *(float *)to += *(const float *)from;
    }
}

void firn_tally_share(const firn_sim *sim, int chunk, int32_t block, int node, double mass, unsigned givers,
                      const double given[FIRN_N_GIVERS][4])
{
    const firn_tally *t = &sim->tally;
    if (!t->is_kept || t->slot[block] < 0) return;
    double before = 0;
    for (int s = 0; s < sim->n_pools; s++) {
        double up_to = mass;
        if (s < sim->n_pools - 1) {
            const void *at = mass_at(sim, t->slot[block], s, node);
            up_to = fmin(mass, sim->kernels->is_double ? *(const double *)at : (double)*(const float *)at);
        }
        double(*sums)[4] = t->sums[chunk * sim->n_pools + s], own = up_to - before;
        before = up_to;
        if (!(own > 0)) continue;
        for (int g = 0; g < FIRN_N_GIVERS; g++)
            for (int c = 0; givers >> g & 1 && c < 4; c++) sums[g][c] += own * given[g][c];
    }
}

void firn_tally_collect(firn_sim *sim)
{
    for (int chunk = 0; chunk < FIRN_CHUNKS; chunk++)
        for (int m = 0; m < sim->n_pools; m++) {
            firn_account *account = &sim->pools[m].account;
            double(*sums)[4] = sim->tally.sums[chunk * sim->n_pools + m];
            for (int g = 0; g < FIRN_N_GIVERS; g++) {
                for (int a = 0; a < 3; a++) account->impulse[g][a] += sums[g][a];
                *(g == FIRN_GIVER_WALLS ? &account->friction : &account->work) += sums[g][3];
            }
        }
    sim->tally.is_kept = 0;
}

void firn_tally_clear(firn_sim *sim)
{
    firn_tally *t = &sim->tally;
    if (sim->n_pools < 2) return;
    firn_memory_release(&sim->memory, t->slot, (size_t)t->block_capacity * sizeof *t->slot);
    release_slots(sim);
    firn_memory_release(&sim->memory, t->sums, (size_t)FIRN_CHUNKS * (size_t)sim->n_pools * sizeof *t->sums);
}
