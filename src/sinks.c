/* sinks.c: what deletes particles - sinks, and walls that delete.
 *
 * Each block is asked after its step whether one of its particles is in a sink; if so, those are taken out before the
 * next step, where they stand: the last particle of a block comes in the place of one that goes,
 *
 *     |a b c d|e f . .|     b goes     |a f c d|e . . .|
 *
 * so that nothing need be sorted for it (in the scene of the hopper sorts were half of all time). The next sort closes
 * what is left of bundles. What has gone too far, or through a wall, goes at the next sort. */
#include "solver.h"

#include <math.h>

/* After a step: the sinks as they stand at its end. */
void firn_sinks_prepare(firn_sim *sim)
{
    const double end = sim->time + sim->dt;
    for (int k = 0; k < sim->n_sinks; k++) {
        firn_sink *sink = &sim->sinks[k];
        sink->is_active = end > sink->def.start && sim->time < sink->def.stop;
        firn_motion_at(&sink->motion, end, sink->def.start, &sink->pose);
    }
}

/* Deleting may come first in a step, and first after a restore: what it deletes follows from the present alone. */
void firn_sinks_place(firn_sim *sim)
{
    for (int k = 0; k < sim->n_sinks; k++) {
        firn_sink *sink = &sim->sinks[k];
        sink->is_active = sim->time > sink->def.start && sim->time <= sink->def.stop;
        firn_motion_at(&sink->motion, sim->time, sink->def.start, &sink->pose);
    }
}

static int is_in_sink(const firn_sim *sim, const firn_sink *sink, const double x[3])
{
    double y[3];
    if (!sink->is_active) return 0;
    firn_pose_to_shape(&sink->pose, x, y);
    return firn_shape_distance(sink->shape, y, sim->time) <= 0;
}

int firn_sinks_delete(const firn_sim *sim, const double x[3])
{
    const firn_grid_def *grid = &sim->scene.grid;
    for (int w = 0; grid->has_box && w < 6; w++) {
        if (grid->walls[w] != FIRN_WALL_DELETE) continue;
        if (w & 1 ? x[w / 2] > grid->box_max[w / 2] : x[w / 2] < grid->box_min[w / 2]) return FIRN_LOST_WALL;
    }
    for (int k = 0; k < sim->n_sinks; k++)
        if (is_in_sink(sim, &sim->sinks[k], x)) return FIRN_LOST_SINK;
    return -1;
}

/* Whether a home block's particles can be in the sink, until they are sorted. */
static int may_reach(const firn_sim *sim, const firn_sink *sink, const int32_t coord[3])
{
    double center[3], y[3];
    for (int a = 0; a < 3; a++) center[a] = (4.0 * coord[a] + 1.5) * sim->h;
    firn_pose_to_shape(&sink->pose, center, y);
    return sink->is_active && firn_shape_distance(sink->shape, y, sim->time) <= 3 * sqrt(3.0) * sim->h;
}

int firn_sinks_may_delete(const firn_sim *sim, const int32_t coord[3])
{
    const firn_grid_def *grid = &sim->scene.grid;
    for (int w = 0; grid->has_box && w < 6; w++) {
        double low = 4.0 * (coord[w / 2] - 1) * sim->h, high = 4.0 * (coord[w / 2] + 2) * sim->h;
        if (grid->walls[w] == FIRN_WALL_DELETE && (w & 1 ? high > grid->box_max[w / 2] : low < grid->box_min[w / 2]))
            return 1;
    }
    for (int k = 0; k < sim->n_sinks; k++)
        if (may_reach(sim, &sim->sinks[k], coord)) return 1;
    return 0;
}

int firn_sinks_reached(const firn_sim *sim, const firn_pool *pool, const firn_pool_block *block)
{
    for (int k = 0; k < sim->n_sinks; k++) {
        const firn_sink *sink = &sim->sinks[k];
        double x[3];
        if (!may_reach(sim, sink, block->coord)) continue;
        for (int p = 0; p < block->n; p++) {
            firn_acts_place(sim, pool, block, p, x);
            if (is_in_sink(sim, sink, x)) return 1;
        }
    }
    return 0;
}

/* ---------------------------------------------------------------- taking out */

static void take_out(firn_pool *pool, firn_pool_block *block, int p, int loss)
{
    const int64_t to = block->first + p / 16, from = block->first + (block->n - 1) / 16;
    const int lane = p % 16, last = (block->n - 1) % 16;
    pool->account.n_lost_by[loss]++;
    pool->account.lost_mass += firn_pool_value(pool, FIRN_FIELD_MASS, to, 0, lane);
    for (int f = 0; f < FIRN_N_FIELDS; f++)
        for (int c = 0; c < pool->n_components[f]; c++) {
            firn_pool_set(pool, f, to, c, lane, firn_pool_value(pool, f, from, c, last));
            firn_pool_set(pool, f, from, c, last, firn_pool_blank(pool, f, c));
        }
    block->n--, pool->n_particles--;
}

/* One block after the other: those that a sink reaches are few, and sums of what is lost have one order. A block that
 * nothing is left in is no home any longer, which is for a sort to say. */
void firn_sinks_drain(firn_sim *sim)
{
    double x[3];
    firn_sinks_place(sim);
    for (int m = 0; m < sim->n_pools; m++)
        for (int32_t b = 0; b < sim->pools[m].n_blocks; b++) {
            firn_pool *pool = &sim->pools[m];
            firn_pool_block *block = &pool->blocks[b];
            if (!firn_sinks_may_delete(sim, block->coord)) continue;
            for (int p = 0; p < block->n;) {
                firn_acts_place(sim, pool, block, p, x);
                const int loss = firn_sinks_delete(sim, x);
                if (loss < 0)
                    p++;
                else
                    take_out(pool, block, p, loss);
            }
            sim->must_sort |= block->n == 0;
        }
    sim->must_drain = sim->has_reports = 0; /* reports speak of what has gone, too */
}
