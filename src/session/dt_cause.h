/* SPDX-License-Identifier: MIT */
/* dt_cause.h: why a run's steps have become small (dt_cause.c). */
#ifndef FIRN_DT_CAUSE_H
#define FIRN_DT_CAUSE_H

#include "firn/sim.h"

#include <stddef.h>

/* How many times smaller than the first ones steps must become to be worth a sentence, and the
 * growth of wave speeds that a suggested value allows. */
#define FIRN_DT_FALL 10
#define FIRN_DT_WANTED 3

/* The cause of a limit, as the end of a sentence: which parameter of the material, or what moves,
 * and what to set. */
void firn_dt_cause_tell(const firn_sim *sim, const firn_dt_limit *limit, char *text, size_t size);

#endif
