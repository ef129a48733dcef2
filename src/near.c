/* near.c: how far nodes and cells are from all colliders, remembered from step to step.
 *
 * A look at a collider's surface costs as much as a good part of a particle's step, and most looks only say that the
 * point is outside. A distance is Lipschitz, in space and in the way of the surface: a point that was d away from all
 * surfaces stays outside until one of them has come nearer by d. So an odometer adds up the longest way that any point
 * of any surface can have gone from one pose p, R to the next,
 *
 *     gone += L max over colliders of  |p' - p| + |R' - R| reach + speed of deformation dt,
 *
 * and each node keeps  d + gone  as it was when it was last looked up: while that is more than `gone` now there is
 * nothing to look up. L is 1 for distances from formulas, sqrt 3 for those interpolated between voxels, of which each
 * derivative is at most 1. Eighths of cells keep the same of their centers c for the particles in them, where
 *
 *     distance(x) >= distance(c) - L |x - c|.
 *
 * What is skipped would have changed nothing: results are the same with and without this memory, and it is not saved.
 * Files that deform are true to a part of a cell only, which is taken off. Distances given by a caller's function are
 * always looked up. */
#include "solver.h"

#include <math.h>
#include <string.h>

#define UNKNOWN (-INFINITY)

/* Rounding must not make anything seem farther. */
static float below(double d) { return (float)(d - 1e-6 * fabs(d)); }

/* ---------------------------------------------------------------- the blocks */

static uint64_t mix(uint64_t key)
{
    key ^= key >> 31, key *= 0x9E3779B97F4A7C15u;
    return key ^ key >> 29;
}

static int32_t find(const firn_near *near, uint64_t key)
{
    if (!near->table_size) return -1;
    uint32_t mask = (uint32_t)near->table_size - 1, at = (uint32_t)mix(key) & mask;
    for (; near->table[at] >= 0; at = (at + 1) & mask)
        if (near->keys[near->table[at]] == key) return near->table[at];
    return -1;
}

static void fill_table(firn_near *near)
{
    uint32_t mask = (uint32_t)near->table_size - 1;
    memset(near->table, -1, (size_t)near->table_size * sizeof *near->table);
    for (int32_t b = 0; b < near->n; b++) {
        uint32_t at = (uint32_t)mix(near->keys[b]) & mask;
        while (near->table[at] >= 0) at = (at + 1) & mask;
        near->table[at] = b;
    }
}

void firn_near_clear(firn_sim *sim)
{
    firn_near *near = &sim->near;
    size_t n = (size_t)near->capacity;
    firn_memory_release(&sim->memory, near->blocks, n * sizeof *near->blocks);
    firn_memory_release(&sim->memory, near->spare, n * sizeof *near->spare);
    firn_memory_release(&sim->memory, near->cells, (size_t)near->cell_capacity * sizeof *near->cells);
    firn_memory_release(&sim->memory, near->spare_cells, (size_t)near->cell_capacity * sizeof *near->cells);
    firn_memory_release(&sim->memory, near->keys, n * sizeof *near->keys);
    firn_memory_release(&sim->memory, near->table, (size_t)near->table_size * sizeof *near->table);
    firn_memory_release(&sim->memory, near->poses, (size_t)sim->n_colliders * sizeof *near->poses);
    *near = (firn_near){0};
}

static firn_status reserve(firn_sim *sim)
{
    firn_near *near = &sim->near;
    int has_cells = sim->has_particle_pass;
    if (sim->grid.n_blocks <= near->capacity && (!has_cells || sim->grid.n_home <= near->cell_capacity)) return FIRN_OK;
    firn_near_clear(sim);
    near->capacity = sim->grid.n_blocks + sim->grid.n_blocks / 4;
    near->table_size = 16;
    while (near->table_size < 2 * near->capacity) near->table_size *= 2;
    size_t n = (size_t)near->capacity;
    near->blocks = firn_memory_array(&sim->memory, n, sizeof *near->blocks);
    near->spare = firn_memory_array(&sim->memory, n, sizeof *near->spare);
    if (has_cells) near->cell_capacity = sim->grid.n_home + sim->grid.n_home / 4;
    near->cells = firn_memory_array(&sim->memory, (size_t)near->cell_capacity, sizeof *near->cells);
    near->spare_cells = firn_memory_array(&sim->memory, (size_t)near->cell_capacity, sizeof *near->cells);
    near->keys = firn_memory_array(&sim->memory, n, sizeof *near->keys);
    near->table = firn_memory_array(&sim->memory, (size_t)near->table_size, sizeof *near->table);
    near->poses = firn_memory_array(&sim->memory, (size_t)sim->n_colliders, sizeof *near->poses);
    if (!near->blocks || !near->spare || !near->cells || !near->spare_cells || !near->keys || !near->table ||
        !near->poses)
        return firn_near_clear(sim), FIRN_MEMORY;
    fill_table(near);
    return FIRN_OK;
}

