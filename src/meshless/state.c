/* SPDX-License-Identifier: MIT */
/* state.c: the state of a meshless method: made for a scene, columns gathered from fields, lists of
 * neighbours found where they are needed.
 *
 * Bonds join particles of one body (or of one material that touches, meshless.bonds) that are near
 * in the reference state. `near` is found with a skin and used until a particle has moved by half of
 * it (L. Verlet 1967); pairs beyond the true reach contribute exact zeros and rows are ordered, so
 * the bits do not depend on when it was found. */
#include "meshless/heat_points.h"
#include "meshless/meshless.h"
#include "meshless/quadratic.h"
#include "meshless/small3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- creation */

static firn_status choose_variant(firn_sim *sim, const firn_run_options *options,
                                  firn_messages *messages)
{
    char why[200];
    const char *isa = options->isa[0] ? options->isa : getenv("FIRN_ISA");
    const int variant = firn_variant_choose(isa ? isa : "", 1, why, sizeof why);
    if (variant < 0) return firn_messages_add(messages, FIRN_REFUSED, "%s", why);
    sim->variant = (firn_variant)variant;
    return FIRN_OK;
}

static firn_status create_arrays(firn_sim *sim, firn_messages *messages)
{
    struct firn_meshless *s = sim->meshless;
    const size_t n = (size_t)sim->n_materials;
    s->particles = firn_memory_array(&sim->memory, n, sizeof *s->particles);
    s->first = firn_memory_array(&sim->memory, n + 1, sizeof *s->first);
    s->modulus = firn_memory_array(&sim->memory, n, sizeof *s->modulus);
    s->breadth = firn_memory_array(&sim->memory, n, sizeof *s->breadth);
    s->chunks = firn_memory_array(
        &sim->memory, FIRN_MESHLESS_CHUNKS * (size_t)firn_sim_n_boundaries(sim), sizeof *s->chunks);
    s->sums = firn_memory_array(&sim->memory, FIRN_MESHLESS_CHUNKS, sizeof *s->sums);
    if (!s->particles || !s->first || !s->modulus || !s->breadth || !s->chunks || !s->sums)
        return firn_messages_no_memory(messages, "materials");
    for (int m = 0; m < sim->n_materials; m++) {
        firn_particles *particles = &s->particles[m];
        particles->material = &sim->materials[m];
        firn_particles_init(particles, &sim->memory, sizeof(double), sim->n_grips > 0,
                            sim->has_follow, 0, 0, 0, sim->records);
        if (s->hooks->has_reference) particles->n_components[FIRN_FIELD_REST] = 3;
    }
    return FIRN_OK;
}

/* What the scene says of the method; its own defaults where it says nothing. */
static void choose_kernel(firn_sim *sim)
{
    struct firn_meshless *s = sim->meshless;
    const firn_meshless_def *def = &sim->scene.meshless;
    s->kernel = def->kernel ? firn_kernel_at(def->kernel - 1) : firn_kernel_find(s->hooks->kernel);
    s->support = def->support > 0 ? def->support : def->degree > 1 ? 3 : s->hooks->support;
}

/* What no method of this folder can do. */
static firn_status refuse(const firn_sim *sim, firn_messages *messages)
{
    const struct firn_meshless *s = sim->meshless;
    if (!s->hooks->takes_births && sim->scene.n_emitters > 0)
        return firn_messages_add(
            messages, FIRN_REFUSED,
            "scene.method %s: no emitters, as its particles hold each other by a reference state "
            "that newborn ones do not have; allowed: bodies; try: method mpm or sph_fluid",
            sim->method->name);
    if (s->hooks->stress && !s->hooks->renews && sim->scene.meshless.reset > 0)
        return firn_messages_add(
            messages, FIRN_REFUSED,
            "meshless.reset: method %s measures strain from its first reference state; allowed: 0; "
            "try: method sph_elastic or efg",
            sim->method->name);
    for (int m = 0; m < sim->n_materials; m++)
        if (sim->materials[m].resolved.thermal.is_on && !s->hooks->conducts)
            return firn_messages_add(messages, FIRN_REFUSED,
                                     "materials.%s: has a heat capacity, and method %s conducts no "
                                     "heat; try: method mpm or sph_fluid, "
                                     "or the material without heat_capacity",
                                     sim->materials[m].resolved.name, sim->method->name);
    if (sim->scene.meshless.degree > 1 && (!s->hooks->has_reference || s->hooks->stress))
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "meshless.degree: is %d, and method %s has no fit of that degree; "
                                 "allowed: 1; try: method sph_elastic or efg",
                                 sim->scene.meshless.degree, sim->method->name);
    if (!sim->time_def.mechanics && !s->hooks->conducts)
        return firn_messages_add(
            messages, FIRN_REFUSED,
            "time.mechanics: is false, and method %s has nothing but mechanics; "
            "try: method mpm or sph_fluid",
            sim->method->name);
    if (sim->scene.grid.geometry != FIRN_SPACE)
        return firn_messages_add(
            messages, FIRN_REFUSED,
            "scene.method %s: no plane strain, as its neighbourhoods are balls; "
            "allowed: grid.geometry space; try: method mpm",
            sim->method->name);
    if (firn_grid_def_is_periodic(&sim->scene.grid))
        return firn_messages_add(
            messages, FIRN_REFUSED,
            "scene.method %s: no periodic walls, as its lists of neighbours end at them; allowed: "
            "open stick slip separate mirror delete; try: method mpm",
            sim->method->name);
    return firn_heat_points_check(sim, messages);
}

