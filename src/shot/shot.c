/* SPDX-License-Identifier: MIT */
/* shot.c: filling the folder of a shot (see shot.h for what is in it and what a kill may leave). */
#include "base/memory.h"
#include "base/messages.h"
#include "points/format.h"
#include "shot/ledger_csv.h"
#include "shot/shot_parts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const char *firn_shot_folder(const firn_shot *shot) { return shot->folder; }

uint64_t firn_shot_scene_hash(const firn_shot *shot) { return shot->manifest.scene_hash; }

int firn_shot_last(const firn_shot *shot, int *frame, int *sub)
{
    *frame = shot->manifest.last_frame;
    *sub = shot->manifest.last_sub;
    return shot->manifest.n_output_times > 0;
}

/* An output with fewer output times per frame than the run takes every so many; where its number
 * does not divide the run's, the nearest later ones. */
int firn_shot_is_due(const firn_shot *shot, int output, int frame, int sub)
{
    const firn_output_def *def = &shot->outputs[output];
    int every = def->every > 1 ? def->every : 1, substeps = def->substeps > 1 ? def->substeps : 1;
    int n = shot->manifest.n_subframes;
    if (sub < 0 || frame % every != 0) return 0;
    if (sub == 0) return 1;
    return (int64_t)sub * substeps / n > (int64_t)(sub - 1) * substeps / n;
}

/* ---------------------------------------------------------------- beginning */

void firn_shot_destroy(firn_shot *shot)
{
    if (!shot) return;
    if (shot->lock >= 0) close(shot->lock);
    firn_memory_release(NULL, shot->outputs, (size_t)shot->n_outputs * sizeof *shot->outputs);
    firn_manifest_clear(&shot->manifest);
    firn_memory_release(NULL, shot, sizeof *shot);
}

static void now_as_text(char *text, size_t n_text)
{
    time_t now = time(NULL);
    struct tm utc;
    if (!gmtime_r(&now, &utc) || !strftime(text, n_text, "%Y-%m-%dT%H:%M:%SZ", &utc)) *text = 0;
}

static int is_json(const char *text, const char *name, firn_messages *messages)
{
    firn_json *json = firn_json_parse(text, strlen(text), name, messages);
    firn_json_destroy(json);
    return json != NULL;
}

firn_status firn_shot_make(const firn_shot_setup *setup, firn_shot **made, firn_messages *messages)
{
    const firn_scene_def *scene = setup->scene;
    if (strlen(setup->folder) >= FIRN_PATH)
        return firn_messages_add(messages, FIRN_IO, "%s: %s", setup->folder,
                                 firn_file_reason(ENAMETOOLONG));
    if (!is_json(setup->scene_json, "the scene as JSON", messages)) return FIRN_REFUSED;
    if (setup->edits_json && !is_json(setup->edits_json, "the edits as JSON", messages))
        return FIRN_REFUSED;
    if (setup->inputs_json && !is_json(setup->inputs_json, "the files as JSON", messages))
        return FIRN_REFUSED;
    if (setup->changes_json && !is_json(setup->changes_json, "changes of files as JSON", messages))
        return FIRN_REFUSED;
    for (int i = 0; i < scene->n_outputs; i++) {
        const firn_format *format = firn_format_find(scene->outputs[i].format);
        if (!format || !format->write)
            return firn_messages_add(
                messages, FIRN_REFUSED, "output %d: format \"%s\" %s; try: firn help formats",
                i + 1, scene->outputs[i].format, format ? "cannot be written" : "is unknown");
    }
    firn_shot *shot = *made = firn_memory_allocate(NULL, sizeof *shot);
    if (!shot) return firn_messages_no_memory(messages, "%s: shot", setup->folder);
    firn_manifest *manifest = &shot->manifest;
    shot->lock = -1;
    strcpy(shot->folder, setup->folder);
    shot->n_outputs = scene->n_outputs;
    shot->outputs = firn_memory_array(NULL, (size_t)scene->n_outputs, sizeof *shot->outputs);
    manifest->scene_json = firn_memory_string(NULL, setup->scene_json);
    manifest->history_json = firn_memory_string(NULL, "");
    if (setup->inputs_json) manifest->inputs_json = firn_memory_string(NULL, setup->inputs_json);
    if (!shot->outputs || !manifest->scene_json || !manifest->history_json ||
        (setup->inputs_json && !manifest->inputs_json))
        return firn_messages_no_memory(messages, "%s: shot", setup->folder);
    if (scene->n_outputs)
        memcpy(shot->outputs, scene->outputs, (size_t)scene->n_outputs * sizeof *shot->outputs);
    firn_shot_stem(scene, manifest->name, sizeof manifest->name);
    now_as_text(manifest->started, sizeof manifest->started);
    snprintf(manifest->isa, sizeof manifest->isa, "%s", setup->isa ? setup->isa : "");
    snprintf(manifest->state, sizeof manifest->state, "running");
    manifest->fps = scene->fps;
    manifest->n_subframes = setup->n_subframes > 1 ? setup->n_subframes : 1;
    manifest->n_threads = setup->n_threads;
    manifest->scene_hash = setup->scene_hash;
    manifest->last_frame = -1;
    firn_hash_init(&shot->frames);
    firn_hash_init(&shot->ledger);
    return FIRN_OK;
}

