/* SPDX-License-Identifier: MIT */
/* scene_files.c: see scene_files.h. */
#include "scene/scene_files.h"
#include "base/messages.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/read_limits.h"
#include "base/file_sequence.h"
#include "scene/scene.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* ---------------------------------------------------------------- names */

typedef struct input_file {
    const char *name;
    const firn_shape_def *shape; /* that it belongs to; NULL: points, numbers or vectors in space */
    const char *list, *item, *key; /* of the scene; item "": without a name */
} input_file;

#define VISIT_SHAPES(list, items, n_items, item_name, key)                                         \
    for (int i = 0; i < (n_items); i++)                                                            \
        for (int k = 0; k < (items)[i].n_shapes; k++)                                              \
            if (*(items)[i].shapes[k].file)                                                        \
                visit(user, &(input_file){(items)[i].shapes[k].file, &(items)[i].shapes[k], list,  \
                                          item_name, key});

/* Calls visit with each file name of the scene. */
static void visit_names(const firn_scene_def *scene,
                        void (*visit)(void *user, const input_file *file), void *user)
{
    for (int i = 0; i < scene->n_bodies; i++)
        if (*scene->bodies[i].points)
            visit(user, &(input_file){scene->bodies[i].points, NULL, "bodies",
                                      scene->bodies[i].name, "points"});
    for (int i = 0; i < scene->n_bodies; i++)
        if (*scene->bodies[i].velocity_field.file)
            visit(user, &(input_file){scene->bodies[i].velocity_field.file, NULL, "bodies",
                                      scene->bodies[i].name, "velocity_field"});
    for (int i = 0; i < scene->n_maps; i++)
        if (*scene->maps[i].file)
            visit(user,
                  &(input_file){scene->maps[i].file, NULL, "maps", scene->maps[i].name, "file"});
    VISIT_SHAPES("bodies", scene->bodies, scene->n_bodies, scene->bodies[i].name, "shape")
    VISIT_SHAPES("emitters", scene->emitters, scene->n_emitters, scene->emitters[i].name, "shape")
    VISIT_SHAPES("colliders", scene->colliders, scene->n_colliders, scene->colliders[i].name,
                 "shape")
    VISIT_SHAPES("grips", scene->grips, scene->n_grips, scene->grips[i].name, "shape")
    VISIT_SHAPES("sinks", scene->sinks, scene->n_sinks, scene->sinks[i].name, "shape")
    VISIT_SHAPES("forces", scene->forces, scene->n_forces, scene->forces[i].name, "shape")
    for (int i = 0; i < scene->n_forces; i++)
        if (*scene->forces[i].field.file)
            visit(user, &(input_file){scene->forces[i].field.file, NULL, "forces",
                                      scene->forces[i].name, "field"});
    VISIT_SHAPES("heat.sources", scene->heat.sources, scene->heat.n_sources,
                 scene->heat.sources[i].name, "shape")
    VISIT_SHAPES("pressures", scene->pressures, scene->n_pressures, scene->pressures[i].name,
                 "shape")
    VISIT_SHAPES("probes", scene->probes, scene->n_probes, scene->probes[i].name, "region")
    VISIT_SHAPES("expect", scene->expects, scene->n_expects, "", "region")
}

/* Calls visit with each existing file of a name: of a sequence all, in the order of their
 * numbers. */
static void visit_files(const char *name, void (*visit)(void *user, const char *path), void *user)
{
    firn_file_sequence files;
    if (!firn_file_sequence_is_pattern(name)) {
        visit(user, name);
        return;
    }
    if (firn_file_sequence_find(name, &files, NULL) != FIRN_OK) return;
    for (int i = 0; i < files.n; i++) {
        char path[FIRN_PATH];
        firn_file_sequence_path(&files, i, path);
        visit(user, path);
    }
    firn_file_sequence_clear(&files);
}

/* ---------------------------------------------------------------- their lengths */

typedef struct length_check {
    double most; /* bytes */
    int is_given;
    const char *remedy;        /* for the files of the name at hand */
    firn_status status, worst; /* of this name; the first of all */
    firn_messages *messages;
} length_check;

