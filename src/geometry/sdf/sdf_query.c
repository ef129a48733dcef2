/* SPDX-License-Identifier: MIT */
/* sdf_query.c: queries of a distance field (sdf.h): trilinear interpolation, and its own gradient,
 * so that normal and distance agree.
 *
 * Notation: u is x in voxels, (x - origin) / voxel; block, cell and f its block, the voxel below it
 * in the leaf (0 to 7) and the share within the cell. */
#include "geometry/sdf/sdf.h"

#include <math.h>
#include <string.h>

/* Compiled twice and chosen by the processor, with the same bits: AVX2 without FMA contracts no
 * product into a sum. With gcc only: other files cannot call what clang 14 makes of this. */
#if defined(__x86_64__) && defined(__linux__) && !defined(__clang__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

typedef double four __attribute__((vector_size(32)));

static inline four load_four(const float *p)
{
    return (four){(double)p[0], (double)p[1], (double)p[2], (double)p[3]};
}

/* Index of the lowest of the eight voxels around, among the 9^3 of its leaf */
static inline int corner_of(const int cell[3]) { return (cell[0] * 9 + cell[1]) * 9 + cell[2]; }

/* Trilinear interpolation of the three channels from `first` on in one leaf. A fourth number, of
 * the next channel or voxel, is read and interpolated with them. */
static inline void interpolate_vector(const firn_sdf *v, int32_t leaf, const int cell[3],
                                      const double f[3], int first, double value[4])
{
    const int next = v->n_channels - 1;
    const float *corner = firn_sdf_at(v, leaf, corner_of(cell), first);
    four a[4]; /* along z, then y, then x */
    for (int m = 0; m < 4; m++) {
        const float *pair = corner + ((m >> 1) * 81 + (m & 1) * 9) * next;
        const four low = load_four(pair);
        a[m] = low + f[2] * (load_four(pair + next) - low);
    }
    const four y0 = a[0] + f[1] * (a[1] - a[0]), y1 = a[2] + f[1] * (a[3] - a[2]),
               x = y0 + f[0] * (y1 - y0);
    memcpy(value, &x, sizeof x);
}

/* Of one number for each voxel; those of neighbours along z are `next` apart. */
static inline double interpolate(const float *corner, int next, const double f[3])
{
    double a[4];
    for (int m = 0; m < 4; m++) {
        const float *pair = corner + ((m >> 1) * 81 + (m & 1) * 9) * next;
        a[m] = pair[0] + f[2] * ((double)pair[next] - pair[0]);
    }
    const double y0 = a[0] + f[1] * (a[1] - a[0]), y1 = a[2] + f[1] * (a[3] - a[2]);
    return y0 + f[0] * (y1 - y0);
}

/* Of the distance, with its gradient. */
static inline double interpolate_gradient(const firn_sdf *v, int32_t leaf, const int cell[3],
                                          const double f[3], double gradient[3])
{
    const double inverse = v->inverse;
    const float *corner = firn_sdf_at(v, leaf, corner_of(cell), 0);
    double a[4], z[4];
    for (int m = 0; m < 4; m++) {
        const float *pair = corner + (m >> 1) * 81 + (m & 1) * 9;
        z[m] = (double)pair[1] - pair[0];
        a[m] = pair[0] + f[2] * z[m];
    }
    double y0 = a[0] + f[1] * (a[1] - a[0]), y1 = a[2] + f[1] * (a[3] - a[2]);
    gradient[0] = (y1 - y0) * inverse;
    gradient[1] = ((1 - f[0]) * (a[1] - a[0]) + f[0] * (a[3] - a[2])) * inverse;
    double z0 = z[0] + f[1] * (z[1] - z[0]), z1 = z[2] + f[1] * (z[3] - z[2]);
    gradient[2] = (z0 + f[0] * (z1 - z0)) * inverse;
    return y0 + f[0] * (y1 - y0);
}

/* Where the distance is cut off at the band there is no gradient: the direction is that from the
 * leaf's voxel nearest to the surface. */
static void away_from_core(const firn_sdf *v, int32_t leaf, const double u[3], double sign,
                           double gradient[3])
{
    int core = v->core[leaf], at[3] = {core / 81, core / 9 % 9, core % 9};
    double norm2 = 0;
    for (int a = 0; a < 3; a++) {
        gradient[a] = u[a] - (8.0 * v->leaf_block[leaf][a] + at[a]);
        norm2 += gradient[a] * gradient[a];
    }
    for (int a = 0; a < 3; a++)
        gradient[a] = norm2 > 0 ? sign * gradient[a] / sqrt(norm2) : (a == 2);
}

