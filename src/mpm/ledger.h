/* SPDX-License-Identifier: MIT */
/* ledger.h: adds a material's particles to a ledger (solver/ledger.c has the sums since the
 * start). */
#ifndef FIRN_MPM_LEDGER_H
#define FIRN_MPM_LEDGER_H

#include "firn/sim.h"

firn_status firn_particles_ledger(firn_sim *sim, int material, firn_ledger *ledger);

#endif
