/* SPDX-License-Identifier: MIT */
/* node_boundary.c: what acts on the nodes between P2G and G2P - force fields, colliders, grips,
 * walls. What a contact does to a node is in contact.c. Everything keeps ledger: the impulse it
 * took from the material, the torque about its pivot, the work it did, what friction cost; where
 * several materials share nodes also node by node (impulse_split.c). */
#include "mpm/node_boundary.h"
#include "mpm/mpm.h"
#include "mpm/particle_boundary.h"

#include <math.h>
#include <string.h>

typedef struct node {
    int32_t block;
    int index;
    double x[3], v[3], mass;
    unsigned kinds; /* bits: who gave anything */
    double
        given[FIRN_N_BOUNDARY_KINDS]
             [4]; /* dv x y z and work per mass; for walls: friction per mass, also of colliders */
} node;

/* ---------------------------------------------------------------- one node */

static void keep_ledger(firn_boundary_impulse *boundary, firn_boundary_kind kind, node *n,
                        const double before[3], const double surface_v[3], const double pivot[3])
{
    firn_boundary_impulse e = {0};
    if (n->v[0] == before[0] && n->v[1] == before[1] && n->v[2] == before[2]) return;
    n->kinds |= 1u << kind | 1u << FIRN_BOUNDARY_WALLS;
    firn_contact_book(&e, n->x, n->mass, before, n->v, surface_v, pivot);
    for (int a = 0; a < 3; a++) {
        boundary->impulse[a] += e.impulse[a];
        boundary->torque[a] += e.torque[a];
        n->given[kind][a] += n->v[a] - before[a];
    }
    for (int a = 0; kind == FIRN_BOUNDARY_FORCES && a < 3; a++) /* a pull, see acts.c */
        e.work -= 0.5 * n->mass * (n->v[a] - before[a]) * (n->v[a] - before[a]);
    boundary->work += e.work;
    boundary->friction += e.friction;
    if (kind != FIRN_BOUNDARY_WALLS) n->given[kind][3] += e.work / n->mass;
    n->given[FIRN_BOUNDARY_WALLS][3] += e.friction / n->mass;
}

static void push(const firn_sim *sim, node *n, firn_boundary_impulse *boundary)
{
    const double origin[3] = {0, 0, 0}, before[3] = {n->v[0], n->v[1], n->v[2]};
    for (int f = 0; f < sim->n_forces; f++)
        firn_force_push(&sim->forces[f], n->x, sim->time, sim->dt, n->v);
    keep_ledger(boundary, FIRN_BOUNDARY_FORCES, n, before, n->v, origin);
}

/* Returns the clearance from the surface; -INFINITY: the node is in it. What stands still a node
 * never comes nearer. */
static double collide(const firn_sim *sim, int index, node *n, firn_boundary_impulse *boundary)
{
    const firn_collider *c = &sim->colliders[index];
    firn_surface_point s;
    if (isnan(boundary->work))
        return -INFINITY; /* the step is lost, see firn_node_boundary_check */
    if (!firn_distance_cache_surface(sim, index, n->block, n->index, n->x, &s)) {
        if (isnan(s.distance)) {
            boundary->work = NAN;
            memcpy(boundary->impulse, n->x, sizeof n->x);
        }
        return c->is_at_rest ? INFINITY : firn_collider_clearance(c, s.distance);
    }
    double before[3] = {n->v[0], n->v[1], n->v[2]}, limit[3];
    double gap = firn_contact_gap_at(sim, c, n->block, n->index, n->x, &s);
    for (int a = 0; a < 3; a++) limit[a] = s.velocity[a] - gap / sim->dt * s.normal[a];
    firn_contact_resolve(c->def.contact, s.friction,
                         s.stickiness * sim->h * sim->h * sim->dt / n->mass, limit, s.normal, n->v);
    keep_ledger(boundary, FIRN_BOUNDARY_COLLIDERS, n, before, s.velocity, c->pose.position);
    return -INFINITY;
}

