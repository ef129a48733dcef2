/* SPDX-License-Identifier: MIT */
/* mesh_shells.c: see mesh_shells.h.
 *
 * The shells that enclose a point are found by a ray upwards: for each shell, crossings count +1 or
 * -1 by the orientation of the face, and their sum is the winding number. Triangles are sorted into
 * the columns of a grid seen from above. On which side of an edge the ray passes is computed from
 * the lower to the higher index of its two points, so that exactly one of two neighbours is hit.
 *
 * Then solids are counted along the nest of shells: outside all it is 0, a shell with the
 * orientation of the outermost one adds 1, others subtract 1. There is a surface where the count
 * changes between 0 and 1. */
#include "geometry/mesh/mesh_shells.h"
#include "base/memory.h"
#include "base/messages.h"
#include "geometry/mesh/mesh_edges.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FLAT 1e-9 /* of the box's diagonal cubed: a shell of less volume has no orientation */
enum { MAX_ROUNDS = 16, NO_SHELL = -1 };

typedef struct shell {
    double min[3], max[3], diagonal, volume;
    int64_t first, n;     /* its points in `points` */
    int32_t sense;        /* orientation: +1 outwards, -1 inwards, 0: not consistent */
    int32_t solid;        /* the sense of solids at its place; 0: not known */
    int32_t level, least; /* see mesh_shells.h; a lower bound of it */
    int32_t is_undecided;
    int32_t is_open, outer; /* it has a rim; the shell without one that encloses it, or NO_SHELL */
} shell;

/* n_points of shell `inner` lie in `outer`. */
typedef struct nesting {
    int32_t inner, outer, winding;
    int64_t n_points;
} nesting;

typedef struct shells {
    const firn_mesh *mesh;
    int32_t n;
    uint32_t *parent;   /* [n_points] of a union-find forest */
    int32_t *shell_of;  /* [n_points] */
    uint32_t *points;   /* [n_points] those that faces use, shell by shell */
    shell *shells;      /* [n] */
    int32_t *order;     /* [n] by size, large ones first */
    uint8_t *is_double; /* [n_triangles] an earlier one has the same corners */
    /* columns */
    int64_t n_side; /* of the grid, in columns */
    double low[2], width[2];
    int64_t *start;    /* [n_side^2 + 1] in entries */
    uint32_t *entries; /* triangles, column by column */
    int64_t n_entries;
    /* of one ray */
    int32_t *winding, *n_hits;   /* [n] */
    int32_t *touched, n_touched; /* shells with hits */
    /* of all rays of a shell */
    int64_t *n_inside; /* [n] its points in each other shell */
    nesting *nestings;
    int64_t n_nestings, n_room;
} shells;

/* ---------------------------------------------------------------- pieces */

static uint32_t root_of(uint32_t *parent, uint32_t p)
{
    while (parent[p] != p) p = parent[p] = parent[parent[p]];
    return p;
}

static void join_points(shells *s)
{
    const firn_mesh *mesh = s->mesh;
    for (int64_t p = 0; p < mesh->n_points; p++) s->parent[p] = (uint32_t)p;
    for (int64_t i = 0; i < 3 * mesh->n_triangles; i += 3)
        for (int k = 1; k < 3; k++) {
            uint32_t a = root_of(s->parent, mesh->triangles[i]),
                     b = root_of(s->parent, mesh->triangles[i + k]);
            if (a != b) s->parent[a > b ? a : b] = a > b ? b : a;
        }
}

/* Points without faces belong to no shell. */
static void number_shells(shells *s)
{
    const firn_mesh *mesh = s->mesh;
    for (int64_t p = 0; p < mesh->n_points; p++) s->shell_of[p] = NO_SHELL;
    for (int64_t i = 0; i < 3 * mesh->n_triangles; i++) {
        uint32_t root = root_of(s->parent, mesh->triangles[i]);
        if (s->shell_of[root] == NO_SHELL) s->shell_of[root] = s->n++;
        s->shell_of[mesh->triangles[i]] = s->shell_of[root];
    }
}

