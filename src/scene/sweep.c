/* SPDX-License-Identifier: MIT */
/* sweep.c: the runs that a scene with `sweep:` stands for, each as a list of settings for --set. */
#include "scene/sweep.h"
#include "base/file.h"
#include "base/memory.h"
#include "scene/scene_bind.h"

#include <stdio.h>
#include <string.h>

struct firn_sweep {
    firn_arena arena;
    int n_axes;
    firn_sweep_axis *axes;
    int64_t n_runs;
};

/* A value as one line of text that --set reads back. */
static const char *value_text(firn_arena *arena, const firn_yaml_tree_node *value)
{
    firn_text text = {0};
    firn_yaml_tree_write(value, &text);
    const char *copy =
        text.has_failed ? NULL : firn_arena_text(arena, text.data ? text.data : "", text.n);
    if (text.has_failed) arena->has_failed = 1;
    firn_text_clear(&text);
    return copy;
}

static void read_axis(firn_sweep *sweep, const firn_yaml_tree_node *key,
                      const firn_yaml_tree_node *list)
{
    const char **values = firn_arena_allocate(&sweep->arena, (size_t)list->n * sizeof *values);
    for (int i = 0; values && i < list->n; i++)
        values[i] = value_text(&sweep->arena, list->items[i]);
    sweep->axes[sweep->n_axes++] = (firn_sweep_axis){key->text, list->n, values};
    sweep->n_runs *= list->n;
}

static int read_axes(firn_sweep *sweep, const firn_yaml_tree_node *root, firn_messages *messages)
{
    const firn_yaml_tree_node *map = firn_yaml_tree_find(root, "sweep");
    sweep->n_runs = 1;
    if (!map) return 1;
    if (firn_scene_check_sweep(map, messages) == 0) return 0;
    sweep->axes = firn_arena_allocate(&sweep->arena, (size_t)map->n * sizeof *sweep->axes);
    for (int i = 0; sweep->axes && i < map->n; i++) read_axis(sweep, map->keys[i], map->items[i]);
    return 1;
}

firn_sweep *firn_sweep_load(const char *path, firn_messages *messages)
{
    size_t n_bytes;
    int n_errors = firn_messages_count(messages, FIRN_ERROR);
    char *text = firn_file_text(path, FIRN_YAML_TREE_BYTES_MAX, &n_bytes, messages);
    firn_sweep *sweep = text ? firn_memory_allocate(NULL, sizeof *sweep) : NULL;
    int is_good = 0;
    if (sweep) {
        const char *name = firn_arena_text(&sweep->arena, path, strlen(path));
        firn_yaml_tree_node *root =
            name ? firn_yaml_tree_parse(&sweep->arena, text, n_bytes, name, 1, messages) : NULL;
        is_good = root && read_axes(sweep, root, messages) &&
                  firn_messages_count(messages, FIRN_ERROR) == n_errors;
    }
    if (text && (!sweep || sweep->arena.has_failed)) {
        firn_messages_add(messages, FIRN_MEMORY, "%s: there is not enough memory to read it", path);
        is_good = 0;
    }
    if (text) firn_memory_release(NULL, text, n_bytes + 1);
    if (is_good) return sweep;
    firn_sweep_destroy(sweep);
    return NULL;
}

void firn_sweep_destroy(firn_sweep *sweep)
{
    if (!sweep) return;
    firn_arena_clear(&sweep->arena);
    firn_memory_release(NULL, sweep, sizeof *sweep);
}

int firn_sweep_n_axes(const firn_sweep *sweep) { return sweep->n_axes; }

const firn_sweep_axis *firn_sweep_axis_at(const firn_sweep *sweep, int i)
{
    return i >= 0 && i < sweep->n_axes ? &sweep->axes[i] : NULL;
}

int64_t firn_sweep_n_runs(const firn_sweep *sweep) { return sweep->n_runs; }

const char *const *firn_sweep_settings(firn_sweep *sweep, int64_t run)
{
    if (run < 0 || run >= sweep->n_runs) return NULL;
    const char **settings =
        firn_arena_allocate(&sweep->arena, (size_t)(sweep->n_axes + 1) * sizeof *settings);
    for (int i = sweep->n_axes - 1; settings && i >= 0; i--) {
        const firn_sweep_axis *axis = &sweep->axes[i];
        const char *value = axis->values[run % axis->n];
        run /= axis->n;
        size_t n = strlen(axis->path) + strlen(value) + 2;
        char *setting = firn_arena_allocate(&sweep->arena, n);
        if (!setting) return NULL;
        snprintf(setting, n, "%s=%s", axis->path, value);
        settings[i] = setting;
    }
    return settings;
}
