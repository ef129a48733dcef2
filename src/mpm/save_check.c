/* SPDX-License-Identifier: MIT */
/* save_check.c: a saved state is untrusted, also where its checksum is right: everything on which
 * an index, a shift or a cast depends is held against its invariant before the first step.
 *
 *   blocks    in order, disjoint, within the arrays, within reach of the origin and along periodic
 *             axes in the first period; without a sort
 *             to come (must_sort) in strictly rising Morton order, as every sort leaves them
 *   fields    finite; positions (cells of the owner block) where a sort can find their owner,
 *             -4.5 <= x < 7.5, and without a sort to come within the reach of their block
 *   padding   no mass, in the middle of the block
 *   ids       below next_id, each once; grips: bits of grips of the scene
 *
 * What no run can have written is refused, with the material and the particle. */
#include "mpm/save_check.h"
#include "mpm/mpm.h"

#include <math.h>
#include <string.h>

static firn_status wrong(const firn_particles *particles, const char *what, long long which,
                         firn_messages *messages)
{
    return firn_messages_add(messages, FIRN_REFUSED,
                             "saved state: damaged (material '%s': %s %lld)",
                             particles->material->resolved.name, what, which);
}

/* ---------------------------------------------------------------- blocks */

static firn_status check_blocks(const firn_sim *sim, const firn_particles *particles,
                                firn_messages *messages)
{
    int64_t n = 0, end = 0;
    uint64_t before = 0;
    for (int32_t b = 0; b < particles->n_blocks; b++) {
        const firn_particle_block *block = &particles->blocks[b];
        int32_t coord[3] = {block->coord[0], block->coord[1], block->coord[2]};
        firn_grid_wrap(&sim->mpm->grid, coord);
        if (block->n < 0 || block->first < end || block->first > particles->n_bundles ||
            !firn_grid_is_reachable(block->coord) ||
            memcmp(coord, block->coord, sizeof coord) != 0 || block->reach >= 1 << 6 ||
            block->is_watched > 1)
            return wrong(particles, "block", b, messages);
        const uint64_t key = firn_grid_key(block->coord);
        if (!sim->must_sort && (block->n == 0 || (b > 0 && key <= before)))
            return wrong(particles, "order of block", b, messages);
        before = key;
        n += block->n;
        end = block->first + firn_bundles_of(block->n); /* gaps: sink_particles.c */
    }
    if (n != particles->n_particles || end > particles->n_bundles)
        return wrong(particles, "number of particles", (long long)particles->n_particles, messages);
    return FIRN_OK;
}

/* ---------------------------------------------------------------- fields */

/* The exponent of a number that is not finite has all bits set. */
static int are_finite(const firn_particles *particles, firn_field field)
{
    const size_t n =
        (size_t)particles->n_bundles * (size_t)particles->n_components[field] * FIRN_BUNDLE_LANES;
    const uint32_t exponent = 0x7f800000;
    const uint64_t long_exponent = 0x7ff0000000000000;
    int is_wrong = 0;
    for (size_t i = 0; i < n; i++) {
        if (particles->real_size == sizeof(double)) {
            uint64_t bits;
            memcpy(&bits, (const double *)particles->field[field] + i, sizeof bits);
            is_wrong |= (bits & long_exponent) == long_exponent;
        } else {
            uint32_t bits;
            memcpy(&bits, (const float *)particles->field[field] + i, sizeof bits);
            is_wrong |= (bits & exponent) == exponent;
        }
    }
    return !is_wrong;
}

/* One lane: of a particle (p < n of its block) or of padding. */
static const char *lane_fault(const firn_sim *sim, const firn_particles *particles, int64_t bundle,
                              int lane, int is_padding)
{
    for (int a = 0; a < 3; a++) {
        const double x = firn_particles_value(particles, FIRN_FIELD_X, bundle, a, lane);
        if (is_padding ? x != firn_particles_blank(particles, FIRN_FIELD_X, a)
                       : !(x >= -4.5 && x < 7.5))
            return "position of particle";
    }
    const double mass = firn_particles_value(particles, FIRN_FIELD_MASS, bundle, 0, lane);
    if (is_padding) return mass != 0 ? "mass of padding" : NULL;
    if (!(mass > 0) || !(firn_particles_value(particles, FIRN_FIELD_VOLUME, bundle, 0, lane) >= 0))
        return "mass or volume of particle";
    if (!(firn_particles_value(particles, FIRN_FIELD_ID, bundle, 0, lane) < (double)sim->next_id))
        return "id of particle";
    if (particles->n_components[FIRN_FIELD_GRIP] &&
        (uint32_t)firn_particles_value(particles, FIRN_FIELD_GRIP, bundle, 0, lane) >=
            (uint64_t)1 << sim->n_grips)
        return "grips of particle";
    return NULL;
}

