/* SPDX-License-Identifier: MIT */
/* populate.c: bodies and newborn particles into particles. Points are ordered by the key of
 * their owner block (stable, so the order within a block is that of the list), each block begins
 * with a new bundle; the next sort merges blocks of equal place and orders cells. */
#include "solver/solver.h"
#include "geometry/sampling.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void owner_of(const double x[3], double h, int32_t coord[3])
{
    for (int a = 0; a < 3; a++) {
        double c = floor((x[a] / h + 0.5) / 4);
        coord[a] = c > -1e9 && c < 1e9 ? (int32_t)c : INT32_MAX / 2;
    }
}

static firn_status add_source(firn_sim *sim, const char *name, firn_messages *messages)
{
    if (sim->n_sources && strcmp(sim->sources[sim->n_sources - 1].name, name) == 0) return FIRN_OK;
    if (sim->n_sources == sim->source_capacity) {
        int capacity = sim->source_capacity ? 2 * sim->source_capacity : 8;
        firn_source *grown = firn_memory_array(&sim->memory, (size_t)capacity, sizeof *grown);
        if (!grown)
            return firn_messages_add(messages, FIRN_MEMORY,
                                     "no memory to note where particles came from");
        if (sim->n_sources) memcpy(grown, sim->sources, (size_t)sim->n_sources * sizeof *grown);
        firn_memory_release(&sim->memory, sim->sources,
                            (size_t)sim->source_capacity * sizeof *grown);
        sim->sources = grown;
        sim->source_capacity = capacity;
    }
    sim->sources[sim->n_sources].first_id = sim->next_id;
    snprintf(sim->sources[sim->n_sources++].name, FIRN_NAME, "%s", name);
    return FIRN_OK;
}

int firn_populate_source(const firn_sim *sim, uint32_t id)
{
    int low = 0, high = sim->n_sources; /* the last source whose first id is not beyond */
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (sim->sources[middle].first_id <= id)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* What particle i starts with: its own arrays, or its body's motion v = velocity + spin x (x -
 * center), C = spin. */
