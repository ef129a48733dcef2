/* SPDX-License-Identifier: MIT */
/* scene_help.c: the tables of scene_schema.c as help text and as a JSON Schema for editors. */
#include "scene/scene_help.h"
#include "base/json.h"
#include "base/suggest.h"
#include "scene/scene_schema.h"

#include <math.h>
#include <string.h>

enum { KEY_WIDTH = 23, LINE_WIDTH = 96 };

/* ---------------------------------------------------------------- text */

/* Wraps words between column `indent`, where the line is, and LINE_WIDTH. */
static void print_wrapped(FILE *out, int indent, const char *text)
{
    int column = indent;
    for (size_t n; *text; text += n, text += strspn(text, " ")) {
        n = strcspn(text, " ");
        if (column > indent && column + 1 + (int)n > LINE_WIDTH) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
        }
        if (column > indent) {
            fputc(' ', out);
            column++;
        }
        fprintf(out, "%.*s", (int)n, text);
        column += (int)n;
    }
    fputc('\n', out);
}

static const char *kind_of(const firn_schema_key *option)
{
    switch (option->type) {
    case FIRN_SCHEMA_REAL: return option->n == 1 ? "number" : "list of 3 numbers";
    case FIRN_SCHEMA_INT:
    case FIRN_SCHEMA_INT64:
    case FIRN_SCHEMA_SEED: return "whole number";
    case FIRN_SCHEMA_FLAG:
        return option->n == 1 ? "true or false" : "true or false, or a list of 3";
    case FIRN_SCHEMA_WORD: return option->n == 1 ? "one of" : "one for all, or a list of 6, of";
    case FIRN_SCHEMA_TEXT: return option->flags & FIRN_SCHEMA_FILE ? "file" : "text";
    case FIRN_SCHEMA_MATRIX: return "9 numbers, 3 x 3, or 3";
    case FIRN_SCHEMA_ROTATION: return "3 angles, or 4 numbers";
    case FIRN_SCHEMA_SECTION: return "section";
    case FIRN_SCHEMA_LIST:
        return option->section->is_named ? "map of names, or list" : "one, or a list";
    case FIRN_SCHEMA_PARAMETERS: return "parameters";
    }
    return "";
}

/* "number in m, above 0; default 0" */
static void describe(const firn_schema_key *option, char *text, size_t n_bytes)
{
    int is_number = option->type == FIRN_SCHEMA_REAL || option->type == FIRN_SCHEMA_INT ||
                    option->type == FIRN_SCHEMA_INT64;
    char range[128] = "", words[512] = "", fallback[256] = "";
    const char *unit = option->flags & FIRN_SCHEMA_OF_MEASURE ? "the measure's unit"
                       : option->flags & FIRN_SCHEMA_OF_FORCE ? "the unit of its kind of force"
                                                              : option->unit;
    int has_unit = unit && *unit && strcmp(unit, "1") != 0;
    firn_schema_key plain = *option;
    plain.unit = NULL;
    if (is_number) firn_schema_range(&plain, range);
    if (strcmp(range, "any number") == 0 || fabs(option->max) >= 1e6) *range = 0;
    if (is_number && !*range && option->min == 0)
        snprintf(range, sizeof range, option->flags & FIRN_SCHEMA_ABOVE ? "above 0" : "at least 0");
    if (option->words) firn_suggest_list(option->words, words, sizeof words);
    if (option->flags & FIRN_SCHEMA_REQUIRED)
        snprintf(fallback, sizeof fallback, "; required");
    else if (option->fallback && *option->fallback) {
        char list[128];
        firn_suggest_list(option->fallback, list, sizeof list);
        int is_list = option->n > 1 && strchr(option->fallback, ' ');
        snprintf(fallback, sizeof fallback, "; default %s%s%s", is_list ? "[" : "", list,
                 is_list ? "]" : "");
    }
    snprintf(text, n_bytes, "%s%s%s%s%s%s%s%s", kind_of(option), has_unit ? " in " : "",
             has_unit ? unit : "", *words ? " " : "", words, *range ? ", " : "", range, fallback);
}

static void print_option(FILE *out, const char *path, const firn_schema_key *option)
{
    char text[1024];
    fprintf(out, "  %-*s", KEY_WIDTH - 2, option->key);
    if (strlen(option->key) >= KEY_WIDTH - 2) fprintf(out, "\n%*s", KEY_WIDTH, "");
    print_wrapped(out, KEY_WIDTH, option->doc);
    describe(option, text, sizeof text);
    if (option->section) {
        size_t n = strlen(text);
        snprintf(text + n, sizeof text - n, "; `firn help scene.%s%s%s`", path, *path ? "." : "",
                 option->key);
    }
    if (option->alias) {
        size_t n = strlen(text);
        snprintf(text + n, sizeof text - n, "; also written `%s`", option->alias);
    }
    fprintf(out, "%*s", KEY_WIDTH, "");
    print_wrapped(out, KEY_WIDTH, text);
}