/* A node in the grip's region, or one that a held particle reaches. */
static void hold(const firn_grip *g, node *n, int is_held, double time,
                 firn_boundary_impulse *boundary)
{
    double y[3], v[3], before[3] = {n->v[0], n->v[1], n->v[2]};
    firn_pose_to_shape(&g->pose, n->x, y);
    if (!is_held && firn_shape_distance(g->region, y, time) > 0) return;
    firn_pose_velocity(&g->pose, n->x, v);
    for (int a = 0; a < 3; a++)
        if (!g->def.free_axes[a]) n->v[a] = v[a];
    keep_ledger(boundary, FIRN_BOUNDARY_GRIPS, n, before, n->v, g->pose.position);
}

static const firn_contact wall_contact[] = {
    [FIRN_WALL_STICK] = FIRN_STICK,
    [FIRN_WALL_SLIP] = FIRN_SLIP,
    [FIRN_WALL_SEPARATE] = FIRN_SEPARATE,
    [FIRN_WALL_MIRROR] = FIRN_SLIP,
};

static void wall(const firn_sim *sim, int w, node *n, firn_boundary_impulse *boundary)
{
    const firn_grid_def *grid = &sim->scene.grid;
    int axis = w / 2, is_upper = w & 1;
    double still[3] = {0, 0, 0}, normal[3] = {0, 0, 0}, before[3] = {n->v[0], n->v[1], n->v[2]};
    double depth = is_upper ? n->x[axis] - grid->box_max[axis] : grid->box_min[axis] - n->x[axis];
    if (depth < -1e-6 * sim->h) return;
    normal[axis] = is_upper ? -1 : 1;
    firn_contact_resolve(wall_contact[grid->walls[w]],
                         grid->walls[w] == FIRN_WALL_MIRROR ? 0 : grid->wall_friction, 0, still,
                         normal, n->v);
    keep_ledger(boundary, FIRN_BOUNDARY_WALLS, n, before, still, still);
}

/* ---------------------------------------------------------------- one block */

enum { TOUCHING_MAX = 64 };

typedef struct touching { /* what can reach a block */
    int any, n_colliders; /* more than fit the list: -1, all are tried */
    unsigned walls;
    uint16_t colliders[TOUCHING_MAX];
    unsigned grips;
    double others;        /* no node has less clearance from a collider that does not touch */
    const uint32_t *held; /* [64] bits of grips; NULL: none */
} touching;

static int is_solid(firn_wall wall) { return wall != FIRN_WALL_OPEN && wall != FIRN_WALL_DELETE; }

static void add_collider(touching *t, int c)
{
    if (t->n_colliders == TOUCHING_MAX)
        t->n_colliders = -1;
    else if (t->n_colliders >= 0)
        t->colliders[t->n_colliders++] = (uint16_t)c;
}

static void find_colliders(const firn_sim *sim, const double center[3], double half, touching *t)
{
    t->others = INFINITY;
    for (int c = 0; c < sim->n_colliders && t->n_colliders >= 0; c++) {
        if (!sim->colliders[c].is_active) continue;
        double distance = firn_contact_distance(&sim->colliders[c], center, sim->time + sim->dt);
        if (distance > half)
            t->others =
                fmin(t->others, firn_collider_clearance(&sim->colliders[c], distance - half));
        else
            add_collider(t, c);
    }
}

/* As find_colliders, if nothing can have come near since that was asked. */
static int recall_colliders(const firn_sim *sim, const firn_distance_cache_block *near, touching *t)
{
    if (!near || !((double)near->others > sim->mpm->distance_cache.gone)) return 0;
    t->others = (double)near->others - sim->mpm->distance_cache.gone;
    for (uint64_t left = near->colliders; left; left &= left - 1)
        add_collider(t, __builtin_ctzll(left));
    return 1;
}

/* What touches now may go away: it is asked anew after two cells at the latest. */
static void remember_colliders(const firn_sim *sim, const touching *t,
                               firn_distance_cache_block *near)
{
    near->colliders = 0;
    near->others = -INFINITY;
    if (t->n_colliders < 0) return;
    for (int k = 0; k < t->n_colliders; k++) {
        if (t->colliders[k] >= 64) return;
        near->colliders |= 1ull << t->colliders[k];
    }
    near->others =
        firn_distance_cache_until(sim, t->n_colliders ? fmin(t->others, 2 * sim->h) : t->others);
}

