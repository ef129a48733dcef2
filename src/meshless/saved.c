/* SPDX-License-Identifier: MIT */
/* saved.c: a meshless state in a walk: for each material a header, the ledger sums and the fields as
 * stored, padding lanes included; after the last material what the method keeps besides.
 *
 * Forces are kept with them: those that depend on velocities took other ones than the state has.
 *
 * Bonds, columns and strains follow from the fields. Counts are checked against the bytes that are
 * left before memory is reserved, and every field against what a run can have written; rates stay those of the saved step, as they set the next dt. */
#include "base/hash.h"
#include "meshless/meshless.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct header {
    char name[FIRN_NAME], law[FIRN_NAME];
    int64_t n_particles, n_bundles;
    int32_t n_components[FIRN_N_FIELDS];
    int32_t has_forces;
    firn_ledger_sums sums;
} header;

static void pass_fields(firn_walk *w, firn_particles *particles)
{
    for (int f = 0; f < FIRN_N_FIELDS; f++)
        if (particles->n_components[f] && !firn_field_is_cache(f))
            firn_walk_pass(w, particles->field[f],
                           firn_particles_field_bytes(particles, f, particles->n_bundles));
}

/* Makes room for the forces of n more particles and reads them. */
static firn_status read_forces(struct firn_meshless *s, firn_memory *memory, int64_t n,
                               firn_walk *w, firn_messages *messages)
{
    double *grown = firn_memory_array(memory, (size_t)(s->n_kept + n), 3 * sizeof *grown);
    if (!grown) return firn_messages_no_memory(messages, "%lld particles", (long long)n);
    if (s->n_kept) memcpy(grown, s->kept, (size_t)s->n_kept * 3 * sizeof *grown);
    firn_memory_release(memory, s->kept, (size_t)s->n_kept * 3 * sizeof *grown);
    s->kept = grown;
    firn_walk_pass(w, grown + 3 * s->n_kept, (size_t)n * 3 * sizeof *grown);
    s->n_kept += n;
    return FIRN_OK;
}

static void forget_forces(struct firn_meshless *s, firn_memory *memory)
{
    firn_memory_release(memory, s->kept, (size_t)s->n_kept * 3 * sizeof *s->kept);
    s->kept = NULL;
    s->n_kept = 0;
}

static int is_same_layout(const header *h, const firn_particles *particles)
{
    int is_same = strcmp(h->name, particles->material->resolved.name) == 0;
    for (int f = 0; f < FIRN_N_FIELDS; f++)
        is_same &= h->n_components[f] == particles->n_components[f];
    return is_same;
}

static firn_status read_material(struct firn_meshless *s, firn_particles *particles, firn_walk *w,
                                 firn_messages *messages)
{
    enum { LEAST_BYTES = 20 * 16 * sizeof(double) }; /* of a bundle: X V F TAU ... */
    header h;
    firn_walk_pass(w, &h, sizeof h);
    if (w->is_short)
        return firn_messages_add(messages, FIRN_REFUSED, "saved state: ends too early");
    h.name[FIRN_NAME - 1] = h.law[FIRN_NAME - 1] = 0;
    if (!is_same_layout(&h, particles))
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "saved state: material '%s' (law %s) has other fields than the "
                                 "scene's '%s' (law %s)",
                                 h.name, h.law, particles->material->resolved.name,
                                 particles->material->resolved.law->info.name);
    const size_t left = (size_t)(w->end - w->at);
    if (h.n_bundles < 0 || (size_t)h.n_bundles > left / LEAST_BYTES || h.n_particles < 0 ||
        firn_bundles_of(h.n_particles) != h.n_bundles)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "saved state: claims more particles than it holds");
    particles->n_bundles = 0;
    if (firn_particles_reserve(particles, h.n_bundles, 0) != FIRN_OK)
        return firn_messages_no_memory(messages, "%lld particles", (long long)h.n_particles);
    particles->n_particles = h.n_particles;
    particles->n_bundles = h.n_bundles;
    particles->material->sums = h.sums;
    pass_fields(w, particles);
    firn_status status = FIRN_OK;
    if (h.has_forces) status = read_forces(s, particles->memory, h.n_particles, w, messages);
    if (status == FIRN_OK && w->is_short)
        return firn_messages_add(messages, FIRN_REFUSED, "saved state: ends too early");
    return status;
}

static void write_material(struct firn_meshless *s, int material, firn_walk *w)
{
    firn_particles *particles = &s->particles[material];
    header h = {.n_particles = particles->n_particles,
                .n_bundles = particles->n_bundles,
                .has_forces = s->has_forces,
                .sums = particles->material->sums};
    memcpy(h.n_components, particles->n_components, sizeof h.n_components);
    strcpy(h.name, particles->material->resolved.name);
    strncpy(h.law, particles->material->resolved.law->info.name, sizeof h.law - 1);
    firn_walk_pass(w, &h, sizeof h);
    pass_fields(w, particles);
    if (s->has_forces)
        firn_walk_pass(w, s->force + 3 * s->first[material],
                       (size_t)particles->n_particles * 3 * sizeof *s->force);
}

firn_status firn_meshless_pass(firn_sim *sim, int material, firn_walk *w, firn_messages *messages)
{
    struct firn_meshless *s = sim->meshless;
    firn_status status = FIRN_OK;
    if (w->is_reading && material == 0) forget_forces(s, &sim->memory);
    if (w->is_reading)
        status = read_material(s, &s->particles[material], w, messages);
    else
        write_material(s, material, w);
    if (status == FIRN_OK && sim->heat)
        firn_walk_pass(w, &sim->heat->sums[material], sizeof *sim->heat->sums);
    if (status == FIRN_OK && material == sim->n_materials - 1 && s->hooks->pass)
        status = s->hooks->pass(sim, w, messages);
    return status;
}

