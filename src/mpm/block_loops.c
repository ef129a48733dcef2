/* SPDX-License-Identifier: MIT */
/* block_loops.c: the loops of a step over blocks.
 *
 *     p2g       owner blocks by clusters, one colour after the other: patches of one colour do
 *               not overlap, so adding them to the grid needs no atomics
 *     grid      node blocks by chunk
 *     g2p       owner blocks: gather, boundary of particles, law, diagnosis in one pass, while
 *               the block's particles are in the cache
 *     measure   law and diagnosis alone, of the present state
 *
 * Determinism. The order in which two blocks add to a node is fixed: by colour, and within a colour
 * they share no node. Sums over particles are formed per block, then per chunk, then over chunks in
 * order. So neither the number of threads nor the assignment of work ever changes a bit.
 *
 * Work is assigned by work_ranges.h: a thread keeps the blocks that are in its cache from loop to
 * loop and helps others when it has finished. */
#include "mpm/block_loops.h"
#include "mpm/heat.h"
#include "mpm/mirror_wall.h"
#include "mpm/mpm.h"
#include "mpm/node_boundary.h"
#include "mpm/particle_boundary.h"
#include "mpm/plane.h"
#include "mpm/pressure.h"
#include "mpm/ranks.h"
#include "mpm/transfer_damping.h"
#include "mpm/workspace.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

int firn_block_loops_material(const firn_sim *sim, int32_t owner, int material,
                              firn_block_material *r)
{
    r->material = material;
    r->particles = &sim->mpm->particles[material];
    r->block = firn_particle_block_at(r->particles, owner);
    if (!r->block) return 0;
    r->transfer = r->particles->transfer;
    r->transfer.dt = sim->dt;
    r->block_particles = firn_particle_block_particles(r->particles, r->block);
    firn_grid_reach_ends(sim->mpm->grid.reach[owner], r->block_particles.lowest,
                         r->block_particles.most);
    return 1;
}

int firn_block_loops_next_material(const firn_sim *sim, int32_t owner, firn_block_material *r)
{
    for (int m = r->material + 1; m < sim->n_materials; m++)
        if (firn_block_loops_material(sim, owner, m, r)) return 1;
    return 0;
}

void firn_block_loops_particle(const firn_particles *particles, const firn_particle_block *block,
                               int bundle, int lane, char *text, size_t n)
{
    int64_t b = block->first + bundle;
    long cell[3];
    for (int a = 0; a < 3; a++)
        cell[a] = 4L * block->coord[a] +
                  (long)floor(firn_particles_value(particles, FIRN_FIELD_X, b, a, lane));
    snprintf(text, n, "material '%s' (law %s), particle %u, cell %ld %ld %ld",
             particles->material->resolved.name, particles->material->resolved.law->info.name,
             (unsigned)firn_particles_value(particles, FIRN_FIELD_ID, b, 0, lane), cell[0], cell[1],
             cell[2]);
}

/* ---------------------------------------------------------------- work ranges of threads */

static firn_work_range *chunk_shares(const firn_sim *sim)
{
    return sim->mpm->shares + sim->mpm->grid.n_colors * sim->n_threads;
}

/* The part of a thread's range that is this rank's. */
static void keep_within(firn_range own, firn_work_range *share)
{
    if (share->next < own.first) share->next = own.first;
    if (share->end > own.end) share->end = own.end;
}

void firn_block_loops_assign_owners(firn_sim *sim)
{
    const firn_range own = firn_ranks_owners(sim);
    firn_work_ranges_assign(sim->mpm->shares, sim->n_threads, sim->mpm->grid.owned);
    for (int t = 0; sim->mpm->ranks && t < sim->n_threads; t++)
        keep_within(own, &sim->mpm->shares[t]);
}

/* Owner blocks are claimed 16 at a time where there are enough for all threads: consecutive blocks
 * share most of their nodes, and the next one's particles have been prefetched. */
int firn_block_loops_claim_owners(const firn_sim *sim, firn_range *owners)
{
    const int32_t share = sim->mpm->grid.n_owners / (8 * sim->n_threads), most = share < 1 ? 1
                                                                                 : share < 16
                                                                                     ? share
                                                                                     : 16;
    return firn_work_ranges_claim(sim->mpm->shares, sim->n_threads, omp_get_thread_num(), most,
                                  owners);
}

