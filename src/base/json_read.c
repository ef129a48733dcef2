/* SPDX-License-Identifier: MIT */
/* json_read.c: the reading half of json.h. A recursive descent over the text, bounded in depth;
 * nodes come from blocks, strings are unescaped into one buffer, never longer than the text. */
#include "base/json.h"
#include "base/memory.h"
#include "base/messages.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_NODES = 64, NUMBER_MAX = 400 };

typedef struct block {
    struct block *before;
    int n;
    firn_json_node nodes[BLOCK_NODES];
} block;

struct firn_json {
    firn_json_node *root;
    block *blocks;
    char *strings;
    size_t n_strings, room;
};

typedef struct parser {
    const char *text, *name;
    size_t n, at;
    firn_json *json;
    firn_messages *messages;
} parser;

void firn_json_destroy(firn_json *json)
{
    if (!json) return;
    for (block *b = json->blocks, *before; b; b = before) {
        before = b->before;
        firn_memory_release(NULL, b, sizeof *b);
    }
    firn_memory_release(NULL, json->strings, json->room);
    firn_memory_release(NULL, json, sizeof *json);
}

const firn_json_node *firn_json_root(const firn_json *json) { return json->root; }

static int wrong(parser *p, const char *what)
{
    int line = 1, column = 1;
    for (size_t i = 0; i < p->at; i++) {
        column++;
        if (p->text[i] == '\n') {
            line++;
            column = 1;
        }
    }
    firn_messages_add(p->messages, FIRN_IO, "%s:%d:%d: %s", p->name, line, column, what);
    return 0;
}

static firn_json_node *add_node(parser *p)
{
    block *b = p->json->blocks;
    if (!b || b->n == BLOCK_NODES) {
        b = firn_memory_allocate(NULL, sizeof *b);
        if (!b) {
            firn_messages_no_memory(p->messages, "%s: JSON", p->name);
            return NULL;
        }
        b->before = p->json->blocks;
        p->json->blocks = b;
    }
    return &b->nodes[b->n++];
}

static void skip_blanks(parser *p)
{
    while (p->at < p->n && strchr(" \t\r\n", p->text[p->at]) && p->text[p->at]) p->at++;
}

static int is_next(parser *p, char c)
{
    if (p->at >= p->n || p->text[p->at] != c) return 0;
    p->at++;
    return 1;
}

/* Four hexadecimal digits; -1: not such. */
static long hex4(parser *p)
{
    long code = 0;
    for (int i = 0; i < 4; i++) {
        if (p->at >= p->n) return -1;
        char c = p->text[p->at++];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0) return -1;
        code = code * 16 + digit;
    }
    return code;
}

/* Writes a code point as UTF-8: never longer than its escape was. */
static char *put_code(char *out, long code)
{
    if (code < 0x80) {
        *out++ = (char)code;
    } else if (code < 0x800) {
        *out++ = (char)(0xC0 | code >> 6);
        *out++ = (char)(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        *out++ = (char)(0xE0 | code >> 12);
        *out++ = (char)(0x80 | (code >> 6 & 0x3F));
        *out++ = (char)(0x80 | (code & 0x3F));
    } else {
        *out++ = (char)(0xF0 | code >> 18);
        *out++ = (char)(0x80 | (code >> 12 & 0x3F));
        *out++ = (char)(0x80 | (code >> 6 & 0x3F));
        *out++ = (char)(0x80 | (code & 0x3F));
    }
    return out;
}

static char *escape(parser *p, char *out)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    if (p->at >= p->n) return NULL;
    char c = p->text[p->at++];
    const char *found = c ? strchr(from, c) : NULL;
    if (found) {
        *out++ = to[found - from];
        return out;
    }
    if (c != 'u') return NULL;
    long code = hex4(p);
    if (code >= 0xD800 && code < 0xDC00) { /* a pair stands for one code point */
        if (!is_next(p, '\\') || !is_next(p, 'u')) return NULL;
        long low = hex4(p);
        if (low < 0xDC00 || low > 0xDFFF) return NULL;
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    } else if (code >= 0xDC00 && code <= 0xDFFF) {
        return NULL;
    }
    return code <= 0 ? NULL : put_code(out, code);
}

/* After the opening quote. */
static const char *parse_string(parser *p)
{
    char *start = p->json->strings + p->json->n_strings, *out = start;
    for (;;) {
        if (p->at >= p->n) return wrong(p, "text ends inside a string"), NULL;
        unsigned char c = (unsigned char)p->text[p->at];
        if (c < 0x20) return wrong(p, "control character inside a string"), NULL;
        p->at++;
        if (c == '"') break;
        if (c != '\\')
            *out++ = (char)c;
        else if (!(out = escape(p, out)))
            return wrong(p, "unknown escape"), NULL;
    }
    *out++ = 0;
    p->json->n_strings += (size_t)(out - start);
    return start;
}

