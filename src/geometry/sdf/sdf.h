/* SPDX-License-Identifier: MIT */
/* sdf.h: a field on a sparse lattice, made for millions of lookups a step from many threads.
 *
 * Leaves of 8^3 voxels; each keeps a copy of its upper neighbours' first layer (9^3 numbers), so
 * that the eight values around a point always lie in one leaf. Channel 0 is the signed distance
 * in m, from -inner to band; further channels (surface velocity, paint) are interpolated the
 * same way. Sparse blocks remember their sign, how far every leaf is at least, and one that is
 * near, so that a far point gets a true lower bound of the distance and a sensible direction.
 *
 *     voxel (i, j, k) sits at  origin + voxel * (i, j, k);
 *         leaf (I, J, K) holds voxels 8 I ... 8 I + 7
 */
#ifndef FIRN_VOLUME_H
#define FIRN_VOLUME_H

#include "firn/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    FIRN_LEAF = 8,
    FIRN_LEAF_ROW = 9,
    FIRN_LEAF_SIZE = 729,
    FIRN_MAX_CHANNELS = 6,
    FIRN_SDF_SLACK = 1
};

typedef struct firn_sdf {
    double voxel, inverse, origin[3], band; /* inverse: 1 / voxel */
    double inner; /* the band's width inside; as `band` unless set before firn_sdf_finish */
    int first[3], n_blocks[3]; /* the table's box, in blocks */
    int32_t *table;            /* >= 0: leaf; < 0: ~(nearest leaf) */
    int8_t *sign;              /* of every block without a leaf: -1 inside, +1 outside */
    uint8_t *apart; /* no leaf is nearer to a block, in blocks along an axis; 255: or farther */
    int64_t n_leaves;
    int n_channels;
    unsigned paint; /* bit c: channel c is paint, NaN where there is none */
    int32_t (*leaf_block)[3];
    int16_t *core; /* of each leaf: its voxel nearest to the surface, as a place among the 9^3 */
    /* What is asked for together stands together, in few lines of the cache. */
    float *distance; /* [leaf][9][9][9] */
    float *others;   /* [leaf][9][9][9][channel - 1], and FIRN_SDF_SLACK more */
} firn_sdf;

/* `blocks`: block coordinates of the leaves. Values and signs are filled by the caller, then
 * firn_sdf_finish. */
firn_status firn_sdf_create(double voxel, const double origin[3], double band, int n_channels,
                            int64_t n_leaves, const int32_t (*blocks)[3], firn_sdf **volume,
                            firn_messages *messages);
/* Fills the shared layers and the nearest leaves. */
void firn_sdf_finish(firn_sdf *volume);
void firn_sdf_destroy(firn_sdf *volume);
size_t firn_sdf_bytes(const firn_sdf *volume);

/* `at`: the place among the 9^3 of a leaf */
static inline float *firn_sdf_at(const firn_sdf *volume, int64_t leaf, int at, int channel)
{
    const size_t place = (size_t)leaf * FIRN_LEAF_SIZE + (size_t)at;
    if (channel == 0) return volume->distance + place;
    return volume->others + place * (size_t)(volume->n_channels - 1) + (size_t)(channel - 1);
}

/* All channels at x and the gradient of channel 0. False where x is in no leaf: then value[0] is
 * a lower bound of the distance with the right sign, the gradient points away from (or, inside,
 * towards) the surface with length 1, and the other channels are zero. */
int firn_sdf_sample(const firn_sdf *volume, const double x[3], double value[FIRN_MAX_CHANNELS],
                    double gradient[3]);
/* The same of what is wanted alone: the distance; with its gradient. */
double firn_sdf_distance(const firn_sdf *volume, const double x[3]);
int firn_sdf_slope(const firn_sdf *volume, const double x[3], double *distance, double gradient[3]);
/* The same of two volumes at once, which a processor looks up side by side: the three channels
 * from `first` on at one place (value[][3] is nothing), or of a volume that has no leaf there
 * the distance; the distance, or the distance and its gradient, at a place of each. Where two
 * faces are equally near volume `first_one` says which one counts, for both. */
void firn_sdf_pair_vector(firn_sdf *const volumes[2], const double x[3], int first,
                          double value[2][4], double far[2], int is_near[2]);
void firn_sdf_pair_distance(firn_sdf *const volumes[2], double x[2][3], double distance[2]);
void firn_sdf_pair_slope(firn_sdf *const volumes[2], double x[2][3], int first_one,
                         double distance[2], double gradient[2][3], int is_near[2]);
/* Paint at x. False where there is none: in no leaf, or where voxels without paint have more
 * than half of the weight; with less they do not take part, so that paint ends half way between
 * two voxels and keeps its value up to there. */
int firn_sdf_paint(const firn_sdf *volume, const double x[3], int channel, double *value);
/* Box of the leaves in m. */
void firn_sdf_bounds(const firn_sdf *volume, double min[3], double max[3]);

#ifdef __cplusplus
}
#endif
#endif
