/* SPDX-License-Identifier: MIT */
/* colormap.h: numbers to colours such that equal steps of the number look like equal steps of
 * the colour. Each map is a path through OKLab, written down as a few stations (lightness,
 * chroma, hue) and run through at constant speed; lightness only ever rises, so that the order
 * survives a grey print (in the diverging map it rises to the middle and falls alike on both
 * sides). */
#ifndef FIRN_COLORMAP_H
#define FIRN_COLORMAP_H

#include "base/color.h"

enum { FIRN_COLORMAP_SIZE = 256 };

typedef struct firn_colormap {
    const char *name;
    int is_diverging; /* for signed quantities: the range should be symmetric about zero */
    firn_color colors[FIRN_COLORMAP_SIZE];
} firn_colormap;

/* The first name is the default; blank-separated, for help texts and messages. */
const char *firn_colormap_names(void);
/* False: no map of that name. "" takes the default. */
int firn_colormap_init(firn_colormap *map, const char *name);
/* t in 0..1, clamped; NaN comes out magenta, which no map contains. */
firn_color firn_colormap_at(const firn_colormap *map, double t);

#endif
