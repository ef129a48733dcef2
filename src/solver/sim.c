/* SPDX-License-Identifier: MIT */
/* sim.c: a simulation's life - made from definitions, looked at, destroyed. The step itself is
 * step.c. */
#include "scene/scene_files.h"
#include "base/color.h"
#include "solver/emission.h"
#include "solver/solver.h"
#include "scene/scene_schema.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

static firn_status no_memory(firn_messages *messages, const char *what)
{
    return firn_messages_add(messages, FIRN_MEMORY,
                             "no memory for %s; raise --max-memory or make the scene smaller",
                             what);
}

/* ---------------------------------------------------------------- parts */

static firn_status choose_machine(firn_sim *sim, const firn_run_options *options,
                                  firn_messages *messages)
{
    char why[200];
    const char *isa = options->isa[0] ? options->isa : getenv("FIRN_ISA");
    int variant = firn_variant_choose(isa ? isa : "", sim->scene.is_double, why, sizeof why);
    if (variant < 0) return firn_messages_add(messages, FIRN_REFUSED, "%s", why);
    sim->variant = (firn_variant)variant;
    sim->kernels = firn_kernels_find(sim->variant);
    const char *threads = getenv("FIRN_THREADS");
    long n = options->n_threads > 0  ? options->n_threads
             : threads && threads[0] ? strtol(threads, NULL, 10)
                                     : 0;
    int is_asked = n > 0 && n <= 1024;
    sim->n_threads = is_asked ? (int)n : omp_get_max_threads();
    sim->max_threads = is_asked ? 0 : sim->n_threads;
    return FIRN_OK;
}

static firn_transfer transfer_of_def(const firn_sim *sim, const firn_transfer_def *def)
{
    int blends = def->scheme == FIRN_FLIP || def->scheme == FIRN_AFLIP;
    return (firn_transfer){
        .h = sim->h,
        .is_quadratic = sim->scene.grid.spline == FIRN_QUADRATIC,
        .is_mls = def->force == FIRN_FORCE_MLS,
        .is_affine = def->scheme == FIRN_APIC || def->scheme == FIRN_AFLIP,
        .flip = blends ? def->flip_blend : 0,
    };
}

static firn_status create_particles(firn_sim *sim, firn_messages *messages)
{
    const firn_scene_def *scene = &sim->scene;
    sim->particles =
        firn_memory_array(&sim->memory, (size_t)scene->n_materials, sizeof *sim->particles);
    if (!sim->particles) return no_memory(messages, "materials");
    firn_status status = FIRN_OK;
    for (int m = 0; m < scene->n_materials; m++) {
        const firn_material_def *def = &scene->materials[m];
        firn_particles *particles = &sim->particles[m];
        firn_status resolved =
            firn_material_resolve(def, scene->seed, &particles->material, messages);
        if (resolved != FIRN_OK) {
            status = resolved;
            continue;
        }
        if (!particles->material.law->kernels[sim->variant].evaluate)
            return firn_messages_add(messages, FIRN_REFUSED, "law '%s' is not built for %s",
                                     def->law, firn_variant_name(sim->variant));
        particles->transfer =
            transfer_of_def(sim, def->has_transfer ? &def->transfer : &scene->transfer);
        for (int c = 0; c < 3; c++)
            particles->color[c] = (double)firn_color_decode((float)def->color[c]);
        sim->keeps_old |= particles->transfer.flip > 0;
        firn_particles_init(particles, &sim->memory, sim->kernels->real_size, sim->n_grips > 0,
                            sim->has_follow);
        sim->n_materials = m + 1;
    }
    return status;
}

