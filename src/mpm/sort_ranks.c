/* SPDX-License-Identifier: MIT */
/* sort_ranks.c: what a sort does besides on several ranks (ranks_move.c has the exchange). Each
 * rank makes its plans, all merge keys and loads and come to the same owner blocks and the same cut;
 * particles move; each plans again with what it has now, and goes on as one process. */
#include "mpm/ranks.h"
#include "mpm/sort_plan.h"
#include "mpm/workspace.h"

static int32_t find_load(const firn_rank_load *loads, int32_t n, uint64_t key)
{
    int32_t low = 0, high = n;
    while (high - low > 1) {
        const int32_t middle = (low + high) / 2;
        if (loads[middle].key <= key)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Particles of this rank by key. */
static void count_loads(const firn_sim *sim, const firn_sort_plan *plans, const uint64_t *keys,
                        int32_t n, firn_rank_load *loads)
{
    for (int32_t i = 0; i < n; i++) loads[i] = (firn_rank_load){keys[i], 0};
    for (int m = 0; m < sim->n_materials; m++)
        for (int32_t b = 0; b < sim->mpm->particles[m].n_blocks; b++)
            for (int q = 0; q < FIRN_SORT_GONE; q++) {
                int32_t coord[3];
                if (plans[m].count[b][q] == 0) continue;
                firn_grid_beside(&sim->mpm->grid, sim->mpm->particles[m].blocks[b].coord, q, coord);
                loads[find_load(loads, n, firn_grid_key(coord))].n += plans[m].count[b][q];
            }
}

/* The keys of all ranks in place of this rank's; the grid's owners; the cut. */
static firn_status set_owners_of_all(firn_sim *sim, const firn_rank_load *all, int32_t n,
                                     uint64_t **keys, size_t *key_bytes)
{
    firn_memory_release(&sim->memory, *keys, *key_bytes);
    *key_bytes = (size_t)(n ? n : 1) * sizeof **keys;
    *keys = firn_memory_allocate(&sim->memory, *key_bytes);
    int32_t *weight = firn_memory_array(&sim->memory, (size_t)n, sizeof *weight);
    firn_status status = *keys && weight ? FIRN_OK : FIRN_MEMORY;
    for (int32_t i = 0; i < n && status == FIRN_OK; i++) {
        (*keys)[i] = all[i].key;
        weight[i] = FIRN_BLOCK_COSTS + (int32_t)all[i].n;
    }
    if (status == FIRN_OK) status = firn_grid_set_owners(&sim->mpm->grid, *keys, n);
    if (status == FIRN_OK) firn_ranks_cut(sim, weight);
    firn_memory_release(&sim->memory, weight, (size_t)n * sizeof *weight);
    return status;
}

/* New plans for what this rank has now. Particles that have gone to other ranks are still in their
 * old blocks: they are counted out and get no slot. */
static firn_status plan_again(firn_sim *sim, firn_sort_plan *plans)
{
    const firn_range own = firn_ranks_owners(sim);
    for (int m = 0; m < sim->n_materials; m++) {
        firn_particles *particles = &sim->mpm->particles[m];
        firn_sort_plan_drop(sim, &plans[m]);
        if (firn_sort_plan_make(sim, particles, &plans[m]) != FIRN_OK) return FIRN_MEMORY;
        for (int32_t b = 0; b < particles->n_blocks; b++)
            for (int q = 0; q < FIRN_SORT_GONE; q++) {
                int32_t coord[3];
                if (plans[m].count[b][q] == 0) continue;
                firn_grid_beside(&sim->mpm->grid, particles->blocks[b].coord, q, coord);
                const int32_t owner = firn_grid_find(&sim->mpm->grid, coord);
                if (owner >= own.first && owner < own.end) continue;
                plans[m].count[b][q] = 0;
                plans[m].start[b][q] = -1;
            }
    }
    return FIRN_OK;
}

firn_status firn_sort_on_ranks(firn_sim *sim, firn_sort_plan *plans, uint64_t **keys,
                               int32_t *n_keys, size_t *key_bytes, firn_status status)
{
    const firn_comm *comm = &sim->comm;
    const int32_t n_own = *n_keys;
    firn_rank_load *own = NULL, *all = NULL;
    size_t bytes = 0;
    if (status == FIRN_OK) {
        own = firn_memory_array(&sim->memory, (size_t)n_own, sizeof *own);
        if (own) count_loads(sim, plans, *keys, n_own, own);
    }
    status = firn_comm_agree(comm, own ? FIRN_OK : FIRN_MEMORY);
    if (status == FIRN_OK) status = firn_ranks_merge_keys(sim, own, n_own, &all, n_keys, &bytes);
    if (status == FIRN_OK)
        status = firn_comm_agree(comm, set_owners_of_all(sim, all, *n_keys, keys, key_bytes));
    firn_memory_release(&sim->memory, all, bytes);
    firn_memory_release(&sim->memory, own, (size_t)n_own * sizeof *own);
    if (status == FIRN_OK) status = firn_ranks_migrate(sim);
    return status == FIRN_OK ? firn_comm_agree(comm, plan_again(sim, plans)) : status;
}

firn_status firn_sort_on_ranks_end(firn_sim *sim)
{
    for (int m = 0; m < sim->n_materials; m++)
        sim->mpm->ranks->n_all[m] = firn_comm_count(&sim->comm, sim->mpm->particles[m].n_particles);
    return firn_ranks_link(sim);
}
