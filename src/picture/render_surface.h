/* SPDX-License-Identifier: MIT */
/* render_surface.h: the surfaces of a frame in place of its spheres; a step of render.c. */
#ifndef FIRN_RENDER_SURFACE_H
#define FIRN_RENDER_SURFACE_H

#include "picture/particle_color.h"
#include "picture/render.h"
#include "picture/surface_shading.h"

typedef struct firn_render_surface {
    const firn_points *points;
    const firn_render_def *def;
    const firn_particle_color_palette *palette;
    const float *xyzr; /* [n][4] local */
    float *colors;     /* [n][3]; those that the scene does not give become the look's */
    int is_z_up;
    float radius; /* of particles, m */
} firn_render_surface;

/* FIRN_REFUSED: a look of the definition that is not known. */
firn_status firn_render_surface_check(const firn_render_def *def, firn_messages *messages);
/* `how` comes with everything but skin and tracer. */
firn_status firn_render_surface_paint(const firn_render_surface *surface,
                                      const firn_surface_shading *how, firn_image *image,
                                      firn_messages *messages);

#endif