/* Lower bound of the distance beyond the leaves: the band, or the distance of the nearest leaf if
 * that is more. Each leaf is m = apart blocks away along some axis b, that is 8 (m - 1) voxels and
 * what is left of this block along b; along the others it is no nearer than the box of all leaves.
 * gradient: NULL, or see firn_sdf_sample. */
static double far_distance(const firn_sdf *v, const double u[3], const int block[3],
                           double gradient[3])
{
    double outside[3], along[3], least = INFINITY;
    int nearest[3];
    for (int a = 0; a < 3; a++)
        nearest[a] = block[a] < 0 ? 0 : block[a] >= v->n_blocks[a] ? v->n_blocks[a] - 1 : block[a];
    const int64_t at = firn_sdf_block(v, nearest[0], nearest[1], nearest[2]);
    const int32_t leaf = v->table[at] >= 0 ? v->table[at] : ~v->table[at];
    for (int a = 0; a < 3; a++) {
        const double first = 8.0 * (v->first[a] + 1),
                     end = 8.0 * (v->first[a] + v->n_blocks[a] - 1),
                     low = 8.0 * (nearest[a] + v->first[a]),
                     left = fmin(u[a] - low, low + 8 - u[a]);
        outside[a] = fmax(0, fmax(first - u[a], u[a] - end));
        along[a] = fmax(outside[a],
                        8.0 * (v->apart[at] - 1) + (left < 0 ? 8 - left : left)); /* < 0: outside */
    }
    for (int b = 0; b < 3; b++) {
        double length2 = along[b] * along[b];
        for (int a = 0; a < 3; a++)
            if (a != b) length2 += outside[a] * outside[a];
        least = fmin(least, length2);
    }
    const double sign = v->sign[at];
    if (gradient) away_from_core(v, leaf, u, sign, gradient);
    return sign * fmax(sign < 0 ? v->inner : v->band, v->voxel * sqrt(least));
}

/* The leaf that holds u, with block, cell and f; -1: none. */
static inline int32_t find_leaf(const firn_sdf *v, const double u[3], int block[3], int cell[3],
                                double f[3])
{
    int is_in = 1;
    for (int a = 0; a < 3; a++) {
        const double below = floor(u[a]);
        const int whole = (int)below;
        f[a] = u[a] - below;
        block[a] = (whole >> 3) - v->first[a];
        cell[a] = whole & 7;
        is_in &= (unsigned)block[a] < (unsigned)v->n_blocks[a];
    }
    return is_in ? v->table[firn_sdf_block(v, block[0], block[1], block[2])] : -1;
}

static inline void to_voxels(const firn_sdf *v, const double x[3], double u[3])
{
    const double inverse = v->inverse, most = 1e9;
    for (int a = 0; a < 3; a++) {
        u[a] = (x[a] - v->origin[a]) * inverse;
        u[a] = u[a] < most ? u[a] : most; /* a NaN becomes far outside */
        u[a] = u[a] > -most ? u[a] : -most;
    }
}

static inline double distance_at(const firn_sdf *v, const double x[3])
{
    double u[3], f[3];
    int block[3], cell[3];
    to_voxels(v, x, u);
    const int32_t leaf = find_leaf(v, u, block, cell, f);
    if (leaf < 0) return far_distance(v, u, block, NULL);
    return interpolate(firn_sdf_at(v, leaf, corner_of(cell), 0), 1, f);
}

/* A probe some voxels off a kink: at y = u + offset the gradient g, its squared norm, and *doubt,
 * in voxels: how much the plane  d(y) + g . (x - y)  differs from `distance` at x. Returns 0 in no
 * leaf, or where y is at a kink itself. */
static inline int probe(const firn_sdf *v, const double u[3], const double offset[3],
                        double distance, double g[3], double *norm2, double *doubt)
{
    double at[3], f[3], along = 0;
    int block[3], cell[3];
    for (int a = 0; a < 3; a++) at[a] = u[a] + offset[a];
    const int32_t leaf = find_leaf(v, at, block, cell, f);
    if (leaf < 0) return 0;
    const double d = interpolate_gradient(v, leaf, cell, f, g);
    *norm2 = 0;
    for (int a = 0; a < 3; a++) {
        *norm2 += g[a] * g[a];
        along += g[a] * offset[a];
    }
    *doubt = fabs(d - along * v->voxel - distance) * v->inverse;
    return *norm2 >= 0.9;
}

