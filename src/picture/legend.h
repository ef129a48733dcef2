/* SPDX-License-Identifier: MIT */
/* legend.h: what the colours of a picture mean, drawn into a corner of it: a bar with ticks for
 * an attribute, swatches with names for materials; and a caption. Sizes follow the picture's
 * height, so that film and thumbnail read alike. */
#ifndef FIRN_LEGEND_H
#define FIRN_LEGEND_H

#include "picture/colormap.h"
#include "plot/image.h"

typedef struct firn_legend {
    const char *title, *unit; /* unit "" or "1": a bare number */
    double min, max;
    int is_log;
    const firn_colormap *map;
} firn_legend;

/* Lower left corner. */
int firn_legend_draw_bar(firn_image *image, const firn_legend *legend);
int firn_legend_draw_swatches(firn_image *image, int n, const char *const *names,
                              const firn_color *colors);
/* Upper left corner; lines separated by \n, the first one bold. */
int firn_legend_draw_caption(firn_image *image, const char *text);

#endif
