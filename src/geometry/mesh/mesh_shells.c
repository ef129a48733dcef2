/* SPDX-License-Identifier: MIT */
/* mesh_shells.c: see mesh_shells.h.
 *
 * What encloses a point is found by a ray upwards: of each shell, crossings from below count +1
 * or -1 by the way the face looks, and the sum is the winding number. Triangles wait in columns
 * of a grid seen from above. On which side of an edge the ray passes is always computed from the
 * lower to the higher of its two points, so that neighbours cannot both have it or both miss it.
 *
 * Then solids are counted along the nest of shells: outside all is 0, a shell that looks as the
 * outermost one does adds one, the others take one away. Where the count changes between 0 and 1
 * there is a surface. */
#include "geometry/mesh/mesh_shells.h"
#include "base/memory.h"
#include "geometry/mesh/mesh_edges.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FLAT 1e-9 /* of the box's diagonal cubed: a shell without a volume has no side */
enum { MAX_ROUNDS = 16, NO_SHELL = -1 };

typedef struct shell {
    double min[3], max[3], diagonal, volume;
    int64_t first, n; /* its points in `points` */
    int32_t sense;    /* +1: faces look outwards, -1: inwards; 0: they do not agree */
    int32_t solid;    /* the sense of solids where this one lies; 0: not known */
    int32_t level, least;
    int32_t is_undecided;
    int32_t is_open, outer; /* has it a rim? which shell without one holds it? */
} shell;

/* Shell `inner` lies in `outer` with so many of its points */
typedef struct nesting {
    int32_t inner, outer, winding;
    int64_t n_points;
} nesting;

typedef struct shells {
    const firn_mesh *mesh;
    int32_t n;
    uint32_t *parent;  /* [n_points] of the forest of joined points */
    int32_t *shell_of; /* [n_points] */
    uint32_t *points;  /* [n_points] those that faces use, shell by shell */
    shell *shells;
    int32_t *order;     /* by size, large ones first */
    uint8_t *is_double; /* [n_triangles] does an earlier one have the same corners? */
    /* columns */
    int64_t n_side; /* of the grid */
    double low[2], width[2];
    int64_t *start; /* [n_side^2 + 1] */
    uint32_t *entries;
    int64_t n_entries;
    /* of one ray, for each shell */
    int32_t *winding, *n_hits;
    int32_t *touched, n_touched;
    /* of all rays of a shell */
    int64_t *n_inside;
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

/* Points that no face uses belong to no shell. */
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
    for (int64_t t = 0; t < mesh->n_triangles;
         t++) { /* from a corner of the box, against cancellation */
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

/* ---------------------------------------------------------------- which way they look */

/* Faces agree where every edge is run through as often one way as the other. Faces with the same
 * corners count once, and do not agree where they look both ways. */
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

/* The cells of the grid that a triangle's box covers, first and last in each direction */
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

/* As many columns as triangles, or fewer where large triangles would stand in too many of them */
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
        else /* filling moved every start to the next one */
            for (int64_t c = n_columns; c > 0; c--) s->start[c] = s->start[c - 1];
    }
    s->start[0] = 0;
    return FIRN_OK;
}

/* ---------------------------------------------------------------- rays */

/* On which side of the edge from point i to point j, seen from above: always the same for both
 * of its faces */
static int side_of(const firn_mesh *mesh, uint32_t i, uint32_t j, const double x[3])
{
    int is_turned = i > j;
    const double *a = mesh->xyz + 3 * (size_t)(is_turned ? j : i),
                 *b = mesh->xyz + 3 * (size_t)(is_turned ? i : j);
    int is_left = (b[0] - a[0]) * (x[1] - a[1]) - (b[1] - a[1]) * (x[0] - a[0]) >= 0;
    return is_left != is_turned ? 1 : -1;
}

/* +1 or -1 where the ray from x upwards crosses the triangle, by the way it looks; 0 where it
 * does not */
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
    return height / sum > 0 ? side : 0; /* false where it stands upright */
}

/* Crossings of each other shell by the ray from a point of shell `own`. The ray stands a trifle
 * beside the point, where no edge runs straight above it. */
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
        int is_passed_over = k == own || s->is_double[s->entries[e]] || s->shells[k].max[2] < x[2];
        int way = is_passed_over ? 0 : crossing(s->mesh, t, x);
        if (!way) continue;
        if (!s->n_hits[k]) s->touched[s->n_touched++] = k;
        s->n_hits[k]++;
        s->winding[k] += way;
    }
}

/* Is what the last ray started from inside of shell k? Where its faces do not agree, crossings
 * are counted. */
static int is_inside(const shells *s, int32_t k)
{
    return s->shells[k].sense ? s->winding[k] != 0 : s->n_hits[k] % 2;
}

static void clear_ray(shells *s)
{
    for (int32_t i = 0; i < s->n_touched; i++)
        s->n_hits[s->touched[i]] = s->winding[s->touched[i]] = 0;
}

/* Has any shell its first point inside of another one? Mostly none has, and all is said. */
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

/* What lies in what, by rays from every point: sorted by the inner one as in `order` */
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

/* The level of a shell from those of the shells about it: nestings first ... end - 1 are its own.
 */
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
            is_known = 0; /* of one of two solids that overlap there, or of both? */
        if (is_known)
            h->level += in_solid != is_solid;
        else {
            h->is_undecided = 1;
            h->solid = 0;
        }
    }
    if (h->level < h->least && h->level % 2 == 0) h->level = h->least;
}

/* A solid that crosses the wall of a cavity is added after the cavity was taken away. */
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
                       "another one, and their faces "
                       "do not say whether it is a cavity; it was filled (%lld %s in all). For a "
                       "cavity, let the faces "
                       "of both look away from the material; for a solid, delete the inner shell.",
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

/* Six times the volume of a tetrahedron, by its sign */
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

/* Does an edge of triangle t run through triangle u? */
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

/* With all corners inside, a face may still lead through a notch of the shell about it. */
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
    if (status)
        firn_messages_add(messages, status, "There is no memory to look for cavities in a mesh.");
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
    if (status)
        firn_messages_add(messages, status, "There is no memory to look for sheets inside a mesh.");
    for (int64_t p = 0; p < mesh->n_points && !status; p++)
        is_loose[p] =
            s.n > 1 && s.shell_of[p] != NO_SHELL && s.shells[s.shell_of[p]].outer != NO_SHELL;
    release(&s);
    return status;
}
