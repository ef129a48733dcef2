/* SPDX-License-Identifier: MIT */
/* step.c: one step, as data flows through it.
 *
 *     dt        the largest that is stable and lands on the frame
 *     sort      particles to their blocks, the sparse grid around them - only when one has left
 *               its block's reach
 *     p2g       m_i = sum w m        (m v)_i = sum w m (v + C (x_i - x_p))
 *         f_i = -sum V0 tau grad w
 *     grid      v_i = ((m v)_i + dt f_i) / m_i + dt g, then forces, colliders, grips, walls
 *     judge     would any particle be inverted, cross a cell, stop being a number, or the step
 *               make energy out of nothing? then once more, with dt / 2
 *     g2p       v, C, x from the grid; F <- law((I + dt grad v) F); stress; wave speeds, flags
 *
 * Judging comes before anything moves: the grid already holds all that a step will do to the
 * particles, so a bad step is undone by not having been done. It needs no copy of the particles
 * and costs a look at the grid. */
#include "solver/emission.h"
#include "solver/solver.h"

#include <math.h>
#include <stdio.h>

static double lap(firn_sim *sim, int stage, double since)
{
    double now = firn_solver_clock();
    sim->stage_seconds[stage] += now - since;
    return now;
}

static void add_boundary_impulse(firn_boundary_impulse *sum, const firn_boundary_impulse *e)
{
    for (int a = 0; a < 3; a++) {
        sum->impulse[a] += e->impulse[a];
        sum->torque[a] += e->torque[a];
    }
    sum->work += e->work;
    sum->friction += e->friction;
}

static void credit(firn_sim *sim, firn_particles *particles, int boundary,
                   const firn_boundary_impulse *e)
{
    firn_boundary_kind kind = firn_solver_boundary_kind(sim, boundary);
    for (int a = 0; a < 3; a++) particles->sums.impulse[kind][a] -= e->impulse[a];
    particles->sums.work += e->work;
    particles->sums.friction += e->friction;
}

/* What acted on particles is known by material; what acted on nodes is shared by impulse_split.c
 * where there are several. */
static void add_boundary_impulses(firn_sim *sim)
{
    int n = firn_solver_n_boundaries(sim), has_acts = firn_particle_boundary_any(sim);
    for (int e = 0; e < n; e++) {
        sim->last[e] = (firn_boundary_impulse){0};
        for (int chunk = 0; chunk < FIRN_CHUNKS; chunk++)
            add_boundary_impulse(&sim->last[e], &sim->chunks[chunk * n + e]);
        if (sim->n_materials == 1) credit(sim, &sim->particles[0], e, &sim->last[e]);
        for (int m = 0; has_acts && sim->act_of[e] >= 0 && m < sim->n_materials; m++) {
            firn_boundary_impulse sum = {0};
            for (int32_t b = 0; b < sim->particles[m].n_blocks; b++) {
                size_t block = (size_t)m * (size_t)sim->grid.n_owners +
                               (size_t)sim->particles[m].blocks[b].owner;
                add_boundary_impulse(
                    &sum, &sim->acts[block * (size_t)sim->n_acts + (size_t)sim->act_of[e]]);
            }
            credit(sim, &sim->particles[m], e, &sum);
            add_boundary_impulse(&sim->last[e], &sum);
        }
        add_boundary_impulse(&sim->total[e], &sim->last[e]);
    }
    if (sim->impulse_split.is_kept) firn_impulse_split_collect(sim);
}

/* The grid's answer to the present particles, with a dt that it can bear. */
static firn_status solve_grid(firn_sim *sim, double *clock, firn_messages *messages)
{
    for (int halvings = 0;; halvings++) {
        char why[512];
        if (firn_node_boundary_prepare(sim) != FIRN_OK)
            return firn_messages_add(messages, FIRN_MEMORY,
                                     "no memory for what walls, colliders and grips do");
        firn_block_loops_p2g(sim);
        *clock = lap(sim, FIRN_STAGE_P2G, *clock);
        firn_block_loops_grid(sim);
        if (firn_node_boundary_check(sim, messages) != FIRN_OK) return FIRN_STOPPED;
        *clock = lap(sim, FIRN_STAGE_GRID_UPDATE, *clock);
        firn_step_result check =
            sim->is_unchecked ? FIRN_STEP_GOOD : firn_step_check(sim, why, sizeof why);
        *clock = lap(sim, FIRN_STAGE_GRID, *clock);
        if (check == FIRN_STEP_GOOD) return FIRN_OK;
        if (halvings >= sim->time_def.max_halvings)
            return firn_messages_add(messages, FIRN_STOPPED,
                                     "at t = %.9g s, step %lld, dt = %.3g s after %d halvings: %s; "
                                     "the last good frame is kept",
                                     sim->time, (long long)sim->n_steps, sim->dt, halvings, why);
        sim->n_retries++;
        sim->dt *= 0.5;
        if (check == FIRN_STEP_ENERGY) sim->dt_factor *= 0.5;
        sim->limit =
            (firn_dt_limit){.dt = sim->dt, .criterion = "retry", .material = "", .particle = -1};
    }
}

firn_status firn_sim_step(firn_sim *sim, double until, firn_messages *messages)
{
    if (!sim)
        return firn_messages_add(messages, FIRN_USAGE,
                                 "firn_sim_step: there is no simulation (NULL)");
    if (!(until > sim->time)) return FIRN_OK;
    if (sim->is_spoiled)
        return firn_messages_add(messages, FIRN_STOPPED,
                                 "the last step, at t = %.9g s, left a stress that is not finite; "
                                 "restore an earlier state",
                                 sim->time);
    if (sim->is_empty)
        return firn_messages_add(
            messages, FIRN_STOPPED,
            "the simulation is empty: a restore failed half way; restore a state that is whole");
    double clock = firn_solver_clock();
    firn_status status = firn_time_step_choose(sim, until, messages);
    clock = lap(sim, FIRN_STAGE_TIMESTEP, clock);
    if (status == FIRN_OK && sim->emission) status = firn_emission_step(sim, until, messages);
    if (status == FIRN_OK) firn_particle_boundary_grip(sim, messages);
    if (status == FIRN_OK && sim->must_sort) status = firn_sort_particles(sim, messages);
    clock = lap(sim, FIRN_STAGE_SORT, clock);
    double planned = sim->dt;
    if (status == FIRN_OK) status = solve_grid(sim, &clock, messages);
    if (status != FIRN_OK) return status;
    status = firn_block_loops_g2p(sim, messages);
    add_boundary_impulses(sim);
    int lands = planned == sim->dt && planned >= (until - sim->time) * (1 - 1e-12);
    sim->time = lands ? until : sim->time + sim->dt;
    sim->n_steps++;
    return status;
}

firn_status firn_sim_advance_to(firn_sim *sim, double until, firn_messages *messages)
{
    firn_status status = FIRN_OK;
    while (status == FIRN_OK && sim && sim->time < until)
        status = firn_sim_step(sim, until, messages);
    return status;
}
