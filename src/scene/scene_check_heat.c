/* SPDX-License-Identifier: MIT */
/* scene_check_heat.c: relations of the section `heat` and of temperatures with the rest of a
 * scene. */
#include "scene/scene_check_heat.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const wall_names[] = {"-x", "+x", "-y", "+y", "-z", "+z"};

static void check_wall(firn_complaints *c, const firn_scene_def *scene, int i)
{
    const firn_heat_wall_def *def = &scene->heat.walls[i];
    const firn_grid_def *grid = &scene->grid;
    char path[64];
    snprintf(path, sizeof path, "heat.walls.%d", i);
    if (!grid->has_box) {
        FIRN_COMPLAIN(c, path,
                      "is a condition on a wall that does not exist: the scene has no box; "
                      "try: grid.box_min and grid.box_max");
        return;
    }
    const double place = (def->wall & 1 ? grid->box_max : grid->box_min)[def->wall / 2],
                 at = place / grid->dx;
    const firn_wall kind = grid->walls[def->wall];
    if (kind == FIRN_WALL_OPEN || kind == FIRN_WALL_DELETE || kind == FIRN_WALL_PERIODIC)
        FIRN_COMPLAIN(c, path,
                      "is a condition on the wall %s, which holds no material; "
                      "allowed: stick, slip, separate or mirror",
                      wall_names[def->wall]);
    if (fabs(at - round(at)) > 1e-6)
        FIRN_COMPLAIN(c, path,
                      "puts a condition on the wall %s at %g m, off the nodes; allowed: whole "
                      "multiples of grid.dx",
                      wall_names[def->wall], place);
    if (isinf(def->temperature) && isfinite(def->film))
        FIRN_COMPLAIN(c, path, "has a film coefficient without a temperature");
    if (isinf(def->temperature) && def->flux == 0)
        FIRN_COMPLAIN(c, path, "has neither temperature nor flux");
    if (isfinite(def->temperature) && isinf(def->film) && def->flux != 0)
        FIRN_COMPLAIN(c, path, "has a flux besides a fixed temperature; allowed: one of them");
    for (int k = 0; k < i; k++)
        if (scene->heat.walls[k].wall == def->wall)
            FIRN_COMPLAIN(c, path, "is the second condition on the wall %s", wall_names[def->wall]);
}

static void check_source(firn_complaints *c, const firn_heat_source_def *def)
{
    char path[FIRN_NAME + 32];
    snprintf(path, sizeof path, "heat.sources.%s", def->name);
    if (!def->n_shapes) FIRN_COMPLAIN(c, path, "has no shape");
    if ((def->power != 0) == (def->density != 0))
        FIRN_COMPLAIN(c, path, "needs either power or density");
    if (!(def->start < def->stop)) FIRN_COMPLAIN(c, path, "stops before it starts");
}

static void check_temperature(firn_complaints *c, const char *list, const char *name, double T)
{
    char path[FIRN_NAME + 64];
    snprintf(path, sizeof path, "%s.%s.temperature", list, name);
    if (!(T > 0)) FIRN_COMPLAIN(c, path, "is %g K; allowed: above absolute zero", T);
}

/* The materials of a sound scene: those resolved for the caller, or else by their definitions. */
static int has_capacity(const firn_complaints *c, const firn_scene_def *scene)
{
    for (int m = 0; m < scene->n_materials; m++) {
        firn_material own;
        if (!c->materials && firn_material_resolve(&scene->materials[m], 0, &own, NULL) != FIRN_OK)
            return 1; /* told already */
        if ((c->materials ? &c->materials[m] : &own)->thermal.is_on) return 1;
    }
    return 0;
}

static int asks_for_heat(const firn_scene_def *scene)
{
    const firn_heat_def *heat = &scene->heat;
    int any = heat->film > 0 || heat->n_walls || heat->n_sources || !scene->time.mechanics;
    for (int i = 0; i < scene->n_colliders; i++)
        any |= isfinite(scene->colliders[i].temperature) || scene->colliders[i].heat_flux != 0;
    return any;
}

void firn_scene_check_heat(firn_complaints *c, const firn_scene_def *scene)
{
    const int has_heat = c->status != FIRN_OK || has_capacity(c, scene);
    if (c->status == FIRN_OK && has_heat && strcmp(scene->method, "mpm") != 0 &&
        strcmp(scene->method, "sph_fluid") != 0)
        FIRN_COMPLAIN(c, "scene.method",
                      "is %s, which computes no heat, but a material has a heat_capacity; allowed: "
                      "mpm sph_fluid",
                      scene->method);
    if (c->status == FIRN_OK && has_heat && scene->grid.geometry != 0)
        FIRN_COMPLAIN(c, "grid.geometry",
                      "is plane, for which heat is not computed, but a material has a "
                      "heat_capacity; try: space, one cell deep between mirror walls");
    if (asks_for_heat(scene) && !has_heat)
        FIRN_COMPLAIN(c, "heat",
                      "has no effect: no material has a heat_capacity; try: heat_capacity and "
                      "conductivity of a material");
    for (int i = 0; i < scene->heat.n_walls; i++) check_wall(c, scene, i);
    for (int i = 0; i < scene->heat.n_sources; i++) check_source(c, &scene->heat.sources[i]);
    for (int i = 0; i < scene->n_colliders; i++) {
        const firn_collider_def *def = &scene->colliders[i];
        char path[FIRN_NAME + 64];
        snprintf(path, sizeof path, "colliders.%s.heat_film", def->name);
        if (isinf(def->temperature) && isfinite(def->heat_film))
            FIRN_COMPLAIN(c, path, "is given without a temperature of the collider");
    }
    if (!has_heat) return;
    for (int i = 0; i < scene->n_bodies; i++)
        check_temperature(c, "bodies", scene->bodies[i].name, scene->bodies[i].temperature);
    for (int i = 0; i < scene->n_emitters; i++)
        check_temperature(c, "emitters", scene->emitters[i].name, scene->emitters[i].temperature);
    if (!scene->time.mechanics && scene->n_emitters)
        FIRN_COMPLAIN(c, "time.mechanics", "is false, but the scene has emitters");
}
