/* SPDX-License-Identifier: MIT */
/* sim.c: the life of a simulation: made from a checked scene, stepped by its method, queried,
 * destroyed.
 *
 * Order of creation: grips, materials, colliders, sinks, forces, ledger, method, emission, bodies.
 * The method's storage depends on grips (fields GRIP, START), colliders (field CLEAR) and
 * materials; emission needs the wave speeds of materials; bodies need all of them.
 *
 * Definitions are borrowed for the call: parts copy what they use, and the pointers of the copied
 * scene are cleared at the end. */
#include "solver/sim.h"
#include "base/color.h"
#include "solver/emission.h"
#include "solver/paint.h"
#include "solver/records.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double firn_sim_clock(void) { return omp_get_wtime(); }

double firn_sim_lap(firn_sim *sim, int stage, double since)
{
    double now = firn_sim_clock();
    sim->stage_seconds[stage] += now - since;
    return now;
}

/* ---------------------------------------------------------------- parts */

/* Threads: asked for by options or FIRN_THREADS; else up to all cores, of which the method uses as
 * many as its particles are worth. Results do not depend on it. */
static void choose_threads(firn_sim *sim, const firn_run_options *options)
{
    const char *threads = getenv("FIRN_THREADS");
    const long n = options->n_threads > 0  ? options->n_threads
                   : threads && threads[0] ? strtol(threads, NULL, 10)
                                           : 0;
    const int is_asked = n > 0 && n <= 1024;
    sim->n_threads = is_asked ? (int)n : omp_get_max_threads();
    sim->max_threads = is_asked ? 0 : sim->n_threads;
}

/* All materials are resolved even after an error, so that every message is reported at once. */
static firn_status create_materials(firn_sim *sim, const firn_material *resolved,
                                    firn_messages *messages)
{
    const firn_scene_def *scene = &sim->scene;
    const size_t n = (size_t)scene->n_materials;
    sim->materials = firn_memory_array(&sim->memory, n, sizeof *sim->materials);
    if (!sim->materials && n) return firn_messages_no_memory(messages, "materials");
    for (int m = 0; m < scene->n_materials; m++) {
        const firn_material_def *def = &scene->materials[m];
        firn_sim_material *material = &sim->materials[m];
        material->resolved = resolved[m];
        material->transfer = def->has_transfer ? def->transfer : scene->transfer;
        for (int c = 0; c < 3; c++)
            material->color[c] = (double)firn_color_decode((float)def->color[c]);
        sim->n_materials = m + 1;
    }
    return FIRN_OK;
}

static void destroy_materials(firn_sim *sim)
{
    for (int m = 0; m < sim->n_materials; m++)
        for (int k = 0; k < FIRN_MAX_PARAMETERS; k++)
            firn_memory_release(&sim->memory, sim->materials[m].painted[k],
                                (size_t)sim->materials[m].painted_capacity * sizeof(float));
    firn_memory_release(&sim->memory, sim->materials,
                        (size_t)sim->scene.n_materials * sizeof *sim->materials);
}

static firn_status create_ledger(firn_sim *sim, firn_messages *messages)
{
    const size_t n = (size_t)firn_sim_n_boundaries(sim);
    sim->total = firn_memory_array(&sim->memory, n, sizeof *sim->total);
    sim->last = firn_memory_array(&sim->memory, n, sizeof *sim->last);
    return sim->total && sim->last ? FIRN_OK : firn_messages_no_memory(messages, "ledger");
}

/* ---------------------------------------------------------------- life */

static firn_status create_parts(firn_sim *sim, const firn_scene_def *scene,
                                const firn_scene_parts *parts, const firn_run_options *options,
                                firn_messages *messages)
{
    choose_threads(sim, options);
    if (sim->comm.size > 1 && !sim->method->assemble)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "scene.method: %s does not work on several ranks (%d); try: one "
                                 "rank with as many threads",
                                 sim->method->name, sim->comm.size);
    firn_status status = firn_grips_create(sim, messages);
    if (status == FIRN_OK) status = create_materials(sim, parts->materials, messages);
    if (status == FIRN_OK) status = firn_paint_create(sim, scene, messages);
    if (status == FIRN_OK) status = firn_colliders_create(sim, messages);
    if (status == FIRN_OK) status = firn_sinks_create(sim, messages);
    if (status == FIRN_OK) status = firn_forces_create(sim, messages);
    if (status == FIRN_OK) status = firn_heat_create(sim, messages);
    if (status == FIRN_OK) status = create_ledger(sim, messages);
    if (status == FIRN_OK) status = sim->method->create(sim, options, messages);
    if (status == FIRN_OK) status = firn_emission_create(sim, scene, messages);
    if (status == FIRN_OK) status = firn_populate_bodies(sim, scene, parts->bodies, messages);
    return status;
}