/* The clusters of each colour that begin in the thread's owner blocks: one list of ranges per
 * colour. */
static void assign_clusters(firn_sim *sim)
{
    for (int color = 0; color < sim->mpm->grid.n_colors; color++)
        for (int t = 0; t < sim->n_threads; t++) {
            firn_work_range *share = &sim->mpm->shares[color * sim->n_threads + t];
            share->next = firn_grid_cluster(&sim->mpm->grid, color, t);
            share->end = firn_grid_cluster(&sim->mpm->grid, color, t + 1);
        }
}

static int claim_cluster(const firn_sim *sim, int color, firn_block_cluster *cluster)
{
    firn_range one;
    const int n = sim->n_threads;
    if (!firn_work_ranges_claim(sim->mpm->shares + color * n, n, omp_get_thread_num(), 1, &one))
        return 0;
    return *cluster = sim->mpm->grid.clusters[one.first], 1;
}

/* Chunks that mostly consist of the thread's owner blocks and the halo around them. All chunks are
 * covered, also without any block: summaries of the step before must be overwritten. */
static void assign_chunks(firn_sim *sim)
{
    const int32_t n = sim->mpm->grid.n_owners;
    firn_work_range *shares = chunk_shares(sim);
    for (int t = 0; t < sim->n_threads; t++) {
        const int64_t from = sim->mpm->grid.owned[t], to = sim->mpm->grid.owned[t + 1];
        shares[t].next = n ? (int32_t)((from * FIRN_CHUNKS + n / 2) / n) : t ? FIRN_CHUNKS : 0;
        shares[t].end = n ? (int32_t)((to * FIRN_CHUNKS + n / 2) / n) : FIRN_CHUNKS;
        if (sim->mpm->ranks) keep_within(firn_ranks_chunks(sim), &shares[t]);
    }
}

static int claim_chunk(const firn_sim *sim, firn_range *chunk)
{
    return firn_work_ranges_claim(chunk_shares(sim), sim->n_threads, omp_get_thread_num(), 1,
                                  chunk);
}

/* ---------------------------------------------------------------- particles to grid */

/* Clears the nodes of all chunks; the thread that clears a node is mostly the one that adds to
 * it. */
static void clear_nodes(firn_sim *sim)
{
    char *nodes = sim->mpm->grid.nodes, *old = sim->mpm->grid.old;
    const size_t size = sim->mpm->grid.node_size;
    for (firn_range chunk; claim_chunk(sim, &chunk);)
        for (int part = 0; part < 2; part++) {
            const firn_range s = firn_mpm_chunk(sim, chunk.first, part);
            size_t at = (size_t)s.first * size, bytes = (size_t)(s.end - s.first) * size;
            if (bytes == 0) continue; /* no blocks: no nodes, and memset needs a pointer */
            memset(nodes + at, 0, bytes);
            if (old) memset(old + at, 0, bytes);
        }
    firn_impulse_split_clear_masses(sim); /* ends with a barrier */
}

static void ask_nodes(const firn_sim *sim, int32_t owner)
{
    const firn_grid *grid = &sim->mpm->grid;
    sim->mpm->kernels->patch_ask(grid->columns[owner], grid->neighbours[owner], grid->nodes);
    if (sim->mpm->keeps_old)
        sim->mpm->kernels->patch_ask(grid->columns[owner], grid->neighbours[owner], grid->old);
}

/* Of a material in an own owner block, in arrays [material][own owner blocks]. */
static size_t own_index(const firn_sim *sim, int material_index, int32_t owner)
{
    const firn_range own = firn_ranks_owners(sim);
    return (size_t)material_index * (size_t)(own.end - own.first) + (size_t)(owner - own.first);
}

static firn_block_report *report_of(const firn_sim *sim, int material_index, int32_t owner)
{
    return &sim->mpm->reports[own_index(sim, material_index, owner)];
}

/* The columns of the patch that the block's particles touch: from the reports of the last step, or,
 * after a sort, from the positions. */
