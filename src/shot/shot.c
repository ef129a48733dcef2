/* SPDX-License-Identifier: MIT */
/* shot.c: filling the folder of a shot (see shot.h for what is in it and what a kill may leave). */
#include "shot/shot.h"
#include "shot/ledger_csv.h"
#include "points/format.h"
#include "base/hash.h"
#include "shot/manifest.h"
#include "base/memory.h"
#include "base/messages.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

enum { PATH_ROOM = 4096 };

struct firn_shot {
    char folder[FIRN_PATH];
    int lock; /* descriptor of the folder */
    int n_outputs;
    firn_output_def *outputs;
    firn_manifest manifest;
    firn_hash frames, ledger; /* of the good parts of the records, continued with each line */
};

/* ---------------------------------------------------------------- names */

/* The scene's name with what file systems and Houdini dislike replaced by _. */
static void stem_of(const firn_scene_def *scene, char *stem, size_t n_stem)
{
    snprintf(stem, n_stem, "%s", *scene->name ? scene->name : "shot");
    for (char *p = stem; *p; p++)
        if (!isalnum((unsigned char)*p) && *p != '-' && *p != '_' && !((unsigned char)*p & 0x80))
            *p = '_';
}

void firn_shot_file_name(const firn_shot *shot, int output, int frame, int sub, char *name,
                         size_t n_name)
{
    const firn_format *format = firn_format_find(shot->outputs[output].format);
    int nth = 1; /* how many outputs of this format there are up to here */
    for (int i = 0; i < output; i++)
        nth += strcmp(shot->outputs[i].format, shot->outputs[output].format) == 0;
    char suffix[16] = "", decimals[16] = "";
    if (nth > 1) snprintf(suffix, sizeof suffix, "_%d", nth);
    if (sub)
        snprintf(decimals, sizeof decimals, ".%03d",
                 (int)(1000.0 * sub / shot->manifest.n_subframes + 0.5));
    snprintf(name, n_name, "%s%s.%04d%s%s", shot->manifest.name, suffix, frame, decimals,
             format ? format->extension : "");
}

static const char *take_digits(const char *p, int n_min, int *value)
{
    int n = 0;
    long long number = 0;
    for (; isdigit((unsigned char)p[n]); n++)
        if (number < INT32_MAX) number = number * 10 + (p[n] - '0');
    if (n < n_min || number > INT32_MAX) return NULL;
    *value = (int)number;
    return p + n;
}

/* ".FRAME[.SUB]EXTENSION", up to the end */
static int parse_frame(const char *p, int *frame, int *thousandths)
{
    const char *after;
    *thousandths = 0;
    if (!(p = take_digits(p + 1, 4, frame))) return 0;
    if (*p == '.' && (after = take_digits(p + 1, 3, thousandths))) p = after;
    for (int i = 0; firn_format_at(i); i++)
        if (strcmp(p, firn_format_at(i)->extension) == 0) return 1;
    return 0;
}

int firn_shot_is_cache_name(const char *file)
{
    int frame, thousandths;
    for (const char *p = strchr(file, '.'); p; p = strchr(p + 1, '.')) {
        if (p == file) return 0; /* hidden: of another program */
        if (parse_frame(p, &frame, &thousandths)) return 1;
    }
    return 0;
}

int firn_shot_parse_name(const char *file, const char *name, int *frame, int *thousandths,
                         size_t *n_stem)
{
    size_t n_name = strlen(name);
    int ignored;
    if (!n_name || strncmp(file, name, n_name) != 0) return 0;
    const char *p = file + n_name, *after;
    if (*p == '_' && (after = take_digits(p + 1, 1, &ignored))) p = after;
    if (*p != '.') return 0;
    *n_stem = (size_t)(p - file);
    return parse_frame(p, frame, thousandths);
}

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

