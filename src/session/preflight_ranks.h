/* SPDX-License-Identifier: MIT */
/* preflight_ranks.h: the forecast of a run on several ranks. */
#ifndef FIRN_PREFLIGHT_RANKS_H
#define FIRN_PREFLIGHT_RANKS_H

#include "session/preflight.h"

/* After the measurement of steps; FIRN_REFUSED where the scene does not work on several ranks. */
firn_status firn_preflight_ranks(firn_sim *sim, int n_ranks, firn_check *c,
                                 firn_messages *messages);

#endif
