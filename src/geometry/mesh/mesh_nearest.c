/* SPDX-License-Identifier: MIT */
/* mesh_nearest.c: a tree of boxes over triangles or points, split at the median along the longest
 * side, each leaf at most four of them. A query visits the nearer box first and skips boxes farther
 * than what it has. The nearest point of a triangle by its Voronoi regions (C. Ericson, Real-time
 * collision detection, 2005, section 5.1.5). */
#include "geometry/mesh/mesh_nearest.h"
#include "base/memory.h"
#include "base/messages.h"

#include <math.h>
#include <string.h>

enum { LEAF = 4, DEPTH = 64 };

typedef struct box_node {
    float low[3], high[3]; /* rounded outwards */
    int64_t first;         /* leaf: place in `order`; else of the second child, the first follows */
    int32_t n;             /* of a leaf; 0: inner node */
} box_node;

struct firn_mesh_nearest {
    const double *xyz;
    const uint32_t *triangles; /* NULL: points */
    int64_t n, n_nodes, capacity;
    uint32_t *order; /* [n] triangles or points */
    box_node *nodes;
};

static void corners_of(const firn_mesh_nearest *t, uint32_t item, uint32_t corners[3])
{
    for (int k = 0; k < 3; k++)
        corners[k] = t->triangles ? t->triangles[3 * (size_t)item + k] : item;
}

static double middle(const firn_mesh_nearest *t, uint32_t item, int axis)
{
    uint32_t c[3];
    corners_of(t, item, c);
    return t->xyz[3 * (size_t)c[0] + axis] + t->xyz[3 * (size_t)c[1] + axis] +
           t->xyz[3 * (size_t)c[2] + axis];
}

/* ---------------------------------------------------------------- building */

static int is_before(const firn_mesh_nearest *t, uint32_t a, uint32_t b, int axis)
{
    const double x = middle(t, a, axis), y = middle(t, b, axis);
    return x < y || (x == y && a < b);
}

/* Puts the k-th of order[first, end) in its place, what is before it to its left (Hoare 1961). */
static void select_kth(firn_mesh_nearest *t, int64_t first, int64_t end, int64_t k, int axis)
{
    uint32_t *o = t->order;
    for (int64_t low = first, high = end - 1; low < high;) {
        const uint32_t pivot = o[(low + high) / 2];
        int64_t i = low, j = high;
        while (i <= j) {
            while (is_before(t, o[i], pivot, axis)) i++;
            while (is_before(t, pivot, o[j], axis)) j--;
            if (i > j) break;
            const uint32_t swapped = o[i];
            o[i++] = o[j];
            o[j--] = swapped;
        }
        if (k <= j)
            high = j;
        else if (k >= i)
            low = i;
        else
            break;
    }
}

static void bound(const firn_mesh_nearest *t, int64_t first, int64_t end, box_node *node)
{
    for (int a = 0; a < 3; a++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t i = first; i < end; i++) {
            uint32_t c[3];
            corners_of(t, t->order[i], c);
            for (int k = 0; k < 3; k++) {
                low = fmin(low, t->xyz[3 * (size_t)c[k] + a]);
                high = fmax(high, t->xyz[3 * (size_t)c[k] + a]);
            }
        }
        node->low[a] = nextafterf((float)low, -INFINITY);
        node->high[a] = nextafterf((float)high, INFINITY);
    }
}

static void build(firn_mesh_nearest *t, int64_t first, int64_t end)
{
    const int64_t own = t->n_nodes++;
    box_node *node = &t->nodes[own];
    bound(t, first, end, node);
    if (end - first <= LEAF) {
        node->first = first;
        node->n = (int32_t)(end - first);
        return;
    }
    int axis = 0;
    for (int a = 1; a < 3; a++)
        if (node->high[a] - node->low[a] > node->high[axis] - node->low[axis]) axis = a;
    const int64_t half = first + (end - first) / 2;
    select_kth(t, first, end, half, axis);
    build(t, first, half);
    t->nodes[own].first = t->n_nodes;
    build(t, half, end);
}

firn_status firn_mesh_nearest_create(int64_t n_points, const double *xyz, int64_t n_triangles,
                                     const uint32_t *triangles, firn_mesh_nearest **tree,
                                     firn_messages *messages)
{
    firn_mesh_nearest *t = firn_memory_allocate(NULL, sizeof *t);
    *tree = t;
    if (!t) return firn_messages_no_memory(messages, "search tree");
    t->xyz = xyz;
    t->triangles = n_triangles ? triangles : NULL;
    t->n = n_triangles ? n_triangles : n_points;
    t->capacity = t->n + 1; /* leaves hold two or more, so nodes are fewer than items */
    t->order = firn_memory_array(NULL, (size_t)t->n + 1, sizeof *t->order);
    t->nodes = firn_memory_array(NULL, (size_t)t->capacity, sizeof *t->nodes);
    if (!t->order || !t->nodes) {
        firn_mesh_nearest_destroy(t);
        *tree = NULL;
        return firn_messages_no_memory(messages, "search tree of %lld items",
                                       (long long)(n_triangles ? n_triangles : n_points));
    }
    for (int64_t i = 0; i < t->n; i++) t->order[i] = (uint32_t)i;
    if (t->n) build(t, 0, t->n);
    return FIRN_OK;
}

