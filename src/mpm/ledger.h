/* SPDX-License-Identifier: MIT */
/* ledger.h: a material's particles in a ledger. */
#ifndef FIRN_MPM_LEDGER_H
#define FIRN_MPM_LEDGER_H

#include "firn/sim.h"

firn_status firn_particles_ledger(firn_sim *sim, int material, firn_ledger *ledger);

#endif
