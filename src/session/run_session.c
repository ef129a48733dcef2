/* SPDX-License-Identifier: MIT */
/* run_session.c: see run_session.h. Until `open_shot` nothing is written, and a signal ends the
 * program at once (interrupt.h); from there on a signal ends the run after its step. */
#include "session/run_session.h"

#include "base/messages.h"
#include "scene/scene.h"
#include "scene/scene_files.h"
#include "session/interrupt.h"
#include "session/run_output.h"
#include "session/run_ranks.h"
#include "session/run_resume.h"
#include "session/run_watch.h"

#include <limits.h>
#include <math.h>
#include <string.h>

typedef struct session {
    const firn_session_options *options;
    firn_session_options changed; /* with `--resume`: what was asked for, as it can be done */
    firn_messages *messages;
    firn_resume *resume; /* NULL: a new run */

    firn_scene *scene;
    const firn_scene_def *def; /* the scene's */
    firn_text scene_json;      /* for the manifest */
    uint64_t scene_hash;
    firn_json_writer inputs;
    const char *inputs_json; /* files that the scene reads; belongs to `inputs` */

    firn_frame_plan plan;
    int first_frame, last_frame; /* written */
    firn_sim *sim;
    firn_run_output output;
} session;

firn_session_options firn_session_options_default(void)
{
    return (firn_session_options){
        .until = -1, .last_frame = -1, .run = firn_run_options_default(), .from_frame = INT_MAX};
}

/* ---------------------------------------------------------------- the scene */

/* Frames beyond the scene's last one are allowed: that is how a shot is made longer. */
static firn_status make_plan(session *s)
{
    const firn_session_options *options = s->options;
    s->plan = firn_frame_plan_of(s->def);
    s->last_frame = s->def->frames;
    if (options->until >= 0) {
        s->plan.end = options->until;
        s->last_frame = (int)floor(options->until * s->def->fps + 1e-9);
    }
    if (options->has_frames) {
        s->first_frame = options->first_frame;
        if (options->last_frame >= 0) s->last_frame = options->last_frame;
        s->plan.end = s->last_frame / s->def->fps;
    }
    if (s->first_frame <= s->last_frame) return FIRN_OK;
    return firn_messages_add(s->messages, FIRN_USAGE,
                             "frames: the first (%d) is after the last (%d)", s->first_frame,
                             s->last_frame);
}

/* Lengths first: hashing a file takes long where it is too long to be read. Contents before the
 * simulation reads them: what changes meanwhile is a change for the next resume. */
static firn_status list_inputs(session *s)
{
    firn_json_init(&s->inputs, 0);
    firn_status status =
        firn_scene_files_check_lengths(s->def, s->options->run.max_memory, s->messages);
    if (status == FIRN_OK) status = firn_scene_files_write(s->def, &s->inputs, s->messages);
    if (status != FIRN_OK) return status;
    s->inputs_json = firn_json_finish(&s->inputs, NULL);
    return s->inputs_json ? FIRN_OK : firn_messages_no_memory(s->messages, "list of input files");
}

static firn_status describe_scene(session *s)
{
    if (s->inputs_json) return FIRN_OK; /* described before */
    firn_status status = firn_scene_write(s->def, &s->scene_json, &s->scene_hash, s->messages);
    if (status == FIRN_OK) status = list_inputs(s);
    if (status == FIRN_OK && s->resume)
        status = firn_resume_compare(s->resume, s->scene_json.data, s->scene_json.n, s->inputs_json,
                                     s->messages);
    return status;
}

/* ---------------------------------------------------------------- simulation and shot */

static firn_status create_sim(session *s)
{
    firn_resume *resume = s->resume;
    firn_status status =
        firn_run_ranks_compare(&s->options->run, s->def, s->scene_hash, s->messages);
    if (status == FIRN_OK && resume)
        status = firn_checkpoint_read(resume->folder, s->options->from_frame, &resume->checkpoint,
                                      s->messages);
    if (status == FIRN_OK) status = firn_sim_create(s->def, &s->options->run, &s->sim, s->messages);
    if (status == FIRN_OK && resume)
        status = firn_sim_restore(s->sim, resume->checkpoint.state, resume->checkpoint.n_state,
                                  s->messages);
    return status;
}