static void measure(shells *s)
{
    const firn_mesh *mesh = s->mesh;
    for (int32_t k = 0; k < s->n; k++)
        for (int a = 0; a < 3; a++) {
            s->shells[k].min[a] = INFINITY;
            s->shells[k].max[a] = -INFINITY;
        }
    for (int64_t p = 0; p < mesh->n_points; p++) {
        if (s->shell_of[p] == NO_SHELL) continue;
        shell *h = &s->shells[s->shell_of[p]];
        h->n++;
        for (int a = 0; a < 3; a++) {
            h->min[a] = fmin(h->min[a], mesh->xyz[3 * p + a]);
            h->max[a] = fmax(h->max[a], mesh->xyz[3 * p + a]);
        }
    }
    int64_t at = 0;
    for (int32_t k = 0; k < s->n; k++) {
        shell *h = &s->shells[k];
        h->first = at;
        at += h->n;
        h->n = 0;
        h->diagonal = sqrt(pow(h->max[0] - h->min[0], 2) + pow(h->max[1] - h->min[1], 2) +
                           pow(h->max[2] - h->min[2], 2));
    }
    for (int64_t p = 0; p < mesh->n_points; p++) {
        if (s->shell_of[p] == NO_SHELL) continue;
        shell *h = &s->shells[s->shell_of[p]];
        s->points[h->first + h->n++] = (uint32_t)p;
    }
    for (int64_t t = 0; t < mesh->n_triangles; t++) { /* from a box corner, against cancellation */
        shell *h = &s->shells[s->shell_of[mesh->triangles[3 * t]]];
        double x[3][3];
        for (int c = 0; c < 3; c++)
            for (int a = 0; a < 3; a++)
                x[c][a] = mesh->xyz[3 * (size_t)mesh->triangles[3 * t + c] + a] - h->min[a];
        for (int a = 0; a < 3; a++) {
            int b = (a + 1) % 3, c = (a + 2) % 3;
            h->volume += x[0][a] * (x[1][b] * x[2][c] - x[1][c] * x[2][b]) / 6;
        }
    }
}

/* ---------------------------------------------------------------- orientation */

/* Orientation is consistent where the faces of each edge run through it as often in one direction as
 * in the other. Faces with the same corners count once, and are not consistent with both
 * orientations. */
static firn_status find_senses(shells *s)
{
    const firn_mesh *mesh = s->mesh;
    int64_t n;
    firn_mesh_edge *edges = firn_mesh_edges(mesh, &n);
    if (!edges) return FIRN_MEMORY;
    for (int32_t k = 0; k < s->n; k++) {
        shell *h = &s->shells[k];
        h->sense = fabs(h->volume) <= FLAT * pow(h->diagonal, 3) ? 0 : h->volume > 0 ? 1 : -1;
    }
    for (int64_t i = 0, end; i < n; i = end) {
        int32_t *sense = &s->shells[s->shell_of[edges[i].low]].sense, sum = 0;
        end = firn_mesh_edges_end(edges, n, i);
        for (int64_t j = i; j < end; j++) {
            if (j == i || edges[j].opposite != edges[j - 1].opposite) {
                sum += edges[j].from == edges[j].low ? 1 : -1;
                continue;
            }
            s->is_double[edges[j].triangle] = 1;
            if (edges[j].from != edges[j - 1].from) *sense = 0;
        }
        if (sum) *sense = 0;
    }
    firn_mesh_edges_release(edges, mesh->n_triangles);
    return FIRN_OK;
}

/* ---------------------------------------------------------------- columns */

/* The columns that a triangle's box covers, first and last in each direction */
static void cells_of(const shells *s, int64_t t, int64_t first[2], int64_t last[2])
{
    for (int a = 0; a < 2; a++) {
        double low = INFINITY, high = -INFINITY;
        for (int c = 0; c < 3; c++) {
            double x = s->mesh->xyz[3 * (size_t)s->mesh->triangles[3 * t + c] + a];
            low = fmin(low, x);
            high = fmax(high, x);
        }
        first[a] = (int64_t)fmin(fmax((low - s->low[a]) / s->width[a], 0), (double)(s->n_side - 1));
        last[a] = (int64_t)fmin(fmax((high - s->low[a]) / s->width[a], 0), (double)(s->n_side - 1));
    }
}

