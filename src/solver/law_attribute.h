/* SPDX-License-Identifier: MIT */
/* law_attribute.h: attributes that a law measures of the state as it is, in double precision: the
 * share of the yield surface reached, and the bounds met (bit k: kind k of firn_bound). Bounds of a
 * step (flow, of some laws hardening) show in the ledger alone. */
#ifndef FIRN_LAW_ATTRIBUTE_H
#define FIRN_LAW_ATTRIBUTE_H

#include "solver/sim.h"

/* Of n <= 16 particles of a block, into [n]; lanes without a particle hold F = I, which every law
 * accepts. NULL: not wanted. */
void firn_law_attribute_take(const firn_sim *sim, firn_place first, int n, double *yield,
                             double *bounded);

#endif
