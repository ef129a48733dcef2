/* SPDX-License-Identifier: MIT */
/* scene_check_space.c: maps, what refers to them, and regions and groups of forces. */
#include "scene/scene_check_space.h"
#include "solver/force.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void check_map(firn_complaints *c, const firn_map_def *map)
{
    char path[FIRN_NAME + 32];
    snprintf(path, sizeof path, "maps.%s", map->name);
    if (!(map->from != map->to))
        FIRN_COMPLAIN(c, path, "has the same number for low and high (from and to: %g)", map->from);
    if (!*map->file && *map->attribute) FIRN_COMPLAIN(c, path, "has an attribute and no file");
}

static void check_name(firn_complaints *c, const firn_scene_def *scene, const char *path,
                       const char *name)
{
    firn_known_words known = {.wanted = name};
    for (int i = 0; i < scene->n_maps; i++) firn_complaints_know(&known, scene->maps[i].name);
    if (*name) firn_complaints_word(c, path, "map of this scene", &known);
}

static void check_material(firn_complaints *c, const firn_scene_def *scene,
                           const firn_material_def *def)
{
    char path[3 * FIRN_NAME];
    for (int i = 0; i < def->n_parameters && i < FIRN_MAX_PARAMETERS; i++) {
        snprintf(path, sizeof path, "materials.%s.%s.map", def->name, def->parameters[i].name);
        check_name(c, scene, path, def->parameters[i].map);
    }
    snprintf(path, sizeof path, "materials.%s.color_map", def->name);
    check_name(c, scene, path, def->color_map);
    if (*def->color_map && memcmp(def->color, def->color_high, sizeof def->color) == 0)
        FIRN_COMPLAIN(c, path, "mixes two equal colours; try: color_high other than color");
    snprintf(path, sizeof path, "materials.%s.lumps", def->name);
    const double width = def->lumps.width > 0 ? def->lumps.width : scene->grid.dx;
    if (def->lumps.size > 0 && width > 0.4 * def->lumps.size)
        FIRN_COMPLAIN(c, path,
                      "have weak layers as wide (%g m) as lumps of %g m have no room for; allowed: "
                      "up to 0.4 of their size; try: larger lumps, or a smaller grid.dx",
                      width, def->lumps.size);
}

static void check_force(firn_complaints *c, const firn_scene_def *scene, const firn_force_def *def)
{
    char path[FIRN_NAME + 32];
    const firn_force_info *kind = firn_force_kind_find(def->kind);
    snprintf(path, sizeof path, "forces.%s", def->name);
    const size_t at = firn_complaints_enter(c, path);
    if (kind && kind->needs_shape && !def->n_shapes)
        FIRN_COMPLAIN(c, "shape", "is missing; kind %s follows one", def->kind);
    if (!def->n_shapes && def->falloff > 0)
        FIRN_COMPLAIN(c, "falloff", "has no effect without a shape");
    if (!def->n_shapes && def->motion.n_keys)
        FIRN_COMPLAIN(c, "motion", "has no effect without a shape");
    if (!*def->field.file && *def->field.grid) FIRN_COMPLAIN(c, "field", "has a grid and no file");
    firn_known_words known = {.wanted = def->of};
    for (int i = 0; i < scene->n_bodies; i++) firn_complaints_know(&known, scene->bodies[i].name);
    for (int i = 0; i < scene->n_emitters; i++)
        firn_complaints_know(&known, scene->emitters[i].name);
    for (int i = 0; i < scene->n_materials; i++)
        firn_complaints_know(&known, scene->materials[i].name);
    if (*def->of) firn_complaints_word(c, "of", "body, emitter or material", &known);
    firn_complaints_leave(c, at);
}

void firn_scene_check_space(firn_complaints *c, const firn_scene_def *scene)
{
    for (int i = 0; i < scene->n_maps; i++) check_map(c, &scene->maps[i]);
    for (int i = 0; i < scene->n_materials; i++) check_material(c, scene, &scene->materials[i]);
    for (int i = 0; i < scene->n_forces; i++) check_force(c, scene, &scene->forces[i]);
    for (int i = 0; i < scene->n_bodies; i++) {
        const firn_body_def *body = &scene->bodies[i];
        char path[2 * FIRN_NAME];
        snprintf(path, sizeof path, "bodies.%s.temperature_map", body->name);
        check_name(c, scene, path, body->temperature_map);
        snprintf(path, sizeof path, "bodies.%s.velocity_field", body->name);
        if (!*body->velocity_field.file && *body->velocity_field.grid)
            FIRN_COMPLAIN(c, path, "has a grid and no file");
    }
}
