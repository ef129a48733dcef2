/* SPDX-License-Identifier: MIT */
/* heat.c: the heat of a step, after its mechanics, in sub-steps of the explicit scheme
 *
 *     begin      particles -> nodes    T_i, C_i; mirrored at walls          (heat_nodes.c)
 *     exchange   nodes -> particles    grad T; surfaces and sources
 *                particles -> nodes    dt (V k grad T . (-grad w) + ...)
 *     end        nodes                 dT_i, conditions on walls
 *     take       nodes -> particles    dh = c sum w dT_i, and the part of PIC
 *
 * Stability: the largest rate of the lumped operator over all clouds of particles is S alpha/h^2, S
 * as in section 9 of the README, so dt <= 2 h^2/(S alpha): .63758 (cubic) and 1/3 (quadratic)
 * h^2/alpha. Sub-steps are the SAFETY share of it.
 *
 * All sums are by owner block and then in the order of blocks: the same bits for any number of
 * threads. */
#include "mpm/heat.h"
#include "mpm/block_loops.h"
#include "mpm/sort.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#define SAFETY 0.9
enum { MOST_SUBSTEPS = 64 }; /* of one step: time_step.c shortens it where more were needed */

/* ---------------------------------------------------------------- memory */

static void release_blocks(firn_sim *sim, firn_heat_grid *g)
{
    const size_t nodes = (size_t)g->capacity * FIRN_BLOCK_NODES;
    double *const arrays[] = {g->C, g->C_folded, g->T, g->R, g->fill, g->alpha};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        firn_memory_release(&sim->memory, arrays[i], nodes * sizeof(double));
    firn_memory_release(&sim->memory, g->nodes, 4 * nodes * sim->mpm->kernels->real_size);
    firn_memory_release(&sim->memory, g->flux, 4 * nodes * sim->mpm->kernels->real_size);
    firn_memory_release(&sim->memory, g->exchange,
                        g->exchange ? 4 * nodes * sim->mpm->kernels->real_size : 0);
    firn_memory_release(&sim->memory, g->range, (size_t)g->capacity * sizeof *g->range);
    firn_memory_release(&sim->memory, g->taken, (size_t)g->capacity * sizeof *g->taken);
}

static size_t n_reports(const firn_sim *sim, const firn_heat_grid *g)
{
    return (size_t)g->n_owners * (size_t)sim->n_materials;
}
static size_t n_measures(const firn_sim *sim, const firn_heat_grid *g)
{
    return (size_t)g->n_owners * (size_t)(sim->heat->n_sources + 1);
}

static void release_owners(firn_sim *sim, firn_heat_grid *g)
{
    firn_memory_release(&sim->memory, g->reports, n_reports(sim, g) * sizeof *g->reports);
    firn_memory_release(&sim->memory, g->measure, n_measures(sim, g) * sizeof *g->measure);
}

void firn_heat_clear(firn_sim *sim)
{
    if (!sim->mpm->heat) return;
    release_blocks(sim, sim->mpm->heat);
    release_owners(sim, sim->mpm->heat);
    firn_memory_release(&sim->memory, sim->mpm->heat, sizeof *sim->mpm->heat);
    sim->mpm->heat = NULL;
}

static firn_status reserve_blocks(firn_sim *sim, firn_heat_grid *g)
{
    if (sim->mpm->grid.n_blocks <= g->capacity) return FIRN_OK;
    release_blocks(sim, g);
    const firn_heat_grid kept = *g;
    *g = (firn_heat_grid){.capacity = sim->mpm->grid.n_blocks + sim->mpm->grid.n_blocks / 8,
                          .n_owners = kept.n_owners,
                          .reports = kept.reports,
                          .measure = kept.measure};
    const size_t nodes = (size_t)g->capacity * FIRN_BLOCK_NODES,
                 bytes = 4 * sim->mpm->kernels->real_size;
    double **const arrays[] = {&g->C, &g->C_folded, &g->T, &g->R, &g->fill, &g->alpha};
    int is_short = 0;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = firn_memory_array(&sim->memory, nodes, sizeof(double));
        is_short |= !*arrays[i];
    }
    g->nodes = firn_memory_array(&sim->memory, nodes, bytes);
    g->flux = firn_memory_array(&sim->memory, nodes, bytes);
    g->exchanges = kept.exchanges;
    if (g->exchanges) g->exchange = firn_memory_array(&sim->memory, nodes, bytes);
    g->range = firn_memory_array(&sim->memory, (size_t)g->capacity, sizeof *g->range);
    g->taken = firn_memory_array(&sim->memory, (size_t)g->capacity, sizeof *g->taken);
    is_short |= g->exchanges && !g->exchange;
    return is_short || !g->nodes || !g->flux || !g->range || !g->taken ? FIRN_MEMORY : FIRN_OK;
}

