/* SPDX-License-Identifier: MIT */
/* sdf.c: see sdf.h. Trilinear interpolation; its own gradient, so that normal and distance agree.
 *
 * Nearest leaves of empty blocks are found by sweeping "who is nearest to my neighbour" over the
 * table forwards and backwards (Danielsson's vector distance transform); its rare error of a
 * fraction of a block only makes a far direction a little less good. Distances do not follow
 * from them: to a point at the far side of its block another leaf may be nearer by more than a
 * block. What holds for all leaves is how far they are along that axis along which they are
 * farthest, which two passes over 26 neighbours find exactly. */
#include "geometry/sdf/sdf.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

#define MAX_BLOCKS ((int64_t)1 << 27) /* 6 bytes each */
#define UNKNOWN INT32_MIN             /* in the table, while the nearest leaves are looked for */

static int64_t n_table(const firn_sdf *v)
{
    return (int64_t)v->n_blocks[0] * v->n_blocks[1] * v->n_blocks[2];
}

static int64_t place(const firn_sdf *v, int i, int j, int k)
{
    return ((int64_t)i * v->n_blocks[1] + j) * v->n_blocks[2] + k;
}

size_t firn_sdf_bytes(const firn_sdf *v)
{
    return sizeof *v +
           (size_t)n_table(v) * (sizeof *v->table + sizeof *v->sign + sizeof *v->apart) +
           (size_t)v->n_leaves * (sizeof *v->leaf_block + sizeof *v->core +
                                  (size_t)v->n_channels * FIRN_LEAF_SIZE * sizeof(float));
}

static size_t n_distances(const firn_sdf *v) { return (size_t)v->n_leaves * FIRN_LEAF_SIZE; }

static size_t n_others(const firn_sdf *v)
{
    return n_distances(v) * (size_t)(v->n_channels - 1) + FIRN_SDF_SLACK;
}

void firn_sdf_destroy(firn_sdf *v)
{
    if (!v) return;
    size_t n = (size_t)n_table(v);
    firn_memory_release(NULL, v->table, n * sizeof *v->table);
    firn_memory_release(NULL, v->sign, n * sizeof *v->sign);
    firn_memory_release(NULL, v->apart, n * sizeof *v->apart);
    firn_memory_release(NULL, v->leaf_block, (size_t)v->n_leaves * sizeof *v->leaf_block);
    firn_memory_release(NULL, v->core, (size_t)v->n_leaves * sizeof *v->core);
    firn_memory_release(NULL, v->distance, n_distances(v) * sizeof *v->distance);
    firn_memory_release(NULL, v->others, n_others(v) * sizeof *v->others);
    firn_memory_release(NULL, v, sizeof *v);
}

/* The table reaches one block beyond the leaves, so that every leaf has neighbours with a known
 * sign. */
static int set_box(firn_sdf *v, const int32_t (*blocks)[3])
{
    for (int a = 0; a < 3; a++) {
        int32_t low = INT32_MAX, high = INT32_MIN;
        for (int64_t l = 0; l < v->n_leaves; l++) {
            low = blocks[l][a] < low ? blocks[l][a] : low;
            high = blocks[l][a] > high ? blocks[l][a] : high;
        }
        if (low < -(1 << 27) || high > 1 << 27) return 0;
        v->first[a] = low - 1;
        v->n_blocks[a] = high - low + 3;
    }
    double n = (double)v->n_blocks[0] * v->n_blocks[1] * v->n_blocks[2];
    return n <= (double)MAX_BLOCKS;
}

