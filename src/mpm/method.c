/* SPDX-License-Identifier: MIT */
/* method.c: the material point method as an entry of the table of methods (solver/method.h):
 * creation of its state, and particles in metres and fields by name for readers outside of mpm/.
 *
 * Invariants: particles outside of a step stand in owner blocks of the present grid unless
 * must_sort is set; X is stored in cells of the owner block and converted here; padding lanes are
 * never visible, as readers go by block_size. */
#include "mpm/pressure.h"
#include "mpm/implicit.h"
#include "mpm/block_loops.h"
#include "mpm/block_places.h"
#include "mpm/heat.h"
#include "mpm/ledger.h"
#include "mpm/mpm.h"
#include "mpm/plane.h"
#include "mpm/populate.h"
#include "mpm/ranks.h"
#include "mpm/save.h"
#include "mpm/sort.h"
#include "mpm/stability.h"
#include "mpm/step.h"
#include "mpm/transfer_damping.h"
#include "mpm/workspace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- life */

static firn_status choose_kernels(firn_sim *sim, const firn_run_options *options,
                                  firn_messages *messages)
{
    char why[200];
    const char *isa = options->isa[0] ? options->isa : getenv("FIRN_ISA");
    int variant = firn_variant_choose(isa ? isa : "", sim->scene.is_double, why, sizeof why);
    if (variant < 0) return firn_messages_add(messages, FIRN_REFUSED, "%s", why);
    sim->variant = (firn_variant)variant;
    sim->mpm->kernels = firn_kernels_find(sim->variant);
    return FIRN_OK;
}

/* Schemes: PIC (flip 0), FLIP (blend), APIC (affine), AFLIP (affine and blend). Forces: true
 * gradients of the spline, or moving least squares. */
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
    struct firn_mpm *mpm = sim->mpm;
    const size_t n = (size_t)sim->n_materials;
    mpm->particles = firn_memory_array(&sim->memory, n, sizeof *mpm->particles);
    if (!mpm->particles && n) return firn_messages_no_memory(messages, "materials");
    for (int m = 0; m < sim->n_materials; m++) {
        firn_particles *particles = &mpm->particles[m];
        firn_sim_material *material = &sim->materials[m];
        if (!material->resolved.law->kernels[sim->variant].evaluate)
            return firn_messages_add(
                messages, FIRN_REFUSED, "law '%s': not built for instruction set %s",
                material->resolved.law->info.name, firn_variant_name(sim->variant));
        particles->material = material;
        particles->transfer = transfer_of_def(sim, &material->transfer);
        particles->at_rest = firn_stability_of_law(&material->resolved);
        firn_stability_set(&particles->transfer, &particles->at_rest, sim->time_def.cfl);
        const int is_per_time = firn_transfer_damping_is_per_time(&material->transfer),
                  is_apic = material->transfer.scheme == FIRN_APIC;
        mpm->has_flip |= particles->transfer.flip > 0 || (is_per_time && !is_apic);
        mpm->keeps_affine |= is_per_time && is_apic;
        mpm->keeps_old |= mpm->has_flip || mpm->keeps_affine;
        firn_particles_init(particles, &sim->memory, mpm->kernels->real_size, sim->n_grips > 0,
                            sim->has_follow, sim->has_particle_pass,
                            firn_grid_def_is_periodic(&sim->scene.grid),
                            sim->scene.heat.scheme == FIRN_HEAT_APIC, sim->records);
    }
    for (int m = 0; m < sim->n_materials; m++)
        mpm->particles[m].transfer.keeps_old = mpm->keeps_old;
    return FIRN_OK;
}

/* Boundaries that act on particles (grips, forces, colliders with a second pass, and walls against
 * these) get a column of `impulses`; impulse_of maps boundary to column. */
static firn_status create_boundary(firn_sim *sim, firn_messages *messages)
{
    struct firn_mpm *mpm = sim->mpm;
    const size_t n = (size_t)firn_sim_n_boundaries(sim);
    mpm->chunks = firn_memory_array(&sim->memory, n * FIRN_CHUNKS, sizeof *mpm->chunks);
    mpm->impulse_of = firn_memory_array(&sim->memory, n, sizeof *mpm->impulse_of);
    mpm->summaries = firn_memory_array(&sim->memory, (size_t)sim->n_materials * FIRN_CHUNKS,
                                       sizeof *mpm->summaries);
    if (!mpm->chunks || !mpm->impulse_of || (!mpm->summaries && sim->n_materials))
        return firn_messages_no_memory(messages, "ledger");
    for (int e = 0; e < (int)n; e++) {
        firn_boundary_kind kind = firn_sim_boundary_kind(sim, e);
        int on_particles =
            (kind == FIRN_BOUNDARY_GRIPS && e < firn_sim_emitters(sim)) ||
            kind == FIRN_BOUNDARY_FORCES ||
            (kind == FIRN_BOUNDARY_WALLS && (sim->has_particle_pass || sim->n_grips)) ||
            (kind == FIRN_BOUNDARY_COLLIDERS && sim->colliders[e].def.particle_pass);
        mpm->impulse_of[e] = on_particles ? mpm->n_impulses++ : -1;
    }
    return FIRN_OK;
}

