/* SPDX-License-Identifier: MIT */
/* json.c: the writing half of json.h, and access to nodes. RFC 8259. */
#include "base/json.h"
#include "base/hash.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- the text */

static void put(firn_json_writer *writer, const char *bytes, size_t n)
{
    firn_text_add_bytes(&writer->text, bytes, n);
}

static void put_text(firn_json_writer *writer, const char *text)
{
    put(writer, text, strlen(text));
}

void firn_json_init(firn_json_writer *writer, int is_indented)
{
    *writer = (firn_json_writer){.is_indented = is_indented};
}

void firn_json_clear(firn_json_writer *writer)
{
    firn_text_clear(&writer->text);
    *writer = (firn_json_writer){0};
}

/* The length of the UTF-8 sequence at p; 0: not one (also overlong forms, surrogates and codes
 * beyond U+10FFFF). */
static int utf8_length(const unsigned char *p)
{
    if (p[0] < 0x80) return 1;
    int n = p[0] >= 0xC2 && p[0] < 0xE0   ? 2
            : p[0] >= 0xE0 && p[0] < 0xF0 ? 3
            : p[0] >= 0xF0 && p[0] < 0xF5 ? 4
                                          : 0;
    for (int i = 1; i < n; i++)
        if ((p[i] & 0xC0) != 0x80) return 0; /* also the final zero */
    if (n == 3 && ((p[0] == 0xE0 && p[1] < 0xA0) || (p[0] == 0xED && p[1] >= 0xA0))) return 0;
    if (n == 4 && ((p[0] == 0xF0 && p[1] < 0x90) || (p[0] == 0xF4 && p[1] >= 0x90))) return 0;
    return n;
}

static void put_quoted(firn_json_writer *writer, const char *string)
{
    put(writer, "\"", 1);
    for (const unsigned char *p = (const unsigned char *)string; *p;) {
        char escaped[8];
        int n = utf8_length(p);
        if (n == 0) {
            put_text(writer, "\xEF\xBF\xBD");
            n = 1;
        } else if (*p == '"' || *p == '\\') {
            escaped[0] = '\\';
            escaped[1] = (char)*p;
            put(writer, escaped, 2);
        } else if (*p < 0x20 || *p == 0x7F) {
            snprintf(escaped, sizeof escaped, "\\u%04x", *p);
            put_text(writer, *p == '\n' ? "\\n" : *p == '\t' ? "\\t" : escaped);
        } else {
            put(writer, (const char *)p, (size_t)n);
        }
        p += n;
    }
    put(writer, "\"", 1);
}

/* Whether the items of the innermost container each have a line. */
static int is_broken(const firn_json_writer *writer)
{
    return writer->is_indented && (!writer->inline_depth || writer->depth < writer->inline_depth);
}

static void put_line(firn_json_writer *writer)
{
    firn_text_add(&writer->text, "\n%*s", 2 * writer->depth, "");
}

/* Comma, line and key before a value. */
static void lead(firn_json_writer *writer, const char *key)
{
    if (writer->depth > 0) {
        char *has_items = &writer->has_items[writer->depth - 1];
        if (*has_items) put(writer, ",", 1);
        if (is_broken(writer)) {
            put_line(writer);
        } else if (*has_items) {
            put(writer, " ", 1);
        }
        *has_items = 1;
    }
    if (!key) return;
    put_quoted(writer, key);
    put(writer, ": ", 2);
}

void firn_json_begin(firn_json_writer *writer, const char *key, char kind)
{
    lead(writer, key);
    if (writer->depth == FIRN_JSON_DEPTH) {
        writer->failed = 1;
        return;
    }
    put(writer, &kind, 1);
    writer->has_items[writer->depth] = 0;
    writer->closing[writer->depth++] = kind == '{' ? '}' : ']';
}

void firn_json_begin_inline(firn_json_writer *writer, const char *key, char kind)
{
    firn_json_begin(writer, key, kind);
    if (!writer->inline_depth) writer->inline_depth = writer->depth;
}

