/* SPDX-License-Identifier: MIT */
/* save.c: the complete state of a simulation in one piece of memory, or piece by piece to a
 * file, and back.
 *
 *   header     magic, version, precision, numbers of things, time, dt, counters, limits
 *   exchanges  what colliders, grips and walls have taken since the start
 *   sources    where ids came from            grips: particles held          emission: counters
 *   particles      for each: numbers, its ledger, its blocks, its fields as they stand (padding
 *                  lanes too)
 *
 * The arrays are stored in the order that the last sort left, so the grid that is rebuilt around
 * them, and with it every later sum, is the same to the bit. Native byte order; the header
 * refuses anything else. */
#include "solver/solver.h"
#include "solver/emission.h"
#include "base/hash.h"

#include <string.h>

enum { SAVE_VERSION = 6 };
static const char save_magic[8] = "firnsav";

typedef struct header {
    char magic[8];
    uint32_t version, byte_order, real_size, n_materials, n_colliders, n_grips, n_emitters,
        n_sources, must_sort;
    uint32_t next_id;
    int32_t rate_is_viscous, rate_material;
    double time, dt, max_rate, max_speed, dt_factor, h;
    int64_t n_steps, n_retries, n_sorts, rate_particle;
} header;

typedef struct particles_header {
    char name[FIRN_NAME], law[FIRN_NAME];
    int64_t n_particles, n_bundles;
    int32_t n_blocks, n_history, has_grip, has_start, n_C, unused;
    firn_ledger_sums sums;
} particles_header;

/* One walk over the state serves measuring, writing and reading. */
typedef struct walk {
    char *at, *end; /* NULL at: measure only, or give it away */
    firn_save_put *put;
    void *user;
    size_t n_bytes;
    int is_reading, is_short;
} walk;

static void pass(walk *w, void *data, size_t n)
{
    if (n == 0) return; /* and `data` may be NULL */
    w->n_bytes += n;
    if (w->put) w->put(w->user, data, n);
    if (!w->at || w->is_short) return;
    if ((size_t)(w->end - w->at) < n) {
        w->is_short = 1;
        return;
    }
    if (w->is_reading)
        memcpy(data, w->at, n);
    else
        memcpy(w->at, data, n);
    w->at += n;
}

static header header_of(const firn_sim *sim)
{
    header h = {.version = SAVE_VERSION,
                .byte_order = 0x01020304,
                .real_size = (uint32_t)sim->kernels->real_size,
                .n_materials = (uint32_t)sim->n_materials,
                .n_colliders = (uint32_t)sim->n_colliders,
                .n_sources = (uint32_t)sim->n_sources,
                .n_grips = (uint32_t)sim->n_grips,
                .n_emitters = (uint32_t)sim->scene.n_emitters,
                .must_sort = (uint32_t)sim->must_sort,
                .next_id = sim->next_id,
                .rate_is_viscous = sim->rate_is_viscous,
                .rate_material = sim->rate_material,
                .time = sim->time,
                .dt = sim->dt,
                .max_rate = sim->max_rate,
                .max_speed = sim->max_speed,
                .dt_factor = sim->dt_factor,
                .h = sim->h,
                .n_steps = sim->n_steps,
                .n_retries = sim->n_retries,
                .n_sorts = sim->n_sorts,
                .rate_particle = sim->rate_particle};
    memcpy(h.magic, save_magic, sizeof h.magic);
    return h;
}

/* C of a state whose transfer was affine where the scene's is not any longer, or the other way
 * round. */
static void pass_other_C(walk *w, firn_particles *particles)
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
static void pass_particle_data(walk *w, firn_particles *particles, int n_C)
{
    pass(w, particles->blocks, (size_t)particles->n_blocks * sizeof *particles->blocks);
    for (int f = 0; f < FIRN_N_FIELDS; f++) {
        size_t n = particles->n_components[f]
                       ? firn_particles_field_bytes(particles, f, particles->n_bundles)
                       : 0;
        if (f == FIRN_FIELD_C && n_C != particles->n_components[f])
            pass_other_C(w, particles);
        else if (!firn_field_is_remembered(f))
            pass(w, particles->field[f], n);
        else if (w->is_reading && n)
            memset(particles->field[f], 0, n);
    }
}

