/* SPDX-License-Identifier: MIT */
/* ranks_gather.c: the particles of all ranks on rank 0, in the storage of one process, and back
 * (ranks.h).
 *
 * Blocks are numbered alike everywhere and ranks are in the order of blocks, so the storage of one
 * process is that of rank 0, 1, 2 ... one after the other. While rank 0 holds it, rank 0 is a
 * simulation on its own: no ranks, no communication, and all that reads particles (caches, ledger,
 * checkpoints, hashes) works as it is. It needs memory for all particles besides its own.
 *
 * A saved state is read by every rank as a whole; then each keeps its own blocks. */
#include "mpm/ranks.h"

#include <string.h>

typedef struct part {
    int64_t n_bundles, n_particles;
    int32_t n_blocks;
} part;

/* ---------------------------------------------------------------- to rank 0 */

static firn_status reserve_all(firn_sim *sim, int m, const part *parts, firn_particles *all)
{
    const firn_ranks *r = sim->mpm->ranks;
    const firn_particles *own = &sim->mpm->particles[m];
    *all = *own;
    for (int f = 0; f < FIRN_N_FIELDS; f++) {
        all->field[f] = NULL;
        all->capacity[f] = 0;
    }
    all->blocks = NULL;
    all->block_of_owner = NULL;
    all->n_particles = all->n_bundles = 0;
    all->n_blocks = all->block_capacity = all->owner_capacity = 0;
    part sum = {0};
    for (int p = 0; p < r->comm.size; p++) {
        sum.n_bundles += parts[p].n_bundles;
        sum.n_blocks += parts[p].n_blocks;
        sum.n_particles += parts[p].n_particles;
    }
    if (firn_particles_reserve(all, sum.n_bundles, sum.n_blocks) != FIRN_OK) return FIRN_MEMORY;
    all->owner_capacity = sim->mpm->grid.n_owners;
    all->block_of_owner =
        firn_memory_array(&sim->memory, (size_t)all->owner_capacity, sizeof(int32_t));
    if (!all->block_of_owner) return all->owner_capacity = 0, FIRN_MEMORY;
    all->n_bundles = sum.n_bundles;
    all->n_blocks = sum.n_blocks;
    all->n_particles = sum.n_particles;
    return FIRN_OK;
}

/* The blocks and fields of one material, in place: from bundle `bundle` and block `block` on. */
static int list_arrays(const firn_particles *particles, int peer, int64_t bundle, int32_t block,
                       const part *whole, firn_comm_message *messages)
{
    int n = 0;
    if (!whole->n_blocks) return 0;
    messages[n++] = (firn_comm_message){peer, (size_t)whole->n_blocks * sizeof *particles->blocks,
                                        particles->blocks + block};
    for (int f = 0; f < FIRN_N_FIELDS; f++)
        if (particles->n_components[f] && whole->n_bundles)
            messages[n++] = (firn_comm_message){
                peer, firn_particles_field_bytes(particles, f, whole->n_bundles),
                (char *)particles->field[f] + firn_particles_field_bytes(particles, f, bundle)};
    return n;
}

static void number_blocks(firn_particles *all, const part *parts, int size)
{
    int64_t bundle = 0;
    int32_t b = 0;
    for (int32_t i = 0; i < all->owner_capacity; i++) all->block_of_owner[i] = -1;
    for (int p = 0; p < size; bundle += parts[p].n_bundles, p++)
        for (int32_t i = 0; i < parts[p].n_blocks; i++, b++) {
            all->blocks[b].first += bundle;
            all->block_of_owner[all->blocks[b].owner] = b;
        }
}

static void receive_material(firn_sim *sim, const part *parts, const firn_particles *own,
                             firn_particles *all)
{
    const firn_ranks *r = sim->mpm->ranks;
    firn_comm_message from[FIRN_N_FIELDS + 1], to[FIRN_N_FIELDS + 1];
    int n = list_arrays(own, 0, 0, 0, &parts[0], from);
    list_arrays(all, 0, 0, 0, &parts[0], to);
    for (int i = 0; i < n; i++) memcpy(to[i].data, from[i].data, from[i].n_bytes);
    int64_t bundle = parts[0].n_bundles;
    int32_t block = parts[0].n_blocks;
    for (int p = 1; p < r->comm.size; p++) {
        n = list_arrays(all, p, bundle, block, &parts[p], to);
        firn_comm_exchange(&r->comm, NULL, 0, to, n);
        bundle += parts[p].n_bundles;
        block += parts[p].n_blocks;
    }
    number_blocks(all, parts, r->comm.size);
}

/* Rank 0 reserves room for all materials first, so that it fails before anything is sent. */
static firn_status assemble(firn_sim *sim, part *parts, firn_particles *all)
{
    const firn_ranks *r = sim->mpm->ranks;
    const int size = r->comm.size, me = r->comm.rank;
    firn_status status = FIRN_OK;
    for (int m = 0; m < sim->n_materials; m++) {
        const firn_particles *own = &sim->mpm->particles[m];
        const part mine = {own->n_bundles, own->n_particles, own->n_blocks};
        firn_comm_collect(&r->comm, &mine, sizeof mine, parts + (size_t)m * (size_t)size);
        if (me == 0 && status == FIRN_OK)
            status = reserve_all(sim, m, parts + (size_t)m * (size_t)size, &all[m]);
    }
    status = firn_comm_agree(&r->comm, status);
    for (int m = 0; m < sim->n_materials && status == FIRN_OK; m++) {
        const part *of_all = parts + (size_t)m * (size_t)size;
        firn_comm_message out[FIRN_N_FIELDS + 1];
        if (me == 0)
            receive_material(sim, of_all, &sim->mpm->particles[m], &all[m]);
        else
            firn_comm_exchange(&r->comm, out,
                               list_arrays(&sim->mpm->particles[m], 0, 0, 0, &of_all[me], out),
                               NULL, 0);
    }
    return status;
}

