/* SPDX-License-Identifier: MIT */
/* node_boundary.c: boundaries on nodes, between P2G and G2P: force fields, colliders, grips, walls.
 *
 * Order. Force fields accelerate first, as they belong to the momentum balance; then constraints
 * (solver/constraint.h) are projected one after the other:
 *
 *     forces   ->   colliders   ->   emitters   ->   grips   ->   walls
 *
 * The last projection holds exactly, so the order is a precedence. Walls bound the domain and must
 * never be crossed; a grip is a prescribed motion and overrides a collider that it presses into, as
 * does an emitter that holds what it brings;
 * among colliders the order of the scene decides. A node in two bodies satisfies the last one
 * exactly, the others up to what that changed.
 *
 * Ledger. Each projection changes v_before to v_after: J = m (v_after - v_before) on the material,
 * torque about the boundary's pivot, work and friction as in contact.c. Sums go to the chunk of the
 * block, and where several materials share nodes to impulse_split.c, node by node.
 *
 * A node is skipped when its mass is zero, when it is the image of a mirror wall, or when the
 * distance cache proves that no collider can have reached it. */
#include "mpm/node_boundary.h"
#include "mpm/mirror_wall.h"
#include "mpm/mpm.h"
#include "mpm/particle_boundary.h"
#include "mpm/plane.h"
#include "mpm/ranks.h"
#include "solver/constraint.h"
#include "solver/emission.h"
#include "solver/emitter.h"

#include <math.h>
#include <string.h>

typedef struct node {
    int32_t block;
    int index;
    double x[3], v[3], mass;
    unsigned kinds; /* bits: boundaries that changed v */
    double given
        [FIRN_N_BOUNDARY_KINDS]
        [4]; /* m/s and J/kg: dv x y z, work per mass; walls: friction per mass of all boundaries */
    firn_constraint *found; /* constraints are listed here instead of projected; NULL: projected */
    int n_found;
} node;

/* ---------------------------------------------------------------- one node */

/* Adds the impulse *e of a projection from `before` to n->v to the ledgers of boundary and node. */
static void keep_ledger(firn_boundary_impulse *boundary, firn_boundary_kind kind, node *n,
                        const double before[3], const firn_boundary_impulse *e)
{
    n->kinds |= 1u << kind | 1u << FIRN_BOUNDARY_WALLS;
    for (int a = 0; a < 3; a++) {
        boundary->impulse[a] += e->impulse[a];
        boundary->torque[a] += e->torque[a];
        n->given[kind][a] += n->v[a] - before[a];
    }
    boundary->work += e->work;
    boundary->friction += e->friction;
    if (kind != FIRN_BOUNDARY_WALLS) n->given[kind][3] += e->work / n->mass;
    n->given[FIRN_BOUNDARY_WALLS][3] += e->friction / n->mass;
}

static int is_same(const double v[3], const double w[3])
{
    return v[0] == w[0] && v[1] == w[1] && v[2] == w[2];
}

static void apply_constraint(const firn_constraint *c, node *n, firn_boundary_impulse *boundary)
{
    const double before[3] = {n->v[0], n->v[1], n->v[2]};
    if (n->found) {
        if (n->n_found < FIRN_CONSTRAINTS_MAX) n->found[n->n_found++] = *c;
        return;
    }
    firn_constraint_project(c, n->v);
    if (is_same(n->v, before)) return;
    firn_boundary_impulse e = {0};
    firn_constraint_impulse(c, n->x, n->mass, before, n->v, &e);
    keep_ledger(boundary, c->kind, n, before, &e);
}

/* Force fields accelerate a node; the work of a force is that with the mean velocity (grip.c), J .
 * (v + v') / 2 = J . v' - m |v' - v|^2 / 2. */
