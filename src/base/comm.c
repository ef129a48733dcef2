/* SPDX-License-Identifier: MIT */
/* comm.c: what comm.h offers, made of one operation of the backend, the exchange of messages.
 *
 * Small numbers go from every rank to every other in one exchange, and each rank reduces them in
 * the order of ranks: one latency, and the same result everywhere. A running sum passes along the
 * ranks, so it takes as many latencies as there are ranks. */
#include "base/comm.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

firn_comm firn_comm_single(void) { return (firn_comm){.rank = 0, .size = 1}; }

void firn_comm_close(firn_comm *comm)
{
    if (comm->backend && comm->backend->close) comm->backend->close(comm->user);
    *comm = firn_comm_single();
}

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void count(firn_comm_counts *counts, const firn_comm_message *out, int n_out, double seconds)
{
    counts->n_exchanges++;
    counts->n_messages += n_out;
    for (int i = 0; i < n_out; i++) counts->n_bytes += (int64_t)out[i].n_bytes;
    counts->seconds += seconds;
}

void firn_comm_exchange(const firn_comm *comm, const firn_comm_message *out, int n_out,
                        const firn_comm_message *in, int n_in)
{
    if (comm->size == 1 || n_out + n_in == 0) return;
    const double began = comm->counts ? seconds_now() : 0;
    const int gone = comm->backend->exchange(comm->user, out, n_out, in, n_in);
    if (gone < 0) {
        if (comm->counts) count(comm->counts, out, n_out, seconds_now() - began);
        return;
    }
    if (comm->lost) comm->lost(comm, gone);
    char sentence[80];
    snprintf(sentence, sizeof sentence, "firn: error: rank %d has gone\n", gone);
    if (write(STDERR_FILENO, sentence, strlen(sentence)) < 0) _exit(FIRN_STOPPED);
    _exit(FIRN_STOPPED);
}

static void send_to(const firn_comm *comm, int peer, void *data, size_t n_bytes)
{
    const firn_comm_message out = {peer, n_bytes, data};
    firn_comm_exchange(comm, &out, 1, NULL, 0);
}

static void receive_from(const firn_comm *comm, int peer, void *data, size_t n_bytes)
{
    const firn_comm_message in = {peer, n_bytes, data};
    firn_comm_exchange(comm, NULL, 0, &in, 1);
}

/* ---------------------------------------------------------------- everything to every rank */

void firn_comm_share(const firn_comm *comm, int from, void *data, size_t n_bytes)
{
    if (comm->size == 1) return;
    if (comm->rank != from) {
        receive_from(comm, from, data, n_bytes);
        return;
    }
    firn_comm_message out[FIRN_RANKS_MAX];
    int n = 0;
    for (int r = 0; r < comm->size; r++)
        if (r != from) out[n++] = (firn_comm_message){r, n_bytes, data};
    firn_comm_exchange(comm, out, n, NULL, 0);
}

void firn_comm_collect_parts(const firn_comm *comm, const void *own, const size_t *n_bytes,
                             void *all)
{
    firn_comm_message out[FIRN_RANKS_MAX], in[FIRN_RANKS_MAX];
    int n_out = 0, n_in = 0;
    char *at = all;
    for (int r = 0; r < comm->size; at += n_bytes[r], r++) {
        if (r == comm->rank) {
            if (n_bytes[r] && at != own) memcpy(at, own, n_bytes[r]);
            continue;
        }
        if (n_bytes[comm->rank])
            out[n_out++] = (firn_comm_message){r, n_bytes[comm->rank], (void *)(uintptr_t)own};
        if (n_bytes[r]) in[n_in++] = (firn_comm_message){r, n_bytes[r], at};
    }
    firn_comm_exchange(comm, out, n_out, in, n_in);
}

void firn_comm_collect(const firn_comm *comm, const void *own, size_t n_bytes, void *all)
{
    size_t each[FIRN_RANKS_MAX];
    for (int r = 0; r < comm->size; r++) each[r] = n_bytes;
    firn_comm_collect_parts(comm, own, each, all);
}

/* ---------------------------------------------------------------- sums and decisions */

void firn_comm_sum_begin(const firn_comm *comm, void *sum, size_t n_bytes)
{
    if (comm->rank > 0) receive_from(comm, comm->rank - 1, sum, n_bytes);
}

void firn_comm_sum_end(const firn_comm *comm, void *sum, size_t n_bytes)
{
    if (comm->rank + 1 < comm->size) send_to(comm, comm->rank + 1, sum, n_bytes);
    firn_comm_share(comm, comm->size - 1, sum, n_bytes);
}

/* The rank whose number is the largest times `sign`, the first of several; *value becomes it. */
static int find_largest(const firn_comm *comm, double sign, double *value)
{
    double all[FIRN_RANKS_MAX];
    int best = 0;
    if (comm->size == 1) return comm->rank;
    firn_comm_collect(comm, value, sizeof *value, all);
    for (int r = 1; r < comm->size && !isnan(all[best]); r++)
        if (!(sign * all[r] <= sign * all[best])) best = r;
    *value = all[best];
    return best;
}

double firn_comm_max(const firn_comm *comm, double value)
{
    find_largest(comm, 1, &value);
    return value;
}

double firn_comm_min(const firn_comm *comm, double value)
{
    find_largest(comm, -1, &value);
    return value;
}

int firn_comm_rank_of_max(const firn_comm *comm, double value)
{
    return find_largest(comm, 1, &value);
}

int64_t firn_comm_count(const firn_comm *comm, int64_t n)
{
    int64_t all[FIRN_RANKS_MAX], sum = 0;
    if (comm->size == 1) return n;
    firn_comm_collect(comm, &n, sizeof n, all);
    for (int r = 0; r < comm->size; r++) sum += all[r];
    return sum;
}

int firn_comm_and(const firn_comm *comm, int is_true)
{
    return firn_comm_count(comm, is_true != 0) == comm->size;
}

int firn_comm_or(const firn_comm *comm, int is_true)
{
    return firn_comm_count(comm, is_true != 0) > 0;
}

firn_status firn_comm_agree(const firn_comm *comm, firn_status status)
{
    int32_t own = status, all[FIRN_RANKS_MAX];
    if (comm->size == 1) return status;
    firn_comm_collect(comm, &own, sizeof own, all);
    for (int r = 0; r < comm->size; r++)
        if (all[r] != FIRN_OK) return (firn_status)all[r];
    return FIRN_OK;
}

firn_status firn_comm_allocate_ids(uint32_t *next_id, int64_t n, uint32_t *first)
{
    if (n < 0 || n >= (int64_t)UINT32_MAX - *next_id) return FIRN_REFUSED;
    *first = *next_id;
    *next_id += (uint32_t)n;
    return FIRN_OK;
}

void firn_comm_barrier(const firn_comm *comm) { firn_comm_count(comm, 0); }