firn_status firn_solver_create(const firn_scene_def *scene, const firn_scene_parts *parts,
                               const firn_run_options *options, const firn_method *method,
                               firn_sim **out, firn_messages *messages)
{
    firn_sim *sim = options->hooks.allocate(options->hooks.user, sizeof *sim);
    if (!sim) return firn_messages_no_memory(messages, "simulation");
    memset(sim, 0, sizeof *sim);
    sim->memory = (firn_memory){.hooks = options->hooks, .limit = options->max_memory};
    sim->comm = options->comm ? *options->comm : firn_comm_single();
    sim->method = method;
    sim->scene = *scene;
    sim->time_def = scene->time;
    sim->h = scene->grid.dx;
    sim->records = firn_records_wanted(scene);
    sim->rates.material = -1;
    sim->rates.particle = -1;
    sim->dt_factor = 1;
    sim->limit = (firn_dt_limit){.criterion = "", .material = "", .particle = -1};
    firn_status status = create_parts(sim, scene, parts, options, messages);

    /* borrowed definitions end here */
    sim->scene.maps = NULL;
    sim->scene.materials = NULL;
    sim->scene.bodies = NULL;
    sim->scene.emitters = NULL;
    sim->scene.colliders = NULL;
    sim->scene.grips = NULL;
    sim->scene.sinks = NULL;
    sim->scene.forces = NULL;
    sim->scene.pressures = NULL;
    sim->scene.heat.walls = NULL;
    sim->scene.heat.sources = NULL;
    sim->scene.outputs = NULL;
    sim->scene.probes = NULL;
    sim->scene.expects = NULL;
    if (status != FIRN_OK) {
        firn_sim_destroy(sim);
        return status;
    }
    *out = sim;
    return FIRN_OK;
}

void firn_sim_destroy(firn_sim *sim)
{
    if (!sim) return;
    const size_t n = (size_t)firn_sim_n_boundaries(sim);
    firn_emission_destroy(sim);
    sim->method->destroy(sim);
    firn_heat_destroy(sim);
    firn_memory_release(&sim->memory, sim->total, n * sizeof *sim->total);
    firn_memory_release(&sim->memory, sim->last, n * sizeof *sim->last);
    firn_paint_destroy(sim);
    firn_colliders_destroy(sim);
    firn_grips_destroy(sim);
    firn_sinks_destroy(sim);
    firn_forces_destroy(sim);
    destroy_materials(sim);
    firn_memory_release(&sim->memory, sim->sources,
                        (size_t)sim->source_capacity * sizeof *sim->sources);
    firn_hooks hooks = sim->memory.hooks;
    hooks.release(hooks.user, sim, sizeof *sim);
}

/* ---------------------------------------------------------------- steps */

/* Peaks of the forces on each material, and on all together. */
static void watch_forces(firn_sim *sim)
{
    const double window = sim->scene.fps > 0 ? FIRN_FORCE_WINDOW / sim->scene.fps : 0;
    firn_ledger_sums all = {0};
    for (int m = 0; m < sim->n_materials; m++) {
        const firn_ledger_sums *own = &sim->materials[m].sums;
        firn_force_peak_step(&sim->materials[m].peak, own, sim->time, window);
        for (int kind = 0; kind < FIRN_N_BOUNDARY_KINDS; kind++)
            for (int a = 0; a < 3; a++) all.impulse[kind][a] += own->impulse[kind][a];
    }
    firn_force_peak_step(&sim->peak, &all, sim->time, window);
}

/* A state that is not finite, or empty after a failed restore, refuses further steps: results would
 * be meaningless without an error. */
firn_status firn_sim_step(firn_sim *sim, double until, firn_messages *messages)
{
    if (!sim) return firn_messages_add(messages, FIRN_USAGE, "firn_sim_step: sim is NULL");
    if (!(until > sim->time)) return FIRN_OK;
    if (sim->is_spoiled)
        return firn_messages_add(
            messages, FIRN_STOPPED,
            "firn_sim_step: the last step left a state that is not finite (t = %.9g s); "
            "try: restore an earlier state",
            sim->time);
    if (sim->is_empty)
        return firn_messages_add(
            messages, FIRN_STOPPED,
            "firn_sim_step: the simulation is empty after a failed restore; try: restore a "
            "complete state");
    firn_records_begin(sim, until);
    firn_status status = sim->method->step(sim, until, messages);
    if (status == FIRN_OK) watch_forces(sim);
    return status;
}

