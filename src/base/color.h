/* SPDX-License-Identifier: MIT */
/* color.h: colours and the three spaces they are needed in.
 *
 *   firn_color   sRGB values (encoded, IEC 61966-2-1), 0..1, with alpha: what pictures and plots
 *                hold
 *   linear       light, proportional to power: what is added up and tone-mapped
 *   OKLab        L lightness 0..1, a green-red, b blue-yellow: equal steps look equal. Bjoern
 *                Ottosson, "A perceptual color space for image processing" (2020); its two
 *                matrices are facts of that page. */
#ifndef FIRN_COLOR_H
#define FIRN_COLOR_H

#include "firn/base.h"

typedef struct firn_color {
    float r, g, b, a;
} firn_color;

firn_color firn_color_rgb(float r, float g, float b);
firn_color firn_color_hex(uint32_t rgb); /* 0xRRGGBB */

float firn_color_encode(float linear); /* linear light to sRGB value; clamped to 0..1 */
float firn_color_decode(float value);  /* sRGB value to linear light */

void firn_color_to_oklab(firn_color color, float lab[3]);
firn_color firn_color_from_oklab(const float lab[3]); /* clamped into sRGB */

#endif
