/* SPDX-License-Identifier: MIT */
/* storage.c: particles of a meshless method as all other folders see them (solver/method.h).
 *
 * Particles stand in the order of their births, but for bodies, which are put in Morton order of
 * their places once, so that neighbours in space are neighbours in memory. Blocks are spans of
 * BLOCK particles. All fields are doubles, positions metres. */
#include "meshless/meshless.h"
#include "meshless/small3.h"
#include "mpm/heat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1024 };

/* ---------------------------------------------------------------- reading and writing */

static const firn_particles *of(const firn_sim *sim, int material)
{
    return &sim->meshless->particles[material];
}

int64_t firn_meshless_n_particles(const firn_sim *sim, int material)
{
    return of(sim, material)->n_particles;
}

int32_t firn_meshless_n_blocks(const firn_sim *sim, int material)
{
    return (int32_t)((of(sim, material)->n_particles + BLOCK - 1) / BLOCK);
}

int32_t firn_meshless_block_size(const firn_sim *sim, int material, int32_t block)
{
    const int64_t left = of(sim, material)->n_particles - (int64_t)block * BLOCK;
    return (int32_t)(left < BLOCK ? left : BLOCK);
}

int firn_meshless_n_components(const firn_sim *sim, int material, firn_field field)
{
    return of(sim, material)->n_components[field];
}

void firn_meshless_read(const firn_sim *sim, firn_place at, int n, firn_field field, double *values)
{
    const firn_particles *particles = of(sim, at.material);
    const int n_components = particles->n_components[field];
    if (n_components == 0)
        memset(values, 0, (size_t)n * (size_t)firn_field_components(field) * sizeof *values);
    for (int i = 0; i < n; i++)
        for (int c = 0; c < n_components; c++)
            values[i * n_components + c] =
                firn_meshless_value(particles, field, at.block * BLOCK + at.index + i, c);
}

void firn_meshless_write(firn_sim *sim, firn_place at, firn_field field, int component,
                         double value)
{
    firn_meshless_set(&sim->meshless->particles[at.material], field, at.block * BLOCK + at.index,
                      component, value);
    const int32_t p = at.block * BLOCK + at.index;
    if (field == FIRN_FIELD_T && sim->heat)
        firn_heat_particles_begin(sim, &sim->meshless->particles[at.material], p / 16, p % 16,
                                  value);
}

firn_status firn_meshless_view(const firn_sim *sim, int material, firn_field field, firn_view *view)
{
    const firn_particles *particles = of(sim, material);
    if (particles->n_components[field] == 0) return FIRN_USAGE;
    *view = (firn_view){particles->field[field], 1, particles->n_components[field],
                        particles->n_bundles};
    return FIRN_OK;
}

void firn_meshless_stats(const firn_sim *sim, firn_stats *stats)
{
    for (int m = 0; m < sim->n_materials; m++) stats->n_blocks += firn_meshless_n_blocks(sim, m);
}

const char *firn_meshless_variant_name(const firn_sim *sim)
{
    return firn_variant_name(sim->variant);
}

/* ---------------------------------------------------------------- births */

/* A body that begins deformed by F has its reference state before that: X = c + F^-1 (x - c). */
static void rest_of(const firn_newborn *born, const double F[9], int64_t i, double rest[3])
{
    double turned[9], inverse[9], d[3];
    memcpy(rest, born->x + 3 * i, 3 * sizeof *rest);
    if (!born->body || born->F || !small3_invert_turned(F, turned)) return;
    small3_turn(turned, inverse);
    for (int a = 0; a < 3; a++) d[a] = rest[a] - born->center[a];
    small3_apply(inverse, d, rest);
    for (int a = 0; a < 3; a++) rest[a] += born->center[a];
}

