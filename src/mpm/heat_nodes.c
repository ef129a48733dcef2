/* SPDX-License-Identifier: MIT */
/* heat_nodes.c: temperatures on nodes, and walls of the box.
 *
 *     T_i = sum w m c (T_p + g_p . (x_i - x_p)) / C_i        C_i = sum w m c
 *     dT_i = (dt sum V k grad T . (-grad w) + deposits) / C_i
 *
 * Walls that are insulated or have a fixed temperature mirror the material where they lie on
 * planes of nodes, so that the order of the spline holds up to them. With b the node beyond and
 * a its mirror node inside, s = +1 (insulated) or -1 (fixed temperature T_w; sums relative to it):
 *
 *     fold      C_a += C_b,   E_a += s E_b,   R_a += s R_b
 *     unfold    T_b = T_a or 2 T_w - T_a;   dT_b = s dT_a
 *
 * A node on the plane of a fixed temperature has it. Nodes on other planes have half of the
 * material, as do their conducted heat and their capacity, so nothing is folded onto them. Walls
 * with a flux or a film coefficient are surfaces of the material (heat_particles.c). */
#include "mpm/block_loops.h"
#include "mpm/heat.h"

#include <math.h>

typedef struct wall {
    const firn_sim *sim;
    int number, axis, is_upper, is_fixed;
    int64_t plane;
    double T; /* relative to the reference */
} wall;

static int is_mirrored(const firn_sim *sim, int w)
{
    const firn_grid_def *def = &sim->scene.grid;
    const double at = (w & 1 ? def->box_max : def->box_min)[w / 2] / sim->h;
    const firn_heat_wall_def *heat = &sim->heat->walls[w];
    const int is_surface = heat->wall >= 0 && !(isfinite(heat->temperature) && isinf(heat->film));
    return def->has_box && !is_surface && def->walls[w] != FIRN_WALL_OPEN &&
           def->walls[w] != FIRN_WALL_DELETE && def->walls[w] != FIRN_WALL_PERIODIC &&
           fabs(at - round(at)) < 1e-6;
}

static wall wall_of(const firn_sim *sim, int w)
{
    const firn_heat_wall_def *def = &sim->heat->walls[w];
    const firn_grid_def *grid = &sim->scene.grid;
    const int has_T = def->wall >= 0 && isfinite(def->temperature);
    return (wall){.sim = sim,
                  .number = w,
                  .axis = w / 2,
                  .is_upper = w & 1,
                  .is_fixed = has_T && isinf(def->film),
                  .plane = llround((w & 1 ? grid->box_max : grid->box_min)[w / 2] / sim->h),
                  .T = has_T ? def->temperature - sim->heat->reference : 0};
}

static int64_t depth_of(const wall *w, const int64_t node[3])
{
    return w->is_upper ? node[w->axis] - w->plane : w->plane - node[w->axis];
}

static int is_beyond_earlier(const wall *w, const int64_t node[3])
{
    for (int e = 0; e < w->number; e++) {
        if (!is_mirrored(w->sim, e)) continue;
        const wall other = wall_of(w->sim, e);
        if (depth_of(&other, node) > 0) return 1;
    }
    return 0;
}

/* Place of a node's mirror image; -1: not in the grid. */
static int64_t image_of(const wall *w, const int64_t node[3])
{
    int64_t g[3] = {node[0], node[1], node[2]};
    int32_t block[3];
    g[w->axis] = 2 * w->plane - g[w->axis];
    for (int a = 0; a < 3; a++) block[a] = (int32_t)(g[a] >> 2);
    const int32_t found = firn_grid_find(&w->sim->mpm->grid, block);
    return found < 0
               ? -1
               : (int64_t)found * FIRN_BLOCK_NODES + (g[0] & 3) * 16 + (g[1] & 3) * 4 + (g[2] & 3);
}

typedef void (*node_fn)(const wall *w, firn_heat_grid *grid, int64_t beyond, int64_t image);

static void fold_sums(const wall *w, firn_heat_grid *g, int64_t b, int64_t a)
{
    g->T[a] += w->is_fixed ? 2 * w->T * g->C_folded[b] - g->T[b] : g->T[b];
    g->C_folded[a] += g->C_folded[b];
    g->fill[a] += g->fill[b];
    g->alpha[a] += g->alpha[b];
}
static void unfold_T(const wall *w, firn_heat_grid *g, int64_t b, int64_t a)
{
    g->T[b] = w->is_fixed ? 2 * w->T - g->T[a] : g->T[a];
    g->fill[b] = g->fill[a];
    g->alpha[b] = g->alpha[a];
}
static void fold_R(const wall *w, firn_heat_grid *g, int64_t b, int64_t a)
{
    g->R[a] += w->is_fixed ? -g->R[b] : g->R[b];
}
static void unfold_R(const wall *w, firn_heat_grid *g, int64_t b, int64_t a)
{
    g->R[b] = w->is_fixed ? -g->R[a] : g->R[a];
}

