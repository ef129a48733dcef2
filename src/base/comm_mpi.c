/* SPDX-License-Identifier: MIT */
/* comm_mpi.c: messages through MPI. Compiled once for each MPI that was found when firn was built,
 * into a module of its own (comm_module.h).
 *
 * Only point-to-point messages are used: how MPI would add numbers is its own affair, and firn's sums
 * are in a fixed order. Sends and receives of an exchange are all in flight at once. Waiting begins
 * with asking and goes on with short sleeps, so that ranks that share a core do not take it from each
 * other, and a rank that waits for a paused one rests. */
#include "base/comm_module.h"

#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

enum {
    TAG = 27,
    PIECE = 1 << 30, /* bytes of a message at most: MPI counts with int */
    ASK_TIMES = 2000
};

static int n_pieces(const firn_comm_message *m, int n)
{
    int pieces = 0;
    for (int i = 0; i < n; i++) pieces += (int)((m[i].n_bytes + PIECE - 1) / PIECE);
    return pieces;
}

/* Starts all pieces of one message; the number of requests, or -1. */
static int start(const firn_comm_message *m, int is_out, MPI_Request *requests)
{
    int n = 0;
    for (size_t at = 0; at < m->n_bytes; at += PIECE) {
        const size_t left = m->n_bytes - at;
        const int bytes = left < PIECE ? (int)left : PIECE;
        char *data = (char *)m->data + at;
        const int failed =
            is_out ? MPI_Isend(data, bytes, MPI_BYTE, m->peer, TAG, MPI_COMM_WORLD, &requests[n])
                   : MPI_Irecv(data, bytes, MPI_BYTE, m->peer, TAG, MPI_COMM_WORLD, &requests[n]);
        if (failed) return -1;
        n++;
    }
    return n;
}

/* One after the other; asking for one moves all. */
static int wait_all(int n, MPI_Request *requests)
{
    const struct timespec nap = {.tv_nsec = 20000};
    for (int i = 0, times = 0; i < n;) {
        int is_done = 0;
        MPI_Status status;
        if (MPI_Test(&requests[i], &is_done, &status)) return 0;
        if (is_done)
            i++;
        else if (++times > ASK_TIMES)
            nanosleep(&nap, NULL);
    }
    return 1;
}

static int exchange(void *user, const firn_comm_message *out, int n_out,
                    const firn_comm_message *in, int n_in)
{
    const int most = n_pieces(out, n_out) + n_pieces(in, n_in);
    MPI_Request few[4 * FIRN_RANKS_MAX], *requests = few;
    int n = 0, failed = -1;
    (void)user;
    if (most > (int)(sizeof few / sizeof *few)) {
        requests = malloc((size_t)most * sizeof *requests);
        if (!requests) return 0;
    }
    for (int i = 0; i < n_in + n_out && failed < 0; i++) {
        const firn_comm_message *m = i < n_in ? &in[i] : &out[i - n_in];
        const int started = start(m, i >= n_in, requests + n);
        if (started < 0)
            failed = m->peer;
        else
            n += started;
    }
    if (failed < 0 && !wait_all(n, requests)) failed = n_in ? in[0].peer : out[0].peer;
    if (requests != few) free(requests);
    return failed;
}

static void close_mpi(void *user)
{
    (void)user;
    MPI_Finalize();
}

static const firn_comm_backend mpi_backend = {"mpi", exchange, close_mpi};

static int open_mpi(firn_comm *comm)
{
    int level = 0;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) || level < MPI_THREAD_FUNNELED)
        return 0;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    *comm = (firn_comm){0};
    MPI_Comm_rank(MPI_COMM_WORLD, &comm->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &comm->size);
    if (comm->size > 1) comm->backend = &mpi_backend;
    return 1;
}

extern const firn_comm_module firn_comm_mpi;
__attribute__((visibility("default")))
const firn_comm_module firn_comm_mpi = {FIRN_COMM_MODULE_VERSION, FIRN_MPI_LIBRARY, open_mpi};
