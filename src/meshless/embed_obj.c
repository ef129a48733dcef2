/* SPDX-License-Identifier: MIT */
/* embed_obj.c: an .obj file whose points move (embed.h). Lines are kept as they are, but for
 *
 *     v         written first, at their new places; colours behind the place are kept
 *     vn        written anew: one for each pair of point and normal that a face names, n' = F^-T n;
 *               where a face names none, the mean of its points' faces by area
 *     f         with the same points and texture coordinates, without those that are torn
 *
 * so texture coordinates, groups, smoothing and materials stay. Negative numbers of faces count back
 * from the last point, as the format says. */
#include "base/file.h"
#include "base/memory.h"
#include "meshless/embed.h"
#include "meshless/small3.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct corner {
    int64_t point, texture, normal; /* from 0; -1: none */
} corner;

typedef struct line {
    const char *text; /* as it stands, not ended; NULL: a face */
    int n;            /* bytes, or corners */
    int64_t first;    /* corner */
} line;

struct firn_embed_mesh {
    char *text;
    size_t n_bytes;
    int64_t n_points, n_normals, n_textures, n_lines, n_corners;
    struct {
        size_t points, normals, lines, corners;
    } room;
    double *x;          /* [n_points][3] */
    const char **after; /* [n_points] what follows the place */
    int *n_after;
    double *normal; /* [n_normals][3] */
    line *lines;
    corner *corners;
};

/* ---------------------------------------------------------------- reading */

static const char *line_end(const char *at, const char *end)
{
    while (at < end && *at != '\n') at++;
    return at;
}

static int is_word(const char *at, const char *end, const char *word)
{
    const size_t n = strlen(word);
    return (size_t)(end - at) > n && memcmp(at, word, n) == 0 && isblank((unsigned char)at[n]);
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (isblank((unsigned char)*at) || *at == '\r')) at++;
    return at;
}

static firn_status damaged(const char *path, int64_t number, const char *what,
                           firn_messages *messages)
{
    return firn_messages_add(messages, FIRN_REFUSED, "%s:%lld: %s", path, (long long)number, what);
}

/* Three numbers; *rest: what follows them. */
static int read_numbers(const char *at, const char *end, double x[3], const char **rest)
{
    for (int a = 0; a < 3; a++) {
        char *after;
        at = skip_blanks(at, end);
        x[a] = strtod(at, &after);
        if (after == at || after > end || !isfinite(x[a])) return 0;
        at = after;
    }
    *rest = at;
    return 1;
}

/* One number of a corner: -1 where there is none, -2 where it is wrong. */
static int64_t read_index(const char **at, const char *end, int64_t n)
{
    char *after;
    if (*at >= end || *at[0] == '/' || isspace((unsigned char)**at)) return -1;
    const long long i = strtoll(*at, &after, 10);
    if (after == *at || after > end) return -2;
    *at = after;
    const int64_t absolute = i < 0 ? n + i : i - 1;
    return i == 0 || absolute < 0 || absolute >= n ? -2 : absolute;
}

static int read_corner(const firn_embed_mesh *m, const char **at, const char *end, corner *c)
{
    *c = (corner){read_index(at, end, m->n_points), -1, -1};
    if (*at < end && **at == '/') {
        ++*at;
        c->texture = read_index(at, end, m->n_textures);
    }
    if (*at < end && **at == '/') {
        ++*at;
        c->normal = read_index(at, end, m->n_normals);
    }
    return c->point >= 0 && c->texture > -2 && c->normal > -2 &&
           (*at >= end || isspace((unsigned char)**at));
}

/* Counts what the arrays must hold. */
static void count(firn_embed_mesh *m)
{
    const char *end = m->text + m->n_bytes;
    for (const char *at = m->text, *next; at < end; at = next + 1) {
        next = line_end(at, end);
        m->n_points += is_word(at, next, "v");
        m->n_normals += is_word(at, next, "vn");
        m->n_textures += is_word(at, next, "vt");
        m->n_lines++;
        if (!is_word(at, next, "f")) continue;
        for (const char *p = skip_blanks(at + 1, next); p < next; p = skip_blanks(p, next)) {
            m->n_corners++;
            while (p < next && !isspace((unsigned char)*p)) p++;
        }
    }
}

