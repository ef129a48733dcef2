/* SPDX-License-Identifier: MIT */
/* run_ranks.c: see run_ranks.h.
 *
 *     rank 0                                   other ranks
 *     step                                     step                     mpm/, the same decisions
 *     turn: signal? checkpoint due?            turn
 *     assemble, write, disperse                assemble, wait for the status
 *
 * A checkpoint or frame is as with one process, since rank 0 holds all particles while it writes. */
#include "session/run_ranks.h"

#include "base/messages.h"
#include "mpm/ranks.h"
#include "session/interrupt.h"
#include "simd/variants.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---------------------------------------------------------------- the same program and scene */

typedef struct identity {
    char version[64], variant[32], host[64];
    uint64_t scene_hash;
} identity;

static identity identity_of(const firn_run_options *options, const firn_scene_def *scene,
                            uint64_t scene_hash)
{
    identity own;
    char why[200];
    memset(&own, 0, sizeof own); /* padding is sent too */
    const char *isa = options->isa[0] ? options->isa : getenv("FIRN_ISA");
    const int variant = firn_variant_choose(isa ? isa : "", scene->is_double, why, sizeof why);
    snprintf(own.version, sizeof own.version, "%s %s", FIRN_VERSION, __VERSION__);
    snprintf(own.variant, sizeof own.variant, "%s",
             variant < 0 ? "none" : firn_variant_name((firn_variant)variant));
    if (gethostname(own.host, sizeof own.host - 1) != 0) strcpy(own.host, "unknown host");
    own.scene_hash = scene_hash;
    return own;
}

firn_status firn_run_ranks_compare(const firn_run_options *options, const firn_scene_def *scene,
                                   uint64_t scene_hash, firn_messages *messages)
{
    if (!options->comm || options->comm->size == 1) return FIRN_OK;
    if (scene->n_probes)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "probes: do not work on several ranks yet (%d ranks); try: one "
                                 "rank with as many threads, or expect",
                                 options->comm->size);
    const identity own = identity_of(options, scene, scene_hash);
    identity all[FIRN_RANKS_MAX];
    firn_comm_collect(options->comm, &own, sizeof own, all);
    for (int r = 1; r < options->comm->size; r++) {
        if (strcmp(all[r].version, all[0].version) != 0)
            return firn_messages_add(messages, FIRN_REFUSED,
                                     "rank %d on %s: firn %s, but rank 0 on %s has %s; try: the "
                                     "same program on all hosts",
                                     r, all[r].host, all[r].version, all[0].host, all[0].version);
        if (strcmp(all[r].variant, all[0].variant) != 0)
            return firn_messages_add(messages, FIRN_REFUSED,
                                     "rank %d on %s: instruction set %s, but rank 0 on %s has %s, "
                                     "whose results have other digits; try: --isa with one that "
                                     "all hosts have",
                                     r, all[r].host, all[r].variant, all[0].host, all[0].variant);
        if (all[r].scene_hash != all[0].scene_hash)
            return firn_messages_add(messages, FIRN_REFUSED,
                                     "rank %d on %s: reads another scene than rank 0 on %s; try: a "
                                     "folder that all hosts share",
                                     r, all[r].host, all[0].host);
    }
    return FIRN_OK;
}

/* ---------------------------------------------------------------- agreements */

firn_turn firn_run_ranks_turn(const firn_sim *sim, int has_signal, int has_checkpoint)
{
    uint8_t own = (uint8_t)((has_signal != 0) | (has_checkpoint != 0) << 1), any = 0,
            all[FIRN_RANKS_MAX];
    firn_comm_collect(&sim->comm, &own, sizeof own, all);
    for (int r = 0; r < sim->comm.size; r++) any |= all[r];
    return (firn_turn){any & 1, any >> 1 & 1};
}

firn_status firn_run_ranks_assemble(firn_sim *sim, firn_messages *messages)
{
    if (sim->comm.size == 1) return FIRN_OK;
    if (sim->method->assemble(sim) == FIRN_OK) return FIRN_OK;
    return firn_messages_no_memory(
        messages, "rank 0 (%.1f MiB in use): it holds the particles of all ranks while it writes",
        (double)sim->memory.now / (1 << 20));
}