static void set_columns(shells *s, int64_t n_side, const double min[3], const double max[3])
{
    s->n_side = n_side;
    for (int a = 0; a < 2; a++) {
        s->low[a] = min[a];
        s->width[a] = fmax(max[a] - min[a], 1e-30) / (double)n_side;
    }
    s->n_entries = 0;
    for (int64_t t = 0; t < s->mesh->n_triangles; t++) {
        int64_t first[2], last[2];
        cells_of(s, t, first, last);
        s->n_entries += (last[0] - first[0] + 1) * (last[1] - first[1] + 1);
    }
}

/* As many columns as triangles, or fewer where large triangles would be in too many of them */
static firn_status sort_into_columns(shells *s)
{
    double min[3], max[3];
    firn_mesh_bounds(s->mesh, min, max);
    int64_t n_side = (int64_t)ceil(sqrt((double)s->mesh->n_triangles));
    do set_columns(s, n_side, min, max);
    while (s->n_entries > 16 * s->mesh->n_triangles && (n_side /= 2) > 0);
    int64_t n_columns = s->n_side * s->n_side;
    s->start = firn_memory_array(NULL, (size_t)n_columns + 1, sizeof *s->start);
    s->entries = firn_memory_array(NULL, (size_t)s->n_entries, sizeof *s->entries);
    if (!s->start || !s->entries) return FIRN_MEMORY;
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t t = 0; t < s->mesh->n_triangles; t++) {
            int64_t first[2], last[2];
            cells_of(s, t, first, last);
            for (int64_t i = first[0]; i <= last[0]; i++)
                for (int64_t j = first[1]; j <= last[1]; j++) {
                    int64_t *at = &s->start[i * s->n_side + j + (pass ? 0 : 1)];
                    if (pass) s->entries[*at] = (uint32_t)t;
                    ++*at;
                }
        }
        if (pass == 0)
            for (int64_t c = 0; c < n_columns; c++) s->start[c + 1] += s->start[c];
        else /* filling has moved each start to the next one */
            for (int64_t c = n_columns; c > 0; c--) s->start[c] = s->start[c - 1];
    }
    s->start[0] = 0;
    return FIRN_OK;
}

/* ---------------------------------------------------------------- rays */

/* On which side of the edge from point i to point j x lies, seen from above: +1 or -1, opposite for
 * the edge from j to i, also where x is on it */
static int side_of(const firn_mesh *mesh, uint32_t i, uint32_t j, const double x[3])
{
    int is_turned = i > j;
    const double *a = mesh->xyz + 3 * (size_t)(is_turned ? j : i),
                 *b = mesh->xyz + 3 * (size_t)(is_turned ? i : j);
    int is_left = (b[0] - a[0]) * (x[1] - a[1]) - (b[1] - a[1]) * (x[0] - a[0]) >= 0;
    return is_left != is_turned ? 1 : -1;
}

/* +1 or -1, by the orientation, where the ray from x upwards crosses the triangle; else 0 */
static int crossing(const firn_mesh *mesh, const uint32_t *t, const double x[3])
{
    int side = side_of(mesh, t[0], t[1], x);
    if (side_of(mesh, t[1], t[2], x) != side || side_of(mesh, t[2], t[0], x) != side) return 0;
    const double *p[3];
    double sum = 0, height = 0;
    for (int c = 0; c < 3; c++) p[c] = mesh->xyz + 3 * (size_t)t[c];
    for (int c = 0; c < 3; c++) {
        const double *a = p[(c + 1) % 3], *b = p[(c + 2) % 3];
        double share = (a[0] - x[0]) * (b[1] - x[1]) - (a[1] - x[1]) * (b[0] - x[0]);
        sum += share;
        height += share * (p[c][2] - x[2]);
    }
    return height / sum > 0 ? side : 0; /* of an upright triangle sum is 0, and NaN > 0 false */
}

/* Crossings of all other shells by the ray from a point of shell `own`. The ray starts slightly
 * beside the point, as edges often lie straight above points. */