firn_status firn_shot_add_history(firn_shot *shot, const char *what, const char *before,
                                  const firn_shot_setup *setup, firn_messages *messages)
{
    firn_manifest *manifest = &shot->manifest;
    firn_json_writer item;
    firn_json_init(&item, 0);
    firn_json_begin(&item, NULL, '{');
    firn_json_string(&item, "what", what);
    char when[32];
    now_as_text(when, sizeof when);
    firn_json_string(&item, "when", when);
    firn_json_string(&item, "version", FIRN_VERSION);
    firn_json_integer(&item, "threads", setup->n_threads);
    firn_json_string(&item, "isa", manifest->isa);
    firn_json_hex(&item, "scene_hash", setup->scene_hash);
    if (manifest->n_output_times) {
        firn_json_integer(&item, "after_frame", manifest->last_frame);
        firn_json_integer(&item, "after_sub", manifest->last_sub);
    }
    if (setup->edits_json) firn_json_raw(&item, "edits", setup->edits_json);
    if (setup->changes_json) firn_json_raw(&item, "inputs", setup->changes_json);
    firn_json_end(&item);
    size_t n = 0, n_before = strlen(before);
    const char *text = firn_json_finish(&item, &n);
    char *history = text ? firn_memory_allocate(NULL, n_before + n + 8) : NULL;
    if (history) {
        sprintf(history, "%s%s%.*s", before, n_before ? ",\n    " : "", (int)n - 1, text);
        firn_memory_release(NULL, manifest->history_json, strlen(manifest->history_json) + 1);
        manifest->history_json =
            firn_memory_string(NULL, history); /* its length says how much to release */
        firn_memory_release(NULL, history, n_before + n + 8);
    }
    firn_json_clear(&item);
    if (history && manifest->history_json) return FIRN_OK;
    return firn_messages_no_memory(messages, "%s: history", shot->folder);
}

/* ---------------------------------------------------------------- a new shot */

static firn_status begin_files(firn_shot *shot, firn_messages *messages)
{
    char path[FIRN_SHOT_PATH];
    firn_text header = {0};
    firn_ledger_csv_header(&header);
    if (header.has_failed) {
        firn_text_clear(&header);
        return firn_messages_no_memory(messages, "%s: records", shot->folder);
    }
    firn_shot_path(shot, FIRN_MANIFEST_LEDGER, path);
    firn_status status = firn_file_append(path, 0, header.data, header.n, messages);
    firn_hash_update(&shot->ledger, header.data, header.n);
    firn_text_clear(&header);
    firn_shot_path(shot, FIRN_MANIFEST_FRAMES, path);
    if (status == FIRN_OK) status = firn_file_append(path, 0, "", 0, messages);
    return status;
}

void firn_shot_take_lengths(firn_shot *shot)
{
    shot->manifest.frames =
        (firn_file_receipt){shot->frames.n_bytes, firn_hash_value(&shot->frames)};
    shot->manifest.ledger =
        (firn_file_receipt){shot->ledger.n_bytes, firn_hash_value(&shot->ledger)};
}

