/* SPDX-License-Identifier: MIT */
/* heat_points.h: conduction of heat between particles, see heat_points.c. */
#ifndef FIRN_HEAT_POINTS_H
#define FIRN_HEAT_POINTS_H

#include "meshless/meshless.h"

/* What the method does not conduct or exchange. */
firn_status firn_heat_points_check(const firn_sim *sim, firn_messages *messages);
/* The heat of a step of sim->dt, in sub-steps; from `near`, the present volumes in column hold and
 * column correct. */
firn_status firn_heat_points_step(firn_sim *sim, firn_messages *messages);
/* J/m^3 of work in this step, on particle i: a share of it becomes heat. */
void firn_heat_points_work(firn_sim *sim, int material, int32_t i, double work);
/* J of particle i, of a material with a heat capacity. */
double firn_heat_points_energy(const firn_sim *sim, int material, int32_t i);

#endif