static int read_face(firn_embed_mesh *m, const char *at, const char *end, line *l)
{
    l->first = m->n_corners;
    for (at = skip_blanks(at, end); at < end; at = skip_blanks(at, end)) {
        if (!read_corner(m, &at, end, &m->corners[m->n_corners])) return 0;
        m->n_corners++;
        l->n++;
    }
    return l->n >= 3;
}

/* Second pass, over counts that are known and reused as places. */
static firn_status fill(firn_embed_mesh *m, const char *path, firn_messages *messages)
{
    const char *end = m->text + m->n_bytes, *rest;
    const int64_t n_points = m->n_points, n_normals = m->n_normals, n_textures = m->n_textures;
    int64_t number = 0;
    m->n_points = m->n_normals = m->n_textures = m->n_lines = m->n_corners = 0;
    for (const char *at = m->text, *next; at < end; at = next + 1) {
        line l = {0};
        next = line_end(at, end);
        number++;
        if (is_word(at, next, "v")) {
            if (!read_numbers(at + 1, next, m->x + 3 * m->n_points, &rest))
                return damaged(path, number, "a point needs three numbers", messages);
            m->after[m->n_points] = rest;
            m->n_after[m->n_points++] = (int)(next - rest);
            continue;
        }
        if (is_word(at, next, "vn")) {
            if (!read_numbers(at + 2, next, m->normal + 3 * m->n_normals++, &rest))
                return damaged(path, number, "a normal needs three numbers", messages);
            continue;
        }
        m->n_textures += is_word(at, next, "vt");
        if (is_word(at, next, "f")) {
            if (!read_face(m, at + 1, next, &l))
                return damaged(path, number,
                               "a face needs three or more corners i, i/t, i//n or i/t/n of points "
                               "before it",
                               messages);
        } else {
            l.text = at;
            l.n = (int)(next - at);
        }
        m->lines[m->n_lines++] = l;
    }
    if (m->n_points != n_points || m->n_normals != n_normals || m->n_textures != n_textures)
        return damaged(path, number, "ends too early", messages);
    return FIRN_OK;
}

static firn_status allocate(firn_embed_mesh *m, firn_messages *messages)
{
    const size_t p = (size_t)m->n_points + 1;
    m->room.points = p;
    m->room.normals = (size_t)m->n_normals + 1;
    m->room.lines = (size_t)m->n_lines + 1;
    m->room.corners = (size_t)m->n_corners + 1;
    m->x = firn_memory_array(NULL, p, 3 * sizeof *m->x);
    m->after = firn_memory_array(NULL, p, sizeof *m->after);
    m->n_after = firn_memory_array(NULL, p, sizeof *m->n_after);
    m->normal = firn_memory_array(NULL, m->room.normals, 3 * sizeof *m->normal);
    m->lines = firn_memory_array(NULL, m->room.lines, sizeof *m->lines);
    m->corners = firn_memory_array(NULL, m->room.corners, sizeof *m->corners);
    return m->x && m->after && m->n_after && m->normal && m->lines && m->corners
               ? FIRN_OK
               : firn_messages_no_memory(messages, "a surface of %lld points",
                                         (long long)m->n_points);
}

firn_status firn_embed_mesh_read(const char *path, firn_embed_mesh **out, firn_messages *messages)
{
    firn_embed_mesh *m = firn_memory_array(NULL, 1, sizeof *m);
    *out = NULL;
    if (!m) return firn_messages_no_memory(messages, "a surface");
    m->text = firn_file_text(path, (size_t)1 << 30, &m->n_bytes, messages);
    firn_status status = m->text ? FIRN_OK : firn_file_failure(messages);
    if (status == FIRN_OK) {
        count(m);
        status = m->n_points ? allocate(m, messages)
                             : damaged(path, 1, "no points (lines `v x y z`)", messages);
    }
    if (status == FIRN_OK) status = fill(m, path, messages);
    if (status != FIRN_OK) {
        firn_embed_mesh_destroy(m);
        return status;
    }
    *out = m;
    return FIRN_OK;
}

void firn_embed_mesh_destroy(firn_embed_mesh *m)
{
    if (!m) return;
    firn_memory_release(NULL, m->text, m->n_bytes + 1);
    firn_memory_release(NULL, m->x, m->room.points * 3 * sizeof *m->x);
    firn_memory_release(NULL, m->after, m->room.points * sizeof *m->after);
    firn_memory_release(NULL, m->n_after, m->room.points * sizeof *m->n_after);
    firn_memory_release(NULL, m->normal, m->room.normals * 3 * sizeof *m->normal);
    firn_memory_release(NULL, m->lines, m->room.lines * sizeof *m->lines);
    firn_memory_release(NULL, m->corners, m->room.corners * sizeof *m->corners);
    firn_memory_release(NULL, m, sizeof *m);
}

