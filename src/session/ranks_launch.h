/* SPDX-License-Identifier: MIT */
/* ranks_launch.h: a run of several ranks: started by firn itself on one machine, or found where
 * mpirun has started it. */
#ifndef FIRN_RANKS_LAUNCH_H
#define FIRN_RANKS_LAUNCH_H

#include "base/comm_local.h"
#include "session/voice.h"

typedef struct firn_launch {
    firn_comm comm;
    firn_comm_local local; /* of ranks that firn has started */
    int is_parent;         /* this process is no rank: its ranks have ended, with this code */
    int code;
} firn_launch;

/* n ranks on this machine: the program is started n times with the same arguments and comes here
 * again as a rank; this process waits for them. A rank that ends by a signal is told with its number, and
 * the others are ended within seconds. FIRN_IO: they could not be started, and why is told. */
firn_status firn_launch_local(firn_launch *launch, int n, const firn_voice *voice);
/* The ranks of mpirun; one where there is none. */
firn_status firn_launch_mpi(firn_launch *launch, const firn_voice *voice);
void firn_launch_end(firn_launch *launch);
/* The processes that mpirun or a batch system has started with this one; 1: none. */
int firn_launch_mpi_size(void);

/* For ranks behind the first, which has the say: silent, but for errors that are a rank's own (memory,
 * files), which carry its number. */
const firn_voice *firn_launch_voice(const firn_launch *launch, const firn_voice *of_first);

#endif