void firn_mesh_nearest_destroy(firn_mesh_nearest *t)
{
    if (!t) return;
    firn_memory_release(NULL, t->order, ((size_t)t->n + 1) * sizeof *t->order);
    firn_memory_release(NULL, t->nodes, (size_t)t->capacity * sizeof *t->nodes);
    firn_memory_release(NULL, t, sizeof *t);
}

/* ---------------------------------------------------------------- searching */

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void set(double w[3], double a, double b, double c)
{
    w[0] = a;
    w[1] = b;
    w[2] = c;
}

/* Weights of the point of the triangle abc nearest to x. */
static void nearest_of(const double x[3], const double *a, const double *b, const double *c,
                       double w[3])
{
    double ab[3], ac[3], ax[3], bx[3], cx[3];
    for (int k = 0; k < 3; k++) {
        ab[k] = b[k] - a[k];
        ac[k] = c[k] - a[k];
        ax[k] = x[k] - a[k];
        bx[k] = x[k] - b[k];
        cx[k] = x[k] - c[k];
    }
    const double d1 = dot(ab, ax), d2 = dot(ac, ax), d3 = dot(ab, bx), d4 = dot(ac, bx),
                 d5 = dot(ab, cx), d6 = dot(ac, cx);
    const double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    if (d1 <= 0 && d2 <= 0) return set(w, 1, 0, 0);
    if (d3 >= 0 && d4 <= d3) return set(w, 0, 1, 0);
    if (d6 >= 0 && d5 <= d6) return set(w, 0, 0, 1);
    if (vc <= 0 && d1 >= 0 && d3 <= 0) return set(w, 1 - d1 / (d1 - d3), d1 / (d1 - d3), 0);
    if (vb <= 0 && d2 >= 0 && d6 <= 0) return set(w, 1 - d2 / (d2 - d6), 0, d2 / (d2 - d6));
    if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
        const double s = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return set(w, 0, 1 - s, s);
    }
    const double sum = va + vb + vc;
    if (!(sum > 0)) return set(w, 1, 0, 0); /* without area, by round-off */
    set(w, va / sum, vb / sum, vc / sum);
}

/* Square of the distance to a box. */
static double to_box(const box_node *node, const double x[3])
{
    double sum = 0;
    for (int a = 0; a < 3; a++) {
        const double d = fmax(fmax((double)node->low[a] - x[a], x[a] - (double)node->high[a]), 0);
        sum += d * d;
    }
    return sum;
}

typedef struct found {
    double square, weights[3];
    uint32_t corners[3];
} found;

static void look_at(const firn_mesh_nearest *t, uint32_t item, const double x[3], found *best)
{
    found own = {.weights = {1, 0, 0}};
    corners_of(t, item, own.corners);
    const double *p[3];
    for (int k = 0; k < 3; k++) p[k] = t->xyz + 3 * (size_t)own.corners[k];
    if (t->triangles) nearest_of(x, p[0], p[1], p[2], own.weights);
    for (int a = 0; a < 3; a++) {
        const double d =
            own.weights[0] * p[0][a] + own.weights[1] * p[1][a] + own.weights[2] * p[2][a] - x[a];
        own.square += d * d;
    }
    if (own.square < best->square) *best = own;
}

double firn_mesh_nearest_find(const firn_mesh_nearest *t, const double x[3], uint32_t corners[3],
                              double weights[3])
{
    found best = {.square = INFINITY};
    int64_t stack[DEPTH];
    int n = 0;
    if (t->n_nodes) stack[n++] = 0;
    while (n) {
        const int64_t at = stack[--n];
        const box_node *node = &t->nodes[at];
        if (!(to_box(node, x) < best.square)) continue;
        for (int32_t i = 0; i < node->n; i++) look_at(t, t->order[node->first + i], x, &best);
        if (node->n) continue;
        const int64_t children[2] = {at + 1, node->first};
        const int is_second = to_box(&t->nodes[children[1]], x) < to_box(&t->nodes[children[0]], x);
        stack[n++] = children[!is_second]; /* the farther one later */
        stack[n++] = children[is_second];
    }
    memcpy(corners, best.corners, sizeof best.corners);
    memcpy(weights, best.weights, sizeof best.weights);
    return sqrt(best.square);
}
