/* SPDX-License-Identifier: MIT */
/* mesh_close.c: see mesh_close.h.
 *
 * Faces with the same three corners count as one, whatever their orientation: the second one of a
 * pair closes nothing. An edge of one face is open. One of three, five, ... is not: walls inside a
 * body and flaps on it end at such edges.
 *
 * Holes are loops of odd edges. Count faces modulo two: the boundary of a boundary vanishes, so
 * each point has an even number of edges with an odd number of faces, and a walk along unused ones
 * always returns to its start. Walks start at open edges and prefer them; they use others only to
 * return, around flaps. A fan about the middle of each such loop leaves no open edge; what remains
 * are rims of walls.
 *
 * A winding number instead of all this was tried and not kept (README.md). */
#include "geometry/mesh/mesh_close.h"
#include "base/memory.h"
#include "base/messages.h"
#include "base/random.h"
#include "geometry/mesh/mesh_edges.h"
#include "geometry/mesh/mesh_shells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST_HOLE 0.1 /* of the mesh's diagonal */
#define ROUNDING 1e-6    /* of it: smaller holes are rounding, without a warning */
/* Of it: loops that are no wider, however long, are edges that were meant to be one, as where a
 * point of one face lies on the edge of another. The fan stays between the points of the loop, so
 * the surface moves by no more than the width. For comparison: a voxel that is not given is a 150th
 * of the mesh's box or not much finer. */
#define WIDEST_SLIT 1e-3

static firn_status no_memory(firn_messages *messages)
{
    return firn_messages_no_memory(messages, "check of a mesh");
}

/* ---------------------------------------------------------------- welding */

static uint64_t hash_point(const double x[3])
{
    uint64_t h = 0;
    for (int a = 0; a < 3; a++) {
        double positive_zero = x[a] + 0.0;
        uint64_t bits;
        memcpy(&bits, &positive_zero, sizeof bits);
        h = firn_random_mix(h ^ bits);
    }
    return h;
}

/* same[i]: the first point with the coordinates of point i */
static void find_same(const firn_mesh *mesh, uint32_t *slots, uint64_t n_slots, uint32_t *same)
{
    for (int64_t i = 0; i < mesh->n_points; i++) {
        const double *x = mesh->xyz + 3 * i;
        uint64_t s = hash_point(x) & (n_slots - 1);
        for (; slots[s]; s = (s + 1) & (n_slots - 1)) {
            const double *y = mesh->xyz + 3 * (size_t)(slots[s] - 1);
            if (x[0] == y[0] && x[1] == y[1] && x[2] == y[2]) break;
        }
        if (!slots[s]) slots[s] = (uint32_t)i + 1;
        same[i] = slots[s] - 1;
    }
}

/* Triangles with merged corners, without those that lost one; returns how many are left. */
static int64_t join(const firn_mesh *mesh, const uint32_t *same, uint32_t *triangles)
{
    int64_t kept = 0;
    for (int64_t t = 0; t < mesh->n_triangles; t++) {
        const uint32_t *from = mesh->triangles + 3 * t;
        uint32_t c[3] = {same[from[0]], same[from[1]], same[from[2]]};
        if (c[0] == c[1] || c[1] == c[2] || c[2] == c[0]) continue;
        if (triangles) memcpy(triangles + 3 * kept, c, sizeof c);
        kept++;
    }
    return kept;
}

static firn_status replace_triangles(firn_mesh *mesh, const uint32_t *same, const char *path,
                                     firn_messages *messages)
{
    int64_t kept = join(mesh, same, NULL);
    if (kept == 0)
        return firn_messages_add(messages, FIRN_REFUSED, "%s: no face has three different corners",
                                 path);
    uint32_t *triangles = firn_memory_array(NULL, (size_t)kept, 3 * sizeof *triangles);
    if (!triangles) return no_memory(messages);
    join(mesh, same, triangles);
    firn_memory_release(NULL, mesh->triangles, (size_t)mesh->n_triangles * 3 * sizeof *triangles);
    mesh->triangles = triangles;
    mesh->n_triangles = kept;
    return FIRN_OK;
}

