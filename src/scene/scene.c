/* SPDX-License-Identifier: MIT */
/* scene.c: a scene file from disk to a checked definition.
 *
 *     text -> tree (yaml_tree.c) -> settings (scene_set.c) -> preset files (scene_preset.c)
 *          -> definition (scene_bind.c) -> check (scene_check.c) -> warnings
 *
 * All errors are collected and sorted by their place in the file. */
#include "scene/scene.h"
#include "scene/scene_check.h"
#include "base/file.h"
#include "mpm/separation.h"
#include "base/memory.h"
#include "base/file_sequence.h"
#include "base/messages.h"
#include "scene/scene_bind.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef firn_yaml_tree_node node;

struct firn_scene {
    firn_arena arena; /* everything that the definition points to */
    firn_scene_def def;
    firn_material *materials; /* [def.n_materials], resolved by the check */
    firn_scene_binder binder; /* for places of later messages */
};

/* ---------------------------------------------------------------- sweeps inside a scene */

static int is_set(const char *path, int n_sets, const char *const *sets)
{
    size_t n = strlen(path);
    for (int i = 0; i < n_sets; i++)
        if (strncmp(sets[i], path, n) == 0 && sets[i][n] == '=') return 1;
    return 0;
}

static void refuse_at(const node *at, firn_messages *messages, const char *sentence)
{
    char place[FIRN_YAML_TREE_PLACE];
    firn_yaml_tree_place(at, place);
    firn_messages_add(messages, FIRN_REFUSED, "%s%s", place, sentence);
}

/* The number of runs that `sweep` stands for; 0: refused. */
static int64_t count_runs(const node *sweep, firn_messages *messages)
{
    int64_t n_runs = 1;
    if (sweep->kind != FIRN_YAML_TREE_MAP) {
        refuse_at(sweep, messages,
                  "sweep needs paths with lists of values, like {grid.dx: [2 cm, 1 cm]}");
        return 0;
    }
    for (int i = 0; i < sweep->n; i++) {
        char sentence[256];
        const node *values = sweep->items[i];
        if (values->kind != FIRN_YAML_TREE_LIST || values->n == 0) {
            snprintf(sentence, sizeof sentence,
                     "sweep.%.80s needs a list of values, like [2 cm, 1 cm]", sweep->keys[i]->text);
            refuse_at(values, messages, sentence);
            return 0;
        }
        n_runs *= values->n;
        if (n_runs <= 1000000) continue;
        refuse_at(sweep, messages, "sweep has too many runs; allowed: up to a million");
        return 0;
    }
    return n_runs;
}

/* A file with a sweep is a study; a plain run of it takes the values outside the sweep. */
static void note_open_sweep(const node *root, int n_sets, const char *const *sets,
                            firn_messages *messages)
{
    const node *sweep = firn_yaml_tree_find(root, "sweep");
    const int64_t n_runs = sweep ? count_runs(sweep, messages) : 0;
    for (int i = 0; n_runs > 0 && i < sweep->n; i++) {
        if (is_set(sweep->keys[i]->text, n_sets, sets)) continue;
        char place[FIRN_YAML_TREE_PLACE];
        firn_yaml_tree_place(sweep->keys[i], place);
        firn_messages_warn(messages,
                           "%ssweep: not used by a single run (%lld runs in `firn compare`); this "
                           "run takes the values outside the sweep; try: --set %.80s=VALUE",
                           place, (long long)n_runs, sweep->keys[i]->text);
        return;
    }
}

/* ---------------------------------------------------------------- bodies too sparse for the grid */

static void warn_of_gap(firn_scene_binder *binder, const char *list, const char *name, double gap,
                        double dx)
{
    char sentence[512], path[2 * FIRN_NAME], place[FIRN_YAML_TREE_PLACE];
    if (!firn_separation_is_wide(gap, dx, sentence, sizeof sentence)) return;
    snprintf(path, sizeof path, "%s.%s", list, name);
    firn_scene_bind_locate(binder, path, place, sizeof place);
    firn_messages_warn(binder->messages, "%s%s %s", place, path, sentence);
}

