/* SPDX-License-Identifier: MIT */
/* save.c: the complete state of a simulation in one piece of memory, or piece by piece to a file,
 * and back.
 *
 *   header     magic, version, precision, counts, time, dt, counters, rates
 *   ledger     totals of colliders (by name), grips, walls, forces
 *   sources    where ids came from            grips: particles held          emission: counters
 *   peaks      largest forces so far, of each material
 *   paint      what particles of emitters have by their place of birth, where scenes have both
 *   particles  of each material, by the method (mpm/save.c)
 *
 * One walk (walk.h) measures, writes and reads, so the three cannot disagree. Native byte order and
 * precision; the header refuses other states.
 *
 * Invariants. Restoring gives the bits of the run that was saved: everything that decides on a
 * later step is either here, or derived from particles alone, or a cache whose content changes no
 * result. A state is untrusted input, also where its checksum is right: counts are checked against
 * its size before memory is requested, numbers before they are used, and a failed restore leaves an empty simulation that refuses steps. */
#include "solver/sim.h"
#include "solver/emission.h"
#include "solver/paint.h"
#include "solver/records.h"
#include "base/hash.h"

#include <math.h>
#include <string.h>

enum { SAVE_VERSION = 8 };
static const char save_magic[8] = "firnsav";

typedef struct header {
    char magic[8];
    uint32_t version, byte_order, real_size, n_materials, n_colliders, n_grips, n_emitters,
        n_sources, must_sort;
    uint32_t next_id;
    int32_t rate_kind, rate_material;
    double time, dt, max_rate, max_speed, dt_factor, h, shift[3];
    int64_t n_steps, n_retries, n_sorts, rate_particle;
} header;

static header header_of(const firn_sim *sim)
{
    header h = {
        .version = SAVE_VERSION,
        .byte_order = 0x01020304,
        .real_size = sim->scene.is_double ? 8u : 4u,
        .n_materials = (uint32_t)sim->n_materials,
        .n_colliders = (uint32_t)sim->n_colliders,
        .n_sources = (uint32_t)sim->n_sources,
        .n_grips = (uint32_t)sim->n_grips,
        .n_emitters = (uint32_t)sim->scene.n_emitters,
        .must_sort = (uint32_t)sim->must_sort,
        .next_id = sim->next_id,
        .rate_kind = (int32_t)sim->rates.kind,
        .rate_material = sim->rates.material,
        .time = sim->time,
        .dt = sim->dt,
        .max_rate = sim->rates.max_rate,
        .max_speed = sim->rates.max_speed,
        .dt_factor = sim->dt_factor,
        .h = sim->h,
        .shift = {sim->scene.grid.shift[0], sim->scene.grid.shift[1], sim->scene.grid.shift[2]},
        .n_steps = sim->n_steps,
        .n_retries = sim->n_retries,
        .n_sorts = sim->n_sorts,
        .rate_particle = sim->rates.particle};
    memcpy(h.magic, save_magic, sizeof h.magic);
    return h;
}

/* Totals of n colliders, by name: a scene may continue with other colliders. */
static void pass_colliders(firn_walk *w, firn_sim *sim, uint32_t n)
{
    if (w->is_reading) memset(sim->total, 0, (size_t)sim->n_colliders * sizeof *sim->total);
    for (uint32_t k = 0; k < n && !w->is_short; k++) {
        char name[FIRN_NAME] = "";
        firn_boundary_impulse taken = {0};
        if (!w->is_reading) {
            strcpy(name, sim->colliders[k].def.name);
            taken = sim->total[k];
        }
        firn_walk_pass(w, name, sizeof name);
        firn_walk_pass(w, &taken, sizeof taken);
        if (!w->is_reading) continue;
        int c = (int)k; /* mostly unchanged */
        if (c >= sim->n_colliders || strncmp(name, sim->colliders[c].def.name, sizeof name) != 0)
            for (c = 0; c < sim->n_colliders &&
                        strncmp(name, sim->colliders[c].def.name, sizeof name) != 0;
                 c++) {}
        if (c < sim->n_colliders) sim->total[c] = taken;
    }
}

static void pass_ledger(firn_walk *w, firn_sim *sim, uint32_t n_colliders)
{
    pass_colliders(w, sim, n_colliders);
    firn_walk_pass(w, sim->total + sim->n_colliders,
                   (size_t)(sim->n_grips + 2) * sizeof *sim->total);
    firn_walk_pass(w, sim->sources, (size_t)sim->n_sources * sizeof *sim->sources);
    for (int g = 0; g < sim->n_grips; g++) {
        firn_walk_pass(w, &sim->grips[g].n_particles, sizeof sim->grips[g].n_particles);
        firn_walk_pass(w, &sim->grips[g].mass, sizeof sim->grips[g].mass);
        firn_walk_pass(w, &sim->grips[g].has_taken, sizeof sim->grips[g].has_taken);
    }
    size_t n = 0;
    void *emission = firn_emission_state(sim, &n);
    firn_walk_pass(w, emission, n);
    firn_walk_pass(w, &sim->peak, sizeof sim->peak);
    for (int m = 0; m < sim->n_materials; m++)
        firn_walk_pass(w, &sim->materials[m].peak, sizeof sim->materials[m].peak);
}