static void start_of(const firn_newborn *born, int is_affine, int64_t i, double v[3], double C[9],
                     double F[9])
{
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    memset(v, 0, 3 * sizeof *v);
    memset(C, 0, 9 * sizeof *C);
    memcpy(F, identity, sizeof identity);
    if (born->body) {
        const double *w = born->body->spin, W[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
        double d[3];
        for (int a = 0; a < 3; a++) d[a] = born->x[3 * i + a] - born->center[a];
        for (int a = 0; a < 3; a++)
            v[a] = born->body->velocity[a] + W[3 * a] * d[0] + W[3 * a + 1] * d[1] +
                   W[3 * a + 2] * d[2];
        if (is_affine) memcpy(C, W, sizeof W);
        memcpy(F, born->body->F, sizeof identity);
    }
    if (born->v) memcpy(v, born->v + 3 * i, 3 * sizeof *v);
    if (born->C) memcpy(C, born->C + 9 * i, 9 * sizeof *C);
    if (born->F) memcpy(F, born->F + 9 * i, 9 * sizeof *F);
}

static void put(firn_sim *sim, firn_particles *particles, const firn_newborn *born, int64_t i,
                const firn_particle_block *block, int p)
{
    int64_t b = block->first + p / 16;
    int lane = p % 16;
    double v[3], C[9], F[9];
    start_of(born, particles->transfer.is_affine, i, v, C, F);
    for (int a = 0; a < 3; a++) {
        firn_particles_set(particles, FIRN_FIELD_X, b, a, lane,
                           born->x[3 * i + a] / sim->h - 4.0 * block->coord[a]);
        firn_particles_set(particles, FIRN_FIELD_V, b, a, lane, v[a]);
    }
    for (int c = 0; c < 9; c++) firn_particles_set(particles, FIRN_FIELD_F, b, c, lane, F[c]);
    for (int c = 0; c < particles->n_components[FIRN_FIELD_C]; c++)
        firn_particles_set(particles, FIRN_FIELD_C, b, c, lane, C[c]);
    firn_particles_set(particles, FIRN_FIELD_MASS, b, 0, lane,
                       born->masses ? born->masses[i] : born->mass);
    firn_particles_set(particles, FIRN_FIELD_VOLUME, b, 0, lane,
                       born->volumes ? born->volumes[i] : born->volume);
    int n_history = born->history ? particles->n_components[FIRN_FIELD_HISTORY] : 0;
    for (int c = 0; c < n_history; c++)
        firn_particles_set(particles, FIRN_FIELD_HISTORY, b, c, lane,
                           born->history[i * n_history + c]);
    firn_particles_set(particles, FIRN_FIELD_T, b, 0, lane,
                       born->T ? born->T[i] : born->temperature);
    firn_particles_set(particles, FIRN_FIELD_ID, b, 0, lane, (double)sim->next_id + (double)i);
}

static void blank_bundles(firn_particles *particles, int64_t first, int n)
{
    for (int f = 0; f < FIRN_N_FIELDS; f++)
        for (int c = 0; c < particles->n_components[f]; c++)
            for (int p = 0; p < 16 * n; p++)
                firn_particles_set(particles, f, first + p / 16, c, p % 16,
                                   firn_particles_blank(particles, f, c));
}

/* Opens blocks for the ordered points and fills them. */
static firn_status fill_blocks(firn_sim *sim, firn_particles *particles, const firn_newborn *born,
                               const placed *order, firn_messages *messages)
{
    int32_t n_blocks = 0;
    int64_t n_bundles = 0;
    for (int64_t i = 0, first = 0; i <= born->n; i++)
        if (i == born->n || (i > first && order[i].key != order[first].key)) {
            n_blocks++;
            n_bundles += firn_bundles_of(i - first);
            first = i;
        }
    int64_t wanted = particles->n_bundles +
                     n_bundles; /* room for the blocks to divide differently when the body moves */
    if (firn_particles_reserve(particles, wanted + wanted / 32, particles->n_blocks + n_blocks) !=
        FIRN_OK)
        return firn_messages_add(
            messages, FIRN_MEMORY,
            "material '%s': no memory for %lld more particles (%.1f MB in use)",
            particles->material.name, (long long)born->n, (double)sim->memory.now / 1e6);
    for (int64_t first = 0, end; first < born->n; first = end) {
        for (end = first + 1; end < born->n && order[end].key == order[first].key;) end++;
        firn_particle_block *block = &particles->blocks[particles->n_blocks++];
        owner_of(born->x + 3 * order[first].index, sim->h, block->coord);
        block->owner = -1;
        block->n = (int32_t)(end - first);
        block->first = particles->n_bundles;
        block->reach = 0;
        block->is_watched = 0;
        particles->n_bundles += firn_bundles_of(block->n);
        blank_bundles(particles, block->first, firn_bundles_of(block->n));
        for (int p = 0; p < block->n; p++)
            put(sim, particles, born, order[first + p].index, block, p);
    }
    particles->n_particles += born->n;
    return FIRN_OK;
}

firn_status firn_populate_add(firn_sim *sim, firn_particles *particles, const firn_newborn *born,
                              const char *source, firn_messages *messages)
{
    if (born->n == 0) return FIRN_OK;
    if (born->n >= (int64_t)UINT32_MAX - sim->next_id || born->n > INT32_MAX)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "'%s' would bring the number of particles beyond 2^32", source);
    size_t bytes = (size_t)born->n * sizeof(placed);
    placed *order = firn_memory_allocate(&sim->memory, bytes);
    if (!order)
        return firn_messages_add(messages, FIRN_MEMORY, "'%s': no memory to place %lld particles",
                                 source, (long long)born->n);
    firn_status status = FIRN_OK;
    for (int64_t i = 0; i < born->n && status == FIRN_OK; i++) {
        int32_t coord[3];
        owner_of(born->x + 3 * i, sim->h, coord);
        if (!firn_grid_is_reachable(coord))
            status = firn_messages_add(
                messages, FIRN_REFUSED,
                "'%s': a particle at %g %g %g m is beyond %d cells of dx = %g m from the origin",
                source, born->x[3 * i], born->x[3 * i + 1], born->x[3 * i + 2],
                4 * FIRN_COORD_LIMIT, sim->h);
        else
            order[i] = (placed){firn_grid_key(coord), i};
    }
    if (status == FIRN_OK) status = add_source(sim, source, messages);
    if (status == FIRN_OK) {
        qsort(order, (size_t)born->n, sizeof *order, compare_placed);
        status = fill_blocks(sim, particles, born, order, messages);
    }
    if (status == FIRN_OK) {
        sim->next_id += (uint32_t)born->n;
        sim->must_sort = 1;
    }
    firn_memory_release(&sim->memory, order, bytes);
    return status;
}