static const char overview[] =
    "A scene is one YAML file. A minimal one:\n"
    "\n"
    "    grid: {dx: 2 cm}\n"
    "    materials:\n"
    "      soft: {law: neo_hookean, E: 100 kPa, nu: 0.3}\n"
    "    bodies:\n"
    "      ball: {material: soft, shape: {kind: sphere, center: [0, 1 m, 0], radius: 20 cm}}\n"
    "    colliders:\n"
    "      floor: {shape: {kind: plane}}\n"
    "\n"
    "Numbers may have a unit, which is checked: 140 kPa, 30 deg, 2 cm, 9.81 m/s^2, 20 degC, 10 %.\n"
    "Without a unit they are SI; times can be in frames of the scene, like 36 frames. Bodies,\n"
    "materials and other named items are a map of names, or a list with `name:`. Every key can be "
    "set\n"
    "on the command line:\n"
    "--set bodies.ball.velocity=\"[1, 0, 0]\".\n"
    "\n"
    "Sections:\n";

/* The section at a dotted path below the file; NULL: there is none. */
static const firn_schema_section *find_section(const char *path)
{
    const firn_schema_section *section = &firn_schema_file;
    while (section && *path) {
        char key[FIRN_NAME];
        size_t n = strcspn(path, ".");
        snprintf(key, sizeof key, "%.*s", (int)n, path);
        const firn_schema_key *option = firn_schema_find(section, key);
        section = option ? option->section : NULL;
        path += n + (path[n] == '.');
    }
    return section;
}

int firn_scene_help(FILE *out, const char *path)
{
    const firn_schema_section *section = find_section(path);
    if (!section) return 0;
    if (*path) {
        fprintf(out, "%s: %s\n\n", path, section->doc);
        for (int i = 0; i < section->n_options; i++) print_option(out, path, &section->options[i]);
        return 1;
    }
    fputs(overview, out);
    for (int i = 0; i < section->n_options; i++) print_option(out, "", &section->options[i]);
    fprintf(out, "  %-*s", KEY_WIDTH - 2, "sweep");
    print_wrapped(out, KEY_WIDTH,
                  "A study: paths with lists of values, like {grid.dx: [2 cm, 1 cm]}, which `firn "
                  "compare` runs. `firn run` takes the values outside the sweep, with a warning.");
    fputs("\nA JSON Schema for editors: firn help scene --schema\n", out);
    return 1;
}

/* ---------------------------------------------------------------- by word */

enum { DEPTH = 6, PATH_ROOM = 256 };

typedef struct walk {
    void (*visit)(void *user, const char *path, const char *doc, const char *about);
    void *user;
} walk;

static void each_below(const walk *w, const firn_schema_section *section, const char *path,
                       int depth)
{
    char below[PATH_ROOM], about[1024];
    for (int i = 0; i < section->n_options && depth < DEPTH; i++) {
        const firn_schema_key *option = &section->options[i];
        if (option->type == FIRN_SCHEMA_PARAMETERS) continue;
        snprintf(below, sizeof below, "%.200s.%s", path, option->key);
        snprintf(about, sizeof about, "%s %s %s", option->sought ? option->sought : "",
                 option->words ? option->words : "", option->alias ? option->alias : "");
        w->visit(w->user, below, option->doc, about);
        if (option->section) each_below(w, option->section, below, depth + 1);
    }
}

void firn_scene_help_each(void (*visit)(void *user, const char *path, const char *doc,
                                        const char *about),
                          void *user)
{
    const walk w = {visit, user};
    each_below(&w, &firn_schema_file, "scene", 0);
}

/* The option at a dotted path below the file; NULL: there is none. */
static const firn_schema_key *find_key(const char *path)
{
    const char *dot = strrchr(path, '.');
    char above[PATH_ROOM];
    snprintf(above, sizeof above, "%.*s", dot ? (int)(dot - path) : 0, path);
    const firn_schema_section *section = find_section(above);
    return section ? firn_schema_find(section, dot ? dot + 1 : path) : NULL;
}

typedef struct named {
    FILE *out;
    const char *word;
    int n, is_section; /* is_section: only sections, and only the first */
} named;

