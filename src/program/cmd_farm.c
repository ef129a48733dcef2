/* SPDX-License-Identifier: MIT */
/* cmd_farm.c: `firn farm scene.yaml --to slurm`: job files for a batch queue or render farm. */
#include "base/messages.h"
#include "base/text.h"
#include "farm/farm.h"
#include "program/cli.h"
#include "program/run_options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

extern const firn_cli_verb firn_cmd_mesh, firn_cmd_render;

enum { WORDS_MAX = 64, WORDS_BYTES = 2048 };

/* Options for another verb, in one text: "--format ply --smooth 4". */
typedef struct words {
    int n;
    const char *word[WORDS_MAX];
    char text[WORDS_BYTES];
} words;

/* Cuts options for a later verb at blanks. That verb's own parser checks them, so that mistakes are
 * told now and not on the farm. */
static firn_status read_words(const firn_cli *cli, const firn_cli_verb *of, words *w)
{
    const char *verb = of->name;
    char *line[WORDS_MAX + 4] = {(char *)(uintptr_t) "firn", (char *)(uintptr_t)verb,
                                 (char *)(uintptr_t) "shot"};
    const char *given = firn_cli_text(cli, verb, "");
    if (strlen(given) >= sizeof w->text)
        return (firn_status)firn_cli_fail(FIRN_USAGE, "--%s: too long; allowed: up to %d bytes",
                                          verb, WORDS_BYTES - 1);
    strcpy(w->text, given);
    for (char *at = strtok(w->text, " \t\n"); at && w->n < WORDS_MAX; at = strtok(NULL, " \t\n")) {
        w->word[w->n] = at;
        line[3 + w->n++] = at;
    }
    firn_cli parsed;
    firn_status status = firn_cli_parse(&parsed, of, 3 + w->n, line);
    if (status == FIRN_OK && parsed.n_arguments != 1)
        status = (firn_status)firn_cli_fail(
            FIRN_USAGE, "--%s '%s': allowed: options of `firn %s` alone", verb, given, verb);
    if (status == FIRN_OK && (firn_cli_has(&parsed, "frames") || firn_cli_has(&parsed, "threads")))
        status = (firn_status)firn_cli_fail(
            FIRN_USAGE,
            "--%s '%s': --frames and --threads belong to the farm; try: --chunk, --threads", verb,
            given);
    firn_cli_clear(&parsed);
    return status;
}

/* "sim", "sim,mesh", ... */
static firn_status read_steps(const firn_cli *cli, firn_farm_options *options)
{
    static const char *const allowed[] = {"sim", "sim,mesh", "sim,render", "sim,mesh,render",
                                          "sim,render,mesh"};
    const char *steps = firn_cli_text(cli, "steps", "");
    int is_known = !*steps;
    for (int i = 0; i < 5; i++) is_known |= strcmp(steps, allowed[i]) == 0;
    if (!is_known)
        return (firn_status)firn_cli_fail(
            FIRN_USAGE, "--steps %s: unknown; allowed: sim, sim,mesh, sim,render, sim,mesh,render",
            steps);
    options->has_steps = *steps != 0;
    options->has_mesh = strstr(steps, "mesh") != NULL || firn_cli_has(cli, "mesh");
    options->has_render = strstr(steps, "render") != NULL || firn_cli_has(cli, "render");
    return FIRN_OK;
}

static void print_farm(const firn_farm *farm, const char *how)
{
    const firn_farm_options *options = farm->options;
    printf("farm       %s: %d run%s", farm->name, farm->n_runs, farm->n_runs == 1 ? "" : "s");
    if (!farm->study && farm->n_ranges > 1)
        printf(" in %d ranges of %d frames", farm->n_ranges,
               farm->ranges[0].last - farm->ranges[0].first);
    printf("; steps: sim%s%s%s\n", farm->has_mesh ? ", mesh" : "",
           farm->has_render ? ", render" : "", farm->study ? ", collect" : "");
    const double minutes = options->minutes > 0 ? options->minutes : farm->sim_minutes;
    printf("each task  %d core%s, %ld MiB, up to %.0f min of simulation\n", farm->n_threads,
           farm->n_threads == 1 ? "" : "s", firn_farm_mebibytes(farm), ceil(minutes));
    printf("results    %s\n", farm->study ? farm->results : farm->runs[0].shot);
    printf("to start   %s\n", how);
    if (farm->study)
        printf("report     %s/report.html, by the last task or by firn compare %s\n", farm->results,
               farm->study);
}

static firn_status work(const firn_cli *cli, firn_farm_options *options, firn_messages *messages)
{
    firn_farm farm = {0};
    firn_text how = {0};
    firn_status status = firn_farm_plan(&farm, options, messages);
    if (status == FIRN_OK) status = firn_farm_write(&farm, &how, messages);
    if (status == FIRN_OK && how.has_failed)
        status = firn_messages_no_memory(messages, "job files");
    firn_cli_report(messages, status);
    if (status == FIRN_OK && !firn_cli_has(cli, "quiet")) print_farm(&farm, how.data);
    firn_text_clear(&how);
    firn_farm_clear(&farm);
    return status;
}

