/* SPDX-License-Identifier: MIT */
/* sdf.c: making a distance field (sdf.h); sdf_query.c reads it.
 *
 * Nearest leaves of empty blocks are found by eight sweeps over the table, in each of which a block
 * takes over the leaf of a neighbour if that is nearer (P.-E. Danielsson, Euclidean distance
 * mapping, CGIP 14, 1980). Its rare error of a fraction of a block only makes a far direction a
 * little worse. Distances do not follow from these leaves: to a point at the far side of its block
 * another leaf may be nearer by more than a block. A bound for all leaves is the distance along the
 * axis along which a leaf is farthest (Chebyshev), which two passes over 26 neighbours find
 * exactly. */
#include "geometry/sdf/sdf.h"
#include "base/memory.h"
#include "base/messages.h"

#include <math.h>
#include <string.h>

#define MAX_BLOCKS ((int64_t)1 << 27) /* of the table, 6 bytes each */
#define UNKNOWN INT32_MIN             /* in the table, before the nearest leaf is found */

static int64_t n_table(const firn_sdf *v)
{
    return (int64_t)v->n_blocks[0] * v->n_blocks[1] * v->n_blocks[2];
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

/* The table reaches one block beyond the leaves, so that each leaf has neighbours with a sign.
 * Returns 0 where it would be too large. */
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
                            int64_t n_leaves, const int32_t (*blocks)[3], firn_sdf **sdf,
                            firn_messages *messages)
{
    *sdf = NULL;
    if (n_leaves < 1)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "distance field: there is no surface in it");
    firn_sdf *v = firn_memory_allocate(NULL, sizeof *v);
    if (!v) return firn_messages_no_memory(messages, "distance field");
    v->voxel = voxel;
    v->inverse = 1 / voxel;
    v->band = v->inner = band;
    v->n_channels = n_channels;
    v->n_leaves = n_leaves;
    memcpy(v->origin, origin, sizeof v->origin);
    if (!set_box(v, blocks)) {
        firn_memory_release(NULL, v, sizeof *v);
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "distance field: its box has more than %lld blocks of 8^3 voxels; "
                                 "its voxels (%g m) are too small for its size",
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
        return firn_messages_no_memory(messages, "distance field of %lld leaves",
                                       (long long)n_leaves);
    }
    memcpy(v->leaf_block, blocks, (size_t)n_leaves * sizeof *v->leaf_block);
    for (size_t at = 0; at < n; at++) v->table[at] = UNKNOWN;
    memset(v->sign, 1, n);
    for (int64_t l = 0; l < n_leaves; l++) {
        const int32_t *b = blocks[l];
        v->table[firn_sdf_block(v, b[0] - v->first[0], b[1] - v->first[1], b[2] - v->first[2])] =
            (int32_t)l;
    }
    *sdf = v;
    return FIRN_OK;
}

/* ---------------------------------------------------------------- the shared layers */

/* The voxel of a leaf that is nearest to the surface */
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

/* The upper layers of a leaf from its seven upper neighbours; of blocks without a leaf the distance
 * where it is cut off, and no paint. */
static void fill_shared(firn_sdf *v, int64_t leaf)
{
    const int32_t *b = v->leaf_block[leaf];
    for (int side = 1; side < 8; side++) { /* bit a: one block up along axis a */
        int up[3] = {side & 1, side >> 1 & 1, side >> 2 & 1};
        int64_t at = firn_sdf_block(v, b[0] - v->first[0] + up[0], b[1] - v->first[1] + up[1],
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

/* Squared distance of a leaf from block p, in blocks */
static double far2(const firn_sdf *v, const int p[3], int32_t leaf)
{
    double d2 = 0;
    for (int a = 0; a < 3; a++) {
        double d = v->leaf_block[leaf][a] - v->first[a] - p[a];
        d2 += d * d;
    }
    return d2;
}

/* Block p takes over the leaf of its neighbour where that is nearer. */
static void offer(firn_sdf *v, const int p[3], int axis, int step)
{
    int q[3] = {p[0], p[1], p[2]};
    q[axis] += step;
    if (q[axis] < 0 || q[axis] >= v->n_blocks[axis]) return;
    int32_t *mine = &v->table[firn_sdf_block(v, p[0], p[1], p[2])],
            other = v->table[firn_sdf_block(v, q[0], q[1], q[2])];
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

/* The smallest number of the 13 neighbours that come before p, or, with step -1, after it. */
static int least_around(const firn_sdf *v, const int p[3], int step)
{
    const int *n = v->n_blocks;
    int least = UINT8_MAX;
    for (int m = 0; m < 13; m++) { /* of 0 ... 26 those before the middle */
        const int i = p[0] + step * (m / 9 - 1), j = p[1] + step * (m / 3 % 3 - 1),
                  k = p[2] + step * (m % 3 - 1);
        if (i < 0 || i >= n[0] || j < 0 || j >= n[1] || k < 0 || k >= n[2]) continue;
        const int apart = v->apart[firn_sdf_block(v, i, j, k)];
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
                    uint8_t *mine = &v->apart[firn_sdf_block(v, p[0], p[1], p[2])];
                    const int apart = *mine ? least_around(v, p, step) + 1 : 0;
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

void firn_sdf_bounds(const firn_sdf *v, double min[3], double max[3])
{
    for (int a = 0; a < 3; a++) {
        min[a] = v->origin[a] + v->voxel * 8.0 * (v->first[a] + 1);
        max[a] = v->origin[a] + v->voxel * 8.0 * (v->first[a] + v->n_blocks[a] - 1);
    }
}
