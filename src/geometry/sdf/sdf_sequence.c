/* SPDX-License-Identifier: MIT */
/* sdf_sequence.c: files to volumes, and a query through time (sdf_sequence.h).
 *
 * Between two volumes of a moving mesh the distance is carried along with the surface before it
 * is mixed:
 *     d(x, t) = (1 - s) d0(x - s h v) + s d1(x + (1 - s) h v),   s = (t - t0) / h, h = t1 - t0,
 * so that something thin moves instead of fading out here and in there. v is the velocity of the
 * nearest piece of surface, with its spin where x lies off it, kept in channels of the volume.
 * Files are subdivided (points moved linearly) until the surface moves at most MAX_MOVE voxels
 * from one volume to the next. Where v is not known (.vdb sequences without a grid v, meshes
 * that change their faces) all of the shape is carried with the speed of its middle, if the
 * surfaces then fall together better than in place, and what is left of the speed is that along
 * the normal, -(d1
 * - d0) / h. That is right where both distances are known: the bands of meshes are made as wide
 *   as the surface goes from file to file beside its middle.
 *
 * Voxels that nobody chose are half a cell or finer: a ball of ten cells across loses .5 % of
 * its volume so. */
#include "geometry/sdf/sdf_sequence.h"
#include "base/memory.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh/mesh_close.h"
#include "base/file_sequence.h"
#include "geometry/shape_kind.h"
#include "geometry/vdb/vdb.h"
#include "geometry/sdf/sdf_motion.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#define BAND 4.0     /* voxels to both sides of the surface */
#define MAX_MOVE 2.0 /* voxels between two volumes */
#define MAX_PIECES 32
#define VOXELS_ACROSS 150 /* of the largest edge of a mesh's box at least, when voxel is 0 */
#define VOXELS_A_CELL 2.0 /* likewise, while that takes no more than */
#define FINE_BYTES ((size_t)512 << 20)
#define VOXELS_DEEP                                                                                \
    10.0 /* a sequence, which takes memory with every file, needs no more in a collider's depth */
#define VOXELS_LEAST                                                                               \
    24 /* where nobody asks for depths it has voxels of half a cell, but that many across */
#define MAX_BYTES ((size_t)4 << 30)
#define MAX_ACROSS 1e5 /* voxels */

struct firn_field {
    int n, capacity;
    double *times;
    double *speeds; /* the greatest from this volume's time to the next one's */
    double (*shifts)
        [3]; /* of the middle, likewise, m; zero where speeds are known or it does not help */
    firn_sdf **volumes;
    int velocity, friction, stickiness; /* channels; 0: not there */
    double min[3], max[3], max_speed;
    size_t n_bytes;
    int *
        recent; /* the volume that was asked for last: mostly all of a step ask for the same time */
};

/* ---------------------------------------------------------------- building */

static firn_field *create(int capacity)
{
    firn_field *f = firn_memory_allocate(NULL, sizeof *f);
    if (!f) return NULL;
    f->capacity = capacity;
    f->times = firn_memory_array(NULL, (size_t)capacity, sizeof *f->times);
    f->speeds = firn_memory_array(NULL, (size_t)capacity, sizeof *f->speeds);
    f->shifts = firn_memory_array(NULL, (size_t)capacity, sizeof *f->shifts);
    f->volumes = firn_memory_array(NULL, (size_t)capacity, sizeof *f->volumes);
    f->recent = firn_memory_array(NULL, 1, sizeof *f->recent);
    for (int a = 0; a < 3; a++) {
        f->min[a] = INFINITY;
        f->max[a] = -INFINITY;
    }
    if (f->times && f->speeds && f->shifts && f->volumes && f->recent) return f;
    firn_sdf_sequence_destroy(f);
    return NULL;
}

/* Without volumes, as it was created. */
static void clear(firn_field *f)
{
    for (int i = 0; i < f->n; i++) firn_sdf_destroy(f->volumes[i]);
    memset(f->speeds, 0, (size_t)f->capacity * sizeof *f->speeds);
    memset(f->shifts, 0, (size_t)f->capacity * sizeof *f->shifts);
    for (int a = 0; a < 3; a++) {
        f->min[a] = INFINITY;
        f->max[a] = -INFINITY;
    }
    f->n = f->velocity = f->friction = f->stickiness = 0;
    f->max_speed = 0;
    f->n_bytes = 0;
}

void firn_sdf_sequence_destroy(firn_field *f)
{
    if (!f) return;
    for (int i = 0; i < f->n; i++) firn_sdf_destroy(f->volumes[i]);
    firn_memory_release(NULL, f->times, (size_t)f->capacity * sizeof *f->times);
    firn_memory_release(NULL, f->speeds, (size_t)f->capacity * sizeof *f->speeds);
    firn_memory_release(NULL, f->shifts, (size_t)f->capacity * sizeof *f->shifts);
    firn_memory_release(NULL, f->volumes, (size_t)f->capacity * sizeof *f->volumes);
    firn_memory_release(NULL, f->recent, sizeof *f->recent);
    firn_memory_release(NULL, f, sizeof *f);
}

/* Takes over the volume; room has been made by create. */
static firn_status append(firn_field *f, double time, firn_sdf *volume, const char *path,
                          firn_messages *messages)
{
    volume->paint = 1u << f->friction |
                    1u << f->stickiness; /* bit 0 is of the distance, which is not asked for it */
    firn_sdf_finish(volume);
    f->times[f->n] = time;
    f->volumes[f->n++] = volume;
    f->n_bytes += firn_sdf_bytes(volume);
    if (f->n_bytes <= MAX_BYTES) return FIRN_OK;
    return firn_messages_add(
        messages, FIRN_REFUSED,
        "%s: the distance fields of this sequence exceed %zu MB at %g s, as its voxels are %g m; "
        "give "
        "a larger voxel (by itself it is a third of a wall's thickness at most), or fewer files.",
        path, MAX_BYTES >> 20, time, volume->voxel);
}