static void cast(shells *s, int32_t own, uint32_t point)
{
    const double *p = s->mesh->xyz + 3 * (size_t)point, aside = 1e-7 * s->shells[own].diagonal;
    const double x[3] = {p[0] + 0.7310585 * aside, p[1] + 0.3819660 * aside, p[2]};
    int64_t cell[2];
    s->n_touched = 0;
    for (int a = 0; a < 2; a++)
        cell[a] = (int64_t)fmin(fmax((x[a] - s->low[a]) / s->width[a], 0), (double)(s->n_side - 1));
    int64_t column = cell[0] * s->n_side + cell[1];
    for (int64_t e = s->start[column]; e < s->start[column + 1]; e++) {
        const uint32_t *t = s->mesh->triangles + 3 * (size_t)s->entries[e];
        int32_t k = s->shell_of[t[0]];
        if (k == own || s->is_double[s->entries[e]] || s->shells[k].max[2] < x[2]) continue;
        int side = crossing(s->mesh, t, x);
        if (!side) continue;
        if (!s->n_hits[k]) s->touched[s->n_touched++] = k;
        s->n_hits[k]++;
        s->winding[k] += side;
    }
}

/* 1 where the start of the last ray is inside shell k: by winding number, or by the parity of
 * crossings where orientation is not consistent. */
static int is_inside(const shells *s, int32_t k)
{
    return s->shells[k].sense ? s->winding[k] != 0 : s->n_hits[k] % 2;
}

static void clear_ray(shells *s)
{
    for (int32_t i = 0; i < s->n_touched; i++)
        s->n_hits[s->touched[i]] = s->winding[s->touched[i]] = 0;
}

/* 1 where the first point of a shell is inside another one. Mostly none is, and nothing remains to
 * be done. */
static int has_nesting(shells *s)
{
    int has = 0;
    for (int32_t k = 0; k < s->n && !has; k++) {
        cast(s, k, s->points[s->shells[k].first]);
        for (int32_t i = 0; i < s->n_touched; i++) has |= is_inside(s, s->touched[i]);
        clear_ray(s);
    }
    return has;
}

static firn_status note(shells *s, nesting found)
{
    if (s->n_nestings == s->n_room) {
        int64_t room = s->n_room ? 2 * s->n_room : 64;
        nesting *grown = firn_memory_array(NULL, (size_t)room, sizeof *grown);
        if (!grown) return FIRN_MEMORY;
        if (s->n_nestings) memcpy(grown, s->nestings, (size_t)s->n_nestings * sizeof *grown);
        firn_memory_release(NULL, s->nestings, (size_t)s->n_room * sizeof *grown);
        s->nestings = grown;
        s->n_room = room;
    }
    s->nestings[s->n_nestings++] = found;
    return FIRN_OK;
}

/* All nestings, by rays from each point, sorted by the inner shell in the sequence of `order` */
static firn_status find_nestings(shells *s)
{
    for (int32_t o = 0; o < s->n; o++) {
        int32_t own = s->order[o];
        const shell *h = &s->shells[own];
        int64_t begin = s->n_nestings;
        for (int64_t p = h->first; p < h->first + h->n; p++) {
            cast(s, own, s->points[p]);
            for (int32_t i = 0; i < s->n_touched; i++) {
                int32_t k = s->touched[i], winding = s->winding[k] > 0   ? 1
                                                     : s->winding[k] < 0 ? -1
                                                                         : 0;
                if (!is_inside(s, k)) continue;
                if (!s->n_inside[k]++ && note(s, (nesting){own, k, winding, 0})) return FIRN_MEMORY;
            }
            clear_ray(s);
        }
        for (int64_t i = begin; i < s->n_nestings; i++) {
            nesting *found = &s->nestings[i];
            found->n_points = s->n_inside[found->outer];
            s->n_inside[found->outer] = 0;
        }
    }
    return FIRN_OK;
}

/* ---------------------------------------------------------------- solids and cavities */

static int is_whole(const shells *s, const nesting *n)
{
    return n->n_points == s->shells[n->inner].n;
}

