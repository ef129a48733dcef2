/* light.h: from hits to a picture - sun with soft shadows, sky with ambient occlusion, a ground that fades into the
 * backdrop, antialiasing, tone curve.
 *
 * Colliders are matt and grey; one that stands before particles is a veil through which they are seen.
 *
 * Two styles. As material: albedo times light, through a filmic shoulder. As data: the colour of the map times a
 * grey of shape and shadow that never exceeds 1, and no tone curve, so that what is lit reads like the legend. */
#ifndef FIRN_LIGHT_H
#define FIRN_LIGHT_H

#include "image.h"
#include "solids.h"
#include "spheres.h"
#include "tracer.h"

typedef struct firn_light {
    const firn_spheres *spheres;
    const float *colors; /* [n][3] linear light */
    const firn_camera *camera;
    const firn_hit *hits;             /* [height * samples][width * samples] */
    const firn_tracer *tracer;        /* NULL: no shadows; occlusion is guessed from depth */
    const firn_solids *solids;        /* colliders; NULL: none */
    const firn_solid_hit *solid_hits; /* likewise, arranged as hits */
    int samples;                      /* a side: the picture's pixel is samples^2 rays */
    int n_sky;                        /* rays to the sky a sample */
    int is_data, has_ground, n_threads;
    float sun[3]; /* unit, towards it */
    float ground; /* height, local m */
    float size;   /* half the diagonal of the shot, m: how far occlusion reaches, where the ground fades */
    float radius; /* of a typical sphere, m */
} firn_light;

/* FIRN_MEMORY is the only trouble. The same bits for any number of threads. */
firn_status firn_light_paint(const firn_light *light, firn_image *image);

#endif
