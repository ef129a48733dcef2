/* SPDX-License-Identifier: MIT */
/* schema_rows.h: how rows of the tables in scene_schema.c are written: REAL, INTEGER, FLAG, WORD,
 * TEXT, SEED, SECTION, LIST for the members of a definition struct, END for the section made of
 * them. Further members follow the sentence of help: .sought = "...". Rows of rarer kinds are
 * written member by member. */
#ifndef FIRN_SCHEMA_ROWS_H
#define FIRN_SCHEMA_ROWS_H

#include "scene/scene_schema.h"

#include <stddef.h>

#define COUNT(array) (int)(sizeof(array) / sizeof *(array))
#define SIZE_OF(struct_, member) sizeof(((struct_ *)0)->member)

/* Rows of the tables. The member's own size gives the number of components. */
#define REAL(struct_, key_, member, unit_, fallback_, min_, max_, flags_, doc_, ...)               \
    {                                                                                              \
        .key = key_, .type = FIRN_SCHEMA_REAL, .flags = flags_,                                    \
        .offset = offsetof(struct_, member),                                                       \
        .n = (int)(SIZE_OF(struct_, member) / sizeof(double)), .unit = unit_,                      \
        .fallback = fallback_, .min = min_, .max = max_, .doc = doc_, __VA_ARGS__                  \
    }
#define INTEGER(struct_, key_, member, fallback_, min_, max_, flags_, doc_, ...)                   \
    {                                                                                              \
        .key = key_, .type = FIRN_SCHEMA_INT, .flags = flags_,                                     \
        .offset = offsetof(struct_, member), .n = (int)(SIZE_OF(struct_, member) / sizeof(int)),   \
        .fallback = fallback_, .min = min_, .max = max_, .doc = doc_, __VA_ARGS__                  \
    }
#define FLAG(struct_, key_, member, fallback_, doc_, ...)                                          \
    {                                                                                              \
        .key = key_, .type = FIRN_SCHEMA_FLAG, .offset = offsetof(struct_, member),                \
        .n = (int)(SIZE_OF(struct_, member) / sizeof(int)), .fallback = fallback_, .max = 1,       \
        .doc = doc_, __VA_ARGS__                                                                   \
    }
#define WORD(struct_, key_, member, words_, fallback_, doc_, ...)                                  \
    {                                                                                              \
        .key = key_, .type = FIRN_SCHEMA_WORD, .offset = offsetof(struct_, member),                \
        .n = (int)(SIZE_OF(struct_, member) / sizeof(int)), .words = words_,                       \
        .fallback = fallback_, .doc = doc_, __VA_ARGS__                                            \
    }
#define TEXT(struct_, key_, member, fallback_, flags_, doc_, ...)                                  \
    {                                                                                              \
        .key = key_, .type = FIRN_SCHEMA_TEXT, .flags = flags_,                                    \
        .offset = offsetof(struct_, member), .n = 1, .size = SIZE_OF(struct_, member),             \
        .fallback = fallback_, .doc = doc_, __VA_ARGS__                                            \
    }
#define SEED(struct_, doc_, ...)                                                                   \
    {                                                                                              \
        .key = "seed", .type = FIRN_SCHEMA_SEED, .offset = offsetof(struct_, seed), .n = 1,        \
        .fallback = "0", .doc = doc_, __VA_ARGS__                                                  \
    }
#define SECTION(struct_, key_, member, section_, doc_, ...)                                        \
    {                                                                                              \
        .key = key_, .type = FIRN_SCHEMA_SECTION, .offset = offsetof(struct_, member), .n = 1,     \
        .section = section_, .doc = doc_, __VA_ARGS__                                              \
    }
#define LIST(struct_, key_, alias_, member, count, section_, doc_, ...)                            \
    {                                                                                              \
        .key = key_, .alias = alias_, .type = FIRN_SCHEMA_LIST,                                    \
        .offset = offsetof(struct_, member), .n = 1, .count_offset = offsetof(struct_, count),     \
        .section = section_, .doc = doc_, __VA_ARGS__                                              \
    }
#define END(name_, struct_, marker_, named_, options_, doc_)                                       \
    {                                                                                              \
        .name = name_, .doc = doc_, .size = sizeof(struct_), .has_marker = marker_,                \
        .is_named = named_, .n_options = COUNT(options_), .options = options_                      \
    }

/* The function that gives a definition its defaults. */
#define DEFAULT_FUNCTION(name, section)                                                            \
    firn_##name##_def firn_##name##_default(void)                                                  \
    {                                                                                              \
        firn_##name##_def def;                                                                     \
        firn_schema_fill(&(section), &def);                                                        \
        return def;                                                                                \
    }

/* Sections of scene_schema.c and scene_schema_output.c that others refer to. */
extern const firn_schema_section firn_schema_shape, firn_schema_output, firn_schema_checkpoint,
    firn_schema_probe, firn_schema_expect;

#endif