static int is_digit(const parser *p)
{
    return p->at < p->n && p->text[p->at] >= '0' && p->text[p->at] <= '9';
}

static int digits(parser *p)
{
    if (!is_digit(p)) return 0;
    while (is_digit(p)) p->at++;
    return 1;
}

static int parse_number(parser *p, firn_json_node *node)
{
    size_t first = p->at;
    is_next(p, '-');
    int is_good = is_next(p, '0') || digits(p);
    if (is_good && is_next(p, '.')) is_good = digits(p);
    if (is_good && (is_next(p, 'e') || is_next(p, 'E'))) {
        if (!is_next(p, '-')) is_next(p, '+');
        is_good = digits(p);
    }
    char copy[NUMBER_MAX + 1];
    size_t n = p->at - first;
    if (!is_good || n > NUMBER_MAX)
        return wrong(p, is_good ? "number longer than 400 characters" : "not a JSON value");
    memcpy(copy, p->text + first, n);
    copy[n] = 0;
    /* strtod reads the decimal point of the locale */
    char *point = strchr(copy, '.');
    if (point) *point = localeconv()->decimal_point[0];
    node->type = FIRN_JSON_NUMBER;
    node->number = strtod(copy, NULL);
    return isfinite(node->number) || wrong(p, "number too large for a double");
}

static int parse_word(parser *p, firn_json_node *node)
{
    static const struct {
        const char *word;
        firn_json_type type;
        int value;
    } words[] = {
        {"true", FIRN_JSON_FLAG, 1}, {"false", FIRN_JSON_FLAG, 0}, {"null", FIRN_JSON_NULL, 0}};
    for (int i = 0; i < 3; i++) {
        size_t n = strlen(words[i].word);
        if (p->n - p->at < n || memcmp(p->text + p->at, words[i].word, n) != 0) continue;
        p->at += n;
        node->type = words[i].type;
        node->number = words[i].value;
        return 1;
    }
    return wrong(p, "not a JSON value");
}

static int parse_value(parser *p, firn_json_node *node, int depth);

static int parse_items(parser *p, firn_json_node *parent, int depth)
{
    char closing = parent->type == FIRN_JSON_OBJECT ? '}' : ']';
    firn_json_node **link = &parent->first;
    skip_blanks(p);
    if (is_next(p, closing)) return 1;
    for (;;) {
        firn_json_node *item = add_node(p);
        if (!item) return 0;
        if (closing == '}') {
            skip_blanks(p);
            if (!is_next(p, '"')) return wrong(p, "name in quotes expected");
            if (!(item->key = parse_string(p))) return 0;
            skip_blanks(p);
            if (!is_next(p, ':')) return wrong(p, "colon expected");
        }
        if (!parse_value(p, item, depth + 1)) return 0;
        *link = item;
        link = &item->next;
        parent->n_items++;
        skip_blanks(p);
        if (is_next(p, closing)) return 1;
        if (!is_next(p, ','))
            return wrong(p, closing == '}' ? "comma or } expected" : "comma or ] expected");
    }
}

static int parse_value(parser *p, firn_json_node *node, int depth)
{
    if (depth > FIRN_JSON_DEPTH) return wrong(p, "nested too deeply; allowed: up to 64 levels");
    skip_blanks(p);
    node->first_byte = p->at;
    int is_good;
    if (is_next(p, '{') || is_next(p, '[')) {
        node->type = p->text[p->at - 1] == '{' ? FIRN_JSON_OBJECT : FIRN_JSON_ARRAY;
        is_good = parse_items(p, node, depth);
    } else if (is_next(p, '"')) {
        node->type = FIRN_JSON_STRING;
        is_good = (node->string = parse_string(p)) != NULL;
    } else if (is_digit(p) || (p->at < p->n && p->text[p->at] == '-')) {
        is_good = parse_number(p, node);
    } else {
        is_good = parse_word(p, node);
    }
    node->last_byte = p->at;
    return is_good;
}

firn_json *firn_json_parse(const char *text, size_t n, const char *name, firn_messages *messages)
{
    firn_json *json = firn_memory_allocate(NULL, sizeof *json);
    parser p = {text, name, n, 0, json, messages};
    if (json) {
        json->room = n + 1;
        json->strings = firn_memory_allocate(NULL, json->room);
    }
    if (!json || !json->strings) {
        firn_messages_no_memory(messages, "%s: JSON", name);
        firn_json_destroy(json);
        return NULL;
    }
    json->root = add_node(&p);
    int is_good = json->root && parse_value(&p, json->root, 0);
    skip_blanks(&p);
    if (is_good && p.at < n) is_good = wrong(&p, "more text after the value");
    if (is_good) return json;
    firn_json_destroy(json);
    return NULL;
}
