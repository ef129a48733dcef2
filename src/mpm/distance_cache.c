/* SPDX-License-Identifier: MIT */
/* distance_cache.c: bounds on the distances of nodes and particles from colliders, kept from step
 * to step, so that most of them need no query.
 *
 * A distance query costs a large part of a particle update, and most queries only find that the
 * point is outside. A distance d is Lipschitz in space and in the displacement of the surface: a
 * point stays outside until point and surface together have travelled
 *
 *     clearance = max((d - margin) / L, d - margin - smoothing)            m
 *
 * with the bounds L, margin, smoothing of collider.c: L = 1 for closed formulas; sqrt 3 for
 * interpolation between voxels, with smoothing 2 voxels as the better bound for long paths. The
 * margin covers interpolation between files of a sequence: a quarter of a voxel, at most a quarter
 * of a cell (in measurements none was needed).
 *
 * Nodes. An odometer adds up the largest displacement of any point of any surface from one pose (p,
 * R) to the next,
 *
 *     gone += max over colliders of  |p' - p| + |R' - R| reach + speed of deformation dt,
 *
 * and each node keeps `clearance + gone` as of its last query: no query is needed while that
 * exceeds the present `gone`. A node outside of a collider at rest never meets it; when the
 * collider starts to move, all entries are cleared. The collider that a node is in is queried in
 * every step, and the node's clearance is that from all others; of a collider at rest the nodes
 * inside keep the surface that they found.
 *
 * Particles keep their clearance (the field CLEAR) from the nearest collider with a second pass,
 * less their own path and that collider's displacement in every step, and their clearance from the
 * others (clearance.c). A particle is queried when it may have met a surface in this step.
 * Deforming surfaces move as fast as their files state for the time of the step.
 *
 * Invariant: a skipped query would have changed nothing. Results are the same with and without the
 * cache, which is therefore neither saved nor hashed. Distances from a caller's function have no
 * known Lipschitz bound and are always queried.
 *
 * Table of blocks: open addressing, a power of two, at most half full. Entries survive a sort by
 * the key of their block. */
#include "base/random.h"
#include "mpm/distance_cache.h"
#include "mpm/mpm.h"

#include <math.h>
#include <string.h>

#define UNKNOWN (-INFINITY)

/* Rounds down: a stored distance never exceeds the true bound. */
static float below(double d) { return (float)(isfinite(d) ? d - 1e-6 * fabs(d) : d); }

/* ---------------------------------------------------------------- the blocks */

static int32_t find(const firn_distance_cache *cache, uint64_t key)
{
    if (!cache->table_size) return -1;
    uint32_t mask = (uint32_t)cache->table_size - 1, at = (uint32_t)firn_random_mix(key) & mask;
    for (; cache->table[at] >= 0; at = (at + 1) & mask)
        if (cache->keys[cache->table[at]] == key) return cache->table[at];
    return -1;
}

static void fill_table(firn_distance_cache *cache)
{
    uint32_t mask = (uint32_t)cache->table_size - 1;
    memset(cache->table, -1, (size_t)cache->table_size * sizeof *cache->table);
    for (int32_t b = 0; b < cache->n; b++) {
        uint32_t at = (uint32_t)firn_random_mix(cache->keys[b]) & mask;
        while (cache->table[at] >= 0) at = (at + 1) & mask;
        cache->table[at] = b;
    }
}

void firn_distance_cache_clear(firn_sim *sim)
{
    firn_distance_cache *cache = &sim->mpm->distance_cache;
    size_t n = (size_t)cache->capacity, n_colliders = (size_t)sim->n_colliders;
    firn_memory_release(&sim->memory, cache->blocks, n * sizeof *cache->blocks);
    firn_memory_release(&sim->memory, cache->spare, n * sizeof *cache->spare);
    firn_memory_release(&sim->memory, cache->keys, n * sizeof *cache->keys);
    firn_memory_release(&sim->memory, cache->table,
                        (size_t)cache->table_size * sizeof *cache->table);
    firn_memory_release(&sim->memory, cache->poses, n_colliders * sizeof *cache->poses);
    firn_memory_release(&sim->memory, cache->n_poses, n_colliders * sizeof *cache->n_poses);
    firn_memory_release(&sim->memory, cache->still,
                        (size_t)cache->still_capacity * sizeof *cache->still);
    *cache = (firn_distance_cache){0};
}

