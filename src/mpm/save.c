/* SPDX-License-Identifier: MIT */
/* save.c: particles of a material in a saved state: a header, the ledger sums, the blocks, and the
 * fields as stored, padding lanes included.
 *
 * Arrays are in the order that the last sort left, so the grid that is rebuilt around them, and
 * with it every later sum, is the same to the bit. Caches (firn_field_is_cache) are neither saved
 * nor hashed.
 *
 * A state is untrusted: counts are bounded by its remaining size before memory is reserved, and
 * what has been read is checked (save_check.c) before anything is made of it. */
#include "mpm/save.h"
#include "base/hash.h"
#include "mpm/ranks.h"
#include "mpm/save_check.h"
#include "mpm/sort.h"

#include <math.h>
#include <string.h>

typedef struct particles_header {
    char name[FIRN_NAME], law[FIRN_NAME];
    int64_t n_particles, n_bundles;
    int32_t n_blocks, n_history, has_grip, has_start, n_C, space;
    int32_t n_heat, n_records; /* components */
    firn_ledger_sums sums;
} particles_header;

/* Skips C of a state with an affine transfer where the scene's is not, and clears it in the
 * opposite case. */
static void pass_other_C(firn_walk *w, firn_particles *particles)
{
    size_t n = 9 * FIRN_BUNDLE_LANES * particles->real_size * (size_t)particles->n_bundles;
    if (particles->n_components[FIRN_FIELD_C])
        memset(particles->field[FIRN_FIELD_C], 0, n);
    else if ((size_t)(w->end - w->at) < n)
        w->is_short = 1;
    else
        w->at += n;
}

/* n_C: components of C in the state. */
static void pass_particle_data(firn_walk *w, firn_particles *particles, int n_C)
{
    firn_walk_pass(w, particles->blocks, (size_t)particles->n_blocks * sizeof *particles->blocks);
    for (int f = 0; f < FIRN_N_FIELDS; f++) {
        size_t n = particles->n_components[f]
                       ? firn_particles_field_bytes(particles, f, particles->n_bundles)
                       : 0;
        if (f == FIRN_FIELD_C && n_C != particles->n_components[f])
            pass_other_C(w, particles);
        else if (!firn_field_is_cache(f))
            firn_walk_pass(w, particles->field[f], n);
        else if (w->is_reading && n)
            memset(particles->field[f], 0, n);
    }
}

/* Sums are counted up from 0. */
static int are_sound(const firn_ledger_sums *sums)
{
    int is_sound = isfinite(sums->work) && isfinite(sums->friction) && isfinite(sums->plastic) &&
                   isfinite(sums->viscous) && sums->lost_mass >= 0 && isfinite(sums->lost_mass);
    for (int k = 0; k < FIRN_N_BOUNDARY_KINDS; k++)
        for (int a = 0; a < 3; a++) is_sound &= isfinite(sums->impulse[k][a]) != 0;
    for (int bound = 0; bound < FIRN_N_BOUNDS; bound++) is_sound &= sums->n_bounded[bound] >= 0;
    for (int loss = 0; loss < FIRN_N_LOSSES; loss++) is_sound &= sums->n_lost_by[loss] >= 0;
    return is_sound;
}

static int32_t heat_of(const firn_particles *particles)
{
    return particles->n_components[FIRN_FIELD_LIQUID] +
           particles->n_components[FIRN_FIELD_T_GRADIENT];
}

/* The minimum size of a bundle, (3 + 3 + 9 + 6 + 3) = 24 components of 16 floats, bounds n_bundles
 * by the bytes that are left. The header must agree with the scene in everything that determines
 * the layout of fields. */
/* What positions mean: the geometry, and the periodic axes as bits from 4 on. */
static int32_t space_of(const firn_sim *sim)
{
    int32_t space = (int32_t)sim->scene.grid.geometry;
    for (int a = 0; a < 3; a++) space |= (sim->mpm->grid.n_around[a] > 0) << (4 + a);
    return space;
}

static int32_t records_of(const firn_particles *particles)
{
    return particles->n_components[FIRN_FIELD_REST] + particles->n_components[FIRN_FIELD_BORN] +
           particles->n_components[FIRN_FIELD_V_FRAME];
}

