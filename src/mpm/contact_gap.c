/* SPDX-License-Identifier: MIT */
/* contact_gap.c: the gap between material and an obstacle, for colliders with `touch: surface`.
 *
 * A node represents all particles within the support of its spline. If it were stopped as soon as
 * it lies in an obstacle and carries mass, material would be stopped a cell before it arrives and
 * rest on a cushion of void, a spring in series that is softer than any law. With `touch: surface`
 * a node is stopped when its material has arrived. With the centre of the mass that node i sees,
 *
 *     X_i = sum_p m_p w_ip x_p / sum_p m_p w_ip,
 *
 * the gap is the excess of the distance of X_i from the surface over that of material which fills
 * the space up to the surface. The node may travel that far in the step, v_n >= v_c,n - gap / dt.
 * For a node at depth z (cells) below a plane surface, filled space has its centre at the distance
 *
 *     d(z) = h M1 / M0,   M0 = int_z^s B(x) dx,   M1 = int_z^s B(x) (x - z) dx
 *
 * with s half the width of the spline B:
 *
 *     cubic      M0 = ((2-z)^4 - 4 (1-z)+^4) / 24
 *                M1 = ((2-z)^5 - 4 (1-z)+^5) / 120          d(0) = .4667 h
 *     quadratic  M0 = ((3/2-z)^3 - 3 (1/2-z)+^3) / 6
 *                M1 = ((3/2-z)^4 - 3 (1/2-z)+^4) / 24       d(0) = .4063 h
 *
 * from B as a sum of truncated powers ((a)+ is a where positive, else 0). A single particle stops
 * at d at the latest; resting material has no gap and is held as by any other contact.
 *
 * Contact by positions rather than by velocities alone: V. Lemiale, A. Hurmane, J. Nairn, CMES 70
 * (2010). Not for surfaces with stickiness, which hold all that nodes reach: stretched material
 * would be released too early. Images beyond mirror walls are omitted, as they move X_i along the
 * surface. */
#include "mpm/contact_gap.h"
#include "mpm/mpm.h"
#include "mpm/plane.h"

#include <math.h>
#include <string.h>

/* per node: sum m w (x - x_i), kg cells; sum m w, kg */
typedef double gap_nodes[FIRN_BLOCK_NODES][4];

/* The truncated power (x)+^n. */
static double power(double x, int n)
{
    double p = x > 0 ? 1 : 0;
    for (int i = 0; i < n && x > 0; i++) p *= x;
    return p;
}

/* d(z) / h */
static double filled(int is_quadratic, double z)
{
    if (is_quadratic)
        return z < 1.5 ? (power(1.5 - z, 4) - 3 * power(0.5 - z, 4)) /
                             (power(1.5 - z, 3) - 3 * power(0.5 - z, 3)) / 4
                       : 0;
    return z < 2 ? (power(2 - z, 5) - 4 * power(1 - z, 5)) /
                       (power(2 - z, 4) - 4 * power(1 - z, 4)) / 5
                 : 0;
}

static double spline(int is_quadratic, double x)
{
    x = fabs(x);
    if (is_quadratic) return (power(1.5 - x, 2) - 3 * power(0.5 - x, 2)) / 2;
    return (power(2 - x, 3) - 4 * power(1 - x, 3)) / 6;
}

static int is_wanted(const firn_collider *c)
{
    return c->is_active && c->def.touch == FIRN_TOUCH_SURFACE;
}

static int is_near(const firn_sim *sim, const double x[3], double reach)
{
    for (int c = 0; c < sim->n_colliders; c++)
        if (is_wanted(&sim->colliders[c]) &&
            firn_contact_distance(&sim->colliders[c], x, sim->time + sim->dt) <= reach)
            return 1;
    return 0;
}

/* Items for the blocks whose nodes may lie in a collider: those whose center is within half a
 * diagonal. */
static firn_status reserve(firn_sim *sim)
{
    firn_block_slots *slots = &sim->mpm->contact_gap.slots;
    const firn_grid *grid = &sim->mpm->grid;
    const double half = 1.5 * sqrt(3.0) * sim->h * (1 + 1e-9);
    if (firn_block_slots_reserve(slots, &sim->memory, grid->n_blocks) != FIRN_OK)
        return FIRN_MEMORY;
#pragma omp parallel for schedule(static) num_threads(sim->n_threads)
    for (int32_t b = 0; b < grid->n_blocks; b++) {
        double center[3];
        for (int k = 0; k < 3; k++)
            center[k] = firn_mpm_metres(sim, k, 4.0 * grid->coord[b][k] + 1.5);
        slots->slot[b] = is_near(sim, center, half) ? 0 : -1;
    }
    return firn_block_slots_assign(slots, &sim->memory, grid->n_blocks, sizeof(gap_nodes));
}

/* Mass and first moment of one particle on the nodes around it; x in cells from the block's
 * first node. */
