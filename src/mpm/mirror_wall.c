/* SPDX-License-Identifier: MIT */
/* mirror_wall.c: mirror walls, exact to the order of the spline. A wall lies on a plane of nodes.
 * The image of the material beyond the wall would add to the nodes inside what the material itself
 * adds to the nodes beyond, so
 *
 *     fold      momentum, force and mass of a node beyond are added to its mirror node, the
 *               normal component reversed;
 *     unfold    after the grid update the node beyond gets its mirror's velocity, the normal
 *               component reversed.
 *
 * On the plane itself the two halves meet: tangential momentum and mass double alike, the normal
 * velocity is zero (node_boundary.c). Several mirror walls fold one after the other, so edges and
 * corners come out right; a node beyond an earlier wall is already folded and is skipped.
 *
 * Gravity is added to nodes after the fold, to all of their mass; but in the mirror its normal
 * component is reversed. So the fold subtracts 2 m_b g_n dt from the momentum of the mirror node in
 * advance.
 *
 * Ledger. With m_b, q_b mass and normal momentum (stress included) of the node beyond, v_a the
 * normal velocity that its mirror node ends with, the material on both gains (m_a - m_b) v_a - (q_a
 * + q_b) - (m_a + m_b) g_n dt along the normal besides gravity. Boundaries on node a give (m_a +
 * m_b) v_a - (q_a - q_b) - (m_a - m_b) g_n dt. The difference is the wall's:
 *
 *     J_n = -2 q_b - 2 m_b g_n dt          when folding
 *           - 2 m_b v_a                    when unfolding
 *
 * A wall `no_slip` is a mirror in which all components are reversed: the image moves against the
 * material, so that what is between them stands still on the plane, to the order of the spline and
 * with the right shear stress. (Nodes that are held alone, as at `stick`, let the spline slip: its
 * value on the plane is a sixth of the first free node's.) On the plane itself the momenta of both
 * halves cancel: -(1 - flip) q of a node's momentum q before forces is booked and q set to 0, the
 * force is taken by node_boundary.c. The formulas above hold for each component.
 *
 * FLIP adds `flip` times the same fold of the velocities before forces, with reversed sign: that
 * part of the change does not reach the particles. (With materials of different blends that of the
 * first is used.) */
#include "mpm/mirror_wall.h"
#include "mpm/mpm.h"
#include "mpm/transfer_damping.h"

#include <math.h>

typedef struct cell {
    int32_t block;
    int node;
} cell;

typedef struct mirror {
    firn_sim *sim;
    int wall, axis, is_upper, is_fold, chunk;
    int64_t plane;  /* node index along the axis */
    double fall[3]; /* g dt along the reversed components, 0 along the others */
    int is_reversed[3];
    double flip;   /* a */
    void *array;   /* [n_blocks][64][4] of a trial state, in place of the grid's nodes; or NULL */
    double booked; /* share of the forces that is booked */
} mirror;

static size_t at(cell c)
{
    return ((size_t)c.block * FIRN_BLOCK_NODES + (size_t)c.node) * FIRN_CHANNELS;
}

static double get(const firn_sim *sim, const void *array, size_t i)
{
    return sim->mpm->kernels->is_double ? ((const double *)array)[i]
                                        : (double)((const float *)array)[i];
}

static void put(const firn_sim *sim, void *array, size_t i, double value)
{
    if (sim->mpm->kernels->is_double)
        ((double *)array)[i] = value;
    else
        ((float *)array)[i] = (float)value;
}

/* Depth of a node beyond wall w, in nodes; 0 or less inside and on the plane. */
static int64_t depth_beyond(const firn_sim *sim, int w, const int64_t node[3])
{
    const firn_grid_def *def = &sim->scene.grid;
    int axis = w / 2, is_upper = w & 1;
    int64_t plane = llround((is_upper ? def->box_max : def->box_min)[axis] / sim->h);
    return is_upper ? node[axis] - plane : plane - node[axis];
}

static int is_folded_already(const mirror *m, const int64_t node[3])
{
    for (int w = 0; w < m->wall; w++)
        if (firn_mirror_wall_is(m->sim->scene.grid.walls[w]) && depth_beyond(m->sim, w, node) > 0)
            return 1;
    return 0;
}

/* The mirror image of a node; block -1: not in the grid. */
static cell mirror_of(const mirror *m, const int64_t node[3])
{
    int64_t g[3] = {node[0], node[1], node[2]};
    int32_t block[3];
    int in[3];
    g[m->axis] = 2 * m->plane - g[m->axis];
    for (int a = 0; a < 3; a++) {
        block[a] = (int32_t)(g[a] >> 2);
        in[a] = (int)(g[a] & 3);
    }
    return (cell){firn_grid_find(&m->sim->mpm->grid, block), (in[0] * 4 + in[1]) * 4 + in[2]};
}

