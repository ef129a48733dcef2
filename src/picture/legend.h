/* SPDX-License-Identifier: MIT */
/* legend.h: the meaning of the colours in a corner of a picture: a bar with ticks for an attribute,
 * swatches with names for materials; and a caption. Sizes scale with the height of the picture. */
#ifndef FIRN_LEGEND_H
#define FIRN_LEGEND_H

#include "picture/colormap.h"
#include "plot/image.h"

typedef struct firn_legend {
    const char *title, *unit; /* unit "" or "1": no unit */
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
