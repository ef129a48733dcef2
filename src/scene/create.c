/* SPDX-License-Identifier: MIT */
/* create.c: a simulation from a scene: checked, then made by the method that it names. */
#include "base/memory.h"
#include "base/messages.h"
#include "scene/create.h"
#include "scene/methods.h"
#include "scene/scene.h"
#include "scene/scene_check.h"
#include "scene/scene_files.h"
#include "scene/scene_schema.h"
#include "solver/sim.h"

/* The definition of a loaded scene has been checked; any other one is checked here, with its
 * resolved materials in *own. */
static firn_status check(const firn_scene_def *scene, firn_material **own, firn_messages *messages)
{
    *own = NULL;
    if (firn_scene_materials(scene)) return FIRN_OK;
    if (scene->marker != FIRN_MARKER || scene->n_materials < 1)
        return firn_scene_check(scene, messages); /* the number of materials is not to be trusted */
    *own = firn_memory_array(NULL, (size_t)scene->n_materials, sizeof **own);
    if (!*own) return firn_messages_no_memory(messages, "materials");
    return firn_scene_check_located(scene, NULL, NULL, *own, messages);
}

static firn_status create(const firn_scene_def *scene, const firn_run_options *options,
                          firn_body_source *bodies, firn_sim **out, firn_messages *messages)
{
    firn_material *own;
    firn_status status = check(scene, &own, messages);
    if (status == FIRN_OK)
        status = firn_scene_files_check_lengths(scene, options->max_memory, messages);
    const firn_scene_parts parts = {.materials = own ? own : firn_scene_materials(scene),
                                    .bodies = bodies};
    if (status == FIRN_OK)
        status = firn_solver_create(scene, &parts, options, firn_method_find(scene->method), out,
                                    messages);
    if (own) firn_memory_release(NULL, own, (size_t)scene->n_materials * sizeof *own);
    return status;
}

firn_status firn_scene_create_sim(const firn_scene_def *scene, const firn_run_options *options,
                                  firn_body_source *bodies, firn_sim **out, firn_messages *messages)
{
    *out = NULL;
    const firn_status status = create(scene, options, bodies, out, messages);
    for (int i = 0; bodies && i < scene->n_bodies; i++) firn_body_source_close(&bodies[i]);
    return status;
}

firn_status firn_sim_create(const firn_scene_def *scene, const firn_run_options *options,
                            firn_sim **out, firn_messages *messages)
{
    firn_run_options defaults = firn_run_options_default();
    if (!out)
        return firn_messages_add(messages, FIRN_USAGE,
                                 "firn_sim_create: no place for the simulation (NULL)");
    *out = NULL;
    if (!scene) return firn_messages_add(messages, FIRN_USAGE, "firn_sim_create: no scene (NULL)");
    if (!options) options = &defaults;
    if (options->marker != FIRN_MARKER)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "run options: not made by firn_run_options_default()");
    return firn_scene_create_sim(scene, options, NULL, out, messages);
}
