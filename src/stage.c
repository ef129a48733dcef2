/* stage.c: the loops of a step over blocks. Blocks are independent in every loop; P2G runs in eight colours so that
 * patches never overlap. Sums are made block by block or chunk by chunk and added up in a fixed order, so the number
 * of threads never shows in a result. */
#include "solver.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

double firn_solver_clock(void) { return omp_get_wtime(); }

static firn_transfer transfer_of(const firn_sim *sim, const firn_pool *pool)
{
    firn_transfer t = pool->transfer;
    t.dt = sim->dt;
    return t;
}

static const firn_pool_block *block_at(const firn_pool *pool, int32_t home)
{
    int32_t b = pool->block_of_home[home];
    return b < 0 ? NULL : &pool->blocks[b];
}

/* ---------------------------------------------------------------- particles to grid */

static void clear_nodes(firn_sim *sim)
{
    char *nodes = sim->grid.nodes, *old = sim->grid.old;
    size_t size = sim->grid.node_size;
#pragma omp for schedule(static)
    for (int32_t b = 0; b < sim->grid.n_blocks; b++) {
        memset(nodes + (size_t)b * size, 0, size);
        if (old) memset(old + (size_t)b * size, 0, size);
    }
}

static void p2g_block(firn_sim *sim, int32_t home, const firn_workspace *w)
{
    const firn_kernels *k = sim->kernels;
    size_t patch_bytes = (FIRN_PATCH_NODES + FIRN_PATCH_PAD) * FIRN_CHANNELS * k->real_size;
    memset(w->patch, 0, patch_bytes);
    if (sim->keeps_old) memset(w->forces, 0, patch_bytes);
    for (int m = 0; m < sim->n_pools; m++) {
        const firn_pool *pool = &sim->pools[m];
        const firn_pool_block *block = block_at(pool, home);
        if (!block) continue;
        firn_transfer transfer = transfer_of(sim, pool);
        firn_block_particles particles = firn_pool_block_particles(pool, block);
        if (sim->has_pull || sim->acceleration) {
            firn_conditions_pull(sim, pool, block, w->pull);
            particles.pull = w->pull;
        }
        k->p2g(&transfer, &particles, w->patch, sim->keeps_old ? w->forces : NULL);
    }
    k->patch_add(w->patch, sim->grid.neighbours[home], sim->grid.nodes);
    if (sim->keeps_old) k->patch_add(w->forces, sim->grid.neighbours[home], sim->grid.old);
}

void firn_stage_p2g(firn_sim *sim)
{
    const firn_grid *grid = &sim->grid;
    firn_conditions_prepare(sim);
#pragma omp parallel num_threads(sim->n_threads)
    {
        firn_workspace w = firn_solver_workspace(sim, omp_get_thread_num());
        clear_nodes(sim);
        for (int color = 0; color < FIRN_COLORS; color++) {
#pragma omp for schedule(dynamic, 2)
            for (int32_t i = grid->color_start[color]; i < grid->color_start[color + 1]; i++)
                p2g_block(sim, grid->by_color[i], &w);
        }
    }
}

/* ---------------------------------------------------------------- grid */

void firn_stage_grid(firn_sim *sim)
{
    firn_grid *grid = &sim->grid;
    const firn_kernels *k = sim->kernels;
    const int n_exchanges = firn_solver_n_exchanges(sim);
    double dv[3];
    for (int a = 0; a < 3; a++) dv[a] = sim->dt * sim->scene.gravity[a];
    firn_mirror_fold(sim);
#pragma omp parallel for schedule(dynamic, 1) num_threads(sim->n_threads)
    for (int chunk = 0; chunk < FIRN_CHUNKS; chunk++) {
        int32_t first = (int32_t)((int64_t)grid->n_blocks * chunk / FIRN_CHUNKS);
        int32_t end = (int32_t)((int64_t)grid->n_blocks * (chunk + 1) / FIRN_CHUNKS);
        for (int32_t b = first; b < end; b++) {
            void *nodes = firn_grid_nodes(grid, b);
            k->velocity(nodes, firn_grid_old(grid, b), dv, &grid->range[b]);
            if (firn_conditions_apply(sim, b, sim->chunks + (size_t)chunk * (size_t)n_exchanges))
                k->range(nodes, &grid->range[b]);
        }
    }
    firn_mirror_unfold(sim);
}

