/* SPDX-License-Identifier: MIT */
/* study_file.c: the study file. Every key is one entry of the table `keys`; unknown ones are
 * refused with the nearest known. Values of settings stay text: `firn run --set` types and checks
 * them against the scene. */
#include "study/study.h"
#include "scene/yaml_tree.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/messages.h"
#include "base/suggest.h"
#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef firn_yaml_tree_node node;

typedef struct reader {
    firn_study *study;
    firn_messages *messages;
    char folder[FIRN_PATH]; /* of the study file, with its last slash */
    const char *resolution_path;
} reader;

static int refuse(reader *r, const node *at, const char *sentence)
{
    char place[FIRN_YAML_TREE_PLACE];
    firn_yaml_tree_place(at, place);
    firn_messages_add(r->messages, FIRN_REFUSED, "%s%s", place, sentence);
    return 0;
}

static int no_memory(reader *r)
{
    firn_messages_no_memory(r->messages, "study");
    return 0;
}

/* ---------------------------------------------------------------- values */

static int read_text(reader *r, const node *value, const char **out)
{
    if (value->kind != FIRN_YAML_TREE_SCALAR) return refuse(r, value, "needs a single value");
    *out = value->text;
    return 1;
}

/* A value as --set takes it. */
static const char *as_setting(reader *r, const node *value)
{
    firn_text text = {0};
    firn_yaml_tree_write(value, &text);
    const char *copy =
        text.data && !text.has_failed ? firn_arena_text(&r->study->arena, text.data, text.n) : NULL;
    firn_text_clear(&text);
    return copy;
}

/* A list of texts, or a single one. */
static int read_texts(reader *r, const node *value, const char ***out, int *n)
{
    int n_items = value->kind == FIRN_YAML_TREE_LIST ? value->n : 1;
    *out = firn_arena_allocate(&r->study->arena, (size_t)n_items * sizeof **out);
    if (!*out) return no_memory(r);
    for (*n = 0; *n < n_items; ++*n)
        if (!read_text(r, value->kind == FIRN_YAML_TREE_LIST ? value->items[*n] : value,
                       &(*out)[*n]))
            return 0;
    return 1;
}

/* A path relative to the study's folder. */
static const char *located(reader *r, const char *path)
{
    if (path[0] == '/' || !r->folder[0]) return path;
    size_t n = strlen(r->folder) + strlen(path) + 1;
    char *full = firn_arena_allocate(&r->study->arena, n);
    if (full) snprintf(full, n, "%s%s", r->folder, path);
    return full ? full : path;
}

static int read_quantity(reader *r, const node *value, const char *unit, double *out)
{
    char message[FIRN_UNITS_MESSAGE];
    const char *text;
    if (!read_text(r, value, &text)) return 0;
    return firn_units_read(text, unit, out, message) || refuse(r, value, message);
}

/* Keys of a map that are none of `words`. */
static int check_keys(reader *r, const node *map, const char *words)
{
    if (map->kind != FIRN_YAML_TREE_MAP) return refuse(r, map, "needs a map of keys and values");
    int is_good = 1;
    for (int i = 0; i < map->n; i++) {
        const char *key = map->keys[i]->text;
        if (firn_suggest_has(words, key)) continue;
        char near[64], sentence[512];
        int has_near = firn_suggest_word(key, words, near, sizeof near);
        snprintf(sentence, sizeof sentence, "unknown key \"%.60s\"; %s%s", key,
                 has_near ? "did you mean " : "allowed: ", has_near ? near : words);
        is_good = refuse(r, map->keys[i], sentence);
    }
    return is_good;
}

/* ---------------------------------------------------------------- the keys */

static int key_name(reader *r, const node *v) { return read_text(r, v, &r->study->name); }
static int key_text(reader *r, const node *v) { return read_text(r, v, &r->study->text); }
static int key_material(reader *r, const node *v) { return read_text(r, v, &r->study->material); }
static int key_watch(reader *r, const node *v) { return read_text(r, v, &r->study->watch); }
static int key_set(reader *r, const node *v)
{
    return read_texts(r, v, &r->study->sets, &r->study->n_sets);
}
static int key_curves(reader *r, const node *v)
{
    return read_texts(r, v, &r->study->curves, &r->study->n_curves);
}

