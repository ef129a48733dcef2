/* SPDX-License-Identifier: MIT */
/* shot_verify.c: compares a shot with its manifest and records (see shot.h for what a kill may
 * leave, manifest.h for the checksums). */
#include "shot/shot_verify.h"
#include "shot/checkpoint.h"
#include "points/format.h"
#include "shot/manifest.h"
#include "shot/shot_clean.h"
#include "base/memory.h"
#include "base/messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_ROOM = 4096 };

/* A cache that is in the records; sorted by name once all are collected. */
typedef struct recorded {
    char name[sizeof((firn_shot_file *)0)->name];
} recorded;

/* A complete checkpoint, and the record of its frame. */
typedef struct held {
    char name[32];
    firn_checkpoint_info info;
    firn_checkpoint_record record;
} held;

typedef struct checking {
    const char *folder;
    const firn_manifest *manifest;
    firn_verify_shot *result;
    firn_messages *messages;
    recorded *known;
    size_t n_known, room;
    held *checkpoints;
    int n_checkpoints, n_room; /* n_room: entries of their folder */
    int has_no_memory;
    firn_clean_ranges cleaned;
} checking;

/* A run that was killed, or stopped by an error of the disk, may leave the beginning of one more
 * output time. */
static int may_have_rest(const checking *c)
{
    const char *state = c->manifest->state;
    return strcmp(state, "running") == 0 || strcmp(state, "failed") == 0 ||
           strcmp(state, "stopped") == 0; /* of versions that had no "failed" */
}

static void problem(checking *c) { c->result->n_problems++; }

/* Compares one file with its receipt in the records. */
static void check_receipt(checking *c, const char *name, const firn_file_receipt *wanted)
{
    char path[PATH_ROOM];
    firn_file_receipt found;
    snprintf(path, sizeof path, "%s/%s", c->folder, name);
    if (access(path, F_OK) != 0) {
        firn_messages_add(c->messages, FIRN_IO, "%s: missing", path);
        problem(c);
        return;
    }
    if (firn_file_receipt_of(path, UINT64_MAX, &found, c->messages) != FIRN_OK) {
        problem(c);
        return;
    }
    c->result->bytes += found.n_bytes;
    if (found.n_bytes == wanted->n_bytes && found.checksum == wanted->checksum) return;
    problem(c);
    if (found.n_bytes != wanted->n_bytes)
        firn_messages_add(c->messages, FIRN_IO, "%s: %s (%llu bytes instead of %llu)", path,
                          found.n_bytes < wanted->n_bytes ? "cut off" : "longer, or another file",
                          (unsigned long long)found.n_bytes, (unsigned long long)wanted->n_bytes);
    else
        firn_messages_add(c->messages, FIRN_IO, "%s: damaged (checksum does not match)", path);
}

static void remember(checking *c, const char *name)
{
    if (c->n_known == c->room) {
        size_t room = c->room ? 2 * c->room : 256;
        recorded *grown = firn_memory_array(NULL, room, sizeof *grown);
        if (!grown) {
            c->has_no_memory = 1;
            return;
        }
        if (c->n_known) memcpy(grown, c->known, c->n_known * sizeof *grown);
        firn_memory_release(NULL, c->known, c->room * sizeof *grown);
        c->known = grown;
        c->room = room;
    }
    strcpy(c->known[c->n_known++].name, name);
}

/* A cache that firn clean has removed is not missed. */
static int is_cleaned(checking *c, int frame, const char *name)
{
    char path[PATH_ROOM];
    if (!firn_clean_has(&c->cleaned, frame)) return 0;
    snprintf(path, sizeof path, "%s/%s", c->folder, name);
    if (access(path, F_OK) == 0) return 0;
    c->result->n_cleaned++;
    return 1;
}

static void check_output_time(void *user, const firn_manifest_time *output_time)
{
    checking *c = user;
    c->result->n_output_times++;
    c->result->last_frame = output_time->frame;
    for (int i = 0; i < c->n_checkpoints; i++)
        firn_checkpoint_find_record(&c->checkpoints[i].info, output_time,
                                    &c->checkpoints[i].record);
    for (int i = 0; i < output_time->n_files; i++) {
        remember(c, output_time->files[i].name);
        if (is_cleaned(c, output_time->frame, output_time->files[i].name)) continue;
        c->result->n_files++;
        check_receipt(c, output_time->files[i].name, &output_time->files[i].receipt);
    }
}

