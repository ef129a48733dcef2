/* SPDX-License-Identifier: MIT */
/* comm_local.c: messages over a stream socket between each two processes.
 *
 * Messages have no headers, as both ends know what comes. All sends and receives of an exchange are
 * in flight at once: a rank that waited for one before it began the next could wait for ever.
 * Sockets do not block; where nothing moves, poll() waits without using the processor, so a rank
 * that is paused holds up the others and breaks nothing. The kernel closes the sockets of a process
 * that has ended, however it ended: its peers learn of it at once. */
#include "base/comm_local.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SOCKET_BYTES = 1 << 20 };

void firn_comm_local_leave(firn_comm_local *local)
{
    for (int i = 0; i < local->size; i++)
        for (int j = 0; j < local->size; j++) {
            if (local->sockets[i][j] >= 0) close(local->sockets[i][j]);
            local->sockets[i][j] = -1;
        }
}

firn_status firn_comm_local_create(firn_comm_local *local, int size)
{
    *local = (firn_comm_local){.rank = -1, .size = size};
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++) local->sockets[i][j] = -1;
    for (int i = 0; i < size; i++)
        for (int j = i + 1; j < size; j++) {
            int ends[2];
            if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
                const int why = errno;
                firn_comm_local_leave(local);
                errno = why;
                return FIRN_IO;
            }
            for (int k = 0; k < 2; k++) { /* larger buffers save switches; the default works too */
                const int bytes = SOCKET_BYTES;
                setsockopt(ends[k], SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
            }
            local->sockets[i][j] = ends[0];
            local->sockets[j][i] = ends[1];
        }
    return FIRN_OK;
}

/* ---------------------------------------------------------------- one exchange */

/* The messages to or from one peer: the one that is on its way, and how much of it has gone. */
typedef struct queue {
    const firn_comm_message *messages;
    int n, peer, at;
    size_t done;
} queue;

/* The next message of the queue that has bytes left; NULL: none. */
static const firn_comm_message *next_of(queue *q)
{
    while (q->at < q->n &&
           (q->messages[q->at].peer != q->peer || q->done == q->messages[q->at].n_bytes)) {
        q->at++;
        q->done = 0;
    }
    return q->at < q->n ? &q->messages[q->at] : NULL;
}

/* Moves what the socket takes or has. 1: something moved; 0: nothing now; -1: the peer has gone. */
static int move(int socket, int is_out, queue *q)
{
    int has_moved = 0;
    for (const firn_comm_message *m; (m = next_of(q)) != NULL; has_moved = 1) {
        char *data = (char *)m->data + q->done;
        const size_t left = m->n_bytes - q->done;
        const ssize_t n = is_out ? send(socket, data, left, MSG_DONTWAIT | MSG_NOSIGNAL)
                                 : recv(socket, data, left, MSG_DONTWAIT);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return has_moved;
        if (n <= 0) return -1;
        q->done += (size_t)n;
    }
    return has_moved;
}

/* Waits until some socket can go on. */
static void wait_for(const firn_comm_local *local, queue *out, queue *in)
{
    struct pollfd polls[FIRN_LOCAL_RANKS_MAX];
    nfds_t n = 0;
    for (int r = 0; r < local->size; r++) {
        const int events = (next_of(&out[r]) ? POLLOUT : 0) | (next_of(&in[r]) ? POLLIN : 0);
        if (events)
            polls[n++] =
                (struct pollfd){.fd = local->sockets[local->rank][r], .events = (short)events};
    }
    poll(polls, n, -1);
}

static int exchange(void *user, const firn_comm_message *out, int n_out,
                    const firn_comm_message *in, int n_in)
{
    const firn_comm_local *local = user;
    queue outs[FIRN_LOCAL_RANKS_MAX], ins[FIRN_LOCAL_RANKS_MAX];
    for (int r = 0; r < local->size; r++) {
        outs[r] = (queue){.messages = out, .n = n_out, .peer = r};
        ins[r] = (queue){.messages = in, .n = n_in, .peer = r};
    }
    for (;;) {
        int is_busy = 0, has_moved = 0;
        for (int r = 0; r < local->size; r++) {
            const int socket = local->sockets[local->rank][r], sent = move(socket, 1, &outs[r]),
                      got = move(socket, 0, &ins[r]);
            if (sent < 0 || got < 0) return r;
            has_moved |= sent | got;
            is_busy |= next_of(&outs[r]) || next_of(&ins[r]);
        }
        if (!is_busy) return -1;
        if (!has_moved) wait_for(local, outs, ins);
    }
}

static void close_local(void *user) { firn_comm_local_leave(user); }

static const firn_comm_backend local_backend = {"local", exchange, close_local};

firn_comm firn_comm_local_join(firn_comm_local *local, int rank)
{
    local->rank = rank;
    for (int i = 0; i < local->size; i++)
        for (int j = 0; j < local->size; j++)
            if (i != rank && local->sockets[i][j] >= 0) {
                close(local->sockets[i][j]);
                local->sockets[i][j] = -1;
            }
    return (firn_comm){.rank = rank, .size = local->size, .backend = &local_backend, .user = local};
}

/* ---------------------------------------------------------------- over an exec */

/* "RANK SIZE SOCKET SOCKET ...", with -1 for the rank itself. */
int firn_comm_local_write(firn_comm_local *local, int rank, char *text, size_t n_text)
{
    int n = snprintf(text, n_text, "%d %d", rank, local->size);
    for (int r = 0; r < local->size; r++) {
        const int socket = local->sockets[rank][r];
        if (n < 0 || (size_t)n >= n_text) return 0;
        if (socket >= 0 && fcntl(socket, F_SETFD, 0) != 0) return 0; /* stays open */
        n += snprintf(text + n, n_text - (size_t)n, " %d", socket);
    }
    return n > 0 && (size_t)n < n_text;
}

static int next_number(const char **at, long least, long most, int *value)
{
    char *end;
    const long n = strtol(*at, &end, 10);
    if (end == *at || n < least || n > most) return 0;
    *at = end;
    *value = (int)n;
    return 1;
}

int firn_comm_local_read(firn_comm_local *local, const char *text, firn_comm *comm)
{
    int rank, size;
    if (!next_number(&text, 0, FIRN_LOCAL_RANKS_MAX - 1, &rank) ||
        !next_number(&text, rank + 1, FIRN_LOCAL_RANKS_MAX, &size))
        return 0;
    *local = (firn_comm_local){.size = size};
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++) local->sockets[i][j] = -1;
    for (int r = 0; r < size; r++) {
        struct stat about;
        int *socket = &local->sockets[rank][r];
        if (!next_number(&text, -1, INT32_MAX, socket)) return 0;
        if (r == rank) continue;
        if (fstat(*socket, &about) != 0 || !S_ISSOCK(about.st_mode)) return 0;
        fcntl(*socket, F_SETFD, FD_CLOEXEC);
    }
    *comm = firn_comm_local_join(local, rank);
    return 1;
}
