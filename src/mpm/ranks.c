/* SPDX-License-Identifier: MIT */
/* ranks.c: which rank owns which chunks, and the lists of what goes between ranks (ranks.h).
 *
 * Cut. The load of a block is the number of its particles and 32 for its nodes, as in the division
 * among threads (workspace.c); chunks are cut into contiguous parts with the least largest load, by
 * dynamic programming over 64 chunks. All ranks know all loads and come to the same cut. It is kept
 * while the largest load is below IMBALANCE times the mean, or no other cut is clearly better, since
 * each new one moves particles.
 *
 * Lists. Both ends of a link make theirs from the same numbers in the same order (owner block, then
 * neighbour; blocks by number), so nothing is said about them. */
#include "mpm/mirror_wall.h"
#include "mpm/ranks.h"

#include <string.h>

enum { PATCH_NODES = 512 };
static const double most_imbalance = 1.1, least_gain = 0.98;

static firn_status create(firn_sim *sim)
{
    firn_ranks *r = firn_memory_array(&sim->memory, 1, sizeof *r);
    if (!r) return FIRN_MEMORY;
    *r = (firn_ranks){.comm = sim->comm};
    sim->mpm->ranks = r;
    const size_t n = (size_t)sim->n_materials;
    r->n_all = firn_memory_array(&sim->memory, n, sizeof *r->n_all);
    r->own = firn_memory_array(&sim->memory, n, sizeof *r->own);
    r->links = firn_memory_array(&sim->memory, (size_t)r->comm.size, sizeof *r->links);
    return r->n_all && r->own && r->links ? FIRN_OK : FIRN_MEMORY;
}

static firn_status refuse(int size, const char *what, firn_messages *messages)
{
    return firn_messages_add(
        messages, FIRN_REFUSED,
        "%s: does not work on several ranks yet (%d ranks); try: one rank with "
        "as many threads",
        what, size);
}

static firn_status check_walls(const firn_sim *sim, int size, firn_messages *messages)
{
    for (int w = 0; sim->scene.grid.has_box && w < 6; w++) {
        const firn_wall wall = sim->scene.grid.walls[w];
        if (firn_mirror_wall_is(wall)) return refuse(size, "grid.walls: mirror", messages);
        if (wall == FIRN_WALL_PERIODIC &&
            sim->scene.grid.box_max[w / 2] - sim->scene.grid.box_min[w / 2] < 7.5 * sim->h)
            return refuse(size, "grid.walls: a periodic axis of one block (4 cells)", messages);
    }
    return FIRN_OK;
}

/* What takes part in node sums besides P2G (mirror walls fold nodes of other blocks, gaps and faces
 * of particles are summed apart), heat and implicit steps have no exchange yet. */
firn_status firn_ranks_check(const firn_sim *sim, int size, firn_messages *messages)
{
    if (size > FIRN_RANKS_MAX)
        return firn_messages_add(messages, FIRN_REFUSED, "%d ranks; allowed: up to %d", size,
                                 FIRN_RANKS_MAX);
    if (sim->implicit_use != FIRN_IMPLICIT_NEVER)
        return refuse(size, "time.integrator: an implicit one", messages);
    if (sim->heat) return refuse(size, "materials: heat_capacity", messages);
    if (sim->scene.n_pressures) return refuse(size, "pressures", messages);
    for (int c = 0; c < sim->n_colliders; c++)
        if (sim->colliders[c].def.touch != FIRN_TOUCH_GRID)
            return refuse(size,
                          sim->colliders[c].def.touch == FIRN_TOUCH_SURFACE
                              ? "colliders: touch: surface"
                              : "colliders: touch: particles",
                          messages);
    return check_walls(sim, size, messages);
}

