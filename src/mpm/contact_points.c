/* SPDX-License-Identifier: MIT */
/* contact_points.c: contact at the surface of the material, for colliders with `touch: particles`.
 *
 * A node represents all particles within the support of its spline. If nodes in a collider are
 * stopped, material is stopped a cell before it arrives (touch: grid); if they are stopped when the
 * material has arrived (touch: surface, contact_gap.c), the wall acts at the depth of the node, up to
 * a cell inside, and material sinks in until its stress shows on the nodes outside. So the condition is put where the surface
 * is: on the faces of particles. A particle is a cube of its own; it may not come nearer than half
 * its width along the normal n,
 *
 *     r = 1/2 V0^(1/3) (|F^T n|_1)        the parallelepiped F cube, where F is the deformation
 *     r = 1/2 (V0 J)^(1/3)                where F is its elastic part alone (flow)
 *
 * With the distance D(x, t) of the collider, the gap g = D(x_p, t + dt) - r, and the velocity u_p =
 * sum_i w_i(x_p - r n) v_i of its face,
 *
 *     u_p . n >= b_p = -g / dt                          g >= 0, or
 *     u_p . n >= v_c . n + min(-g, h / 100) / (4 dt)    g < 0: overlap fades, and adds little energy
 *
 * where for g < 0, g is that of the beginning of the step.
 *
 * Weights. Impulses a_p n + t_p go to nodes by phi_i w_i(x_p - r n), and u_p is found by the same
 * weights. With phi = 1 a uniform stress would be in balance with them only if the sum over particles
 * were the integral: the nodes farthest out see a corner of their spline filled by one particle, and
 * what they miss strains that particle. A uniform pressure p is in balance with the sum that is,
 * J_i = p dt a_i, where
 *
 *     a_i = - sum_p V_p J_p grad w_ip       N_i = sum over points A_p w_ip n_p
 *     phi_i = a_i . N_i / |N_i|^2           A_p the area of a particle's face
 *
 * between 0 and 1.25 (at the rim of a contact a_i holds faces that are no points). On a lattice the
 * sum of phi_i w_ip is 1 (a partition of unity); all are divided by it.
 *
 * Solution: projected Jacobi iteration on a = max(0, a + (b - u . n) / s), s_p = sum_i w_ip (sum_q w_iq) /
 * m_i the row sums of W M^-1 W^T, whose entries are positive: row sums bound the spectral
 * radius, and where a surface arrives evenly one iteration is exact. Tangential impulses follow
 * alike, on the disk mu a. SWEEPS iterations; what is left is a gap or an overlap of the next step.
 *
 * Nodes beyond mirror walls, and those of a column in plane strain, stand for their image
 * (contact_nodes.c). Impulses are booked by collider, particle by particle in order; where
 * materials share nodes they are divided by node.
 *
 * Limit: the surface of the material is that of its cubes. On a regular lattice a flat face along the
 * lattice is exact; a curved body has facets and steps of half a spacing (a ball of 24 spacings of
 * radius lands on a facet of 5 spacings, and Hertz's force comes out half too large).
 *
 * Not for surfaces with stickiness or other contacts than separate, which hold all that nodes
 * reach. Contact with particles: Z. Chen and others, Comput. Part. Mech. 2017, put forces on points
 * by penalty; here the constraint is solved. */
#include "mpm/contact_points.h"
#include "mpm/block_places.h"
#include "mpm/ledger.h"
#include "mpm/mirror_wall.h"
#include "mpm/mpm.h"
#include "mpm/node_boundary.h"
#include "mpm/plane.h"

#include <math.h>
#include <string.h>

enum { SWEEPS = 8 };

static const double MOST_SHARE = 1.25;

/* A particle at the surface of one collider. */
typedef struct firn_contact_point {
    int32_t owner, collider;
    int base[3];                  /* first node, from the first node of the owner block */
    double w[3][4];               /* weights along each axis */
    double x[3];                  /* m, of the face */
    double n[3];                  /* normal of the collider */
    double moving[3];             /* velocity of its surface, m/s */
    double least;                 /* b, m/s */
    double friction, row, area;   /* 1, 1/kg, m^2 */
    double normal, tangential[3]; /* impulses, N s */
    double change[3];             /* of the last iteration */
} point;