static firn_shot_setup setup_of(const session *s)
{
    const firn_resume *resume = s->resume;
    return (firn_shot_setup){.folder = s->def->folder,
                             .scene_json = s->scene_json.data,
                             .scene_hash = s->scene_hash,
                             .scene = s->def,
                             .n_subframes = s->plan.n_subframes,
                             .n_threads = firn_sim_n_threads(s->sim),
                             .isa = firn_sim_variant(s->sim),
                             .inputs_json = s->inputs_json,
                             .edits_json = resume ? resume->edits_json : NULL,
                             .changes_json = resume ? resume->changes_json : NULL};
}

static firn_status open_shot(session *s)
{
    const firn_resume *resume = s->resume;
    const firn_shot_setup setup = setup_of(s);
    firn_shot *shot = NULL;
    firn_status status = resume
                             ? firn_shot_resume(&setup, resume->checkpoint.info.frame,
                                                resume->checkpoint.info.sub, &shot, s->messages)
                             : firn_shot_create(&setup, s->options->overwrite, &shot, s->messages);
    if (status == FIRN_OK)
        status = firn_run_output_begin(&s->output, shot, s->def, s->scene_hash, s->sim,
                                       s->options->run.max_memory, s->messages);
    /* Later checkpoints belong to a future that is simulated anew; they go only now, after the
     * shot's ledgers were cut. */
    if (status == FIRN_OK && resume)
        status =
            firn_checkpoint_drop_after(s->def->folder, resume->checkpoint.info.frame, s->messages);
    s->output.first_frame = s->first_frame;
    s->output.last_frame = s->last_frame;
    return status;
}

/* ---------------------------------------------------------------- the session */

static void report(session *s)
{
    s->options->voice->report(s->messages);
    firn_messages_clear(s->messages);
}

/* 1: the checkpoint is at the end of the plan already. */
static int is_complete(session *s)
{
    if (!s->resume || firn_sim_time(s->sim) < s->plan.end) return 0;
    report(s);
    firn_voice_say(s->options->voice, FIRN_NOTE,
                   "nothing left to simulate: the shot has all its frames up to %d; to make it "
                   "longer: --frames :%d",
                   s->resume->checkpoint.info.frame, 2 * s->resume->checkpoint.info.frame);
    return 1;
}

/* A run that was killed after its last checkpoint has left its shot without an end. Edits do not
 * act on a complete shot and are not entered in its history. */
static firn_status finish_shot(session *s)
{
    const firn_checkpoint_info *last = &s->resume->checkpoint.info;
    firn_shot_setup setup = setup_of(s);
    if (setup.edits_json) return FIRN_OK;
    firn_status status = firn_shot_finish(&setup, last->frame, last->sub, s->messages);
    report(s);
    return status;
}

static void note_resumed(session *s)
{
    if (!s->resume || s->options->is_quiet) return;
    firn_voice_say(s->options->voice, FIRN_NOTE, "continuing after frame %d, at %g s",
                   s->resume->checkpoint.info.frame, firn_sim_time(s->sim));
}

/* A rank behind the first: no files, no words, but errors of its own. */
static firn_status follow(session *s)
{
    firn_status status = firn_run_ranks_share(s->sim, FIRN_OK);
    s->plan.skip_now = s->resume != NULL;
    if (status == FIRN_OK) status = firn_run_ranks_follow(s->sim, &s->plan, s->messages);
    report(s);
    return status;
}

static firn_status run_scene(session *s)
{
    firn_status status = describe_scene(s);
    if (status == FIRN_OK) status = create_sim(s);
    const int is_follower = s->options->run.comm && s->options->run.comm->rank > 0;
    if (status == FIRN_OK && is_complete(s)) return is_follower ? FIRN_OK : finish_shot(s);
    firn_interrupt_begin();
    if (status == FIRN_OK && is_follower) return follow(s);
    if (status == FIRN_OK) status = firn_run_ranks_share(s->sim, open_shot(s));
    if (status != FIRN_OK) {
        firn_scene_files_explain(s->def, s->messages);
        firn_run_output_end(&s->output, NULL, status, "", NULL);
        report(s);
        return status;
    }
    report(s);
    note_resumed(s);
    s->plan.skip_now = s->resume != NULL;
    return firn_run_watch(s->options, s->sim, &s->output, &s->plan, s->messages);
}