void firn_json_end(firn_json_writer *writer)
{
    if (writer->depth == 0) {
        writer->failed = 1;
        return;
    }
    int has_lines = is_broken(writer);
    if (writer->inline_depth == writer->depth) writer->inline_depth = 0;
    writer->depth--;
    if (has_lines && writer->has_items[writer->depth]) put_line(writer);
    put(writer, &writer->closing[writer->depth], 1);
}

void firn_json_string(firn_json_writer *writer, const char *key, const char *value)
{
    lead(writer, key);
    put_quoted(writer, value);
}

static void put_number(firn_json_writer *writer, double value)
{
    if (isfinite(value))
        firn_text_add_number(&writer->text, value);
    else
        put_text(writer, "null");
}

void firn_json_number(firn_json_writer *writer, const char *key, double value)
{
    lead(writer, key);
    put_number(writer, value);
}

void firn_json_numbers(firn_json_writer *writer, const char *key, const double *values, int n)
{
    lead(writer, key);
    put(writer, "[", 1);
    for (int i = 0; i < n; i++) {
        if (i) put(writer, ", ", 2);
        put_number(writer, values[i]);
    }
    put(writer, "]", 1);
}

void firn_json_integer(firn_json_writer *writer, const char *key, int64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)value);
    lead(writer, key);
    put_text(writer, text);
}

void firn_json_flag(firn_json_writer *writer, const char *key, int value)
{
    lead(writer, key);
    put_text(writer, value ? "true" : "false");
}

void firn_json_hex(firn_json_writer *writer, const char *key, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)value);
    firn_json_string(writer, key, text);
}

void firn_json_raw(firn_json_writer *writer, const char *key, const char *json)
{
    lead(writer, key);
    put_text(writer, json);
}

/* The text from the comma before the seal to its end. */
static int seal_text(char *seal, size_t n_seal, const char *key, int is_indented, uint64_t sum)
{
    const char *format = is_indented ? ",\n  \"%s\": \"%016llx\"\n}\n" : ", \"%s\": \"%016llx\"}\n";
    return snprintf(seal, n_seal, format, key, (unsigned long long)sum);
}

void firn_json_seal(firn_json_writer *writer, const char *key)
{
    char seal[128];
    if (writer->depth != 1 || writer->failed || writer->text.has_failed) {
        writer->failed = 1;
        return;
    }
    int n = seal_text(seal, sizeof seal, key, writer->is_indented,
                      firn_hash_of(writer->text.data, writer->text.n));
    put(writer, seal, (size_t)n - 1); /* finish adds the line end */
    writer->depth = 0;
}

int firn_json_is_sealed(const char *text, size_t n, const char *key, int is_indented)
{
    char seal[128];
    size_t n_seal = (size_t)seal_text(seal, sizeof seal, key, is_indented, 0);
    if (n < n_seal) return 0;
    seal_text(seal, sizeof seal, key, is_indented, firn_hash_of(text, n - n_seal));
    return memcmp(text + n - n_seal, seal, n_seal) == 0;
}

const char *firn_json_finish(firn_json_writer *writer, size_t *n)
{
    put(writer, "\n", 1);
    if (writer->failed || writer->text.has_failed || writer->depth) return NULL;
    if (n) *n = writer->text.n;
    return writer->text.data;
}

/* ---------------------------------------------------------------- nodes */

const firn_json_node *firn_json_member(const firn_json_node *object, const char *key)
{
    if (!object || object->type != FIRN_JSON_OBJECT) return NULL;
    for (const firn_json_node *node = object->first; node; node = node->next)
        if (strcmp(node->key, key) == 0) return node;
    return NULL;
}

double firn_json_number_of(const firn_json_node *object, const char *key, double otherwise)
{
    const firn_json_node *node = firn_json_member(object, key);
    return node && node->type == FIRN_JSON_NUMBER ? node->number : otherwise;
}

const char *firn_json_string_of(const firn_json_node *object, const char *key,
                                const char *otherwise)
{
    const firn_json_node *node = firn_json_member(object, key);
    return node && node->type == FIRN_JSON_STRING ? node->string : otherwise;
}

int firn_json_hex_of(const firn_json_node *object, const char *key, uint64_t *value)
{
    const char *text = firn_json_string_of(object, key, "");
    if (strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16) return 0;
    *value = strtoull(text, NULL, 16);
    return 1;
}