/* A node that points reach. */
typedef struct contact_node {
    double v[3], inverse; /* m/s, 1/kg */
    double weight, share; /* of all points; phi */
    double a[3], N[3];    /* m^2 */
    double J[3], work, friction;
    int32_t to;       /* the node that it stands for: slot * 64 + node; -1: itself */
    unsigned flipped; /* axes along which the velocity is reversed */
} contact_node;

int firn_contact_points_wants(const firn_collider *c)
{
    return c->def.touch == FIRN_TOUCH_PARTICLES && c->def.contact == FIRN_SEPARATE &&
           !(c->def.stickiness > 0);
}

/* ---------------------------------------------------------------- weights */

/* The truncated power (x)+^n. */
static double power(double x, int n)
{
    double p = x > 0 ? 1 : 0;
    for (int i = 0; i < n && x > 0; i++) p *= x;
    return p;
}

static double spline(int is_quadratic, double x)
{
    x = fabs(x);
    if (is_quadratic) return (power(1.5 - x, 2) - 3 * power(0.5 - x, 2)) / 2;
    return (power(2 - x, 3) - 4 * power(1 - x, 3)) / 6;
}

static double slope(int is_quadratic, double x)
{
    const double u = fabs(x), sign = x < 0 ? 1 : -1;
    if (is_quadratic) return sign * (power(1.5 - u, 1) - 3 * power(0.5 - u, 1));
    return sign * (power(2 - u, 2) - 4 * power(1 - u, 2)) / 2;
}

/* x, the face, in cells from the first node of the owner block. */
static void weigh(const firn_sim *sim, const double x[3], point *p)
{
    const int is_quadratic = sim->scene.grid.spline == FIRN_QUADRATIC;
    for (int a = 0; a < 3; a++) {
        /* keeps the index in the patch for any x, NaN included */
        p->base[a] = (int)fmin(fmax(floor(x[a]), -1), 3) - 1;
        for (int k = 0; k < 4; k++) p->w[a][k] = spline(is_quadratic, x[a] - p->base[a] - k);
    }
}

static double weight_of(const point *p, int n)
{
    return p->w[0][n / 16] * p->w[1][n / 4 % 4] * p->w[2][n % 4];
}

/* ---------------------------------------------------------------- points */

/* Half the width of a particle along n, m. */
static double half_width(const firn_sim *sim, const firn_particles *particles, int64_t bundle,
                         int lane, const double n[3])
{
    const firn_law_info *law = &particles->material->resolved.law->info;
    const int n_axes = firn_plane_is(sim) ? 2 : 3;
    const double volume = firn_particles_value(particles, FIRN_FIELD_VOLUME, bundle, 0, lane);
    const double edge = n_axes == 2 ? sqrt(volume / sim->h) : cbrt(volume);
    double F[9], sum = 0;
    for (int c = 0; c < 9; c++)
        F[c] = firn_particles_value(particles, FIRN_FIELD_F, bundle, c, lane);
    if (law->is_plastic || law->is_fluid)
        return 0.5 * edge *
               pow(fmax(0, firn_particles_volume_ratio(particles, bundle, lane, F)), 1.0 / n_axes);
    for (int k = 0; k < n_axes; k++) sum += fabs(n[0] * F[k] + n[1] * F[3 + k] + n[2] * F[6 + k]);
    return 0.5 * edge * sum;
}

/* A caller's distance function failed: noted as node_boundary.c does, for the first owner block. */
static void note_failure(const firn_sim *sim, int collider, int32_t owner, const double x[3])
{
    firn_boundary_impulse *e = &sim->mpm->chunks[collider];
#pragma omp critical
    if (!isnan(e->work) || owner < e->torque[0]) {
        e->work = NAN;
        e->torque[0] = owner;
        memcpy(e->impulse, x, sizeof e->impulse);
    }
}