static firn_status end_session(session *s, firn_status status)
{
    firn_sim_destroy(s->sim);
    firn_text_clear(&s->scene_json);
    firn_json_clear(&s->inputs);
    firn_scene_destroy(s->scene);
    if (s->resume) firn_resume_clear(s->resume);
    firn_messages_destroy(s->messages);
    return status;
}

static firn_status begin_session(session *s, const firn_session_options *options)
{
    s->options = options;
    s->messages = firn_messages_create();
    if (s->messages) return FIRN_OK;
    options->voice->say(FIRN_ERROR, "messages: out of memory");
    return FIRN_MEMORY;
}

static firn_status refuse(session *s)
{
    if (!s->resume) firn_scene_files_explain(s->def, s->messages);
    const firn_status status = firn_messages_status(s->messages);
    s->options->voice->report(s->messages);
    return end_session(s, status);
}

/* The folder of a shot. A path that a definition cannot hold is refused, never cut. */
static firn_status check_folder(session *s, const char *folder)
{
    if (*folder && strlen(folder) < FIRN_PATH) return FIRN_OK;
    return firn_messages_add(s->messages, FIRN_REFUSED,
                             "folder of the shot: the path has %zu bytes; allowed: 1 to %d",
                             strlen(folder), FIRN_PATH - 1);
}

/* `--resume`: whatever is in the folder, the same command leads to the complete shot. */
static firn_status run_or_continue(session *s)
{
    firn_session_options *again = &s->changed;
    *again = *s->options;
    firn_resume_choice choice = FIRN_RESUME_NEW;
    firn_status status = describe_scene(s);
    if (status == FIRN_OK)
        status = firn_resume_choose(s->def->folder, s->scene_hash, s->inputs_json, s->last_frame,
                                    again->overwrite, &choice, s->messages);
    if (status != FIRN_OK) return refuse(s);
    if (choice == FIRN_RESUME_DONE) {
        report(s);
        if (!again->is_quiet)
            firn_voice_say(again->voice, FIRN_NOTE, "%s: complete up to frame %d already",
                           s->def->folder, s->last_frame);
        return end_session(s, FIRN_OK);
    }
    if (choice != FIRN_RESUME_CONTINUE) {
        again->overwrite |= choice == FIRN_RESUME_REPLACE;
        s->options = again;
        return end_session(s, run_scene(s));
    }
    char folder[FIRN_PATH];
    snprintf(folder, sizeof folder, "%s", s->def->folder);
    again->n_sets = 0; /* they are in the scene of the shot */
    report(s);
    end_session(s, FIRN_OK);
    return firn_session_resume(folder, again);
}

firn_status firn_session_run(const char *scene_path, const firn_session_options *options)
{
    session s = {0};
    firn_interrupt_leave("interrupted before the first step; no shot was created");
    if (begin_session(&s, options) != FIRN_OK) return FIRN_MEMORY;
    s.scene = firn_scene_load(scene_path, options->n_sets, options->sets, s.messages);
    if (!s.scene) return refuse(&s);

    s.def = firn_scene_definition(s.scene);
    char folder[FIRN_PATH];
    snprintf(folder, sizeof folder, "shots/%s", s.def->name);
    const char *out = options->out ? options->out : *s.def->folder ? NULL : folder;
    if (out && check_folder(&s, out) != FIRN_OK) return refuse(&s);
    if (out) firn_scene_place(s.scene, out);
    if (make_plan(&s) != FIRN_OK) return refuse(&s);
    return options->resume ? run_or_continue(&s) : end_session(&s, run_scene(&s));
}

firn_status firn_session_resume(const char *folder, const firn_session_options *options)
{
    firn_resume resume = {0};
    session s = {.resume = &resume};
    firn_interrupt_leave("interrupted before the first step; the shot is unchanged");
    if (begin_session(&s, options) != FIRN_OK) return FIRN_MEMORY;
    if (check_folder(&s, folder) != FIRN_OK) return refuse(&s);
    s.scene = firn_resume_load(&resume, folder, options, s.messages);
    if (!s.scene) return refuse(&s);

    s.def = firn_scene_definition(s.scene);
    firn_scene_place(s.scene, folder);
    if (make_plan(&s) != FIRN_OK) return refuse(&s);
    if (s.last_frame > s.def->frames) firn_scene_lengthen(s.scene, s.last_frame);
    return end_session(&s, run_scene(&s));
}
