/* SPDX-License-Identifier: MIT */
/* text.c: growth by doubling, one allocation at a time, everything through memory.h. */
#include "base/text.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/messages.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void firn_text_clear(firn_text *text)
{
    firn_memory_release(NULL, text->data, text->capacity);
    *text = (firn_text){0};
}

/* Makes room for n more bytes and the final zero; 0: refused. */
static int reserve(firn_text *text, size_t n)
{
    if (text->has_failed) return 0;
    if (text->capacity && n < text->capacity - text->n) return 1;
    size_t capacity = text->capacity ? text->capacity : 256;
    while (capacity - text->n <= n) {
        if (capacity > SIZE_MAX / 4) {
            text->has_failed = 1;
            return 0;
        }
        capacity *= 2;
    }
    char *grown = firn_memory_allocate(NULL, capacity);
    if (!grown) {
        text->has_failed = 1;
        return 0;
    }
    if (text->n) memcpy(grown, text->data, text->n);
    firn_memory_release(NULL, text->data, text->capacity);
    text->data = grown;
    text->capacity = capacity;
    return 1;
}

void firn_text_add_bytes(firn_text *text, const char *bytes, size_t n)
{
    if (!reserve(text, n)) return;
    if (n) memcpy(text->data + text->n, bytes, n);
    text->n += n;
    text->data[text->n] = 0;
}

void firn_text_add(firn_text *text, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int n = vsnprintf(NULL, 0, format, arguments);
    if (n < 0)
        text->has_failed = 1;
    else if (reserve(text, (size_t)n)) {
        vsnprintf(text->data + text->n, (size_t)n + 1, format, again);
        text->n += (size_t)n;
    }
    va_end(again);
    va_end(arguments);
}

void firn_text_add_number(firn_text *text, double value)
{
    char digits[40];
    for (int n = 15; n <= 17; n++) {
        snprintf(digits, sizeof digits, "%.*g", n, value);
        if (strtod(digits, NULL) == value) break;
    }
    for (char *c = digits; *c; c++)
        if (*c == ',') *c = '.';
    firn_text_add_bytes(text, digits, strlen(digits));
}

void firn_text_add_size(firn_text *text, double n_bytes)
{
    if (n_bytes < 1 << 10)
        firn_text_add(text, "%.0f bytes", n_bytes);
    else if (n_bytes < 1 << 20)
        firn_text_add(text, "%.1f KiB", n_bytes / (1 << 10));
    else if (n_bytes < 1 << 30)
        firn_text_add(text, "%.1f MiB", n_bytes / (1 << 20));
    else
        firn_text_add(text, "%.1f GiB", n_bytes / (1 << 30));
}

void firn_text_add_csv(firn_text *text, const char *field)
{
    firn_text_add_bytes(text, "\"", 1);
    for (const char *c = field; *c; c++)
        firn_text_add_bytes(text, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
    firn_text_add_bytes(text, "\"", 1);
}

void firn_text_add_xml(firn_text *text, const char *string)
{
    for (const char *c = string; *c; c++) {
        switch (*c) {
        case '&': firn_text_add_bytes(text, "&amp;", 5); break;
        case '<': firn_text_add_bytes(text, "&lt;", 4); break;
        case '>': firn_text_add_bytes(text, "&gt;", 4); break;
        case '"': firn_text_add_bytes(text, "&quot;", 6); break;
        case '\'': firn_text_add_bytes(text, "&#39;", 5); break;
        default: firn_text_add_bytes(text, c, 1);
        }
    }
}

firn_status firn_text_write(const firn_text *text, const char *path, firn_messages *messages)
{
    if (text->has_failed) return firn_messages_no_memory(messages, "%s: text", path);
    firn_file_writer *writer = firn_file_create(path, 0, messages);
    if (!writer) return firn_file_failure(messages);
    if (text->n) firn_file_write(writer, text->data, text->n);
    return firn_file_commit(writer, NULL, messages);
}
