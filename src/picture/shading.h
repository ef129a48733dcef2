/* SPDX-License-Identifier: MIT */
/* shading.h: from hits to a picture - sun with soft shadows, sky with ambient occlusion, a
 * ground that fades into the backdrop, antialiasing, tone curve.
 *
 * Colliders are matt and grey; one that stands before particles is a veil through which they are
 * seen.
 *
 * Two styles. As material: albedo times light, through a filmic shoulder. As data: the colour of
 * the map times a grey of shape and shadow that never exceeds 1, and no tone curve, so that what
 * is lit reads like the legend. */
#ifndef FIRN_LIGHT_H
#define FIRN_LIGHT_H

#include "plot/image.h"
#include "picture/sdf_trace.h"
#include "picture/spheres.h"
#include "picture/tracer.h"

typedef struct firn_shading {
    const firn_spheres *spheres;
    const float *colors; /* [n][3] linear light */
    const firn_camera *camera;
    const firn_hit *hits;           /* [height * samples][width * samples] */
    const firn_tracer *tracer;      /* NULL: no shadows; occlusion is guessed from depth */
    const firn_sdf_trace *solids;   /* colliders; NULL: none */
    const firn_sdf_hit *solid_hits; /* likewise, arranged as hits */
    int samples;                    /* a side: the picture's pixel is samples^2 rays */
    int n_sky;                      /* rays to the sky a sample */
    int is_data, has_ground, n_threads;
    float sun[3]; /* unit, towards it */
    float ground; /* height, local m */
    /* half the diagonal of the shot, m: how far occlusion reaches, where the ground fades */
    float size;
    float radius; /* of a typical sphere, m */
} firn_shading;

/* FIRN_MEMORY is the only trouble. The same bits for any number of threads. */
firn_status firn_shading_paint(const firn_shading *light, firn_image *image);

#endif