/* One message for a sequence: its first file that is too long. */
static void check_length(void *user, const char *path)
{
    length_check *c = user;
    struct stat info;
    if (c->status != FIRN_OK) return;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode) || !((double)info.st_size > c->most))
        return;
    const double mib = 1 << 20;
    c->status = firn_messages_add(c->messages, FIRN_MEMORY,
                                  "%s: file too long to be held in memory (%.4g MiB); allowed: "
                                  "up to %.4g MiB, %s; try: %s%s",
                                  path, (double)info.st_size / mib, c->most / mib,
                                  c->is_given ? "by --max-memory" : "half of this machine's memory",
                                  c->remedy, c->is_given ? ", or a larger --max-memory" : "");
}

static void check_lengths(void *user, const input_file *file)
{
    length_check *c = user;
    const firn_shape_def *shape = file->shape;
    /* Without --max-memory a mesh has a bound of its own; of a .vdb file one grid alone is read,
     * within a bound of its reader. */
    if (shape && (!c->is_given || strcmp(shape->kind, "mesh") != 0)) return;
    c->remedy = shape ? "a mesh with fewer faces" : "fewer points, or fewer attributes";
    c->status = FIRN_OK;
    if (shape)
        visit_files(file->name, check_length, c);
    else
        check_length(c, file->name);
    if (c->worst == FIRN_OK) c->worst = c->status;
}

firn_status firn_scene_files_check_lengths(const firn_scene_def *scene, size_t max_memory,
                                           firn_messages *messages)
{
    length_check c = {.most = (double)firn_read_limits_bytes(max_memory),
                      .is_given = max_memory > 0,
                      .messages = messages};
    visit_names(scene, check_lengths, &c);
    return c.worst;
}

/* ---------------------------------------------------------------- places in the scene */

typedef struct explaining {
    const firn_scene_def *scene;
    firn_messages *messages;
    int n_messages; /* that were there before */
} explaining;

/* Whether one of the errors names the file. */
static int is_accused(const explaining *e, const char *name)
{
    for (int i = 0; i < e->n_messages; i++) {
        firn_level level = FIRN_NOTE;
        const char *text = firn_messages_text(e->messages, i, &level);
        if (level == FIRN_ERROR && strstr(text, name)) return 1;
    }
    return 0;
}

static void explain(void *user, const input_file *file)
{
    const explaining *e = user;
    char path[3 * FIRN_NAME], place[FIRN_SCENE_PATH];
    snprintf(path, sizeof path, "%s%s%s.%s", file->list, *file->item ? "." : "", file->item,
             file->key);
    if (!is_accused(e, file->name) || !firn_scene_place_of(e->scene, path, place, sizeof place))
        return;
    firn_messages_add(e->messages, firn_messages_status(e->messages), "%s%s reads the file %s",
                      place, path, file->name);
}

void firn_scene_files_explain(const firn_scene_def *scene, firn_messages *messages)
{
    explaining e = {scene, messages, firn_messages_total(messages)};
    if (scene && firn_messages_status(messages) != FIRN_OK) visit_names(scene, explain, &e);
}

/* ---------------------------------------------------------------- checksums */

static void put_file(void *user, const char *path)
{
    firn_json_writer *json = user;
    struct stat info;
    firn_file_receipt receipt;
    char whole[FIRN_SCENE_PATH];
    /* a pipe gives its bytes once, to its reader */
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return;
    if (firn_file_receipt_of(path, UINT64_MAX, &receipt, NULL) != FIRN_OK) return;
    firn_json_begin(json, NULL, '{');
    firn_json_string(json, "file", firn_scene_whole_path(path, whole));
    firn_json_integer(json, "bytes", (int64_t)receipt.n_bytes);
    firn_json_hex(json, "checksum", receipt.checksum);
    firn_json_end(json);
}

/* Names, each once; counted alone while there is no room for them. */
typedef struct listing {
    int n;
    const char **names;
} listing;

static void list_name(void *user, const input_file *file)
{
    listing *l = user;
    const char *name = file->name;
    for (int i = 0; l->names && i < l->n; i++)
        if (strcmp(l->names[i], name) == 0) return;
    if (l->names) l->names[l->n] = name;
    l->n++;
}