static void walk_out(firn_walk *w, firn_sim *sim)
{
    header h = header_of(sim);
    firn_walk_pass(w, &h, sizeof h);
    pass_ledger(w, sim, h.n_colliders);
    firn_paint_pass(sim, w, NULL);
    firn_records_pass(sim, w);
    for (int m = 0; m < sim->n_materials; m++) sim->method->pass(sim, m, w, NULL);
}

firn_status firn_save_stream(firn_sim *sim, firn_save_put *put, void *user, size_t *n_bytes,
                             firn_messages *messages)
{
    *n_bytes = 0;
    if (sim->is_empty)
        return firn_messages_add(messages, FIRN_STOPPED,
                                 "saved state: the simulation is empty after a failed restore");
    if (sim->is_spoiled)
        return firn_messages_add(
            messages, FIRN_STOPPED,
            "saved state: not written, as the state is not finite (t = %.9g s)", sim->time);
    firn_walk w = {.put = put, .user = user};
    walk_out(&w, sim);
    *n_bytes = w.n_bytes;
    return FIRN_OK;
}

firn_status firn_sim_save(firn_sim *sim, void **state, size_t *n_bytes, firn_messages *messages)
{
    *state = NULL;
    *n_bytes = 0;
    if (!sim) return firn_messages_add(messages, FIRN_USAGE, "firn_sim_save: sim is NULL");
    firn_status status = firn_save_stream(sim, NULL, NULL, n_bytes, messages);
    if (status != FIRN_OK) return status;
    *state = firn_memory_allocate(&sim->memory, *n_bytes);
    if (!*state) {
        status = firn_messages_no_memory(messages, "saved state (%.1f MiB)",
                                         (double)*n_bytes / (1 << 20));
        return *n_bytes = 0, status;
    }
    firn_walk write = {.at = *state, .end = (char *)*state + *n_bytes};
    walk_out(&write, sim);
    return FIRN_OK;
}

void firn_sim_release_state(firn_sim *sim, void *state, size_t n_bytes)
{
    firn_memory_release(&sim->memory, state, n_bytes);
}

/* Hash of particles and time, in storage order. */
uint64_t firn_sim_hash(firn_sim *sim) { return sim->method->hash(sim); }

/* ---------------------------------------------------------------- restoring */

/* A state belongs to a scene with the same precision, dx, materials, grips and emitters; colliders
 * may differ, as their totals are matched by name. */
static firn_status check_header(const firn_sim *sim, const header *h, firn_messages *messages)
{
    header mine = header_of(sim);
    if (memcmp(h->magic, save_magic, sizeof h->magic) != 0)
        return firn_messages_add(messages, FIRN_REFUSED, "saved state: not one of firn");
    if (h->version != SAVE_VERSION || h->byte_order != mine.byte_order)
        return firn_messages_add(
            messages, FIRN_REFUSED,
            "saved state: written by another format (version %u); allowed: version %d of "
            "this byte order",
            h->version, SAVE_VERSION);
    if (h->real_size != mine.real_size)
        return firn_messages_add(
            messages, FIRN_REFUSED,
            "saved state: precision differs from the scene (%s); the precision of a run "
            "cannot change",
            h->real_size == 8 ? "double" : "float");
    if (h->h != mine.h)
        return firn_messages_add(
            messages, FIRN_REFUSED,
            "saved state: dx differs from the scene (%g m, scene %g m); dx cannot change", h->h,
            mine.h);
    if (memcmp(h->shift, mine.shift, sizeof mine.shift) != 0)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "saved state: grid.shift differs from the scene (%g %g %g cells, "
                                 "scene %g %g %g); the shift cannot change",
                                 h->shift[0], h->shift[1], h->shift[2], mine.shift[0],
                                 mine.shift[1], mine.shift[2]);
    if (h->n_materials != mine.n_materials)
        return firn_messages_add(
            messages, FIRN_REFUSED,
            "saved state: number of materials differs from the scene (%u, scene %u)",
            h->n_materials, mine.n_materials);
    if (h->n_grips != mine.n_grips || h->n_emitters != mine.n_emitters)
        return firn_messages_add(
            messages, FIRN_REFUSED,
            "saved state: number of grips or emitters differs from the scene (%u and %u, "
            "scene %u and %u)",
            h->n_grips, h->n_emitters, mine.n_grips, mine.n_emitters);
    return FIRN_OK;
}

static firn_status damaged(firn_messages *messages, const char *what)
{
    return firn_messages_add(messages, FIRN_REFUSED, "saved state: damaged (%s)", what);
}

