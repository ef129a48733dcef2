/* stage.c: the loops of a step over blocks. Blocks are independent in every loop; P2G runs in eight colours so that
 * patches never overlap. Sums are made block by block or chunk by chunk and added up in a fixed order, so the number
 * of threads never shows in a result. */
#include "solver.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

double firn_solver_clock(void) { return omp_get_wtime(); }

int firn_stage_resident(const firn_sim *sim, int32_t home, int material, firn_resident *r)
{
    r->material = material, r->pool = &sim->pools[material];
    r->block = firn_pool_block_at(r->pool, home);
    if (!r->block) return 0;
    r->transfer = r->pool->transfer, r->transfer.dt = sim->dt;
    r->particles = firn_pool_block_particles(r->pool, r->block);
    firn_grid_reach_ends(sim->grid.reach[home], r->particles.lowest, r->particles.most);
    return 1;
}

int firn_stage_next(const firn_sim *sim, int32_t home, firn_resident *r)
{
    for (int m = r->material + 1; m < sim->n_pools; m++)
        if (firn_stage_resident(sim, home, m, r)) return 1;
    return 0;
}

void firn_stage_particle(const firn_pool *pool, const firn_pool_block *block, int bundle, int lane, char *text,
                         size_t n)
{
    int64_t b = block->first + bundle;
    long cell[3];
    for (int a = 0; a < 3; a++)
        cell[a] = 4L * block->coord[a] + (long)floor(firn_pool_value(pool, FIRN_FIELD_X, b, a, lane));
    snprintf(text, n, "material '%s' (law %s), particle %u, cell %ld %ld %ld", pool->material.name,
             pool->material.law->info.name, (unsigned)firn_pool_value(pool, FIRN_FIELD_ID, b, 0, lane), cell[0],
             cell[1], cell[2]);
}

/* ---------------------------------------------------------------- shares of the threads, see shares.h */

static firn_share *chunk_shares(const firn_sim *sim) { return sim->shares + FIRN_COLORS * sim->n_threads; }

void firn_stage_deal_homes(firn_sim *sim) { firn_shares_deal(sim->shares, sim->n_threads, sim->grid.owned); }

/* A thread takes home blocks by 16, where there are enough for all: the next in the list has most of the nodes and
 * follows in memory, where its particles have been asked for already. */
int firn_stage_take_homes(const firn_sim *sim, firn_stretch *homes)
{
    const int32_t share = sim->grid.n_home / (8 * sim->n_threads), most = share < 1 ? 1 : share < 16 ? share : 16;
    return firn_shares_take(sim->shares, sim->n_threads, omp_get_thread_num(), most, homes);
}

/* Of each color the octets that begin in the thread's home blocks: a list a color. */
static void deal_octets(firn_sim *sim)
{
    for (int color = 0; color < FIRN_COLORS; color++)
        for (int t = 0; t < sim->n_threads; t++) {
            firn_share *share = &sim->shares[color * sim->n_threads + t];
            share->next = firn_grid_octet(&sim->grid, color, t), share->end = firn_grid_octet(&sim->grid, color, t + 1);
        }
}

static int take_octet(const firn_sim *sim, int color, firn_octet *octet)
{
    firn_stretch one;
    const int n = sim->n_threads;
    if (!firn_shares_take(sim->shares + color * n, n, omp_get_thread_num(), 1, &one)) return 0;
    return *octet = sim->grid.octets[one.first], 1;
}

/* Chunks that are mostly made of the thread's home blocks, and what is around them; all of them, also where there is no
 * block: what was summed up for the last one must go. */
static void deal_chunks(firn_sim *sim)
{
    const int32_t n = sim->grid.n_home;
    firn_share *shares = chunk_shares(sim);
    for (int t = 0; t < sim->n_threads; t++) {
        const int64_t from = sim->grid.owned[t], to = sim->grid.owned[t + 1];
        shares[t].next = n ? (int32_t)((from * FIRN_CHUNKS + n / 2) / n) : t ? FIRN_CHUNKS : 0;
        shares[t].end = n ? (int32_t)((to * FIRN_CHUNKS + n / 2) / n) : FIRN_CHUNKS;
    }
}

static int take_chunk(const firn_sim *sim, firn_stretch *chunk)
{
    return firn_shares_take(chunk_shares(sim), sim->n_threads, omp_get_thread_num(), 1, chunk);
}

/* ---------------------------------------------------------------- particles to grid */

