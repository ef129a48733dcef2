/* SPDX-License-Identifier: MIT */
/* constraint.h: the condition that a boundary imposes on the velocity of one point, a node or a
 * particle, in the coming step. It is found once, from positions alone; velocities are projected
 * onto it as often as an integrator asks; and the impulse is computed once, from the velocities
 * before and after.
 *
 *     find      positions, time             -> constraint      queries, caches
 *     project   constraint, v               -> v               pure
 *     impulse   constraint, v before, after -> ledger
 *
 * Constraints of one point are projected one after the other, the last one holds exactly:
 * colliders, grips, walls (node_boundary.c). */
#ifndef FIRN_CONSTRAINT_H
#define FIRN_CONSTRAINT_H

#include "solver/boundary.h"

typedef struct firn_constraint {
    firn_boundary_kind kind;
    int boundary; /* numbered as in sim.h */
    int is_hold;  /* the velocity is prescribed on the axes that are not free; else a contact: */
    firn_contact contact;
    double friction,
        adhesion; /* Coulomb coefficient; m/s of normal velocity to overcome before separating */
    double normal[3];
    double limit[3];     /* m/s: of the contact or the hold */
    double surface_v[3]; /* m/s: of the surface, for its work */
    double pivot[3];     /* m: reference of torques */
    int free_axes[3];
} firn_constraint;

/* The velocity that the constraint admits. Pure: reads and writes nothing else. */
void firn_constraint_project(const firn_constraint *constraint, double v[3]);
/* Adds the impulse of a projection, from the velocities before and after it, to *e. */
void firn_constraint_impulse(const firn_constraint *constraint, const double x[3], double mass,
                             const double before[3], const double after[3],
                             firn_boundary_impulse *e);

#endif