static void print_named(void *user, const char *path, const char *doc, const char *about)
{
    named *f = user;
    const char *below = strchr(path, '.') + 1, *last = strrchr(path, '.') + 1;
    (void)doc;
    (void)about;
    if (strcmp(last, f->word) != 0 || (f->is_section && f->n)) return;
    const firn_schema_key *option = find_key(below);
    if (!option || (option->section != NULL) != f->is_section) return;
    f->n++;
    if (f->is_section) {
        firn_scene_help(f->out, below);
        return;
    }
    fprintf(f->out, "%s\n", path);
    print_option(f->out, below, option);
}

int firn_scene_help_named(FILE *out, const char *word)
{
    const firn_schema_key *option = find_key(word);
    if (option && option->section) return firn_scene_help(out, word);
    if (option) {
        fprintf(out, "scene.%s\n", word);
        print_option(out, word, option);
        return 1;
    }
    named f = {out, word, 0, 1};
    firn_scene_help_each(print_named, &f);
    f.is_section = 0;
    if (!f.n) firn_scene_help_each(print_named, &f);
    return f.n;
}

void firn_scene_help_sections(char *words, size_t n_bytes)
{
    size_t used = 0;
    words[0] = 0;
    for (int i = 0; i < firn_schema_file.n_options && used < n_bytes - FIRN_NAME; i++)
        if (firn_schema_file.options[i].section)
            used += (size_t)snprintf(words + used, n_bytes - used, "%sscene.%s", i ? " " : "",
                                     firn_schema_file.options[i].key);
}

/* ---------------------------------------------------------------- JSON Schema */

static void schema_section(firn_json_writer *json, const char *key,
                           const firn_schema_section *section);

static void schema_type(firn_json_writer *json, const char *type)
{
    firn_json_string(json, "type", type);
}

/* A number, or a text with a unit. */
static void schema_quantity(firn_json_writer *json, const char *key, const firn_schema_key *option)
{
    firn_json_begin(json, key, '{');
    firn_json_begin(json, "type", '[');
    firn_json_string(json, NULL, "number");
    firn_json_string(json, NULL, "string");
    firn_json_end(json);
    if (option && isfinite(option->max) && fabs(option->max) < 1e6) {
        firn_json_number(json, option->flags & FIRN_SCHEMA_ABOVE ? "exclusiveMinimum" : "minimum",
                         option->min);
        firn_json_number(json, "maximum", option->max);
    }
    firn_json_end(json);
}

static void schema_words(firn_json_writer *json, const firn_schema_key *option)
{
    char word[FIRN_NAME];
    firn_json_begin(json, "enum", '[');
    for (int i = 0; firn_schema_word(option, i, word); i++) firn_json_string(json, NULL, word);
    firn_json_end(json);
}

/* The schema of one component. */
static void schema_component(firn_json_writer *json, const char *key, const firn_schema_key *option)
{
    if (option->type == FIRN_SCHEMA_REAL) {
        schema_quantity(json, key, option);
        return;
    }
    firn_json_begin(json, key, '{');
    if (option->type == FIRN_SCHEMA_WORD)
        schema_words(json, option);
    else
        schema_type(json, option->type == FIRN_SCHEMA_FLAG ? "boolean" : "integer");
    if (option->type == FIRN_SCHEMA_INT) {
        firn_json_number(json, "minimum", option->min);
        firn_json_number(json, "maximum", option->max);
    }
    firn_json_end(json);
}

static void schema_array(firn_json_writer *json, const char *key, const firn_schema_key *option)
{
    firn_json_begin(json, key, '{');
    schema_type(json, "array");
    schema_component(json, "items", option);
    firn_json_integer(json, "minItems", option->n);
    firn_json_integer(json, "maxItems", option->n);
    firn_json_end(json);
}

static void schema_list(firn_json_writer *json, const firn_schema_section *section)
{
    firn_json_begin(json, "anyOf", '[');
    firn_json_begin(json, NULL, '{');
    schema_type(json, "array");
    schema_section(json, "items", section);
    firn_json_end(json);
    if (section->is_named) {
        firn_json_begin(json, NULL, '{');
        schema_type(json, "object");
        schema_section(json, "additionalProperties", section);
        firn_json_end(json);
    } else {
        schema_section(json, NULL, section);
    }
    firn_json_end(json);
}