static int key_scenes(reader *r, const node *v)
{
    if (!read_texts(r, v, &r->study->scenes, &r->study->n_scenes)) return 0;
    for (int i = 0; i < r->study->n_scenes; i++)
        r->study->scenes[i] = located(r, r->study->scenes[i]);
    return 1;
}

static int key_metrics(reader *r, const node *v)
{
    if (!read_texts(r, v, &r->study->metrics, &r->study->n_metrics)) return 0;
    for (int i = 0; i < r->study->n_metrics; i++)
        if (!firn_compare_metric_find(r->study->metrics[i])) {
            char sentence[1024] = "unknown metric; allowed:";
            for (int k = 0; firn_compare_metric_at(k); k++) {
                strncat(sentence, " ", sizeof sentence - strlen(sentence) - 1);
                strncat(sentence, firn_compare_metric_at(k)->name,
                        sizeof sentence - strlen(sentence) - 1);
            }
            return refuse(r, v->kind == FIRN_YAML_TREE_LIST ? v->items[i] : v, sentence);
        }
    return 1;
}

/* "spec", or a map of one pair, label: spec. */
static int key_laws(reader *r, const node *v)
{
    if (v->kind != FIRN_YAML_TREE_LIST || !v->n) return refuse(r, v, "needs a list of laws");
    r->study->laws = firn_arena_allocate(&r->study->arena, (size_t)v->n * sizeof *r->study->laws);
    if (!r->study->laws) return no_memory(r);
    for (int i = 0; i < v->n; i++) {
        const node *item = v->items[i], *spec = item;
        firn_study_law *law = &r->study->laws[r->study->n_laws++];
        if (item->kind == FIRN_YAML_TREE_MAP && item->n == 1) {
            spec = item->items[0];
            law->label = item->keys[0]->text;
        }
        if (!read_text(r, spec, &law->spec)) return 0;
        if (!law->label) law->label = law->spec;
    }
    return 1;
}

static int add_axis(reader *r, const node *at, const char *path, const node *list)
{
    firn_study *s = r->study;
    if (s->n_axes == FIRN_COMPARE_AXES_MAX) return refuse(r, at, "too many sweeps");
    if (list->kind != FIRN_YAML_TREE_LIST || !list->n)
        return refuse(r, list, "needs a list of values");
    firn_study_axis *axis = &s->axes[s->n_axes++];
    *axis = (firn_study_axis){
        path, list->n, firn_arena_allocate(&s->arena, (size_t)list->n * sizeof *axis->values)};
    if (!axis->values) return no_memory(r);
    for (int i = 0; i < list->n; i++)
        if (!(axis->values[i] = as_setting(r, list->items[i]))) return no_memory(r);
    return 1;
}

static int key_sweep(reader *r, const node *v)
{
    if (v->kind != FIRN_YAML_TREE_MAP)
        return refuse(r, v, "needs a map of paths with lists of values");
    for (int i = 0; i < v->n; i++)
        if (!add_axis(r, v->keys[i], v->keys[i]->text, v->items[i])) return 0;
    return 1;
}

static int key_transfers(reader *r, const node *v) { return add_axis(r, v, "transfer.scheme", v); }

/* The same small-strain moduli for every law, appended to each specification. */
static int key_matched(reader *r, const node *v)
{
    firn_text text = {0};
    if (!check_keys(r, v, "E nu")) return 0;
    const node *E = firn_yaml_tree_find(v, "E"), *nu = firn_yaml_tree_find(v, "nu");
    if (!E || !nu) return refuse(r, v, "needs E and nu");
    firn_text_add(&text, "E=%s,nu=%s", E->text, nu->text);
    r->study->matched = text.data ? firn_arena_text(&r->study->arena, text.data, text.n) : NULL;
    firn_text_clear(&text);
    return r->study->matched ? 1 : no_memory(r);
}

static int key_repeat(reader *r, const node *v)
{
    double n;
    if (!read_quantity(r, v, "1", &n)) return 0;
    if (!(n >= 1 && n <= FIRN_COMPARE_REPEATS_MAX) || n != floor(n))
        return refuse(r, v, "repeat: not a number of runs; allowed: whole, 1 to 64");
    r->study->n_repeats = (int)n;
    return 1;
}