enum { N_SIDES = 14, N_AXIAL = 6 };

/* The gradient where two faces are equally near, in the middle of a thin wall or before a corner.
 * There the eight voxels belong to one face or the other, and their gradient to neither: across a
 * wall it vanishes, and what is left of it has any direction. Some voxels away there is only one
 * face.
 *
 * Where much of the gradient is left it is mostly that of the nearer face. Two probes, along it and
 * against it, then mostly find a face each, and the right one has the greater slope along it: at
 * worst one that is a tenth of a voxel farther. The first probe goes towards the nearer face. With
 * g = w g1 + (1 - w) g2 and |g1| = |g2| = 1,
 *
 *     |g|^2 = 1 - 2 w (1 - g . g1),
 *
 * so while g . g1 > |g|^2 more than half of g is g1, and no second probe is needed.
 *
 * Else 14 directions are probed, along the axes and, where these leave a doubt, along the diagonals
 * of a cube. The face counts whose plane agrees best with the distance at x, which lies between
 * those of both faces and nearer to the right one (interpolation cuts ridges and fills valleys),
 * and whose gradient has most nearly the length 1. */
WIDE static void choose_side(const firn_sdf *v, const double u[3], double distance,
                             double gradient[3])
{
    const double reach = 2.5; /* voxels: beyond the cells through which a border of faces passes */
    const double left2 =
        gradient[0] * gradient[0] + gradient[1] * gradient[1] + gradient[2] * gradient[2];
    double offset[3], g[3], found[3], norm2, doubt, steepest = 0, least = INFINITY;
    const double towards = distance < 0 ? reach : -reach;
    for (int back = 0; back < 2 && left2 > 0.4 && steepest < left2 + 0.05; back++) {
        double along = 0;
        for (int a = 0; a < 3; a++)
            offset[a] = (back ? -towards : towards) * gradient[a] / sqrt(left2);
        if (!probe(v, u, offset, distance, g, &norm2, &doubt) || norm2 > 1.1 || doubt > 1) continue;
        for (int a = 0; a < 3; a++) along += g[a] * gradient[a];
        if (along > steepest) {
            steepest = along;
            memcpy(found, g, sizeof found);
        }
    }
    for (int m = 0; m < N_SIDES && steepest == 0 && (m < N_AXIAL || least > 0.3); m++) {
        for (int a = 0; a < 3; a++)
            offset[a] = m < N_AXIAL              ? (m >> 1 == a) * (m & 1 ? reach : -reach)
                        : (m - N_AXIAL) >> a & 1 ? reach / sqrt(3)
                                                 : -reach / sqrt(3);
        if (!probe(v, u, offset, distance, g, &norm2, &doubt)) continue;
        doubt += 20 * fabs(norm2 - 1);
        if (doubt < least) {
            least = doubt;
            memcpy(found, g, sizeof found);
        }
    }
    if (steepest > 0 || least < INFINITY) memcpy(gradient, found, sizeof found);
}

/* 1 where one of the eight voxels around is at an end of the band or next to it, where distances
 * are less exact. */
static int touches_end(const firn_sdf *v, int32_t leaf, const int cell[3])
{
    const float low = (float)(0.5 * v->voxel - v->inner), high = (float)(v->band - 0.5 * v->voxel);
    for (int m = 0; m < 8; m++) {
        const int at =
            ((cell[0] + (m >> 2)) * FIRN_LEAF_ROW + cell[1] + (m >> 1 & 1)) * FIRN_LEAF_ROW +
            cell[2] + (m & 1);
        const float d = *firn_sdf_at(v, leaf, at, 0);
        if (d <= low || d >= high) return 1;
    }
    return 0;
}

typedef enum place_kind { FAR, CLEAR, KINK } place_kind;

