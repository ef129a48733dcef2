/* SPDX-License-Identifier: MIT */
/* step_points.c: one step of a method without a grid: leap-frog, in the order of its data flow.
 *
 *     dt          the largest stable step that meets the frame               solver/time_step.c
 *     emission    particles born in this step, where the method takes them
 *     grips       take hold of the particles in their regions                solver/grip.c
 *     move        half a kick, boundaries, drift                             point_boundary.c
 *     strain      of the new positions, then the laws                        the method, law_stage.c
 *     forces      of the new positions, then contact                         the method, penalty.c
 *     move        the other half of the kick, boundaries
 *     heat        conduction, in sub-steps                               heat_points.c
 *     sinks       delete
 *     reset       large flow sets the reference state anew, where it is wanted
 *
 * With a the acceleration this is leap-frog with velocities at the times of positions,
 *
 *     v(t + dt/2) = v(t) + dt/2 a(t),  x(t + dt) = x(t) + dt v(t + dt/2),
 *     v(t + dt) = v(t + dt/2) + dt/2 a(t + dt),
 *
 * of second order also where dt varies from step to step; with all of the kick before the drift a dt
 * that follows the state pumps energy into it (a bar in which dt changed by a half twice a period
 * doubled its energy in one). Forces are found once per step and kept for the next; those that
 * depend on velocities (viscosity, damping of contact) take v(t + dt/2). An implicit method finds
 * forces first and kicks once. */
#include "meshless/heat_points.h"
#include "meshless/meshless.h"
#include "solver/emission.h"

static firn_status prepare(firn_sim *sim, double until, firn_messages *messages)
{
    firn_status status = firn_time_step_choose(sim, until, messages);
    if (status == FIRN_OK && sim->emission) status = firn_emission_step(sim, until, messages);
    if (status != FIRN_OK) return status;
    firn_grips_take(sim, messages);
    if (!sim->must_sort) return FIRN_OK;
    status = firn_meshless_gather(sim, messages);
    sim->must_sort = 0;
    return status == FIRN_OK ? firn_meshless_refer(sim, messages) : status;
}

static firn_status find_forces(firn_sim *sim, firn_messages *messages)
{
    const firn_status status = sim->meshless->hooks->forces(sim, messages);
    return status == FIRN_OK ? firn_meshless_touch(sim, messages) : status;
}

/* The second half of the kick, by the forces of the new positions. */
static firn_status finish(firn_sim *sim, firn_messages *messages)
{
    firn_status status = find_forces(sim, messages);
    if (status == FIRN_OK) status = firn_meshless_move(sim, FIRN_MESHLESS_SECOND, messages);
    sim->meshless->has_forces = status == FIRN_OK;
    return status;
}

static void end_step(firn_sim *sim, double until)
{
    const int lands = sim->dt >= (until - sim->time) * (1 - 1e-12);
    sim->time = lands ? until : sim->time + sim->dt;
    sim->n_steps++;
}

/* time.mechanics: false. Forces bring the neighbourhoods, once, and are not used. */
static firn_status step_of_heat(firn_sim *sim, double until, double clock, firn_messages *messages)
{
    firn_status status = FIRN_OK;
    if (!sim->meshless->has_forces) status = sim->meshless->hooks->forces(sim, messages);
    sim->meshless->has_forces = status == FIRN_OK;
    clock = firn_sim_lap(sim, FIRN_STAGE_P2G, clock);
    if (status == FIRN_OK) status = firn_heat_points_step(sim, messages);
    firn_sim_lap(sim, FIRN_STAGE_HEAT, clock);
    end_step(sim, until);
    return status;
}

firn_status firn_meshless_step(firn_sim *sim, double until, firn_messages *messages)
{
    struct firn_meshless *s = sim->meshless;
    double clock = firn_sim_clock();
    firn_status status = prepare(sim, until, messages);
    clock = firn_sim_lap(sim, FIRN_STAGE_SORT, clock);
    if (status == FIRN_OK && !sim->time_def.mechanics)
        return step_of_heat(sim, until, clock, messages);
    if (status == FIRN_OK) status = firn_meshless_prepare_boundaries(sim);
    if (status == FIRN_OK && !s->has_forces) status = find_forces(sim, messages);
    clock = firn_sim_lap(sim, FIRN_STAGE_P2G, clock);
    if (status == FIRN_OK)
        status = firn_meshless_move(
            sim, s->hooks->is_implicit ? FIRN_MESHLESS_WHOLE : FIRN_MESHLESS_FIRST, messages);
    clock = firn_sim_lap(sim, FIRN_STAGE_GRID, clock);
    if (status != FIRN_OK) return status;

    status = s->hooks->strain(sim, 1, messages);
    clock = firn_sim_lap(sim, FIRN_STAGE_G2P, clock);
    if (status == FIRN_OK) status = firn_meshless_evaluate(sim, 1, messages);
    clock = firn_sim_lap(sim, FIRN_STAGE_LAW, clock);
    s->has_forces = 0;
    if (status == FIRN_OK && !s->hooks->is_implicit) status = finish(sim, messages);
    clock = firn_sim_lap(sim, FIRN_STAGE_P2G, clock);
    if (status == FIRN_OK) status = firn_heat_points_step(sim, messages);
    clock = firn_sim_lap(sim, FIRN_STAGE_HEAT, clock);
    firn_meshless_scatter(sim);
    firn_status drained = firn_meshless_drain(sim, messages);
    if (status == FIRN_OK && drained == FIRN_OK) drained = firn_meshless_reset(sim, messages);
    firn_sim_lap(sim, FIRN_STAGE_DIAGNOSE, clock);
    end_step(sim, until);
    return status != FIRN_OK ? status : drained;
}