static firn_columns columns_of(const firn_sim *sim, int32_t owner)
{
    firn_columns columns = 0;
    if (!sim->mpm->has_reports) {
        FIRN_BLOCK_MATERIALS (sim, owner, r)
            columns |= sim->mpm->kernels->touched(&r.transfer, &r.block_particles);
        return columns;
    }
    for (int m = 0; m < sim->n_materials; m++) {
        const firn_block_report *r = report_of(sim, m, owner);
        if (sim->mpm->particles[m].block_of_owner[owner] >= 0)
            columns |=
                firn_columns_between(sim->mpm->particles[m].transfer.is_quadratic, r->low, r->high);
    }
    return columns;
}

/* Particles of one owner block to its patch, the patch to the grid. Materials follow one after
 * the other into the same patch, so the mass channel after material m is the sum of 0 .. m,
 * which impulse_split.c keeps. Only the columns that particles touch are cleared, added and
 * later read. */
static void weigh(const firn_sim *sim, int32_t owner, int m, const void *patch, void *masses)
{
    const int n_kept = sim->n_materials - 1;
    int32_t at[27];
    if (!masses) {
        firn_impulse_split_weigh(sim, owner, m, patch);
        return;
    }
    for (int q = 0; q < 27; q++)
        at[q] = sim->mpm->grid.neighbours[owner][q] < 0 ? -1 : q * n_kept + m;
    if (m < n_kept)
        sim->mpm->kernels->patch_weigh(patch, sim->mpm->grid.columns[owner], at, masses);
}

firn_columns firn_block_loops_patch(firn_sim *sim, int32_t owner, int with_force,
                                    const firn_workspace *w, void *masses)
{
    const firn_kernels *k = sim->mpm->kernels;
    const firn_columns columns = columns_of(sim, owner);
    sim->mpm->grid.columns[owner] = columns;
    ask_nodes(sim, owner);
    k->patch_clear(w->patch, columns);
    if (sim->mpm->keeps_old) k->patch_clear(w->forces, columns);
    for (int m = 0, has_any = 0; m < sim->n_materials; m++) {
        firn_block_material r;
        if (firn_block_loops_material(sim, owner, m, &r)) {
            has_any = 1;
            if (!with_force) r.transfer.dt = 0;
            if (sim->has_pull || firn_sim_pulls_any(sim)) {
                firn_particle_boundary_pull(sim, r.particles, r.block, w->pull);
                r.block_particles.payload.extra = w->pull;
            }
            if (firn_pressure_any(sim))
                firn_pressure_push(sim, owner, &r, w, r.block_particles.payload.extra != NULL);
            k->p2g(&r.transfer, &r.block_particles, w->patch,
                   sim->mpm->keeps_old ? w->forces : NULL);
        }
        if (has_any) weigh(sim, owner, m, w->patch, masses);
    }
    return columns;
}

static void p2g_block(firn_sim *sim, int32_t owner, int with_force, const firn_workspace *w)
{
    const firn_kernels *k = sim->mpm->kernels;
    firn_grid *grid = &sim->mpm->grid;
    const firn_rank_role role = firn_ranks_role(sim, owner);
    if (role == FIRN_ROLE_SHARED) firn_ranks_add_pieces(sim, owner);
    if (role != FIRN_ROLE_INNER) return;
    const firn_columns columns = firn_block_loops_patch(sim, owner, with_force, w, NULL);
    k->patch_add(w->patch, columns, grid->neighbours[owner], grid->nodes);
    if (sim->mpm->keeps_old) k->patch_add(w->forces, columns, grid->neighbours[owner], grid->old);
}

void firn_block_loops_load(const firn_sim *sim, int32_t owner, const void *nodes, void *patch)
{
    sim->mpm->kernels->patch_load(patch, sim->mpm->grid.columns[owner],
                                  sim->mpm->grid.neighbours[owner], nodes);
}

static void p2g(firn_sim *sim, int with_force)
{
    firn_transfer_damping_set(sim);
    if (firn_pressure_any(sim)) firn_pressure_prepare(sim);
    if (sim->mpm->ranks) firn_ranks_send_patches(sim, firn_block_loops_patch, with_force);
    assign_chunks(sim);
    assign_clusters(sim);
#pragma omp parallel num_threads(sim->n_threads)
    {
        firn_workspace w = firn_workspace_of(sim, omp_get_thread_num());
        clear_nodes(sim);
        for (int color = 0; color < sim->mpm->grid.n_colors; color++) {
            for (firn_block_cluster cluster; claim_cluster(sim, color, &cluster);)
                for (int32_t owner = cluster.first; owner < cluster.end; owner++)
                    p2g_block(sim, owner, with_force, &w);
#pragma omp barrier
        }
    }
}

