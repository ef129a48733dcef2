/* SPDX-License-Identifier: MIT */
/* sdf_sequence.c: see sdf_sequence.h.
 *
 * Between the fields d0 at t0 and d1 at t1 the distance is carried along with the surface before
 * it is blended:
 *
 *     d(x, t) = (1 - s) d0(x - s h v) + s d1(x + (1 - s) h v),   h = t1 - t0,  s = (t - t0) / h
 *
 * so that something thin moves instead of fading out in one place and in at another. v is the
 * velocity of the nearest piece of surface, a channel of the fields. Where v is not known (.vdb
 * sequences without a grid v, meshes that change their faces) all of the shape is carried with the
 * velocity of its centroid, if the surfaces then agree better than in place,
 *
 *     v = shift / h,
 *
 * and what is left of the surface's velocity is along the normal n, -(d1 - d0) / h n. That is right
 * where both distances are known, within their bands, and for what is thicker than the distance
 * that is left between the surfaces. */
#include "geometry/sdf/sdf_sequence.h"
#include "base/memory.h"
#include "base/messages.h"
#include "geometry/sdf/sdf_motion.h"

#include <math.h>
#include <string.h>

/* A shift is used where it leaves less than this share of the distance between two surfaces. */
#define SHIFT_GAIN 0.5

/* ---------------------------------------------------------------- life */

static void reset(firn_sdf_sequence *q)
{
    for (int a = 0; a < 3; a++) {
        q->min[a] = INFINITY;
        q->max[a] = -INFINITY;
    }
    q->n = 0;
    q->velocity = 0;
    q->friction = 0;
    q->stickiness = 0;
    q->max_speed = 0;
    q->n_bytes = 0;
}

static firn_sdf_sequence *create(int capacity)
{
    firn_sdf_sequence *q = firn_memory_allocate(NULL, sizeof *q);
    if (!q) return NULL;
    q->capacity = capacity;
    q->times = firn_memory_array(NULL, (size_t)capacity, sizeof *q->times);
    q->speeds = firn_memory_array(NULL, (size_t)capacity, sizeof *q->speeds);
    q->shifts = firn_memory_array(NULL, (size_t)capacity, sizeof *q->shifts);
    q->sdfs = firn_memory_array(NULL, (size_t)capacity, sizeof *q->sdfs);
    q->recent = firn_memory_array(NULL, 1, sizeof *q->recent);
    reset(q);
    if (q->times && q->speeds && q->shifts && q->sdfs && q->recent) return q;
    firn_sdf_sequence_destroy(q);
    return NULL;
}

void firn_sdf_sequence_clear(firn_sdf_sequence *q)
{
    for (int i = 0; i < q->n; i++) firn_sdf_destroy(q->sdfs[i]);
    memset(q->speeds, 0, (size_t)q->capacity * sizeof *q->speeds);
    memset(q->shifts, 0, (size_t)q->capacity * sizeof *q->shifts);
    reset(q);
}

void firn_sdf_sequence_destroy(firn_sdf_sequence *q)
{
    if (!q) return;
    for (int i = 0; i < q->n; i++) firn_sdf_destroy(q->sdfs[i]);
    firn_memory_release(NULL, q->times, (size_t)q->capacity * sizeof *q->times);
    firn_memory_release(NULL, q->speeds, (size_t)q->capacity * sizeof *q->speeds);
    firn_memory_release(NULL, q->shifts, (size_t)q->capacity * sizeof *q->shifts);
    firn_memory_release(NULL, q->sdfs, (size_t)q->capacity * sizeof *q->sdfs);
    firn_memory_release(NULL, q->recent, sizeof *q->recent);
    firn_memory_release(NULL, q, sizeof *q);
}

firn_status firn_sdf_sequence_load(const firn_shape_def *def, firn_shape_need need, int n_pieces,
                                   firn_sdf_read_single *single, firn_sdf_read_sequence *several,
                                   firn_sdf_sequence **sequence, firn_messages *messages)
{
    *sequence = NULL;
    int is_sequence = firn_file_sequence_is_pattern(def->file);
    firn_file_sequence files = {0};
    firn_status status = is_sequence ? firn_file_sequence_find(def->file, &files, messages)
                                     : firn_file_sequence_check_single(def->file, messages);
    if (status) return status;
    if (is_sequence && need.is_start) firn_file_sequence_keep(&files, 0, def);

    firn_sdf_sequence *q = create(is_sequence ? files.n * n_pieces : 1);
    if (!q)
        status = firn_messages_no_memory(messages, "%s", def->file);
    else if (is_sequence)
        status = several(def, need, &files, q, messages);
    else
        status = single(def, need, q, messages);
    firn_file_sequence_clear(&files);
    if (status)
        firn_sdf_sequence_destroy(q);
    else
        *sequence = q;
    return status;
}

