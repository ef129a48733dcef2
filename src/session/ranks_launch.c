/* SPDX-License-Identifier: MIT */
/* ranks_launch.c: see ranks_launch.h.
 *
 *     firn run --ranks 3 ---+--- rank 0   progress, files, messages
 *       waits, passes on    +--- rank 1
 *       signals             +--- rank 2
 *
 * A rank is the program started anew with the same arguments: libraries that made threads when they
 * were loaded (OpenVDB's log) do not survive a fork. It finds its sockets in the environment.
 *
 * Ranks are in process groups of their own, so that Ctrl-C reaches the waiting process alone. It
 * passes a signal to rank 0, and the ranks agree after each step whether one of them has got one.
 * Where the waiting process is killed, the kernel kills its ranks (PR_SET_PDEATHSIG); where a rank
 * dies, its sockets close, and the others end. */
#include "session/ranks_launch.h"

#include "base/comm_module.h"
#include "base/memory.h"
#include "base/messages.h"
#include "base/text.h"

#include <errno.h>
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---------------------------------------------------------------- the voice of followers */

/* A voice has no user pointer: set once, before a rank has threads. is_remote: the rank may see
 * other files than rank 0. */
static int follower, is_remote;

static void say_nothing(firn_level level, const char *text)
{
    if (level == FIRN_ERROR) fprintf(stderr, "firn: error: rank %d: %s\n", follower, text);
}

/* Errors of a scene or a step are the same on all ranks or reach rank 0. */
static void report_own(const firn_messages *messages)
{
    const firn_status status = firn_messages_status(messages);
    if (status != FIRN_MEMORY && !(is_remote && status == FIRN_IO)) return;
    for (int i = 0; i < firn_messages_total(messages); i++) {
        firn_level level = FIRN_NOTE;
        const char *text = firn_messages_text(messages, i, &level);
        say_nothing(level, text);
    }
}

static const firn_voice follower_voice = {say_nothing, report_own};

const firn_voice *firn_launch_voice(const firn_launch *launch, const firn_voice *of_first)
{
    if (launch->comm.rank == 0) return of_first;
    follower = launch->comm.rank;
    is_remote = launch->local.size == 0;
    return &follower_voice;
}

/* ---------------------------------------------------------------- ranks of this machine */

/* The one that waits tells which rank has gone; peers end in silence, as they may have seen a third
 * one end. */
static void end_with_peer(const firn_comm *comm, int rank)
{
    (void)comm, (void)rank;
    _exit(FIRN_STOPPED);
}

static const char *const variable = "FIRN_RANK";

/* The arguments of this process, from the kernel's copy; NULL: they cannot be had. */
static char **arguments(firn_text *text)
{
    char part[4096];
    FILE *file = fopen("/proc/self/cmdline", "rb");
    for (size_t n; file && (n = fread(part, 1, sizeof part, file)) > 0;)
        firn_text_add_bytes(text, part, n);
    if (file) fclose(file);
    size_t n = 0;
    for (size_t i = 0; i < text->n; i++) n += text->data[i] == 0;
    char **list = n && !text->has_failed ? firn_memory_array(NULL, n + 1, sizeof *list) : NULL;
    for (size_t i = 0, at = 0; list && i < n; i++, at += strlen(text->data + at) + 1)
        list[i] = text->data + at;
    return list;
}

/* In the new process; returns only by ending it. */
static void become_rank(firn_launch *launch, int rank, pid_t parent, const sigset_t *mask,
                        char **words)
{
    char text[16 * FIRN_LOCAL_RANKS_MAX];
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(FIRN_STOPPED); /* it has ended before the line above */
    setpgid(0, 0);
    sigprocmask(SIG_SETMASK, mask, NULL);
    if (firn_comm_local_write(&launch->local, rank, text, sizeof text) &&
        setenv(variable, text, 1) == 0)
        execv("/proc/self/exe", words);
    _exit(FIRN_IO);
}

static void begin_rank(firn_launch *launch)
{
    unsetenv(variable); /* not for programs that this one starts */
    launch->comm.lost = end_with_peer;
    const int n_cores = omp_get_max_threads(), share = n_cores / launch->local.size;
    omp_set_num_threads(share > 1 ? share : 1);
}

typedef struct children {
    pid_t ids[FIRN_LOCAL_RANKS_MAX];
    int n, n_left, code;
    int is_told; /* a rank has ended by a signal */
    const firn_voice *voice;
} children;

static void note_end(children *c, int rank, int how)
{
    c->ids[rank] = 0;
    c->n_left--;
    if (WIFEXITED(how)) {
        /* a rank that failed says more than those that lost it (FIRN_STOPPED) */
        if (WEXITSTATUS(how) > c->code) c->code = WEXITSTATUS(how);
        return;
    }
    c->code = FIRN_STOPPED;
    if (c->is_told) return;
    c->is_told = 1;
    firn_voice_say(c->voice, FIRN_ERROR,
                   "rank %d of %d: ended by signal %d (%s), and the others with it; what was "
                   "written is complete; to continue: firn resume, with any number of ranks",
                   rank, c->n, WTERMSIG(how), strsignal(WTERMSIG(how)));
}

static void collect_ended(children *c)
{
    int how;
    for (pid_t id; (id = waitpid(-1, &how, WNOHANG)) > 0;)
        for (int r = 0; r < c->n; r++)
            if (c->ids[r] == id) note_end(c, r, how);
}

