/* SPDX-License-Identifier: MIT */
/* mesh_read.c: the table of mesh formats, and the small tools of their readers.
 *
 * A file is read whole (at most MAX_FILE bytes), so whatever its header claims can be held
 * against what is there. */
#include "geometry/mesh/mesh_read.h"
#include "base/file.h"
#include "base/memory.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MAX_FILE ((size_t)8 << 30)
#define MAX_COORDINATE 1e9

/* Mesh formats by ending */
static const struct {
    const char *ending;
    firn_status (*read)(firn_mesh_cursor *c, firn_mesh **mesh);
    int is_text; /* always: a CR alone ends a line, too */
} formats[] = {
    {".obj", firn_mesh_obj_read, 1}, {".ply", firn_mesh_ply_read}, {".stl", firn_mesh_stl_read}};

static firn_status say(const firn_mesh_cursor *c, firn_status status, const char *format,
                       va_list arguments)
{
    char text[1024];
    vsnprintf(text, sizeof text, format, arguments);
    int64_t line = 1;
    for (const char *p = c->begin; p < c->at && p < c->end; p++) line += *p == '\n';
    return firn_messages_add(c->messages, status, "%s:%lld: %s", c->path, (long long)line, text);
}

firn_status firn_mesh_read_damaged(const firn_mesh_cursor *c, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    firn_status status = say(c, FIRN_IO, format, arguments);
    va_end(arguments);
    return status;
}

firn_status firn_mesh_read_refuse(const firn_mesh_cursor *c, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    firn_status status = say(c, FIRN_REFUSED, format, arguments);
    va_end(arguments);
    return status;
}

void firn_mesh_read_skip_mark(firn_mesh_cursor *c)
{
    static const char mark[] = "\xEF\xBB\xBF";
    if (c->end - c->at >= 3 && memcmp(c->at, mark, 3) == 0) c->at += 3;
}

firn_status firn_mesh_read_is_text(const firn_mesh_cursor *c)
{
    firn_mesh_cursor zero = *c;
    zero.at = memchr(c->at, 0, (size_t)(c->end - c->at));
    if (!zero.at) return FIRN_OK;
    return firn_mesh_read_damaged(
        &zero,
        "byte %lld of the file is zero, which no text holds: the file is damaged, was not "
        "written to its end, or is of another format. Write it again.",
        (long long)(zero.at - c->begin) + 1);
}

void firn_mesh_read_skip_blanks(firn_mesh_cursor *c)
{
    while (*c->at == ' ' || *c->at == '\t' || *c->at == '\r') c->at++;
}

void firn_mesh_read_skip_line(firn_mesh_cursor *c)
{
    while (c->at < c->end && *c->at != '\n') c->at++;
    if (c->at < c->end) c->at++;
}

int firn_mesh_read_word(firn_mesh_cursor *c, const char *word)
{
    size_t n = strlen(word);
    if (strncasecmp(c->at, word, n) != 0) return 0;
    char next = c->at[n];
    if (next != ' ' && next != '\t' && next != '\r' && next != '\n' && c->at + n != c->end)
        return 0;
    c->at += n;
    return 1;
}

firn_status firn_mesh_read_number(firn_mesh_cursor *c, const char *what, double *number)
{
    firn_mesh_read_skip_blanks(c);
    char *after;
    *number = strtod_l(c->at, &after, c->locale);
    if (after == c->at || *c->at == '\n')
        return firn_mesh_read_damaged(c, "%s is missing or not a number (the file may be cut off).",
                                      what);
    if (*after && !strchr(" \t\r\n#", *after))
        return firn_mesh_read_damaged(c, "%s is \"%.*s\", which is no number.", what,
                                      (int)fmin(40, (double)strcspn(c->at, " \t\r\n")), c->at);
    c->at = after;
    return FIRN_OK;
}

firn_status firn_mesh_read_coordinate(const firn_mesh_cursor *c, int64_t vertex, double x)
{
    if (fabs(x) <= MAX_COORDINATE) return FIRN_OK; /* false for NaN */
    if (vertex >= 0)
        return firn_messages_add(c->messages, FIRN_REFUSED,
                                 "%s: vertex %lld, counted from 0, has a coordinate of %g; "
                                 "coordinates must be finite and "
                                 "at most %g in size.",
                                 c->path, (long long)vertex, x, MAX_COORDINATE);
    return firn_mesh_read_refuse(
        c, "a coordinate is %g; coordinates must be finite and at most %g in size.", x,
        MAX_COORDINATE);
}

static firn_status check_indices(const firn_mesh *mesh, const char *path, firn_messages *messages)
{
    for (int64_t i = 0; i < 3 * mesh->n_triangles; i++)
        if (mesh->triangles[i] >= mesh->n_points)
            return firn_messages_add(messages, FIRN_IO,
                                     "%s: a face names point %u, but there are only %lld points.",
                                     path, mesh->triangles[i], (long long)mesh->n_points);
    return FIRN_OK;
}

static firn_status read_all(firn_mesh_cursor *c, int format, firn_mesh **mesh)
{
    if (c->begin == c->end)
        return firn_messages_add(c->messages, FIRN_IO, "%s: the file is empty.", c->path);
    firn_status status = formats[format].read(c, mesh);
    if (!status && (*mesh)->n_triangles == 0)
        status = firn_messages_add(c->messages, FIRN_REFUSED, "%s: there is no face in this file.",
                                   c->path);
    if (!status) status = check_indices(*mesh, c->path, c->messages);
    if (status && *mesh) {
        firn_mesh_destroy(*mesh);
        *mesh = NULL;
    }
    return status;
}

firn_status firn_mesh_read(const char *path, firn_mesh **mesh, firn_messages *messages)
{
    *mesh = NULL;
    const char *ending = strrchr(path, '.');
    int format = -1;
    for (int i = 0; ending && i < (int)(sizeof formats / sizeof *formats); i++)
        if (!strcasecmp(ending, formats[i].ending)) format = i;
    if (format < 0)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "%s: a mesh must be an .obj, .ply or .stl file.", path);
    size_t n;
    char *text = firn_file_text(path, MAX_FILE, &n, messages);
    if (!text) return FIRN_IO;
    for (size_t i = 0; i < n && formats[format].is_text; i++)
        if (text[i] == '\r' && text[i + 1] != '\n') text[i] = '\n';
    firn_mesh_cursor c = {path,    text, text, text + n, newlocale(LC_ALL_MASK, "C", (locale_t)0),
                          messages};
    firn_status status = c.locale ? read_all(&c, format, mesh)
                                  : firn_messages_add(messages, FIRN_MEMORY,
                                                      "%s: there is no memory to read it.", path);
    if (c.locale) freelocale(c.locale);
    firn_memory_release(NULL, text, n + 1);
    return status;
}
