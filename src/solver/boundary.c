/* SPDX-License-Identifier: MIT */
/* boundary.c: sums of boundary impulses. All quantities are additive, so that chunks, blocks and
 * materials may be summed apart; the order of the sums is fixed by the callers, as floating point
 * addition is not associative. */
#include "solver/boundary.h"

void firn_boundary_impulse_add(firn_boundary_impulse *sum, const firn_boundary_impulse *e)
{
    for (int a = 0; a < 3; a++) {
        sum->impulse[a] += e->impulse[a];
        sum->torque[a] += e->torque[a];
    }
    sum->work += e->work;
    sum->friction += e->friction;
}

/* Newton's third law: what the boundary received, the material lost. Work and friction are energies
 * of the material already and keep their sign. */
void firn_ledger_sums_add(firn_ledger_sums *sums, firn_boundary_kind kind,
                          const firn_boundary_impulse *e)
{
    for (int a = 0; a < 3; a++) sums->impulse[kind][a] -= e->impulse[a];
    sums->work += e->work;
    sums->friction += e->friction;
}

/* Particles deleted for any reason. */
int64_t firn_ledger_sums_n_lost(const firn_ledger_sums *sums)
{
    int64_t n = 0;
    for (int cause = 0; cause < FIRN_N_LOSSES; cause++) n += sums->n_lost_by[cause];
    return n;
}