/* The level of a shell from those of the shells around it; nestings first ... end - 1 are its own. */
static void decide(shells *s, shell *h, int64_t first, int64_t end)
{
    int32_t base = 0, n_solids = 0, n_about = 0, is_known = h->sense != 0;
    h->solid = h->sense;
    for (int64_t i = first; i < end; i++) {
        const shell *about = &s->shells[s->nestings[i].outer];
        if (!is_whole(s, &s->nestings[i])) continue;
        if (n_about++ == 0) h->solid = about->solid;
        if (about->level > base) base = about->level;
        if (!about->sense || about->solid != h->solid) is_known = 0;
        n_solids += s->nestings[i].winding;
    }
    h->level = base;
    h->is_undecided = 0;
    if (n_about > 0) {
        n_solids *= h->solid;
        int is_cavity = h->sense != h->solid, in_solid = n_solids > 0,
            is_solid = n_solids + (is_cavity ? -1 : 1) > 0;
        if (!h->solid || in_solid != (base % 2 == 0) || base >= FIRN_MESH_LEVELS - 2) is_known = 0;
        if (is_cavity && n_solids > 1)
            is_known = 0; /* a cavity of one of two solids that overlap there, or of both */
        if (is_known)
            h->level += in_solid != is_solid;
        else {
            h->is_undecided = 1;
            h->solid = 0;
        }
    }
    if (h->level < h->least && h->level % 2 == 0) h->level = h->least;
}

/* A solid that crosses the wall of a cavity must be added after the cavity is subtracted. */
static int raise_crossing(shells *s)
{
    int has_changed = 0;
    for (int64_t i = 0; i < s->n_nestings; i++) {
        shell *a = &s->shells[s->nestings[i].inner], *b = &s->shells[s->nestings[i].outer];
        if (is_whole(s, &s->nestings[i]) || a->level % 2 == b->level % 2) continue;
        shell *solid = a->level % 2 ? b : a, *cavity = a->level % 2 ? a : b;
        if (solid->level > cavity->level || cavity->level + 1 >= FIRN_MESH_LEVELS) continue;
        solid->least = cavity->level + 1;
        has_changed = 1;
    }
    return has_changed;
}

static void decide_all(shells *s)
{
    for (int round = 0; round < MAX_ROUNDS; round++) {
        int64_t at = 0;
        for (int32_t o = 0; o < s->n; o++) {
            int64_t first = at;
            while (at < s->n_nestings && s->nestings[at].inner == s->order[o]) at++;
            decide(s, &s->shells[s->order[o]], first, at);
        }
        if (!raise_crossing(s)) return;
    }
}

/* ---------------------------------------------------------------- all together */

static void warn(const shells *s, const char *name, firn_messages *messages)
{
    int64_t n = 0;
    const shell *largest = NULL;
    for (int32_t k = 0; k < s->n; k++) {
        const shell *h = &s->shells[k];
        if (!h->is_undecided) continue;
        n++;
        if (!largest || fabs(h->volume) > fabs(largest->volume)) largest = h;
    }
    if (!n || !name) return;
    firn_messages_warn(messages,
                       "%s: a closed shell of %.3g m^3 around (%.4g, %.4g, %.4g) lies inside "
                       "another one, and the orientation of their faces does not decide whether "
                       "it is a cavity; it is filled (%lld %s in all); try: for a cavity, normals "
                       "of both that point away from the material; for a solid, delete the inner "
                       "shell",
                       name, fabs(largest->volume), 0.5 * (largest->min[0] + largest->max[0]),
                       0.5 * (largest->min[1] + largest->max[1]),
                       0.5 * (largest->min[2] + largest->max[2]), (long long)n,
                       n == 1 ? "such shell" : "such shells");
}

typedef struct sized {
    double diagonal;
    int32_t shell;
} sized;

static int compare_sizes(const void *a, const void *b)
{
    const sized *x = a, *y = b;
    if (x->diagonal != y->diagonal) return x->diagonal > y->diagonal ? -1 : 1;
    return x->shell < y->shell ? -1 : 1;
}

static firn_status sort_by_size(shells *s)
{
    sized *list = firn_memory_array(NULL, (size_t)s->n, sizeof *list);
    if (!list) return FIRN_MEMORY;
    for (int32_t k = 0; k < s->n; k++) list[k] = (sized){s->shells[k].diagonal, k};
    qsort(list, (size_t)s->n, sizeof *list, compare_sizes);
    for (int32_t k = 0; k < s->n; k++) s->order[k] = list[k].shell;
    firn_memory_release(NULL, list, (size_t)s->n * sizeof *list);
    return FIRN_OK;
}