firn_status firn_ranks_create(firn_sim *sim, firn_messages *messages)
{
    if (sim->comm.size == 1) return FIRN_OK;
    const firn_status status = firn_ranks_check(sim, sim->comm.size, messages);
    if (status != FIRN_OK) return status;
    return create(sim) == FIRN_OK ? FIRN_OK : firn_messages_no_memory(messages, "ranks");
}
static void clear_links(firn_sim *sim)
{
    firn_ranks *r = sim->mpm->ranks;
    firn_memory *memory = &sim->memory;
    for (int p = 0; r->links && p < r->comm.size; p++) {
        firn_rank_link *l = &r->links[p];
        firn_memory_release(memory, l->give, (size_t)l->n_give * sizeof *l->give);
        firn_memory_release(memory, l->take, (size_t)l->n_take * sizeof *l->take);
        firn_memory_release(memory, l->out, (size_t)l->n_out_pieces * sizeof *l->out);
        firn_memory_release(memory, l->out_data, l->out_bytes);
        firn_memory_release(memory, l->in_data, l->in_bytes);
        *l = (firn_rank_link){0};
    }
    firn_memory_release(memory, r->block_rank, (size_t)r->block_capacity);
    firn_memory_release(memory, r->role, (size_t)r->owner_capacity);
    firn_memory_release(memory, r->first_add,
                        ((size_t)r->owner_capacity + 1) * sizeof *r->first_add);
    firn_memory_release(memory, r->adds, (size_t)r->add_capacity * sizeof *r->adds);
    firn_memory_release(memory, r->add_data, (size_t)r->add_capacity * sizeof *r->add_data);
    firn_memory_release(memory, r->shared, (size_t)r->n_shared * sizeof *r->shared);
    firn_memory_release(memory, r->kept, r->kept_bytes);
    firn_memory_release(memory, r->staged, r->staged_bytes);
    r->block_rank = r->role = NULL;
    r->first_add = NULL;
    r->adds = NULL;
    r->add_data = NULL;
    r->shared = NULL;
    r->kept = r->staged = NULL;
    r->n_shared = r->block_capacity = r->owner_capacity = 0;
    r->add_capacity = 0;
    r->kept_bytes = r->staged_bytes = 0;
}

void firn_ranks_clear(firn_sim *sim)
{
    firn_ranks *r = sim->mpm->ranks;
    if (!r) return;
    clear_links(sim);
    firn_memory_release(&sim->memory, r->n_all, (size_t)sim->n_materials * sizeof *r->n_all);
    firn_memory_release(&sim->memory, r->own, (size_t)sim->n_materials * sizeof *r->own);
    firn_memory_release(&sim->memory, r->links, (size_t)r->comm.size * sizeof *r->links);
    firn_memory_release(&sim->memory, r, sizeof *r);
    sim->mpm->ranks = NULL;
}

/* ---------------------------------------------------------------- the cut */

/* The cut of chunks 0 .. n - 1 with the least largest load, for each n and number of ranks. */
static void best_cut(const int64_t load[FIRN_CHUNKS], int size, int32_t *cut)
{
    int64_t least[FIRN_CHUNKS + 1], next[FIRN_CHUNKS + 1], sum[FIRN_CHUNKS + 1] = {0};
    uint8_t from[FIRN_RANKS_MAX][FIRN_CHUNKS + 1];
    for (int c = 0; c < FIRN_CHUNKS; c++) sum[c + 1] = sum[c] + load[c];
    memcpy(least, sum, sizeof least);
    memset(from, 0, sizeof from);
    for (int k = 1; k < size; k++) {
        for (int end = 0; end <= FIRN_CHUNKS; end++) {
            next[end] = INT64_MAX;
            for (int c = 0; c <= end; c++) {
                const int64_t last = sum[end] - sum[c], most = least[c] > last ? least[c] : last;
                if (most >= next[end]) continue;
                next[end] = most;
                from[k][end] = (uint8_t)c;
            }
        }
        memcpy(least, next, sizeof least);
    }
    cut[0] = 0;
    cut[size] = FIRN_CHUNKS;
    for (int k = size - 1; k > 0; k--) cut[k] = from[k][cut[k + 1]];
}

static double imbalance_of(const int64_t load[FIRN_CHUNKS], int size, const int32_t *cut)
{
    int64_t most = 0, all = 0;
    for (int k = 0; k < size; k++) {
        int64_t own = 0;
        for (int c = cut[k]; c < cut[k + 1]; c++) own += load[c];
        all += own;
        if (own > most) most = own;
    }
    return all ? (double)most * size / (double)all : 1;
}

static void add_loads(const firn_sim *sim, const int32_t *weight, int64_t load[FIRN_CHUNKS])
{
    for (int c = 0; c < FIRN_CHUNKS; c++) {
        const firn_range owners = firn_mpm_chunk(sim, c, 0);
        load[c] = 0;
        for (int32_t b = owners.first; b < owners.end; b++) load[c] += weight[b];
    }
}

double firn_ranks_best_cut(const firn_sim *sim, const int32_t *weight, int size, int32_t *cut)
{
    int64_t load[FIRN_CHUNKS];
    add_loads(sim, weight, load);
    best_cut(load, size, cut);
    return imbalance_of(load, size, cut);
}