/* ---------------------------------------------------------------- judging */

/* A spline's gradient is a convex combination of differences between neighbouring nodes. If no difference within a
 * block's surroundings can move material by a third of a cell in dt, no particle there can be inverted (each entry of
 * dt grad v is below 1/3); only the other blocks are interpolated and looked at one by one. */
static int is_plainly_safe(const firn_sim *sim, int32_t home)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    double share = sim->dt / sim->h;
    for (int q = 0; q < 27; q++) {
        const firn_block_range *r = &sim->grid.range[sim->grid.neighbours[home][q]];
        if (!r->is_finite) return 0;
        for (int a = 0; a < 3; a++) low[a] = fmin(low[a], r->min[a]), high[a] = fmax(high[a], r->max[a]);
    }
    for (int w = 0; sim->scene.grid.has_box && w < 6; w++)
        for (int a = 0; sim->scene.grid.walls[w] == FIRN_WALL_MIRROR && a < 3;
             a++) { /* unfolded nodes carry reversed velocities that the ranges do not hold */
            double most = fmax(fabs(low[a]), fabs(high[a]));
            low[a] = -most, high[a] = most;
        }
    for (int a = 0; a < 3; a++)
        if ((high[a] - low[a]) * share > 1.0 / 3 || fmax(fabs(low[a]), fabs(high[a])) * share > 0.9) return 0;
    return 1;
}

static int judge_block(firn_sim *sim, int32_t home, const firn_workspace *w, firn_block_verdict *verdict,
                       int *pool_index)
{
    sim->kernels->patch_load(w->patch, sim->grid.neighbours[home], sim->grid.nodes);
    for (int m = 0; m < sim->n_pools; m++) {
        const firn_pool_block *block = block_at(&sim->pools[m], home);
        if (!block) continue;
        firn_transfer transfer = transfer_of(sim, &sim->pools[m]);
        firn_block_particles particles = firn_pool_block_particles(&sim->pools[m], block);
        sim->kernels->judge(&transfer, &particles, w->patch, w->grad_v, verdict);
        *pool_index = m;
        if (!verdict->is_finite || verdict->min_det < 0.1 || verdict->max_move > 1) return 0;
    }
    return 1;
}

int firn_stage_judge(firn_sim *sim, char *why, size_t n_why)
{
    int32_t worst = INT32_MAX;
#pragma omp parallel num_threads(sim->n_threads)
    {
        firn_workspace w = firn_solver_workspace(sim, omp_get_thread_num());
#pragma omp for schedule(dynamic, 16) reduction(min : worst)
        for (int32_t home = 0; home < sim->grid.n_home; home++) {
            firn_block_verdict verdict;
            int pool;
            if (home < worst && !is_plainly_safe(sim, home) && !judge_block(sim, home, &w, &verdict, &pool))
                worst = home;
        }
    }
    if (worst == INT32_MAX) return 1;
    firn_workspace w = firn_solver_workspace(sim, 0); /* once more, for the sentence */
    firn_block_verdict verdict = {0};
    int m = 0;
    judge_block(sim, worst, &w, &verdict, &m);
    const firn_pool *pool = &sim->pools[m];
    const firn_pool_block *block = block_at(pool, worst);
    if (!block) {
        snprintf(why, n_why, "velocities in block %d are not finite", worst);
        return 0;
    }
    int64_t b = block->first + verdict.bundle;
    long cell[3];
    for (int a = 0; a < 3; a++)
        cell[a] = 4L * block->coord[a] + (long)floor(firn_pool_value(pool, FIRN_FIELD_X, b, a, verdict.lane));
    int n = snprintf(why, n_why, "material '%s' (law %s), particle %u, cell %ld %ld %ld: ", pool->material.name,
                     pool->material.law->info.name, (unsigned)firn_pool_value(pool, FIRN_FIELD_ID, b, 0, verdict.lane),
                     cell[0], cell[1], cell[2]);
    if (n < 0 || (size_t)n >= n_why) return 0;
    if (!verdict.is_finite)
        snprintf(why + n, n_why - (size_t)n, "its velocity is not finite");
    else if (verdict.max_move > 1)
        snprintf(why + n, n_why - (size_t)n, "it would cross %.3g cells in one step", verdict.max_move);
    else
        snprintf(why + n, n_why - (size_t)n, "the step would change its volume by a factor of %.3g (inversion)",
                 verdict.min_det);
    return 0;
}