static firn_status prepare(shells *s)
{
    size_t n = (size_t)s->n;
    s->shells = firn_memory_array(NULL, n, sizeof *s->shells);
    s->points = firn_memory_array(NULL, (size_t)s->mesh->n_points, sizeof *s->points);
    s->is_double = firn_memory_array(NULL, (size_t)s->mesh->n_triangles, sizeof *s->is_double);
    s->order = firn_memory_array(NULL, n, sizeof *s->order);
    s->winding = firn_memory_array(NULL, n, sizeof *s->winding);
    s->n_hits = firn_memory_array(NULL, n, sizeof *s->n_hits);
    s->touched = firn_memory_array(NULL, n, sizeof *s->touched);
    s->n_inside = firn_memory_array(NULL, n, sizeof *s->n_inside);
    if (!s->shells || !s->points || !s->is_double || !s->order || !s->winding || !s->n_hits ||
        !s->touched || !s->n_inside)
        return FIRN_MEMORY;
    measure(s);
    firn_status status = sort_into_columns(s);
    if (!status) status = find_senses(s);
    return status ? status : sort_by_size(s);
}

static firn_status nest_shells(shells *s)
{
    firn_status status = prepare(s);
    if (status || !has_nesting(s)) return status;
    status = find_nestings(s);
    if (!status) decide_all(s);
    return status;
}

/* ---------------------------------------------------------------- sheets inside of shells */

/* 1 where the tetrahedron a, b, c, d has a volume above 0 */
static int side_of_plane(const double *a, const double *b, const double *c, const double *d)
{
    double u[3], v[3], w[3];
    for (int i = 0; i < 3; i++) {
        u[i] = b[i] - a[i];
        v[i] = c[i] - a[i];
        w[i] = d[i] - a[i];
    }
    return u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) +
               u[2] * (v[0] * w[1] - v[1] * w[0]) >
           0;
}

/* 1 where an edge of triangle t passes through triangle u. */
static int pierces(const firn_mesh *mesh, const uint32_t *t, const uint32_t *u)
{
    const double *p[3], *q[3];
    for (int c = 0; c < 3; c++) {
        p[c] = mesh->xyz + 3 * (size_t)t[c];
        q[c] = mesh->xyz + 3 * (size_t)u[c];
    }
    for (int c = 0; c < 3; c++) {
        const double *a = p[c], *b = p[(c + 1) % 3];
        if (side_of_plane(q[0], q[1], q[2], a) == side_of_plane(q[0], q[1], q[2], b)) continue;
        const int side = side_of_plane(a, b, q[0], q[1]);
        if (side_of_plane(a, b, q[1], q[2]) == side && side_of_plane(a, b, q[2], q[0]) == side)
            return 1;
    }
    return 0;
}

/* 1 where a face crosses shell `outer`: with all corners inside it may pass through a notch. */
static int crosses(const shells *s, int64_t t, int32_t outer)
{
    const uint32_t *own = s->mesh->triangles + 3 * t;
    int64_t first[2], last[2];
    cells_of(s, t, first, last);
    for (int64_t i = first[0]; i <= last[0]; i++)
        for (int64_t column = i * s->n_side + first[1]; column <= i * s->n_side + last[1]; column++)
            for (int64_t e = s->start[column]; e < s->start[column + 1]; e++) {
                const uint32_t *other = s->mesh->triangles + 3 * (size_t)s->entries[e];
                if (s->shell_of[other[0]] != outer) continue;
                if (pierces(s->mesh, own, other) || pierces(s->mesh, other, own)) return 1;
            }
    return 0;
}

