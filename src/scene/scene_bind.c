/* SPDX-License-Identifier: MIT */
/* scene_bind.c: sections, lists and keys. How single values are read is in scene_value.c. */
#include "scene/scene_bind.h"
#include "base/suggest.h"
#include "scene/scene_value.h"
#include "geometry/shape.h"
#include "solver/force.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef firn_scene_binder binder;
typedef firn_yaml_tree_node node;

/* ---------------------------------------------------------------- paths and marks */

static size_t enter(binder *b, const char *key)
{
    size_t n = strlen(b->path);
    snprintf(b->path + n, sizeof b->path - n, "%s%s", n ? "." : "", key);
    return n;
}

static void leave(binder *b, size_t n) { b->path[n] = 0; }

static void mark(binder *b, const node *at, int is_refused)
{
    if (b->n_marks == b->mark_capacity) {
        int capacity = b->mark_capacity ? 2 * b->mark_capacity : 64;
        firn_scene_mark *grown = firn_arena_allocate(b->arena, (size_t)capacity * sizeof *grown);
        if (!grown) return;
        if (b->n_marks) memcpy(grown, b->marks, (size_t)b->n_marks * sizeof *grown);
        b->marks = grown;
        b->mark_capacity = capacity;
    }
    const char *path = firn_arena_text(b->arena, b->path, strlen(b->path));
    if (!path || !firn_name_table_put(&b->mark_of, b->arena, path, strlen(path), b->n_marks))
        return;
    b->marks[b->n_marks++] = (firn_scene_mark){path, at, is_refused};
}

static int refuse_here(binder *b, const node *at, const char *sentence)
{
    char place[FIRN_YAML_TREE_PLACE];
    firn_yaml_tree_place(at, place);
    firn_messages_add(b->messages, FIRN_REFUSED, "%s%s%s%s", place, b->path, *b->path ? " " : "",
                      sentence);
    b->n_errors++;
    mark(b, at, 1);
    return 0;
}

static const firn_scene_mark *find_mark(const binder *b, const char *path, size_t n)
{
    const int i = firn_name_table_find(&b->mark_of, path, n);
    return i < 0 ? NULL : &b->marks[i];
}

/* A path without a node, such as a missing key, has the place of the nearest enclosing node. */
int firn_scene_bind_locate(void *user, const char *path, char *place, size_t n_bytes)
{
    const binder *b = user;
    const node *found = NULL;
    for (size_t n = strlen(path);; n--) {
        while (n > 0 && path[n] && path[n] != '.') n--;
        const firn_scene_mark *m = find_mark(b, path, n);
        if (m && m->is_refused) return 0;
        if (m && !found) found = m->node;
        if (n == 0) break;
    }
    char text[FIRN_YAML_TREE_PLACE] = "";
    if (found) firn_yaml_tree_place(found, text);
    snprintf(place, n_bytes, "%s", text);
    return 1;
}

/* ---------------------------------------------------------------- keys */

static const char *first_parameter(const firn_law_info *law, int i)
{
    return law && i < law->n_parameters ? law->parameters[i].name : NULL;
}

/* A parameter of another law, by its name. */
static int find_elsewhere(const char *word, char near[FIRN_SCHEMA_PATH])
{
    for (int i = 0; i < firn_law_count(); i++) {
        const firn_law_info *law = firn_law_at(i);
        for (int k = 0; k < law->n_parameters; k++) {
            if (strcmp(law->parameters[k].name, word) != 0) continue;
            snprintf(near, FIRN_SCHEMA_PATH, "%s of the law %s", word, law->name);
            return 1;
        }
    }
    return 0;
}

/* A key of the whole file, unless the section at `path` is inside it. */
static int find_in_file(const char *path, const char *word, char near[FIRN_SCHEMA_PATH])
{
    const firn_schema_key *key = firn_schema_find(&firn_schema_file, word);
    if (!key) key = firn_schema_sought(&firn_schema_file, word, near);
    if (key && firn_schema_find(&firn_schema_file, key->key) == key)
        snprintf(near, FIRN_SCHEMA_PATH, "%s, at the top of the file", key->key);
    const size_t n = strcspn(near, ".,");
    return key && !(strncmp(path, near, n) == 0 && (path[n] == '.' || !path[n]));
}