/* Node 0 of a periodic axis is at the lower end of the box, so that its blocks fill the period
 * (scene_check.c asks for whole blocks). */
static void create_grid(firn_sim *sim)
{
    const firn_grid_def *def = &sim->scene.grid;
    int32_t n_around[3];
    for (int a = 0; a < 3; a++) {
        const int is_periodic = firn_grid_def_repeats(def, a);
        n_around[a] =
            is_periodic ? (int32_t)lround((def->box_max[a] - def->box_min[a]) / (4 * sim->h)) : 0;
        const int has_mirror = def->has_box && (def->walls[2 * a] == FIRN_WALL_MIRROR ||
                                                def->walls[2 * a + 1] == FIRN_WALL_MIRROR);
        sim->mpm->origin[a] = is_periodic  ? def->box_min[a]
                              : has_mirror ? 0
                                           : def->shift[a] * sim->h;
    }
    if (firn_plane_is(sim)) sim->mpm->origin[2] = -firn_plane_place() * sim->h;
    firn_grid_init(&sim->mpm->grid, &sim->memory, sim->mpm->kernels->real_size, sim->mpm->keeps_old,
                   n_around);
}

static firn_status create(firn_sim *sim, const firn_run_options *options, firn_messages *messages)
{
    sim->mpm = firn_memory_array(&sim->memory, 1, sizeof *sim->mpm);
    if (!sim->mpm) return firn_messages_no_memory(messages, "simulation");
    memset(sim->mpm, 0, sizeof *sim->mpm);
    sim->mpm->integrator = firn_integrator_find(sim->time_def.integrator);
    if (sim->mpm->integrator) sim->implicit_use = sim->mpm->integrator->is_implicit;
    firn_status status = choose_kernels(sim, options, messages);
    if (status == FIRN_OK) status = create_particles(sim, messages);
    if (status == FIRN_OK) status = create_boundary(sim, messages);
    if (status == FIRN_OK) status = firn_ranks_create(sim, messages);
    if (status == FIRN_OK) status = firn_pressure_create(sim, &sim->scene, messages);
    if (sim->mpm->kernels) create_grid(sim);
    return status;
}

static void destroy(firn_sim *sim)
{
    struct firn_mpm *mpm = sim->mpm;
    firn_memory *memory = &sim->memory;
    if (!mpm) return;
    firn_ranks_disperse(sim);
    firn_ranks_clear(sim);
    const size_t n = (size_t)firn_sim_n_boundaries(sim);
    for (int m = 0; mpm->particles && m < sim->n_materials; m++)
        if (mpm->particles[m].memory) firn_particles_clear(&mpm->particles[m]);
    firn_memory_release(memory, mpm->particles, (size_t)sim->n_materials * sizeof *mpm->particles);
    firn_memory_release(memory, mpm->chunks, n * FIRN_CHUNKS * sizeof *mpm->chunks);
    firn_memory_release(memory, mpm->impulse_of, n * sizeof *mpm->impulse_of);
    firn_memory_release(memory, mpm->summaries,
                        (size_t)sim->n_materials * FIRN_CHUNKS * sizeof *mpm->summaries);
    firn_memory_release(memory, mpm->impulses,
                        (size_t)mpm->impulse_capacity * sizeof *mpm->impulses);
    firn_memory_release(memory, mpm->reports, (size_t)mpm->report_capacity * sizeof *mpm->reports);
    firn_heat_clear(sim);
    firn_pressure_clear(sim);
    if (mpm->kernels) firn_impulse_split_clear(sim);
    firn_block_slots_clear(&mpm->contact_gap.slots, memory);
    firn_contact_points_clear(sim);
    firn_grip_nodes_clear(sim);
    firn_implicit_clear(sim);
    firn_distance_cache_clear(sim);
    firn_grid_clear(&mpm->grid);
    firn_memory_release(memory, mpm->spare, mpm->spare_bytes);
    firn_memory_release(memory, mpm->order, (size_t)mpm->order_capacity * sizeof *mpm->order);
    firn_workspace_clear(sim);
    firn_memory_release(memory, mpm, sizeof *mpm);
    sim->mpm = NULL;
}

static firn_status begin(firn_sim *sim, const firn_id_range *weighed, int n,
                         firn_messages *messages)
{
    firn_status status = firn_sort_particles(sim, messages);
    if (status == FIRN_OK && n) firn_block_loops_weigh(sim, weighed, n);
    if (status == FIRN_OK) firn_block_loops_measure(sim);
    return status;
}

/* ---------------------------------------------------------------- particles as others see them */

