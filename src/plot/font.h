/* SPDX-License-Identifier: MIT */
/* font.h: text in pictures, in a stroke font of its own: lines with round ends, fitted to the
 * pixel grid, sharp from 9 pixels on, without a font file. Latin letters, digits, ASCII signs,
 * the Greek letters of mechanics and some signs (degree, plus-minus, superscripts); other
 * characters are drawn as an open box. Strings are UTF-8. */
#ifndef FIRN_FONT_H
#define FIRN_FONT_H

#include "plot/image.h"

typedef enum firn_anchor { FIRN_ANCHOR_START, FIRN_ANCHOR_MIDDLE, FIRN_ANCHOR_END } firn_anchor;

/* `size`: distance of lines of text without leading, pixels, as in CSS; capitals are 0.7 of it. */
typedef struct firn_text_style {
    float size;
    float weight; /* width of strokes relative to regular; 0 means 1; 1.5 is bold */
    firn_color color;
    firn_anchor anchor;
    int is_vertical; /* upwards, for the axis on the left */
} firn_text_style;

/* The baseline starts (or has its middle or end) at (x, y). 0: out of memory. */
int firn_font_draw(firn_image *image, float x, float y, const char *text,
                   const firn_text_style *style);
float firn_font_width(const char *text, float size); /* pixels, along the baseline */
float firn_font_cap_height(float size);              /* pixels, for centring on a line */

#endif
