/* SPDX-License-Identifier: MIT */
/* points.h: particles outside the solver - a table of named attributes. Every format reads into
 * one and writes from one; the solver fills one a frame; render, mesh, info and convert work on
 * nothing else.
 *
 * Attribute types are those of classic bgeo: float (n components), int, vector (3 floats that
 * transform), index (an int into a string table). Position is the attribute "P" like any other. */
#ifndef FIRN_POINTS_H
#define FIRN_POINTS_H

#include "firn/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum firn_attribute_type {
    FIRN_ATTRIBUTE_FLOAT,
    FIRN_ATTRIBUTE_INT,
    FIRN_ATTRIBUTE_VECTOR,
    FIRN_ATTRIBUTE_INDEX
} firn_attribute_type;

typedef struct firn_attribute {
    char name[64];
    firn_attribute_type type;
    int n_components;
    union {
        float *f; /* [n][n_components] */
        int32_t *i;
    } data;
    int n_strings; /* index only */
    char **strings;
} firn_attribute;

typedef struct firn_points {
    int64_t n;
    int n_attributes;
    firn_attribute *attributes;
    int n_details; /* attributes of the whole set: one record each (frame, time, dx, ...) */
    firn_attribute *details;
} firn_points;

firn_points *firn_points_create(int64_t n);
void firn_points_destroy(firn_points *points);
/* Adds a zeroed attribute; NULL when out of memory. The pointer is valid until the next add. The
 * name has 1 to 63 bytes and is new, the components are 1 to FIRN_POINTS_COMPONENTS_MAX, three for
 * a vector: readers of files check that before. */
enum { FIRN_POINTS_COMPONENTS_MAX = 4096 };
firn_attribute *firn_points_add(firn_points *points, const char *name, firn_attribute_type type,
                                int n_components);
firn_attribute *firn_points_add_detail(firn_points *points, const char *name,
                                       firn_attribute_type type, int n_components);
const firn_attribute *firn_points_find(const firn_points *points, const char *name);
const firn_attribute *firn_points_find_detail(const firn_points *points, const char *name);
/* The place of a string in an index attribute's table, added where new; -1 when out of memory. */
int firn_attribute_intern(firn_attribute *attribute, const char *string);
/* Appends to the table without looking whether the string is there already (readers: places must
 * be kept). */
int firn_attribute_append(firn_attribute *attribute, const char *string);
/* Indices of n records that point outside the string table would trap every later user: they
 * become -1, "none", and a warning says how many. */
void firn_attribute_tame(firn_attribute *attribute, int64_t n, const char *path,
                         firn_messages *messages);
/* The points `which`, n of them, with all attributes and details; NULL when out of memory. */
firn_points *firn_points_subset(const firn_points *points, int64_t n, const int64_t *which);
size_t firn_points_bytes(const firn_points *points);

#ifdef __cplusplus
}
#endif
#endif