static void push(const firn_sim *sim, node *n, firn_boundary_impulse *boundary)
{
    const double origin[3] = {0, 0, 0}, before[3] = {n->v[0], n->v[1], n->v[2]};
    for (int f = 0; f < sim->n_forces; f++)
        if (!sim->forces[f].is_of_group)
            firn_force_push(&sim->forces[f], n->x, sim->time, sim->dt, n->v);
    if (is_same(n->v, before)) return;
    firn_boundary_impulse e = {0};
    firn_contact_impulse(&e, n->x, n->mass, before, n->v, n->v, origin);
    for (int a = 0; a < 3; a++)
        e.work -= 0.5 * n->mass * (n->v[a] - before[a]) * (n->v[a] - before[a]);
    keep_ledger(boundary, FIRN_BOUNDARY_FORCES, n, before, &e);
}

/* ---------------------------------------------------------------- constraints of a node */

/* Returns the clearance from the surface (m); -INFINITY: the node is inside, and *constraint is
 * set. INFINITY for a collider at rest, whose distance from a node does not change. s->distance
 * NaN: a caller's function failed. */
static double collider_constraint(const firn_sim *sim, int index, const node *n,
                                  firn_surface_point *s, firn_constraint *constraint)
{
    const firn_collider *c = &sim->colliders[index];
    if (!firn_distance_cache_surface(sim, index, n->block, n->index, n->x, s))
        return c->is_at_rest ? INFINITY : firn_collider_clearance(c, s->distance);
    *constraint =
        (firn_constraint){.kind = FIRN_BOUNDARY_COLLIDERS,
                          .boundary = index,
                          .contact = c->def.contact,
                          .friction = s->friction,
                          .adhesion = s->stickiness * sim->h * sim->h * sim->dt / n->mass};
    if (firn_plane_is(sim) && !firn_plane_cut(s)) return INFINITY;
    const double gap = firn_contact_gap_at(sim, c, n->block, n->index, n->x, s);
    for (int a = 0; a < 3; a++) {
        constraint->normal[a] = s->normal[a];
        constraint->limit[a] = s->velocity[a] - gap / sim->dt * s->normal[a];
        constraint->surface_v[a] = s->velocity[a];
        constraint->pivot[a] = c->pose.position[a];
    }
    return -INFINITY;
}

/* The constraint of a node in the grip's region, or within reach of a held particle; 0: none. */
static int grip_constraint(const firn_sim *sim, int g, const node *n, int is_held,
                           firn_constraint *constraint)
{
    const firn_grip *grip = &sim->grips[g];
    double y[3];
    firn_pose_to_shape(&grip->pose, n->x, y);
    if (!is_held && firn_shape_distance(grip->region, y, sim->time) > 0) return 0;
    *constraint = (firn_constraint){
        .kind = FIRN_BOUNDARY_GRIPS, .boundary = sim->n_colliders + g, .is_hold = 1};
    firn_pose_velocity(&grip->pose, n->x, constraint->limit);
    for (int a = 0; a < 3; a++) {
        constraint->free_axes[a] = grip->def.free_axes[a];
        constraint->pivot[a] = grip->pose.position[a];
    }
    return 1;
}

/* The farthest node that a particle reaches along an axis, m. */
static double reach_of_shape(const firn_sim *sim)
{
    return (sim->scene.grid.spline == FIRN_CUBIC ? 2 : 1.5) * sim->h;
}

/* The constraint of a node that emitter i holds; 0: none. */
static int emitter_constraint(const firn_sim *sim, int i, const node *n,
                              firn_constraint *constraint)
{
    const firn_emitter *e = firn_emission_emitter(sim, i);
    double v[3];
    if (!firn_emitter_holds(e, n->x, reach_of_shape(sim), v)) return 0;
    *constraint = (firn_constraint){
        .kind = FIRN_BOUNDARY_GRIPS, .boundary = firn_sim_emitters(sim) + i, .is_hold = 1};
    memcpy(constraint->limit, v, sizeof v);
    memcpy(constraint->pivot, e->pose.position, sizeof constraint->pivot);
    return 1;
}