/* ledger.csv and frames.jsonl may be longer than their good part after a kill, and only then. */
static void check_record(checking *c, const char *name, const firn_file_receipt *good)
{
    char path[PATH_ROOM];
    firn_file_receipt part, all;
    snprintf(path, sizeof path, "%s/%s", c->folder, name);
    if (firn_file_receipt_of(path, good->n_bytes, &part, c->messages) != FIRN_OK ||
        firn_file_receipt_of(path, UINT64_MAX, &all, c->messages) != FIRN_OK) {
        problem(c);
        return;
    }
    c->result->bytes += part.n_bytes;
    if (part.n_bytes < good->n_bytes) {
        firn_messages_add(c->messages, FIRN_IO, "%s: cut off (%llu of %llu bytes)", path,
                          (unsigned long long)part.n_bytes, (unsigned long long)good->n_bytes);
        problem(c);
    } else if (part.checksum != good->checksum) {
        firn_messages_add(c->messages, FIRN_IO, "%s: damaged (checksum does not match)", path);
        problem(c);
    } else if (all.n_bytes > good->n_bytes) {
        unsigned long long extra = all.n_bytes - good->n_bytes;
        if (may_have_rest(c)) {
            firn_messages_warn(c->messages,
                               "%s: %llu bytes after the last complete record, left by a run that "
                               "was killed or stopped",
                               path, extra);
        } else {
            firn_messages_add(c->messages, FIRN_IO, "%s: %llu bytes too long", path, extra);
            problem(c);
        }
    }
}

static int compare_recorded(const void *a, const void *b)
{
    return strcmp(((const recorded *)a)->name, ((const recorded *)b)->name);
}

/* A cache that is not in the records is foreign where this shot writes its format; else it may
 * have been converted from one. */
static int writes_format(const checking *c, const firn_format *format)
{
    for (size_t i = 0; i < c->n_known; i++)
        if (firn_format_of(c->known[i].name) == format) return 1;
    return 0;
}

static void check_entry(void *user, const char *name)
{
    checking *c = user;
    int frame, thousandths;
    size_t n_stem;
    if (firn_file_is_temporary(name)) {
        firn_messages_warn(c->messages, "%s/%s: left by a run that was killed; resume removes it",
                           c->folder, name);
        return;
    }
    recorded wanted;
    if (!firn_shot_is_cache_name(name)) return; /* pictures, records, other files */
    if (strlen(name) < sizeof wanted.name) {
        strcpy(wanted.name, name);
        if (c->n_known && bsearch(&wanted, c->known, c->n_known, sizeof wanted, compare_recorded))
            return;
    }
    int is_ours = firn_shot_parse_name(name, c->manifest->name, &frame, &thousandths, &n_stem);
    int is_later =
        is_ours && (c->manifest->n_output_times == 0 || frame > c->manifest->last_frame ||
                    (frame == c->manifest->last_frame && thousandths > 0));
    if (is_later && may_have_rest(c)) {
        firn_messages_warn(c->messages, "%s/%s: not yet in the records; resume writes it anew",
                           c->folder, name);
    } else if (writes_format(c, firn_format_of(name))) {
        firn_messages_add(c->messages, FIRN_IO, "%s/%s: foreign (%snot in the records)", c->folder,
                          name, is_ours ? "" : "named as a cache of another shot, ");
        problem(c);
    } else {
        firn_messages_warn(c->messages, "%s/%s: not checked (not in the records; converted?)",
                           c->folder, name);
    }
}

/* ---------------------------------------------------------------- checkpoints */

static void count_one(void *user, const char *name)
{
    (void)name;
    ++*(int *)user;
}

static void read_one(void *user, const char *name)
{
    checking *c = user;
    char path[PATH_ROOM];
    held *h = &c->checkpoints[c->n_checkpoints];
    snprintf(path, sizeof path, "%s/%s/%s", c->folder, FIRN_MANIFEST_CHECKPOINTS, name);
    if (firn_file_is_temporary(name)) {
        firn_messages_warn(c->messages, "%s: left by a run that was killed; resume removes it",
                           path);
        return;
    }
    if (strncmp(name, "checkpoint.", 11) != 0) return;
    if (c->n_checkpoints == c->n_room) return; /* of a run that goes on meanwhile */
    c->result->n_checkpoints++;
    if (firn_checkpoint_verify(path, &h->info, c->messages) != FIRN_OK) {
        problem(c);
        return;
    }
    snprintf(h->name, sizeof h->name, "%s", name);
    c->n_checkpoints++;
}

/* The complete ones, with room for each entry of the folder. */
static void read_checkpoints(checking *c)
{
    char path[PATH_ROOM];
    snprintf(path, sizeof path, "%s/%s", c->folder, FIRN_MANIFEST_CHECKPOINTS);
    if (access(path, F_OK) != 0) return;
    if (firn_file_list(path, count_one, &c->n_room, c->messages) != FIRN_OK) {
        problem(c);
        return;
    }
    c->checkpoints = firn_memory_array(NULL, (size_t)c->n_room, sizeof *c->checkpoints);
    if (!c->checkpoints)
        c->has_no_memory = 1;
    else if (firn_file_list(path, read_one, c, c->messages) != FIRN_OK)
        problem(c);
}