void firn_block_loops_p2g(firn_sim *sim) { p2g(sim, 1); }
void firn_block_loops_p2g_momentum(firn_sim *sim) { p2g(sim, 0); }

void firn_block_loops_by_color(firn_sim *sim, firn_owner_work work, void *user)
{
    assign_clusters(sim);
#pragma omp parallel num_threads(sim->n_threads)
    {
        firn_workspace w = firn_workspace_of(sim, omp_get_thread_num());
        for (int color = 0; color < sim->mpm->grid.n_colors; color++) {
            for (firn_block_cluster cluster; claim_cluster(sim, color, &cluster);)
                for (int32_t owner = cluster.first; owner < cluster.end; owner++)
                    work(sim, owner, omp_get_thread_num(), &w, user);
#pragma omp barrier
        }
    }
}

/* ---------------------------------------------------------------- grid */

/* Momentum to velocity with gravity, then boundaries, block by block. The range of velocities of
 * each block is kept for the step check, and recomputed where boundaries changed velocities. Mirror
 * walls fold before and unfold after, over all blocks. */
void firn_block_loops_grid(firn_sim *sim)
{
    firn_grid *grid = &sim->mpm->grid;
    const firn_kernels *k = sim->mpm->kernels;
    const int is_plane = firn_plane_is(sim);
    double dv[3];
    for (int a = 0; a < 3; a++) dv[a] = sim->dt * sim->scene.gravity[a];
    firn_mirror_wall_fold(sim, sim->dt);
    assign_chunks(sim);
#pragma omp parallel num_threads(sim->n_threads)
    for (firn_range chunk; claim_chunk(sim, &chunk);)
        for (int part = 0; part < 2; part++) {
            const firn_range blocks = firn_mpm_chunk(sim, chunk.first, part);
            for (int32_t b = blocks.first; b < blocks.end; b++) {
                void *nodes = firn_grid_nodes(grid, b);
                if (is_plane) firn_plane_collapse(sim, b);
                k->velocity(nodes, firn_grid_old(grid, b), dv, &grid->range[b]);
                if (firn_node_boundary_apply(sim, b, chunk.first)) k->range(nodes, &grid->range[b]);
            }
        }
    firn_contact_points_solve(sim);
#pragma omp parallel for schedule(static) num_threads(sim->n_threads) if (is_plane)
    for (int32_t b = 0; b < (is_plane ? grid->n_blocks : 0); b++) firn_plane_expand(sim, b, 0);
    firn_mirror_wall_unfold(sim);
    if (sim->mpm->ranks) firn_ranks_share_nodes(sim);
}

/* ---------------------------------------------------------------- grid to particles, law,
 * diagnosis */

firn_law_batch firn_block_loops_batch(const firn_sim *sim, const firn_particles *particles,
                                      const firn_particle_block *block, const firn_workspace *w)
{
    return (firn_law_batch){
        .material = &particles->material->resolved,
        .n_bundles = firn_bundles_of(block->n),
        .dt = sim->dt,
        .F = firn_particles_at(particles, FIRN_FIELD_F, block->first),
        .grad_v = w->grad_v,
        .history = firn_particles_at(particles, FIRN_FIELD_HISTORY, block->first),
        .temperature = firn_particles_at(particles, FIRN_FIELD_T, block->first),
        .liquid = firn_particles_at(particles, FIRN_FIELD_LIQUID, block->first),
        .id = firn_particles_at(particles, FIRN_FIELD_ID, block->first),
        /* evaluated in place: an explicit step commits its only trial state */
        .F_new = firn_particles_at(particles, FIRN_FIELD_F, block->first),
        .history_new = firn_particles_at(particles, FIRN_FIELD_HISTORY, block->first),
        .tau = firn_particles_at(particles, FIRN_FIELD_TAU, block->first),
        .wave = w->wave,
        .viscosity = w->viscosity,
        .plastic = w->plastic,
        .viscous = w->viscous,
        .energy = NULL,
        .flags = w->flags,
    };
}