firn_status firn_sim_advance_to(firn_sim *sim, double until, firn_messages *messages)
{
    firn_status status = FIRN_OK;
    while (status == FIRN_OK && sim && sim->time < until)
        status = firn_sim_step(sim, until, messages);
    return status;
}

/* ---------------------------------------------------------------- queries */

double firn_sim_time(const firn_sim *sim) { return sim->time; }
int firn_sim_n_threads(const firn_sim *sim) { return sim->n_threads; }

const char *firn_sim_variant(const firn_sim *sim) { return sim->method->variant_name(sim); }

int64_t firn_sim_step_count(const firn_sim *sim) { return sim->n_steps; }
int firn_sim_n_materials(const firn_sim *sim) { return sim->n_materials; }

firn_stats firn_sim_stats(const firn_sim *sim)
{
    firn_stats stats = {.limit = sim->limit,
                        .n_steps = sim->n_steps,
                        .n_retries = sim->n_retries,
                        .n_sorts = sim->n_sorts,
                        .n_particles = firn_sim_n_particles(sim),
                        .memory_now = sim->memory.now,
                        .memory_peak = sim->memory.peak};
    for (int m = 0; m < sim->n_materials; m++) {
        stats.n_lost += firn_ledger_sums_n_lost(&sim->materials[m].sums);
        for (int kind = 0; kind < FIRN_N_BOUNDS; kind++)
            stats.n_bounded[kind] += sim->materials[m].sums.n_bounded[kind];
    }
    stats.n_inverted = stats.n_bounded[FIRN_BOUND_INVERTED];
    memcpy(stats.stage_seconds, sim->stage_seconds, sizeof stats.stage_seconds);
    sim->method->stats(sim, &stats);
    return stats;
}

const char *firn_stage_name(int stage)
{
    static const char *const names[FIRN_N_STAGES] = {
        "time_step", "sort", "p2g", "grid", "check", "g2p", "law", "diagnose", "heat"};
    return stage >= 0 && stage < FIRN_N_STAGES ? names[stage] : "";
}

/* Force (N) and torque (N m) on the material: minus what the boundary received in the last step,
 * over dt. */
static firn_status reaction_of(const firn_sim *sim, int i, firn_reaction *reaction)
{
    double per_dt = sim->dt > 0 ? 1 / sim->dt : 0;
    for (int a = 0; a < 3; a++) {
        reaction->force[a] = -sim->last[i].impulse[a] * per_dt; /* on the material */
        reaction->torque[a] = -sim->last[i].torque[a] * per_dt;
        reaction->impulse[a] = -sim->total[i].impulse[a];
    }
    return FIRN_OK;
}

firn_status firn_sim_collider_reaction(const firn_sim *sim, int collider, firn_reaction *reaction)
{
    return collider < 0 || collider >= sim->n_colliders ? FIRN_USAGE
                                                        : reaction_of(sim, collider, reaction);
}

firn_status firn_sim_grip_reaction(const firn_sim *sim, int grip, firn_reaction *reaction)
{
    return grip < 0 || grip >= sim->n_grips ? FIRN_USAGE
                                            : reaction_of(sim, sim->n_colliders + grip, reaction);
}

firn_status firn_sim_view(const firn_sim *sim, int material, const char *field, firn_view *view,
                          firn_messages *messages)
{
    if (!sim) return firn_messages_add(messages, FIRN_USAGE, "firn_sim_view: sim is NULL");
    if (material < 0 || material >= sim->n_materials)
        return firn_messages_add(messages, FIRN_USAGE,
                                 "firn_sim_view: unknown material (%d); allowed: 0 to %d", material,
                                 sim->n_materials - 1);
    for (int f = 0; f < FIRN_N_FIELDS; f++)
        if (strcmp(firn_field_name(f), field) == 0 && !firn_field_is_integer(f) &&
            sim->method->view(sim, material, f, view) == FIRN_OK)
            return FIRN_OK;
    return firn_messages_add(messages, FIRN_USAGE, "firn_sim_view: material '%s' has no field '%s'",
                             sim->materials[material].resolved.name, field);
}

void firn_sim_set_acceleration(firn_sim *sim, firn_acceleration_fn acceleration, void *user)
{
    sim->acceleration = acceleration;
    sim->acceleration_user = user;
}
