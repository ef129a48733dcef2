/* SPDX-License-Identifier: MIT */
/* sdf.h: a distance field on a sparse lattice, made for millions of queries per step from many
 * threads.
 *
 * Leaves of 8^3 voxels; each keeps a copy of the first layer of its upper neighbours (9^3 numbers),
 * so that the eight values around a point lie in one leaf. Channel 0 is the signed distance in m,
 * from -inner to band; further channels (velocity of the surface, paint) are interpolated in the
 * same way. Blocks without a leaf keep their sign, a lower bound of the distance to every leaf, and
 * one leaf that is near, so that a far point gets a lower bound of its distance and a direction.
 *
 *     voxel (i, j, k) is at   origin + voxel * (i, j, k)
 *     leaf (I, J, K) holds    voxels 8 I ... 8 I + 7
 *
 * Trilinear interpolation of a 1-Lipschitz distance is at most sqrt(3)-Lipschitz. */
#ifndef FIRN_SDF_H
#define FIRN_SDF_H

#include "firn/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    FIRN_LEAF = 8,
    FIRN_LEAF_ROW = 9,
    FIRN_LEAF_SIZE = 729,
    FIRN_MAX_CHANNELS = 8,
    FIRN_SDF_SLACK = 1 /* numbers after the last: four are read where three are wanted */
};

typedef struct firn_sdf {
    double voxel, inverse;     /* m; 1 / voxel */
    double origin[3], band;    /* m */
    double inner;              /* m, the band inside; as `band` unless set before firn_sdf_finish */
    int first[3], n_blocks[3]; /* box of the table, in blocks: one block beyond the leaves */
    int32_t *table;            /* [block] >= 0: leaf; < 0: ~(nearest leaf) */
    int8_t *sign;              /* [block] without a leaf: -1 inside, +1 outside */
    uint8_t *apart; /* [block] least distance of a leaf, in blocks along an axis; 255: or more */
    int64_t n_leaves;
    int n_channels;
    unsigned paint;           /* bit c: channel c is paint, NaN where there is none */
    int32_t (*leaf_block)[3]; /* [leaf] */
    int16_t *core;            /* [leaf] its voxel nearest to the surface, among the 9^3 */
    /* Numbers that are read together are stored together, in few cache lines. */
    float *distance; /* [leaf][9][9][9] */
    float *others;   /* [leaf][9][9][9][channel - 1], and FIRN_SDF_SLACK more */
} firn_sdf;

/* Index of a block in the table; i, j, k from 0 */
static inline int64_t firn_sdf_block(const firn_sdf *sdf, int i, int j, int k)
{
    return ((int64_t)i * sdf->n_blocks[1] + j) * sdf->n_blocks[2] + k;
}

/* `blocks`: block coordinates of the leaves. The caller fills values and signs, and calls
 * firn_sdf_finish. */
firn_status firn_sdf_create(double voxel, const double origin[3], double band, int n_channels,
                            int64_t n_leaves, const int32_t (*blocks)[3], firn_sdf **sdf,
                            firn_messages *messages);
/* Fills the shared layers, the nearest leaves and their least distances. */
void firn_sdf_finish(firn_sdf *sdf);
void firn_sdf_destroy(firn_sdf *sdf);
size_t firn_sdf_bytes(const firn_sdf *sdf);

/* `at`: index among the 9^3 of a leaf */
static inline float *firn_sdf_at(const firn_sdf *sdf, int64_t leaf, int at, int channel)
{
    const size_t place = (size_t)leaf * FIRN_LEAF_SIZE + (size_t)at;
    if (channel == 0) return sdf->distance + place;
    return sdf->others + place * (size_t)(sdf->n_channels - 1) + (size_t)(channel - 1);
}

/* All channels at x and the gradient of channel 0. Returns 0 where x is in no leaf: then value[0]
 * is a lower bound of the distance with the right sign, the gradient points away from (or, inside,
 * towards) the surface with length 1, and the other channels are 0. */
int firn_sdf_sample(const firn_sdf *sdf, const double x[3], double value[FIRN_MAX_CHANNELS],
                    double gradient[3]);
/* The distance alone; with its gradient (returns as firn_sdf_sample). */
double firn_sdf_distance(const firn_sdf *sdf, const double x[3]);
int firn_sdf_gradient(const firn_sdf *sdf, const double x[3], double *distance, double gradient[3]);

/* Two fields at once, whose loads the processor overlaps. The three channels from `first` on at one
 * place (value[][3] is undefined), or the distance `far` from a field that has no leaf there; the
 * distance, or the distance and its gradient, at a place of each. Where two faces are equally near
 * the field `first_one` chooses between them for both. */
void firn_sdf_pair_vector(firn_sdf *const sdfs[2], const double x[3], int first, double value[2][4],
                          double far[2], int is_near[2]);
void firn_sdf_pair_distance(firn_sdf *const sdfs[2], double x[2][3], double distance[2]);
void firn_sdf_pair_gradient(firn_sdf *const sdfs[2], double x[2][3], int first_one,
                            double distance[2], double gradient[2][3], int is_near[2]);
/* Paint at x. Returns 0 where there is none: in no leaf, or where voxels without paint have more
 * than half of the weight. With less they are left out, so that paint ends half way between two
 * voxels and keeps its value up to there. */
int firn_sdf_paint(const firn_sdf *sdf, const double x[3], int channel, double *value);
/* Box of the leaves, m. */
void firn_sdf_bounds(const firn_sdf *sdf, double min[3], double max[3]);

#ifdef __cplusplus
}
#endif
#endif
