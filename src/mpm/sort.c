/* SPDX-License-Identifier: MIT */
/* sort.c: brings every particle to its owner block and, inside it, to its cell; rebuilds the sparse
 * grid around them.
 *
 * Particles move by less than half a cell between sorts, so the new owner of a particle is one of
 * the 27 blocks around its old one: keys are made and looked up per block, not per particle. The
 * order is stable: by owner block (Morton), by cell, then as before. It depends on the state alone,
 * never on threads.
 *
 *   1 count    per old block: particles that go to each of the 27 neighbours       parallel
 *   2 number   the new owner blocks and their bundles                              serial
 *   3 place    order[new slot] = old slot, then by cell within each new block      parallel
 *   4 move     each field, three components at a time, through a spare array       parallel
 *   5 reach    the blocks that particles can reach, and the grid of these          serial
 *
 * Why threads do not show in 3: start[b][q], the first slot of the particles that old block b sends
 * to neighbour q, is fixed serially in 2, so each pair (b, q) fills its own range.
 *
 * Peak memory above the particles: 3 components of a field (12 bytes per particle in float) and the
 * order (4 bytes).
 *
 * Periodic axes: a particle whose new block is a period away is counted in its field IMAGE, and
 * positions are relative to the block of the first period.
 *
 * All or nothing per material: memory is reserved before anything moves. */
#include "mpm/heat.h"
#include "mpm/sort.h"
#include "mpm/sort_plan.h"
#include "mpm/mpm.h"
#include "mpm/particle_boundary.h"
#include "mpm/plane.h"
#include "mpm/ranks.h"
#include "mpm/workspace.h"

#include <math.h>
#include <omp.h>
#include <string.h>

/* The sorted unique keys of all blocks that will own particles. */
static firn_status collect_keys(firn_sim *sim, const firn_sort_plan *plans, uint64_t **keys,
                                int32_t *n, size_t *bytes)
{
    int64_t total = 0;
    for (int m = 0; m < sim->n_materials; m++)
        for (int32_t b = 0; b < sim->mpm->particles[m].n_blocks; b++)
            for (int q = 0; q < FIRN_SORT_GONE; q++) total += plans[m].count[b][q] > 0;
    *bytes = (size_t)(total ? total : 1) * sizeof **keys;
    *keys = firn_memory_allocate(&sim->memory, *bytes);
    if (!*keys || total > INT32_MAX) return FIRN_MEMORY;
    int64_t at = 0;
    for (int m = 0; m < sim->n_materials; m++)
        for (int32_t b = 0; b < sim->mpm->particles[m].n_blocks; b++)
            for (int q = 0; q < FIRN_SORT_GONE; q++) {
                if (plans[m].count[b][q] == 0) continue;
                int32_t coord[3];
                firn_grid_beside(&sim->mpm->grid, sim->mpm->particles[m].blocks[b].coord, q, coord);
                (*keys)[at++] = firn_grid_key(coord);
            }
    *n = firn_grid_unique(*keys, (int32_t)total);
    return FIRN_OK;
}

static firn_status reserve_owners(firn_sim *sim, firn_particles *particles)
{
    int32_t n = sim->mpm->grid.n_owners;
    if (n <= particles->owner_capacity) return FIRN_OK;
    firn_memory_release(&sim->memory, particles->block_of_owner,
                        (size_t)particles->owner_capacity * sizeof(int32_t));
    particles->owner_capacity = n + n / 8;
    particles->block_of_owner =
        firn_memory_array(&sim->memory, (size_t)particles->owner_capacity, sizeof(int32_t));
    if (!particles->block_of_owner) return particles->owner_capacity = 0, FIRN_MEMORY;
    return FIRN_OK;
}

/* New blocks in the order of the grid's owner list, and where each part of each old block goes. */
/* Two passes over (old block, neighbour): the first sums the particles of each new owner, which
 * fixes blocks and bundles; the second hands out slots in the order of old blocks, which makes the
 * sort stable. */