/* Nodes beyond a wall, at most three deep, each with one image: blocks are independent. */
static void each_beyond(const wall *w, int32_t block, node_fn act)
{
    const int32_t *coord = w->sim->mpm->grid.coord[block];
    const int64_t first = 4 * (int64_t)coord[w->axis];
    if (w->is_upper ? first + 3 <= w->plane : first >= w->plane) return;
    for (int n = 0; n < FIRN_BLOCK_NODES; n++) {
        const int64_t node[3] = {4 * (int64_t)coord[0] + n / 16, 4 * (int64_t)coord[1] + n / 4 % 4,
                                 4 * (int64_t)coord[2] + n % 4};
        const int64_t depth = depth_of(w, node);
        if (depth <= 0 || depth > 3 || is_beyond_earlier(w, node)) continue;
        const int64_t image = image_of(w, node);
        if (image >= 0) act(w, w->sim->mpm->heat, (int64_t)block * FIRN_BLOCK_NODES + n, image);
    }
}

static void pass_walls(firn_sim *sim, node_fn act, int is_backward)
{
    for (int i = 0; i < 6; i++) {
        const int number = is_backward ? 5 - i : i;
        if (!is_mirrored(sim, number)) continue;
        const wall w = wall_of(sim, number);
#pragma omp parallel for schedule(static) num_threads(sim->n_threads)
        for (int32_t b = 0; b < sim->mpm->grid.n_blocks; b++) each_beyond(&w, b, act);
    }
}

/* ---------------------------------------------------------------- nodes on planes */

typedef struct planes {
    wall walls[6];
    int n;
} planes;

static planes planes_of(const firn_sim *sim)
{
    planes p = {.n = 0};
    for (int w = 0; w < 6; w++)
        if (is_mirrored(sim, w)) p.walls[p.n++] = wall_of(sim, w);
    return p;
}

/* The walls on whose planes a node of a block lies: bits of planes->walls. */
static unsigned planes_through(const firn_sim *sim, const planes *p, int32_t block, int n)
{
    const int32_t *coord = sim->mpm->grid.coord[block];
    const int64_t node[3] = {4 * (int64_t)coord[0] + n / 16, 4 * (int64_t)coord[1] + n / 4 % 4,
                             4 * (int64_t)coord[2] + n % 4};
    unsigned on = 0;
    for (int w = 0; w < p->n; w++)
        if (depth_of(&p->walls[w], node) == 0) on |= 1u << w;
    return on;
}

/* ---------------------------------------------------------------- begin */

static void read_sums(firn_sim *sim, int32_t block)
{
    firn_heat_grid *g = sim->mpm->heat;
    const int is_double = sim->mpm->kernels->is_double;
    const double per_volume = 1 / (sim->h * sim->h * sim->h);
    for (int n = 0; n < FIRN_BLOCK_NODES; n++) {
        const size_t i = (size_t)block * FIRN_BLOCK_NODES + (size_t)n;
        g->T[i] = firn_heat_real(g->nodes, is_double, 4 * i);
        g->fill[i] = firn_heat_real(g->nodes, is_double, 4 * i + 1) * per_volume;
        g->alpha[i] = firn_heat_real(g->nodes, is_double, 4 * i + 2);
        g->C[i] = g->C_folded[i] = firn_heat_real(g->nodes, is_double, 4 * i + 3);
    }
}

static void divide(firn_sim *sim, const planes *p, int32_t block)
{
    firn_heat_grid *g = sim->mpm->heat;
    for (int n = 0; n < FIRN_BLOCK_NODES; n++) {
        const size_t i = (size_t)block * FIRN_BLOCK_NODES + (size_t)n;
        const double per_C = g->C_folded[i] > 0 ? 1 / g->C_folded[i] : 0;
        const unsigned on = p->n ? planes_through(sim, p, block, n) : 0;
        g->T[i] *= per_C;
        g->alpha[i] *= per_C;
        for (int w = 0; w < p->n; w++) {
            if (!(on >> w & 1)) continue;
            g->fill[i] *= 2;
            if (p->walls[w].is_fixed) g->T[i] = p->walls[w].T;
        }
    }
}

static void write_T(firn_sim *sim, int32_t block)
{
    firn_heat_grid *g = sim->mpm->heat;
    const int is_double = sim->mpm->kernels->is_double;
    for (int n = 0; n < FIRN_BLOCK_NODES; n++) {
        const size_t i = (size_t)block * FIRN_BLOCK_NODES + (size_t)n;
        firn_heat_put(g->nodes, is_double, 4 * i, g->T[i]);
        firn_heat_put(g->nodes, is_double, 4 * i + 1, g->fill[i]);
        firn_heat_put(g->nodes, is_double, 4 * i + 2, 0);
    }
}

void firn_heat_nodes_begin(firn_sim *sim)
{
    const planes p = planes_of(sim);
    const int32_t n = sim->mpm->grid.n_blocks;
#pragma omp parallel for schedule(static) num_threads(sim->n_threads)
    for (int32_t b = 0; b < n; b++) read_sums(sim, b);
    pass_walls(sim, fold_sums, 0);
#pragma omp parallel for schedule(static) num_threads(sim->n_threads)
    for (int32_t b = 0; b < n; b++) divide(sim, &p, b);
    pass_walls(sim, unfold_T, 1);
#pragma omp parallel for schedule(static) num_threads(sim->n_threads)
    for (int32_t b = 0; b < n; b++) write_T(sim, b);
}

