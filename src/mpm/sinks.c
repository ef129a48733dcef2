/* SPDX-License-Identifier: MIT */
/* sinks.c: what deletes particles - sinks, and walls that delete.
 *
 * A sink takes what was in it anywhere on its way through a step, seen from the moving sink:
 * however thin it is and however fast they are, nothing comes through. What it takes goes at the
 * end of the step, where it stands: the last particle of the block comes in its place,
 *
 *     |a b c d|e f . .|     b goes     |a f c d|e . . .|
 *
 * so that nothing need be sorted for it (in the scene of the hopper sorts were half of all
 * time). The next sort closes what is left of bundles; it also takes what was put into a sink,
 * or went through a wall that deletes, or too far. */
#include "solver/solver.h"

#include <math.h>
#include <string.h>

void firn_sinks_prepare(firn_sim *sim)
{
    const double end = sim->time + sim->dt;
    for (int k = 0; k < sim->n_sinks; k++) {
        firn_sink *sink = &sim->sinks[k];
        sink->is_active = end > sink->def.start && sim->time < sink->def.stop;
        firn_motion_at(&sink->motion, sim->time, sink->def.start, &sink->pose_before);
        firn_motion_at(&sink->motion, end, sink->def.start, &sink->pose);
    }
}

/* ---------------------------------------------------------------- between steps */

/* A sort may come first in a step, and first after a restore: what it deletes follows from the
 * present alone. */
void firn_sinks_place(firn_sim *sim)
{
    for (int k = 0; k < sim->n_sinks; k++) {
        firn_sink *sink = &sim->sinks[k];
        sink->is_active = sim->time > sink->def.start && sim->time <= sink->def.stop;
        firn_motion_at(&sink->motion, sim->time, sink->def.start, &sink->pose);
        sink->pose_before = sink->pose;
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
        if (w & 1 ? x[w / 2] > grid->box_max[w / 2] : x[w / 2] < grid->box_min[w / 2])
            return FIRN_LOST_WALL;
    }
    for (int k = 0; k < sim->n_sinks; k++)
        if (is_in_sink(sim, &sim->sinks[k], x)) return FIRN_LOST_SINK;
    return -1;
}

/* Whether a owner block's particles can be in the sink, until they are sorted; 3 sqrt 3 cells
 * around its middle. */
static int may_reach(const firn_sim *sim, const firn_sink *sink, const int32_t coord[3],
                     double time)
{
    double center[3], y[3], before[3], way2 = 0, turn2 = 0;
    if (!sink->is_active) return 0;
    for (int a = 0; a < 3; a++) center[a] = (4.0 * coord[a] + 1.5) * sim->h;
    firn_pose_to_shape(&sink->pose, center, y);
    firn_pose_to_shape(&sink->pose_before, center, before);
    for (int a = 0; a < 3; a++) way2 += (y[a] - before[a]) * (y[a] - before[a]);
    for (int i = 0; i < 9; i++)
        turn2 +=
            (sink->pose.R[i] - sink->pose_before.R[i]) * (sink->pose.R[i] - sink->pose_before.R[i]);
    const double reach =
        3 * sqrt(3.0) * sim->h * (1 + sqrt(turn2)) + sqrt(way2) + sink->speed * sim->dt;
    return firn_shape_distance(sink->shape, y, time) <= sink->steepness * reach;
}

int firn_sinks_may_delete(const firn_sim *sim, const int32_t coord[3])
{
    const firn_grid_def *grid = &sim->scene.grid;
    for (int w = 0; grid->has_box && w < 6; w++) {
        double low = 4.0 * (coord[w / 2] - 1) * sim->h, high = 4.0 * (coord[w / 2] + 2) * sim->h;
        if (grid->walls[w] == FIRN_WALL_DELETE &&
            (w & 1 ? high > grid->box_max[w / 2] : low < grid->box_min[w / 2]))
            return 1;
    }
    for (int k = 0; k < sim->n_sinks; k++)
        if (may_reach(sim, &sim->sinks[k], coord, sim->time)) return 1;
    return 0;
}

/* ---------------------------------------------------------------- in a step */

int firn_sinks_reach(const firn_sim *sim, const int32_t coord[3])
{
    for (int k = 0; k < sim->n_sinks; k++)
        if (may_reach(sim, &sim->sinks[k], coord, sim->time + sim->dt)) return 1;
    return 0;
}

/* Sphere tracing along the particle's way from the beginning of the step, as the sink saw it, to
 * its end. */
static int is_taken(const firn_sim *sim, const firn_sink *sink, const double before[3],
                    const double x[3])
{
    enum { STEPS = 64 };
    const double end = sim->time + sim->dt, touch = 1e-3 * sim->h;
    double from[3], to[3], way[3], length2 = 0, gone = 0;
    firn_surface_point s;
    if (!sink->is_active) return 0;
    firn_pose_to_shape(&sink->pose, x, to);
    firn_pose_to_shape(&sink->pose_before, before, from);
    firn_shape_distance_query(sink->shape, to, end, &s);
    if (s.distance <= 0) return 1;
    for (int a = 0; a < 3; a++) { /* a surface that deforms carries where the way began with it */
        way[a] = to[a] - from[a] - sim->dt * s.velocity[a];
        length2 += way[a] * way[a];
    }
    const double length = sqrt(length2);
    if (s.distance > sink->steepness * length) return 0;
    for (int step = 0; step < STEPS && gone < length; step++) {
        double at[3];
        for (int a = 0; a < 3; a++) at[a] = to[a] - way[a] * (1 - gone / length);
        const double distance = firn_shape_distance(sink->shape, at, end);
        if (distance <= touch) return 1;
        gone += distance;
    }
    return 0;
}

static void take_out(firn_particles *particles, firn_particle_block *block, int p)
{
    const int64_t to = block->first + p / 16, from = block->first + (block->n - 1) / 16;
    const int lane = p % 16, last = (block->n - 1) % 16;
    for (int f = 0; f < FIRN_N_FIELDS; f++)
        for (int c = 0; c < particles->n_components[f]; c++) {
            firn_particles_set(particles, f, to, c, lane,
                               firn_particles_value(particles, f, from, c, last));
            firn_particles_set(particles, f, from, c, last, firn_particles_blank(particles, f, c));
        }
    block->n--;
}

/* From the last particle to the first: what comes into a place has been asked already. */
void firn_sinks_drain(const firn_sim *sim, firn_particles *particles, firn_particle_block *block,
                      const void *before, firn_block_report *report)
{
    for (int p = block->n - 1; p >= 0; p--) {
        double from[3], x[3];
        int is_lost = 0;
        firn_particle_boundary_place(sim, particles, block, p, x);
        firn_particle_boundary_place_of(sim, block, p, before, from);
        for (int k = 0; k < sim->n_sinks && !is_lost; k++)
            is_lost = is_taken(sim, &sim->sinks[k], from, x);
        if (!is_lost) continue;
        report->n_drained++;
        report->drained_mass +=
            firn_particles_value(particles, FIRN_FIELD_MASS, block->first + p / 16, 0, p % 16);
        take_out(particles, block, p);
    }
    report->is_out_of_reach |= block->n == 0; /* no owner any longer, which is for a sort to say */
}
