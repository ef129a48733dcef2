/* SPDX-License-Identifier: MIT */
/* ranks_move.c: the part of a sort that concerns several ranks (ranks.h).
 *
 *   keys      each rank's with their particles, merged: the owner blocks of one process
 *   cut       which rank owns which of them now                                    ranks.c
 *   migrate   particles whose new block is another rank's go there, with the block that they were in
 *   sort      of what a rank has now                                               sort.c
 *   reach     of the owner blocks of all ranks
 *
 * Order. One process sorts stably: within a cell particles keep the order of their old blocks, which
 * is the order of ranks. So what comes from ranks before stands before a rank's own old blocks, and
 * what comes from ranks after behind. Newborn particles are all on the last rank (populate.c) and
 * stand last, as with one process; they travel marked. */
#include "mpm/ranks.h"
#include "mpm/sort_plan.h"

#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- keys */

static int compare_loads(const void *a, const void *b)
{
    const firn_rank_load *p = a, *q = b;
    return (p->key > q->key) - (p->key < q->key);
}

firn_status firn_ranks_merge_keys(firn_sim *sim, const firn_rank_load *own, int32_t n_own,
                                  firn_rank_load **all, int32_t *n, size_t *bytes)
{
    const firn_comm *comm = &sim->mpm->ranks->comm;
    int32_t each[FIRN_RANKS_MAX];
    size_t sizes[FIRN_RANKS_MAX], total = 0;
    firn_comm_collect(comm, &n_own, sizeof n_own, each);
    for (int p = 0; p < comm->size; p++) {
        sizes[p] = (size_t)each[p] * sizeof **all;
        total += (size_t)each[p];
    }
    *bytes = total * sizeof **all;
    *all = firn_memory_allocate(&sim->memory, *bytes);
    if (firn_comm_agree(comm, *all && total <= INT32_MAX ? FIRN_OK : FIRN_MEMORY) != FIRN_OK)
        return FIRN_MEMORY;
    firn_comm_collect_parts(comm, own, sizes, *all);
    if (total > 1) qsort(*all, total, sizeof **all, compare_loads);
    *n = 0;
    for (size_t i = 0; i < total; i++) {
        if (*n && (*all)[*n - 1].key == (*all)[i].key)
            (*all)[*n - 1].n += (*all)[i].n;
        else
            (*all)[(*n)++] = (*all)[i];
    }
    return FIRN_OK;
}

/* ---------------------------------------------------------------- parcels */

/* What goes to one rank: records of a header and the fields of some particles of an old block. */
typedef struct parcel {
    char *data;
    size_t n, capacity;
} parcel;

typedef struct record {
    int32_t material, n, coord[3];
    uint16_t is_watched, is_newborn;
} record;

static firn_status parcel_room(firn_sim *sim, parcel *p, size_t more)
{
    if (p->n + more <= p->capacity) return FIRN_OK;
    const size_t capacity = 2 * (p->n + more) + 4096;
    char *grown = firn_memory_allocate(&sim->memory, capacity);
    if (!grown) return FIRN_MEMORY;
    if (p->n) memcpy(grown, p->data, p->n);
    firn_memory_release(&sim->memory, p->data, p->capacity);
    p->data = grown;
    p->capacity = capacity;
    return FIRN_OK;
}

static void parcel_clear(firn_sim *sim, parcel *p)
{
    firn_memory_release(&sim->memory, p->data, p->capacity);
    *p = (parcel){0};
}

static size_t value_bytes(const firn_particles *particles, int field)
{
    return firn_field_is_integer(field) ? sizeof(uint32_t) : particles->real_size;
}

static char *value_at(const firn_particles *particles, int field, int64_t bundle, int component,
                      int lane)
{
    return (char *)particles->field[field] +
           (((size_t)bundle * (size_t)particles->n_components[field] + (size_t)component) * 16 +
            (size_t)lane) *
               value_bytes(particles, field);
}

static size_t particle_bytes(const firn_particles *particles)
{
    size_t bytes = 0;
    for (int f = 0; f < FIRN_N_FIELDS; f++)
        bytes += (size_t)particles->n_components[f] * value_bytes(particles, f);
    return bytes;
}

/* The particles of a block with to[p] == rank. */
static firn_status pack_block(firn_sim *sim, int material, const firn_particle_block *block,
                              const uint8_t *to, int rank, parcel *out)
{
    const firn_particles *particles = &sim->mpm->particles[material];
    record head = {
        .material = material, .is_watched = block->is_watched, .is_newborn = block->owner < 0};
    memcpy(head.coord, block->coord, sizeof head.coord);
    for (int p = 0; p < block->n; p++) head.n += to[p] == rank;
    if (parcel_room(sim, out, sizeof head + (size_t)head.n * particle_bytes(particles)) != FIRN_OK)
        return FIRN_MEMORY;
    memcpy(out->data + out->n, &head, sizeof head);
    out->n += sizeof head;
    for (int f = 0; f < FIRN_N_FIELDS; f++)
        for (int c = 0; c < particles->n_components[f]; c++)
            for (int p = 0; p < block->n; p++) {
                if (to[p] != rank) continue;
                const size_t size = value_bytes(particles, f);
                memcpy(out->data + out->n, value_at(particles, f, block->first + p / 16, c, p % 16),
                       size);
                out->n += size;
            }
    sim->mpm->ranks->n_moved += head.n;
    return FIRN_OK;
}