/* ---------------------------------------------------------------- bodies */

firn_particles *firn_populate_material(firn_sim *sim, const char *name)
{
    for (int m = 0; m < sim->n_materials; m++)
        if (strcmp(sim->particles[m].material.name, name) == 0) return &sim->particles[m];
    return NULL;
}

void firn_populate_place(const firn_body_def *def, int64_t n, double *x, double center[3])
{
    for (int a = 0; a < 3; a++) center[a] = 0;
    for (int64_t i = 0; i < n; i++)
        for (int a = 0; a < 3; a++) center[a] += x[3 * i + a] / (double)n;
    for (int64_t i = 0; def->deform_positions && i < n; i++) {
        double d[3];
        for (int a = 0; a < 3; a++) d[a] = x[3 * i + a] - center[a];
        for (int a = 0; a < 3; a++)
            x[3 * i + a] = center[a] + def->F[3 * a] * d[0] + def->F[3 * a + 1] * d[1] +
                           def->F[3 * a + 2] * d[2];
    }
}

/* The points of a body; the first *n_surface of them stand for cubes of edge spacing[0], the
 * others of spacing[1]. */
static firn_status sample_body(const firn_sim *sim, const firn_body_def *def,
                               const double spacing[2], double **x, int64_t *n, int64_t *n_surface,
                               firn_messages *messages)
{
    int is_layered = def->particles_at_surface > 0;
    double depth = def->surface_depth > 0 ? def->surface_depth : sim->h;
    uint64_t seed = def->seed + sim->scene.seed;
    firn_shape *shape = NULL;
    const firn_shape_need need = {is_layered ? depth + sim->h : 0, sim->h, 1,
                                  .memory = sim->memory.limit};
    firn_status status = firn_shape_create_for(def->n_shapes, def->shapes, need, &shape, messages);
    if (status != FIRN_OK) return status;
    *n_surface = 0;
    status = is_layered ? firn_sample_layers(shape, def->sampling, spacing, depth, seed, x, n,
                                             n_surface, messages)
                        : firn_sample_shape(shape, def->sampling, spacing[1], seed, x, n, messages);
    firn_shape_destroy(shape);
    return status;
}

/* Volumes and masses of two layers, each particle's own: two columns of n numbers */
static double *weigh_layers(firn_sim *sim, double density, const double spacing[2], int64_t n,
                            int64_t n_surface)
{
    double *volumes = firn_memory_array(&sim->memory, (size_t)n, 2 * sizeof *volumes);
    for (int64_t i = 0; volumes && i < n; i++) {
        double edge = spacing[i >= n_surface];
        volumes[i] = edge * edge * edge;
        volumes[n + i] = density * volumes[i];
    }
    return volumes;
}

static firn_status add_body(firn_sim *sim, const firn_body_def *def, firn_messages *messages)
{
    firn_particles *particles = firn_populate_material(sim, def->material);
    if (!particles)
        return firn_messages_add(messages, FIRN_REFUSED, "body '%s': there is no material '%s'",
                                 def->name, def->material);
    double *x = NULL, *volumes = NULL;
    const double spacing[2] = {sim->h / cbrt(def->particles_at_surface),
                               def->spacing > 0 ? def->spacing
                                                : sim->h / cbrt(def->particles_per_cell)};
    int64_t n = 0, n_surface = 0;
    firn_status status = sample_body(sim, def, spacing, &x, &n, &n_surface, messages);
    if (status != FIRN_OK) {
        const char *file = def->n_shapes ? def->shapes[0].file : "";
        return firn_messages_add(messages, status, "body '%s'%s%s cannot be filled: see above",
                                 def->name, file[0] ? " from " : "", file);
    }
    double volume = spacing[1] * spacing[1] * spacing[1];
    firn_newborn born = {.n = n,
                         .x = x,
                         .body = def,
                         .temperature = def->temperature,
                         .mass = particles->material.density * volume,
                         .volume = volume};
    firn_populate_place(def, n, x, born.center);
    if (n_surface > 0) {
        volumes = weigh_layers(sim, particles->material.density, spacing, n, n_surface);
        if (!volumes)
            status =
                firn_messages_add(messages, FIRN_MEMORY, "body '%s': no memory for %lld particles",
                                  def->name, (long long)n);
        else {
            born.volumes = volumes;
            born.masses = volumes + n;
        }
    }
    if (status == FIRN_OK) status = firn_populate_add(sim, particles, &born, def->name, messages);
    firn_memory_release(&sim->memory, volumes, (size_t)n * 2 * sizeof *volumes);
    firn_memory_release(NULL, x, (size_t)n * 3 * sizeof *x);
    return status;
}

