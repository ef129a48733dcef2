/* SPDX-License-Identifier: MIT */
/* cmd_run.c: `firn run scene.yaml` - from a scene file to a shot. */
#include "program/run_options.h"

#include <inttypes.h>

/* --seed and --precision are settings of the scene with names of their own. */
static void add_settings(const firn_cli *cli, const char *sets[FIRN_SETS_ROOM],
                         char room[2][FIRN_NAME], firn_session_options *options)
{
    int n = 0;
    if (firn_cli_has(cli, "seed")) {
        snprintf(room[n], FIRN_NAME, "scene.seed=%" PRId64, firn_cli_integer(cli, "seed", 0));
        sets[options->n_sets++] = room[n++];
    }
    if (firn_cli_has(cli, "precision")) {
        snprintf(room[n], FIRN_NAME, "scene.precision=%s", firn_cli_text(cli, "precision", ""));
        sets[options->n_sets++] = room[n++];
    }
}

static int run(const firn_cli *cli)
{
    const char *sets[FIRN_SETS_ROOM];
    char room[2][FIRN_NAME];
    firn_session_options options;
    if (firn_run_options_session(cli, sets, &options) != FIRN_OK) return FIRN_USAGE;
    add_settings(cli, sets, room, &options);
    options.out = firn_cli_text(cli, "out", NULL);
    options.overwrite = firn_cli_has(cli, "overwrite");
    options.resume = firn_cli_has(cli, "resume");
    return firn_run_options_on_ranks(cli, &options, firn_session_run);
}

static const firn_cli_option options[] = {
    {"out", 'o', FIRN_CLI_FOLDER, "DIR",
     "Folder of the shot. Default: scene.folder, else shots/NAME."},
    {"overwrite", 0, FIRN_CLI_FLAG, .doc = "Replace a shot in that folder."},
    {"resume", 0, FIRN_CLI_FLAG,
     .doc = "Continue a shot of the same scene in that folder; one that is complete stays. The "
            "same command again and again leads to the complete shot, as a farm needs it. With "
            "--overwrite a shot of another scene is replaced."},
    {"seed", 0, FIRN_CLI_INTEGER, "N", "Seed of everything random; short for --set scene.seed=N.",
     .min = 0, .max = 9e18},
    {"precision", 0, FIRN_CLI_CHOICE, "HOW",
     "Numbers of the solver; short for --set scene.precision=HOW.", .choices = "float double"},
    FIRN_OPTIONS_OF_RUNS,
    {0},
};

const firn_cli_verb firn_cmd_run = {
    .name = "run",
    .summary = "simulate a scene",
    .arguments = "SCENE.yaml",
    .n_min = 1,
    .n_max = 1,
    .completes = FIRN_CLI_FILE,
    .text = "Simulates the scene and writes a shot: a folder with caches, a ledger (ledger.csv), "
            "checkpoints and a manifest (manifest.json).\n\n"
            "Ctrl-C or SIGTERM ends the run after the present step and writes a checkpoint, from "
            "which `firn resume` continues; a second signal ends it at once. Before the first step "
            "a signal ends it at once and no shot is created.\n\n"
            "  firn run scenes/snowball.yaml\n"
            "  firn run scenes/snowball.yaml --set grid.dx=1cm --frames :24 --out shots/test",
    .options = options,
    .run = run,
};
