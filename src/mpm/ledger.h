/* SPDX-License-Identifier: MIT */
/* ledger.h: adds a material's particles to a ledger (solver/ledger.c has the sums since the
 * start). */
#ifndef FIRN_MPM_LEDGER_H
#define FIRN_MPM_LEDGER_H

#include "firn/sim.h"
#include "mpm/particles.h"

firn_status firn_particles_ledger(firn_sim *sim, int material, firn_ledger *ledger);
/* J: det F times the plastic volume ratio, where the law's history has one. */
double firn_particles_volume_ratio(const firn_particles *particles, int64_t bundle, int lane,
                                   const double F[9]);

#endif