/* ---------------------------------------------------------------- building */

firn_status firn_sdf_sequence_append(firn_sdf_sequence *q, double time, firn_sdf *sdf,
                                     const double low[3], const double high[3], const char *path,
                                     firn_messages *messages)
{
    sdf->paint = 1u << q->friction | 1u << q->stickiness; /* bit 0, the distance, has no effect */
    firn_sdf_finish(sdf);
    for (int a = 0; a < 3; a++) {
        q->min[a] = fmin(q->min[a], low[a]);
        q->max[a] = fmax(q->max[a], high[a]);
    }
    q->times[q->n] = time;
    q->sdfs[q->n++] = sdf;
    q->n_bytes += firn_sdf_bytes(sdf);
    if (q->n_bytes <= FIRN_SDF_SEQUENCE_BYTES) return FIRN_OK;
    return firn_messages_add(
        messages, FIRN_REFUSED,
        "%s: the distance fields of this sequence exceed %zu MiB at %g s, with "
        "voxels of %g m; try: a larger voxel, or fewer files (the voxel of a "
        "wall is a third of its thickness at most)",
        path, FIRN_SDF_SEQUENCE_BYTES >> 20, time, sdf->voxel);
}

void firn_sdf_sequence_note_speed(firn_sdf_sequence *q, int i, double speed)
{
    q->speeds[i] = fmax(q->speeds[i], speed);
    if (i) q->speeds[i - 1] = fmax(q->speeds[i - 1], speed);
}

void firn_sdf_sequence_note_max_speed(firn_sdf_sequence *q)
{
    for (int i = 0; i < q->n; i++) firn_sdf_sequence_note_speed(q, i, q->max_speed);
}

void firn_sdf_sequence_find_shifts(firn_sdf_sequence *q, double *residual, double *depth)
{
    const double none[3] = {0, 0, 0};
    double centroid[2][3];
    *residual = 0;
    *depth = INFINITY;
    for (int i = 0; i < q->n; i++) {
        *depth = fmin(*depth, firn_sdf_motion_centroid(q->sdfs[i], centroid[i & 1]));
        if (i == 0) continue;
        const firn_sdf *before = q->sdfs[i - 1], *after = q->sdfs[i];
        double *shift = q->shifts[i - 1];
        double in_place = firn_sdf_motion_residual(before, after, none), length = 0;
        for (int a = 0; a < 3; a++) shift[a] = centroid[i & 1][a] - centroid[(i - 1) & 1][a];
        double carried = firn_sdf_motion_residual(before, after, shift);
        if (!(carried < SHIFT_GAIN * in_place)) {
            memset(shift, 0, sizeof *q->shifts);
            carried = in_place;
        }

        for (int a = 0; a < 3; a++) length += shift[a] * shift[a];
        double h = q->times[i] - q->times[i - 1];
        q->max_speed = fmax(q->max_speed, (carried + sqrt(length)) / h);
        *residual = fmax(*residual, carried);
    }
}

void firn_sdf_sequence_check_blend(const firn_sdf_sequence *q, double residual, double depth,
                                   const char *path, const char *way_out, firn_messages *messages)
{
    double band = INFINITY;
    for (int i = 0; i < q->n; i++) band = fmin(band, q->sdfs[i]->band);
    if (residual <= band && residual <= depth) return;
    firn_messages_warn(messages,
                       "%s: from file to file the surface moves up to %.3g m relative to its "
                       "centroid, more than %s (%.3g m), so it fades out in one place and in at "
                       "another; try: more files per second, or %s",
                       path, residual, residual > band ? "the band" : "half the thickness",
                       residual > band ? band : depth, way_out);
}

/* ---------------------------------------------------------------- query */

/* At a kink, as in the middle of a thin plate, there is no gradient; any direction will do. */
static void set_normal(const double g[3], double normal[3])
{
    double length = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    for (int a = 0; a < 3; a++) normal[a] = length > 1e-12 ? g[a] / length : (a == 2);
}

static void set_paint(const firn_sdf_sequence *q, const firn_sdf *sdf, const double x[3],
                      firn_surface_point *s)
{
    double value;
    if (q->friction && firn_sdf_paint(sdf, x, q->friction, &value)) s->friction = value;
    if (q->stickiness && firn_sdf_paint(sdf, x, q->stickiness, &value)) s->stickiness = value;
}

/* The interval i with times[i] < time <= times[i + 1], of a sequence: at its end the velocity is
 * that of arriving there. By bisection. */
static int interval(const firn_sdf_sequence *q, double time)
{
    const int recent = __atomic_load_n(q->recent, __ATOMIC_RELAXED);
    const int is_in = recent < q->n - 1 && (recent == 0 || q->times[recent] < time) &&
                      (recent == q->n - 2 || time <= q->times[recent + 1]);
    if (is_in) return recent;
    int low = 0, high = q->n - 1;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (q->times[middle] < time)
            low = middle;
        else
            high = middle;
    }
    __atomic_store_n(q->recent, low, __ATOMIC_RELAXED);
    return low;
}

