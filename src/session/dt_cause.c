/* SPDX-License-Identifier: MIT */
/* dt_cause.c: why a run's steps have become small. A wave that has become faster is traced to the
 * parameter of the law that hardens the particle that limits dt (laws/hardening.c). */
#include "session/dt_cause.h"
#include "laws/hardening.h"
#include "solver/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The place of the particle with an id; 0: it is gone. */
static int find_particle(const firn_sim *sim, int material, int64_t id, firn_place *place)
{
    const firn_method *method = sim->method;
    firn_place at = {.material = material};
    for (at.block = 0; at.block < method->n_blocks(sim, material); at.block++)
        for (at.index = 0; at.index < method->block_size(sim, material, at.block); at.index++)
            if ((int64_t)firn_solver_value(sim, at, FIRN_FIELD_ID, 0) == id) {
                *place = at;
                return 1;
            }
    return 0;
}

static void tell_wave(const firn_sim *sim, int m, int64_t particle, char *text, size_t size)
{
    const firn_material *material = &sim->materials[m].resolved;
    const firn_law_info *law = &material->law->info;
    firn_hardening_state state = {.temperature = 293.15};
    firn_place at;
    if (!find_particle(sim, m, particle, &at)) return;
    for (int c = 0; c < 9; c++) state.F[c] = firn_solver_value(sim, at, FIRN_FIELD_F, c);
    for (int c = 0; c < law->n_history; c++)
        state.history[c] = firn_solver_value(sim, at, FIRN_FIELD_HISTORY, c);
    state.temperature = firn_solver_value(sim, at, FIRN_FIELD_T, 0);
    const firn_hardening_cause cause = firn_hardening_find_cause(material, &state, FIRN_DT_WANTED);
    if (!(cause.ratio > 1.5)) return;
    int n = snprintf(text, size, ": waves of '%s' are %.3g times as fast as at rest",
                     material->name, cause.ratio);
    if (cause.parameter < 0 || n < 0 || (size_t)n >= size) return;
    const firn_parameter_info *parameter = &law->parameters[cause.parameter];
    const int is_plain = strcmp(parameter->unit, "1") == 0;
    n += snprintf(text + n, size - (size_t)n, ", by its %s = %.4g%s%s", parameter->name,
                  material->value[cause.parameter], is_plain ? "" : " ",
                  is_plain ? "" : parameter->unit);
    if (isfinite(cause.value) && n > 0 && (size_t)n < size)
        snprintf(text + n, size - (size_t)n, "; try: materials.%s.%s=%.2g", material->name,
                 parameter->name, cause.value);
}

void firn_dt_cause_tell(const firn_sim *sim, const firn_dt_limit *limit, char *text, size_t size)
{
    text[0] = 0;
    if (!limit->criterion || !limit->material) return;
    const int m = firn_solver_material(sim, limit->material);
    if (m < 0) return;
    if (strcmp(limit->criterion, "speed") == 0)
        snprintf(text, size,
                 ": its fastest particle moves at %.3g m/s; try: slower colliders, or less depth "
                 "to fall",
                 sim->rates.max_speed);
    else if (strcmp(limit->criterion, "viscosity") != 0)
        tell_wave(sim, m, limit->particle, text, size);
}
