/* SPDX-License-Identifier: MIT */
/* run_resume.c: see run_resume.h. The scene is read from the shot's manifest, which holds it with
 * every default, so the scene file may have changed or be gone. */
#include "session/run_resume.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/messages.h"
#include "scene/scene.h"
#include "scene/scene_files.h"
#include "session/resume_rules.h"

#include <string.h>

enum { MANIFEST_BYTES_MAX = 64 << 20 };

/* ---------------------------------------------------------------- the scene */

static firn_status read_manifest(firn_resume *r, const char *folder, firn_messages *messages)
{
    r->folder = folder;
    snprintf(r->path, sizeof r->path, "%s/manifest.json", folder);
    r->text = firn_file_text(r->path, MANIFEST_BYTES_MAX, &r->n_text, messages);
    if (!r->text)
        return firn_messages_add(messages, FIRN_IO, "%s: not the folder of a shot", folder);
    r->manifest = firn_json_parse(r->text, r->n_text, r->path, messages);
    if (!r->manifest) return firn_messages_status(messages);
    r->scene = firn_json_member(firn_json_root(r->manifest), "scene");
    if (r->scene) return FIRN_OK;
    return firn_messages_add(messages, FIRN_REFUSED,
                             "%s: member \"scene\" is missing; is this a shot of firn?", r->path);
}

static const char *scene_text(const firn_resume *r, size_t *n)
{
    *n = r->scene->last_byte - r->scene->first_byte;
    return r->text + r->scene->first_byte;
}

/* A changed law is refused before the setting is applied: the parameters of the old law would be
 * refused one by one instead. */
static firn_status check_settings(const firn_resume *r, const firn_session_options *options,
                                  firn_messages *messages)
{
    size_t n_text;
    const char *text = scene_text(r, &n_text);
    firn_status worst = FIRN_OK;
    for (int i = 0; !options->edited_scene && i < options->n_sets; i++) {
        const firn_status status =
            firn_resume_rules_check_setting(text, n_text, options->sets[i], messages);
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
    if (read_manifest(r, folder, messages) != FIRN_OK) return NULL;
    if (check_settings(r, options, messages) != FIRN_OK) return NULL;
    list_edits(r, options);
    if (options->edited_scene)
        return firn_scene_load(options->edited_scene, options->n_sets, options->sets, messages);
    size_t n_text;
    const char *text = scene_text(r, &n_text);
    return firn_scene_parse(text, n_text, r->path, options->n_sets, options->sets, messages);
}

/* ---------------------------------------------------------------- what has changed */

/* The shot's scene is written anew for this: an older version of firn may have left out keys. */
static firn_status check_edits(const firn_resume *r, const char *after, size_t n_after,
                               firn_messages *messages)
{
    size_t n_text;
    const char *text = scene_text(r, &n_text);
    firn_text before = {0};
    firn_scene *old = firn_scene_parse(text, n_text, r->path, 0, NULL, messages);
    firn_status status =
        old ? firn_scene_write(firn_scene_definition(old), &before, NULL, messages) : FIRN_REFUSED;
    if (status == FIRN_OK)
        status = firn_resume_rules_check(before.data, before.n, after, n_after, messages);
    firn_text_clear(&before);
    firn_scene_destroy(old);
    return status;
}

/* Other input files are allowed, like edits, with a warning. */
static firn_status compare_inputs(firn_resume *r, const char *inputs_json, firn_messages *messages)
{
    firn_json *now = firn_json_parse(inputs_json, strlen(inputs_json), "input files", messages);
    if (!now) return firn_messages_status(messages);
    const firn_json_node *before = firn_json_member(firn_json_root(r->manifest), "inputs");
    firn_json_init(&r->changes, 0);
    firn_json_begin(&r->changes, NULL, '[');
    const int n = firn_scene_files_compare(before, firn_json_root(now), &r->changes, messages);
    firn_json_end(&r->changes);
    firn_json_destroy(now);
    if (n)
        firn_messages_warn(messages,
                           "%s: %d input file%s changed: frames from here on may differ from those "
                           "of an uninterrupted run; try: restore the old files and resume with "
                           "--from",
                           r->folder, n, n == 1 ? " has" : "s have");
    return FIRN_OK;
}

static void release_manifest(firn_resume *r)
{
    firn_json_destroy(r->manifest);
    if (r->text) firn_memory_release(NULL, r->text, r->n_text + 1);
    r->manifest = NULL;
    r->text = NULL;
}

static const char *unless_empty(const char *list) { return strcmp(list, "[]\n") ? list : NULL; }

firn_status firn_resume_compare(firn_resume *r, const char *scene_json, size_t n_scene_json,
                                const char *inputs_json, firn_messages *messages)
{
    firn_status status = FIRN_OK;
    if (r->is_edited) status = check_edits(r, scene_json, n_scene_json, messages);
    if (status == FIRN_OK) status = compare_inputs(r, inputs_json, messages);
    release_manifest(r);
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
    release_manifest(r);
    firn_checkpoint_clear(&r->checkpoint);
    firn_json_clear(&r->edits);
    firn_json_clear(&r->changes);
}
