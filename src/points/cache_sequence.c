/* SPDX-License-Identifier: MIT */
#include "points/cache_sequence.h"
#include "base/messages.h"
#include "base/file.h"
#include "points/format.h"
#include "base/memory.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A file name taken apart: STEM.FRAME[.THOUSANDTHS]EXTENSION. */
typedef struct parts {
    char stem[FIRN_NAME];
    const firn_format *format;
    int frame, thousandths, has_decimals;
} parts;

/* Takes ".123" from the end of text[0..*n); false where there is no such end or too long a number.
 */
static int take_number(const char *text, size_t *n, int *number, size_t *n_digits)
{
    size_t k = *n;
    while (k > 0 && isdigit((unsigned char)text[k - 1])) k--;
    *n_digits = *n - k;
    if (!*n_digits || *n_digits > 9 || k < 2 || text[k - 1] != '.') return 0;
    *number = (int)strtol(text + k, NULL, 10);
    *n = k - 1;
    return 1;
}

/* False where no format has such a name; it may be one that firn only writes. */
static int take_apart(const char *name, parts *p)
{
    *p = (parts){.format = firn_format_of(name), .frame = -1};
    if (!p->format || firn_file_is_temporary(name)) return 0;
    size_t n = strlen(name) - strlen(p->format->extension), n_digits;
    int number;
    if (take_number(name, &n, &number, &n_digits)) {
        p->frame = number;
        /* NAME.0012.500: three digits behind a frame of at least four are thousandths */
        size_t n_before = n, n_frame_digits;
        int frame;
        if (n_digits == 3 && take_number(name, &n_before, &frame, &n_frame_digits) &&
            n_frame_digits >= 4) {
            p->frame = frame;
            p->thousandths = number;
            p->has_decimals = 1;
            n = n_before;
        }
    }
    snprintf(p->stem, sizeof p->stem, "%.*s", (int)(n < FIRN_NAME ? n : FIRN_NAME - 1), name);
    return 1;
}

/* ---------------------------------------------------------------- lists */

static int append(firn_cache_sequence *sequence, const parts *p, const char *folder,
                  const char *name)
{
    if (sequence->n == sequence->capacity) {
        int capacity = sequence->capacity ? 2 * sequence->capacity : 64;
        firn_cache_sequence_frame *grown = firn_memory_array(NULL, (size_t)capacity, sizeof *grown);
        if (!grown) return 0;
        if (sequence->n) memcpy(grown, sequence->frames, (size_t)sequence->n * sizeof *grown);
        firn_memory_release(NULL, sequence->frames, (size_t)sequence->capacity * sizeof *grown);
        sequence->frames = grown;
        sequence->capacity = capacity;
    }
    firn_cache_sequence_frame *frame = &sequence->frames[sequence->n++];
    *frame = (firn_cache_sequence_frame){
        .frame = p->frame, .thousandths = p->thousandths, .has_decimals = p->has_decimals};
    size_t n = strlen(folder);
    if (n)
        snprintf(frame->path, sizeof frame->path, "%s%s%s", folder, folder[n - 1] == '/' ? "" : "/",
                 name);
    else
        snprintf(frame->path, sizeof frame->path, "%s", name);
    return 1;
}

void firn_cache_sequence_clear(firn_cache_sequence *sequence)
{
    firn_memory_release(NULL, sequence->frames,
                        (size_t)sequence->capacity * sizeof *sequence->frames);
    *sequence = (firn_cache_sequence){0};
}

static int by_frame(const void *a, const void *b)
{
    const firn_cache_sequence_frame *x = a, *y = b;
    if (x->frame != y->frame) return x->frame < y->frame ? -1 : 1;
    return (x->thousandths > y->thousandths) - (x->thousandths < y->thousandths);
}

/* ---------------------------------------------------------------- folders */

enum { RUNS_MAX = 64 };

/* One run of caches: same stem, same format. */
typedef struct run {
    char stem[FIRN_NAME];
    const firn_format *format;
    int n;
} run;

typedef struct listing {
    const char *folder;
    run runs[RUNS_MAX];
    int n_runs, failed;
    const run *chosen;             /* second pass: what to collect */
    const firn_format *unreadable; /* of caches that are there, too */
    firn_cache_sequence *sequence;
} listing;

static void visit(void *user, const char *name)
{
    listing *list = user;
    parts p;
    if (!take_apart(name, &p) || p.frame < 0) return;
    if (!p.format->read) {
        list->unreadable = p.format;
        return;
    }
    if (list->chosen) {
        if (p.format == list->chosen->format && !strcmp(p.stem, list->chosen->stem) &&
            !append(list->sequence, &p, list->folder, name))
            list->failed = 1;
        return;
    }
    for (int k = 0; k < list->n_runs; k++)
        if (list->runs[k].format == p.format && !strcmp(list->runs[k].stem, p.stem)) {
            list->runs[k].n++;
            return;
        }
    if (list->n_runs == RUNS_MAX) return;
    run *r = &list->runs[list->n_runs++];
    *r = (run){.format = p.format, .n = 1};
    memcpy(r->stem, p.stem, sizeof r->stem);
}