static int wall_constraint(const firn_sim *sim, int w, const node *n, firn_constraint *constraint)
{
    const firn_grid_def *grid = &sim->scene.grid;
    const int axis = w / 2, is_upper = w & 1;
    const double depth =
        is_upper ? n->x[axis] - grid->box_max[axis] : grid->box_min[axis] - n->x[axis];
    if (depth < -1e-6 * sim->h) return 0;
    *constraint = (firn_constraint){.kind = FIRN_BOUNDARY_WALLS, .boundary = firn_sim_walls(sim)};
    if (!firn_contact_of_wall(grid, w, &constraint->contact, &constraint->friction)) return 0;
    constraint->normal[axis] = is_upper ? -1 : 1;
    return 1;
}

/* Finds the constraint, projects, adds to the ledger; returns the clearance as collider_constraint
 * does. */
static double collide(const firn_sim *sim, int index, node *n, firn_boundary_impulse *boundary)
{
    firn_constraint constraint;
    firn_surface_point s;
    if (isnan(boundary->work)) return -INFINITY; /* failed already, see firn_node_boundary_check */
    const double clearance = collider_constraint(sim, index, n, &s, &constraint);
    if (clearance == -INFINITY)
        apply_constraint(&constraint, n, boundary);
    else if (isnan(s.distance)) {
        boundary->work = NAN;
        memcpy(boundary->impulse, n->x, sizeof n->x);
    }
    return clearance;
}

/* ---------------------------------------------------------------- one block */

enum { TOUCHING_MAX = 64 };

typedef struct touching { /* boundaries that can reach a block */
    int any, n_colliders; /* n_colliders -1: more than the list holds, all are tried */
    unsigned walls;
    uint16_t colliders[TOUCHING_MAX];
    unsigned grips;
    int emitters;         /* whether any may hold nodes of the block */
    double others;        /* m, least clearance of any node from the other colliders */
    const uint32_t *held; /* [64] bits of grips; NULL: none */
} touching;

static int is_solid(firn_wall wall)
{
    return wall != FIRN_WALL_OPEN && wall != FIRN_WALL_DELETE && wall != FIRN_WALL_PERIODIC;
}

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
        if (!sim->colliders[c].is_active || firn_contact_points_wants(&sim->colliders[c])) continue;
        double distance = firn_contact_distance(&sim->colliders[c], center, sim->time + sim->dt);
        if (distance > half)
            t->others =
                fmin(t->others, firn_collider_clearance(&sim->colliders[c], distance - half));
        else
            add_collider(t, c);
    }
}

/* The result of find_colliders from the cache, while it is valid. */
static int recall_colliders(const firn_sim *sim, int32_t block, touching *t)
{
    uint64_t colliders;
    if (!firn_distance_cache_recall_colliders(sim, block, &colliders, &t->others)) return 0;
    for (; colliders; colliders &= colliders - 1) add_collider(t, __builtin_ctzll(colliders));
    return 1;
}

/* Whether points on a collider can reach a block: particles on its surface, their nodes two cells
 * away along each axis. */
static int is_near_points(const firn_sim *sim, const double center[3], double half)
{
    const double reach = half + (1 + 2 * sqrt(3.0)) * sim->h;
    for (int c = 0; sim->mpm->contact_points.is_wanted && c < sim->n_colliders; c++) {
        const firn_collider *collider = &sim->colliders[c];
        if (collider->is_active && firn_contact_points_wants(collider) &&
            !(firn_contact_distance(collider, center, sim->time + sim->dt) > reach))
            return 1;
    }
    return 0;
}

/* Boundaries that can reach a block: those within half of its diagonal (1.5 sqrt 3 h) of its
 * center; walls by the block's bounds. One query per block and collider replaces up to 64 per
 * node. */
