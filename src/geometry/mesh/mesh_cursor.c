/* SPDX-License-Identifier: MIT */
/* mesh_cursor.c: see mesh_cursor.h. */
#include "geometry/mesh/mesh_cursor.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MAX_COORDINATE 1e9

static firn_status add_with_line(const firn_mesh_cursor *c, firn_status status, const char *format,
                                 va_list arguments)
{
    char text[1024];
    vsnprintf(text, sizeof text, format, arguments);
    int64_t line = 1;
    for (const char *p = c->begin; p < c->at && p < c->end; p++) line += *p == '\n';
    return firn_messages_add(c->messages, status, "%s:%lld: %s", c->path, (long long)line, text);
}

firn_status firn_mesh_cursor_damaged(const firn_mesh_cursor *c, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    firn_status status = add_with_line(c, FIRN_IO, format, arguments);
    va_end(arguments);
    return status;
}

firn_status firn_mesh_cursor_refuse(const firn_mesh_cursor *c, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    firn_status status = add_with_line(c, FIRN_REFUSED, format, arguments);
    va_end(arguments);
    return status;
}

void firn_mesh_cursor_skip_mark(firn_mesh_cursor *c)
{
    static const char mark[] = "\xEF\xBB\xBF";
    if (c->end - c->at >= 3 && memcmp(c->at, mark, 3) == 0) c->at += 3;
}

firn_status firn_mesh_cursor_is_text(const firn_mesh_cursor *c)
{
    firn_mesh_cursor zero = *c;
    zero.at = memchr(c->at, 0, (size_t)(c->end - c->at));
    if (!zero.at) return FIRN_OK;
    return firn_mesh_cursor_damaged(
        &zero,
        "byte %lld of the file is zero, which no text has: it is damaged, cut off, or of another "
        "format; try: write it again",
        (long long)(zero.at - c->begin) + 1);
}

void firn_mesh_cursor_skip_blanks(firn_mesh_cursor *c)
{
    while (*c->at == ' ' || *c->at == '\t' || *c->at == '\r') c->at++;
}

void firn_mesh_cursor_skip_line(firn_mesh_cursor *c)
{
    while (c->at < c->end && *c->at != '\n') c->at++;
    if (c->at < c->end) c->at++;
}

int firn_mesh_cursor_word(firn_mesh_cursor *c, const char *word)
{
    size_t n = strlen(word);
    if (strncasecmp(c->at, word, n) != 0) return 0;
    char next = c->at[n];
    if (next != ' ' && next != '\t' && next != '\r' && next != '\n' && c->at + n != c->end)
        return 0;
    c->at += n;
    return 1;
}

firn_status firn_mesh_cursor_number(firn_mesh_cursor *c, const char *what, double *number)
{
    firn_mesh_cursor_skip_blanks(c);
    char *after;
    *number = strtod_l(c->at, &after, c->locale);
    if (after == c->at || *c->at == '\n')
        return firn_mesh_cursor_damaged(
            c, "%s is missing or not a number (the file may be cut off)", what);
    if (*after && !strchr(" \t\r\n#", *after))
        return firn_mesh_cursor_damaged(c, "%s is \"%.*s\", which is no number", what,
                                        (int)fmin(40, (double)strcspn(c->at, " \t\r\n")), c->at);
    c->at = after;
    return FIRN_OK;
}

firn_status firn_mesh_cursor_coordinate(const firn_mesh_cursor *c, int64_t vertex, double x)
{
    if (fabs(x) <= MAX_COORDINATE) return FIRN_OK; /* false for NaN */
    if (vertex >= 0)
        return firn_messages_add(c->messages, FIRN_REFUSED,
                                 "%s: vertex %lld, counted from 0, has the coordinate %g; allowed: "
                                 "finite, at most %g in size",
                                 c->path, (long long)vertex, x, MAX_COORDINATE);
    return firn_mesh_cursor_refuse(c, "a coordinate is %g; allowed: finite, at most %g in size", x,
                                   MAX_COORDINATE);
}