/* The impulses of boundaries on the particles of one block, cleared. */
static firn_boundary_impulse *impulses_of(const firn_sim *sim, int material_index, int32_t owner)
{
    firn_boundary_impulse *impulses =
        sim->mpm->impulses + own_index(sim, material_index, owner) * (size_t)sim->mpm->n_impulses;
    memset(impulses, 0, (size_t)sim->mpm->n_impulses * sizeof *impulses);
    return impulses;
}

enum {
    ONE_TIMED_IN = 8
}; /* one block in this many is timed: reading the clock costs as much as a few particles */

static uint32_t id_at(const firn_particles *particles, const firn_particle_block *block, int bundle,
                      int lane)
{
    return (uint32_t)firn_particles_value(particles, FIRN_FIELD_ID, block->first + bundle, 0, lane);
}

static void diagnose(const firn_sim *sim, const firn_block_material *r, const firn_workspace *w,
                     firn_block_report *report)
{
    sim->mpm->kernels->diagnose(&r->transfer, &r->block_particles, w->wave, w->viscosity,
                                w->plastic, w->viscous, w->flags, report);
    report->rate_id = id_at(r->particles, r->block, report->rate_bundle, report->rate_lane);
}

static void load_patches(const firn_sim *sim, int32_t owner, const firn_workspace *w)
{
    const firn_grid *grid = &sim->mpm->grid;
    const void *nodes = sim->mpm->end_nodes ? sim->mpm->end_nodes : grid->nodes;
    if (sim->mpm->has_flip)
        sim->mpm->kernels->patch_load_both(w->patch, w->forces, grid->columns[owner],
                                           grid->neighbours[owner], nodes, grid->old);
    else
        firn_block_loops_load(sim, owner, nodes, w->patch);
}

/* Velocities from the end of the step, places and gradients from its middle. */
static void g2p_of_midpoint(const firn_sim *sim, int32_t owner, firn_block_material *r,
                            const firn_workspace *w)
{
    firn_transfer ends = r->transfer, middle = r->transfer;
    firn_block_particles moved = r->block_particles;
    ends.keeps_places = 1;
    middle.is_affine = 0;
    middle.flip = 0;
    moved.payload.value = w->pull;
    load_patches(sim, owner, w);
    sim->mpm->kernels->g2p(&ends, &r->block_particles, w->patch, w->forces, w->grad_v);
    firn_block_loops_load(sim, owner, sim->mpm->grid.nodes, w->patch);
    sim->mpm->kernels->g2p(&middle, &moved, w->patch, NULL, w->grad_v);
}

/* One owner block: nodes to particles, boundaries on particles, law, diagnosis, sinks.
 *
 * The state before G2P is copied only where a boundary or a sink may need it (`expected`,
 * `drains`). Diagnosis comes before sinks: deleted particles count in the rates of this step, which
 * is on the safe side. A block whose law has failed is left complete, as the message names a
 * particle by its lane. */
static void g2p_block(firn_sim *sim, int32_t owner, const firn_workspace *w, double seconds[3])
{
    const firn_kernels *k = sim->mpm->kernels;
    const int has_impulses = firn_particle_boundary_any(sim), is_timed = owner % ONE_TIMED_IN == 0;
    const unsigned expected = has_impulses ? firn_particle_boundary_expected(sim, owner) : 0;
    const int drains = firn_sink_particles_reach(sim, sim->mpm->grid.coord[owner]);
    double t0 = is_timed ? firn_sim_clock() : 0;
    if (sim->mpm->keeps_affine) firn_block_loops_load(sim, owner, sim->mpm->grid.old, w->unseen);
    load_patches(sim, owner, w);
    FIRN_BLOCK_MATERIALS (sim, owner, r) {
        size_t bytes = (size_t)firn_bundles_of(r.block->n) * 48 * k->real_size;
        void *v_before = (char *)w->before + bytes;
        if (expected || drains) memcpy(w->before, r.block_particles.x, bytes);
        if (expected & FIRN_PARTICLE_PULLS)
            memcpy(v_before, r.block_particles.payload.value, bytes);
        const int keeps = r.transfer.keep > 0;
        if (keeps) firn_transfer_damping_take(sim, &r, w);
        if (sim->mpm->end_nodes)
            g2p_of_midpoint(sim, owner, &r, w);
        else
            k->g2p(&r.transfer, &r.block_particles, w->patch, w->forces, w->grad_v);
        if (keeps) firn_transfer_damping_give(sim, &r, w);
        if (firn_plane_is(sim))
            firn_plane_restrict(sim, firn_bundles_of(r.block->n), w->grad_v,
                                r.block_particles.payload.affine);
        firn_boundary_impulse *impulses = has_impulses ? impulses_of(sim, r.material, owner) : NULL;
        if (expected)
            firn_particle_boundary_apply(sim, r.particles, r.block, expected, w->before, v_before,
                                         impulses);
        double t1 = is_timed ? firn_sim_clock() : 0;
        firn_law_batch batch = firn_block_loops_batch(sim, r.particles, r.block, w);
        r.particles->material->resolved.law->kernels[sim->variant].evaluate(&batch);
        double t2 = is_timed ? firn_sim_clock() : 0;
        if (firn_pressure_any(sim)) firn_pressure_work(sim, owner, &r, w);
        firn_block_report *report = report_of(sim, r.material, owner);
        diagnose(sim, &r, w, report);
        if (sim->mpm->heat) firn_heat_particles_work(sim, &r, w);
        if (drains && !(report->flags & FIRN_FLAGS_TROUBLE))
            firn_sink_particles_drain(sim, r.particles,
                                      &r.particles->blocks[r.particles->block_of_owner[owner]],
                                      w->before, report);
        double t3 = is_timed ? firn_sim_clock() : 0;
        seconds[0] += t1 - t0;
        seconds[1] += t2 - t1;
        seconds[2] += t3 - t2;
        t0 = t3;
    }
}

