/* SPDX-License-Identifier: MIT */
/* comm.h: the seam at which the processes (ranks) of one simulation meet. With one process, rank 0 of
 * 1, every function here returns at once or does the local work alone. Whatever a simulation decides
 * or sums over all of its particles or blocks goes through this header and nowhere else.
 *
 *     comm.h ---- exchange of messages (backend)      comm_local.c   processes of one machine
 *                                                     comm_mpi.c     MPI, in a module of its own
 *
 * A rank that has gone ends the others: `lost` is called and does not return, so callers need not
 * look at results.
 *
 * Rules that callers keep, so that the bits do not depend on the number of ranks:
 * - A rank owns a contiguous range of block keys; ranks are in the order of keys. So chunks in the
 *   order of keys, rank after rank, are the chunks of one process in its order.
 * - A sum of floating point numbers is a running sum, from chunk to chunk and from rank to rank.
 *   Partial sums of ranks are never added: (a + b) + (c + d) is not ((a + b) + c) + d.
 * - Maxima, minima, decisions and counts do not depend on the order.
 * - Every rank calls the same functions in the same order: all of them are collective.
 *
 *     double sum = 0;
 *     firn_comm_sum_begin(&sim->comm, &sum, sizeof sum);     what the ranks before have come to
 *     for (each chunk of this rank, in the order of keys) sum += chunk;
 *     firn_comm_sum_end(&sim->comm, &sum, sizeof sum);       the total, on every rank
 *
 * What is not a sum, a decision or a share goes by messages: firn_comm_exchange. */
#ifndef FIRN_COMM_H
#define FIRN_COMM_H

#include <stddef.h>
#include <stdint.h>

#include "firn/base.h"

enum { FIRN_RANKS_MAX = 64 };

/* n_bytes to or from another rank, which names the same number. */
typedef struct firn_comm_message {
    int peer;
    size_t n_bytes;
    void *data;
} firn_comm_message;

/* How messages travel. `exchange` sends all of `out` and receives all of `in`; messages between two
 * ranks keep their order. It returns -1, or the rank that has gone. */
typedef struct firn_comm_backend {
    const char *name;
    int (*exchange)(void *user, const firn_comm_message *out, int n_out,
                    const firn_comm_message *in, int n_in);
    void (*close)(void *user);
} firn_comm_backend;

/* What this rank has sent, and how long it has waited in all exchanges. */
typedef struct firn_comm_counts {
    int64_t n_exchanges, n_messages, n_bytes;
    double seconds;
} firn_comm_counts;

typedef struct firn_comm {
    int rank, size;                   /* 0 <= rank < size <= FIRN_RANKS_MAX */
    const firn_comm_backend *backend; /* NULL: one process */
    void *user;                       /* of the backend */
    firn_comm_counts *counts;         /* NULL: nothing is counted */
    /* A rank has gone; does not return. NULL: a sentence on stderr, and the process ends. */
    void (*lost)(const struct firn_comm *comm, int rank);
} firn_comm;

firn_comm firn_comm_single(void); /* one process: rank 0 of 1 */
void firn_comm_close(firn_comm *comm);

void firn_comm_exchange(const firn_comm *comm, const firn_comm_message *out, int n_out,
                        const firn_comm_message *in, int n_in);

/* Around a loop that adds this rank's chunks, in the order of keys, to the running value at `sum`
 * (numbers, or a struct of them without pointers). begin replaces it by the value that the rank
 * before ended with (rank 0 keeps what is there); end gives every rank what the last one ended
 * with. */
void firn_comm_sum_begin(const firn_comm *comm, void *sum, size_t n_bytes);
void firn_comm_sum_end(const firn_comm *comm, void *sum, size_t n_bytes);

/* Over all ranks, on every rank. NaN is the largest and the smallest number. */
double firn_comm_max(const firn_comm *comm, double value);
double firn_comm_min(const firn_comm *comm, double value);
int64_t firn_comm_count(const firn_comm *comm, int64_t n); /* the sum */
int firn_comm_and(const firn_comm *comm, int is_true);
int firn_comm_or(const firn_comm *comm, int is_true);

/* The same status on every rank: FIRN_OK where all have it, else that of the first rank that has
 * another. */
firn_status firn_comm_agree(const firn_comm *comm, firn_status status);

/* The rank with the largest value, the first of several; and n_bytes of what that rank has, to
 * every rank. */
int firn_comm_rank_of_max(const firn_comm *comm, double value);
void firn_comm_share(const firn_comm *comm, int from, void *data, size_t n_bytes);

/* n_bytes of every rank, in the order of ranks, to all: [size][n_bytes]; and pieces of different
 * lengths, one after the other, where every rank knows all lengths. */
void firn_comm_collect(const firn_comm *comm, const void *own, size_t n_bytes, void *all);
void firn_comm_collect_parts(const firn_comm *comm, const void *own, const size_t *n_bytes,
                             void *all);

/* n ids from *first on. Births are the same on every rank, so all ask for the same n and no message
 * is sent. Ids stay below UINT32_MAX; where they do not suffice nothing changes and FIRN_REFUSED is
 * returned. */
firn_status firn_comm_allocate_ids(uint32_t *next_id, int64_t n, uint32_t *first);

/* No rank goes on before all have come here. */
void firn_comm_barrier(const firn_comm *comm);

#endif