/* What n colliders have taken since the start, by their names: a scene may have other colliders
 * when it goes on. */
static void pass_colliders(walk *w, firn_sim *sim, uint32_t n)
{
    if (w->is_reading) memset(sim->total, 0, (size_t)sim->n_colliders * sizeof *sim->total);
    for (uint32_t k = 0; k < n && !w->is_short; k++) {
        char name[FIRN_NAME] = "";
        firn_boundary_impulse taken = {0};
        if (!w->is_reading) {
            strcpy(name, sim->colliders[k].def.name);
            taken = sim->total[k];
        }
        pass(w, name, sizeof name);
        pass(w, &taken, sizeof taken);
        if (!w->is_reading) continue;
        int c = (int)k; /* at its old place, most likely */
        if (c >= sim->n_colliders || strncmp(name, sim->colliders[c].def.name, sizeof name) != 0)
            for (c = 0; c < sim->n_colliders &&
                        strncmp(name, sim->colliders[c].def.name, sizeof name) != 0;
                 c++) {}
        if (c < sim->n_colliders) sim->total[c] = taken;
    }
}

static void pass_ledger(walk *w, firn_sim *sim, uint32_t n_colliders)
{
    pass_colliders(w, sim, n_colliders);
    pass(w, sim->total + sim->n_colliders, (size_t)(sim->n_grips + 2) * sizeof *sim->total);
    pass(w, sim->sources, (size_t)sim->n_sources * sizeof *sim->sources);
    for (int g = 0; g < sim->n_grips; g++) {
        pass(w, &sim->grips[g].n_particles, sizeof sim->grips[g].n_particles);
        pass(w, &sim->grips[g].mass, sizeof sim->grips[g].mass);
        pass(w, &sim->grips[g].has_taken, sizeof sim->grips[g].has_taken);
    }
    size_t n = 0;
    void *emission = firn_emission_state(sim, &n);
    pass(w, emission, n);
}

static void walk_out(walk *w, firn_sim *sim)
{
    header h = header_of(sim);
    pass(w, &h, sizeof h);
    pass_ledger(w, sim, h.n_colliders);
    for (int m = 0; m < sim->n_materials; m++) {
        firn_particles *particles = &sim->particles[m];
        particles_header p = {.n_particles = particles->n_particles,
                              .n_bundles = particles->n_bundles,
                              .n_blocks = particles->n_blocks,
                              .n_history = particles->n_components[FIRN_FIELD_HISTORY],
                              .has_grip = particles->n_components[FIRN_FIELD_GRIP],
                              .has_start = particles->n_components[FIRN_FIELD_START],
                              .n_C = particles->n_components[FIRN_FIELD_C],
                              .sums = particles->sums};
        strcpy(p.name, particles->material.name);
        strncpy(p.law, particles->material.law->info.name, sizeof p.law - 1);
        pass(w, &p, sizeof p);
        pass_particle_data(w, particles, p.n_C);
    }
}

firn_status firn_save_stream(firn_sim *sim, firn_save_put *put, void *user, size_t *n_bytes,
                             firn_messages *messages)
{
    *n_bytes = 0;
    if (sim->is_empty)
        return firn_messages_add(messages, FIRN_STOPPED,
                                 "the simulation is empty: a restore failed half way");
    if (sim->is_spoiled)
        return firn_messages_add(messages, FIRN_STOPPED,
                                 "the state at t = %.9g s is not saved: it is not finite",
                                 sim->time);
    walk w = {.put = put, .user = user};
    walk_out(&w, sim);
    *n_bytes = w.n_bytes;
    return FIRN_OK;
}

firn_status firn_sim_save(firn_sim *sim, void **state, size_t *n_bytes, firn_messages *messages)
{
    *state = NULL;
    *n_bytes = 0;
    if (!sim)
        return firn_messages_add(messages, FIRN_USAGE,
                                 "firn_sim_save: there is no simulation (NULL)");
    firn_status status = firn_save_stream(sim, NULL, NULL, n_bytes, messages);
    if (status != FIRN_OK) return status;
    *state = firn_memory_allocate(&sim->memory, *n_bytes);
    if (!*state) {
        status = firn_messages_add(messages, FIRN_MEMORY, "no memory for a checkpoint of %.1f MB",
                                   (double)*n_bytes / 1e6);
        return *n_bytes = 0, status;
    }
    walk write = {.at = *state, .end = (char *)*state + *n_bytes};
    walk_out(&write, sim);
    return FIRN_OK;
}