static firn_status create_colliders(firn_sim *sim, firn_messages *messages)
{
    const firn_scene_def *scene = &sim->scene;
    sim->colliders =
        firn_memory_array(&sim->memory, (size_t)scene->n_colliders, sizeof *sim->colliders);
    if (!sim->colliders) return no_memory(messages, "colliders");
    for (int c = 0; c < scene->n_colliders; c++) {
        firn_collider *collider = &sim->colliders[c];
        collider->def = scene->colliders[c];
        sim->has_particle_pass |= collider->def.particle_pass;
        sim->n_colliders = c + 1;
        if (firn_motion_create(&collider->def.motion, &sim->memory, &collider->motion) != FIRN_OK)
            return no_memory(messages, "a collider's keys");
        collider->steepness = 1;
        if (collider->def.distance) continue;
        /* a cubic spline reaches two cells */
        firn_status status = firn_shape_create_for(
            collider->def.n_shapes, collider->def.shapes,
            (firn_shape_need){2.5 * sim->h, sim->h, .memory = sim->memory.limit}, &collider->shape,
            messages);
        if (status != FIRN_OK)
            return firn_messages_add(messages, status, "collider '%s' cannot be used: see above",
                                     collider->def.name);
        const double sticky =
            collider->def.touch == FIRN_TOUCH_SURFACE ? firn_shape_stickiness(collider->shape) : 0;
        if (sticky > 0)
            return firn_messages_add(
                messages, FIRN_REFUSED,
                "collider '%s': touch is 'surface', which is for 'contact: separate' without "
                "stickiness, but its shape has painted stickiness up to %g Pa; what sticks touches "
                "at the grid. Leave the paint out, or give touch: grid",
                collider->def.name, sticky);
        const double voxel = firn_shape_voxel(collider->shape);
        if (voxel > 0) {
            collider->steepness = sqrt(3);
            collider->blur = 2 * voxel;
        }
        collider->is_rigid = firn_shape_speed_between(collider->shape, -INFINITY, INFINITY) < 0;
        if (!collider->is_rigid) collider->margin = fmin(0.25 * voxel, 0.25 * sim->h);
    }
    for (int m = 0; m < sim->n_materials; m++)
        sim->particles[m].n_components[FIRN_FIELD_CLEAR] = sim->has_particle_pass ? 3 : 0;
    return FIRN_OK;
}

static firn_status create_grips(firn_sim *sim, firn_messages *messages)
{
    const firn_scene_def *scene = &sim->scene;
    sim->grips = firn_memory_array(&sim->memory, (size_t)scene->n_grips, sizeof *sim->grips);
    if (!sim->grips) return no_memory(messages, "grips");
    for (int g = 0; g < scene->n_grips; g++) {
        firn_grip *grip = &sim->grips[g];
        grip->def = scene->grips[g];
        sim->n_grips = g + 1;
        sim->has_pull |= grip->def.mode != FIRN_GRIP_MOTION;
        sim->has_follow |= grip->def.mode == FIRN_GRIP_FOLLOW;
        if (firn_motion_create(&grip->def.motion, &sim->memory, &grip->motion) != FIRN_OK)
            return no_memory(messages, "a grip's keys");
        firn_status status = firn_shape_create_for(
            grip->def.n_shapes, grip->def.shapes,
            (firn_shape_need){0, sim->h, .memory = sim->memory.limit}, &grip->region, messages);
        if (status != FIRN_OK)
            return firn_messages_add(messages, status, "grip '%s' cannot be used: see above",
                                     grip->def.name);
    }
    return FIRN_OK;
}

static firn_status create_sinks(firn_sim *sim, firn_messages *messages)
{
    const firn_scene_def *scene = &sim->scene;
    sim->sinks = firn_memory_array(&sim->memory, (size_t)scene->n_sinks, sizeof *sim->sinks);
    if (!sim->sinks) return no_memory(messages, "sinks");
    for (int k = 0; k < scene->n_sinks; k++) {
        firn_sink *sink = &sim->sinks[k];
        sink->def = scene->sinks[k];
        sim->n_sinks = k + 1;
        if (firn_motion_create(&sink->def.motion, &sim->memory, &sink->motion) != FIRN_OK)
            return no_memory(messages, "a sink's keys");
        firn_status status = firn_shape_create_for(
            sink->def.n_shapes, sink->def.shapes,
            (firn_shape_need){0, sim->h, .memory = sim->memory.limit}, &sink->shape, messages);
        if (status != FIRN_OK)
            return firn_messages_add(messages, status, "sink '%s' cannot be used: see above",
                                     sink->def.name);
        sink->speed = firn_shape_speed(sink->shape);
        sink->steepness = firn_shape_voxel(sink->shape) > 0 ? sqrt(3) : 1;
    }
    return FIRN_OK;
}

static firn_status create_forces(firn_sim *sim, firn_messages *messages)
{
    const firn_scene_def *scene = &sim->scene;
    sim->forces = firn_memory_array(&sim->memory, (size_t)scene->n_forces, sizeof *sim->forces);
    if (!sim->forces) return no_memory(messages, "forces");
    for (int f = 0; f < scene->n_forces; f++) {
        firn_status status =
            firn_force_create(&scene->forces[f], &sim->memory, &sim->forces[f], messages);
        if (status != FIRN_OK) return status;
        sim->forces[f].def.seed += scene->seed;
        sim->n_forces = f + 1;
    }
    return FIRN_OK;
}

