/* SPDX-License-Identifier: MIT */
/* boundary.h: impulse, torque, work and friction between boundaries (walls, colliders, grips, force
 * fields) and material, and the sums that the ledger of a material is made of.
 *
 * With J the impulse on the material, v its velocity and v_c that of the boundary:
 *
 *     impulse  = - sum J              N s     on the boundary
 *     torque   = - sum (x - p) x J    N m s   about its pivot p
 *     work     = sum J . v_c          J       done on the material by a moving boundary
 *     friction = - sum J . (v - v_c)  J >= 0  dissipated by slip
 *
 * The momentum balance of a material, p(t) - p(0) = int M g dt + sum J, closes to round-off when
 * every change of velocity goes through here. */
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

/* What one boundary received from the material. Boundaries are numbered: collider c, grip
 * n_colliders + g, then all walls, then all force fields (firn_sim_boundary_kind in sim.h). */
typedef struct firn_boundary_impulse {
    double impulse[3], torque[3]; /* N s, N m s about the pivot */
    double work;                  /* J, done on the material */
    double friction;              /* J, dissipated */
} firn_boundary_impulse;

void firn_boundary_impulse_add(firn_boundary_impulse *sum, const firn_boundary_impulse *e);

/* The sums of one material since the start; part of a saved state, as they stand. */
typedef struct firn_ledger_sums {
    double impulse[FIRN_N_BOUNDARY_KINDS][3]; /* N s, on the material */
    double work, friction;                    /* J: done on it; dissipated by slip */
    double plastic, viscous;                  /* J */
    double lost_mass;                         /* kg */
    int64_t n_lost_by[FIRN_N_LOSSES], n_bounded[FIRN_N_BOUNDS]; /* see firn_ledger */
} firn_ledger_sums;

/* Adds what a boundary received to the sums of the material that gave it. */
void firn_ledger_sums_add(firn_ledger_sums *sums, firn_boundary_kind kind,
                          const firn_boundary_impulse *e);
/* An empty ledger: sums 0, minima +infinity, maxima -infinity. */
void firn_ledger_clear(firn_ledger *ledger);
/* Adds sums and extremes over other particles. */
void firn_ledger_add(firn_ledger *sum, const firn_ledger *l);
int64_t firn_ledger_sums_n_lost(const firn_ledger_sums *sums);

#endif
