/* SPDX-License-Identifier: MIT */
/* shot_folder.c: the folder of a shot as a whole: one writer at a time, no links, and removal of
 * what an older shot or a killed run left. Only files that a shot made are ever removed. */
#include "base/messages.h"
#include "shot/shot_clean.h"
#include "shot/shot_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

void firn_shot_path(const firn_shot *shot, const char *name, char path[FIRN_SHOT_PATH])
{
    snprintf(path, FIRN_SHOT_PATH, "%s/%s", shot->folder, name);
}

firn_status firn_shot_lock(firn_shot *shot, firn_messages *messages)
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

firn_status firn_shot_refuse_links(const firn_shot *shot, firn_messages *messages)
{
    static const char *const names[] = {FIRN_MANIFEST_NAME,        FIRN_MANIFEST_FRAMES,
                                        FIRN_MANIFEST_LEDGER,      FIRN_MANIFEST_PROBES,
                                        FIRN_MANIFEST_CHECKPOINTS, "preview.png"};
    char path[FIRN_SHOT_PATH];
    firn_status worst = FIRN_OK;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        firn_shot_path(shot, names[i], path);
        firn_status status = firn_file_refuse_link(path, messages);
        if (status != FIRN_OK) worst = status;
    }
    return worst;
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
    char path[FIRN_SHOT_PATH];
    int is_cache =
        firn_shot_parse_name(name, c->shot->manifest.name, &frame, &thousandths, &n_stem) &&
        (frame > c->frame || (frame == c->frame && thousandths > c->thousandths));
    c->n_caches += is_cache;
    if (c->is_dry || !(is_cache || firn_file_is_temporary(name))) return;
    firn_shot_path(c->shot, name, path);
    firn_status status = firn_file_remove(path, c->messages);
    if (c->status == FIRN_OK) c->status = status;
}

firn_status firn_shot_clean(firn_shot *shot, int frame, int thousandths, int is_dry, int *n_caches,
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
    char path[FIRN_SHOT_PATH];
    if (strncmp(name, "checkpoint.", 11) != 0 && !firn_file_is_temporary(name)) return;
    snprintf(path, sizeof path, "%s/%s", c->folder, name);
    firn_status status = firn_file_remove(path, c->messages);
    if (c->status == FIRN_OK) c->status = status;
}

/* The caches of an output time of the older shot, which may have had another name. */
static void drop_caches(void *user, const firn_manifest_time *output_time)
{
    cleaning *c = user;
    char path[FIRN_SHOT_PATH];
    for (int i = 0; i < output_time->n_files; i++) {
        if (strchr(output_time->files[i].name, '/'))
            continue; /* changed records could lead out of the folder */
        firn_shot_path(c->shot, output_time->files[i].name, path);
        firn_status status =
            access(path, F_OK) == 0 ? firn_file_remove(path, c->messages) : FIRN_OK;
        if (c->status == FIRN_OK) c->status = status;
    }
}

/* Pictures and surfaces of the older shot show what is no longer there. */
static firn_status drop_derived(const firn_shot *shot, const char *name, firn_messages *messages)
{
    firn_clean_found found[FIRN_CLEAN_KINDS];
    const firn_status status = firn_clean_derived(shot->folder, name, found, messages);
    const long long n_pictures = found[FIRN_CLEAN_PICTURES].n_files,
                    n_surfaces = found[FIRN_CLEAN_SURFACES].n_files;
    if (n_pictures || n_surfaces)
        firn_messages_warn(messages,
                           "%s: pictures (%lld) and surfaces (%lld) of the replaced shot are "
                           "removed",
                           shot->folder, n_pictures, n_surfaces);
    return status;
}

/* Removes an older shot from the folder: the manifest first, so that a shot half removed is not
 * taken for a complete one. What it holds of the records is kept until these have been read for the
 * names of the caches. */
firn_status firn_shot_empty(firn_shot *shot, firn_messages *messages)
{
    static const char *const names[] = {FIRN_MANIFEST_NAME, FIRN_MANIFEST_FRAMES,
                                        FIRN_MANIFEST_LEDGER, FIRN_CLEAN_RECORD,
                                        FIRN_MANIFEST_PROBES};
    char path[FIRN_SHOT_PATH];
    firn_manifest old = {0};
    const int has_old = firn_manifest_exists(shot->folder);
    const int is_known = has_old && firn_manifest_read(shot->folder, &old, NULL) == FIRN_OK;
    for (int i = 0; i < 5; i++) {
        firn_shot_path(shot, names[i], path);
        firn_status status = firn_file_remove(path, messages);
        cleaning caches = {shot, shot->folder, 0, 0, 0, 0, FIRN_OK, messages};
        if (i == 0 && has_old &&
            (!is_known || firn_manifest_walk(shot->folder, &old, drop_caches, &caches, NULL)))
            firn_messages_warn(messages,
                               "%s: the records of the replaced shot are damaged; its caches with "
                               "other names than %s.* may remain",
                               shot->folder, shot->manifest.name);
        if (i == 0 && is_known && caches.status == FIRN_OK)
            caches.status = drop_derived(shot, old.name, messages);
        if (i == 0) firn_manifest_clear(&old);
        if (status == FIRN_OK) status = caches.status;
        if (status != FIRN_OK) return status;
    }
    firn_shot_path(shot, FIRN_MANIFEST_CHECKPOINTS, path);
    cleaning c = {shot, path, 0, 0, 0, 0, FIRN_OK, messages};
    if (access(path, F_OK) == 0) {
        firn_status status = firn_file_list(path, drop_checkpoint, &c, messages);
        if (status == FIRN_OK) status = c.status;
        if (status != FIRN_OK) return status;
    }
    return firn_shot_clean(shot, -1, 0, 0, NULL, messages);
}