int64_t firn_embed_mesh_points(const firn_embed_mesh *m, const double **x)
{
    *x = m->x;
    return m->n_points;
}

/* ---------------------------------------------------------------- writing */

/* Mean normals of points by the areas of their faces, not normalised. */
static void mean_normals(const firn_embed_mesh *m, const double *x, double *mean)
{
    for (int64_t k = 0; k < m->n_lines; k++) {
        const line *l = &m->lines[k];
        for (int i = 1; !l->text && i + 1 < l->n; i++) {
            const corner *c = m->corners + l->first;
            double e[2][3], n[3];
            for (int a = 0; a < 3; a++) {
                e[0][a] = x[3 * c[i].point + a] - x[3 * c[0].point + a];
                e[1][a] = x[3 * c[i + 1].point + a] - x[3 * c[0].point + a];
            }
            small3_cross(e[0], e[1], n);
            const int64_t of[3] = {c[0].point, c[i].point, c[i + 1].point};
            for (int v = 0; v < 3; v++)
                for (int a = 0; a < 3; a++) mean[3 * of[v] + a] += n[a];
        }
    }
}

static void write_normal(firn_file_writer *file, const double n[3])
{
    const double size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]), s = size > 0 ? 1 / size : 0;
    firn_file_print(file, "vn %.6g %.6g %.6g\n", s * n[0], s * n[1], s * n[2]);
}

/* Writes the normal of each corner of a face, then the face; *n_normals counts. */
static void write_face(const firn_embed_mesh *m, const firn_embed *embed, const double *F,
                       const double *mean, const line *l, int64_t *n_normals,
                       firn_file_writer *file)
{
    const corner *c = m->corners + l->first;
    for (int i = 0; i < l->n; i++) {
        const int64_t a = c[i].point, b = c[(i + 1) % l->n].point, edge[2] = {a, b};
        if (firn_embed_is_torn(embed, 2, edge)) return;
    }
    for (int i = 0; i < l->n; i++) {
        double turned[9], n[3];
        if (c[i].normal < 0) {
            write_normal(file, mean + 3 * c[i].point);
            continue;
        }
        small3_cofactors(F + 9 * c[i].point, turned);
        small3_apply(turned, m->normal + 3 * c[i].normal, n);
        write_normal(file, n);
    }
    firn_file_print(file, "f");
    for (int i = 0; i < l->n; i++) {
        const long long normal = (long long)++*n_normals;
        if (c[i].texture >= 0)
            firn_file_print(file, " %lld/%lld/%lld", (long long)c[i].point + 1,
                            (long long)c[i].texture + 1, normal);
        else
            firn_file_print(file, " %lld//%lld", (long long)c[i].point + 1, normal);
    }
    firn_file_print(file, "\n");
}

firn_status firn_embed_mesh_write(const firn_embed_mesh *m, const firn_embed *embed,
                                  const double *x, const double *F, const char *path,
                                  firn_messages *messages)
{
    double *mean = firn_memory_array(NULL, (size_t)m->n_points, 3 * sizeof *mean);
    if (!mean) return firn_messages_no_memory(messages, "normals of a surface");
    firn_file_writer *file = firn_file_create(path, 0, messages);
    if (!file) {
        firn_memory_release(NULL, mean, (size_t)m->n_points * 3 * sizeof *mean);
        return firn_file_failure(messages);
    }
    int64_t n_normals = 0;
    mean_normals(m, x, mean);
    for (int64_t p = 0; p < m->n_points; p++) {
        firn_file_print(file, "v %.9g %.9g %.9g", x[3 * p], x[3 * p + 1], x[3 * p + 2]);
        firn_file_write(file, m->after[p], (size_t)m->n_after[p]);
        firn_file_print(file, "\n");
    }
    for (int64_t k = 0; k < m->n_lines; k++) {
        const line *l = &m->lines[k];
        if (l->text) {
            firn_file_write(file, l->text, (size_t)l->n);
            firn_file_print(file, "\n");
        } else {
            write_face(m, embed, F, mean, l, &n_normals, file);
        }
    }
    firn_memory_release(NULL, mean, (size_t)m->n_points * 3 * sizeof *mean);
    return firn_file_commit(file, NULL, messages);
}