firn_status firn_mesh_weld(firn_mesh *mesh, const char *path, firn_messages *messages)
{
    uint64_t n_slots = 16;
    while (n_slots < 2 * (uint64_t)mesh->n_points) n_slots *= 2;
    uint32_t *slots = firn_memory_array(NULL, n_slots, sizeof *slots);
    uint32_t *same = firn_memory_array(NULL, (size_t)mesh->n_points, sizeof *same);
    firn_status status = slots && same ? FIRN_OK : no_memory(messages);
    if (!status) {
        find_same(mesh, slots, n_slots, same);
        status = replace_triangles(mesh, same, path, messages);
    }
    firn_memory_release(NULL, slots, n_slots * sizeof *slots);
    firn_memory_release(NULL, same, (size_t)mesh->n_points * sizeof *same);
    return status;
}

/* ---------------------------------------------------------------- open edges */

/* Edges with an odd number of different faces, open ones first, at the front of an array that is
 * released by firn_mesh_edges_release */
static firn_mesh_edge *odd_edges(const firn_mesh *mesh, int64_t *n_odd, int64_t *n_open)
{
    int64_t n, odd = 0, open = 0;
    firn_mesh_edge *edges = firn_mesh_edges(mesh, &n);
    if (!edges) return NULL;
    for (int64_t i = 0, end; i < n; i = end) {
        int64_t n_faces = 1;
        end = firn_mesh_edges_end(edges, n, i);
        for (int64_t j = i + 1; j < end; j++) n_faces += edges[j].opposite != edges[j - 1].opposite;
        if (n_faces % 2 == 0) continue;
        firn_mesh_edge found = edges[i]; /* odd <= i: its place has been read */
        edges[odd++] = found;
        if (n_faces > 1) continue;
        edges[odd - 1] = edges[open];
        edges[open++] = found;
    }
    *n_odd = odd;
    *n_open = open;
    return edges;
}

int firn_mesh_is_open(const firn_mesh *mesh)
{
    int64_t n_odd, n_open;
    firn_mesh_edge *edges = odd_edges(mesh, &n_odd, &n_open);
    if (!edges) return -1;
    firn_mesh_edges_release(edges, mesh->n_triangles);
    return n_open > 0;
}

/* ---------------------------------------------------------------- loops */

/* Both ends of each odd edge, sorted by point, so that the edges of a point are found by bisection */
typedef struct end {
    uint32_t point, edge;
} end;

static int compare_ends(const void *a, const void *b)
{
    const end *x = a, *y = b;
    if (x->point != y->point) return x->point < y->point ? -1 : 1;
    return x->edge != y->edge ? (x->edge < y->edge ? -1 : 1) : 0;
}

typedef struct loops {
    firn_mesh_edge *edges;
    int64_t n, n_open; /* odd ones, open ones first; after the walk those of loops alone */
    end *ends;
    uint32_t *loop_of; /* [edge] 1 ...; 0: not used yet */
    int64_t n_loops;
} loops;

/* An unused edge at a point, open ones first, as they have lower numbers; -1: none */
static int64_t unused_edge_at(const loops *l, uint32_t point)
{
    int64_t low = 0, high = 2 * l->n;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (l->ends[middle].point < point)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < 2 * l->n && l->ends[low].point == point; low++)
        if (!l->loop_of[l->ends[low].edge]) return l->ends[low].edge;
    return -1;
}

/* Each open edge gets a loop; edges without one are removed at the end. */
static void walk(loops *l)
{
    for (int64_t first = 0; first < l->n_open; first++) {
        if (l->loop_of[first]) continue;
        l->n_loops++;
        uint32_t start = l->edges[first].low, point = start;
        int64_t at = first;
        do {
            l->loop_of[at] = (uint32_t)l->n_loops;
            point = l->edges[at].low == point ? l->edges[at].high : l->edges[at].low;
            at = point == start ? -1 : unused_edge_at(l, point);
        } while (at >= 0);
    }
    int64_t n_walked = 0;
    for (int64_t e = 0; e < l->n; e++) {
        if (!l->loop_of[e]) continue;
        l->edges[n_walked] = l->edges[e];
        l->loop_of[n_walked++] = l->loop_of[e];
    }
    l->n = n_walked;
}

typedef struct hole {
    double min[3], max[3], sum[3];
    int64_t n, n_open;       /* edges */
    double ends[2][3], size; /* m: diagonal of its box, of slits their width */
    int is_loose;            /* the rim of a sheet inside the mesh, which is removed */
} hole;