static firn_status number_blocks(firn_sim *sim, firn_particles *particles, const uint64_t *keys,
                                 firn_sort_plan *plan)
{
    if (reserve_owners(sim, particles) != FIRN_OK) return FIRN_MEMORY;
    int32_t n_owners = sim->mpm->grid.n_owners;
    int32_t *at = particles->block_of_owner; /* used for counting first */
    for (int32_t i = 0; i < n_owners; i++) at[i] = 0;
    for (int32_t b = 0; b < particles->n_blocks; b++)
        for (int q = 0; q < FIRN_SORT_GONE; q++) {
            if (plan->count[b][q] == 0) continue;
            int32_t coord[3];
            firn_grid_beside(&sim->mpm->grid, particles->blocks[b].coord, q, coord);
            int32_t owner = firn_grid_find(&sim->mpm->grid, coord);
            plan->start[b][q] = owner; /* owner here, slot below */
            at[owner] += plan->count[b][q];
        }
    for (int32_t i = 0; i < n_owners; i++) plan->n_blocks += at[i] > 0;
    plan->bytes = (size_t)(plan->n_blocks ? plan->n_blocks : 1) * sizeof *plan->blocks;
    plan->blocks = firn_memory_allocate(&sim->memory, plan->bytes);
    if (!plan->blocks) return FIRN_MEMORY;
    int32_t k = 0;
    for (int32_t i = 0; i < n_owners; i++) {
        if (at[i] == 0) {
            at[i] = -1;
            continue;
        }
        firn_particle_block *block = &plan->blocks[k];
        firn_grid_coord(keys[i], block->coord);
        block->owner = i;
        block->n = 0;
        block->first = plan->n_bundles;
        block->is_watched = 0;
        plan->n_bundles += firn_bundles_of(at[i]);
        plan->n_particles += at[i];
        at[i] = k++;
    }
    for (int32_t b = 0; b < particles->n_blocks; b++)
        for (int q = 0; q < FIRN_SORT_GONE; q++) {
            if (plan->count[b][q] == 0) continue;
            firn_particle_block *block = &plan->blocks[at[plan->start[b][q]]];
            plan->start[b][q] = block->first * 16 + block->n;
            block->n += plan->count[b][q];
            block->is_watched |= particles->blocks[b].is_watched;
        }
    return FIRN_OK;
}

/* ---------------------------------------------------------------- order */

/* A particle that goes to neighbour q of its block: crossings of periods are counted, and what is
 * known of its distance from colliders ends, as it is a period away from where it was. */
static void count_images(const firn_sim *sim, firn_particles *particles,
                         const firn_particle_block *block, int p, int q)
{
    const int step[3] = {q / 9 - 1, q / 3 % 3 - 1, q % 3 - 1};
    const int64_t bundle = block->first + p / 16;
    for (int a = 0; a < 3; a++) {
        const int32_t n = sim->mpm->grid.n_around[a], to = block->coord[a] + step[a];
        if (n == 0 || (to >= 0 && to < n)) continue;
        const double images = firn_particles_value(particles, FIRN_FIELD_IMAGE, bundle, a, p % 16);
        firn_particles_set(particles, FIRN_FIELD_IMAGE, bundle, a, p % 16, images + step[a]);
        for (int c = 0; c < particles->n_components[FIRN_FIELD_CLEAR]; c++)
            firn_particles_set(particles, FIRN_FIELD_CLEAR, bundle, c, p % 16, 0);
    }
}

/* Slots and cells of the particles of each new block, in the order of the old blocks. */
static void place_particles(firn_sim *sim, firn_particles *particles, firn_sort_plan *plan,
                            uint8_t *cells)
{
#pragma omp parallel for schedule(dynamic, 8) num_threads(sim->n_threads)
    for (int32_t b = 0; b < particles->n_blocks; b++) {
        const firn_particle_block *block = &particles->blocks[b];
        uint8_t target[16], cell[16];
        int has_losses = 0;
        const int has_images = particles->n_components[FIRN_FIELD_IMAGE];
        for (int loss = 0; loss < FIRN_N_LOSSES; loss++)
            has_losses |= plan->count[b][FIRN_SORT_GONE + loss];
        for (int p = 0; p < block->n; p++) {
            if (p % 16 == 0) firn_sort_targets(sim, particles, block->first + p / 16, target, cell);
            if (has_losses && firn_sort_fate(sim, particles, block, p) >= FIRN_SORT_GONE) continue;
            if (plan->start[b][target[p % 16]] < 0) continue; /* has gone to another rank */
            int64_t slot = plan->start[b][target[p % 16]]++;
            sim->mpm->order[slot] = (uint32_t)(block->first * 16 + p);
            cells[slot] = cell[p % 16];
            if (has_images) count_images(sim, particles, block, p, target[p % 16]);
        }
    }
}

/* Stable counting sort of one block's slots by cell (5^3 = 125 of them); `sorted` has room for n.
 * Particles of a cell touch the same nodes, which P2G and G2P then find in the cache. */