/* FAR: in no leaf. KINK: the gradient is that of two faces, see choose_side. */
static inline place_kind gradient_at(const firn_sdf *v, const double x[3], double u[3],
                                     double *distance, double gradient[3])
{
    double f[3];
    int block[3], cell[3];
    to_voxels(v, x, u);
    int32_t leaf = find_leaf(v, u, block, cell, f);
    if (leaf < 0) {
        *distance = far_distance(v, u, block, gradient);
        return FAR;
    }
    *distance = interpolate_gradient(v, leaf, cell, f, gradient);
    double norm2 =
        gradient[0] * gradient[0] + gradient[1] * gradient[1] + gradient[2] * gradient[2];
    const int is_cut_off = *distance < -0.9 * v->inner || *distance > 0.9 * v->band;
    if (norm2 < 0.25 && is_cut_off)
        away_from_core(v, leaf, u, *distance < 0 ? -1 : 1, gradient);
    else if (norm2 < 0.9 && !touches_end(v, leaf, cell))
        return KINK;
    return CLEAR;
}

WIDE double firn_sdf_distance(const firn_sdf *v, const double x[3]) { return distance_at(v, x); }

WIDE int firn_sdf_gradient(const firn_sdf *v, const double x[3], double *distance,
                           double gradient[3])
{
    double u[3];
    const place_kind kind = gradient_at(v, x, u, distance, gradient);
    if (kind == KINK) choose_side(v, u, *distance, gradient);
    return kind != FAR;
}

WIDE void firn_sdf_pair_vector(firn_sdf *const v[2], const double x[3], int first,
                               double value[2][4], double far[2], int is_near[2])
{
    for (int k = 0; k < 2; k++) {
        double u[3], f[3];
        int block[3], cell[3];
        to_voxels(v[k], x, u);
        const int32_t leaf = find_leaf(v[k], u, block, cell, f);
        is_near[k] = leaf >= 0;
        if (leaf >= 0)
            interpolate_vector(v[k], leaf, cell, f, first, value[k]);
        else {
            far[k] = far_distance(v[k], u, block, NULL);
            memset(value[k], 0, sizeof value[k]);
        }
    }
}

WIDE void firn_sdf_pair_distance(firn_sdf *const v[2], double x[2][3], double distance[2])
{
    for (int k = 0; k < 2; k++) distance[k] = distance_at(v[k], x[k]);
}

WIDE void firn_sdf_pair_gradient(firn_sdf *const v[2], double x[2][3], int first_one,
                                 double distance[2], double gradient[2][3], int is_near[2])
{
    double u[2][3];
    place_kind kind[2];
    for (int k = 0; k < 2; k++) {
        kind[k] = gradient_at(v[k], x[k], u[k], &distance[k], gradient[k]);
        is_near[k] = kind[k] != FAR;
    }
    if (kind[first_one] == KINK)
        choose_side(v[first_one], u[first_one], distance[first_one], gradient[first_one]);
    if (kind[!first_one] != KINK) return;
    if (kind[first_one] == FAR)
        choose_side(v[!first_one], u[!first_one], distance[!first_one], gradient[!first_one]);
    else
        memcpy(gradient[!first_one], gradient[first_one], sizeof *gradient);
}

int firn_sdf_paint(const firn_sdf *v, const double x[3], int channel, double *value)
{
    double u[3], f[3], sum = 0, weights = 0;
    int block[3], cell[3];
    to_voxels(v, x, u);
    int32_t leaf = find_leaf(v, u, block, cell, f);
    if (leaf < 0) return 0;
    *value = interpolate(firn_sdf_at(v, leaf, corner_of(cell), channel), v->n_channels - 1, f);
    if (!isnan(*value)) return 1;
    for (int corner = 0; corner < 8; corner++) {
        int up[3] = {corner & 1, corner >> 1 & 1, corner >> 2};
        float paint = *firn_sdf_at(
            v, leaf, ((cell[0] + up[0]) * 9 + cell[1] + up[1]) * 9 + cell[2] + up[2], channel);
        double weight = 1;
        for (int a = 0; a < 3; a++) weight *= up[a] ? f[a] : 1 - f[a];
        if (!isnan(paint)) {
            sum += weight * paint;
            weights += weight;
        }
    }
    *value = sum / weights;
    return weights >= 0.5;
}

int firn_sdf_sample(const firn_sdf *v, const double x[3], double value[FIRN_MAX_CHANNELS],
                    double gradient[3])
{
    double u[3], f[3];
    int block[3], cell[3];
    const int is_near = firn_sdf_gradient(v, x, value, gradient);
    to_voxels(v, x, u);
    const int32_t leaf = find_leaf(v, u, block, cell, f);
    for (int c = 1; c < v->n_channels; c++)
        value[c] =
            leaf < 0 ? 0
                     : interpolate(firn_sdf_at(v, leaf, corner_of(cell), c), v->n_channels - 1, f);
    return is_near;
}
