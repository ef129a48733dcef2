/* SPDX-License-Identifier: MIT */
/* attributes.h: the solver's particles as a firn_points table, ordered by id, for caches,
 * pictures and reports. */
#ifndef FIRN_SNAPSHOT_H
#define FIRN_SNAPSHOT_H

#include "firn/sim.h"
#include "points/points.h"

/* `attributes`: names separated by blanks, "" for the usual ones (P v id pscale material Jp
 * where there is one). Known names: P v id pscale mass Cd material F C T J Jp stress pressure
 * yield plastic_strain damage source and every history field of a law. Every nth particle by id
 * (1: all). Details frame is left to the caller; time, dx, dt, firn version are set. */
firn_status firn_snapshot_take(firn_sim *sim, const char *attributes, int nth, firn_points **points,
                               firn_messages *messages);

/* The table behind it, for help and info; i from 0 until NULL is returned. */
typedef struct firn_attribute_info {
    const char *name, *unit, *meaning;
    firn_attribute_type type;
    int n_components;
} firn_attribute_info;
const firn_attribute_info *firn_attribute_at(int i);

#endif
