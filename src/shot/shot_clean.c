/* SPDX-License-Identifier: MIT */
/* shot_clean.c: see shot_clean.h. Folders are opened without following a link, and files removed
 * by their name inside the opened folder: whatever is renamed meanwhile, nothing outside is
 * reached. */
#include "shot/shot_clean.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/messages.h"
#include "base/text.h"
#include "shot/manifest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROOM = 4096, RECORD_BYTES = 1 << 20 };

typedef struct cleaning {
    const char *folder, *name; /* name: stem of the shot's files */
    int fd;                    /* of the folder */
    const firn_clean_choice *choice;
    int n_newest, newest[FIRN_CLEAN_KEEP_MAX]; /* frames of checkpoints that stay, newest first */
    firn_clean_found *found;
    firn_messages *messages;
    firn_status status;
} cleaning;

/* ---------------------------------------------------------------- which files */

/* The shot's name, perhaps that of its colliders, ".FRAME[.SUB]" and one of the endings. */
static int is_numbered(const cleaning *c, const char *name, const char *const *endings, int *frame)
{
    static const char colliders[] = "_colliders";
    int thousandths;
    size_t n_stem;
    char as_cache[ROOM];
    if (strncmp(name, c->name, strlen(c->name)) != 0) return 0;
    name += strlen(c->name);
    if (strncmp(name, colliders, strlen(colliders)) == 0) name += strlen(colliders);
    for (int i = 0; endings[i]; i++) {
        const size_t n = strlen(name), n_end = strlen(endings[i]);
        if (n <= n_end || strcmp(name + n - n_end, endings[i]) != 0) continue;
        snprintf(as_cache, sizeof as_cache, "%s%.*s.bgeo", c->name, (int)(n - n_end), name);
        return firn_shot_parse_name(as_cache, c->name, frame, &thousandths, &n_stem);
    }
    return 0;
}

static int is_whole(const cleaning *c)
{
    return c->choice->first <= 0 && c->choice->last == INT_MAX;
}

static int is_within(const cleaning *c, int frame)
{
    return frame >= c->choice->first && frame <= c->choice->last;
}

static int is_cache(const cleaning *c, const char *name)
{
    int frame, thousandths;
    size_t n_stem;
    return firn_shot_parse_name(name, c->name, &frame, &thousandths, &n_stem) &&
           is_within(c, frame);
}

static int is_picture(const cleaning *c, const char *name)
{
    static const char *const endings[] = {".png", ".exr", NULL};
    const size_t n = strlen(c->name);
    int frame;
    if (is_numbered(c, name, endings, &frame)) return is_within(c, frame);
    if (!is_whole(c) || strncmp(name, c->name, n) != 0) return 0;
    return strcmp(name + n, ".sheet.png") == 0 ||
           (strncmp(name + n, ".turn.", 6) == 0 && strspn(name + n + 6, "0123456789") >= 4 &&
            strcmp(name + n + 6 + strspn(name + n + 6, "0123456789"), ".png") == 0);
}

static int is_preview(const cleaning *c, const char *name)
{
    return is_whole(c) && strcmp(name, "preview.png") == 0;
}

static int is_surface(const cleaning *c, const char *name)
{
    static const char *const endings[] = {".vdb", ".obj", ".ply", NULL};
    int frame;
    return is_numbered(c, name, endings, &frame) && is_within(c, frame);
}

static int frame_of_checkpoint(const char *name)
{
    char *end;
    if (strncmp(name, "checkpoint.", 11) != 0) return -1;
    const long frame = strtol(name + 11, &end, 10);
    return end != name + 11 && strcmp(end, ".firn") == 0 && frame >= 0 && frame < INT_MAX
               ? (int)frame
               : -1;
}

static int is_checkpoint(const cleaning *c, const char *name)
{
    const int frame = frame_of_checkpoint(name);
    for (int i = 0; i < c->n_newest; i++)
        if (c->newest[i] == frame) return 0;
    return frame >= 0 && is_within(c, frame);
}

/* ---------------------------------------------------------------- where they are */

static void failed(cleaning *c, const char *below, const char *name)
{
    c->status =
        firn_messages_add(c->messages, FIRN_IO, "%s/%s%s%s: cannot be removed: %s", c->folder,
                          below, *below ? "/" : "", name, firn_file_reason(errno));
}

/* A folder below the shot's, "": itself. NULL: there is none, or it is a link. */
static DIR *open_below(cleaning *c, const char *below)
{
    const int fd =
        openat(c->fd, *below ? below : ".", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && errno != ENOENT)
        firn_messages_warn(c->messages, "%s/%s: left alone: %s", c->folder, below,
                           errno == ELOOP || errno == ENOTDIR ? "it is a link, or no folder"
                                                              : firn_file_reason(errno));
    if (fd < 0) return NULL;
    DIR *entries = fdopendir(fd);
    if (!entries) close(fd);
    return entries;
}

