/* SPDX-License-Identifier: MIT */
/* block_loops.h: the loops of a step over blocks, and what they hand to each block. */
#ifndef FIRN_BLOCK_LOOPS_H
#define FIRN_BLOCK_LOOPS_H

#include "mpm/mpm.h"
#include "mpm/workspace.h"

void firn_block_loops_p2g(firn_sim *sim);
void firn_block_loops_grid(firn_sim *sim);
firn_status firn_block_loops_g2p(firn_sim *sim, firn_messages *messages);
/* Stress, limits and reports of the state as it is. */
void firn_block_loops_measure(firn_sim *sim);
/* The grid's mass density at the particles of these ids: m / rho becomes their volume V0. */
void firn_block_loops_weigh(firn_sim *sim, const firn_id_range *ranges, int n_ranges);

/* Owner blocks shared out among threads (work_ranges.h): before the threads begin, and by each
 * until it returns 0. */
void firn_block_loops_assign_owners(firn_sim *sim);
int firn_block_loops_claim_owners(const firn_sim *sim, firn_range *owners);

/* What the particles of an owner block see of the nodes, into the thread's patch. */
void firn_block_loops_load(const firn_sim *sim, int32_t owner, const void *nodes, void *patch);

/* The particles of one material in one owner block, and what the kernels are called with in the
 * present step. */
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

/* What a law is called with for a block. */
firn_law_batch firn_block_loops_batch(const firn_sim *sim, const firn_particles *particles,
                                      const firn_particle_block *block, const firn_workspace *w);
/* "material 'snow' (law snow), particle 12, cell 1 -2 3" */
void firn_block_loops_particle(const firn_particles *particles, const firn_particle_block *block,
                               int bundle, int lane, char *text, size_t n);
/* What a law's flags say, as a message. */
const char *firn_block_loops_trouble(unsigned flags);

#endif
