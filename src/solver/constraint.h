/* SPDX-License-Identifier: MIT */
/* constraint.h: what a boundary demands of the velocity of one point - a node, or a particle -
 * in the coming step. It is found once from positions alone; then velocities are projected onto
 * it, as often as an integrator asks, and what the boundary gave is booked once, from the
 * velocities before and after.
 *
 *     find      positions, time            -> constraint      (queries, caches)
 *     project   constraint, v              -> v               pure
 *     book      constraint, v before, after -> ledger */
#ifndef FIRN_CONSTRAINT_H
#define FIRN_CONSTRAINT_H

#include "solver/boundary.h"

typedef struct firn_constraint {
    firn_boundary_kind kind;
    int boundary; /* its number, see sim.h */
    int is_hold;  /* velocity on the axes that are not free; else a contact: */
    firn_contact contact;
    double friction, adhesion; /* Coulomb coefficient; m/s that must be overcome to separate */
    double normal[3];
    double limit[3];     /* m/s: the velocity of a contact, that of a hold */
    double surface_v[3]; /* m/s: of the surface, which decides on its work */
    double pivot[3];     /* m: of torques */
    int free_axes[3];
} firn_constraint;

/* The velocity as the constraint allows it. Pure: nothing else is read or written. */
void firn_constraint_project(const firn_constraint *constraint, double v[3]);
/* What the projection of a point's velocity took from the material; added to *e. */
void firn_constraint_book(const firn_constraint *constraint, const double x[3], double mass,
                          const double before[3], const double after[3], firn_boundary_impulse *e);

#endif
