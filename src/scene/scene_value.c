/* SPDX-License-Identifier: MIT */
/* scene_value.c: numbers, vectors, words, texts and rotations from the nodes of a scene file. */
#include "scene/scene_value.h"
#include "measure/measure.h"
#include "base/suggest.h"
#include "solver/force.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef firn_yaml_tree_node node;

enum { SENTENCE = FIRN_SCENE_SENTENCE };

/* ---------------------------------------------------------------- numbers */

int firn_scene_value_number(const node *at, const char *unit, double *value,
                            char sentence[FIRN_UNITS_MESSAGE])
{
    if (at->kind != FIRN_YAML_TREE_SCALAR) {
        int has_unit = *unit && strcmp(unit, "1") != 0;
        snprintf(sentence, FIRN_UNITS_MESSAGE, "needs a number%s%s, not a %s",
                 has_unit ? " in " : "", has_unit ? unit : "",
                 at->kind == FIRN_YAML_TREE_LIST ? "list" : "map");
        return 0;
    }
    return firn_units_read(at->text, unit, value, sentence);
}

static int read_infinity(const char *text, double *value)
{
    int is_negative = *text == '-';
    text += *text == '-' || *text == '+';
    text += *text == '.';
    if (strcmp(text, "inf") != 0) return 0;
    *value = is_negative ? -INFINITY : INFINITY;
    return 1;
}

/* The unit of the numbers of an expectation; "": any, also where the measure is unknown. */
static const char *unit_of_measure(const node *map)
{
    const node *name = firn_yaml_tree_find(map, "measure"),
               *over = firn_yaml_tree_find(map, "over");
    const firn_measure *measure = name ? firn_measure_find(name->text) : NULL;
    if (over && strcmp(over->text, "period") == 0) return "s";
    return measure ? measure->unit : "";
}

static const char *unit_of_force(const node *map, const char *key)
{
    const node *name = firn_yaml_tree_find(map, "kind");
    const firn_force_info *kind = name ? firn_force_kind_find(name->text) : NULL;
    return !kind ? "" : strcmp(key, "vector") == 0 ? kind->vector_unit : kind->strength_unit;
}

static const char *unit_of(const firn_scene_binder *b, const firn_schema_key *option)
{
    if (option->flags & FIRN_SCHEMA_OF_MEASURE) return unit_of_measure(b->beside);
    if (option->flags & FIRN_SCHEMA_OF_FORCE) return unit_of_force(b->beside, option->key);
    return option->unit;
}

/* "24 frames": a time on the scene's own clock; 0: it is none. */
static int read_frames(const firn_scene_binder *b, const node *at, double *value)
{
    char *end;
    if (at->kind != FIRN_YAML_TREE_SCALAR || !(b->fps > 0)) return 0;
    const double n = strtod(at->text, &end);
    const char *word = end + strspn(end, " ");
    if (end == at->text || !isfinite(n)) return 0;
    if (strcmp(word, "frames") != 0 && strcmp(word, "frame") != 0) return 0;
    *value = n / b->fps;
    return 1;
}

static int read_number(const firn_scene_binder *b, const firn_schema_key *option, const node *at,
                       double *value, char *sentence)
{
    const char *unit = unit_of(b, option);
    if (option->flags & FIRN_SCHEMA_INFINITE && at->kind == FIRN_YAML_TREE_SCALAR &&
        read_infinity(at->text, value))
        return 1;
    if (unit && strcmp(unit, "s") == 0 && read_frames(b, at, value)) return 1;
    double read;
    if (!firn_scene_value_number(at, unit ? unit : "1", &read, sentence)) return 0;
    *value = read;
    return 1;
}

/* A list of n numbers; `values` is unchanged where it is refused. */
static int read_numbers(const firn_scene_binder *b, const firn_schema_key *option, const node *at,
                        double *values, int n, char *sentence)
{
    double read[9];
    if (at->kind != FIRN_YAML_TREE_LIST || at->n != n) {
        snprintf(sentence, SENTENCE, "needs a list of %d numbers, like [%s]", n,
                 n == 3 ? "0, 1, 0" : "1, 0, ...");
        return 0;
    }
    for (int i = 0; i < n; i++)
        if (!read_number(b, option, at->items[i], &read[i], sentence)) return 0;
    memcpy(values, read, (size_t)n * sizeof *values);
    return 1;
}

static int read_real(const firn_scene_binder *b, const firn_schema_key *option, const node *at,
                     double *out, char *sentence)
{
    if (option->n == 1) return read_number(b, option, at, out, sentence);
    return read_numbers(b, option, at, out, option->n, sentence);
}

