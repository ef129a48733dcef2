/* SPDX-License-Identifier: MIT */
/* run_options.h: options that several verbs share - settings of a scene, the machine, and what
 * `firn run` and `firn resume` have in common - as rows of an option table and as values. */
#ifndef FIRN_RUN_OPTIONS_H
#define FIRN_RUN_OPTIONS_H

#include "program/cli.h"
#include "session/ranks_launch.h"
#include "session/run_session.h"

/* clang-format off */
#define FIRN_OPTION_SET \
    {"set", 's', FIRN_CLI_SETTING, "KEY=VALUE", \
     "Change a setting of the scene, e.g. grid.dx=2cm; checked like the file.", .repeats = 1}
#define FIRN_OPTION_THREADS \
    {"threads", 't', FIRN_CLI_INTEGER, "N", \
     "Number of threads; the result does not depend on it. Default: one per 2,048 particles, up " \
     "to all cores.", .min = 1, .max = 1024}
#define FIRN_OPTION_RANKS \
    {"ranks", 0, FIRN_CLI_INTEGER, "N", \
     "Divide the run among N processes of this machine, each with its share of particles and of " \
     "threads; the result does not depend on it. Across machines: mpirun -n N firn run ...", \
     .min = 1, .max = FIRN_LOCAL_RANKS_MAX}
#define FIRN_OPTION_ISA \
    {"isa", 0, FIRN_CLI_CHOICE, "ISA", "Instruction set. Default: the best of this processor.", \
     .choices = "scalar sse2 avx2 avx512"}
#define FIRN_OPTION_MAX_MEMORY \
    {"max-memory", 0, FIRN_CLI_BYTES, "SIZE", \
     "Limit of memory, e.g. 8G; a scene that needs more is refused. Default: none."}
#define FIRN_OPTIONS_OF_RUNS \
    FIRN_OPTION_SET, \
    {"until", 0, FIRN_CLI_NUMBER, "SECONDS", \
     "End at this simulated time instead of the scene's last frame.", .min = 0, .max = 1e9}, \
    {"frames", 'f', FIRN_CLI_SPAN, "A:B", \
     "Write only frames A to B, and end at B; frame 0 is the initial state."}, \
    FIRN_OPTION_THREADS, \
    FIRN_OPTION_RANKS, \
    FIRN_OPTION_ISA, \
    {"while-running", 0, FIRN_CLI_FLAG, \
     .doc = "Keep preview.png in the shot's folder at the newest frame. Costs at most a twentieth " \
            "of one core."}, \
    FIRN_OPTION_MAX_MEMORY, \
    {"progress", 0, FIRN_CLI_CHOICE, "HOW", \
     "How progress is printed: auto is line on a terminal, else plain.", \
     .choices = "auto line plain json none"}, \
    {"quiet", 'q', FIRN_CLI_FLAG, .doc = "Print only warnings and errors."}
/* clang-format on */

/* Room for the settings of a command line, and two that other options stand for. */
enum { FIRN_SETS_MAX = 256, FIRN_SETS_ROOM = FIRN_SETS_MAX + 2 };

/* The --set options; -1 and a message when there are more than FIRN_SETS_MAX. */
int firn_run_options_sets(const firn_cli *cli, const char *sets[FIRN_SETS_ROOM]);
/* --threads, --isa, --max-memory. Sets the number of threads of OpenMP too, with which shapes are
 * read. */
firn_run_options firn_run_options_machine(const firn_cli *cli);
/* FIRN_OPTIONS_OF_RUNS, with the settings in `sets`; FIRN_USAGE and a message when it fails. */
firn_status firn_run_options_session(const firn_cli *cli, const char *sets[FIRN_SETS_ROOM],
                                     firn_session_options *options);

/* Divides the process into ranks where that is asked for, gives the session its part, and runs it:
 * `session` is called on every rank. Returns the exit code. */
int firn_run_options_on_ranks(const firn_cli *cli, firn_session_options *options,
                              firn_status (*session)(const char *what,
                                                     const firn_session_options *options));

#endif
