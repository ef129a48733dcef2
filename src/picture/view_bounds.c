/* SPDX-License-Identifier: MIT */
/* view_bounds.c: see view_bounds.h. Quantiles of up to 20,000 points per frame. */
#include "picture/view_bounds.h"
#include "base/memory.h"
#include "base/messages.h"
#include "picture/particle_color.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE_MAX = 20000 };

firn_view_bounds firn_view_bounds_default(void)
{
    return (firn_view_bounds){.min = {INFINITY, INFINITY, INFINITY},
                              .max = {-INFINITY, -INFINITY, -INFINITY},
                              .lowest = INFINITY,
                              .value_min = INFINITY,
                              .value_max = -INFINITY};
}

void firn_view_bounds_turn(int is_z_up, const double scene[3], double turned[3])
{
    turned[0] = scene[0];
    turned[1] = is_z_up ? scene[2] : scene[1];
    turned[2] = is_z_up ? -scene[1] : scene[2];
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts the finite values to the front; returns their number. */
static int64_t sort(double *values, int64_t n)
{
    int64_t kept = 0;
    for (int64_t k = 0; k < n; k++)
        if (isfinite(values[k])) values[kept++] = values[k];
    qsort(values, (size_t)kept, sizeof *values, by_size);
    return kept;
}

static double quantile(const double *sorted, int64_t n, double q)
{
    return sorted[(int64_t)(q * (double)(n - 1) + 0.5)];
}

static void widen(double *low, double *high, double a, double b)
{
    *low = fmin(*low, a);
    *high = fmax(*high, b);
}

/* Every second sample goes, and as many of later frames, where there is no room left. */
static void add_samples(firn_view_bounds *bounds, const firn_points *points, const float *places)
{
    if (bounds->n_per_frame == 0) bounds->n_per_frame = FIRN_VIEW_SAMPLES / 4;
    while (bounds->n_samples + bounds->n_per_frame > FIRN_VIEW_SAMPLES) {
        for (int k = 0; k < bounds->n_samples; k += 2)
            memmove(bounds->samples[k / 2], bounds->samples[k], sizeof bounds->samples[k]);
        bounds->n_samples = (bounds->n_samples + 1) / 2;
        if (bounds->n_per_frame > 1) bounds->n_per_frame /= 2;
    }
    for (int k = 0; k < bounds->n_per_frame; k++) {
        const float *p = places + 3 * (k * points->n / bounds->n_per_frame);
        double turned[3];
        if (k >= points->n) return;
        firn_view_bounds_turn(bounds->is_z_up, (double[3]){p[0], p[1], p[2]}, turned);
        for (int c = 0; c < 3; c++) bounds->samples[bounds->n_samples][c] = (float)turned[c];
        if (isfinite(turned[0]) && isfinite(turned[1]) && isfinite(turned[2])) bounds->n_samples++;
    }
}

firn_status firn_view_bounds_add(firn_view_bounds *bounds, const firn_points *points,
                                 const char *attribute, firn_messages *messages)
{
    const firn_attribute *position = firn_points_find(points, "P");
    if (!position || position->n_components != 3 || position->type == FIRN_ATTRIBUTE_INT)
        return firn_messages_add(messages, FIRN_REFUSED, "points: no attribute P of three floats");
    firn_particle_color_number number = {0};
    if (*attribute) {
        firn_status status = firn_particle_color_find(points, attribute, &number, messages);
        if (status != FIRN_OK) return status;
    }
    int64_t stride = points->n / SAMPLE_MAX + 1, n = (points->n + stride - 1) / stride;
    double *work = firn_memory_array(NULL, (size_t)n, sizeof *work);
    if (!work) return firn_messages_no_memory(messages, "bounds of the picture");
    for (int c = 0; c < 3; c++) {
        for (int64_t k = 0; k < n; k++) {
            const float *p = position->data.f + 3 * k * stride;
            double turned[3];
            firn_view_bounds_turn(bounds->is_z_up, (double[3]){p[0], p[1], p[2]}, turned);
            work[k] = turned[c];
        }
        int64_t kept = sort(work, n);
        if (!kept) continue;
        widen(&bounds->min[c], &bounds->max[c], quantile(work, kept, 0.005),
              quantile(work, kept, 0.995));
        if (c == 1) {
            bounds->lowest = fmin(bounds->lowest, quantile(work, kept, 0.001));
            bounds->n += points->n;
        }
    }
    add_samples(bounds, points, position->data.f);
    if (number.attribute) {
        for (int64_t k = 0; k < n; k++) work[k] = firn_particle_color_value(&number, k * stride);
        int64_t kept = sort(work, n);
        if (kept) {
            bounds->has_values = 1;
            widen(&bounds->value_min, &bounds->value_max, quantile(work, kept, 0.01),
                  quantile(work, kept, 0.99));
        }
    }
    firn_memory_release(NULL, work, (size_t)n * sizeof *work);
    return FIRN_OK;
}

void firn_view_bounds_include(firn_view_bounds *bounds, const double min[3], const double max[3])
{
    for (int corner = 0; corner < 8; corner++) {
        double x[3], turned[3];
        for (int c = 0; c < 3; c++) x[c] = corner >> c & 1 ? max[c] : min[c];
        firn_view_bounds_turn(bounds->is_z_up, x, turned);
        for (int c = 0; c < 3; c++) widen(&bounds->min[c], &bounds->max[c], turned[c], turned[c]);
        bounds->lowest = fmin(bounds->lowest, turned[1]);
        if (bounds->n_samples == FIRN_VIEW_SAMPLES) bounds->n_samples--;
        for (int c = 0; c < 3; c++) bounds->samples[bounds->n_samples][c] = (float)turned[c];
        bounds->n_samples++;
    }
    if (bounds->n == 0) bounds->n = 1; /* not empty any more */
}
