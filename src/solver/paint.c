/* SPDX-License-Identifier: MIT */
/* paint.c: see paint.h.
 *
 *   parameter   p(x) = base (1 + a n(x / size)) w(x), held in the range of the law's table
 *               base: the particle's own from a file of points, else low + (high - low) share(x) or
 *               the number of a map, else the material's value; a, n: noise in space (map.h);
 *               w: `strength` within width/2 of the faces of lumps, for strengths of the law, else 1
 *   colour      low + (high - low) share(x), in linear light
 *   T, v        of a body: as a parameter; the motion of the body plus the vectors of a file
 *
 * x is the place of birth. Particles of an emitter are born one after the other at few places, so
 * noise and lumps are those at x less the path of the stream so far: a pattern that comes out with it.
 *
 * Values of ids are in arrays by id, so they need neither sorting nor migration; they take 4 bytes
 * for each id that was ever given, of materials that vary. */
#include "solver/paint.h"
#include "base/color.h"
#include "base/random.h"
#include "geometry/vdb/vdb.h"
#include "solver/map.h"
#include "solver/sim.h"

#include <math.h>
#include <string.h>

typedef struct rule { /* of one parameter */
    int k;
    const firn_map *map; /* NULL: none */
    double low, high;    /* NAN: the map's own numbers */
    double noise, size;
    uint64_t seed;
} rule;

typedef struct material_paint {
    int n_rules;
    rule rules[FIRN_MAX_PARAMETERS];
    firn_lumps_def lumps; /* size 0: none; width in m; seed with that of the scene */
    const firn_map *color_map;
    double color_high[3]; /* linear light */
} material_paint;

struct firn_paint {
    int n_maps, n_materials;
    firn_map **maps;
    material_paint *materials;
    float (*colors)[3]; /* per id, linear light; NAN: the material's */
    uint32_t n_colors;
};

/* ---------------------------------------------------------------- creation */

int firn_material_def_varies(const firn_material_def *def)
{
    int varies = def->lumps.size > 0 || *def->color_map;
    for (int i = 0; i < def->n_parameters; i++)
        varies |= *def->parameters[i].map || def->parameters[i].noise_size > 0;
    return varies;
}

static int is_wanted(const firn_scene_def *scene)
{
    int is_wanted = 0;
    for (int m = 0; m < scene->n_materials; m++)
        is_wanted |= firn_material_def_varies(&scene->materials[m]);
    for (int b = 0; b < scene->n_bodies; b++)
        is_wanted |= *scene->bodies[b].temperature_map || *scene->bodies[b].velocity_field.file;
    return is_wanted;
}

static firn_status find_map(const firn_sim *sim, const char *name, const firn_map **map,
                            firn_messages *messages)
{
    *map = NULL;
    for (int i = 0; *name && i < sim->scene.n_maps; i++)
        if (strcmp(sim->scene.maps[i].name, name) == 0) *map = sim->paint->maps[i];
    return *map || !*name
               ? FIRN_OK
               : firn_messages_add(messages, FIRN_REFUSED, "map '%s': there is none", name);
}

static firn_status add_rules(const firn_sim *sim, int m, const firn_material_def *def,
                             material_paint *p, firn_messages *messages)
{
    const firn_law_info *law = &sim->materials[m].resolved.law->info;
    for (int i = 0; i < def->n_parameters; i++) {
        const firn_parameter_def *given = &def->parameters[i];
        if (!*given->map && !(given->noise_size > 0)) continue;
        const int k = firn_material_parameter_index(law, given->name, strlen(given->name));
        rule r = {.k = k,
                  .low = given->low,
                  .high = given->high,
                  .noise = given->noise_size > 0 ? given->noise : 0,
                  .size = given->noise_size,
                  .seed = sim->scene.seed + (uint64_t)(k + 1) * FIRN_RANDOM_STEP};
        if (find_map(sim, given->map, &r.map, messages) != FIRN_OK) return FIRN_REFUSED;
        int at = 0; /* the last word on a parameter counts */
        while (at < p->n_rules && p->rules[at].k != k) at++;
        p->rules[at] = r;
        if (at == p->n_rules) p->n_rules++;
    }
    return FIRN_OK;
}

