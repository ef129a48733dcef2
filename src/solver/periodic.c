/* SPDX-License-Identifier: MIT */
/* periodic.c: what is refused and what is warned of at the start of a scene with periodic walls.
 *
 * Particles and nodes are identified a period apart. Shapes are not: colliders, sinks, grips and
 * forces are where their definitions put them, in the box alone. A collider that crosses a periodic
 * wall is therefore cut off there, unless its distance is the same on both walls (a floor along the
 * axis, or a second shape a period away). */
#include "solver/periodic.h"

firn_status firn_periodic_check_body(const firn_sim *sim, const char *name, int64_t n,
                                     const double *x, firn_messages *messages)
{
    const firn_grid_def *grid = &sim->scene.grid;
    for (int a = 0; a < 3; a++) {
        const double period = grid->box_max[a] - grid->box_min[a];
        double low = INFINITY, high = -INFINITY;
        if (!firn_grid_def_repeats(grid, a)) continue;
        for (int64_t i = 0; i < n; i++) {
            low = fmin(low, x[3 * i + a]);
            high = fmax(high, x[3 * i + a]);
        }
        if (n && high - low > period * (1 - 1e-9))
            return firn_messages_add(
                messages, FIRN_REFUSED,
                "body '%s': is longer than the period along %c and would overlap itself (%g m); "
                "allowed: up to %g m",
                name, "xyz"[a], high - low, period);
    }
    return FIRN_OK;
}

/* Whether material at a wall meets another surface than at the opposite wall: distances that differ
 * by more than a hundredth of a cell, within the two cells in which nodes see them. Places: 24 x 24
 * of the wall. */
static int differs(const firn_sim *sim, const firn_collider *c, int axis)
{
    enum { PLACES = 24 };
    const firn_grid_def *grid = &sim->scene.grid;
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (int i = 0; i < PLACES * PLACES; i++) {
        double x[3], d[2];
        x[u] =
            grid->box_min[u] + (i / PLACES + 0.5) / PLACES * (grid->box_max[u] - grid->box_min[u]);
        x[v] =
            grid->box_min[v] + (i % PLACES + 0.5) / PLACES * (grid->box_max[v] - grid->box_min[v]);
        for (int k = 0; k < 2; k++) {
            x[axis] = k ? grid->box_max[axis] : grid->box_min[axis];
            d[k] = firn_contact_distance(c, x, sim->time);
        }
        if (fmin(d[0], d[1]) < 2 * sim->h && fabs(d[0] - d[1]) > 0.01 * sim->h) return 1;
    }
    return 0;
}

void firn_periodic_warn_colliders(firn_sim *sim, firn_messages *messages)
{
    const firn_grid_def *grid = &sim->scene.grid;
    if (!firn_grid_def_is_periodic(grid)) return;
    firn_colliders_prepare(sim);
    for (int c = 0; c < sim->n_colliders; c++)
        for (int a = 0; a < 3; a++)
            if (firn_grid_def_repeats(grid, a) && differs(sim, &sim->colliders[c], a))
                firn_messages_warn(
                    messages,
                    "collider '%s': ends at the periodic walls of %c, where its surfaces do not "
                    "meet; colliders are not repeated; try: a second shape %g m away along %c",
                    sim->colliders[c].def.name, "xyz"[a], grid -> box_max[a] - grid -> box_min[a],
                    "xyz"[a]);
}