/* ---------------------------------------------------------------- grid to particles, law, diagnosis */

static firn_law_batch batch_of(const firn_sim *sim, const firn_pool *pool, const firn_pool_block *block,
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

static void g2p_block(firn_sim *sim, int32_t home, const firn_workspace *w, double seconds[3])
{
    const firn_kernels *k = sim->kernels;
    double t0 = firn_solver_clock();
    k->patch_load(w->patch, sim->grid.neighbours[home], sim->grid.nodes);
    if (sim->keeps_old) k->patch_load(w->forces, sim->grid.neighbours[home], sim->grid.old);
    for (int m = 0; m < sim->n_pools; m++) {
        firn_pool *pool = &sim->pools[m];
        const firn_pool_block *block = block_at(pool, home);
        if (!block) continue;
        firn_transfer transfer = transfer_of(sim, pool);
        firn_block_particles particles = firn_pool_block_particles(pool, block);
        if (sim->has_particle_pass) /* P2G's room is free by now */
            memcpy(w->pull, particles.x, (size_t)firn_bundles_of(block->n) * 48 * k->real_size);
        k->g2p(&transfer, &particles, w->patch, w->forces, w->grad_v);
        if (sim->has_particle_pass) firn_conditions_particles(sim, pool, block, w->pull);
        double t1 = firn_solver_clock();
        firn_law_batch batch = batch_of(sim, pool, block, w);
        pool->material.law->kernels[sim->variant].update(&batch);
        double t2 = firn_solver_clock();
        firn_block_report *r = &sim->reports[(size_t)m * (size_t)sim->grid.n_home + (size_t)home];
        k->diagnose(&transfer, &particles, w->wave, w->viscosity, w->plastic, w->viscous, w->flags, r);
        r->is_out_of_reach |= firn_conditions_drains(sim, pool, block);
        double t3 = firn_solver_clock();
        seconds[0] += t1 - t0, seconds[1] += t2 - t1, seconds[2] += t3 - t2;
        t0 = t3;
    }
}

static uint32_t id_at(const firn_pool *pool, const firn_pool_block *block, int bundle, int lane)
{
    return (uint32_t)firn_pool_value(pool, FIRN_FIELD_ID, block->first + bundle, 0, lane);
}

/* Adds up the blocks' reports in their order. */
static firn_status collect_reports(firn_sim *sim, firn_report *report)
{
    sim->max_rate = 0, sim->max_speed = 0, sim->rate_pool = -1, sim->rate_particle = -1;
    for (int m = 0; m < sim->n_pools; m++) {
        firn_pool *pool = &sim->pools[m];
        for (int32_t i = 0; i < pool->n_blocks; i++) {
            const firn_pool_block *block = &pool->blocks[i];
            const firn_block_report *r = &sim->reports[(size_t)m * (size_t)sim->grid.n_home + (size_t)block->home];
            if (!(r->max_rate <= sim->max_rate)) {
                sim->max_rate = r->max_rate, sim->rate_is_viscous = r->rate_is_viscous;
                sim->rate_pool = m, sim->rate_particle = id_at(pool, block, r->rate_bundle, r->rate_lane);
            }
            if (r->max_speed > sim->max_speed) sim->max_speed = r->max_speed;
            pool->plastic_work += r->plastic, pool->viscous_work += r->viscous;
            sim->must_sort |= r->is_out_of_reach;
            if (r->flags & (FIRN_FLAG_FAILED | FIRN_FLAG_NONFINITE))
                return firn_report_add(
                    report, FIRN_STOPPED, "material '%s' (law %s), particle %u at t = %.9g s: %s", pool->material.name,
                    pool->material.law->info.name, id_at(pool, block, r->flag_bundle, r->flag_lane), sim->time,
                    r->flags & FIRN_FLAG_FAILED ? "the law lost its validity (material failure: no longer elliptic)"
                                                : "the law gave a stress that is not finite");
        }
    }
    return FIRN_OK;
}

firn_status firn_stage_g2p(firn_sim *sim, firn_report *report)
{
    double total[3] = {0, 0, 0};
#pragma omp parallel num_threads(sim->n_threads)
    {
        firn_workspace w = firn_solver_workspace(sim, omp_get_thread_num());
        double seconds[3] = {0, 0, 0};
#pragma omp for schedule(dynamic, 2)
        for (int32_t home = 0; home < sim->grid.n_home; home++) g2p_block(sim, home, &w, seconds);
#pragma omp critical
        for (int i = 0; i < 3; i++) total[i] += seconds[i] / sim->n_threads;
    }
    sim->stage_seconds[FIRN_STAGE_G2P] += total[0];
    sim->stage_seconds[FIRN_STAGE_CONSTITUTIVE] += total[1];
    sim->stage_seconds[FIRN_STAGE_DIAGNOSE] += total[2];
    return collect_reports(sim, report);
}

/* ---------------------------------------------------------------- the state as it is */

void firn_stage_measure(firn_sim *sim)
{
#pragma omp parallel num_threads(sim->n_threads)
    {
        firn_workspace w = firn_solver_workspace(sim, omp_get_thread_num());
#pragma omp for schedule(dynamic, 2)
        for (int32_t home = 0; home < sim->grid.n_home; home++)
            for (int m = 0; m < sim->n_pools; m++) {
                firn_pool *pool = &sim->pools[m];
                const firn_pool_block *block = block_at(pool, home);
                if (!block) continue;
                size_t lanes = (size_t)firn_bundles_of(block->n) * 16 * sim->kernels->real_size;
                memset(w.grad_v, 0, 9 * lanes), memset(w.plastic, 0, lanes), memset(w.viscous, 0, lanes);
                firn_law_batch batch = batch_of(sim, pool, block, &w);
                batch.energy = w.energy, batch.plastic = batch.viscous = NULL;
                pool->material.law->kernels[sim->variant].measure(&batch);
                memset(w.flags, 0, lanes);
                firn_transfer transfer = transfer_of(sim, pool);
                firn_block_particles particles = firn_pool_block_particles(pool, block);
                sim->kernels->diagnose(&transfer, &particles, w.wave, w.viscosity, w.plastic, w.viscous, w.flags,
                                       &sim->reports[(size_t)m * (size_t)sim->grid.n_home + (size_t)home]);
            }
    }
    collect_reports(sim, NULL);
}

static void weigh_block(firn_sim *sim, firn_pool *pool, const firn_pool_block *block, const firn_workspace *w,
                        const uint32_t *first_id, const uint32_t *end_id, int n_ranges)
{
    firn_transfer transfer = transfer_of(sim, pool);
    firn_block_particles particles = firn_pool_block_particles(pool, block);
    sim->kernels->density(&transfer, &particles, w->patch, w->energy);
    for (int p = 0; p < block->n; p++) {
        uint32_t id = id_at(pool, block, p / 16, p % 16);
        int is_wanted = 0;
        for (int r = 0; r < n_ranges; r++) is_wanted |= id >= first_id[r] && id < end_id[r];
        double rho = sim->kernels->is_double ? ((double *)w->energy)[p] : (double)((float *)w->energy)[p];
        if (is_wanted && rho > 0)
            firn_pool_set(pool, FIRN_FIELD_VOLUME, block->first + p / 16, 0, p % 16,
                          firn_pool_value(pool, FIRN_FIELD_MASS, block->first + p / 16, 0, p % 16) / rho);
    }
}

void firn_stage_weigh(firn_sim *sim, const uint32_t *first_id, const uint32_t *end_id, int n_ranges)
{
    firn_stage_p2g(sim);
    firn_mirror_fold(sim);
#pragma omp parallel num_threads(sim->n_threads)
    {
        firn_workspace w = firn_solver_workspace(sim, omp_get_thread_num());
#pragma omp for schedule(dynamic, 2)
        for (int32_t home = 0; home < sim->grid.n_home; home++) {
            sim->kernels->patch_load(w.patch, sim->grid.neighbours[home], sim->grid.nodes);
            for (int m = 0; m < sim->n_pools; m++) {
                const firn_pool_block *block = block_at(&sim->pools[m], home);
                if (block) weigh_block(sim, &sim->pools[m], block, &w, first_id, end_id, n_ranges);
            }
        }
    }
}
