/* SPDX-License-Identifier: MIT */
/* mesh_cursor.h: a place in a mesh file that is whole in memory, and the small tools of its
 * readers. */
#ifndef FIRN_MESH_CURSOR_H
#define FIRN_MESH_CURSOR_H

#include "geometry/mesh/mesh.h"

#include <locale.h>

typedef struct firn_mesh_cursor {
    const char *path;
    const char *begin, *at, *end; /* *end is 0 */
    locale_t locale;              /* "C", where a comma is no decimal point */
    firn_messages *messages;
} firn_mesh_cursor;

/* Both add "path:line: ..." with the line of `at`. FIRN_IO: cut off, contradictory, or not of its
 * format. FIRN_REFUSED: whole, but with something that no mesh may have. */
firn_status firn_mesh_cursor_damaged(const firn_mesh_cursor *c, const char *format, ...)
    FIRN_PRINTF(2, 3);
firn_status firn_mesh_cursor_refuse(const firn_mesh_cursor *c, const char *format, ...)
    FIRN_PRINTF(2, 3);
/* The number at the cursor; `what` names it in messages. Skips blanks before it, not line ends. */
firn_status firn_mesh_cursor_number(firn_mesh_cursor *c, const char *what, double *number);
/* Checks a coordinate: finite and at most 1e9 in size. vertex: its number in a binary file; else -1. */
firn_status firn_mesh_cursor_coordinate(const firn_mesh_cursor *c, int64_t vertex, double x);
/* Skips the byte order mark of UTF-8, which some programs write before text. */
void firn_mesh_cursor_skip_mark(firn_mesh_cursor *c);
/* Refuses a zero byte, with its place. */
firn_status firn_mesh_cursor_is_text(const firn_mesh_cursor *c);
void firn_mesh_cursor_skip_blanks(firn_mesh_cursor *c);
void firn_mesh_cursor_skip_line(firn_mesh_cursor *c);
/* 1 where this word, in any case, and a blank or the end follow; the cursor then moves past it. */
int firn_mesh_cursor_word(firn_mesh_cursor *c, const char *word);

#endif
