/* SPDX-License-Identifier: MIT */
/* cmd_run.c: `firn run scene.yaml` - from a scene file to a shot. */
#include "session/run_session.h"

#include "session/interrupt.h"
#include "scene/scene.h"

#include <string.h>

/* What the run needs and releases, in this order. */
typedef struct job {
    firn_messages *messages;
    firn_scene *scene;
    firn_scene_def def; /* the scene's, with what the command line changes */
    firn_text json;
    firn_json_writer inputs;
    const char *inputs_json;
    firn_sim *sim;
} job;

/* Where the shot goes: --out, else what the scene says, else shots/NAME. */
static void choose_folder(const firn_cli *cli, firn_scene_def *def)
{
    const char *out = firn_cli_text(cli, "out", NULL);
    if (out)
        snprintf(def->folder, sizeof def->folder, "%s", out);
    else if (!*def->folder)
        snprintf(def->folder, sizeof def->folder, "shots/%s", def->name);
}

static firn_status load(const firn_cli *cli, job *j)
{
    const char *sets[FIRN_RUN_SESSION_MAX_SETS];
    int n_sets;
    if (firn_run_session_sets(cli, sets, &n_sets) != FIRN_OK) return FIRN_USAGE;
    j->scene = firn_scene_load(cli->arguments[0], n_sets, sets, j->messages);
    if (!j->scene) return firn_messages_status(j->messages);
    j->def = *firn_scene_definition(j->scene);
    j->def.seed = (uint64_t)firn_cli_integer(cli, "seed", (int64_t)j->def.seed);
    const char *precision = firn_cli_text(cli, "precision", NULL);
    if (precision) j->def.is_double = !strcmp(precision, "double");
    choose_folder(cli, &j->def);
    return FIRN_OK;
}

static firn_status create_record(const firn_cli *cli, job *j, const firn_frame_plan *plan,
                                 size_t max_memory, firn_run_output *record)
{
    uint64_t hash;
    firn_status status = firn_scene_write(&j->def, &j->json, j->messages);
    if (status == FIRN_OK) status = firn_scene_hash(&j->def, &hash, j->messages);
    if (status != FIRN_OK) return status;
    firn_shot_setup setup = {.folder = j->def.folder,
                             .scene_json = j->json.data,
                             .scene_hash = hash,
                             .scene = &j->def,
                             .n_subframes = plan->n_subframes,
                             .n_threads = firn_sim_n_threads(j->sim),
                             .isa = firn_sim_variant(j->sim),
                             .inputs_json = j->inputs_json};
    firn_shot *shot = NULL;
    status = firn_shot_create(&setup, firn_cli_has(cli, "overwrite"), &shot, j->messages);
    if (status != FIRN_OK) return status;
    return firn_run_output_begin(record, shot, &j->def, hash, j->sim, max_memory, j->messages);
}

static int simulate(const firn_cli *cli, job *j)
{
    firn_run_output record = {0};
    int first, last;
    firn_frame_plan plan = firn_run_session_plan(cli, &j->def, &first, &last);
    firn_run_options options = firn_run_session_options(cli);
    /* before they are read: of what changes meanwhile a resume would not know otherwise */
    firn_status status =
        firn_run_session_inputs(cli, &j->def, &j->inputs, &j->inputs_json, j->messages);
    if (status == FIRN_OK) status = firn_sim_create(&j->def, &options, &j->sim, j->messages);
    firn_interrupt_begin(); /* from here on there are files */
    if (status == FIRN_OK) status = create_record(cli, j, &plan, options.max_memory, &record);
    if (status != FIRN_OK) {
        firn_run_output_end(&record, NULL, status, "", NULL);
        return firn_cli_report(j->messages, status);
    }
    record.first_frame = first;
    record.last_frame = last;
    firn_cli_report(j->messages, FIRN_OK); /* warnings come before the first line of progress */
    firn_messages_clear(j->messages);
    return firn_run_session(cli, j->sim, &record, &plan, j->messages);
}

static int run(const firn_cli *cli)
{
    firn_interrupt_leave("interrupted before the first step; no shot was begun");
    job j = {.messages = firn_messages_create()};
    if (!j.messages) return firn_cli_fail(FIRN_MEMORY, "out of memory");
    int status = load(cli, &j);
    status =
        status == FIRN_OK ? simulate(cli, &j) : firn_cli_report(j.messages, (firn_status)status);
    firn_sim_destroy(j.sim);
    firn_text_clear(&j.json);
    firn_json_clear(&j.inputs);
    firn_scene_destroy(j.scene);
    firn_messages_destroy(j.messages);
    return status;
}

static const firn_cli_option options[] = {
    {"out", 'o', FIRN_CLI_FOLDER, "DIR",
     "Folder of the shot, instead of the scene's; usually shots/NAME."},
    {"overwrite", 0, FIRN_CLI_FLAG, .doc = "Replace a shot that is in that folder."},
    {"seed", 0, FIRN_CLI_INTEGER, "N", "Seed of everything random, instead of the scene's.",
     .min = 0, .max = 9e18},
    {"precision", 0, FIRN_CLI_CHOICE, "HOW", "Numbers that the solver computes with.",
     .choices = "float double"},
    FIRN_RUN_SESSION_OPTIONS,
    {0},
};

const firn_cli_verb firn_cmd_run = {
    .name = "run",
    .summary = "simulate a scene",
    .arguments = "SCENE.yaml",
    .n_min = 1,
    .n_max = 1,
    .completes = FIRN_CLI_FILE,
    .text = "Simulates the scene and writes a shot: a folder of caches, a ledger (ledger.csv), "
            "checkpoints and a manifest "
            "(manifest.json). Ctrl-C or SIGTERM ends the run after the present step, with a "
            "checkpoint from which "
            "'firn resume' goes on; a second signal ends it at once. Before the first step it ends "
            "at once, and nothing is begun.\n\n"
            "  firn run scenes/snowball.yaml\n"
            "  firn run scenes/snowball.yaml --set grid.dx=1cm --frames :24 --out shots/test",
    .options = options,
    .run = run,
};
