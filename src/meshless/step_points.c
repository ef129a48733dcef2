/* SPDX-License-Identifier: MIT */
/* step_points.c: one step of a method without a grid: leap-frog, in the order of its data flow.
 *
 *     dt          the largest stable step that meets the frame               solver/time_step.c
 *     emission    particles born in this step, where the method takes them
 *     grips       take hold of the particles in their regions                solver/grip.c
 *     forces      of bonds or neighbours, then contact                       the method, penalty.c
 *     move        kick, boundaries, drift                                    point_boundary.c
 *     strain      of the new positions, then the laws                        the method, law_stage.c
 *     sinks       delete
 *     reset       large flow sets the reference state anew, where it is wanted
 *
 * Kick before drift: v(t + dt) = v(t) + dt a(x(t)), x(t + dt) = x(t) + dt v(t + dt). Read with v half
 * a step before x it is leap-frog, of second order; as it stands it is symplectic Euler, and the
 * energy of an undamped body has no drift either way. */
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

firn_status firn_meshless_step(firn_sim *sim, double until, firn_messages *messages)
{
    struct firn_meshless *s = sim->meshless;
    double clock = firn_sim_clock();
    firn_status status = prepare(sim, until, messages);
    clock = firn_sim_lap(sim, FIRN_STAGE_SORT, clock);
    if (status == FIRN_OK) status = firn_meshless_prepare_boundaries(sim);
    if (status == FIRN_OK) status = s->hooks->forces(sim, messages);
    if (status == FIRN_OK) status = firn_meshless_touch(sim, messages);
    clock = firn_sim_lap(sim, FIRN_STAGE_P2G, clock);
    if (status == FIRN_OK) status = firn_meshless_move(sim, messages);
    clock = firn_sim_lap(sim, FIRN_STAGE_GRID, clock);
    if (status != FIRN_OK) return status;

    status = s->hooks->strain(sim, 1, messages);
    clock = firn_sim_lap(sim, FIRN_STAGE_G2P, clock);
    if (status == FIRN_OK) status = firn_meshless_evaluate(sim, 1, messages);
    clock = firn_sim_lap(sim, FIRN_STAGE_LAW, clock);
    firn_meshless_scatter(sim);
    firn_status drained = firn_meshless_drain(sim, messages);
    if (status == FIRN_OK && drained == FIRN_OK) drained = firn_meshless_reset(sim, messages);
    firn_sim_lap(sim, FIRN_STAGE_DIAGNOSE, clock);

    const int lands = sim->dt >= (until - sim->time) * (1 - 1e-12);
    sim->time = lands ? until : sim->time + sim->dt;
    sim->n_steps++;
    return status != FIRN_OK ? status : drained;
}