/* The key that was probably meant by an unknown one: by the words under which people look for keys,
 * by the meaning of the law's parameters, one elsewhere, or by its letters. */
static int find_meant(const binder *b, const firn_schema_section *section, const firn_law_info *law,
                      const char *word, const char *words, char near[FIRN_SCHEMA_PATH])
{
    if (firn_schema_sought(section, word, near)) return 1;
    for (int i = 0; first_parameter(law, i); i++)
        if (firn_suggest_mentions(law->parameters[i].meaning, word)) {
            snprintf(near, FIRN_SCHEMA_PATH, "%s", law->parameters[i].name);
            return 1;
        }
    return (law && find_elsewhere(word, near)) || find_in_file(b->path, word, near) ||
           firn_suggest_word(word, words, near, FIRN_SCHEMA_PATH);
}

static void refuse_key(binder *b, const firn_schema_section *section, const firn_law_info *law,
                       const node *key)
{
    char words[2048] = "", shown[2200], near[FIRN_SCHEMA_PATH], place[FIRN_YAML_TREE_PLACE];
    size_t used = 0;
    for (int i = 0; i < section->n_options && used < sizeof words - FIRN_NAME; i++)
        if (section->options[i].type != FIRN_SCHEMA_PARAMETERS)
            used +=
                (size_t)snprintf(words + used, sizeof words - used, "%s ", section->options[i].key);
    for (int i = 0; first_parameter(law, i) && used < sizeof words - FIRN_NAME; i++)
        used += (size_t)snprintf(words + used, sizeof words - used, "%s ", first_parameter(law, i));
    for (int i = 0; law && i < firn_thermal_parameter_count() && used < sizeof words - FIRN_NAME;
         i++)
        used += (size_t)snprintf(words + used, sizeof words - used, "%s ",
                                 firn_thermal_parameter_at(i)->name);
    if (section == &firn_schema_file) snprintf(words + used, sizeof words - used, "sweep ");
    firn_suggest_list(words, shown, sizeof shown);
    firn_yaml_tree_place(key, place);
    int has_near = find_meant(b, section, law, key->text, words, near);
    firn_messages_add(b->messages, FIRN_REFUSED, "%s\"%.60s\" is no key of %s; allowed: %s%s%s%s",
                      place, key->text, *b->path ? b->path : "a scene file", shown,
                      has_near ? "; did you mean \"" : "", has_near ? near : "",
                      has_near ? "\"?" : "");
    b->n_errors++;
}

/* ---------------------------------------------------------------- materials */

static const firn_parameter_info *find_parameter(const firn_law_info *law, const char *name)
{
    for (int i = 0; i < law->n_parameters; i++)
        if (strcmp(law->parameters[i].name, name) == 0) return &law->parameters[i];
    for (int i = 0; i < firn_thermal_parameter_count(); i++)
        if (strcmp(firn_thermal_parameter_at(i)->name, name) == 0)
            return firn_thermal_parameter_at(i);
    return NULL;
}

static void bind_table(binder *b, const char *unit, const node *at, firn_parameter_def *parameter)
{
    if (at->kind != FIRN_YAML_TREE_MAP || at->n == 0 || at->n > FIRN_MAX_TABLE) {
        refuse_here(b, at,
                    "needs a map of 1 to 16 temperatures, like {263 K: 140 kPa, 273 K: 20 kPa}");
        return;
    }
    parameter->n_table = at->n;
    for (int i = 0; i < at->n; i++) {
        char sentence[FIRN_UNITS_MESSAGE];
        if (!firn_units_read(at->keys[i]->text, "K", &parameter->table_temperature[i], sentence))
            refuse_here(b, at->keys[i], sentence);
        if (!firn_scene_value_number(at->items[i], unit, &parameter->table_value[i], sentence))
            refuse_here(b, at->items[i], sentence);
    }
    parameter->value = parameter->table_value[0];
}

/* The keys of a form over temperature: value at `at`, with a linear rate or an activation
 * temperature. 0: it is none of them. */
