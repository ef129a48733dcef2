/* SPDX-License-Identifier: MIT */
/* study_archive.c: OUT/NAME.tar.gz: what somebody else needs to repeat the study and to check the
 * result.
 *
 *     NAME/README          version, and how to run it
 *     NAME/commands.sh     the command of each run
 *     NAME/inputs/...      study file, scenes, overlays, references and the files that scenes read,
 *                          with their paths below the folder that all of them have in common
 *     NAME/summary.csv ... the results without the shots
 *
 * Format: POSIX.1-1988 ustar, blocks of 512 bytes: a header, the content padded with zeros, two
 * empty blocks at the end. Times and owners are constant, so equal studies have equal archives. */
#include "study/study.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/messages.h"
#include "scene/scene.h"
#include "scene/scene_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 512, PATHS_MAX = 4096, NAME_IN_HEADER = 100, PREFIX_IN_HEADER = 155 };

typedef struct archive {
    firn_file_writer *out;
    const char *name; /* its top folder */
    firn_messages *messages;
} archive;

/* Paths without doubles. */
typedef struct path_list {
    int n;
    char *paths[PATHS_MAX];
} path_list;

/* ---------------------------------------------------------------- ustar */

/* A name of more than 100 bytes is cut at a slash into prefix and name; 0: there is none that fits. */
static int put_name(char header[BLOCK], const char *path)
{
    size_t n = strlen(path);
    if (n <= NAME_IN_HEADER) return memcpy(header, path, n), 1;
    for (size_t cut = n - NAME_IN_HEADER - 1; cut < n && cut <= PREFIX_IN_HEADER; cut++)
        if (path[cut] == '/' && n - cut - 1 > 0) {
            memcpy(header, path + cut + 1, n - cut - 1);
            memcpy(header + 345, path, cut);
            return 1;
        }
    return 0;
}

static firn_status put_file(archive *a, const char *name, const char *data, size_t n, int mode)
{
    static const char zeros[BLOCK];
    char header[BLOCK] = {0}, path[2 * FIRN_PATH];
    unsigned sum = 0;
    snprintf(path, sizeof path, "%s/%s", a->name, name);
    if (!put_name(header, path) || n >= (size_t)1 << 33)
        return firn_messages_add(a->messages, FIRN_REFUSED,
                                 "%s: does not fit into an archive (longer than 8 GiB, or a path "
                                 "of more than 255 bytes)",
                                 name);
    snprintf(header + 100, 8, "%07o", (unsigned)mode);
    snprintf(header + 108, 8, "%07o", 0u);
    snprintf(header + 116, 8, "%07o", 0u);
    snprintf(header + 124, 12, "%011llo", (unsigned long long)n);
    snprintf(header + 136, 12, "%011o", 0u);
    memset(header + 148, ' ', 8);
    header[156] = '0';
    memcpy(header + 257,
           "ustar\0"
           "00",
           8);
    for (int i = 0; i < BLOCK; i++) sum += (unsigned char)header[i];
    snprintf(header + 148, 8, "%06o", sum);
    firn_file_write(a->out, header, BLOCK);
    firn_file_write(a->out, data, n);
    firn_file_write(a->out, zeros, (BLOCK - n % BLOCK) % BLOCK);
    return FIRN_OK;
}

/* ---------------------------------------------------------------- what belongs to it */

static int add_path(path_list *list, const char *path)
{
    char *full = realpath(path, NULL);
    if (!full) return 1; /* unreadable: the run has reported it */
    for (int i = 0; i < list->n; i++)
        if (strcmp(list->paths[i], full) == 0) return free(full), 1;
    if (list->n == PATHS_MAX) return free(full), 0;
    list->paths[list->n++] = full;
    return 1;
}

static void clear_paths(path_list *list)
{
    for (int i = 0; i < list->n; i++) free(list->paths[i]);
}

/* A scene and the files that it reads. */
static firn_status add_scene(path_list *list, const char *path, firn_messages *messages)
{
    firn_scene *scene = firn_scene_load(path, 0, NULL, NULL);
    if (!scene) return FIRN_OK; /* planning has reported it */
    firn_json_writer json;
    size_t n = 0;
    firn_json_init(&json, 0);
    firn_status status = firn_scene_files_write(firn_scene_definition(scene), &json, messages);
    const char *text = status == FIRN_OK ? firn_json_finish(&json, &n) : NULL;
    firn_json *root = text ? firn_json_parse(text, n, path, messages) : NULL;
    const firn_json_node *names = root ? firn_json_root(root) : NULL;
    int has_room = add_path(list, path);
    for (const firn_json_node *name = names ? names->first : NULL; name; name = name->next) {
        const firn_json_node *files = firn_json_member(name, "files");
        for (const firn_json_node *file = files ? files->first : NULL; file; file = file->next)
            has_room &= add_path(list, firn_json_string_of(file, "file", ""));
    }
    if (status == FIRN_OK && !has_room)
        status = firn_messages_add(messages, FIRN_REFUSED,
                                   "archive of the study: too many input files; allowed: up to %d",
                                   PATHS_MAX);
    firn_json_destroy(root);
    firn_json_clear(&json);
    firn_scene_destroy(scene);
    return status;
}