static firn_status create_material(const firn_sim *sim, int m, firn_messages *messages)
{
    const firn_material_def *def = &sim->scene.materials[m];
    material_paint *p = &sim->paint->materials[m];
    p->lumps = def->lumps;
    p->lumps.seed += sim->scene.seed;
    if (!(p->lumps.width > 0)) p->lumps.width = sim->h;
    for (int c = 0; c < 3; c++)
        p->color_high[c] = (double)firn_color_decode((float)def->color_high[c]);
    firn_status status = add_rules(sim, m, def, p, messages);
    return status == FIRN_OK ? find_map(sim, def->color_map, &p->color_map, messages) : status;
}

firn_status firn_paint_create(firn_sim *sim, const firn_scene_def *scene, firn_messages *messages)
{
    if (!is_wanted(scene)) return FIRN_OK;
    struct firn_paint *paint = firn_memory_allocate(&sim->memory, sizeof *paint);
    sim->paint = paint;
    if (!paint) return firn_messages_no_memory(messages, "what varies in space");
    paint->n_maps = scene->n_maps;
    paint->n_materials = scene->n_materials;
    paint->maps = firn_memory_array(&sim->memory, (size_t)scene->n_maps + 1, sizeof *paint->maps);
    paint->materials =
        firn_memory_array(&sim->memory, (size_t)scene->n_materials + 1, sizeof *paint->materials);
    if (!paint->maps || !paint->materials)
        return firn_messages_no_memory(messages, "what varies in space");
    firn_status status = FIRN_OK;
    for (int i = 0; i < scene->n_maps && status == FIRN_OK; i++)
        status = firn_map_create(&scene->maps[i], scene->seed, sim->memory.limit, &paint->maps[i],
                                 messages);
    for (int m = 0; m < scene->n_materials && status == FIRN_OK; m++)
        status = create_material(sim, m, messages);
    return status;
}

void firn_paint_destroy(firn_sim *sim)
{
    struct firn_paint *paint = sim->paint;
    if (!paint) return;
    for (int i = 0; paint->maps && i < paint->n_maps; i++) firn_map_destroy(paint->maps[i]);
    firn_memory_release(&sim->memory, paint->maps,
                        ((size_t)paint->n_maps + 1) * sizeof *paint->maps);
    firn_memory_release(&sim->memory, paint->materials,
                        ((size_t)paint->n_materials + 1) * sizeof *paint->materials);
    firn_memory_release(&sim->memory, paint->colors,
                        (size_t)paint->n_colors * sizeof *paint->colors);
    firn_memory_release(&sim->memory, paint, sizeof *paint);
    sim->paint = NULL;
}

/* ---------------------------------------------------------------- storage */

/* Grows by halves, so that births of an emitter copy each value a few times at most. */
static uint32_t grown_to(uint32_t now, uint32_t wanted)
{
    const uint64_t more = now ? (uint64_t)now + now / 2 : 0;
    return more > wanted ? (more < UINT32_MAX ? (uint32_t)more : UINT32_MAX) : wanted;
}

firn_status firn_paint_reserve(firn_sim *sim, int material, int k, uint32_t n,
                               firn_messages *messages)
{
    firn_sim_material *of = &sim->materials[material];
    const uint32_t old = of->painted_capacity, used = of->resolved.n_painted;
    const uint32_t wanted = n > old ? grown_to(old, n) : old;
    for (int j = 0; j < FIRN_MAX_PARAMETERS; j++) {
        if (of->painted[j] ? wanted == old : j != k) continue;
        float *grown = firn_memory_array(&sim->memory, wanted, sizeof *grown);
        if (!grown)
            return firn_messages_no_memory(messages, "painted parameters of material '%s'",
                                           of->resolved.name);
        for (uint32_t i = 0; i < wanted; i++)
            grown[i] = of->painted[j] && i < used ? of->painted[j][i] : NAN;
        firn_memory_release(&sim->memory, of->painted[j], (size_t)old * sizeof *grown);
        of->resolved.painted[j] = of->painted[j] = grown;
    }
    of->painted_capacity = wanted;
    if (n > used) of->resolved.n_painted = n;
    return FIRN_OK;
}

