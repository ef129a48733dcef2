/* SPDX-License-Identifier: MIT */
/* picture.h: points and cameras for the tests of pictures. */
#ifndef FIRN_TEST_PICTURE_H
#define FIRN_TEST_PICTURE_H

#include "points/format.h"

#include <stdint.h>
#include <stdio.h>

/* A number in 0..1 from a linear congruential generator (Numerical Recipes' constants). */
static inline float picture_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / 16777216.0f;
}

/* n particles of radius r in a cube of edge 1 that stands on y = 0, with velocity (x, 0, 0) and
 * two materials. */
static inline firn_points *picture_points(int64_t n, float r)
{
    firn_points *points = firn_points_create(n);
    float *p = firn_points_add(points, "P", FIRN_ATTRIBUTE_VECTOR, 3)->data.f;
    float *v = firn_points_add(points, "v", FIRN_ATTRIBUTE_VECTOR, 3)->data.f;
    float *scale = firn_points_add(points, "pscale", FIRN_ATTRIBUTE_FLOAT, 1)->data.f;
    firn_attribute *material = firn_points_add(points, "material", FIRN_ATTRIBUTE_INDEX, 1);
    firn_attribute_intern(material, "snow");
    firn_attribute_intern(material, "dough");
    uint32_t state = 7;
    for (int64_t k = 0; k < n; k++) {
        for (int c = 0; c < 3; c++) p[3 * k + c] = picture_random(&state) - (c == 1 ? 0.0f : 0.5f);
        v[3 * k] = p[3 * k];
        scale[k] = r;
        material->data.i[k] = p[3 * k] > 0;
    }
    return points;
}

/* Writes FOLDER/cube.NNNN.bgeo and destroys the points; 0: not written. */
static inline int picture_write(const char *folder, int frame, firn_points *points)
{
    char path[128];
    snprintf(path, sizeof path, "%s/cube.%04d.bgeo", folder, frame);
    firn_status status = firn_format_write(path, points, NULL, NULL);
    firn_points_destroy(points);
    return status == FIRN_OK;
}

#endif
