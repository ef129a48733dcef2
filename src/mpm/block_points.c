/* SPDX-License-Identifier: MIT */
/* block_points.c: one particle of a block from its AoSoA storage as a firn_moved_point (doubles,
 * metres, state before and after G2P), and back. For the few particles that boundaries act on;
 * loops over all particles are kernels.
 *
 * Index of component a of particle p in an array [bundle][3][16]: (p / 16) * 48 + a * 16 + p %
 * 16. */
#include "mpm/block_places.h"
#include "mpm/particle_boundary.h"
#include "mpm/plane.h"

firn_block_point firn_block_point_of(const firn_sim *sim, firn_particles *particles,
                                     const firn_particle_block *block, int p, const void *x,
                                     const void *v)
{
    firn_block_point s = {.sim = sim, .particles = particles, .block = block, .p = p};
    firn_moved_point *moved = &s.moved;
    const int64_t bundle = block->first + p / 16;
    moved->mass = firn_particles_value(particles, FIRN_FIELD_MASS, bundle, 0, p % 16);
    firn_block_place(sim, particles, block, p, moved->x);
    firn_block_place_of(sim, block, p, x, moved->before);
    for (int a = 0; a < 3; a++) {
        const int at = (p / 16) * 48 + a * 16 + p % 16;
        if (v)
            moved->v_before[a] = sim->mpm->kernels->is_double ? ((const double *)v)[at]
                                                              : (double)((const float *)v)[at];
        moved->v[a] = firn_particles_value(particles, FIRN_FIELD_V, bundle, a, p % 16);
    }
    return s;
}

void firn_block_point_store(const firn_block_point *s)
{
    const int64_t bundle = s->block->first + s->p / 16;
    for (int a = 0; a < (firn_plane_is(s->sim) ? 2 : 3); a++) {
        firn_particles_set(s->particles, FIRN_FIELD_X, bundle, a, s->p % 16,
                           firn_block_cells(s->sim, s->block, a, s->moved.x[a]));
        firn_particles_set(s->particles, FIRN_FIELD_V, bundle, a, s->p % 16, s->moved.v[a]);
    }
}
