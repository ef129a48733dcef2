/* SPDX-License-Identifier: MIT */
/* neighbours.c: neighbours by spatial blocks. Points are put into cubes as large as the largest
 * reach and ordered by the cube's number (x fastest); those near a point are in 27 cubes, which are
 * nine runs of the order:
 *
 *     number = (z n_y + y) n_x + x          run of (y, z): x - 1 to x + 1
 *
 * Each run is found by bisection, once for all points of a cube. Cost: n log n for the order, and
 * the pairs. */
#include "meshless/neighbours.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct placed {
    int64_t cube;
    int32_t index;
} placed;

typedef struct cubes {
    double low[3], edge;
    int64_t size[3];
    placed *order; /* [n] by cube, then by index */
    int32_t n;
} cubes;

static int compare_placed(const void *a, const void *b)
{
    const placed *p = a, *q = b;
    if (p->cube != q->cube) return p->cube < q->cube ? -1 : 1;
    return (p->index > q->index) - (p->index < q->index);
}

static int compare_index(const void *a, const void *b)
{
    const int32_t p = *(const int32_t *)a, q = *(const int32_t *)b;
    return (p > q) - (p < q);
}

/* Short rows by insertion, which needs no calls. */
static void sort_row(int32_t *row, int64_t n)
{
    if (n > 96) {
        qsort(row, (size_t)n, sizeof *row, compare_index);
        return;
    }
    for (int64_t i = 1; i < n; i++) {
        const int32_t value = row[i];
        int64_t k = i;
        for (; k > 0 && row[k - 1] > value; k--) row[k] = row[k - 1];
        row[k] = value;
    }
}

static double reach_of(const firn_neighbour_search *s, int32_t i, int32_t j)
{
    return 0.5 * (s->radius[i] + s->radius[j]) * s->factor + s->skin;
}

/* Bounds and edge of the cubes; 0: a position is not finite. The edge grows until the cubes can be
 * numbered. */
static int lay_out(const firn_neighbour_search *s, cubes *c)
{
    double high[3], most = 0;
    for (int a = 0; a < 3; a++) {
        c->low[a] = INFINITY;
        high[a] = -INFINITY;
    }
    for (int32_t i = 0; i < s->n; i++) {
        most = fmax(most, s->radius[i]);
        for (int a = 0; a < 3; a++) {
            if (!isfinite(s->x[3 * i + a])) return 0;
            c->low[a] = fmin(c->low[a], s->x[3 * i + a]);
            high[a] = fmax(high[a], s->x[3 * i + a]);
        }
    }
    c->edge = most * s->factor + s->skin;
    if (!(c->edge > 0)) c->edge = 1;
    for (;; c->edge *= 2) {
        double all = 1;
        for (int a = 0; a < 3; a++) {
            const double n = s->n ? floor((high[a] - c->low[a]) / c->edge) + 1 : 1;
            all *= n + 2;
            c->size[a] = n < 1e18 ? (int64_t)n : 0;
        }
        if (all < 4e18) return 1;
    }
}

static void cube_of(const cubes *c, const double x[3], int64_t at[3])
{
    for (int a = 0; a < 3; a++) {
        const int64_t k = (int64_t)((x[a] - c->low[a]) / c->edge);
        at[a] = k < 0 ? 0 : k >= c->size[a] ? c->size[a] - 1 : k;
    }
}

static int64_t number_of(const cubes *c, int64_t x, int64_t y, int64_t z)
{
    return (z * c->size[1] + y) * c->size[0] + x;
}