void firn_ranks_cut(firn_sim *sim, const int32_t *weight)
{
    firn_ranks *r = sim->mpm->ranks;
    int64_t load[FIRN_CHUNKS];
    int32_t cut[FIRN_RANKS_MAX + 1];
    add_loads(sim, weight, load);
    best_cut(load, r->comm.size, cut);
    const double best = imbalance_of(load, r->comm.size, cut);
    r->imbalance = r->is_cut ? imbalance_of(load, r->comm.size, r->cut) : 2 * best;
    if (r->imbalance > most_imbalance && best < least_gain * r->imbalance) {
        memcpy(r->cut, cut, sizeof cut);
        r->imbalance = best;
        r->n_cuts += r->is_cut;
        r->is_cut = 1;
    }
    if (r->imbalance > r->worst_imbalance) r->worst_imbalance = r->imbalance;
}

/* ---------------------------------------------------------------- links */

static void set_block_ranks(firn_sim *sim)
{
    firn_ranks *r = sim->mpm->ranks;
    for (int c = 0, rank = 0; c < FIRN_CHUNKS; c++) {
        while (c >= r->cut[rank + 1]) rank++;
        for (int part = 0; part < 2; part++) {
            const firn_range blocks = firn_mpm_chunk(sim, c, part);
            for (int32_t b = blocks.first; b < blocks.end; b++) r->block_rank[b] = (uint8_t)rank;
        }
    }
}

/* One visit of all pieces between ranks, in the order that both ends of a link share. With
 * `is_listing` the lists are filled, else counted. */
typedef struct visit {
    firn_sim *sim;
    int is_listing;
    uint64_t *needed; /* [n_blocks] bits of the ranks whose particles reach a block */
    int64_t n_adds;
} visit;

static void add_piece(visit *v, int32_t owner, int q, int64_t at, const char *data)
{
    firn_ranks *r = v->sim->mpm->ranks;
    if (v->is_listing) {
        r->adds[v->n_adds] = (firn_rank_piece){owner, q, at};
        r->add_data[v->n_adds] = data;
    }
    v->n_adds++;
}

static void visit_owner(visit *v, int32_t owner, int rank)
{
    firn_ranks *r = v->sim->mpm->ranks;
    const int32_t *neighbours = v->sim->mpm->grid.neighbours[owner];
    const int me = r->comm.rank, is_own = rank == me;
    int is_shared = 0;
    for (int q = 0; q < 27; q++)
        if (neighbours[q] >= 0) is_shared |= (r->block_rank[neighbours[q]] == me) != is_own ? 1 : 0;
    r->role[owner] = is_shared ? FIRN_ROLE_SHARED : is_own ? FIRN_ROLE_INNER : FIRN_ROLE_OTHER;
    r->first_add[owner] = v->n_adds;
    for (int q = 0; q < 27; q++) {
        const int32_t block = neighbours[q];
        if (block < 0) continue;
        const int to = r->block_rank[block];
        v->needed[block] |= 1ull << rank;
        if (!is_shared) continue;
        if (is_own && to == me)
            add_piece(v, owner, q, (int64_t)r->n_shared * PATCH_NODES + firn_rank_piece_first(q),
                      r->kept);
        else if (is_own) {
            firn_rank_link *l = &r->links[to];
            if (v->is_listing)
                l->out[l->n_out_pieces] = (firn_rank_piece){
                    owner, q, (int64_t)r->n_shared * PATCH_NODES + firn_rank_piece_first(q)};
            l->n_out_pieces++;
            l->n_out += firn_rank_piece_nodes(q);
        } else if (to == me) {
            firn_rank_link *l = &r->links[rank];
            add_piece(v, owner, q, l->n_in, l->in_data);
            l->n_in += firn_rank_piece_nodes(q);
        }
    }
    if (!is_own || !is_shared) return;
    if (v->is_listing) r->shared[r->n_shared] = owner;
    r->n_shared++;
}

