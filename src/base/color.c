/* SPDX-License-Identifier: MIT */
#include "base/color.h"

#include <math.h>

firn_color firn_color_rgb(float r, float g, float b) { return (firn_color){r, g, b, 1.0f}; }

firn_color firn_color_hex(uint32_t rgb)
{
    return firn_color_rgb((float)(rgb >> 16 & 255) / 255.0f, (float)(rgb >> 8 & 255) / 255.0f,
                          (float)(rgb & 255) / 255.0f);
}

float firn_color_encode(float linear)
{
    if (!(linear > 0.0f)) return 0.0f; /* NaN too */
    if (linear >= 1.0f) return 1.0f;
    return linear <= 0.0031308f ? 12.92f * linear : 1.055f * powf(linear, 1.0f / 2.4f) - 0.055f;
}

float firn_color_decode(float value)
{
    if (!(value > 0.0f)) return 0.0f;
    return value <= 0.04045f ? value / 12.92f : powf((value + 0.055f) / 1.055f, 2.4f);
}

void firn_color_to_oklab(firn_color color, float lab[3])
{
    float r = firn_color_decode(color.r), g = firn_color_decode(color.g),
          b = firn_color_decode(color.b);
    float l = cbrtf(0.4122214708f * r + 0.5363325363f * g + 0.0514459929f * b);
    float m = cbrtf(0.2119034982f * r + 0.6806995451f * g + 0.1073969566f * b);
    float s = cbrtf(0.0883024619f * r + 0.2817188376f * g + 0.6299787005f * b);
    lab[0] = 0.2104542553f * l + 0.7936177850f * m - 0.0040720468f * s;
    lab[1] = 1.9779984951f * l - 2.4285922050f * m + 0.4505937099f * s;
    lab[2] = 0.0259040371f * l + 0.7827717662f * m - 0.8086757660f * s;
}

firn_color firn_color_from_oklab(const float lab[3])
{
    float l = lab[0] + 0.3963377774f * lab[1] + 0.2158037573f * lab[2];
    float m = lab[0] - 0.1055613458f * lab[1] - 0.0638541728f * lab[2];
    float s = lab[0] - 0.0894841775f * lab[1] - 1.2914855480f * lab[2];
    l = l * l * l;
    m = m * m * m;
    s = s * s * s;
    return firn_color_rgb(
        firn_color_encode(4.0767416621f * l - 3.3077115913f * m + 0.2309699292f * s),
        firn_color_encode(-1.2684380046f * l + 2.6097574011f * m - 0.3413193965f * s),
        firn_color_encode(-0.0041960863f * l - 0.7034186147f * m + 1.7076147010f * s));
}
