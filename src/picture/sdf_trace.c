/* SPDX-License-Identifier: MIT */
/* sdf_trace.c: see sdf_trace.h. */
#include "picture/sdf_trace.h"
#include "base/memory.h"
#include "picture/spheres.h"

#include <math.h>

enum { STEPS_MAX = 160 };

void firn_sdf_trace_to_scene(const firn_sdf_trace *sdf, const float p[3], double x[3])
{
    double turned[3];
    for (int c = 0; c < 3; c++) turned[c] = sdf->origin[c] + p[c];
    x[0] = turned[0];
    x[1] = sdf->is_z_up ? -turned[2] : turned[1];
    x[2] = sdf->is_z_up ? turned[1] : turned[2];
}

float firn_sdf_trace_distance(const firn_sdf_trace *sdf, const float p[3])
{
    double x[3];
    firn_sdf_trace_to_scene(sdf, p, x);
    return (float)firn_scene_colliders_distance(sdf->colliders, x, NULL);
}

static void normal_at(const firn_sdf_trace *sdf, const float p[3], float normal[3])
{
    double x[3], n[3] = {0, 0, 0};
    firn_sdf_trace_to_scene(sdf, p, x);
    firn_scene_colliders_distance(sdf->colliders, x, n);
    normal[0] = (float)n[0];
    normal[1] = (float)(sdf->is_z_up ? n[2] : n[1]);
    normal[2] = (float)(sdf->is_z_up ? -n[1] : n[2]);
}

/* Where the ray enters and leaves the box, and the axis of the face by which it enters; 0: never.
 */
static int clip(const firn_sdf_trace *sdf, const float o[3], const float d[3], float *near,
                float *far, int *axis)
{
    *axis = -1;
    for (int c = 0; c < 3; c++) {
        if (d[c] == 0) { /* parallel to the faces */
            if (o[c] < sdf->min[c] || o[c] > sdf->max[c]) return 0;
            continue;
        }
        float a = (sdf->min[c] - o[c]) / d[c], b = (sdf->max[c] - o[c]) / d[c];
        if (fminf(a, b) > *near) {
            *near = fminf(a, b);
            *axis = c;
        }
        *far = fminf(*far, fmaxf(a, b));
    }
    return *near < *far;
}

firn_sdf_hit firn_sdf_trace_trace(const firn_sdf_trace *sdf, const float origin[3],
                                  const float direction[3], float far)
{
    firn_sdf_hit hit = {INFINITY, {0, 0, 0}};
    float t = 0, p[3];
    int axis, is_leaving = 0;
    if (!clip(sdf, origin, direction, &t, &far, &axis)) return hit;
    for (int step = 0; step < STEPS_MAX && t < far; step++) {
        for (int c = 0; c < 3; c++) p[c] = origin[c] + t * direction[c];
        float distance = firn_sdf_trace_distance(sdf, p);
        if (step == 0 && distance < 0 && axis >= 0) { /* the plane cut */
            hit.t = t;
            hit.normal[axis] = direction[axis] > 0 ? -1.0f : 1.0f;
            return hit;
        }
        if (step == 0) is_leaving = axis < 0 && distance < sdf->precision;
        if (is_leaving && distance > 2 * sdf->precision) is_leaving = 0;
        if (!is_leaving && distance < sdf->precision) {
            hit.t = t;
            normal_at(sdf, p, hit.normal);
            return hit;
        }
        t += fmaxf(fabsf(distance), sdf->precision);
    }
    return hit;
}

float firn_sdf_trace_clearance(const firn_sdf_trace *sdf, const float origin[3],
                               const float direction[3])
{
    float t = 0, far = INFINITY, least = INFINITY, p[3];
    int axis;
    if (!clip(sdf, origin, direction, &t, &far, &axis)) return INFINITY;
    for (int step = 0; step < STEPS_MAX && t < far; step++) {
        for (int c = 0; c < 3; c++) p[c] = origin[c] + t * direction[c];
        float distance = firn_sdf_trace_distance(sdf, p);
        if (distance < sdf->precision) return 0;
        if (t > 0) least = fminf(least, distance / t);
        t += distance;
    }
    return least;
}

/* Whether two neighbouring rays see the same piece of surface. */
static int is_alike(const firn_sdf_hit *a, const firn_sdf_hit *b)
{
    if (isinf(a->t) || isinf(b->t)) return isinf(a->t) && isinf(b->t);
    float same =
        a->normal[0] * b->normal[0] + a->normal[1] * b->normal[1] + a->normal[2] * b->normal[2];
    return same > 0.98f && fabsf(a->t - b->t) < 0.05f * a->t;
}

/* Whether pixel (i, j) differs from one of its eight neighbours. */
static int is_edge(const firn_sdf_hit *centers, int width, int height, int i, int j)
{
    const firn_sdf_hit *here = &centers[(size_t)j * (size_t)width + (size_t)i];
    for (int y = j > 0 ? j - 1 : 0; y <= j + 1 && y < height; y++)
        for (int x = i > 0 ? i - 1 : 0; x <= i + 1 && x < width; x++)
            if (!is_alike(here, &centers[(size_t)y * (size_t)width + (size_t)x])) return 1;
    return 0;
}

firn_status firn_sdf_trace_hits(const firn_sdf_trace *sdf, const firn_camera *camera, int width,
                                int height, int samples, int n_threads, firn_sdf_hit *hits)
{
    size_t n = (size_t)width * (size_t)height;
    firn_sdf_hit *centers = firn_memory_array(NULL, n, sizeof *centers);
    if (!centers) return FIRN_MEMORY;
#pragma omp parallel for num_threads(n_threads) schedule(dynamic)
    for (int j = 0; j < height; j++)
        for (int i = 0; i < width; i++) {
            float d[3];
            firn_spheres_ray(camera, width, height, i, j, d);
            centers[(size_t)j * (size_t)width + (size_t)i] =
                firn_sdf_trace_trace(sdf, camera->eye, d, INFINITY);
        }
#pragma omp parallel for num_threads(n_threads) schedule(dynamic)
    for (int j = 0; j < height; j++)
        for (int i = 0; i < width; i++) {
            int is_refined = samples > 1 && is_edge(centers, width, height, i, j);
            for (int k = 0; k < samples * samples; k++) {
                int column = i * samples + k % samples, row = j * samples + k / samples;
                float d[3];
                firn_spheres_ray(camera, width * samples, height * samples, column, row, d);
                hits[(size_t)row * (size_t)(width * samples) + (size_t)column] =
                    is_refined ? firn_sdf_trace_trace(sdf, camera->eye, d, INFINITY)
                               : centers[(size_t)j * (size_t)width + (size_t)i];
            }
        }
    firn_memory_release(NULL, centers, n * sizeof *centers);
    return FIRN_OK;
}

void firn_sdf_trace_sample(const firn_sdf_trace *sdf, const firn_camera *camera, int width,
                           int height, int samples, int k, int n_threads, firn_sdf_hit *hits)
{
#pragma omp parallel for num_threads(n_threads) schedule(dynamic)
    for (int j = 0; j < height; j++)
        for (int i = 0; i < width; i++) {
            int column = i * samples + k % samples, row = j * samples + k / samples;
            float d[3];
            firn_spheres_ray(camera, width * samples, height * samples, column, row, d);
            hits[(size_t)row * (size_t)(width * samples) + (size_t)column] =
                firn_sdf_trace_trace(sdf, camera->eye, d, INFINITY);
        }
}