static firn_status reserve(firn_sim *sim)
{
    if (!sim->mpm->heat)
        sim->mpm->heat = firn_memory_array(&sim->memory, 1, sizeof *sim->mpm->heat);
    firn_heat_grid *g = sim->mpm->heat;
    if (!g) return FIRN_MEMORY;
    for (int m = 0; m < sim->n_materials; m++)
        g->exchanges |= sim->materials[m].resolved.thermal.is_on &&
                        firn_heat_particles_has_surfaces(sim, &sim->materials[m].resolved.thermal);
    if (sim->mpm->grid.n_owners > g->n_owners) {
        release_owners(sim, g);
        g->n_owners = sim->mpm->grid.n_owners + sim->mpm->grid.n_owners / 8;
        g->reports = firn_memory_array(&sim->memory, n_reports(sim, g), sizeof *g->reports);
        g->measure = firn_memory_array(&sim->memory, n_measures(sim, g), sizeof *g->measure);
        if (!g->reports || !g->measure) return FIRN_MEMORY;
    }
    return reserve_blocks(sim, g);
}

/* ---------------------------------------------------------------- loops over blocks */

static firn_heat_report *report_of(const firn_sim *sim, int material, int32_t owner)
{
    return &sim->mpm->heat
                ->reports[(size_t)material * (size_t)sim->mpm->grid.n_owners + (size_t)owner];
}

/* The transfer of temperatures: gradients of the spline, whatever the mechanics use. */
static int begin_material(const firn_sim *sim, firn_block_material *r, double dt, int is_affine)
{
    if (!r->particles->material->resolved.thermal.is_on) return 0;
    r->transfer.dt = dt;
    r->transfer.is_mls = 0;
    r->transfer.is_affine = is_affine && sim->heat->def.scheme == FIRN_HEAT_APIC;
    r->transfer.keeps_old = 0;
    r->transfer.flip = 0;
    r->transfer.keeps_places = 1;
    return 1;
}

typedef void (*block_fn)(firn_sim *sim, int32_t owner, const firn_workspace *w, double dt);

/* Owner blocks by clusters, one colour after the other: their patches do not overlap. */
static void each_by_color(firn_sim *sim, block_fn act, double dt)
{
    const firn_grid *grid = &sim->mpm->grid;
#pragma omp parallel num_threads(sim->n_threads)
    {
        firn_workspace w = firn_workspace_of(sim, omp_get_thread_num());
        for (int color = 0; color < grid->n_colors; color++) {
            const int32_t first = firn_grid_cluster(grid, color, 0),
                          end = firn_grid_cluster(grid, color, grid->n_shares);
#pragma omp for schedule(dynamic)
            for (int32_t c = first; c < end; c++)
                for (int32_t o = grid->clusters[c].first; o < grid->clusters[c].end; o++)
                    act(sim, o, &w, dt);
        }
    }
}

static void each_owner(firn_sim *sim, block_fn act, double dt)
{
#pragma omp parallel num_threads(sim->n_threads)
    {
        firn_workspace w = firn_workspace_of(sim, omp_get_thread_num());
#pragma omp for schedule(dynamic, 4)
        for (int32_t o = 0; o < sim->mpm->grid.n_owners; o++) act(sim, o, &w, dt);
    }
}

