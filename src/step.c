/* step.c: one step, as data flows through it.
 *
 *     dt        the largest that is stable and lands on the frame
 *     sort      particles to their blocks, the sparse grid around them - only when one has left its block's reach
 *     p2g       m_i = sum w m        (m v)_i = sum w m (v + C (x_i - x_p))        f_i = -sum V0 tau grad w
 *     grid      v_i = ((m v)_i + dt f_i) / m_i + dt g, then forces, colliders, grips, walls
 *     judge     would any particle be inverted, cross a cell, stop being a number, or the step make energy out of
 *               nothing? then once more, with dt / 2
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

static void add_exchange(firn_exchange *sum, const firn_exchange *e)
{
    for (int a = 0; a < 3; a++) sum->impulse[a] += e->impulse[a], sum->torque[a] += e->torque[a];
    sum->work += e->work, sum->friction += e->friction;
}

static void credit(firn_sim *sim, firn_pool *pool, int exchange, const firn_exchange *e)
{
    firn_giver giver = firn_solver_giver(sim, exchange);
    for (int a = 0; a < 3; a++) pool->account.impulse[giver][a] -= e->impulse[a];
    pool->account.work += e->work, pool->account.friction += e->friction;
}

/* What acted on particles is known by material; what acted on nodes is shared by tally.c where there are several. */
static void add_exchanges(firn_sim *sim)
{
    int n = firn_solver_n_exchanges(sim), has_acts = firn_acts_any(sim);
    for (int e = 0; e < n; e++) {
        sim->last[e] = (firn_exchange){0};
        for (int chunk = 0; chunk < FIRN_CHUNKS; chunk++) add_exchange(&sim->last[e], &sim->chunks[chunk * n + e]);
        if (sim->n_pools == 1) credit(sim, &sim->pools[0], e, &sim->last[e]);
        for (int m = 0; has_acts && sim->act_of[e] >= 0 && m < sim->n_pools; m++) {
            firn_exchange sum = {0};
            for (int32_t b = 0; b < sim->pools[m].n_blocks; b++) {
                size_t block = (size_t)m * (size_t)sim->grid.n_home + (size_t)sim->pools[m].blocks[b].home;
                add_exchange(&sum, &sim->acts[block * (size_t)sim->n_acts + (size_t)sim->act_of[e]]);
            }
            credit(sim, &sim->pools[m], e, &sum);
            add_exchange(&sim->last[e], &sum);
        }
        add_exchange(&sim->total[e], &sim->last[e]);
    }
    if (sim->tally.is_kept) firn_tally_collect(sim);
}

/* The grid's answer to the present particles, with a dt that it can bear. */
static firn_status solve_grid(firn_sim *sim, double *clock, firn_report *report)
{
    for (int halvings = 0;; halvings++) {
        char why[512];
        if (firn_conditions_prepare(sim) != FIRN_OK)
            return firn_report_add(report, FIRN_MEMORY, "no memory for what walls, colliders and grips do");
        firn_stage_p2g(sim);
        *clock = lap(sim, FIRN_STAGE_P2G, *clock);
        firn_stage_grid(sim);
        if (firn_conditions_check(sim, report) != FIRN_OK) return FIRN_STOPPED;
        *clock = lap(sim, FIRN_STAGE_GRID_UPDATE, *clock);
        firn_verdict verdict = sim->is_unchecked ? FIRN_VERDICT_GOOD : firn_judge_step(sim, why, sizeof why);
        *clock = lap(sim, FIRN_STAGE_GRID, *clock);
        if (verdict == FIRN_VERDICT_GOOD) return FIRN_OK;
        if (halvings >= sim->time_def.max_halvings)
            return firn_report_add(
                report, FIRN_STOPPED,
                "at t = %.9g s, step %lld, dt = %.3g s after %d halvings: %s; the last good frame is kept", sim->time,
                (long long)sim->n_steps, sim->dt, halvings, why);
        sim->n_retries++, sim->dt *= 0.5;
        if (verdict == FIRN_VERDICT_ENERGY) sim->caution *= 0.5;
        sim->limit = (firn_dt_limit){.dt = sim->dt, .criterion = "retry", .material = "", .particle = -1};
    }
}

firn_status firn_sim_step(firn_sim *sim, double until, firn_report *report)
{
    if (!sim) return firn_report_add(report, FIRN_USAGE, "firn_sim_step: there is no simulation (NULL)");
    if (!(until > sim->time)) return FIRN_OK;
    if (sim->is_spoiled)
        return firn_report_add(report, FIRN_STOPPED,
                               "the last step, at t = %.9g s, left a stress that is not finite; "
                               "restore an earlier state",
                               sim->time);
    if (sim->is_empty)
        return firn_report_add(report, FIRN_STOPPED,
                               "the simulation is empty: a restore failed half way; restore a state that is whole");
    double clock = firn_solver_clock();
    firn_status status = firn_timestep_choose(sim, until, report);
    clock = lap(sim, FIRN_STAGE_TIMESTEP, clock);
    if (status == FIRN_OK && sim->emission) status = firn_emission_step(sim, until, report);
    if (status == FIRN_OK) firn_acts_grip(sim, report);
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
