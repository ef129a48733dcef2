/* SPDX-License-Identifier: MIT */
/* heat.c: sources and wall conditions of a running simulation. */
#include "solver/heat.h"
#include "solver/sim.h"

static firn_status create_sources(firn_sim *sim, firn_messages *messages)
{
    firn_heat *heat = sim->heat;
    const firn_heat_def *def = &sim->scene.heat;
    heat->sources = firn_memory_array(&sim->memory, (size_t)def->n_sources, sizeof *heat->sources);
    if (!heat->sources) return firn_messages_no_memory(messages, "sources of heat");
    for (int i = 0; i < def->n_sources; i++) {
        firn_heat_source *source = &heat->sources[i];
        source->def = def->sources[i];
        heat->n_sources = i + 1;
        if (firn_motion_create(&source->def.motion, &sim->memory, &source->motion) != FIRN_OK)
            return firn_messages_no_memory(messages, "keys of source '%s'", source->def.name);
        firn_status status = firn_shape_create(
            source->def.n_shapes, source->def.shapes,
            (firn_shape_need){0, sim->h, .memory = sim->memory.limit}, &source->shape, messages);
        if (status != FIRN_OK)
            return firn_messages_add(messages, status, "source '%s': cannot be used, see above",
                                     source->def.name);
    }
    return FIRN_OK;
}

/* The reference is the first thermal body's temperature: that of an emitter may be far from it, and
 * is right all the same. */
static double reference_of(const firn_scene_def *scene)
{
    if (scene->n_bodies) return scene->bodies[0].temperature;
    return scene->n_emitters ? scene->emitters[0].temperature : scene->ambient_temperature;
}

firn_status firn_heat_create(firn_sim *sim, firn_messages *messages)
{
    int is_on = 0;
    for (int m = 0; m < sim->n_materials; m++) is_on |= sim->materials[m].resolved.thermal.is_on;
    if (!is_on) return FIRN_OK;
    firn_heat *heat = sim->heat = firn_memory_array(&sim->memory, 1, sizeof *heat);
    if (!heat) return firn_messages_no_memory(messages, "heat");
    *heat = (firn_heat){.def = sim->scene.heat, .reference = reference_of(&sim->scene)};
    for (int w = 0; w < 6; w++) heat->walls[w].wall = -1;
    for (int i = 0; i < heat->def.n_walls; i++)
        heat->walls[heat->def.walls[i].wall] = heat->def.walls[i];
    heat->def.walls = NULL;
    heat->sums = firn_memory_array(&sim->memory, (size_t)sim->n_materials, sizeof *heat->sums);
    if (!heat->sums) return firn_messages_no_memory(messages, "heat");
    return create_sources(sim, messages);
}

void firn_heat_destroy(firn_sim *sim)
{
    firn_heat *heat = sim->heat;
    if (!heat) return;
    for (int i = 0; i < heat->n_sources; i++) {
        firn_motion_destroy(&heat->sources[i].motion, &sim->memory);
        firn_shape_destroy(heat->sources[i].shape);
    }
    firn_memory_release(&sim->memory, heat->sources,
                        (size_t)heat->def.n_sources * sizeof *heat->sources);
    firn_memory_release(&sim->memory, heat->sums, (size_t)sim->n_materials * sizeof *heat->sums);
    firn_memory_release(&sim->memory, heat, sizeof *heat);
    sim->heat = NULL;
}

void firn_heat_place(firn_sim *sim, double time)
{
    for (int i = 0; i < sim->heat->n_sources; i++) {
        firn_heat_source *source = &sim->heat->sources[i];
        source->is_active = time > source->def.start && time <= source->def.stop;
        source->time = time;
        source->density = source->def.density;
        firn_motion_at(&source->motion, time, source->def.start, &source->pose);
    }
}

double firn_heat_source_distance(const firn_heat_source *source, const double x[3])
{
    double y[3];
    firn_pose_to_shape(&source->pose, x, y);
    return firn_shape_distance(source->shape, y, source->time);
}