void firn_sim_release_state(firn_sim *sim, void *state, size_t n_bytes)
{
    firn_memory_release(&sim->memory, state, n_bytes);
}

uint64_t firn_sim_hash(firn_sim *sim)
{
    /* the particles alone, in their order: what a restored or re-threaded run must share */
    firn_hash hash;
    firn_hash_init(&hash);
    for (int m = 0; m < sim->n_materials; m++) {
        const firn_particles *particles = &sim->particles[m];
        for (int f = 0; f < FIRN_N_FIELDS; f++)
            if (particles->n_components[f] && !firn_field_is_remembered(f))
                firn_hash_update(&hash, particles->field[f],
                                 firn_particles_field_bytes(particles, f, particles->n_bundles));
        firn_hash_update(&hash, particles->blocks,
                         (size_t)particles->n_blocks * sizeof *particles->blocks);
    }
    firn_hash_update(&hash, &sim->time, sizeof sim->time);
    return firn_hash_value(&hash);
}

/* ---------------------------------------------------------------- restoring */

static firn_status check_header(const firn_sim *sim, const header *h, firn_messages *messages)
{
    header mine = header_of(sim);
    if (memcmp(h->magic, save_magic, sizeof h->magic) != 0)
        return firn_messages_add(messages, FIRN_REFUSED, "this is not a saved state of firn");
    if (h->version != SAVE_VERSION || h->byte_order != mine.byte_order)
        return firn_messages_add(
            messages, FIRN_REFUSED,
            "the saved state has version %u; this firn reads version %d of its own kind of machine",
            h->version, SAVE_VERSION);
    if (h->real_size != mine.real_size)
        return firn_messages_add(
            messages, FIRN_REFUSED,
            "the saved state is in %s precision; the precision of a run cannot change",
            h->real_size == 8 ? "double" : "float");
    if (h->h != mine.h)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "the saved state has dx = %g m, the scene %g m; dx cannot change",
                                 h->h, mine.h);
    if (h->n_materials != mine.n_materials)
        return firn_messages_add(
            messages, FIRN_REFUSED,
            "the saved state has %u materials, the scene %u; their number cannot change",
            h->n_materials, mine.n_materials);
    if (h->n_grips != mine.n_grips || h->n_emitters != mine.n_emitters)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "the saved state has %u grips and %u emitters, the scene %u and "
                                 "%u; their number cannot "
                                 "change",
                                 h->n_grips, h->n_emitters, mine.n_grips, mine.n_emitters);
    return FIRN_OK;
}

static firn_status read_particles(firn_particles *particles, walk *w, firn_messages *messages)
{
    particles_header p;
    pass(w, &p, sizeof p);
    p.name[FIRN_NAME - 1] = p.law[FIRN_NAME - 1] = 0;
    if (w->is_short)
        return firn_messages_add(messages, FIRN_REFUSED, "the saved state ends too early");
    if (strcmp(p.name, particles->material.name) != 0 ||
        p.n_history != particles->n_components[FIRN_FIELD_HISTORY] ||
        p.has_grip != particles->n_components[FIRN_FIELD_GRIP] ||
        p.has_start != particles->n_components[FIRN_FIELD_START])
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "the saved state has material '%s' (law %s, %d history fields) "
                                 "where the scene has '%s' "
                                 "(law %s, %d): they must agree",
                                 p.name, p.law, p.n_history, particles->material.name,
                                 particles->material.law->info.name,
                                 particles->n_components[FIRN_FIELD_HISTORY]);
    size_t left = (size_t)(w->end - w->at);
    if (p.n_bundles < 0 || p.n_blocks < 0 || (p.n_C != 0 && p.n_C != 9) ||
        (size_t)p.n_bundles > left / (24 * 16 * 4) ||
        (size_t)p.n_blocks > left / sizeof(firn_particle_block))
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "the saved state claims more particles than it has room for");
    particles->n_bundles = 0;
    particles->n_blocks = 0; /* nothing of the present is kept */
    if (firn_particles_reserve(particles, p.n_bundles, p.n_blocks) != FIRN_OK)
        return firn_messages_add(messages, FIRN_MEMORY, "no memory to restore %lld particles",
                                 (long long)p.n_particles);
    particles->n_bundles = p.n_bundles;
    particles->n_blocks = p.n_blocks;
    particles->n_particles = p.n_particles;
    particles->sums = p.sums;
    pass_particle_data(w, particles, p.n_C);
    if (w->is_short)
        return firn_messages_add(messages, FIRN_REFUSED, "the saved state ends too early");
    int64_t n = 0, bundle = 0;
    for (int32_t b = 0; b < particles->n_blocks; b++) {
        const firn_particle_block *block = &particles->blocks[b];
        if (block->n < 0 || block->first < bundle || block->first > particles->n_bundles ||
            !firn_grid_is_reachable(block->coord))
            return firn_messages_add(messages, FIRN_REFUSED,
                                     "block %d of the saved state is not consistent", b);
        n += block->n;
        bundle = block->first + firn_bundles_of(block->n); /* see sinks.c */
    }
    if (n != particles->n_particles || bundle > particles->n_bundles)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "the saved state's blocks do not add up to its particles");
    return FIRN_OK;
}