const char *firn_block_loops_trouble(unsigned flags)
{
    return flags & FIRN_FLAG_FAILED
               ? "the law lost its validity (material failure: no longer elliptic)"
               : "the law gave a stress that is not finite";
}

/* Reduces the reports of a chunk's owner blocks to one summary per material, on the thread that has
 * them in its cache. `!(a <= b)` keeps NaN as the largest rate, so it stops the run. */
static void summarize(firn_sim *sim, int chunk)
{
    const firn_range owners = firn_mpm_chunk(sim, chunk, 0);
    for (int m = 0; m < sim->n_materials; m++) {
        firn_particles *particles = &sim->mpm->particles[m];
        firn_summary s = {.rate_particle = -1};
        for (int32_t owner = owners.first; owner < owners.end; owner++) {
            const int32_t index = particles->block_of_owner[owner];
            if (index < 0) continue;
            firn_particle_block *block = &particles->blocks[index];
            const firn_block_report *r = report_of(sim, m, owner);
            block->is_watched = (r->flags & FIRN_FLAG_EDGE) != 0;
            if (!(r->max_rate <= s.max_rate)) {
                s.max_rate = r->max_rate;
                s.rate_kind = r->rate_kind;
                s.rate_particle = r->rate_id;
            }
            if (r->max_speed > s.max_speed) s.max_speed = r->max_speed;
            s.plastic += r->plastic;
            s.viscous += r->viscous;
            for (int k = 0; k < FIRN_N_BOUNDS; k++) s.n_bounded[k] += r->n_bounded[k];
            s.n_drained += r->n_drained;
            s.drained_mass += r->drained_mass;
            s.drained_heat += r->drained_heat;
            s.is_out_of_reach |= r->is_out_of_reach;
            s.flags |= r->flags;
        }
        sim->mpm->summaries[chunk * sim->n_materials + m] = s;
    }
}

/* The message of the first report with which a run cannot continue. */
static firn_status report_failure(const firn_sim *sim, firn_messages *messages)
{
    for (int m = 0; m < sim->n_materials; m++)
        for (int32_t i = 0; i < sim->mpm->particles[m].n_blocks; i++) {
            const firn_particle_block *block = &sim->mpm->particles[m].blocks[i];
            const firn_block_report *r = report_of(sim, m, block->owner);
            char who[4 * FIRN_NAME];
            if (!(r->flags & FIRN_FLAGS_TROUBLE)) continue;
            firn_block_loops_particle(&sim->mpm->particles[m], block, r->flag_bundle, r->flag_lane,
                                      who, sizeof who);
            return firn_messages_add(messages, FIRN_STOPPED,
                                     "step at t = %.9g s, dt = %.3g s: %s: %s", sim->time, sim->dt,
                                     who, firn_block_loops_trouble(r->flags));
        }
    return FIRN_OK;
}