firn_status firn_scene_files_write(const firn_scene_def *scene, firn_json_writer *json,
                                   firn_messages *messages)
{
    listing count = {0}, all = {0};
    char whole[FIRN_SCENE_PATH];
    visit_names(scene, list_name, &count);
    all.names = firn_memory_array(NULL, (size_t)count.n, sizeof *all.names);
    if (!all.names) return firn_messages_no_memory(messages, "list of input files");
    visit_names(scene, list_name, &all);
    firn_json_begin(json, NULL, '[');
    for (int i = 0; i < all.n; i++) {
        firn_json_begin(json, NULL, '{');
        firn_json_string(json, "name", firn_scene_whole_path(all.names[i], whole));
        firn_json_begin(json, "files", '[');
        visit_files(all.names[i], put_file, json);
        firn_json_end(json);
        firn_json_end(json);
    }
    firn_json_end(json);
    firn_memory_release(NULL, all.names, (size_t)count.n * sizeof *all.names);
    return FIRN_OK;
}

/* ---------------------------------------------------------------- changes */

static const char *file_of(const firn_json_node *file)
{
    return firn_json_string_of(file, "file", "");
}

static int is_same(const firn_json_node *a, const firn_json_node *b)
{
    uint64_t before = 0, now = 1;
    return firn_json_hex_of(a, "checksum", &before) && firn_json_hex_of(b, "checksum", &now) &&
           before == now &&
           firn_json_number_of(a, "bytes", -1) == firn_json_number_of(b, "bytes", -2);
}

/* now NULL: it is gone */
static void put_change(firn_json_writer *changes, const char *what, const char *path,
                       const firn_json_node *now)
{
    uint64_t checksum;
    firn_json_begin(changes, NULL, '{');
    firn_json_string(changes, "file", path);
    firn_json_string(changes, "what", what);
    if (now) firn_json_integer(changes, "bytes", (int64_t)firn_json_number_of(now, "bytes", 0));
    if (firn_json_hex_of(now, "checksum", &checksum)) firn_json_hex(changes, "checksum", checksum);
    firn_json_end(changes);
}

/* The files of one name, both in the order of their numbers: a longer name is a larger number. */
static int compare_files(const firn_json_node *x, const firn_json_node *y,
                         firn_json_writer *changes, firn_messages *messages)
{
    int n = 0;
    while (x || y) {
        size_t n_x = strlen(file_of(x)), n_y = strlen(file_of(y));
        int order = !x           ? 1
                    : !y         ? -1
                    : n_x != n_y ? (n_x < n_y ? -1 : 1)
                                 : strcmp(file_of(x), file_of(y));
        if (order < 0) {
            firn_messages_warn(messages, "%s: input file no longer exists", file_of(x));
            put_change(changes, "gone", file_of(x), NULL);
        } else if (order > 0) {
            firn_messages_warn(messages,
                               "%s: input file is new since the shot last read this sequence",
                               file_of(y));
            put_change(changes, "new", file_of(y), y);
        } else if (!is_same(x, y)) {
            firn_messages_warn(messages, "%s: input file has changed since the shot last read it",
                               file_of(y));
            put_change(changes, "changed", file_of(y), y);
        } else {
            n--;
        }
        n++;
        if (order <= 0) x = x->next;
        if (order >= 0) y = y->next;
    }
    return n;
}

int firn_scene_files_compare(const firn_json_node *before, const firn_json_node *now,
                             firn_json_writer *changes, firn_messages *messages)
{
    int n = 0;
    for (now = now ? now->first : NULL; now; now = now->next) {
        const firn_json_node *old = before ? before->first : NULL,
                             *files = firn_json_member(now, "files");
        while (old &&
               strcmp(firn_json_string_of(old, "name", ""), firn_json_string_of(now, "name", "")))
            old = old->next;
        const firn_json_node *old_files = firn_json_member(old, "files");
        if (files && old_files)
            n += compare_files(old_files->first, files->first, changes, messages);
    }
    return n;
}