/* Distance of x from the hole's middle (from 0), from its first end (1), from the line through both
 * ends (2), m */
static double distance_from(const hole *h, int from, const double x[3])
{
    double d[3], line[3], along = 0, length2 = 0, sum2 = 0;
    for (int a = 0; a < 3; a++) {
        d[a] = x[a] - (from ? h->ends[0][a] : h->sum[a] / (double)h->n);
        line[a] = from == 2 ? h->ends[1][a] - h->ends[0][a] : 0;
        along += d[a] * line[a];
        length2 += line[a] * line[a];
    }
    for (int a = 0; a < 3; a++)
        sum2 += pow(d[a] - (length2 > 0 ? along / length2 * line[a] : 0), 2);
    return sqrt(sum2);
}

/* Sets sizes. The ends of a loop are the corner farthest from its middle and the one farthest from
 * that; its width is twice the greatest distance from the line through both. Only loops wider than
 * `widest` are measured by their box. */
static void measure_slits(const firn_mesh *mesh, const loops *l, double widest, hole *holes)
{
    for (int from = 0; from < 3; from++) {
        for (int64_t i = 0; i < l->n_loops; i++) holes[i].size = 0;
        for (int64_t k = 0; k < 2 * l->n; k++) {
            hole *h = &holes[l->loop_of[k / 2] - 1];
            const double *x =
                mesh->xyz + 3 * (size_t)(k % 2 ? l->edges[k / 2].high : l->edges[k / 2].low);
            const double d = distance_from(h, from, x);
            if (from < 2 && d >= h->size) memcpy(h->ends[from], x, sizeof h->ends[from]);
            h->size = fmax(h->size, d);
        }
    }
    for (int64_t i = 0; i < l->n_loops; i++) {
        hole *h = &holes[i];
        h->size *= 2;
        if (h->size <= widest) continue;
        h->size = sqrt(pow(h->max[0] - h->min[0], 2) + pow(h->max[1] - h->min[1], 2) +
                       pow(h->max[2] - h->min[2], 2));
    }
}

static void measure(const firn_mesh *mesh, const loops *l, double widest_slit, hole *holes)
{
    for (int64_t i = 0; i < l->n_loops; i++)
        holes[i] = (hole){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int64_t e = 0; e < l->n; e++) {
        hole *h = &holes[l->loop_of[e] - 1];
        const double *x = mesh->xyz + 3 * (size_t)l->edges[e].low,
                     *y = mesh->xyz + 3 * (size_t)l->edges[e].high;
        for (int a = 0; a < 3; a++) {
            h->min[a] = fmin(h->min[a], fmin(x[a], y[a]));
            h->max[a] = fmax(h->max[a], fmax(x[a], y[a]));
            h->sum[a] += 0.5 * (x[a] + y[a]);
        }
        h->n++;
        h->n_open += e < l->n_open;
    }
    measure_slits(mesh, l, widest_slit, holes);
}

/* The mesh with a fan about the middle of each loop, whose attributes are the means of its rim */
static firn_mesh *fill(const firn_mesh *mesh, const loops *l, const hole *holes)
{
    firn_mesh *filled = firn_mesh_create(mesh->n_points + l->n_loops, mesh->n_triangles + l->n);
    if (!filled) return NULL;
    memcpy(filled->xyz, mesh->xyz, (size_t)mesh->n_points * 24);
    memcpy(filled->triangles, mesh->triangles, (size_t)mesh->n_triangles * 12);
    for (int64_t i = 0; i < l->n_loops; i++)
        for (int a = 0; a < 3; a++)
            filled->xyz[3 * (mesh->n_points + i) + a] = holes[i].sum[a] / (double)holes[i].n;
    for (int64_t e = 0; e < l->n; e++) { /* oriented as the face on the other side of the edge */
        uint32_t *t = filled->triangles + 3 * (mesh->n_triangles + e), from = l->edges[e].from;
        t[0] = from == l->edges[e].low ? l->edges[e].high : l->edges[e].low;
        t[1] = from;
        t[2] = (uint32_t)(mesh->n_points + l->loop_of[e] - 1);
    }
    for (int k = 0; k < mesh->n_attributes; k++) {
        const firn_mesh_attribute *from = &mesh->attributes[k];
        firn_mesh_attribute *to = firn_mesh_add(filled, from->name, from->n_components);
        if (!to) {
            firn_mesh_destroy(filled);
            return NULL;
        }
        size_t n = (size_t)from->n_components;
        memcpy(to->data, from->data, (size_t)mesh->n_points * n * sizeof *to->data);
        for (int64_t e = 0; e < l->n; e++) {
            size_t middle = (size_t)(mesh->n_points + l->loop_of[e] - 1);
            double share = 0.5 / (double)holes[l->loop_of[e] - 1].n;
            for (size_t c = 0; c < n; c++)
                to->data[middle * n + c] += (float)(share * (from->data[l->edges[e].low * n + c] +
                                                             from->data[l->edges[e].high * n + c]));
        }
    }
    return filled;
}

