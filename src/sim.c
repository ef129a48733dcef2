/* sim.c: a simulation's life - made from definitions, looked at, destroyed. The step itself is step.c. */
#include "budget.h"
#include "color.h"
#include "emission.h"
#include "solver.h"
#include "options.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

static firn_status no_memory(firn_report *report, const char *what)
{
    return firn_report_add(report, FIRN_MEMORY, "no memory for %s; raise --max-memory or make the scene smaller", what);
}

/* ---------------------------------------------------------------- parts */

static firn_status choose_machine(firn_sim *sim, const firn_run_options *options, firn_report *report)
{
    char why[200];
    const char *isa = options->isa[0] ? options->isa : getenv("FIRN_ISA");
    int variant = firn_kernels_choose(isa ? isa : "", sim->scene.is_double, why, sizeof why);
    if (variant < 0) return firn_report_add(report, FIRN_REFUSED, "%s", why);
    sim->variant = (firn_variant)variant, sim->kernels = firn_kernels_find(sim->variant);
    const char *threads = getenv("FIRN_THREADS");
    long n = options->n_threads > 0 ? options->n_threads : threads && threads[0] ? strtol(threads, NULL, 10) : 0;
    int is_asked = n > 0 && n <= 1024;
    sim->n_threads = is_asked ? (int)n : omp_get_max_threads(), sim->max_threads = is_asked ? 0 : sim->n_threads;
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

static firn_status create_pools(firn_sim *sim, firn_report *report)
{
    const firn_scene_def *scene = &sim->scene;
    sim->pools = firn_memory_array(&sim->memory, (size_t)scene->n_materials, sizeof *sim->pools);
    if (!sim->pools) return no_memory(report, "materials");
    firn_status status = FIRN_OK;
    for (int m = 0; m < scene->n_materials; m++) {
        const firn_material_def *def = &scene->materials[m];
        firn_pool *pool = &sim->pools[m];
        firn_status resolved = firn_material_resolve(def, scene->seed, &pool->material, report);
        if (resolved != FIRN_OK) {
            status = resolved;
            continue;
        }
        if (!pool->material.law->kernels[sim->variant].update)
            return firn_report_add(report, FIRN_REFUSED, "law '%s' is not built for %s", def->law,
                                   firn_variant_name(sim->variant));
        pool->transfer = transfer_of_def(sim, def->has_transfer ? &def->transfer : &scene->transfer);
        for (int c = 0; c < 3; c++) pool->color[c] = (double)firn_color_decode((float)def->color[c]);
        sim->keeps_old |= pool->transfer.flip > 0;
        firn_pool_init(pool, &sim->memory, sim->kernels->real_size, sim->n_grips > 0, sim->has_follow);
        sim->n_pools = m + 1;
    }
    return status;
}

static firn_status create_colliders(firn_sim *sim, firn_report *report)
{
    const firn_scene_def *scene = &sim->scene;
    sim->colliders = firn_memory_array(&sim->memory, (size_t)scene->n_colliders, sizeof *sim->colliders);
    if (!sim->colliders) return no_memory(report, "colliders");
    for (int c = 0; c < scene->n_colliders; c++) {
        firn_collider *collider = &sim->colliders[c];
        collider->def = scene->colliders[c];
        sim->has_particle_pass |= collider->def.particle_pass;
        sim->n_colliders = c + 1;
        if (firn_motion_create(&collider->def.motion, &sim->memory, &collider->motion) != FIRN_OK)
            return no_memory(report, "a collider's keys");
        collider->steepness = 1;
        if (collider->def.distance) continue;
        /* a cubic spline reaches two cells */
        firn_status status = firn_shape_create_for(collider->def.n_shapes, collider->def.shapes,
                                                   (firn_shape_need){2.5 * sim->h, sim->h, .memory = sim->memory.limit},
                                                   &collider->shape, report);
        if (status != FIRN_OK)
            return firn_report_add(report, status, "collider '%s' cannot be used: see above", collider->def.name);
        const double sticky = collider->def.touch == FIRN_TOUCH_SURFACE ? firn_shape_stickiness(collider->shape) : 0;
        if (sticky > 0)
            return firn_report_add(report, FIRN_REFUSED,
                                   "collider '%s': touch is 'surface', which is for 'contact: separate' without "
                                   "stickiness, but its shape has painted stickiness up to %g Pa; what sticks touches "
                                   "at the grid. Leave the paint out, or give touch: grid",
                                   collider->def.name, sticky);
        const double voxel = firn_shape_voxel(collider->shape);
        if (voxel > 0) collider->steepness = sqrt(3), collider->blur = 2 * voxel;
        collider->is_rigid = firn_shape_speed_between(collider->shape, -INFINITY, INFINITY) < 0;
        if (!collider->is_rigid) collider->margin = fmin(0.25 * voxel, 0.25 * sim->h);
    }
    for (int m = 0; m < sim->n_pools; m++)
        sim->pools[m].n_components[FIRN_FIELD_CLEAR] = sim->has_particle_pass ? 3 : 0;
    return FIRN_OK;
}

static firn_status create_grips(firn_sim *sim, firn_report *report)
{
    const firn_scene_def *scene = &sim->scene;
    sim->grips = firn_memory_array(&sim->memory, (size_t)scene->n_grips, sizeof *sim->grips);
    if (!sim->grips) return no_memory(report, "grips");
    for (int g = 0; g < scene->n_grips; g++) {
        firn_grip *grip = &sim->grips[g];
        grip->def = scene->grips[g];
        sim->n_grips = g + 1;
        sim->has_pull |= grip->def.mode != FIRN_GRIP_MOTION;
        sim->has_follow |= grip->def.mode == FIRN_GRIP_FOLLOW;
        if (firn_motion_create(&grip->def.motion, &sim->memory, &grip->motion) != FIRN_OK)
            return no_memory(report, "a grip's keys");
        firn_status status =
            firn_shape_create_for(grip->def.n_shapes, grip->def.shapes,
                                  (firn_shape_need){0, sim->h, .memory = sim->memory.limit}, &grip->region, report);
        if (status != FIRN_OK)
            return firn_report_add(report, status, "grip '%s' cannot be used: see above", grip->def.name);
    }
    return FIRN_OK;
}

static firn_status create_sinks(firn_sim *sim, firn_report *report)
{
    const firn_scene_def *scene = &sim->scene;
    sim->sinks = firn_memory_array(&sim->memory, (size_t)scene->n_sinks, sizeof *sim->sinks);
    if (!sim->sinks) return no_memory(report, "sinks");
    for (int k = 0; k < scene->n_sinks; k++) {
        firn_sink *sink = &sim->sinks[k];
        sink->def = scene->sinks[k];
        sim->n_sinks = k + 1;
        if (firn_motion_create(&sink->def.motion, &sim->memory, &sink->motion) != FIRN_OK)
            return no_memory(report, "a sink's keys");
        firn_status status =
            firn_shape_create_for(sink->def.n_shapes, sink->def.shapes,
                                  (firn_shape_need){0, sim->h, .memory = sim->memory.limit}, &sink->shape, report);
        if (status != FIRN_OK)
            return firn_report_add(report, status, "sink '%s' cannot be used: see above", sink->def.name);
        sink->speed = firn_shape_speed(sink->shape);
        sink->steepness = firn_shape_voxel(sink->shape) > 0 ? sqrt(3) : 1;
    }
    return FIRN_OK;
}

static firn_status create_forces(firn_sim *sim, firn_report *report)
{
    const firn_scene_def *scene = &sim->scene;
    sim->forces = firn_memory_array(&sim->memory, (size_t)scene->n_forces, sizeof *sim->forces);
    if (!sim->forces) return no_memory(report, "forces");
    for (int f = 0; f < scene->n_forces; f++) {
        firn_status status = firn_force_create(&scene->forces[f], &sim->memory, &sim->forces[f], report);
        if (status != FIRN_OK) return status;
        sim->forces[f].def.seed += scene->seed;
        sim->n_forces = f + 1;
    }
    return FIRN_OK;
}

static firn_status create_books(firn_sim *sim, firn_report *report)
{
    size_t n = (size_t)firn_solver_n_exchanges(sim);
    sim->chunks = firn_memory_array(&sim->memory, n * FIRN_CHUNKS, sizeof *sim->chunks);
    sim->total = firn_memory_array(&sim->memory, n, sizeof *sim->total);
    sim->last = firn_memory_array(&sim->memory, n, sizeof *sim->last);
    sim->act_of = firn_memory_array(&sim->memory, n, sizeof *sim->act_of);
    sim->summaries = firn_memory_array(&sim->memory, (size_t)sim->n_pools * FIRN_CHUNKS, sizeof *sim->summaries);
    if (!sim->chunks || !sim->total || !sim->last || !sim->act_of || (!sim->summaries && sim->n_pools))
        return no_memory(report, "the ledger");
    for (int e = 0; e < (int)n; e++) {
        firn_giver giver = firn_solver_giver(sim, e);
        int acts = giver == FIRN_GIVER_GRIPS || giver == FIRN_GIVER_FORCES ||
                   (giver == FIRN_GIVER_COLLIDERS && sim->colliders[e].def.particle_pass);
        sim->act_of[e] = acts ? sim->n_acts++ : -1;
    }
    return FIRN_OK;
}

/* ---------------------------------------------------------------- life */

firn_status firn_sim_create(const firn_scene_def *scene, const firn_run_options *options, firn_sim **out,
                            firn_report *report)
{
    firn_run_options defaults = firn_run_options_default();
    if (!out)
        return firn_report_add(report, FIRN_USAGE, "firn_sim_create: there is no place for the simulation (NULL)");
    *out = NULL;
    if (!scene) return firn_report_add(report, FIRN_USAGE, "firn_sim_create: there is no scene (NULL)");
    if (!options) options = &defaults;
    if (options->marker != FIRN_MARKER)
        return firn_report_add(report, FIRN_REFUSED, "run options do not come from firn_run_options_default()");
    firn_status status = firn_definition_check(scene, report);
    if (status == FIRN_OK) status = firn_budget_check(scene, options->max_memory, report);
    if (status != FIRN_OK) return status;
    firn_sim *sim = options->hooks.allocate(options->hooks.user, sizeof *sim);
    if (!sim) return no_memory(report, "a simulation");
    memset(sim, 0, sizeof *sim);
    sim->memory = (firn_memory){.hooks = options->hooks, .limit = options->max_memory};
    sim->scene = *scene, sim->time_def = scene->time, sim->h = scene->grid.dx;
    sim->rate_pool = -1, sim->rate_particle = -1, sim->caution = 1;
    sim->limit = (firn_dt_limit){.criterion = "", .material = "", .particle = -1};
    status = choose_machine(sim, options, report);
    if (status == FIRN_OK) status = create_grips(sim, report);
    if (status == FIRN_OK) status = create_pools(sim, report);
    if (status == FIRN_OK) status = create_colliders(sim, report);
    if (status == FIRN_OK) status = create_sinks(sim, report);
    if (status == FIRN_OK) status = create_forces(sim, report);
    if (status == FIRN_OK) status = create_books(sim, report);
    for (int m = 0; m < sim->n_pools; m++) sim->pools[m].transfer.keeps_old = sim->keeps_old;
    if (sim->kernels) firn_grid_init(&sim->grid, &sim->memory, sim->kernels->real_size, sim->keeps_old);
    if (status == FIRN_OK) status = firn_emission_create(sim, scene, report);
    if (status == FIRN_OK) status = firn_populate_bodies(sim, report);
    /* definitions were borrowed */
    sim->scene.materials = NULL, sim->scene.bodies = NULL, sim->scene.emitters = NULL, sim->scene.colliders = NULL;
    sim->scene.grips = NULL, sim->scene.sinks = NULL, sim->scene.forces = NULL, sim->scene.outputs = NULL,
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
    size_t n = (size_t)firn_solver_n_exchanges(sim);
    firn_emission_destroy(sim);
    for (int m = 0; m < sim->n_pools; m++) firn_pool_clear(&sim->pools[m]);
    firn_memory_release(memory, sim->pools, (size_t)sim->scene.n_materials * sizeof *sim->pools);
    firn_memory_release(memory, sim->chunks, n * FIRN_CHUNKS * sizeof *sim->chunks);
    firn_memory_release(memory, sim->summaries, (size_t)sim->n_pools * FIRN_CHUNKS * sizeof *sim->summaries);
    firn_memory_release(memory, sim->total, n * sizeof *sim->total);
    firn_memory_release(memory, sim->last, n * sizeof *sim->last);
    firn_memory_release(memory, sim->act_of, n * sizeof *sim->act_of);
    firn_memory_release(memory, sim->acts, (size_t)sim->act_capacity * sizeof *sim->acts);
    firn_tally_clear(sim), firn_approach_clear(sim), firn_grasp_clear(sim), firn_near_clear(sim);
    for (int c = 0; c < sim->n_colliders; c++) {
        firn_motion_destroy(&sim->colliders[c].motion, memory);
        firn_shape_destroy(sim->colliders[c].shape);
    }
    firn_memory_release(memory, sim->colliders, (size_t)sim->scene.n_colliders * sizeof *sim->colliders);
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
    firn_memory_release(memory, sim->thread_scratch, sim->scratch_bytes * (size_t)sim->scratch_threads);
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
int firn_sim_n_materials(const firn_sim *sim) { return sim->n_pools; }

int64_t firn_sim_n_particles(const firn_sim *sim)
{
    int64_t n = 0;
    for (int m = 0; m < sim->n_pools; m++) n += sim->pools[m].n_particles;
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
    for (int m = 0; m < sim->n_pools; m++)
        stats.n_lost += firn_pool_n_lost(&sim->pools[m]), stats.n_inverted += sim->pools[m].account.n_inverted;
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
    return collider < 0 || collider >= sim->n_colliders ? FIRN_USAGE : reaction_of(sim, collider, reaction);
}

firn_status firn_sim_grip_reaction(const firn_sim *sim, int grip, firn_reaction *reaction)
{
    return grip < 0 || grip >= sim->n_grips ? FIRN_USAGE : reaction_of(sim, sim->n_colliders + grip, reaction);
}

firn_status firn_sim_view(const firn_sim *sim, int material, const char *field, firn_view *view, firn_report *report)
{
    if (!sim) return firn_report_add(report, FIRN_USAGE, "firn_sim_view: there is no simulation (NULL)");
    if (material < 0 || material >= sim->n_pools)
        return firn_report_add(report, FIRN_USAGE, "there is no material %d; there are %d", material, sim->n_pools);
    const firn_pool *pool = &sim->pools[material];
    for (int f = 0; f < FIRN_N_FIELDS; f++) {
        if (strcmp(firn_field_name(f), field) != 0 || firn_field_is_integer(f) || pool->n_components[f] == 0) continue;
        *view = (firn_view){pool->field[f], sim->kernels->is_double, pool->n_components[f], pool->n_bundles};
        return FIRN_OK;
    }
    return firn_report_add(report, FIRN_USAGE, "material '%s' has no field '%s'", pool->material.name, field);
}

void firn_sim_set_acceleration(firn_sim *sim, firn_acceleration_fn acceleration, void *user)
{
    sim->acceleration = acceleration, sim->acceleration_user = user;
}
