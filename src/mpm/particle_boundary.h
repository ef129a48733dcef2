/* SPDX-License-Identifier: MIT */
/* particle_boundary.h: boundaries that act on particles rather than on nodes: grips
 * (grip_particles.c), the caller's acceleration, thin colliders (particle_collision.c), sinks
 * (sink_particles.c). */
#ifndef FIRN_PARTICLE_BOUNDARY_H
#define FIRN_PARTICLE_BOUNDARY_H

#include "mpm/mpm.h"

/* Whether a boundary acts on particles at all, and which kinds may act on those of an owner
 * block. */
enum { FIRN_PARTICLE_PULLS = 1, FIRN_PARTICLE_SURFACES = 2 };
int firn_particle_boundary_any(const firn_sim *sim);
unsigned firn_particle_boundary_expected(firn_sim *sim, int32_t owner);
/* The impulse (N s) of grips and the caller's acceleration in the step, before P2G. */
void firn_particle_boundary_pull(const firn_sim *sim, const firn_particles *particles,
                                 const firn_particle_block *block, void *pull);
/* After G2P: the ledger of these impulses, grips that hold their particles, and the second pass for
 * thin colliders. `x` and, for pulls, `v`: of the particles before G2P. */
void firn_particle_boundary_apply(const firn_sim *sim, firn_particles *particles,
                                  const firn_particle_block *block, unsigned expected,
                                  const void *x, const void *v, firn_boundary_impulse *impulses);

/* One particle of a block, before and after it moved. */
typedef struct firn_block_point {
    const firn_sim *sim;
    firn_particles *particles;
    const firn_particle_block *block;
    int p;
    firn_moved_point moved;
} firn_block_point;
/* `x` and `v`: of the block before G2P; v may be NULL. */
firn_block_point firn_block_point_of(const firn_sim *sim, firn_particles *particles,
                                     const firn_particle_block *block, int p, const void *x,
                                     const void *v);
/* Writes position and velocity back to the storage. */
void firn_block_point_store(const firn_block_point *point);

void firn_grip_particles_act(firn_block_point *point, firn_boundary_impulse *impulses);
void firn_particle_collision_act(firn_block_point *point, int all, firn_boundary_impulse *impulses);

/* Sinks: whether one may meet particles of an owner block in this step, or delete some at a sort;
 * drain deletes those that met one. `before`: positions at the beginning of the step. */
int firn_sink_particles_reach(const firn_sim *sim, const int32_t coord[3]);
int firn_sink_particles_may_delete(const firn_sim *sim, const int32_t coord[3]);
void firn_sink_particles_drain(const firn_sim *sim, firn_particles *particles,
                               firn_particle_block *block, const void *before,
                               firn_block_report *report);

#endif