static void compare_checkpoints(checking *c)
{
    for (int i = 0; i < c->n_checkpoints; i++) {
        const held *h = &c->checkpoints[i];
        char path[PATH_ROOM];
        snprintf(path, sizeof path, "%s/%s/%s", c->folder, FIRN_MANIFEST_CHECKPOINTS, h->name);
        if (!h->record.is_found && may_have_rest(c) && h->info.frame > c->manifest->last_frame)
            firn_messages_warn(c->messages,
                               "%s: of a frame that is no longer in the records; resume removes it",
                               path);
        else if (firn_checkpoint_compare(path, &h->info, c->manifest, &h->record, c->messages) !=
                 FIRN_OK)
            problem(c);
    }
}

/* ---------------------------------------------------------------- a shot */

static void check_all(checking *c)
{
    const firn_manifest *manifest = c->manifest;
    read_checkpoints(c);
    if (firn_manifest_walk(c->folder, manifest, check_output_time, c, c->messages) != FIRN_OK)
        problem(c);
    if (c->result->n_output_times != manifest->n_output_times) {
        firn_messages_add(c->messages, FIRN_IO,
                          "%s: %lld output times can be read in the records, the manifest has %lld",
                          c->folder, (long long)c->result->n_output_times,
                          (long long)manifest->n_output_times);
        problem(c);
    }
    check_record(c, FIRN_MANIFEST_FRAMES, &manifest->frames);
    check_record(c, FIRN_MANIFEST_LEDGER, &manifest->ledger);
    if (c->n_known) qsort(c->known, c->n_known, sizeof *c->known, compare_recorded);
    if (firn_file_list(c->folder, check_entry, c, c->messages) != FIRN_OK) problem(c);
    compare_checkpoints(c);
    firn_memory_release(NULL, c->checkpoints, (size_t)c->n_room * sizeof *c->checkpoints);
}

firn_status firn_verify_shot_run(const char *folder, firn_verify_shot *result,
                                 firn_messages *messages)
{
    firn_manifest manifest;
    *result = (firn_verify_shot){0};
    firn_status status = firn_manifest_read(folder, &manifest, messages);
    if (status != FIRN_OK) {
        result->n_problems = 1;
        return status;
    }
    checking c = {.folder = folder, .manifest = &manifest, .result = result, .messages = messages};
    snprintf(result->state, sizeof result->state, "%s", manifest.state);
    if (firn_clean_read(folder, &c.cleaned, messages) != FIRN_OK) problem(&c);
    check_all(&c);
    firn_clean_clear(&c.cleaned);
    if (strcmp(manifest.state, "running") == 0)
        firn_messages_warn(messages,
                           "%s: the run has not ended, or was killed; try: firn resume %s", folder,
                           folder);
    firn_memory_release(NULL, c.known, c.room * sizeof *c.known);
    firn_manifest_clear(&manifest);
    if (c.has_no_memory) return firn_messages_no_memory(messages, "%s: check", folder);
    return result->n_problems ? FIRN_IO : FIRN_OK;
}

/* ---------------------------------------------------------------- one file */

typedef struct lookup {
    checking checking;
    const char *name;
    int is_found;
} lookup;

static void check_if_named(void *user, const firn_manifest_time *output_time)
{
    lookup *l = user;
    for (int i = 0; i < output_time->n_files; i++)
        if (strcmp(output_time->files[i].name, l->name) == 0) {
            l->is_found = 1;
            check_receipt(&l->checking, l->name, &output_time->files[i].receipt);
        }
}

firn_status firn_verify_shot_file(const char *path, firn_messages *messages)
{
    const char *slash = strrchr(path, '/');
    struct stat there;
    char folder[PATH_ROOM];
    if (stat(path, &there) != 0)
        return firn_messages_add(messages, FIRN_IO, "%s: no such file or folder", path);
    firn_manifest manifest;
    firn_verify_shot result = {0};
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    lookup l = {{.folder = folder, .manifest = &manifest, .result = &result, .messages = messages},
                slash ? slash + 1 : path,
                0};
    if (firn_manifest_exists(folder)) {
        firn_status status = firn_manifest_read(folder, &manifest, messages);
        if (status != FIRN_OK) return status;
        firn_manifest_walk(folder, &manifest, check_if_named, &l, messages);
        firn_manifest_clear(&manifest);
        if (result.n_problems) return FIRN_IO;
    }
    if (strncmp(l.name, "checkpoint.", 11) == 0) {
        firn_checkpoint_info info;
        return firn_checkpoint_verify(path, &info, messages);
    }
    const firn_format *format = firn_format_of(path);
    if (l.is_found && format && !format->read && !format->check)
        return FIRN_OK; /* the checksum is all there is to compare */
    firn_status status = firn_format_check(path, messages);
    if (status == FIRN_OK && !l.is_found)
        firn_messages_warn(messages, "%s: readable to its end; no records with its checksum", path);
    return status;
}
