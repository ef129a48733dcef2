/* SPDX-License-Identifier: MIT */
/* ranks_halo.c: what goes between ranks in every step (ranks.h).
 *
 * P2G. A node at a border gets the patches of owner blocks of several ranks. One process adds them
 * by colour of cluster, and within a cluster in the order of the list; sums of a rank, added
 * afterwards, would have other digits. So patches travel, not sums: the part of a patch that lies
 * in a block of another rank goes there, node by node, and that rank adds it when the turn of its
 * owner block comes. It walks over the clusters of the whole grid; those of others that do not
 * touch its nodes cost it a comparison.
 *
 *     rank 0                        rank 1
 *     own block a: patch  ------->  piece of a in the nodes of rank 1
 *     adds its own pieces,          adds in the order of the list: own blocks, piece of a, ...
 *     and the pieces it got
 *
 * Blocks that reach nodes of other ranks make their patch first, into pieces; the rest works as
 * with one process.
 *
 * Velocities. After the grid update each block of nodes goes as it is to the ranks whose particles
 * reach it, with the velocities before (FLIP) and the range for the step check.
 *
 * A node in a piece: 4 numbers, 4 more where forces are kept apart, and where several materials
 * meet boundaries the mass of each material but the last (impulse_split.c). */
#include "mpm/ranks.h"

#include <omp.h>
#include <string.h>

/* ---------------------------------------------------------------- pieces */

/* The nodes of neighbour q that a patch covers: `first` and `n` along each axis. */
typedef struct box {
    int first[3], n[3];
} box;

static box box_of(int q)
{
    const int side[3] = {q / 9, q / 3 % 3, q % 3};
    box b;
    for (int a = 0; a < 3; a++) {
        b.first[a] = side[a] == 0 ? 2 : 0;
        b.n[a] = side[a] == 1 ? 4 : 2;
    }
    return b;
}

/* Copies the nodes of a piece out of a block, `size` bytes a node; returns the end. */
static char *cut_out(const char *block, const box *b, size_t size, char *to)
{
    const size_t run = (size_t)b->n[2] * size;
    for (int i = b->first[0]; i < b->first[0] + b->n[0]; i++)
        for (int j = b->first[1]; j < b->first[1] + b->n[1]; j++, to += run)
            memcpy(to, block + (size_t)((i * 4 + j) * 4 + b->first[2]) * size, run);
    return to;
}

/* Adds a piece to a block, n_values numbers a node; returns its end. */
static const char *add_in(void *block, const box *b, int n_values, int is_double, const char *from)
{
    const int run = b->n[2] * n_values;
    for (int i = b->first[0]; i < b->first[0] + b->n[0]; i++)
        for (int j = b->first[1]; j < b->first[1] + b->n[1]; j++) {
            const int at = ((i * 4 + j) * 4 + b->first[2]) * n_values;
            if (is_double)
                for (int k = 0; k < run; k++)
                    ((double *)block)[at + k] += ((const double *)from)[k];
            else
                for (int k = 0; k < run; k++) ((float *)block)[at + k] += ((const float *)from)[k];
            from += (size_t)run * (is_double ? sizeof(double) : sizeof(float));
        }
    return from;
}

/* The patch of an own block at the border, as it would be added to an empty grid, in pieces. */
static void make_pieces(firn_sim *sim, firn_rank_patch *patch, int32_t owner, int with_force,
                        const firn_workspace *w, char *staged, char *pieces)
{
    const firn_ranks *r = sim->mpm->ranks;
    const firn_kernels *k = sim->mpm->kernels;
    const size_t node = FIRN_CHANNELS * k->real_size, array = 27 * FIRN_BLOCK_NODES * node;
    const int32_t *neighbours = sim->mpm->grid.neighbours[owner];
    const int masses = firn_ranks_masses(sim), arrays = firn_ranks_arrays(sim);
    char *mass = staged + (size_t)arrays * array;
    int32_t at[27];
    for (int q = 0; q < 27; q++) at[q] = neighbours[q] < 0 ? -1 : q;
    memset(staged, 0, firn_ranks_staged_bytes(sim));
    const firn_columns columns = patch(sim, owner, with_force, w, masses ? mass : NULL);
    k->patch_add(w->patch, columns, at, staged);
    if (arrays > 1) k->patch_add(w->forces, columns, at, staged + array);
    for (int q = 0; q < 27; q++) {
        const box b = box_of(q);
        char *to = pieces + (size_t)firn_rank_piece_first(q) * r->item_bytes;
        for (int i = 0; i < arrays; i++)
            to = cut_out(staged + (size_t)i * array + (size_t)q * FIRN_BLOCK_NODES * node, &b, node,
                         to);
        for (int s = 0; s < masses; s++)
            to = cut_out(mass + (size_t)(q * masses + s) * FIRN_BLOCK_NODES * k->real_size, &b,
                         k->real_size, to);
    }
}

static void pack_pieces(const firn_ranks *r, const firn_rank_link *l)
{
    char *to = l->out_data;
    for (int32_t i = 0; i < l->n_out_pieces; i++) {
        const size_t bytes = (size_t)firn_rank_piece_nodes(l->out[i].q) * r->item_bytes;
        memcpy(to, r->kept + (size_t)l->out[i].at * r->item_bytes, bytes);
        to += bytes;
    }
}