/* The speed of the surface in volume i, or on its way to the next one. */
static void note_speed(firn_field *f, int i, double speed)
{
    f->speeds[i] = fmax(f->speeds[i], speed);
    if (i) f->speeds[i - 1] = fmax(f->speeds[i - 1], speed);
}

static void grow_bounds(firn_field *f, const double min[3], const double max[3])
{
    for (int a = 0; a < 3; a++) {
        f->min[a] = fmin(f->min[a], min[a]);
        f->max[a] = fmax(f->max[a], max[a]);
    }
}

/* ---------------------------------------------------------------- meshes */

/* What stays the same for all volumes of one shape */
typedef struct plan {
    const firn_shape_def *def;
    double voxel, band, inner;
    int is_signed, n_channels;
    const firn_mesh_attribute *paint[2]; /* friction, stickiness */
} plan;

static void cross(const double a[3], const double b[3], double c[3])
{
    for (int i = 0; i < 3; i++)
        c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* Shares of the corners at the point of the triangle that is nearest to x: the region test of
 * barycentric coordinates (C. Ericson, Real-Time Collision Detection, 2005, ch. 5.1.5). */
static void nearest_shares(const double *a, const double *b, const double *c, const double x[3],
                           double share[3])
{
    double ab[3], ac[3], ax[3], d1 = 0, d2 = 0, abab = 0, abac = 0, acac = 0;
    for (int i = 0; i < 3; i++) {
        ab[i] = b[i] - a[i];
        ac[i] = c[i] - a[i];
        ax[i] = x[i] - a[i];
        d1 += ab[i] * ax[i];
        d2 += ac[i] * ax[i];
        abab += ab[i] * ab[i];
        abac += ab[i] * ac[i];
        acac += ac[i] * ac[i];
    }
    double det = abab * acac - abac * abac;
    double v = det > 0 ? (acac * d1 - abac * d2) / det : 0,
           w = det > 0 ? (abab * d2 - abac * d1) / det : 0;
    /* outside the triangle the clamped, renormalised shares are near enough for paint and speed */
    double u = fmax(0, 1 - v - w);
    v = fmax(0, v);
    w = fmax(0, w);
    double sum = u + v + w;
    share[0] = u / sum;
    share[1] = v / sum;
    share[2] = w / sum;
}

/* Spin of a triangle whose corners move with `velocity`: the axial vector of the gradient that
 * takes its edges to the differences of their velocities and its normal to the normal's own
 * speed. False for one without area. */
static int spin_of(const firn_mesh *mesh, const uint32_t corner[3], const float *velocity,
                   double spin[3])
{
    double e[2][3], dv[2][3], n[3], dual[2][3], turn[3] = {0, 0, 0}, area2 = 0;
    for (int k = 0; k < 2; k++)
        for (int a = 0; a < 3; a++) {
            e[k][a] =
                mesh->xyz[3 * (size_t)corner[k + 1] + a] - mesh->xyz[3 * (size_t)corner[0] + a];
            dv[k][a] = (double)velocity[3 * (size_t)corner[k + 1] + a] -
                       velocity[3 * (size_t)corner[0] + a];
        }
    cross(e[0], e[1], n);
    for (int a = 0; a < 3; a++) area2 += n[a] * n[a];
    if (!(area2 > 0)) return 0;
    cross(e[1], n, dual[0]);
    cross(n, e[0], dual[1]); /* edge k times dual k is 1, times the other 0 */
    for (int k = 0; k < 2; k++) {
        double along = 0;
        for (int a = 0; a < 3; a++) {
            dual[k][a] /= area2;
            along += n[a] * dv[k][a];
        }
        for (int a = 0; a < 3; a++)
            turn[a] -= along * dual[k][a]; /* of n, which has the length sqrt(area2) */
    }
    double sum[3] = {0, 0, 0}, part[3];
    for (int k = 0; k < 3; k++) {
        cross(k < 2 ? dual[k] : n, k < 2 ? dv[k] : turn, part);
        for (int a = 0; a < 3; a++) sum[a] += part[a] / (k < 2 ? 1 : area2);
    }
    for (int a = 0; a < 3; a++) spin[a] = 0.5 * sum[a];
    return 1;
}

/* What lies off the surface goes along as if it were fixed to it: at x, `off` from the nearest
 * place of the surface, by spin x off more than there. No more than the surface is fast
 * anywhere, as a small triangle may spin at will. */
static void add_spin(const double spin[3], const double off[3], double most, double v[3])
{
    double more[3], length2 = 0;
    cross(spin, off, more);
    for (int a = 0; a < 3; a++) length2 += more[a] * more[a];
    const double share = length2 > most * most ? most / sqrt(length2) : 1;
    for (int a = 0; a < 3; a++) v[a] += share * more[a];
}

/* Carries what belongs to points (n_components numbers each) to the voxels, by each one's
 * nearest triangle; voxels beyond the band take their leaf's mean. `fastest`: the data are
 * velocities, this the greatest; 0: they are not. */
static void spread(firn_sdf *v, const int32_t *nearest, const firn_mesh *mesh, const float *data,
                   int n_components, int channel, double fastest)
{
#pragma omp parallel for schedule(dynamic, 64)
    for (int64_t l = 0; l < v->n_leaves; l++) {
        double sum[3] = {0, 0, 0};
        int n = 0;
        for (int pass = 0; pass < 2; pass++)
            for (int m = 0; m < 512; m++) {
                int cell[3] = {m >> 6, m >> 3 & 7, m & 7},
                    at = (cell[0] * 9 + cell[1]) * 9 + cell[2];
                int32_t t = nearest[512 * l + m];
                double value[3] = {0, 0, 0}, x[3], share[3], off[3], spin[3];
                if ((pass == 0) != (t >= 0)) continue;
                if (t >= 0) {
                    const uint32_t *corner = mesh->triangles + 3 * (size_t)t;
                    for (int a = 0; a < 3; a++)
                        x[a] = v->origin[a] + v->voxel * (8.0 * v->leaf_block[l][a] + cell[a]);
                    nearest_shares(mesh->xyz + 3 * (size_t)corner[0],
                                   mesh->xyz + 3 * (size_t)corner[1],
                                   mesh->xyz + 3 * (size_t)corner[2], x, share);
                    for (int c = 0; c < n_components; c++)
                        for (int k = 0; k < 3; k++)
                            value[c] += share[k] *
                                        data[(size_t)corner[k] * (size_t)n_components + (size_t)c];
                    for (int a = 0; a < 3; a++) {
                        off[a] = x[a];
                        for (int k = 0; k < 3; k++)
                            off[a] -= share[k] * mesh->xyz[3 * (size_t)corner[k] + a];
                    }
                    if (fastest > 0 && spin_of(mesh, corner, data, spin))
                        add_spin(spin, off, fastest, value);
                    n++;
                }
                for (int c = 0; c < n_components; c++) {
                    sum[c] += value[c];
                    *firn_sdf_at(v, l, at, channel + c) = (float)(t >= 0 ? value[c]
                                                                  : n    ? sum[c] / n
                                                                         : 0);
                }
            }
    }
}

static firn_status add_mesh(firn_field *f, const plan *p, const firn_mesh *mesh,
                            const float *velocity, double fastest, double time,
                            firn_messages *messages)
{
    firn_sdf *volume;
    int32_t *nearest = NULL;
    firn_status status = firn_vdb_from_mesh(mesh, p->voxel, p->band, p->inner, p->is_signed,
                                            p->n_channels, omp_get_max_threads(), &volume,
                                            p->n_channels > 1 ? &nearest : NULL, messages);
    if (status)
        return firn_messages_add(messages, status, "%s: it has no distance field: see above",
                                 p->def->file);
    if (velocity) spread(volume, nearest, mesh, velocity, 3, f->velocity, fastest);
    if (p->paint[0]) spread(volume, nearest, mesh, p->paint[0]->data, 1, f->friction, 0);
    if (p->paint[1]) spread(volume, nearest, mesh, p->paint[1]->data, 1, f->stickiness, 0);
    firn_memory_release(NULL, nearest, (size_t)volume->n_leaves * 512 * sizeof *nearest);
    double min[3], max[3];
    firn_mesh_bounds(mesh, min, max);
    grow_bounds(f, min, max);
    return append(f, time, volume, p->def->file, messages);
}

/* Reads, scales, welds and, for solids, closes. *is_open only ever becomes true with a thickness.
 */
static firn_status load_mesh(const firn_shape_def *def, const char *path, firn_mesh **mesh,
                             int *is_open, firn_messages *messages)
{
    firn_status status = firn_mesh_read(path, mesh, messages);
    if (status) return status;
    if (def->scale > 0) firn_mesh_scale(*mesh, def->scale);
    status = firn_mesh_weld(*mesh, path, messages);
    *is_open = 0;
    if (!status && def->thickness > 0) {
        int open = firn_mesh_is_open(*mesh);
        *is_open = open != 0;
        if (open < 0)
            status = firn_messages_add(messages, FIRN_MEMORY, "%s: there is no memory to check it.",
                                       path);
    } else if (!status)
        status = firn_mesh_close(*mesh, path, messages);
    if (status) {
        firn_mesh_destroy(*mesh);
        *mesh = NULL;
    }
    return status;
}

/* The widths of the bands that go with its voxel. */
static void set_bands(plan *p, const firn_shape_def *def, firn_shape_need need, double least_band)
{
    p->band = p->inner = fmax(BAND * p->voxel + 0.5 * def->thickness, least_band);
    if (def->thickness > 0 && need.above > 0)
        p->band = p->inner = fmax(p->band, need.above + 0.5 * def->thickness + p->voxel);
    if (!(def->thickness > 0)) p->inner = fmax(p->band, need.depth + p->voxel);
}

static double voxels_of(const plan *p, double area)
{
    return area / (p->voxel * p->voxel) * ((p->band + p->inner) / p->voxel + 8);
}

static void choose_voxel(plan *p, const firn_shape_def *def, firn_shape_need need, double longest,
                         double area)
{
    const double coarse = longest / VOXELS_ACROSS;
    p->voxel = need.cell > 0 ? fmin(coarse, need.cell / VOXELS_A_CELL) : coarse;
    for (; p->voxel < coarse; p->voxel *= 1.1) {
        set_bands(p, def, need, 0);
        if (voxels_of(p, area) * sizeof(float) <= (double)FINE_BYTES) break;
    }
    p->voxel = fmin(p->voxel, coarse);
    const int is_sequence = firn_file_sequence_is_pattern(def->file);
    if (is_sequence) p->voxel = fmax(p->voxel, need.depth / VOXELS_DEEP);
    if (is_sequence && !(need.depth > 0) && !need.is_start)
        p->voxel = fmax(p->voxel, fmin(need.cell / VOXELS_A_CELL, longest / VOXELS_LEAST));
    if (def->thickness > 0) p->voxel = fmin(p->voxel, def->thickness / 3);
}

static firn_status make_plan(plan *p, const firn_shape_def *def, firn_shape_need need,
                             const firn_mesh *mesh, int is_signed, double least_band,
                             firn_messages *messages)
{
    double min[3], max[3], longest = 0, area = firn_mesh_area(mesh);
    firn_mesh_bounds(mesh, min, max);
    for (int a = 0; a < 3; a++) longest = fmax(longest, max[a] - min[a]);
    *p = (plan){.def = def, .voxel = def->voxel, .is_signed = is_signed, .n_channels = 1};
    if (!(p->voxel > 0)) choose_voxel(p, def, need, longest, area);
    set_bands(p, def, need, least_band);
    double n_voxels = voxels_of(p, area);
    if (!(longest / p->voxel < MAX_ACROSS))
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "%s: the mesh is %g m across, %.3g of its voxels of %g m; a "
                                 "distance field may be up to "
                                 "%g voxels across. Give a larger voxel, or check scale.",
                                 def->file, longest, longest / p->voxel, p->voxel, MAX_ACROSS);
    if (!(n_voxels * sizeof(float) <= (double)MAX_BYTES))
        return firn_messages_add(
            messages, FIRN_REFUSED,
            "%s: a distance field with voxels of %g m would need about %.3g voxels for a mesh %g m "
            "across "
            "with %g m^2 of surface; at most %.3g are held. Give a larger voxel, or check scale.",
            def->file, p->voxel, n_voxels, longest, area, (double)MAX_BYTES / sizeof(float));
    if (need.cell > 0 && p->voxel > need.cell)
        firn_messages_warn(messages,
                           "%s: its voxels of %.3g m are larger than the cells of %.3g m; what is "
                           "thinner than a voxel is "
                           "lost, and of what is round a part of the volume. Give a smaller voxel.",
                           def->file, p->voxel, need.cell);
    return FIRN_OK;
}