static void clear_nodes(firn_sim *sim)
{
    char *nodes = sim->grid.nodes, *old = sim->grid.old;
    const size_t size = sim->grid.node_size;
    for (firn_stretch chunk; take_chunk(sim, &chunk);)
        for (int part = 0; part < 2; part++) {
            const firn_stretch s = firn_solver_chunk(sim, chunk.first, part);
            size_t at = (size_t)s.first * size, bytes = (size_t)(s.end - s.first) * size;
            if (bytes == 0) continue; /* where there is no block at all there are no nodes */
            memset(nodes + at, 0, bytes);
            if (old) memset(old + at, 0, bytes);
        }
    firn_tally_clear_masses(sim); /* ends with all threads together */
}

static void ask_nodes(const firn_sim *sim, int32_t home)
{
    const firn_grid *grid = &sim->grid;
    sim->kernels->patch_ask(grid->columns[home], grid->neighbours[home], grid->nodes);
    if (sim->keeps_old) sim->kernels->patch_ask(grid->columns[home], grid->neighbours[home], grid->old);
}

static firn_block_report *report_of(const firn_sim *sim, int pool_index, int32_t home)
{
    return &sim->reports[(size_t)pool_index * (size_t)sim->grid.n_home + (size_t)home];
}

/* What the block's particles touch: where the last step left them, or, after a sort, where they are found. */
static firn_columns columns_of(const firn_sim *sim, int32_t home)
{
    firn_columns columns = 0;
    if (!sim->has_reports) {
        FIRN_RESIDENTS (sim, home, r) columns |= sim->kernels->touched(&r.transfer, &r.particles);
        return columns;
    }
    for (int m = 0; m < sim->n_pools; m++) {
        const firn_block_report *r = report_of(sim, m, home);
        if (sim->pools[m].block_of_home[home] >= 0)
            columns |= firn_columns_between(sim->pools[m].transfer.is_quadratic, r->low, r->high);
    }
    return columns;
}

static void p2g_block(firn_sim *sim, int32_t home, const firn_workspace *w)
{
    const firn_kernels *k = sim->kernels;
    firn_grid *grid = &sim->grid;
    firn_columns columns = columns_of(sim, home);
    grid->columns[home] = columns;
    ask_nodes(sim, home);
    k->patch_clear(w->patch, columns);
    if (sim->keeps_old) k->patch_clear(w->forces, columns);
    for (int m = 0, has_any = 0; m < sim->n_pools; m++) {
        firn_resident r;
        if (firn_stage_resident(sim, home, m, &r)) {
            has_any = 1;
            if (sim->has_pull || sim->acceleration) {
                firn_acts_pull(sim, r.pool, r.block, w->pull);
                r.particles.pull = w->pull;
            }
            k->p2g(&r.transfer, &r.particles, w->patch, sim->keeps_old ? w->forces : NULL);
        }
        if (has_any) firn_tally_weigh(sim, home, m, w->patch);
    }
    k->patch_add(w->patch, columns, grid->neighbours[home], grid->nodes);
    if (sim->keeps_old) k->patch_add(w->forces, columns, grid->neighbours[home], grid->old);
}

/* What the particles of a home block see of the nodes, into the thread's patch. */
void firn_stage_load(const firn_sim *sim, int32_t home, const void *nodes, void *patch)
{
    sim->kernels->patch_load(patch, sim->grid.columns[home], sim->grid.neighbours[home], nodes);
}

void firn_stage_p2g(firn_sim *sim)
{
    deal_chunks(sim), deal_octets(sim);
#pragma omp parallel num_threads(sim->n_threads)
    {
        firn_workspace w = firn_solver_workspace(sim, omp_get_thread_num());
        clear_nodes(sim);
        for (int color = 0; color < FIRN_COLORS; color++) {
            for (firn_octet octet; take_octet(sim, color, &octet);)
                for (int32_t home = octet.first; home < octet.end; home++) p2g_block(sim, home, &w);
#pragma omp barrier
        }
    }
}

/* ---------------------------------------------------------------- grid */

void firn_stage_grid(firn_sim *sim)
{
    firn_grid *grid = &sim->grid;
    const firn_kernels *k = sim->kernels;
    double dv[3];
    for (int a = 0; a < 3; a++) dv[a] = sim->dt * sim->scene.gravity[a];
    firn_mirror_fold(sim, sim->dt);
    deal_chunks(sim);
#pragma omp parallel num_threads(sim->n_threads)
    for (firn_stretch chunk; take_chunk(sim, &chunk);)
        for (int part = 0; part < 2; part++) {
            const firn_stretch blocks = firn_solver_chunk(sim, chunk.first, part);
            for (int32_t b = blocks.first; b < blocks.end; b++) {
                void *nodes = firn_grid_nodes(grid, b);
                k->velocity(nodes, firn_grid_old(grid, b), dv, &grid->range[b]);
                if (firn_conditions_apply(sim, b, chunk.first)) k->range(nodes, &grid->range[b]);
            }
        }
    firn_mirror_unfold(sim);
}

