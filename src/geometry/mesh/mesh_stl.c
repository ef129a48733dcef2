/* SPDX-License-Identifier: MIT */
/* mesh_stl.c: STL, binary and ascii. Binary: 80 bytes of anything, a count n, then n records of 50
 * bytes (normal, three corners, two spare bytes), little-endian; some programs append data of their
 * own. A binary file may begin with "solid" too, so its length decides first: in a text the four
 * bytes of the count claim more than any file has. The format does not share corners;
 * firn_mesh_weld merges them. */
#include "geometry/mesh/mesh_readers.h"
#include "base/messages.h"

#include <string.h>
#include <strings.h>

enum { HEADER = 84, RECORD = 50 };

static uint32_t little32(const unsigned char *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static firn_status make(const firn_mesh_cursor *c, int64_t n, firn_mesh **mesh)
{
    if (n > UINT32_MAX / 3) return firn_mesh_cursor_refuse(c, "more than 2^32 corners");
    *mesh = firn_mesh_create(3 * n, n);
    if (!*mesh) return firn_messages_no_memory(c->messages, "%s", c->path);
    for (int64_t i = 0; i < 3 * n; i++) (*mesh)->triangles[i] = (uint32_t)i;
    return FIRN_OK;
}

static firn_status read_binary(firn_mesh_cursor *c, int64_t n, firn_mesh **mesh)
{
    firn_status status = make(c, n, mesh);
    if (status) return status;
    for (int64_t t = 0; t < n; t++)
        for (int k = 0; k < 9; k++) {
            uint32_t bits =
                little32((const unsigned char *)c->begin + HEADER + RECORD * t + 12 + 4 * k);
            float x;
            memcpy(&x, &bits, sizeof x);
            (*mesh)->xyz[9 * t + k] = x;
            status = firn_mesh_cursor_coordinate(c, 3 * t + k / 3, x);
            if (status) return status;
        }
    return FIRN_OK;
}

/* Words are separated by blanks of any kind: line ends have no meaning in STL. 0 at the end. */
static int next_word(firn_mesh_cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == '\r' || *c->at == '\n'))
        c->at++;
    return c->at < c->end;
}

static void skip_word(firn_mesh_cursor *c)
{
    while (c->at < c->end && *c->at != ' ' && *c->at != '\t' && *c->at != '\r' && *c->at != '\n')
        c->at++;
}

static int64_t count_vertices(firn_mesh_cursor c)
{
    int64_t n = 0;
    for (firn_mesh_cursor_skip_line(&c); next_word(&c); skip_word(&c))
        n += firn_mesh_cursor_word(&c, "vertex");
    return n;
}

static firn_status read_ascii(firn_mesh_cursor *c, firn_mesh **mesh)
{
    int64_t n = count_vertices(*c), at = 0;
    if (n % 3)
        return firn_mesh_cursor_damaged(
            c,
            "%lld vertex lines are no multiple of three: the file is cut off, or not of triangles",
            (long long)n);
    firn_status status = make(c, n / 3, mesh);
    if (status) return status;
    firn_mesh_cursor_skip_line(c); /* "solid" and a name, which may be any words */
    int is_closed = 0;             /* the last solid */
    while (next_word(c)) {
        if (strncasecmp(c->at, "endsolid", strlen("endsolid")) == 0) {
            firn_mesh_cursor_skip_line(c);
            is_closed = 1;
            continue;
        }
        if (firn_mesh_cursor_word(c, "solid")) {
            firn_mesh_cursor_skip_line(c);
            is_closed = 0;
            continue;
        }
        if (!firn_mesh_cursor_word(c, "vertex")) {
            skip_word(c);
            continue;
        }
        for (int a = 0; a < 3; a++) {
            double *x = &(*mesh)->xyz[3 * at + a];
            status = firn_mesh_cursor_number(c, "a vertex's coordinate", x);
            if (!status) status = firn_mesh_cursor_coordinate(c, -1, *x);
            if (status) return status;
        }
        at++;
    }
    return is_closed
               ? FIRN_OK
               : firn_mesh_cursor_damaged(c, "it ends without `endsolid`: the file is cut off");
}

firn_status firn_mesh_stl_read(firn_mesh_cursor *c, firn_mesh **mesh)
{
    int64_t n_bytes = c->end - c->begin;
    int64_t claimed =
        n_bytes >= HEADER ? (int64_t)little32((const unsigned char *)c->begin + 80) : -1;
    if (claimed >= 0 && n_bytes == HEADER + RECORD * claimed) return read_binary(c, claimed, mesh);
    const int64_t more = claimed > 0 ? n_bytes - (HEADER + RECORD * claimed) : -1;
    if (more > 0) {
        firn_messages_warn(c->messages,
                           "%s: %lld bytes follow after the %lld triangles of its header; they are "
                           "ignored",
                           c->path, (long long)more, (long long)claimed);
        return read_binary(c, claimed, mesh);
    }
    firn_mesh_cursor_skip_mark(c);
    const char *first = c->at;
    if (firn_mesh_cursor_word(c, "solid")) {
        c->at = first;
        firn_status status = firn_mesh_cursor_is_text(c);
        return status ? status : read_ascii(c, mesh);
    }
    if (claimed < 0)
        return firn_mesh_cursor_damaged(c,
                                        "an STL file begins with `solid`, or has 84 bytes or more");
    return firn_messages_add(
        c->messages, FIRN_IO,
        "%s: its header claims %lld triangles, %lld bytes, and the file has %lld: it is cut off or "
        "not STL",
        c->path, (long long)claimed, (long long)(HEADER + RECORD * claimed), (long long)n_bytes);
}