/* Channels behind the distance: speed of the surface, then paint */
static void find_channels(firn_field *f, plan *p, const firn_mesh *mesh, int moves)
{
    static const char *const names[2] = {"friction", "stickiness"};
    int *channels[2] = {&f->friction, &f->stickiness};
    if (moves) {
        f->velocity = p->n_channels;
        p->n_channels += 3;
    }
    for (int i = 0; i < 2; i++)
        if ((p->paint[i] = firn_mesh_find(mesh, names[i]))) *channels[i] = p->n_channels++;
}

static int same_faces(const firn_mesh *a, const firn_mesh *b)
{
    return a->n_points == b->n_points && a->n_triangles == b->n_triangles &&
           !memcmp(a->triangles, b->triangles, (size_t)a->n_triangles * 12);
}

static double largest_move(const firn_mesh *a, const firn_mesh *b)
{
    double largest = 0;
    for (int64_t i = 0; i < a->n_points; i++) {
        double d2 = 0;
        for (int k = 0; k < 3; k++) d2 += pow(b->xyz[3 * i + k] - a->xyz[3 * i + k], 2);
        largest = fmax(largest, d2);
    }
    return sqrt(largest);
}

/* One file's volume and, where the next file has the same faces, the pieces up to it. `before`
 * is NULL for the first file. Speeds are central at files and constant between them. */