static int bind_form(binder *b, const char *key, const node *at, firn_parameter_def *parameter)
{
    char sentence[FIRN_UNITS_MESSAGE];
    const int is_linear = strcmp(key, "linear") == 0, is_at = strcmp(key, "at") == 0;
    if (!is_linear && !is_at && strcmp(key, "arrhenius") != 0) return 0;
    if (!is_at) parameter->form = is_linear ? FIRN_PARAMETER_LINEAR : FIRN_PARAMETER_ARRHENIUS;
    if (!firn_scene_value_number(at, is_linear ? "1/K" : "K",
                                 is_at ? &parameter->form_temperature : &parameter->form_rate,
                                 sentence))
        refuse_here(b, at, sentence);
    return 1;
}

/* Noise in space, {size: 3 cm, amount: 50 %}, or a share, from particle to particle. */
static void bind_noise(binder *b, const node *at, firn_parameter_def *parameter)
{
    char sentence[FIRN_UNITS_MESSAGE];
    if (at->kind != FIRN_YAML_TREE_MAP) {
        if (!firn_scene_value_number(at, "1", &parameter->noise, sentence))
            refuse_here(b, at, sentence);
        return;
    }
    for (int i = 0; i < at->n; i++) {
        const int is_size = strcmp(at->keys[i]->text, "size") == 0;
        size_t before = enter(b, at->keys[i]->text);
        if (!is_size && strcmp(at->keys[i]->text, "amount") != 0)
            refuse_here(b, at->keys[i], "is no key of noise; allowed: size, amount");
        else if (!firn_scene_value_number(at->items[i], is_size ? "m" : "1",
                                          is_size ? &parameter->noise_size : &parameter->noise,
                                          sentence))
            refuse_here(b, at->items[i], sentence);
        leave(b, before);
    }
    if (!firn_yaml_tree_find(at, "size") || !firn_yaml_tree_find(at, "amount"))
        refuse_here(b, at, "needs size and amount, like {size: 3 cm, amount: 50 %}");
}

/* The keys of a map in space. 0: it is none of them. */
static int bind_map(binder *b, const char *key, const char *unit, const node *at,
                    firn_parameter_def *parameter)
{
    char sentence[FIRN_UNITS_MESSAGE];
    const int is_low = strcmp(key, "low") == 0;
    if (strcmp(key, "map") == 0) {
        if (at->kind != FIRN_YAML_TREE_SCALAR || strlen(at->text) >= FIRN_NAME)
            return refuse_here(b, at, "needs the name of a map"), 1;
        snprintf(parameter->map, sizeof parameter->map, "%s", at->text);
        return 1;
    }
    if (!is_low && strcmp(key, "high") != 0) return 0;
    if (!firn_scene_value_number(at, unit, is_low ? &parameter->low : &parameter->high, sentence))
        refuse_here(b, at, sentence);
    return 1;
}

static void bind_parameter(binder *b, const firn_parameter_info *info, const node *at,
                           firn_parameter_def *parameter)
{
    char sentence[FIRN_UNITS_MESSAGE];
    snprintf(parameter->name, sizeof parameter->name, "%s", info->name);
    parameter->value = info->value;
    parameter->low = parameter->high = NAN;
    mark(b, at, 0);
    if (at->kind != FIRN_YAML_TREE_MAP) {
        if (!firn_scene_value_number(at, info->unit, &parameter->value, sentence))
            refuse_here(b, at, sentence);
        return;
    }
    for (int i = 0; i < at->n; i++) {
        const char *key = at->keys[i]->text;
        size_t before = enter(b, key);
        if (strcmp(key, "table") == 0)
            bind_table(b, info->unit, at->items[i], parameter);
        else if (strcmp(key, "noise") == 0)
            bind_noise(b, at->items[i], parameter);
        else if (strcmp(key, "value") == 0) {
            if (!firn_scene_value_number(at->items[i], info->unit, &parameter->value, sentence))
                refuse_here(b, at->items[i], sentence);
        } else if (!bind_form(b, key, at->items[i], parameter) &&
                   !bind_map(b, key, info->unit, at->items[i], parameter))
            refuse_here(b, at->keys[i],
                        "is no key of a parameter; allowed: value, noise, table, at, linear, "
                        "arrhenius, map, low, high");
        leave(b, before);
    }
    const int is_in_space = *parameter->map || parameter->noise_size > 0;
    if (firn_yaml_tree_find(at, "value") || firn_yaml_tree_find(at, "table")) return;
    if (is_in_space)
        parameter->value = NAN; /* of the preset */
    else
        refuse_here(b, at, "needs a value or a table");
}