static int key_vary(reader *r, const node *v)
{
    const char **words;
    int n;
    if (!read_texts(r, v, &words, &n)) return 0;
    for (int i = 0; i < n; i++) {
        int is_seed = strcmp(words[i], "seed") == 0, is_shift = strcmp(words[i], "shift") == 0;
        if (!is_seed && !is_shift)
            return refuse(r, v->kind == FIRN_YAML_TREE_LIST ? v->items[i] : v,
                          "vary: unknown; allowed: seed, shift");
        r->study->varies_seed |= is_seed;
        r->study->varies_shift |= is_shift;
    }
    return 1;
}

/* One fixed time step for all runs, so that only the laws differ. */
static int key_time_step(reader *r, const node *v)
{
    firn_study *s = r->study;
    const char **sets = firn_arena_allocate(&s->arena, (size_t)(s->n_sets + 1) * sizeof *sets);
    char text[128];
    const char *value;
    if (!read_text(r, v, &value)) return 0;
    snprintf(text, sizeof text, "time.dt_fixed=%s", value);
    char *copy = firn_arena_text(&s->arena, text, strlen(text));
    if (!sets || !copy) return no_memory(r);
    if (s->n_sets) memcpy(sets, s->sets, (size_t)s->n_sets * sizeof *sets);
    sets[s->n_sets++] = copy;
    s->sets = sets;
    return 1;
}

static int key_resolution(reader *r, const node *v)
{
    if (!check_keys(r, v, "path metric exact")) return 0;
    const node *path = firn_yaml_tree_find(v, "path"), *metric = firn_yaml_tree_find(v, "metric"),
               *exact = firn_yaml_tree_find(v, "exact");
    if (!path || !metric) return refuse(r, v, "needs the swept path and a metric");
    if (!read_text(r, path, &r->resolution_path) ||
        !read_text(r, metric, &r->study->resolution_metric))
        return 0;
    if (!firn_compare_metric_find(r->study->resolution_metric))
        return refuse(r, metric, "unknown metric");
    return !exact || read_quantity(r, exact, "", &r->study->resolution_exact);
}

/* `laws: [label, ...]` and `range: [low, high]` of a picture. */
static int read_picture(reader *r, const node *v, firn_study_lab *lab)
{
    const firn_study *s = r->study;
    const node *laws = firn_yaml_tree_find(v, "laws"), *range = firn_yaml_tree_find(v, "range");
    lab->range[0] = lab->range[1] = NAN;
    if (range && (range->kind != FIRN_YAML_TREE_LIST || range->n != 2))
        return refuse(r, range, "needs a list of two numbers, like [-600 Pa, 300 Pa]");
    for (int i = 0; range && i < 2; i++)
        if (!read_quantity(r, range->items[i], "", &lab->range[i])) return 0;
    if (range && !(lab->range[0] < lab->range[1]))
        return refuse(r, range, "needs rising numbers, like [-600, 300]");
    if (laws && !read_texts(r, laws, &lab->laws, &lab->n_laws)) return 0;
    for (int k = 0; k < lab->n_laws; k++) {
        int i = 0;
        while (i < s->n_laws && strcmp(s->laws[i].label, lab->laws[k]) != 0) i++;
        if (i == s->n_laws) return refuse(r, laws, "unknown law; allowed: the labels of `laws`");
    }
    return 1;
}