static double diagonal_of(const firn_mesh *mesh)
{
    double min[3], max[3];
    firn_mesh_bounds(mesh, min, max);
    return sqrt(pow(max[0] - min[0], 2) + pow(max[1] - min[1], 2) + pow(max[2] - min[2], 2));
}

/* The largest of the *n loose holes, or of the *n others; NULL: none. x: its middle */
static const hole *largest_of(const loops *l, const hole *holes, int is_loose, int64_t *n,
                              double x[3])
{
    const hole *largest = NULL;
    *n = 0;
    for (int64_t i = 0; i < l->n_loops; i++) {
        if (holes[i].is_loose != is_loose) continue;
        ++*n;
        if (!largest || holes[i].size > largest->size) largest = &holes[i];
    }
    for (int a = 0; a < 3 && largest; a++) x[a] = largest->sum[a] / (double)largest->n;
    return largest;
}

/* Warns of what was changed; refuses a hole that is too large. */
static firn_status report(const loops *l, const hole *holes, double diagonal, const char *name,
                          firn_messages *messages)
{
    double x[3];
    int64_t n;
    const hole *largest = largest_of(l, holes, 1, &n, x);
    if (largest)
        firn_messages_warn(messages,
                           "%s: an open sheet %.3g m across around (%.4g, %.4g, %.4g) lies inside "
                           "a closed shell, where it changes nothing; it is removed (%lld %s in "
                           "all)",
                           name, largest->size, x[0], x[1], x[2], (long long)n,
                           n == 1 ? "rim" : "rims");
    largest = largest_of(l, holes, 0, &n, x);
    if (!largest) return FIRN_OK;
    const double size = largest->size;
    if (size > LARGEST_HOLE * diagonal)
        return firn_messages_add(
            messages, FIRN_REFUSED,
            "%s: the mesh is open: %lld edges have one face only, around a hole %.3g m across at "
            "(%.4g, %.4g, %.4g), the largest of %lld; allowed: holes up to a tenth of the mesh "
            "(%.3g m); try: close it in the modelling program, or give it a thickness, which makes "
            "it a two-sided wall",
            name, (long long)largest->n_open, size, x[0], x[1], x[2], (long long)n,
            LARGEST_HOLE * diagonal);
    if (size > ROUNDING * diagonal)
        firn_messages_warn(messages,
                           "%s: the mesh is open; %lld %s closed, the largest %.3g m across around "
                           "(%.4g, %.4g, %.4g)",
                           name, (long long)n, n == 1 ? "hole is" : "holes are", size, x[0], x[1],
                           x[2]);
    return FIRN_OK;
}

/* Removes the triangles of these points. */
static firn_status drop_triangles(firn_mesh *mesh, const uint8_t *is_loose, firn_messages *messages)
{
    int64_t kept = 0, at = 0;
    for (int64_t t = 0; t < mesh->n_triangles; t++) kept += !is_loose[mesh->triangles[3 * t]];
    uint32_t *triangles = firn_memory_array(NULL, (size_t)kept, 3 * sizeof *triangles);
    if (!triangles) return no_memory(messages);
    for (int64_t t = 0; t < mesh->n_triangles; t++)
        if (!is_loose[mesh->triangles[3 * t]])
            memcpy(triangles + 3 * at++, mesh->triangles + 3 * t, 3 * sizeof *triangles);
    firn_memory_release(NULL, mesh->triangles, (size_t)mesh->n_triangles * 3 * sizeof *triangles);
    mesh->triangles = triangles;
    mesh->n_triangles = kept;
    return FIRN_OK;
}