static touching find_touching(const firn_sim *sim, int32_t block)
{
    touching t = {.any = sim->n_forces > 0, .held = firn_grip_nodes_of_block(sim, block)};
    const int32_t *coord = sim->mpm->grid.coord[block];
    const double h = sim->h, half = 1.5 * sqrt(3.0) * h * (1 + 1e-9);
    double center[3], low[3], high[3];
    for (int a = 0; a < 3; a++) {
        low[a] = firn_mpm_metres(sim, a, 4.0 * coord[a]);
        high[a] = low[a] + 3 * h;
        center[a] = 0.5 * (low[a] + high[a]);
    }
    if (!recall_colliders(sim, block, &t)) {
        find_colliders(sim, center, half, &t);
        firn_distance_cache_remember_colliders(sim, block, t.n_colliders, t.colliders, t.others);
    }
    for (int g = 0; g < sim->n_grips; g++) {
        const firn_grip *grip = &sim->grips[g];
        double y[3];
        if (!grip->is_active || grip->def.mode != FIRN_GRIP_MOTION) continue;
        firn_pose_to_shape(&grip->pose, center, y);
        if (firn_shape_distance(grip->region, y, sim->time) <= half) t.grips |= 1u << g;
    }
    for (int i = 0; t.held && i < FIRN_BLOCK_NODES; i++) t.grips |= t.held[i];
    for (int i = 0; i < sim->scene.n_emitters && !t.emitters; i++)
        t.emitters = firn_emitter_holds_near(firn_emission_emitter(sim, i), center, half,
                                             reach_of_shape(sim));
    const firn_grid_def *grid = &sim->scene.grid;
    for (int w = 0; grid->has_box && w < 6; w++) {
        int a = w / 2;
        if (!is_solid(grid->walls[w])) continue;
        if (w & 1 ? high[a] >= grid->box_max[a] - 1e-6 * h : low[a] <= grid->box_min[a] + 1e-6 * h)
            t.walls |= 1u << w;
    }
    t.any |= t.n_colliders || t.grips || t.emitters || t.walls || is_near_points(sim, center, half);
    return t;
}

/* Whether a node lies beyond a mirror wall: boundaries act on its mirror node, with the mass of
 * both. */
static int is_folded(const firn_sim *sim, const double x[3])
{
    const firn_grid_def *grid = &sim->scene.grid;
    for (int w = 0; grid->has_box && w < 6; w++) {
        double depth = w & 1 ? x[w / 2] - grid->box_max[w / 2] : grid->box_min[w / 2] - x[w / 2];
        if (firn_mirror_wall_is(grid->walls[w]) && depth > 1e-6 * sim->h) return 1;
    }
    return 0;
}

static void meet_all(const firn_sim *sim, const touching *t, node *n,
                     firn_boundary_impulse *boundary)
{
    for (int k = 0; k < t->n_colliders; k++)
        collide(sim, t->colliders[k], n, &boundary[t->colliders[k]]);
    for (int c = 0; t->n_colliders < 0 && c < sim->n_colliders; c++)
        if (sim->colliders[c].is_active && !firn_contact_points_wants(&sim->colliders[c]))
            collide(sim, c, n, &boundary[c]);
}

/* The collider that the node is in is queried always, the others when they may have reached it
 * (distance_cache.h). */
static void meet_colliders(const firn_sim *sim, const touching *t, node *n,
                           firn_boundary_impulse *boundary)
{
    if (!firn_distance_cache_is_kept(sim) || t->n_colliders < 0) {
        meet_all(sim, t, n, boundary);
        return;
    }
    const firn_distance_cache_node known = firn_distance_cache_node_at(sim, n->block, n->index);
    const int n_asked = known.is_far ? known.in >= 0 : t->n_colliders;
    double least = known.is_far ? known.clearance : t->others;
    int in = -1;
    if (!n_asked) return;
    for (int k = 0; k < n_asked; k++) {
        const int c = known.is_far ? known.in : t->colliders[k];
        const double clearance = collide(sim, c, n, &boundary[c]);
        if (clearance > -INFINITY || in >= 0) /* the entry leaves out one collider only */
            least = fmin(least, clearance);
        else
            in = c;
    }
    firn_distance_cache_remember_node(sim, n->block, n->index, in,
                                      known.is_far && in >= 0 ? NULL : &least);
}