static firn_status create(firn_shot *shot, const firn_shot_setup *setup, int replace,
                          firn_messages *messages)
{
    int n_caches = 0;
    firn_status status = firn_file_make_folder(shot->folder, messages);
    if (status == FIRN_OK) status = firn_shot_lock(shot, messages);
    if (status == FIRN_OK) status = firn_shot_refuse_links(shot, messages);
    if (status == FIRN_OK) status = firn_shot_clean(shot, -1, 0, 1, &n_caches, messages);
    if (status != FIRN_OK) return status;
    if (!replace && firn_manifest_exists(shot->folder))
        return firn_messages_add(
            messages, FIRN_REFUSED,
            "%s: holds a shot; try: continue it (firn resume), another folder (--out), or replace "
            "it (--overwrite)",
            shot->folder);
    if (!replace && n_caches)
        return firn_messages_add(
            messages, FIRN_REFUSED,
            "%s: holds %d caches %s.* that belong to no shot; try: another folder (--out), or "
            "replace them (--overwrite)",
            shot->folder, n_caches, shot->manifest.name);
    if ((status = firn_shot_empty(shot, messages)) != FIRN_OK) return status;
    if ((status = begin_files(shot, messages)) != FIRN_OK) return status;
    if ((status = firn_shot_add_history(shot, "run", "", setup, messages)) != FIRN_OK)
        return status;
    firn_shot_take_lengths(shot);
    return firn_manifest_write(shot->folder, &shot->manifest, messages);
}

firn_status firn_shot_create(const firn_shot_setup *setup, int replace, firn_shot **shot,
                             firn_messages *messages)
{
    *shot = NULL;
    firn_status status = firn_shot_make(setup, shot, messages);
    if (status == FIRN_OK) status = create(*shot, setup, replace, messages);
    if (status == FIRN_OK) return FIRN_OK;
    firn_shot_destroy(*shot);
    *shot = NULL;
    return status;
}

/* ---------------------------------------------------------------- output times */

firn_status firn_shot_record(firn_shot *shot, const firn_shot_time *output_time, int n_files,
                             const firn_shot_file *files, firn_messages *messages)
{
    firn_manifest *manifest = &shot->manifest, before = *manifest;
    firn_hash frames = shot->frames, ledger = shot->ledger;
    char path[FIRN_SHOT_PATH];
    if (output_time->frame < manifest->last_frame ||
        (output_time->frame == manifest->last_frame && output_time->sub <= manifest->last_sub))
        return firn_messages_add(messages, FIRN_USAGE,
                                 "%s: frame %d (%d) is not after the last one, frame %d (%d)",
                                 shot->folder, output_time->frame, output_time->sub,
                                 manifest->last_frame, manifest->last_sub);
    firn_text rows = {0};
    firn_json_writer line = {0};
    for (int i = 0; i < output_time->n_ledgers; i++)
        firn_ledger_csv_row(&rows, output_time->frame, output_time->time, &output_time->ledgers[i]);
    size_t n = 0;
    const char *text =
        firn_manifest_line(&line, output_time, ledger.n_bytes + rows.n, n_files, files, &n);
    firn_status status = FIRN_OK;
    if (!text || rows.has_failed)
        status = firn_messages_no_memory(messages, "%s: records", shot->folder);
    if (status == FIRN_OK && rows.n) {
        firn_shot_path(shot, FIRN_MANIFEST_LEDGER, path);
        status = firn_file_append(path, ledger.n_bytes, rows.data, rows.n, messages);
        firn_hash_update(&shot->ledger, rows.data, rows.n);
    }
    if (status == FIRN_OK) {
        firn_shot_path(shot, FIRN_MANIFEST_FRAMES, path);
        status = firn_file_append(path, frames.n_bytes, text, n, messages);
        firn_hash_update(&shot->frames, text, n);
    }
    manifest->last_json = NULL; /* `before` has the old one */
    if (status == FIRN_OK && !firn_manifest_take_last(manifest, text, n))
        status = firn_messages_no_memory(messages, "%s: records", shot->folder);
    if (status == FIRN_OK) {
        firn_shot_take_lengths(shot);
        manifest->n_output_times++;
        manifest->last_frame = output_time->frame;
        manifest->last_sub = output_time->sub;
        status = firn_manifest_write(shot->folder, manifest, messages);
    }
    firn_manifest stale = {.last_json = status == FIRN_OK ? before.last_json : manifest->last_json};
    if (status != FIRN_OK) {
        *manifest = before;
        shot->frames = frames;
        shot->ledger = ledger;
    }
    firn_manifest_clear(&stale);
    firn_text_clear(&rows);
    firn_json_clear(&line);
    return status;
}

firn_status firn_shot_close(firn_shot *shot, const char *state, const char *why,
                            firn_messages *messages)
{
    snprintf(shot->manifest.state, sizeof shot->manifest.state, "%s", state);
    snprintf(shot->manifest.why, sizeof shot->manifest.why, "%s", why ? why : "");
    return firn_manifest_write(shot->folder, &shot->manifest, messages);
}
