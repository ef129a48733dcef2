/* SPDX-License-Identifier: MIT */
/* sdf_from_mesh.c: meshes to distance fields over time.
 *
 * Where all files of a sequence have the same faces, its points carry the velocity of the surface,
 * central differences at files and constant between them, into three channels of the fields. Files
 * are subdivided, with points moved linearly, until the surface moves at most MAX_MOVE voxels from
 * one field to the next. Meshes that change their faces are blended in place (sdf_sequence.c), with
 * bands as wide as the surface moves from file to file relative to its centroid.
 *
 * A voxel that is not given is half a cell or finer: a ball of ten cells across then loses .5 % of
 * its volume. */
#include "base/memory.h"
#include "base/messages.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh/mesh_close.h"
#include "geometry/sdf/sdf_sequence.h"
#include "geometry/vdb/vdb.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#define BAND 4.0     /* voxels to both sides of the surface */
#define MAX_MOVE 2.0 /* voxels from one field to the next */
#define MAX_PIECES 32
#define MAX_ACROSS 1e5 /* voxels */

/* The voxel, where it is not given: at least so many in the longest edge of a mesh's box, */
#define VOXELS_ACROSS 150
/* and in a cell, while the field takes no more than FINE_BYTES. */
#define VOXELS_IN_CELL 2.0
#define FINE_BYTES ((size_t)512 << 20)
/* Sequences take memory with every file: no more than so many in a collider's depth, and where no
 * depth is wanted so many in the longest edge, if these are coarser. */
#define VOXELS_IN_DEPTH 10.0
#define VOXELS_LEAST 24

/* What is the same for all fields of one shape */
typedef struct plan {
    const firn_shape_def *def;
    double voxel, band, inner; /* m; inner: the band's width inside */
    int is_signed, n_channels;
    const firn_mesh_attribute *paint[2]; /* friction, stickiness */
} plan;

/* ---------------------------------------------------------------- from points to voxels */

static void cross(const double a[3], const double b[3], double c[3])
{
    for (int i = 0; i < 3; i++)
        c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* Barycentric coordinates of the point of the triangle that is nearest to x (C. Ericson, Real-Time
 * Collision Detection, 2005, ch. 5.1.5). Outside of the triangle they are clamped and normalised,
 * which is near enough for paint and velocity. */
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
    double u = fmax(0, 1 - v - w);
    v = fmax(0, v);
    w = fmax(0, w);
    double sum = u + v + w;
    share[0] = u / sum;
    share[1] = v / sum;
    share[2] = w / sum;
}

/* Spin of a triangle whose corners have these velocities, rad/s: half the curl of the velocity
 * gradient L with
 *
 *     L e_k = dv_k   (edges e_k = x_k - x_0, dv_k = v_k - v_0),      L n = dn/dt,
 *
 * that is  1/2 sum_k e^k x dv_k + 1/2 n x dn/dt / |n|^2  with the dual vectors e^k, e^j . e_k =
 * delta_jk, and the normal's rate of change  dn/dt = -sum_k (n . dv_k) e^k. Returns 0 for a
 * triangle without area. */
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
    cross(n, e[0], dual[1]);
    for (int k = 0; k < 2; k++) {
        double along = 0;
        for (int a = 0; a < 3; a++) {
            dual[k][a] /= area2;
            along += n[a] * dv[k][a];
        }
        for (int a = 0; a < 3; a++) turn[a] -= along * dual[k][a]; /* dn/dt; |n|^2 = area2 */
    }
    double sum[3] = {0, 0, 0}, part[3];
    for (int k = 0; k < 3; k++) {
        cross(k < 2 ? dual[k] : n, k < 2 ? dv[k] : turn, part);
        for (int a = 0; a < 3; a++) sum[a] += part[a] / (k < 2 ? 1 : area2);
    }
    for (int a = 0; a < 3; a++) spin[a] = 0.5 * sum[a];
    return 1;
}

/* A point off the surface moves as if it were fixed to it: at distance `off` from the nearest
 * point of the surface, spin x off faster than that. At most `most`, the greatest speed of the
 * surface, as small triangles may spin at any rate. */
static void add_spin(const double spin[3], const double off[3], double most, double v[3])
{
    double more[3], length2 = 0;
    cross(spin, off, more);
    for (int a = 0; a < 3; a++) length2 += more[a] * more[a];
    const double share = length2 > most * most ? most / sqrt(length2) : 1;
    for (int a = 0; a < 3; a++) v[a] += share * more[a];
}