static firn_status add_pieces(firn_field *f, const plan *p, const firn_mesh *before, firn_mesh *at,
                              const firn_mesh *after, const double t[3], firn_messages *messages)
{
    size_t n = 3 * (size_t)at->n_points;
    float *velocity = firn_memory_array(NULL, n, sizeof *velocity);
    double *start = firn_memory_array(NULL, n, sizeof *start);
    firn_status status = velocity && start ? FIRN_OK
                                           : firn_messages_add(messages, FIRN_MEMORY,
                                                               "%s: no memory.", p->def->file);
    int pieces = 1;
    double move = after ? largest_move(at, after) : 0;
    if (!status && after) {
        double wanted = ceil(move / (MAX_MOVE * p->voxel));
        pieces = (int)fmax(1, fmin(MAX_PIECES, wanted));
        if (wanted > MAX_PIECES)
            firn_messages_warn(
                messages,
                "%s: the mesh moves %.3g voxels from %g s to %g s; thin parts may flicker there. "
                "Give more files a second or a larger voxel.",
                p->def->file, wanted * MAX_MOVE, t[1], t[2]);
    }
    if (!status) memcpy(start, at->xyz, n * sizeof *start);
    for (int piece = 0; piece < pieces && !status; piece++) {
        double s = (double)piece / pieces;
        const double *left = piece || !before ? start : before->xyz,
                     *right = after ? after->xyz : start;
        double h = (piece || !before ? 0 : t[1] - t[0]) + (after ? t[2] - t[1] : 0);
        for (size_t i = 0; i < n; i++) {
            velocity[i] = h > 0 ? (float)((right[i] - left[i]) / h) : 0;
            at->xyz[i] = after ? start[i] + s * (after->xyz[i] - start[i]) : start[i];
        }
        double speed = 0;
        for (size_t i = 0; i + 2 < n; i += 3)
            speed = fmax(speed, sqrt(pow(velocity[i], 2) + pow(velocity[i + 1], 2) +
                                     pow(velocity[i + 2], 2)));
        f->max_speed = fmax(f->max_speed, speed);
        note_speed(f, f->n, fmax(speed, after ? move / (t[2] - t[1]) : 0));
        status = add_mesh(f, p, at, velocity, speed, t[1] + s * (t[2] - t[1]), messages);
    }
    if (start) memcpy(at->xyz, start, n * sizeof *start);
    firn_memory_release(NULL, velocity, n * sizeof *velocity);
    firn_memory_release(NULL, start, n * sizeof *start);
    return status;
}