static void add_particle(firn_sim *sim, const int32_t neighbours[27], const double x[3],
                         double mass)
{
    const int is_quadratic = sim->scene.grid.spline == FIRN_QUADRATIC;
    int base[3];
    double w[3][4];
    for (int a = 0; a < 3; a++) {
        base[a] = (int)fmin(fmax(floor(x[a]), -1), 3) -
                  1; /* keeps the index in the patch for any x, NaN included */
        for (int k = 0; k < 4; k++) w[a][k] = spline(is_quadratic, x[a] - base[a] - k);
    }
    for (int n = 0; n < 64; n++) {
        int at[3] = {base[0] + n / 16, base[1] + n / 4 % 4, base[2] + n % 4};
        double m = mass * w[0][n / 16] * w[1][n / 4 % 4] * w[2][n % 4];
        /* -2 .. 5 in the patch: blocks 0, 1, 2 of each axis */
        int q = ((at[0] + 4) / 4 * 3 + (at[1] + 4) / 4) * 3 + (at[2] + 4) / 4;
        gap_nodes *nodes = neighbours[q] >= 0
                               ? firn_block_slots_at(&sim->mpm->contact_gap.slots, neighbours[q])
                               : NULL;
        if (!nodes || !(m > 0)) continue;
        double *node = (*nodes)[((at[0] & 3) << 2 | (at[1] & 3)) << 2 | (at[2] & 3)];
        for (int a = 0; a < 3; a++) node[a] += m * (x[a] - at[a]);
        node[3] += m;
    }
}

/* Particles farther than 2 sqrt 3 cells from a wanted collider reach no node inside it. */
static void add_block(firn_sim *sim, int32_t owner)
{
    const int32_t *neighbours = sim->mpm->grid.neighbours[owner];
    int any = 0;
    for (int q = 0; q < 27; q++)
        any |= neighbours[q] >= 0 && sim->mpm->contact_gap.slots.slot[neighbours[q]] >= 0;
    for (int m = 0; any && m < sim->n_materials; m++) {
        const firn_particles *particles = &sim->mpm->particles[m];
        const firn_particle_block *block = firn_particle_block_at(particles, owner);
        for (int p = 0; block && p < block->n; p++) {
            double x[3], world[3];
            for (int a = 0; a < 3; a++) {
                x[a] =
                    firn_particles_value(particles, FIRN_FIELD_X, block->first + p / 16, a, p % 16);
                world[a] = firn_mpm_metres(sim, a, 4.0 * block->coord[a] + x[a]);
            }
            if (!is_near(sim, world, 2 * sqrt(3.0) * sim->h)) continue;
            add_particle(
                sim, neighbours, x,
                firn_particles_value(particles, FIRN_FIELD_MASS, block->first + p / 16, 0, p % 16));
        }
    }
}

firn_status firn_contact_gap_measure(firn_sim *sim)
{
    int any = 0;
    for (int c = 0; c < sim->n_colliders; c++) any |= is_wanted(&sim->colliders[c]);
    sim->mpm->contact_gap.is_measured = any;
    if (!any) return FIRN_OK;
    if (reserve(sim) != FIRN_OK) return FIRN_MEMORY;
#pragma omp parallel num_threads(sim->n_threads)
    for (int color = 0; color < sim->mpm->grid.n_colors;
         color++) { /* clusters of one colour share no nodes */
#pragma omp for schedule(dynamic, 1)
        for (int32_t i = firn_grid_cluster(&sim->mpm->grid, color, 0);
             i < firn_grid_cluster(&sim->mpm->grid, color + 1, 0); i++)
            for (int32_t owner = sim->mpm->grid.clusters[i].first;
                 owner < sim->mpm->grid.clusters[i].end; owner++)
                add_block(sim, owner);
    }
    return FIRN_OK;
}

double firn_contact_gap_at(const firn_sim *sim, const firn_collider *c, int32_t block, int node,
                           const double x[3], const firn_surface_point *s)
{
    if (c->def.touch != FIRN_TOUCH_SURFACE || c->def.contact != FIRN_SEPARATE || s->stickiness > 0)
        return 0;
    const gap_nodes *nodes = firn_block_slots_at(&sim->mpm->contact_gap.slots, block);
    const double h = sim->h;
    double center[3], v_n = 0, sum[4];
    memcpy(sum, (*nodes)[node], sizeof sum);
    for (int k = 0; firn_plane_is(sim) && k < 4; k++) /* its column, and nothing along z */
        for (int a = 0; a < 4; a++)
            sum[a] = (k ? sum[a] : 0) + (a == 2 ? 0 : (*nodes)[(node & ~3) + k][a]);
    if (!(sum[3] > 0)) return 0;
    for (int a = 0; a < 3; a++) {
        center[a] = x[a] + sum[a] / sum[3] * h;
        v_n += s->velocity[a] * s->normal[a];
    }
    double distance = firn_contact_distance(c, center, sim->time + sim->dt) +
                      v_n * sim->dt; /* distance before the step */
    return fmax(
        0,
        distance - filled(sim->scene.grid.spline == FIRN_QUADRATIC, fmax(0, -s->distance) / h) * h);
}