static touching find_touching(const firn_sim *sim, int32_t block)
{
    touching t = {.any = sim->n_forces > 0, .held = firn_grip_nodes_of_block(sim, block)};
    const int32_t *coord = sim->mpm->grid.coord[block];
    firn_distance_cache_block *near = firn_distance_cache_at(sim, block);
    const double h = sim->h, half = 1.5 * sqrt(3.0) * h * (1 + 1e-9);
    double center[3], low[3], high[3];
    for (int a = 0; a < 3; a++) {
        low[a] = 4.0 * coord[a] * h;
        high[a] = low[a] + 3 * h;
        center[a] = 0.5 * (low[a] + high[a]);
    }
    if (!recall_colliders(sim, near, &t)) {
        find_colliders(sim, center, half, &t);
        if (near) remember_colliders(sim, &t, near);
    }
    for (int g = 0; g < sim->n_grips; g++) {
        const firn_grip *grip = &sim->grips[g];
        double y[3];
        if (!grip->is_active || grip->def.mode != FIRN_GRIP_MOTION) continue;
        firn_pose_to_shape(&grip->pose, center, y);
        if (firn_shape_distance(grip->region, y, sim->time) <= half) t.grips |= 1u << g;
    }
    for (int i = 0; t.held && i < FIRN_BLOCK_NODES; i++) t.grips |= t.held[i];
    const firn_grid_def *grid = &sim->scene.grid;
    for (int w = 0; grid->has_box && w < 6; w++) {
        int a = w / 2;
        if (!is_solid(grid->walls[w])) continue;
        if (w & 1 ? high[a] >= grid->box_max[a] - 1e-6 * h : low[a] <= grid->box_min[a] + 1e-6 * h)
            t.walls |= 1u << w;
    }
    t.any |= t.n_colliders || t.grips || t.walls;
    return t;
}

/* Beyond a mirror wall: whatever acts there acts on the mirror node, with the mass of both. */
static int is_folded(const firn_sim *sim, const double x[3])
{
    const firn_grid_def *grid = &sim->scene.grid;
    for (int w = 0; grid->has_box && w < 6; w++) {
        double depth = w & 1 ? x[w / 2] - grid->box_max[w / 2] : grid->box_min[w / 2] - x[w / 2];
        if (grid->walls[w] == FIRN_WALL_MIRROR && depth > 1e-6 * sim->h) return 1;
    }
    return 0;
}

static void meet_all(const firn_sim *sim, const touching *t, node *n,
                     firn_boundary_impulse *boundary)
{
    for (int k = 0; k < t->n_colliders; k++)
        collide(sim, t->colliders[k], n, &boundary[t->colliders[k]]);
    for (int c = 0; t->n_colliders < 0 && c < sim->n_colliders; c++)
        if (sim->colliders[c].is_active) collide(sim, c, n, &boundary[c]);
}

/* `near`: what is known of the block, NULL: nothing. The collider that the node is in is asked
 * in any case, the others when they may have come near. */
static void meet_colliders(const firn_sim *sim, const touching *t, node *n,
                           firn_distance_cache_block *near, firn_boundary_impulse *boundary)
{
    if (!near || t->n_colliders < 0) {
        meet_all(sim, t, n, boundary);
        return;
    }
    float *until = &near->nodes[n->index];
    int16_t *in = &near->in[n->index];
    const int is_far = (double)*until > sim->mpm->distance_cache.gone,
              n_asked = is_far ? *in >= 0 : t->n_colliders, was_in = *in;
    double least = is_far ? (double)*until - sim->mpm->distance_cache.gone : t->others;
    if (!n_asked) return;
    *in = -1;
    for (int k = 0; k < n_asked; k++) {
        const int c = is_far ? was_in : t->colliders[k];
        const double clearance = collide(sim, c, n, &boundary[c]);
        if (clearance > -INFINITY ||
            *in >= 0) /* of those that a node is in one is left out of what is known */
            least = fmin(least, clearance);
        else
            *in = (int16_t)c;
    }
    if (!is_far || *in < 0) *until = firn_distance_cache_until(sim, least);
}

