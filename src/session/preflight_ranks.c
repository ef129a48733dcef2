/* SPDX-License-Identifier: MIT */
/* preflight_ranks.c: what `firn check --ranks N` says of a run on several ranks. */
#include "session/preflight_ranks.h"

#include "base/messages.h"
#include "solver/sim.h"

#include <math.h>

/* Efficiency: with the measured time of a step t on one rank and n ranks of the same kind,
 *
 *     (t / n) / (imbalance t / n + most bytes of a rank / bandwidth + exchanges x latency)
 *
 * Exchanges of small numbers count as one latency, whatever the number of ranks. */
firn_status firn_preflight_ranks(firn_sim *sim, int n_ranks, firn_check *c, firn_messages *messages)
{
    if (!sim->mpm)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "scene.method: %s does not work on several ranks (%d)",
                                 sim->method->name, n_ranks);
    const firn_status status = firn_ranks_check(sim, n_ranks, messages);
    if (status != FIRN_OK) return status;
    if (firn_ranks_forecast(sim, n_ranks, &c->ranks) != FIRN_OK)
        return firn_messages_no_memory(messages, "forecast of ranks");
    const double share = c->seconds_a_step / n_ranks,
                 step = c->ranks.imbalance * share + c->ranks.most_bytes / FIRN_LINK_BYTES +
                        c->ranks.n_exchanges * FIRN_LINK_LATENCY;
    c->efficiency = c->is_measured ? share / step : 0;
    return FIRN_OK;
}
