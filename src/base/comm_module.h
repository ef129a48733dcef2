/* SPDX-License-Identifier: MIT */
/* comm_module.h: MPI as a module that is loaded where a run needs it. The program is not linked to
 * MPI, whose libraries are not compatible with each other: each that was found when firn was built has
 * a module, libfirn_mpi_NAME.so, in the folder of the program or in that of the library. */
#ifndef FIRN_COMM_MODULE_H
#define FIRN_COMM_MODULE_H

#include "base/comm.h"

enum { FIRN_COMM_MODULE_VERSION = 1 };

/* What a module exports as firn_comm_mpi. */
typedef struct firn_comm_module {
    int version;
    const char *library; /* with its version */
    /* 0: MPI cannot be started. */
    int (*open)(firn_comm *comm);
} firn_comm_module;

/* Loads the module of a library (openmpi, mpich) and joins the other ranks. 0: `why` says why
 * not. */
int firn_comm_module_open(const char *library, firn_comm *comm, char *why, size_t n_why);
/* Whether there is a module of this name to load. */
int firn_comm_module_exists(const char *library);

#endif