/* Whether only colliders act, none of them can have reached the node, and it is in none. */
static int is_left_alone(const firn_sim *sim, const touching *t, int32_t block, int i)
{
    if (sim->n_forces || t->grips || t->emitters || t->walls || t->n_colliders < 0 ||
        !firn_distance_cache_is_kept(sim))
        return 0;
    const firn_distance_cache_node known = firn_distance_cache_node_at(sim, block, i);
    return known.is_far && known.in < 0;
}

/* `again`: emitters, grips and walls alone. */
static void apply_to_node(const firn_sim *sim, const touching *t, int again, node *n,
                          firn_boundary_impulse *boundary)
{
    if (sim->n_forces && !again) push(sim, n, &boundary[firn_sim_forces(sim)]);
    if (t->n_colliders && !again) meet_colliders(sim, t, n, boundary);
    firn_constraint constraint;
    for (int i = 0; t->emitters && i < sim->scene.n_emitters; i++)
        if (emitter_constraint(sim, i, n, &constraint))
            apply_constraint(&constraint, n, &boundary[constraint.boundary]);
    const uint32_t held = t->held ? t->held[n->index] : 0;
    for (int g = 0; g < sim->n_grips; g++)
        if (t->grips >> g & 1 && grip_constraint(sim, g, n, held >> g & 1, &constraint))
            apply_constraint(&constraint, n, &boundary[constraint.boundary]);
    for (int w = 0; w < 6; w++)
        if (t->walls >> w & 1 && wall_constraint(sim, w, n, &constraint))
            apply_constraint(&constraint, n, &boundary[constraint.boundary]);
}

static int is_reached(const firn_sim *sim, int32_t block)
{
    const int has_others = sim->n_forces || sim->n_grips || sim->emission ||
                           sim->scene.grid.has_box || sim->mpm->contact_points.is_wanted;
    if (!has_others && firn_distance_cache_is_clear(sim, block)) return 0;
    return find_touching(sim, block).any;
}

/* One block of nodes: for each node with mass that a boundary may reach, position (m) and velocity
 * as doubles, the boundaries in their order, and the velocity back. Float and double kernels share
 * this code; with float nodes only the stored velocity is rounded, the ledger is in double. With
 * `find` the constraints of a node are handed over instead of projected. `again`: emitters,
 * grips and walls alone, once more. */