static int run(const firn_cli *cli)
{
    const char *sets[FIRN_SETS_ROOM];
    words mesh = {0}, render = {0};
    const int n_sets = firn_run_options_sets(cli, sets);
    if (n_sets < 0) return FIRN_USAGE;
    if (!firn_cli_has(cli, "to"))
        return firn_cli_fail(FIRN_USAGE, "--to: missing; allowed: shell, slurm, openjd, opencue");
    char folder[FIRN_NAME];
    snprintf(folder, sizeof folder, "farm/%s", firn_cli_text(cli, "to", ""));
    firn_farm_options options = {.file = cli->arguments[0],
                                 .target = firn_cli_text(cli, "to", ""),
                                 .folder = firn_cli_text(cli, "out", folder),
                                 .results = firn_cli_text(cli, "results", NULL),
                                 .show = firn_cli_text(cli, "show", "firn"),
                                 .n_sets = n_sets,
                                 .sets = sets,
                                 .chunk = (int)firn_cli_integer(cli, "chunk", 0),
                                 .n_threads = (int)firn_cli_integer(cli, "threads", 0),
                                 .n_retries = (int)firn_cli_integer(cli, "retries", 3),
                                 .memory = (double)firn_cli_bytes(cli, "memory", 0),
                                 .minutes = firn_cli_number(cli, "time", 0),
                                 .seconds = firn_cli_number(cli, "seconds", 0.5),
                                 .overwrite = firn_cli_has(cli, "overwrite")};
    firn_status status = read_steps(cli, &options);
    if (status == FIRN_OK) status = read_words(cli, &firn_cmd_mesh, &mesh);
    if (status == FIRN_OK) status = read_words(cli, &firn_cmd_render, &render);
    if (status != FIRN_OK) return status;
    options.n_mesh = mesh.n;
    options.mesh = mesh.word;
    options.n_render = render.n;
    options.render = render.word;
    firn_messages *messages = firn_messages_create();
    if (!messages) return firn_cli_no_memory("messages");
    status = work(cli, &options, messages);
    firn_messages_destroy(messages);
    return status;
}

static const firn_cli_option options[] = {
    {"to", 0, FIRN_CLI_CHOICE, "TARGET",
     "What runs the jobs: slurm (batch queue), openjd (Open Job Description, 2023-09), opencue "
     "(job specification), shell (this machine).",
     .choices = "slurm openjd opencue shell"},
    {"out", 'o', FIRN_CLI_FOLDER, "DIR",
     "Folder of the job files and logs. Default: farm/TARGET. It must be visible to all machines."},
    {"results", 0, FIRN_CLI_FOLDER, "DIR",
     "Folder of the shot, or of the study. Default: that of firn run, or firn compare."},
    {"steps", 0, FIRN_CLI_TEXT, "LIST",
     "sim; sim,mesh; sim,render or sim,mesh,render: simulation, surfaces (firn mesh), pictures "
     "(firn render). Default: all of a scene, sim of a study."},
    {"mesh", 0, FIRN_CLI_TEXT, "OPTIONS",
     "Options of firn mesh for the surfaces: --mesh='--format ply'."},
    {"render", 0, FIRN_CLI_TEXT, "OPTIONS",
     "Options of firn render for the pictures: --render='--size 1920x1080'."},
    {"chunk", 0, FIRN_CLI_INTEGER, "FRAMES",
     "Frames per task of a scene; at most 32 tasks. Default: 24.", .min = 1, .max = 1e8},
    {"threads", 't', FIRN_CLI_INTEGER, "N",
     "Cores per task. Default: one per 2,048 particles, up to those of this machine.", .min = 1,
     .max = 1024},
    {"memory", 0, FIRN_CLI_BYTES, "SIZE",
     "Memory per task, e.g. 8G. Default: the estimate of firn check, a quarter more, and 256 MiB."},
    {"time", 0, FIRN_CLI_NUMBER, "MINUTES",
     "Limit of wall time per task. Default: half as much again as firn check estimates, and 10 "
     "minutes. A simulation that takes longer is interrupted and continues.",
     .min = 1, .max = 1e6},
    {"retries", 0, FIRN_CLI_INTEGER, "N",
     "How often a task is repeated that the machine has ended. Default: 3.", .min = 0, .max = 16},
    {"seconds", 0, FIRN_CLI_NUMBER, "S",
     "Wall-clock time of the measurement of each run, as in firn check; 0: none. Default: 0.5.",
     .min = 0, .max = 3600},
    {"show", 0, FIRN_CLI_TEXT, "NAME", "Name of the show, for OpenCue. Default: firn."},
    FIRN_OPTION_SET,
    {"overwrite", 0, FIRN_CLI_FLAG, .doc = "Replace the job files of another farm in DIR."},
    {"quiet", 'q', FIRN_CLI_FLAG, .doc = "Print only warnings and errors."},
    {0},
};

const firn_cli_verb firn_cmd_farm = {
    .name = "farm",
    .summary = "write job files of a scene or study for a batch queue or render farm",
    .arguments = "SCENE.yaml|STUDY.yaml",
    .n_min = 1,
    .n_max = 1,
    .completes = FIRN_CLI_FILE,
    .text =
        "Writes job files: simulation, then surfaces and pictures, per range of frames; for a "
        "study or a scene with a sweep one task per run, and a last one for the report. Memory and "
        "time are those of `firn check`. Every task is the script DIR/work.sh with three words and "
        "may be repeated: a simulation continues from its newest checkpoint. On SIGTERM it writes "
        "one; a Slurm job then goes back into the queue by itself.\n\n"
        "Surfaces wait for the frames of their range; pictures for the whole simulation, as the "
        "camera is chosen from all of it. Paths are taken from the folder in which the command is "
        "given, which all machines must see under the same name. `firn compare STUDY.yaml` from "
        "that folder finds what a farm has run and writes the report.\n\n"
        "  firn farm scenes/snowball.yaml --to slurm\n"
        "  farm/slurm/submit.sh --partition=cpu\n"
        "  firn farm scenes/studies/snow_block_drop.yaml --to shell && farm/shell/run.sh 2",
    .options = options,
    .run = run,
};
