/* SPDX-License-Identifier: MIT */
/* ranks_share.c: which owner blocks are whose, the sizes of what travels, and values of blocks and
 * nodes that all ranks or neighbours need (ranks.h). */
#include "mpm/ranks.h"

#include <string.h>

firn_range firn_ranks_owners_of(const firn_sim *sim, int rank)
{
    const int32_t *cut = sim->mpm->ranks->cut;
    const int64_t n = sim->mpm->grid.n_owners;
    return (firn_range){(int32_t)(n * cut[rank] / FIRN_CHUNKS),
                        (int32_t)(n * cut[rank + 1] / FIRN_CHUNKS)};
}

int firn_ranks_of_owner(const firn_sim *sim, int32_t owner)
{
    int rank = 0;
    while (rank + 1 < sim->mpm->ranks->comm.size && owner >= firn_ranks_owners_of(sim, rank).end)
        rank++;
    return rank;
}

void firn_ranks_weigh(const firn_sim *sim, int32_t *weight)
{
    for (int32_t b = 0; b < sim->mpm->grid.n_owners; b++) weight[b] = FIRN_BLOCK_COSTS;
    for (int m = 0; m < sim->n_materials; m++)
        for (int32_t b = 0; b < sim->mpm->particles[m].n_blocks; b++)
            weight[sim->mpm->particles[m].blocks[b].owner] += sim->mpm->particles[m].blocks[b].n;
}

/* ---------------------------------------------------------------- sizes */

int firn_rank_piece_nodes(int q)
{
    return (q / 9 == 1 ? 4 : 2) * (q / 3 % 3 == 1 ? 4 : 2) * (q % 3 == 1 ? 4 : 2);
}

int firn_rank_piece_first(int q)
{
    int first = 0;
    for (int k = 0; k < q; k++) first += firn_rank_piece_nodes(k);
    return first;
}

int firn_ranks_masses(const firn_sim *sim)
{
    const int has_boundaries =
        sim->n_colliders || sim->n_grips || sim->n_forces || sim->scene.grid.has_box;
    return has_boundaries && sim->n_materials > 1 ? sim->n_materials - 1 : 0;
}

int firn_ranks_arrays(const firn_sim *sim) { return sim->mpm->keeps_old ? 2 : 1; }

size_t firn_ranks_item_bytes(const firn_sim *sim)
{
    return (size_t)(firn_ranks_arrays(sim) * FIRN_CHANNELS + firn_ranks_masses(sim)) *
           sim->mpm->kernels->real_size;
}

size_t firn_ranks_block_bytes(const firn_sim *sim)
{
    return (size_t)firn_ranks_arrays(sim) * sim->mpm->grid.node_size + sizeof(firn_block_range);
}

/* 27 blocks of nodes: all that a patch can touch. */
size_t firn_ranks_staged_bytes(const firn_sim *sim)
{
    return 27 * FIRN_BLOCK_NODES * firn_ranks_item_bytes(sim);
}

/* ---------------------------------------------------------------- values of chunks and blocks */

void firn_ranks_share_chunks(firn_sim *sim, void *values, size_t size)
{
    const firn_ranks *r = sim->mpm->ranks;
    size_t sizes[FIRN_RANKS_MAX];
    for (int p = 0; p < r->comm.size; p++) sizes[p] = (size_t)(r->cut[p + 1] - r->cut[p]) * size;
    char *own = (char *)values + (size_t)r->cut[r->comm.rank] * size;
    firn_comm_collect_parts(&r->comm, own, sizes, values);
}

void firn_ranks_share_owners(firn_sim *sim, void *values, size_t size)
{
    const firn_comm *comm = &sim->mpm->ranks->comm;
    size_t sizes[FIRN_RANKS_MAX];
    for (int p = 0; p < comm->size; p++) {
        const firn_range owners = firn_ranks_owners_of(sim, p);
        sizes[p] = (size_t)(owners.end - owners.first) * size;
    }
    char *own = (char *)values + (size_t)firn_ranks_owners(sim).first * size;
    firn_comm_collect_parts(comm, own, sizes, values);
}

/* ---------------------------------------------------------------- bits of nodes */

/* Particles of this rank set bits on the nodes that it takes velocities from: they go the other
 * way. */
void firn_ranks_share_bits(firn_sim *sim, firn_block_slots *slots)
{
    firn_ranks *r = sim->mpm->ranks;
    const size_t size = FIRN_BLOCK_NODES * sizeof(uint32_t);
    firn_comm_message out[FIRN_RANKS_MAX], in[FIRN_RANKS_MAX];
    int n_out = 0, n_in = 0;
    for (int p = 0; p < r->comm.size; p++) {
        firn_rank_link *l = &r->links[p];
        size_t n_give = 0, n_take = 0;
        for (int32_t i = 0; i < l->n_take; i++)
            if (slots->slot[l->take[i]] >= 0)
                memcpy(l->out_data + size * n_take++, firn_block_slots_at(slots, l->take[i]), size);
        for (int32_t i = 0; i < l->n_give; i++) n_give += slots->slot[l->give[i]] >= 0;
        if (n_take) out[n_out++] = (firn_comm_message){p, n_take * size, l->out_data};
        if (n_give) in[n_in++] = (firn_comm_message){p, n_give * size, l->in_data};
    }
    firn_comm_exchange(&r->comm, out, n_out, in, n_in);
    for (int p = 0; p < r->comm.size; p++) {
        const firn_rank_link *l = &r->links[p];
        const uint32_t *bits = (const uint32_t *)(const void *)l->in_data;
        for (int32_t i = 0; i < l->n_give; i++) {
            if (slots->slot[l->give[i]] < 0) continue;
            uint32_t *nodes = firn_block_slots_at(slots, l->give[i]);
            for (int n = 0; n < FIRN_BLOCK_NODES; n++) nodes[n] |= bits[n];
            bits += FIRN_BLOCK_NODES;
        }
    }
}