firn_status firn_sdf_create(double voxel, const double origin[3], double band, int n_channels,
                            int64_t n_leaves, const int32_t (*blocks)[3], firn_sdf **volume,
                            firn_messages *messages)
{
    *volume = NULL;
    if (n_leaves < 1)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "The volume is empty: there is no surface in it.");
    firn_sdf *v = firn_memory_allocate(NULL, sizeof *v);
    if (!v) return firn_messages_add(messages, FIRN_MEMORY, "There is no memory for a volume.");
    v->voxel = voxel;
    v->inverse = 1 / voxel;
    v->band = v->inner = band;
    v->n_channels = n_channels;
    v->n_leaves = n_leaves;
    memcpy(v->origin, origin, sizeof v->origin);
    if (!set_box(v, blocks)) {
        firn_memory_release(NULL, v, sizeof *v);
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "The volume's box has more than %lld blocks of 8 voxels: its "
                                 "voxels (%g m) are too small "
                                 "for its size.",
                                 (long long)MAX_BLOCKS, voxel);
    }
    size_t n = (size_t)n_table(v);
    v->table = firn_memory_array(NULL, n, sizeof *v->table);
    v->sign = firn_memory_array(NULL, n, sizeof *v->sign);
    v->apart = firn_memory_array(NULL, n, sizeof *v->apart);
    v->leaf_block = firn_memory_array(NULL, (size_t)n_leaves, sizeof *v->leaf_block);
    v->core = firn_memory_array(NULL, (size_t)n_leaves, sizeof *v->core);
    v->distance = firn_memory_array(NULL, n_distances(v), sizeof *v->distance);
    v->others = firn_memory_array(NULL, n_others(v), sizeof *v->others);
    if (!v->table || !v->sign || !v->apart || !v->leaf_block || !v->core || !v->distance ||
        !v->others) {
        firn_sdf_destroy(v);
        return firn_messages_add(messages, FIRN_MEMORY,
                                 "There is no memory for a volume of %lld leaves.",
                                 (long long)n_leaves);
    }
    memcpy(v->leaf_block, blocks, (size_t)n_leaves * sizeof *v->leaf_block);
    for (size_t at = 0; at < n; at++) v->table[at] = UNKNOWN;
    memset(v->sign, 1, n);
    for (int64_t l = 0; l < n_leaves; l++) {
        const int32_t *b = blocks[l];
        v->table[place(v, b[0] - v->first[0], b[1] - v->first[1], b[2] - v->first[2])] = (int32_t)l;
    }
    *volume = v;
    return FIRN_OK;
}

/* ---------------------------------------------------------------- the shared layers */

static void find_core(firn_sdf *v, int64_t leaf)
{
    float least = INFINITY;
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            for (int k = 0; k < 8; k++) {
                int at = (i * 9 + j) * 9 + k;
                float d = fabsf(*firn_sdf_at(v, leaf, at, 0));
                if (d < least) {
                    least = d;
                    v->core[leaf] = (int16_t)at;
                }
            }
}

static void fill_shared(firn_sdf *v, int64_t leaf)
{
    const int32_t *b = v->leaf_block[leaf];
    for (int side = 1; side < 8; side++) { /* bit a: one block up along axis a */
        int up[3] = {side & 1, side >> 1 & 1, side >> 2 & 1};
        int64_t at = place(v, b[0] - v->first[0] + up[0], b[1] - v->first[1] + up[1],
                           b[2] - v->first[2] + up[2]);
        int32_t other = v->table[at];
        for (int c = 0; c < v->n_channels; c++) {
            float beyond = c == 0              ? (float)(v->sign[at] < 0 ? -v->inner : v->band)
                           : v->paint >> c & 1 ? NAN
                                               : 0;
            for (int i = up[0] * 8; i <= up[0] * 8 + (up[0] ? 0 : 7); i++)
                for (int j = up[1] * 8; j <= up[1] * 8 + (up[1] ? 0 : 7); j++)
                    for (int k = up[2] * 8; k <= up[2] * 8 + (up[2] ? 0 : 7); k++)
                        *firn_sdf_at(v, leaf, (i * 9 + j) * 9 + k, c) =
                            other >= 0
                                ? *firn_sdf_at(v, other, ((i & 7) * 9 + (j & 7)) * 9 + (k & 7), c)
                                : beyond;
        }
    }
}

/* ---------------------------------------------------------------- far blocks */