static void begin_block(firn_sim *sim, int32_t owner, const firn_workspace *w, double dt)
{
    const firn_kernels *k = sim->mpm->kernels;
    firn_grid *grid = &sim->mpm->grid;
    firn_columns columns = 0;
    FIRN_BLOCK_MATERIALS (sim, owner, r)
        columns |= sim->mpm->heat->exchanges /* surfaces lie anywhere in reach */
                       ? firn_columns_between(r.transfer.is_quadratic, r.block_particles.lowest,
                                              r.block_particles.most)
                       : k->touched(&r.transfer, &r.block_particles);
    grid->columns[owner] = columns;
    k->patch_clear(w->patch, columns);
    FIRN_BLOCK_MATERIALS (sim, owner, r) {
        if (!begin_material(sim, &r, dt, 1)) continue;
        firn_heat_particles_load(sim, &r, w, report_of(sim, r.material, owner));
        k->p2g(&r.transfer, &r.block_particles, w->patch, NULL);
    }
    k->patch_add(w->patch, columns, grid->neighbours[owner], sim->mpm->heat->nodes);
}

/* Values and gradients of the three channels at the particles: w->before, w->grad_v. */
static void gather(const firn_sim *sim, firn_block_material *r, const firn_workspace *w)
{
    r->block_particles.payload.value = w->before;
    r->block_particles.payload.affine = w->wave;
    sim->mpm->kernels->g2p(&r->transfer, &r->block_particles, w->patch, NULL, w->grad_v);
}

static void exchange_block(firn_sim *sim, int32_t owner, const firn_workspace *w, double dt)
{
    const firn_kernels *k = sim->mpm->kernels;
    const firn_grid *grid = &sim->mpm->grid;
    firn_heat_grid *g = sim->mpm->heat;
    k->patch_load(w->patch, grid->columns[owner], grid->neighbours[owner], g->nodes);
    k->patch_clear(w->forces, grid->columns[owner]);
    FIRN_BLOCK_MATERIALS (sim, owner, r) {
        if (!begin_material(sim, &r, dt, 0)) continue;
        gather(sim, &r, w);
        firn_heat_particles_exchange(sim, &r, w, dt, report_of(sim, r.material, owner));
        k->p2g(&r.transfer, &r.block_particles, w->forces, NULL);
    }
    k->patch_add(w->forces, grid->columns[owner], grid->neighbours[owner], g->flux);
}

/* The exchange of surfaces, at their own places. */
static void surface_block(firn_sim *sim, int32_t owner, const firn_workspace *w, double dt)
{
    const firn_kernels *k = sim->mpm->kernels;
    const firn_grid *grid = &sim->mpm->grid;
    firn_heat_grid *g = sim->mpm->heat;
    k->patch_load(w->patch, grid->columns[owner], grid->neighbours[owner], g->nodes);
    k->patch_clear(w->forces, grid->columns[owner]);
    FIRN_BLOCK_MATERIALS (sim, owner, r) {
        const firn_thermal *th = &r.particles->material->resolved.thermal;
        if (!begin_material(sim, &r, dt, 0) || !firn_heat_particles_has_surfaces(sim, th)) continue;
        gather(sim, &r, w);
        firn_heat_particles_surface(sim, &r, w, dt, report_of(sim, r.material, owner));
        k->p2g(&r.transfer, &r.block_particles, w->forces, NULL);
    }
    k->patch_add(w->forces, grid->columns[owner], grid->neighbours[owner], g->exchange);
}

static void measure_block(firn_sim *sim, int32_t owner, const firn_workspace *w, double dt)
{
    const firn_grid *grid = &sim->mpm->grid;
    double *measure = sim->mpm->heat->measure + (size_t)owner * (size_t)(sim->heat->n_sources + 1);
    memset(measure, 0, (size_t)sim->heat->n_sources * sizeof *measure);
    sim->mpm->kernels->patch_load(w->patch, grid->columns[owner], grid->neighbours[owner],
                                  sim->mpm->heat->nodes);
    FIRN_BLOCK_MATERIALS (sim, owner, r) {
        if (!begin_material(sim, &r, dt, 0)) continue;
        gather(sim, &r, w);
        firn_heat_particles_measure(sim, &r, w, measure);
    }
}

static void take_block(firn_sim *sim, int32_t owner, const firn_workspace *w, double dt)
{
    const firn_grid *grid = &sim->mpm->grid;
    const firn_heat_grid *g = sim->mpm->heat;
    double range[2] = {INFINITY, -INFINITY};
    for (int q = 0; q < 27; q++) {
        const int32_t b = grid->neighbours[owner][q];
        if (b < 0) continue;
        range[0] = fmin(range[0], g->range[b][0] + sim->heat->reference);
        range[1] = fmax(range[1], g->range[b][1] + sim->heat->reference);
    }
    sim->mpm->kernels->patch_load(w->patch, grid->columns[owner], grid->neighbours[owner],
                                  g->nodes);
    FIRN_BLOCK_MATERIALS (sim, owner, r) {
        if (!begin_material(sim, &r, dt, 1)) continue;
        gather(sim, &r, w);
        firn_heat_particles_take(sim, &r, w, range, report_of(sim, r.material, owner));
    }
}