static firn_status reserve_colors(firn_sim *sim, uint32_t n, firn_messages *messages)
{
    struct firn_paint *paint = sim->paint;
    if (n <= paint->n_colors) return FIRN_OK;
    const uint32_t wanted = grown_to(paint->n_colors, n);
    float(*grown)[3] = firn_memory_array(&sim->memory, wanted, sizeof *grown);
    if (!grown) return firn_messages_no_memory(messages, "colours of particles");
    for (uint32_t i = 0; i < wanted; i++)
        for (int c = 0; c < 3; c++) grown[i][c] = i < paint->n_colors ? paint->colors[i][c] : NAN;
    firn_memory_release(&sim->memory, paint->colors,
                        (size_t)paint->n_colors * sizeof *paint->colors);
    paint->colors = grown;
    paint->n_colors = wanted;
    return FIRN_OK;
}

/* ---------------------------------------------------------------- values */

static double mapped(const firn_map *map, double low, double high, const double x[3])
{
    return !isfinite(low) || !isfinite(high) ? firn_map_value(map, x)
                                             : low + (high - low) * firn_map_share(map, x);
}

/* Where the pattern of the stream is that comes out at x. */
static void origin_of(const firn_newborn *born, int64_t i, double x[3])
{
    for (int a = 0; a < 3; a++) x[a] = born->x[3 * i + a] - born->drift[a];
}

static void set_parameter(firn_sim *sim, int material, const rule *r, const firn_newborn *born)
{
    firn_sim_material *of = &sim->materials[material];
    const firn_parameter_info *info = &of->resolved.law->info.parameters[r->k];
    const double value = of->resolved.value[r->k];
    float *painted = of->painted[r->k] + born->first_id;
#pragma omp parallel for schedule(static) num_threads(sim->n_threads)
    for (int64_t i = 0; i < born->n; i++) {
        const double *x = born->x + 3 * i, own = (double)painted[i];
        double p = !isnan(own) ? own : r->map ? mapped(r->map, r->low, r->high, x) : value, at[3];
        origin_of(born, i, at);
        if (r->noise > 0) p *= 1 + r->noise * firn_map_noise(at, r->size, 1, r->seed);
        painted[i] = (float)fmax(info->min, fmin(info->max, p));
    }
}

static void weaken(firn_sim *sim, int material, int k, const firn_newborn *born)
{
    firn_sim_material *of = &sim->materials[material];
    const firn_lumps_def *lumps = &sim->paint->materials[material].lumps;
    const double value = of->resolved.value[k], least = of->resolved.law->info.parameters[k].min;
    float *painted = of->painted[k] + born->first_id;
#pragma omp parallel for schedule(static) num_threads(sim->n_threads)
    for (int64_t i = 0; i < born->n; i++) {
        double at[3];
        origin_of(born, i, at);
        if (firn_map_lump_depth(at, lumps->size, lumps->seed) > lumps->width / 2) continue;
        const double p = isnan(painted[i]) ? value : (double)painted[i];
        painted[i] = (float)fmax(least, p * lumps->strength);
    }
}

static void set_colors(firn_sim *sim, int material, const firn_newborn *born)
{
    const material_paint *p = &sim->paint->materials[material];
    const double *low = sim->materials[material].color;
#pragma omp parallel for schedule(static) num_threads(sim->n_threads)
    for (int64_t i = 0; i < born->n; i++) {
        const double s = firn_map_share(p->color_map, born->x + 3 * i);
        for (int c = 0; c < 3; c++)
            sim->paint->colors[born->first_id + (uint32_t)i][c] =
                (float)(low[c] + s * (p->color_high[c] - low[c]));
    }
}

/* Ids may have been given before: to births that failed, or before a restore. */
static void forget(firn_sim *sim, int material, const firn_newborn *born)
{
    const firn_sim_material *of = &sim->materials[material];
    for (int k = 0; k < FIRN_MAX_PARAMETERS; k++)
        for (int64_t i = born->first_id; of->painted[k] && i < born->first_id + born->n; i++)
            if (i < of->resolved.n_painted) of->painted[k][i] = NAN;
}

