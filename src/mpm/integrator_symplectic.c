/* SPDX-License-Identifier: MIT */
/* integrator_symplectic.c: symplectic Euler on the grid, update stress last (USL), updated
 * Lagrangian: velocities from the forces at the beginning of the step, positions and strains from
 * the new velocities.
 *
 *     p2g       m_i = sum w m        (m v)_i = sum w m (v + C (x_i - x_p))
 *               f_i = - sum V0 tau grad w
 *     grid      v_i = ((m v)_i + dt f_i) / m_i + dt g, then forces, colliders, grips, walls
 *     check     rejects a step that would invert a particle, move one across a cell, leave a
 *               value that is not finite, or create energy; then once more with dt / 2
 *     g2p       v, C, x from the grid; F <- law((I + dt grad v) F); stress; wave speeds, flags
 *
 * The check comes before anything moves: the grid holds all that the step will do to the particles,
 * so a rejected step needs no copy of them and costs one pass over the grid.
 *
 * Order 1 in dt for positions, but no secular drift of energy of an undamped system: the map is
 * symplectic for conservative forces, and stable for dt omega <= 2. */
#include "mpm/block_loops.h"
#include "mpm/integrator.h"
#include "mpm/node_boundary.h"
#include "mpm/step_check.h"

#include <stdio.h>

/* Solves the grid for the present particles, with a dt that passes the check. */
static firn_status solve_grid(firn_sim *sim, double *clock, firn_messages *messages)
{
    for (int halvings = 0;; halvings++) {
        char why[512];
        if (firn_comm_agree(&sim->comm, firn_node_boundary_prepare(sim)) != FIRN_OK)
            return firn_messages_no_memory(messages, "walls, colliders and grips on nodes");
        firn_block_loops_p2g(sim);
        *clock = firn_sim_lap(sim, FIRN_STAGE_P2G, *clock);
        firn_block_loops_grid(sim);
        if (firn_comm_agree(&sim->comm, firn_node_boundary_check(sim, messages)) != FIRN_OK)
            return FIRN_STOPPED;
        *clock = firn_sim_lap(sim, FIRN_STAGE_GRID, *clock);
        firn_step_result check =
            sim->is_unchecked ? FIRN_STEP_GOOD : firn_step_check(sim, why, sizeof why);
        *clock = firn_sim_lap(sim, FIRN_STAGE_CHECK, *clock);
        if (check == FIRN_STEP_GOOD) return FIRN_OK;
        if (halvings >= sim->time_def.max_halvings)
            return firn_messages_add(
                messages, FIRN_STOPPED,
                "step %lld: refused after %d halvings (t = %.9g s, dt = %.3g s): %s; the last "
                "good frame is kept",
                (long long)sim->n_steps, halvings, sim->time, sim->dt, why);
        sim->n_retries++;
        sim->dt *= 0.5;
        if (check == FIRN_STEP_ENERGY) sim->dt_factor *= 0.5;
        sim->limit =
            (firn_dt_limit){.dt = sim->dt, .criterion = "retry", .material = "", .particle = -1};
    }
}

/* Only the last stage moves particles. *end is set before it, as a failure in the law leaves a
 * state that has moved and must be counted as a step. */
static firn_status advance(firn_sim *sim, double clock, double *end, firn_messages *messages)
{
    firn_status status = solve_grid(sim, &clock, messages);
    if (status != FIRN_OK) return status;
    *end = sim->time + sim->dt;
    return firn_block_loops_g2p(sim, messages);
}

const firn_integrator firn_integrator_symplectic = {
    .name = "symplectic",
    .summary = "explicit symplectic Euler: dt below the Courant limit of the fastest wave",
    .advance = advance,
};
