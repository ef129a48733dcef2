/* SPDX-License-Identifier: MIT */
/* particle_color.h: the colour of a particle: that of its material, or that of one of its
 * numbers. */
#ifndef FIRN_PARTICLE_COLOR_H
#define FIRN_PARTICLE_COLOR_H

#include "picture/colormap.h"
#include "points/points.h"

/* One number per particle: "Jp", "v" (a vector: its length), "F" (nine components: the
 * determinant), or a component, "v.y", "F[4]". */
typedef struct firn_particle_color_number {
    const firn_attribute *attribute;
    int component; /* -1: length or determinant, or the only one */
} firn_particle_color_number;

/* FIRN_REFUSED: no such attribute; the message lists those of the points. */
firn_status firn_particle_color_find(const firn_points *points, const char *name,
                                     firn_particle_color_number *number, firn_messages *messages);
double firn_particle_color_value(const firn_particle_color_number *number, int64_t i);

/* The categories of a set of points: the strings of its attribute "material", else "source", else
 * one without a name. */
typedef struct firn_particle_color_palette {
    int n;
    const char *names[32];
    firn_color colors[32];
} firn_particle_color_palette;

void firn_particle_color_categories(const firn_points *points,
                                    firn_particle_color_palette *palette);
/* The one category without a name becomes that of the material. */
void firn_particle_color_name(firn_particle_color_palette *palette, const char *material);
/* The category of particle i. */
int firn_particle_color_category(const firn_points *points,
                                 const firn_particle_color_palette *palette, int64_t i);
/* Linear light of particle i by material; its attribute Cd where there is one. */
void firn_particle_color_by_material(const firn_points *points,
                                     const firn_particle_color_palette *palette, int64_t i,
                                     float linear[3]);

#endif