/* Adds the chunks' summaries of one material in their order; the largest rates to *rates. */
static unsigned collect_material(firn_sim *sim, int m, firn_rates *rates)
{
    firn_ledger_sums *sums = &sim->materials[m].sums;
    int64_t n_drained = 0;
    unsigned flags = 0;
    const firn_range own = firn_ranks_chunks(sim);
    for (int chunk = 0; chunk < FIRN_CHUNKS; chunk++) {
        const firn_summary *s = &sim->mpm->summaries[chunk * sim->n_materials + m];
        if (!(s->max_rate <= rates->max_rate)) {
            rates->max_rate = s->max_rate;
            rates->kind = s->rate_kind;
            rates->material = m;
            rates->particle = s->rate_particle;
        }
        rates->max_speed = s->max_speed > rates->max_speed ? s->max_speed : rates->max_speed;
        sums->plastic += s->plastic;
        sums->viscous += s->viscous;
        for (int k = 0; k < FIRN_N_BOUNDS; k++) sums->n_bounded[k] += s->n_bounded[k];
        sums->n_lost_by[FIRN_LOST_SINK] += s->n_drained;
        sums->lost_mass += s->drained_mass;
        if (sim->heat) sim->heat->sums[m].lost += s->drained_heat;
        n_drained += s->n_drained;
        if (chunk >= own.first && chunk < own.end)
            sim->mpm->particles[m].n_particles -= s->n_drained;
        sim->must_sort |= s->is_out_of_reach;
        flags |= s->flags;
    }
    if (firn_pressure_any(sim)) firn_pressure_collect(sim, m, sums);
    if (sim->mpm->ranks) sim->mpm->ranks->n_all[m] -= n_drained;
    if (n_drained) sim->mpm->has_reports = 0; /* they include deleted particles */
    return flags;
}

/* Reduction over all particles, on every rank alike: rates, sums of the ledger, whether a sort is due, whether the run
 * can continue. */
static firn_status collect_summaries(firn_sim *sim, firn_messages *messages)
{
    firn_rates rates = {.material = -1, .particle = -1};
    unsigned flags = 0;
    sim->mpm->has_reports = 1;
    rates.kind = sim->rates.kind; /* unchanged without particles */
    if (sim->mpm->ranks)
        firn_ranks_share_chunks(sim, sim->mpm->summaries,
                                (size_t)sim->n_materials * sizeof *sim->mpm->summaries);
    for (int m = 0; m < sim->n_materials; m++) flags |= collect_material(sim, m, &rates);

    sim->rates = rates;
    sim->is_spoiled |= (flags & FIRN_FLAG_NONFINITE) != 0;
    if (!(flags & FIRN_FLAGS_TROUBLE)) return FIRN_OK;
    return firn_comm_agree(&sim->comm, report_failure(sim, messages));
}

firn_status firn_block_loops_g2p(firn_sim *sim, firn_messages *messages)
{
    double total[3] = {0, 0, 0}, began = firn_sim_clock();
    firn_block_loops_assign_owners(sim);
    assign_chunks(sim);
#pragma omp parallel num_threads(sim->n_threads)
    {
        firn_workspace w = firn_workspace_of(sim, omp_get_thread_num());
        double seconds[3] = {0, 0, 0};
        for (firn_range owners; firn_block_loops_claim_owners(sim, &owners);)
            for (int32_t owner = owners.first; owner < owners.end; owner++)
                g2p_block(sim, owner, &w, seconds);
#pragma omp critical
        for (int i = 0; i < 3; i++) total[i] += seconds[i];
#pragma omp barrier
        for (firn_range chunk; claim_chunk(sim, &chunk);) summarize(sim, chunk.first);
    }
    double timed = total[0] + total[1] + total[2],
           scale = timed > 0 ? (firn_sim_clock() - began) / timed : 0;
    sim->stage_seconds[FIRN_STAGE_G2P] += total[0] * scale;
    sim->stage_seconds[FIRN_STAGE_LAW] += total[1] * scale;
    sim->stage_seconds[FIRN_STAGE_DIAGNOSE] += total[2] * scale;
    return collect_summaries(sim, messages);
}

/* ---------------------------------------------------------------- the state as it is */

/* Of the flags of a present state only FIRN_FLAG_EDGE is kept: a state that is given (by a restore
 * or by a caller) is not an error; the next step is checked and refused if it is impossible. */