/* Where only colliders act: none has come near the node, and it is in none. */
static int is_left_alone(const firn_sim *sim, const touching *t,
                         const firn_distance_cache_block *near, int i)
{
    return near && !sim->n_forces && !t->grips && !t->walls && t->n_colliders >= 0 &&
           (double)near->nodes[i] > sim->mpm->distance_cache.gone && near->in[i] < 0;
}

static void apply_to_node(const firn_sim *sim, const touching *t, node *n,
                          firn_distance_cache_block *near, firn_boundary_impulse *boundary)
{
    if (sim->n_forces) push(sim, n, &boundary[firn_sim_forces(sim)]);
    if (t->n_colliders) meet_colliders(sim, t, n, near, boundary);
    uint32_t held = t->held ? t->held[n->index] : 0;
    for (int g = 0; g < sim->n_grips; g++)
        if (t->grips >> g & 1)
            hold(&sim->grips[g], n, held >> g & 1, sim->time, &boundary[sim->n_colliders + g]);
    for (int w = 0; w < 6; w++)
        if (t->walls >> w & 1) wall(sim, w, n, &boundary[firn_sim_walls(sim)]);
}

static int is_reached(const firn_sim *sim, int32_t block)
{
    const firn_distance_cache_block *near = firn_distance_cache_at(sim, block);
    const int has_others = sim->n_forces || sim->n_grips || sim->scene.grid.has_box;
    if (!has_others && near && !near->colliders &&
        (double)near->others > sim->mpm->distance_cache.gone)
        return 0;
    return find_touching(sim, block).any;
}

int firn_node_boundary_apply(const firn_sim *sim, int32_t block, int chunk)
{
    firn_boundary_impulse *boundary =
        sim->mpm->chunks + (size_t)chunk * (size_t)firn_sim_n_boundaries(sim);
    const int32_t *coord = sim->mpm->grid.coord[block];
    const firn_block_range *range = &sim->mpm->grid.range[block];
    int has_mass = range->min[0] <= range->max[0] || !range->is_finite;
    if (!has_mass || !firn_impulse_split_is_reached(sim, block)) return 0;
    touching t = find_touching(sim, block);
    if (!t.any) return 0;
    firn_distance_cache_block *near = firn_distance_cache_at(sim, block);
    void *nodes = firn_grid_nodes(&sim->mpm->grid, block);
    double *wide = sim->mpm->kernels->is_double ? nodes : NULL;
    float *narrow = sim->mpm->kernels->is_double ? NULL : nodes;
    node n = {.block = block};
    int any = 0;
    for (int i = 0; i < FIRN_BLOCK_NODES; i++) {
        int at = i * FIRN_CHANNELS;
        n.index = i;
        n.mass = wide ? wide[at + 3] : (double)narrow[at + 3];
        if (!(n.mass > 0) || is_left_alone(sim, &t, near, i)) continue;
        if (n.kinds) {
            n.kinds = 0;
            memset(n.given, 0, sizeof n.given);
        }
        const int place[3] = {i / 16, i / 4 % 4, i % 4};
        for (int a = 0; a < 3; a++) {
            n.x[a] = (4.0 * coord[a] + place[a]) * sim->h;
            n.v[a] = wide ? wide[at + a] : (double)narrow[at + a];
        }
        if (is_folded(sim, n.x)) continue;
        apply_to_node(sim, &t, &n, near, boundary);
        if (!n.kinds) continue;
        any = 1;
        firn_impulse_split_share(sim, chunk, block, i, n.mass, n.kinds, n.given);
        for (int a = 0; a < 3; a++) {
            if (wide)
                wide[at + a] = n.v[a];
            else
                narrow[at + a] = (float)n.v[a];
        }
    }
    return any;
}

/* A distance that is no number, which only a caller's function gives, leaves its place in the
 * ledger of its chunk. */