firn_status firn_meshless_create(firn_sim *sim, const firn_meshless_hooks *hooks,
                                 const firn_run_options *options, firn_messages *messages)
{
    sim->meshless = firn_memory_array(&sim->memory, 1, sizeof *sim->meshless);
    if (!sim->meshless) return firn_messages_no_memory(messages, "simulation");
    sim->meshless->hooks = hooks;
    choose_kernel(sim);
    firn_status status = choose_variant(sim, options, messages);
    if (status == FIRN_OK) status = create_arrays(sim, messages);
    if (status == FIRN_OK) status = refuse(sim, messages);
    if (status == FIRN_OK && hooks->check) status = hooks->check(sim, messages);
    if (status == FIRN_OK) status = firn_meshless_prepare_laws(sim, messages);
    return status;
}

static int reserve_heat(firn_sim *sim, size_t n)
{
    struct firn_meshless *s = sim->meshless;
    double **const arrays[] = {&s->heat_T, &s->heat_k, &s->heat_c, &s->heat_rate, &s->work};
    int is_complete = 1;
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        *arrays[k] = firn_memory_array(&sim->memory, n, sizeof(double));
        is_complete &= *arrays[k] != NULL;
    }
    return is_complete;
}

static void release_heat(firn_sim *sim, size_t n)
{
    struct firn_meshless *s = sim->meshless;
    double **const arrays[] = {&s->heat_T, &s->heat_k, &s->heat_c, &s->heat_rate, &s->work};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        firn_memory_release(&sim->memory, *arrays[k], n * sizeof(double));
        *arrays[k] = NULL;
    }
}

static void release_columns(firn_sim *sim)
{
    struct firn_meshless *s = sim->meshless;
    const size_t n = (size_t)s->capacity;
#define COLUMN(name, width)                                                                        \
    firn_memory_release(&sim->memory, s->name, n *(width) * sizeof *s->name);                      \
    s->name = NULL;
    FIRN_MESHLESS_COLUMNS(COLUMN)
#undef COLUMN
    release_heat(sim, n);
    firn_memory_release(&sim->memory, s->group, n * sizeof *s->group);
    firn_memory_release(&sim->memory, s->flags, n * sizeof *s->flags);
    firn_memory_release(&sim->memory, s->rank, n);
    s->group = NULL;
    s->flags = NULL;
    s->rank = NULL;
    s->capacity = 0;
}

void firn_meshless_destroy(firn_sim *sim)
{
    struct firn_meshless *s = sim->meshless;
    firn_memory *memory = &sim->memory;
    const size_t n = (size_t)sim->n_materials;
    if (!s) return;
    if (s->hooks->destroy) s->hooks->destroy(sim);
    firn_quadratic_clear(sim);
    for (int m = 0; s->particles && m < sim->n_materials; m++)
        if (s->particles[m].memory) firn_particles_clear(&s->particles[m]);
    release_columns(sim);
    firn_neighbours_clear(&s->bonds, memory);
    firn_neighbours_clear(&s->near, memory);
    firn_memory_release(memory, s->weight, (size_t)s->weight_capacity * sizeof *s->weight);
    firn_memory_release(memory, s->law_scratch, s->law_bytes);
    firn_memory_release(memory, s->kept, (size_t)s->n_kept * 3 * sizeof *s->kept);
    firn_memory_release(memory, s->particles, n * sizeof *s->particles);
    firn_memory_release(memory, s->first, (n + 1) * sizeof *s->first);
    firn_memory_release(memory, s->modulus, n * sizeof *s->modulus);
    firn_memory_release(memory, s->breadth, n * sizeof *s->breadth);
    firn_memory_release(memory, s->chunks,
                        FIRN_MESHLESS_CHUNKS * (size_t)firn_sim_n_boundaries(sim) *
                            sizeof *s->chunks);
    firn_memory_release(memory, s->sums, FIRN_MESHLESS_CHUNKS * sizeof *s->sums);
    firn_memory_release(memory, s, sizeof *s);
    sim->meshless = NULL;
}

/* ---------------------------------------------------------------- columns */