/* ---------------------------------------------------------------- ways between volumes */

/* Where speeds are not known: the shifts between volumes, and the farthest that surfaces are
 * apart beside them. */
static double find_shifts(firn_field *f, double *deepest)
{
    const double none[3] = {0, 0, 0};
    double middle[2][3], farthest = 0;
    *deepest = INFINITY;
    for (int i = 0; i < f->n; i++) {
        *deepest = fmin(*deepest, firn_sdf_motion_middle(f->volumes[i], middle[i & 1]));
        if (i == 0) continue;
        const firn_sdf *before = f->volumes[i - 1], *after = f->volumes[i];
        double *shift = f->shifts[i - 1], in_place = firn_sdf_motion_way(before, after, none);
        for (int a = 0; a < 3; a++) shift[a] = middle[i & 1][a] - middle[(i - 1) & 1][a];
        double carried = firn_sdf_motion_way(before, after, shift), length = 0;
        if (!(carried < 0.5 * in_place)) {
            memset(shift, 0, sizeof *f->shifts);
            carried = in_place;
        }
        for (int a = 0; a < 3; a++) length += shift[a] * shift[a];
        f->max_speed =
            fmax(f->max_speed, (carried + sqrt(length)) / (f->times[i] - f->times[i - 1]));
        farthest = fmax(farthest, carried);
    }
    return farthest;
}

/* Mixing is right where both distances are known, and for what is thicker than the way. */
static void warn_of_fading(const firn_shape_def *def, const firn_field *f, double way,
                           double deepest, firn_messages *messages)
{
    double band = INFINITY;
    for (int i = 0; i < f->n; i++) band = fmin(band, f->volumes[i]->band);
    if (way <= band && way <= deepest) return;
    firn_messages_warn(
        messages,
        "%s: from file to file its surface moves up to %.3g m beside its middle, more than %s of "
        "%.3g m; "
        "it fades out here and in there. Give more files a second, or %s.",
        def->file, way, way > band ? "the band" : "half the thickness", way > band ? band : deepest,
        strcmp(def->kind, "vdb") ? "faces that stay the same" : "a grid v with its velocity");
}

/* Files made for another number of them a second, or in other units. */
static void check_velocity(const firn_shape_def *def, const firn_field *f, firn_messages *messages)
{
    firn_sdf_motion_carried worst = {0, 0};
    for (int i = 0; i + 1 < f->n; i++) {
        const firn_sdf_motion_carried c = firn_sdf_motion_carry(
            f->volumes[i], f->volumes[i + 1], f->velocity, f->times[i + 1] - f->times[i]);
        if (c.missed - 0.25 * c.moved > worst.missed - 0.25 * worst.moved) worst = c;
    }
    if (worst.missed < 0.25 * worst.moved + 0.2 * f->volumes[0]->voxel) return;
    firn_messages_warn(messages,
                       "%s: its grid v carries a surface %.3g m along its normal to the next file, "
                       "which is %.3g m beside "
                       "that (means); v must be in m/s for this shape's fps, scale and its files.",
                       def->file, worst.moved, worst.missed);
}

/* As the greatest speed is not known time by time it stands for all times. */
static void spread_speed(firn_field *f)
{
    for (int i = 0; i < f->n; i++) note_speed(f, i, f->max_speed);
}

/* ---------------------------------------------------------------- sequences of meshes */

/* Paint has its channels from the first file on. */
static firn_status find_paint(const firn_field *f, plan *p, const firn_mesh *mesh, const char *path,
                              firn_messages *messages)
{
    static const char *const names[2] = {"friction", "stickiness"};
    const int channels[2] = {f->friction, f->stickiness};
    for (int k = 0; k < 2; k++) {
        p->paint[k] = firn_mesh_find(mesh, names[k]);
        if ((p->paint[k] != NULL) != (channels[k] != 0))
            return firn_messages_add(
                messages, FIRN_REFUSED,
                "%s: its points have %s attribute %s, unlike those of the first file; all files of "
                "a sequence must have the same.",
                path, p->paint[k] ? "an" : "no", names[k]);
    }
    return FIRN_OK;
}

/* All files, three meshes at a time: the file before, the present one, the next. *moves: they
 * keep their faces. */