static int read_lab(reader *r, const node *v, firn_study_lab *lab)
{
    firn_lab_options *o = &lab->options;
    *o = firn_lab_options_default();
    if (!check_keys(r, v,
                    "title path mode from to stress pressure rate hold steps cycles temperature "
                    "rate_from rate_to heat_to x y overlay laws range") ||
        !read_picture(r, v, lab))
        return 0;
    const char *path = "uniaxial", *mode = "", *x, *y;
    double steps = o->n_steps, cycles = o->n_cycles;
    const struct {
        const char *key, *unit;
        double *value;
    } numbers[] = {{"from", "1", &o->from},
                   {"to", "1", &o->to},
                   {"stress", "Pa", &o->stress},
                   {"pressure", "Pa", &o->pressure},
                   {"rate", "1/s", &o->rate},
                   {"hold", "s", &o->hold},
                   {"temperature", "K", &o->temperature},
                   {"heat_to", "K", &o->heat_to},
                   {"steps", "1", &steps},
                   {"rate_from", "1/s", &o->rate_from},
                   {"rate_to", "1/s", &o->rate_to},
                   {"cycles", "1", &cycles}};
    const struct {
        const char *key;
        const char **text;
    } texts[] = {{"title", &lab->title}, {"path", &path}, {"mode", &mode},
                 {"x", &lab->x},         {"y", &lab->y},  {"overlay", &lab->overlay}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const node *value = firn_yaml_tree_find(v, numbers[i].key);
        if (value && !read_quantity(r, value, numbers[i].unit, numbers[i].value)) return 0;
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const node *value = firn_yaml_tree_find(v, texts[i].key);
        if (value && !read_text(r, value, texts[i].text)) return 0;
    }
    o->n_steps = (int)steps;
    o->n_cycles = (int)cycles;
    snprintf(o->path, sizeof o->path, "%s", path);
    snprintf(o->mode, sizeof o->mode, "%s", mode);
    o->by_stress = firn_yaml_tree_find(v, "stress") && strcmp(path, "creep") != 0;
    if (!firn_lab_axes(o, &x, &y))
        return refuse(r, v, "unknown path or mode; `firn lab --list` lists all");
    if (!lab->x) lab->x = x;
    if (!lab->y) lab->y = y;
    if (!lab->title) lab->title = path;
    if (lab->overlay) lab->overlay = located(r, lab->overlay);
    return 1;
}

static int key_lab(reader *r, const node *v)
{
    if (v->kind != FIRN_YAML_TREE_LIST) return refuse(r, v, "needs a list of paths");
    r->study->labs = firn_arena_allocate(&r->study->arena, (size_t)v->n * sizeof *r->study->labs);
    if (!r->study->labs) return no_memory(r);
    for (int i = 0; i < v->n; i++)
        if (!read_lab(r, v->items[i], &r->study->labs[r->study->n_labs++])) return 0;
    return 1;
}

static int key_references(reader *r, const node *v)
{
    firn_study *s = r->study;
    if (v->kind != FIRN_YAML_TREE_LIST) return refuse(r, v, "needs a list of references");
    s->references = firn_arena_allocate(&s->arena, (size_t)v->n * sizeof *s->references);
    if (!s->references) return no_memory(r);
    for (int i = 0; i < v->n; i++) {
        const node *item = v->items[i], *curve, *file, *label;
        if (!check_keys(r, item, "label curve file")) return 0;
        curve = firn_yaml_tree_find(item, "curve");
        file = firn_yaml_tree_find(item, "file");
        label = firn_yaml_tree_find(item, "label");
        if (!curve || !file)
            return refuse(r, item, "needs a curve and a CSV file with time and that column");
        s->references[s->n_references++] = (firn_study_reference){
            label ? label->text : file->text, curve->text, located(r, file->text)};
    }
    return 1;
}

static const struct {
    const char *key;
    int (*read)(reader *r, const node *value);
} keys[] = {{"study", key_name},
            {"text", key_text},
            {"scenes", key_scenes},
            {"material", key_material},
            {"watch", key_watch},
            {"laws", key_laws},
            {"sweep", key_sweep},
            {"transfers", key_transfers},
            {"set", key_set},
            {"repeat", key_repeat},
            {"vary", key_vary},
            {"metrics", key_metrics},
            {"curves", key_curves},
            {"matched", key_matched},
            {"time_step", key_time_step},
            {"resolution", key_resolution},
            {"lab", key_lab},
            {"references", key_references}};

/* ---------------------------------------------------------------- the file */

static int read_root(reader *r, const node *root)
{
    char words[512] = "";
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        size_t used = strlen(words);
        snprintf(words + used, sizeof words - used, "%s%s", k ? " " : "", keys[k].key);
    }
    int is_good = check_keys(r, root, words);
    for (size_t k = 0; k < sizeof keys / sizeof *keys && root->kind == FIRN_YAML_TREE_MAP; k++) {
        const node *value = firn_yaml_tree_find(root, keys[k].key);
        if (value) is_good &= keys[k].read(r, value);
    }
    return is_good;
}

/* A scene file with `sweep:` is a study of itself, named like the file. */
static int read_scene(reader *r, const node *root, const char *path)
{
    firn_study *s = r->study;
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    s->name = firn_arena_text(&s->arena, name, strcspn(name, "."));
    s->scenes = firn_arena_allocate(&s->arena, sizeof *s->scenes);
    if (!s->name || !s->scenes) return no_memory(r);
    s->scenes[s->n_scenes++] = root->origin;
    return key_sweep(r, firn_yaml_tree_find(root, "sweep"));
}