static void forget_nodes(firn_near_block *block)
{
    block->all = UNKNOWN;
    for (int i = 0; i < FIRN_BLOCK_NODES; i++) block->nodes[i] = UNKNOWN;
}

static void forget_cells(firn_near_cells *cells)
{
    for (int i = 0; i < FIRN_NEAR_CELLS; i++) cells->until[i] = cells->seen[i] = UNKNOWN;
}

/* After a sort: what is known of a block goes with it to its new place. */
static firn_status follow_grid(firn_sim *sim)
{
    firn_near *near = &sim->near;
    const firn_grid *grid = &sim->grid;
    if (near->n_sorts == sim->n_sorts && near->n == grid->n_blocks) return FIRN_OK;
    if (reserve(sim) != FIRN_OK) return FIRN_MEMORY;
    int32_t n_home = near->cell_capacity ? grid->n_home : 0;
#pragma omp parallel for schedule(static) num_threads(sim->n_threads)
    for (int32_t b = 0; b < grid->n_blocks; b++) {
        int32_t was = find(near, firn_grid_key(grid->coord[b]));
        if (was >= 0)
            near->spare[b] = near->blocks[was];
        else
            forget_nodes(&near->spare[b]);
        if (b < n_home && was >= 0 && was < near->n_home)
            near->spare_cells[b] = near->cells[was];
        else if (b < n_home)
            forget_cells(&near->spare_cells[b]);
    }
    firn_near_block *blocks = near->blocks;
    firn_near_cells *cells = near->cells;
    near->blocks = near->spare, near->spare = blocks;
    near->cells = near->spare_cells, near->spare_cells = cells;
    near->n = grid->n_blocks, near->n_home = n_home, near->n_sorts = sim->n_sorts;
    for (int32_t b = 0; b < near->n; b++) near->keys[b] = firn_grid_key(grid->coord[b]);
    fill_table(near);
    return FIRN_OK;
}

/* ---------------------------------------------------------------- the odometer */

/* How far the surface reaches from its pivot; infinite for what has no end. */
static double reach_of(const firn_collider *c)
{
    double reach2 = 0, low[3], high[3];
    if (!firn_shape_bounds(c->shape, low, high)) return INFINITY;
    for (int i = 0; i < 3; i++) {
        double arm = fmax(fabs(low[i] - c->pose.pivot[i]), fabs(high[i] - c->pose.pivot[i]));
        reach2 += arm * arm;
    }
    return sqrt(reach2);
}

static double norm_of(const double *v, const double *w, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += (v[i] - w[i]) * (v[i] - w[i]);
    return sqrt(sum);
}

/* The longest way of any point of the surface since the last pose, and the greatest speed of any near it. */
static void measure(const firn_near *near, const firn_collider *c, const firn_pose *was, double *way, double *speed)
{
    const double zero[3] = {0, 0, 0};
    double turn = norm_of(c->pose.R, was->R, 9), spin = norm_of(c->pose.spin, zero, 3), reach = reach_of(c);
    double own = firn_shape_speed(c->shape);
    *way = norm_of(c->pose.position, was->position, 3) + (turn > 0 ? turn * reach : 0) + own * near->dt;
    *speed = norm_of(c->pose.velocity, zero, 3) + (spin > 0 ? spin * reach : 0) + own;
    if (spin * near->dt > 0.09) *speed = INFINITY; /* see firn_near_is_clear */
}

