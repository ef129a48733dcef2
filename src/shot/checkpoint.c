/* SPDX-License-Identifier: MIT */
/* checkpoint.c: complete states on disk.
 *
 *     offset  bytes  little-endian
 *          0      8  "FIRNCKPT"
 *          8      4  version of this layout: 2; 1 has no state hash, its header ends at 56
 *         12      4  0
 *         16      8  scene hash
 *         24      4  frame
 *         28      4  sub-frame
 *         32      8  time, s (IEEE double)
 *         40      8  step
 *         48      8  n, length of the state
 *         56      8  state hash (firn_sim_hash)
 *         64      n  the bytes of firn_sim_save
 *     64 + n      8  checksum (hash.h) of everything before it
 *
 * Not compressed: for half a million particles (71 MB) zlib at its fastest takes 1.4 s where
 * writing takes 0.04 s of processor time, and saves little more than a quarter. */
#include "shot/checkpoint.h"
#include "shot/manifest.h"
#include "base/memory.h"
#include "base/messages.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HEADER = 64, HEADER_1 = 56, VERSION = 2, PATH_ROOM = FIRN_CHECKPOINT_ROOM, LISTED = 4096 };
static const char MAGIC[] = "FIRNCKPT";

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "numbers are copied as they lie in memory");

static void folder_of(const char *shot_folder, char *folder)
{
    snprintf(folder, PATH_ROOM, "%s/%s", shot_folder, FIRN_MANIFEST_CHECKPOINTS);
}

/* The frame in a name checkpoint.NNNNNN.firn; -1: not such a name. */
static int frame_of(const char *name)
{
    if (strncmp(name, "checkpoint.", 11) != 0) return -1;
    const char *p = name + 11;
    long long frame = 0;
    int n = 0;
    for (; n < 10 && isdigit((unsigned char)p[n]); n++) frame = frame * 10 + (p[n] - '0');
    return n >= 6 && strcmp(p + n, ".firn") == 0 && frame <= INT32_MAX ? (int)frame : -1;
}

/* ---------------------------------------------------------------- the list of those that are there
 */

typedef struct list {
    int n, frames[LISTED]; /* ascending */
} list;

static void note_frame(void *user, const char *name)
{
    list *l = user;
    int frame = frame_of(name);
    if (frame >= 0 && l->n < LISTED) l->frames[l->n++] = frame;
}