/* ---------------------------------------------------------------- sums in order */

static double largest_alpha(const firn_sim *sim)
{
    double alpha = 0;
    for (int m = 0; m < sim->n_materials; m++)
        for (int32_t b = 0; b < sim->mpm->particles[m].n_blocks; b++)
            if (sim->materials[m].resolved.thermal.is_on)
                alpha =
                    fmax(alpha, report_of(sim, m, sim->mpm->particles[m].blocks[b].owner)->alpha);
    return alpha;
}

/* Each report of a material with heat. */
static void add_reports(const firn_sim *sim, int m, firn_heat_sums *sums, double *conductance)
{
    *conductance = 0;
    if (!sim->materials[m].resolved.thermal.is_on) return;
    for (int32_t b = 0; b < sim->mpm->particles[m].n_blocks; b++) {
        const firn_heat_report *r = report_of(sim, m, sim->mpm->particles[m].blocks[b].owner);
        sums->conducted += r->sums.conducted;
        sums->sources += r->sums.sources;
        sums->surroundings += r->sums.surroundings;
        sums->n_limited += r->sums.n_limited;
        *conductance += r->conductance;
    }
}

/* What came through surfaces is known on nodes; it is shared among materials by conductance, which
 * is exact for one. */
static void collect(firn_sim *sim)
{
    double taken[2] = {0, 0}, all = 0, part;
    firn_heat_sums none = {0};
    for (int32_t b = 0; sim->mpm->heat->exchanges && b < sim->mpm->grid.n_blocks; b++)
        for (int i = 0; i < 2; i++) taken[i] += sim->mpm->heat->taken[b][i];
    for (int m = 0; m < sim->n_materials; m++) {
        add_reports(sim, m, &none, &part);
        all += part;
    }
    for (int m = 0; m < sim->n_materials; m++) {
        firn_heat_sums *sums = &sim->heat->sums[m];
        add_reports(sim, m, sums, &part);
        const double share = all > 0 ? part / all : m == 0;
        sums->colliders += share * taken[1];
        sums->surroundings += share * (taken[0] - taken[1]);
        sums->conducted -= share * taken[0];
    }
}

/* Before a sort: reports are by owner block. */
static void collect_work(firn_sim *sim)
{
    for (int m = 0; m < sim->n_materials; m++)
        for (int32_t b = 0; b < sim->mpm->particles[m].n_blocks; b++) {
            firn_heat_report *r = report_of(sim, m, sim->mpm->particles[m].blocks[b].owner);
            if (!sim->materials[m].resolved.thermal.is_on || !sim->time_def.mechanics) continue;
            sim->heat->sums[m].work += r->work;
            r->work = 0;
        }
}

static firn_status refuse_temperature(firn_sim *sim, firn_messages *messages)
{
    for (int m = 0; m < sim->n_materials; m++)
        for (int32_t b = 0; b < sim->mpm->particles[m].n_blocks; b++) {
            const firn_heat_report *r = report_of(sim, m, sim->mpm->particles[m].blocks[b].owner);
            if (!sim->materials[m].resolved.thermal.is_on || !r->is_bad) continue;
            sim->is_spoiled = 1;
            return firn_messages_add(
                messages, FIRN_STOPPED,
                "step at t = %.9g s: material '%s', particle %u: its temperature ran away (%g K); "
                "allowed: 0 to 1e6 K; try: less power of sources, or a smaller flux",
                sim->time, sim->materials[m].resolved.name, (unsigned)r->id, r->T);
        }
    return FIRN_OK;
}

/* The densities of sources whose power is given, from the mass or the surface that they reach. */
static void share_power(firn_sim *sim)
{
    const int n = sim->heat->n_sources;
    if (!n) return;
    each_owner(sim, measure_block, 0);
    for (int k = 0; k < n; k++) {
        firn_heat_source *source = &sim->heat->sources[k];
        double sum = 0;
        for (int32_t o = 0; o < sim->mpm->grid.n_owners; o++)
            sum += sim->mpm->heat->measure[(size_t)o * (size_t)(n + 1) + (size_t)k];
        if (source->def.power != 0) source->density = sum > 0 ? source->def.power / sum : 0;
    }
}

