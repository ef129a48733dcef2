/* SPDX-License-Identifier: MIT */
/* workspace.h: the workspace of one thread: patches of nodes, and the outputs of one block. */
#ifndef FIRN_WORKSPACE_H
#define FIRN_WORKSPACE_H

#include "mpm/mpm.h"

typedef struct firn_workspace {
    void *patch, *forces; /* patches of nodes, see kernels.h */
    void *grad_v, *wave, *viscosity, *plastic, *viscous, *flags, *pull, *energy, *before;
    void *try_tau; /* stress of a trial state */
    /* with damping per time: the patch before forces; what is kept of v and C. NULL otherwise */
    void *unseen, *kept;
} firn_workspace;

/* The load of a block's nodes, in particles. */
enum { FIRN_BLOCK_COSTS = 32 };

/* Room for all threads and the largest block; at a sort. */
firn_status firn_workspace_reserve(firn_sim *sim);
firn_workspace firn_workspace_of(const firn_sim *sim, int thread);
void firn_workspace_clear(firn_sim *sim);

#endif
