/* SPDX-License-Identifier: MIT */
/* manifest.c: writing and reading a shot's manifest and the lines of frames.jsonl. Lines are read
 * one after the other, so memory is that of the longest line however many there are. */
#include "shot/manifest.h"
#include "shot/ledger_csv.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/messages.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum {
    FORMAT_VERSION = 1,
    TEXT_MAX = 1 << 28,
    LINE_MAX_BYTES = 1 << 26, /* FILES_MAX names and ledgers of 1,000 materials: 2 MiB */
    PIECE = 1 << 16,
    FILES_MAX = 1000,
    PATH_ROOM = 4096
};

static void release_text(char *text)
{
    if (text) firn_memory_release(NULL, text, strlen(text) + 1);
}

int firn_manifest_take_last(firn_manifest *manifest, const char *line, size_t n)
{
    char *copy = n ? firn_memory_allocate(NULL, n) : NULL;
    if (!copy) return n == 0;
    memcpy(copy, line, n - 1); /* without the line's end, which becomes the text's */
    copy[n - 1] = 0;
    release_text(manifest->last_json);
    manifest->last_json = copy;
    return 1;
}

void firn_manifest_clear(firn_manifest *manifest)
{
    release_text(manifest->scene_json);
    release_text(manifest->history_json);
    release_text(manifest->inputs_json);
    release_text(manifest->last_json);
    *manifest = (firn_manifest){0};
}

int firn_manifest_exists(const char *folder)
{
    char path[PATH_ROOM];
    snprintf(path, sizeof path, "%s/%s", folder, FIRN_MANIFEST_NAME);
    return access(path, F_OK) == 0;
}

/* ---------------------------------------------------------------- writing */

/* The machine without its name: what matters for numbers and speed, nothing that identifies a
 * place or a person. */
static void put_machine(firn_json_writer *w, const firn_manifest *manifest)
{
    struct utsname system;
    char line[256], model[200] = "";
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "model name : %199[^\n]", model) == 1) break;
    if (file) fclose(file);
    firn_json_begin(w, "machine", '{');
    if (uname(&system) == 0) {
        firn_json_string(w, "system", system.sysname);
        firn_json_string(w, "release", system.release);
        firn_json_string(w, "architecture", system.machine);
    }
    firn_json_string(w, "processor", model);
    firn_json_integer(w, "processors", sysconf(_SC_NPROCESSORS_ONLN));
    firn_json_integer(w, "threads", manifest->n_threads);
    firn_json_string(w, "isa", manifest->isa);
    firn_json_end(w);
}

static void put_record(firn_json_writer *w, const char *key, const char *name,
                       const firn_file_receipt *good)
{
    firn_json_begin(w, key, '{');
    firn_json_string(w, "file", name);
    firn_json_integer(w, "bytes", (int64_t)good->n_bytes);
    firn_json_hex(w, "checksum", good->checksum);
    firn_json_end(w);
}

static void put_manifest(firn_json_writer *w, const firn_manifest *manifest)
{
    firn_json_begin(w, NULL, '{');
    firn_json_integer(w, "manifest", FORMAT_VERSION);
    firn_json_begin(w, "firn", '{');
    firn_json_string(w, "version", FIRN_VERSION);
#ifdef __clang__
    firn_json_string(w, "compiler", __VERSION__);
#else
    firn_json_string(w, "compiler", "gcc " __VERSION__);
#endif
    firn_json_end(w);
    put_machine(w, manifest);
    firn_json_string(w, "name", manifest->name);
    firn_json_string(w, "started", manifest->started);
    firn_json_string(w, "state", manifest->state);
    firn_json_string(w, "why", manifest->why);
    firn_json_number(w, "fps", manifest->fps);
    firn_json_integer(w, "moments_per_frame", manifest->n_subframes);
    firn_json_integer(w, "moments", manifest->n_output_times);
    firn_json_integer(w, "last_frame", manifest->last_frame);
    firn_json_integer(w, "last_sub", manifest->last_sub);
    put_record(w, "frames", FIRN_MANIFEST_FRAMES, &manifest->frames);
    put_record(w, "ledger", FIRN_MANIFEST_LEDGER, &manifest->ledger);
    firn_json_begin(w, "history", '[');
    if (*manifest->history_json) firn_json_raw(w, NULL, manifest->history_json);
    firn_json_end(w);
    if (manifest->inputs_json) firn_json_raw(w, "inputs", manifest->inputs_json);
    if (manifest->last_json) firn_json_raw(w, "last", manifest->last_json);
    firn_json_hex(w, "scene_hash", manifest->scene_hash);
    firn_json_raw(w, "scene", manifest->scene_json);
    firn_json_seal(w, "checksum");
}

