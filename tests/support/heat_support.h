/* SPDX-License-Identifier: MIT */
/* heat_support.h: bars along x, one cell across, for problems of heat in one dimension; balls and
 * cubes. No mechanics. T is counted from OFFSET, since temperatures must be above zero. */
#ifndef HEAT_SUPPORT_H
#define HEAT_SUPPORT_H

#include "firn/firn.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAT_OFFSET 300.0

typedef struct heat_scene {
    firn_scene_def scene;
    firn_material_def materials[2];
    firn_body_def bodies[2];
    firn_shape_def shapes[2], source_shape;
    firn_heat_wall_def walls[6];
    firn_heat_source_def source;
    double h, across;
} heat_scene;

static inline void heat_parameter(firn_material_def *m, const char *name, double value)
{
    firn_parameter_def *p = NULL;
    for (int i = 0; i < m->n_parameters; i++)
        if (strcmp(m->parameters[i].name, name) == 0) p = &m->parameters[i];
    if (!p) p = &m->parameters[m->n_parameters++];
    *p = firn_parameter_default();
    snprintf(p->name, sizeof p->name, "%s", name);
    p->value = value;
}

static inline firn_material_def *heat_material(heat_scene *s, double rho, double c, double k)
{
    firn_material_def *m = &s->materials[s->scene.n_materials++];
    *m = firn_material_default();
    snprintf(m->name, sizeof m->name, "m%d", s->scene.n_materials);
    strcpy(m->law, "hencky");
    heat_parameter(m, "rho", rho);
    heat_parameter(m, "heat_capacity", c);
    heat_parameter(m, "conductivity", k);
    s->scene.materials = s->materials;
    return m;
}

static inline void heat_init(heat_scene *s, double h)
{
    memset(s, 0, sizeof *s);
    s->scene = firn_scene_default();
    s->scene.grid.dx = s->h = h;
    s->scene.is_double = 1;
    s->scene.time.mechanics = 0;
    s->scene.ambient_temperature = HEAT_OFFSET;
    for (int a = 0; a < 3; a++) s->scene.gravity[a] = 0;
    s->across = 2;
}

static inline firn_body_def *heat_body(heat_scene *s, const char *kind, double T)
{
    const int i = s->scene.n_bodies++;
    firn_body_def *b = &s->bodies[i];
    firn_shape_def *shape = &s->shapes[i];
    *shape = firn_shape_default();
    strcpy(shape->kind, kind);
    *b = firn_body_default();
    snprintf(b->name, sizeof b->name, "b%d", i + 1);
    strcpy(b->material, s->materials[s->scene.n_materials - 1].name);
    b->shapes = shape;
    b->n_shapes = 1;
    b->sampling = FIRN_REGULAR;
    b->particles_per_cell = s->across * s->across * s->across;
    b->temperature = HEAT_OFFSET + T;
    s->scene.bodies = s->bodies;
    return b;
}

/* The part of a bar from x0 to x1, of the last material. */
static inline firn_body_def *heat_bar(heat_scene *s, double x0, double x1, double T)
{
    firn_body_def *b = heat_body(s, "box", T);
    firn_shape_def *shape = &s->shapes[s->scene.n_bodies - 1];
    firn_grid_def *grid = &s->scene.grid;
    const double low[3] = {x0, 0, 0}, high[3] = {x1, s->h, s->h};
    for (int a = 0; a < 3; a++) {
        shape->center[a] = (low[a] + high[a]) / 2;
        shape->size[a] = high[a] - low[a];
        if (s->scene.n_bodies == 1) grid->box_min[a] = low[a];
        grid->box_max[a] = high[a];
    }
    grid->has_box = 1;
    for (int w = 0; w < 6; w++) grid->walls[w] = FIRN_WALL_MIRROR;
    return b;
}

static inline firn_heat_wall_def *heat_wall(heat_scene *s, int wall, double T)
{
    firn_heat_wall_def *w = &s->walls[s->scene.heat.n_walls++];
    *w = firn_heat_wall_default();
    w->wall = wall;
    w->temperature = HEAT_OFFSET + T;
    s->scene.heat.walls = s->walls;
    return w;
}

