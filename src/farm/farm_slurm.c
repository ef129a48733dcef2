/* SPDX-License-Identifier: MIT */
/* farm_slurm.c: submit.sh, which hands the tasks of a farm to Slurm.
 *
 * Ranges of one run are jobs that follow each other (afterok); runs of a study are the tasks of an
 * array. Their surfaces and pictures are arrays too: task i waits for task i (aftercorr).
 * --signal sends SIGTERM to the script two minutes before the limit of time, enough for a
 * checkpoint; the job then goes back into the queue (work.sh). B: to the script alone, which passes
 * it on once. What can never start, as what it waits for has failed, is removed. */
#include "farm/farm.h"

#include <stdio.h>

#include <math.h>

/* Seconds for a last checkpoint. Slurm sends a signal up to a minute early. */
enum { NOTICE = 120 };

static long minutes_of(const firn_farm *farm, int is_sim)
{
    if (farm->options->minutes > 0) return (long)ceil(farm->options->minutes);
    return (long)ceil(is_sim ? farm->sim_minutes : farm->still_minutes);
}

/* "name=$(submit ...)", of a kind; `what`: further options; `words`: run and range. */
static void add_job(const firn_farm *farm, firn_text *text, const char *indent, const char *kind,
                    const char *what, const char *words)
{
    firn_text_add(text, "%s%s=$(submit --job-name=%s.%s --time=%ld%s \"$work\" %s %s)\n", indent,
                  kind, farm->name, kind, minutes_of(farm, kind[0] == 's'), what, kind, words);
}

static void add_scene(const firn_farm *farm, firn_text *text)
{
    const int n = farm->n_ranges;
    char what[256];
    firn_text_add(text, "sim=\nfor range in");
    for (int i = 1; i <= n; i++) firn_text_add(text, " %d", i);
    firn_text_add(text, "; do\n");
    add_job(farm, text, "    ", "sim",
            " --output=\"$logs/sim.$range.log\" ${sim:+--dependency=afterok:$sim}", "1 \"$range\"");
    if (farm->has_mesh)
        add_job(farm, text, "    ", "mesh",
                " --output=\"$logs/mesh.$range.log\" --dependency=afterok:\"$sim\"",
                "1 \"$range\"");
    firn_text_add(text, "    echo \"range $range of %d: sim $sim%s\"\ndone\n", n,
                  farm->has_mesh ? ", mesh $mesh" : "");
    if (!farm->has_render) return;
    snprintf(what, sizeof what,
             " --output=\"$logs/render.%%a.log\" --array=1-%d --dependency=afterok:\"$sim\"", n);
    add_job(farm, text, "", "render", what, "1 @");
    firn_text_add(text, "echo \"pictures: render $render\"\n");
}

static void add_study(const firn_farm *farm, firn_text *text)
{
    char what[256];
    snprintf(what, sizeof what, " --output=\"$logs/sim.%%a.log\" --array=1-%d", farm->n_runs);
    add_job(farm, text, "", "sim", what, "@ 1");
    const char *kinds[] = {farm->has_mesh ? "mesh" : NULL, farm->has_render ? "render" : NULL};
    for (int i = 0; i < 2; i++) {
        if (!kinds[i]) continue;
        snprintf(what, sizeof what,
                 " --output=\"$logs/%s.%%a.log\" --array=1-%d --dependency=aftercorr:\"$sim\"",
                 kinds[i], farm->n_runs);
        add_job(farm, text, "", kinds[i], what, "@ 1");
    }
    add_job(farm, text, "", "collect",
            " --output=\"$logs/collect.log\" --dependency=afterany:\"$sim\"", "1 1");
    firn_text_add(text, "echo \"%d runs: sim $sim; report: collect $collect\"\n", farm->n_runs);
}

void firn_farm_write_slurm(const firn_farm *farm, firn_text *text)
{
    firn_text_add(text,
                  "#!/bin/bash\n"
                  "# submit.sh [SBATCH OPTIONS]: submits the farm %s to Slurm, written by firn. "
                  "Options are given to every job:\n"
                  "# submit.sh --partition=cpu --account=snow. Jobs that are interrupted or "
                  "preempted go back into the queue and continue.\n"
                  "set -eu\nwork=",
                  farm->name);
    firn_farm_add_path(farm, "work.sh", text);
    firn_text_add(text, "\nlogs=");
    firn_farm_add_path(farm, "logs", text);
    firn_text_add(text,
                  "\ngiven=(\"$@\")\n"
                  "mkdir -p \"$logs\"\n"
                  "if ! command -v sbatch >/dev/null; then\n"
                  "    echo \"submit.sh: no sbatch on this machine; try: one of the cluster\" >&2\n"
                  "    exit 1\n"
                  "fi\n"
                  "submit() {\n"
                  "    local id\n"
                  "    id=$(sbatch --parsable --requeue --open-mode=append --signal=B:TERM@%d "
                  "--kill-on-invalid-dep=yes \\\n"
                  "        --nodes=1 --ntasks=1 --cpus-per-task=%d --mem=%ldM \"${given[@]}\" "
                  "\"$@\") || exit 1\n"
                  "    echo \"${id%%%%;*}\"\n"
                  "}\n",
                  NOTICE, farm->n_threads, firn_farm_mebibytes(farm));
    if (farm->study)
        add_study(farm, text);
    else
        add_scene(farm, text);
}
