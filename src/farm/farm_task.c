/* SPDX-License-Identifier: MIT */
/* farm_task.c: work.sh, the script that does one task, for POSIX shells. A queue starts it with
 * the kind of the task, the number of a run and that of a range of frames. It holds every path and
 * setting; job files hold no more than those three words. */
#include "farm/farm.h"

#include "base/shell.h"
#include "firn/firn.h"

static void add_words(firn_text *text, int n, const char *const *words, const char *before)
{
    for (int i = 0; i < n; i++) {
        firn_text_add(text, " %s", before);
        firn_shell_add_word(text, words[i]);
    }
}

static void add_runs(const firn_farm *farm, firn_text *text)
{
    firn_text_add(text, "case $run in\n");
    for (int i = 0; i < farm->n_runs; i++) {
        const firn_farm_run *run = &farm->runs[i];
        firn_text_add(text, "%d) shot=", i + 1);
        firn_shell_add_word(text, run->shot);
        firn_text_add(text, " && set -- ");
        firn_shell_add_word(text, run->scene);
        add_words(text, run->n_sets, run->sets, "--set ");
        firn_text_add(text, " ;;\n");
    }
    firn_text_add(text,
                  "*) echo \"work.sh: no run $run; allowed: 1 to %d\" >&2 && exit 1 ;;\nesac\n",
                  farm->n_runs);
}

static void add_ranges(const firn_farm *farm, firn_text *text)
{
    firn_text_add(text, "case $range in\n");
    for (int i = 0; i < farm->n_ranges; i++)
        firn_text_add(text, "%d) first=%d last=%d ;;\n", i + 1, farm->ranges[i].first,
                      farm->ranges[i].last);
    firn_text_add(text,
                  "*) echo \"work.sh: no range $range; allowed: 1 to %d\" >&2 && exit 1 ;;\nesac\n",
                  farm->n_ranges);
}

/* The frames of a study's run are its own scene's. */
static void add_frames(const firn_farm *farm, firn_text *text, const char *how)
{
    if (!farm->study) firn_text_add(text, " --frames \"%s$last\"", how);
}

static void add_kinds(const firn_farm *farm, firn_text *text)
{
    const firn_farm_options *options = farm->options;
    firn_text_add(text, "case $kind in\nsim) set -- run \"$@\" --out \"$shot\" --resume");
    if (farm->study) firn_text_add(text, " --overwrite");
    add_frames(farm, text, ":");
    firn_text_add(text, " --threads \"$threads\" --progress plain ;;\n");
    firn_text_add(text, "mesh) set -- mesh \"$shot\"");
    add_frames(farm, text, "$first:");
    firn_text_add(text, " --threads \"$threads\" --max-memory %ldM", firn_farm_mebibytes(farm));
    add_words(text, options->n_mesh, options->mesh, "");
    firn_text_add(text, " ;;\nrender) set -- render \"$shot\"");
    add_frames(farm, text, "$first:");
    firn_text_add(text, " --threads \"$threads\"");
    add_words(text, options->n_render, options->render, "");
    firn_text_add(text, " ;;\n");
    if (farm->study) {
        firn_text_add(text, "collect) set -- compare ");
        firn_shell_add_word(text, farm->study);
        firn_text_add(text, " --out ");
        firn_shell_add_word(text, farm->results);
        add_words(text, options->n_sets, options->sets, "--set ");
        firn_text_add(text, " ;;\n");
    }
    firn_text_add(text,
                  "*) echo \"work.sh: no task $kind; allowed: sim, mesh, render%s\" >&2 && exit 1 "
                  ";;\nesac\n\n",
                  farm->study ? ", collect" : "");
}

/* A shell does not end while it waits for a program in the foreground, so firn is in the
 * background; what a signal interrupts is the waiting, which goes on. */
static const char wait_for_it[] =
    "child='' is_asked=''\n"
    "trap 'is_asked=1; [ -z \"$child\" ] || kill -TERM \"$child\" 2>/dev/null' TERM INT HUP\n"
    "\"$firn\" \"$@\" </dev/null &\n"
    "child=$!\n"
    "[ -z \"$is_asked\" ] || kill -TERM \"$child\" 2>/dev/null\n"
    "wait \"$child\"\n"
    "code=$?\n"
    "while [ \"$code\" -gt 128 ] && kill -0 \"$child\" 2>/dev/null; do\n"
    "    wait \"$child\"\n"
    "    code=$?\n"
    "done\n";

void firn_farm_write_task(const firn_farm *farm, const firn_farm_target *target, firn_text *text)
{
    firn_text_add(
        text,
        "#!/bin/sh\n"
        "# work.sh KIND RUN RANGE: one task of the farm %s (%s), written by firn %s. KIND: sim, "
        "mesh, render%s;\n"
        "# RUN: 1 to %d; RANGE, of frames: 1 to %d. A task may be repeated at any time: a "
        "simulation continues from its newest\n"
        "# checkpoint, and ends at once where it is complete. Exit codes are those of firn: 0 "
        "done, 1 usage, 2 refused, 3 stopped,\n"
        "# 4 i/o, 5 memory, 6 interrupted.\n",
        farm->name, target->name, firn_version(), farm->study ? ", collect" : "", farm->n_runs,
        farm->n_ranges);
    firn_text_add(text, "kind=$1 run=${2:-1} range=${3:-1}\n");
    firn_text_add(text, "[ \"$run\" != @ ] || run=${SLURM_ARRAY_TASK_ID:-}\n"
                        "[ \"$range\" != @ ] || range=${SLURM_ARRAY_TASK_ID:-}\n");
    firn_text_add(text, "threads=${FIRN_THREADS:-%d} retries=%d\nfirn=", farm->n_threads,
                  farm->options->n_retries);
    firn_shell_add_word(text, farm->program);
    firn_text_add(text, "\ncd ");
    firn_shell_add_word(text, farm->working);
    firn_text_add(text, " || exit 4\n\n");
    add_runs(farm, text);
    add_ranges(farm, text);
    add_kinds(farm, text);
    firn_text_add(text, "%s", wait_for_it);
    /* a run that its own simulation stops is a result of the study */
    if (farm->study) firn_text_add(text, "[ \"$code$kind\" != 3sim ] || code=0\n");
    firn_text_add(text, "%sexit \"$code\"\n", target->at_end);
}