/* The ranks of the blocks around; 1: some are other ranks'. */
static int ranks_around(const firn_sim *sim, const firn_particle_block *block, uint8_t around[27])
{
    const int me = sim->mpm->ranks->comm.rank;
    int any = 0;
    for (int q = 0; q < 27; q++) {
        int32_t coord[3];
        firn_grid_beside(&sim->mpm->grid, block->coord, q, coord);
        const int32_t owner =
            firn_grid_is_reachable(coord) ? firn_grid_find(&sim->mpm->grid, coord) : -1;
        around[q] = (uint8_t)(owner < 0 ? me : firn_ranks_of_owner(sim, owner));
        any |= around[q] != me;
    }
    return any;
}

static firn_status pack_material(firn_sim *sim, int material, parcel *out)
{
    const firn_particles *particles = &sim->mpm->particles[material];
    const int me = sim->mpm->ranks->comm.rank;
    int32_t most = 1;
    for (int32_t b = 0; b < particles->n_blocks; b++)
        if (particles->blocks[b].n > most) most = particles->blocks[b].n;
    uint8_t *to = firn_memory_allocate(&sim->memory, (size_t)most), around[27];
    firn_status status = to ? FIRN_OK : FIRN_MEMORY;
    for (int32_t b = 0; b < particles->n_blocks && status == FIRN_OK; b++) {
        const firn_particle_block *block = &particles->blocks[b];
        uint64_t ranks = 0;
        if (!ranks_around(sim, block, around)) continue;
        for (int p = 0; p < block->n; p++) {
            const int target = firn_sort_fate(sim, particles, block, p);
            to[p] = target >= FIRN_SORT_GONE ? (uint8_t)me : around[target];
            if (to[p] != me) ranks |= 1ull << to[p];
        }
        for (int r = 0; ranks >> r && status == FIRN_OK; r++)
            if (ranks >> r & 1) status = pack_block(sim, material, block, to, r, &out[r]);
    }
    firn_memory_release(&sim->memory, to, (size_t)most);
    return status;
}

/* ---------------------------------------------------------------- arrival */

/* Appends the particles of a record as a block; its place in the list is found later. */
static void unpack_record(firn_sim *sim, const record *head, const char *from)
{
    firn_particles *particles = &sim->mpm->particles[head->material];
    const int n_bundles = firn_bundles_of(head->n);
    firn_particle_block *block = &particles->blocks[particles->n_blocks++];
    *block = (firn_particle_block){.owner = head->is_newborn ? -1 : 0,
                                   .n = head->n,
                                   .is_watched = head->is_watched,
                                   .first = particles->n_bundles};
    memcpy(block->coord, head->coord, sizeof block->coord);
    particles->n_bundles += n_bundles;
    particles->n_particles += head->n;
    for (int f = 0; f < FIRN_N_FIELDS; f++)
        for (int c = 0; c < particles->n_components[f]; c++) {
            const size_t size = value_bytes(particles, f);
            for (int p = 0; p < head->n; p++, from += size)
                memcpy(value_at(particles, f, block->first + p / 16, c, p % 16), from, size);
            for (int p = head->n; p < 16 * n_bundles; p++)
                firn_particles_set(particles, f, block->first + p / 16, c, p % 16,
                                   firn_particles_blank(particles, f, c));
        }
}

static const char *end_of(const parcel *in) { return in->n ? in->data + in->n : in->data; }

static const char *next_record(const firn_sim *sim, const char *at, record *head)
{
    memcpy(head, at, sizeof *head);
    return at + sizeof *head +
           (size_t)head->n * particle_bytes(&sim->mpm->particles[head->material]);
}

/* Room for all that has arrived. */
static firn_status reserve_arrivals(firn_sim *sim, const parcel *in)
{
    for (int m = 0; m < sim->n_materials; m++) {
        firn_particles *particles = &sim->mpm->particles[m];
        int64_t n_bundles = particles->n_bundles;
        int32_t n_blocks = particles->n_blocks;
        for (int r = 0; r < sim->mpm->ranks->comm.size; r++)
            for (const char *at = in[r].data; at < end_of(&in[r]);) {
                record head;
                at = next_record(sim, at, &head);
                if (head.material != m) continue;
                n_bundles += firn_bundles_of(head.n);
                n_blocks++;
            }
        if (firn_particles_reserve(particles, n_bundles, n_blocks) != FIRN_OK) return FIRN_MEMORY;
    }
    return FIRN_OK;
}

