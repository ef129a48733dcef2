/* SPDX-License-Identifier: MIT */
/* comm_local.h: ranks as processes of one machine, without MPI: a socket between each two of them,
 * made before they part (fork). */
#ifndef FIRN_COMM_LOCAL_H
#define FIRN_COMM_LOCAL_H

#include "base/comm.h"

enum { FIRN_LOCAL_RANKS_MAX = 16 };

typedef struct firn_comm_local {
    int rank, size;
    int sockets[FIRN_LOCAL_RANKS_MAX][FIRN_LOCAL_RANKS_MAX]; /* [of][to]; -1: closed */
} firn_comm_local;

/* The sockets of all ranks, in the process from which the ranks will be forked. FIRN_IO: errno says
 * why; nothing is left open. */
firn_status firn_comm_local_create(firn_comm_local *local, int size);
/* In the process that becomes a rank: the other ranks' ends are closed. `local` must live as long as
 * the result. */
firn_comm firn_comm_local_join(firn_comm_local *local, int rank);
/* Over an exec: the rank's ends as a text for the environment, and back (sockets that are none are
 * refused: 0). */
int firn_comm_local_write(firn_comm_local *local, int rank, char *text, size_t n_text);
int firn_comm_local_read(firn_comm_local *local, const char *text, firn_comm *comm);
/* In a process that is no rank: closes all. */
void firn_comm_local_leave(firn_comm_local *local);

#endif