static void warn_of_gaps(firn_scene_binder *binder, const firn_scene_def *def)
{
    if (strcmp(def->method, "mpm") != 0) return; /* no cells to be apart by */
    for (int i = 0; i < def->n_bodies; i++)
        warn_of_gap(binder, "bodies", def->bodies[i].name,
                    firn_separation_of_body(def, &def->bodies[i]), def->grid.dx);
    for (int i = 0; i < def->n_emitters; i++)
        warn_of_gap(binder, "emitters", def->emitters[i].name,
                    firn_separation_of_emitter(&def->emitters[i]), def->grid.dx);
}

/* ---------------------------------------------------------------- probable mistakes */

/* The least thickness of a collider that is known from its parameters, m. */
static double thinnest(const firn_collider_def *c)
{
    double least = INFINITY;
    for (int i = 0; i < c->n_shapes; i++) {
        const firn_shape_def *s = &c->shapes[i];
        if (s->csg != FIRN_UNION) continue;
        if (s->thickness > 0) least = fmin(least, s->thickness);
        for (int a = 0; strcmp(s->kind, "box") == 0 && a < 3; a++) least = fmin(least, s->size[a]);
    }
    return least;
}

static void warn_of_leaks(firn_scene_binder *binder, const firn_scene_def *def)
{
    for (int i = 0; i < def->n_colliders; i++) {
        const firn_collider_def *c = &def->colliders[i];
        const double thin = thinnest(c);
        char path[2 * FIRN_NAME], place[FIRN_YAML_TREE_PLACE];
        if (c->particle_pass || !(thin < 2 * def->grid.dx)) continue;
        snprintf(path, sizeof path, "colliders.%s", c->name);
        firn_scene_bind_locate(binder, path, place, sizeof place);
        firn_messages_warn(binder->messages,
                           "%s%s: %.3g m thin, less than two cells of %.3g m, so material leaks "
                           "through; try: particle_pass: true",
                           place, path, thin, def->grid.dx);
    }
}

static void warn_of_sequences(firn_scene_binder *binder, const firn_scene_def *def)
{
    for (int i = 0; i < def->n_grips; i++)
        for (int k = 0; k < def->grips[i].n_shapes; k++) {
            char path[2 * FIRN_NAME], place[FIRN_YAML_TREE_PLACE];
            if (!firn_file_sequence_is_pattern(def->grips[i].shapes[k].file)) continue;
            snprintf(path, sizeof path, "grips.%s", def->grips[i].name);
            firn_scene_bind_locate(binder, path, place, sizeof place);
            firn_messages_warn(binder->messages,
                               "%s%s: grips what the first file of its sequence holds, and follows "
                               "`motion`, not the files; try: motion: keys",
                               place, path);
        }
}

/* ---------------------------------------------------------------- loading */

static firn_scene *fail_memory(firn_scene *scene, const char *name, firn_messages *messages)
{
    firn_messages_no_memory(messages, "%s", name);
    firn_scene_destroy(scene);
    return NULL;
}

/* The part of a path up to its last slash. */
static const char *folder_of(firn_arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    return firn_arena_text(arena, path, slash ? (size_t)(slash - path) + 1 : 0);
}

static void name_after_file(firn_scene_def *def, const char *path)
{
    const char *slash = strrchr(path, '/'), *stem = slash ? slash + 1 : path,
               *dot = strrchr(stem, '.');
    size_t n = dot && dot != stem ? (size_t)(dot - stem) : strlen(stem);
    if (!*def->name)
        snprintf(def->name, sizeof def->name, "%.*s", (int)(n < FIRN_NAME ? n : FIRN_NAME - 1),
                 stem);
}

/* The default of `outputs`: a bgeo file per frame. `outputs: []` means none. */
static int add_default_output(firn_scene *scene, const node *root)
{
    if (firn_yaml_tree_find(root, "outputs")) return 1;
    firn_output_def *output = firn_arena_allocate(&scene->arena, sizeof *output);
    if (!output) return 0;
    *output = firn_output_default();
    scene->def.outputs = output;
    scene->def.n_outputs = 1;
    return 1;
}

