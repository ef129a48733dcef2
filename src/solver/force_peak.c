/* SPDX-License-Identifier: MIT */
/* force_peak.c: see force_peak.h. */
#include "solver/force_peak.h"

#include <math.h>
#include <string.h>

void firn_force_peak_step(firn_force_peak *peak, const firn_ledger_sums *sums, double time,
                          double window)
{
    static const firn_boundary_kind kinds[2] = {FIRN_BOUNDARY_WALLS, FIRN_BOUNDARY_COLLIDERS};
    const double length = time - peak->since;
    if (!(length > 0) || length < window * (1 - 1e-9)) return;
    for (int k = 0; k < 2; k++) {
        const double *now = sums->impulse[kinds[k]];
        double square = 0;
        for (int a = 0; a < 3; a++)
            square += (now[a] - peak->impulse[k][a]) * (now[a] - peak->impulse[k][a]);
        peak->force[k] = fmax(peak->force[k], sqrt(square) / length);
        memcpy(peak->impulse[k], now, sizeof peak->impulse[k]);
    }
    peak->since = time;
}
