/* SPDX-License-Identifier: MIT */
/* cli.h: the command line. A verb is one table entry, a `const firn_cli_verb firn_cmd_NAME` in
 * cmd_NAME.c, and one word in verbs.c; from the entry come --help, the man page, the shell
 * completions and the parser.
 *
 * The parser has checked every option against its type and range before the verb's function is
 * called, so the getters below cannot fail; asking for an option that the verb's table does not
 * list is a programming error. */
#ifndef FIRN_CLI_H
#define FIRN_CLI_H

#include "session/voice.h"

#include <stdio.h>

typedef enum firn_cli_type {
    FIRN_CLI_FLAG,    /* no value */
    FIRN_CLI_TEXT,    /* anything */
    FIRN_CLI_FILE,    /* a path; completed as one */
    FIRN_CLI_FOLDER,  /* likewise */
    FIRN_CLI_INTEGER, /* a whole number within [min, max] */
    FIRN_CLI_NUMBER,  /* a finite real number within [min, max] */
    FIRN_CLI_CHOICE,  /* one of the blank-separated words of `choices` */
    FIRN_CLI_BYTES,   /* a size: 800M, 2.5G, 4GiB; at least 1 */
    FIRN_CLI_SPAN,    /* a, a:b, a: or :b - whole numbers, inclusive */
    FIRN_CLI_SETTING, /* key=value */
} firn_cli_type;

typedef struct firn_cli_option {
    const char *name; /* without the dashes */
    char letter;      /* the short form, 0: none */
    firn_cli_type type;
    const char *value;   /* what the value is called in help, e.g. "DIR"; NULL for flags */
    const char *doc;     /* one or more sentences */
    const char *choices; /* FIRN_CLI_CHOICE only */
    double min, max;     /* numbers only; both zero: no limits */
    int repeats, is_hidden;
} firn_cli_option;

typedef struct firn_cli firn_cli;

typedef struct firn_cli_verb {
    const char *name;
    const char *summary;     /* one line without a full stop */
    const char *arguments;   /* as shown in the usage line, e.g. "SCENE.yaml" */
    int n_min, n_max;        /* how many arguments; n_max < 0: any number */
    firn_cli_type completes; /* what an argument is: FILE, FOLDER or CHOICE: see `choices` */
    const char
        *choices; /* arguments of firn that make it print the words that complete one, or NULL */
    /* paragraphs for help and man page, separated by \n\n; an indented line stays as it is */
    const char *text;
    const firn_cli_option *options;  /* ended by an entry without a name; NULL: none */
    int (*run)(const firn_cli *cli); /* returns the exit code, a firn_status */
} firn_cli_verb;

extern const firn_cli_verb *const firn_verbs[]; /* ended by NULL; verbs.c */
const firn_cli_verb *firn_verbs_find(const char *name);

/* A parsed command line. */
struct firn_cli {
    const firn_cli_verb *verb;
    int n_arguments;
    const char **arguments;
    int n_given; /* options in the order given */
    const firn_cli_option **given;
    const char **values; /* "" for flags */
    const char *program; /* argv[0] */
};

/* Reads argv[2...] for the verb. FIRN_USAGE: a sentence has been printed. The strings belong to
 * argv. */
firn_status firn_cli_parse(firn_cli *cli, const firn_cli_verb *verb, int argc, char **argv);
void firn_cli_clear(firn_cli *cli);

int firn_cli_has(const firn_cli *cli, const char *name);
const char *firn_cli_text(const firn_cli *cli, const char *name,
                          const char *otherwise); /* the last one given */
int64_t firn_cli_integer(const firn_cli *cli, const char *name, int64_t otherwise);
double firn_cli_number(const firn_cli *cli, const char *name, double otherwise);
/* A number with a unit, into *value where it was given. */
firn_status firn_cli_quantity(const firn_cli *cli, const char *name, const char *unit,
                              double *value, firn_messages *messages);
size_t firn_cli_bytes(const firn_cli *cli, const char *name, size_t otherwise);
/* An open end keeps what *first or *last held before; zero when the option was not given. */
int firn_cli_span(const firn_cli *cli, const char *name, int *first, int *last);
/* All values of a repeated option: fills at most n_max, returns how many were given. */
int firn_cli_all(const firn_cli *cli, const char *name, const char **values, int n_max);

/* Messages go to stderr as `firn: error: ...`, in colour on a terminal (NO_COLOR respected),
 * control characters from file names made harmless. firn_cli_fail returns its status, for
 * `return firn_cli_fail(FIRN_IO, "...")`. */
int firn_cli_fail(firn_status status, const char *format, ...) FIRN_PRINTF(2, 3);
void firn_cli_warn(const char *format, ...) FIRN_PRINTF(1, 2);
void firn_cli_note(const char *format, ...) FIRN_PRINTF(1, 2);
/* "WHAT: out of memory"; returns FIRN_MEMORY. */
int firn_cli_no_memory(const char *what);
/* The note of a verb that was interrupted after n_done of n `things`. `next`: the frame of the next
 * one, negative: they have no frames; `last`: that of the last. */
void firn_cli_note_interrupted(const char *things, int n_done, int n, int next, int last);
/* Prints every message of a report; returns `status`. */
int firn_cli_report(const firn_messages *messages, firn_status status);
/* The same for a session (session/voice.h). */
extern const firn_voice firn_cli_voice;
/* Flushes stdout; a full disk behind `> file` becomes FIRN_IO with a sentence. main calls it
 * once, after any verb. */
int firn_cli_finish(int status);

/* The closest of `words` (blank-separated) to a mistyped one, copied to `out`; 0: nothing is close.
 */
int firn_cli_suggest(const char *word, const char *words, char *out, size_t n_out);

/* Help, man page and completions, made from the tables of the verbs (cli_docs.c); `verbs` is
 * ended by NULL. */
void firn_cli_docs_help(FILE *out, const firn_cli_verb *verb);
void firn_cli_docs_overview(FILE *out, const firn_cli_verb *const *verbs);
void firn_cli_docs_man(FILE *out, const firn_cli_verb *const *verbs);
void firn_cli_docs_bash(FILE *out, const firn_cli_verb *const *verbs);
void firn_cli_docs_zsh(FILE *out, const firn_cli_verb *const *verbs);

#endif