static void visit_all(visit *v)
{
    firn_ranks *r = v->sim->mpm->ranks;
    const firn_grid *grid = &v->sim->mpm->grid;
    r->n_shared = 0;
    v->n_adds = 0;
    for (int p = 0; p < r->comm.size; p++) {
        firn_rank_link *l = &r->links[p];
        l->n_out = l->n_in = l->n_give = l->n_take = l->n_out_pieces = 0;
    }
    for (int p = 0; p < r->comm.size; p++) {
        const firn_range owners = firn_ranks_owners_of(v->sim, p);
        for (int32_t b = owners.first; b < owners.end; b++) visit_owner(v, b, p);
    }
    r->first_add[grid->n_owners] = v->n_adds;
    const int me = r->comm.rank;
    for (int32_t b = 0; b < grid->n_blocks; b++)
        for (int p = 0; p < r->comm.size; p++) {
            if (!(v->needed[b] >> p & 1) || p == r->block_rank[b]) continue;
            if (r->block_rank[b] == me) {
                firn_rank_link *l = &r->links[p];
                if (v->is_listing) l->give[l->n_give] = b;
                l->n_give++;
            } else if (p == me) {
                firn_rank_link *l = &r->links[r->block_rank[b]];
                if (v->is_listing) l->take[l->n_take] = b;
                l->n_take++;
            }
        }
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

static firn_status reserve_link(firn_sim *sim, firn_rank_link *l)
{
    const firn_ranks *r = sim->mpm->ranks;
    const size_t block = firn_ranks_block_bytes(sim);
    firn_memory *memory = &sim->memory;
    l->out_bytes = larger((size_t)l->n_out * r->item_bytes, (size_t)l->n_give * block);
    l->in_bytes = larger((size_t)l->n_in * r->item_bytes, (size_t)l->n_take * block);
    l->out_bytes = larger(l->out_bytes, (size_t)l->n_take * FIRN_BLOCK_NODES * sizeof(uint32_t));
    l->in_bytes = larger(l->in_bytes, (size_t)l->n_give * FIRN_BLOCK_NODES * sizeof(uint32_t));
    l->give = firn_memory_array(memory, (size_t)l->n_give, sizeof *l->give);
    l->take = firn_memory_array(memory, (size_t)l->n_take, sizeof *l->take);
    l->out = firn_memory_array(memory, (size_t)l->n_out_pieces, sizeof *l->out);
    l->out_data = firn_memory_allocate(memory, l->out_bytes);
    l->in_data = firn_memory_allocate(memory, l->in_bytes);
    return l->give && l->take && l->out && l->out_data && l->in_data ? FIRN_OK : FIRN_MEMORY;
}

static firn_status reserve_blocks(firn_sim *sim)
{
    firn_ranks *r = sim->mpm->ranks;
    r->block_capacity = sim->mpm->grid.n_blocks;
    r->owner_capacity = sim->mpm->grid.n_owners;
    r->block_rank = firn_memory_allocate(&sim->memory, (size_t)r->block_capacity);
    r->role = firn_memory_allocate(&sim->memory, (size_t)r->owner_capacity);
    r->first_add =
        firn_memory_array(&sim->memory, (size_t)r->owner_capacity + 1, sizeof *r->first_add);
    return r->block_rank && r->role && r->first_add ? FIRN_OK : FIRN_MEMORY;
}

static firn_status reserve_lists(firn_sim *sim, int64_t n_adds)
{
    firn_ranks *r = sim->mpm->ranks;
    firn_status status = FIRN_OK;
    for (int p = 0; p < r->comm.size && status == FIRN_OK; p++)
        status = reserve_link(sim, &r->links[p]);
    r->add_capacity = n_adds;
    r->adds = firn_memory_array(&sim->memory, (size_t)n_adds, sizeof *r->adds);
    r->add_data = firn_memory_array(&sim->memory, (size_t)n_adds, sizeof *r->add_data);
    r->shared = firn_memory_array(&sim->memory, (size_t)r->n_shared, sizeof *r->shared);
    r->kept_bytes = (size_t)r->n_shared * PATCH_NODES * r->item_bytes;
    r->kept = firn_memory_allocate(&sim->memory, r->kept_bytes);
    r->staged_bytes = (size_t)sim->n_threads * firn_ranks_staged_bytes(sim);
    r->staged = firn_memory_allocate(&sim->memory, r->staged_bytes);
    return r->adds && r->add_data && r->shared && r->kept && r->staged ? status : FIRN_MEMORY;
}

firn_status firn_ranks_link(firn_sim *sim)
{
    firn_ranks *r = sim->mpm->ranks;
    clear_links(sim);
    r->item_bytes = firn_ranks_item_bytes(sim);
    const size_t bytes = (size_t)sim->mpm->grid.n_blocks * sizeof(uint64_t);
    visit v = {.sim = sim, .needed = firn_memory_allocate(&sim->memory, bytes)};
    firn_status status = v.needed ? reserve_blocks(sim) : FIRN_MEMORY;
    if (status == FIRN_OK) {
        set_block_ranks(sim);
        visit_all(&v);
        status = reserve_lists(sim, v.n_adds);
    }
    if (status == FIRN_OK) {
        v.is_listing = 1;
        visit_all(&v);
    }
    firn_memory_release(&sim->memory, v.needed, bytes);
    return status;
}