static firn_status reserve_columns(firn_sim *sim, int64_t n, firn_messages *messages)
{
    struct firn_meshless *s = sim->meshless;
    if (n > INT32_MAX / 4)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "scene.method %s: too many particles (%lld); allowed: %d",
                                 sim->method->name, (long long)n, INT32_MAX / 4);
    if (n <= s->capacity) return FIRN_OK;
    release_columns(sim);
    const size_t wanted = (size_t)(n + n / 16);
    int is_complete = 1;
    s->capacity = (int32_t)wanted;
#define COLUMN(name, width)                                                                        \
    s->name = firn_memory_array(&sim->memory, wanted, (width) * sizeof *s->name);                  \
    is_complete &= s->name != NULL;
    FIRN_MESHLESS_COLUMNS(COLUMN)
#undef COLUMN
    s->group = firn_memory_array(&sim->memory, wanted, sizeof *s->group);
    s->flags = firn_memory_array(&sim->memory, wanted, sizeof *s->flags);
    s->rank = firn_memory_array(&sim->memory, wanted, 1);
    if (sim->heat) is_complete &= reserve_heat(sim, wanted);
    if (is_complete && s->group && s->flags && s->rank) return FIRN_OK;
    release_columns(sim);
    return firn_messages_no_memory(messages, "%lld particles", (long long)n);
}

/* Threads that pay off for so many particles; a particle with its neighbours costs some ten times
 * that of a grid. */
static void choose_threads(firn_sim *sim)
{
    enum { PARTICLES_A_THREAD = 256 };
    const int n = sim->meshless->n / PARTICLES_A_THREAD;
    if (sim->max_threads) sim->n_threads = n < 1 ? 1 : n < sim->max_threads ? n : sim->max_threads;
}

static void gather_material(firn_sim *sim, int m)
{
    struct firn_meshless *s = sim->meshless;
    const firn_particles *particles = &s->particles[m];
    const int by_body = sim->scene.meshless.bonds == FIRN_BONDS_BODY;
#pragma omp parallel for num_threads(sim->n_threads) schedule(static)
    for (int32_t i = s->first[m]; i < s->first[m + 1]; i++) {
        const int32_t p = i - s->first[m];
        firn_meshless_tensor(particles, FIRN_FIELD_X, p, 3, s->x + 3 * i);
        firn_meshless_tensor(particles, FIRN_FIELD_V, p, 3, s->v + 3 * i);
        if (particles->n_components[FIRN_FIELD_REST])
            firn_meshless_tensor(particles, FIRN_FIELD_REST, p, 3, s->rest + 3 * i);
        s->mass[i] = firn_meshless_value(particles, FIRN_FIELD_MASS, p, 0);
        s->volume[i] = firn_meshless_value(particles, FIRN_FIELD_VOLUME, p, 0);
        s->spacing[i] = cbrt(s->volume[i]);
        const uint32_t id = (uint32_t)firn_meshless_value(particles, FIRN_FIELD_ID, p, 0);
        s->group[i] = by_body ? firn_solver_source(sim, id) : 0;
    }
}

firn_status firn_meshless_gather(firn_sim *sim, firn_messages *messages)
{
    struct firn_meshless *s = sim->meshless;
    int64_t n = 0;
    for (int m = 0; m < sim->n_materials; m++) n += s->particles[m].n_particles;
    firn_status status = reserve_columns(sim, n, messages);
    if (status != FIRN_OK) return status;
    s->first[0] = 0;
    for (int m = 0; m < sim->n_materials; m++)
        s->first[m + 1] = s->first[m] + (int32_t)s->particles[m].n_particles;
    s->n = (int32_t)n;
    s->near_found = 0;
    s->has_forces = 0;
    choose_threads(sim);
    for (int m = 0; m < sim->n_materials; m++) gather_material(sim, m);
    return FIRN_OK;
}

void firn_meshless_scatter(firn_sim *sim)
{
    struct firn_meshless *s = sim->meshless;
    for (int m = 0; m < sim->n_materials; m++) {
        firn_particles *particles = &s->particles[m];
#pragma omp parallel for num_threads(sim->n_threads) schedule(static)
        for (int32_t i = s->first[m]; i < s->first[m + 1]; i++)
            for (int a = 0; a < 3; a++) {
                firn_meshless_set(particles, FIRN_FIELD_X, i - s->first[m], a, s->x[3 * i + a]);
                firn_meshless_set(particles, FIRN_FIELD_V, i - s->first[m], a, s->v[3 * i + a]);
            }
    }
}

/* ---------------------------------------------------------------- lists */

