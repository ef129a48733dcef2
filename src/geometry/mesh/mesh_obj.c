/* SPDX-License-Identifier: MIT */
/* mesh_obj.c: Wavefront OBJ. The first word of a line decides: v is a point, f a polygon of point
 * references (i, i/t, i/t/n, i//n; negative ones count from the last point back); other lines are
 * ignored. A backslash at its end continues a line. Two passes: one counts, one fills. */
#include "geometry/mesh/mesh_readers.h"
#include "base/messages.h"

#include <stdlib.h>
#include <string.h>

/* To the next blank or end of line; a backslash before the end of line is a blank. */
static int next_token(firn_mesh_cursor *c)
{
    for (;;) {
        firn_mesh_cursor_skip_blanks(c);
        if (*c->at != '\\') break;
        const char *p = c->at + 1;
        if (*p == '\r') p++;
        if (*p != '\n') break;
        c->at = p + 1;
    }
    return c->at < c->end && *c->at != '\n' && *c->at != '#';
}

static void skip_token(firn_mesh_cursor *c)
{
    while (c->at < c->end && *c->at != ' ' && *c->at != '\t' && *c->at != '\r' && *c->at != '\n')
        c->at++;
}

static void count(firn_mesh_cursor c, int64_t *n_points, int64_t *n_triangles)
{
    while (c.at < c.end) {
        firn_mesh_cursor_skip_blanks(&c);
        if (firn_mesh_cursor_word(&c, "v"))
            ++*n_points;
        else if (firn_mesh_cursor_word(&c, "f")) {
            int64_t corners = 0;
            for (; next_token(&c); corners++) skip_token(&c);
            if (corners > 2) *n_triangles += corners - 2;
        }
        firn_mesh_cursor_skip_line(&c);
    }
}

static firn_status read_index(firn_mesh_cursor *c, int64_t n_points, uint32_t *index)
{
    char *after;
    long long i = strtoll(c->at, &after, 10);
    if (after == c->at || (*after != '/' && *after != ' ' && *after != '\t' && *after != '\r' &&
                           *after != '\n' && after != c->end))
        return firn_mesh_cursor_damaged(c, "a face must list point numbers, as in `f 1 2 3`");
    int64_t absolute = i < 0 ? n_points + i : i - 1;
    if (absolute < 0 || absolute >= n_points)
        return firn_mesh_cursor_damaged(
            c, "the face names point %lld, and %lld points are before it", i, (long long)n_points);
    *index = (uint32_t)absolute;
    skip_token(c);
    return FIRN_OK;
}

static firn_status read_face(firn_mesh_cursor *c, int64_t n_points, firn_mesh *mesh, int64_t *t)
{
    uint32_t first = 0, last = 0;
    int corners = 0;
    int64_t t0 = *t;
    for (; next_token(c); corners++) {
        uint32_t index = 0;
        firn_status status = read_index(c, n_points, &index);
        if (status) return status;
        if (corners == 0) first = index;
        if (corners >= 2) {
            uint32_t *triangle = mesh->triangles + 3 * (*t)++;
            triangle[0] = first;
            triangle[1] = last;
            triangle[2] = index;
        }
        last = index;
    }
    return corners >= 3
               ? firn_mesh_polygon_cut(c, mesh, t0, *t - t0)
               : firn_mesh_cursor_damaged(c, "a face has %d points; allowed: 3 or more", corners);
}

firn_status firn_mesh_obj_read(firn_mesh_cursor *c, firn_mesh **mesh)
{
    int64_t n_points = 0, n_triangles = 0, p = 0, t = 0;
    firn_mesh_cursor_skip_mark(c);
    firn_status text = firn_mesh_cursor_is_text(c);
    if (text) return text;
    count(*c, &n_points, &n_triangles);
    if (n_points > UINT32_MAX || n_triangles > UINT32_MAX)
        return firn_mesh_cursor_refuse(c, "more than 2^32 points or triangles");
    *mesh = firn_mesh_create(n_points, n_triangles);
    if (!*mesh) return firn_messages_no_memory(c->messages, "%s", c->path);
    while (c->at < c->end) {
        firn_status status = FIRN_OK;
        firn_mesh_cursor_skip_blanks(c);
        if (firn_mesh_cursor_word(c, "v")) {
            double *xyz = (*mesh)->xyz + 3 * p++;
            for (int a = 0; a < 3 && !status; a++) {
                status = firn_mesh_cursor_number(c, "a coordinate", &xyz[a]);
                if (!status) status = firn_mesh_cursor_coordinate(c, -1, xyz[a]);
            }
        } else if (firn_mesh_cursor_word(c, "f"))
            status = read_face(c, p, *mesh, &t);
        if (status) return status;
        firn_mesh_cursor_skip_line(c);
    }
    return FIRN_OK;
}
