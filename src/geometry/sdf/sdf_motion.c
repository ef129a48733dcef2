/* SPDX-License-Identifier: MIT */
/* sdf_motion.c: see sdf_motion.h. */
#include "geometry/sdf/sdf_motion.h"

#include <math.h>

/* x of voxel m of a leaf; returns its index among the leaf's 9^3. */
static int voxel_at(const firn_sdf *v, int64_t leaf, int m, double x[3])
{
    const int cell[3] = {m >> 6, m >> 3 & 7, m & 7};
    for (int a = 0; a < 3; a++)
        x[a] = v->origin[a] + v->voxel * (8.0 * v->leaf_block[leaf][a] + cell[a]);
    return (cell[0] * 9 + cell[1]) * 9 + cell[2];
}

double firn_sdf_motion_speed(const firn_sdf *v, int velocity)
{
    double largest = 0;
#pragma omp parallel for schedule(static) reduction(max : largest)
    for (int64_t l = 0; l < v->n_leaves; l++)
        for (int m = 0; m < 512; m++) {
            double x[3], speed2 = 0;
            const int at = voxel_at(v, l, m, x);
            if (fabs((double)*firn_sdf_at(v, l, at, 0)) > v->voxel) continue;
            for (int a = 0; a < 3; a++) speed2 += pow(*firn_sdf_at(v, l, at, velocity + a), 2);
            largest = fmax(largest, sqrt(speed2));
        }
    return largest;
}

/* The greatest distance of the surface of v, moved by `shift`, from that of `other`, m */
static double residual_to(const firn_sdf *v, const firn_sdf *other, const double shift[3])
{
    double largest = 0;
#pragma omp parallel for schedule(static) reduction(max : largest)
    for (int64_t l = 0; l < v->n_leaves; l++)
        for (int m = 0; m < 512; m++) {
            double x[3], value[FIRN_MAX_CHANNELS], g[3];
            const double d = *firn_sdf_at(v, l, voxel_at(v, l, m, x), 0);
            if (fabs(d) > v->voxel) continue;
            for (int a = 0; a < 3; a++) x[a] += shift[a];
            firn_sdf_sample(other, x, value, g);
            largest = fmax(largest, fabs(value[0] - d));
        }
    return largest;
}

double firn_sdf_motion_residual(const firn_sdf *a, const firn_sdf *b, const double shift[3])
{
    const double back[3] = {-shift[0], -shift[1], -shift[2]};
    return fmax(residual_to(a, b, shift), residual_to(b, a, back));
}

double firn_sdf_motion_centroid(const firn_sdf *v, double centroid[3])
{
    double sum[3] = {0, 0, 0}, deepest = 0;
    int64_t n = 0;
    for (int64_t l = 0; l < v->n_leaves; l++)
        for (int m = 0; m < 512; m++) {
            double x[3], d = *firn_sdf_at(v, l, voxel_at(v, l, m, x), 0);
            deepest = fmax(deepest, -d);
            if (fabs(d) > v->voxel) continue;
            for (int a = 0; a < 3; a++) sum[a] += x[a];
            n++;
        }
    for (int a = 0; a < 3; a++) centroid[a] = n ? sum[a] / (double)n : 0;
    return deepest;
}

firn_sdf_motion_error firn_sdf_motion_advect(const firn_sdf *before, const firn_sdf *after,
                                             int velocity, double duration)
{
    firn_sdf_motion_error sum = {0, 0};
    int64_t n = 0;
    for (int64_t l = 0; l < before->n_leaves; l++)
        for (int m = 0; m < 512; m++) {
            double x[3], value[FIRN_MAX_CHANNELS], there[FIRN_MAX_CHANNELS], g[3], unused[3],
                along = 0;
            const double d = *firn_sdf_at(before, l, voxel_at(before, l, m, x), 0);
            if (fabs(d) > before->voxel) continue;
            firn_sdf_sample(before, x, value, g);
            for (int a = 0; a < 3; a++) {
                along += duration * value[velocity + a] * g[a];
                x[a] += duration * value[velocity + a];
            }
            firn_sdf_sample(after, x, there, unused);
            sum.missed += fabs(there[0] - d);
            sum.moved += fabs(along);
            n++;
        }
    if (n) {
        sum.missed /= (double)n;
        sum.moved /= (double)n;
    }
    return sum;
}