/* ---------------------------------------------------------------- end */

/* R and the conductance G of what a node exchanges, with G (T_e - T) in R. */
static void read_R(firn_sim *sim, int32_t block)
{
    firn_heat_grid *g = sim->mpm->heat;
    const int is_double = sim->mpm->kernels->is_double;
    for (int n = 0; n < FIRN_BLOCK_NODES; n++) {
        const size_t i = (size_t)block * FIRN_BLOCK_NODES + (size_t)n;
        double deposit = 0, G = 0;
        if (g->exchanges) {
            deposit = firn_heat_real(g->exchange, is_double, 4 * i);
            G = firn_heat_real(g->exchange, is_double, 4 * i + 3);
        }
        g->R[i] = firn_heat_real(g->flux, is_double, 4 * i) + deposit - G * g->T[i];
        g->C_folded[i] += G;
        g->C[i] = G;
    }
}

/* Conductance beyond walls, as capacities are folded. */
static void fold_G(const wall *w, firn_heat_grid *g, int64_t b, int64_t a)
{
    (void)w;
    g->C_folded[a] += g->C[b];
    g->C[a] += g->C[b];
}

static void change(firn_sim *sim, const planes *p, int32_t block)
{
    firn_heat_grid *g = sim->mpm->heat;
    for (int n = 0; n < FIRN_BLOCK_NODES; n++) {
        const size_t i = (size_t)block * FIRN_BLOCK_NODES + (size_t)n;
        const unsigned on = p->n ? planes_through(sim, p, block, n) : 0;
        g->R[i] = g->C_folded[i] > 0 ? g->R[i] / g->C_folded[i] : 0;
        for (int w = 0; w < p->n; w++)
            if ((on >> w & 1) && p->walls[w].is_fixed) g->R[i] = 0;
    }
}

/* What the surfaces of a block's nodes took: deposits + G (T_e - T after). */
static void book_surfaces(firn_sim *sim, int32_t block)
{
    firn_heat_grid *g = sim->mpm->heat;
    const int is_double = sim->mpm->kernels->is_double;
    g->taken[block][0] = g->taken[block][1] = 0;
    for (int n = 0; n < FIRN_BLOCK_NODES; n++) {
        const size_t i = (size_t)block * FIRN_BLOCK_NODES + (size_t)n;
        const double T = g->T[i] + g->R[i];
        double e[4];
        if (!(firn_heat_real(g->nodes, is_double, 4 * i + 3) > 0)) continue; /* nothing to heat */
        for (size_t c = 0; c < 4; c++) e[c] = firn_heat_real(g->exchange, is_double, 4 * i + c);
        g->taken[block][0] += e[0] - e[3] * T;
        g->taken[block][1] += e[1] - e[2] * T;
    }
}

static void write_mixtures(firn_sim *sim, int32_t block, double dt)
{
    firn_heat_grid *g = sim->mpm->heat;
    const int is_double = sim->mpm->kernels->is_double;
    const double per_h2 = sim->heat->def.blend * dt / (sim->h * sim->h);
    double low = INFINITY, high = -INFINITY;
    for (int n = 0; n < FIRN_BLOCK_NODES; n++) {
        const size_t i = (size_t)block * FIRN_BLOCK_NODES + (size_t)n;
        const double b = fmin(1, per_h2 * g->alpha[i]), T = g->T[i], after = T + g->R[i];
        firn_heat_put(g->nodes, is_double, 4 * i, g->R[i] + b * T);
        firn_heat_put(g->nodes, is_double, 4 * i + 1, after);
        firn_heat_put(g->nodes, is_double, 4 * i + 2, b);
        if (!(g->C_folded[i] > 0)) continue;
        low = fmin(low, fmin(T, after));
        high = fmax(high, fmax(T, after));
    }
    g->range[block][0] = low;
    g->range[block][1] = high;
}

void firn_heat_nodes_end(firn_sim *sim, double dt)
{
    const planes p = planes_of(sim);
    const int32_t n = sim->mpm->grid.n_blocks;
#pragma omp parallel for schedule(static) num_threads(sim->n_threads)
    for (int32_t b = 0; b < n; b++) read_R(sim, b);
    pass_walls(sim, fold_R, 0);
    pass_walls(sim, fold_G, 0);
#pragma omp parallel for schedule(static) num_threads(sim->n_threads)
    for (int32_t b = 0; b < n; b++) change(sim, &p, b);
    pass_walls(sim, unfold_R, 1);
#pragma omp parallel for schedule(static) num_threads(sim->n_threads)
    for (int32_t b = 0; b < n; b++) {
        if (sim->mpm->heat->exchanges) book_surfaces(sim, b);
        write_mixtures(sim, b, dt);
    }
}
