/* SPDX-License-Identifier: MIT */
/* embed.c: points of a surface carried by particles. With the places X_j of the particles around a
 * point X at rest, weights w_j of |X - X_j| (poly6), and Xm, xm their weighted means at rest and now,
 *
 *     F = (sum w_j (x_j - xm)(X_j - Xm)^T) (sum w_j (X_j - Xm)(X_j - Xm)^T)^-1
 *     x = xm + F (X - Xm)
 *
 * which is moving least squares of degree one: exact for affine motions. Normals turn by F^-T. Flat
 * and lone neighbourhoods take what they do not determine from the rotation of the rest.
 *
 * Particles are matched by id, so their order and losses do not matter. Tearing: a particle carries
 * a point no longer when it is farther from the point's nearest particle than `tear` times what it
 * was; a polygon is torn when the nearest particles of its corners are. Both follow from the present
 * positions alone, so each frame stands by itself. */
#include "meshless/embed.h"
#include "base/memory.h"
#include "meshless/kernel.h"
#include "meshless/small3.h"

#include <stdlib.h>

struct firn_embed {
    firn_embed_choice choice;
    int32_t n_points, n_particles;
    double *point;    /* [n_points][3] at rest */
    double *rest;     /* [n_particles][3] */
    double *now;      /* [n_particles][3] */
    uint8_t *exists;  /* [n_particles] in the frame of `now` */
    int32_t *ids;     /* [n_particles] in rising order */
    int32_t *nearest; /* [n_points] */
    int32_t *first;   /* [n_points + 1] of carriers */
    int32_t *carrier; /* [first[n_points]] */
    double *weight;
};

/* ---------------------------------------------------------------- particles by id */

typedef struct numbered {
    int32_t id, index;
} numbered;

static int compare_ids(const void *a, const void *b)
{
    const numbered *p = a, *q = b;
    if (p->id != q->id) return p->id < q->id ? -1 : 1;
    return (p->index > q->index) - (p->index < q->index);
}

static firn_status check(const firn_points *points, firn_messages *messages)
{
    const firn_attribute *P = firn_points_find(points, "P"), *id = firn_points_find(points, "id");
    if (!P || P->n_components != 3 || !id || id->type != FIRN_ATTRIBUTE_INT)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "particles: no attributes P and id, by which a surface follows "
                                 "them; try: outputs with the attributes P id");
    if (points->n < 1 || points->n > INT32_MAX / 4)
        return firn_messages_add(messages, FIRN_REFUSED, "particles: %lld; allowed: 1 to %d",
                                 (long long)points->n, INT32_MAX / 4);
    return FIRN_OK;
}