static void kill_all(const children *c)
{
    for (int r = 0; r < c->n; r++)
        if (c->ids[r] > 0) kill(c->ids[r], SIGKILL);
}

/* Until all have ended. Ranks that have not followed a dead one after some seconds are killed. */
static void wait_for_all(children *c, const sigset_t *awaited)
{
    const struct timespec patience = {.tv_sec = 5};
    while (c->n_left > 0) {
        const int number =
            c->is_told ? sigtimedwait(awaited, NULL, &patience) : sigwaitinfo(awaited, NULL);
        if (number < 0 && errno == EAGAIN) kill_all(c);
        if (number > 0 && number != SIGCHLD && c->ids[0] > 0) kill(c->ids[0], number);
        collect_ended(c);
    }
}

/* Forks the ranks one by one; a failure ends those that have begun. */
static void fork_all(firn_launch *launch, children *c, const sigset_t *mask, char **words)
{
    const pid_t parent = getpid();
    fflush(NULL);
    for (int r = 0; r < c->n && !c->is_told; r++) {
        c->ids[r] = fork();
        if (c->ids[r] == 0) become_rank(launch, r, parent, mask, words);
        if (c->ids[r] > 0) {
            c->n_left++;
            continue;
        }
        firn_voice_say(c->voice, FIRN_ERROR, "rank %d of %d: not started: %s", r, c->n,
                       strerror(errno));
        c->ids[r] = 0;
        c->is_told = 1;
        c->code = FIRN_IO;
    }
    firn_comm_local_leave(&launch->local);
    if (c->is_told) kill_all(c);
}

/* Starts the ranks and waits for them. */
static void start_all(firn_launch *launch, children *c)
{
    const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD};
    firn_text text = {0};
    char **words = arguments(&text);
    sigset_t awaited, mask;
    c->code = FIRN_IO;
    if (!words)
        firn_voice_say(c->voice, FIRN_ERROR, "%d ranks: /proc/self/cmdline cannot be read", c->n);
    else if (firn_comm_local_create(&launch->local, c->n) != FIRN_OK)
        firn_voice_say(c->voice, FIRN_ERROR, "%d ranks: no sockets between them: %s", c->n,
                       strerror(errno));
    else {
        c->code = FIRN_OK;
        sigemptyset(&awaited);
        for (int i = 0; i < 4; i++) sigaddset(&awaited, numbers[i]);
        sigprocmask(SIG_BLOCK, &awaited, &mask);
        fork_all(launch, c, &mask, words);
        wait_for_all(c, &awaited);
        sigprocmask(SIG_SETMASK, &mask, NULL);
    }
    firn_memory_release(NULL, words, 0);
    firn_text_clear(&text);
}

firn_status firn_launch_local(firn_launch *launch, int n, const firn_voice *voice)
{
    *launch = (firn_launch){.comm = firn_comm_single()};
    if (n == 1) return FIRN_OK;
    const char *text = getenv(variable);
    if (text && firn_comm_local_read(&launch->local, text, &launch->comm)) {
        begin_rank(launch);
        return FIRN_OK;
    }
    children c = {.n = n, .voice = voice};
    start_all(launch, &c);
    launch->is_parent = 1;
    launch->code = c.code;
    return FIRN_OK;
}

void firn_launch_end(firn_launch *launch)
{
    if (!launch->is_parent) firn_comm_close(&launch->comm);
}

/* ---------------------------------------------------------------- ranks of mpirun */

/* mpirun and srun say in the environment how many they have started, and by that which MPI. */
static int size_in(const char *name)
{
    const char *text = getenv(name);
    const long n = text ? strtol(text, NULL, 10) : 0;
    return n > 0 && n <= INT32_MAX ? (int)n : 0;
}

static const struct {
    const char *size, *library;
} starters[] = {
    {"OMPI_COMM_WORLD_SIZE", "openmpi"}, /* mpirun of Open MPI */
    {"PMI_SIZE", "mpich"},               /* mpiexec of MPICH, srun with PMI-2 */
};

static int find_starter(int *size)
{
    for (int i = 0; i < (int)(sizeof starters / sizeof *starters); i++)
        if ((*size = size_in(starters[i].size)) > 1) return i;
    *size = 1;
    return -1;
}

int firn_launch_mpi_size(void)
{
    int size;
    find_starter(&size);
    return size;
}

static void end_with_host(const firn_comm *comm, int rank)
{
    fprintf(
        stderr,
        "firn: error: rank %d: no connection to rank %d any more; what was written is complete; "
        "to continue: firn resume, with any number of ranks\n",
        comm->rank, rank);
    _exit(FIRN_STOPPED);
}

firn_status firn_launch_mpi(firn_launch *launch, const firn_voice *voice)
{
    *launch = (firn_launch){.comm = firn_comm_single()};
    int size;
    const int starter = find_starter(&size);
    if (starter < 0) return FIRN_OK;
    char why[512];
    if (size > FIRN_RANKS_MAX)
        snprintf(why, sizeof why, "%d ranks; allowed: up to %d", size, FIRN_RANKS_MAX);
    else if (firn_comm_module_open(starters[starter].library, &launch->comm, why, sizeof why)) {
        launch->comm.lost = end_with_host;
        return FIRN_OK;
    }
    firn_voice_say(voice, FIRN_ERROR, "%s", why);
    return FIRN_REFUSED;
}