/* Blocks in the order of one process: from ranks before (parts[0]), own (1), from ranks behind (2);
 * newborn ones last (3). Blocks [ends[i], ends[i + 1]) of the list have arrived from rank i;
 * [0, ends[0]) are the rank's own. */
static firn_status order_blocks(firn_sim *sim, int material, const int32_t *ends)
{
    firn_particles *particles = &sim->mpm->particles[material];
    const int me = sim->mpm->ranks->comm.rank, size = sim->mpm->ranks->comm.size;
    const size_t bytes = (size_t)particles->n_blocks * sizeof *particles->blocks;
    firn_particle_block *old = firn_memory_allocate(&sim->memory, bytes);
    if (!old) return FIRN_MEMORY;
    if (particles->n_blocks) memcpy(old, particles->blocks, bytes);
    int32_t n = 0;
    for (int part = 0; part < 4; part++)
        for (int r = -1; r < size; r++) {
            const int side = r < 0 ? 1 : r < me ? 0 : 2;
            for (int32_t b = r < 0 ? 0 : ends[r]; b < ends[r + 1]; b++)
                if (part == (old[b].owner < 0 ? 3 : side)) particles->blocks[n++] = old[b];
        }
    firn_memory_release(&sim->memory, old, bytes);
    return FIRN_OK;
}

static firn_status unpack(firn_sim *sim, const parcel *in)
{
    const int size = sim->mpm->ranks->comm.size;
    firn_status status = reserve_arrivals(sim, in);
    for (int m = 0; m < sim->n_materials && status == FIRN_OK; m++) {
        int32_t ends[FIRN_RANKS_MAX + 1];
        ends[0] = sim->mpm->particles[m].n_blocks;
        for (int r = 0; r < size; r++) {
            for (const char *at = in[r].data; at < end_of(&in[r]);) {
                record head;
                const char *fields = at + sizeof head;
                at = next_record(sim, at, &head);
                if (head.material == m) unpack_record(sim, &head, fields);
            }
            ends[r + 1] = sim->mpm->particles[m].n_blocks;
        }
        status = order_blocks(sim, m, ends);
    }
    return status;
}

/* ---------------------------------------------------------------- migration */

static firn_status exchange(firn_sim *sim, const parcel *out, parcel *in)
{
    const firn_comm *comm = &sim->mpm->ranks->comm;
    firn_comm_message sends[FIRN_RANKS_MAX], gets[FIRN_RANKS_MAX];
    int64_t lengths[FIRN_RANKS_MAX], expected[FIRN_RANKS_MAX] = {0};
    int n_out = 0, n_in = 0;
    for (int r = 0; r < comm->size; r++) {
        lengths[r] = (int64_t)out[r].n;
        if (r == comm->rank) continue;
        sends[n_out++] = (firn_comm_message){r, sizeof lengths[r], &lengths[r]};
        gets[n_in++] = (firn_comm_message){r, sizeof expected[r], &expected[r]};
    }
    firn_comm_exchange(comm, sends, n_out, gets, n_in);
    firn_status status = FIRN_OK;
    for (int r = 0; r < comm->size; r++) {
        if (expected[r] && parcel_room(sim, &in[r], (size_t)expected[r]) != FIRN_OK)
            status = FIRN_MEMORY;
        in[r].n = (size_t)expected[r];
    }
    if (firn_comm_agree(comm, status) != FIRN_OK) {
        for (int r = 0; r < comm->size; r++) in[r].n = 0;
        return FIRN_MEMORY;
    }
    n_out = n_in = 0;
    for (int r = 0; r < comm->size; r++) {
        if (out[r].n) sends[n_out++] = (firn_comm_message){r, out[r].n, out[r].data};
        if (in[r].n) gets[n_in++] = (firn_comm_message){r, in[r].n, in[r].data};
    }
    firn_comm_exchange(comm, sends, n_out, gets, n_in);
    return FIRN_OK;
}

firn_status firn_ranks_migrate(firn_sim *sim)
{
    const firn_comm *comm = &sim->mpm->ranks->comm;
    parcel out[FIRN_RANKS_MAX] = {{0}}, in[FIRN_RANKS_MAX] = {{0}};
    firn_status status = FIRN_OK;
    for (int m = 0; m < sim->n_materials && status == FIRN_OK; m++)
        status = pack_material(sim, m, out);
    status = firn_comm_agree(comm, status);
    if (status == FIRN_OK) status = exchange(sim, out, in);
    for (int r = 0; r < comm->size; r++) parcel_clear(sim, &out[r]);
    if (status == FIRN_OK) status = firn_comm_agree(comm, unpack(sim, in));
    for (int r = 0; r < comm->size; r++) parcel_clear(sim, &in[r]);
    return status;
}