static int each_node(const firn_sim *sim, int32_t block, int chunk, int again,
                     firn_constraints_found find, void *user)
{
    firn_boundary_impulse *boundary =
        sim->mpm->chunks + (size_t)chunk * (size_t)firn_sim_n_boundaries(sim);
    const int32_t *coord = sim->mpm->grid.coord[block];
    const firn_block_range *range = &sim->mpm->grid.range[block];
    int has_mass = range->min[0] <= range->max[0] || !range->is_finite;
    if (!has_mass || !firn_impulse_split_is_reached(sim, block)) return 0;
    touching t = find_touching(sim, block);
    if (!t.any || (again && !t.emitters && !t.grips && !t.walls)) return 0;
    firn_constraint found[FIRN_CONSTRAINTS_MAX];
    void *nodes = firn_grid_nodes(&sim->mpm->grid, block);
    double *wide = sim->mpm->kernels->is_double ? nodes : NULL;
    float *narrow = sim->mpm->kernels->is_double ? NULL : nodes;
    const int is_plane = firn_plane_is(sim);
    node n = {.block = block, .found = find ? found : NULL};
    int any = 0;
    for (int i = 0; i < FIRN_BLOCK_NODES; i++) {
        int at = i * FIRN_CHANNELS;
        n.index = i;
        n.n_found = 0;
        n.mass = wide ? wide[at + 3] : (double)narrow[at + 3];
        if (!(n.mass > 0) || (!again && is_left_alone(sim, &t, block, i))) continue;
        if (n.kinds) {
            n.kinds = 0;
            memset(n.given, 0, sizeof n.given);
        }
        const int place[3] = {i / 16, i / 4 % 4, i % 4};
        for (int a = 0; a < 3; a++) {
            n.x[a] = firn_mpm_metres(sim, a, 4.0 * coord[a] + place[a]);
            if (a == 2 && is_plane) n.x[a] = 0;
            n.v[a] = wide ? wide[at + a] : (double)narrow[at + a];
        }
        if (is_folded(sim, n.x)) {
            if (find) find(user, block, i, n.x, NULL, 0);
            continue;
        }
        apply_to_node(sim, &t, again, &n, boundary);
        if (n.n_found) find(user, block, i, n.x, found, n.n_found);
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

int firn_node_boundary_apply(const firn_sim *sim, int32_t block, int chunk)
{
    return each_node(sim, block, chunk, 0, NULL, NULL);
}

void firn_node_boundary_find(const firn_sim *sim, int32_t block, int chunk,
                             firn_constraints_found find, void *user)
{
    each_node(sim, block, chunk, 0, find, user);
}

/* What all constraints gave together is known; each but the last is given what projecting on to it
 * takes, the last one the rest. */
void firn_node_boundary_book(const firn_sim *sim, int32_t block, int chunk,
                             const firn_node_impulse *given)
{
    firn_boundary_impulse *boundary =
        sim->mpm->chunks + (size_t)chunk * (size_t)firn_sim_n_boundaries(sim);
    node n = {.block = block, .index = given->index, .mass = given->mass};
    for (int a = 0; a < 3; a++) {
        n.x[a] = given->x[a];
        n.v[a] = given->before[a];
    }
    for (int k = 0; k < given->n; k++) {
        const firn_constraint *c = &given->constraints[k];
        const double before[3] = {n.v[0], n.v[1], n.v[2]};
        if (k + 1 < given->n)
            firn_constraint_project(c, n.v);
        else
            memcpy(n.v, given->after, sizeof n.v);
        if (is_same(n.v, before)) continue;
        firn_boundary_impulse e = {0};
        firn_constraint_impulse(c, n.x, n.mass, before, n.v, &e);
        keep_ledger(&boundary[c->boundary], c->kind, &n, before, &e);
    }
    if (n.kinds) firn_impulse_split_share(sim, chunk, block, n.index, n.mass, n.kinds, n.given);
}

void firn_node_boundary_hold(const firn_sim *sim, int32_t block, int chunk)
{
    each_node(sim, block, chunk, 1, NULL, NULL);
}

/* A distance of NaN, which only a caller's function returns, is noted in the ledger of its chunk:
 * work NaN, and the place in `impulse`. */
firn_status firn_node_boundary_check(const firn_sim *sim, firn_messages *messages)
{
    const int n = firn_sim_n_boundaries(sim);
    for (int c = 0; c < sim->n_colliders; c++)
        for (int chunk = 0; sim->colliders[c].def.distance && chunk < FIRN_CHUNKS; chunk++) {
            const firn_boundary_impulse *e = &sim->mpm->chunks[chunk * n + c];
            if (isnan(e->work))
                return firn_messages_add(
                    messages, FIRN_STOPPED,
                    "collider '%s': the distance function returned NaN at x = %.6g m, y = %.6g m, "
                    "z = %.6g m, t = %.9g s; it must be defined everywhere",
                    sim->colliders[c].def.name, e->impulse[0], e->impulse[1], e->impulse[2],
                    sim->time + sim->dt);
        }
    return FIRN_OK;
}

/* ---------------------------------------------------------------- a step's constants */

/* Marks the blocks that a boundary reaches, where impulses are divided among materials. */
static firn_status prepare_split(firn_sim *sim)
{
    if (sim->n_materials < 2) return FIRN_OK;
    if (firn_impulse_split_prepare(sim) != FIRN_OK) return FIRN_MEMORY;
    int32_t *slot = sim->mpm->impulse_split.slots.slot;
#pragma omp parallel for schedule(static) num_threads(sim->n_threads)
    for (int32_t b = 0; b < sim->mpm->grid.n_blocks; b++)
        slot[b] = firn_ranks_computes(sim, b) && is_reached(sim, b) ? 0 : -1;
    return firn_impulse_split_begin(sim);
}

firn_status firn_node_boundary_prepare(firn_sim *sim)
{
    firn_colliders_prepare(sim);
    firn_grips_prepare(sim);
    firn_sinks_prepare(sim);
    firn_emission_prepare(sim);
    if (firn_distance_cache_prepare(sim) != FIRN_OK) return FIRN_MEMORY;
    for (int f = 0; f < sim->n_forces; f++) firn_force_prepare(&sim->forces[f], sim->time);
    const int n = FIRN_CHUNKS * firn_sim_n_boundaries(sim);
    for (int i = 0; i < n; i++) sim->mpm->chunks[i] = (firn_boundary_impulse){0};
    if (firn_contact_gap_measure(sim) != FIRN_OK || firn_contact_points_find(sim) != FIRN_OK ||
        firn_grip_nodes_measure(sim) != FIRN_OK)
        return FIRN_MEMORY;
    return prepare_split(sim);
}

/* ---------------------------------------------------------------- after the step */

/* Sums in a fixed order: nodes by chunk; particles by material and block. With one material all
 * impulses on nodes are its own; with several, impulse_split.c has divided them. */
void firn_node_boundary_collect(firn_sim *sim)
{
    int n = firn_sim_n_boundaries(sim), has_impulses = firn_particle_boundary_any(sim);
    const firn_range owners = firn_ranks_owners(sim);
    if (sim->mpm->ranks)
        firn_ranks_share_chunks(sim, sim->mpm->chunks, (size_t)n * sizeof *sim->mpm->chunks);
    for (int e = 0; e < n; e++) {
        sim->last[e] = (firn_boundary_impulse){0};
        for (int chunk = 0; chunk < FIRN_CHUNKS; chunk++)
            firn_boundary_impulse_add(&sim->last[e], &sim->mpm->chunks[chunk * n + e]);
        const firn_boundary_kind kind = firn_sim_boundary_kind(sim, e);
        if (sim->n_materials == 1)
            firn_ledger_sums_add(&sim->materials[0].sums, kind, &sim->last[e]);
        for (int m = 0; has_impulses && sim->mpm->impulse_of[e] >= 0 && m < sim->n_materials; m++) {
            firn_boundary_impulse sum = {0};
            firn_comm_sum_begin(&sim->comm, &sum, sizeof sum);
            for (int32_t b = 0; b < sim->mpm->particles[m].n_blocks; b++) {
                size_t block = (size_t)m * (size_t)(owners.end - owners.first) +
                               (size_t)(sim->mpm->particles[m].blocks[b].owner - owners.first);
                firn_boundary_impulse_add(&sum,
                                          &sim->mpm->impulses[block * (size_t)sim->mpm->n_impulses +
                                                              (size_t)sim->mpm->impulse_of[e]]);
            }
            firn_comm_sum_end(&sim->comm, &sum, sizeof sum);
            firn_ledger_sums_add(&sim->materials[m].sums, kind, &sum);
            firn_boundary_impulse_add(&sim->last[e], &sum);
        }
        firn_boundary_impulse_add(&sim->total[e], &sim->last[e]);
    }
    if (sim->mpm->impulse_split.is_kept) firn_impulse_split_collect(sim);
}