firn_status firn_manifest_write(const char *folder, const firn_manifest *manifest,
                                firn_messages *messages)
{
    char path[PATH_ROOM];
    firn_json_writer w;
    size_t n = 0;
    snprintf(path, sizeof path, "%s/%s", folder, FIRN_MANIFEST_NAME);
    firn_status status = firn_file_refuse_link(path, messages);
    if (status != FIRN_OK) return status;
    firn_json_init(&w, 1);
    put_manifest(&w, manifest);
    const char *text = firn_json_finish(&w, &n);
    firn_file_writer *file = text ? firn_file_create(path, 0, messages) : NULL;
    status = !text   ? firn_messages_no_memory(messages, "%s: manifest", folder)
             : !file ? firn_file_failure(messages)
                     : FIRN_OK;
    if (file) {
        firn_file_write(file, text, n);
        status = firn_file_commit(file, NULL, messages);
    }
    firn_json_clear(&w);
    return status;
}

/* ---------------------------------------------------------------- reading */

static void copy_string(char *out, size_t n_out, const firn_json_node *object, const char *key)
{
    snprintf(out, n_out, "%s", firn_json_string_of(object, key, ""));
}

static char *copy_span(const char *text, size_t first, size_t last)
{
    char *copy = firn_memory_allocate(NULL, last - first + 1);
    if (copy) memcpy(copy, text + first, last - first);
    return copy;
}

static int take_record(const firn_json_node *root, const char *key, firn_file_receipt *good)
{
    const firn_json_node *record = firn_json_member(root, key);
    double bytes = firn_json_number_of(record, "bytes", -1);
    good->n_bytes = bytes >= 0 && bytes < 1e15 ? (uint64_t)bytes : 0;
    return bytes >= 0 && bytes < 1e15 && firn_json_hex_of(record, "checksum", &good->checksum);
}

static int take_manifest(firn_manifest *manifest, const firn_json_node *root, const char *text)
{
    copy_string(manifest->name, sizeof manifest->name, root, "name");
    copy_string(manifest->state, sizeof manifest->state, root, "state");
    copy_string(manifest->why, sizeof manifest->why, root, "why");
    copy_string(manifest->started, sizeof manifest->started, root, "started");
    const firn_json_node *machine = firn_json_member(root, "machine");
    copy_string(manifest->isa, sizeof manifest->isa, machine, "isa");
    manifest->n_threads = (int)firn_json_number_of(machine, "threads", 0);
    manifest->fps = firn_json_number_of(root, "fps", 0);
    manifest->n_subframes = (int)firn_json_number_of(root, "moments_per_frame", 1);
    manifest->n_output_times = (int64_t)firn_json_number_of(root, "moments", 0);
    manifest->last_frame = (int)firn_json_number_of(root, "last_frame", 0);
    manifest->last_sub = (int)firn_json_number_of(root, "last_sub", 0);
    const firn_json_node *scene = firn_json_member(root, "scene"),
                         *history = firn_json_member(root, "history"),
                         *inputs = firn_json_member(root, "inputs");
    if (!take_record(root, "frames", &manifest->frames) ||
        !take_record(root, "ledger", &manifest->ledger))
        return 0;
    if (!firn_json_hex_of(root, "scene_hash", &manifest->scene_hash)) return 0;
    if (!scene || scene->type != FIRN_JSON_OBJECT || !history || history->type != FIRN_JSON_ARRAY)
        return 0;
    manifest->has_inputs = inputs && inputs->type == FIRN_JSON_ARRAY;
    if (manifest->has_inputs)
        manifest->inputs_json = copy_span(text, inputs->first_byte, inputs->last_byte);
    manifest->scene_json = copy_span(text, scene->first_byte, scene->last_byte);
    const firn_json_node *last = history->first;
    while (last && last->next) last = last->next;
    manifest->history_json = history->first
                                 ? copy_span(text, history->first->first_byte, last->last_byte)
                                 : firn_memory_string(NULL, "");
    return 1;
}