/* ---------------------------------------------------------------- what no run can have written */

static const char *fault_of(const firn_sim *sim, const firn_particles *particles, int32_t p)
{
    for (int f = 0; f < FIRN_N_FIELDS; f++)
        for (int c = 0; c < particles->n_components[f] && !firn_field_is_cache(f); c++)
            if (!isfinite(firn_meshless_value(particles, f, p, c))) return firn_field_name(f);
    if (!(firn_meshless_value(particles, FIRN_FIELD_MASS, p, 0) > 0)) return "mass";
    if (!(firn_meshless_value(particles, FIRN_FIELD_VOLUME, p, 0) > 0)) return "volume";
    if (!(firn_meshless_value(particles, FIRN_FIELD_ID, p, 0) < (double)sim->next_id)) return "id";
    if (particles->n_components[FIRN_FIELD_GRIP] &&
        (uint64_t)firn_meshless_value(particles, FIRN_FIELD_GRIP, p, 0) >= (uint64_t)1
                                                                               << sim->n_grips)
        return "grip";
    return NULL;
}

static int compare_ids(const void *a, const void *b)
{
    const uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
    return (p > q) - (p < q);
}

/* Each id once: attributes are ordered by it. */
static firn_status check_ids(firn_sim *sim, firn_messages *messages)
{
    struct firn_meshless *s = sim->meshless;
    size_t n = 0;
    for (int m = 0; m < sim->n_materials; m++) n += (size_t)s->particles[m].n_particles;
    uint32_t *ids = firn_memory_array(&sim->memory, n + 1, sizeof *ids);
    if (!ids) return firn_messages_no_memory(messages, "ids of particles");
    size_t at = 0;
    for (int m = 0; m < sim->n_materials; m++)
        for (int32_t p = 0; p < s->particles[m].n_particles; p++)
            ids[at++] = (uint32_t)firn_meshless_value(&s->particles[m], FIRN_FIELD_ID, p, 0);
    qsort(ids, n, sizeof *ids, compare_ids);
    firn_status status = FIRN_OK;
    for (size_t i = 1; i < n && status == FIRN_OK; i++)
        if (ids[i] == ids[i - 1])
            status = firn_messages_add(messages, FIRN_REFUSED, "saved state: damaged (id %u twice)",
                                       ids[i]);
    firn_memory_release(&sim->memory, ids, (n + 1) * sizeof *ids);
    return status;
}

static firn_status check_particles(firn_sim *sim, firn_messages *messages)
{
    for (int m = 0; m < sim->n_materials; m++) {
        const firn_particles *particles = &sim->meshless->particles[m];
        for (int32_t p = 0; p < particles->n_particles; p++) {
            const char *fault = fault_of(sim, particles, p);
            if (fault)
                return firn_messages_add(messages, FIRN_REFUSED,
                                         "saved state: damaged (material '%s': %s of particle %d)",
                                         particles->material->resolved.name, fault, p);
        }
    }
    return check_ids(sim, messages);
}

/* ---------------------------------------------------------------- after reading */

/* What forces and contact leave behind for the next step (lists, volumes, stiffness of contact) is
 * found anew; the forces themselves are those of the saved step. */
static firn_status take_forces(firn_sim *sim, firn_messages *messages)
{
    struct firn_meshless *s = sim->meshless;
    if (s->n_kept != s->n || s->n == 0) return FIRN_OK;
    for (int64_t i = 0; i < 3 * s->n_kept; i++)
        if (!isfinite(s->kept[i]))
            return firn_messages_add(messages, FIRN_REFUSED,
                                     "saved state: damaged (a force is not finite)");
    firn_status status = s->hooks->forces(sim, messages);
    if (status == FIRN_OK) status = firn_meshless_touch(sim, messages);
    if (status == FIRN_OK) memcpy(s->force, s->kept, (size_t)s->n * 3 * sizeof *s->force);
    s->has_forces = status == FIRN_OK;
    return status;
}

firn_status firn_meshless_restored(firn_sim *sim, firn_messages *messages)
{
    const firn_rates rates = sim->rates;
    const int must_sort = sim->must_sort;
    firn_status status = check_particles(sim, messages);
    if (status == FIRN_OK) status = firn_meshless_changed(sim, messages);
    const char *criterion = sim->rates.criterion;
    if (status == FIRN_OK) status = take_forces(sim, messages);
    forget_forces(sim->meshless, &sim->memory);
    sim->rates = rates;
    sim->rates.criterion = criterion;
    sim->must_sort = must_sort;
    return status;
}

void firn_meshless_empty(firn_sim *sim)
{
    struct firn_meshless *s = sim->meshless;
    for (int m = 0; m < sim->n_materials; m++)
        s->particles[m].n_particles = s->particles[m].n_bundles = 0;
    s->n = 0;
    memset(s->first, 0, ((size_t)sim->n_materials + 1) * sizeof *s->first);
}

/* Of all fields, padding lanes included, what the method keeps besides, and the time. */
static void hash_piece(void *user, const void *data, size_t n_bytes)
{
    firn_hash_update(user, data, n_bytes);
}

uint64_t firn_meshless_hash(firn_sim *sim)
{
    struct firn_meshless *s = sim->meshless;
    firn_hash hash;
    firn_hash_init(&hash);
    firn_walk walk = {.put = hash_piece, .user = &hash};
    for (int m = 0; m < sim->n_materials; m++) pass_fields(&walk, &s->particles[m]);
    if (s->hooks->pass) s->hooks->pass(sim, &walk, NULL);
    firn_hash_update(&hash, &sim->time, sizeof sim->time);
    return firn_hash_value(&hash);
}
