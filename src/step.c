/* step.c: one step, as data flows through it.
 *
 *     dt        the largest that is stable and lands on the frame
 *     sort      particles to their blocks, the sparse grid around them - only when one has left its block's reach
 *     p2g       m_i = sum w m        (m v)_i = sum w m (v + C (x_i - x_p))        f_i = -sum V0 tau grad w
 *     grid      v_i = ((m v)_i + dt f_i) / m_i + dt g, then forces, colliders, grips, walls
 *     judge     would any particle be inverted, cross a cell, or stop being a number? then once more, with dt / 2
 *     g2p       v, C, x from the grid; F <- law((I + dt grad v) F); stress; wave speeds, flags
 *
 * Judging comes before anything moves: the grid already holds all that a step will do to the particles, so a bad
 * step is undone by not having been done. It needs no copy of the particles and costs a look at the grid. */
#include "emission.h"
#include "solver.h"

#include <math.h>
#include <stdio.h>

static double lap(firn_sim *sim, int stage, double since)
{
    double now = firn_solver_clock();
    sim->stage_seconds[stage] += now - since;
    return now;
}

static void add_exchanges(firn_sim *sim)
{
    int n = firn_solver_n_exchanges(sim);
    for (int e = 0; e < n; e++) {
        firn_exchange sum = {0};
        for (int chunk = 0; chunk < FIRN_CHUNKS; chunk++) {
            const firn_exchange *c = &sim->chunks[chunk * n + e];
            for (int a = 0; a < 3; a++) sum.impulse[a] += c->impulse[a], sum.torque[a] += c->torque[a];
            sum.work += c->work;
        }
        sim->last[e] = sum;
        for (int a = 0; a < 3; a++)
            sim->total[e].impulse[a] += sum.impulse[a], sim->total[e].torque[a] += sum.torque[a];
        sim->total[e].work += sum.work;
        sim->external_work += sum.work;
    }
}

/* The grid's answer to the present particles, with a dt that it can bear. */
static firn_status solve_grid(firn_sim *sim, double *clock, firn_report *report)
{
    for (int halvings = 0;; halvings++) {
        char why[512];
        firn_stage_p2g(sim);
        *clock = lap(sim, FIRN_STAGE_P2G, *clock);
        firn_stage_grid(sim);
        *clock = lap(sim, FIRN_STAGE_GRID_UPDATE, *clock);
        int is_good = sim->is_unchecked || firn_stage_judge(sim, why, sizeof why);
        *clock = lap(sim, FIRN_STAGE_GRID, *clock);
        if (is_good) return FIRN_OK;
        if (halvings >= sim->time_def.max_halvings)
            return firn_report_add(
                report, FIRN_STOPPED,
                "at t = %.9g s, step %lld, dt = %.3g s after %d halvings: %s; the last good frame is kept", sim->time,
                (long long)sim->n_steps, sim->dt, halvings, why);
        sim->n_retries++, sim->dt *= 0.5;
        sim->limit = (firn_dt_limit){.dt = sim->dt, .criterion = "retry", .material = "", .particle = -1};
    }
}

firn_status firn_sim_step(firn_sim *sim, double until, firn_report *report)
{
    if (!sim) return firn_report_add(report, FIRN_USAGE, "firn_sim_step: there is no simulation (NULL)");
    if (!(until > sim->time)) return FIRN_OK;
    double clock = firn_solver_clock();
    firn_status status = firn_timestep_choose(sim, until, report);
    clock = lap(sim, FIRN_STAGE_TIMESTEP, clock);
    if (status == FIRN_OK && sim->emission) status = firn_emission_step(sim, report);
    if (status == FIRN_OK && sim->must_sort) status = firn_sort_particles(sim, report);
    clock = lap(sim, FIRN_STAGE_SORT, clock);
    double planned = sim->dt;
    if (status == FIRN_OK) status = solve_grid(sim, &clock, report);
    if (status != FIRN_OK) return status;
    status = firn_stage_g2p(sim, report);
    add_exchanges(sim);
    int lands = planned == sim->dt && planned >= (until - sim->time) * (1 - 1e-12);
    sim->time = lands ? until : sim->time + sim->dt;
    sim->n_steps++;
    return status;
}

firn_status firn_sim_advance_to(firn_sim *sim, double until, firn_report *report)
{
    firn_status status = FIRN_OK;
    while (status == FIRN_OK && sim && sim->time < until) status = firn_sim_step(sim, until, report);
    return status;
}