static firn_status read_meshes(const firn_shape_def *def, firn_shape_need need,
                               const firn_file_sequence *files, double least_band, firn_field *f,
                               int *moves, firn_messages *messages)
{
    firn_mesh *around[3] = {NULL, NULL, NULL};
    plan p;
    int is_open = 0, any_open = 0;
    char path[FIRN_PATH], present[FIRN_PATH];
    *moves = 0;
    firn_file_sequence_path(files, 0, path);
    firn_status status = load_mesh(def, path, &around[1], &any_open, messages);
    for (int i = 0; i < files->n && !status; i++) {
        firn_file_sequence_path(files, i, present);
        if (i + 1 < files->n) {
            firn_file_sequence_path(files, i + 1, path);
            status = load_mesh(def, path, &around[2], &is_open, messages);
            if (status) break;
        }
        if (i == 0) {
            *moves = around[2] && same_faces(around[1], around[2]);
            status = make_plan(&p, def, need, around[1], !any_open, least_band, messages);
            if (status) break;
            find_channels(f, &p, around[1], *moves);
        }
        status = find_paint(f, &p, around[1], present, messages);
        double t[3];
        for (int k = 0; k < 3; k++) t[k] = firn_file_sequence_time(files, i + k - 1, def);
        if (status)
            break;
        else if (*moves && around[2] && !same_faces(around[1], around[2]))
            status = firn_messages_add(messages, FIRN_REFUSED,
                                       "%s: its faces differ from those of the file before; a "
                                       "sequence must keep its faces "
                                       "or change them with every file.",
                                       path);
        else if (*moves)
            status = add_pieces(f, &p, around[0], around[1], around[2], t, messages);
        else
            status = add_mesh(f, &p, around[1], NULL, 0, t[1], messages);
        firn_mesh_destroy(around[0]);
        around[0] = around[1];
        around[1] = around[2];
        around[2] = NULL;
    }
    for (int k = 0; k < 3; k++) firn_mesh_destroy(around[k]);
    return status;
}

/* Where faces change, distances are mixed in place: the bands must reach from a surface to the
 * next one. How far that is is only known when there are bands, and beyond them to eight voxels. */
static firn_status mesh_sequence(const firn_shape_def *def, firn_shape_need need,
                                 const firn_file_sequence *files, firn_field *f,
                                 firn_messages *messages)
{
    enum { TRIES = 3 };
    int moves;
    double least_band = 0, way = 0, deepest = 0;
    for (int try = 0; try < TRIES; try++) {
        clear(f);
        firn_status status = read_meshes(def, need, files, least_band, f, &moves, messages);
        if (status || moves) return status;
        way = find_shifts(f, &deepest);
        if (f->n < 2 || way <= f->volumes[0]->band - f->volumes[0]->voxel) break;
        least_band = way + 10 * f->volumes[0]->voxel;
    }
    warn_of_fading(def, f, way, deepest, messages);
    spread_speed(f);
    return FIRN_OK;
}

static firn_status single_mesh(const firn_shape_def *def, firn_shape_need need, firn_field *f,
                               firn_messages *messages)
{
    firn_mesh *mesh;
    int is_open;
    firn_status status = load_mesh(def, def->file, &mesh, &is_open, messages);
    if (status) return status;
    plan p;
    status = make_plan(&p, def, need, mesh, !is_open, 0, messages);
    if (!status) {
        find_channels(f, &p, mesh, 0);
        status = add_mesh(f, &p, mesh, NULL, 0, 0, messages);
    }
    firn_mesh_destroy(mesh);
    return status;
}

/* ---------------------------------------------------------------- .vdb files */

static firn_status add_vdb(const firn_shape_def *def, firn_shape_need need, const char *path,
                           double time, int is_moving, firn_field *f, firn_messages *messages)
{
    const double half = 0.5 * def->thickness, above = half > 0 ? half + need.above : 0;
    firn_sdf *volume;
    firn_vdb_channels there;
    firn_status status = firn_vdb_read_volume(path, def->grid, def->scale > 0 ? def->scale : 1,
                                              fmax(need.depth, half), above, is_moving, need.memory,
                                              omp_get_max_threads(), &volume, &there, messages);
    if (status) return status;
    if (f->n && (there.friction != f->friction || there.stickiness != f->stickiness ||
                 there.velocity != f->velocity)) {
        firn_sdf_destroy(volume);
        return firn_messages_add(
            messages, FIRN_REFUSED,
            "%s: it has other grids (friction, stickiness, v) than the files before.", path);
    }
    f->friction = there.friction;
    f->stickiness = there.stickiness;
    f->velocity = there.velocity;
    double min[3], max[3];
    firn_sdf_bounds(volume, min, max);
    grow_bounds(f, min, max);
    return append(f, time, volume, path, messages);
}

static firn_status vdb_sequence(const firn_shape_def *def, firn_shape_need need,
                                const firn_file_sequence *files, firn_field *f,
                                firn_messages *messages)
{
    firn_status status = FIRN_OK;
    for (int i = 0; i < files->n && !status; i++) {
        char path[FIRN_PATH];
        firn_file_sequence_path(files, i, path);
        status = add_vdb(def, need, path, firn_file_sequence_time(files, i, def), 1, f, messages);
    }
    if (status) return status;
    double deepest, way = f->velocity ? 0 : find_shifts(f, &deepest);
    for (int i = 0; f->velocity && i < f->n; i++)
        f->max_speed = fmax(f->max_speed, firn_sdf_motion_speed(f->volumes[i], f->velocity));
    if (f->velocity)
        check_velocity(def, f, messages);
    else
        warn_of_fading(def, f, way, deepest, messages);
    spread_speed(f);
    return status;
}

static firn_status single_vdb(const firn_shape_def *def, firn_shape_need need, firn_field *f,
                              firn_messages *messages)
{
    return add_vdb(def, need, def->file, 0, 0, f, messages);
}

/* ---------------------------------------------------------------- either */

typedef firn_status (*single_fn)(const firn_shape_def *def, firn_shape_need need, firn_field *f,
                                 firn_messages *messages);
typedef firn_status (*sequence_fn)(const firn_shape_def *def, firn_shape_need need,
                                   const firn_file_sequence *files, firn_field *f,
                                   firn_messages *messages);

