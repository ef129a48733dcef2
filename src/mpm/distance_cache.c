/* SPDX-License-Identifier: MIT */
/* distance_cache.c: what is known of the colliders' surfaces from the steps before.
 *
 * A look at a collider's surface costs as much as a good part of a particle's step, and most
 * looks only say that the point is outside. A distance d is Lipschitz, in space and in the way
 * of the surface: a point stays outside until it and the surface together have gone a way of
 *
 *     clearance = max((d - margin) / L, d - margin - blur).
 *
 * L is 1 for distances from formulas, sqrt 3 for those interpolated between voxels, of which
 * each derivative is at most
 * 1. Over longer ways the true distance, which lies within half a voxel's diagonal, does better:
 *   the blur is that here and there, 2 voxels. What is mixed between files goes a little
 *   otherwise, for which there is a margin: a quarter of a voxel, and of a cell at most
 *   (measured: none was needed).
 *
 * Nodes. An odometer adds up the longest way that any point of any surface can have gone from
 * one pose p, R to the next,
 *
 *     gone += max over colliders of  |p' - p| + |R' - R| reach + speed of deformation dt,
 *
 * and each node keeps  clearance + gone
 *     as it was when it was last looked up: while that is more than `gone` now there
 * is nothing to look up. What stands still a node outside of it never meets; when it begins to
 * move all is forgotten. The collider that a node is in is asked in every step, and the node's
 * clearance is that from all others; of one that stands still the nodes in it keep its surface
 * as they found it.
 *
 * Particles keep their clearance (the field CLEAR) from the nearest collider with a second pass,
 * less their own way and that collider's in every step, and their clearance from the others
 * (clearance.c). One is looked up when it may have met a surface in this step. Surfaces of files
 * that deform go as fast as the files say for the time of the step.
 *
 * What is skipped would have changed nothing: results are the same with and without this memory,
 * and it is not saved. Distances given by a caller's function are always looked up. */
#include "base/random.h"
#include "mpm/distance_cache.h"
#include "mpm/mpm.h"

#include <math.h>
#include <string.h>

#define UNKNOWN (-INFINITY)

/* Rounding must not make anything seem farther. */
static float below(double d) { return (float)(isfinite(d) ? d - 1e-6 * fabs(d) : d); }

/* ---------------------------------------------------------------- the blocks */

static int32_t find(const firn_distance_cache *near, uint64_t key)
{
    if (!near->table_size) return -1;
    uint32_t mask = (uint32_t)near->table_size - 1, at = (uint32_t)firn_random_mix(key) & mask;
    for (; near->table[at] >= 0; at = (at + 1) & mask)
        if (near->keys[near->table[at]] == key) return near->table[at];
    return -1;
}

static void fill_table(firn_distance_cache *near)
{
    uint32_t mask = (uint32_t)near->table_size - 1;
    memset(near->table, -1, (size_t)near->table_size * sizeof *near->table);
    for (int32_t b = 0; b < near->n; b++) {
        uint32_t at = (uint32_t)firn_random_mix(near->keys[b]) & mask;
        while (near->table[at] >= 0) at = (at + 1) & mask;
        near->table[at] = b;
    }
}

void firn_distance_cache_clear(firn_sim *sim)
{
    firn_distance_cache *near = &sim->mpm->distance_cache;
    size_t n = (size_t)near->capacity, n_colliders = (size_t)sim->n_colliders;
    firn_memory_release(&sim->memory, near->blocks, n * sizeof *near->blocks);
    firn_memory_release(&sim->memory, near->spare, n * sizeof *near->spare);
    firn_memory_release(&sim->memory, near->keys, n * sizeof *near->keys);
    firn_memory_release(&sim->memory, near->table, (size_t)near->table_size * sizeof *near->table);
    firn_memory_release(&sim->memory, near->poses, n_colliders * sizeof *near->poses);
    firn_memory_release(&sim->memory, near->n_poses, n_colliders * sizeof *near->n_poses);
    firn_memory_release(&sim->memory, near->still,
                        (size_t)near->still_capacity * sizeof *near->still);
    *near = (firn_distance_cache){0};
}