/* With an unknown law: a parameter as all laws with one of this name have it; unit "", which takes
 * any, where they differ. 0: no law has it. */
static int find_parameter_anywhere(const char *name, firn_parameter_info *common)
{
    int n = 0;
    for (int i = 0; i < firn_law_count(); i++) {
        const firn_parameter_info *info = find_parameter(firn_law_at(i), name);
        if (!info) continue;
        if (n++ == 0)
            *common = *info;
        else if (strcmp(info->unit, common->unit) != 0)
            common->unit = "";
    }
    return n;
}

static void bind_parameters(binder *b, const firn_schema_section *section, const node *map,
                            firn_material_def *def)
{
    firn_scene_former_material(b, map, def);
    const firn_law_info *law = firn_material_def_law(def);
    for (int i = 0; i < map->n; i++) law = firn_law_with(law, map->keys[i]->text);
    for (int i = 0; i < map->n; i++) {
        const node *key = map->keys[i];
        firn_parameter_info common;
        firn_parameter_def idle = firn_parameter_default();
        if (firn_schema_find(section, key->text)) continue;
        size_t before = enter(b, key->text);
        const firn_parameter_info *info = law ? find_parameter(law, key->text)
                                          : find_parameter_anywhere(key->text, &common) ? &common
                                                                                        : NULL;
        if (info)
            bind_parameter(b, info, map->items[i],
                           law && def->n_parameters < FIRN_MAX_PARAMETERS
                               ? &def->parameters[def->n_parameters++]
                               : &idle);
        else if (!law)
            refuse_here(b, key, "is no key of a material, nor a parameter of any law");
        leave(b, before);
        if (law && !info) refuse_key(b, section, law, key);
    }
}

/* ---------------------------------------------------------------- sections and lists */

static void bind_section(binder *b, const firn_schema_section *section, const node *map, void *def);

/* One item of a list. `name`: the key of an item in a map, else NULL. */
static void bind_item(binder *b, const firn_schema_key *list, const node *at, const char *name,
                      int i, char *item)
{
    const firn_schema_section *section = list->section;
    const firn_schema_key *name_option =
        section->is_named ? firn_schema_find(section, "name") : NULL;
    char key[FIRN_NAME];
    snprintf(key, sizeof key, "%d", i);
    firn_schema_fill(section, item);
    if (name_option) {
        const node *given = firn_yaml_tree_find(at, "name");
        if (!name) name = given && given->kind == FIRN_YAML_TREE_SCALAR ? given->text : "";
        if (strlen(name) >= FIRN_NAME) {
            refuse_here(b, at, "has a name that is longer than 63 bytes");
            name = "";
        }
        strcpy(item + name_option->offset, name);
        if (*name) snprintf(key, sizeof key, "%s", name);
    }
    size_t before = enter(b, key);
    mark(b, at, at->is_refused);
    if (at->kind == FIRN_YAML_TREE_MAP)
        bind_section(b, section, at, item);
    else if (!firn_yaml_tree_is_null(at))
        refuse_here(b, at, "needs keys and values, like {name: value}");
    leave(b, before);
}

/* Of a list of named items, so that a short text cannot ask for gigabytes: a material takes 20 kB,
 * others 3 kB. */
static int most_items(const firn_schema_key *list)
{
    enum { MATERIALS_MAX = 1000, ITEMS_MAX = 10000 };
    return strcmp(list->key, "materials") == 0 ? MATERIALS_MAX : ITEMS_MAX;
}

