/* SPDX-License-Identifier: MIT */
/* colormap.h: numbers to colours such that equal steps of the number look like equal steps of the
 * colour. A map is a path through OKLab, given by a few stations (lightness, chroma, hue) and
 * passed at constant speed. Lightness rises throughout, so that the order survives a grey print;
 * in a diverging map it rises to the middle and falls equally on the other side. */
#ifndef FIRN_COLORMAP_H
#define FIRN_COLORMAP_H

#include "base/color.h"

enum { FIRN_COLORMAP_SIZE = 256 };

typedef struct firn_colormap {
    const char *name;
    int is_diverging; /* for signed quantities; the range should be symmetric about zero */
    firn_color colors[FIRN_COLORMAP_SIZE];
} firn_colormap;

/* Blank-separated, the default first. */
const char *firn_colormap_names(void);
/* 0: no map of that name. "": the default. */
int firn_colormap_init(firn_colormap *map, const char *name);
/* t in 0..1, clamped; NaN gives magenta, which no map contains. */
firn_color firn_colormap_at(const firn_colormap *map, double t);

#endif