static void sort_cells(int n, const uint8_t *cells, uint32_t *slots, uint32_t *sorted)
{
    int start[126] = {0};
    for (int p = 0; p < n; p++) start[cells[p] + 1]++;
    for (int c = 0; c < 125; c++) start[c + 1] += start[c];
    for (int p = 0; p < n; p++) sorted[start[cells[p]]++] = slots[p];
    memcpy(slots, sorted, (size_t)n * sizeof *slots);
}

static int32_t largest_block(const firn_sort_plan *plan)
{
    int32_t largest = 1;
    for (int32_t b = 0; b < plan->n_blocks; b++)
        if (plan->blocks[b].n > largest) largest = plan->blocks[b].n;
    return largest;
}

/* Bytes of a thread's buffer for the slots of any block, a multiple of a cache line. */
static size_t slot_bytes(int32_t largest)
{
    return ((size_t)largest * sizeof(uint32_t) + 127) & ~(size_t)63;
}

static void order_cells(firn_sim *sim, const firn_sort_plan *plan, const uint8_t *cells,
                        char *scratch)
{
    size_t each = slot_bytes(largest_block(plan));
#pragma omp parallel for schedule(dynamic, 8) num_threads(sim->n_threads)
    for (int32_t b = 0; b < plan->n_blocks; b++) {
        int64_t first = plan->blocks[b].first * 16;
        sort_cells(plan->blocks[b].n, cells + first, sim->mpm->order + first,
                   (uint32_t *)(scratch + each * (size_t)omp_get_thread_num()));
    }
}

/* ---------------------------------------------------------------- moving */

/* Components go through the spare array TOGETHER at a time, [bundle][component][lane] as in the
 * field. */
enum { TOGETHER = 3 };

/* Out of place and back: new bundles are gathered into the spare array and copied to the field,
 * which needs one spare array for all fields instead of a second copy of all particles. */
static void move_field(firn_sim *sim, firn_particles *particles, const firn_sort_plan *plan,
                       firn_field field)
{
    const int n = particles->n_components[field], is_integer = firn_field_is_integer(field);
    const size_t component = 16 * (is_integer ? sizeof(uint32_t) : particles->real_size);
#pragma omp parallel num_threads(sim->n_threads)
    for (int first = 0; first < n; first += TOGETHER) {
        const int together = n - first < TOGETHER ? n - first : TOGETHER;
        char *at = (char *)particles->field[field] + (size_t)first * component,
             *spare = sim->mpm->spare;
        double blank[TOGETHER];
        for (int c = 0; c < together; c++)
            blank[c] = firn_particles_blank(particles, field, first + c);
#pragma omp for schedule(static)
        for (int32_t b = 0; b < plan->n_blocks; b++) {
            const firn_particle_block *block = &plan->blocks[b];
            const firn_gather gather = {sim->mpm->order + block->first * 16, block->n, n, together,
                                        blank};
            sim->mpm->kernels->gather(&gather, is_integer, at,
                                      spare + (size_t)block->first * (size_t)together * component);
        }
#pragma omp for schedule(static)
        for (int64_t i = 0; i < plan->n_bundles; i++)
            memcpy(at + (size_t)i * (size_t)n * component,
                   spare + (size_t)i * (size_t)together * component, (size_t)together * component);
    }
}

static void rebase(firn_sim *sim, firn_particles *particles, const firn_sort_plan *plan)
{
#pragma omp parallel for schedule(dynamic, 8) num_threads(sim->n_threads)
    for (int32_t b = 0; b < plan->n_blocks; b++) {
        double low[3], high[3];
        sim->mpm->kernels->rebase(firn_particles_at(particles, FIRN_FIELD_X, plan->blocks[b].first),
                                  plan->blocks[b].n, low, high);
        plan->blocks[b].reach = (uint16_t)firn_grid_reach(low, high);
        if (firn_plane_is(sim)) plan->blocks[b].reach &= 0xf; /* x and y */
    }
}