static firn_status reserve(firn_sim *sim)
{
    firn_distance_cache *cache = &sim->mpm->distance_cache;
    if (sim->mpm->grid.n_blocks <= cache->capacity) return FIRN_OK;
    firn_distance_cache_clear(sim);
    cache->capacity = sim->mpm->grid.n_blocks + sim->mpm->grid.n_blocks / 4;
    cache->table_size = 16;
    while (cache->table_size < 2 * cache->capacity) cache->table_size *= 2;
    size_t n = (size_t)cache->capacity, n_colliders = (size_t)sim->n_colliders;
    cache->blocks = firn_memory_array(&sim->memory, n, sizeof *cache->blocks);
    cache->spare = firn_memory_array(&sim->memory, n, sizeof *cache->spare);
    cache->keys = firn_memory_array(&sim->memory, n, sizeof *cache->keys);
    cache->table = firn_memory_array(&sim->memory, (size_t)cache->table_size, sizeof *cache->table);
    cache->poses = firn_memory_array(&sim->memory, n_colliders, sizeof *cache->poses);
    cache->n_poses = firn_memory_array(&sim->memory, n_colliders, sizeof *cache->n_poses);
    if (!cache->blocks || !cache->spare || !cache->keys || !cache->table || !cache->poses ||
        !cache->n_poses)
        return firn_distance_cache_clear(sim), FIRN_MEMORY;
    fill_table(cache);
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
    firn_distance_cache *cache = &sim->mpm->distance_cache;
    const firn_grid *grid = &sim->mpm->grid;
    if (cache->n_sorts == sim->n_sorts && cache->n == grid->n_blocks) return FIRN_OK;
    if (reserve(sim) != FIRN_OK) return FIRN_MEMORY;
#pragma omp parallel for schedule(static) num_threads(sim->n_threads)
    for (int32_t b = 0; b < grid->n_blocks; b++) {
        int32_t was = find(cache, firn_grid_key(grid->coord[b]));
        if (was >= 0) {
            cache->spare[b] = cache->blocks[was];
        } else {
            forget_nodes(&cache->spare[b]);
            cache->spare[b].still = cache->spare[b].wanted = -1;
            cache->spare[b].is_stale = 0;
        }
    }
    firn_distance_cache_block *blocks = cache->blocks;
    cache->blocks = cache->spare;
    cache->spare = blocks;
    cache->n = grid->n_blocks;
    cache->n_sorts = sim->n_sorts;
    for (int32_t b = 0; b < cache->n; b++) cache->keys[b] = firn_grid_key(grid->coord[b]);
    fill_table(cache);
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

/* The largest displacement of any point of the surface from one pose to another, plus `deformed`,
 * m. */
static double displacement_between(const firn_collider *c, const firn_pose *from,
                                   const firn_pose *to, double deformed)
{
    double turn = norm_of(to->R, from->R, 9);
    return norm_of(to->position, from->position, 3) + (turn > 0 ? turn * reach_of(c) : 0) +
           deformed;
}

/* Upper bound of the deformation of the surface between two times, m. */
static double deformation_between(const firn_collider *c, double from, double until)
{
    double speed =
        c->is_rigid || from == until ? 0 : firn_shape_speed_between(c->shape, from, until);
    return speed > 0 ? speed * (until - from) : 0;
}

/* The largest displacement of any surface point since the last pose, and within this step, m. */
static void measure(const firn_sim *sim, const firn_collider *c, const firn_pose *was,
                    double *since_last, double *of_step)
{
    const double end = sim->time + sim->dt,
                 last = sim->mpm->distance_cache.has_poses ? sim->mpm->distance_cache.time : end;
    *since_last = displacement_between(c, was, &c->pose,
                                       deformation_between(c, fmin(last, end), fmax(last, end)));
    *of_step =
        displacement_between(c, &c->pose_before, &c->pose, deformation_between(c, sim->time, end));
    if (norm_of(c->pose.R, c->pose_before.R, 9) > 0.09 * sqrt(2))
        *of_step = INFINITY; /* see clearance.c */
}

/* A hash of the active colliders; sets is_kept where all distances have known bounds. */
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
    firn_distance_cache *cache = &sim->mpm->distance_cache;
    if (wanted <= cache->still_capacity) return 1;
    int32_t capacity = wanted + wanted / 4;
    firn_distance_cache_still *grown =
        firn_memory_array(&sim->memory, (size_t)capacity, sizeof *grown);
    if (!grown) return 0;
    if (cache->n_still) memcpy(grown, cache->still, (size_t)cache->n_still * sizeof *grown);
    firn_memory_release(&sim->memory, cache->still,
                        (size_t)cache->still_capacity * sizeof *cache->still);
    cache->still = grown;
    cache->still_capacity = capacity;
    return 1;
}