static firn_status read_particles(firn_particles *particles, int32_t space, firn_walk *w,
                                  firn_messages *messages)
{
    particles_header p;
    firn_walk_pass(w, &p, sizeof p);
    p.name[FIRN_NAME - 1] = p.law[FIRN_NAME - 1] = 0;
    if (w->is_short)
        return firn_messages_add(messages, FIRN_REFUSED, "saved state: ends too early");
    if (strcmp(p.name, particles->material->resolved.name) != 0 ||
        p.n_history != particles->n_components[FIRN_FIELD_HISTORY] ||
        p.has_grip != particles->n_components[FIRN_FIELD_GRIP] ||
        p.has_start != particles->n_components[FIRN_FIELD_START] || p.n_heat != heat_of(particles))
        return firn_messages_add(
            messages, FIRN_REFUSED,
            "saved state: material '%s' (law %s, %d history fields, %d of heat) differs "
            "from the scene's '%s' (law %s, %d history fields, %d of heat)",
            p.name, p.law, p.n_history, p.n_heat, particles->material->resolved.name,
            particles->material->resolved.law->info.name,
            particles->n_components[FIRN_FIELD_HISTORY], heat_of(particles));
    if (p.n_records != records_of(particles))
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "saved state: without the attributes rest, age or accel that the "
                                 "scene's outputs name, or with others; they cannot change");
    if (p.space != space)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "saved state: geometry or periodic walls differ from the scene; "
                                 "they cannot change");
    size_t left = (size_t)(w->end - w->at);
    if (!are_sound(&p.sums))
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "saved state: damaged (ledger of material '%s')", p.name);
    if (p.n_bundles < 0 || p.n_blocks < 0 || (p.n_C != 0 && p.n_C != 9) ||
        (size_t)p.n_bundles > left / (24 * 16 * 4) ||
        (size_t)p.n_blocks > left / sizeof(firn_particle_block))
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "saved state: claims more particles than it holds");
    particles->n_bundles = 0;
    particles->n_blocks = 0; /* replaced, not merged */
    if (firn_particles_reserve(particles, p.n_bundles, p.n_blocks) != FIRN_OK)
        return firn_messages_no_memory(messages, "%lld particles", (long long)p.n_particles);
    particles->n_bundles = p.n_bundles;
    particles->n_blocks = p.n_blocks;
    particles->n_particles = p.n_particles;
    particles->material->sums = p.sums;
    pass_particle_data(w, particles, p.n_C);
    if (w->is_short)
        return firn_messages_add(messages, FIRN_REFUSED, "saved state: ends too early");
    return FIRN_OK;
}

static void write_particles(firn_particles *particles, int32_t space, firn_walk *w)
{
    particles_header p = {.n_particles = particles->n_particles,
                          .n_bundles = particles->n_bundles,
                          .n_blocks = particles->n_blocks,
                          .n_history = particles->n_components[FIRN_FIELD_HISTORY],
                          .has_grip = particles->n_components[FIRN_FIELD_GRIP],
                          .has_start = particles->n_components[FIRN_FIELD_START],
                          .n_C = particles->n_components[FIRN_FIELD_C],
                          .space = space,
                          .n_heat = heat_of(particles),
                          .n_records = records_of(particles),
                          .sums = particles->material->sums};
    strcpy(p.name, particles->material->resolved.name);
    strncpy(p.law, particles->material->resolved.law->info.name, sizeof p.law - 1);
    firn_walk_pass(w, &p, sizeof p);
    pass_particle_data(w, particles, p.n_C);
}

firn_status firn_particles_pass(firn_sim *sim, int material, firn_walk *w, firn_messages *messages)
{
    firn_particles *particles = &sim->mpm->particles[material];
    firn_status status = FIRN_OK;
    if (w->is_reading)
        status = read_particles(particles, space_of(sim), w, messages);
    else
        write_particles(particles, space_of(sim), w);
    if (status == FIRN_OK && sim->heat) {
        firn_walk_pass(w, &sim->heat->sums[material], sizeof *sim->heat->sums);
        firn_walk_pass(w, &sim->heat->pending, sizeof sim->heat->pending);
        firn_walk_pass(w, &sim->heat->dt, sizeof sim->heat->dt);
        if (w->is_short)
            return firn_messages_add(messages, FIRN_REFUSED, "saved state: ends too early");
    }
    return status == FIRN_OK && w->is_reading ? firn_save_check_particles(sim, material, messages)
                                              : status;
}

/* With several ranks each has read the whole state: it is checked as with one process before each
 * keeps its own part. */
firn_status firn_particles_restored(firn_sim *sim, firn_messages *messages)
{
    struct firn_ranks *ranks = sim->mpm->ranks;
    const firn_comm comm = sim->comm;
    sim->mpm->ranks = NULL;
    sim->comm = firn_comm_single();
    firn_status status = firn_save_check_ids(sim, messages);
    if (status == FIRN_OK) status = firn_sort_rebuild(sim, messages);
    if (status == FIRN_OK) status = firn_save_check_reach(sim, messages);
    sim->mpm->ranks = ranks;
    sim->comm = comm;
    if (!ranks) return status;
    status = firn_comm_agree(&comm, status);
    return status == FIRN_OK ? firn_comm_agree(&comm, firn_ranks_keep_own(sim)) : status;
}

/* The hash covers fields (but caches), blocks and time, padding lanes included: they are constant,
 * and a kernel that wrote to them would be found. */
uint64_t firn_particles_hash(firn_sim *sim)
{
    firn_hash hash;
    firn_hash_init(&hash);
    for (int m = 0; m < sim->n_materials; m++) {
        const firn_particles *particles = &sim->mpm->particles[m];
        for (int f = 0; f < FIRN_N_FIELDS; f++)
            if (particles->n_components[f] && !firn_field_is_cache(f))
                firn_hash_update(&hash, particles->field[f],
                                 firn_particles_field_bytes(particles, f, particles->n_bundles));
        firn_hash_update(&hash, particles->blocks,
                         (size_t)particles->n_blocks * sizeof *particles->blocks);
    }
    firn_hash_update(&hash, &sim->time, sizeof sim->time);
    return firn_hash_value(&hash);
}

void firn_particles_empty(firn_sim *sim)
{
    for (int m = 0; m < sim->n_materials; m++) {
        firn_particles *particles = &sim->mpm->particles[m];
        particles->n_particles = particles->n_bundles = 0;
        particles->n_blocks = 0;
    }
}