firn_status firn_manifest_read(const char *folder, firn_manifest *manifest, firn_messages *messages)
{
    char path[PATH_ROOM];
    size_t n;
    *manifest = (firn_manifest){0};
    snprintf(path, sizeof path, "%s/%s", folder, FIRN_MANIFEST_NAME);
    if (access(folder, F_OK) != 0)
        return firn_messages_add(messages, FIRN_IO, "%s: %s", folder, firn_file_reason(errno));
    if (!firn_manifest_exists(folder))
        return firn_messages_add(messages, FIRN_IO, "%s: not the folder of a shot (no %s in it)",
                                 folder, FIRN_MANIFEST_NAME);
    char *text = firn_file_text(path, TEXT_MAX, &n, messages);
    if (!text) return FIRN_IO;
    firn_status status = FIRN_OK;
    firn_json *json = NULL;
    if (!firn_json_is_sealed(text, n, "checksum", 1))
        status =
            firn_messages_add(messages, FIRN_IO, "%s: damaged (checksum does not match)", path);
    else if (!(json = firn_json_parse(text, n, path, messages)))
        status = FIRN_IO;
    else if (firn_json_number_of(firn_json_root(json), "manifest", 0) != FORMAT_VERSION)
        status = firn_messages_add(messages, FIRN_IO,
                                   "%s: written by another version of firn; allowed: version %d",
                                   path, FORMAT_VERSION);
    else if (!take_manifest(manifest, firn_json_root(json), text))
        status = firn_messages_add(messages, FIRN_IO, "%s: members are missing", path);
    else if (!manifest->scene_json || !manifest->history_json ||
             (manifest->has_inputs && !manifest->inputs_json))
        status = firn_messages_no_memory(messages, "%s: manifest", folder);
    firn_json_destroy(json);
    firn_memory_release(NULL, text, n + 1);
    if (status != FIRN_OK) firn_manifest_clear(manifest);
    return status;
}

/* ---------------------------------------------------------------- lines */

static void put_stats(firn_json_writer *w, const firn_stats *stats)
{
    firn_json_begin(w, "dt", '{');
    firn_json_number(w, "dt", stats->limit.dt);
    firn_json_string(w, "criterion", stats->limit.criterion ? stats->limit.criterion : "");
    firn_json_string(w, "material", stats->limit.material ? stats->limit.material : "");
    firn_json_integer(w, "particle", stats->limit.particle);
    firn_json_end(w);
    firn_json_integer(w, "steps", stats->n_steps);
    firn_json_integer(w, "retries", stats->n_retries);
    firn_json_integer(w, "particles", stats->n_particles);
    firn_json_integer(w, "blocks", stats->n_blocks);
    firn_json_integer(w, "lost", stats->n_lost);
    firn_json_integer(w, "inverted", stats->n_inverted);
    int64_t n_bounded = 0;
    for (int kind = 0; kind < FIRN_N_BOUNDS; kind++) n_bounded += stats->n_bounded[kind];
    firn_json_integer(w, "bounded", n_bounded);
    firn_json_integer(w, "memory", (int64_t)stats->memory_now);
    firn_json_integer(w, "memory_peak", (int64_t)stats->memory_peak);
}

