/* SPDX-License-Identifier: MIT */
/* json.h: JSON text, written and read: as much as manifests, records, --json and the schema of
 * scenes need. */
#ifndef FIRN_JSON_H
#define FIRN_JSON_H

#include "base/text.h"

/* ---------------------------------------------------------------- writing */

enum { FIRN_JSON_DEPTH = 64 };

/* Text that grows. Failures (memory, nested too deeply) are remembered until firn_json_finish. */
typedef struct firn_json_writer {
    firn_text text;
    int depth, failed, is_indented;
    int inline_depth; /* of the outermost container on one line; 0: none is open */
    char closing[FIRN_JSON_DEPTH], has_items[FIRN_JSON_DEPTH];
} firn_json_writer;

void firn_json_init(firn_json_writer *writer, int is_indented); /* not indented: one line */
void firn_json_clear(firn_json_writer *writer);
/* key: NULL inside arrays and for the outermost value. kind: '{' or '['. */
void firn_json_begin(firn_json_writer *writer, const char *key, char kind);
/* The same, with all that is in it on one line, also in an indented text. */
void firn_json_begin_inline(firn_json_writer *writer, const char *key, char kind);
void firn_json_end(firn_json_writer *writer);
/* Bytes that are not UTF-8 become U+FFFD. */
void firn_json_string(firn_json_writer *writer, const char *key, const char *value);
/* The shortest text that reads back as the same double; null where it is not finite. */
void firn_json_number(firn_json_writer *writer, const char *key, double value);
void firn_json_numbers(firn_json_writer *writer, const char *key, const double *values, int n);
void firn_json_integer(firn_json_writer *writer, const char *key, int64_t value);
void firn_json_flag(firn_json_writer *writer, const char *key, int value);
/* 64 bits as 16 hexadecimal digits in a string: most readers hold numbers in 53 bits. */
void firn_json_hex(firn_json_writer *writer, const char *key, uint64_t value);
/* Ends the outermost object with a member that holds the checksum (hash.h) of all text before it;
 * only firn_json_finish may follow. firn_json_is_sealed: whether a text ends in the checksum of its
 * bytes, so that any change of it is found. */
void firn_json_seal(firn_json_writer *writer, const char *key);
int firn_json_is_sealed(const char *text, size_t n, const char *key, int is_indented);
/* A value that is JSON text. */
void firn_json_raw(firn_json_writer *writer, const char *key, const char *json);
/* The text, ended by a newline; owned by the writer. NULL: out of memory, or nested too deeply. */
const char *firn_json_finish(firn_json_writer *writer, size_t *n);

/* ---------------------------------------------------------------- reading */

typedef enum firn_json_type {
    FIRN_JSON_NULL,
    FIRN_JSON_FLAG,
    FIRN_JSON_NUMBER,
    FIRN_JSON_STRING,
    FIRN_JSON_ARRAY,
    FIRN_JSON_OBJECT
} firn_json_type;

typedef struct firn_json_node {
    firn_json_type type;
    const char *key, *string; /* key: of an object's member, else NULL */
    double number;            /* flags: 0 or 1 */
    int n_items;
    size_t first_byte, last_byte; /* of the value in the text: [first, last) */
    struct firn_json_node *first, *next;
} firn_json_node;

typedef struct firn_json firn_json;

/* NULL and a message with line and column where the text is not JSON, nested deeper than
 * FIRN_JSON_DEPTH, or holds a string with a zero byte. Memory: at most 64 bytes per byte of text.
 * `name` stands for the text in messages. */
firn_json *firn_json_parse(const char *text, size_t n, const char *name, firn_messages *messages);
void firn_json_destroy(firn_json *json);
const firn_json_node *firn_json_root(const firn_json *json);
/* NULL nodes, missing members and wrong types give NULL or `otherwise`. */
const firn_json_node *firn_json_member(const firn_json_node *object, const char *key);
double firn_json_number_of(const firn_json_node *object, const char *key, double otherwise);
const char *firn_json_string_of(const firn_json_node *object, const char *key,
                                const char *otherwise);
/* 1: found and read. */
int firn_json_hex_of(const firn_json_node *object, const char *key, uint64_t *value);

#endif
