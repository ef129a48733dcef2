/* SPDX-License-Identifier: MIT */
/* scene_schema.h: the one table of everything that can be set in a scene.
 *
 * A section describes one definition struct of include/firn/defs.h; an option describes one
 * member: its key, place, type, unit, default, range and a sentence of documentation. From these
 * tables come the default functions, the binder of scene files, the range checks of definitions
 * made in C, `firn help scene`, the JSON schema and --set.
 * A new setting is a member in defs.h and one line here. */
#ifndef FIRN_SCENE_SCHEMA_H
#define FIRN_SCENE_SCHEMA_H

#include "firn/firn.h"

/* The hidden mark that a default function leaves in a definition. */
#define FIRN_MARKER 0x4649524eu

typedef enum firn_schema_type {
    FIRN_SCHEMA_REAL,  /* double[n] in the option's unit */
    FIRN_SCHEMA_INT,   /* int[n] */
    FIRN_SCHEMA_INT64, /* int64_t */
    FIRN_SCHEMA_SEED,  /* uint64_t */
    FIRN_SCHEMA_FLAG,  /* int[n], true or false */
    FIRN_SCHEMA_WORD,  /* int[n], the place in `words` */
    FIRN_SCHEMA_TEXT,  /* char[size] */
    /* double[9], row-major; may be written as 9 numbers, 3 rows, or a diagonal of 3 */
    FIRN_SCHEMA_MATRIX,
    /* double[4], quaternion x y z w; may be written as 3 angles about x, then y, then z */
    FIRN_SCHEMA_ROTATION,
    FIRN_SCHEMA_SECTION,   /* a struct inside this one */
    FIRN_SCHEMA_LIST,      /* pointer to structs, their number at count_offset */
    FIRN_SCHEMA_PARAMETERS /* every key that is a parameter of the material's law */
} firn_schema_type;

enum {
    FIRN_SCHEMA_REQUIRED = 1,    /* no default; zero or empty is refused */
    FIRN_SCHEMA_ABOVE = 2,       /* the lower end of the range is excluded */
    FIRN_SCHEMA_INFINITE = 4,    /* inf is allowed where the range reaches it */
    FIRN_SCHEMA_PRESENCE = 8,    /* the int at present_offset: it was given */
    FIRN_SCHEMA_OF_MEASURE = 16, /* the unit is that of the measure in the same item */
    FIRN_SCHEMA_FILE = 32,       /* a path, in a scene file relative to that file's folder */
    FIRN_SCHEMA_WORDS = 64,      /* a text that may also be written as a list of words */
    FIRN_SCHEMA_OF_FORCE = 128   /* the unit is that of the kind of force in the same item */
};

typedef struct firn_schema_section firn_schema_section;

typedef struct firn_schema_key {
    const char *key, *alias; /* alias NULL: none */
    firn_schema_type type;
    unsigned flags;
    size_t offset;
    int n;       /* components */
    size_t size; /* text: bytes with the final zero */
    const char *unit;
    const char *fallback; /* the default as text: SI numbers separated by blanks, a word, a text */
    double min, max;
    const char *words; /* separated by blanks, in the order of the enum */
    /* Former names, which still work (scene_former.c): keys "a b"; words with the present ones "a=b
     * c=d"; NULL: none. */
    const char *former, *former_words;
    /* Words under which people look for it, for "did you mean" and `firn help WORD`: no names of it;
     * NULL: none. */
    const char *sought;
    const firn_schema_section *section;
    size_t count_offset, present_offset;
    const char *doc;
} firn_schema_key;

struct firn_schema_section {
    const char *name, *doc;
    size_t size;
    int has_marker; /* its first member is `uint32_t marker` */
    /* items have a name, unique in their list; a scene file may write the list as a mapping */
    int is_named;
    int n_options;
    const firn_schema_key *options;
};

/* A scene file: its options are the sections `scene`, `grid`, ... of one firn_scene_def. */
extern const firn_schema_section firn_schema_file;

/* Fills a struct with the section's defaults and the marker. */
void firn_schema_fill(const firn_schema_section *section, void *def);
/* The option with this key, alias or former key; NULL: none. */
const firn_schema_key *firn_schema_find(const firn_schema_section *section, const char *key);
/* The key that people look for under this word, in the section or below it: its own keys first.
 * `path` is its place below the section, "shape.center" or "bodies.NAME.velocity". NULL: none. */
enum { FIRN_SCHEMA_PATH = 256 };
const firn_schema_key *firn_schema_sought(const firn_schema_section *section, const char *word,
                                          char path[FIRN_SCHEMA_PATH]);
/* The i-th word of an option's `words` in `word`; 0: there is no such word. */
int firn_schema_word(const firn_schema_key *option, int i, char word[FIRN_NAME]);
/* The place of a word, or -1. */
int firn_schema_word_index(const firn_schema_key *option, const char *word);
int firn_schema_n_words(const firn_schema_key *option);
/* The range as words: "above 0", "0 to 1", "at least 0"; "any number" where there is none. */
void firn_schema_range(const firn_schema_key *option, char text[128]);
/* The same for a value outside, with the end that it exceeds, however large that is. */
void firn_schema_range_for(const firn_schema_key *option, double value, char text[128]);
int firn_schema_in_range(const firn_schema_key *option, double value);
int firn_schema_is_present(const firn_schema_key *option, const void *def);
/* Items of a list option. */
int firn_schema_list_count(const firn_schema_key *option, const void *def);
const void *firn_schema_list_item(const firn_schema_key *option, const void *def, int i);

#endif