/* The face of a particle: its present volume over its width, m^2. */
static double area_of(const firn_sim *sim, const firn_particles *particles, int64_t bundle,
                      int lane, double r)
{
    double F[9];
    for (int c = 0; c < 9; c++)
        F[c] = firn_particles_value(particles, FIRN_FIELD_F, bundle, c, lane);
    const double volume = firn_particles_value(particles, FIRN_FIELD_VOLUME, bundle, 0, lane) *
                          firn_particles_volume_ratio(particles, bundle, lane, F);
    return r > 0 ? volume / (2 * r) : sim->h * sim->h;
}

/* Particle q of a block against one collider; 0: too far to meet it in this step. */
static int find_point(const firn_sim *sim, int collider, const firn_particles *particles,
                      const firn_particle_block *block, int q, double margin, point *p)
{
    const firn_collider *c = &sim->colliders[collider];
    const int64_t bundle = block->first + q / 16;
    firn_surface_point s;
    double at[3], v_n = 0;
    firn_block_place(sim, particles, block, q, p->x);
    if (!firn_contact_surface(c, p->x, sim->time + sim->dt, margin + sim->h, &s)) {
        if (isnan(s.distance)) note_failure(sim, collider, block->owner, p->x);
        return 0;
    }
    if (firn_plane_is(sim) && !firn_plane_cut(&s)) return 0;
    const double r = half_width(sim, particles, bundle, q % 16, s.normal), gap = s.distance - r;
    if (!(gap <= margin)) return 0;
    for (int a = 0; a < 3; a++) {
        v_n += s.velocity[a] * s.normal[a];
        p->n[a] = s.normal[a];
        p->moving[a] = s.velocity[a];
        p->x[a] -= r * s.normal[a];
        at[a] = firn_particles_value(particles, FIRN_FIELD_X, bundle, a, q % 16) -
                r / sim->h * s.normal[a];
    }
    const double before = gap + v_n * sim->dt;
    p->least = before >= 0 ? -gap / sim->dt : v_n + fmin(-before, 0.01 * sim->h) / (4 * sim->dt);
    p->friction = s.friction;
    p->area = area_of(sim, particles, bundle, q % 16, r);
    p->collider = collider;
    p->owner = block->owner;
    p->normal = 0;
    for (int a = 0; a < 3; a++) p->tangential[a] = p->change[a] = 0;
    weigh(sim, at, p);
    return 1;
}

/* The points of one owner block, material by material; `out` NULL: counts only. */
static int32_t points_of(const firn_sim *sim, int32_t owner, double margin, point *out)
{
    int32_t n = 0;
    double center[3];
    for (int a = 0; a < 3; a++)
        center[a] = firn_mpm_metres(sim, a, 4.0 * sim->mpm->grid.coord[owner][a] + 1.5);
    for (int c = 0; c < sim->n_colliders; c++) {
        const firn_collider *collider = &sim->colliders[c];
        /* until the next sort particles are within 3 sqrt 3 cells of the center of their block */
        if (!collider->is_active || !firn_contact_points_wants(collider) ||
            firn_contact_distance(collider, center, sim->time + sim->dt) >
                margin + (1 + 3 * sqrt(3.0)) * sim->h)
            continue;
        for (int m = 0; m < sim->n_materials; m++) {
            const firn_particles *particles = &sim->mpm->particles[m];
            const firn_particle_block *block = firn_particle_block_at(particles, owner);
            for (int q = 0; block && q < block->n; q++) {
                point found;
                if (!find_point(sim, c, particles, block, q, margin, &found)) continue;
                if (out) out[n] = found;
                n++;
            }
        }
    }
    return n;
}

static firn_status reserve(firn_sim *sim, int32_t n_owners, int32_t n)
{
    firn_contact_points *t = &sim->mpm->contact_points;
    if (n_owners + 1 > t->owner_capacity) {
        firn_memory_release(&sim->memory, t->first, (size_t)t->owner_capacity * sizeof *t->first);
        t->owner_capacity = n_owners + 1 + n_owners / 8;
        t->first = firn_memory_array(&sim->memory, (size_t)t->owner_capacity, sizeof *t->first);
        if (!t->first) return t->owner_capacity = 0, FIRN_MEMORY;
    }
    if (n > t->capacity) {
        firn_memory_release(&sim->memory, t->points, (size_t)t->capacity * sizeof *t->points);
        t->capacity = n + n / 8;
        t->points = firn_memory_array(&sim->memory, (size_t)t->capacity, sizeof *t->points);
        if (!t->points) return t->capacity = 0, FIRN_MEMORY;
    }
    return FIRN_OK;
}

