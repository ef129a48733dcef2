/* SPDX-License-Identifier: MIT */
/* particle_color.h: what colour a particle has - that of its material, or that of a number it
 * carries. */
#ifndef FIRN_TINT_H
#define FIRN_TINT_H

#include "picture/colormap.h"
#include "points/points.h"

/* One number a particle, named as "Jp", "v" (a vector: its length), "F" (nine components: the
 * determinant), or by component as "v.y", "F[4]". */
typedef struct firn_particle_color_number {
    const firn_attribute *attribute;
    int component; /* -1: of the whole, as above */
} firn_particle_color_number;

/* Refused with a sentence that lists what the points carry. */
firn_status firn_particle_color_find(const firn_points *points, const char *name,
                                     firn_particle_color_number *number, firn_messages *messages);
double firn_particle_color_value(const firn_particle_color_number *number, int64_t i);

/* The categories of a set of points: the strings of its attribute "material" (then "source"), or
 * one nameless. */
typedef struct firn_particle_color_palette {
    int n;
    const char *names[32];
    firn_color colors[32];
} firn_particle_color_palette;

void firn_particle_color_categories(const firn_points *points,
                                    firn_particle_color_palette *palette);
/* Linear light of particle i by material; an attribute Cd, where there is one, is the particle's
 * own colour. */
void firn_particle_color_by_material(const firn_points *points,
                                     const firn_particle_color_palette *palette, int64_t i,
                                     float linear[3]);

#endif
