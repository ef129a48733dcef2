/* SPDX-License-Identifier: MIT */
/* save_check.h: whether particles read from a saved state may be stepped. */
#ifndef FIRN_MPM_SAVE_CHECK_H
#define FIRN_MPM_SAVE_CHECK_H

#include "firn/sim.h"

/* One material, after its fields and blocks have been read; sim->next_id and sim->must_sort are
 * those of the state. FIRN_REFUSED with a message: something cannot have been written by a run. */
firn_status firn_save_check_particles(const firn_sim *sim, int material, firn_messages *messages);
/* All materials: ids are used once. */
firn_status firn_save_check_ids(firn_sim *sim, firn_messages *messages);
/* After the grid has been rebuilt: particles are within reach of its blocks. */
firn_status firn_save_check_reach(const firn_sim *sim, firn_messages *messages);

#endif
