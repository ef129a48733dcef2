/* SPDX-License-Identifier: MIT */
/* cmd_resume.c: `firn resume shot/` - goes on from the newest checkpoint, or an earlier one,
 * also with edited settings and beyond the scene's last frame. The scene is read from the shot's
 * manifest, where it stands with every default, so the scene file may have changed or be gone. */
#include "session/run_session.h"

#include "shot/checkpoint.h"
#include "session/resume_rules.h"
#include "scene/scene_files.h"
#include "session/interrupt.h"
#include "base/json.h"
#include "base/memory.h"
#include "scene/scene.h"

#include <limits.h>
#include <string.h>

enum { MANIFEST_MAX = 64 << 20 };

/* What resuming needs and releases. */
typedef struct job {
    firn_messages *messages;
    firn_scene *scene;
    firn_scene_def def;
    firn_checkpoint checkpoint;
    firn_text scene_json;
    firn_json_writer edits, inputs, changes;
    const char *inputs_json;
    firn_sim *sim;
} job;

/* Whether the scene that `text` was becomes the one that the job has. */
static firn_status check_edits(job *j, const char *text, size_t n_text, const char *name)
{
    firn_text before = {0}, after = {0};
    firn_scene *old = firn_scene_parse(text, n_text, name, 0, NULL, j->messages);
    firn_status status =
        old ? firn_scene_write(firn_scene_definition(old), &before, j->messages) : FIRN_REFUSED;
    if (status == FIRN_OK) status = firn_scene_write(&j->def, &after, j->messages);
    if (status == FIRN_OK)
        status = firn_resume_rules_check(before.data, before.n, after.data, after.n, j->messages);
    firn_text_clear(&before);
    firn_text_clear(&after);
    firn_scene_destroy(old);
    return status;
}

/* The scene as the manifest holds it, or as --scene says, with --set applied. */
static firn_status take_scene(const firn_cli *cli, job *j, const char *text, size_t n_text,
                              const char *name)
{
    const char *sets[FIRN_RUN_SESSION_MAX_SETS], *edited = firn_cli_text(cli, "scene", NULL);
    int n_sets;
    if (firn_run_session_sets(cli, sets, &n_sets) != FIRN_OK) return FIRN_USAGE;
    firn_status status = FIRN_OK;
    for (int i = 0; !edited && i < n_sets; i++)
        if (firn_resume_rules_check_setting(text, n_text, sets[i], j->messages) != FIRN_OK)
            status = FIRN_REFUSED;
    if (status != FIRN_OK) return status;
    j->scene = edited ? firn_scene_load(edited, n_sets, sets, j->messages)
                      : firn_scene_parse(text, n_text, name, n_sets, sets, j->messages);
    if (!j->scene) return firn_messages_status(j->messages);
    j->def = *firn_scene_definition(j->scene);
    snprintf(j->def.folder, sizeof j->def.folder, "%s", cli->arguments[0]);
    firn_json_init(&j->edits, 0);
    firn_json_begin(&j->edits, NULL, '[');
    if (edited) firn_json_string(&j->edits, NULL, "a scene file");
    for (int i = 0; i < n_sets; i++) firn_json_string(&j->edits, NULL, sets[i]);
    firn_json_end(&j->edits);
    return edited || n_sets ? check_edits(j, text, n_text, name) : FIRN_OK;
}

/* What became of the files that the shot read. Other frames from here on are allowed, as with
 * edits, and told. */