/* ---------------------------------------------------------------- grid to particles, law, diagnosis */

firn_law_batch firn_stage_batch(const firn_sim *sim, const firn_pool *pool, const firn_pool_block *block,
                                const firn_workspace *w)
{
    return (firn_law_batch){
        .material = &pool->material,
        .n_bundles = firn_bundles_of(block->n),
        .dt = sim->dt,
        .F = firn_pool_at(pool, FIRN_FIELD_F, block->first),
        .grad_v = w->grad_v,
        .history = firn_pool_at(pool, FIRN_FIELD_HISTORY, block->first),
        .temperature = firn_pool_at(pool, FIRN_FIELD_T, block->first),
        .id = firn_pool_at(pool, FIRN_FIELD_ID, block->first),
        .tau = firn_pool_at(pool, FIRN_FIELD_TAU, block->first),
        .wave = w->wave,
        .viscosity = w->viscosity,
        .plastic = w->plastic,
        .viscous = w->viscous,
        .energy = NULL,
        .flags = w->flags,
    };
}

/* The books of what acts on the particles of one block. */
static firn_exchange *acts_of(const firn_sim *sim, int pool_index, int32_t home)
{
    firn_exchange *acts =
        sim->acts + ((size_t)pool_index * (size_t)sim->grid.n_home + (size_t)home) * (size_t)sim->n_acts;
    memset(acts, 0, (size_t)sim->n_acts * sizeof *acts);
    return acts;
}

enum { ONE_TIMED_IN = 8 }; /* blocks whose parts are timed: looking at the clock costs as much as a few particles */

static uint32_t id_at(const firn_pool *pool, const firn_pool_block *block, int bundle, int lane)
{
    return (uint32_t)firn_pool_value(pool, FIRN_FIELD_ID, block->first + bundle, 0, lane);
}

static void diagnose(const firn_sim *sim, const firn_resident *r, const firn_workspace *w, firn_block_report *report)
{
    sim->kernels->diagnose(&r->transfer, &r->particles, w->wave, w->viscosity, w->plastic, w->viscous, w->flags,
                           report);
    report->rate_id = id_at(r->pool, r->block, report->rate_bundle, report->rate_lane);
}

static void g2p_block(firn_sim *sim, int32_t home, const firn_workspace *w, double seconds[3])
{
    const firn_kernels *k = sim->kernels;
    const int has_acts = firn_acts_any(sim), is_timed = home % ONE_TIMED_IN == 0;
    const unsigned expected = has_acts ? firn_acts_expected(sim, home) : 0;
    const int drains = firn_sinks_reach(sim, sim->grid.coord[home]);
    double t0 = is_timed ? firn_solver_clock() : 0;
    const firn_grid *grid = &sim->grid;
    if (sim->keeps_old)
        k->patch_load_both(w->patch, w->forces, grid->columns[home], grid->neighbours[home], grid->nodes, grid->old);
    else
        firn_stage_load(sim, home, grid->nodes, w->patch);
    FIRN_RESIDENTS (sim, home, r) {
        size_t bytes = (size_t)firn_bundles_of(r.block->n) * 48 * k->real_size;
        void *v_before = (char *)w->before + bytes;
        if (expected || drains) memcpy(w->before, r.particles.x, bytes);
        if (expected & FIRN_ACTS_PULLS) memcpy(v_before, r.particles.v, bytes);
        k->g2p(&r.transfer, &r.particles, w->patch, w->forces, w->grad_v);
        firn_exchange *acts = has_acts ? acts_of(sim, r.material, home) : NULL;
        if (expected) firn_acts_apply(sim, r.pool, r.block, expected, w->before, v_before, acts);
        double t1 = is_timed ? firn_solver_clock() : 0;
        firn_law_batch batch = firn_stage_batch(sim, r.pool, r.block, w);
        r.pool->material.law->kernels[sim->variant].update(&batch);
        double t2 = is_timed ? firn_solver_clock() : 0;
        firn_block_report *report = report_of(sim, r.material, home);
        diagnose(sim, &r, w, report);
        if (drains && !(report->flags & FIRN_FLAGS_TROUBLE))
            firn_sinks_drain(sim, r.pool, &r.pool->blocks[r.pool->block_of_home[home]], w->before, report);
        double t3 = is_timed ? firn_solver_clock() : 0;
        seconds[0] += t1 - t0, seconds[1] += t2 - t1, seconds[2] += t3 - t2;
        t0 = t3;
    }
}