static void put(firn_sim *sim, firn_particles *particles, const firn_newborn *born, int64_t i,
                int32_t p)
{
    double v[3], C[9], F[9], rest[3];
    firn_newborn_state(born, 0, i, v, C, F);
    rest_of(born, F, i, rest);
    for (int a = 0; a < 3; a++) {
        firn_meshless_set(particles, FIRN_FIELD_X, p, a, born->x[3 * i + a]);
        firn_meshless_set(particles, FIRN_FIELD_V, p, a, v[a]);
        if (particles->n_components[FIRN_FIELD_REST])
            firn_meshless_set(particles, FIRN_FIELD_REST, p, a, rest[a]);
    }
    for (int c = 0; c < 9; c++) firn_meshless_set(particles, FIRN_FIELD_F, p, c, F[c]);
    firn_meshless_set(particles, FIRN_FIELD_MASS, p, 0,
                      born->masses ? born->masses[i] : born->mass);
    firn_meshless_set(particles, FIRN_FIELD_VOLUME, p, 0,
                      born->volumes ? born->volumes[i] : born->volume);
    const int n_history = born->history ? particles->n_components[FIRN_FIELD_HISTORY] : 0;
    for (int c = 0; c < n_history; c++)
        firn_meshless_set(particles, FIRN_FIELD_HISTORY, p, c, born->history[i * n_history + c]);
    const double T = firn_newborn_temperature(born, i);
    firn_meshless_set(particles, FIRN_FIELD_T, p, 0, T);
    if (sim->heat) firn_heat_particles_begin(sim, particles, p / 16, p % 16, T);
    firn_meshless_set(particles, FIRN_FIELD_ID, p, 0, (double)born->first_id + (double)i);
    if (particles->n_components[FIRN_FIELD_BORN])
        firn_meshless_set(particles, FIRN_FIELD_BORN, p, 0, sim->time);
    for (int a = 0; a < particles->n_components[FIRN_FIELD_V_FRAME]; a++)
        firn_meshless_set(particles, FIRN_FIELD_V_FRAME, p, a, a < 3 ? v[a] : sim->time);
}

typedef struct placed {
    uint64_t key;
    int64_t index;
} placed;

static int compare_placed(const void *a, const void *b)
{
    const placed *p = a, *q = b;
    if (p->key != q->key) return p->key < q->key ? -1 : 1;
    return (p->index > q->index) - (p->index < q->index);
}

/* Bits of a coordinate, two places apart. */
static uint64_t spread(uint64_t x)
{
    x &= 0x1fffff;
    x = (x | x << 32) & 0x1f00000000ffffull;
    x = (x | x << 16) & 0x1f0000ff0000ffull;
    x = (x | x << 8) & 0x100f00f00f00f00full;
    x = (x | x << 4) & 0x10c30c30c30c30c3ull;
    return (x | x << 2) & 0x1249249249249249ull;
}

/* Morton order in cells of h; beyond 2^20 cells from the origin places share cells. */
static uint64_t key_of(const double x[3], double h)
{
    uint64_t key = 0;
    for (int a = 0; a < 3; a++) {
        const double c = floor(x[a] / h) + 1048576;
        key |= spread(c > 0 ? c < 2097151 ? (uint64_t)c : 2097151 : 0) << a;
    }
    return key;
}

/* Room for n particles; new lanes are padding. */
static firn_status reserve(firn_particles *particles, int64_t n, firn_messages *messages)
{
    const int64_t bundles = firn_bundles_of(n), before = particles->n_bundles;
    if (firn_particles_reserve(particles, bundles + bundles / 8, 0) != FIRN_OK)
        return firn_messages_no_memory(messages, "material '%s': %lld particles",
                                       particles->material->resolved.name, (long long)n);
    for (int f = 0; f < FIRN_N_FIELDS; f++)
        for (int c = 0; c < particles->n_components[f]; c++)
            for (int64_t p = 16 * before; p < 16 * bundles; p++)
                firn_particles_set(particles, f, p / 16, c, (int)(p % 16),
                                   firn_particles_blank(particles, f, c));
    if (bundles > before) particles->n_bundles = bundles;
    return FIRN_OK;
}

firn_status firn_meshless_add(firn_sim *sim, int material, const firn_newborn *born,
                              const char *source, firn_messages *messages)
{
    firn_particles *particles = &sim->meshless->particles[material];
    const size_t bytes = (size_t)born->n * sizeof(placed);
    const int64_t n = particles->n_particles;
    if (n + born->n > INT32_MAX / 4)
        return firn_messages_add(messages, FIRN_REFUSED, "%s: too many particles; allowed: %d",
                                 source, INT32_MAX / 4);
    for (int64_t i = 0; i < 3 * born->n; i++)
        if (!isfinite(born->x[i]))
            return firn_messages_add(messages, FIRN_REFUSED, "%s: a position is not finite",
                                     source);
    placed *order = firn_memory_allocate(&sim->memory, bytes);
    if (!order)
        return firn_messages_no_memory(messages, "%lld particles of '%s'", (long long)born->n,
                                       source);
    firn_status status = reserve(particles, n + born->n, messages);
    for (int64_t i = 0; i < born->n; i++) order[i] = (placed){key_of(born->x + 3 * i, sim->h), i};
    if (status == FIRN_OK) {
        qsort(order, (size_t)born->n, sizeof *order, compare_placed);
        for (int64_t i = 0; i < born->n; i++)
            put(sim, particles, born, order[i].index, (int32_t)(n + i));
        particles->n_particles += born->n;
    }
    firn_memory_release(&sim->memory, order, bytes);
    return status;
}