/* Assigns entries to the surfaces that were requested in the last step, first those whose block no
 * longer exists. Without memory, surfaces are queried as without the cache. */
static void give_places(firn_sim *sim)
{
    firn_distance_cache *cache = &sim->mpm->distance_cache;
    int32_t n_wanted = 0, n_used = 0, next = 0;
    for (int32_t b = 0; b < cache->n; b++) {
        n_wanted += cache->blocks[b].wanted >= 0;
        n_used += cache->blocks[b].wanted >= 0 || cache->blocks[b].still >= 0;
    }
    if (n_wanted == 0 || !grow_stills(sim, n_used)) return;
    for (int32_t i = 0; i < cache->still_capacity; i++) cache->still[i].block = -1;
    for (int32_t b = 0; b < cache->n; b++)
        if (cache->blocks[b].still >= 0) cache->still[cache->blocks[b].still].block = b;
    for (int32_t b = 0; b < cache->n; b++) {
        firn_distance_cache_block *block = &cache->blocks[b];
        if (block->wanted < 0) continue;
        if (block->still < 0) {
            while (cache->still[next].block >= 0) next++;
            block->still = next;
            if (next >= cache->n_still) cache->n_still = next + 1;
        }
        firn_distance_cache_still *still = &cache->still[block->still];
        still->block = b;
        still->collider = block->wanted;
        still->pose = cache->n_poses[block->wanted];
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
    firn_distance_cache_block *entry = &sim->mpm->distance_cache.blocks[block];
    firn_distance_cache_still *still =
        entry->still >= 0 ? &sim->mpm->distance_cache.still[entry->still] : NULL;
    int is_known = still && still->collider == collider &&
                   still->pose == sim->mpm->distance_cache.n_poses[collider];
    if (is_known && still->known >> node & 1) { /* contact: stick needs the velocity alone */
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
        entry->wanted = collider;
    return 1;
}

/* ---------------------------------------------------------------- a step's beginning */

/* The displacement of one collider with a second pass, for the kernel `clearance`; those beyond the
 * first four count with the maximum. */
/* The clearance needed by a particle at rest is 1.1 times the surface's displacement in this step
 * (clearance.c). */
static void add_motion(firn_distance_cache_motion *motion, int index, double displacement,
                       double of_step)
{
    const float gone = (float)displacement, needed = (float)(1.1 * of_step);
    if (motion->n < FIRN_DISTANCE_CACHE_MOVERS) {
        motion->which[motion->n] = (float)index;
        motion->displacement[motion->n] = gone;
        motion->needed[motion->n++] = needed;
    }
    motion->most_displacement = fmaxf(motion->most_displacement, gone);
    motion->most_needed = fmaxf(motion->most_needed, needed);
}

/* Returns the largest displacement, m. A step may be repeated with smaller dt before particles
 * move: displacements add up until they do. */
static double follow_poses(firn_sim *sim)
{
    firn_distance_cache *cache = &sim->mpm->distance_cache;
    const int is_next = cache->n_steps != sim->n_steps;
    double longest = 0;
    cache->motion = (firn_distance_cache_motion){.h = sim->h};
    for (int c = 0; c < sim->n_colliders; c++) {
        firn_collider *collider = &sim->colliders[c];
        double since_last, of_step;
        int is_same = cache->has_poses &&
                      memcmp(&cache->poses[c], &collider->pose, sizeof collider->pose) == 0;
        measure(sim, collider, cache->has_poses ? &cache->poses[c] : &collider->pose, &since_last,
                &of_step);
        longest = fmax(longest, since_last);
        collider->displacement = is_next ? since_last : collider->displacement + since_last;
        if (collider->is_active && collider->def.particle_pass)
            add_motion(&cache->motion, c, collider->displacement, of_step);
        if (!is_same) cache->n_poses[c]++;
        const int was_at_rest = collider->is_at_rest;
        collider->is_at_rest = is_same && collider->is_rigid;
        if (was_at_rest && !collider->is_at_rest) longest = INFINITY;
        cache->poses[c] = collider->pose;
    }
    return longest;
}

firn_status firn_distance_cache_prepare(firn_sim *sim)
{
    firn_distance_cache *cache = &sim->mpm->distance_cache;
    if (sim->n_colliders == 0 || sim->mpm->grid.n_blocks == 0) return FIRN_OK;
    if (follow_grid(sim) != FIRN_OK) return FIRN_MEMORY;
    uint64_t active = query_colliders(sim);
    if (!cache->is_kept) return FIRN_OK;
    int is_new = !cache->has_poses || cache->active != active;
    double longest = follow_poses(sim);
    give_places(sim);
    cache->n_steps = sim->n_steps;
    cache->active = active;
    cache->has_poses = 1;
    cache->time = sim->time + sim->dt;
    if (isfinite(longest)) cache->gone += longest;
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

/* A collider in contact may move away: the list is renewed after two cells of displacement at the
 * latest. */
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

/* Particles are within 2.5 sqrt 3 cells of the center of their owner block, and nothing two cells
 * away is met within a step (firn_collider_keep_out). Blocks that are far from all colliders keep
 * this one number only. */
int firn_distance_cache_is_far(const firn_sim *sim, int32_t owner)
{
    const firn_distance_cache *cache = &sim->mpm->distance_cache;
    if (!cache->is_kept || !isfinite(cache->motion.most_needed)) return 0;
    firn_distance_cache_block *block = &cache->blocks[owner];
    const double needed = 2 * sim->h;
    if ((double)block->all_particles - cache->gone > needed) return 1;
    if ((double)block->again > cache->gone) return 0;
    double center[3], least = INFINITY;
    for (int a = 0; a < 3; a++)
        center[a] = firn_mpm_metres(sim, a, 4.0 * sim->mpm->grid.coord[owner][a] + 1.5);
    for (int c = 0; c < sim->n_colliders; c++) {
        const firn_collider *collider = &sim->colliders[c];
        if (!collider->is_active || !collider->def.particle_pass) continue;
        double distance = firn_contact_distance(collider, center, sim->time + sim->dt);
        least = fmin(least, firn_collider_clearance(collider, distance) - 2.5 * sqrt(3) * sim->h);
    }
    block->all_particles = until(sim, least);
    block->again = until(sim, fmax(needed - least, 0.5 * sim->h));
    return (double)block->all_particles - cache->gone > needed;
}

const firn_distance_cache_motion *firn_distance_cache_motion_of_step(const firn_sim *sim)
{
    return &sim->mpm->distance_cache.motion;
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
