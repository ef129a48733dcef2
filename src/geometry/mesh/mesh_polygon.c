/* SPDX-License-Identifier: MIT */
/* mesh_polygon.c: polygons that are not convex, cut into triangles.
 *
 * Readers make a fan about each polygon's first corner, which is right for convex polygons.
 * Otherwise parts of the fan lie outside, as fins across notches. Such a fan is replaced here by as
 * many triangles inside, by cutting off ears: convex corners whose triangle contains no reflex
 * corner (G. H. Meisters, Polygons have ears, Amer. Math. Monthly 82, 1975). The polygon is
 * projected along the axis nearest to its normal. One that crosses itself has no ears at some
 * point; what is left of it remains a fan. */
#include "geometry/mesh/mesh_readers.h"
#include "base/memory.h"
#include "base/messages.h"

#include <math.h>

#define MAX_WORK 200000000 /* tests of corners in one polygon: about a second */

typedef struct polygon {
    int64_t n, n_left;
    uint32_t *corners;
    double (*x)[2]; /* projected, so that it runs counterclockwise */
    int64_t *next, *before;
    int64_t work;
    size_t n_bytes;
} polygon;

/* Twice the area of a triangle, above 0 where it runs counterclockwise */
static double area(const double a[2], const double b[2], const double c[2])
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* Corner k of a fan of n - 2 triangles */
static uint32_t corner_of(const uint32_t *fan, int64_t k)
{
    return k == 0 ? fan[0] : k == 1 ? fan[1] : fan[3 * (k - 2) + 2];
}

/* Twice the area vector of the polygon, the same for each of its fans */
static void face_vector(const firn_mesh *mesh, const uint32_t *fan, int64_t n, double vector[3])
{
    for (int a = 0; a < 3; a++) vector[a] = 0;
    for (int64_t t = 0; t < n - 2; t++) {
        const double *p[3];
        for (int c = 0; c < 3; c++) p[c] = mesh->xyz + 3 * (size_t)fan[3 * t + c];
        for (int a = 0; a < 3; a++) {
            int b = (a + 1) % 3, c = (a + 2) % 3;
            vector[a] += (p[1][b] - p[0][b]) * (p[2][c] - p[0][c]) -
                         (p[1][c] - p[0][c]) * (p[2][b] - p[0][b]);
        }
    }
}

/* 1 where each corner bends in the sense of the area vector, up to rounding. */
static int is_convex(const firn_mesh *mesh, const uint32_t *fan, int64_t n, const double vector[3])
{
    double least = -1e-9 * (vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2]);
    for (int64_t k = 0; k < n; k++) {
        const double *p = mesh->xyz + 3 * (size_t)corner_of(fan, k);
        const double *q = mesh->xyz + 3 * (size_t)corner_of(fan, (k + 1) % n);
        const double *r = mesh->xyz + 3 * (size_t)corner_of(fan, (k + 2) % n);
        double bend = 0;
        for (int a = 0; a < 3; a++) {
            int b = (a + 1) % 3, c = (a + 2) % 3;
            bend += vector[a] * ((q[b] - p[b]) * (r[c] - q[c]) - (q[c] - p[c]) * (r[b] - q[b]));
        }
        if (bend < least) return 0;
    }
    return 1;
}

static void release(polygon *p) { firn_memory_release(NULL, p->corners, p->n_bytes); }

