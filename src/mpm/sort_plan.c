/* SPDX-License-Identifier: MIT */
/* sort_plan.c: where particles go at a sort: to one of the 27 blocks around their old one, or away
 * (sort.c). Counts are made per block, in parallel. */
#include "mpm/sort_plan.h"
#include "mpm/particle_boundary.h"

#include <string.h>

/* The neighbour (x*3 + y)*3 + z to which the particle belongs now, and its position there,
 * cells. */
static int target_of(const firn_particles *particles, int64_t bundle, int lane, double x[3])
{
    int target = 0;
    for (int a = 0; a < 3; a++) {
        x[a] = firn_particles_value(particles, FIRN_FIELD_X, bundle, a, lane);
        int shift = x[a] < -0.5 ? -1 : x[a] >= 3.5;
        x[a] -= 4 * shift;
        target = 3 * target + shift + 1;
    }
    return target;
}

/* The target, or FIRN_SORT_GONE + the reason to delete the particle. */
static int fate_of(const firn_sim *sim, const firn_particle_block *block, int target,
                   const double x[3])
{
    int32_t coord[3];
    firn_grid_beside(&sim->mpm->grid, block->coord, target, coord);
    if (!firn_grid_is_reachable(coord)) return FIRN_SORT_GONE + FIRN_LOST_FAR;
    if (!sim->scene.grid.has_box && !sim->n_sinks) return target;
    double world[3];
    for (int a = 0; a < 3; a++) world[a] = firn_mpm_metres(sim, a, 4.0 * coord[a] + x[a]);
    int loss = firn_sinks_delete(sim, world);
    return loss < 0 ? target : FIRN_SORT_GONE + loss;
}

/* Whether any particle of the block may be deleted: then each is tested. */
/* The neighbours of the block bound where its particles can be: if these are within the range of
 * coordinates, and no sink or deleting wall comes close, no particle needs the test. */
static int may_lose(const firn_sim *sim, const firn_particle_block *block)
{
    for (int side = -1; side <= 1; side += 2) {
        int32_t coord[3];
        for (int a = 0; a < 3; a++) coord[a] = block->coord[a] + side;
        if (!firn_grid_is_reachable(coord)) return 1;
    }
    return firn_sink_particles_may_delete(sim, block->coord);
}

void firn_sort_targets(const firn_sim *sim, const firn_particles *particles, int64_t bundle,
                       uint8_t target[16], uint8_t cell[16])
{
    sim->mpm->kernels->targets(firn_particles_at(particles, FIRN_FIELD_X, bundle),
                               sim->scene.grid.spline == FIRN_QUADRATIC, target, cell);
}

int firn_sort_fate(const firn_sim *sim, const firn_particles *particles,
                   const firn_particle_block *block, int p)
{
    double x[3];
    int target = target_of(particles, block->first + p / 16, p % 16, x);
    return fate_of(sim, block, target, x);
}

static void count_targets(firn_sim *sim, firn_particles *particles, firn_sort_plan *plan)
{
#pragma omp parallel for schedule(dynamic, 8) num_threads(sim->n_threads)
    for (int32_t b = 0; b < particles->n_blocks; b++) {
        const firn_particle_block *block = &particles->blocks[b];
        const int is_safe = !may_lose(sim, block);
        uint8_t target[16], cell[16];
        memset(plan->count[b], 0, sizeof plan->count[b]);
        for (int p = 0; p < block->n; p++) {
            if (p % 16 == 0) firn_sort_targets(sim, particles, block->first + p / 16, target, cell);
            plan->count[b][is_safe ? target[p % 16] : firn_sort_fate(sim, particles, block, p)]++;
        }
    }
}

firn_status firn_sort_plan_make(firn_sim *sim, firn_particles *particles, firn_sort_plan *plan)
{
    plan->n_old = particles->n_blocks;
    size_t n = (size_t)particles->n_blocks;
    plan->count = firn_memory_array(&sim->memory, n, sizeof *plan->count);
    plan->start = firn_memory_array(&sim->memory, n, sizeof *plan->start);
    if (!plan->count || !plan->start) return FIRN_MEMORY;
    count_targets(sim, particles, plan);
    return FIRN_OK;
}

void firn_sort_plan_drop(firn_sim *sim, firn_sort_plan *plan)
{
    firn_memory_release(&sim->memory, plan->count, (size_t)plan->n_old * sizeof *plan->count);
    firn_memory_release(&sim->memory, plan->start, (size_t)plan->n_old * sizeof *plan->start);
    firn_memory_release(&sim->memory, plan->blocks, plan->bytes);
    *plan = (firn_sort_plan){0};
}
