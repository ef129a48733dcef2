/* options.h: the one table of everything that can be set in a scene.
 *
 * A section describes one definition struct of include/firn/defs.h; an option describes one member: its key, place,
 * type, unit, default, range and a sentence of documentation. From these tables come the default functions, the
 * binder of scene files, the range checks of definitions made in C, `firn help scene`, the JSON schema and --set.
 * A new setting is a member in defs.h and one line here. */
#ifndef FIRN_OPTIONS_H
#define FIRN_OPTIONS_H

#include "firn/firn.h"

/* The hidden mark that a default function leaves in a definition. */
#define FIRN_MARKER 0x4649524eu

typedef enum firn_option_type {
    FIRN_OPTION_REAL,      /* double[n] in the option's unit */
    FIRN_OPTION_INT,       /* int[n] */
    FIRN_OPTION_INT64,     /* int64_t */
    FIRN_OPTION_SEED,      /* uint64_t */
    FIRN_OPTION_FLAG,      /* int[n], true or false */
    FIRN_OPTION_WORD,      /* int[n], the place in `words` */
    FIRN_OPTION_TEXT,      /* char[size] */
    FIRN_OPTION_MATRIX,    /* double[9], row-major; may be written as 9 numbers, 3 rows, or a diagonal of 3 */
    FIRN_OPTION_ROTATION,  /* double[4], quaternion x y z w; may be written as 3 angles about x, then y, then z */
    FIRN_OPTION_SECTION,   /* a struct inside this one */
    FIRN_OPTION_LIST,      /* pointer to structs, their number at count_offset */
    FIRN_OPTION_PARAMETERS /* every key that is a parameter of the material's law */
} firn_option_type;

enum {
    FIRN_OPTION_REQUIRED = 1,    /* zero or empty is not acceptable and there is no default */
    FIRN_OPTION_ABOVE = 2,       /* the lower end of the range is excluded */
    FIRN_OPTION_INFINITE = 4,    /* inf is acceptable where the range reaches it */
    FIRN_OPTION_PRESENCE = 8,    /* the int at present_offset says whether this was given at all */
    FIRN_OPTION_OF_MEASURE = 16, /* the unit is that of the measure named beside it */
    FIRN_OPTION_FILE = 32,       /* a path: in a scene file it counts from that file's folder */
    FIRN_OPTION_WORDS = 64,      /* a text that may also be written as a list of words */
    FIRN_OPTION_OF_FORCE = 128   /* the unit is that of the kind of force named beside it */
};

typedef struct firn_section firn_section;

typedef struct firn_option {
    const char *key, *alias; /* alias NULL: none */
    firn_option_type type;
    unsigned flags;
    size_t offset;
    int n;       /* components */
    size_t size; /* text: bytes with the final zero */
    const char *unit;
    const char *fallback; /* the default as text: SI numbers separated by blanks, a word, a text */
    double min, max;
    const char *words; /* separated by blanks, in the order of the enum */
    const firn_section *section;
    size_t count_offset, present_offset;
    const char *doc;
} firn_option;

struct firn_section {
    const char *name, *doc;
    size_t size;
    int has_marker; /* its first member is `uint32_t marker` */
    int is_named;   /* items have a name, unique in their list; a scene file may write the list as a mapping */
    int n_options;
    const firn_option *options;
};

/* A scene file as a whole: its options are the sections `scene`, `grid`, ... of one firn_scene_def. */
extern const firn_section firn_options_file;
extern const firn_section firn_options_run; /* firn_run_options */

/* Fills a struct with the section's defaults and the marker. */
void firn_options_fill(const firn_section *section, void *def);
/* The option with this key or alias; NULL: none. */
const firn_option *firn_options_find(const firn_section *section, const char *key);
/* The i-th word of an option's `words` in `word`; 0: there is no such word. */
int firn_options_word(const firn_option *option, int i, char word[FIRN_NAME]);
/* The place of a word, or -1. */
int firn_options_word_index(const firn_option *option, const char *word);
int firn_options_n_words(const firn_option *option);
/* The range as words: "above 0", "0 to 1", "at least 0"; "any number" where there is none. */
void firn_options_range(const firn_option *option, char text[128]);
/* The same for a value outside of it: the end that was passed is told, however far out it is. */
void firn_options_range_for(const firn_option *option, double value, char text[128]);
int firn_options_in_range(const firn_option *option, double value);
int firn_options_is_present(const firn_option *option, const void *def);
/* Items of a list option. */
int firn_options_list_count(const firn_option *option, const void *def);
const void *firn_options_list_item(const firn_option *option, const void *def, int i);

#endif
