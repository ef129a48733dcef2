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
    locale_t locale;              /* "C": a comma is never a decimal point */
    firn_messages *messages;
} firn_mesh_cursor;

/* Both add "path:line: ..." with the line of `at`. Damaged is what is cut off, contradicts
 * itself or is not of its format: FIRN_IO. Refused is what a whole file holds and no mesh may:
 * FIRN_REFUSED. */
firn_status firn_mesh_cursor_damaged(const firn_mesh_cursor *c, const char *format, ...)
    FIRN_PRINTF(2, 3);
firn_status firn_mesh_cursor_refuse(const firn_mesh_cursor *c, const char *format, ...)
    FIRN_PRINTF(2, 3);
/* The number at the cursor, or a sentence; `what` names it. Blanks before it are skipped, line
 * ends are not. */
firn_status firn_mesh_cursor_number(firn_mesh_cursor *c, const char *what, double *number);
/* A coordinate: a number that is finite and at most 1e9 in size. `vertex`: whose it is, where no
 * line says it; else -1. */
firn_status firn_mesh_cursor_coordinate(const firn_mesh_cursor *c, int64_t vertex, double x);
/* Steps over a mark of the byte order of UTF-8, which some programs put before any text. */
void firn_mesh_cursor_skip_mark(firn_mesh_cursor *c);
/* Refuses what no text holds, a zero byte, with its place. */
firn_status firn_mesh_cursor_is_text(const firn_mesh_cursor *c);
void firn_mesh_cursor_skip_blanks(firn_mesh_cursor *c);
void firn_mesh_cursor_skip_line(firn_mesh_cursor *c);
/* Does the cursor stand on this word (followed by a blank or the end)? Then it moves behind it. */
int firn_mesh_cursor_word(firn_mesh_cursor *c, const char *word);

#endif