/* A closed wall holds what is inside; what begins beyond it was most likely put there by mistake.
 */
static void warn_of_outside(const firn_sim *sim, firn_messages *messages)
{
    const firn_grid_def *grid = &sim->scene.grid;
    for (int m = 0; grid->has_box && m < sim->n_materials; m++) {
        const firn_particles *particles = &sim->particles[m];
        int64_t n = 0;
        double x[3], at[3] = {0, 0, 0};
        for (int32_t b = 0; b < particles->n_blocks; b++)
            for (int p = 0; p < particles->blocks[b].n; p++) {
                int is_outside = 0;
                firn_particle_boundary_place(sim, particles, &particles->blocks[b], p, x);
                for (int w = 0; w < 6; w++)
                    if (grid->walls[w] != FIRN_WALL_OPEN && grid->walls[w] != FIRN_WALL_DELETE)
                        is_outside |= w & 1 ? x[w / 2] > grid->box_max[w / 2]
                                            : x[w / 2] < grid->box_min[w / 2];
                if (is_outside && n++ == 0) memcpy(at, x, sizeof at);
            }
        if (n)
            firn_messages_warn(messages,
                               "%lld particles of material '%s' begin beyond closed walls, one at "
                               "%.4g %.4g %.4g m",
                               (long long)n, particles->material.name, at[0], at[1], at[2]);
    }
}

firn_status firn_populate_bodies(firn_sim *sim, firn_messages *messages)
{
    enum { RANGES = 256 };
    uint32_t first[RANGES], end[RANGES];
    int n_ranges = 0;
    for (int i = 0; i < sim->scene.n_bodies; i++) {
        const firn_body_def *def = &sim->scene.bodies[i];
        uint32_t first_id = sim->next_id;
        firn_status status =
            *def->points ? firn_populate_points(sim, def, messages) : add_body(sim, def, messages);
        if (status != FIRN_OK) return status;
        if (def->density_from != FIRN_DENSITY_GRID) continue;
        if (n_ranges && end[n_ranges - 1] == first_id)
            n_ranges--;
        else if (n_ranges == RANGES)
            return firn_messages_add(
                messages, FIRN_REFUSED,
                "more than %d separate bodies measure their density on the grid", RANGES);
        else
            first[n_ranges] = first_id;
        end[n_ranges++] = sim->next_id;
    }
    firn_particle_boundary_grip(sim, messages);
    for (int g = 0; g < sim->n_grips; g++) {
        const firn_grip *grip = &sim->grips[g];
        if (grip->n_particles) continue;
        if (grip->def.mode != FIRN_GRIP_MOTION)
            return firn_messages_add(messages, FIRN_REFUSED,
                                     "grip '%s' holds no particle: its region misses the body",
                                     grip->def.name);
        if (grip->has_taken) /* a hold may be of nodes alone, and of what comes to them later */
            firn_messages_warn(messages, "grip '%s' holds no particle: its region misses the body",
                               grip->def.name);
    }
    warn_of_outside(sim, messages);
    firn_status status = firn_sort_particles(sim, messages);
    if (status == FIRN_OK && n_ranges) firn_block_loops_weigh(sim, first, end, n_ranges);
    if (status == FIRN_OK) firn_block_loops_measure(sim);
    return status;
}