static firn_status paint_material(firn_sim *sim, int material, const firn_newborn *born,
                                  firn_messages *messages)
{
    if (!born->is_painted) forget(sim, material, born);
    const material_paint *p = &sim->paint->materials[material];
    const firn_law_info *law = &sim->materials[material].resolved.law->info;
    const uint32_t end = born->first_id + (uint32_t)born->n;
    firn_status status = FIRN_OK;
    for (int i = 0; i < p->n_rules && status == FIRN_OK; i++) {
        status = firn_paint_reserve(sim, material, p->rules[i].k, end, messages);
        if (status == FIRN_OK) set_parameter(sim, material, &p->rules[i], born);
    }
    for (int k = 0; p->lumps.size > 0 && k < law->n_parameters && status == FIRN_OK; k++) {
        if (!law->parameters[k].is_strength) continue;
        status = firn_paint_reserve(sim, material, k, end, messages);
        if (status == FIRN_OK) weaken(sim, material, k, born);
    }
    if (status == FIRN_OK && p->color_map) status = reserve_colors(sim, end, messages);
    if (status == FIRN_OK && p->color_map) set_colors(sim, material, born);
    return status;
}

/* ---------------------------------------------------------------- bodies */

static firn_status set_velocities(firn_sim *sim, const firn_body_def *body, firn_newborn *born,
                                  firn_paint_born *own, firn_messages *messages)
{
    const firn_vectors_def *def = &body->velocity_field;
    firn_volume *volume = NULL;
    firn_status status = firn_vdb_read_field(def->file, def->grid, def->scale, 3, sim->memory.limit,
                                             1, &volume, messages);
    if (status != FIRN_OK)
        return firn_messages_add(messages, status,
                                 "body '%s': velocity_field cannot be used, see above", body->name);
    own->v = firn_memory_array(&sim->memory, (size_t)own->n, 3 * sizeof *own->v);
    for (int64_t i = 0; own->v && i < born->n; i++) {
        double C[9], F[9], w[3];
        firn_newborn_state(born, 0, i, own->v + 3 * i, C, F);
        firn_volume_sample(volume, born->x + 3 * i, w);
        for (int a = 0; a < 3; a++) own->v[3 * i + a] += def->factor * w[a];
    }
    firn_volume_destroy(volume);
    if (!own->v) return firn_messages_no_memory(messages, "velocities of body '%s'", body->name);
    born->v = own->v;
    return FIRN_OK;
}

static firn_status set_temperatures(firn_sim *sim, const firn_body_def *body, firn_newborn *born,
                                    firn_paint_born *own, firn_messages *messages)
{
    const firn_map *map;
    if (find_map(sim, body->temperature_map, &map, messages) != FIRN_OK) return FIRN_REFUSED;
    own->T = firn_memory_array(&sim->memory, (size_t)own->n, sizeof *own->T);
    if (!own->T) return firn_messages_no_memory(messages, "temperatures of body '%s'", body->name);
    for (int64_t i = 0; i < born->n; i++) {
        own->T[i] = mapped(map, body->temperature, body->temperature_high, born->x + 3 * i);
        if (!(own->T[i] > 0 && own->T[i] <= 1e5))
            return firn_messages_add(messages, FIRN_REFUSED,
                                     "body '%s': map '%s' gives a temperature of %g K; allowed: "
                                     "above 0, up to 1e5; try: temperature_high",
                                     body->name, body->temperature_map, own->T[i]);
    }
    born->T = own->T;
    return FIRN_OK;
}

firn_status firn_paint_newborn(firn_sim *sim, int material, const char *source, firn_newborn *born,
                               firn_paint_born *own, firn_messages *messages)
{
    *own = (firn_paint_born){.n = born->n};
    if (!sim->paint || !born->n) return FIRN_OK;
    firn_status status = paint_material(sim, material, born, messages);
    for (int b = 0; sim->scene.bodies && b < sim->scene.n_bodies; b++) {
        const firn_body_def *body = &sim->scene.bodies[b];
        if (strcmp(body->name, source) != 0) continue;
        if (status == FIRN_OK && *body->velocity_field.file)
            status = set_velocities(sim, body, born, own, messages);
        if (status == FIRN_OK && *body->temperature_map)
            status = set_temperatures(sim, body, born, own, messages);
    }
    return status;
}