/* Numbers that no run has: a later step multiplies, casts and divides by them. */
static firn_status check_numbers(const header *h, firn_messages *messages)
{
    const double far = 1e12; /* s: times are cast to numbers of frames */
    if (!(fabs(h->time) < far) || !(h->dt >= 0 && h->dt < far))
        return damaged(messages, "time or dt");
    if (!(h->max_rate >= 0 && isfinite(h->max_rate)) ||
        !(h->max_speed >= 0 && isfinite(h->max_speed)) || !(h->dt_factor > 0 && h->dt_factor <= 1))
        return damaged(messages, "rates");
    if (h->n_steps < 0 || h->n_retries < 0 || h->n_sorts < 0 || h->must_sort > 1 ||
        h->rate_material < -1 || h->rate_kind < FIRN_RATE_WAVE ||
        h->rate_kind > FIRN_RATE_STABILITY)
        return damaged(messages, "counters");
    return FIRN_OK;
}

static int is_finite_sum(const firn_boundary_impulse *e)
{
    int is_finite = isfinite(e->work) && isfinite(e->friction);
    for (int a = 0; a < 3; a++)
        is_finite &= isfinite(e->impulse[a]) != 0 && isfinite(e->torque[a]) != 0;
    return is_finite;
}

/* Sources are ranges of ids in rising order, from 0 to below next_id, with names that end. */
static firn_status check_ledger(const firn_sim *sim, firn_messages *messages)
{
    for (int e = 0; e < firn_sim_n_boundaries(sim); e++)
        if (!is_finite_sum(&sim->total[e])) return damaged(messages, "sums of the ledger");
    if (sim->n_sources == 0 && sim->next_id > 0) return damaged(messages, "no sources");
    for (int i = 0; i < sim->n_sources; i++) {
        const firn_source *source = &sim->sources[i];
        if (!memchr(source->name, 0, sizeof source->name) || source->first_id > sim->next_id ||
            source->first_id < (i ? sim->sources[i - 1].first_id : 0))
            return damaged(messages, "sources of particles");
    }
    for (int g = 0; g < sim->n_grips; g++) {
        const firn_grip *grip = &sim->grips[g];
        if (grip->n_particles < 0 || !(grip->mass >= 0 && isfinite(grip->mass)) ||
            (grip->has_taken & ~1))
            return damaged(messages, "grips");
    }
    return firn_emission_is_sound(sim) ? FIRN_OK : damaged(messages, "emitters");
}

static firn_status read_state(firn_sim *sim, firn_walk *w, const header *h, firn_messages *messages)
{
    firn_memory_release(&sim->memory, sim->sources,
                        (size_t)sim->source_capacity * sizeof *sim->sources);
    sim->sources = firn_memory_array(&sim->memory, h->n_sources, sizeof *sim->sources);
    sim->n_sources = sim->source_capacity = sim->sources ? (int)h->n_sources : 0;
    if (!sim->sources) return firn_messages_no_memory(messages, "sources of particles");
    sim->must_sort = (int)h->must_sort;
    sim->next_id = h->next_id;
    pass_ledger(w, sim, h->n_colliders);
    firn_status status =
        w->is_short ? damaged(messages, "it ends too early") : check_ledger(sim, messages);
    if (status == FIRN_OK) status = firn_paint_pass(sim, w, messages);
    if (status == FIRN_OK) firn_records_pass(sim, w);
    if (status == FIRN_OK && w->is_short) status = damaged(messages, "it ends too early");
    for (int m = 0; m < sim->n_materials && status == FIRN_OK; m++)
        status = sim->method->pass(sim, m, w, messages);
    if (status != FIRN_OK) return status;
    sim->is_spoiled = 0;
    sim->rates.kind = (firn_rate_kind)h->rate_kind;
    sim->rates.material = h->rate_material;
    sim->time = h->time;
    sim->dt = h->dt;
    sim->rates.max_rate = h->max_rate;
    sim->rates.max_speed = h->max_speed;
    sim->dt_factor = h->dt_factor;
    sim->n_steps = h->n_steps;
    sim->n_retries = h->n_retries;
    sim->n_sorts = h->n_sorts;
    sim->rates.particle = h->rate_particle;
    if (sim->rates.material >= sim->n_materials) sim->rates.material = -1;
    return sim->method->restored(sim, messages);
}

/* After check_header nothing of the present state is kept: a failure from there on empties the
 * simulation, as a mixture of two states must never be stepped. */
firn_status firn_sim_restore(firn_sim *sim, const void *state, size_t n_bytes,
                             firn_messages *messages)
{
    if (!sim || !state)
        return firn_messages_add(messages, FIRN_USAGE, "firn_sim_restore: %s is NULL",
                                 sim ? "state" : "sim");
    firn_walk w = {.at = (char *)state, .end = (char *)state + n_bytes, .is_reading = 1};
    header h;
    firn_walk_pass(&w, &h, sizeof h);
    if (w.is_short) return firn_messages_add(messages, FIRN_REFUSED, "saved state: ends too early");
    firn_status status = check_header(sim, &h, messages);
    if (status != FIRN_OK) return status;
    status = check_numbers(&h, messages);
    if (status != FIRN_OK) return status;
    if (h.n_sources > n_bytes / sizeof *sim->sources) return damaged(messages, "number of sources");
    sim->is_empty = 0;
    status = read_state(sim, &w, &h, messages);
    if (status != FIRN_OK) {
        sim->method->empty(sim);
        sim->is_empty = 1;
    }
    return status;
}
