/* SPDX-License-Identifier: MIT */
/* records.h: what particles carry for outputs alone: their place of birth (attribute rest), its time
 * (age), and their velocity at the last output time (accel). Scenes whose outputs and expectations
 * name none of them carry nothing. */
#ifndef FIRN_RECORDS_H
#define FIRN_RECORDS_H

#include "firn/sim.h"
#include "solver/walk.h"

enum { FIRN_RECORD_REST = 1, FIRN_RECORD_BORN = 2, FIRN_RECORD_V_FRAME = 4 };

/* The records that the outputs and expectations of a scene ask for. */
unsigned firn_records_wanted(const firn_scene_def *scene);
/* The record behind an attribute; 0: none. */
unsigned firn_records_of(const char *attribute);
/* Before a step towards `until`: the first one towards it notes velocities. */
void firn_records_begin(firn_sim *sim, double until);
void firn_records_pass(firn_sim *sim, firn_walk *walk);

#endif
