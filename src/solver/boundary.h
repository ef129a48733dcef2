/* SPDX-License-Identifier: MIT */
/* boundary.h: what walls, colliders, grips and force fields give to material, and the sums that
 * the ledger of a material is made of. */
#ifndef FIRN_BOUNDARY_H
#define FIRN_BOUNDARY_H

#include "firn/sim.h"

typedef enum firn_boundary_kind {
    FIRN_BOUNDARY_WALLS,
    FIRN_BOUNDARY_COLLIDERS,
    FIRN_BOUNDARY_GRIPS,
    FIRN_BOUNDARY_FORCES,
    FIRN_N_BOUNDARY_KINDS
} firn_boundary_kind;

/* What the material gave to one boundary: collider c, grip n_colliders + g, then all walls, then
 * all force fields (firn_sim_boundary_... in sim.h count them). */
typedef struct firn_boundary_impulse {
    double impulse[3], torque[3]; /* N s, N m s about the pivot */
    double work;                  /* J done on the material by what moves or pulls */
    double friction;              /* J lost in friction */
} firn_boundary_impulse;

void firn_boundary_impulse_add(firn_boundary_impulse *sum, const firn_boundary_impulse *e);

/* A material's sums since the start; saved and restored as they stand. */
typedef struct firn_ledger_sums {
    double impulse[FIRN_N_BOUNDARY_KINDS][3]; /* N s, on the material */
    double work, friction; /* J: done on it by what moves or pulls; lost in friction with bodies */
    double plastic, viscous;                      /* J */
    double lost_mass;                             /* kg */
    int64_t n_lost_by[FIRN_N_LOSSES], n_inverted; /* see firn_ledger */
} firn_ledger_sums;

/* Books an impulse that a boundary took from a material, into the material's sums. */
void firn_ledger_sums_book(firn_ledger_sums *sums, firn_boundary_kind kind,
                           const firn_boundary_impulse *e);
/* Nothing in it, its extremes beyond everything. */
void firn_ledger_clear(firn_ledger *ledger);
int64_t firn_ledger_sums_n_lost(const firn_ledger_sums *sums);

#endif