/* The one check of a scene from a file. */
static void check_loaded(firn_scene *scene, firn_scene_binder *binder)
{
    firn_scene_def *def = &scene->def;
    const size_t n = (size_t)(def->n_materials > 0 ? def->n_materials : 1);
    scene->materials = firn_arena_allocate(&scene->arena, n * sizeof *scene->materials);
    if (!scene->materials) return; /* the arena remembers */
    def->loaded = scene;
    firn_scene_check_located(def, firn_scene_bind_locate, binder, scene->materials,
                             binder->messages);
}

firn_scene *firn_scene_parse(const char *text, size_t n_bytes, const char *shown_name, int n_sets,
                             const char *const *sets, firn_messages *messages)
{
    int n_errors = firn_messages_count(messages, FIRN_ERROR), first = firn_messages_total(messages),
        is_refused = 0;
    firn_messages *own =
        messages ? NULL : firn_messages_create(); /* the status is read from the report */
    if (!messages && !(messages = own)) return NULL;
    firn_scene *scene = firn_memory_allocate(NULL, sizeof *scene);
    if (!scene) {
        fail_memory(NULL, shown_name, messages);
        firn_messages_destroy(own);
        return NULL;
    }
    firn_arena *arena = &scene->arena;
    const char *name = firn_arena_text(arena, shown_name, strlen(shown_name));
    node *root = name ? firn_yaml_tree_parse(arena, text, n_bytes, name, 1, messages) : NULL;
    if (root) {
        for (int i = 0; i < n_sets; i++) firn_scene_set(arena, root, sets[i], messages);
        firn_scene_binder binder = {
            .arena = arena, .messages = messages, .folder = folder_of(arena, name)};
        if (binder.folder) firn_scene_take_presets(arena, root, binder.folder, messages);
        firn_scene_bind(&binder, root, &scene->def);
        name_after_file(&scene->def, name);
        add_default_output(scene, root);
        note_open_sweep(root, n_sets, sets, messages);
        check_loaded(scene, &binder);
        if (firn_messages_count(messages, FIRN_ERROR) == n_errors) {
            warn_of_gaps(&binder, &scene->def);
            warn_of_leaks(&binder, &scene->def);
            warn_of_sequences(&binder, &scene->def);
        }
        scene->binder = binder;
    }
    firn_messages_sort(messages, first, shown_name);
    is_refused = !root || firn_messages_count(messages, FIRN_ERROR) > n_errors;
    if (arena->has_failed)
        scene = fail_memory(scene, shown_name, messages);
    else if (is_refused) {
        firn_scene_destroy(scene);
        scene = NULL;
    }
    firn_messages_destroy(own);
    return scene;
}

firn_scene *firn_scene_load(const char *path, int n_sets, const char *const *sets,
                            firn_messages *messages)
{
    size_t n_bytes;
    char *text = firn_file_text(path, FIRN_YAML_TREE_BYTES_MAX, &n_bytes, messages);
    if (!text) return NULL;
    firn_scene *scene = firn_scene_parse(text, n_bytes, path, n_sets, sets, messages);
    firn_memory_release(NULL, text, n_bytes + 1);
    return scene;
}

const firn_scene_def *firn_scene_definition(const firn_scene *scene)
{
    return scene ? &scene->def : NULL;
}

const firn_material *firn_scene_materials(const firn_scene_def *def)
{
    return def->loaded && def == &def->loaded->def ? def->loaded->materials : NULL;
}

int firn_scene_place_of(const firn_scene_def *def, const char *path, char *place, size_t n_bytes)
{
    *place = 0;
    if (!def->loaded) return 0;
    firn_scene_binder binder = def->loaded->binder;
    return firn_scene_bind_locate(&binder, path, place, n_bytes) && *place;
}

void firn_scene_place(firn_scene *scene, const char *folder)
{
    snprintf(scene->def.folder, sizeof scene->def.folder, "%s", folder);
}

void firn_scene_lengthen(firn_scene *scene, int n_frames) { scene->def.frames = n_frames; }

void firn_scene_destroy(firn_scene *scene)
{
    if (!scene) return;
    firn_arena_clear(&scene->arena);
    firn_memory_release(NULL, scene, sizeof *scene);
}