static int32_t find(const firn_embed *e, int32_t id)
{
    int32_t low = 0, high = e->n_particles;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (e->ids[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < e->n_particles && e->ids[low] == id ? low : -1;
}

static void place(firn_embed *e, const firn_points *now)
{
    const float *P = firn_points_find(now, "P")->data.f;
    const int32_t *id = firn_points_find(now, "id")->data.i;
    memset(e->exists, 0, (size_t)e->n_particles);
    for (int64_t p = 0; p < now->n; p++) {
        const int32_t at = find(e, id[p]);
        if (at < 0) continue; /* born later */
        e->exists[at] = 1;
        for (int a = 0; a < 3; a++) e->now[3 * at + a] = (double)P[3 * p + a];
    }
}

/* ---------------------------------------------------------------- binding */

static double distance(const double a[3], const double b[3])
{
    double d2 = 0;
    for (int i = 0; i < 3; i++) d2 += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(d2);
}

static double support_of(const firn_points *rest, const firn_embed_choice *choice)
{
    const firn_attribute *pscale = firn_points_find(rest, "pscale");
    double sum = 0;
    if (choice->support > 0) return choice->support;
    if (!pscale || pscale->type != FIRN_ATTRIBUTE_FLOAT) return 0;
    for (int64_t p = 0; p < rest->n; p++) sum += (double)pscale->data.f[p];
    return 2.2 * 2 * sum / (double)rest->n;
}

/* Particles, then points, in one search; the rows of points hold their particles. */
static firn_status search(const firn_embed *e, const double *all, const double *radius,
                          double support, firn_neighbours *list, firn_messages *messages)
{
    const firn_neighbour_search s = {.n = e->n_particles + e->n_points,
                                     .x = all,
                                     .radius = radius,
                                     .factor = support,
                                     .n_threads = e->choice.n_threads};
    const firn_status status = firn_neighbours_find(list, &s, NULL);
    if (status == FIRN_MEMORY) return firn_messages_no_memory(messages, "neighbours of a surface");
    if (status != FIRN_OK)
        return firn_messages_add(messages, FIRN_REFUSED, "surface: a position is not finite");
    return FIRN_OK;
}

/* Counts (out NULL) or lists the particles in the row of a point. */
static int32_t particles_of(const firn_embed *e, const firn_neighbours *list, int32_t point,
                            int32_t *out)
{
    int32_t n = 0;
    const int64_t row = e->n_particles + point;
    for (int64_t b = list->first[row]; b < list->first[row + 1]; b++) {
        if (list->other[b] >= e->n_particles) break; /* rows rise: points follow */
        if (out) out[n] = list->other[b];
        n++;
    }
    return n;
}

static void weigh(firn_embed *e, int32_t point, double support)
{
    const firn_kernel *kernel = firn_kernel_find("poly6");
    double least = INFINITY;
    for (int32_t c = e->first[point]; c < e->first[point + 1]; c++) {
        const double r = distance(e->point + 3 * point, e->rest + 3 * e->carrier[c]);
        e->weight[c] = kernel->value(r, support) / kernel->value(0, support);
        if (r < least) {
            least = r;
            e->nearest[point] = e->carrier[c];
        }
    }
}

static firn_status list_carriers(firn_embed *e, const firn_neighbours *list, double support,
                                 firn_messages *messages)
{
    int64_t n = 0;
    for (int32_t p = 0; p < e->n_points; p++) {
        const int32_t count = particles_of(e, list, p, NULL);
        const double *x = e->point + 3 * p;
        if (count == 0)
            return firn_messages_add(messages, FIRN_REFUSED,
                                     "surface: its point %d at %.4g %.4g %.4g m has no particle "
                                     "within %.4g m; try: a surface around the same body, or a "
                                     "larger support",
                                     p + 1, x[0], x[1], x[2], support);
        e->first[p] = (int32_t)n;
        n += count;
        if (n > INT32_MAX)
            return firn_messages_add(messages, FIRN_REFUSED,
                                     "surface: more than 2^31 ties to particles; try: a smaller "
                                     "support");
    }
    e->first[e->n_points] = (int32_t)n;
    e->carrier = firn_memory_array(NULL, (size_t)n, sizeof *e->carrier);
    e->weight = firn_memory_array(NULL, (size_t)n, sizeof *e->weight);
    if (!e->carrier || !e->weight) return firn_messages_no_memory(messages, "ties of a surface");
    for (int32_t p = 0; p < e->n_points; p++) {
        particles_of(e, list, p, e->carrier + e->first[p]);
        weigh(e, p, support);
    }
    return FIRN_OK;
}

static firn_status tie(firn_embed *e, double support, firn_messages *messages)
{
    const size_t n = (size_t)e->n_particles + (size_t)e->n_points;
    double *all = firn_memory_array(NULL, n, 3 * sizeof *all),
           *radius = firn_memory_array(NULL, n, sizeof *radius);
    firn_neighbours list = {0};
    firn_status status = all && radius ? FIRN_OK : firn_messages_no_memory(messages, "a surface");
    if (status == FIRN_OK) {
        memcpy(all, e->rest, (size_t)e->n_particles * 3 * sizeof *all);
        memcpy(all + 3 * e->n_particles, e->point, (size_t)e->n_points * 3 * sizeof *all);
        for (size_t i = 0; i < n; i++) radius[i] = 1;
        status = search(e, all, radius, support, &list, messages);
    }
    if (status == FIRN_OK) status = list_carriers(e, &list, support, messages);
    firn_neighbours_clear(&list, NULL);
    firn_memory_release(NULL, all, n * 3 * sizeof *all);
    firn_memory_release(NULL, radius, n * sizeof *radius);
    return status;
}

static firn_status allocate(firn_embed *e, firn_messages *messages)
{
    const size_t p = (size_t)e->n_particles, n = (size_t)e->n_points;
    e->point = firn_memory_array(NULL, n, 3 * sizeof(double));
    e->rest = firn_memory_array(NULL, p, 3 * sizeof(double));
    e->now = firn_memory_array(NULL, p, 3 * sizeof(double));
    e->exists = firn_memory_array(NULL, p, 1);
    e->ids = firn_memory_array(NULL, p, sizeof(int32_t));
    e->nearest = firn_memory_array(NULL, n, sizeof(int32_t));
    e->first = firn_memory_array(NULL, n + 1, sizeof(int32_t));
    return e->point && e->rest && e->now && e->exists && e->ids && e->nearest && e->first
               ? FIRN_OK
               : firn_messages_no_memory(messages, "a surface");
}

static firn_status take_particles(firn_embed *e, const firn_points *rest, firn_messages *messages)
{
    const float *P = firn_points_find(rest, "P")->data.f;
    const int32_t *id = firn_points_find(rest, "id")->data.i;
    numbered *order = firn_memory_array(NULL, (size_t)rest->n, sizeof *order);
    if (!order) return firn_messages_no_memory(messages, "a surface");
    for (int32_t p = 0; p < e->n_particles; p++) order[p] = (numbered){id[p], p};
    qsort(order, (size_t)rest->n, sizeof *order, compare_ids);
    for (int32_t p = 0; p < e->n_particles; p++) {
        e->ids[p] = order[p].id;
        for (int a = 0; a < 3; a++) e->rest[3 * p + a] = (double)P[3 * order[p].index + a];
    }
    firn_memory_release(NULL, order, (size_t)rest->n * sizeof *order);
    return FIRN_OK;
}

firn_status firn_embed_bind(int64_t n, const double *x, const firn_points *rest,
                            const firn_embed_choice *choice, firn_embed **out,
                            firn_messages *messages)
{
    firn_status status = check(rest, messages);
    const double support = status == FIRN_OK ? support_of(rest, choice) : 0;
    *out = NULL;
    if (status != FIRN_OK) return status;
    if (!(support > 0))
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "particles: no attribute pscale, from which the support follows; "
                                 "try: --support, in m");
    if (n < 1 || n > INT32_MAX / 4)
        return firn_messages_add(messages, FIRN_REFUSED, "surface: %lld points; allowed: 1 to %d",
                                 (long long)n, INT32_MAX / 4);
    firn_embed *e = firn_memory_array(NULL, 1, sizeof *e);
    if (!e) return firn_messages_no_memory(messages, "a surface");
    e->choice = *choice;
    e->n_points = (int32_t)n;
    e->n_particles = (int32_t)rest->n;
    status = allocate(e, messages);
    if (status == FIRN_OK) memcpy(e->point, x, (size_t)n * 3 * sizeof *x);
    if (status == FIRN_OK) status = take_particles(e, rest, messages);
    if (status == FIRN_OK) status = tie(e, support, messages);
    if (status != FIRN_OK) {
        firn_embed_destroy(e);
        return status;
    }
    *out = e;
    return FIRN_OK;
}

void firn_embed_destroy(firn_embed *e)
{
    if (!e) return;
    const size_t p = (size_t)e->n_particles, n = (size_t)e->n_points,
                 ties = e->first ? (size_t)e->first[n] : 0;
    firn_memory_release(NULL, e->point, n * 3 * sizeof(double));
    firn_memory_release(NULL, e->rest, p * 3 * sizeof(double));
    firn_memory_release(NULL, e->now, p * 3 * sizeof(double));
    firn_memory_release(NULL, e->exists, p);
    firn_memory_release(NULL, e->ids, p * sizeof(int32_t));
    firn_memory_release(NULL, e->nearest, n * sizeof(int32_t));
    firn_memory_release(NULL, e->carrier, ties * sizeof(int32_t));
    firn_memory_release(NULL, e->weight, ties * sizeof(double));
    firn_memory_release(NULL, e->first, (n + 1) * sizeof(int32_t));
    firn_memory_release(NULL, e, sizeof *e);
}

/* ---------------------------------------------------------------- moving */

static int are_apart(const firn_embed *e, int32_t a, int32_t b)
{
    if (!e->exists[a] || !e->exists[b]) return 1;
    return e->choice.tear > 0 && distance(e->now + 3 * a, e->now + 3 * b) >
                                     e->choice.tear * distance(e->rest + 3 * a, e->rest + 3 * b);
}

/* Weighted means over the particles that still carry the point; returns their weight. */
static double means(const firn_embed *e, int32_t point, double Xm[3], double xm[3])
{
    double sum = 0;
    for (int a = 0; a < 3; a++) Xm[a] = xm[a] = 0;
    for (int32_t c = e->first[point]; c < e->first[point + 1]; c++) {
        const int32_t j = e->carrier[c];
        if (are_apart(e, e->nearest[point], j)) continue;
        sum += e->weight[c];
        for (int a = 0; a < 3; a++) {
            Xm[a] += e->weight[c] * e->rest[3 * j + a];
            xm[a] += e->weight[c] * e->now[3 * j + a];
        }
    }
    for (int a = 0; a < 3 && sum > 0; a++) {
        Xm[a] /= sum;
        xm[a] /= sum;
    }
    return sum;
}

/* Directions that the neighbourhood does not determine turn with it. */
static void fit(const firn_embed *e, int32_t point, const double Xm[3], const double xm[3],
                double F[9])
{
    double A[9] = {0}, M[9] = {0}, K[9], R[9], known[9];
    for (int32_t c = e->first[point]; c < e->first[point + 1]; c++) {
        const int32_t j = e->carrier[c];
        if (are_apart(e, e->nearest[point], j)) continue;
        for (int r = 0; r < 3; r++)
            for (int k = 0; k < 3; k++) {
                const double X = e->rest[3 * j + k] - Xm[k];
                A[3 * r + k] += e->weight[c] * (e->rest[3 * j + r] - Xm[r]) * X;
                M[3 * r + k] += e->weight[c] * (e->now[3 * j + r] - xm[r]) * X;
            }
    }
    const int rank = small3_safe_inverse(A, 1e-4, K);
    small3_multiply(M, K, F);
    if (rank == 3) return;
    small3_rotation(F, R);
    small3_multiply(A, K, known); /* projector onto what is determined */
    for (int r = 0; r < 3; r++)
        for (int k = 0; k < 3; k++)
            for (int c = 0; c < 3; c++)
                F[3 * r + k] += R[3 * r + c] * ((c == k) - known[3 * c + k]);
}

firn_status firn_embed_move(firn_embed *e, const firn_points *now, double *x, double *F,
                            firn_messages *messages)
{
    const firn_status status = check(now, messages);
    if (status != FIRN_OK) return status;
    place(e, now);
#pragma omp parallel for num_threads(e->choice.n_threads) schedule(static)
    for (int32_t p = 0; p < e->n_points; p++) {
        double Xm[3], xm[3], G[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, d[3];
        const double sum = means(e, p, Xm, xm);
        if (sum > 0) fit(e, p, Xm, xm, G);
        for (int a = 0; a < 3; a++) d[a] = e->point[3 * p + a] - Xm[a];
        small3_apply(G, d, x + 3 * p);
        for (int a = 0; a < 3; a++) x[3 * p + a] += xm[a];
        if (F) memcpy(F + 9 * p, G, sizeof G);
    }
    return FIRN_OK;
}

int firn_embed_is_torn(const firn_embed *e, int n, const int64_t *points)
{
    for (int i = 0; i < n; i++) {
        const int32_t a = e->nearest[points[i]], b = e->nearest[points[(i + 1) % n]];
        if (!e->exists[a] || (a != b && are_apart(e, a, b))) return 1;
    }
    return 0;
}