void firn_contact_points_clear(firn_sim *sim)
{
    firn_contact_points *t = &sim->mpm->contact_points;
    firn_block_slots_clear(&t->slots, &sim->memory);
    firn_memory_release(&sim->memory, t->first, (size_t)t->owner_capacity * sizeof *t->first);
    firn_memory_release(&sim->memory, t->points, (size_t)t->capacity * sizeof *t->points);
    *t = (firn_contact_points){0};
}

/* The node that node n of a block stands for (mirror walls, plane strain): 1, or 0: itself. */
static int image_of(const firn_sim *sim, int32_t block, int n, int32_t *to_block, int *to_node,
                    unsigned *flipped)
{
    const int32_t *coord = sim->mpm->grid.coord[block];
    const int64_t node[3] = {4 * (int64_t)coord[0] + n / 16, 4 * (int64_t)coord[1] + n / 4 % 4,
                             4 * (int64_t)coord[2] + n % 4};
    int is_image = firn_mirror_wall_image(sim, node, to_block, to_node, flipped);
    if (!is_image) {
        *to_block = block;
        *to_node = n;
        *flipped = 0;
    }
    if (!firn_plane_is(sim)) return is_image;
    *to_node = (*to_node & ~3) | FIRN_PLANE_NODE;
    return is_image || *to_node != n;
}

/* Slots for the blocks that points reach, and for those of the nodes that they stand for. */
static firn_status mark_blocks(firn_sim *sim)
{
    firn_contact_points *t = &sim->mpm->contact_points;
    const firn_grid *grid = &sim->mpm->grid;
    if (firn_block_slots_reserve(&t->slots, &sim->memory, grid->n_blocks) != FIRN_OK)
        return FIRN_MEMORY;
    for (int32_t b = 0; b < grid->n_blocks; b++) t->slots.slot[b] = -1;
    for (int32_t owner = 0; owner < grid->n_owners; owner++)
        for (int q = 0; t->first[owner + 1] > t->first[owner] && q < 27; q++) {
            const int32_t block = grid->neighbours[owner][q];
            if (block < 0) continue;
            t->slots.slot[block] = 0;
            for (int corner = 0; corner < 8; corner++) {
                const int n = (corner & 1) * 3 + (corner >> 1 & 1) * 12 + (corner >> 2) * 48;
                int32_t to_block;
                int to_node;
                unsigned flipped;
                if (image_of(sim, block, n, &to_block, &to_node, &flipped) && to_block >= 0)
                    t->slots.slot[to_block] = 0;
            }
        }
    return firn_block_slots_assign(&t->slots, &sim->memory, grid->n_blocks,
                                   FIRN_BLOCK_NODES * sizeof(contact_node));
}

/* A particle meets a surface in this step if the gap is less than their paths: twice the largest
 * speed of the last step, and a tenth of a cell for what accelerates. */
