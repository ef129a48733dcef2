/* SPDX-License-Identifier: MIT */
/* collider_edges.c: whether material may leak past the nodes of a collider, for `particle_pass:
 * auto`.
 *
 * Nodes hold material off where they lie in the collider within reach of its particles. At a convex
 * edge, a corner, or a strong curvature there are too few of them, in a thin wall they belong to
 * both sides: particles get up to 1.5 cells deep. Both show in the distance itself. From a point p
 * of the surface two cells inwards along the normal,
 *
 *     depth(p - 2 h n) < 3/4 of 2 h
 *
 * where the collider is thinner than that, or another face is nearer: an edge at angle 90 degrees
 * has depth 0 to .71, one of 135 degrees .71; a sphere of more than two cells has 1, and so has a
 * plane. Surface points come from a lattice of h or, for a large collider, of a 256th of its size:
 * lattice points outside an edge have their nearest point on it. */
#include "solver/collider_edges.h"

#include <math.h>

enum { MOST_ROWS = 256 };
static const double DEPTH = 2, SHARE = 0.75; /* cells; of it */

static int is_thin_below(const firn_shape *shape, const double x[3], double h)
{
    firn_surface_point s;
    double y[3];
    firn_shape_query(shape, x, 0, &s);
    for (int a = 0; a < 3; a++) y[a] = x[a] - (s.distance + DEPTH * h) * s.normal[a];
    return firn_shape_distance(shape, y, 0) > -SHARE * DEPTH * h;
}

/* The part of space to look at: the bounds of the shape, within walls that hold material in. */
static int find_region(const firn_collider *c, const firn_grid_def *grid, int moves, double h,
                       double low[3], double high[3])
{
    firn_shape_bounds(c->shape, low, high);
    for (int a = 0; a < 3; a++) {
        low[a] -= h;
        high[a] += h;
        for (int up = 0; up < 2 && grid->has_box && !moves; up++) {
            const firn_wall wall = grid->walls[2 * a + up];
            if (wall == FIRN_WALL_OPEN) continue;
            if (up)
                high[a] = fmin(high[a], grid->box_max[a]);
            else
                low[a] = fmax(low[a], grid->box_min[a]);
        }
        if (!(isfinite(low[a]) && isfinite(high[a])) || !(low[a] < high[a])) return 0;
    }
    return 1;
}

int firn_collider_has_edges(const firn_collider *c, const firn_grid_def *grid)
{
    const firn_motion_def *motion = &c->def.motion;
    const double h = grid->dx;
    double low[3], high[3], step = h, x[3];
    int moves = motion->n_keys > 0;
    for (int a = 0; a < 3; a++) moves |= motion->velocity[a] != 0 || motion->spin[a] != 0;
    if (!find_region(c, grid, moves, h, low, high)) return 0;
    for (int a = 0; a < 3; a++) step = fmax(step, (high[a] - low[a]) / MOST_ROWS);

    /* offsets keep the lattice off the planes on which faces often lie */
    for (x[0] = low[0] + 0.37 * step; x[0] <= high[0]; x[0] += step)
        for (x[1] = low[1] + 0.43 * step; x[1] <= high[1]; x[1] += step)
            for (x[2] = low[2] + 0.29 * step; x[2] <= high[2];) {
                const double d = fabs(firn_shape_distance(c->shape, x, 0));
                if (d <= step && is_thin_below(c->shape, x, h)) return 1;
                x[2] += fmax(step, 0.5 * d); /* distances between voxels: L = sqrt 3 */
            }
    return 0;
}