static firn_status open_folder(const char *path, firn_cache_sequence *sequence,
                               firn_messages *messages)
{
    listing list = {.folder = path, .sequence = sequence};
    firn_status status = firn_file_list(path, visit, &list, messages);
    if (status != FIRN_OK) return status;
    const run *best = NULL;
    for (int k = 0; k < list.n_runs; k++) {
        const run *r = &list.runs[k];
        if (!best || r->n > best->n || (r->n == best->n && r->format < best->format)) best = r;
    }
    if (!best && list.unreadable)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "%s: its caches *%s hold %s; points are needed here; try: an "
                                 "output of another format in the scene (`firn help formats`)",
                                 path, list.unreadable->extension, list.unreadable->holds);
    if (!best)
        return firn_messages_add(
            messages, FIRN_REFUSED,
            "%s: no caches of particles; allowed: files NAME.0001.bgeo and the like", path);
    list.chosen = best;
    status = firn_file_list(path, visit, &list, messages);
    if (status == FIRN_OK && list.failed)
        status = firn_messages_no_memory(messages, "list of caches");
    if (status != FIRN_OK) return status;
    memcpy(sequence->title, best->stem, sizeof sequence->title);
    snprintf(sequence->folder, sizeof sequence->folder, "%s", path);
    qsort(sequence->frames, (size_t)sequence->n, sizeof *sequence->frames, by_frame);
    return FIRN_OK;
}

/* ---------------------------------------------------------------- interface */

firn_status firn_cache_sequence_of_files(int n, const char *const *paths,
                                         firn_cache_sequence *sequence, firn_messages *messages)
{
    *sequence = (firn_cache_sequence){0};
    for (int k = 0; k < n; k++) {
        parts p;
        const char *slash = strrchr(paths[k], '/'), *name = slash ? slash + 1 : paths[k];
        if (!take_apart(name, &p) || !p.format->read) {
            firn_points *points;
            struct stat info;
            firn_cache_sequence_clear(sequence);
            if (stat(paths[k], &info) != 0)
                return firn_messages_add(messages, FIRN_IO, "%s: no such file or folder", paths[k]);
            return firn_format_read(paths[k], &points, messages); /* says what can be read */
        }
        const int is_long = strlen(paths[k]) >= FIRN_PATH;
        if (is_long || !append(sequence, &p, "", paths[k])) {
            firn_cache_sequence_clear(sequence);
            if (!is_long) return firn_messages_no_memory(messages, "list of caches");
            return firn_messages_add(messages, FIRN_REFUSED,
                                     "%s: path too long (%zu bytes); allowed: up to %d", paths[k],
                                     strlen(paths[k]), FIRN_PATH - 1);
        }
        if (k) continue;
        memcpy(sequence->title, p.stem, sizeof sequence->title);
        snprintf(sequence->folder, sizeof sequence->folder, "%.*s",
                 slash ? (int)(slash - paths[k] + 1) : 1, slash ? paths[k] : ".");
    }
    return FIRN_OK;
}

firn_status firn_cache_sequence_open(const char *path, firn_cache_sequence *sequence,
                                     firn_messages *messages)
{
    *sequence = (firn_cache_sequence){0};
    if (firn_format_of(path)) return firn_cache_sequence_of_files(1, &path, sequence, messages);
    firn_status status = open_folder(path, sequence, messages);
    if (status != FIRN_OK) firn_cache_sequence_clear(sequence);
    return status;
}

firn_status firn_cache_sequence_select(firn_cache_sequence *sequence, int first, int last,
                                       int every, firn_messages *messages)
{
    int n = 0, n_inside = 0, low = sequence->n ? sequence->frames[0].frame : 0;
    int high = sequence->n ? sequence->frames[sequence->n - 1].frame : 0;
    for (int k = 0; k < sequence->n; k++) {
        const firn_cache_sequence_frame *frame = &sequence->frames[k];
        if (frame->frame < first || frame->frame > last) continue;
        if (n_inside++ % (every > 1 ? every : 1) == 0) sequence->frames[n++] = *frame;
    }
    sequence->n = n;
    if (n) return FIRN_OK;
    return firn_messages_add(messages, FIRN_REFUSED,
                             "%s: none of the frames that are asked for; allowed: %d to %d",
                             sequence->folder, low, high);
}