static firn_status tell(firn_sim *sim, firn_status status, firn_messages *messages)
{
    if (status == FIRN_MEMORY)
        return firn_messages_no_memory(messages, "neighbours of %d particles", sim->meshless->n);
    if (status == FIRN_STOPPED) {
        sim->is_spoiled = 1;
        return firn_messages_add(messages, FIRN_STOPPED,
                                 "scene.method %s: a position is not finite (t = %.9g s)",
                                 sim->method->name, sim->time);
    }
    return status;
}

firn_status firn_meshless_refer(firn_sim *sim, firn_messages *messages)
{
    struct firn_meshless *s = sim->meshless;
    if (!s->hooks->has_reference) return FIRN_OK;
    const firn_neighbour_search search = {.n = s->n,
                                          .x = s->rest,
                                          .radius = s->spacing,
                                          .factor = s->support,
                                          .group = s->group,
                                          .n_threads = sim->n_threads};
    firn_status status =
        tell(sim, firn_neighbours_find(&s->bonds, &search, &sim->memory), messages);
    if (status != FIRN_OK) return status;
    if (s->bonds.pair_capacity > s->weight_capacity) {
        firn_memory_release(&sim->memory, s->weight,
                            (size_t)s->weight_capacity * sizeof *s->weight);
        s->weight_capacity = 0;
        s->weight =
            firn_memory_array(&sim->memory, (size_t)s->bonds.pair_capacity, sizeof *s->weight);
        if (!s->weight) return firn_messages_no_memory(messages, "bonds");
        s->weight_capacity = s->bonds.pair_capacity;
    }
    return s->hooks->refer(sim, messages);
}

/* The largest |F^T F - I|/2 over all particles (Frobenius). */
static double strain_since(const firn_sim *sim)
{
    const struct firn_meshless *s = sim->meshless;
    double most = 0;
#pragma omp parallel for num_threads(sim->n_threads) schedule(static) reduction(max : most)
    for (int32_t i = 0; i < s->n; i++) {
        double C[9], sum = 0;
        small3_turned_multiply(s->F + 9 * i, s->F + 9 * i, C);
        for (int c = 0; c < 9; c++) sum += (C[c] - (c % 4 == 0)) * (C[c] - (c % 4 == 0));
        most = fmax(most, sqrt(sum) / 2);
    }
    return most;
}

void firn_meshless_take_reference(firn_sim *sim)
{
    struct firn_meshless *s = sim->meshless;
    for (int m = 0; m < sim->n_materials; m++)
        for (int32_t i = s->first[m]; i < s->first[m + 1]; i++)
            for (int a = 0; a < 3; a++) {
                s->rest[3 * i + a] = s->x[3 * i + a];
                firn_meshless_set(&s->particles[m], FIRN_FIELD_REST, i - s->first[m], a,
                                  s->x[3 * i + a]);
            }
}

/* The present positions become the reference state, with bonds found anew; elastic F and history,
 * and with them stress and energy, stay. V0 tau grad w needs no other volume (solver/fields.h). */
firn_status firn_meshless_reset(firn_sim *sim, firn_messages *messages)
{
    struct firn_meshless *s = sim->meshless;
    const double most = sim->scene.meshless.reset;
    if (!(most > 0) || !s->hooks->has_reference || s->hooks->stress || !(strain_since(sim) > most))
        return FIRN_OK;
    firn_meshless_take_reference(sim);
    s->has_forces = 0;
    const firn_status status = firn_meshless_refer(sim, messages);
    sim->n_sorts++;
    return status == FIRN_OK ? s->hooks->strain(sim, 0, messages) : status;
}

static int has_moved(const struct firn_meshless *s, double skin)
{
    double most = 0;
    for (int32_t i = 0; i < s->n; i++) {
        double d2 = 0;
        for (int a = 0; a < 3; a++) {
            const double d = s->x[3 * i + a] - s->near_x[3 * i + a];
            d2 += d * d;
        }
        if (!(d2 <= most)) most = d2;
    }
    return !(4 * most < skin * skin);
}

firn_status firn_meshless_find_near(firn_sim *sim, double reach, firn_messages *messages)
{
    struct firn_meshless *s = sim->meshless;
    double least = INFINITY;
    for (int32_t i = 0; i < s->n; i++) least = fmin(least, s->spacing[i]);
    const double skin = isfinite(least) ? 0.3 * least : 0;
    if (s->near_found && !has_moved(s, skin)) return FIRN_OK;
    const firn_neighbour_search search = {.n = s->n,
                                          .x = s->x,
                                          .radius = s->spacing,
                                          .factor = reach,
                                          .skin = skin,
                                          .n_threads = sim->n_threads};
    const firn_status status =
        tell(sim, firn_neighbours_find(&s->near, &search, &sim->memory), messages);
    if (status != FIRN_OK) return status;
    memcpy(s->near_x, s->x, (size_t)s->n * 3 * sizeof *s->x);
    s->near_found = 1;
    sim->n_sorts++;
    return FIRN_OK;
}
