/* SPDX-License-Identifier: MIT */
/* particles.c: storage of the particles of one material (particles.h).
 *
 * Fields grow one at a time, each copied into its new array before the old one is released, so the
 * peak is one field above the sum. A field that failed to grow leaves the others valid: capacities
 * are per field. */
#include "mpm/particles.h"
#include "solver/records.h"
#include "solver/sim.h"

#include <string.h>

static size_t value_size(const firn_particles *particles, firn_field field)
{
    return firn_field_is_integer(field) ? sizeof(uint32_t) : particles->real_size;
}

/* Optional fields have 0 components, and then no storage: C without an affine transfer, GRIP
 * without grips, START without grips in mode follow, CLEAR without a second pass, IMAGE
 * without periodic axes, REST, BORN and V_FRAME without outputs of them, ENTHALPY, LIQUID, HEAT_REST and T_GRADIENT without a heat capacity. */
void firn_particles_init(firn_particles *particles, firn_memory *memory, size_t real_size,
                         int has_grip, int has_start, int has_clear, int has_image,
                         int has_T_gradient, unsigned records)
{
    particles->memory = memory;
    particles->real_size = real_size;
    for (int f = 0; f < FIRN_N_FIELDS; f++) particles->n_components[f] = firn_field_components(f);
    if (!particles->transfer.is_affine) particles->n_components[FIRN_FIELD_C] = 0;
    particles->n_components[FIRN_FIELD_GRIP] = has_grip;
    particles->n_components[FIRN_FIELD_START] = has_start ? 3 : 0;
    particles->n_components[FIRN_FIELD_REST] = records & FIRN_RECORD_REST ? 3 : 0;
    particles->n_components[FIRN_FIELD_BORN] = records & FIRN_RECORD_BORN ? 1 : 0;
    particles->n_components[FIRN_FIELD_V_FRAME] = records & FIRN_RECORD_V_FRAME ? 4 : 0;
    particles->n_components[FIRN_FIELD_CLEAR] = has_clear ? 3 : 0;
    particles->n_components[FIRN_FIELD_IMAGE] = has_image ? 3 : 0;
    const int has_heat = particles->material->resolved.thermal.is_on;
    if (!has_heat) particles->n_components[FIRN_FIELD_ENTHALPY] = 0;
    particles->n_components[FIRN_FIELD_LIQUID] = has_heat;
    particles->n_components[FIRN_FIELD_HEAT_REST] = has_heat;
    particles->n_components[FIRN_FIELD_T_GRADIENT] = has_heat && has_T_gradient ? 3 : 0;
    particles->n_components[FIRN_FIELD_HISTORY] = particles->material->resolved.law->info.n_history;
}

size_t firn_particles_field_bytes(const firn_particles *particles, firn_field field,
                                  int64_t n_bundles)
{
    return (size_t)n_bundles * (size_t)particles->n_components[field] * FIRN_BUNDLE_LANES *
           value_size(particles, field);
}

void firn_particles_clear(firn_particles *particles)
{
    for (int f = 0; f < FIRN_N_FIELDS; f++) {
        firn_memory_release(particles->memory, particles->field[f],
                            firn_particles_field_bytes(particles, f, particles->capacity[f]));
        particles->field[f] = NULL;
        particles->capacity[f] = 0;
    }
    firn_memory_release(particles->memory, particles->blocks,
                        (size_t)particles->block_capacity * sizeof *particles->blocks);
    firn_memory_release(particles->memory, particles->block_of_owner,
                        (size_t)particles->owner_capacity * sizeof(int32_t));
    particles->blocks = NULL;
    particles->block_of_owner = NULL;
    particles->n_particles = particles->n_bundles = 0;
    particles->n_blocks = particles->block_capacity = particles->owner_capacity = 0;
}

firn_status firn_particles_reserve(firn_particles *particles, int64_t n_bundles, int32_t n_blocks)
{
    for (int f = 0; f < FIRN_N_FIELDS; f++) {
        if (particles->n_components[f] == 0 || n_bundles <= particles->capacity[f]) continue;
        void *grown = firn_memory_allocate(particles->memory,
                                           firn_particles_field_bytes(particles, f, n_bundles));
        if (!grown) return FIRN_MEMORY;
        if (particles->field[f])
            memcpy(grown, particles->field[f],
                   firn_particles_field_bytes(particles, f, particles->n_bundles));
        firn_memory_release(particles->memory, particles->field[f],
                            firn_particles_field_bytes(particles, f, particles->capacity[f]));
        particles->field[f] = grown;
        particles->capacity[f] = n_bundles;
    }
    if (n_blocks > particles->block_capacity) {
        firn_particle_block *grown =
            firn_memory_array(particles->memory, (size_t)n_blocks, sizeof *grown);
        if (!grown) return FIRN_MEMORY;
        if (particles->blocks)
            memcpy(grown, particles->blocks, (size_t)particles->n_blocks * sizeof *grown);
        firn_memory_release(particles->memory, particles->blocks,
                            (size_t)particles->block_capacity * sizeof *grown);
        particles->blocks = grown;
        particles->block_capacity = n_blocks;
    }
    return FIRN_OK;
}

void *firn_particles_at(const firn_particles *particles, firn_field field, int64_t bundle)
{
    return particles->n_components[field] ? (char *)particles->field[field] +
                                                firn_particles_field_bytes(particles, field, bundle)
                                          : NULL;
}

/* Padding lanes take part in every kernel, so their values must be harmless: F = I and the initial
 * history for laws, mass 0 for transfers, the middle of the block for indices. */
double firn_particles_blank(const firn_particles *particles, firn_field field, int component)
{
    if (field == FIRN_FIELD_X) return 1.5;
    if (field == FIRN_FIELD_F) return component % 4 == 0;
    if (field == FIRN_FIELD_T) return 293.15;
    return field == FIRN_FIELD_HISTORY
               ? particles->material->resolved.law->info.history[component].initial
               : 0;
}

firn_block_particles firn_particle_block_particles(const firn_particles *particles,
                                                   const firn_particle_block *block)
{
    return (firn_block_particles){
        .n = block->n,
        .x = firn_particles_at(particles, FIRN_FIELD_X, block->first),
        .payload =
            {
                .value = firn_particles_at(particles, FIRN_FIELD_V, block->first),
                .affine = firn_particles_at(particles, FIRN_FIELD_C, block->first),
                .flux = firn_particles_at(particles, FIRN_FIELD_TAU, block->first),
                .weight = firn_particles_at(particles, FIRN_FIELD_MASS, block->first),
                .volume = firn_particles_at(particles, FIRN_FIELD_VOLUME, block->first),
            },
    };
}