/* What the colliders are like, and which of them act. */
static uint64_t look_at_colliders(firn_sim *sim)
{
    firn_near *near = &sim->near;
    uint64_t active = 0;
    near->is_kept = 1;
    near->margin = 0, near->steepness = 1;
    for (int c = 0; c < sim->n_colliders; c++) {
        const firn_shape *shape = sim->colliders[c].shape;
        if (!shape) near->is_kept = 0;
        if (shape && firn_shape_speed(shape) > 0) near->margin = 0.25 * sim->h;
        if (shape && firn_shape_is_sampled(shape)) near->steepness = sqrt(3);
        active = mix(active + (uint64_t)sim->colliders[c].is_active + 1);
    }
    return active;
}

firn_status firn_near_prepare(firn_sim *sim)
{
    firn_near *near = &sim->near;
    double longest = 0, end = sim->time + sim->dt;
    if (sim->n_colliders == 0) return FIRN_OK;
    if (follow_grid(sim) != FIRN_OK) return FIRN_MEMORY;
    uint64_t active = look_at_colliders(sim);
    if (!near->is_kept) return FIRN_OK;
    int is_new = !near->has_poses || near->active != active;
    near->dt = near->has_poses ? fabs(end - near->time) : 0, near->speed = 0; /* a step that is tried again goes back */
    for (int c = 0; c < sim->n_colliders; c++) {
        const firn_collider *collider = &sim->colliders[c];
        double way, speed;
        measure(near, collider, near->has_poses ? &near->poses[c] : &collider->pose, &way, &speed);
        longest = fmax(longest, way), near->speed = fmax(near->speed, speed);
        near->poses[c] = collider->pose;
    }
    near->active = active, near->has_poses = 1, near->time = end, near->dt = sim->dt;
    if (isfinite(longest)) near->gone += near->steepness * longest;
    if (isfinite(longest) && !is_new) return FIRN_OK;
    for (int32_t b = 0; b < near->n; b++) forget_nodes(&near->blocks[b]);
    for (int32_t b = 0; b < near->n_home; b++) forget_cells(&near->cells[b]);
    return FIRN_OK;
}

/* ---------------------------------------------------------------- what is known */

firn_near_block *firn_near_at(const firn_sim *sim, int32_t block)
{
    return sim->near.is_kept ? &sim->near.blocks[block] : NULL;
}

float firn_near_until(const firn_sim *sim, double distance)
{
    return below(distance - sim->near.margin + sim->near.gone);
}

/* The least distance of all colliders with a second pass. */
static double least_distance(const firn_sim *sim, const double x[3])
{
    double least = INFINITY;
    for (int c = 0; c < sim->n_colliders; c++)
        if (sim->colliders[c].is_active && sim->colliders[c].def.particle_pass)
            least = fmin(least, firn_contact_distance(&sim->colliders[c], x, sim->time + sim->dt));
    return least;
}

/* The particle went from `before` to x. Seen from a surface its way is u, |u| <= |x - before| + dt (speed + |spin| d),
 * and d > |u| follows from d > 1.1 (|x - before| + dt speed) while dt |spin| <= 0.09. */
int firn_near_is_clear(const firn_sim *sim, int32_t home, const int32_t coord[3], const double before[3],
                       const double x[3])
{
    const firn_near *near = &sim->near;
    if (!near->is_kept || !isfinite(near->speed)) return 0;
    int at = 0;
    double center[3], off2 = 0, way2 = 0;
    const double inverse = 1 / sim->h;
    for (int a = 0; a < 3; a++) {
        double u = 2 * (x[a] * inverse - 4.0 * coord[a]);
        int i = u < 0 ? 0 : u < 7 ? (int)u : 7;
        at = 8 * at + i, center[a] = (4.0 * coord[a] + 0.5 * i + 0.25) * sim->h;
        off2 += (x[a] - center[a]) * (x[a] - center[a]), way2 += (x[a] - before[a]) * (x[a] - before[a]);
    }
    firn_near_cells *cells = &near->cells[home];
    double needed = near->steepness * sqrt(off2) + 1.1 * (sqrt(way2) + sim->dt * near->speed);
    if ((double)cells->until[at] - near->gone > needed) return 1;
    if (near->gone - (double)cells->seen[at] <= 0.1 * sim->h) return 0; /* known, and near */
    cells->until[at] = firn_near_until(sim, least_distance(sim, center)), cells->seen[at] = below(near->gone);
    return (double)cells->until[at] - near->gone > needed;
}