firn_status firn_contact_points_find(firn_sim *sim)
{
    firn_contact_points *t = &sim->mpm->contact_points;
    const int32_t n_owners = sim->mpm->grid.n_owners;
    t->n = 0;
    t->is_wanted = 0;
    for (int c = 0; c < sim->n_colliders; c++)
        t->is_wanted |=
            sim->colliders[c].is_active && firn_contact_points_wants(&sim->colliders[c]);
    if (!t->is_wanted) return FIRN_OK;
    if (reserve(sim, n_owners, 0) != FIRN_OK) return FIRN_MEMORY;
    const double margin = fmin(sim->h, 2 * sim->rates.max_speed * sim->dt + 0.1 * sim->h);
#pragma omp parallel for schedule(dynamic, 4) num_threads(sim->n_threads)
    for (int32_t owner = 0; owner < n_owners; owner++)
        t->first[owner + 1] = points_of(sim, owner, margin, NULL);
    t->first[0] = 0;
    for (int32_t owner = 0; owner < n_owners; owner++) t->first[owner + 1] += t->first[owner];
    t->n = t->first[n_owners];
    if (t->n == 0) return FIRN_OK;
    if (reserve(sim, n_owners, t->n) != FIRN_OK || mark_blocks(sim) != FIRN_OK) return FIRN_MEMORY;
#pragma omp parallel for schedule(dynamic, 4) num_threads(sim->n_threads)
    for (int32_t owner = 0; owner < n_owners; owner++)
        if (t->first[owner + 1] > t->first[owner])
            points_of(sim, owner, margin, t->points + t->first[owner]);
    return FIRN_OK;
}

/* ---------------------------------------------------------------- nodes */

static contact_node *node_at(const firn_sim *sim, const point *p, int n, unsigned *flipped)
{
    const firn_block_slots *slots = &sim->mpm->contact_points.slots;
    const int at[3] = {p->base[0] + n / 16, p->base[1] + n / 4 % 4, p->base[2] + n % 4};
    /* -2 .. 5 in the patch: blocks 0, 1, 2 of each axis */
    const int q = ((at[0] + 4) / 4 * 3 + (at[1] + 4) / 4) * 3 + (at[2] + 4) / 4;
    const int32_t block = sim->mpm->grid.neighbours[p->owner][q];
    contact_node *nodes = block >= 0 ? firn_block_slots_at(slots, block) : NULL;
    if (!nodes) return NULL;
    contact_node *node = &nodes[((at[0] & 3) << 2 | (at[1] & 3)) << 2 | (at[2] & 3)];
    *flipped = node->flipped;
    return node->to < 0 ? node : (contact_node *)(void *)slots->items + node->to;
}

static double real_at(const firn_sim *sim, const void *array, int i)
{
    return sim->mpm->kernels->is_double ? ((const double *)array)[i]
                                        : (double)((const float *)array)[i];
}

static void load_block(firn_sim *sim, int32_t block)
{
    contact_node *nodes = firn_block_slots_at(&sim->mpm->contact_points.slots, block);
    const void *values = firn_grid_nodes(&sim->mpm->grid, block);
    for (int n = 0; n < FIRN_BLOCK_NODES; n++) {
        contact_node *node = &nodes[n];
        int32_t to_block;
        int to_node;
        *node = (contact_node){.to = -1};
        if (image_of(sim, block, n, &to_block, &to_node, &node->flipped) && to_block >= 0 &&
            sim->mpm->contact_points.slots.slot[to_block] >= 0)
            node->to = sim->mpm->contact_points.slots.slot[to_block] * FIRN_BLOCK_NODES + to_node;
        const double mass = real_at(sim, values, 4 * n + 3);
        if (!(mass > 0) || node->to >= 0) continue;
        node->inverse = 1 / mass;
        for (int a = 0; a < 3; a++) node->v[a] = real_at(sim, values, 4 * n + a);
    }
}

/* ---------------------------------------------------------------- transfers */

typedef void visit_point(firn_sim *sim, point *p);
static void add_surfaces(firn_sim *sim, int32_t owner);

/* Points that add to nodes: by clusters of one colour, which share no nodes. */
static void scatter(firn_sim *sim, visit_point *visit)
{
    const firn_contact_points *t = &sim->mpm->contact_points;
    const firn_grid *grid = &sim->mpm->grid;
#pragma omp parallel num_threads(sim->n_threads)
    for (int color = 0; color < grid->n_colors; color++) {
#pragma omp for schedule(dynamic, 1)
        for (int32_t i = firn_grid_cluster(grid, color, 0);
             i < firn_grid_cluster(grid, color + 1, 0); i++)
            for (int32_t owner = grid->clusters[i].first; owner < grid->clusters[i].end; owner++)
                for (int32_t k = t->first[owner]; k < t->first[owner + 1]; k++)
                    visit(sim, &t->points[k]);
    }
}

