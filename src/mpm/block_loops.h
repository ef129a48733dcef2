/* SPDX-License-Identifier: MIT */
/* block_loops.h: the loops of a step over blocks, and the arguments that laws and kernels get for
 * each block. */
#ifndef FIRN_BLOCK_LOOPS_H
#define FIRN_BLOCK_LOOPS_H

#include "mpm/mpm.h"
#include "mpm/workspace.h"

void firn_block_loops_p2g(firn_sim *sim);
/* The particles of an owner block in the thread's patches; the columns that they touch. `masses`:
 * NULL, or [27][n_materials - 1][64] of the blocks around, in place of those of impulse_split.h. */
firn_columns firn_block_loops_patch(firn_sim *sim, int32_t owner, int with_force,
                                    const firn_workspace *w, void *masses);
/* As p2g without the forces of stress: momentum, mass and pulls. */
void firn_block_loops_p2g_momentum(firn_sim *sim);
/* Work on the owner blocks in the order of P2G: by colour, so that what two blocks add to common
 * nodes is added in a fixed order, without atomics. */
typedef void (*firn_owner_work)(firn_sim *sim, int32_t owner, int thread, const firn_workspace *w,
                                void *user);
void firn_block_loops_by_color(firn_sim *sim, firn_owner_work work, void *user);
void firn_block_loops_grid(firn_sim *sim);
firn_status firn_block_loops_g2p(firn_sim *sim, firn_messages *messages);
/* Stress, rates and reports of the present state, without a step. */
void firn_block_loops_measure(firn_sim *sim);
/* Sets V0 = m / rho of the particles with these ids, rho the grid's mass density at them. */
void firn_block_loops_weigh(firn_sim *sim, const firn_id_range *ranges, int n_ranges);

/* Assigns the owner blocks to threads (work_ranges.h), before a parallel region; in it each thread
 * claims ranges until the result is 0. */
void firn_block_loops_assign_owners(firn_sim *sim);
int firn_block_loops_claim_owners(const firn_sim *sim, firn_range *owners);

/* Loads the nodes that the particles of an owner block can touch into the thread's patch. */
void firn_block_loops_load(const firn_sim *sim, int32_t owner, const void *nodes, void *patch);

/* The particles of one material in one owner block, and the arguments of kernels for the present
 * step. */
typedef struct firn_block_material {
    int material;
    firn_particles *particles;
    const firn_particle_block *block;
    firn_transfer transfer;
    firn_block_particles block_particles;
} firn_block_material;
/* 0: the material has no particles there. */
int firn_block_loops_material(const firn_sim *sim, int32_t owner, int material,
                              firn_block_material *r);
/* The next material after r->material that has particles there; 0: there is none. */
int firn_block_loops_next_material(const firn_sim *sim, int32_t owner, firn_block_material *r);
#define FIRN_BLOCK_MATERIALS(sim, owner, r)                                                        \
    for (firn_block_material r = {.material = -1}; firn_block_loops_next_material(sim, owner, &r);)

/* The arguments of a law for a block. */
firn_law_batch firn_block_loops_batch(const firn_sim *sim, const firn_particles *particles,
                                      const firn_particle_block *block, const firn_workspace *w);
/* "material 'snow' (law snow), particle 12, cell 1 -2 3" */
void firn_block_loops_particle(const firn_particles *particles, const firn_particle_block *block,
                               int bundle, int lane, char *text, size_t n);
/* The message of a law's flags. */
const char *firn_block_loops_trouble(unsigned flags);

#endif
