/* SPDX-License-Identifier: MIT */
/* plane.c: plane strain: nothing moves along z and nothing depends on it.
 *
 * The exact reduction: material that is the same at every z, on a grid with a period of one cell
 * along z. Then all nodes of a column are images of one node, and a particle adds the sum of its
 * z-weights, which is 1, with derivative 0, to that node: the weights left are those of two
 * dimensions. So
 *
 *     collapse   after P2G the nodes of a column are summed into one (FIRN_PLANE_NODE), v_z = 0
 *     expand     after the grid update its velocity is copied to the others, for G2P
 *     restrict   grad v and C keep x and y alone; F_zz, and what a law makes of it, stay
 *
 * One layer of particles at z = 1.5 cells has the nodes 0 .. 3 (cubic) or 1, 2 (quadratic) of its
 * own block: no halo along z, and the column is summed within a block. A particle stands for its
 * spacing squared times a thickness of one cell: masses, forces and energies are those of a slice
 * dx thick.
 *
 * Cost. Transfers are those of three dimensions, as four z-nodes are one unit of work (kernels.h),
 * for a quarter of the particles of a slice of one block (with 8 per cell, 4 cells along z: 64
 * instead of 512 in a block); 16 of the 64 nodes of a block count, and no block has a halo along
 * z.
 *
 * World and grid: z = 0 of the scene is 1.5 cells in the grid (firn_mpm_metres), so bodies and
 * boundaries are cut at z = 0. */
#include "mpm/plane.h"
#include "mpm/mpm.h"

#include <math.h>
#include <string.h>

/* One array of a block, [64][n] reals: each column summed into its node. */
#define COLLAPSE(name, real)                                                                       \
    static void name(real *nodes, int n)                                                           \
    {                                                                                              \
        for (int column = 0; column < FIRN_BLOCK_NODES / 4; column++, nodes += 4 * n)              \
            for (int c = 0; c < n; c++) {                                                          \
                const real sum =                                                                   \
                    (nodes[c] + nodes[n + c]) + (nodes[2 * n + c] + nodes[3 * n + c]);             \
                for (int k = 0; k < 4; k++) nodes[k * n + c] = 0;                                  \
                nodes[FIRN_PLANE_NODE * n + c] = c == 2 ? 0 : sum;                                 \
            }                                                                                      \
    }
COLLAPSE(collapse_floats, float)
COLLAPSE(collapse_doubles, double)

static void collapse(const firn_sim *sim, void *nodes, int n)
{
    if (sim->mpm->kernels->is_double)
        collapse_doubles(nodes, n);
    else
        collapse_floats(nodes, n);
}

static void collapse_masses(const firn_sim *sim, void *masses) { collapse(sim, masses, 1); }

void firn_plane_collapse(firn_sim *sim, int32_t block)
{
    collapse(sim, firn_grid_nodes(&sim->mpm->grid, block), FIRN_CHANNELS);
    void *old = firn_grid_old(&sim->mpm->grid, block);
    if (old) collapse(sim, old, FIRN_CHANNELS);
    firn_impulse_split_masses(sim, block, collapse_masses);
}

void firn_plane_expand(firn_sim *sim, int32_t block, int with_mass)
{
    const size_t real = sim->mpm->kernels->real_size, node = FIRN_CHANNELS * real,
                 copied = (with_mass ? FIRN_CHANNELS : 3) * real;
    char *arrays[2] = {firn_grid_nodes(&sim->mpm->grid, block),
                       firn_grid_old(&sim->mpm->grid, block)};
    for (int i = 0; i < 2 && arrays[i]; i++)
        for (int column = 0; column < FIRN_BLOCK_NODES / 4; column++) {
            char *at = arrays[i] + (size_t)(4 * column) * node;
            memset(at + FIRN_PLANE_NODE * node + 2 * real, 0, real); /* v_z */
            for (int k = 0; k < 4; k++)
                if (k != FIRN_PLANE_NODE)
                    memcpy(at + k * node, at + FIRN_PLANE_NODE * node, copied);
        }
}

void firn_plane_restrict(const firn_sim *sim, int n_bundles, void *grad_v, void *C)
{
    static const int with_z[] = {2, 5, 6, 7, 8};
    const size_t lanes = FIRN_BUNDLE_LANES * sim->mpm->kernels->real_size;
    for (int b = 0; b < n_bundles; b++)
        for (int i = 0; i < 5; i++) {
            const size_t at = (size_t)(9 * b + with_z[i]) * lanes;
            memset((char *)grad_v + at, 0, lanes);
            if (C) memset((char *)C + at, 0, lanes);
        }
}

int firn_plane_cut(firn_surface_point *s)
{
    const double length = hypot(s->normal[0], s->normal[1]);
    s->velocity[2] = s->normal[2] = 0;
    if (!(length > 1e-6)) return 0;
    s->normal[0] /= length;
    s->normal[1] /= length;
    return 1;
}
