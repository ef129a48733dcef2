/* SPDX-License-Identifier: MIT */
/* cmd_check.c: `firn check scene.yaml` - errors, particles, memory, disk and time before a run;
 * with --expect the run itself, without files, and its outcome. */
#include "scene/scene_files.h"
#include "session/preflight.h"
#include "program/cli.h"
#include "measure/expect.h"
#include "mpm/separation.h"
#include "base/memory.h"
#include "base/messages.h"
#include "program/run_options.h"

#include <string.h>

/* Measures at every frame. */
static firn_status simulate(const firn_scene_def *scene, firn_sim *sim,
                            firn_expect_recorder *recorder, firn_messages *messages)
{
    unsigned char *told = firn_memory_array(NULL, (size_t)scene->n_materials, sizeof *told);
    if (!told) return firn_messages_no_memory(messages, "separation of materials");
    firn_separation_begin(scene, told);
    firn_status status = firn_expect_record(recorder, sim, 0, messages);
    if (status == FIRN_OK) status = firn_separation_measure(scene, sim, told, messages);
    for (int frame = 1; frame <= scene->frames && status == FIRN_OK; frame++) {
        status = firn_sim_advance_to(sim, frame / scene->fps, messages);
        if (status == FIRN_OK)
            status = firn_expect_record(recorder, sim, frame == scene->frames, messages);
        if (status == FIRN_OK) status = firn_separation_measure(scene, sim, told, messages);
    }
    firn_memory_release(NULL, told, (size_t)scene->n_materials);
    return status;
}

/* Simulates the scene without files and checks its expectations. */
static int check_expectations(const firn_scene_def *scene, const firn_run_options *options,
                              firn_messages *messages)
{
    firn_sim *sim = NULL;
    firn_expect_recorder *recorder = NULL;
    if (scene->n_expects == 0)
        return firn_cli_fail(FIRN_REFUSED, "scene: no expectations; see `firn help scene.expect`");
    firn_status status = firn_sim_create(scene, options, &sim, messages);
    if (status == FIRN_OK) status = firn_expect_create(scene, sim, &recorder, messages);
    if (status == FIRN_OK) status = simulate(scene, sim, recorder, messages);
    firn_cli_report(messages, status);
    if (recorder && status == FIRN_OK) {
        firn_expect_print(recorder, stdout);
        if (firn_expect_count(recorder, FIRN_EXPECT_MET) < scene->n_expects) status = FIRN_STOPPED;
    }
    firn_expect_destroy(recorder);
    firn_sim_destroy(sim);
    return status;
}

static int check_cost(const firn_cli *cli, const firn_scene_def *scene,
                      const firn_run_options *options, firn_messages *messages)
{
    firn_check check;
    const char *folder = firn_cli_text(cli, "out", *scene->folder ? scene->folder : "shots");
    double seconds = firn_cli_number(cli, "seconds", 0.5);
    /* before the estimate, which reads files */
    firn_status status = firn_scene_files_check_lengths(scene, options->max_memory, messages);
    if (status == FIRN_OK)
        status = firn_check_scene(scene, options, folder, seconds,
                                  (int)firn_cli_integer(cli, "ranks", 1), &check, messages);
    else
        check = (firn_check){0};
    if (status == FIRN_OK || check.n_expected || check.n_emitted) firn_check_print(&check, stdout);
    firn_check_clear(&check);
    firn_scene_files_explain(scene, messages);
    firn_cli_report(messages, status);
    if (status == FIRN_OK) puts("OK to run");
    return status;
}

static int run(const firn_cli *cli)
{
    const char *sets[FIRN_SETS_ROOM];
    const int n_sets = firn_run_options_sets(cli, sets);
    if (n_sets < 0) return FIRN_USAGE;
    const firn_run_options options = firn_run_options_machine(cli);
    int status;
    firn_messages *messages = firn_messages_create();
    if (!messages) return firn_cli_no_memory("messages");
    firn_scene *scene = firn_scene_load(cli->arguments[0], n_sets, sets, messages);
    if (!scene)
        status = firn_cli_report(messages, firn_messages_status(messages));
    else if (firn_cli_has(cli, "expect"))
        status = check_expectations(firn_scene_definition(scene), &options, messages);
    else
        status = check_cost(cli, firn_scene_definition(scene), &options, messages);
    firn_scene_destroy(scene);
    firn_messages_destroy(messages);
    return status;
}

static const firn_cli_option options[] = {
    {"expect", 'e', FIRN_CLI_FLAG,
     .doc = "Simulate the scene without writing files and check its expectations."},
    FIRN_OPTION_SET,
    {"out", 'o', FIRN_CLI_FOLDER, "DIR",
     "Folder of the shot; its disk must hold it. Default: scene.folder, else shots."},
    {"seconds", 0, FIRN_CLI_NUMBER, "S",
     "Wall-clock time of the measurement in seconds; 0: none. Default: 0.5.", .min = 0,
     .max = 3600},
    FIRN_OPTION_MAX_MEMORY,
    FIRN_OPTION_THREADS,
    {"ranks", 0, FIRN_CLI_INTEGER, "N",
     "Forecast the run on N ranks: balance, bytes between them per step, memory, efficiency. The "
     "time of a step is that measured here with one rank.",
     .min = 1, .max = FIRN_RANKS_MAX},
    FIRN_OPTION_ISA,
    {0},
};

const firn_cli_verb firn_cmd_check = {
    .name = "check",
    .summary = "check a scene before it is run: errors, particles, memory, disk, time",
    .arguments = "SCENE.yaml",
    .n_min = 1,
    .n_max = 1,
    .completes = FIRN_CLI_FILE,
    .text = "Prints every error of the scene with file, line and column. Without errors the scene "
            "is created and simulated for half a second, to estimate the time of the run; a scene "
            "that memory or disk cannot hold is refused. Nothing is written.\n\nParticles of "
            "emitters are counted until the end, without sinks: those with a rate exactly, others "
            "from the volume of their shape and the flow through its surface.\n\nWith --expect the "
            "whole scene is simulated, without files, and its expectations are checked; the exit "
            "code is 3 when one is not met.\n\n  firn check scenes/snowball.yaml --set "
            "grid.dx=8mm\n  firn check scenes/snowball.yaml --expect",
    .options = options,
    .run = run,
};
