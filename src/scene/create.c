/* SPDX-License-Identifier: MIT */
/* create.c: a simulation from a scene: checked, then made by the method that it names. A new
 * method is one entry of the table below. */
#include "mpm/mpm.h"
#include "scene/scene_files.h"
#include "scene/scene_check.h"
#include "scene/scene_schema.h"

#include <string.h>

static const firn_method *const methods[] = {&firn_method_mpm};

firn_status firn_sim_create(const firn_scene_def *scene, const firn_run_options *options,
                            firn_sim **out, firn_messages *messages)
{
    firn_run_options defaults = firn_run_options_default();
    if (!out)
        return firn_messages_add(messages, FIRN_USAGE,
                                 "firn_sim_create: there is no place for the simulation (NULL)");
    *out = NULL;
    if (!scene)
        return firn_messages_add(messages, FIRN_USAGE, "firn_sim_create: there is no scene (NULL)");
    if (!options) options = &defaults;
    if (options->marker != FIRN_MARKER)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "run options do not come from firn_run_options_default()");
    firn_status status = firn_scene_check(scene, messages);
    if (status == FIRN_OK)
        status = firn_scene_files_check_lengths(scene, options->max_memory, messages);
    if (status != FIRN_OK) return status;
    return firn_solver_create(scene, options, methods[0], out, messages);
}