static double far2(const firn_sdf *v, const int p[3], int32_t leaf)
{
    double d2 = 0;
    for (int a = 0; a < 3; a++) {
        double d = v->leaf_block[leaf][a] - v->first[a] - p[a];
        d2 += d * d;
    }
    return d2;
}

static void offer(firn_sdf *v, const int p[3], int axis, int step)
{
    int q[3] = {p[0], p[1], p[2]};
    q[axis] += step;
    if (q[axis] < 0 || q[axis] >= v->n_blocks[axis]) return;
    int32_t *mine = &v->table[place(v, p[0], p[1], p[2])],
            other = v->table[place(v, q[0], q[1], q[2])];
    if (*mine >= 0 || other == UNKNOWN) return;
    int32_t leaf = other >= 0 ? other : ~other;
    if (*mine == UNKNOWN || far2(v, p, leaf) < far2(v, p, ~*mine)) *mine = ~leaf;
}

static void find_nearest(firn_sdf *v)
{
    const int *n = v->n_blocks;
    for (int sweep = 0; sweep < 8; sweep++) {
        int si = sweep & 1 ? -1 : 1, sj = sweep & 2 ? -1 : 1, sk = sweep & 4 ? -1 : 1;
        for (int a = 0; a < n[0]; a++)
            for (int b = 0; b < n[1]; b++)
                for (int c = 0; c < n[2]; c++) {
                    int p[3] = {si > 0 ? a : n[0] - 1 - a, sj > 0 ? b : n[1] - 1 - b,
                                sk > 0 ? c : n[2] - 1 - c};
                    offer(v, p, 0, -si);
                    offer(v, p, 1, -sj);
                    offer(v, p, 2, -sk);
                }
    }
}

/* The smallest of the 13 neighbours that come before p, or, with step -1, after it. */
static int least_beside(const firn_sdf *v, const int p[3], int step)
{
    const int *n = v->n_blocks;
    int least = UINT8_MAX;
    for (int m = 0; m < 13; m++) { /* of 0 ... 26 those before the middle */
        const int i = p[0] + step * (m / 9 - 1), j = p[1] + step * (m / 3 % 3 - 1),
                  k = p[2] + step * (m % 3 - 1);
        if (i < 0 || i >= n[0] || j < 0 || j >= n[1] || k < 0 || k >= n[2]) continue;
        const int apart = v->apart[place(v, i, j, k)];
        least = apart < least ? apart : least;
    }
    return least;
}

static void find_apart(firn_sdf *v)
{
    const int *n = v->n_blocks;
    const int64_t n_all = n_table(v);
    for (int64_t at = 0; at < n_all; at++) v->apart[at] = v->table[at] >= 0 ? 0 : UINT8_MAX;
    for (int step = 1; step >= -1; step -= 2)
        for (int i = 0; i < n[0]; i++)
            for (int j = 0; j < n[1]; j++)
                for (int k = 0; k < n[2]; k++) {
                    const int p[3] = {step > 0 ? i : n[0] - 1 - i, step > 0 ? j : n[1] - 1 - j,
                                      step > 0 ? k : n[2] - 1 - k};
                    uint8_t *mine = &v->apart[place(v, p[0], p[1], p[2])];
                    const int apart = *mine ? least_beside(v, p, step) + 1 : 0;
                    if (apart < *mine) *mine = (uint8_t)apart;
                }
}

void firn_sdf_finish(firn_sdf *v)
{
#pragma omp parallel for schedule(dynamic, 64)
    for (int64_t l = 0; l < v->n_leaves; l++) {
        find_core(v, l);
        fill_shared(v, l);
    }
    find_nearest(v);
    find_apart(v);
}

/* ---------------------------------------------------------------- lookup */

/* Compiled twice, and chosen by the processor: to the same bits, as AVX2 alone joins no product
 * to a sum. By gcc: what clang 14 makes of this other files cannot call. */
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

