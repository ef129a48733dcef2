/* SPDX-License-Identifier: MIT */
/* point_contact.h: where boundaries allow a particle to be, for methods that look for positions
 * (point_contact.c); the velocities that they allow are in point_boundary.c. */
#ifndef FIRN_POINT_CONTACT_H
#define FIRN_POINT_CONTACT_H

#include "meshless/meshless.h"

/* Whether a grip holds the particle on all axes in this step; then x is where it takes it. */
int firn_point_contact_held(const firn_sim *sim, int32_t i, double x[3]);
/* Moves x to the nearest place before the closed walls and the colliders at the end of the step. */
void firn_point_contact_keep_out(const firn_sim *sim, int32_t i, double x[3]);

#endif