/* One voxel: value[n_components] of the nearest triangle t. fastest: see transfer. */
static void value_at(const firn_mesh *mesh, const float *data, int n_components, double fastest,
                     int32_t t, const double x[3], double value[3])
{
    double share[3], off[3], spin[3];
    const uint32_t *corner = mesh->triangles + 3 * (size_t)t;
    nearest_shares(mesh->xyz + 3 * (size_t)corner[0], mesh->xyz + 3 * (size_t)corner[1],
                   mesh->xyz + 3 * (size_t)corner[2], x, share);
    for (int c = 0; c < n_components; c++)
        for (int k = 0; k < 3; k++)
            value[c] += share[k] * data[(size_t)corner[k] * (size_t)n_components + (size_t)c];
    for (int a = 0; a < 3; a++) {
        off[a] = x[a];
        for (int k = 0; k < 3; k++) off[a] -= share[k] * mesh->xyz[3 * (size_t)corner[k] + a];
    }
    if (fastest > 0 && spin_of(mesh, corner, data, spin)) add_spin(spin, off, fastest, value);
}

/* Attributes of points (n_components numbers each) to channels, from each voxel's nearest
 * triangle; voxels beyond the band get the mean of their leaf. fastest: of data that are
 * velocities the greatest; else 0. */
static void transfer(firn_sdf *v, const int32_t *nearest, const firn_mesh *mesh, const float *data,
                     int n_components, int channel, double fastest)
{
#pragma omp parallel for schedule(dynamic, 64)
    for (int64_t l = 0; l < v->n_leaves; l++) {
        double sum[3] = {0, 0, 0};
        int n = 0;
        for (int pass = 0; pass < 2; pass++)
            for (int m = 0; m < 512; m++) {
                const int cell[3] = {m >> 6, m >> 3 & 7, m & 7};
                const int at = (cell[0] * 9 + cell[1]) * 9 + cell[2];
                const int32_t t = nearest[512 * l + m];
                double value[3] = {0, 0, 0}, x[3];
                if ((pass == 0) != (t >= 0)) continue;
                for (int a = 0; a < 3; a++)
                    x[a] = v->origin[a] + v->voxel * (8.0 * v->leaf_block[l][a] + cell[a]);
                if (t >= 0) {
                    value_at(mesh, data, n_components, fastest, t, x, value);
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

/* velocity: of the points, NULL: they rest; fastest: the greatest, m/s. */
static firn_status add_mesh(firn_sdf_sequence *q, const plan *p, const firn_mesh *mesh,
                            const float *velocity, double fastest, double time,
                            firn_messages *messages)
{
    firn_sdf *sdf;
    int32_t *nearest = NULL;
    firn_status status = firn_vdb_from_mesh(mesh, p->voxel, p->band, p->inner, p->is_signed,
                                            p->n_channels, omp_get_max_threads(), &sdf,
                                            p->n_channels > 1 ? &nearest : NULL, messages);
    if (status)
        return firn_messages_add(messages, status, "%s: no distance field of it: see above",
                                 p->def->file);
    if (velocity) transfer(sdf, nearest, mesh, velocity, 3, q->velocity, fastest);
    if (p->paint[0]) transfer(sdf, nearest, mesh, p->paint[0]->data, 1, q->friction, 0);
    if (p->paint[1]) transfer(sdf, nearest, mesh, p->paint[1]->data, 1, q->stickiness, 0);
    firn_memory_release(NULL, nearest, (size_t)sdf->n_leaves * 512 * sizeof *nearest);
    double low[3], high[3];
    firn_mesh_bounds(mesh, low, high);
    return firn_sdf_sequence_append(q, time, sdf, low, high, p->def->file, messages);
}

/* ---------------------------------------------------------------- the plan */

/* The widths of the bands, m, for the voxel that is set. */
static void set_bands(plan *p, const firn_shape_def *def, firn_shape_need need, double least_band)
{
    p->band = p->inner = fmax(BAND * p->voxel + 0.5 * def->thickness, least_band);
    if (def->thickness > 0 && need.above > 0)
        p->band = p->inner = fmax(p->band, need.above + 0.5 * def->thickness + p->voxel);
    if (!(def->thickness > 0)) p->inner = fmax(p->band, need.depth + p->voxel);
}

/* About as many voxels as the field has: a column for each voxel of the surface. */
static double voxels_of(const plan *p, double area)
{
    return area / (p->voxel * p->voxel) * ((p->band + p->inner) / p->voxel + 8);
}

static void choose_voxel(plan *p, const firn_shape_def *def, firn_shape_need need, double longest,
                         double area)
{
    const double coarse = longest / VOXELS_ACROSS;
    p->voxel = need.cell > 0 ? fmin(coarse, need.cell / VOXELS_IN_CELL) : coarse;
    for (; p->voxel < coarse; p->voxel *= 1.1) {
        set_bands(p, def, need, 0);
        if (voxels_of(p, area) * sizeof(float) <= (double)FINE_BYTES) break;
    }
    p->voxel = fmin(p->voxel, coarse);
    const int is_sequence = firn_file_sequence_is_pattern(def->file);
    if (is_sequence) p->voxel = fmax(p->voxel, need.depth / VOXELS_IN_DEPTH);
    if (is_sequence && !(need.depth > 0) && !need.is_start)
        p->voxel = fmax(p->voxel, fmin(need.cell / VOXELS_IN_CELL, longest / VOXELS_LEAST));
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
                                 "%s: the mesh is %g m across, %.3g voxels of %g m; allowed: at "
                                 "most %g voxels; try: a larger voxel, or check scale",
                                 def->file, longest, longest / p->voxel, p->voxel, MAX_ACROSS);
    if (!(n_voxels * sizeof(float) <= (double)FIRN_SDF_SEQUENCE_BYTES))
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "%s: with voxels of %g m the distance field needs about %.3g of "
                                 "them (the mesh is %g m across and has %g m^2 of surface); "
                                 "allowed: at most %.3g; try: a larger voxel, or check scale",
                                 def->file, p->voxel, n_voxels, longest, area,
                                 (double)FIRN_SDF_SEQUENCE_BYTES / sizeof(float));
    if (need.cell > 0 && p->voxel > need.cell)
        firn_messages_warn(messages,
                           "%s: its voxels (%.3g m) are larger than the cells (%.3g m): parts "
                           "thinner than a voxel are lost, and some of the volume of round ones; "
                           "try: a smaller voxel",
                           def->file, p->voxel, need.cell);
    return FIRN_OK;
}

/* Channels after the distance: velocity of the surface, paint */
static void find_channels(firn_sdf_sequence *q, plan *p, const firn_mesh *mesh, int moves)
{
    static const char *const names[2] = {"friction", "stickiness"};
    int *channels[2] = {&q->friction, &q->stickiness};
    if (moves) {
        q->velocity = p->n_channels;
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

/* Greatest speed of the n numbers of a velocity field, m/s */
static double greatest(const float *velocity, size_t n)
{
    double speed = 0;
    for (size_t i = 0; i + 2 < n; i += 3)
        speed = fmax(speed,
                     sqrt(pow(velocity[i], 2) + pow(velocity[i + 1], 2) + pow(velocity[i + 2], 2)));
    return speed;
}

/* Fields between this file and the next one; move: of its farthest point, m. t: of the file
 * before, of this one and of the next, s. */
static int count_pieces(const plan *p, double move, const double t[3], firn_messages *messages)
{
    const double wanted = ceil(move / (MAX_MOVE * p->voxel));
    if (wanted > MAX_PIECES)
        firn_messages_warn(messages,
                           "%s: the mesh moves %.3g voxels from %g s to %g s; thin parts may "
                           "flicker there; try: more files per second, or a larger voxel",
                           p->def->file, wanted * MAX_MOVE, t[1], t[2]);
    return (int)fmax(1, fmin(MAX_PIECES, wanted));
}

/* The field of one file and, where the next file has the same faces, the pieces up to it. before,
 * after: NULL for the first and the last file. The points of `at` are moved meanwhile. */
static firn_status add_pieces(firn_sdf_sequence *q, const plan *p, const firn_mesh *before,
                              firn_mesh *at, const firn_mesh *after, const double t[3],
                              firn_messages *messages)
{
    size_t n = 3 * (size_t)at->n_points;
    float *velocity = firn_memory_array(NULL, n, sizeof *velocity);
    double *start = firn_memory_array(NULL, n, sizeof *start);
    firn_status status =
        velocity && start ? FIRN_OK : firn_messages_no_memory(messages, "%s", p->def->file);
    const double move = after ? largest_move(at, after) : 0;
    const int n_pieces = !status && after ? count_pieces(p, move, t, messages) : 1;
    if (!status) memcpy(start, at->xyz, n * sizeof *start);
    for (int piece = 0; piece < n_pieces && !status; piece++) {
        const double s = (double)piece / n_pieces;
        const double *left = piece || !before ? start : before->xyz;
        const double *right = after ? after->xyz : start;
        const double h = (piece || !before ? 0 : t[1] - t[0]) + (after ? t[2] - t[1] : 0);
        for (size_t i = 0; i < n; i++) {
            velocity[i] = h > 0 ? (float)((right[i] - left[i]) / h) : 0;
            at->xyz[i] = after ? start[i] + s * (after->xyz[i] - start[i]) : start[i];
        }
        const double speed = greatest(velocity, n);
        q->max_speed = fmax(q->max_speed, speed);
        firn_sdf_sequence_note_speed(q, q->n, fmax(speed, after ? move / (t[2] - t[1]) : 0));
        status = add_mesh(q, p, at, velocity, speed, t[1] + s * (t[2] - t[1]), messages);
    }
    if (start) memcpy(at->xyz, start, n * sizeof *start);
    firn_memory_release(NULL, velocity, n * sizeof *velocity);
    firn_memory_release(NULL, start, n * sizeof *start);
    return status;
}

/* ---------------------------------------------------------------- files */

/* Reads, scales, welds and, without a thickness, closes. *is_open is 1 at most with a thickness. */
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
        if (open < 0) status = firn_messages_no_memory(messages, "%s", path);
    } else if (!status)
        status = firn_mesh_close(*mesh, path, messages);
    if (status) {
        firn_mesh_destroy(*mesh);
        *mesh = NULL;
    }
    return status;
}

/* The attributes of this file; they must be those of the first one, which set the channels. */
static firn_status find_paint(const firn_sdf_sequence *q, plan *p, const firn_mesh *mesh,
                              const char *path, firn_messages *messages)
{
    static const char *const names[2] = {"friction", "stickiness"};
    const int channels[2] = {q->friction, q->stickiness};
    for (int k = 0; k < 2; k++) {
        p->paint[k] = firn_mesh_find(mesh, names[k]);
        if ((p->paint[k] != NULL) != (channels[k] != 0))
            return firn_messages_add(
                messages, FIRN_REFUSED,
                "%s: its points have %s attribute %s, unlike those of the first file; all files of "
                "a sequence must have the same",
                path, p->paint[k] ? "an" : "no", names[k]);
    }
    return FIRN_OK;
}

/* All files, with three meshes at a time in memory: the file before, this one, the next. *moves:
 * they keep their faces. */
static firn_status read_meshes(const firn_shape_def *def, firn_shape_need need,
                               const firn_file_sequence *files, double least_band,
                               firn_sdf_sequence *q, int *moves, firn_messages *messages)
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
            find_channels(q, &p, around[1], *moves);
        }
        status = find_paint(q, &p, around[1], present, messages);
        double t[3];
        for (int k = 0; k < 3; k++) t[k] = firn_file_sequence_time(files, i + k - 1, def);
        if (status)
            break;
        else if (*moves && around[2] && !same_faces(around[1], around[2]))
            status = firn_messages_add(messages, FIRN_REFUSED,
                                       "%s: its faces differ from those of the file before; the "
                                       "files of a sequence keep their faces, or all change them",
                                       path);
        else if (*moves)
            status = add_pieces(q, &p, around[0], around[1], around[2], t, messages);
        else
            status = add_mesh(q, &p, around[1], NULL, 0, t[1], messages);
        firn_mesh_destroy(around[0]);
        around[0] = around[1];
        around[1] = around[2];
        around[2] = NULL;
    }
    for (int k = 0; k < 3; k++) firn_mesh_destroy(around[k]);
    return status;
}

