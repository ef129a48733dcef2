/* SPDX-License-Identifier: MIT */
/* image.h: 8-bit pictures: drawing with antialiased edges, and PNG. Text is in font.h, colours
 * are in color.h.
 *
 * Pixel (i, j) covers [i, i+1) x [j, j+1); x to the right, y down, so a one-pixel line that
 * shall be crisp runs through pixel centres (i + 0.5). Colours are sRGB values, mixed as they
 * are: what is drawn over half a pixel is the mean of the two encoded values, which is what
 * plots and text are made for everywhere else. Drawing outside the picture is allowed and does
 * nothing. */
#ifndef FIRN_IMAGE_H
#define FIRN_IMAGE_H

#include "base/color.h"
#include "firn/base.h"
#include "base/text.h"

typedef struct firn_image {
    int width, height;
    uint8_t *rgb; /* [height][width][3] */
} firn_image;

/* A stroke from (x0, y0) to (x1, y1), in pixels. */
typedef struct firn_segment {
    float x0, y0, x1, y1;
} firn_segment;

enum { FIRN_IMAGE_MAX = 32768 }; /* pixels along a side */

/* Black; NULL: out of memory, or a side not in 1 .. FIRN_IMAGE_MAX. */
firn_image *firn_image_create(int width, int height);
void firn_image_destroy(firn_image *image);

void firn_image_fill(firn_image *image, firn_color color);
/* Blends `color` by `coverage` (0..1) times its alpha. */
void firn_image_blend(firn_image *image, int i, int j, firn_color color, float coverage);
void firn_image_rectangle(firn_image *image, float x0, float y0, float x1, float y1,
                          firn_color color);
void firn_image_disc(firn_image *image, float x, float y, float radius, firn_color color);
void firn_image_line(firn_image *image, float x0, float y0, float x1, float y1, float width,
                     firn_color color);
/* All segments as one shape with round ends: pixels that several of them cover are painted once. 0:
 * out of memory. */
int firn_image_strokes(firn_image *image, int n, const firn_segment *segments, float width,
                       firn_color color);

/* Copies `source` with its corner at (i, j), cut to the picture. */
void firn_image_paste(firn_image *image, const firn_image *source, int i, int j);

/* PNG in memory, added to `bytes`. */
firn_status firn_image_encode_png(const firn_image *image, firn_text *bytes,
                                  firn_messages *messages);
/* PNG file, complete or absent. */
firn_status firn_image_write_png(const firn_image *image, const char *path,
                                 firn_messages *messages);

#endif