/* Length of the folder that all paths have in common, with its slash. */
static size_t common_folder(const path_list *list)
{
    size_t n = list->n ? strlen(list->paths[0]) : 0;
    for (int i = 0; i < list->n; i++) {
        size_t same = 0;
        while (same < n && list->paths[i][same] == list->paths[0][same]) same++;
        n = same;
    }
    while (n > 0 && list->paths[0][n - 1] != '/') n--;
    return n;
}

static firn_status collect(const firn_compare *c, path_list *list, firn_messages *messages)
{
    const firn_study *s = c->study;
    firn_status status = FIRN_OK;
    add_path(list, s->file);
    for (int i = 0; i < s->n_scenes && status == FIRN_OK; i++)
        status = add_scene(list, s->scenes[i], messages);
    for (int i = 0; i < s->n_references; i++) add_path(list, s->references[i].file);
    for (int i = 0; i < s->n_labs; i++)
        if (s->labs[i].overlay) add_path(list, s->labs[i].overlay);
    return status;
}

/* ---------------------------------------------------------------- the archive */

static firn_status put_disk_file(archive *a, const char *name, const char *path)
{
    size_t n;
    char *text = firn_file_text(path, SIZE_MAX / 2, &n, a->messages);
    if (!text) return firn_messages_status(a->messages);
    firn_status status = put_file(a, name, text, n, 0644);
    firn_memory_release(NULL, text, n + 1);
    return status;
}

static firn_status put_texts(const firn_compare *c, archive *a, const char *study)
{
    firn_text readme = {0}, commands = {0};
    firn_text_add(&readme,
                  "Study %s, made by firn %s.\n\nAgain, in this folder:\n\n    firn compare "
                  "inputs/%s\n\ncommands.sh holds the command of each run as it was given. The "
                  "state hashes in summary.csv\nare equal for equal runs.\n",
                  c->study->name, firn_version(), study);
    firn_text_add(&commands, "#!/bin/sh\n");
    for (int i = 0; i < c->n_runs; i++) firn_text_add(&commands, "%s\n", c->runs[i].command);
    firn_status status = readme.has_failed || commands.has_failed
                             ? firn_messages_no_memory(a->messages, "archive of the study")
                             : put_file(a, "README", readme.data, readme.n, 0644);
    if (status == FIRN_OK) status = put_file(a, "commands.sh", commands.data, commands.n, 0755);
    firn_text_clear(&readme);
    firn_text_clear(&commands);
    return status;
}

static firn_status put_results(const firn_compare *c, archive *a)
{
    static const char *const names[] = {"report.html", "summary.csv", "summary.tex"};
    char path[FIRN_PATH + 32];
    firn_status status = FIRN_OK;
    for (size_t i = 0; i < sizeof names / sizeof *names && status == FIRN_OK; i++) {
        snprintf(path, sizeof path, "%s/%s", c->folder, names[i]);
        status = put_disk_file(a, names[i], path);
    }
    return status;
}

firn_status firn_compare_archive(const firn_compare *c, firn_messages *messages)
{
    static const char end[2 * BLOCK];
    path_list list = {0};
    char path[2 * FIRN_PATH], name[2 * FIRN_PATH];
    archive a = {.name = c->study->name, .messages = messages};
    firn_status status = collect(c, &list, messages);
    const size_t common = common_folder(&list);
    snprintf(path, sizeof path, "%s/%s.tar.gz", c->folder, c->study->name);
    if (status == FIRN_OK && !(a.out = firn_file_create(path, 6, messages)))
        status = firn_file_failure(messages);
    if (status == FIRN_OK && list.n) status = put_texts(c, &a, list.paths[0] + common);
    for (int i = 0; i < list.n && status == FIRN_OK; i++) {
        snprintf(name, sizeof name, "inputs/%s", list.paths[i] + common);
        status = put_disk_file(&a, name, list.paths[i]);
    }
    if (status == FIRN_OK) status = put_results(c, &a);
    clear_paths(&list);
    if (!a.out) return status;
    firn_file_write(a.out, end, sizeof end);
    firn_status written = firn_file_commit(a.out, NULL, messages);
    return status == FIRN_OK ? written : status;
}