static void bind_list(binder *b, const firn_schema_key *list, const node *at, char *def)
{
    int is_map = at->kind == FIRN_YAML_TREE_MAP, is_named = list->section->is_named;
    mark(b, at, 0);
    if (firn_yaml_tree_is_null(at)) return;
    if (at->kind == FIRN_YAML_TREE_SCALAR) {
        refuse_here(b, at,
                    is_named ? "needs a map of names, or a list"
                             : "needs a list, or the keys of one item");
        return;
    }
    int n = is_map && !is_named ? 1 : at->n;
    if (is_named && n > most_items(list)) {
        char sentence[FIRN_SCENE_SENTENCE];
        snprintf(sentence, sizeof sentence, "has too many items (%d); allowed: up to %d", n,
                 most_items(list));
        refuse_here(b, at, sentence);
        n = most_items(list);
    }
    char *items = n ? firn_arena_allocate(b->arena, (size_t)n * list->section->size) : NULL;
    if (n && !items) return; /* the arena remembers */
    memcpy(def + list->offset, &items, sizeof items);
    memcpy(def + list->count_offset, &n, sizeof n);
    for (int i = 0; i < n; i++) {
        const node *item = is_map && !is_named ? at : at->items[i];
        bind_item(b, list, item, is_map && is_named ? at->keys[i]->text : NULL, i,
                  items + (size_t)i * list->section->size);
    }
}

static void bind_option(binder *b, const firn_schema_key *option, const node *at, char *def)
{
    char sentence[FIRN_SCENE_SENTENCE];
    if (option->flags & FIRN_SCHEMA_PRESENCE) *(int *)(def + option->present_offset) = 1;
    if (option->type == FIRN_SCHEMA_LIST) {
        bind_list(b, option, at, def);
        return;
    }
    mark(b, at, 0);
    if (option->type == FIRN_SCHEMA_SECTION) {
        if (option->flags & FIRN_SCHEMA_PRESENCE)
            firn_schema_fill(option->section, def + option->offset);
        if (at->kind == FIRN_YAML_TREE_MAP)
            bind_section(b, option->section, at, def + option->offset);
        else if (!firn_yaml_tree_is_null(at))
            refuse_here(b, at, "needs keys and values, like {key: value}");
    } else if (!firn_scene_value_read(b, option, at, def + option->offset, sentence)) {
        refuse_here(b, at, sentence);
    }
}

/* Whether a key is among those of a kind, which are words and, in parentheses, remarks. */
static int is_key_of_kind(const char *key, const char *keys)
{
    size_t n = strlen(key);
    for (const char *p = keys; *p;) {
        size_t word = strcspn(p, " ");
        if (*p == '(')
            word = strcspn(p, ")") + 1;
        else if (word == n && strncmp(p, key, n) == 0)
            return 1;
        p += word;
        p += strspn(p, " ");
    }
    return 0;
}

static int is_default(const firn_schema_section *section, const firn_schema_key *option,
                      const char *def)
{
    _Alignas(16) char fresh[sizeof(firn_shape_def) + sizeof(firn_body_def)];
    if (section->size > sizeof fresh) return 0;
    firn_schema_fill(section, fresh);
    if (option->type == FIRN_SCHEMA_TEXT)
        return strcmp(def + option->offset, fresh + option->offset) == 0;
    size_t n =
        option->type == FIRN_SCHEMA_REAL ? (size_t)option->n * sizeof(double) : sizeof(uint64_t);
    return memcmp(def + option->offset, fresh + option->offset, n) == 0;
}

/* Keys that have no effect besides another key of the same section. */
static const struct {
    const char *section, *other, *keys;
} overruled[] = {
    {"bodies", "points", "sampling particles_per_cell spacing particles_at_surface surface_depth"},
    {"motion", "keys", "velocity spin"},
};

static void warn_of_overruled_keys(binder *b, const firn_schema_section *section, const node *map,
                                   const void *def)
{
    for (size_t o = 0; o < sizeof overruled / sizeof *overruled; o++) {
        const node *other = firn_yaml_tree_find(map, overruled[o].other);
        if (strcmp(section->name, overruled[o].section) || !other) continue;
        if (other->n == 0 && !(other->text && *other->text)) continue; /* a manifest has all keys */
        for (int i = 0; i < map->n; i++) {
            const char *key = map->keys[i]->text;
            const firn_schema_key *option = firn_schema_find(section, key);
            char place[FIRN_YAML_TREE_PLACE];
            if (!option || !is_key_of_kind(key, overruled[o].keys) ||
                is_default(section, option, def))
                continue;
            firn_yaml_tree_place(map->keys[i], place);
            firn_messages_warn(b->messages, "%s%s.%s has no effect besides %s", place, b->path, key,
                               overruled[o].other);
        }
    }
}

