/* SPDX-License-Identifier: MIT */
/* surface_cell.h: the samples of a pixel as sums, and a pixel from its cell and those around it. */
#ifndef FIRN_SURFACE_CELL_H
#define FIRN_SURFACE_CELL_H

#include "picture/layers.h"
#include "picture/surface_light.h"
#include "plot/image.h"

enum {
    FIRN_SURFACE_NOTHING,
    FIRN_SURFACE_MATERIAL,
    FIRN_SURFACE_SOLID,
    FIRN_SURFACE_FLOOR,
    FIRN_SURFACE_KINDS
};

/* Sums over samples. */
typedef struct firn_surface_cell {
    firn_surface_parts parts;           /* of the material */
    float n[3], depth;                  /* normals and distances of the material */
    float nearest;                      /* m, of material and colliders; 0: none */
    float solid_distance, solid_facing; /* of colliders: distances, cosines to the sun where lit */
    float sun[FIRN_SURFACE_KINDS], sky[FIRN_SURFACE_KINDS];
    uint8_t count[FIRN_SURFACE_KINDS], n_sun[FIRN_SURFACE_KINDS], n_veiled;
} firn_surface_cell;

typedef struct firn_surface_hit {
    int kind, is_veiled, has_sun;
    float t, sun, sky, n[3], facing; /* cosine to the sun */
} firn_surface_hit;

/* parts: of the material, else not read. */
void firn_surface_cell_add(firn_surface_cell *cell, const firn_surface_hit *hit,
                           const firn_surface_parts *parts);

typedef struct firn_surface_view {
    const firn_surface_stage *stage;
    const firn_camera *camera;
    const firn_surface_cell *cells;
    int width, height, n_samples; /* per pixel */
    float size, radius;           /* m */
} firn_surface_view;

void firn_surface_cell_compose(const firn_surface_view *view, int i, int j, firn_image *image,
                               firn_layers *layers);

#endif
