/* SPDX-License-Identifier: MIT */
/* cmd_compare.c: `firn compare study.yaml`: laws, settings and scenes side by side, in one report.
 */
#include "program/cli.h"
#include "study/study.h"
#include "session/interrupt.h"
#include "session/progress.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SETS_MAX = 64 };

static void print_run(void *list, const firn_compare_run *run, int n_done, int n_runs)
{
    firn_progress_list *runs = list;
    const char *how = run->is_reused                   ? "reused"
                      : run->exit_code == 0            ? "done"
                      : run->exit_code == FIRN_STOPPED ? "stopped"
                                                       : "failed";
    firn_progress_list_hide(runs);
    printf("[%d/%d] %s: %s\n", n_done, n_runs, run->name, how);
    fflush(stdout);
    if (run->is_reused)
        runs->n--; /* it took no time */
    else
        firn_progress_list_done(runs);
}

static int count_failures(const firn_compare *compare)
{
    int n = 0;
    for (int i = 0; i < compare->n_runs; i++) n += compare->runs[i].series.table == NULL;
    return n;
}

static firn_status execute(const firn_cli *cli, firn_compare *compare, firn_study *study,
                           firn_messages *messages)
{
    char program[FIRN_PATH], folder[FIRN_PATH];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    if (n <= 0)
        return firn_messages_add(messages, FIRN_IO, "program: not found through /proc/self/exe");
    program[n] = 0;
    snprintf(folder, sizeof folder, "studies/%.900s", study->name);
    const char *sets[SETS_MAX];
    firn_progress_list runs = firn_progress_list_begin("runs", 0);
    int n_sets = firn_cli_all(cli, "set", sets, SETS_MAX);
    if (n_sets > SETS_MAX)
        return firn_messages_add(messages, FIRN_USAGE, "--set: given too often; allowed: up to %d",
                                 SETS_MAX);
    firn_compare_options options = {.folder = firn_cli_text(cli, "out", folder),
                                    .program = program,
                                    .n_jobs = (int)firn_cli_integer(cli, "jobs", 1),
                                    .n_threads = (int)firn_cli_integer(cli, "threads", 0),
                                    .is_fresh = firn_cli_has(cli, "fresh"),
                                    .n_sets = n_sets,
                                    .sets = sets,
                                    .done = firn_cli_has(cli, "quiet") ? NULL : print_run,
                                    .done_user = &runs,
                                    .signal = firn_interrupt_signal};
    firn_status status = firn_compare_plan(compare, study, &options, messages);
    if (status != FIRN_OK) return status;
    if (firn_cli_has(cli, "list")) {
        for (int i = 0; i < compare->n_runs; i++) printf("%s\n", compare->runs[i].command);
        return FIRN_OK;
    }
    firn_interrupt_begin();
    runs = firn_progress_list_begin("runs", compare->n_runs);
    status = firn_compare_execute(compare, &options, messages);
    firn_progress_list_hide(&runs);
    if (status == FIRN_INTERRUPTED)
        return firn_messages_add(messages, status, "interrupted; to continue: the same command");
    if (status == FIRN_OK) status = firn_compare_report(compare, messages);
    if (status == FIRN_OK)
        printf("%s/report.html\n%s/summary.csv\n", options.folder, options.folder);
    if (status == FIRN_OK && count_failures(compare))
        status = firn_messages_add(messages, FIRN_STOPPED, "%d of %d runs have no results",
                                   count_failures(compare), compare->n_runs);
    return status;
}

static int run(const firn_cli *cli)
{
    firn_messages *messages = firn_messages_create();
    if (!messages) return firn_cli_no_memory("messages");
    firn_study *study = firn_compare_study_load(cli->arguments[0], messages);
    firn_compare compare = {0};
    firn_status status =
        study ? execute(cli, &compare, study, messages) : firn_messages_status(messages);
    firn_compare_clear(&compare);
    firn_compare_study_destroy(study);
    firn_cli_report(messages, status);
    firn_messages_destroy(messages);
    return status;
}

static const firn_cli_option options[] = {
    {"out", 'o', FIRN_CLI_FOLDER, "DIR", "Folder of the study. Default: studies/NAME."},
    {"jobs", 'j', FIRN_CLI_INTEGER, "N", "Number of runs at the same time. Default: 1.", .min = 1,
     .max = 256},
    {"threads", 't', FIRN_CLI_INTEGER, "N",
     "Threads per run. Default: one per 2,048 particles, up to its share of the machine.", .min = 1,
     .max = 1024},
    {"set", 's', FIRN_CLI_SETTING, "KEY=VALUE",
     "Setting of all runs, e.g. grid.dx=4cm for a quick test. A sweep of the same key takes "
     "precedence.",
     .repeats = 1},
    {"fresh", 0, FIRN_CLI_FLAG, .doc = "Repeat runs that are finished."},
    {"list", 0, FIRN_CLI_FLAG,
     .doc = "Check the study and print the commands of its runs, without running them."},
    {"quiet", 'q', FIRN_CLI_FLAG, .doc = "Print nothing about single runs."},
    {0},
};

const firn_cli_verb firn_cmd_compare = {
    .name = "compare",
    .summary = "run laws, settings and scenes side by side, with one report",
    .arguments = "STUDY.yaml",
    .n_min = 1,
    .n_max = 1,
    .completes = FIRN_CLI_FILE,
    .text =
        "A study lists scenes, laws for one of their materials, and settings with several values. "
        "Every combination is one run, an ordinary shot under DIR/runs. An interrupted study "
        "continues where it ended when it is started again. The results are DIR/report.html, one "
        "file that needs no network, and DIR/summary.csv: numbers, curves over time, parameters, "
        "hashes, and the command of each run.\n\n    study: snow_block_drop\n    scenes: "
        "snow_block.yaml\n    material: block\n    laws: [snow, 'cam_clay,E=140 kPa']\n    sweep: "
        "{grid.dx: [4 cm, 2 cm]}\n\nAll keys: scenes/studies/README.md.",
    .options = options,
    .run = run,
};