static firn_status compare_inputs(const firn_cli *cli, job *j, const firn_json_node *before)
{
    firn_status status =
        firn_run_session_inputs(cli, &j->def, &j->inputs, &j->inputs_json, j->messages);
    if (status != FIRN_OK) return status;
    firn_json *now =
        firn_json_parse(j->inputs_json, strlen(j->inputs_json), "the scene's files", j->messages);
    if (!now) return firn_messages_status(j->messages);
    firn_json_init(&j->changes, 0);
    firn_json_begin(&j->changes, NULL, '[');
    int n = firn_scene_files_compare(before, firn_json_root(now), &j->changes, j->messages);
    firn_json_end(&j->changes);
    firn_json_destroy(now);
    if (n)
        firn_messages_warn(j->messages,
                           "%s: %d file%s that the scene reads %s not as before: frames from here "
                           "on may be others than "
                           "those of an undisturbed run. Where that is not wanted, bring back the "
                           "old ones and resume "
                           "again with --from.",
                           j->def.folder, n, n == 1 ? "" : "s", n == 1 ? "is" : "are");
    return FIRN_OK;
}

static firn_status load_scene(const firn_cli *cli, job *j)
{
    const char *folder = cli->arguments[0];
    char path[FIRN_PATH + 32];
    snprintf(path, sizeof path, "%s/manifest.json", folder);
    size_t n_text;
    char *text = firn_file_text(path, MANIFEST_MAX, &n_text, j->messages);
    if (!text)
        return firn_messages_add(j->messages, FIRN_IO, "%s is not the folder of a shot", folder);
    firn_json *manifest = firn_json_parse(text, n_text, path, j->messages);
    const firn_json_node *node =
        manifest ? firn_json_member(firn_json_root(manifest), "scene") : NULL;
    firn_status status = firn_messages_status(j->messages);
    if (node)
        status =
            take_scene(cli, j, text + node->first_byte, node->last_byte - node->first_byte, path);
    else if (manifest)
        status = firn_messages_add(j->messages, FIRN_REFUSED,
                                   "%s: the member \"scene\" is missing; was this written by firn?",
                                   path);
    if (node && status == FIRN_OK)
        status = compare_inputs(cli, j, firn_json_member(firn_json_root(manifest), "inputs"));
    firn_json_destroy(manifest);
    firn_memory_release(NULL, text, n_text + 1);
    return status;
}

static firn_status restore(const firn_cli *cli, job *j, const firn_run_options *options)
{
    int max_frame = (int)firn_cli_integer(cli, "from", INT_MAX);
    firn_status status =
        firn_checkpoint_read(j->def.folder, max_frame, &j->checkpoint, j->messages);
    if (status == FIRN_OK) status = firn_sim_create(&j->def, options, &j->sim, j->messages);
    if (status == FIRN_OK)
        status = firn_sim_restore(j->sim, j->checkpoint.state, j->checkpoint.n_state, j->messages);
    return status;
}

static firn_status open_record(job *j, const firn_frame_plan *plan, size_t max_memory,
                               firn_run_output *record)
{
    uint64_t hash;
    firn_status status = firn_scene_write(&j->def, &j->scene_json, j->messages);
    if (status == FIRN_OK) status = firn_scene_hash(&j->def, &hash, j->messages);
    if (status != FIRN_OK) return status;
    const char *edits = firn_json_finish(&j->edits, NULL),
               *changes = firn_json_finish(&j->changes, NULL);
    if (!edits || !changes)
        return firn_messages_add(j->messages, FIRN_MEMORY, "out of memory for the list of edits");
    firn_shot_setup setup = {.folder = j->def.folder,
                             .scene_json = j->scene_json.data,
                             .scene_hash = hash,
                             .scene = &j->def,
                             .n_subframes = plan->n_subframes,
                             .n_threads = firn_sim_n_threads(j->sim),
                             .isa = firn_sim_variant(j->sim),
                             .inputs_json = j->inputs_json,
                             .edits_json = strcmp(edits, "[]\n") ? edits : NULL,
                             .changes_json = strcmp(changes, "[]\n") ? changes : NULL};
    firn_shot *shot = NULL;
    status = firn_shot_resume(&setup, j->checkpoint.info.frame, j->checkpoint.info.sub, &shot,
                              j->messages);
    if (status == FIRN_OK)
        status =
            firn_run_output_begin(record, shot, &j->def, hash, j->sim, max_memory, j->messages);
    /* Only now that the books are cut may checkpoints of a future that will not be go. */
    if (status == FIRN_OK)
        status = firn_checkpoint_drop_after(j->def.folder, j->checkpoint.info.frame, j->messages);
    return status;
}