static firn_status reserve_move(firn_sim *sim, firn_particles *particles,
                                const firn_sort_plan *plan)
{
    int64_t slack = plan->n_bundles + plan->n_bundles / 64 + 4;
    int is_short =
        0; /* fields grow one at a time, and an earlier attempt may have failed half way */
    for (int f = 0; f < FIRN_N_FIELDS; f++)
        is_short |= particles->n_components[f] &&
                    (plan->n_bundles > particles->capacity[f] || !particles->field[f]);
    if (firn_particles_reserve(particles, is_short ? slack : 0, plan->n_blocks) != FIRN_OK)
        return FIRN_MEMORY;
    size_t spare = (size_t)particles->capacity[FIRN_FIELD_X] * TOGETHER * 16 * particles->real_size;
    if (spare > sim->mpm->spare_bytes) {
        firn_memory_release(&sim->memory, sim->mpm->spare, sim->mpm->spare_bytes);
        sim->mpm->spare = firn_memory_allocate(&sim->memory, spare);
        sim->mpm->spare_bytes = sim->mpm->spare ? spare : 0;
        if (!sim->mpm->spare) return FIRN_MEMORY;
    }
    if (plan->n_bundles * 16 > sim->mpm->order_capacity) {
        firn_memory_release(&sim->memory, sim->mpm->order,
                            (size_t)sim->mpm->order_capacity * sizeof *sim->mpm->order);
        sim->mpm->order_capacity = particles->capacity[FIRN_FIELD_X] * 16;
        sim->mpm->order = firn_memory_array(&sim->memory, (size_t)sim->mpm->order_capacity,
                                            sizeof *sim->mpm->order);
        if (!sim->mpm->order) return sim->mpm->order_capacity = 0, FIRN_MEMORY;
    }
    return FIRN_OK;
}

/* Adds deleted particles and their mass to the ledger, by reason. */
static void add_losses(const firn_sim *sim, firn_particles *particles, const firn_sort_plan *plan)
{
    for (int32_t b = 0; b < particles->n_blocks; b++) {
        const firn_particle_block *block = &particles->blocks[b];
        int has_losses = 0;
        for (int loss = 0; loss < FIRN_N_LOSSES; loss++) {
            particles->material->sums.n_lost_by[loss] += plan->count[b][FIRN_SORT_GONE + loss];
            has_losses |= plan->count[b][FIRN_SORT_GONE + loss];
        }
        if (!has_losses) continue;
        for (int p = 0; p < block->n; p++) {
            if (firn_sort_fate(sim, particles, block, p) < FIRN_SORT_GONE) continue;
            particles->material->sums.lost_mass +=
                firn_particles_value(particles, FIRN_FIELD_MASS, block->first + p / 16, 0, p % 16);
            if (sim->heat && particles->material->resolved.thermal.is_on)
                sim->heat->sums[particles->material - sim->materials].lost +=
                    firn_heat_particles_energy(particles, block->first + p / 16, p % 16);
        }
    }
}

/* All memory is reserved first: a material moves as a whole or not at all, and can be sorted
 * again. */
static firn_status move_particles(firn_sim *sim, firn_particles *particles, firn_sort_plan *plan)
{
    size_t bytes = slot_bytes(largest_block(plan)) * (size_t)sim->n_threads;
    char *scratch = firn_memory_allocate(&sim->memory, bytes);
    firn_ledger_sums *sums = &particles->material->sums;
    const firn_status status = scratch ? reserve_move(sim, particles, plan) : FIRN_MEMORY;
    if (firn_comm_agree(&sim->comm, status) != FIRN_OK) {
        firn_memory_release(&sim->memory, scratch, bytes);
        return FIRN_MEMORY;
    }
    firn_comm_sum_begin(&sim->comm, sums, sizeof *sums);
    add_losses(sim, particles, plan);
    firn_comm_sum_end(&sim->comm, sums, sizeof *sums);
    uint8_t *cells = sim->mpm->spare; /* unused until fields move */
    place_particles(sim, particles, plan, cells);
    order_cells(sim, plan, cells, scratch);
    firn_memory_release(&sim->memory, scratch, bytes);
    for (int f = 0; f < FIRN_N_FIELDS; f++)
        if (particles->n_components[f]) move_field(sim, particles, plan, f);
    rebase(sim, particles, plan);
    particles->n_bundles = plan->n_bundles;
    particles->n_particles = plan->n_particles;
    if (plan->n_blocks)
        memcpy(particles->blocks, plan->blocks, (size_t)plan->n_blocks * sizeof *plan->blocks);
    particles->n_blocks = plan->n_blocks;
    return FIRN_OK;
}

/* ---------------------------------------------------------------- the grid */

/* The grid around all particles, from the union of the reaches of their blocks. */
static firn_status activate(firn_sim *sim, const uint64_t *keys)
{
    for (int m = 0; m < sim->n_materials; m++)
        for (int32_t b = 0; b < sim->mpm->particles[m].n_blocks; b++)
            sim->mpm->grid.reach[sim->mpm->particles[m].blocks[b].owner] |=
                sim->mpm->particles[m].blocks[b].reach;
    if (sim->mpm->ranks)
        firn_ranks_share_owners(sim, sim->mpm->grid.reach, sizeof *sim->mpm->grid.reach);
    return firn_grid_activate(&sim->mpm->grid, keys);
}