/* Particles around, clusters as in scatter. */
static void scatter_surfaces(firn_sim *sim)
{
    const firn_grid *grid = &sim->mpm->grid;
#pragma omp parallel num_threads(sim->n_threads)
    for (int color = 0; color < grid->n_colors; color++) {
#pragma omp for schedule(dynamic, 1)
        for (int32_t i = firn_grid_cluster(grid, color, 0);
             i < firn_grid_cluster(grid, color + 1, 0); i++)
            for (int32_t owner = grid->clusters[i].first; owner < grid->clusters[i].end; owner++)
                add_surfaces(sim, owner);
    }
}

static void gather(firn_sim *sim, visit_point *visit)
{
    const firn_contact_points *t = &sim->mpm->contact_points;
#pragma omp parallel for schedule(static) num_threads(sim->n_threads)
    for (int32_t k = 0; k < t->n; k++) visit(sim, &t->points[k]);
}

/* One particle's part of the sum a_i (m^2) of each node: -V grad w, or its moving least squares
 * estimate, as its force has it. */
static void add_surface(firn_sim *sim, const firn_particles *particles, int32_t owner,
                        int64_t bundle, int lane)
{
    const firn_transfer *transfer = &particles->transfer;
    const int is_quadratic = transfer->is_quadratic;
    const double per_cell = is_quadratic ? 4 : 3;
    double x[3], F[9], dw[3][4];
    point p = {.owner = owner};
    for (int a = 0; a < 3; a++)
        x[a] = firn_particles_value(particles, FIRN_FIELD_X, bundle, a, lane);
    for (int c = 0; c < 9; c++)
        F[c] = firn_particles_value(particles, FIRN_FIELD_F, bundle, c, lane);
    const double area = firn_particles_value(particles, FIRN_FIELD_VOLUME, bundle, 0, lane) *
                        firn_particles_volume_ratio(particles, bundle, lane, F) / sim->h;
    weigh(sim, x, &p);
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < 4; k++) {
            const double d = x[a] - p.base[a] - k;
            dw[a][k] = transfer->is_mls ? -per_cell * d * p.w[a][k] : slope(is_quadratic, d);
        }
    for (int n = 0; n < 64; n++) {
        const int at[3] = {n / 16, n / 4 % 4, n % 4};
        unsigned flipped;
        contact_node *node = node_at(sim, &p, n, &flipped);
        for (int a = 0; node && a < 3; a++) {
            const int b = (a + 1) % 3, c = (a + 2) % 3;
            const double g = area * dw[a][at[a]] * p.w[b][at[b]] * p.w[c][at[c]];
            node->a[a] += flipped >> a & 1 ? g : -g;
        }
    }
}

static void add_surfaces(firn_sim *sim, int32_t owner)
{
    const int32_t *neighbours = sim->mpm->grid.neighbours[owner];
    int any = 0;
    for (int q = 0; q < 27; q++)
        any |= neighbours[q] >= 0 && sim->mpm->contact_points.slots.slot[neighbours[q]] >= 0;
    for (int m = 0; any && m < sim->n_materials; m++) {
        const firn_particles *particles = &sim->mpm->particles[m];
        const firn_particle_block *block = firn_particle_block_at(particles, owner);
        for (int q = 0; block && q < block->n; q++)
            add_surface(sim, particles, owner, block->first + q / 16, q % 16);
    }
}

/* The sum N_i of A w n over points. */
static void add_normal(firn_sim *sim, point *p)
{
    for (int n = 0; n < 64; n++) {
        unsigned flipped;
        contact_node *node = node_at(sim, p, n, &flipped);
        const double w = weight_of(p, n) * p->area;
        for (int a = 0; node && a < 3; a++) node->N[a] += (flipped >> a & 1 ? -w : w) * p->n[a];
    }
}

/* Weights are multiplied by phi and divided by their sum. */
static void normalize(firn_sim *sim, point *p)
{
    unsigned flipped;
    double sum = 0;
    for (int n = 0; n < 64; n++) {
        const contact_node *node = node_at(sim, p, n, &flipped);
        if (node) sum += weight_of(p, n) * node->share;
    }
    for (int k = 0; k < 4; k++) p->w[0][k] /= sum > 0.5 ? sum : 1;
}