static int is_scene(const node *root)
{
    return root->kind == FIRN_YAML_TREE_MAP && !firn_yaml_tree_find(root, "study") &&
           firn_yaml_tree_find(root, "sweep") && firn_yaml_tree_find(root, "grid");
}

/* Keys that need each other. */
static int check(reader *r, const node *root)
{
    firn_study *s = r->study;
    if (!s->name) return refuse(r, root, "study: no name; try: `study: NAME`");
    if (!s->n_scenes && !s->n_labs)
        return refuse(r, root, "study: nothing to run; try: `scenes`, `lab`, or both");
    if (s->n_labs && !s->n_laws) return refuse(r, root, "lab: needs `laws`");
    if (s->n_scenes && s->n_laws && !s->material)
        return refuse(r, root,
                      "material: missing; needed with `scenes` and `laws`: the scene's material "
                      "whose law varies");
    if (s->n_repeats > 1 && !s->varies_seed && !s->varies_shift)
        s->varies_seed = s->varies_shift = 1;
    if (r->resolution_path) {
        for (int a = 0; a < s->n_axes; a++)
            if (strcmp(s->axes[a].path, r->resolution_path) == 0) s->resolution_axis = a;
        if (s->resolution_axis < 0)
            return refuse(r, root, "resolution: its path is not one of the sweep");
    }
    for (int i = 0; s->matched && i < s->n_laws; i++) {
        char text[1024];
        snprintf(text, sizeof text, "%s,%s", s->laws[i].spec, s->matched);
        s->laws[i].spec = firn_arena_text(&s->arena, text, strlen(text));
        if (!s->laws[i].spec) return no_memory(r);
    }
    for (int i = 0; i < s->n_laws; i++) {
        firn_material material;
        if (firn_lab_material(s->laws[i].spec, NULL, &material, r->messages) != FIRN_OK) return 0;
    }
    return 1;
}

firn_study *firn_compare_study_load(const char *path, firn_messages *messages)
{
    size_t n_bytes;
    int n_errors = firn_messages_count(messages, FIRN_ERROR), is_good = 0;
    char *text = firn_file_text(path, FIRN_YAML_TREE_BYTES_MAX, &n_bytes, messages);
    if (!text) return NULL;
    firn_study *study = firn_memory_allocate(NULL, sizeof *study);
    reader r = {.study = study, .messages = messages};
    const char *slash = strrchr(path, '/');
    if (slash) snprintf(r.folder, sizeof r.folder, "%.*s", (int)(slash - path + 1), path);
    if (study) {
        study->watch = "all";
        study->n_repeats = 1;
        study->resolution_axis = -1;
        study->resolution_exact = NAN;
        const char *origin = firn_arena_text(&study->arena, path, strlen(path));
        study->file = origin;
        node *root =
            origin ? firn_yaml_tree_parse(&study->arena, text, n_bytes, origin, 1, messages) : NULL;
        is_good = root && (is_scene(root) ? read_scene(&r, root, path) : read_root(&r, root)) &&
                  check(&r, root);
        is_good = is_good && firn_messages_count(messages, FIRN_ERROR) == n_errors;
    }
    if (!study || study->arena.has_failed) is_good = no_memory(&r);
    firn_memory_release(NULL, text, n_bytes + 1);
    if (is_good) return study;
    firn_compare_study_destroy(study);
    return NULL;
}

int firn_compare_is_study(const char *path)
{
    size_t n_bytes;
    firn_arena arena = {0};
    char *text = firn_file_text(path, FIRN_YAML_TREE_BYTES_MAX, &n_bytes, NULL);
    if (!text) return 0;
    const node *root = firn_yaml_tree_parse(&arena, text, n_bytes, path, 1, NULL);
    const int is_study = root && root->kind == FIRN_YAML_TREE_MAP &&
                         (is_scene(root) || firn_yaml_tree_find(root, "study"));
    firn_arena_clear(&arena);
    firn_memory_release(NULL, text, n_bytes + 1);
    return is_study;
}

void firn_compare_study_destroy(firn_study *study)
{
    if (!study) return;
    firn_arena_clear(&study->arena);
    firn_memory_release(NULL, study, sizeof *study);
}