/* Order: sinks in their present poses; caches that depend on slots; plans of all materials, as
 * owner blocks are common to them; then one material after the other is moved, which bounds the
 * peak of memory; the grid last. */
firn_status firn_sort_particles(firn_sim *sim, firn_messages *messages)
{
    size_t plan_bytes = (size_t)sim->n_materials * sizeof(firn_sort_plan), key_bytes = 0;
    firn_sort_plan *plans = firn_memory_allocate(&sim->memory, plan_bytes);
    uint64_t *keys = NULL;
    int32_t n_keys = 0;
    firn_status status = plans ? FIRN_OK : FIRN_MEMORY;
    firn_sinks_place(sim);
    firn_distance_cache_renew_all(sim);
    for (int m = 0; m < sim->n_materials && status == FIRN_OK; m++)
        status = firn_sort_plan_make(sim, &sim->mpm->particles[m], &plans[m]);
    if (status == FIRN_OK) status = collect_keys(sim, plans, &keys, &n_keys, &key_bytes);
    if (sim->mpm->ranks)
        status = firn_sort_on_ranks(sim, plans, &keys, &n_keys, &key_bytes, status);
    else if (status == FIRN_OK)
        status = firn_grid_set_owners(&sim->mpm->grid, keys, n_keys);
    for (int m = 0; m < sim->n_materials && status == FIRN_OK; m++) {
        status = firn_comm_agree(&sim->comm,
                                 number_blocks(sim, &sim->mpm->particles[m], keys, &plans[m]));
        if (status == FIRN_OK) status = move_particles(sim, &sim->mpm->particles[m], &plans[m]);
    }
    if (status == FIRN_OK) status = firn_comm_agree(&sim->comm, activate(sim, keys));
    if (status == FIRN_OK) status = firn_comm_agree(&sim->comm, firn_workspace_reserve(sim));
    if (status == FIRN_OK && sim->mpm->ranks)
        status = firn_comm_agree(&sim->comm, firn_sort_on_ranks_end(sim));
    for (int m = 0; plans && m < sim->n_materials; m++) firn_sort_plan_drop(sim, &plans[m]);
    firn_memory_release(&sim->memory, keys, key_bytes);
    firn_memory_release(&sim->memory, plans, plan_bytes);
    if (status != FIRN_OK)
        return firn_messages_no_memory(
            messages,
            "sort of %lld particles (%.1f MiB in use; try: a larger --max-memory, fewer particles)",
            (long long)firn_sim_n_particles(sim), (double)sim->memory.now / (1 << 20));
    sim->n_sorts++;
    sim->must_sort = 0;
    return FIRN_OK;
}

firn_status firn_sort_rebuild(firn_sim *sim, firn_messages *messages)
{
    int64_t total = 0, at = 0;
    for (int m = 0; m < sim->n_materials; m++) total += sim->mpm->particles[m].n_blocks;
    size_t bytes = (size_t)(total ? total : 1) * sizeof(uint64_t);
    uint64_t *keys = total <= INT32_MAX ? firn_memory_allocate(&sim->memory, bytes) : NULL;
    firn_status status = keys ? FIRN_OK : FIRN_MEMORY;
    for (int m = 0; m < sim->n_materials && keys; m++)
        for (int32_t b = 0; b < sim->mpm->particles[m].n_blocks; b++)
            keys[at++] = firn_grid_key(sim->mpm->particles[m].blocks[b].coord);
    if (status == FIRN_OK)
        status =
            firn_grid_set_owners(&sim->mpm->grid, keys, firn_grid_unique(keys, (int32_t)total));
    for (int m = 0; m < sim->n_materials && status == FIRN_OK; m++) {
        firn_particles *particles = &sim->mpm->particles[m];
        status = reserve_owners(sim, particles);
        for (int32_t i = 0; i < sim->mpm->grid.n_owners && status == FIRN_OK; i++)
            particles->block_of_owner[i] = -1;
        for (int32_t b = 0; b < particles->n_blocks && status == FIRN_OK; b++) {
            particles->blocks[b].owner =
                firn_grid_find(&sim->mpm->grid, particles->blocks[b].coord);
            particles->block_of_owner[particles->blocks[b].owner] = b;
        }
    }
    if (status == FIRN_OK) status = activate(sim, keys);
    if (status == FIRN_OK) status = firn_workspace_reserve(sim);
    firn_memory_release(&sim->memory, keys, bytes);
    return status == FIRN_OK ? FIRN_OK : firn_messages_no_memory(messages, "grid");
}