static firn_status load(const firn_shape_def *def, firn_shape_need need, single_fn single,
                        sequence_fn sequence, firn_field **field, firn_messages *messages)
{
    *field = NULL;
    int is_sequence = firn_file_sequence_is_pattern(def->file);
    firn_file_sequence files = {0};
    firn_status status = is_sequence ? firn_file_sequence_find(def->file, &files, messages)
                                     : firn_file_sequence_check_single(def->file, messages);
    if (status) return status;
    if (is_sequence && need.is_start) firn_file_sequence_keep(&files, 0, def);
    firn_field *f = create(is_sequence ? files.n * MAX_PIECES : 1);
    if (!f)
        status =
            firn_messages_add(messages, FIRN_MEMORY, "%s: there is no memory for it.", def->file);
    else
        status =
            is_sequence ? sequence(def, need, &files, f, messages) : single(def, need, f, messages);
    firn_file_sequence_clear(&files);
    if (status)
        firn_sdf_sequence_destroy(f);
    else
        *field = f;
    return status;
}

firn_status firn_sdf_sequence_from_mesh(const firn_shape_def *def, firn_shape_need need,
                                        firn_field **field, firn_messages *messages)
{
    return load(def, need, single_mesh, mesh_sequence, field, messages);
}

firn_status firn_sdf_sequence_from_vdb(const firn_shape_def *def, firn_shape_need need,
                                       firn_field **field, firn_messages *messages)
{
    return load(def, need, single_vdb, vdb_sequence, field, messages);
}

int firn_sdf_sequence_n_volumes(const firn_field *f) { return f->n; }
size_t firn_sdf_sequence_bytes(const firn_field *f) { return f->n_bytes; }

void firn_sdf_sequence_bounds(const firn_field *f, double min[3], double max[3])
{
    memcpy(min, f->min, sizeof f->min);
    memcpy(max, f->max, sizeof f->max);
}

/* ---------------------------------------------------------------- query */

/* A kink (the middle of a thin plate) has no gradient; any direction is as good. */
static void set_normal(const double g[3], double normal[3])
{
    double length = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    for (int a = 0; a < 3; a++) normal[a] = length > 1e-12 ? g[a] / length : (a == 2);
}

static void set_paint(const firn_field *f, const firn_sdf *volume, const double x[3],
                      firn_surface_point *s)
{
    double value;
    if (f->friction && firn_sdf_paint(volume, x, f->friction, &value)) s->friction = value;
    if (f->stickiness && firn_sdf_paint(volume, x, f->stickiness, &value)) s->stickiness = value;
}

/* The volume that lasts to at least `time`, and no longer if that is the next one's: what
 * arrives there came with the speed before. Found by bisection. Of a sequence. */
static int interval(const firn_field *f, double time)
{
    const int recent = __atomic_load_n(f->recent, __ATOMIC_RELAXED);
    const int is_in = recent < f->n - 1 && (recent == 0 || f->times[recent] < time) &&
                      (recent == f->n - 2 || time <= f->times[recent + 1]);
    if (is_in) return recent;
    int low = 0, high = f->n - 1;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (f->times[middle] < time)
            low = middle;
        else
            high = middle;
    }
    __atomic_store_n(f->recent, low, __ATOMIC_RELAXED);
    return low;
}

/* Where the place x of the time between two volumes, at the share s of the way, is found in each
 * of them: carried along with the speed of the surface, where that is known, else with that of
 * the middle. False where no surface is near that has a speed of its own: then `far` are the
 * distances, where speeds are known. */
static int carry(const firn_field *f, int i, double s, double h, const double x[3], double at[2][3],
                 double v[3], double far[2])
{
    double speed[2][4];
    int is_near[2] = {0, 0};
    if (f->velocity) firn_sdf_pair_vector(f->volumes + i, x, f->velocity, speed, far, is_near);
    for (int k = 0; k < 2; k++) {
        memcpy(at[k], x, sizeof at[k]);
        for (int a = 0; !f->velocity && a < 3; a++)
            at[k][a] = x[a] + ((double)k - s) * f->shifts[i][a];
    }
    for (int a = 0; !f->velocity && a < 3; a++) v[a] = f->shifts[i][a] / h;
    if (!is_near[0] && !is_near[1]) return 0;
    const double share = is_near[0] && is_near[1] ? s
                         : is_near[1]             ? 1
                                                  : 0; /* a far side lends the other's speed */
    for (int a = 0; a < 3; a++) {
        v[a] = (1 - share) * speed[0][a] + share * speed[1][a];
        for (int k = 0; k < 2; k++) at[k][a] = x[a] + ((double)k - s) * h * v[a];
    }
    return 1;
}

double firn_sdf_sequence_speed(const firn_field *f, double from, double until)
{
    if (f->n < 2) return -1;
    if (until <= f->times[0] || from >= f->times[f->n - 1]) return 0;
    double speed = 0;
    for (int i = interval(f, from); i <= interval(f, until); i++) speed = fmax(speed, f->speeds[i]);
    return speed;
}

static void query_moving(const firn_field *f, int i, double s, double h, const double x[3],
                         int wants_all, firn_surface_point *out)
{
    const int wants_slope = wants_all || !f->velocity;
    double d[2], g[2][3], at[2][3], mixed[3];
    int is_near[2];
    const int is_carried = carry(f, i, s, h, x, at, out->velocity, d);
    if (wants_slope)
        firn_sdf_pair_slope(f->volumes + i, at, s > 0.5, d, g, is_near);
    else if (is_carried)
        firn_sdf_pair_distance(f->volumes + i, at, d);
    out->distance = (1 - s) * d[0] + s * d[1];
    if (!wants_slope) return;
    for (int a = 0; a < 3; a++) mixed[a] = (1 - s) * g[0][a] + s * g[1][a];
    set_normal(mixed, out->normal);
    if (!f->velocity && is_near[0] && is_near[1])
        for (int a = 0; a < 3; a++) out->velocity[a] -= (d[1] - d[0]) / h * out->normal[a];
    if (wants_all) set_paint(f, f->volumes[i + (s > 0.5)], at[s > 0.5], out);
}

