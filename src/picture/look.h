/* SPDX-License-Identifier: MIT */
/* look.h: how the surface of a material answers light: one entry for each family of materials. */
#ifndef FIRN_LOOK_H
#define FIRN_LOOK_H

#include "base/color.h"

typedef struct firn_look {
    const char *name;
    const char *words; /* parts of names of materials and presets that choose it */
    const char *laws;  /* laws that choose it where no name does */
    uint32_t rgb;      /* sRGB; a colour of the scene replaces it */
    float roughness;   /* of the GGX highlight, whose alpha is its square */
    float specular;    /* reflectance along the normal */
    float wrap;        /* how far light reaches around an edge, as added cosine */
    float
        scatter[3]; /* m, depth to which a third of red, green, blue light goes below the surface */
    float bump;     /* slope of fine noise on the normal */
    float bump_size; /* its wavelength in spacings of the particles */
    int n_smooth;    /* passes over the surface, at a voxel of one radius */
    float clearness; /* share of light that goes through instead of being scattered */
    float depth;     /* m, after which clear material has its colour */
    int n_grains;    /* grains drawn for each particle at the surface; 0: none */
    float grain;     /* radius of a grain in spacings */
    float relief;    /* weight of a grain's own normal against that of the surface */
    float variety;   /* of the brightness of grains, as a share of it */
    float sparkle;   /* share of grains that glint */
} firn_look;

/* NULL: no such look. */
const firn_look *firn_look_find(const char *name);
/* The look of a material: by its name, else its preset, else its law; "plain" where nothing fits.
 * Texts may be empty. */
const firn_look *firn_look_choose(const char *material, const char *preset, const char *law);
const char *firn_look_names(void); /* of all, separated by blanks */

#endif
