/* SPDX-License-Identifier: MIT */
/* run_session.h: what `firn run` and `firn resume` have in common once there is a simulation and
 * a shot to write into - progress, interruption, the closing summary - and the options that both
 * understand. */
#ifndef FIRN_RUN_SESSION_H
#define FIRN_RUN_SESSION_H

#include "program/cli.h"
#include "firn/firn.h"
#include "base/json.h"
#include "session/run_output.h"

/* Entries of an option table, for both verbs. */
#define FIRN_RUN_SESSION_OPTIONS                                                                   \
    {"set",                                                                                        \
     's',                                                                                          \
     FIRN_CLI_SETTING,                                                                             \
     "KEY=VALUE",                                                                                  \
     "Change a setting of the scene, e.g. grid.dx=2cm; typed and checked "                         \
     "like the file.",                                                                             \
     .repeats = 1},                                                                                \
        {"until",                                                                                  \
         0,                                                                                        \
         FIRN_CLI_NUMBER,                                                                          \
         "SECONDS",                                                                                \
         "End at this simulated time instead of the scene's last frame.",                          \
         .min = 0,                                                                                 \
         .max = 1e9},                                                                              \
        {"frames", 'f', FIRN_CLI_SPAN, "A:B",                                                      \
         "Write only frames A to B, and end at B; frame 0 is the initial state."},                 \
        {"threads",                                                                                \
         't',                                                                                      \
         FIRN_CLI_INTEGER,                                                                         \
         "N",                                                                                      \
         "Number of threads; any number gives the same result. Otherwise one for 2,048 "           \
         "particles, up to all cores.",                                                            \
         .min = 1,                                                                                 \
         .max = 1024},                                                                             \
        {"isa",                                                                                    \
         0,                                                                                        \
         FIRN_CLI_CHOICE,                                                                          \
         "ISA",                                                                                    \
         "Instruction set; the default is the best this processor has.",                           \
         .choices = "scalar sse2 avx2 avx512"},                                                    \
        {"while-running", 0, FIRN_CLI_FLAG,                                                        \
         .doc = "Keep preview.png in the shot's folder at the newest frame; a thread of its own "  \
                "paints it, resting "                                                              \
                "19 times as long as a picture takes."},                                           \
        {"max-memory", 0, FIRN_CLI_BYTES, "SIZE",                                                  \
         "Refuse to use more memory than this, e.g. 8G."},                                         \
        {"progress",                                                                               \
         0,                                                                                        \
         FIRN_CLI_CHOICE,                                                                          \
         "HOW",                                                                                    \
         "How progress is told; auto: line on a terminal, else plain.",                            \
         .choices = "auto line plain json none"},                                                  \
    {                                                                                              \
        "quiet", 'q', FIRN_CLI_FLAG, .doc = "Tell nothing but warnings and errors."                \
    }

enum { FIRN_RUN_SESSION_MAX_SETS = 256 };

/* Threads, instruction set and memory as asked for. */
firn_run_options firn_run_session_options(const firn_cli *cli);
/* The --set options; FIRN_USAGE when there are too many. */
int firn_run_session_sets(const firn_cli *cli, const char **sets, int *n_sets);
/* The scene's plan with --until and --frames applied; also which frames are to be written. */
firn_frame_plan firn_run_session_plan(const firn_cli *cli, const firn_scene_def *scene, int *first,
                                      int *last);

/* What the scene's files hold, once their lengths are allowed (read_limits.h), as scene_files.h
 * has it; *text belongs to `json`. */
firn_status firn_run_session_inputs(const firn_cli *cli, const firn_scene_def *scene,
                                    firn_json_writer *json, const char **text,
                                    firn_messages *messages);

/* Runs to the end of the plan, ends the record, says what came of it. Returns the exit code. */
int firn_run_session(const firn_cli *cli, firn_sim *sim, firn_run_output *record,
                     const firn_frame_plan *plan, firn_messages *messages);

#endif