static firn_status create_ledger(firn_sim *sim, firn_messages *messages)
{
    size_t n = (size_t)firn_solver_n_boundaries(sim);
    sim->chunks = firn_memory_array(&sim->memory, n * FIRN_CHUNKS, sizeof *sim->chunks);
    sim->total = firn_memory_array(&sim->memory, n, sizeof *sim->total);
    sim->last = firn_memory_array(&sim->memory, n, sizeof *sim->last);
    sim->act_of = firn_memory_array(&sim->memory, n, sizeof *sim->act_of);
    sim->summaries = firn_memory_array(&sim->memory, (size_t)sim->n_materials * FIRN_CHUNKS,
                                       sizeof *sim->summaries);
    if (!sim->chunks || !sim->total || !sim->last || !sim->act_of ||
        (!sim->summaries && sim->n_materials))
        return no_memory(messages, "the ledger");
    for (int e = 0; e < (int)n; e++) {
        firn_boundary_kind kind = firn_solver_boundary_kind(sim, e);
        int acts = kind == FIRN_BOUNDARY_GRIPS || kind == FIRN_BOUNDARY_FORCES ||
                   (kind == FIRN_BOUNDARY_COLLIDERS && sim->colliders[e].def.particle_pass);
        sim->act_of[e] = acts ? sim->n_acts++ : -1;
    }
    return FIRN_OK;
}

/* ---------------------------------------------------------------- life */

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
    firn_sim *sim = options->hooks.allocate(options->hooks.user, sizeof *sim);
    if (!sim) return no_memory(messages, "a simulation");
    memset(sim, 0, sizeof *sim);
    sim->memory = (firn_memory){.hooks = options->hooks, .limit = options->max_memory};
    sim->scene = *scene;
    sim->time_def = scene->time;
    sim->h = scene->grid.dx;
    sim->rate_material = -1;
    sim->rate_particle = -1;
    sim->dt_factor = 1;
    sim->limit = (firn_dt_limit){.criterion = "", .material = "", .particle = -1};
    status = choose_machine(sim, options, messages);
    if (status == FIRN_OK) status = create_grips(sim, messages);
    if (status == FIRN_OK) status = create_particles(sim, messages);
    if (status == FIRN_OK) status = create_colliders(sim, messages);
    if (status == FIRN_OK) status = create_sinks(sim, messages);
    if (status == FIRN_OK) status = create_forces(sim, messages);
    if (status == FIRN_OK) status = create_ledger(sim, messages);
    for (int m = 0; m < sim->n_materials; m++)
        sim->particles[m].transfer.keeps_old = sim->keeps_old;
    if (sim->kernels)
        firn_grid_init(&sim->grid, &sim->memory, sim->kernels->real_size, sim->keeps_old);
    if (status == FIRN_OK) status = firn_emission_create(sim, scene, messages);
    if (status == FIRN_OK) status = firn_populate_bodies(sim, messages);
    /* definitions were borrowed */
    sim->scene.materials = NULL;
    sim->scene.bodies = NULL;
    sim->scene.emitters = NULL;
    sim->scene.colliders = NULL;
    sim->scene.grips = NULL;
    sim->scene.sinks = NULL;
    sim->scene.forces = NULL;
    sim->scene.outputs = NULL;
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
    firn_memory *memory = &sim->memory;
    size_t n = (size_t)firn_solver_n_boundaries(sim);
    firn_emission_destroy(sim);
    for (int m = 0; m < sim->n_materials; m++) firn_particles_clear(&sim->particles[m]);
    firn_memory_release(memory, sim->particles,
                        (size_t)sim->scene.n_materials * sizeof *sim->particles);
    firn_memory_release(memory, sim->chunks, n * FIRN_CHUNKS * sizeof *sim->chunks);
    firn_memory_release(memory, sim->summaries,
                        (size_t)sim->n_materials * FIRN_CHUNKS * sizeof *sim->summaries);
    firn_memory_release(memory, sim->total, n * sizeof *sim->total);
    firn_memory_release(memory, sim->last, n * sizeof *sim->last);
    firn_memory_release(memory, sim->act_of, n * sizeof *sim->act_of);
    firn_memory_release(memory, sim->acts, (size_t)sim->act_capacity * sizeof *sim->acts);
    firn_impulse_split_clear(sim);
    firn_contact_gap_clear(sim);
    firn_grip_nodes_clear(sim);
    firn_distance_cache_clear(sim);
    for (int c = 0; c < sim->n_colliders; c++) {
        firn_motion_destroy(&sim->colliders[c].motion, memory);
        firn_shape_destroy(sim->colliders[c].shape);
    }
    firn_memory_release(memory, sim->colliders,
                        (size_t)sim->scene.n_colliders * sizeof *sim->colliders);
    for (int g = 0; g < sim->n_grips; g++) {
        firn_motion_destroy(&sim->grips[g].motion, memory);
        firn_shape_destroy(sim->grips[g].region);
    }
    firn_memory_release(memory, sim->grips, (size_t)sim->scene.n_grips * sizeof *sim->grips);
    for (int k = 0; k < sim->n_sinks; k++) {
        firn_motion_destroy(&sim->sinks[k].motion, memory);
        firn_shape_destroy(sim->sinks[k].shape);
    }
    firn_memory_release(memory, sim->sinks, (size_t)sim->scene.n_sinks * sizeof *sim->sinks);
    for (int f = 0; f < sim->n_forces; f++) firn_force_destroy(&sim->forces[f], memory);
    firn_memory_release(memory, sim->forces, (size_t)sim->scene.n_forces * sizeof *sim->forces);
    firn_memory_release(memory, sim->sources, (size_t)sim->source_capacity * sizeof *sim->sources);
    firn_grid_clear(&sim->grid);
    firn_memory_release(memory, sim->spare, sim->spare_bytes);
    firn_memory_release(memory, sim->order, (size_t)sim->order_capacity * sizeof *sim->order);
    firn_memory_release(memory, sim->thread_scratch,
                        sim->scratch_bytes * (size_t)sim->scratch_threads);
    firn_memory_release(memory, sim->shares, (size_t)sim->share_capacity * sizeof *sim->shares);
    firn_memory_release(memory, sim->reports, (size_t)sim->report_capacity * sizeof *sim->reports);
    firn_hooks hooks = sim->memory.hooks;
    hooks.release(hooks.user, sim, sizeof *sim);
}

