/* SPDX-License-Identifier: MIT */
/* splat.c: a depth buffer of ray-cast spheres. For each sphere the rectangle of cells around its
 * silhouette is computed; bands of rows are independent, and inside a band spheres are drawn in the
 * order of their numbers, the first one winning a tie. So the bits do not depend on threads. */
#include "picture/splat.h"
#include "base/memory.h"

#include <math.h>

enum { BAND = 32 }; /* rows drawn by one thread at a time */

typedef struct rectangle {
    int32_t i0, i1, j0, j1; /* half open; empty: not seen */
} rectangle;

/* Where a sphere at (a, z) of radius r, seen from the origin along z, begins and ends in a/z:
 * the tangents through the origin have a/z = (a z -+ r sqrt(a^2 + z^2 - r^2)) / (z^2 - r^2). */
static void tangents(float a, float z, float r, float *low, float *high)
{
    float root = r * sqrtf(a * a + z * z - r * r), below = z * z - r * r;
    *low = (a * z - root) / below;
    *high = (a * z + root) / below;
}

static int32_t clamp_cell(float x, int n) { return x > 0 ? (x < (float)n ? (int32_t)x : n) : 0; }

static rectangle silhouette(const firn_camera *camera, const float *s, int columns, int rows)
{
    rectangle all = {0, columns, 0, rows}, none = {0, 0, 0, 0};
    float q[3] = {s[0] - camera->eye[0], s[1] - camera->eye[1], s[2] - camera->eye[2]}, r = s[3],
          low, high;
    float x = q[0] * camera->right[0] + q[1] * camera->right[1] + q[2] * camera->right[2];
    float y = q[0] * camera->up[0] + q[1] * camera->up[1] + q[2] * camera->up[2];
    float z = q[0] * camera->forward[0] + q[1] * camera->forward[1] + q[2] * camera->forward[2];
    if (!(r > 0) || z < -r) return none;
    if (z < 1.01f * r)
        return all; /* it reaches behind the plane of the eye, where there are no tangents */
    rectangle box;
    tangents(x, z, r, &low, &high);
    box.i0 = clamp_cell(floorf((low / camera->tan_x + 1) * 0.5f * (float)columns - 0.5f), columns);
    box.i1 = clamp_cell(ceilf((high / camera->tan_x + 1) * 0.5f * (float)columns + 0.5f), columns);
    tangents(y, z, r, &low, &high);
    box.j0 = clamp_cell(floorf((1 - high / camera->tan_y) * 0.5f * (float)rows - 0.5f), rows);
    box.j1 = clamp_cell(ceilf((1 - low / camera->tan_y) * 0.5f * (float)rows + 0.5f), rows);
    return box;
}

static void cast(const firn_camera *camera, const float *s, const float d[3], uint32_t id,
                 firn_hit *hit)
{
    float q[3] = {s[0] - camera->eye[0], s[1] - camera->eye[1], s[2] - camera->eye[2]};
    float b = q[0] * d[0] + q[1] * d[1] + q[2] * d[2];
    /* perpendicular from the centre to the ray, as a vector: b^2 - q^2 cancels far away */
    float p[3] = {q[0] - b * d[0], q[1] - b * d[1], q[2] - b * d[2]};
    float rest = s[3] * s[3] - (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    if (!(rest >= 0)) return;
    float t = b - sqrtf(rest);
    if (t > 0 && t < hit->t) *hit = (firn_hit){t, id};
}

firn_status firn_splat_hits(const firn_spheres *spheres, const firn_camera *camera, int columns,
                            int rows, int n_threads, firn_hit *hits)
{
    size_t n = (size_t)spheres->n;
    rectangle *boxes = firn_memory_array(NULL, n, sizeof *boxes);
    if (!boxes) return FIRN_MEMORY;
#pragma omp parallel for num_threads(n_threads) schedule(static)
    for (int64_t k = 0; k < spheres->n; k++)
        boxes[k] = silhouette(camera, spheres->xyzr + 4 * k, columns, rows);
#pragma omp parallel for num_threads(n_threads) schedule(dynamic)
    for (int band = 0; band < rows; band += BAND) {
        int end = band + BAND < rows ? band + BAND : rows;
        for (int64_t k = (int64_t)band * columns; k < (int64_t)end * columns; k++)
            hits[k] = (firn_hit){INFINITY, FIRN_NO_SPHERE};
        for (int64_t k = 0; k < spheres->n; k++) {
            const rectangle *box = &boxes[k];
            int j0 = box->j0 > band ? box->j0 : band, j1 = box->j1 < end ? box->j1 : end;
            for (int j = j0; j < j1; j++)
                for (int i = box->i0; i < box->i1; i++) {
                    float d[3];
                    firn_spheres_ray(camera, columns, rows, i, j, d);
                    cast(camera, spheres->xyzr + 4 * k, d, (uint32_t)k,
                         &hits[(int64_t)j * columns + i]);
                }
        }
    }
    firn_memory_release(NULL, boxes, n * sizeof *boxes);
    return FIRN_OK;
}
