/* tint.h: what colour a particle has - that of its material, or that of a number it carries. */
#ifndef FIRN_TINT_H
#define FIRN_TINT_H

#include "colormap.h"
#include "points.h"

/* One number a particle, named as "Jp", "v" (a vector: its length), "F" (nine components: the determinant), or by
 * component as "v.y", "F[4]". */
typedef struct firn_tint_number {
    const firn_attribute *attribute;
    int component; /* -1: of the whole, as above */
} firn_tint_number;

/* Refused with a sentence that lists what the points carry. */
firn_status firn_tint_find(const firn_points *points, const char *name, firn_tint_number *number, firn_report *report);
double firn_tint_value(const firn_tint_number *number, int64_t i);

/* The categories of a set of points: the strings of its attribute "material" (then "source"), or one nameless. */
typedef struct firn_tint_palette {
    int n;
    const char *names[32];
    firn_color colors[32];
} firn_tint_palette;

/* A colour that fits a material's name (snow is white, dough is beige), else the i-th of a set of natural tints. */
firn_color firn_tint_of_material(const char *name, int i);

void firn_tint_categories(const firn_points *points, firn_tint_palette *palette);
/* Linear light of particle i by material; an attribute Cd, where there is one, is the particle's own colour. */
void firn_tint_by_material(const firn_points *points, const firn_tint_palette *palette, int64_t i, float linear[3]);

#endif
