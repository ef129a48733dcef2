/* SPDX-License-Identifier: MIT */
/* octree.c: fills a shape with the leaves of an octree.
 *
 * The smallest cubes, of edge h, are those of the regular lattice (sampling.c): centred in the
 * bounding box, and kept where their centre is inside. A larger cube of edge e stays whole where its
 * centre is at least 2 e deep; it is then wholly inside, as 2 > sqrt(3)/2. Leaves that share a part
 * of a face differ by one level at most: the parent of a leaf e/4, of edge e/2, was split, so its
 * centre is less than e deep, and the centre of a leaf e is 2 e deep; distances are 1-Lipschitz, so
 * the centres are more than e apart, but those of cubes e and e/2 that share a part of a face are
 * sqrt(.75^2 + .25^2 + .25^2) e = .83 e apart.
 *
 * The volume of a leaf is that of its particle, so the sum is that of the regular lattice. Roots are
 * filled one by one and put together in their order: the same points for any number of threads. */
#include "geometry/octree.h"
#include "base/memory.h"
#include "base/messages.h"

#include <math.h>
#include <string.h>

#define MOST_ROOTS 1.0e9
enum { MOST_LEVELS = 20 };

typedef struct octree {
    const firn_shape *shape;
    double least, root; /* m, edges of the smallest cubes and of the roots */
    double corner[3];   /* of the first root */
    int64_t n_roots[3];
} octree;

/* Leaves in a cube; out NULL: counts only. */
static int64_t walk(const octree *t, const double corner[3], double edge, double *out)
{
    double x[3];
    for (int a = 0; a < 3; a++) x[a] = corner[a] + 0.5 * edge;
    const double distance = firn_shape_distance(t->shape, x, 0);
    if (distance > 0.5 * sqrt(3) * edge) return 0;
    const int is_least = edge < 1.5 * t->least;
    /* points nearer to the surface than rounding are left out on all sides alike */
    if (is_least ? distance < -1e-9 * t->least : distance <= -2 * edge) {
        if (out) {
            memcpy(out, x, sizeof x);
            out[3] = edge;
        }
        return 1;
    }
    if (is_least) return 0;
    int64_t n = 0;
    for (int k = 0; k < 8; k++) {
        const double half = 0.5 * edge,
                     child[3] = {corner[0] + (k >> 2 & 1) * half, corner[1] + (k >> 1 & 1) * half,
                                 corner[2] + (k & 1) * half};
        n += walk(t, child, half, out ? out + 4 * n : NULL);
    }
    return n;
}

static int64_t walk_root(const octree *t, int64_t root, double *out)
{
    const int64_t at[3] = {root / t->n_roots[2] / t->n_roots[1],
                           root / t->n_roots[2] % t->n_roots[1], root % t->n_roots[2]};
    double corner[3];
    for (int a = 0; a < 3; a++) corner[a] = t->corner[a] + (double)at[a] * t->root;
    return walk(t, corner, t->root, out);
}

static firn_status fill(const octree *t, int64_t n_roots, double **leaves, int64_t *n,
                        firn_messages *messages)
{
    int64_t *start = firn_memory_array(NULL, (size_t)n_roots, sizeof *start), total = 0;
    if (!start) return firn_messages_no_memory(messages, "sampling of a shape");
#pragma omp parallel for schedule(dynamic, 16)
    for (int64_t r = 0; r < n_roots; r++) start[r] = walk_root(t, r, NULL);
    for (int64_t r = 0; r < n_roots; r++) {
        const int64_t count = start[r];
        start[r] = total;
        total += count;
    }
    firn_status status = FIRN_OK;
    double *all = total ? firn_memory_array(NULL, (size_t)total, 4 * sizeof *all) : NULL;
    if (total == 0)
        status =
            firn_messages_add(messages, FIRN_REFUSED,
                              "no point falls into the shape: it is empty, or thinner than the "
                              "spacing (%g m); try: a larger shape, a smaller dx, or more "
                              "particles_per_cell",
                              t->least);
    else if (!all)
        status = firn_messages_no_memory(messages, "%lld points", (long long)total);
    else {
#pragma omp parallel for schedule(dynamic, 16)
        for (int64_t r = 0; r < n_roots; r++) walk_root(t, r, all + 4 * start[r]);
        *leaves = all;
        *n = total;
    }
    firn_memory_release(NULL, start, (size_t)n_roots * sizeof *start);
    return status;
}

firn_status firn_octree_sample(const firn_shape *shape, double least, double most, double **leaves,
                               int64_t *n, firn_messages *messages)
{
    octree t = {.shape = shape, .least = least, .root = least};
    double min[3], max[3], n_roots = 1;
    *leaves = NULL;
    *n = 0;
    if (!(least > 0) || !isfinite(least))
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "spacing of points is %g m; allowed: greater than 0", least);
    if (!firn_shape_bounds(shape, min, max))
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "an unbounded shape (plane, half_space) cannot be filled with "
                                 "points; try: join it with a bounded one by csg: intersection");
    int64_t per_root = 1;
    for (int level = 0; level < MOST_LEVELS && 2 * t.root <= most * (1 + 1e-9); level++) {
        t.root *= 2;
        per_root *= 2;
    }
    for (int a = 0; a < 3; a++) {
        const double size = max[a] - min[a], cells = fmax(1, ceil(size / least - 1e-6)),
                     roots = ceil(cells / (double)per_root),
                     spare = floor((roots * (double)per_root - cells) / 2);
        t.corner[a] = 0.5 * (min[a] + max[a]) - (0.5 * cells + spare) * least;
        n_roots *= roots;
        t.n_roots[a] = roots < MOST_ROOTS ? (int64_t)roots : 0;
    }
    if (!(n_roots < MOST_ROOTS))
        return firn_messages_add(
            messages, FIRN_REFUSED,
            "a spacing of %g m needs %.3g octrees; allowed: at most %.0g; try: "
            "a larger dx, or fewer particles_per_cell",
            least, n_roots, MOST_ROOTS);
    return fill(&t, (int64_t)n_roots, leaves, n, messages);
}
