/* SPDX-License-Identifier: MIT */
/* ranks_forecast.c: what a step on several ranks would cost, counted on the present grid of one
 * process: the same cut, the same pieces, the same blocks of velocities as in ranks_halo.c.
 *
 * The least that must cross: nodes that particles of another rank reach get sums from there and give
 * velocities back, 1 KiB (float) per block each way. What firn sends is more, since patches overlap
 * (a block at a flat border gets the parts of nine owner blocks, 2 KiB), and since a block of
 * velocities also carries its range. */
#include "mpm/ranks.h"

#include <string.h>

typedef struct counting {
    firn_sim *sim;
    const int32_t *cut;
    double sent[FIRN_RANKS_MAX];
    uint8_t *block_rank; /* [n_blocks] */
    uint64_t *needed;    /* [n_blocks] */
} counting;

static void set_ranks(counting *c)
{
    for (int chunk = 0, rank = 0; chunk < FIRN_CHUNKS; chunk++) {
        while (chunk >= c->cut[rank + 1]) rank++;
        for (int part = 0; part < 2; part++) {
            const firn_range blocks = firn_mpm_chunk(c->sim, chunk, part);
            for (int32_t b = blocks.first; b < blocks.end; b++) c->block_rank[b] = (uint8_t)rank;
        }
    }
}

static void count_all(counting *c, firn_rank_forecast *f)
{
    const firn_grid *grid = &c->sim->mpm->grid;
    const double item = (double)firn_ranks_item_bytes(c->sim),
                 block = (double)firn_ranks_block_bytes(c->sim);
    for (int32_t b = 0; b < grid->n_owners; b++)
        for (int q = 0; q < 27; q++) {
            const int32_t to = grid->neighbours[b][q];
            if (to < 0) continue;
            const int rank = c->block_rank[b];
            c->needed[to] |= 1ull << rank;
            if (c->block_rank[to] != rank) c->sent[rank] += firn_rank_piece_nodes(q) * item;
        }
    for (int32_t b = 0; b < grid->n_blocks; b++) {
        const int rank = c->block_rank[b], n = __builtin_popcountll(c->needed[b] & ~(1ull << rank));
        c->sent[rank] += n * block;
        f->least_bytes += 2.0 * n * (double)grid->node_size;
    }
    for (int r = 0; r < f->size; r++) {
        f->bytes += c->sent[r];
        if (c->sent[r] > f->most_bytes) f->most_bytes = c->sent[r];
    }
}

/* Patches, velocities, whether the step is good (2), whether it could be prepared and its boundaries
 * worked (2), before the sort, summaries, impulses of chunks, of materials, and the turn of the
 * session. */
static int n_exchanges(const firn_sim *sim) { return 10 + (sim->n_materials > 1); }

firn_status firn_ranks_forecast(firn_sim *sim, int size, firn_rank_forecast *f)
{
    int32_t cut[FIRN_RANKS_MAX + 1];
    const size_t n_owners = (size_t)sim->mpm->grid.n_owners,
                 n_blocks = (size_t)sim->mpm->grid.n_blocks;
    *f = (firn_rank_forecast){.size = size, .n_exchanges = n_exchanges(sim)};
    int32_t *weight = firn_memory_array(&sim->memory, n_owners, sizeof *weight);
    counting c = {.sim = sim,
                  .cut = cut,
                  .block_rank = firn_memory_allocate(&sim->memory, n_blocks),
                  .needed = firn_memory_array(&sim->memory, n_blocks, sizeof *c.needed)};
    const firn_status status = weight && c.block_rank && c.needed ? FIRN_OK : FIRN_MEMORY;
    if (status == FIRN_OK) {
        firn_ranks_weigh(sim, weight);
        f->imbalance = firn_ranks_best_cut(sim, weight, size, cut);
        set_ranks(&c);
        count_all(&c, f);
    }
    firn_memory_release(&sim->memory, weight, n_owners * sizeof *weight);
    firn_memory_release(&sim->memory, c.block_rank, n_blocks);
    firn_memory_release(&sim->memory, c.needed, n_blocks * sizeof *c.needed);
    return status;
}