static firn_status reserve(firn_sim *sim)
{
    firn_distance_cache *near = &sim->mpm->distance_cache;
    if (sim->mpm->grid.n_blocks <= near->capacity) return FIRN_OK;
    firn_distance_cache_clear(sim);
    near->capacity = sim->mpm->grid.n_blocks + sim->mpm->grid.n_blocks / 4;
    near->table_size = 16;
    while (near->table_size < 2 * near->capacity) near->table_size *= 2;
    size_t n = (size_t)near->capacity, n_colliders = (size_t)sim->n_colliders;
    near->blocks = firn_memory_array(&sim->memory, n, sizeof *near->blocks);
    near->spare = firn_memory_array(&sim->memory, n, sizeof *near->spare);
    near->keys = firn_memory_array(&sim->memory, n, sizeof *near->keys);
    near->table = firn_memory_array(&sim->memory, (size_t)near->table_size, sizeof *near->table);
    near->poses = firn_memory_array(&sim->memory, n_colliders, sizeof *near->poses);
    near->n_poses = firn_memory_array(&sim->memory, n_colliders, sizeof *near->n_poses);
    if (!near->blocks || !near->spare || !near->keys || !near->table || !near->poses ||
        !near->n_poses)
        return firn_distance_cache_clear(sim), FIRN_MEMORY;
    fill_table(near);
    return FIRN_OK;
}

static void forget_nodes(firn_distance_cache_block *block)
{
    block->others = block->all_particles = block->again = UNKNOWN;
    block->colliders = 0;
    for (int i = 0; i < FIRN_BLOCK_NODES; i++) {
        block->nodes[i] = UNKNOWN;
        block->in[i] = -1;
    }
}