firn_status firn_ranks_assemble(firn_sim *sim)
{
    firn_ranks *r = sim->mpm->ranks;
    if (!r) return FIRN_OK;
    const size_t n = (size_t)sim->n_materials,
                 bytes = n * (size_t)r->comm.size * sizeof(part) + n * sizeof(firn_particles);
    firn_particles *all = firn_memory_allocate(&sim->memory, bytes);
    firn_status status = firn_comm_agree(&r->comm, all ? FIRN_OK : FIRN_MEMORY);
    if (status == FIRN_OK) status = assemble(sim, (part *)(void *)(all + n), all);
    if (status == FIRN_OK && r->comm.rank == 0) {
        memcpy(r->own, sim->mpm->particles, n * sizeof *r->own);
        memcpy(sim->mpm->particles, all, n * sizeof *all);
        sim->mpm->ranks = NULL;
        sim->mpm->ranks_apart = r;
        sim->comm = firn_comm_single();
    } else if (all && r->comm.rank == 0) {
        for (size_t m = 0; m < n; m++)
            if (all[m].memory) firn_particles_clear(&all[m]);
    }
    firn_memory_release(&sim->memory, all, bytes);
    return status;
}

void firn_ranks_disperse(firn_sim *sim)
{
    firn_ranks *r = sim->mpm->ranks_apart;
    if (!r) return;
    for (int m = 0; m < sim->n_materials; m++) firn_particles_clear(&sim->mpm->particles[m]);
    memcpy(sim->mpm->particles, r->own, (size_t)sim->n_materials * sizeof *r->own);
    sim->mpm->ranks_apart = NULL;
    sim->mpm->ranks = r;
    sim->comm = r->comm;
}

/* ---------------------------------------------------------------- from a whole state */

/* The bundles and blocks of own owner blocks, moved to the front of the arrays; then into arrays of
 * their size. */
static firn_status keep_material(firn_sim *sim, int m)
{
    firn_particles *particles = &sim->mpm->particles[m], kept = *particles;
    const firn_range owners = firn_ranks_owners(sim);
    int64_t n_bundles = 0, n_particles = 0;
    int32_t n_blocks = 0;
    for (int32_t b = 0; b < particles->n_blocks; b++) {
        firn_particle_block block = particles->blocks[b];
        if (block.owner < owners.first || block.owner >= owners.end) continue;
        const int64_t n = firn_bundles_of(block.n);
        for (int f = 0; f < FIRN_N_FIELDS; f++)
            if (particles->n_components[f])
                memmove(firn_particles_at(particles, f, n_bundles),
                        firn_particles_at(particles, f, block.first),
                        firn_particles_field_bytes(particles, f, n));
        block.first = n_bundles;
        n_bundles += n;
        n_particles += block.n;
        particles->blocks[n_blocks++] = block;
    }
    for (int32_t i = 0; i < sim->mpm->grid.n_owners; i++) particles->block_of_owner[i] = -1;
    for (int32_t b = 0; b < n_blocks; b++)
        particles->block_of_owner[particles->blocks[b].owner] = b;
    particles->n_bundles = n_bundles;
    particles->n_particles = n_particles;
    particles->n_blocks = n_blocks;
    for (int f = 0; f < FIRN_N_FIELDS; f++) {
        if (!particles->n_components[f]) continue;
        const size_t bytes = firn_particles_field_bytes(particles, f, n_bundles);
        void *field = firn_memory_allocate(particles->memory, bytes);
        if (!field) return FIRN_MEMORY;
        if (bytes) memcpy(field, particles->field[f], bytes);
        firn_memory_release(particles->memory, particles->field[f],
                            firn_particles_field_bytes(particles, f, kept.capacity[f]));
        particles->field[f] = field;
        particles->capacity[f] = n_bundles;
    }
    return FIRN_OK;
}

firn_status firn_ranks_keep_own(firn_sim *sim)
{
    firn_ranks *r = sim->mpm->ranks;
    const size_t n = (size_t)sim->mpm->grid.n_owners;
    int32_t *weight = firn_memory_array(&sim->memory, n, sizeof *weight);
    if (!weight) return FIRN_MEMORY;
    firn_ranks_weigh(sim, weight);
    for (int m = 0; m < sim->n_materials; m++) r->n_all[m] = sim->mpm->particles[m].n_particles;
    firn_ranks_cut(sim, weight);
    firn_memory_release(&sim->memory, weight, n * sizeof *weight);
    firn_status status = FIRN_OK;
    for (int m = 0; m < sim->n_materials && status == FIRN_OK; m++) status = keep_material(sim, m);
    if (status == FIRN_OK) status = firn_workspace_reserve(sim);
    return status == FIRN_OK ? firn_ranks_link(sim) : status;
}
