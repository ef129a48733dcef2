/* SPDX-License-Identifier: MIT */
/* step.c: one step of the material point method, in the order of its data flow.
 *
 *     dt          the largest stable step that meets the frame               solver/time_step.c
 *     emission    particles born in this step                                solver/emission.c
 *     grips       take hold of the particles in their regions                solver/grip.c
 *     sort        particles to their owner blocks, the sparse grid around    sort.c
 *                 them; only after births or when one has left its reach
 *     advance     P2G, grid, check, G2P, law: by the integrator              integrator_*.c
 *     heat        conduction, exchange, melting, in materials that have a heat capacity     heat.c
 *     ledger      impulses of boundaries, summed in a fixed order            node_boundary.c
 *
 * Time: a step that was planned to meet `until` and was not shortened sets time = until exactly,
 * instead of time + dt, so that frames fall on the same times at any dt. */
#include "mpm/step.h"
#include "mpm/heat.h"
#include "mpm/mpm.h"
#include "mpm/node_boundary.h"
#include "mpm/sort.h"
#include "solver/emission.h"

firn_status firn_step(firn_sim *sim, double until, firn_messages *messages)
{
    double clock = firn_sim_clock();
    firn_status status = firn_time_step_choose(sim, until, messages);
    clock = firn_sim_lap(sim, FIRN_STAGE_TIME_STEP, clock);

    if (status == FIRN_OK && sim->emission) status = firn_emission_step(sim, until, messages);
    if (status == FIRN_OK) firn_grips_take(sim, messages);
    status = firn_comm_agree(&sim->comm, status);
    if (status == FIRN_OK && sim->must_sort) status = firn_sort_particles(sim, messages);
    clock = firn_sim_lap(sim, FIRN_STAGE_SORT, clock);

    if (status == FIRN_OK && sim->heat) status = firn_heat_prepare(sim, messages);

    const double planned = sim->dt;
    double end = 0;
    if (status == FIRN_OK && sim->time_def.mechanics)
        status = sim->mpm->integrator->advance(sim, clock, &end, messages);
    else if (status == FIRN_OK)
        end = sim->time + sim->dt;
    if (!(end > 0)) return status; /* no particle has moved */
    if (sim->time_def.mechanics) firn_node_boundary_collect(sim);
    const int lands = planned == sim->dt && planned >= (until - sim->time) * (1 - 1e-12);
    if (status == FIRN_OK && sim->heat) status = firn_heat_step(sim, lands, messages);
    sim->time = lands ? until : sim->time + sim->dt;
    sim->n_steps++;
    return status;
}
