/* SPDX-License-Identifier: MIT */
/* particle_boundary.c: boundaries on particles, block by block: which blocks need the slow path,
 * and in which order boundaries act there.
 *
 * Order per particle, after G2P: pulls and holds of grips (grip_particles.c), then thin colliders
 * (particle_collision.c), so that a particle moved by a grip is still kept out of walls. The ledger
 * is as in solver/contact.c. */
#include "mpm/particle_boundary.h"

#include <math.h>

int firn_particle_boundary_any(const firn_sim *sim)
{
    if (firn_sim_pulls_any(sim) || sim->has_particle_pass) return 1;
    for (int g = 0; g < sim->n_grips; g++)
        if (sim->grips[g].is_active) return 1;
    return 0;
}

unsigned firn_particle_boundary_expected(firn_sim *sim, int32_t owner)
{
    int pulls = firn_sim_pulls_any(sim);
    for (int g = 0; g < sim->n_grips; g++) pulls |= sim->grips[g].is_active;
    const unsigned expected = pulls ? FIRN_PARTICLE_PULLS : 0;
    if (!sim->has_particle_pass) return expected;
    if (firn_distance_cache_is_far(sim, owner)) {
        firn_distance_cache_mark_stale(sim, owner);
        return expected;
    }
    firn_distance_cache_renew(sim, owner);
    return expected | FIRN_PARTICLE_SURFACES;
}

/* `expected` selects the slow paths of a block: pulls visit every particle, surfaces only those
 * whose clearance does not exclude contact. Particles are visited in order, so that the ledger of a
 * block is a sum in a fixed order. */
void firn_particle_boundary_apply(const firn_sim *sim, firn_particles *particles,
                                  const firn_particle_block *block, unsigned expected,
                                  const void *x, const void *v, firn_boundary_impulse *impulses)
{
    const firn_kernels *kernels = sim->mpm->kernels;
    const size_t bundle = 48 * kernels->real_size;
    const int is_kept = firn_distance_cache_is_kept(sim);
    const char *now = firn_particles_at(particles, FIRN_FIELD_X, block->first);
    char *clear = expected & FIRN_PARTICLE_SURFACES
                      ? firn_particles_at(particles, FIRN_FIELD_CLEAR, block->first)
                      : NULL;
    for (int b = 0; b < firn_bundles_of(block->n); b++) {
        int first = 16 * b, end = first + 16 < block->n ? first + 16 : block->n;
        for (int p = first; expected & FIRN_PARTICLE_PULLS && p < end; p++) {
            firn_block_point s = firn_block_point_of(sim, particles, block, p, x, v);
            firn_grip_particles_act(&s, impulses);
        }
        if (!clear) continue;

        const size_t at = (size_t)b * bundle;
        uint32_t met = UINT32_MAX; /* low 16 bits: any collider; high 16: one besides the nearest */
        if (is_kept)
            met = kernels->clearance(now + at, (const char *)x + at,
                                     firn_distance_cache_motion_of_step(sim), clear + at);
        for (uint32_t left = (met | met >> 16) & 0xffff; left; left &= left - 1) {
            int lane = __builtin_ctz(left);
            if (first + lane >= end) break;
            firn_block_point s = firn_block_point_of(sim, particles, block, first + lane, x, NULL);
            firn_particle_collision_act(&s, met >> (16 + lane) & 1, impulses);
        }
    }
}
