/* SPDX-License-Identifier: MIT */
/* main.c: the program. Finds the verb, reads its options, calls it. */
#include "program/cli.h"
#include "session/interrupt.h"
#include "program/version.h"

#include <omp.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* OpenMP has bound this thread to the first of its places; the restarted program needs all of them.
 * Not inlined, because clang queries their number at the beginning of the function. */
static __attribute__((noinline)) void leave_place(void)
{
    cpu_set_t all;
    if (omp_get_proc_bind() == omp_proc_bind_false) return;
    CPU_ZERO(&all);
    for (int place = 0; place < omp_get_num_places(); place++) {
        int ids[CPU_SETSIZE], n = omp_get_place_num_procs(place);
        if (n > CPU_SETSIZE) continue;
        omp_get_place_proc_ids(place, ids);
        for (int i = 0; i < n; i++) CPU_SET((size_t)ids[i], &all);
    }
    if (CPU_COUNT(&all) > 0) sched_setaffinity(0, sizeof all, &all);
}

/* Waiting threads shall spin for some microseconds, the time that loops of a step wait for each
 * other, and then sleep. With other load on the machine a small scene took thirty times as long
 * with pure spinning, and 1.5 times as long with immediate sleep (1.13 times on an idle machine;
 * gcc's library, LLVM's sleeps at once). OpenMP reads these settings before main, so the program
 * restarts itself with them once; where that fails it continues. A given OMP_WAIT_POLICY is
 * respected. */
static void let_threads_sleep(char **argv)
{
    if (getenv("OMP_WAIT_POLICY") || setenv("OMP_WAIT_POLICY", "passive", 1) != 0) return;
    setenv("GOMP_SPINCOUNT", "1000", 0);
    if (getenv("OMP_PLACES") || getenv("OMP_PROC_BIND") || getenv("GOMP_CPU_AFFINITY"))
        leave_place();
    execv("/proc/self/exe", argv);
}

static int unknown_verb(const char *name)
{
    char names[1024] = "", near[64];
    size_t used = 0;
    for (int i = 0; firn_verbs[i] && used < sizeof names - 64; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s ", firn_verbs[i]->name);
    if (firn_cli_suggest(name, names, near, sizeof near))
        return firn_cli_fail(FIRN_USAGE, "unknown verb '%s'; did you mean `firn %s`?", name, near);
    return firn_cli_fail(FIRN_USAGE, "unknown verb '%s'; `firn help` lists all", name);
}

/* `firn scene.yaml`: a likely mistake. */
static int looks_like_scene(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml"));
}

static int run_verb(const firn_cli_verb *verb, int argc, char **argv)
{
    firn_cli cli;
    int status = firn_cli_parse(&cli, verb, argc, argv);
    if (status == FIRN_OK && firn_cli_has(&cli, "help"))
        firn_cli_docs_help(stdout, verb);
    else if (status == FIRN_OK)
        status = verb->run(&cli);
    firn_cli_clear(&cli);
    return status;
}

static int run_words(int argc, char **argv)
{
    firn_interrupt_leave(NULL);
    signal(SIGXFSZ, SIG_IGN); /* ulimit -f: a write error instead of a kill */
    if (argc < 2) {
        firn_cli_docs_overview(stderr, firn_verbs);
        return FIRN_USAGE;
    }
    const char *word = argv[1];
    if (!strcmp(word, "--version") || !strcmp(word, "-V")) {
        firn_version_print(stdout);
        return firn_cli_finish(FIRN_OK);
    }
    if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
        firn_cli_docs_overview(stdout, firn_verbs);
        return firn_cli_finish(FIRN_OK);
    }
    const firn_cli_verb *verb = firn_verbs_find(word);
    if (verb) let_threads_sleep(argv);
    if (verb) return firn_cli_finish(run_verb(verb, argc, argv));
    if (word[0] == '-')
        return firn_cli_fail(
            FIRN_USAGE, "unknown option %s; options follow the verb: firn VERB [options]", word);
    if (looks_like_scene(word))
        return firn_cli_fail(FIRN_USAGE, "unknown verb '%s'; to simulate a scene: firn run %s",
                             word, word);
    return unknown_verb(word);
}

int main(int argc, char **argv)
{
    firn_interrupt_watch_exit();
    return firn_interrupt_return(run_words(argc, argv));
}