static firn_status find_outer(shells *s, const uint8_t *is_rim)
{
    firn_status status = prepare(s);
    if (!status) status = find_nestings(s);
    if (status) return status;
    for (int32_t k = 0; k < s->n; k++) s->shells[k].outer = NO_SHELL;
    for (int64_t p = 0; p < s->mesh->n_points; p++)
        if (is_rim[p] && s->shell_of[p] != NO_SHELL) s->shells[s->shell_of[p]].is_open = 1;
    for (int64_t i = 0; i < s->n_nestings; i++) {
        shell *inner = &s->shells[s->nestings[i].inner];
        const int32_t outer = s->nestings[i].outer;
        if (!inner->is_open || s->shells[outer].is_open || !is_whole(s, &s->nestings[i])) continue;
        if (inner->outer == NO_SHELL ||
            s->shells[inner->outer].diagonal < s->shells[outer].diagonal)
            inner->outer = outer;
    }
    for (int64_t t = 0; t < s->mesh->n_triangles; t++) {
        shell *h = &s->shells[s->shell_of[s->mesh->triangles[3 * t]]];
        if (h->outer != NO_SHELL && crosses(s, t, h->outer)) h->outer = NO_SHELL;
    }
    return FIRN_OK;
}

static void release(shells *s)
{
    size_t n = (size_t)s->n, n_points = (size_t)s->mesh->n_points;
    firn_memory_release(NULL, s->parent, n_points * sizeof *s->parent);
    firn_memory_release(NULL, s->shell_of, n_points * sizeof *s->shell_of);
    firn_memory_release(NULL, s->points, n_points * sizeof *s->points);
    firn_memory_release(NULL, s->shells, n * sizeof *s->shells);
    firn_memory_release(NULL, s->is_double, (size_t)s->mesh->n_triangles * sizeof *s->is_double);
    firn_memory_release(NULL, s->order, n * sizeof *s->order);
    firn_memory_release(NULL, s->winding, n * sizeof *s->winding);
    firn_memory_release(NULL, s->n_hits, n * sizeof *s->n_hits);
    firn_memory_release(NULL, s->touched, n * sizeof *s->touched);
    firn_memory_release(NULL, s->n_inside, n * sizeof *s->n_inside);
    firn_memory_release(NULL, s->start,
                        ((size_t)s->n_side * (size_t)s->n_side + 1) * sizeof *s->start);
    firn_memory_release(NULL, s->entries, (size_t)s->n_entries * sizeof *s->entries);
    firn_memory_release(NULL, s->nestings, (size_t)s->n_room * sizeof *s->nestings);
}

static firn_status number_all(shells *s)
{
    s->parent = firn_memory_array(NULL, (size_t)s->mesh->n_points, sizeof *s->parent);
    s->shell_of = firn_memory_array(NULL, (size_t)s->mesh->n_points, sizeof *s->shell_of);
    if (!s->parent || !s->shell_of) return FIRN_MEMORY;
    join_points(s);
    number_shells(s);
    return FIRN_OK;
}

firn_status firn_mesh_shells(const firn_mesh *mesh, const char *name, uint8_t *levels,
                             int *n_levels, firn_messages *messages)
{
    shells s = {.mesh = mesh};
    memset(levels, 0, (size_t)mesh->n_triangles);
    *n_levels = 1;
    firn_status status = number_all(&s);
    if (!status && s.n > 1) status = nest_shells(&s);
    if (status) firn_messages_no_memory(messages, "search for cavities in a mesh");
    for (int64_t t = 0; t < mesh->n_triangles && !status && s.n > 1; t++) {
        int level = s.shells[s.shell_of[mesh->triangles[3 * t]]].level;
        levels[t] = (uint8_t)level;
        if (level >= *n_levels) *n_levels = level + 1;
    }
    if (!status && s.n > 1) warn(&s, name, messages);
    release(&s);
    return status;
}

firn_status firn_mesh_loose(const firn_mesh *mesh, uint8_t *is_loose, firn_messages *messages)
{
    shells s = {.mesh = mesh};
    firn_status status = number_all(&s);
    if (!status && s.n > 1) status = find_outer(&s, is_loose);
    if (status) firn_messages_no_memory(messages, "search for sheets inside a mesh");
    for (int64_t p = 0; p < mesh->n_points && !status; p++)
        is_loose[p] =
            s.n > 1 && s.shell_of[p] != NO_SHELL && s.shells[s.shell_of[p]].outer != NO_SHELL;
    release(&s);
    return status;
}