void firn_paint_newborn_drop(firn_sim *sim, firn_paint_born *own)
{
    firn_memory_release(&sim->memory, own->v, (size_t)own->n * 3 * sizeof *own->v);
    firn_memory_release(&sim->memory, own->T, (size_t)own->n * sizeof *own->T);
    own->v = own->T = NULL;
}

/* ---------------------------------------------------------------- readers, saved states */

void firn_paint_color(const firn_sim *sim, int material, uint32_t id, double color[3])
{
    const struct firn_paint *paint = sim->paint;
    const int is_own = paint && id < paint->n_colors && !isnan(paint->colors[id][0]);
    for (int c = 0; c < 3; c++)
        color[c] = is_own ? (double)paint->colors[id][c] : sim->materials[material].color[c];
}

static firn_status pass_values(firn_sim *sim, int m, int k, uint32_t n, firn_walk *w,
                               firn_messages *messages)
{
    if (w->is_reading && firn_paint_reserve(sim, m, k, n, messages) != FIRN_OK) return FIRN_MEMORY;
    firn_walk_pass(w, sim->materials[m].painted[k], (size_t)n * sizeof(float));
    const firn_parameter_info *info = &sim->materials[m].resolved.law->info.parameters[k];
    for (uint32_t i = 0; w->is_reading && !w->is_short && i < n; i++) {
        const double x = (double)sim->materials[m].painted[k][i];
        if (!isnan(x) && !(x >= info->min * (1 - 1e-6) - 1e-30 && x <= info->max * (1 + 1e-6)))
            return firn_messages_add(messages, FIRN_REFUSED,
                                     "saved state: damaged (%s of a particle)", info->name);
    }
    return FIRN_OK;
}

static firn_status pass_material(firn_sim *sim, int m, firn_walk *w, firn_messages *messages)
{
    const firn_sim_material *of = &sim->materials[m];
    struct {
        uint32_t n, mask;
    } head = {of->resolved.n_painted, 0};
    uint32_t mask = 0;
    for (int k = 0; k < FIRN_MAX_PARAMETERS; k++) mask |= (uint32_t)(of->painted[k] != NULL) << k;
    head.mask = mask;
    firn_walk_pass(w, &head, sizeof head);
    if (w->is_short) return FIRN_OK; /* told by the caller */
    const uint32_t all = (uint32_t)((1ull << of->resolved.law->info.n_parameters) - 1);
    if (w->is_reading && (head.n > sim->next_id || (head.mask & ~all) || (head.mask & 1)))
        return firn_messages_add(messages, FIRN_REFUSED, "saved state: damaged (painted values)");
    if (w->is_reading && (size_t)(w->end - w->at) < (size_t)head.n * sizeof(float))
        return w->is_short = 1, FIRN_OK;
    firn_status status = FIRN_OK;
    for (int k = 0; k < FIRN_MAX_PARAMETERS && status == FIRN_OK; k++)
        if (head.mask >> k & 1) status = pass_values(sim, m, k, head.n, w, messages);
    return status;
}

static firn_status pass_colors(firn_sim *sim, firn_walk *w, firn_messages *messages)
{
    uint32_t n = sim->paint->n_colors < sim->next_id ? sim->paint->n_colors : sim->next_id;
    firn_walk_pass(w, &n, sizeof n);
    if (w->is_short) return FIRN_OK;
    if (w->is_reading && n > sim->next_id)
        return firn_messages_add(messages, FIRN_REFUSED, "saved state: damaged (colours)");
    if (w->is_reading && (size_t)(w->end - w->at) < (size_t)n * 12) return w->is_short = 1, FIRN_OK;
    if (w->is_reading && reserve_colors(sim, n, messages) != FIRN_OK) return FIRN_MEMORY;
    firn_walk_pass(w, sim->paint->colors, (size_t)n * sizeof *sim->paint->colors);
    return FIRN_OK;
}

firn_status firn_paint_pass(firn_sim *sim, firn_walk *w, firn_messages *messages)
{
    firn_status status = FIRN_OK;
    if (!sim->paint || !sim->emission) return FIRN_OK;
    for (int m = 0; m < sim->n_materials && status == FIRN_OK; m++)
        status = pass_material(sim, m, w, messages);
    return status == FIRN_OK ? pass_colors(sim, w, messages) : status;
}