static int64_t n_particles(const firn_sim *sim, int material)
{
    return sim->mpm->ranks ? sim->mpm->ranks->n_all[material]
                           : sim->mpm->particles[material].n_particles;
}

static int32_t n_blocks(const firn_sim *sim, int material)
{
    return sim->mpm->particles[material].n_blocks;
}

static int32_t block_size(const firn_sim *sim, int material, int32_t block)
{
    return sim->mpm->particles[material].blocks[block].n;
}

static int n_components(const firn_sim *sim, int material, firn_field field)
{
    return sim->mpm->particles[material].n_components[field];
}

static void read_field(const firn_sim *sim, firn_place at, int n, firn_field field, double *values)
{
    const firn_particles *particles = &sim->mpm->particles[at.material];
    const firn_particle_block *block = &particles->blocks[at.block];
    const int n_components = particles->n_components[field];
    if (n_components == 0)
        memset(values, 0, (size_t)n * (size_t)firn_field_components(field) * sizeof *values);
    for (int i = 0; i < n; i++) {
        const int p = at.index + i;
        for (int c = 0; c < n_components; c++)
            values[i * n_components + c] =
                firn_particles_value(particles, field, block->first + p / 16, c, p % 16);
    }
    for (int i = 0; field == FIRN_FIELD_X && i < 3 * n; i++) {
        values[i] = firn_block_metres(sim, block, i % 3, values[i]);
        values[i] -= firn_block_images(sim, i % 3, values[i]) * firn_mpm_period(sim, i % 3);
    }
    for (int i = 0; field == FIRN_FIELD_IMAGE && n_components && i < 3 * n; i++) {
        const int p = at.index + i / 3;
        const double x =
            firn_particles_value(particles, FIRN_FIELD_X, block->first + p / 16, i % 3, p % 16);
        values[i] += firn_block_images(sim, i % 3, firn_block_metres(sim, block, i % 3, x));
    }
}

static void write_field(firn_sim *sim, firn_place at, firn_field field, int component, double value)
{
    firn_particles *particles = &sim->mpm->particles[at.material];
    const firn_particle_block *block = &particles->blocks[at.block];
    if (field == FIRN_FIELD_X) value = firn_block_cells(sim, block, component, value);
    firn_particles_set(particles, field, block->first + at.index / 16, component, at.index % 16,
                       value);
    if (field == FIRN_FIELD_T && sim->heat)
        firn_heat_particles_begin(sim, particles, block->first + at.index / 16, at.index % 16,
                                  value);
}

/* Newborn particles have no owner block in the grid before a sort. */
static firn_status changed(firn_sim *sim, firn_messages *messages)
{
    const firn_status status = sim->must_sort ? firn_sort_particles(sim, messages) : FIRN_OK;
    if (status == FIRN_OK) firn_block_loops_measure(sim);
    return status;
}

static firn_status view_field(const firn_sim *sim, int material, firn_field field, firn_view *view)
{
    const firn_particles *particles = &sim->mpm->particles[material];
    if (particles->n_components[field] == 0) return FIRN_USAGE;
    *view = (firn_view){particles->field[field], sim->mpm->kernels->is_double,
                        particles->n_components[field], particles->n_bundles};
    return FIRN_OK;
}

static void add_stats(const firn_sim *sim, firn_stats *stats)
{
    const firn_transfer_damping_found found = firn_transfer_damping_find(sim, 8);
    stats->n_blocks = sim->mpm->grid.n_blocks;
    stats->transfer_viscosity = found.numerical;
    stats->own_viscosity = found.own;
}

static const char *variant_name(const firn_sim *sim) { return firn_variant_name(sim->variant); }

const firn_method firn_method_mpm = {
    .name = "mpm",
    .title = "material point method",
    .citation = "D. Sulsky, Z. Chen and H. L. Schreyer, A particle method for history-dependent "
                "materials, Comput. Methods Appl. Mech. Engrg. 118 (1994); C. Jiang et al., The "
                "affine particle-in-cell method, ACM Trans. Graph. 34 (2015)",
    .validity = "large deformation and flow; bodies touch on the grid, about a cell early; pieces "
                "part where particles are drawn more than about a cell apart (numerical fracture)",
    .create = create,
    .destroy = destroy,
    .begin = begin,
    .add = firn_populate_add,
    .step = firn_step,
    .heat_dt = firn_heat_stable_dt,
    .n_particles = n_particles,
    .n_blocks = n_blocks,
    .block_size = block_size,
    .n_components = n_components,
    .read = read_field,
    .write = write_field,
    .changed = changed,
    .view = view_field,
    .ledger = firn_particles_ledger,
    .stats = add_stats,
    .variant_name = variant_name,
    .pass = firn_particles_pass,
    .restored = firn_particles_restored,
    .empty = firn_particles_empty,
    .hash = firn_particles_hash,
    .assemble = firn_ranks_assemble,
    .disperse = firn_ranks_disperse,
};