void firn_run_ranks_disperse(firn_sim *sim)
{
    if (sim->method->disperse) sim->method->disperse(sim);
}

/* Also while rank 0 holds all particles, and is on its own for everything else. */
firn_status firn_run_ranks_share(const firn_sim *sim, firn_status status)
{
    const firn_ranks *apart = sim->mpm ? sim->mpm->ranks_apart : NULL;
    firn_comm_share(apart ? &apart->comm : &sim->comm, 0, &status, sizeof status);
    return status;
}

void firn_run_ranks_tell(const firn_sim *sim, firn_status status, firn_messages *messages)
{
    char text[1024] = "";
    if (sim->comm.size == 1 || status == FIRN_OK || status == FIRN_INTERRUPTED) return;
    const int has_any = firn_messages_status(messages) != FIRN_OK;
    for (int i = 0; has_any && i < firn_messages_total(messages) && !text[0]; i++) {
        firn_level level = FIRN_NOTE;
        const char *sentence = firn_messages_text(messages, i, &level);
        if (level == FIRN_ERROR) snprintf(text, sizeof text, "%s", sentence);
    }
    const int first = firn_comm_rank_of_max(&sim->comm, text[0] != 0);
    firn_comm_share(&sim->comm, first, text, sizeof text);
    if (sim->comm.rank == 0 && !has_any) firn_messages_add(messages, status, "%s", text);
}

/* ---------------------------------------------------------------- followers */

static int follow_step(void *user, firn_sim *sim, int frame)
{
    (void)frame;
    const firn_turn turn = firn_run_ranks_turn(sim, firn_interrupt_signal() != 0, 0);
    if (!turn.has_checkpoint) return turn.has_signal;
    firn_status *status = user;
    *status = firn_run_ranks_assemble(sim, NULL);
    if (*status == FIRN_OK) *status = firn_run_ranks_share(sim, FIRN_OK);
    return turn.has_signal || *status != FIRN_OK;
}

static firn_status follow_output_time(void *user, firn_sim *sim,
                                      const firn_output_time *output_time, firn_messages *messages)
{
    (void)user, (void)output_time;
    const firn_status status = firn_run_ranks_assemble(sim, messages);
    return status == FIRN_OK ? firn_run_ranks_share(sim, FIRN_OK) : status;
}

firn_status firn_run_ranks_follow(firn_sim *sim, const firn_frame_plan *plan,
                                  firn_messages *messages)
{
    firn_status of_checkpoint = FIRN_OK;
    const firn_frame_observer observer = {&of_checkpoint, follow_step, follow_output_time};
    firn_status status = firn_frame_loop(sim, plan, &observer, messages);
    firn_run_ranks_tell(sim, status, messages);
    if (status == FIRN_INTERRUPTED && of_checkpoint != FIRN_OK) status = of_checkpoint;
    if (!firn_run_ranks_has_end(status)) return status;
    const firn_status end = firn_run_ranks_assemble(sim, messages);
    return end == FIRN_OK ? firn_run_ranks_share(sim, status) : end;
}

void firn_run_ranks_print(const firn_sim *sim, double seconds)
{
    const firn_ranks *r =
        sim->mpm ? sim->mpm->ranks_apart ? sim->mpm->ranks_apart : sim->mpm->ranks : NULL;
    if (!r || r->n_steps == 0) return;
    const double steps = (double)r->n_steps;
    printf("%d ranks: imbalance %.3f, at worst %.3f; cut anew %lld times; rank 0 sent %.3g MiB per "
           "step (%.3g of it patches)",
           r->comm.size, r->imbalance, r->worst_imbalance, (long long)r->n_cuts,
           (double)(r->piece_bytes + r->velocity_bytes) / steps / (1 << 20),
           (double)r->piece_bytes / steps / (1 << 20));
    if (r->comm.counts && seconds > 0)
        printf(" and waited %.0f %% of the time", 100 * r->comm.counts->seconds / seconds);
    putchar('\n');
}
