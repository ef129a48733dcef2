/* SPDX-License-Identifier: MIT */
/* run_resume.c: see run_resume.h. The scene is read from the shot's manifest, which holds it with
 * every default, so the scene file may have changed or be gone. */
#include "session/run_resume.h"

#include "base/messages.h"
#include "scene/scene.h"
#include "scene/scene_files.h"
#include "session/resume_rules.h"

#include <string.h>

/* ---------------------------------------------------------------- the scene */

/* A changed law is refused before the setting is applied: the parameters of the old law would be
 * refused one by one instead. */
static firn_status check_settings(const firn_resume *r, const firn_session_options *options,
                                  firn_messages *messages)
{
    const char *text = r->manifest.scene_json;
    firn_status worst = FIRN_OK;
    for (int i = 0; !options->edited_scene && i < options->n_sets; i++) {
        const firn_status status =
            firn_resume_rules_check_setting(text, strlen(text), options->sets[i], messages);
        if (status != FIRN_OK) worst = status;
    }
    return worst;
}

static void list_edits(firn_resume *r, const firn_session_options *options)
{
    r->is_edited = options->edited_scene || options->n_sets;
    firn_json_init(&r->edits, 0);
    firn_json_begin(&r->edits, NULL, '[');
    if (options->edited_scene) firn_json_string(&r->edits, NULL, "a scene file");
    for (int i = 0; i < options->n_sets; i++) firn_json_string(&r->edits, NULL, options->sets[i]);
    firn_json_end(&r->edits);
}

firn_scene *firn_resume_load(firn_resume *r, const char *folder,
                             const firn_session_options *options, firn_messages *messages)
{
    r->folder = folder;
    snprintf(r->path, sizeof r->path, "%s/" FIRN_MANIFEST_NAME, folder);
    if (firn_manifest_read(folder, &r->manifest, messages) != FIRN_OK) return NULL;
    if (check_settings(r, options, messages) != FIRN_OK) return NULL;
    list_edits(r, options);
    if (options->edited_scene)
        return firn_scene_load(options->edited_scene, options->n_sets, options->sets, messages);
    const char *text = r->manifest.scene_json;
    return firn_scene_parse(text, strlen(text), r->path, options->n_sets, options->sets, messages);
}

/* ---------------------------------------------------------------- what has changed */

/* The shot's scene is written anew for this: an older version of firn may have left out keys. */
static firn_status check_edits(const firn_resume *r, const char *after, size_t n_after,
                               firn_messages *messages)
{
    const char *text = r->manifest.scene_json;
    firn_text before = {0};
    firn_scene *old = firn_scene_parse(text, strlen(text), r->path, 0, NULL, messages);
    firn_status status =
        old ? firn_scene_write(firn_scene_definition(old), &before, NULL, messages) : FIRN_REFUSED;
    if (status == FIRN_OK)
        status = firn_resume_rules_check(before.data, before.n, after, n_after, messages);
    firn_text_clear(&before);
    firn_scene_destroy(old);
    return status;
}

/* The number of input files that differ from those of the shot; `changes` becomes an array. */
static firn_status list_changes(const firn_manifest *manifest, const char *inputs_json,
                                firn_json_writer *changes, int *n, firn_messages *messages)
{
    const char *old = manifest->inputs_json;
    firn_json *now = firn_json_parse(inputs_json, strlen(inputs_json), "input files", messages),
              *before = now && old ? firn_json_parse(old, strlen(old), FIRN_MANIFEST_NAME, messages)
                                   : NULL;
    if (!now || (old && !before)) {
        firn_json_destroy(now);
        return firn_messages_status(messages);
    }
    firn_json_init(changes, 0);
    firn_json_begin(changes, NULL, '[');
    *n = firn_scene_files_compare(before ? firn_json_root(before) : NULL, firn_json_root(now),
                                  changes, messages);
    firn_json_end(changes);
    firn_json_destroy(before);
    firn_json_destroy(now);
    return FIRN_OK;
}

/* Other input files are allowed, like edits, with a warning. */
static firn_status compare_inputs(firn_resume *r, const char *inputs_json, firn_messages *messages)
{
    int n = 0;
    const firn_status status = list_changes(&r->manifest, inputs_json, &r->changes, &n, messages);
    if (status != FIRN_OK) return status;
    if (n)
        firn_messages_warn(messages,
                           "%s: %d input file%s changed: frames from here on may differ from those "
                           "of an uninterrupted run; try: restore the old files and resume with "
                           "--from",
                           r->folder, n, n == 1 ? " has" : "s have");
    return FIRN_OK;
}