const char *firn_manifest_line(firn_json_writer *w, const firn_shot_time *output_time,
                               uint64_t ledger_bytes, int n_files, const firn_shot_file *files,
                               size_t *n)
{
    firn_json_init(w, 0);
    firn_json_begin(w, NULL, '{');
    firn_json_integer(w, "frame", output_time->frame);
    firn_json_integer(w, "sub", output_time->sub);
    firn_json_number(w, "time", output_time->time);
    firn_json_number(w, "wall_seconds", output_time->wall_seconds);
    if (output_time->state_hash) firn_json_hex(w, "state_hash", output_time->state_hash);
    put_stats(w, &output_time->stats);
    firn_json_begin(w, "files", '[');
    for (int i = 0; i < n_files; i++) {
        firn_json_begin(w, NULL, '{');
        firn_json_string(w, "name", files[i].name);
        firn_json_integer(w, "bytes", (int64_t)files[i].receipt.n_bytes);
        firn_json_hex(w, "checksum", files[i].receipt.checksum);
        firn_json_end(w);
    }
    firn_json_end(w);
    firn_json_begin(w, "ledgers", '[');
    for (int i = 0; i < output_time->n_ledgers; i++)
        firn_ledger_csv_json(w, &output_time->ledgers[i]);
    firn_json_end(w);
    firn_json_integer(w, "ledger_bytes", (int64_t)ledger_bytes);
    firn_json_seal(w, "sum");
    return firn_json_finish(w, n);
}

static firn_status bad_line(const char *folder, int64_t line, const char *what,
                            firn_messages *messages)
{
    return firn_messages_add(messages, FIRN_IO, "%s/%s:%lld: %s", folder, FIRN_MANIFEST_FRAMES,
                             (long long)line, what);
}

/* Fills *output_time from a line's object; `files` has room for FILES_MAX. */
static int take_line(firn_manifest_time *output_time, const firn_json_node *node,
                     firn_shot_file *files)
{
    double frame = firn_json_number_of(node, "frame", -1),
           sub = firn_json_number_of(node, "sub", -1);
    double ledger_bytes = firn_json_number_of(node, "ledger_bytes", -1);
    const firn_json_node *list = firn_json_member(node, "files");
    if (!(frame >= 0 && frame <= INT32_MAX) || !(sub >= 0 && sub <= INT32_MAX)) return 0;
    if (!(ledger_bytes >= 0 && ledger_bytes < 1e15) || !list || list->n_items > FILES_MAX) return 0;
    output_time->frame = (int)frame;
    output_time->sub = (int)sub;
    output_time->ledger_bytes = (uint64_t)ledger_bytes;
    output_time->time = firn_json_number_of(node, "time", 0);
    output_time->state_hash = 0;
    firn_json_hex_of(node, "state_hash", &output_time->state_hash);
    output_time->files = files;
    output_time->n_files = 0;
    output_time->node = node;
    for (const firn_json_node *item = list->first; item; item = item->next) {
        firn_shot_file *file = &files[output_time->n_files++];
        const char *name = firn_json_string_of(item, "name", "");
        double bytes = firn_json_number_of(item, "bytes", -1);
        if (!*name || strlen(name) >= sizeof file->name || strchr(name, '/') ||
            !(bytes >= 0 && bytes < 1e15))
            return 0;
        strcpy(file->name, name);
        file->receipt.n_bytes = (uint64_t)bytes;
        if (!firn_json_hex_of(item, "checksum", &file->receipt.checksum)) return 0;
    }
    return 1;
}

/* A reading of frames.jsonl. */
typedef struct walk {
    const char *folder;
    void (*visit)(void *user, const firn_manifest_time *output_time);
    void *user;
    firn_messages *messages;
    firn_shot_file *files;
    firn_text text;      /* of the line, as far as it has been read */
    int is_long;         /* the line exceeds LINE_MAX_BYTES; the rest of it is skipped */
    int64_t line;        /* lines before this one */
    uint64_t first_byte; /* of the line in the file */
    firn_status status;  /* of the first damaged line */
} walk;

