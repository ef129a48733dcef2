/* SPDX-License-Identifier: MIT */
/* populate.c: newborn particles into the blocks of a material.
 *
 * Points are ordered by the key of their owner block; ties keep the order of the list. Each block
 * begins with a new bundle. Blocks are appended, so a place may have two blocks until the next
 * sort, which merges them and orders cells: must_sort stays set until then, and no kernel runs on
 * such a state.
 *
 * owner = floor((x / h + 1/2) / 4): positions from -0.5 up to 3.5 cells, as after a sort. Along a
 * periodic axis this is the block of the first period, and IMAGE counts the periods between. */
#include "mpm/populate.h"
#include "mpm/block_places.h"
#include "mpm/heat.h"
#include "mpm/ranks.h"

#include <math.h>
#include <stdlib.h>

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

/* The block of a place, before (owner) and after wrapping. Coordinates that do not fit (far away,
 * NaN) become INT32_MAX / 2, which firn_grid_is_reachable refuses. */
static void owner_of(const firn_sim *sim, const double x[3], int32_t owner[3], int32_t coord[3])
{
    for (int a = 0; a < 3; a++) {
        double c = floor(((x[a] - sim->mpm->origin[a]) / sim->h + 0.5) / 4);
        coord[a] = owner[a] = c > -1e9 && c < 1e9 ? (int32_t)c : INT32_MAX / 2;
    }
    if (firn_grid_is_reachable(owner)) firn_grid_wrap(&sim->mpm->grid, coord);
}

static void put(firn_sim *sim, firn_particles *particles, const firn_newborn *born, int64_t i,
                const firn_particle_block *block, int p)
{
    int64_t b = block->first + p / 16;
    int lane = p % 16;
    double v[3], C[9], F[9];
    firn_newborn_state(born, particles->transfer.is_affine, i, v, C, F);
    int32_t owner[3], coord[3];
    owner_of(sim, born->x + 3 * i, owner, coord);
    for (int a = 0; a < 3; a++) {
        const int32_t beyond = owner[a] - coord[a]; /* blocks */
        firn_particles_set(particles, FIRN_FIELD_X, b, a, lane,
                           firn_block_cells(sim, block, a, born->x[3 * i + a]) - 4.0 * beyond);
        firn_particles_set(particles, FIRN_FIELD_V, b, a, lane, v[a]);
        if (particles->n_components[FIRN_FIELD_IMAGE] && beyond)
            firn_particles_set(particles, FIRN_FIELD_IMAGE, b, a, lane,
                               (double)beyond / sim->mpm->grid.n_around[a]);
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
    const double T = firn_newborn_temperature(born, i);
    firn_particles_set(particles, FIRN_FIELD_T, b, 0, lane, T);
    if (sim->heat) firn_heat_particles_begin(sim, particles, b, lane, T);
    for (int a = 0; a < particles->n_components[FIRN_FIELD_REST]; a++)
        firn_particles_set(particles, FIRN_FIELD_REST, b, a, lane, born->x[3 * i + a]);
    if (particles->n_components[FIRN_FIELD_BORN])
        firn_particles_set(particles, FIRN_FIELD_BORN, b, 0, lane, sim->time);
    for (int a = 0; a < particles->n_components[FIRN_FIELD_V_FRAME]; a++)
        firn_particles_set(particles, FIRN_FIELD_V_FRAME, b, a, lane, a < 3 ? v[a] : sim->time);
    firn_particles_set(particles, FIRN_FIELD_ID, b, 0, lane, (double)born->first_id + (double)i);
}

/* New bundles are padding throughout before particles are put into them. */
static void blank_bundles(firn_particles *particles, int64_t first, int n)
{
    for (int f = 0; f < FIRN_N_FIELDS; f++)
        for (int c = 0; c < particles->n_components[f]; c++)
            for (int p = 0; p < 16 * n; p++)
                firn_particles_set(particles, f, first + p / 16, c, p % 16,
                                   firn_particles_blank(particles, f, c));
}

/* Appends blocks for the ordered points and fills them. */
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
        return firn_messages_no_memory(messages,
                                       "material '%s': %lld more particles (%.1f MiB in use)",
                                       particles->material->resolved.name, (long long)born->n,
                                       (double)sim->memory.now / (1 << 20));
    for (int64_t first = 0, end; first < born->n; first = end) {
        for (end = first + 1; end < born->n && order[end].key == order[first].key;) end++;
        firn_particle_block *block = &particles->blocks[particles->n_blocks++];
        firn_grid_coord(order[first].key, block->coord);
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

/* With several ranks births are made alike on each and kept by the last one: newborn blocks then
 * stand behind all others, as with one process, until the next sort gives them to their ranks. */
firn_status firn_populate_add(firn_sim *sim, int material, const firn_newborn *born,
                              const char *source, firn_messages *messages)
{
    if (sim->mpm->ranks) {
        sim->mpm->ranks->n_all[material] += born->n;
        if (sim->comm.rank + 1 < sim->comm.size) return FIRN_OK;
    }
    const size_t bytes = (size_t)born->n * sizeof(placed);
    placed *order = firn_memory_allocate(&sim->memory, bytes);
    if (!order)
        return firn_messages_no_memory(messages, "%lld particles of '%s'", (long long)born->n,
                                       source);
    firn_status status = FIRN_OK;
    for (int64_t i = 0; i < born->n && status == FIRN_OK; i++) {
        int32_t owner[3], coord[3];
        owner_of(sim, born->x + 3 * i, owner, coord);
        if (!firn_grid_is_reachable(coord))
            status = firn_messages_add(
                messages, FIRN_REFUSED,
                "%s: a particle is too far from the origin (%g %g %g m); allowed: %d cells of "
                "dx = %g m to either side",
                source, born->x[3 * i], born->x[3 * i + 1], born->x[3 * i + 2],
                4 * FIRN_COORD_LIMIT, sim->h);
        else
            order[i] = (placed){firn_grid_key(coord), i};
    }
    if (status == FIRN_OK) {
        qsort(order, (size_t)born->n, sizeof *order, compare_placed);
        status = fill_blocks(sim, &sim->mpm->particles[material], born, order, messages);
    }
    firn_memory_release(&sim->memory, order, bytes);
    return status;
}
