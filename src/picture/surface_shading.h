/* SPDX-License-Identifier: MIT */
/* surface_shading.h: a picture of surfaces: rays of the eye, of light and shadow through Embree,
 * means over neighbours, composition. */
#ifndef FIRN_SURFACE_SHADING_H
#define FIRN_SURFACE_SHADING_H

#include "picture/layers.h"
#include "picture/surface_light.h"
#include "picture/tracer.h"
#include "plot/image.h"

typedef struct firn_surface_shading {
    firn_surface_stage stage;
    const firn_skin *skin;
    const firn_tracer *tracer; /* shape 2 k: mesh of piece k, 2 k + 1: its grains */
    const firn_camera *camera;
    const firn_sdf_hit *sdf_hits; /* [height * samples][width * samples]; NULL: none */
    int samples;                  /* per side of a pixel */
    int n_sky;                    /* rays to the sky per sample */
    int is_ghost;                 /* colliders are glass */
    int n_threads;
    float size, radius; /* half the diagonal of the shot, radius of a particle; m */
} firn_surface_shading;

/* FIRN_OK or FIRN_MEMORY. layers may be NULL. The same bits for any number of threads. */
firn_status firn_surface_shading_paint(const firn_surface_shading *shading, firn_image *image,
                                       firn_layers *layers);

#endif
