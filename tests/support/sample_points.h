/* SPDX-License-Identifier: MIT */
/* sample_points.h: particle tables for tests of formats - every type, awkward values, and the
 * comparison that does not know any format. */
#ifndef FIRN_TEST_SAMPLE_POINTS_H
#define FIRN_TEST_SAMPLE_POINTS_H

#include <math.h>
#include <string.h>

#include "points/points.h"

static inline uint32_t sample_random(uint32_t *state)
{
    return (*state = *state * 1664525u + 1013904223u) >> 3;
}

static inline void sample_fill(firn_attribute *attribute, int64_t n, uint32_t *state)
{
    for (int64_t i = 0; i < n * attribute->n_components; i++)
        if (attribute->type == FIRN_ATTRIBUTE_INDEX)
            attribute->data.i[i] =
                (int32_t)(sample_random(state) % (uint32_t)(attribute->n_strings + 1)) - 1;
        else if (attribute->type == FIRN_ATTRIBUTE_INT)
            attribute->data.i[i] = (int32_t)(sample_random(state) << 4) - 77;
        else
            attribute->data.f[i] = (float)sample_random(state) * 1e-7f - 25.0f;
}

/* Every type, several component counts, an index with none (-1) in it, details of every type. */
static inline firn_points *sample_points(int64_t n)
{
    firn_points *points = firn_points_create(n);
    uint32_t random = 7;
    firn_points_add(points, "v", FIRN_ATTRIBUTE_VECTOR, 3); /* P is not the first on purpose */
    firn_points_add(points, "P", FIRN_ATTRIBUTE_VECTOR, 3);
    firn_points_add(points, "id", FIRN_ATTRIBUTE_INT, 1);
    firn_points_add(points, "pscale", FIRN_ATTRIBUTE_FLOAT, 1);
    firn_points_add(points, "material", FIRN_ATTRIBUTE_INDEX, 1);
    firn_points_add(points, "F", FIRN_ATTRIBUTE_FLOAT, 9);
    firn_points_add(points, "pair", FIRN_ATTRIBUTE_INT, 2);
    const char *names[] = {"snow", "dough <&> \"wet\"", "", "W\xC3\xA4rme"};
    for (int i = 0; i < 4; i++) firn_attribute_intern(&points->attributes[4], names[i]);
    firn_points_add_detail(points, "frame", FIRN_ATTRIBUTE_INT, 1);
    firn_points_add_detail(points, "time", FIRN_ATTRIBUTE_FLOAT, 1);
    firn_points_add_detail(points, "gravity", FIRN_ATTRIBUTE_VECTOR, 3);
    firn_points_add_detail(points, "scene", FIRN_ATTRIBUTE_INDEX, 1);
    firn_attribute_intern(&points->details[3], "snow ball");
    for (int a = 0; a < points->n_attributes; a++) sample_fill(&points->attributes[a], n, &random);
    for (int a = 0; a < points->n_details; a++) sample_fill(&points->details[a], 1, &random);
    points->details[3].data.i[0] = 0;
    if (n > 3) { /* what a lossy text format would not bring back */
        float *v = points->attributes[0].data.f;
        v[0] = -0.0f;
        v[1] = 1e-42f;
        v[2] = 3.4e38f;
        v[3] = INFINITY;
        v[4] = NAN;
        v[5] = 16777217.0f;
        points->attributes[2].data.i[0] = INT32_MIN;
        points->attributes[2].data.i[1] = INT32_MAX;
    }
    return points;
}

/* The name of the first thing in `a` that is missing or different, bit for bit, in `b`; NULL:
 * nothing. */
static inline const char *sample_lists_differ(const firn_attribute *a, int n_a,
                                              const firn_attribute *b, int n_b, int64_t n)
{
    for (int i = 0; i < n_a; i++) {
        const firn_attribute *x = &a[i], *y = NULL;
        for (int k = 0; k < n_b; k++)
            if (strcmp(b[k].name, x->name) == 0) y = &b[k];
        if (!y || x->type != y->type || x->n_components != y->n_components) return x->name;
        if (x->n_strings != y->n_strings) return x->name;
        for (int s = 0; s < x->n_strings; s++)
            if (strcmp(x->strings[s], y->strings[s]) != 0) return x->name;
        if (memcmp(x->data.f, y->data.f, (size_t)n * (size_t)x->n_components * 4) != 0)
            return x->name;
    }
    return NULL;
}

static inline const char *sample_difference(const firn_points *a, const firn_points *b)
{
    if (a->n != b->n) return "n";
    if (a->n_attributes != b->n_attributes) return "n_attributes";
    if (a->n_details != b->n_details) return "n_details";
    const char *name =
        sample_lists_differ(a->attributes, a->n_attributes, b->attributes, b->n_attributes, a->n);
    return name ? name : sample_lists_differ(a->details, a->n_details, b->details, b->n_details, 1);
}

#endif
