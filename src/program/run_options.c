/* SPDX-License-Identifier: MIT */
/* run_options.c: see run_options.h. */
#include "program/run_options.h"

#include <omp.h>
#include <string.h>
#include <unistd.h>

int firn_run_options_sets(const firn_cli *cli, const char *sets[FIRN_SETS_ROOM])
{
    const int n = firn_cli_all(cli, "set", sets, FIRN_SETS_MAX);
    if (n <= FIRN_SETS_MAX) return n;
    firn_cli_fail(FIRN_USAGE, "--set: given %d times; allowed: up to %d; try: edit the scene file",
                  n, FIRN_SETS_MAX);
    return -1;
}

firn_run_options firn_run_options_machine(const firn_cli *cli)
{
    firn_run_options options = firn_run_options_default();
    options.n_threads = (int)firn_cli_integer(cli, "threads", options.n_threads);
    options.max_memory = firn_cli_bytes(cli, "max-memory", options.max_memory);
    snprintf(options.isa, sizeof options.isa, "%s", firn_cli_text(cli, "isa", options.isa));
    if (options.n_threads > 0) omp_set_num_threads(options.n_threads);
    return options;
}

static firn_progress_style style_of(const firn_cli *cli)
{
    const char *how = firn_cli_text(cli, "progress", "auto");
    if (firn_cli_has(cli, "quiet") || !strcmp(how, "none")) return FIRN_PROGRESS_NONE;
    if (!strcmp(how, "json")) return FIRN_PROGRESS_JSON;
    if (!strcmp(how, "plain")) return FIRN_PROGRESS_PLAIN;
    if (!strcmp(how, "line")) return FIRN_PROGRESS_LINE;
    return isatty(STDOUT_FILENO) && isatty(STDERR_FILENO) ? FIRN_PROGRESS_LINE
                                                          : FIRN_PROGRESS_PLAIN;
}

firn_status firn_run_options_session(const firn_cli *cli, const char *sets[FIRN_SETS_ROOM],
                                     firn_session_options *options)
{
    enum { OPEN = 100000000 }; /* beyond any last frame */
    *options = firn_session_options_default();
    options->voice = &firn_cli_voice;
    options->n_sets = firn_run_options_sets(cli, sets);
    options->sets = sets;
    if (options->n_sets < 0) return FIRN_USAGE;

    int last = OPEN;
    options->until = firn_cli_number(cli, "until", -1);
    options->has_frames = firn_cli_span(cli, "frames", &options->first_frame, &last);
    options->last_frame = last < OPEN ? last : -1;

    options->run = firn_run_options_machine(cli);
    options->progress = style_of(cli);
    options->is_quiet = firn_cli_has(cli, "quiet");
    options->has_live_preview = firn_cli_has(cli, "while-running");
    return FIRN_OK;
}

/* Where a rank has failed alone, the others wait for it: MPI must not be asked to end in order. */
static int end_ranks(firn_launch *launch, int code)
{
    const int is_in_order = code == FIRN_OK || code == FIRN_INTERRUPTED || code == FIRN_STOPPED;
    if (launch->comm.size > 1 && !is_in_order) {
        fflush(NULL);
        _exit(code);
    }
    firn_launch_end(launch);
    return code;
}

int firn_run_options_on_ranks(const firn_cli *cli, firn_session_options *options,
                              firn_status (*session)(const char *what,
                                                     const firn_session_options *options))
{
    const int n = (int)firn_cli_integer(cli, "ranks", 1), n_started = firn_launch_mpi_size();
    firn_launch launch;
    if (firn_cli_has(cli, "ranks") && n_started > 1)
        return firn_cli_fail(
            FIRN_USAGE, "--ranks: mpirun has started %d ranks; try: without --ranks", n_started);
    const firn_status status = n_started > 1 ? firn_launch_mpi(&launch, options->voice)
                                             : firn_launch_local(&launch, n, options->voice);
    if (status != FIRN_OK) return status;
    if (launch.is_parent) return launch.code;
    firn_comm_counts counts = {0};
    launch.comm.counts = &counts;
    if (launch.comm.size > 1) {
        options->run.comm = &launch.comm;
        options->voice = firn_launch_voice(&launch, options->voice);
        if (options->run.n_threads > 0) omp_set_num_threads(options->run.n_threads);
    }
    return end_ranks(&launch, session(cli->arguments[0], options));
}
