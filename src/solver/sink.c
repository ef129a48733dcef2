/* SPDX-License-Identifier: MIT */
/* sink.c: what deletes particles - sinks, and walls of type delete - asked of one point.
 *
 * A sink deletes a particle that was inside at any time of a step: its path relative to the moving
 * sink is traced (sphere tracing, as in point_collision.c), so that no particle passes, at any
 * thickness and speed.
 *
 * Sinks act twice: on moved particles at the end of a step (firn_sinks_take), and on all particles
 * at a sort (firn_sinks_delete), which covers bodies that are created inside a sink, and walls. */
#include "solver/sink.h"
#include "solver/sim.h"

#include <math.h>

firn_status firn_sinks_create(firn_sim *sim, firn_messages *messages)
{
    const firn_scene_def *scene = &sim->scene;
    sim->sinks = firn_memory_array(&sim->memory, (size_t)scene->n_sinks, sizeof *sim->sinks);
    if (!sim->sinks) return firn_messages_no_memory(messages, "sinks");
    for (int k = 0; k < scene->n_sinks; k++) {
        firn_sink *sink = &sim->sinks[k];
        sink->def = scene->sinks[k];
        sim->n_sinks = k + 1;
        if (firn_motion_create(&sink->def.motion, &sim->memory, &sink->motion) != FIRN_OK)
            return firn_messages_no_memory(messages, "keys of sink '%s'", sink->def.name);
        firn_status status = firn_shape_create(
            sink->def.n_shapes, sink->def.shapes,
            (firn_shape_need){0, sim->h, .memory = sim->memory.limit}, &sink->shape, messages);
        if (status != FIRN_OK)
            return firn_messages_add(messages, status, "sink '%s': cannot be used, see above",
                                     sink->def.name);
        sink->speed = firn_shape_speed(sink->shape);
        sink->lipschitz = firn_shape_voxel(sink->shape) > 0 ? sqrt(3) : 1;
    }
    return FIRN_OK;
}

void firn_sinks_destroy(firn_sim *sim)
{
    for (int k = 0; k < sim->n_sinks; k++) {
        firn_motion_destroy(&sim->sinks[k].motion, &sim->memory);
        firn_shape_destroy(sim->sinks[k].shape);
    }
    firn_memory_release(&sim->memory, sim->sinks, (size_t)sim->scene.n_sinks * sizeof *sim->sinks);
}

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

/* Sinks at the present time. A sort comes first in a step, and first after a restore: what it
 * deletes must follow from the state at that time, not from the poses of a step. */
void firn_sinks_place(firn_sim *sim)
{
    for (int k = 0; k < sim->n_sinks; k++) {
        firn_sink *sink = &sim->sinks[k];
        sink->is_active = sim->time > sink->def.start && sim->time <= sink->def.stop;
        firn_motion_at(&sink->motion, sim->time, sink->def.start, &sink->pose);
        sink->pose_before = sink->pose;
    }
}

/* Whether x is inside the sink in its present pose. */
static int is_in_sink(const firn_sim *sim, const firn_sink *sink, const double x[3])
{
    double y[3];
    if (!sink->is_active) return 0;
    firn_pose_to_shape(&sink->pose, x, y);
    return firn_shape_distance(sink->shape, y, sim->time) <= 0;
}

/* Walls first, so that a particle beyond a wall inside a sink counts as lost through the wall. */
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

/* Whether a particle that stays within `radius` (m) of `center` can be in the sink before `time`.
 * In the frame of the sink the center moves by sqrt(path2), points around it by the turn |R' - R|
 * radius besides, and the surface by its speed. */
static int may_reach(const firn_sim *sim, const firn_sink *sink, const double center[3],
                     double radius, double time)
{
    double y[3], before[3], path2 = 0, turn2 = 0;
    if (!sink->is_active) return 0;
    firn_pose_to_shape(&sink->pose, center, y);
    firn_pose_to_shape(&sink->pose_before, center, before);
    for (int a = 0; a < 3; a++) path2 += (y[a] - before[a]) * (y[a] - before[a]);
    for (int i = 0; i < 9; i++)
        turn2 +=
            (sink->pose.R[i] - sink->pose_before.R[i]) * (sink->pose.R[i] - sink->pose_before.R[i]);
    const double reach = radius * (1 + sqrt(turn2)) + sqrt(path2) + sink->speed * sim->dt;
    return firn_shape_distance(sink->shape, y, time) <= sink->lipschitz * reach;
}

int firn_sinks_reach(const firn_sim *sim, const double center[3], double radius, double time)
{
    for (int k = 0; k < sim->n_sinks; k++)
        if (may_reach(sim, &sim->sinks[k], center, radius, time)) return 1;
    return 0;
}

/* Sphere tracing along the path from the place before, in the pose before, to the place now, in the
 * pose now. */
static int is_taken(const firn_sim *sim, const firn_sink *sink, const double before[3],
                    const double x[3])
{
    enum { STEPS = 64 };
    const double end = sim->time + sim->dt, touch = 1e-3 * sim->h;
    double from[3], to[3], path[3], length2 = 0, gone = 0;
    firn_surface_point s;
    if (!sink->is_active) return 0;
    firn_pose_to_shape(&sink->pose, x, to);
    firn_pose_to_shape(&sink->pose_before, before, from);
    firn_shape_distance_query(sink->shape, to, end, &s);
    if (s.distance <= 0) return 1;
    for (int a = 0; a < 3; a++) { /* relative to the deforming surface */
        path[a] = to[a] - from[a] - sim->dt * s.velocity[a];
        length2 += path[a] * path[a];
    }
    const double length = sqrt(length2);
    if (s.distance > sink->lipschitz * length) return 0;
    for (int step = 0; step < STEPS && gone < length; step++) {
        double at[3];
        for (int a = 0; a < 3; a++) at[a] = to[a] - path[a] * (1 - gone / length);
        const double distance = firn_shape_distance(sink->shape, at, end);
        if (distance <= touch) return 1;
        gone += distance;
    }
    return 0;
}

int firn_sinks_take(const firn_sim *sim, const double before[3], const double x[3])
{
    for (int k = 0; k < sim->n_sinks; k++)
        if (is_taken(sim, &sim->sinks[k], before, x)) return 1;
    return 0;
}
