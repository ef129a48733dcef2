/* SPDX-License-Identifier: MIT */
/* force_peak.h: the largest force of walls and of colliders on a material since the start.
 *
 * A force of one step is noise of the grid, a mean between two frames hides every impact. So forces
 * are means over a window of FIRN_FORCE_WINDOW of a frame, at least one step:
 *
 *     F = |J(t1) - J(t0)| / (t1 - t0),   t1 the first end of a step with t1 - t0 >= window
 *
 * with J the impulse of all walls together, or of all colliders. Windows follow each other without
 * a gap; they are part of a saved state. */
#ifndef FIRN_FORCE_PEAK_H
#define FIRN_FORCE_PEAK_H

#include "solver/boundary.h"
#include "solver/walk.h"

#define FIRN_FORCE_WINDOW 0.05 /* of a frame */

typedef struct firn_force_peak {
    double since;         /* s, start of the window */
    double impulse[2][3]; /* N s, walls and colliders, at that time */
    double force[2];      /* N, the largest so far */
} firn_force_peak;

/* At the end of a step. window: s */
void firn_force_peak_step(firn_force_peak *peak, const firn_ledger_sums *sums, double time,
                          double window);

#endif