static int resume(const firn_cli *cli, job *j)
{
    firn_run_output record = {0};
    int first, last;
    firn_frame_plan plan = firn_run_session_plan(cli, &j->def, &first, &last);
    if (last > j->def.frames)
        j->def.frames = last; /* a longer shot stays longer when it is resumed again */
    firn_run_options options = firn_run_session_options(cli);
    firn_status status = restore(cli, j, &options);
    if (status == FIRN_OK && firn_sim_time(j->sim) >= plan.end) {
        firn_cli_report(j->messages, FIRN_OK);
        firn_cli_note("nothing is left to do: the shot has all its frames up to %d; --frames :%d "
                      "would make it longer",
                      j->checkpoint.info.frame, 2 * j->def.frames);
        return FIRN_OK;
    }
    firn_interrupt_begin(); /* from here on files change */
    if (status == FIRN_OK) status = open_record(j, &plan, options.max_memory, &record);
    if (status != FIRN_OK) {
        firn_run_output_end(&record, NULL, status, "", NULL);
        return firn_cli_report(j->messages, status);
    }
    record.first_frame = first;
    record.last_frame = last;
    plan.skip_now = 1;
    firn_cli_report(j->messages, FIRN_OK);
    firn_messages_clear(j->messages);
    if (!firn_cli_has(cli, "quiet"))
        firn_cli_note("going on after frame %d, at %g s", j->checkpoint.info.frame,
                      firn_sim_time(j->sim));
    return firn_run_session(cli, j->sim, &record, &plan, j->messages);
}

static int run(const firn_cli *cli)
{
    firn_interrupt_leave("interrupted before the first step; the shot is as it was");
    job j = {.messages = firn_messages_create()};
    if (!j.messages) return firn_cli_fail(FIRN_MEMORY, "out of memory");
    int status = load_scene(cli, &j);
    status = status == FIRN_OK ? resume(cli, &j) : firn_cli_report(j.messages, (firn_status)status);
    firn_sim_destroy(j.sim);
    firn_checkpoint_clear(&j.checkpoint);
    firn_text_clear(&j.scene_json);
    firn_json_clear(&j.edits);
    firn_json_clear(&j.inputs);
    firn_json_clear(&j.changes);
    firn_scene_destroy(j.scene);
    firn_messages_destroy(j.messages);
    return status;
}

static const firn_cli_option options[] = {
    {"from", 0, FIRN_CLI_INTEGER, "FRAME",
     "Go back to the newest checkpoint at or before this frame.", .min = 0, .max = 1e8},
    {"scene", 0, FIRN_CLI_FILE, "FILE",
     "Go on with this edited scene instead of the one that the shot keeps."},
    FIRN_RUN_SESSION_OPTIONS,
    {0},
};

const firn_cli_verb firn_cmd_resume = {
    .name = "resume",
    .summary = "go on with a shot from a checkpoint",
    .arguments = "SHOT",
    .n_min = 1,
    .n_max = 1,
    .completes = FIRN_CLI_FOLDER,
    .text = "Goes on from the shot's newest checkpoint. Without edits the result is the same, to "
            "the bit, as that of an "
            "undisturbed run. Settings may be edited with --set, or the whole scene with --scene: "
            "materials' parameters, "
            "colliders, gravity, forces, time step, outputs. What cannot change is refused with "
            "the reason: dx, frames a "
            "second, bodies, laws, densities. The manifest's history says what was changed when. "
            "Of meshes, "
            "volumes and points that the scene reads each that has changed, is gone or has come "
            "since is warned of, and "
            "stands in the history as well. --frames :B makes a shot longer than its scene.\n\n"
            "  firn resume shots/snowball\n"
            "  firn resume shots/snowball --from 20 --set time.cfl=0.2\n"
            "  firn resume shots/snowball --frames :240",
    .options = options,
    .run = run,
};
