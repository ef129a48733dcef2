/* SPDX-License-Identifier: MIT */
/* xml.c: see xml.h. Each byte is read once; the text need not be well-formed. */
#include "base/xml.h"

#include <stdlib.h>
#include <string.h>

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/* The end of the first `what` at or after `at`; NULL: none. */
static const char *behind(const char *at, const char *end, const char *what)
{
    size_t n = strlen(what);
    const char *found = at < end ? memmem(at, (size_t)(end - at), what, n) : NULL;
    return found ? found + n : NULL;
}

/* The > that ends a tag; one within quotes does not. */
static const char *end_of_tag(const char *at, const char *end)
{
    for (char quote = 0; at < end; at++) {
        if (quote)
            quote = *at == quote ? 0 : quote;
        else if (*at == '"' || *at == '\'')
            quote = *at;
        else if (*at == '>')
            return at + 1;
    }
    return NULL;
}

firn_xml_step firn_xml_next(const char **at, const char *end, firn_xml_tag *tag)
{
    for (;;) {
        const char *begin = *at < end ? memchr(*at, '<', (size_t)(end - *at)) : NULL;
        if (!begin) return FIRN_XML_END;
        size_t left = (size_t)(end - begin);
        int is_comment = left >= 4 && strncmp(begin, "<!--", 4) == 0,
            is_other = left >= 2 && strchr("!?", begin[1]);
        const char *stop = is_comment ? behind(begin + 4, end, "-->") : end_of_tag(begin + 1, end);
        if (!stop) return FIRN_XML_CUT;
        *at = stop;
        if (is_comment || is_other) continue;
        *tag = (firn_xml_tag){.begin = begin, .end = stop, .name = begin + 1};
        if (*tag->name == '/') {
            tag->is_closing = 1;
            tag->name++;
        }
        if (!tag->is_closing && stop[-2] == '/') tag->is_empty = 1;
        while (!is_blank(tag->name[tag->n_name]) && !strchr("/>", tag->name[tag->n_name]))
            tag->n_name++;
        return FIRN_XML_TAG;
    }
}

int firn_xml_is(const firn_xml_tag *tag, const char *name)
{
    return strlen(name) == tag->n_name && memcmp(name, tag->name, tag->n_name) == 0;
}

/* The character that an entity at p stands for, as UTF-8 into `out`; returns the entity's
 * length, 0 for none. */
static size_t take_entity(const char *p, const char *end, char out[5])
{
    static const struct {
        const char *text;
        char c;
    } named[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
    memset(out, 0, 5);
    for (int i = 0; i < 5; i++) {
        size_t n = strlen(named[i].text);
        if ((size_t)(end - p) < n || memcmp(p, named[i].text, n) != 0) continue;
        out[0] = named[i].c;
        return n;
    }
    if (end - p < 4 || p[1] != '#') return 0;
    char *stop;
    unsigned long code = p[2] == 'x' ? strtoul(p + 3, &stop, 16) : strtoul(p + 2, &stop, 10);
    if (stop >= end || *stop != ';' || code == 0 || code > 0x10FFFF) return 0;
    int n_more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const unsigned char lead[] = {0, 0xC0, 0xE0, 0xF0};
    out[0] = (char)(lead[n_more] | code >> 6 * n_more);
    for (int i = 1; i <= n_more; i++) out[i] = (char)(0x80 | (code >> 6 * (n_more - i) & 0x3F));
    return (size_t)(stop + 1 - p);
}

static int unescape(const char *p, const char *end, char *value, size_t n_value)
{
    size_t n = 0;
    while (p < end) {
        char c[5];
        size_t n_entity = *p == '&' ? take_entity(p, end, c) : 0, n_c;
        if (!n_entity) {
            c[0] = *p;
            c[1] = 0;
        }
        n_c = n_entity ? strlen(c) : 1;
        if (n + n_c >= n_value) {
            value[0] = 0;
            return 0;
        }
        memcpy(value + n, c, n_c);
        n += n_c;
        p += n_entity ? n_entity : 1;
    }
    value[n] = 0;
    return 1;
}

int firn_xml_attribute(const firn_xml_tag *tag, const char *name, char *value, size_t n_value)
{
    const char *p = tag->name + tag->n_name, *end = tag->end - 1;
    size_t n_name = strlen(name);
    value[0] = 0;
    for (;;) {
        while (p < end && is_blank(*p)) p++;
        const char *key = p;
        while (p < end && !is_blank(*p) && *p != '=') p++;
        size_t n_key = (size_t)(p - key);
        while (p < end && is_blank(*p)) p++;
        if (p >= end || *p != '=') return 0;
        for (p++; p < end && is_blank(*p);) p++;
        if (p >= end || (*p != '"' && *p != '\'')) return 0;
        const char *stop = memchr(p + 1, *p, (size_t)(end - p - 1));
        if (!stop) return 0;
        if (n_key == n_name && memcmp(key, name, n_name) == 0)
            return unescape(p + 1, stop, value, n_value);
        p = stop + 1;
    }
}
