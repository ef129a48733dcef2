/* SPDX-License-Identifier: MIT */
/* ledger.c: the ledger of one material or of all: the present sums over particles, which the method
 * measures, and the sums since the start (boundary.h).
 *
 * Balance of a material, with p the momentum and M the mass (exact to round-off):
 *
 *     p(t) - p(0) = int M g dt + walls + colliders + grips + forces + born - lost + transfer
 *
 * `transfer` is what other materials on the same nodes gave; it cancels in the sum of all. */
#include "solver/sim.h"

#include <math.h>
#include <string.h>

void firn_ledger_clear(firn_ledger *l)
{
    *l = (firn_ledger){.min_J = INFINITY, .max_J = -INFINITY, .gap_particle = -1};
    for (int a = 0; a < 3; a++) {
        l->min[a] = INFINITY;
        l->max[a] = -INFINITY;
    }
}

/* Adds the sums since the start. */
static void add_sums(firn_ledger *l, const firn_ledger_sums *a)
{
    for (int cause = 0; cause < FIRN_N_LOSSES; cause++) {
        l->n_lost_by[cause] += a->n_lost_by[cause];
        l->n_lost += a->n_lost_by[cause];
    }
    l->n_inverted += a->n_inverted;
    l->lost_mass += a->lost_mass;
    l->plastic_work += a->plastic;
    l->viscous_work += a->viscous;
    l->external_work += a->work;
    l->friction_work += a->friction;
    for (int c = 0; c < 3; c++) {
        l->wall_impulse[c] += a->impulse[FIRN_BOUNDARY_WALLS][c];
        l->collider_impulse[c] += a->impulse[FIRN_BOUNDARY_COLLIDERS][c];
        l->grip_impulse[c] += a->impulse[FIRN_BOUNDARY_GRIPS][c];
        l->force_impulse[c] += a->impulse[FIRN_BOUNDARY_FORCES][c];
    }
}

/* center is a sum of m x until the end; with mass 0 it stays 0. */
firn_status firn_sim_ledger(firn_sim *sim, int material, firn_ledger *ledger,
                            firn_messages *messages)
{
    if (!sim) return firn_messages_add(messages, FIRN_USAGE, "firn_sim_ledger: sim is NULL");
    if (material < -1 || material >= sim->n_materials)
        return firn_messages_add(
            messages, FIRN_USAGE,
            "firn_sim_ledger: unknown material (%d); allowed: 0 to %d, or -1 for all", material,
            sim->n_materials - 1);
    firn_ledger_clear(ledger);
    for (int m = 0; m < sim->n_materials; m++)
        if (material < 0 || m == material) {
            if (sim->method->ledger(sim, m, ledger) != FIRN_OK)
                return firn_messages_no_memory(messages, "ledger");
            add_sums(ledger, &sim->materials[m].sums);
        }
    strcpy(ledger->material, material < 0 ? "" : sim->materials[material].resolved.name);
    for (int a = 0; a < 3; a++)
        if (ledger->mass > 0) ledger->center[a] /= ledger->mass;
    return FIRN_OK;
}
