/* SPDX-License-Identifier: MIT */
/* schema_query.c: what the tables of scene_schema.c say: definitions filled with defaults, options
 * by key, words, ranges, items of lists. */
#include "scene/scene_schema.h"
#include "base/suggest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- defaults */

static void fill_option(const firn_schema_key *option, char *base)
{
    char *member = base + option->offset;
    const char *text = option->fallback ? option->fallback : "";
    const char *rest = text;
    switch (option->type) {
    case FIRN_SCHEMA_REAL:
    case FIRN_SCHEMA_MATRIX:
    case FIRN_SCHEMA_ROTATION:
        for (int i = 0; i < option->n; i++) {
            char *end;
            double value = strtod(rest, &end);
            if (end == rest)
                value =
                    i ? ((double *)member)[i - 1] : 0; /* the last number stands for the others */
            ((double *)member)[i] = value;
            rest = end;
        }
        break;
    case FIRN_SCHEMA_INT:
        for (int i = 0; i < option->n; i++) ((int *)member)[i] = atoi(text);
        break;
    case FIRN_SCHEMA_INT64: *(int64_t *)member = atoll(text); break;
    case FIRN_SCHEMA_SEED: *(uint64_t *)member = strtoull(text, NULL, 10); break;
    case FIRN_SCHEMA_FLAG:
        for (int i = 0; i < option->n; i++) ((int *)member)[i] = strcmp(text, "true") == 0;
        break;
    case FIRN_SCHEMA_WORD:
        for (int i = 0; i < option->n; i++)
            ((int *)member)[i] = firn_schema_word_index(option, text);
        break;
    case FIRN_SCHEMA_TEXT: snprintf(member, option->size, "%s", text); break;
    case FIRN_SCHEMA_SECTION:
        for (int i = 0; i < option->section->n_options; i++)
            fill_option(&option->section->options[i], member);
        break;
    case FIRN_SCHEMA_LIST:
    case FIRN_SCHEMA_PARAMETERS: break; /* empty: already zero */
    }
}

void firn_schema_fill(const firn_schema_section *section, void *def)
{
    memset(def, 0, section->size);
    for (int i = 0; i < section->n_options; i++) fill_option(&section->options[i], def);
    if (section->has_marker) *(uint32_t *)def = FIRN_MARKER;
}

/* ---------------------------------------------------------------- questions */

const firn_schema_key *firn_schema_find(const firn_schema_section *section, const char *key)
{
    for (int i = 0; i < section->n_options; i++) {
        const firn_schema_key *option = &section->options[i];
        if (option->type == FIRN_SCHEMA_PARAMETERS) continue; /* not a key of its own */
        if (strcmp(option->key, key) == 0 || (option->alias && strcmp(option->alias, key) == 0) ||
            firn_suggest_has(option->former, key))
            return option;
    }
    return NULL;
}

const firn_schema_key *firn_schema_sought(const firn_schema_section *section, const char *word,
                                          char path[FIRN_SCHEMA_PATH])
{
    for (int i = 0; i < section->n_options; i++) {
        const firn_schema_key *option = &section->options[i];
        if (!firn_suggest_has(option->sought, word)) continue;
        snprintf(path, FIRN_SCHEMA_PATH, "%s", option->key);
        return option;
    }
    for (int i = 0; i < section->n_options; i++) {
        const firn_schema_key *option = &section->options[i];
        char below[FIRN_SCHEMA_PATH];
        if (!option->section) continue;
        const firn_schema_key *found = firn_schema_sought(option->section, word, below);
        if (!found) continue;
        const int is_map = option->type == FIRN_SCHEMA_LIST && option->section->is_named;
        snprintf(path, FIRN_SCHEMA_PATH, "%s%s.%.150s", option->key, is_map ? ".NAME" : "", below);
        return found;
    }
    return NULL;
}

int firn_schema_word(const firn_schema_key *option, int i, char word[FIRN_NAME])
{
    const char *text = option->words;
    for (; text && *text; i--) {
        size_t n = strcspn(text, " ");
        if (i == 0) {
            snprintf(word, FIRN_NAME, "%.*s", (int)n, text);
            return 1;
        }
        text += n;
        text += strspn(text, " ");
    }
    return 0;
}

int firn_schema_word_index(const firn_schema_key *option, const char *word)
{
    char candidate[FIRN_NAME];
    for (int i = 0; firn_schema_word(option, i, candidate); i++)
        if (strcmp(candidate, word) == 0) return i;
    return -1;
}

int firn_schema_n_words(const firn_schema_key *option)
{
    char word[FIRN_NAME];
    int n = 0;
    while (firn_schema_word(option, n, word)) n++;
    return n;
}

int firn_schema_in_range(const firn_schema_key *option, double value)
{
    if (isnan(value) || (isinf(value) && !(option->flags & FIRN_SCHEMA_INFINITE))) return 0;
    if (option->flags & FIRN_SCHEMA_ABOVE && value <= option->min) return 0;
    return value >= option->min && value <= option->max;
}

static void tell_range(const firn_schema_key *option, int has_min, int has_max, char text[128])
{
    const char *unit = option->unit && strcmp(option->unit, "1") != 0 ? option->unit : "";
    const char *gap = *unit ? " " : "";
    const char *from = option->flags & FIRN_SCHEMA_ABOVE ? "above" : "at least";
    if (has_min && has_max && option->flags & FIRN_SCHEMA_ABOVE)
        snprintf(text, 128, "above %g, up to %g%s%s", option->min, option->max, gap, unit);
    else if (has_min && has_max)
        snprintf(text, 128, "%g to %g%s%s", option->min, option->max, gap, unit);
    else if (has_min)
        snprintf(text, 128, "%s %g%s%s", from, option->min, gap, unit);
    else if (option->flags & FIRN_SCHEMA_INFINITE || isinf(option->max))
        snprintf(text, 128, "any number%s%s", *unit ? " in " : "", unit);
    else
        snprintf(text, 128, "%g to %g%s%s", option->min, option->max, gap, unit);
}

/* Limits of 1e9 and more are there for absurd values and are not shown. */
static int has_lower(const firn_schema_key *option) { return option->min > -1e6; }
static int has_upper(const firn_schema_key *option) { return option->max < 1e9; }

void firn_schema_range(const firn_schema_key *option, char text[128])
{
    tell_range(option, has_lower(option), has_upper(option), text);
}

void firn_schema_range_for(const firn_schema_key *option, double value, char text[128])
{
    const int is_beyond = value < option->min || value > option->max; /* not for NaN */
    const int has_ends = is_beyond && isfinite(option->min) && isfinite(option->max);
    if (has_ends && (value > option->max || !has_lower(option)))
        tell_range(option, 1, 1, text);
    else
        firn_schema_range(option, text);
}

int firn_schema_is_present(const firn_schema_key *option, const void *def)
{
    if (!(option->flags & FIRN_SCHEMA_PRESENCE)) return 1;
    return *(const int *)((const char *)def + option->present_offset) != 0;
}

int firn_schema_list_count(const firn_schema_key *option, const void *def)
{
    return *(const int *)((const char *)def + option->count_offset);
}

const void *firn_schema_list_item(const firn_schema_key *option, const void *def, int i)
{
    const char *first;
    memcpy(&first, (const char *)def + option->offset, sizeof first);
    return first ? first + (size_t)i * option->section->size : NULL;
}
