/* SPDX-License-Identifier: MIT */
/* surface_light.h: what one sample of a surface sends to the eye.
 *
 * The radiance of a sample is kept in three parts,
 *
 *     radiance = sun * s + sky * o + rest
 *
 * s and o the shares of sun and sky that are seen. One ray decides each; their noise is averaged
 * over neighbouring pixels, the parts are not, so edges and highlights stay sharp. */
#ifndef FIRN_SURFACE_LIGHT_H
#define FIRN_SURFACE_LIGHT_H

#include "picture/light.h"
#include "picture/look.h"
#include "picture/sdf_trace.h"
#include "picture/skin.h"

typedef struct firn_surface_stage {
    const firn_sdf_trace *sdf; /* colliders; NULL: none */
    firn_light_floor floor;    /* with the sun */
    int has_floor, is_data;    /* data: colours of a map, without gloss */
} firn_surface_stage;

typedef struct firn_surface_sample {
    const firn_look *look;
    float p[3], n[3], view[3]; /* place, normal, direction of the ray from the eye */
    float albedo[3];
    float spacing;
    uint32_t hash; /* of a grain; 0: none */
    float exit;    /* m through the material towards the sun; where n is turned away from it */
    float through; /* m through it along the ray; clear looks */
    float mirror;  /* m to what is mirrored, INFINITY: the sky; glossy looks */
} firn_surface_sample;

typedef struct firn_surface_parts {
    float sun[3], sky[3], rest[3];
} firn_surface_parts;

/* Normal with the look's fine noise. */
void firn_surface_light_roughen(const firn_look *look, float spacing, const float p[3], float n[3]);
/* Which rays the sample wants besides sun and sky. */
int firn_surface_light_wants_exit(const firn_surface_sample *s, const float sun[3]);
int firn_surface_light_wants_mirror(const firn_surface_sample *s);
void firn_surface_light_mirrored(const firn_surface_sample *s, float direction[3]);

void firn_surface_light_parts(const firn_surface_stage *stage, const firn_surface_sample *sample,
                              firn_surface_parts *parts);

#endif