static firn_status take_text(walk *w, uint64_t last_byte)
{
    char name[PATH_ROOM];
    firn_manifest_time output_time = {.first_byte = w->first_byte, .last_byte = last_byte};
    if (w->is_long) return bad_line(w->folder, w->line, "line longer than 64 MiB", w->messages);
    if (w->text.has_failed) return firn_messages_no_memory(w->messages, "%s: records", w->folder);
    if (!firn_json_is_sealed(w->text.data, w->text.n, "sum", 0))
        return bad_line(w->folder, w->line, "damaged (checksum of the line does not match)",
                        w->messages);
    snprintf(name, sizeof name, "%s/%s", w->folder, FIRN_MANIFEST_FRAMES);
    firn_json *json = firn_json_parse(w->text.data, w->text.n, name, w->messages);
    if (!json) return firn_file_failure(w->messages);
    firn_status status = FIRN_OK;
    if (take_line(&output_time, firn_json_root(json), w->files))
        w->visit(w->user, &output_time);
    else
        status = bad_line(w->folder, w->line, "members are missing or out of range", w->messages);
    firn_json_destroy(json);
    return status;
}

static void end_line(walk *w, uint64_t last_byte)
{
    w->line++;
    firn_status status = take_text(w, last_byte);
    if (w->status == FIRN_OK) w->status = status;
    w->first_byte = last_byte;
    w->text.n = 0;
    w->is_long = 0;
}

/* n bytes of the file that begin at byte `at`. */
static void take_piece(walk *w, const char *piece, size_t n, uint64_t at)
{
    for (size_t first = 0; first < n;) {
        const char *end = memchr(piece + first, '\n', n - first);
        size_t last = end ? (size_t)(end - piece) + 1 : n;
        w->is_long |= w->text.n + (last - first) > LINE_MAX_BYTES;
        if (!w->is_long) firn_text_add_bytes(&w->text, piece + first, last - first);
        if (end) end_line(w, at + last);
        first = last;
    }
}

/* The first `good` bytes, line by line. FIRN_IO: the file cannot be read to there. */
static firn_status take_lines(walk *w, firn_file_reader *reader, uint64_t good, firn_hash *hash)
{
    char piece[PIECE];
    while (hash->n_bytes < good) {
        uint64_t left = good - hash->n_bytes;
        size_t n = left < PIECE ? (size_t)left : PIECE;
        firn_status status = firn_file_read(reader, piece, n, "the records", w->messages);
        if (status != FIRN_OK) return status;
        take_piece(w, piece, n, hash->n_bytes);
        firn_hash_update(hash, piece, n);
    }
    if (w->first_byte < good) end_line(w, good);
    return FIRN_OK;
}

static firn_status walk_file(walk *w, const firn_file_receipt *good)
{
    char path[PATH_ROOM];
    firn_hash hash;
    firn_hash_init(&hash);
    snprintf(path, sizeof path, "%s/%s", w->folder, FIRN_MANIFEST_FRAMES);
    firn_file_reader *reader = firn_file_open(path, 0, w->messages);
    if (!reader) return firn_file_failure(w->messages);
    uint64_t there = firn_file_left(reader);
    firn_status status =
        take_lines(w, reader, there < good->n_bytes ? there : good->n_bytes, &hash);
    firn_file_close(reader);
    if (status != FIRN_OK) return status;
    if (there < good->n_bytes)
        return firn_messages_add(w->messages, FIRN_IO, "%s: cut off (%llu of %llu bytes)", path,
                                 (unsigned long long)there, (unsigned long long)good->n_bytes);
    if (firn_hash_value(&hash) != good->checksum)
        return firn_messages_add(w->messages, FIRN_IO, "%s: damaged (checksum does not match)",
                                 path);
    return w->status;
}

firn_status firn_manifest_walk(const char *folder, const firn_manifest *manifest,
                               void (*visit)(void *user, const firn_manifest_time *output_time),
                               void *user, firn_messages *messages)
{
    if (manifest->n_output_times == 0) return FIRN_OK;
    walk w = {.folder = folder,
              .visit = visit,
              .user = user,
              .messages = messages,
              .files = firn_memory_array(NULL, FILES_MAX, sizeof(firn_shot_file))};
    if (!w.files) return firn_messages_no_memory(messages, "%s: records", folder);
    firn_status status = walk_file(&w, &manifest->frames);
    firn_text_clear(&w.text);
    firn_memory_release(NULL, w.files, FILES_MAX * sizeof(firn_shot_file));
    return status;
}