/* J: the wall's impulse (N s) along an axis on the material of node `from` of this mass. */
static void add_impulse(const mirror *m, cell from, int axis, double J, double mass,
                        firn_boundary_impulse *boundary)
{
    boundary->impulse[axis] -= J;
    if (!(mass > 0)) return;
    double given[FIRN_N_BOUNDARY_KINDS][4] = {{0}};
    given[FIRN_BOUNDARY_WALLS][axis] = J / mass;
    firn_impulse_split_share(m->sim, m->chunk, from.block, from.node, mass,
                             1u << FIRN_BOUNDARY_WALLS, given);
}

/* The fold of one node: (m, q_t, q_n) of the node beyond add (m, q_t, -q_n) to its mirror, less 2 m
 * g_n dt along the normal for the gravity that follows. With FLIP forces are stored apart, and the
 * gravity term goes to them. */
static void fold_node(const mirror *m, cell from, cell to, firn_boundary_impulse *boundary)
{
    firn_sim *sim = m->sim;
    void *nodes = sim->mpm->grid.nodes, *old = sim->mpm->grid.old;
    size_t a = at(to), b = at(from);
    double mass = get(sim, nodes, b + 3), q_old[3], q[3];
    for (int c = 0; c < 3; c++) {
        q_old[c] = get(sim, nodes, b + (size_t)c);
        q[c] = q_old[c] + (old ? get(sim, old, b + (size_t)c) : 0);
    }
    for (int c = 0; c < FIRN_CHANNELS; c++) {
        const int is_reversed = c < 3 && m->is_reversed[c];
        double sign = is_reversed ? -1 : 1, back = is_reversed ? 2 * mass * m->fall[c] : 0;
        size_t i = a + (size_t)c, j = b + (size_t)c;
        put(sim, nodes, i, get(sim, nodes, i) + sign * get(sim, nodes, j) - (old ? 0 : back));
        if (old) put(sim, old, i, get(sim, old, i) + sign * get(sim, old, j) - back);
    }
    firn_impulse_split_fold(sim, from.block, from.node, to.block, to.node);
    for (int c = 0; c < 3; c++)
        if (m->is_reversed[c])
            add_impulse(m, from, c, -2 * (q[c] + mass * m->fall[c] - m->flip * q_old[c]), mass,
                        boundary);
}

/* A node on a plane where all components are reversed. */
static void cancel_node(const mirror *m, cell at_plane, firn_boundary_impulse *boundary)
{
    void *nodes = m->sim->mpm->grid.nodes;
    const size_t i = at(at_plane);
    for (int c = 0; c < 3; c++) {
        const double q = get(m->sim, nodes, i + (size_t)c);
        add_impulse(m, at_plane, c, -(1 - m->flip) * q, get(m->sim, nodes, i + 3), boundary);
        put(m->sim, nodes, i + (size_t)c, 0);
    }
}

/* Force momenta (fold) or velocities (unfold) of a trial state; where booked, the wall gets what the
 * stress beyond gives, the term -2 q_b that momentum alone does not have. */
static void pass_trial(const mirror *m, cell from, cell to, firn_boundary_impulse *boundary)
{
    const firn_sim *sim = m->sim;
    const size_t a = at(m->is_fold ? to : from), b = at(m->is_fold ? from : to);
    for (int c = 0; c < 3; c++) {
        const size_t i = a + (size_t)c, j = b + (size_t)c;
        const double force = get(sim, m->array, j), value = m->is_reversed[c] ? -force : force;
        put(sim, m->array, i, m->is_fold ? get(sim, m->array, i) + value : value);
        if (m->booked > 0 && m->is_reversed[c])
            add_impulse(m, from, c, -2 * m->booked * force, get(sim, sim->mpm->grid.nodes, b + 3),
                        boundary);
    }
}

/* A node on a plane where all components are reversed: it does not move, and the wall takes all of
 * its force. */
static void cancel_trial(const mirror *m, cell at_plane, firn_boundary_impulse *boundary)
{
    const size_t i = at(at_plane);
    for (int c = 0; c < 3; c++) {
        if (m->booked > 0)
            add_impulse(m, at_plane, c, -m->booked * get(m->sim, m->array, i + (size_t)c),
                        get(m->sim, m->sim->mpm->grid.nodes, i + 3), boundary);
        put(m->sim, m->array, i + (size_t)c, 0);
    }
}

static void unfold_node(const mirror *m, cell from, cell to, firn_boundary_impulse *boundary)
{
    firn_sim *sim = m->sim;
    void *nodes = sim->mpm->grid.nodes, *old = sim->mpm->grid.old;
    size_t a = at(to), b = at(from);
    double mass = get(sim, nodes, b + 3);
    for (int c = 0; c < 3; c++) {
        const double v = get(sim, nodes, a + (size_t)c),
                     v_old = old ? get(sim, old, a + (size_t)c) : 0,
                     sign = m->is_reversed[c] ? -1 : 1;
        if (m->is_reversed[c])
            add_impulse(m, from, c, -2 * mass * (v - m->flip * v_old), mass, boundary);
        put(sim, nodes, b + (size_t)c, sign * get(sim, nodes, a + (size_t)c));
        if (old) put(sim, old, b + (size_t)c, sign * get(sim, old, a + (size_t)c));
    }
}

