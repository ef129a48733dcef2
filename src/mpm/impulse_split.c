/* SPDX-License-Identifier: MIT */
/* impulse_split.c: the impulses of walls, colliders, grips and force fields on nodes, divided among
 * the materials on them.
 *
 * A boundary changes the velocity of a node by dv for all that is on it. A material with mass m_i^s
 * on node i receives the impulse m_i^s dv_i, which is what its particles gather in G2P: sum_p m_p
 * w_ip dv_i. Work and friction are divided in the same ratio.
 *
 * Masses by material are known while P2G fills a block's patch, one material after the other: after
 * material s the mass channel holds the mass of materials 0 .. s. These partial sums are kept for
 * blocks of nodes that a boundary reaches; the last one is the mass of the node itself. Only scenes
 * of several materials need them. */
#include "mpm/impulse_split.h"
#include "mpm/ranks.h"

#include <math.h>
#include <string.h>

/* Bytes of the masses of one block and one material; of all materials but the last. */
static size_t masses_size(const firn_sim *sim)
{
    return FIRN_BLOCK_NODES * sim->mpm->kernels->real_size;
}
static size_t item_size(const firn_sim *sim)
{
    return (size_t)(sim->n_materials - 1) * masses_size(sim);
}

firn_status firn_impulse_split_prepare(firn_sim *sim)
{
    firn_impulse_split *t = &sim->mpm->impulse_split;
    const int32_t n = sim->mpm->grid.n_blocks;
    const size_t n_sums = (size_t)FIRN_CHUNKS * (size_t)sim->n_materials;
    t->is_kept = 0;
    if (firn_block_slots_reserve(&t->slots, &sim->memory, n) != FIRN_OK) return FIRN_MEMORY;
    if (!t->sums) t->sums = firn_memory_array(&sim->memory, n_sums, sizeof *t->sums);
    if (!t->sums) return FIRN_MEMORY;
    memset(t->sums, 0, n_sums * sizeof *t->sums);
    return FIRN_OK;
}

/* slots.slot marks the blocks that a boundary reaches. */
firn_status firn_impulse_split_begin(firn_sim *sim)
{
    firn_impulse_split *t = &sim->mpm->impulse_split;
    if (firn_block_slots_assign(&t->slots, &sim->memory, sim->mpm->grid.n_blocks, item_size(sim)) !=
        FIRN_OK)
        return FIRN_MEMORY;
    t->is_kept = 1;
    return FIRN_OK;
}

int firn_impulse_split_is_reached(const firn_sim *sim, int32_t block)
{
    const firn_impulse_split *t = &sim->mpm->impulse_split;
    return !t->is_kept || t->slots.slot[block] >= 0;
}

void firn_impulse_split_clear_masses(const firn_sim *sim)
{
    const firn_impulse_split *t = &sim->mpm->impulse_split;
    const int32_t n = t->is_kept ? t->slots.n : 0;
    const size_t size = t->slots.item_size;
#pragma omp for schedule(static)
    for (int32_t i = 0; i < n; i++) memset(t->slots.items + (size_t)i * size, 0, size);
}

/* Items hold n_materials - 1 pieces of 64 masses; piece `material` of an item is that
 * material's. */
void firn_impulse_split_weigh(const firn_sim *sim, int32_t owner, int material, const void *patch)
{
    const firn_impulse_split *t = &sim->mpm->impulse_split;
    const int n_kept = sim->n_materials - 1;
    int32_t pieces[27], is_near = 0;
    if (!t->is_kept || material == n_kept) return;
    for (int q = 0; q < 27; q++) {
        const int32_t block = sim->mpm->grid.neighbours[owner][q],
                      slot = block < 0 ? -1 : t->slots.slot[block];
        pieces[q] = slot < 0 ? -1 : slot * n_kept + material;
        is_near |= slot >= 0;
    }
    if (is_near)
        sim->mpm->kernels->patch_weigh(patch, sim->mpm->grid.columns[owner], pieces,
                                       t->slots.items);
}

static void *mass_at(const firn_sim *sim, int32_t block, int material, int node)
{
    return (char *)firn_block_slots_at(&sim->mpm->impulse_split.slots, block) +
           (size_t)material * masses_size(sim) + (size_t)node * sim->mpm->kernels->real_size;
}