static void clean_below(cleaning *c, const char *below, firn_clean_kind kind,
                        int (*is_one)(const cleaning *c, const char *name))
{
    const int removes = c->choice->is_removed[kind] && !c->choice->is_dry;
    DIR *entries = open_below(c, below);
    struct stat info;
    for (struct dirent *e; entries && (e = readdir(entries)) != NULL;) {
        if (!is_one(c, e->d_name) ||
            fstatat(dirfd(entries), e->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(info.st_mode))
            continue;
        if (removes && unlinkat(dirfd(entries), e->d_name, 0) != 0) {
            failed(c, below, e->d_name);
            continue;
        }
        c->found[kind].n_files++;
        c->found[kind].n_bytes += info.st_size;
    }
    if (entries) closedir(entries);
    if (removes && *below && is_whole(c))
        unlinkat(c->fd, below, AT_REMOVEDIR); /* where it is empty */
}

/* The frames of the newest checkpoints, which stay. */
static void find_newest(cleaning *c, int keep)
{
    DIR *entries = keep > 0 ? open_below(c, FIRN_MANIFEST_CHECKPOINTS) : NULL;
    for (struct dirent *e; entries && (e = readdir(entries)) != NULL;) {
        int frame = frame_of_checkpoint(e->d_name);
        for (int i = 0; frame >= 0 && i < keep; i++) {
            if (i == c->n_newest) c->newest[c->n_newest++] = -1;
            if (frame <= c->newest[i]) continue;
            const int older = c->newest[i];
            c->newest[i] = frame;
            frame = older;
        }
    }
    if (entries) closedir(entries);
}

static void clean_derived(cleaning *c)
{
    clean_below(c, "pictures", FIRN_CLEAN_PICTURES, is_picture);
    clean_below(c, "", FIRN_CLEAN_PICTURES, is_preview);
    clean_below(c, "surface", FIRN_CLEAN_SURFACES, is_surface);
    clean_below(c, "embedded", FIRN_CLEAN_SURFACES, is_surface);
}

firn_status firn_clean_derived(const char *folder, const char *name,
                               firn_clean_found found[FIRN_CLEAN_KINDS], firn_messages *messages)
{
    const firn_clean_choice choice = {.is_removed = {0, 1, 1, 0}, .last = INT_MAX};
    cleaning c = {
        .folder = folder, .name = name, .choice = &choice, .found = found, .messages = messages};
    memset(found, 0, FIRN_CLEAN_KINDS * sizeof *found);
    c.fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (c.fd < 0)
        return firn_messages_add(messages, FIRN_IO, "%s: %s", folder, firn_file_reason(errno));
    clean_derived(&c);
    close(c.fd);
    return c.status;
}

/* ---------------------------------------------------------------- the record */

static void record_path(const char *folder, char path[ROOM])
{
    snprintf(path, ROOM, "%.4000s/" FIRN_CLEAN_RECORD, folder);
}

firn_status firn_clean_read(const char *folder, firn_clean_ranges *ranges, firn_messages *messages)
{
    char path[ROOM];
    size_t n;
    *ranges = (firn_clean_ranges){0};
    record_path(folder, path);
    if (access(path, F_OK) != 0) return FIRN_OK;
    char *text = firn_file_text(path, RECORD_BYTES, &n, messages);
    if (!text) return firn_file_failure(messages);
    int n_lines = 0;
    for (const char *at = text; *at; at++) n_lines += *at == '\n';
    ranges->n_room = n_lines + 1;
    ranges->range = firn_memory_array(NULL, (size_t)ranges->n_room, sizeof *ranges->range);
    const char *line = text;
    for (int i = 0; ranges->range && i <= n_lines; i++) {
        int *range = ranges->range[ranges->n];
        ranges->n += sscanf(line, "%d %d", &range[0], &range[1]) == 2;
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    firn_memory_release(NULL, text, n + 1);
    return ranges->range ? FIRN_OK : firn_messages_no_memory(messages, "%s", path);
}

void firn_clean_clear(firn_clean_ranges *ranges)
{
    firn_memory_release(NULL, ranges->range, (size_t)ranges->n_room * sizeof *ranges->range);
    *ranges = (firn_clean_ranges){0};
}

int firn_clean_has(const firn_clean_ranges *ranges, int frame)
{
    for (int i = 0; i < ranges->n; i++)
        if (frame >= ranges->range[i][0] && frame <= ranges->range[i][1]) return 1;
    return 0;
}

/* Ranges up to `last`, and one more (first > last: none). */
static firn_status write_record(const char *folder, const firn_clean_ranges *ranges, int last,
                                int more_first, int more_last, firn_messages *messages)
{
    char path[ROOM];
    firn_text text = {0};
    record_path(folder, path);
    firn_status status = firn_file_refuse_link(path, messages);
    firn_text_add(&text, "caches of these frames were removed by firn clean\n");
    int n = 0;
    for (int i = 0; i < ranges->n; i++) {
        const int *range = ranges->range[i];
        if (range[0] > last) continue;
        firn_text_add(&text, "%d %d\n", range[0], range[1] < last ? range[1] : last);
        n++;
    }
    if (more_first <= more_last) firn_text_add(&text, "%d %d\n", more_first, more_last);
    n += more_first <= more_last;
    if (status == FIRN_OK)
        status = n ? firn_text_write(&text, path, messages) : firn_file_remove(path, messages);
    firn_text_clear(&text);
    return status;
}

firn_status firn_clean_forget_after(const char *folder, int frame, firn_messages *messages)
{
    char path[ROOM];
    firn_clean_ranges ranges;
    record_path(folder, path);
    if (access(path, F_OK) != 0) return FIRN_OK;
    firn_status status = firn_clean_read(folder, &ranges, messages);
    if (status == FIRN_OK) status = write_record(folder, &ranges, frame, 1, 0, messages);
    firn_clean_clear(&ranges);
    return status;
}

/* Before the caches go: a cache that is listed and still there is compared all the same. */
static void record_caches(cleaning *c, const firn_manifest *manifest)
{
    const firn_clean_choice *choice = c->choice;
    firn_clean_ranges ranges;
    if (!choice->is_removed[FIRN_CLEAN_CACHES] || choice->is_dry) return;
    const int last = choice->last < manifest->last_frame ? choice->last : manifest->last_frame;
    c->status = firn_clean_read(c->folder, &ranges, c->messages);
    if (c->status == FIRN_OK)
        c->status = write_record(c->folder, &ranges, INT_MAX, choice->first, last, c->messages);
    firn_clean_clear(&ranges);
}

/* ---------------------------------------------------------------- a shot */

/* The folder, which must not be a link itself, locked against a run. */
static firn_status open_shot(cleaning *c)
{
    char path[ROOM];
    size_t n = (size_t)snprintf(path, sizeof path, "%.4000s", c->folder);
    while (n > 1 && path[n - 1] == '/') path[--n] = 0;
    c->fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (c->fd < 0 && (errno == ELOOP || errno == ENOTDIR))
        return firn_messages_add(c->messages, FIRN_REFUSED,
                                 "%s: no folder, or a link to one; try: the folder itself", path);
    if (c->fd < 0)
        return firn_messages_add(c->messages, FIRN_IO, "%s: %s", path, firn_file_reason(errno));
    if (flock(c->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return firn_messages_add(c->messages, FIRN_IO,
                                 "%s: a run is writing into this folder; try: when it has ended",
                                 path);
    if (faccessat(c->fd, FIRN_MANIFEST_NAME, F_OK, 0) != 0)
        return firn_messages_add(
            c->messages, FIRN_REFUSED,
            "%s: no shot (it has no " FIRN_MANIFEST_NAME "); nothing is removed", path);
    return FIRN_OK;
}

firn_status firn_clean_shot(const char *folder, const firn_clean_choice *choice,
                            firn_clean_found found[FIRN_CLEAN_KINDS], firn_messages *messages)
{
    cleaning *c = firn_memory_allocate(NULL, sizeof *c);
    firn_manifest manifest = {0};
    memset(found, 0, FIRN_CLEAN_KINDS * sizeof *found);
    if (!c) return firn_messages_no_memory(messages, "%s: cleaning", folder);
    c->folder = folder;
    c->choice = choice;
    c->found = found;
    c->messages = messages;
    c->status = open_shot(c);
    if (c->status == FIRN_OK) c->status = firn_manifest_read(folder, &manifest, messages);
    if (c->status == FIRN_OK) record_caches(c, &manifest);
    if (c->status == FIRN_OK) {
        c->name = manifest.name;
        const int is_finished = strcmp(manifest.state, "finished") == 0;
        find_newest(c, choice->keep >= 0 ? choice->keep : !is_finished);
        clean_below(c, FIRN_MANIFEST_CHECKPOINTS, FIRN_CLEAN_CHECKPOINTS, is_checkpoint);
        clean_derived(c);
        clean_below(c, "", FIRN_CLEAN_CACHES, is_cache);
    }
    const firn_status status = c->status;
    if (c->fd >= 0) close(c->fd);
    firn_manifest_clear(&manifest);
    firn_memory_release(NULL, c, sizeof *c);
    return status;
}
