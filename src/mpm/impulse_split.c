/* SPDX-License-Identifier: MIT */
/* impulse_split.c: which material got what of the impulses that walls, colliders, grips and
 * force fields give to nodes.
 *
 * A condition changes the velocity of a node by dv, for all that is on it. A material of which
 * m_i^s is on node i so gets the impulse m_i^s dv_i, which is what its particles find there in
 * G2P: sum_p m_p w_ip dv_i. Work and friction are shared in the same way.
 *
 * Masses of materials are known while P2G fills a block's patch, one material after the other:
 * what stands in its mass channel after material s is the mass of materials 0 .. s. These sums
 * are kept for blocks of nodes that something reaches; the last one is the mass of the node
 * itself. Only scenes of several materials need any of this. */
#include "solver/solver.h"

#include <math.h>
#include <string.h>

static size_t slot_size(const firn_sim *sim) /* of one block and one sum */
{
    return FIRN_BLOCK_NODES * sim->kernels->real_size;
}

static void release_slots(firn_sim *sim)
{
    firn_impulse_split *t = &sim->impulse_split;
    firn_memory_release(&sim->memory, t->masses,
                        (size_t)t->capacity * (size_t)(sim->n_materials - 1) * slot_size(sim));
    t->masses = NULL;
    t->capacity = 0;
}

firn_status firn_impulse_split_prepare(firn_sim *sim)
{
    firn_impulse_split *t = &sim->impulse_split;
    const int32_t n = sim->grid.n_blocks;
    t->is_kept = 0;
    if (n > t->block_capacity) {
        firn_memory_release(&sim->memory, t->slot, (size_t)t->block_capacity * sizeof *t->slot);
        t->block_capacity = n + n / 8;
        t->slot = firn_memory_array(&sim->memory, (size_t)t->block_capacity, sizeof *t->slot);
        if (!t->slot) return t->block_capacity = 0, FIRN_MEMORY;
    }
    size_t n_sums = (size_t)FIRN_CHUNKS * (size_t)sim->n_materials;
    if (!t->sums) t->sums = firn_memory_array(&sim->memory, n_sums, sizeof *t->sums);
    if (!t->sums) return FIRN_MEMORY;
    memset(t->sums, 0, n_sums * sizeof *t->sums);
#pragma omp parallel for schedule(static) num_threads(sim->n_threads)
    for (int32_t b = 0; b < n; b++) t->slot[b] = firn_node_boundary_reach(sim, b) ? 0 : -1;
    int32_t n_slots = 0;
    for (int32_t b = 0; b < n; b++)
        if (t->slot[b] == 0) t->slot[b] = n_slots++;
    if (n_slots > t->capacity) {
        release_slots(sim);
        t->capacity = n_slots + n_slots / 8;
        t->masses = firn_memory_array(
            &sim->memory, (size_t)t->capacity * (size_t)(sim->n_materials - 1), slot_size(sim));
        if (!t->masses) return t->capacity = 0, FIRN_MEMORY;
    }
    t->n_slots = n_slots;
    t->is_kept = 1;
    return FIRN_OK;
}

static char *masses_of(const firn_sim *sim, int particles)
{
    return sim->impulse_split.masses +
           (size_t)particles * (size_t)sim->impulse_split.n_slots * slot_size(sim);
}

/* Once for every P2G, by its threads: a step may be tried more than once. */
void firn_impulse_split_clear_masses(const firn_sim *sim)
{
    const firn_impulse_split *t = &sim->impulse_split;
    int32_t n = t->is_kept ? t->n_slots * (sim->n_materials - 1) : 0;
#pragma omp for schedule(static)
    for (int32_t i = 0; i < n; i++)
        memset(t->masses + (size_t)i * slot_size(sim), 0, slot_size(sim));
}

void firn_impulse_split_weigh(const firn_sim *sim, int32_t owner, int particles, const void *patch)
{
    const firn_impulse_split *t = &sim->impulse_split;
    int32_t slots[27], is_near = 0;
    if (!t->is_kept || particles == sim->n_materials - 1) return;
    for (int q = 0; q < 27; q++) {
        int32_t block = sim->grid.neighbours[owner][q];
        slots[q] = block < 0 ? -1 : t->slot[block];
        is_near |= slots[q] >= 0;
    }
    if (is_near)
        sim->kernels->patch_weigh(patch, sim->grid.columns[owner], slots,
                                  masses_of(sim, particles));
}

static void *mass_at(const firn_sim *sim, int32_t slot, int particles, int node)
{
    return masses_of(sim, particles) +
           ((size_t)slot * FIRN_BLOCK_NODES + (size_t)node) * sim->kernels->real_size;
}

void firn_impulse_split_fold(const firn_sim *sim, int32_t from_block, int from_node,
                             int32_t to_block, int to_node)
{
    const firn_impulse_split *t = &sim->impulse_split;
    if (!t->is_kept || t->slot[from_block] < 0 || t->slot[to_block] < 0) return;
    for (int s = 0; s < sim->n_materials - 1; s++) {
        const void *from = mass_at(sim, t->slot[from_block], s, from_node);
        void *to = mass_at(sim, t->slot[to_block], s, to_node);
        if (sim->kernels->is_double)
            *(double *)to += *(const double *)from;
        else
            *(float *)to += *(const float *)from;
    }
}

void firn_impulse_split_share(const firn_sim *sim, int chunk, int32_t block, int node, double mass,
                              unsigned kinds, const double given[FIRN_N_BOUNDARY_KINDS][4])
{
    const firn_impulse_split *t = &sim->impulse_split;
    if (!t->is_kept || t->slot[block] < 0) return;
    double before = 0;
    for (int s = 0; s < sim->n_materials; s++) {
        double up_to = mass;
        if (s < sim->n_materials - 1) {
            const void *at = mass_at(sim, t->slot[block], s, node);
            up_to = fmin(mass, sim->kernels->is_double ? *(const double *)at
                                                       : (double)*(const float *)at);
        }
        double(*sums)[4] = t->sums[chunk * sim->n_materials + s], own = up_to - before;
        before = up_to;
        if (!(own > 0)) continue;
        for (int g = 0; g < FIRN_N_BOUNDARY_KINDS; g++)
            for (int c = 0; kinds >> g & 1 && c < 4; c++) sums[g][c] += own * given[g][c];
    }
}

void firn_impulse_split_collect(firn_sim *sim)
{
    for (int chunk = 0; chunk < FIRN_CHUNKS; chunk++)
        for (int m = 0; m < sim->n_materials; m++) {
            firn_ledger_sums *ledger = &sim->particles[m].sums;
            double(*sums)[4] = sim->impulse_split.sums[chunk * sim->n_materials + m];
            for (int g = 0; g < FIRN_N_BOUNDARY_KINDS; g++) {
                for (int a = 0; a < 3; a++) ledger->impulse[g][a] += sums[g][a];
                *(g == FIRN_BOUNDARY_WALLS ? &ledger->friction : &ledger->work) += sums[g][3];
            }
        }
    sim->impulse_split.is_kept = 0;
}

void firn_impulse_split_clear(firn_sim *sim)
{
    firn_impulse_split *t = &sim->impulse_split;
    if (sim->n_materials < 2) return;
    firn_memory_release(&sim->memory, t->slot, (size_t)t->block_capacity * sizeof *t->slot);
    release_slots(sim);
    firn_memory_release(&sim->memory, t->sums,
                        (size_t)FIRN_CHUNKS * (size_t)sim->n_materials * sizeof *t->sums);
}