static firn_status lock_folder(firn_shot *shot, firn_messages *messages)
{
    shot->lock = open(shot->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (shot->lock < 0)
        return firn_messages_add(messages, FIRN_IO, "%s: the folder cannot be opened: %s",
                                 shot->folder, firn_file_reason(errno));
    if (flock(shot->lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        return FIRN_OK; /* a file system without locks */
    return firn_messages_add(messages, FIRN_IO, "%s: another run is writing into this folder",
                             shot->folder);
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

/* A shot object with what the setup holds; nothing on disk is touched. */
static firn_status make(const firn_shot_setup *setup, firn_shot **made, firn_messages *messages)
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
    stem_of(scene, manifest->name, sizeof manifest->name);
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

/* One more item of the history: what began, with which version, after which frame, with which
 * edits. */
static firn_status add_history(firn_shot *shot, const char *what, const char *before,
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

static void path_in(const firn_shot *shot, const char *name, char *path)
{
    snprintf(path, PATH_ROOM, "%s/%s", shot->folder, name);
}

/* ---------------------------------------------------------------- removing files */

typedef struct cleaning {
    firn_shot *shot;
    const char *folder;     /* of the entries */
    int frame, thousandths; /* caches later than this are removed */
    int n_caches;           /* seen */
    int is_dry;             /* only count */
    firn_status status;
    firn_messages *messages;
} cleaning;

static void clean_one(void *user, const char *name)
{
    cleaning *c = user;
    int frame, thousandths;
    size_t n_stem;
    char path[PATH_ROOM];
    int is_cache =
        firn_shot_parse_name(name, c->shot->manifest.name, &frame, &thousandths, &n_stem) &&
        (frame > c->frame || (frame == c->frame && thousandths > c->thousandths));
    c->n_caches += is_cache;
    if (c->is_dry || !(is_cache || firn_file_is_temporary(name))) return;
    path_in(c->shot, name, path);
    firn_status status = firn_file_remove(path, c->messages);
    if (c->status == FIRN_OK) c->status = status;
}

static firn_status clean(firn_shot *shot, int frame, int thousandths, int is_dry, int *n_caches,
                         firn_messages *messages)
{
    cleaning c = {shot, shot->folder, frame, thousandths, 0, is_dry, FIRN_OK, messages};
    firn_status status = firn_file_list(shot->folder, clean_one, &c, messages);
    if (n_caches) *n_caches = c.n_caches;
    return status != FIRN_OK ? status : c.status;
}

static void drop_checkpoint(void *user, const char *name)
{
    cleaning *c = user;
    char path[PATH_ROOM];
    if (strncmp(name, "checkpoint.", 11) != 0 && !firn_file_is_temporary(name)) return;
    snprintf(path, sizeof path, "%s/%s", c->folder, name);
    firn_status status = firn_file_remove(path, c->messages);
    if (c->status == FIRN_OK) c->status = status;
}

/* The caches of an output time of the older shot, which may have had another name. */
static void drop_caches(void *user, const firn_manifest_time *output_time)
{
    cleaning *c = user;
    char path[PATH_ROOM];
    for (int i = 0; i < output_time->n_files; i++) {
        if (strchr(output_time->files[i].name, '/'))
            continue; /* changed records could lead out of the folder */
        path_in(c->shot, output_time->files[i].name, path);
        firn_status status =
            access(path, F_OK) == 0 ? firn_file_remove(path, c->messages) : FIRN_OK;
        if (c->status == FIRN_OK) c->status = status;
    }
}

/* Removes an older shot from the folder: the manifest first, so that a shot half removed is not
 * taken for a complete one. What it holds of the records is kept until these have been read for the
 * names of the caches. */
static firn_status empty(firn_shot *shot, firn_messages *messages)
{
    static const char *const names[] = {FIRN_MANIFEST_NAME, FIRN_MANIFEST_FRAMES,
                                        FIRN_MANIFEST_LEDGER};
    char path[PATH_ROOM];
    firn_manifest old = {0};
    const int has_old = firn_manifest_exists(shot->folder);
    const int is_known = has_old && firn_manifest_read(shot->folder, &old, NULL) == FIRN_OK;
    for (int i = 0; i < 3; i++) {
        path_in(shot, names[i], path);
        firn_status status = firn_file_remove(path, messages);
        cleaning caches = {shot, shot->folder, 0, 0, 0, 0, FIRN_OK, messages};
        if (i == 0 && has_old &&
            (!is_known || firn_manifest_walk(shot->folder, &old, drop_caches, &caches, NULL)))
            firn_messages_warn(messages,
                               "%s: the records of the replaced shot are damaged; its caches with "
                               "other names than %s.* may remain",
                               shot->folder, shot->manifest.name);
        if (i == 0) firn_manifest_clear(&old);
        if (status == FIRN_OK) status = caches.status;
        if (status != FIRN_OK) return status;
    }
    path_in(shot, FIRN_MANIFEST_CHECKPOINTS, path);
    cleaning c = {shot, path, 0, 0, 0, 0, FIRN_OK, messages};
    if (access(path, F_OK) == 0) {
        firn_status status = firn_file_list(path, drop_checkpoint, &c, messages);
        if (status == FIRN_OK) status = c.status;
        if (status != FIRN_OK) return status;
    }
    return clean(shot, -1, 0, 0, NULL, messages);
}

/* ---------------------------------------------------------------- create, resume */

/* What a run writes besides caches. A link among them would lead out of the folder. */
static firn_status refuse_links(const firn_shot *shot, firn_messages *messages)
{
    static const char *const names[] = {FIRN_MANIFEST_NAME, FIRN_MANIFEST_FRAMES,
                                        FIRN_MANIFEST_LEDGER, FIRN_MANIFEST_CHECKPOINTS,
                                        "preview.png"};
    char path[PATH_ROOM];
    firn_status worst = FIRN_OK;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        path_in(shot, names[i], path);
        firn_status status = firn_file_refuse_link(path, messages);
        if (status != FIRN_OK) worst = status;
    }
    return worst;
}

static firn_status begin_files(firn_shot *shot, firn_messages *messages)
{
    char path[PATH_ROOM];
    firn_text header = {0};
    firn_ledger_csv_header(&header);
    if (header.has_failed) {
        firn_text_clear(&header);
        return firn_messages_no_memory(messages, "%s: records", shot->folder);
    }
    path_in(shot, FIRN_MANIFEST_LEDGER, path);
    firn_status status = firn_file_append(path, 0, header.data, header.n, messages);
    firn_hash_update(&shot->ledger, header.data, header.n);
    firn_text_clear(&header);
    path_in(shot, FIRN_MANIFEST_FRAMES, path);
    if (status == FIRN_OK) status = firn_file_append(path, 0, "", 0, messages);
    return status;
}

static void take_lengths(firn_shot *shot)
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
    if (status == FIRN_OK) status = lock_folder(shot, messages);
    if (status == FIRN_OK) status = refuse_links(shot, messages);
    if (status == FIRN_OK) status = clean(shot, -1, 0, 1, &n_caches, messages);
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
    if ((status = empty(shot, messages)) != FIRN_OK) return status;
    if ((status = begin_files(shot, messages)) != FIRN_OK) return status;
    if ((status = add_history(shot, "run", "", setup, messages)) != FIRN_OK) return status;
    take_lengths(shot);
    return firn_manifest_write(shot->folder, &shot->manifest, messages);
}

firn_status firn_shot_create(const firn_shot_setup *setup, int replace, firn_shot **shot,
                             firn_messages *messages)
{
    *shot = NULL;
    firn_status status = make(setup, shot, messages);
    if (status == FIRN_OK) status = create(*shot, setup, replace, messages);
    if (status == FIRN_OK) return FIRN_OK;
    firn_shot_destroy(*shot);
    *shot = NULL;
    return status;
}

/* What remains of the records when everything after (frame, sub) is removed. */
typedef struct cut {
    int frame, sub;
    int64_t n_output_times;
    uint64_t line_begin, frames_bytes, ledger_bytes;
    int last_frame, last_sub;
} cut;

static void find_cut(void *user, const firn_manifest_time *output_time)
{
    cut *c = user;
    if (output_time->frame > c->frame ||
        (output_time->frame == c->frame && output_time->sub > c->sub))
        return;
    c->n_output_times++;
    c->line_begin = output_time->first_byte;
    c->frames_bytes = output_time->last_byte;
    c->ledger_bytes = output_time->ledger_bytes;
    c->last_frame = output_time->frame;
    c->last_sub = output_time->sub;
}

/* Reads n bytes and feeds them to the checksum; hash NULL: skips them. */
static firn_status read_bytes(firn_file_reader *reader, uint64_t n, firn_hash *hash,
                              firn_messages *messages)
{
    char piece[65536];
    firn_status status = FIRN_OK;
    while (status == FIRN_OK && n) {
        size_t take = n < sizeof piece ? (size_t)n : sizeof piece;
        status = firn_file_read(reader, piece, take, "the records", messages);
        if (status == FIRN_OK && hash) firn_hash_update(hash, piece, take);
        n -= take;
    }
    return status;
}

/* The checksum of the first n bytes of a record, to be continued. */
static firn_status hash_record(firn_shot *shot, const char *name, uint64_t n, firn_hash *hash,
                               firn_messages *messages)
{
    char path[PATH_ROOM];
    path_in(shot, name, path);
    firn_file_reader *reader = firn_file_open(path, 0, messages);
    firn_status status = reader ? FIRN_OK : firn_file_failure(messages);
    firn_hash_init(hash);
    if (status == FIRN_OK) status = read_bytes(reader, n, hash, messages);
    firn_file_close(reader);
    return status;
}

/* The last line of frames.jsonl after the cut. */
static firn_status keep_last_line(firn_shot *shot, const cut *c, firn_messages *messages)
{
    char path[PATH_ROOM];
    size_t n = (size_t)(c->frames_bytes - c->line_begin);
    path_in(shot, FIRN_MANIFEST_FRAMES, path);
    firn_file_reader *reader = firn_file_open(path, 0, messages);
    if (!reader) return firn_file_failure(messages);
    firn_status status = read_bytes(reader, c->line_begin, NULL, messages);
    char *line = status == FIRN_OK ? firn_memory_allocate(NULL, n) : NULL;
    if (line) status = firn_file_read(reader, line, n, "the records", messages);
    firn_file_close(reader);
    if (status == FIRN_OK && (!line || !firn_manifest_take_last(&shot->manifest, line, n)))
        status = firn_messages_no_memory(messages, "%s: records", shot->folder);
    firn_memory_release(NULL, line, n);
    return status;
}

/* The length of the header of ledger.csv: what remains when no output time does. */
static uint64_t header_length(void)
{
    firn_text header = {0};
    firn_ledger_csv_header(&header);
    uint64_t n = header.n;
    firn_text_clear(&header);
    return n;
}

/* Removes what a killed run left after the good part. */
static firn_status cut_record(const firn_shot *shot, const char *name,
                              const firn_file_receipt *good, firn_messages *messages)
{
    char path[PATH_ROOM];
    path_in(shot, name, path);
    return firn_file_append(path, good->n_bytes, "", 0, messages);
}

static firn_status resume(firn_shot *shot, const firn_manifest *old, const firn_shot_setup *setup,
                          int frame, int sub, firn_messages *messages)
{
    firn_manifest *manifest = &shot->manifest;
    cut c = {.frame = frame, .sub = sub, .ledger_bytes = header_length(), .last_frame = -1};
    firn_status status = firn_manifest_walk(shot->folder, old, find_cut, &c, messages);
    if (status != FIRN_OK)
        return firn_messages_add(messages, status,
                                 "%s: the records are damaged; try: firn verify %s", shot->folder,
                                 shot->folder);
    if (strcmp(manifest->name, old->name) != 0)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "%s: the name of a shot cannot change on resume (\"%s\" to "
                                 "\"%s\")",
                                 shot->folder, old->name, manifest->name);
    status = hash_record(shot, FIRN_MANIFEST_FRAMES, c.frames_bytes, &shot->frames, messages);
    if (status == FIRN_OK)
        status = hash_record(shot, FIRN_MANIFEST_LEDGER, c.ledger_bytes, &shot->ledger, messages);
    if (status == FIRN_OK && c.n_output_times) status = keep_last_line(shot, &c, messages);
    if (status != FIRN_OK) return status;
    if (*old->isa && *manifest->isa && strcmp(old->isa, manifest->isa) != 0)
        firn_messages_warn(
            messages, "%s: instruction set %s until now, %s from here: the last digits may differ",
            shot->folder, old->isa, manifest->isa);
    manifest->n_output_times = c.n_output_times;
    manifest->last_frame = c.last_frame;
    manifest->last_sub = c.last_sub;
    snprintf(manifest->started, sizeof manifest->started, "%s", old->started);
    status = add_history(shot, "resume", old->history_json, setup, messages);
    if (status != FIRN_OK) return status;
    take_lengths(shot);
    /* The manifest forgets the later output times before their lines and caches are removed. */
    status = firn_manifest_write(shot->folder, manifest, messages);
    if (status == FIRN_OK)
        status = cut_record(shot, FIRN_MANIFEST_FRAMES, &manifest->frames, messages);
    if (status == FIRN_OK)
        status = cut_record(shot, FIRN_MANIFEST_LEDGER, &manifest->ledger, messages);
    int thousandths = (int)(1000.0 * sub / manifest->n_subframes + 0.5);
    if (status == FIRN_OK) status = clean(shot, frame, thousandths, 0, NULL, messages);
    return status;
}

firn_status firn_shot_resume(const firn_shot_setup *setup, int frame, int sub, firn_shot **shot,
                             firn_messages *messages)
{
    firn_manifest old = {0};
    *shot = NULL;
    firn_status status = make(setup, shot, messages);
    if (status == FIRN_OK) status = lock_folder(*shot, messages);
    if (status == FIRN_OK) status = refuse_links(*shot, messages);
    if (status == FIRN_OK) status = firn_manifest_read((*shot)->folder, &old, messages);
    if (status == FIRN_OK) status = resume(*shot, &old, setup, frame, sub, messages);
    firn_manifest_clear(&old);
    if (status == FIRN_OK) return FIRN_OK;
    firn_shot_destroy(*shot);
    *shot = NULL;
    return status;
}

firn_status firn_shot_finish(const firn_shot_setup *setup, int frame, int sub,
                             firn_messages *messages)
{
    firn_manifest old;
    firn_shot *shot;
    firn_status status = firn_manifest_read(setup->folder, &old, messages);
    if (status != FIRN_OK) return status;
    int is_finished = strcmp(old.state, "finished") == 0;
    firn_manifest_clear(&old);
    if (is_finished) return FIRN_OK;
    status = firn_shot_resume(setup, frame, sub, &shot, messages);
    if (status == FIRN_OK) status = firn_shot_close(shot, "finished", NULL, messages);
    firn_shot_destroy(shot);
    return status;
}

/* ---------------------------------------------------------------- output times */

firn_status firn_shot_record(firn_shot *shot, const firn_shot_time *output_time, int n_files,
                             const firn_shot_file *files, firn_messages *messages)
{
    firn_manifest *manifest = &shot->manifest, before = *manifest;
    firn_hash frames = shot->frames, ledger = shot->ledger;
    char path[PATH_ROOM];
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
        path_in(shot, FIRN_MANIFEST_LEDGER, path);
        status = firn_file_append(path, ledger.n_bytes, rows.data, rows.n, messages);
        firn_hash_update(&shot->ledger, rows.data, rows.n);
    }
    if (status == FIRN_OK) {
        path_in(shot, FIRN_MANIFEST_FRAMES, path);
        status = firn_file_append(path, frames.n_bytes, text, n, messages);
        firn_hash_update(&shot->frames, text, n);
    }
    manifest->last_json = NULL; /* `before` has the old one */
    if (status == FIRN_OK && !firn_manifest_take_last(manifest, text, n))
        status = firn_messages_no_memory(messages, "%s: records", shot->folder);
    if (status == FIRN_OK) {
        take_lengths(shot);
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
