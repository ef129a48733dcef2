/* SPDX-License-Identifier: MIT */
/* sort_plan.h: where the particles of a material go at a sort (sort.c), by block. */
#ifndef FIRN_SORT_PLAN_H
#define FIRN_SORT_PLAN_H

#include "mpm/mpm.h"

enum {
    FIRN_SORT_GONE = 27,
    FIRN_SORT_TARGETS = FIRN_SORT_GONE + FIRN_N_LOSSES
}; /* targets from FIRN_SORT_GONE on: reasons to delete (firn_loss) */

typedef struct firn_sort_plan {          /* of one material */
    int32_t (*count)[FIRN_SORT_TARGETS]; /* [old blocks] */
    int64_t (*start)[FIRN_SORT_TARGETS]; /* [old blocks] first new slot of each part */
    firn_particle_block *blocks;         /* new */
    int32_t n_blocks, n_old;
    int64_t n_bundles, n_particles;
    size_t bytes;
} firn_sort_plan;

/* Counts the particles of each old block by target. `plan` is zero before, and after a drop. */
firn_status firn_sort_plan_make(firn_sim *sim, firn_particles *particles, firn_sort_plan *plan);
void firn_sort_plan_drop(firn_sim *sim, firn_sort_plan *plan);
/* Targets and cells of a bundle, without losses. */
void firn_sort_targets(const firn_sim *sim, const firn_particles *particles, int64_t bundle,
                       uint8_t target[16], uint8_t cell[16]);
/* The target of particle p of a block, or FIRN_SORT_GONE + the reason to delete it. */
int firn_sort_fate(const firn_sim *sim, const firn_particles *particles,
                   const firn_particle_block *block, int p);

/* Several ranks (sort_ranks.c), between plans and moves: the owner blocks of all ranks, the cut,
 * particles that go to other ranks, new plans of what is here. All ranks return the same. */
firn_status firn_sort_on_ranks(firn_sim *sim, firn_sort_plan *plans, uint64_t **keys,
                               int32_t *n_keys, size_t *key_bytes, firn_status status);
/* After the grid has been activated. */
firn_status firn_sort_on_ranks_end(firn_sim *sim);

#endif
