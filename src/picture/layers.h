/* SPDX-License-Identifier: MIT */
/* layers.h: a picture for compositing: linear light, alpha and depth without sky and ground, as an
 * OpenEXR file. */
#ifndef FIRN_LAYERS_H
#define FIRN_LAYERS_H

#include "firn/base.h"

typedef struct firn_layers {
    int width, height;
    float *rgba;     /* [height][width][4] linear light of material and colliders, times alpha */
    float *depth;    /* [height][width] m along the view axis to the nearest; INFINITY: nothing */
    float *material; /* [height][width] share of the pixel that is material */
} firn_layers;

/* NULL: out of memory. */
firn_layers *firn_layers_create(int width, int height);
void firn_layers_destroy(firn_layers *layers);
/* Channels R G B A, Z and material.A, 32-bit floats, each line compressed (ZIPS). The file is whole
 * or absent. */
firn_status firn_layers_write(const firn_layers *layers, const char *path, firn_messages *messages);

#endif