/* ---------------------------------------------------------------- looks */

double firn_sim_time(const firn_sim *sim) { return sim->time; }
int firn_sim_n_threads(const firn_sim *sim) { return sim->n_threads; }

const char *firn_sim_variant(const firn_sim *sim) { return firn_variant_name(sim->variant); }

int64_t firn_sim_step_count(const firn_sim *sim) { return sim->n_steps; }
int firn_sim_n_materials(const firn_sim *sim) { return sim->n_materials; }

int64_t firn_sim_n_particles(const firn_sim *sim)
{
    int64_t n = 0;
    for (int m = 0; m < sim->n_materials; m++) n += sim->particles[m].n_particles;
    return n;
}

firn_stats firn_sim_stats(const firn_sim *sim)
{
    firn_stats stats = {.limit = sim->limit,
                        .n_steps = sim->n_steps,
                        .n_retries = sim->n_retries,
                        .n_sorts = sim->n_sorts,
                        .n_particles = firn_sim_n_particles(sim),
                        .n_blocks = sim->grid.n_blocks,
                        .memory_now = sim->memory.now,
                        .memory_peak = sim->memory.peak};
    for (int m = 0; m < sim->n_materials; m++) {
        stats.n_lost += firn_particles_n_lost(&sim->particles[m]);
        stats.n_inverted += sim->particles[m].sums.n_inverted;
    }
    memcpy(stats.stage_seconds, sim->stage_seconds, sizeof stats.stage_seconds);
    return stats;
}

const char *firn_stage_name(int stage)
{
    static const char *const names[FIRN_N_STAGES] = {"timestep", "sort", "judge", "p2g",
                                                     "grid",     "g2p",  "law",   "diagnose"};
    return stage >= 0 && stage < FIRN_N_STAGES ? names[stage] : "";
}

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
    if (!sim)
        return firn_messages_add(messages, FIRN_USAGE,
                                 "firn_sim_view: there is no simulation (NULL)");
    if (material < 0 || material >= sim->n_materials)
        return firn_messages_add(messages, FIRN_USAGE, "there is no material %d; there are %d",
                                 material, sim->n_materials);
    const firn_particles *particles = &sim->particles[material];
    for (int f = 0; f < FIRN_N_FIELDS; f++) {
        if (strcmp(firn_field_name(f), field) != 0 || firn_field_is_integer(f) ||
            particles->n_components[f] == 0)
            continue;
        *view = (firn_view){particles->field[f], sim->kernels->is_double,
                            particles->n_components[f], particles->n_bundles};
        return FIRN_OK;
    }
    return firn_messages_add(messages, FIRN_USAGE, "material '%s' has no field '%s'",
                             particles->material.name, field);
}

void firn_sim_set_acceleration(firn_sim *sim, firn_acceleration_fn acceleration, void *user)
{
    sim->acceleration = acceleration;
    sim->acceleration_user = user;
}
