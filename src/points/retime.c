/* SPDX-License-Identifier: MIT */
/* retime.c: see retime.h. With u = (t - t_a) / h and h = t_b - t_a
 *
 *     x = (1 + 2u)(1 - u)^2 x_a + u^2 (3 - 2u) x_b + h u (1 - u)^2 v_a - h u^2 (1 - u) v_b
 *
 * and its derivative by t, times `speed`, is the velocity. */
#include "points/retime.h"

#include "base/memory.h"
#include "base/messages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where a particle is in both caches; -1: it is not. */
typedef struct pair {
    int32_t id;
    int64_t a, b;
} pair;

typedef struct blend {
    const firn_points *a, *b;
    double h, u, speed;
    int64_t n;
    pair *pairs; /* those that are part of the result, in the order of the nearer cache */
    size_t n_room;
} blend;

/* ---------------------------------------------------------------- matching */

static int by_id(const void *a, const void *b)
{
    const pair *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static int by_place_in_a(const void *a, const void *b)
{
    const pair *x = a, *y = b;
    return (x->a > y->a) - (x->a < y->a);
}

static int by_place_in_b(const void *a, const void *b)
{
    const pair *x = a, *y = b;
    return (x->b > y->b) - (x->b < y->b);
}

static pair *sorted_ids(const firn_points *points, int is_b)
{
    const firn_attribute *id = firn_points_find(points, "id");
    pair *pairs = firn_memory_array(NULL, (size_t)points->n + 1, sizeof *pairs);
    for (int64_t i = 0; pairs && i < points->n; i++)
        pairs[i] = (pair){id->data.i[i], is_b ? -1 : i, is_b ? i : -1};
    if (pairs) qsort(pairs, (size_t)points->n, sizeof *pairs, by_id);
    return pairs;
}

/* Those in both, and of the others those of the nearer cache. */
static int match(blend *l)
{
    const int64_t n_a = l->a->n, n_b = l->b->n;
    pair *in_a = sorted_ids(l->a, 0), *in_b = sorted_ids(l->b, 1);
    l->n_room = (size_t)(n_a + n_b) + 1;
    l->pairs = firn_memory_array(NULL, l->n_room, sizeof *l->pairs);
    for (int64_t i = 0, k = 0; in_a && in_b && l->pairs && (i < n_a || k < n_b);) {
        const int is_a = k == n_b || (i < n_a && in_a[i].id <= in_b[k].id);
        const int is_b = i == n_a || (k < n_b && in_b[k].id <= in_a[i].id);
        pair both = {0, is_a ? in_a[i].a : -1, is_b ? in_b[k].b : -1};
        if ((is_a && is_b) || (is_a && l->u < 0.5) || (is_b && l->u >= 0.5))
            l->pairs[l->n++] = both;
        i += is_a;
        k += is_b;
    }
    const int is_good = in_a && in_b && l->pairs;
    if (is_good)
        qsort(l->pairs, (size_t)l->n, sizeof *l->pairs, l->u < 0.5 ? by_place_in_a : by_place_in_b);
    firn_memory_release(NULL, in_a, ((size_t)n_a + 1) * sizeof *in_a);
    firn_memory_release(NULL, in_b, ((size_t)n_b + 1) * sizeof *in_b);
    return is_good;
}

/* ---------------------------------------------------------------- positions */

static double length(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

/* A particle that one cache has, or that has jumped: along its velocity. */
static void drift(const blend *l, const float *x, const float *v, double time, float P[3],
                  float V[3])
{
    for (int c = 0; c < 3; c++) {
        P[c] = (float)(x[c] + time * v[c]);
        V[c] = (float)(l->speed * v[c]);
    }
}

static void follow(const blend *l, const float *xa, const float *va, const float *xb,
                   const float *vb, float P[3], float V[3])
{
    const double u = l->u, w = 1 - u, h = l->h;
    double way[3], fast[3];
    for (int c = 0; c < 3; c++) {
        way[c] = (double)xb[c] - xa[c];
        fast[c] = fabs(va[c]) + fabs(vb[c]);
    }
    if (length(way) > 4 * h * length(fast) && length(way) > 0) { /* through a periodic wall */
        drift(l, u < 0.5 ? xa : xb, u < 0.5 ? va : vb, u < 0.5 ? u * h : -w * h, P, V);
        return;
    }
    for (int c = 0; c < 3; c++) {
        P[c] = (float)(xa[c] + u * u * (3 - 2 * u) * way[c] + h * u * w * (w * va[c] - u * vb[c]));
        V[c] = (float)(l->speed * (6 * u * w * way[c] / h + w * (1 - 3 * u) * va[c] -
                                   u * (2 - 3 * u) * vb[c]));
    }
}

static void blend_motion(const blend *l, float *P, float *V)
{
    const float *xa = firn_points_find(l->a, "P")->data.f,
                *xb = firn_points_find(l->b, "P")->data.f,
                *va = firn_points_find(l->a, "v")->data.f,
                *vb = firn_points_find(l->b, "v")->data.f;
    for (int64_t i = 0; i < l->n; i++) {
        const int64_t a = 3 * l->pairs[i].a, b = 3 * l->pairs[i].b;
        if (b < 0)
            drift(l, xa + a, va + a, l->u * l->h, P + 3 * i, V + 3 * i);
        else if (a < 0)
            drift(l, xb + b, vb + b, (l->u - 1) * l->h, P + 3 * i, V + 3 * i);
        else
            follow(l, xa + a, va + a, xb + b, vb + b, P + 3 * i, V + 3 * i);
    }
}

/* ---------------------------------------------------------------- other attributes */

static int is_number(const firn_attribute *attribute)
{
    return attribute->type == FIRN_ATTRIBUTE_FLOAT || attribute->type == FIRN_ATTRIBUTE_VECTOR;
}

/* `to` has the table of words of the nearer cache: whole numbers and words are copied from there,
 * and stay zero, or none, for a particle that it lacks. */
static void blend_attribute(const blend *l, const firn_attribute *a, const firn_attribute *b,
                            firn_attribute *to)
{
    const int n = to->n_components, is_near_a = l->u < 0.5;
    /* an acceleration in the seconds of the result */
    const double scale = strcmp(to->name, "accel") == 0 ? l->speed * l->speed : 1;
    for (int64_t i = 0; i < l->n; i++) {
        const int64_t pa = a ? l->pairs[i].a : -1, pb = b ? l->pairs[i].b : -1;
        for (int c = 0; c < n; c++) {
            if (is_number(to)) {
                const double x = pa >= 0 ? a->data.f[pa * n + c] : b->data.f[pb * n + c],
                             y = pb >= 0 ? b->data.f[pb * n + c] : x;
                to->data.f[i * n + c] = (float)(scale * (x + l->u * (y - x)));
            } else if (is_near_a ? pa >= 0 : pb >= 0) {
                to->data.i[i * n + c] = is_near_a ? a->data.i[pa * n + c] : b->data.i[pb * n + c];
            }
        }
    }
}

/* Quaternions in between: the shorter way, of length one. q and -q are the same rotation. */
static void blend_rotation(const blend *l, const firn_attribute *a, const firn_attribute *b,
                           firn_attribute *to)
{
    for (int64_t i = 0; i < l->n; i++) {
        const int64_t pa = l->pairs[i].a, pb = l->pairs[i].b;
        const float *x = pa >= 0 ? a->data.f + 4 * pa : b->data.f + 4 * pb,
                    *y = pb >= 0 ? b->data.f + 4 * pb : x;
        float *q = to->data.f + 4 * i;
        double dot = 0, q2 = 0, sum[4];
        for (int c = 0; c < 4; c++) dot += (double)x[c] * y[c];
        for (int c = 0; c < 4; c++) {
            sum[c] = (1 - l->u) * x[c] + l->u * (dot < 0 ? -y[c] : y[c]);
            q2 += sum[c] * sum[c];
        }
        for (int c = 0; c < 4; c++) q[c] = (float)(q2 > 0 ? sum[c] / sqrt(q2) : x[c]);
    }
}

static const firn_attribute *same(const firn_points *points, const firn_attribute *wanted)
{
    const firn_attribute *found = firn_points_find(points, wanted->name);
    return found && found->type == wanted->type && found->n_components == wanted->n_components
               ? found
               : NULL;
}

static int copy_strings(const firn_attribute *from, firn_attribute *to)
{
    int is_good = to != NULL;
    for (int s = 0; is_good && s < from->n_strings; s++)
        is_good = firn_attribute_append(to, from->strings[s]) >= 0;
    return is_good;
}

/* The attributes of the nearer cache that the other one has too. */
static int add_attributes(const blend *l, firn_points *points)
{
    const firn_points *near = l->u < 0.5 ? l->a : l->b;
    for (int k = 0; k < near->n_attributes; k++) {
        const firn_attribute *from = &near->attributes[k], *a = same(l->a, from),
                             *b = same(l->b, from);
        if (!a || !b) continue;
        firn_attribute *to = firn_points_add(points, from->name, from->type, from->n_components);
        if (!copy_strings(from, to)) return 0;
        if (strcmp(from->name, "orient") == 0 && from->n_components == 4 && is_number(from))
            blend_rotation(l, a, b, to);
        else if (strcmp(from->name, "P") != 0 && strcmp(from->name, "v") != 0)
            blend_attribute(l, a, b, to);
    }
    for (int k = 0; k < near->n_details; k++) {
        const firn_attribute *from = &near->details[k];
        firn_attribute *to =
            firn_points_add_detail(points, from->name, from->type, from->n_components);
        if (!copy_strings(from, to)) return 0;
        memcpy(to->data.i, from->data.i, (size_t)from->n_components * 4);
    }
    return 1;
}

/* ---------------------------------------------------------------- the whole */

static int has(const firn_points *points, const char *name, int n_components, int is_whole)
{
    const firn_attribute *a = firn_points_find(points, name);
    return a && a->n_components == n_components &&
           (is_whole ? a->type == FIRN_ATTRIBUTE_INT : is_number(a));
}

firn_status firn_retime_between(const firn_points *a, const firn_points *b, double t_a, double t_b,
                                double t, double speed, firn_points **result,
                                firn_messages *messages)
{
    const firn_points *both[] = {a, b};
    *result = NULL;
    for (int k = 0; k < 2; k++)
        if (!has(both[k], "P", 3, 0) || !has(both[k], "v", 3, 0) || !has(both[k], "id", 1, 1))
            return firn_messages_add(messages, FIRN_REFUSED,
                                     "retiming: the caches need the attributes P, v and id; try: "
                                     "outputs: [{format: bgeo, attributes: P v id}]");
    blend l = {.a = a, .b = b, .h = t_b - t_a, .speed = speed};
    l.u = l.h > 0 ? fmin(fmax((t - t_a) / l.h, 0), 1) : 0;
    if (!(l.h > 0)) l.h = 1; /* one cache twice */
    firn_points *points = match(&l) ? firn_points_create(l.n) : NULL;
    const int is_good = points && add_attributes(&l, points);
    if (is_good) {
        const firn_attribute *P = firn_points_find(points, "P"), *V = firn_points_find(points, "v");
        blend_motion(&l, P->data.f, V->data.f);
    }
    firn_memory_release(NULL, l.pairs, l.n_room * sizeof *l.pairs);
    if (!is_good) {
        firn_points_destroy(points);
        return firn_messages_no_memory(messages, "particles between two caches");
    }
    *result = points;
    return FIRN_OK;
}