/* After a sort: what is known of a block goes with it to its new place. */
static firn_status follow_grid(firn_sim *sim)
{
    firn_distance_cache *near = &sim->mpm->distance_cache;
    const firn_grid *grid = &sim->mpm->grid;
    if (near->n_sorts == sim->n_sorts && near->n == grid->n_blocks) return FIRN_OK;
    if (reserve(sim) != FIRN_OK) return FIRN_MEMORY;
#pragma omp parallel for schedule(static) num_threads(sim->n_threads)
    for (int32_t b = 0; b < grid->n_blocks; b++) {
        int32_t was = find(near, firn_grid_key(grid->coord[b]));
        if (was >= 0) {
            near->spare[b] = near->blocks[was];
        } else {
            forget_nodes(&near->spare[b]);
            near->spare[b].still = near->spare[b].wanted = -1;
            near->spare[b].is_stale = 0;
        }
    }
    firn_distance_cache_block *blocks = near->blocks;
    near->blocks = near->spare;
    near->spare = blocks;
    near->n = grid->n_blocks;
    near->n_sorts = sim->n_sorts;
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

/* The longest way of any point of the surface from one pose to another, and by `deformed`, m. */
static double way_between(const firn_collider *c, const firn_pose *from, const firn_pose *to,
                          double deformed)
{
    double turn = norm_of(to->R, from->R, 9);
    return norm_of(to->position, from->position, 3) + (turn > 0 ? turn * reach_of(c) : 0) +
           deformed;
}

/* How far the surface deforms at most from one time to another, m. */
static double deformation_between(const firn_collider *c, double from, double until)
{
    double speed =
        c->is_rigid || from == until ? 0 : firn_shape_speed_between(c->shape, from, until);
    return speed > 0 ? speed * (until - from) : 0;
}

/* The longest way of any point of the surface since the last pose, and of any in this step. */
static void measure(const firn_sim *sim, const firn_collider *c, const firn_pose *was, double *way,
                    double *of_step)
{
    const double end = sim->time + sim->dt,
                 last = sim->mpm->distance_cache.has_poses ? sim->mpm->distance_cache.time : end;
    *way = way_between(c, was, &c->pose, deformation_between(c, fmin(last, end), fmax(last, end)));
    *of_step = way_between(c, &c->pose_before, &c->pose, deformation_between(c, sim->time, end));
    if (norm_of(c->pose.R, c->pose_before.R, 9) > 0.09 * sqrt(2))
        *of_step = INFINITY; /* see clearance.c */
}

/* Which colliders act, and whether all distances are of a kind that is known. */
static uint64_t query_colliders(firn_sim *sim)
{
    uint64_t active = 0;
    sim->mpm->distance_cache.is_kept = 1;
    for (int c = 0; c < sim->n_colliders; c++) {
        if (!sim->colliders[c].shape) sim->mpm->distance_cache.is_kept = 0;
        active = firn_random_mix(active + (uint64_t)sim->colliders[c].is_active + 1);
    }
    return active;
}

static void forget_all(firn_sim *sim)
{
    for (int32_t b = 0; b < sim->mpm->distance_cache.n; b++) {
        forget_nodes(&sim->mpm->distance_cache.blocks[b]);
        sim->mpm->distance_cache.blocks[b].still = -1;
    }
    for (int m = 0; m < sim->n_materials; m++) {
        firn_particles *particles = &sim->mpm->particles[m];
        if (particles->n_components[FIRN_FIELD_CLEAR] && particles->n_bundles)
            memset(particles->field[FIRN_FIELD_CLEAR], 0,
                   firn_particles_field_bytes(particles, FIRN_FIELD_CLEAR, particles->n_bundles));
    }
}

/* ---------------------------------------------------------------- colliders at rest */

static int grow_stills(firn_sim *sim, int32_t wanted)
{
    firn_distance_cache *near = &sim->mpm->distance_cache;
    if (wanted <= near->still_capacity) return 1;
    int32_t capacity = wanted + wanted / 4;
    firn_distance_cache_still *grown =
        firn_memory_array(&sim->memory, (size_t)capacity, sizeof *grown);
    if (!grown) return 0;
    if (near->n_still) memcpy(grown, near->still, (size_t)near->n_still * sizeof *grown);
    firn_memory_release(&sim->memory, near->still,
                        (size_t)near->still_capacity * sizeof *near->still);
    near->still = grown;
    near->still_capacity = capacity;
    return 1;
}

/* Gives places for the surfaces that were wanted in the last step, first those that no block has
 * any longer. Where there is no memory, surfaces are looked up as ever. */
static void give_places(firn_sim *sim)
{
    firn_distance_cache *near = &sim->mpm->distance_cache;
    int32_t n_wanted = 0, n_used = 0, next = 0;
    for (int32_t b = 0; b < near->n; b++) {
        n_wanted += near->blocks[b].wanted >= 0;
        n_used += near->blocks[b].wanted >= 0 || near->blocks[b].still >= 0;
    }
    if (n_wanted == 0 || !grow_stills(sim, n_used)) return;
    for (int32_t i = 0; i < near->still_capacity; i++) near->still[i].block = -1;
    for (int32_t b = 0; b < near->n; b++)
        if (near->blocks[b].still >= 0) near->still[near->blocks[b].still].block = b;
    for (int32_t b = 0; b < near->n; b++) {
        firn_distance_cache_block *block = &near->blocks[b];
        if (block->wanted < 0) continue;
        if (block->still < 0) {
            while (near->still[next].block >= 0) next++;
            block->still = next;
            if (next >= near->n_still) near->n_still = next + 1;
        }
        firn_distance_cache_still *still = &near->still[block->still];
        still->block = b;
        still->collider = block->wanted;
        still->pose = near->n_poses[block->wanted];
        still->known = 0;
        block->wanted = -1;
    }
}

static int stands_still(const firn_sim *sim, int collider)
{
    return sim->mpm->distance_cache.is_kept && sim->colliders[collider].is_at_rest;
}

int firn_distance_cache_surface(const firn_sim *sim, int collider, int32_t block, int node,
                                const double x[3], firn_surface_point *s)
{
    const firn_collider *c = &sim->colliders[collider];
    const double end = sim->time + sim->dt;
    if (!stands_still(sim, collider)) return firn_contact_surface(c, x, end, 0, s);
    firn_distance_cache_block *near = &sim->mpm->distance_cache.blocks[block];
    firn_distance_cache_still *still =
        near->still >= 0 ? &sim->mpm->distance_cache.still[near->still] : NULL;
    int is_known = still && still->collider == collider &&
                   still->pose == sim->mpm->distance_cache.n_poses[collider];
    if (is_known && still->known >> node & 1) { /* what sticks asks for nothing but the velocity */
        const double *kept = still->nodes[node], *n = kept + 1, *v = c->def.surface_velocity;
        if (c->def.contact == FIRN_STICK)
            *s = (firn_surface_point){.velocity = {v[0], v[1], v[2]}};
        else
            *s = (firn_surface_point){
                kept[0], {n[0], n[1], n[2]}, {v[0], v[1], v[2]}, kept[4], kept[5]};
        return 1;
    }
    if (!firn_contact_surface(c, x, end, 0, s)) return 0;
    if (is_known) {
        const double found[6] = {s->distance,  s->normal[0], s->normal[1],
                                 s->normal[2], s->friction,  s->stickiness};
        memcpy(still->nodes[node], found, sizeof found);
        still->known |= 1ull << node;
    } else if (!still || still->pose != sim->mpm->distance_cache.n_poses[still->collider])
        near->wanted = collider;
    return 1;
}

/* ---------------------------------------------------------------- a step's beginning */

/* What a collider with a second pass does in this step to the clearances of particles. */
static void add_way(firn_distance_cache_ways *ways, int index, double way, double of_step)
{
    const float gone = (float)way, needed = (float)(1.1 * of_step);
    if (ways->n < FIRN_DISTANCE_CACHE_WAYS) {
        ways->which[ways->n] = (float)index;
        ways->way[ways->n] = gone;
        ways->needed[ways->n++] = needed;
    }
    ways->most_way = fmaxf(ways->most_way, gone);
    ways->most_needed = fmaxf(ways->most_needed, needed);
}

/* Returns the longest way. A step may be tried more than once before particles move: their ways
 * are added up. */
static double follow_poses(firn_sim *sim)
{
    firn_distance_cache *near = &sim->mpm->distance_cache;
    const int is_next = near->n_steps != sim->n_steps;
    double longest = 0;
    near->ways = (firn_distance_cache_ways){.h = sim->h};
    for (int c = 0; c < sim->n_colliders; c++) {
        firn_collider *collider = &sim->colliders[c];
        double way, of_step;
        int is_same =
            near->has_poses && memcmp(&near->poses[c], &collider->pose, sizeof collider->pose) == 0;
        measure(sim, collider, near->has_poses ? &near->poses[c] : &collider->pose, &way, &of_step);
        longest = fmax(longest, way);
        collider->way = is_next ? way : collider->way + way;
        if (collider->is_active && collider->def.particle_pass)
            add_way(&near->ways, c, collider->way, of_step);
        if (!is_same) near->n_poses[c]++;
        const int was_at_rest = collider->is_at_rest;
        collider->is_at_rest = is_same && collider->is_rigid;
        if (was_at_rest && !collider->is_at_rest) longest = INFINITY;
        near->poses[c] = collider->pose;
    }
    return longest;
}

firn_status firn_distance_cache_prepare(firn_sim *sim)
{
    firn_distance_cache *near = &sim->mpm->distance_cache;
    if (sim->n_colliders == 0 || sim->mpm->grid.n_blocks == 0) return FIRN_OK;
    if (follow_grid(sim) != FIRN_OK) return FIRN_MEMORY;
    uint64_t active = query_colliders(sim);
    if (!near->is_kept) return FIRN_OK;
    int is_new = !near->has_poses || near->active != active;
    double longest = follow_poses(sim);
    give_places(sim);
    near->n_steps = sim->n_steps;
    near->active = active;
    near->has_poses = 1;
    near->time = sim->time + sim->dt;
    if (isfinite(longest)) near->gone += longest;
    if (!isfinite(longest) || is_new) forget_all(sim);
    return FIRN_OK;
}

/* ---------------------------------------------------------------- what is known of nodes */

static float until(const firn_sim *sim, double clearance)
{
    return below(clearance + sim->mpm->distance_cache.gone);
}

int firn_distance_cache_is_kept(const firn_sim *sim) { return sim->mpm->distance_cache.is_kept; }

int firn_distance_cache_recall_colliders(const firn_sim *sim, int32_t block, uint64_t *colliders,
                                         double *others)
{
    const firn_distance_cache *cache = &sim->mpm->distance_cache;
    if (!cache->is_kept || !((double)cache->blocks[block].others > cache->gone)) return 0;
    *others = (double)cache->blocks[block].others - cache->gone;
    *colliders = cache->blocks[block].colliders;
    return 1;
}

/* What touches now may go away: it is asked anew after two cells at the latest. */
void firn_distance_cache_remember_colliders(const firn_sim *sim, int32_t block, int n,
                                            const uint16_t *colliders, double others)
{
    if (!sim->mpm->distance_cache.is_kept) return;
    firn_distance_cache_block *known = &sim->mpm->distance_cache.blocks[block];
    known->colliders = 0;
    known->others = -INFINITY;
    if (n < 0) return;
    for (int k = 0; k < n; k++) {
        if (colliders[k] >= 64) return;
        known->colliders |= 1ull << colliders[k];
    }
    known->others = until(sim, n ? fmin(others, 2 * sim->h) : others);
}

int firn_distance_cache_is_clear(const firn_sim *sim, int32_t block)
{
    const firn_distance_cache *cache = &sim->mpm->distance_cache;
    return cache->is_kept && !cache->blocks[block].colliders &&
           (double)cache->blocks[block].others > cache->gone;
}

firn_distance_cache_node firn_distance_cache_node_at(const firn_sim *sim, int32_t block, int node)
{
    const firn_distance_cache *cache = &sim->mpm->distance_cache;
    const double left = (double)cache->blocks[block].nodes[node];
    return (firn_distance_cache_node){.is_far = left > cache->gone,
                                      .in = cache->blocks[block].in[node],
                                      .clearance = left - cache->gone};
}

void firn_distance_cache_remember_node(const firn_sim *sim, int32_t block, int node, int in,
                                       const double *clearance)
{
    firn_distance_cache_block *known = &sim->mpm->distance_cache.blocks[block];
    known->in[node] = (int16_t)in;
    if (clearance) known->nodes[node] = until(sim, *clearance);
}

/* ---------------------------------------------------------------- what is known of particles */

/* Particles are within 2.5 sqrt 3 cells of the middle of their owner block, and nothing that is
 * two cells away is met in a step (see keep_out in acts.c). Of blocks that are far from
 * everything no more is kept than this. */
int firn_distance_cache_is_far(const firn_sim *sim, int32_t owner)
{
    const firn_distance_cache *near = &sim->mpm->distance_cache;
    if (!near->is_kept || !isfinite(near->ways.most_needed)) return 0;
    firn_distance_cache_block *block = &near->blocks[owner];
    const double needed = 2 * sim->h;
    if ((double)block->all_particles - near->gone > needed) return 1;
    if ((double)block->again > near->gone) return 0;
    double center[3], least = INFINITY;
    for (int a = 0; a < 3; a++) center[a] = (4.0 * sim->mpm->grid.coord[owner][a] + 1.5) * sim->h;
    for (int c = 0; c < sim->n_colliders; c++) {
        const firn_collider *collider = &sim->colliders[c];
        if (!collider->is_active || !collider->def.particle_pass) continue;
        double distance = firn_contact_distance(collider, center, sim->time + sim->dt);
        least = fmin(least, firn_collider_clearance(collider, distance) - 2.5 * sqrt(3) * sim->h);
    }
    block->all_particles = until(sim, least);
    block->again = until(sim, fmax(needed - least, 0.5 * sim->h));
    return (double)block->all_particles - near->gone > needed;
}

const firn_distance_cache_ways *firn_distance_cache_ways_of_step(const firn_sim *sim)
{
    return &sim->mpm->distance_cache.ways;
}

void firn_distance_cache_renew(firn_sim *sim, int32_t owner)
{
    firn_distance_cache *cache = &sim->mpm->distance_cache;
    if (!cache->is_kept || !cache->blocks[owner].is_stale) return;
    cache->blocks[owner].is_stale = 0;
    for (int m = 0; m < sim->n_materials; m++) {
        const firn_particles *particles = &sim->mpm->particles[m];
        const firn_particle_block *block = firn_particle_block_at(particles, owner);
        if (block)
            memset(
                firn_particles_at(particles, FIRN_FIELD_CLEAR, block->first), 0,
                firn_particles_field_bytes(particles, FIRN_FIELD_CLEAR, firn_bundles_of(block->n)));
    }
}

void firn_distance_cache_mark_stale(firn_sim *sim, int32_t owner)
{
    sim->mpm->distance_cache.blocks[owner].is_stale = 1;
}

void firn_distance_cache_renew_all(firn_sim *sim)
{
    const int is_of_this_grid = sim->mpm->distance_cache.n_sorts == sim->n_sorts &&
                                sim->mpm->distance_cache.n == sim->mpm->grid.n_blocks;
    for (int32_t b = 0; sim->has_particle_pass && is_of_this_grid && b < sim->mpm->grid.n_owners;
         b++)
        firn_distance_cache_renew(sim, b);
}

firn_distance_cache_clearances firn_distance_cache_recall(const firn_particles *particles,
                                                          int64_t bundle, int lane)
{
    return (firn_distance_cache_clearances){
        firn_particles_value(particles, FIRN_FIELD_CLEAR, bundle, 0, lane),
        firn_particles_value(particles, FIRN_FIELD_CLEAR, bundle, 1, lane),
        (int)firn_particles_value(particles, FIRN_FIELD_CLEAR, bundle, 2, lane)};
}

void firn_distance_cache_remember(firn_particles *particles, int64_t bundle, int lane,
                                  const firn_distance_cache_clearances *clear)
{
    firn_particles_set(particles, FIRN_FIELD_CLEAR, bundle, 0, lane, (double)below(clear->nearest));
    firn_particles_set(particles, FIRN_FIELD_CLEAR, bundle, 1, lane, (double)below(clear->others));
    firn_particles_set(particles, FIRN_FIELD_CLEAR, bundle, 2, lane, clear->which);
}