static void add_share(firn_sim *sim, point *p)
{
    unsigned flipped;
    for (int n = 0; n < 64; n++) {
        contact_node *node = node_at(sim, p, n, &flipped);
        if (node) node->weight += weight_of(p, n) * node->share;
    }
}

static void find_shares(firn_sim *sim, int32_t block)
{
    contact_node *nodes = firn_block_slots_at(&sim->mpm->contact_points.slots, block);
    for (int n = 0; n < FIRN_BLOCK_NODES; n++) {
        contact_node *node = &nodes[n];
        double aN = 0, N2 = 0;
        for (int a = 0; a < 3; a++) {
            aN += node->a[a] * node->N[a];
            N2 += node->N[a] * node->N[a];
        }
        node->share = node->inverse > 0 && N2 > 0 ? fmin(fmax(0, aN / N2), MOST_SHARE) : 0;
    }
}

/* The row sum; nodes without mass are not there. */
static void sum_row(firn_sim *sim, point *p)
{
    unsigned flipped;
    p->row = 0;
    for (int n = 0; n < 64; n++) {
        const contact_node *node = node_at(sim, p, n, &flipped);
        if (node) p->row += weight_of(p, n) * node->share * node->weight * node->inverse;
    }
}

static void velocity_of(const firn_sim *sim, const point *p, double u[3])
{
    u[0] = u[1] = u[2] = 0;
    for (int n = 0; n < 64; n++) {
        unsigned flipped;
        const contact_node *node = node_at(sim, p, n, &flipped);
        const double w = node ? weight_of(p, n) * node->share : 0;
        for (int a = 0; node && a < 3; a++) u[a] += (flipped >> a & 1 ? -w : w) * node->v[a];
    }
}

/* One iteration of a point: the normal impulse on a >= 0, the tangential one on the disk mu a. */
static void relax(firn_sim *sim, point *p)
{
    double u[3], u_n = 0, slip[3], t[3], t2 = 0;
    if (!(p->row > 0)) return;
    velocity_of(sim, p, u);
    for (int a = 0; a < 3; a++) u_n += u[a] * p->n[a];
    const double normal = fmax(0, p->normal + (p->least - u_n) / p->row);
    double moving_n = 0;
    for (int a = 0; a < 3; a++) moving_n += p->moving[a] * p->n[a];
    for (int a = 0; a < 3; a++) {
        slip[a] = u[a] - p->moving[a] - (u_n - moving_n) * p->n[a];
        t[a] = p->friction > 0 ? p->tangential[a] - slip[a] / p->row : 0;
        t2 += t[a] * t[a];
    }
    const double most = p->friction * normal,
                 share = t2 > most * most ? most / sqrt(t2) : 1; /* t2 > 0 in the first case */
    for (int a = 0; a < 3; a++) {
        t[a] *= share;
        p->change[a] = (normal - p->normal) * p->n[a] + t[a] - p->tangential[a];
        p->tangential[a] = t[a];
    }
    p->normal = normal;
}

static void add_change(firn_sim *sim, point *p)
{
    if (p->change[0] == 0 && p->change[1] == 0 && p->change[2] == 0) return;
    for (int n = 0; n < 64; n++) {
        unsigned flipped;
        contact_node *node = node_at(sim, p, n, &flipped);
        const double w = node ? weight_of(p, n) * node->share : 0;
        for (int a = 0; node && a < 3; a++) {
            const double J = (flipped >> a & 1 ? -w : w) * p->change[a];
            node->v[a] += J * node->inverse;
            node->J[a] += J;
        }
    }
}

static void impulse_of(const point *p, double J[3])
{
    for (int a = 0; a < 3; a++) J[a] = p->normal * p->n[a] + p->tangential[a];
}

