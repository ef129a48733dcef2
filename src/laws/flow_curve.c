/* SPDX-License-Identifier: MIT */
/* flow_curve.c: see flow_curve.h. One material point, F <- law((I + dt L) F) with L_xy = rate,
 * in steps of STEP shear strain. */
#include "laws/flow_curve.h"

#include <math.h>

static const double STEP = 0.01, STRAIN = 20, EARLIER = 15, STEADY = 0.05;

double firn_flow_curve_stress(const firn_material *material, double temperature, double rate)
{
    enum { N = 16 /* lanes of a bundle */, XY = 3 };
    const int n_history = material->law->info.n_history;
    double F[9 * N], L[9 * N] = {0}, history[FIRN_MAX_HISTORY * N], T[N], tau[6 * N], flags[N];
    uint32_t id[N];
    for (int lane = 0; lane < N; lane++) {
        for (int c = 0; c < 9; c++) F[c * N + lane] = c % 4 == 0;
        for (int k = 0; k < n_history; k++)
            history[k * N + lane] = material->law->info.history[k].initial;
        L[N + lane] = rate;
        T[lane] = temperature;
        id[lane] = (uint32_t)lane;
    }
    const firn_law_batch batch = {.material = material,
                                  .n_bundles = 1,
                                  .dt = STEP / rate,
                                  .F = F,
                                  .grad_v = L,
                                  .history = history,
                                  .temperature = T,
                                  .id = id,
                                  .F_new = F,
                                  .history_new = history,
                                  .tau = tau,
                                  .flags = flags};
    double earlier = NAN;
    for (int k = 0; k < (int)(STRAIN / STEP); k++) {
        material->law->kernels[FIRN_F64_SCALAR].evaluate(&batch);
        if ((unsigned)flags[0] & FIRN_FLAGS_TROUBLE) return NAN;
        if (k == (int)(EARLIER / STEP)) earlier = tau[XY * N];
    }
    const double last = tau[XY * N];
    return fabs(last - earlier) <= STEADY * fabs(last) ? last : NAN;
}

int firn_flow_curve_is_viscous(const firn_material *material, double temperature)
{
    const double slow = firn_flow_curve_stress(material, temperature, 1),
                 fast = firn_flow_curve_stress(material, temperature, 100);
    return fast > 1.02 * slow;
}