/* ---------------------------------------------------------------- the step */

static void begin(firn_sim *sim)
{
    const size_t bytes =
        (size_t)sim->mpm->grid.n_blocks * FIRN_BLOCK_NODES * 4 * sim->mpm->kernels->real_size;
    memset(sim->mpm->heat->nodes, 0, bytes);
    memset(sim->mpm->heat->flux, 0, bytes);
    if (sim->mpm->heat->exchanges) memset(sim->mpm->heat->exchange, 0, bytes);
    each_by_color(sim, begin_block, 0);
    firn_heat_nodes_begin(sim);
}

static double bound_of(const firn_sim *sim)
{
    const double alpha = largest_alpha(sim),
                 S = sim->scene.grid.spline == FIRN_QUADRATIC ? 6 : 3.136819;
    return alpha > 0 ? SAFETY * 2 / S * sim->h * sim->h / alpha : INFINITY;
}

static void substep(firn_sim *sim, double dt)
{
    share_power(sim);
    each_by_color(sim, exchange_block, dt);
    if (sim->mpm->heat->exchanges) each_by_color(sim, surface_block, dt);
    firn_heat_nodes_end(sim, dt);
    each_owner(sim, take_block, dt);
    collect(sim);
}

firn_status firn_heat_prepare(firn_sim *sim, firn_messages *messages)
{
    return reserve(sim) == FIRN_OK ? FIRN_OK : firn_messages_no_memory(messages, "heat");
}

static firn_status step(firn_sim *sim, firn_messages *messages)
{
    firn_status status = FIRN_OK;
    collect_work(sim);
    if (sim->must_sort) status = firn_sort_particles(sim, messages);
    if (status == FIRN_OK) status = firn_heat_prepare(sim, messages);
    if (status != FIRN_OK) return status;
    begin(sim);
    sim->heat->dt = bound_of(sim);
    const double all = sim->heat->pending, n = ceil(all / sim->heat->dt * (1 - 1e-12)),
                 start = sim->time + sim->dt - all;
    sim->heat->n_substeps = n > 1 ? (int)fmin(n, 1e6) : 1;
    const double dt = all / sim->heat->n_substeps;
    for (int i = 0; i < sim->heat->n_substeps; i++) {
        firn_heat_place(sim, start + (i + 1) * dt);
        if (i) begin(sim);
        substep(sim, dt);
        status = refuse_temperature(sim, messages);
        if (status != FIRN_OK) return status;
    }
    sim->heat->pending = 0;
    return FIRN_OK;
}

/* Heat that is slow beside mechanics is computed less often: when a tenth of its stable step has
 * passed, when a particle may have crossed half a cell, or at the end of the interval. Thermal
 * expansion makes stress, which follows every step. */
static int is_due(const firn_sim *sim)
{
    const double next = sim->heat->pending + sim->dt;
    for (int m = 0; m < sim->n_materials; m++)
        if (sim->materials[m].resolved.thermal.expansion != 0) return 1;
    return !(sim->heat->dt > 0) || next > 0.1 * sim->heat->dt ||
           next * sim->rates.max_speed > 0.5 * sim->h;
}

firn_status firn_heat_step(firn_sim *sim, int must, firn_messages *messages)
{
    const double clock = firn_sim_clock();
    sim->heat->pending += sim->dt;
    if (!must && sim->time_def.mechanics && !is_due(sim)) return collect_work(sim), FIRN_OK;
    const firn_status status = step(sim, messages);
    firn_sim_lap(sim, FIRN_STAGE_HEAT, clock);
    return status;
}

/* Before the first step from the initial state. */
double firn_heat_stable_dt(firn_sim *sim)
{
    if (sim->heat->dt > 0) return MOST_SUBSTEPS * sim->heat->dt;
    if (sim->must_sort || reserve(sim) != FIRN_OK) return INFINITY;
    begin(sim);
    sim->heat->dt = bound_of(sim);
    return MOST_SUBSTEPS * sim->heat->dt;
}