/* Work and friction of points, to be divided among the materials of a node. */
static void add_work(firn_sim *sim, point *p)
{
    double J[3], u[3], work = 0, friction = 0;
    impulse_of(p, J);
    velocity_of(sim, p, u);
    for (int a = 0; a < 3; a++) {
        work += J[a] * p->moving[a];
        friction -= J[a] * (u[a] - p->moving[a]);
    }
    for (int n = 0; n < 64; n++) {
        unsigned flipped;
        contact_node *node = node_at(sim, p, n, &flipped);
        if (!node) continue;
        node->work += weight_of(p, n) * node->share * work;
        node->friction += weight_of(p, n) * node->share * friction;
    }
}

/* ---------------------------------------------------------------- solution */

/* Points in their order: the same sums for any number of threads. What reaches nodes without mass
 * is no impulse, but no point has such weights alone. */
static void book(firn_sim *sim)
{
    const firn_contact_points *t = &sim->mpm->contact_points;
    for (int32_t k = 0; k < t->n; k++) {
        const point *p = &t->points[k];
        double J[3], u[3], before[3];
        if (!(p->normal > 0)) continue;
        impulse_of(p, J);
        velocity_of(sim, p, u);
        for (int a = 0; a < 3; a++) before[a] = u[a] - J[a];
        firn_contact_impulse(&sim->mpm->chunks[p->collider], p->x, 1, before, u, p->moving,
                             sim->colliders[p->collider].pose.position);
    }
}

/* Velocities back to the grid; then what must hold besides: grips and walls. */
static void store_block(firn_sim *sim, int32_t block)
{
    const contact_node *nodes = firn_block_slots_at(&sim->mpm->contact_points.slots, block);
    void *values = firn_grid_nodes(&sim->mpm->grid, block);
    int any = 0;
    for (int n = 0; n < FIRN_BLOCK_NODES; n++) {
        const contact_node *node = &nodes[n];
        if (node->J[0] == 0 && node->J[1] == 0 && node->J[2] == 0) continue;
        any = 1;
        for (int a = 0; a < 3; a++) {
            if (sim->mpm->kernels->is_double)
                ((double *)values)[4 * n + a] = node->v[a];
            else
                ((float *)values)[4 * n + a] = (float)node->v[a];
        }
        double given[FIRN_N_BOUNDARY_KINDS][4] = {{0}};
        for (int a = 0; a < 3; a++) given[FIRN_BOUNDARY_COLLIDERS][a] = node->J[a] * node->inverse;
        given[FIRN_BOUNDARY_COLLIDERS][3] = node->work * node->inverse;
        given[FIRN_BOUNDARY_WALLS][3] = node->friction * node->inverse;
        if (node->inverse > 0)
            firn_impulse_split_share(sim, 0, block, n, 1 / node->inverse,
                                     1u << FIRN_BOUNDARY_COLLIDERS | 1u << FIRN_BOUNDARY_WALLS,
                                     given);
    }
    if (!any) return;
    firn_node_boundary_hold(sim, block, 0);
    sim->mpm->kernels->range(values, &sim->mpm->grid.range[block]);
}

void firn_contact_points_solve(firn_sim *sim)
{
    const firn_contact_points *t = &sim->mpm->contact_points;
    const int32_t n_blocks = sim->mpm->grid.n_blocks;
    if (!t->is_wanted || t->n == 0) return;
#pragma omp parallel for schedule(static) num_threads(sim->n_threads)
    for (int32_t b = 0; b < n_blocks; b++)
        if (t->slots.slot[b] >= 0) load_block(sim, b);
    scatter(sim, add_normal);
    scatter_surfaces(sim);
#pragma omp parallel for schedule(static) num_threads(sim->n_threads)
    for (int32_t b = 0; b < n_blocks; b++)
        if (t->slots.slot[b] >= 0) find_shares(sim, b);
    gather(sim, normalize);
    scatter(sim, add_share);
    gather(sim, sum_row);
    for (int k = 0; k < SWEEPS; k++) {
        gather(sim, relax);
        scatter(sim, add_change);
    }
    if (sim->mpm->impulse_split.is_kept) scatter(sim, add_work);
    book(sim);
    for (int32_t b = 0; b < n_blocks; b++)
        if (t->slots.slot[b] >= 0) store_block(sim, b);
}