const char *firn_stage_trouble(unsigned flags)
{
    return flags & FIRN_FLAG_FAILED ? "the law lost its validity (material failure: no longer elliptic)"
                                    : "the law gave a stress that is not finite";
}

/* What the reports of a chunk's home blocks come to, by the thread that has them in its cache. */
static void summarize(firn_sim *sim, int chunk)
{
    const firn_stretch homes = firn_solver_chunk(sim, chunk, 0);
    for (int m = 0; m < sim->n_pools; m++) {
        firn_pool *pool = &sim->pools[m];
        firn_summary s = {.rate_particle = -1};
        for (int32_t home = homes.first; home < homes.end; home++) {
            const int32_t index = pool->block_of_home[home];
            if (index < 0) continue;
            firn_pool_block *block = &pool->blocks[index];
            const firn_block_report *r = report_of(sim, m, home);
            block->is_watched = (r->flags & FIRN_FLAG_EDGE) != 0;
            if (!(r->max_rate <= s.max_rate)) {
                s.max_rate = r->max_rate, s.rate_is_viscous = r->rate_is_viscous;
                s.rate_particle = r->rate_id;
            }
            if (r->max_speed > s.max_speed) s.max_speed = r->max_speed;
            s.plastic += r->plastic, s.viscous += r->viscous, s.n_inverted += r->n_inverted;
            s.n_drained += r->n_drained, s.drained_mass += r->drained_mass;
            s.is_out_of_reach |= r->is_out_of_reach, s.flags |= r->flags;
        }
        sim->summaries[chunk * sim->n_pools + m] = s;
    }
}

/* The first of the reports that a run cannot go on with, as a sentence. */
static firn_status tell_failure(const firn_sim *sim, firn_report *report)
{
    for (int m = 0; m < sim->n_pools; m++)
        for (int32_t i = 0; i < sim->pools[m].n_blocks; i++) {
            const firn_pool_block *block = &sim->pools[m].blocks[i];
            const firn_block_report *r = report_of(sim, m, block->home);
            char who[4 * FIRN_NAME];
            if (!(r->flags & FIRN_FLAGS_TROUBLE)) continue;
            firn_stage_particle(&sim->pools[m], block, r->flag_bundle, r->flag_lane, who, sizeof who);
            return firn_report_add(report, FIRN_STOPPED, "in the step at t = %.9g s, dt = %.3g s: %s: %s", sim->time,
                                   sim->dt, who, firn_stage_trouble(r->flags));
        }
    return FIRN_OK;
}

/* Adds up the chunks' summaries in their order. */
static firn_status collect_summaries(firn_sim *sim, firn_report *report)
{
    unsigned flags = 0;
    sim->has_reports = 1;
    sim->max_rate = 0, sim->max_speed = 0, sim->rate_pool = -1, sim->rate_particle = -1;
    for (int m = 0; m < sim->n_pools; m++)
        for (int chunk = 0; chunk < FIRN_CHUNKS; chunk++) {
            const firn_summary *s = &sim->summaries[chunk * sim->n_pools + m];
            firn_account *account = &sim->pools[m].account;
            if (!(s->max_rate <= sim->max_rate)) {
                sim->max_rate = s->max_rate, sim->rate_is_viscous = s->rate_is_viscous;
                sim->rate_pool = m, sim->rate_particle = s->rate_particle;
            }
            if (s->max_speed > sim->max_speed) sim->max_speed = s->max_speed;
            account->plastic += s->plastic, account->viscous += s->viscous, account->n_inverted += s->n_inverted;
            account->n_lost_by[FIRN_LOST_SINK] += s->n_drained, account->lost_mass += s->drained_mass;
            sim->pools[m].n_particles -= s->n_drained;
            if (s->n_drained) sim->has_reports = 0; /* they speak of what has gone, too */
            sim->must_sort |= s->is_out_of_reach;
            flags |= s->flags;
        }
    sim->is_spoiled |= (flags & FIRN_FLAG_NONFINITE) != 0;
    return flags & FIRN_FLAGS_TROUBLE ? tell_failure(sim, report) : FIRN_OK;
}