/* What is left when a restore fails half way: nothing that could be taken for a state. */
static void empty(firn_sim *sim)
{
    for (int m = 0; m < sim->n_materials; m++) {
        sim->particles[m].n_particles = sim->particles[m].n_bundles = 0;
        sim->particles[m].n_blocks = 0;
    }
    sim->is_empty = 1;
}

static firn_status read_state(firn_sim *sim, walk *w, const header *h, firn_messages *messages)
{
    firn_memory_release(&sim->memory, sim->sources,
                        (size_t)sim->source_capacity * sizeof *sim->sources);
    sim->sources = firn_memory_array(&sim->memory, h->n_sources, sizeof *sim->sources);
    sim->n_sources = sim->source_capacity = sim->sources ? (int)h->n_sources : 0;
    if (!sim->sources)
        return firn_messages_add(messages, FIRN_MEMORY,
                                 "no memory to restore where particles came from");
    pass_ledger(w, sim, h->n_colliders);
    firn_status status = FIRN_OK;
    for (int m = 0; m < sim->n_materials && status == FIRN_OK; m++)
        status = read_particles(&sim->particles[m], w, messages);
    if (status != FIRN_OK) return status;
    sim->is_spoiled = 0;
    sim->must_sort = (int)h->must_sort;
    sim->next_id = h->next_id;
    sim->rate_is_viscous = h->rate_is_viscous;
    sim->rate_material = h->rate_material;
    sim->time = h->time;
    sim->dt = h->dt;
    sim->max_rate = h->max_rate;
    sim->max_speed = h->max_speed;
    sim->dt_factor = h->dt_factor;
    sim->n_steps = h->n_steps;
    sim->n_retries = h->n_retries;
    sim->n_sorts = h->n_sorts;
    sim->rate_particle = h->rate_particle;
    if (sim->rate_material >= sim->n_materials) sim->rate_material = -1;
    return firn_sort_rebuild(sim, messages);
}

firn_status firn_sim_restore(firn_sim *sim, const void *state, size_t n_bytes,
                             firn_messages *messages)
{
    if (!sim || !state)
        return firn_messages_add(messages, FIRN_USAGE, "firn_sim_restore: there is no %s (NULL)",
                                 sim ? "state" : "simulation");
    walk w = {.at = (char *)state, .end = (char *)state + n_bytes, .is_reading = 1};
    header h;
    pass(&w, &h, sizeof h);
    if (w.is_short)
        return firn_messages_add(messages, FIRN_REFUSED, "the saved state ends too early");
    firn_status status = check_header(sim, &h, messages);
    if (status != FIRN_OK) return status;
    if (h.n_sources > n_bytes / sizeof *sim->sources)
        return firn_messages_add(messages, FIRN_REFUSED, "the saved state is damaged");
    sim->is_empty = 0;
    status = read_state(sim, &w, &h, messages);
    if (status != FIRN_OK) empty(sim);
    return status;
}