static const char *unless_empty(const char *list) { return strcmp(list, "[]\n") ? list : NULL; }

firn_status firn_resume_compare(firn_resume *r, const char *scene_json, size_t n_scene_json,
                                const char *inputs_json, firn_messages *messages)
{
    firn_status status = FIRN_OK;
    if (r->is_edited) status = check_edits(r, scene_json, n_scene_json, messages);
    if (status == FIRN_OK) status = compare_inputs(r, inputs_json, messages);
    firn_manifest_clear(&r->manifest);
    if (status != FIRN_OK) return status;
    const char *edits = firn_json_finish(&r->edits, NULL),
               *changes = firn_json_finish(&r->changes, NULL);
    if (!edits || !changes) return firn_messages_no_memory(messages, "list of edits");
    r->edits_json = unless_empty(edits);
    r->changes_json = unless_empty(changes);
    return FIRN_OK;
}

void firn_resume_clear(firn_resume *r)
{
    firn_manifest_clear(&r->manifest);
    firn_checkpoint_clear(&r->checkpoint);
    firn_json_clear(&r->edits);
    firn_json_clear(&r->changes);
}

/* ---------------------------------------------------------------- run --resume */

static void see_checkpoint(void *user, const char *name)
{
    int *n = user;
    *n += strncmp(name, "checkpoint.", 11) == 0 && !firn_file_is_temporary(name);
}

static int has_checkpoint(const char *folder)
{
    char path[FIRN_PATH + 32];
    int n = 0;
    snprintf(path, sizeof path, "%s/" FIRN_MANIFEST_CHECKPOINTS, folder);
    return firn_file_list(path, see_checkpoint, &n, NULL) == FIRN_OK && n > 0;
}

static firn_status choose(const firn_manifest *m, const char *folder, int last_frame,
                          firn_resume_choice *choice, firn_messages *messages)
{
    *choice = FIRN_RESUME_CONTINUE;
    if (strcmp(m->state, "stopped") == 0)
        return firn_messages_add(messages, FIRN_STOPPED,
                                 "%s: this run was stopped after frame %d (%s); try: other "
                                 "settings (firn resume --set), or another folder (--out)",
                                 folder, m->last_frame, m->why);
    if (strcmp(m->state, "finished") == 0 && m->last_frame >= last_frame)
        *choice = FIRN_RESUME_DONE;
    else if (!has_checkpoint(folder))
        *choice = FIRN_RESUME_REPLACE;
    return FIRN_OK;
}

firn_status firn_resume_choose(const char *folder, uint64_t scene_hash, const char *inputs_json,
                               int last_frame, int overwrite, firn_resume_choice *choice,
                               firn_messages *messages)
{
    firn_manifest manifest = {0};
    firn_json_writer changes = {0};
    int n_changes = 0;
    *choice = FIRN_RESUME_NEW;
    if (!firn_manifest_exists(folder)) return FIRN_OK;
    firn_status status = firn_manifest_read(folder, &manifest, overwrite ? NULL : messages);
    if (status != FIRN_OK && overwrite) {
        *choice = FIRN_RESUME_REPLACE; /* damaged, and not to be kept */
        return FIRN_OK;
    }
    const int is_other = status == FIRN_OK && manifest.scene_hash != scene_hash;
    if (status == FIRN_OK && !is_other)
        status = list_changes(&manifest, inputs_json, &changes, &n_changes, messages);
    if (status == FIRN_OK && (is_other || n_changes) && overwrite)
        *choice = FIRN_RESUME_REPLACE;
    else if (status == FIRN_OK && (is_other || n_changes))
        status = firn_messages_add(messages, FIRN_REFUSED,
                                   "%s: holds a shot of %s; try: another folder (--out), replace "
                                   "it (--overwrite), or keep on with it (firn resume)",
                                   folder, is_other ? "another scene" : "other input files");
    else if (status == FIRN_OK)
        status = choose(&manifest, folder, last_frame, choice, messages);
    firn_json_clear(&changes);
    firn_manifest_clear(&manifest);
    return status;
}