static int compare_ints(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static firn_status find_all(const char *folder, list *l, firn_messages *messages)
{
    l->n = 0;
    firn_status status = firn_file_list(folder, note_frame, l, messages);
    qsort(l->frames, (size_t)l->n, sizeof(int), compare_ints);
    return status;
}

static firn_status drop(const char *folder, int frame, firn_messages *messages)
{
    char path[PATH_ROOM];
    snprintf(path, sizeof path, "%.4000s/checkpoint.%06d.firn", folder, frame);
    return firn_file_remove(path, messages);
}

firn_status firn_checkpoint_drop_after(const char *shot_folder, int frame, firn_messages *messages)
{
    char folder[PATH_ROOM];
    list l;
    folder_of(shot_folder, folder);
    if (access(folder, F_OK) != 0) return FIRN_OK;
    firn_status status = firn_file_refuse_link(folder, messages);
    if (status == FIRN_OK) status = firn_file_sweep(folder, messages);
    if (status == FIRN_OK) status = find_all(folder, &l, messages);
    for (int i = 0; status == FIRN_OK && i < l.n; i++)
        if (l.frames[i] > frame) status = drop(folder, l.frames[i], messages);
    return status;
}

/* ---------------------------------------------------------------- writing */

static void pack(unsigned char header[HEADER], const firn_checkpoint_info *info, uint64_t n_state)
{
    uint32_t version = VERSION;
    memset(header, 0, HEADER);
    memcpy(header, MAGIC, 8);
    memcpy(header + 8, &version, 4);
    memcpy(header + 16, &info->scene_hash, 8);
    memcpy(header + 24, &info->frame, 4);
    memcpy(header + 28, &info->sub, 4);
    memcpy(header + 32, &info->time, 8);
    memcpy(header + 40, &info->step, 8);
    memcpy(header + 48, &n_state, 8);
    memcpy(header + 56, &info->state_hash, 8);
}

firn_status firn_checkpoint_begin(firn_checkpoint_writer *writer, const char *shot_folder,
                                  const firn_checkpoint_info *info, size_t n_state,
                                  firn_messages *messages)
{
    unsigned char header[HEADER];
    char path[PATH_ROOM + 64];
    folder_of(shot_folder, writer->folder);
    firn_status status = firn_file_refuse_link(writer->folder, messages);
    if (status == FIRN_OK) status = firn_file_make_folder(writer->folder, messages);
    snprintf(path, sizeof path, "%s/checkpoint.%06d.firn", writer->folder, info->frame);
    if (status == FIRN_OK) status = firn_file_refuse_link(path, messages);
    if (status != FIRN_OK) return status;
    writer->file = firn_file_create(path, 0, messages);
    if (!writer->file) return firn_file_failure(messages);
    firn_hash_init(&writer->hash);
    pack(header, info, n_state);
    firn_checkpoint_put(writer, header, HEADER);
    return FIRN_OK;
}

void firn_checkpoint_put(void *user, const void *data, size_t n_bytes)
{
    firn_checkpoint_writer *writer = user;
    firn_hash_update(&writer->hash, data, n_bytes);
    firn_file_write(writer->file, data, n_bytes);
}

firn_status firn_checkpoint_end(firn_checkpoint_writer *writer, int keep, firn_messages *messages)
{
    uint64_t sum = firn_hash_value(&writer->hash);
    firn_file_write(writer->file, &sum, 8);
    firn_status status = firn_file_commit(writer->file, NULL, messages);

    /* Old ones are removed only once the new one is synced. */
    list l;
    if (status == FIRN_OK) status = find_all(writer->folder, &l, messages);
    for (int i = 0; status == FIRN_OK && i < l.n - (keep > 1 ? keep : 1); i++)
        status = drop(writer->folder, l.frames[i], messages);
    return status;
}

firn_status firn_checkpoint_write(const char *shot_folder, const firn_checkpoint_info *info,
                                  const void *state, size_t n_state, int keep,
                                  firn_messages *messages)
{
    firn_checkpoint_writer writer;
    firn_status status = firn_checkpoint_begin(&writer, shot_folder, info, n_state, messages);
    if (status != FIRN_OK) return status;
    firn_checkpoint_put(&writer, state, n_state);
    return firn_checkpoint_end(&writer, keep, messages);
}

/* ---------------------------------------------------------------- reading */

static firn_status damaged(const char *path, const char *what, firn_messages *messages)
{
    return firn_messages_add(messages, FIRN_IO, "%s: damaged (%s)", path, what);
}

/* The header; *n_state is bounded by the file. */
static firn_status take_header(firn_file_reader *reader, unsigned char header[HEADER],
                               size_t *n_header, firn_checkpoint_info *info, uint64_t *n_state,
                               firn_messages *messages)
{
    const char *path = firn_file_path(reader);
    uint32_t version;
    firn_status status = firn_file_read(reader, header, HEADER_1, "the header", messages);
    if (status != FIRN_OK) return status;
    memcpy(&version, header + 8, 4);
    memcpy(&info->scene_hash, header + 16, 8);
    memcpy(&info->frame, header + 24, 4);
    memcpy(&info->sub, header + 28, 4);
    memcpy(&info->time, header + 32, 8);
    memcpy(&info->step, header + 40, 8);
    memcpy(n_state, header + 48, 8);
    if (memcmp(header, MAGIC, 8) != 0)
        return firn_messages_add(messages, FIRN_IO, "%s: not a checkpoint of firn", path);
    if (version < 1 || version > VERSION)
        return firn_messages_add(messages, FIRN_IO,
                                 "%s: layout %u cannot be read; allowed: 1 to %d", path, version,
                                 VERSION);
    info->state_hash = 0;
    *n_header = version == 1 ? HEADER_1 : HEADER;
    if (version > 1)
        status =
            firn_file_read(reader, header + HEADER_1, HEADER - HEADER_1, "the header", messages);
    if (status != FIRN_OK) return status;
    if (version > 1) memcpy(&info->state_hash, header + 56, 8);
    uint64_t left = firn_file_left(reader);
    if (left < 8 || *n_state != left - 8)
        return damaged(path, "its length is not that in its header", messages);
    return FIRN_OK;
}

/* Reads a state into *state, or only checks it when state is NULL. */
static firn_status take(const char *path, firn_checkpoint_info *info, void **state, size_t *n_state,
                        firn_messages *messages)
{
    unsigned char header[HEADER], piece[65536] = {0};
    size_t n_header = 0;
    uint64_t n = 0, sum = 0;
    firn_file_reader *reader = firn_file_open(path, 0, messages);
    if (!reader) return firn_file_failure(messages);
    firn_status status = take_header(reader, header, &n_header, info, &n, messages);
    firn_hash hash;
    firn_hash_init(&hash);
    firn_hash_update(&hash, header, n_header);
    unsigned char *out = NULL;
    if (status == FIRN_OK && state && !(out = firn_memory_allocate(NULL, n)))
        status = firn_messages_no_memory(messages, "%s: state", path);
    for (uint64_t done = 0; status == FIRN_OK && done < n;) {
        size_t part = n - done < sizeof piece ? (size_t)(n - done) : sizeof piece;
        unsigned char *to = out ? out + done : piece;
        status = firn_file_read(reader, to, part, "the state", messages);
        if (status == FIRN_OK) firn_hash_update(&hash, to, part);
        done += part;
    }
    if (status == FIRN_OK) status = firn_file_read(reader, &sum, 8, "the checksum", messages);
    if (status == FIRN_OK && sum != firn_hash_value(&hash))
        status = damaged(path, "checksum does not match", messages);
    firn_file_close(reader);
    if (status == FIRN_OK && state) {
        *state = out;
        *n_state = n;
        return FIRN_OK;
    }
    firn_memory_release(NULL, out, n);
    return status;
}

firn_status firn_checkpoint_verify(const char *path, firn_checkpoint_info *info,
                                   firn_messages *messages)
{
    return take(path, info, NULL, NULL, messages);
}

/* ---------------------------------------------------------------- of this shot or of another */

void firn_checkpoint_find_record(const firn_checkpoint_info *info,
                                 const firn_manifest_time *output_time,
                                 firn_checkpoint_record *record)
{
    if (output_time->frame != info->frame || output_time->sub != info->sub) return;
    record->is_found = 1;
    record->time = output_time->time;
    record->step = (int64_t)firn_json_number_of(output_time->node, "steps", 0);
    record->state_hash = output_time->state_hash;
}

/* Each run and resume of the shot has its scene hash in the history. */
static int is_in_history(const firn_manifest *manifest, uint64_t scene_hash)
{
    char member[64];
    snprintf(member, sizeof member, "\"scene_hash\": \"%016llx\"", (unsigned long long)scene_hash);
    return scene_hash == manifest->scene_hash || strstr(manifest->history_json, member) != NULL;
}

static firn_status foreign(const char *path, firn_messages *messages, const char *format, ...)
    FIRN_PRINTF(3, 4);

static firn_status foreign(const char *path, firn_messages *messages, const char *format, ...)
{
    char why[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    return firn_messages_add(messages, FIRN_IO, "%s: not a checkpoint of this shot (%s)", path,
                             why);
}

/* A state saved at an output time has the step of its record, and then its hash. One saved
 * between two output times is of a later step than the record of the first. */
firn_status firn_checkpoint_compare(const char *path, const firn_checkpoint_info *info,
                                    const firn_manifest *manifest,
                                    const firn_checkpoint_record *record, firn_messages *messages)
{
    const char *slash = strrchr(path, '/');
    int named = frame_of(slash ? slash + 1 : path);
    if (named != info->frame)
        return foreign(path, messages, "frame %d in its name, frame %d in its header", named,
                       info->frame);
    if (!is_in_history(manifest, info->scene_hash))
        return foreign(path, messages, "its scene, %016llx, is not in the history of the manifest",
                       (unsigned long long)info->scene_hash);
    if (!record->is_found)
        return foreign(path, messages, "frame %d, sub-frame %d is not in the records", info->frame,
                       info->sub);
    if (info->step < record->step || info->time < record->time)
        return foreign(path, messages, "step %lld, frame %d has step %lld in the records",
                       (long long)info->step, info->frame, (long long)record->step);
    if (info->step == record->step && info->state_hash && record->state_hash &&
        info->state_hash != record->state_hash)
        return foreign(path, messages, "state %016llx, frame %d has state %016llx in the records",
                       (unsigned long long)info->state_hash, info->frame,
                       (unsigned long long)record->state_hash);
    return FIRN_OK;
}

typedef struct search {
    const firn_checkpoint_info *info;
    firn_checkpoint_record record;
} search;

static void find_record(void *user, const firn_manifest_time *output_time)
{
    search *s = user;
    firn_checkpoint_find_record(s->info, output_time, &s->record);
}

/* Reads one of the shot's checkpoints. FIRN_IO: damaged or of another shot. Damaged records are
 * not reported here: firn_shot_resume reads them too and refuses. */
static firn_status take_own(const char *shot_folder, const firn_manifest *manifest,
                            firn_checkpoint *checkpoint, firn_messages *messages)
{
    search s = {.info = &checkpoint->info};
    firn_status status = take(checkpoint->path, &checkpoint->info, &checkpoint->state,
                              &checkpoint->n_state, messages);
    if (status != FIRN_OK || !manifest) return status;
    if (firn_manifest_walk(shot_folder, manifest, find_record, &s, NULL) != FIRN_OK) return FIRN_OK;
    status =
        firn_checkpoint_compare(checkpoint->path, &checkpoint->info, manifest, &s.record, messages);
    if (status == FIRN_OK) return FIRN_OK;
    firn_memory_release(NULL, checkpoint->state, checkpoint->n_state);
    checkpoint->state = NULL;
    checkpoint->n_state = 0;
    return status;
}

/* The newest that can be taken; *n_tried of them were looked at. */
static firn_status take_newest(const char *shot_folder, const firn_manifest *manifest,
                               const list *l, int max_frame, firn_checkpoint *checkpoint,
                               int *n_tried, firn_messages *messages)
{
    for (int i = l->n - 1; i >= 0; i--) {
        if (l->frames[i] > max_frame) continue;
        ++*n_tried;
        snprintf(checkpoint->path, sizeof checkpoint->path, "%.1100s/%s/checkpoint.%06d.firn",
                 shot_folder, FIRN_MANIFEST_CHECKPOINTS, l->frames[i]);
        firn_messages *why = firn_messages_create();
        if (!why) return firn_messages_no_memory(messages, "%s: checkpoint", shot_folder);
        firn_status status = take_own(shot_folder, manifest, checkpoint, why);
        const char *reason = firn_messages_text(why, 0, NULL);
        if (status == FIRN_IO)
            firn_messages_warn(messages, "checkpoint skipped: %s", reason);
        else if (status != FIRN_OK)
            firn_messages_add(messages, status, "%s", reason);
        firn_messages_destroy(why);
        if (status != FIRN_IO) return status;
    }
    return FIRN_IO;
}

static firn_status none_found(const char *shot_folder, const list *l, int n_tried,
                              firn_messages *messages)
{
    if (n_tried)
        return firn_messages_add(messages, FIRN_IO, "%s: none of %d checkpoints can be used",
                                 shot_folder, n_tried);
    if (l->n)
        return firn_messages_add(messages, FIRN_IO,
                                 "%s: no checkpoint of that frame or an earlier one; the earliest "
                                 "is of frame %d",
                                 shot_folder, l->frames[0]);
    return firn_messages_add(messages, FIRN_IO,
                             "%s: no checkpoint is left to continue from; its frames stay as they "
                             "are; try: firn run of its scene, with --out elsewhere or "
                             "--overwrite, which gives the same frames and goes on",
                             shot_folder);
}

firn_status firn_checkpoint_read(const char *shot_folder, int max_frame,
                                 firn_checkpoint *checkpoint, firn_messages *messages)
{
    char folder[PATH_ROOM];
    list l = {0};
    int n_tried = 0, has_manifest = firn_manifest_exists(shot_folder);
    firn_manifest manifest = {0};
    *checkpoint = (firn_checkpoint){0};
    folder_of(shot_folder, folder);
    if (access(folder, F_OK) != 0) return none_found(shot_folder, &l, 0, messages);
    firn_status status = find_all(folder, &l, messages);
    if (status == FIRN_OK && has_manifest)
        status = firn_manifest_read(shot_folder, &manifest, messages);
    if (status == FIRN_OK) {
        status = take_newest(shot_folder, has_manifest ? &manifest : NULL, &l, max_frame,
                             checkpoint, &n_tried, messages);
        if (status == FIRN_IO) none_found(shot_folder, &l, n_tried, messages);
    }
    firn_manifest_clear(&manifest);
    if (status != FIRN_OK) *checkpoint = (firn_checkpoint){0};
    return status;
}

void firn_checkpoint_clear(firn_checkpoint *checkpoint)
{
    firn_memory_release(NULL, checkpoint->state, checkpoint->n_state);
    *checkpoint = (firn_checkpoint){0};
}