/* Ends the program with what is wrong. */
static inline void heat_give_up(const firn_messages *messages)
{
    for (int i = 0; i < firn_messages_total(messages); i++)
        fprintf(stderr, "%s\n", firn_messages_text(messages, i, NULL));
    exit(2);
}

static inline firn_sim *heat_start(heat_scene *s)
{
    firn_sim *sim = NULL;
    firn_messages *messages = firn_messages_create();
    firn_run_options options = firn_run_options_default();
    options.n_threads = 1;
    if (firn_sim_create(&s->scene, &options, &sim, messages) != FIRN_OK) heat_give_up(messages);
    firn_messages_destroy(messages);
    return sim;
}

static inline void heat_go(firn_sim *sim, double until)
{
    firn_messages *messages = firn_messages_create();
    if (firn_sim_advance_to(sim, until, messages) != FIRN_OK) heat_give_up(messages);
    firn_messages_destroy(messages);
}

/* An attribute of all particles, by id. */
static inline double *heat_copy(firn_sim *sim, const char *attribute, int n_components)
{
    const size_t n = (size_t)firn_sim_n_particles(sim) * (size_t)n_components;
    double *values = malloc((n + 1) * sizeof *values);
    firn_messages *messages = firn_messages_create();
    if (!values || firn_sim_copy(sim, attribute, values, n, messages) != FIRN_OK)
        heat_give_up(messages);
    firn_messages_destroy(messages);
    return values;
}

static inline void heat_assign(firn_sim *sim, double (*T)(const double x[3]))
{
    const size_t n = (size_t)firn_sim_n_particles(sim);
    double *x = heat_copy(sim, "P", 3), *values = heat_copy(sim, "T", 1);
    firn_messages *messages = firn_messages_create();
    for (size_t i = 0; i < n; i++) values[i] = HEAT_OFFSET + T(x + 3 * i);
    if (firn_sim_assign(sim, "T", values, n, messages) != FIRN_OK) heat_give_up(messages);
    firn_messages_destroy(messages);
    free(x);
    free(values);
}

static inline firn_ledger heat_ledger(firn_sim *sim)
{
    firn_ledger ledger;
    firn_messages *messages = firn_messages_create();
    if (firn_sim_ledger(sim, -1, &ledger, messages) != FIRN_OK) heat_give_up(messages);
    firn_messages_destroy(messages);
    return ledger;
}

/* What the ledger does not explain, relative to what was exchanged. */
static inline double heat_imbalance(const firn_ledger *l)
{
    const double parts[] = {l->heat_born,         l->heat_conducted, l->heat_colliders,
                            l->heat_surroundings, l->heat_sources,   l->heat_work,
                            -l->heat_lost};
    double sum = -l->thermal_energy, scale = fabs(l->thermal_energy);
    for (int i = 0; i < 7; i++) {
        sum += parts[i];
        scale += fabs(parts[i]);
    }
    return fabs(sum) / scale;
}

/* T (from OFFSET) at x along a bar: linear through the nearest particles on either side, where
 * particles at the same x are averaged. */
static inline double heat_at(firn_sim *sim, double at)
{
    const int64_t n = firn_sim_n_particles(sim);
    double *x = heat_copy(sim, "P", 3), *T = heat_copy(sim, "T", 1), below = -INFINITY,
           above = INFINITY, sum[2] = {0, 0}, count[2] = {0, 0};
    for (int64_t i = 0; i < n; i++) {
        if (x[3 * i] <= at) below = fmax(below, x[3 * i]);
        if (x[3 * i] > at) above = fmin(above, x[3 * i]);
    }
    for (int64_t i = 0; i < n; i++)
        for (int side = 0; side < 2; side++)
            if (fabs(x[3 * i] - (side ? above : below)) < 1e-9) {
                sum[side] += T[i];
                count[side]++;
            }
    const double low = sum[0] / count[0], high = sum[1] / count[1],
                 share = (at - below) / (above - below);
    free(x);
    free(T);
    if (!isfinite(below)) return high - HEAT_OFFSET;
    return (isfinite(above) ? low + share * (high - low) : low) - HEAT_OFFSET;
}

#endif
