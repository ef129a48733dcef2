/* SPDX-License-Identifier: MIT */
/* law_attribute.c: see law_attribute.h. */
#include "solver/law_attribute.h"

void firn_law_attribute_take(const firn_sim *sim, firn_place first, int n, double *yield,
                             double *bounded)
{
    const firn_method *method = sim->method;
    const firn_material *material = &sim->materials[first.material].resolved;
    const int n_history = material->law->info.n_history;
    double F[9 * 16], history[FIRN_MAX_HISTORY * 16] = {0}, T[16];
    double flags[16], yields[16]; /* all lanes: n may be less */
    uint32_t id[16] = {0};
    for (int lane = 0; lane < 16; lane++) {
        double f[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, h[FIRN_FIELD_MOST] = {0}, t = 0;
        firn_place at = {first.material, first.block, first.index + lane};
        if (lane < n) {
            method->read(sim, at, 1, FIRN_FIELD_F, f);
            method->read(sim, at, 1, FIRN_FIELD_HISTORY, h);
            t = firn_solver_value(sim, at, FIRN_FIELD_T, 0);
            id[lane] = (uint32_t)firn_solver_value(sim, at, FIRN_FIELD_ID, 0);
        }
        for (int c = 0; c < 9; c++) F[c * 16 + lane] = f[c];
        for (int c = 0; c < n_history; c++) history[c * 16 + lane] = h[c];
        T[lane] = t;
    }
    const firn_law_batch batch = {.material = material,
                                  .n_bundles = 1,
                                  .F = F,
                                  .history = history,
                                  .temperature = T,
                                  .id = id,
                                  .yield = yields,
                                  .flags = flags};
    material->law->kernels[FIRN_F64_SCALAR].measure(&batch);
    for (int lane = 0; lane < n; lane++) {
        if (yield) yield[lane] = yields[lane];
        if (bounded) bounded[lane] = firn_flags_bounds((unsigned)flags[lane]);
    }
}