/* The first of the eight voxels around, among the 9^3 of its leaf */
static inline int corner_of(const int cell[3]) { return (cell[0] * 9 + cell[1]) * 9 + cell[2]; }

/* Trilinear interpolation of the three channels from `first` on in one leaf; f is the share
 * within the cell. A fourth number comes along, of the next channel or voxel. */
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

/* The same of one number a voxel; those of neighbours are `next` apart. */
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

/* The same of the distance alone, with its gradient. */
static inline double slope(const firn_sdf *v, int32_t leaf, const int cell[3], const double f[3],
                           double gradient[3])
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

/* Beyond the leaves: at least the band, and at least as far as any leaf. Each of them is m
 * blocks away along some axis b, which is 8 (m - 1) voxels and what is left of this block along
 * it; and along the others it is no nearer than the box of all. */
static double far_distance(const firn_sdf *v, const double u[3], const int block[3],
                           double gradient[3])
{
    double outside[3], along[3], least = INFINITY;
    int nearest[3];
    for (int a = 0; a < 3; a++)
        nearest[a] = block[a] < 0 ? 0 : block[a] >= v->n_blocks[a] ? v->n_blocks[a] - 1 : block[a];
    const int64_t at = place(v, nearest[0], nearest[1], nearest[2]);
    const int32_t leaf = v->table[at] >= 0 ? v->table[at] : ~v->table[at];
    for (int a = 0; a < 3; a++) {
        const double first = 8.0 * (v->first[a] + 1),
                     end = 8.0 * (v->first[a] + v->n_blocks[a] - 1),
                     low = 8.0 * (nearest[a] + v->first[a]),
                     left = fmin(u[a] - low, low + 8 - u[a]);
        outside[a] = fmax(0, fmax(first - u[a], u[a] - end));
        along[a] = fmax(outside[a], 8.0 * (v->apart[at] - 1) +
                                        (left < 0 ? 8 - left : left)); /* < 0: not in it */
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

/* The leaf around the place u (in voxels), the cell in it and the share within that; -1: there
 * is none. */
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
    return is_in ? v->table[place(v, block[0], block[1], block[2])] : -1;
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

/* A look some voxels off a kink: the plane d(y) + g . (x - y) that the place y = x + way tells
 * of x. *doubt: how far from the distance at x that is, voxels. False where nothing is known or
 * y lies on a kink itself. */
static inline int query_beside(const firn_sdf *v, const double u[3], const double way[3],
                               double distance, double g[3], double *norm2, double *doubt)
{
    double at[3], f[3], along = 0;
    int block[3], cell[3];
    for (int a = 0; a < 3; a++) at[a] = u[a] + way[a];
    const int32_t leaf = find_leaf(v, at, block, cell, f);
    if (leaf < 0) return 0;
    const double d = slope(v, leaf, cell, f, g);
    *norm2 = 0;
    for (int a = 0; a < 3; a++) {
        *norm2 += g[a] * g[a];
        along += g[a] * way[a];
    }
    *doubt = fabs(d - along * v->voxel - distance) * v->inverse;
    return *norm2 >= 0.9;
}

enum {
    N_SIDES = 14,
    N_AXIAL = 6
}; /* along the axes and, where these leave a doubt, along the diagonals of a cube */

/* Where two faces are equally near - in the middle of a thin wall, before a corner - the voxels
 * around speak of one or the other, and their gradient of neither: across a wall it vanishes,
 * and what is left of it points anywhere. Some voxels off there is only one.
 *
 * Where much of the gradient is left it is mostly of the nearer face. So two looks, along it and
 * against it, mostly find a face each, and the right one is steeper along it: at worst one that
 * is a tenth of a voxel farther. The first is towards the nearer face. With g = w g1 + (1 - w)
 * g2 and the length 1 of both, |g|^2 = 1 - 2 w (1 - g . g1): while g . g1 > |g|^2 more than half
 * of it is that face's, and the second look is not needed. Else 14 directions are tried, and
 * that face counts which says most nearly what the voxels around x say - they lie between both
 * faces' distances, nearer to the right one, as interpolating goes over a valley and under a
 * ridge - and whose gradient has most nearly the length 1. */
WIDE static void choose_side(const firn_sdf *v, const double u[3], double distance,
                             double gradient[3])
{
    const double reach =
        2.5; /* voxels: off the cells that the border between the faces can pass through */
    const double left2 =
        gradient[0] * gradient[0] + gradient[1] * gradient[1] + gradient[2] * gradient[2];
    double way[3], g[3], found[3], norm2, doubt, steepest = 0, least = INFINITY;
    const double towards = distance < 0 ? reach : -reach;
    for (int look = 0; look < 2 && left2 > 0.4 && steepest < left2 + 0.05; look++) {
        double along = 0;
        for (int a = 0; a < 3; a++)
            way[a] = (look ? -towards : towards) * gradient[a] / sqrt(left2);
        if (!query_beside(v, u, way, distance, g, &norm2, &doubt) || norm2 > 1.1 || doubt > 1)
            continue;
        for (int a = 0; a < 3; a++) along += g[a] * gradient[a];
        if (along > steepest) {
            steepest = along;
            memcpy(found, g, sizeof found);
        }
    }
    for (int m = 0; m < N_SIDES && steepest == 0 && (m < N_AXIAL || least > 0.3); m++) {
        for (int a = 0; a < 3; a++)
            way[a] = m < N_AXIAL              ? (m >> 1 == a) * (m & 1 ? reach : -reach)
                     : (m - N_AXIAL) >> a & 1 ? reach / sqrt(3)
                                              : -reach / sqrt(3);
        if (!query_beside(v, u, way, distance, g, &norm2, &doubt)) continue;
        doubt += 20 * fabs(norm2 - 1);
        if (doubt < least) {
            least = doubt;
            memcpy(found, g, sizeof found);
        }
    }
    if (steepest > 0 || least < INFINITY) memcpy(gradient, found, sizeof found);
}

/* Whether one of the eight voxels around is where distances are cut off, or next to it, where
 * they are not as good. */
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

/* A gradient that is cut off or of two faces is not mended where the answer is KINK. */
static inline place_kind slope_at(const firn_sdf *v, const double x[3], double u[3],
                                  double *distance, double gradient[3])
{
    double f[3];
    int block[3], cell[3];
    to_voxels(v, x, u);
    int32_t leaf = find_leaf(v, u, block, cell, f);
    if (leaf < 0) return *distance = far_distance(v, u, block, gradient), FAR;
    *distance = slope(v, leaf, cell, f, gradient);
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

WIDE int firn_sdf_slope(const firn_sdf *v, const double x[3], double *distance, double gradient[3])
{
    double u[3];
    const place_kind kind = slope_at(v, x, u, distance, gradient);
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

WIDE void firn_sdf_pair_slope(firn_sdf *const v[2], double x[2][3], int first_one,
                              double distance[2], double gradient[2][3], int is_near[2])
{
    double u[2][3];
    place_kind kind[2];
    for (int k = 0; k < 2; k++) {
        kind[k] = slope_at(v[k], x[k], u[k], &distance[k], gradient[k]);
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
    const int is_near = firn_sdf_slope(v, x, value, gradient);
    to_voxels(v, x, u);
    const int32_t leaf = find_leaf(v, u, block, cell, f);
    for (int c = 1; c < v->n_channels; c++)
        value[c] =
            leaf < 0 ? 0
                     : interpolate(firn_sdf_at(v, leaf, corner_of(cell), c), v->n_channels - 1, f);
    return is_near;
}

void firn_sdf_bounds(const firn_sdf *v, double min[3], double max[3])
{
    for (int a = 0; a < 3; a++) {
        min[a] = v->origin[a] + v->voxel * 8.0 * (v->first[a] + 1);
        max[a] = v->origin[a] + v->voxel * 8.0 * (v->first[a] + v->n_blocks[a] - 1);
    }
}
