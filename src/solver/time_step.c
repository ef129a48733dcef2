/* SPDX-License-Identifier: MIT */
/* time_step.c: the size of the next step and the criterion that set it.
 *
 *   speed, wave   dt <= cfl h / (|v| + c)      c: the law's fastest wave in the present state;
 *                                              named after the larger of |v| and c
 *   stability     dt <= 2 h / (c sqrt(S' 3K/M)): no cloud of particles is worse (mpm/stability.c);
 *                 shorter than the above for cfl beyond 0.41 to 1.1, by law and transfer
 *   viscosity     dt <= cfl h^2 / (6 nu)       nu: upper bound of the law's kinematic viscosity
 *   stiffness ..  dt <= cfl / rate             of methods that name the criterion of their rate
 *   motion        implicit integrators, in place of the three above: dt (|v| + g dt) <= cfl h
 *   emission      as wave, for particles born before the end of the interval
 *   goal          dt <= cfl / (w (sqrt(1 + z^2) + z)), half of the bound for grips of frequency
 *                 w and damping z (grip.c)
 *   collider      dt <= cfl h / v_surface      no surface passes a node within a step
 *   heat          as many sub-steps of conduction as a step may have (mpm/heat.c); without mechanics
 *                 the only one besides user and frame
 *   energy        dt_factor of these, after a step that would have created energy (step_check.c)
 *   user          dt_fixed where stable, dt_max
 *   frame         the rest of the interval, divided evenly: with r = remaining / dt,
 *                 ceil(r) equal steps, so frames are met exactly and no step is a sliver
 *
 * Why the wave bound suffices: for lumped masses the largest omega^2 of a body is at most that of
 * its worst particle alone, S 3K / (rho h^2) with S = 3.14 (cubic) or 6 (quadratic); symplectic
 * Euler needs dt omega <= 2. mpm/README.md, section 9, derives it, with the table of the largest
 * safe cfl by Poisson's ratio and transfer; the default 0.4 is below all entries, and a larger one
 * is bounded by them.
 *
 * Viscosity is forward Euler in v: dt <= 2 / lambda with lambda <= 2 S nu / h^2, so
 * dt <= h^2 / (S nu), of which the criterion takes the share cfl S / 6: 0.21 (cubic) or 0.4
 * (quadratic) at cfl 0.4; at a larger cfl it is bounded by the whole.
 *
 * Rates are those of the end of the last step; the state has not changed since. After a rejection
 * dt_factor grows back by 1 % per step. */
#include "solver/emission.h"
#include "solver/sim.h"

#include <math.h>
#include <string.h>

/* Records the criterion, for progress, frames.jsonl and messages; particle criteria name the
 * particle with the largest rate. */
static void limit_by(firn_sim *sim, double dt, const char *criterion, int names_particle)
{
    sim->limit = (firn_dt_limit){.dt = dt, .criterion = criterion, .material = "", .particle = -1};
    if (!names_particle || sim->rates.material < 0) return;
    sim->limit.material = sim->materials[sim->rates.material].resolved.name;
    sim->limit.particle = sim->rates.particle;
}

/* Implicit steps are bounded by motion alone: no particle moves by more than cfl h, what it falls
 * included. With the speed v, v dt + g dt^2 = cfl h has the root dt = cfl / rate of this rate. */
static double motion_rate(const firn_sim *sim)
{
    const double *g = sim->scene.gravity, speed = sim->rates.max_speed, h = sim->h;
    const double fall = sim->implicit_use == FIRN_IMPLICIT_STATIC
                            ? 0
                            : sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    return (speed + sqrt(speed * speed + 4 * fall * h * sim->time_def.cfl)) / (2 * h);
}

double firn_time_step_gain(const firn_sim *sim, double remaining)
{
    const double cfl = sim->time_def.cfl, largest = sim->time_def.dt_max;
    double motion = fmin(remaining, cfl / motion_rate(sim));
    if (largest > 0) motion = fmin(motion, largest);
    return motion * sim->rates.max_rate / cfl;
}

/* `auto`: a function of the present state alone, so that a resumed run decides alike. */
static int pays(const firn_sim *sim, double remaining)
{
    return firn_time_step_gain(sim, remaining) > FIRN_BREAK_EVEN;
}

/* Stable bounds first, then dt_fixed and dt_max (which only shorten), then dt_min, below which a
 * run stops instead of going on forever, and last the division of the rest of the interval. */
firn_status firn_time_step_choose(firn_sim *sim, double until, firn_messages *messages)
{
    const firn_time_def *def = &sim->time_def;
    double remaining = until - sim->time, dt = remaining;
    limit_by(sim, dt, "frame", 0);
    if (!isfinite(sim->rates.max_rate))
        return firn_messages_add(
            messages, FIRN_STOPPED,
            "material '%s': wave speed or velocity of particle %lld is not finite (t = "
            "%.9g s)",
            sim->rates.material < 0 ? "" : sim->materials[sim->rates.material].resolved.name,
            (long long)sim->rates.particle, sim->time);
    sim->is_implicit = sim->implicit_use == FIRN_IMPLICIT_ALWAYS ||
                       sim->implicit_use == FIRN_IMPLICIT_STATIC ||
                       (sim->implicit_use == FIRN_IMPLICIT_WHERE_IT_PAYS && pays(sim, remaining));
    const struct {
        const char *criterion;
        double rate;
    } others[] = {{"emission", sim->is_implicit ? 0 : firn_emission_rate(sim, until)},
                  {"goal", firn_grips_rate(sim)},
                  {"collider", firn_colliders_rate(sim)}};
    const int moves = def->mechanics;
    double rate = !moves ? 0 : sim->is_implicit ? motion_rate(sim) : sim->rates.max_rate;
    const char *other = NULL;
    for (size_t i = 0; moves && i < sizeof others / sizeof *others; i++)
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
        else if (sim->rates.criterion)
            limit_by(sim, dt, sim->rates.criterion, 1);
        else if (sim->is_implicit)
            limit_by(sim, dt, "motion", 0);
        else if (sim->rates.kind == FIRN_RATE_VISCOSITY)
            limit_by(sim, dt, "viscosity", 1);
        else if (sim->rates.kind == FIRN_RATE_STABILITY)
            limit_by(sim, dt, "stability", 1);
        else
            limit_by(sim, dt,
                     2 * sim->rates.max_speed > sim->rates.max_rate * sim->h ? "speed" : "wave", 1);
    }
    const double heat = sim->heat ? sim->method->heat_dt(sim) : INFINITY;
    if (heat < dt) {
        dt = heat;
        limit_by(sim, dt, "heat", 0);
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
            "cannot choose dt: no particles, and `until` is infinite; try: a finite time "
            "to step to");
    if (dt < def->dt_min || dt < 1e-15 * fabs(sim->time))
        return firn_messages_add(
            messages, FIRN_STOPPED,
            "time step: too small (%.3g s at t = %.9g s, criterion %s, material '%s', "
            "particle %lld); allowed: dt_min %.3g s or more",
            dt, sim->time, sim->limit.criterion, sim->limit.material,
            (long long)sim->limit.particle, def->dt_min);
    double n = ceil(remaining / dt * (1 - 1e-12)); /* infinite without an end */
    sim->dt = isinf(n) ? dt : n > 1 ? remaining / n : remaining;
    sim->limit.dt = sim->dt;
    const double more = sim->implicit_use == FIRN_IMPLICIT_STATIC ? 2
                        : sim->is_implicit                        ? 1.25
                                                                  : 1.01;
    sim->dt_factor = fmin(1, more * sim->dt_factor);
    return FIRN_OK;
}