static int read_matrix(const firn_scene_binder *b, const firn_schema_key *option, const node *at,
                       double *out, char *sentence)
{
    double m[9] = {0}, diagonal[3];
    if (at->kind == FIRN_YAML_TREE_LIST && at->n == 3 &&
        at->items[0]->kind == FIRN_YAML_TREE_LIST) {
        for (int i = 0; i < 3; i++)
            if (!read_numbers(b, option, at->items[i], m + 3 * i, 3, sentence)) return 0;
    } else if (at->kind == FIRN_YAML_TREE_LIST && at->n == 3) {
        if (!read_numbers(b, option, at, diagonal, 3, sentence)) return 0;
        for (int i = 0; i < 3; i++) m[4 * i] = diagonal[i];
    } else if (at->kind == FIRN_YAML_TREE_LIST && at->n == 9) {
        if (!read_numbers(b, option, at, m, 9, sentence)) return 0;
    } else {
        snprintf(sentence, SENTENCE,
                 "needs 9 numbers, 3 lists of 3, or a diagonal of 3, like [1, 1, 1.2]");
        return 0;
    }
    memcpy(out, m, sizeof m);
    return 1;
}

/* The product of two quaternions x y z w: first b's rotation, then a's. */
static void multiply(const double a[4], const double b[4], double c[4])
{
    c[0] = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
    c[1] = a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0];
    c[2] = a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3];
    c[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

static int read_rotation(const firn_scene_binder *b, const firn_schema_key *option, const node *at,
                         double *out, char *sentence)
{
    double angle[3], q[4];
    if (at->kind == FIRN_YAML_TREE_LIST && at->n == 4) {
        firn_schema_key plain = *option;
        plain.unit = "1";
        if (!read_numbers(b, &plain, at, q, 4, sentence)) return 0;
        memcpy(out, q, sizeof q);
        return 1;
    }
    if (at->kind != FIRN_YAML_TREE_LIST || at->n != 3) {
        snprintf(sentence, SENTENCE,
                 "needs 3 angles, like [0, 90 deg, 0], or a quaternion [x, y, z, w]");
        return 0;
    }
    if (!read_numbers(b, option, at, angle, 3, sentence)) return 0;
    double total[4] = {0, 0, 0, 1};
    for (int i = 0; i < 3; i++) {
        double turn[4] = {0, 0, 0, cos(angle[i] / 2)};
        turn[i] = sin(angle[i] / 2);
        multiply(turn, total, q);
        memcpy(total, q, sizeof q);
    }
    memcpy(out, total, sizeof total);
    return 1;
}

/* ---------------------------------------------------------------- whole numbers, words, texts */

static int read_whole(const node *at, int64_t *value, char *sentence)
{
    char *end;
    errno = 0;
    long long read = strtoll(at->text, &end, 10);
    if (at->kind != FIRN_YAML_TREE_SCALAR || end == at->text || *end || errno || *at->text == ' ') {
        snprintf(sentence, SENTENCE, "is \"%.60s\"; allowed: a whole number", at->text);
        return 0;
    }
    *value = read;
    return 1;
}

static int read_seed(const node *at, uint64_t *value, char *sentence)
{
    char *end;
    errno = 0;
    unsigned long long read = strtoull(at->text, &end, 10);
    if (at->kind != FIRN_YAML_TREE_SCALAR || at->text[0] < '0' || at->text[0] > '9' || *end ||
        errno) {
        snprintf(sentence, SENTENCE,
                 "is \"%.60s\"; allowed: a whole number from 0 to 18446744073709551615", at->text);
        return 0;
    }
    *value = read;
    return 1;
}

static int read_flag(const node *at, int *value, char *sentence)
{
    static const char *const words[][2] = {{"false", "true"}, {"no", "yes"}, {"off", "on"}};
    for (int i = 0; at->kind == FIRN_YAML_TREE_SCALAR && i < 3; i++)
        for (int truth = 0; truth < 2; truth++)
            if (strcmp(at->text, words[i][truth]) == 0) {
                *value = truth;
                return 1;
            }
    snprintf(sentence, SENTENCE, "is \"%.60s\"; allowed: true, false", at->text);
    return 0;
}

static int read_word(firn_scene_binder *b, const firn_schema_key *option, const node *at,
                     int *value, char *sentence)
{
    int index = at->kind == FIRN_YAML_TREE_SCALAR ? firn_schema_word_index(option, at->text) : -1;
    if (index < 0 && at->kind == FIRN_YAML_TREE_SCALAR)
        index = firn_scene_former_word(b, option, at);
    if (index >= 0) {
        *value = index;
        return 1;
    }
    char shown[512], near[64];
    firn_suggest_list(option->words, shown, sizeof shown);
    if (at->kind != FIRN_YAML_TREE_SCALAR) {
        const char *found = at->kind == FIRN_YAML_TREE_MAP ? "keys and values" : "a list";
        if (option->n > 1)
            snprintf(sentence, SENTENCE,
                     "is %s; write one word for all, or a list of %d; allowed: %s", found,
                     option->n, shown);
        else
            snprintf(sentence, SENTENCE, "is %s; it needs one word; allowed: %s", found, shown);
        return 0;
    }
    int has_near = firn_suggest_word(at->text, option->words, near, sizeof near);
    snprintf(sentence, SENTENCE, "is \"%.60s\"; allowed: %s%s%s%s", at->text, shown,
             has_near ? "; did you mean \"" : "", has_near ? near : "", has_near ? "\"?" : "");
    return 0;
}

/* n words, flags or whole numbers: a list, or one for all. */
static int read_ints(firn_scene_binder *b, const firn_schema_key *option, const node *at, int *out,
                     char *sentence)
{
    int values[6], n = option->n < 6 ? option->n : 6;
    int is_list = at->kind == FIRN_YAML_TREE_LIST;
    if (is_list && at->n != n) {
        snprintf(sentence, SENTENCE, "needs %s%d values, but has %d",
                 n > 1 ? "one value, or a list of " : "", n, at->n);
        return 0;
    }
    for (int i = 0; i < n; i++) {
        const node *item = is_list ? at->items[i] : at;
        int64_t whole = 0;
        int is_good;
        if (option->type == FIRN_SCHEMA_WORD)
            is_good = read_word(b, option, item, &values[i], sentence);
        else if (option->type == FIRN_SCHEMA_FLAG)
            is_good = read_flag(item, &values[i], sentence);
        else
            is_good = read_whole(item, &whole, sentence);
        if (!is_good) return 0;
        if (option->type != FIRN_SCHEMA_INT) continue;
        if (whole < INT32_MIN || whole > INT32_MAX) {
            snprintf(sentence, SENTENCE, "is %" PRId64 ", which is too large", whole);
            return 0;
        }
        values[i] = (int)whole;
    }
    memcpy(out, values, (size_t)n * sizeof *out);
    return 1;
}

static int read_words(const firn_schema_key *option, const node *at, char *out, char *sentence)
{
    size_t used = 0;
    out[0] = 0;
    for (int i = 0; i < at->n; i++) {
        const node *item = at->items[i];
        if (item->kind != FIRN_YAML_TREE_SCALAR || !*item->text) {
            snprintf(sentence, SENTENCE, "needs a list of words");
            return 0;
        }
        used += (size_t)snprintf(out + used, option->size - used, "%s%s", i ? " " : "", item->text);
        if (used < option->size) continue;
        snprintf(sentence, SENTENCE, "is longer than %zu bytes", option->size - 1);
        out[0] = 0;
        return 0;
    }
    return 1;
}

static int read_text(const firn_scene_binder *b, const firn_schema_key *option, const node *at,
                     char *out, char *sentence)
{
    if (option->flags & FIRN_SCHEMA_WORDS && at->kind == FIRN_YAML_TREE_LIST)
        return read_words(option, at, out, sentence);
    if (at->kind != FIRN_YAML_TREE_SCALAR) {
        snprintf(sentence, SENTENCE, "needs a text, not a %s",
                 at->kind == FIRN_YAML_TREE_LIST ? "list" : "map");
        return 0;
    }
    const char *text = firn_yaml_tree_is_null(at) ? "" : at->text;
    int is_relative = option->flags & FIRN_SCHEMA_FILE && *text && *text != '/';
    const char *folder = is_relative && b->folder ? b->folder : "";
    if (strlen(folder) + strlen(text) >= option->size) {
        snprintf(sentence, SENTENCE, "is longer than %zu bytes", option->size - 1);
        return 0;
    }
    snprintf(out, option->size, "%s%s", folder, text);
    return 1;
}

int firn_scene_value_read(firn_scene_binder *b, const firn_schema_key *option, const node *at,
                          void *out, char sentence[FIRN_SCENE_SENTENCE])
{
    if (firn_yaml_tree_is_null(at) && option->type != FIRN_SCHEMA_TEXT) {
        snprintf(sentence, SENTENCE, "is empty; give it a value or leave the key out");
        return 0;
    }
    switch (option->type) {
    case FIRN_SCHEMA_REAL: return read_real(b, option, at, out, sentence);
    case FIRN_SCHEMA_MATRIX: return read_matrix(b, option, at, out, sentence);
    case FIRN_SCHEMA_ROTATION: return read_rotation(b, option, at, out, sentence);
    case FIRN_SCHEMA_INT:
    case FIRN_SCHEMA_FLAG:
    case FIRN_SCHEMA_WORD: return read_ints(b, option, at, out, sentence);
    case FIRN_SCHEMA_INT64: return read_whole(at, out, sentence);
    case FIRN_SCHEMA_SEED: return read_seed(at, out, sentence);
    case FIRN_SCHEMA_TEXT: return read_text(b, option, at, out, sentence);
    case FIRN_SCHEMA_SECTION:
    case FIRN_SCHEMA_LIST:
    case FIRN_SCHEMA_PARAMETERS: break;
    }
    snprintf(sentence, SENTENCE, "is not a single value");
    return 0;
}
