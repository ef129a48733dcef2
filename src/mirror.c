/* mirror.c: mirror walls, exact to the order of the spline. A wall lies on a plane of nodes. The image of the
 * material beyond the wall would add to the nodes inside what the material itself adds to the nodes beyond, so
 *
 *     fold      momentum, force and mass of a node beyond are added to its mirror node, normal component reversed;
 *     unfold    after the grid update the node beyond gets its mirror's velocity, normal component reversed.
 *
 * On the plane itself the two halves meet: tangential momentum and mass double alike, the normal velocity is zero
 * (conditions.c). Several mirror walls fold one after the other, so edges and corners come out right. */
#include "solver.h"

#include <math.h>

typedef struct cell {
    int32_t block;
    int node;
} cell;

/* Node i of global index along the axis mirrored about the plane; -1 block where nothing is active. */
static cell mirror_of(const firn_grid *grid, const int32_t coord[3], int node, int axis, int64_t plane)
{
    int64_t g[3] = {4 * (int64_t)coord[0] + node / 16, 4 * (int64_t)coord[1] + node / 4 % 4,
                    4 * (int64_t)coord[2] + node % 4};
    g[axis] = 2 * plane - g[axis];
    int32_t block[3];
    int in[3];
    for (int a = 0; a < 3; a++) block[a] = (int32_t)(g[a] >> 2), in[a] = (int)(g[a] & 3);
    return (cell){firn_grid_find(grid, block), (in[0] * 4 + in[1]) * 4 + in[2]};
}

static void fold_node(const firn_sim *sim, void *array, cell from, cell to, int axis, int is_fold)
{
    size_t a = ((size_t)from.block * FIRN_BLOCK_NODES + (size_t)from.node) * FIRN_CHANNELS;
    size_t b = ((size_t)to.block * FIRN_BLOCK_NODES + (size_t)to.node) * FIRN_CHANNELS;
    for (int c = 0; c < FIRN_CHANNELS; c++) {
        if (sim->kernels->is_double) {
            double *n = array, sign = c == axis ? -1 : 1;
            if (is_fold)
                n[b + c] += sign * n[a + c];
            else
                n[a + c] = sign * n[b + c];
        } else {
            float *n = array, sign = c == axis ? -1 : 1;
            if (is_fold)
                n[b + c] += sign * n[a + c];
            else
                n[a + c] = sign * n[b + c];
        }
    }
}

/* Nodes beyond a wall, within the reach of particles inside; each has one mirror, so blocks are independent. */
static void each_node_beyond(firn_sim *sim, int w, int is_fold)
{
    const firn_grid_def *def = &sim->scene.grid;
    firn_grid *grid = &sim->grid;
    int axis = w / 2, is_upper = w & 1;
    int64_t plane = llround((is_upper ? def->box_max : def->box_min)[axis] / sim->h);
#pragma omp parallel for schedule(static) num_threads(sim->n_threads)
    for (int32_t b = 0; b < grid->n_blocks; b++) {
        int64_t first = 4 * (int64_t)grid->coord[b][axis];
        if (is_upper ? first + 3 <= plane : first >= plane) continue;
        for (int n = 0; n < FIRN_BLOCK_NODES; n++) {
            int64_t depth = first + (axis == 0 ? n / 16 : axis == 1 ? n / 4 % 4 : n % 4) - plane;
            if (!is_upper) depth = -depth;
            if (depth <= 0 || depth > 3) continue;
            cell from = {b, n}, to = mirror_of(grid, grid->coord[b], n, axis, plane);
            if (to.block < 0) continue;
            fold_node(sim, grid->nodes, from, to, axis, is_fold);
            if (grid->old) fold_node(sim, grid->old, from, to, axis, is_fold);
        }
    }
}

void firn_mirror_fold(firn_sim *sim)
{
    for (int w = 0; sim->scene.grid.has_box && w < 6; w++)
        if (sim->scene.grid.walls[w] == FIRN_WALL_MIRROR) each_node_beyond(sim, w, 1);
}

void firn_mirror_unfold(firn_sim *sim)
{
    for (int w = 5; sim->scene.grid.has_box && w >= 0; w--)
        if (sim->scene.grid.walls[w] == FIRN_WALL_MIRROR) each_node_beyond(sim, w, 0);
}