/* ---------------------------------------------------------------- volumes from the cloud */

/* V0 = m / rho, rho the sum of masses under the kernel. */
static void weigh(firn_sim *sim, const firn_id_range *weighed, int n)
{
    struct firn_meshless *s = sim->meshless;
    for (int m = 0; m < sim->n_materials; m++)
        for (int32_t i = s->first[m]; i < s->first[m + 1]; i++) {
            const int32_t p = i - s->first[m];
            const uint32_t id =
                (uint32_t)firn_meshless_value(&s->particles[m], FIRN_FIELD_ID, p, 0);
            int is_wanted = 0;
            for (int k = 0; k < n; k++) is_wanted |= id >= weighed[k].first && id < weighed[k].end;
            if (!is_wanted) continue;
            double rho = s->mass[i] * s->kernel->value(0, s->support * s->spacing[i]);
            for (int64_t b = s->near.first[i]; b < s->near.first[i + 1]; b++) {
                const int32_t j = s->near.other[b];
                const double d[3] = {s->x[3 * j] - s->x[3 * i], s->x[3 * j + 1] - s->x[3 * i + 1],
                                     s->x[3 * j + 2] - s->x[3 * i + 2]};
                rho += s->mass[j] *
                       s->kernel->value(sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]),
                                        0.5 * s->support * (s->spacing[i] + s->spacing[j]));
            }
            if (rho > 0)
                firn_meshless_set(&s->particles[m], FIRN_FIELD_VOLUME, p, 0, s->mass[i] / rho);
        }
}

/* ---------------------------------------------------------------- the state as it is */

firn_status firn_meshless_changed(firn_sim *sim, firn_messages *messages)
{
    firn_status status = firn_meshless_gather(sim, messages);
    sim->must_sort = 0;
    if (status == FIRN_OK) status = firn_meshless_refer(sim, messages);
    if (status != FIRN_OK) return status;
    status = sim->meshless->hooks->strain(sim, 0, messages);
    return status == FIRN_OK ? firn_meshless_evaluate(sim, 0, messages) : status;
}

firn_status firn_meshless_begin(firn_sim *sim, const firn_id_range *weighed, int n,
                                firn_messages *messages)
{
    if (n) {
        firn_status status = firn_meshless_gather(sim, messages);
        if (status == FIRN_OK)
            status = firn_meshless_find_near(sim, sim->meshless->support, messages);
        if (status != FIRN_OK) return status;
        weigh(sim, weighed, n);
    }
    return firn_meshless_changed(sim, messages);
}

void firn_meshless_remove(firn_sim *sim, const uint8_t *marked)
{
    struct firn_meshless *s = sim->meshless;
    for (int m = 0; m < sim->n_materials; m++) {
        firn_particles *particles = &s->particles[m];
        int32_t kept = 0;
        for (int32_t i = s->first[m]; i < s->first[m + 1]; i++) {
            const int32_t p = i - s->first[m];
            if (marked[i]) continue;
            for (int f = 0; f < FIRN_N_FIELDS && kept != p; f++)
                for (int c = 0; c < particles->n_components[f]; c++)
                    firn_meshless_set(particles, f, kept, c,
                                      firn_meshless_value(particles, f, p, c));
            kept++;
        }
        particles->n_particles = kept;
        const int64_t end = 16 * particles->n_bundles;
        particles->n_bundles = firn_bundles_of(kept);
        for (int f = 0; f < FIRN_N_FIELDS; f++)
            for (int c = 0; c < particles->n_components[f]; c++)
                for (int64_t p = kept; p < end; p++)
                    firn_particles_set(particles, f, p / 16, c, (int)(p % 16),
                                       firn_particles_blank(particles, f, c));
    }
}