/* Where faces change, distances are blended in place, and the bands must reach from a surface to
 * the next one. How far that is follows from the fields, whose lower bounds of distances reach some
 * voxels beyond their bands: so the fields are made again with wider bands until these suffice. */
static firn_status add_sequence(const firn_shape_def *def, firn_shape_need need,
                                const firn_file_sequence *files, firn_sdf_sequence *q,
                                firn_messages *messages)
{
    enum { TRIES = 3, MARGIN = 10 /* voxels */ };
    int moves;
    double least_band = 0, residual = 0, depth = 0;
    for (int try = 0; try < TRIES; try++) {
        firn_sdf_sequence_clear(q);
        firn_status status = read_meshes(def, need, files, least_band, q, &moves, messages);
        if (status || moves) return status;
        firn_sdf_sequence_find_shifts(q, &residual, &depth);
        if (q->n < 2 || residual <= q->sdfs[0]->band - q->sdfs[0]->voxel) break;
        least_band = residual + MARGIN * q->sdfs[0]->voxel;
    }
    firn_sdf_sequence_check_blend(q, residual, depth, def->file, "faces that stay the same",
                                  messages);
    firn_sdf_sequence_note_max_speed(q);
    return FIRN_OK;
}

static firn_status add_single(const firn_shape_def *def, firn_shape_need need, firn_sdf_sequence *q,
                              firn_messages *messages)
{
    firn_mesh *mesh;
    int is_open;
    firn_status status = load_mesh(def, def->file, &mesh, &is_open, messages);
    if (status) return status;
    plan p;
    status = make_plan(&p, def, need, mesh, !is_open, 0, messages);
    if (!status) {
        find_channels(q, &p, mesh, 0);
        status = add_mesh(q, &p, mesh, NULL, 0, 0, messages);
    }
    firn_mesh_destroy(mesh);
    return status;
}

firn_status firn_sdf_sequence_from_mesh(const firn_shape_def *def, firn_shape_need need,
                                        firn_sdf_sequence **sequence, firn_messages *messages)
{
    return firn_sdf_sequence_load(def, need, MAX_PIECES, add_single, add_sequence, sequence,
                                  messages);
}
