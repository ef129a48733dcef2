/* SPDX-License-Identifier: MIT */
/* populate.h: newborn particles into the storage of a material. */
#ifndef FIRN_MPM_POPULATE_H
#define FIRN_MPM_POPULATE_H

#include "firn/sim.h"
#include "solver/newborn.h"

firn_status firn_populate_add(firn_sim *sim, int material, const firn_newborn *born,
                              const char *source, firn_messages *messages);

#endif
