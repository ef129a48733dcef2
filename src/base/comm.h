/* SPDX-License-Identifier: MIT */
/* comm.h: the seam at which the processes of one simulation would meet. Today there is one process
 * (rank 0 of 1): every function here returns at once or does the local work alone. Whatever a
 * simulation decides or sums over all of its particles or blocks goes through this header and
 * nowhere else, so that several processes later change comm.c and no caller.
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
 * Exchange of halo blocks and migration of particles will be added here. */
#ifndef FIRN_COMM_H
#define FIRN_COMM_H

#include <stddef.h>
#include <stdint.h>

#include "firn/base.h"

typedef struct firn_comm {
    int rank, size; /* 0 <= rank < size */
} firn_comm;

firn_comm firn_comm_single(void); /* one process: rank 0 of 1 */

/* Around a loop that adds this rank's chunks, in the order of keys, to the running value at `sum`
 * (numbers, or a struct of them without pointers). begin replaces it by the value that the rank
 * before ended with (rank 0 keeps what is there); end gives every rank what the last one ended
 * with. */
void firn_comm_sum_begin(const firn_comm *comm, void *sum, size_t n_bytes);
void firn_comm_sum_end(const firn_comm *comm, void *sum, size_t n_bytes);

/* Over all ranks, on every rank. */
double firn_comm_max(const firn_comm *comm, double value);
double firn_comm_min(const firn_comm *comm, double value);
int64_t firn_comm_count(const firn_comm *comm, int64_t n); /* the sum */
int firn_comm_and(const firn_comm *comm, int is_true);
int firn_comm_or(const firn_comm *comm, int is_true);

/* The rank with the largest value, the first of several; and n_bytes of what that rank has, to
 * every rank. */
int firn_comm_rank_of_max(const firn_comm *comm, double value);
void firn_comm_share(const firn_comm *comm, int from, void *data, size_t n_bytes);

/* n ids for this rank, from *first on: those of the ranks before come before them. *next_id, the
 * same on every rank, moves on by what all of them took. Ids stay below UINT32_MAX; where they do
 * not suffice nothing changes and FIRN_REFUSED is returned on every rank. */
firn_status firn_comm_allocate_ids(const firn_comm *comm, uint32_t *next_id, int64_t n,
                                   uint32_t *first);

/* No rank goes on before all have come here. */
void firn_comm_barrier(const firn_comm *comm);

#endif