static firn_status check_lanes(const firn_sim *sim, const firn_particles *particles,
                               firn_messages *messages)
{
    for (int32_t b = 0; b < particles->n_blocks; b++) {
        const firn_particle_block *block = &particles->blocks[b];
        const int n_lanes = FIRN_BUNDLE_LANES * firn_bundles_of(block->n);
        for (int p = 0; p < n_lanes; p++) {
            const char *fault = lane_fault(sim, particles, block->first + p / FIRN_BUNDLE_LANES,
                                           p % FIRN_BUNDLE_LANES, p >= block->n);
            if (fault) return wrong(particles, fault, (long long)block->first * 16 + p, messages);
        }
    }
    return FIRN_OK;
}

firn_status firn_save_check_particles(const firn_sim *sim, int material, firn_messages *messages)
{
    const firn_particles *particles = &sim->mpm->particles[material];
    firn_status status = check_blocks(sim, particles, messages);
    for (int f = 0; f < FIRN_N_FIELDS && status == FIRN_OK; f++)
        if (particles->n_components[f] && !firn_field_is_integer(f) && !firn_field_is_cache(f) &&
            !are_finite(particles, f))
            status = firn_messages_add(messages, FIRN_REFUSED,
                                       "saved state: damaged (material '%s': %s is not finite)",
                                       particles->material->resolved.name, firn_field_name(f));
    return status == FIRN_OK ? check_lanes(sim, particles, messages) : status;
}

/* ---------------------------------------------------------------- all materials */

firn_status firn_save_check_ids(firn_sim *sim, firn_messages *messages)
{
    int64_t n = 0, at = 0;
    for (int m = 0; m < sim->n_materials; m++) n += sim->mpm->particles[m].n_particles;
    const size_t bytes = (size_t)n * sizeof(uint64_t);
    uint64_t *ids = n <= INT32_MAX ? firn_memory_allocate(&sim->memory, bytes) : NULL;
    if (!ids) return firn_messages_no_memory(messages, "ids of %lld particles", (long long)n);
    for (int m = 0; m < sim->n_materials; m++) {
        const firn_particles *particles = &sim->mpm->particles[m];
        for (int32_t b = 0; b < particles->n_blocks; b++)
            for (int p = 0; p < particles->blocks[b].n; p++)
                ids[at++] = (uint64_t)firn_particles_value(
                    particles, FIRN_FIELD_ID, particles->blocks[b].first + p / FIRN_BUNDLE_LANES, 0,
                    p % FIRN_BUNDLE_LANES);
    }
    const int is_once = firn_grid_unique(ids, (int32_t)n) == n;
    firn_memory_release(&sim->memory, ids, bytes);
    return is_once ? FIRN_OK
                   : firn_messages_add(messages, FIRN_REFUSED,
                                       "saved state: damaged (two particles have the same id)");
}

firn_status firn_save_check_reach(const firn_sim *sim, firn_messages *messages)
{
    for (int m = 0; m < sim->n_materials && !sim->must_sort; m++) {
        const firn_particles *particles = &sim->mpm->particles[m];
        for (int32_t b = 0; b < particles->n_blocks; b++) {
            const firn_particle_block *block = &particles->blocks[b];
            double lowest[3], most[3];
            firn_grid_reach_ends(sim->mpm->grid.reach[block->owner], lowest, most);
            for (int k = 0; k < 3 * block->n; k++) {
                const int p = k / 3;
                const double x = firn_particles_value(particles, FIRN_FIELD_X,
                                                      block->first + p / FIRN_BUNDLE_LANES, k % 3,
                                                      p % FIRN_BUNDLE_LANES);
                if (!(x >= lowest[k % 3] && x < most[k % 3]))
                    return wrong(particles, "reach of particle", (long long)block->first * 16 + p,
                                 messages);
            }
        }
    }
    return FIRN_OK;
}