/* Removes open sheets inside closed shells from the filled mesh, and marks their holes. */
static firn_status drop_sheets(firn_mesh *filled, const loops *l, hole *holes, double largest,
                               firn_messages *messages)
{
    int64_t n_large = 0;
    for (int64_t i = 0; i < l->n_loops; i++) n_large += holes[i].size > largest;
    if (n_large == 0) return FIRN_OK;
    uint8_t *is_loose = firn_memory_array(NULL, (size_t)filled->n_points, sizeof *is_loose);
    if (!is_loose) return no_memory(messages);
    for (int64_t e = 0; e < l->n; e++)
        if (holes[l->loop_of[e] - 1].size > largest) is_loose[l->edges[e].low] = 1;
    firn_status status = firn_mesh_loose(filled, is_loose, messages);
    for (int64_t e = 0; e < l->n && !status; e++)
        holes[l->loop_of[e] - 1].is_loose = is_loose[l->edges[e].low];
    if (!status) status = drop_triangles(filled, is_loose, messages);
    firn_memory_release(NULL, is_loose, (size_t)filled->n_points * sizeof *is_loose);
    return status;
}

static firn_status close_loops(firn_mesh *mesh, loops *l, const char *name, firn_messages *messages)
{
    for (int64_t e = 0; e < l->n; e++) {
        l->ends[2 * e] = (end){l->edges[e].low, (uint32_t)e};
        l->ends[2 * e + 1] = (end){l->edges[e].high, (uint32_t)e};
    }
    qsort(l->ends, 2 * (size_t)l->n, sizeof *l->ends, compare_ends);
    walk(l);
    size_t n_bytes = (size_t)l->n_loops * sizeof(hole);
    hole *holes = firn_memory_allocate(NULL, n_bytes);
    if (!holes) return no_memory(messages);
    const double diagonal = diagonal_of(mesh);
    measure(mesh, l, WIDEST_SLIT * diagonal, holes);
    firn_mesh *filled = fill(mesh, l, holes);
    firn_status status = filled ? drop_sheets(filled, l, holes, LARGEST_HOLE * diagonal, messages)
                                : no_memory(messages);
    if (!status) status = report(l, holes, diagonal, name, messages);
    if (!status) {
        firn_mesh old = *mesh; /* contents are exchanged: the caller's pointer stays valid */
        *mesh = *filled;
        *filled = old;
    }
    firn_mesh_destroy(filled);
    firn_memory_release(NULL, holes, n_bytes);
    return status;
}

/* vdb_mesh.cpp finds the shells once more, without messages. */
static firn_status warn_of_shells(const firn_mesh *mesh, const char *name, firn_messages *messages)
{
    int n_levels;
    uint8_t *levels = firn_memory_array(NULL, (size_t)mesh->n_triangles, sizeof *levels);
    if (!levels) return no_memory(messages);
    firn_status status = firn_mesh_shells(mesh, name, levels, &n_levels, messages);
    firn_memory_release(NULL, levels, (size_t)mesh->n_triangles * sizeof *levels);
    return status;
}

firn_status firn_mesh_close(firn_mesh *mesh, const char *name, firn_messages *messages)
{
    const int64_t n_triangles = mesh->n_triangles; /* before filling */
    loops l = {0};
    l.edges = odd_edges(mesh, &l.n, &l.n_open);
    if (!l.edges) return no_memory(messages);
    firn_status status = FIRN_OK;
    size_t n_odd = (size_t)l.n;
    if (l.n_open > 0) {
        l.ends = firn_memory_array(NULL, 2 * n_odd, sizeof *l.ends);
        l.loop_of = firn_memory_array(NULL, n_odd, sizeof *l.loop_of);
        status = l.ends && l.loop_of ? close_loops(mesh, &l, name, messages) : no_memory(messages);
    }
    firn_memory_release(NULL, l.loop_of, n_odd * sizeof *l.loop_of);
    firn_memory_release(NULL, l.ends, 2 * n_odd * sizeof *l.ends);
    firn_mesh_edges_release(l.edges, n_triangles);
    return !status && messages ? warn_of_shells(mesh, name, messages) : status;
}