/* Keys that the kind of the shape or force does not use are allowed, since a study may vary the kind
 * and a manifest has all keys; they are warned of where they differ from their default. */
static void warn_of_idle_keys(binder *b, const firn_schema_section *section, const node *map,
                              const void *def)
{
    const node *kind = firn_yaml_tree_find(map, "kind");
    const firn_shape_kind_info *shape = kind ? firn_shape_kind_find(kind->text) : NULL;
    const firn_force_info *force = kind ? firn_force_kind_find(kind->text) : NULL;
    const char *keys = NULL, *common = "";
    if (strcmp(section->name, "shape") == 0 && shape) {
        keys = shape->keys;
        common = "kind center rotate thickness csg";
    }
    if (strcmp(section->name, "forces") == 0 && force) {
        keys = force->keys;
        common = "name kind keys shape motion falloff of";
    }
    for (int i = 0; keys && i < map->n; i++) {
        const char *key = map->keys[i]->text;
        char place[FIRN_YAML_TREE_PLACE];
        const firn_schema_key *option = firn_schema_find(section, key);
        if (!option || is_key_of_kind(key, keys) || is_key_of_kind(key, common)) continue;
        if (is_default(section, option, def)) continue;
        firn_yaml_tree_place(map->keys[i], place);
        firn_messages_warn(b->messages, "%s%s.%s has no effect with kind %s; allowed: %s", place,
                           b->path, key, kind->text, keys);
    }
}

static int is_given_before(const firn_schema_section *section, const firn_schema_key *option,
                           const node *map, int i)
{
    for (int k = 0; k < i; k++)
        if (firn_schema_find(section, map->keys[k]->text) == option) return 1;
    return 0;
}

static void bind_section(binder *b, const firn_schema_section *section, const node *map, void *def)
{
    int is_file = section == &firn_schema_file, has_parameters = 0;
    for (int i = 0; i < section->n_options; i++)
        has_parameters |= section->options[i].type == FIRN_SCHEMA_PARAMETERS;
    const node *outer = b->beside;
    b->beside = map;
    for (int i = 0; i < map->n; i++) {
        const node *key = map->keys[i];
        const firn_schema_key *option = firn_schema_find(section, key->text);
        if (!option) {
            if (!has_parameters && !(is_file && strcmp(key->text, "sweep") == 0))
                refuse_key(b, section, NULL, key);
            continue;
        }
        size_t before = enter(b, option->key);
        firn_scene_former_key(b, section, option, key);
        if (is_given_before(section, option, map, i))
            refuse_here(b, key, "is given twice, under two of its names");
        else
            bind_option(b, option, map->items[i], def);
        leave(b, before);
    }
    if (has_parameters) bind_parameters(b, section, map, def);
    warn_of_idle_keys(b, section, map, def);
    warn_of_overruled_keys(b, section, map, def);
    b->beside = outer;
}

/* The scene's frames per second, which times in frames need before the section is read; 0: refused
 * later, where it is read. */
static double fps_of(const firn_yaml_tree_node *root, double fallback)
{
    char message[FIRN_UNITS_MESSAGE];
    double fps;
    const firn_yaml_tree_node *scene = firn_yaml_tree_find(root, "scene"),
                              *at = scene ? firn_yaml_tree_find(scene, "fps") : NULL;
    if (!at) return fallback;
    return firn_scene_value_number(at, "1/s", &fps, message) && fps > 0 ? fps : 0;
}

void firn_scene_bind(firn_scene_binder *b, firn_yaml_tree_node *root, firn_scene_def *def)
{
    *def = firn_scene_default();
    b->fps = fps_of(root, def->fps);
    b->path[0] = 0;
    mark(b, root, 0);
    if (root->kind != FIRN_YAML_TREE_MAP)
        refuse_here(b, root,
                    "a scene is a map of sections, like `grid: {dx: 2 cm}`; see `firn help scene`");
    else
        bind_section(b, &firn_schema_file, root, def);
}