/* The first place in the order whose cube is not below `cube`. */
static int32_t find(const cubes *c, int64_t cube)
{
    int32_t low = 0, high = c->n;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (c->order[middle].cube < cube)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

typedef struct runs {
    int32_t n, first[9], end[9];
} runs;

static runs runs_around(const cubes *c, const int64_t at[3])
{
    runs r = {0};
    const int64_t low = at[0] > 0 ? at[0] - 1 : 0,
                  high = at[0] + 1 < c->size[0] ? at[0] + 1 : at[0];
    for (int64_t z = at[2] - 1; z <= at[2] + 1; z++)
        for (int64_t y = at[1] - 1; y <= at[1] + 1; y++) {
            if (z < 0 || y < 0 || z >= c->size[2] || y >= c->size[1]) continue;
            r.first[r.n] = find(c, number_of(c, low, y, z));
            r.end[r.n] = find(c, number_of(c, high, y, z) + 1);
            r.n += r.end[r.n] > r.first[r.n];
        }
    return r;
}

/* The neighbours of point i among the runs, into row (NULL: only counted). */
static int64_t row_of(const firn_neighbour_search *s, const cubes *c, const runs *r, int32_t i,
                      int32_t *row)
{
    int64_t n = 0;
    for (int k = 0; k < r->n; k++)
        for (int32_t p = r->first[k]; p < r->end[k]; p++) {
            const int32_t j = c->order[p].index;
            if (j == i || (s->group && s->group[j] != s->group[i])) continue;
            const double d[3] = {s->x[3 * j] - s->x[3 * i], s->x[3 * j + 1] - s->x[3 * i + 1],
                                 s->x[3 * j + 2] - s->x[3 * i + 2]};
            const double reach = reach_of(s, i, j);
            if (!(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < reach * reach)) continue;
            if (row) row[n] = j;
            n++;
        }
    if (row) sort_row(row, n);
    return n;
}

/* All points in the order of their cubes: counts (fill 0) or rows (fill 1). */
static void visit(const firn_neighbour_search *s, const cubes *c, firn_neighbours *list, int fill)
{
#pragma omp parallel num_threads(s->n_threads)
    {
        int64_t present = -1;
        runs r = {0};
#pragma omp for schedule(dynamic, 512)
        for (int32_t k = 0; k < s->n; k++) {
            const int32_t i = c->order[k].index;
            if (c->order[k].cube != present) {
                int64_t at[3];
                cube_of(c, s->x + 3 * i, at);
                r = runs_around(c, at);
                present = c->order[k].cube;
            }
            if (fill)
                row_of(s, c, &r, i, list->other + list->first[i]);
            else
                list->first[i + 1] = row_of(s, c, &r, i, NULL);
        }
    }
}

firn_status firn_neighbours_reserve(firn_neighbours *list, int32_t n, int64_t n_pairs,
                                    firn_memory *memory)
{
    if ((int64_t)n + 1 > list->point_capacity) {
        firn_memory_release(memory, list->first,
                            (size_t)list->point_capacity * sizeof *list->first);
        list->point_capacity = 0;
        list->first = firn_memory_array(memory, (size_t)n + 1, sizeof *list->first);
        if (!list->first) return FIRN_MEMORY;
        list->point_capacity = (int64_t)n + 1;
    }
    if (n_pairs > list->pair_capacity) {
        firn_memory_release(memory, list->other, (size_t)list->pair_capacity * sizeof *list->other);
        list->pair_capacity = 0;
        const int64_t wanted = n_pairs + n_pairs / 16;
        list->other = firn_memory_array(memory, (size_t)wanted, sizeof *list->other);
        if (!list->other) return FIRN_MEMORY;
        list->pair_capacity = wanted;
    }
    list->n = n;
    return FIRN_OK;
}

firn_status firn_neighbours_find(firn_neighbours *list, const firn_neighbour_search *s,
                                 firn_memory *memory)
{
    cubes c = {.n = s->n};
    if (!lay_out(s, &c)) return FIRN_STOPPED;
    firn_status status = firn_neighbours_reserve(list, s->n, 0, memory);
    c.order = firn_memory_array(memory, (size_t)s->n + 1, sizeof *c.order);
    if (!c.order || status != FIRN_OK) {
        firn_memory_release(memory, c.order, ((size_t)s->n + 1) * sizeof *c.order);
        return FIRN_MEMORY;
    }
    for (int32_t i = 0; i < s->n; i++) {
        int64_t at[3];
        cube_of(&c, s->x + 3 * i, at);
        c.order[i] = (placed){number_of(&c, at[0], at[1], at[2]), i};
    }
    qsort(c.order, (size_t)s->n, sizeof *c.order, compare_placed);
    visit(s, &c, list, 0);
    list->first[0] = 0;
    for (int32_t i = 0; i < s->n; i++) list->first[i + 1] += list->first[i];
    status = firn_neighbours_reserve(list, s->n, list->first[s->n], memory);
    if (status == FIRN_OK) visit(s, &c, list, 1);
    firn_memory_release(memory, c.order, ((size_t)s->n + 1) * sizeof *c.order);
    return status;
}

void firn_neighbours_clear(firn_neighbours *list, firn_memory *memory)
{
    firn_memory_release(memory, list->first, (size_t)list->point_capacity * sizeof *list->first);
    firn_memory_release(memory, list->other, (size_t)list->pair_capacity * sizeof *list->other);
    memset(list, 0, sizeof *list);
}

int firn_neighbours_has(const firn_neighbours *list, int32_t i, int32_t j)
{
    int64_t low = list->first[i], high = list->first[i + 1];
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (list->other[middle] == j) return 1;
        if (list->other[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}