firn_status firn_node_boundary_check(const firn_sim *sim, firn_messages *messages)
{
    const int n = firn_sim_n_boundaries(sim);
    for (int c = 0; c < sim->n_colliders; c++)
        for (int chunk = 0; sim->colliders[c].def.distance && chunk < FIRN_CHUNKS; chunk++) {
            const firn_boundary_impulse *e = &sim->mpm->chunks[chunk * n + c];
            if (isnan(e->work))
                return firn_messages_add(messages, FIRN_STOPPED,
                                         "collider '%s': its function gave no number for the "
                                         "distance at x = %.6g m, y = "
                                         "%.6g m, z = %.6g m, t = %.9g s; it must know every place "
                                         "that material comes to",
                                         sim->colliders[c].def.name, e->impulse[0], e->impulse[1],
                                         e->impulse[2], sim->time + sim->dt);
        }
    return FIRN_OK;
}

/* ---------------------------------------------------------------- a step's constants */

/* Which blocks something acts on, where the ledgers of several materials are kept. */
static firn_status prepare_split(firn_sim *sim)
{
    if (sim->n_materials < 2) return FIRN_OK;
    if (firn_impulse_split_prepare(sim) != FIRN_OK) return FIRN_MEMORY;
    int32_t *slot = sim->mpm->impulse_split.slots.slot;
#pragma omp parallel for schedule(static) num_threads(sim->n_threads)
    for (int32_t b = 0; b < sim->mpm->grid.n_blocks; b++) slot[b] = is_reached(sim, b) ? 0 : -1;
    return firn_impulse_split_begin(sim);
}

firn_status firn_node_boundary_prepare(firn_sim *sim)
{
    firn_colliders_prepare(sim);
    firn_grips_prepare(sim);
    firn_sinks_prepare(sim);
    if (firn_distance_cache_prepare(sim) != FIRN_OK) return FIRN_MEMORY;
    for (int f = 0; f < sim->n_forces; f++) firn_force_prepare(&sim->forces[f], sim->time);
    const int n = FIRN_CHUNKS * firn_sim_n_boundaries(sim);
    for (int i = 0; i < n; i++) sim->mpm->chunks[i] = (firn_boundary_impulse){0};
    if (firn_contact_gap_measure(sim) != FIRN_OK || firn_grip_nodes_measure(sim) != FIRN_OK)
        return FIRN_MEMORY;
    return prepare_split(sim);
}

/* ---------------------------------------------------------------- after the step */

void firn_node_boundary_collect(firn_sim *sim)
{
    int n = firn_sim_n_boundaries(sim), has_acts = firn_particle_boundary_any(sim);
    for (int e = 0; e < n; e++) {
        sim->last[e] = (firn_boundary_impulse){0};
        for (int chunk = 0; chunk < FIRN_CHUNKS; chunk++)
            firn_boundary_impulse_add(&sim->last[e], &sim->mpm->chunks[chunk * n + e]);
        const firn_boundary_kind kind = firn_sim_boundary_kind(sim, e);
        if (sim->n_materials == 1)
            firn_ledger_sums_book(&sim->materials[0].sums, kind, &sim->last[e]);
        for (int m = 0; has_acts && sim->mpm->act_of[e] >= 0 && m < sim->n_materials; m++) {
            firn_boundary_impulse sum = {0};
            for (int32_t b = 0; b < sim->mpm->particles[m].n_blocks; b++) {
                size_t block = (size_t)m * (size_t)sim->mpm->grid.n_owners +
                               (size_t)sim->mpm->particles[m].blocks[b].owner;
                firn_boundary_impulse_add(&sum, &sim->mpm->acts[block * (size_t)sim->mpm->n_acts +
                                                                (size_t)sim->mpm->act_of[e]]);
            }
            firn_ledger_sums_book(&sim->materials[m].sums, kind, &sum);
            firn_boundary_impulse_add(&sim->last[e], &sum);
        }
        firn_boundary_impulse_add(&sim->total[e], &sim->last[e]);
    }
    if (sim->mpm->impulse_split.is_kept) firn_impulse_split_collect(sim);
}