static void schema_value(firn_json_writer *json, const firn_schema_key *option)
{
    firn_json_begin(json, "anyOf", '[');
    if (option->type == FIRN_SCHEMA_MATRIX || option->type == FIRN_SCHEMA_ROTATION) {
        firn_json_raw(json, NULL, "{\"type\": \"array\"}");
    } else if (option->type == FIRN_SCHEMA_TEXT || option->type == FIRN_SCHEMA_SEED) {
        firn_json_raw(json, NULL,
                      option->type == FIRN_SCHEMA_TEXT ? "{\"type\": [\"string\", \"number\"]}"
                                                       : "{\"type\": \"integer\", \"minimum\": 0}");
        if (option->flags & FIRN_SCHEMA_WORDS)
            firn_json_raw(json, NULL, "{\"type\": \"array\", \"items\": {\"type\": \"string\"}}");
    } else if (option->n == 1) {
        schema_component(json, NULL, option);
    } else {
        schema_array(json, NULL, option);
        if (option->type != FIRN_SCHEMA_REAL)
            schema_component(json, NULL, option); /* one stands for all */
    }
    firn_json_end(json);
}

static void schema_option(firn_json_writer *json, const char *key, const firn_schema_key *option,
                          int is_former)
{
    char text[1024], sentence[2048];
    if (option->type == FIRN_SCHEMA_SECTION) {
        schema_section(json, key, option->section);
        return;
    }
    firn_json_begin(json, key, '{');
    describe(option, text, sizeof text);
    snprintf(sentence, sizeof sentence, "%s (%s)", option->doc, text);
    firn_json_string(json, "description", sentence);
    if (is_former) firn_json_flag(json, "deprecated", 1);
    if (option->type == FIRN_SCHEMA_LIST)
        schema_list(json, option->section);
    else
        schema_value(json, option);
    firn_json_end(json);
}

static void schema_parameter(firn_json_writer *json, const firn_parameter_info *info)
{
    char sentence[512];
    snprintf(sentence, sizeof sentence, "%s (%s)", info->meaning, info->unit);
    firn_json_begin(json, info->name, '{');
    firn_json_string(json, "description", sentence);
    firn_json_raw(json, "type", "[\"number\", \"string\", \"object\"]");
    firn_json_end(json);
}

/* A material accepts the parameters of any law here, and the thermal ones; firn checks which belong
 * to its own. */
static void schema_parameters(firn_json_writer *json)
{
    for (int i = 0; i < firn_thermal_parameter_count(); i++)
        schema_parameter(json, firn_thermal_parameter_at(i));
    for (int i = 0; i < firn_law_count(); i++) {
        const firn_law_info *law = firn_law_at(i);
        for (int k = 0; k < law->n_parameters; k++) {
            int is_known = 0;
            for (int j = 0; j < i && !is_known; j++)
                for (int m = 0; m < firn_law_at(j)->n_parameters && !is_known; m++)
                    is_known =
                        strcmp(firn_law_at(j)->parameters[m].name, law->parameters[k].name) == 0;
            if (!is_known) schema_parameter(json, &law->parameters[k]);
        }
    }
}

static void schema_formers(firn_json_writer *json, const firn_schema_key *option)
{
    char key[FIRN_NAME];
    for (const char *at = option->former; *at; at += strspn(at, " ")) {
        const size_t n = strcspn(at, " ");
        snprintf(key, sizeof key, "%.*s", (int)n, at);
        schema_option(json, key, option, 1);
        at += n;
    }
}

static void schema_section(firn_json_writer *json, const char *key,
                           const firn_schema_section *section)
{
    firn_json_begin(json, key, '{');
    firn_json_string(json, "description", section->doc);
    firn_json_raw(json, "type", "[\"object\", \"null\"]");
    firn_json_begin(json, "properties", '{');
    for (int i = 0; i < section->n_options; i++) {
        const firn_schema_key *option = &section->options[i];
        if (option->type == FIRN_SCHEMA_PARAMETERS) {
            schema_parameters(json);
            continue;
        }
        schema_option(json, option->key, option, 0);
        if (option->alias) schema_option(json, option->alias, option, 0);
        if (option->former) schema_formers(json, option);
    }
    if (section == &firn_schema_file)
        firn_json_raw(json, "sweep",
                      "{\"type\": \"object\", \"additionalProperties\": {\"type\": \"array\"}}");
    firn_json_end(json);
    firn_json_flag(json, "additionalProperties", 0);
    firn_json_end(json);
}

firn_status firn_scene_help_schema(FILE *out)
{
    firn_json_writer json;
    firn_json_init(&json, 1);
    firn_json_begin(&json, NULL, '{');
    firn_json_string(&json, "$schema", "https://json-schema.org/draft/2020-12/schema");
    firn_json_string(&json, "title", "firn scene");
    firn_json_begin(&json, "allOf", '[');
    schema_section(&json, NULL, &firn_schema_file);
    firn_json_end(&json);
    firn_json_end(&json);
    const char *text = firn_json_finish(&json, NULL);
    firn_status status = !text ? FIRN_MEMORY : fputs(text, out) < 0 ? FIRN_IO : FIRN_OK;
    firn_json_clear(&json);
    return status;
}