void firn_impulse_split_fold(const firn_sim *sim, int32_t from_block, int from_node,
                             int32_t to_block, int to_node)
{
    const firn_impulse_split *t = &sim->mpm->impulse_split;
    if (!t->is_kept || t->slots.slot[from_block] < 0 || t->slots.slot[to_block] < 0) return;
    for (int s = 0; s < sim->n_materials - 1; s++) {
        const void *from = mass_at(sim, from_block, s, from_node);
        void *to = mass_at(sim, to_block, s, to_node);
        if (sim->mpm->kernels->is_double)
            *(double *)to += *(const double *)from;
        else
            *(float *)to += *(const float *)from;
    }
}

void firn_impulse_split_masses(const firn_sim *sim, int32_t block,
                               void (*change)(const firn_sim *sim, void *masses))
{
    const firn_impulse_split *t = &sim->mpm->impulse_split;
    if (!t->is_kept || t->slots.slot[block] < 0) return;
    for (int s = 0; s < sim->n_materials - 1; s++) change(sim, mass_at(sim, block, s, 0));
}

void *firn_impulse_split_masses_of(const firn_sim *sim, int32_t block, int material)
{
    const firn_impulse_split *t = &sim->mpm->impulse_split;
    return t->is_kept && t->slots.slot[block] >= 0 ? mass_at(sim, block, material, 0) : NULL;
}

/* The mass of material s on the node is the difference of partial sums s and s - 1; the last one
 * ends at the mass of the node, so the parts sum to the whole exactly. fmin keeps float sums that
 * exceed it by round-off from giving a negative rest. */
void firn_impulse_split_share(const firn_sim *sim, int chunk, int32_t block, int node, double mass,
                              unsigned kinds, const double given[FIRN_N_BOUNDARY_KINDS][4])
{
    const firn_impulse_split *t = &sim->mpm->impulse_split;
    if (!t->is_kept || t->slots.slot[block] < 0) return;
    double before = 0;
    for (int s = 0; s < sim->n_materials; s++) {
        double up_to = mass;
        if (s < sim->n_materials - 1) {
            const void *at = mass_at(sim, block, s, node);
            up_to = fmin(mass, sim->mpm->kernels->is_double ? *(const double *)at
                                                            : (double)*(const float *)at);
        }
        double(*sums)[4] = t->sums[chunk * sim->n_materials + s], own = up_to - before;
        before = up_to;
        if (!(own > 0)) continue;
        for (int g = 0; g < FIRN_N_BOUNDARY_KINDS; g++)
            for (int c = 0; kinds >> g & 1 && c < 4; c++) sums[g][c] += own * given[g][c];
    }
}

/* Column 3 of a kind is work, of walls friction: friction of all kinds is collected there, as walls
 * do no work (they are at rest). */
void firn_impulse_split_collect(firn_sim *sim)
{
    if (sim->mpm->ranks)
        firn_ranks_share_chunks(sim, sim->mpm->impulse_split.sums,
                                (size_t)sim->n_materials * sizeof *sim->mpm->impulse_split.sums);
    for (int m = 0; m < sim->n_materials; m++) {
        firn_ledger_sums *ledger = &sim->materials[m].sums;
        for (int chunk = 0; chunk < FIRN_CHUNKS; chunk++) {
            double(*sums)[4] = sim->mpm->impulse_split.sums[chunk * sim->n_materials + m];
            for (int g = 0; g < FIRN_N_BOUNDARY_KINDS; g++) {
                for (int a = 0; a < 3; a++) ledger->impulse[g][a] += sums[g][a];
                *(g == FIRN_BOUNDARY_WALLS ? &ledger->friction : &ledger->work) += sums[g][3];
            }
        }
    }
    sim->mpm->impulse_split.is_kept = 0;
}

void firn_impulse_split_clear(firn_sim *sim)
{
    firn_impulse_split *t = &sim->mpm->impulse_split;
    firn_block_slots_clear(&t->slots, &sim->memory);
    firn_memory_release(&sim->memory, t->sums,
                        (size_t)FIRN_CHUNKS * (size_t)sim->n_materials * sizeof *t->sums);
}