/* Folds or unfolds the nodes of a block beyond the wall, at most 3 deep, the reach of particles
 * inside. Each has one mirror image, so blocks are independent. */
static void each_node_beyond(const mirror *m, int32_t block, firn_boundary_impulse *boundary)
{
    const int32_t *coord = m->sim->mpm->grid.coord[block];
    const int64_t first = 4 * (int64_t)coord[m->axis];
    const int is_no_slip = m->sim->scene.grid.walls[m->wall] == FIRN_WALL_NO_SLIP;
    if (m->is_upper ? first + 3 < m->plane : first > m->plane) return;
    for (int n = 0; n < FIRN_BLOCK_NODES; n++) {
        const int64_t node[3] = {4 * (int64_t)coord[0] + n / 16, 4 * (int64_t)coord[1] + n / 4 % 4,
                                 4 * (int64_t)coord[2] + n % 4};
        int64_t depth = depth_beyond(m->sim, m->wall, node);
        if (depth < 0 || depth > 3 || is_folded_already(m, node)) continue;
        if (depth == 0) {
            if (is_no_slip && m->array)
                cancel_trial(m, (cell){block, n}, boundary);
            else if (is_no_slip && m->is_fold)
                cancel_node(m, (cell){block, n}, boundary);
            continue;
        }
        cell from = {block, n}, to = mirror_of(m, node);
        if (to.block < 0) continue;
        if (m->array)
            pass_trial(m, from, to, boundary);
        else if (m->is_fold)
            fold_node(m, from, to, boundary);
        else
            unfold_node(m, from, to, boundary);
    }
}

static void pass_wall(firn_sim *sim, int w, int is_fold, double dt, void *array, double booked)
{
    const firn_grid_def *def = &sim->scene.grid;
    if (!def->has_box || !firn_mirror_wall_is(def->walls[w])) return;
    mirror all = {.sim = sim,
                  .wall = w,
                  .axis = w / 2,
                  .is_upper = w & 1,
                  .is_fold = is_fold,
                  .array = array,
                  .booked = booked,
                  .plane = llround((w & 1 ? def->box_max : def->box_min)[w / 2] / sim->h),
                  .flip = sim->n_materials
                              ? firn_transfer_damping_kept(&sim->mpm->particles[0].transfer)
                              : 0};
    for (int c = 0; c < 3; c++) {
        all.is_reversed[c] = c == all.axis || def->walls[w] == FIRN_WALL_NO_SLIP;
        all.fall[c] = all.is_reversed[c] ? dt * sim->scene.gravity[c] : 0;
    }
    const int n_boundaries = firn_sim_n_boundaries(sim);
#pragma omp parallel for schedule(static) num_threads(sim->n_threads)
    for (int chunk = 0; chunk < FIRN_CHUNKS; chunk++) {
        mirror m = all;
        m.chunk = chunk;
        firn_boundary_impulse *boundary =
            &sim->mpm->chunks[chunk * n_boundaries + firn_sim_walls(sim)];
        for (int part = 0; part < 2; part++) {
            const firn_range s = firn_mpm_chunk(sim, chunk, part);
            for (int32_t b = s.first; b < s.end; b++) each_node_beyond(&m, b, boundary);
        }
    }
}

void firn_mirror_wall_fold(firn_sim *sim, double dt)
{
    for (int w = 0; w < 6; w++) pass_wall(sim, w, 1, dt, NULL, 0);
}

/* In the opposite order of the fold, so that a node in a corner copies a velocity that is final. */
void firn_mirror_wall_unfold(firn_sim *sim)
{
    for (int w = 5; w >= 0; w--) pass_wall(sim, w, 0, sim->dt, NULL, 0);
}

void firn_mirror_wall_fold_trial(firn_sim *sim, void *forces, double booked)
{
    for (int w = 0; w < 6; w++) pass_wall(sim, w, 1, 0, forces, booked);
}

void firn_mirror_wall_unfold_trial(firn_sim *sim, void *velocities)
{
    for (int w = 5; w >= 0; w--) pass_wall(sim, w, 0, 0, velocities, 0);
}

int firn_mirror_wall_image(const firn_sim *sim, const int64_t node[3], int32_t *block, int *in,
                           unsigned *flipped)
{
    const firn_grid_def *def = &sim->scene.grid;
    int64_t g[3] = {node[0], node[1], node[2]};
    int32_t coord[3];
    *flipped = 0;
    for (int w = 0; def->has_box && w < 6; w++) {
        const int64_t depth = def->walls[w] == FIRN_WALL_MIRROR ? depth_beyond(sim, w, g) : 0;
        if (depth <= 0) continue;
        g[w / 2] += w & 1 ? -2 * depth : 2 * depth;
        *flipped ^= 1u << w / 2;
    }
    if (!*flipped) return 0;
    for (int a = 0; a < 3; a++) coord[a] = (int32_t)(g[a] >> 2);
    *block = firn_grid_find(&sim->mpm->grid, coord);
    *in = (int)((g[0] & 3) << 4 | (g[1] & 3) << 2 | (g[2] & 3));
    return 1;
}