static void keep_edges(const firn_sim *sim, const firn_particle_block *block,
                       const firn_workspace *w)
{
    for (int p = 0; p < 16 * firn_bundles_of(block->n); p++) {
        double flags =
            sim->mpm->kernels->is_double ? ((double *)w->flags)[p] : (double)((float *)w->flags)[p];
        const unsigned edges = FIRN_FLAG_EDGE | FIRN_FLAGS_TROUBLE;
        double kept = (unsigned)flags & edges ? FIRN_FLAG_EDGE : 0;
        if (sim->mpm->kernels->is_double)
            ((double *)w->flags)[p] = kept;
        else
            ((float *)w->flags)[p] = (float)kept;
    }
}

void firn_block_loops_measure(firn_sim *sim)
{
    const firn_range own = firn_ranks_owners(sim);
    assign_chunks(sim);
#pragma omp parallel num_threads(sim->n_threads)
    {
        firn_workspace w = firn_workspace_of(sim, omp_get_thread_num());
#pragma omp for schedule(dynamic, 2)
        for (int32_t owner = own.first; owner < own.end; owner++)
            FIRN_BLOCK_MATERIALS (sim, owner, r) {
                size_t lanes =
                    (size_t)firn_bundles_of(r.block->n) * 16 * sim->mpm->kernels->real_size;
                memset(w.grad_v, 0, 9 * lanes);
                memset(w.plastic, 0, lanes);
                memset(w.viscous, 0, lanes);
                firn_law_batch batch = firn_block_loops_batch(sim, r.particles, r.block, &w);
                batch.energy = w.energy;
                batch.plastic = batch.viscous = NULL;
                r.particles->material->resolved.law->kernels[sim->variant].measure(&batch);
                keep_edges(sim, r.block, &w);
                diagnose(sim, &r, &w, report_of(sim, r.material, owner));
            }
        for (firn_range chunk; claim_chunk(sim, &chunk);) summarize(sim, chunk.first);
    }
    collect_summaries(sim, NULL);
}

/* V0 = m / rho with rho = sum_i w_i m_i / h^3, the mass density of the grid at the particle. */
static void weigh_block(firn_sim *sim, const firn_block_material *r, const firn_workspace *w,
                        const firn_id_range *ranges, int n_ranges)
{
    firn_particles *particles = r->particles;
    const firn_particle_block *block = r->block;
    sim->mpm->kernels->density(&r->transfer, &r->block_particles, w->patch, w->energy);
    for (int p = 0; p < block->n; p++) {
        uint32_t id = id_at(particles, block, p / 16, p % 16);
        int is_wanted = 0;
        for (int k = 0; k < n_ranges; k++) is_wanted |= id >= ranges[k].first && id < ranges[k].end;
        double rho = sim->mpm->kernels->is_double ? ((double *)w->energy)[p]
                                                  : (double)((float *)w->energy)[p];
        if (is_wanted && rho > 0)
            firn_particles_set(
                particles, FIRN_FIELD_VOLUME, block->first + p / 16, 0, p % 16,
                firn_particles_value(particles, FIRN_FIELD_MASS, block->first + p / 16, 0, p % 16) /
                    rho);
    }
}

void firn_block_loops_weigh(firn_sim *sim, const firn_id_range *ranges, int n_ranges)
{
    firn_block_loops_p2g(sim);
    firn_mirror_wall_fold(sim, 0);
    for (int32_t b = 0; firn_plane_is(sim) && b < sim->mpm->grid.n_blocks; b++) {
        firn_plane_collapse(sim, b);
        firn_plane_expand(sim, b, 1);
    }
    if (sim->mpm->ranks) firn_ranks_share_nodes(sim);
    const firn_range own = firn_ranks_owners(sim);
#pragma omp parallel num_threads(sim->n_threads)
    {
        firn_workspace w = firn_workspace_of(sim, omp_get_thread_num());
#pragma omp for schedule(dynamic, 2)
        for (int32_t owner = own.first; owner < own.end; owner++) {
            firn_block_loops_load(sim, owner, sim->mpm->grid.nodes, w.patch);
            FIRN_BLOCK_MATERIALS (sim, owner, r) weigh_block(sim, &r, &w, ranges, n_ranges);
        }
    }
}