/* One block of memory for all arrays; 0: out of memory */
static int lay_out(polygon *p, const firn_mesh *mesh, const uint32_t *fan, int64_t n,
                   const double vector[3])
{
    *p = (polygon){
        .n = n, .n_left = n, .n_bytes = (size_t)n * (2 * sizeof(double) + 2 * sizeof(int64_t) + 8)};
    char *memory = firn_memory_allocate(NULL, p->n_bytes);
    if (!memory) return 0;
    p->corners = (uint32_t *)memory;
    p->x = (double(*)[2])(memory + 8 * n);
    p->next = (int64_t *)(memory + 24 * n);
    p->before = p->next + n;
    int axis = 0;
    for (int a = 1; a < 3; a++)
        if (fabs(vector[a]) > fabs(vector[axis])) axis = a;
    for (int64_t k = 0; k < n; k++) {
        p->corners[k] = corner_of(fan, k);
        const double *x = mesh->xyz + 3 * (size_t)p->corners[k];
        p->x[k][0] = x[(axis + 1) % 3];
        p->x[k][1] = vector[axis] < 0 ? -x[(axis + 2) % 3] : x[(axis + 2) % 3];
        p->next[k] = (k + 1) % n;
        p->before[k] = (k + n - 1) % n;
    }
    return 1;
}

static int is_same(const double a[2], const double b[2]) { return a[0] == b[0] && a[1] == b[1]; }

/* 1 where corner k is an ear. Only reflex corners can lie in one. Those with the coordinates of its
 * own corners, as where a bridge to a hole runs to and fro, do not count. */
static int is_ear(polygon *p, int64_t k)
{
    const double *a = p->x[p->before[k]], *b = p->x[k], *c = p->x[p->next[k]];
    p->work++;
    if (!(area(a, b, c) > 0)) return 0;
    for (int64_t m = p->next[p->next[k]]; m != p->before[k]; m = p->next[m]) {
        const double *x = p->x[m];
        p->work++;
        if (area(a, b, x) < 0 || area(b, c, x) < 0 || area(c, a, x) < 0) continue;
        if (is_same(x, a) || is_same(x, b) || is_same(x, c)) continue;
        if (area(p->x[p->before[m]], x, p->x[p->next[m]]) <= 0) return 0;
    }
    return 1;
}

static void cut_off(polygon *p, int64_t k, uint32_t **triangle)
{
    uint32_t *t = *triangle;
    t[0] = p->corners[p->before[k]];
    t[1] = p->corners[k];
    t[2] = p->corners[p->next[k]];
    p->next[p->before[k]] = p->next[k];
    p->before[p->next[k]] = p->before[k];
    p->n_left--;
    *triangle += 3;
}

firn_status firn_mesh_polygon_cut(const firn_mesh_cursor *c, firn_mesh *mesh, int64_t first,
                                  int64_t n_triangles)
{
    uint32_t *fan = mesh->triangles + 3 * first;
    polygon p;
    double vector[3];
    if (n_triangles < 2) return FIRN_OK;
    for (int64_t k = 0; k < 3 * n_triangles; k++)
        if (fan[k] >= mesh->n_points) return FIRN_OK; /* refused once all is read */
    face_vector(mesh, fan, n_triangles + 2, vector);
    if (is_convex(mesh, fan, n_triangles + 2, vector)) return FIRN_OK;
    if (!lay_out(&p, mesh, fan, n_triangles + 2, vector))
        return firn_messages_no_memory(c->messages, "%s: a face", c->path);
    for (int64_t k = 0, n_failed = 0; p.n_left > 3 && n_failed < p.n_left && p.work < MAX_WORK;) {
        if (is_ear(&p, k)) {
            int64_t next = p.next[p.next[k]]; /* not the neighbour, which would make slivers */
            cut_off(&p, k, &fan);
            k = next;
            n_failed = 0;
        } else {
            k = p.next[k];
            n_failed++;
        }
    }
    firn_status status = p.work < MAX_WORK
                             ? FIRN_OK
                             : firn_mesh_cursor_refuse(c,
                                                       "a face of %lld corners takes too long "
                                                       "to cut into triangles; try: triangles",
                                                       (long long)p.n);
    int64_t at = 0;
    while (p.next[p.before[at]] != at) at++; /* a corner that is left */
    while (p.n_left > 2) cut_off(&p, p.next[at], &fan);
    release(&p);
    return status;
}