/* The places at[2] where x, at the share s between fields i and i + 1, is found in each of them,
 * and the velocity v of the surface. Returns 0 where no surface with a velocity of its own is
 * near: then far[2] are the distances, where velocities are known. */
static int carry(const firn_sdf_sequence *q, int i, double s, double h, const double x[3],
                 double at[2][3], double v[3], double far[2])
{
    double speed[2][4];
    int is_near[2] = {0, 0};
    if (q->velocity) firn_sdf_pair_vector(q->sdfs + i, x, q->velocity, speed, far, is_near);
    for (int k = 0; k < 2; k++) {
        memcpy(at[k], x, sizeof at[k]);
        for (int a = 0; !q->velocity && a < 3; a++)
            at[k][a] = x[a] + ((double)k - s) * q->shifts[i][a];
    }
    for (int a = 0; !q->velocity && a < 3; a++) v[a] = q->shifts[i][a] / h;
    if (!is_near[0] && !is_near[1]) return 0;

    /* of two fields one of which is far, the velocity of the other */
    const double share = is_near[0] && is_near[1] ? s : is_near[1] ? 1 : 0;
    for (int a = 0; a < 3; a++) {
        v[a] = (1 - share) * speed[0][a] + share * speed[1][a];
        for (int k = 0; k < 2; k++) at[k][a] = x[a] + ((double)k - s) * h * v[a];
    }
    return 1;
}

static void query_moving(const firn_sdf_sequence *q, int i, double s, double h, const double x[3],
                         int wants_all, firn_surface_point *out)
{
    const int wants_gradient = wants_all || !q->velocity;
    double d[2], g[2][3], at[2][3], blend[3];
    int is_near[2];
    const int is_carried = carry(q, i, s, h, x, at, out->velocity, d);
    if (wants_gradient)
        firn_sdf_pair_gradient(q->sdfs + i, at, s > 0.5, d, g, is_near);
    else if (is_carried)
        firn_sdf_pair_distance(q->sdfs + i, at, d);
    out->distance = (1 - s) * d[0] + s * d[1];
    if (!wants_gradient) return;

    for (int a = 0; a < 3; a++) blend[a] = (1 - s) * g[0][a] + s * g[1][a];
    set_normal(blend, out->normal);
    if (!q->velocity && is_near[0] && is_near[1])
        for (int a = 0; a < 3; a++) out->velocity[a] -= (d[1] - d[0]) / h * out->normal[a];
    if (wants_all) set_paint(q, q->sdfs[i + (s > 0.5)], at[s > 0.5], out);
}

static void query(const firn_sdf_sequence *q, const double x[3], double time, int wants_all,
                  firn_surface_point *out)
{
    double g[3];
    if (q->n > 1 && time > q->times[0] && time <= q->times[q->n - 1]) {
        int i = interval(q, time);
        double h = q->times[i + 1] - q->times[i];
        query_moving(q, i, (time - q->times[i]) / h, h, x, wants_all, out);
        return;
    }
    const firn_sdf *sdf = q->sdfs[q->n > 1 && time > q->times[0] ? q->n - 1 : 0];
    if (!wants_all) {
        out->distance = firn_sdf_distance(sdf, x);
        return;
    }
    firn_sdf_gradient(sdf, x, &out->distance, g);
    set_normal(g, out->normal);
    set_paint(q, sdf, x, out);
}

void firn_sdf_sequence_query(const firn_sdf_sequence *q, const double x[3], double time,
                             firn_surface_point *out)
{
    query(q, x, time, 1, out);
}

void firn_sdf_sequence_distance_query(const firn_sdf_sequence *q, const double x[3], double time,
                                      firn_surface_point *out)
{
    query(q, x, time, 0, out);
}

double firn_sdf_sequence_speed(const firn_sdf_sequence *q, double from, double until)
{
    if (q->n < 2) return -1;
    if (until <= q->times[0] || from >= q->times[q->n - 1]) return 0;
    double speed = 0;
    for (int i = interval(q, from); i <= interval(q, until); i++) speed = fmax(speed, q->speeds[i]);
    return speed;
}

/* Velocities of points are continuous from the first file to the last. */
double firn_sdf_sequence_border(const firn_sdf_sequence *q, double from)
{
    if (q->n < 2 || from >= q->times[q->n - 1]) return INFINITY;
    if (from < q->times[0]) return q->times[0];
    if (q->velocity) return q->times[q->n - 1];
    const int i = interval(q, from);
    return q->times[from < q->times[i + 1] ? i + 1 : i + 2];
}