static void ask(const firn_field *f, const double x[3], double time, int wants_all,
                firn_surface_point *out)
{
    double g[3];
    if (f->n > 1 && time > f->times[0] &&
        time <= f->times[f->n - 1]) { /* its end counts: see shape.h */
        int i = interval(f, time);
        double h = f->times[i + 1] - f->times[i];
        query_moving(f, i, (time - f->times[i]) / h, h, x, wants_all, out);
        return;
    }
    const firn_sdf *volume = f->volumes[f->n > 1 && time > f->times[0] ? f->n - 1 : 0];
    if (!wants_all) {
        out->distance = firn_sdf_distance(volume, x);
        return;
    }
    firn_sdf_slope(volume, x, &out->distance, g);
    set_normal(g, out->normal);
    set_paint(f, volume, x, out);
}

void firn_sdf_sequence_query(const firn_field *f, const double x[3], double time,
                             firn_surface_point *out)
{
    ask(f, x, time, 1, out);
}

void firn_sdf_sequence_distance(const firn_field *f, const double x[3], double time,
                                firn_surface_point *out)
{
    ask(f, x, time, 0, out);
}

/* ---------------------------------------------------------------- kinds of shape */

static firn_status build(firn_shape_part *part, const firn_shape_def *def, const char *where,
                         firn_messages *messages,
                         firn_status (*from_file)(const firn_shape_def *, firn_shape_need,
                                                  firn_field **, firn_messages *))
{
    if (!def->file[0])
        return firn_messages_add(messages, FIRN_REFUSED, "%s: a %s needs a file.", where,
                                 def->kind);
    if (def->scale < 0 || def->voxel < 0 || def->fps < 0)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "%s: scale, voxel and fps must not be negative.", where);
    firn_field *field;
    firn_status status = from_file(def, part->need, &field, messages);
    part->data = field;
    return status;
}

static firn_status build_mesh(firn_shape_part *part, const firn_shape_def *def, const char *where,
                              firn_messages *messages)
{
    return build(part, def, where, messages, firn_sdf_sequence_from_mesh);
}

static firn_status build_vdb(firn_shape_part *part, const firn_shape_def *def, const char *where,
                             firn_messages *messages)
{
    return build(part, def, where, messages, firn_sdf_sequence_from_vdb);
}

static void query(const firn_shape_part *part, const double p[3], double time,
                  firn_surface_point *surface)
{
    firn_sdf_sequence_query(part->data, p, time, surface);
}

static void distance_query(const firn_shape_part *part, const double p[3], double time,
                           firn_surface_point *surface)
{
    firn_sdf_sequence_distance(part->data, p, time, surface);
}

static void bounds(const firn_shape_part *part, double min[3], double max[3])
{
    firn_sdf_sequence_bounds(part->data, min, max);
}

static double speed(const firn_shape_part *part)
{
    return ((const firn_field *)part->data)->max_speed;
}

static double speed_between(const firn_shape_part *part, double from, double until)
{
    return firn_sdf_sequence_speed(part->data, from, until);
}

static double voxel(const firn_shape_part *part)
{
    const firn_field *f = part->data;
    double largest = 0;
    for (int i = 0; i < f->n; i++) largest = fmax(largest, f->volumes[i]->voxel);
    return largest;
}

static double stickiness(const firn_shape_part *part)
{
    const firn_field *f = part->data;
    double most = 0;
    for (int i = 0; i < f->n && f->stickiness; i++)
        for (int64_t l = 0; l < f->volumes[i]->n_leaves; l++)
            for (int at = 0; at < FIRN_LEAF_SIZE; at++)
                most = fmax(most, *firn_sdf_at(f->volumes[i], l, at,
                                               f->stickiness)); /* of NAN the other one */
    return most;
}

/* Where points know their speeds these are continuous from the first file to the last. */
static double border(const firn_shape_part *part, double from)
{
    const firn_field *f = part->data;
    if (f->n < 2 || from >= f->times[f->n - 1]) return INFINITY;
    if (from < f->times[0]) return f->times[0];
    if (f->velocity) return f->times[f->n - 1];
    const int i = interval(f, from);
    return f->times[from < f->times[i + 1] ? i + 1 : i + 2];
}

static void release(firn_shape_part *part) { firn_sdf_sequence_destroy(part->data); }

const firn_shape_kind firn_field_kinds[] = {
    {{"mesh", "a triangle mesh from .obj, .ply or .stl, or a sequence of them (walk.%04d.obj)",
      "file scale voxel fps start"},
     build_mesh,
     query,
     bounds,
     release,
     speed,
     0,
     distance_query,
     speed_between,
     voxel,
     border,
     stickiness},
    {{"vdb",
      "a level set or fog from a .vdb file, or a sequence of them, moving by their grids v where "
      "there are",
      "file grid scale fps start"},
     build_vdb,
     query,
     bounds,
     release,
     speed,
     0,
     distance_query,
     speed_between,
     voxel,
     border,
     stickiness},
    {.info = {NULL, NULL, NULL}},
};
