/* SPDX-License-Identifier: MIT */
/* time_step.c: how long the next step may be, and who says so.
 *
 *   speed, wave   dt <= cfl h / (|v| + c)
 *       c: the law's fastest wave in the present state; named after the larger
 *   viscosity     dt <= cfl h^2 / (6 nu)      nu: the law's upper bound of the kinematic viscosity
 *   emission      as wave, for what an emitter is about to add
 *   goal          dt <= cfl / (w (sqrt(1 + z^2) + z)), half of what a spring of frequency w and
 *                 damping z can bear
 *   collider      dt <= cfl h / v, v the speed of a moving collider's surface
 *   energy        a share of these after a step that would have made energy, see step_check.c
 *   user          dt_fixed where stable, dt_max
 *   frame         what is left until the next frame, divided evenly, so that frames are met
 *                 exactly and no step is a sliver: with r = remaining / dt, ceil(r) equal steps
 *
 * The rates come from the diagnosis of the last step: the state has changed since only by what
 * this step will do. */
#include "solver/emission.h"
#include "solver/sim.h"

#include <math.h>
#include <string.h>

static void limit_by(firn_sim *sim, double dt, const char *criterion, int names_particle)
{
    sim->limit = (firn_dt_limit){.dt = dt, .criterion = criterion, .material = "", .particle = -1};
    if (!names_particle || sim->rates.material < 0) return;
    sim->limit.material = sim->materials[sim->rates.material].resolved.name;
    sim->limit.particle = sim->rates.particle;
}

firn_status firn_time_step_choose(firn_sim *sim, double until, firn_messages *messages)
{
    const firn_time_def *def = &sim->time_def;
    double remaining = until - sim->time, dt = remaining;
    limit_by(sim, dt, "frame", 0);
    if (!isfinite(sim->rates.max_rate))
        return firn_messages_add(
            messages, FIRN_STOPPED,
            "particle %lld of material '%s' has a wave speed or velocity that is not finite at t = "
            "%.9g s",
            (long long)sim->rates.particle,
            sim->rates.material < 0 ? "" : sim->materials[sim->rates.material].resolved.name,
            sim->time);
    const struct {
        const char *criterion;
        double rate;
    } others[] = {{"emission", firn_emission_rate(sim, until)},
                  {"goal", firn_grips_rate(sim)},
                  {"collider", firn_colliders_rate(sim)}};
    double rate = sim->rates.max_rate;
    const char *other = NULL;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].rate > rate) {
            rate = others[i].rate;
            other = others[i].criterion;
        }
    double stable = rate > 0 ? def->cfl / rate : INFINITY;
    if (sim->dt_factor < 1) stable *= sim->dt_factor;
    if (stable < dt) {
        dt = stable;
        if (sim->dt_factor < 1)
            limit_by(sim, dt, "energy", 0);
        else if (other)
            limit_by(sim, dt, other, 0);
        else if (sim->rates.is_viscous)
            limit_by(sim, dt, "viscosity", 1);
        else
            limit_by(sim, dt,
                     2 * sim->rates.max_speed > sim->rates.max_rate * sim->h ? "speed" : "wave", 1);
    }
    double user = def->dt_fixed > 0 ? def->dt_fixed : INFINITY;
    if (def->dt_max > 0 && def->dt_max < user) user = def->dt_max;
    if (user < dt) {
        dt = user;
        limit_by(sim, dt, "user", 0);
    }
    if (!(dt < INFINITY))
        return firn_messages_add(
            messages, FIRN_REFUSED,
            "nothing limits the step: neither a particle nor an end; give a time to step to");
    if (dt < def->dt_min || dt < 1e-15 * fabs(sim->time))
        return firn_messages_add(messages, FIRN_STOPPED,
                                 "at t = %.9g s a step of %.3g s would be needed (%s, material "
                                 "'%s', particle %lld); dt_min is %.3g s",
                                 sim->time, dt, sim->limit.criterion, sim->limit.material,
                                 (long long)sim->limit.particle, def->dt_min);
    double n = ceil(remaining / dt * (1 - 1e-12)); /* a run without an end has no frames to meet */
    sim->dt = isinf(n) ? dt : n > 1 ? remaining / n : remaining;
    sim->limit.dt = sim->dt;
    sim->dt_factor = fmin(1, 1.01 * sim->dt_factor);
    return FIRN_OK;
}