void firn_ranks_send_patches(firn_sim *sim, firn_rank_patch *patch, int with_force)
{
    firn_ranks *r = sim->mpm->ranks;
    const size_t each = (size_t)firn_rank_piece_first(27) * r->item_bytes,
                 staged = firn_ranks_staged_bytes(sim);
#pragma omp parallel num_threads(sim->n_threads)
    {
        const firn_workspace w = firn_workspace_of(sim, omp_get_thread_num());
#pragma omp for schedule(dynamic, 1)
        for (int32_t i = 0; i < r->n_shared; i++)
            make_pieces(sim, patch, r->shared[i], with_force, &w,
                        r->staged + staged * (size_t)omp_get_thread_num(),
                        r->kept + (size_t)i * each);
    }
    firn_comm_message out[FIRN_RANKS_MAX], in[FIRN_RANKS_MAX];
    int n_out = 0, n_in = 0;
    for (int p = 0; p < r->comm.size; p++) {
        const firn_rank_link *l = &r->links[p];
        pack_pieces(r, l);
        if (l->n_out)
            out[n_out++] = (firn_comm_message){p, (size_t)l->n_out * r->item_bytes, l->out_data};
        if (l->n_in)
            in[n_in++] = (firn_comm_message){p, (size_t)l->n_in * r->item_bytes, l->in_data};
        r->piece_bytes += l->n_out * (int64_t)r->item_bytes;
    }
    firn_comm_exchange(&r->comm, out, n_out, in, n_in);
}

void firn_ranks_add_pieces(const firn_sim *sim, int32_t owner)
{
    const firn_ranks *r = sim->mpm->ranks;
    const firn_grid *grid = &sim->mpm->grid;
    const int is_double = sim->mpm->kernels->is_double, masses = firn_ranks_masses(sim);
    for (int64_t i = r->first_add[owner]; i < r->first_add[owner + 1]; i++) {
        const firn_rank_piece *piece = &r->adds[i];
        const int32_t block = grid->neighbours[owner][piece->q];
        const box b = box_of(piece->q);
        const char *from = r->add_data[i] + (size_t)piece->at * r->item_bytes;
        from = add_in(firn_grid_nodes(grid, block), &b, FIRN_CHANNELS, is_double, from);
        if (grid->old)
            from = add_in(firn_grid_old(grid, block), &b, FIRN_CHANNELS, is_double, from);
        for (int s = 0; s < masses; s++) {
            void *mass = firn_impulse_split_masses_of(sim, block, s);
            if (mass) from = add_in(mass, &b, 1, is_double, from);
        }
    }
}

/* ---------------------------------------------------------------- velocities */

static void pack_blocks(const firn_sim *sim, const firn_rank_link *l)
{
    const firn_grid *grid = &sim->mpm->grid;
    char *to = l->out_data;
    for (int32_t i = 0; i < l->n_give; i++) {
        memcpy(to, firn_grid_nodes(grid, l->give[i]), grid->node_size);
        to += grid->node_size;
        if (grid->old) {
            memcpy(to, firn_grid_old(grid, l->give[i]), grid->node_size);
            to += grid->node_size;
        }
        memcpy(to, &grid->range[l->give[i]], sizeof *grid->range);
        to += sizeof *grid->range;
    }
}

static void unpack_blocks(const firn_sim *sim, const firn_rank_link *l)
{
    const firn_grid *grid = &sim->mpm->grid;
    const char *from = l->in_data;
    for (int32_t i = 0; i < l->n_take; i++) {
        memcpy(firn_grid_nodes(grid, l->take[i]), from, grid->node_size);
        from += grid->node_size;
        if (grid->old) {
            memcpy(firn_grid_old(grid, l->take[i]), from, grid->node_size);
            from += grid->node_size;
        }
        memcpy(&grid->range[l->take[i]], from, sizeof *grid->range);
        from += sizeof *grid->range;
    }
}

void firn_ranks_share_nodes(firn_sim *sim)
{
    firn_ranks *r = sim->mpm->ranks;
    const size_t block = firn_ranks_block_bytes(sim);
    firn_comm_message out[FIRN_RANKS_MAX], in[FIRN_RANKS_MAX];
    int n_out = 0, n_in = 0;
    for (int p = 0; p < r->comm.size; p++) {
        const firn_rank_link *l = &r->links[p];
        pack_blocks(sim, l);
        if (l->n_give)
            out[n_out++] = (firn_comm_message){p, (size_t)l->n_give * block, l->out_data};
        if (l->n_take) in[n_in++] = (firn_comm_message){p, (size_t)l->n_take * block, l->in_data};
        r->velocity_bytes += (int64_t)l->n_give * (int64_t)block;
    }
    firn_comm_exchange(&r->comm, out, n_out, in, n_in);
    for (int p = 0; p < r->comm.size; p++) unpack_blocks(sim, &r->links[p]);
    r->n_steps++;
}