firn_status firn_stage_g2p(firn_sim *sim, firn_report *report)
{
    double total[3] = {0, 0, 0}, began = firn_solver_clock();
    firn_stage_deal_homes(sim), deal_chunks(sim);
#pragma omp parallel num_threads(sim->n_threads)
    {
        firn_workspace w = firn_solver_workspace(sim, omp_get_thread_num());
        double seconds[3] = {0, 0, 0};
        for (firn_stretch homes; firn_stage_take_homes(sim, &homes);)
            for (int32_t home = homes.first; home < homes.end; home++) g2p_block(sim, home, &w, seconds);
#pragma omp critical
        for (int i = 0; i < 3; i++) total[i] += seconds[i];
#pragma omp barrier
        for (firn_stretch chunk; take_chunk(sim, &chunk);) summarize(sim, chunk.first);
    }
    double timed = total[0] + total[1] + total[2], scale = timed > 0 ? (firn_solver_clock() - began) / timed : 0;
    sim->stage_seconds[FIRN_STAGE_G2P] += total[0] * scale;
    sim->stage_seconds[FIRN_STAGE_CONSTITUTIVE] += total[1] * scale;
    sim->stage_seconds[FIRN_STAGE_DIAGNOSE] += total[2] * scale;
    return collect_summaries(sim, report);
}

/* ---------------------------------------------------------------- the state as it is */

/* Of a state's flags only what asks for care: it is the next step that is told if it cannot be made. */
static void keep_edges(const firn_sim *sim, const firn_pool_block *block, const firn_workspace *w)
{
    for (int p = 0; p < 16 * firn_bundles_of(block->n); p++) {
        double flags = sim->kernels->is_double ? ((double *)w->flags)[p] : (double)((float *)w->flags)[p];
        double kept = flags > FIRN_FLAG_INVERTED ? FIRN_FLAG_EDGE : 0;
        if (sim->kernels->is_double)
            ((double *)w->flags)[p] = kept;
        else
            ((float *)w->flags)[p] = (float)kept;
    }
}

void firn_stage_measure(firn_sim *sim)
{
    deal_chunks(sim);
#pragma omp parallel num_threads(sim->n_threads)
    {
        firn_workspace w = firn_solver_workspace(sim, omp_get_thread_num());
#pragma omp for schedule(dynamic, 2)
        for (int32_t home = 0; home < sim->grid.n_home; home++)
            FIRN_RESIDENTS (sim, home, r) {
                size_t lanes = (size_t)firn_bundles_of(r.block->n) * 16 * sim->kernels->real_size;
                memset(w.grad_v, 0, 9 * lanes), memset(w.plastic, 0, lanes), memset(w.viscous, 0, lanes);
                firn_law_batch batch = firn_stage_batch(sim, r.pool, r.block, &w);
                batch.energy = w.energy, batch.plastic = batch.viscous = NULL;
                r.pool->material.law->kernels[sim->variant].measure(&batch);
                keep_edges(sim, r.block, &w);
                diagnose(sim, &r, &w, report_of(sim, r.material, home));
            }
        for (firn_stretch chunk; take_chunk(sim, &chunk);) summarize(sim, chunk.first);
    }
    collect_summaries(sim, NULL);
}

static void weigh_block(firn_sim *sim, const firn_resident *r, const firn_workspace *w, const uint32_t *first_id,
                        const uint32_t *end_id, int n_ranges)
{
    firn_pool *pool = r->pool;
    const firn_pool_block *block = r->block;
    sim->kernels->density(&r->transfer, &r->particles, w->patch, w->energy);
    for (int p = 0; p < block->n; p++) {
        uint32_t id = id_at(pool, block, p / 16, p % 16);
        int is_wanted = 0;
        for (int k = 0; k < n_ranges; k++) is_wanted |= id >= first_id[k] && id < end_id[k];
        double rho = sim->kernels->is_double ? ((double *)w->energy)[p] : (double)((float *)w->energy)[p];
        if (is_wanted && rho > 0)
            firn_pool_set(pool, FIRN_FIELD_VOLUME, block->first + p / 16, 0, p % 16,
                          firn_pool_value(pool, FIRN_FIELD_MASS, block->first + p / 16, 0, p % 16) / rho);
    }
}

void firn_stage_weigh(firn_sim *sim, const uint32_t *first_id, const uint32_t *end_id, int n_ranges)
{
    firn_stage_p2g(sim);
    firn_mirror_fold(sim, 0);
#pragma omp parallel num_threads(sim->n_threads)
    {
        firn_workspace w = firn_solver_workspace(sim, omp_get_thread_num());
#pragma omp for schedule(dynamic, 2)
        for (int32_t home = 0; home < sim->grid.n_home; home++) {
            firn_stage_load(sim, home, sim->grid.nodes, w.patch);
            FIRN_RESIDENTS (sim, home, r) weigh_block(sim, &r, &w, first_id, end_id, n_ranges);
        }
    }
}
