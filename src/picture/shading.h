/* SPDX-License-Identifier: MIT */
/* shading.h: from hits to a picture: sun with soft shadows, sky with ambient occlusion, a ground
 * that fades into the backdrop, antialiasing, tone curve.
 *
 * Colliders are matt and grey; where they are ghosts, particles behind one are seen through it as
 * through a veil.
 *
 * Two styles. Material: albedo times light, through a filmic shoulder. Data: the colour of the
 * map times a grey of shape and shadow of at most 1, without a tone curve, so that lit particles
 * have the colours of the legend. */
#ifndef FIRN_SHADING_H
#define FIRN_SHADING_H

#include "plot/image.h"
#include "picture/sdf_trace.h"
#include "picture/spheres.h"
#include "picture/tracer.h"

typedef struct firn_shading {
    const firn_spheres *spheres;
    const float *colors; /* [n][3] linear light */
    const firn_camera *camera;
    const firn_hit *hits;         /* [height * samples][width * samples] */
    const firn_tracer *tracer;    /* NULL: no shadows; occlusion by depth */
    const firn_sdf_trace *sdf;    /* colliders; NULL: none */
    const firn_sdf_hit *sdf_hits; /* likewise, arranged as hits */
    int samples;                  /* per side: samples^2 rays per pixel */
    int n_sky;                    /* rays to the sky per sample */
    int is_data, is_ghost, has_ground, n_threads;
    float sun[3]; /* unit vector towards it */
    float ground; /* height, local m */
    /* half the diagonal of the shot, m: reach of occlusion, scale of the fading ground */
    float size;
    float radius; /* mean of the spheres, m */
} firn_shading;

/* FIRN_OK or FIRN_MEMORY. The same bits for any number of threads. */
firn_status firn_shading_paint(const firn_shading *shading, firn_image *image);

#endif
