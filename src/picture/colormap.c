/* SPDX-License-Identifier: MIT */
/* colormap.c: see colormap.h. */
#include "picture/colormap.h"

#include <math.h>
#include <string.h>

enum { STATIONS_MAX = 6, FINE = 1024 };

typedef struct station {
    float lightness, chroma, hue; /* OKLab: 0..1, about 0..0.3, degrees */
} station;

typedef struct recipe {
    const char *name;
    int is_diverging, n;
    station stations[STATIONS_MAX];
} recipe;

/* lichen: the default; ember, ice: heat, speed; polar: signed numbers. */
static const recipe recipes[] = {
    {"lichen",
     0,
     6,
     {{0.26f, 0.12f, 300},
      {0.40f, 0.12f, 268},
      {0.53f, 0.092f, 225},
      {0.66f, 0.105f, 172},
      {0.79f, 0.16f, 132},
      {0.92f, 0.18f, 105}}},
    {"ember",
     0,
     6,
     {{0.17f, 0.08f, 295},
      {0.34f, 0.15f, 335},
      {0.51f, 0.19f, 15},
      {0.67f, 0.19f, 42},
      {0.82f, 0.16f, 78},
      {0.95f, 0.09f, 105}}},
    {"ice",
     0,
     5,
     {{0.20f, 0.08f, 275},
      {0.42f, 0.12f, 258},
      {0.62f, 0.11f, 238},
      {0.80f, 0.08f, 215},
      {0.96f, 0.02f, 190}}},
    {"grey", 0, 2, {{0.18f, 0, 0}, {0.97f, 0, 0}}},
    {"polar",
     1,
     5,
     {{0.36f, 0.14f, 262},
      {0.66f, 0.11f, 250},
      {0.95f, 0.003f, 250},
      {0.66f, 0.13f, 38},
      {0.36f, 0.14f, 24}}},
};

const char *firn_colormap_names(void) { return "lichen ember ice grey polar"; }

static void station_to_lab(const station *s, float lab[3])
{
    float angle = s->hue * 3.14159265f / 180.0f;
    lab[0] = s->lightness;
    lab[1] = s->chroma * cosf(angle);
    lab[2] = s->chroma * sinf(angle);
}

/* Moves a colour outside sRGB towards the grey of its lightness until it is inside: clamping each
 * channel would change lightness and hue. Inside means that the colour survives the way to sRGB and
 * back. */
static firn_color into_gamut(float lab[3])
{
    firn_color color = firn_color_from_oklab(lab);
    for (int k = 0; k < 60; k++) {
        float back[3];
        firn_color_to_oklab(color, back);
        if (fabsf(back[0] - lab[0]) + fabsf(back[1] - lab[1]) + fabsf(back[2] - lab[2]) < 1e-3f)
            break;
        lab[1] *= 0.97f;
        lab[2] *= 0.97f;
        color = firn_color_from_oklab(lab);
    }
    return color;
}

/* The path at u in 0..n-1: lightness linear between stations, a and b on a Catmull-Rom curve. */
static void path_at(const recipe *r, float u, float lab[3])
{
    int k = (int)u < r->n - 2 ? (int)u : r->n - 2;
    float t = u - (float)k, p[4][3];
    for (int i = 0; i < 4; i++) {
        int at = k - 1 + i;
        station_to_lab(&r->stations[at < 0 ? 0 : at > r->n - 1 ? r->n - 1 : at], p[i]);
    }
    lab[0] = p[1][0] + t * (p[2][0] - p[1][0]);
    for (int c = 1; c < 3; c++)
        lab[c] = p[1][c] + 0.5f * t *
                               (p[2][c] - p[0][c] +
                                t * (2 * p[0][c] - 5 * p[1][c] + 4 * p[2][c] - p[3][c] +
                                     t * (3 * (p[1][c] - p[2][c]) + p[3][c] - p[0][c])));
    into_gamut(lab);
}

/* Fills colors[first..last] with equal OKLab steps along the path from u0 to u1. */
static void walk(const recipe *r, float u0, float u1, int first, int last, firn_color *colors)
{
    float length[FINE + 1] = {0}, lab[3], before[3];
    path_at(r, u0, before);
    for (int k = 1; k <= FINE; k++) {
        path_at(r, u0 + (u1 - u0) * (float)k / FINE, lab);
        length[k] = length[k - 1] + sqrtf((lab[0] - before[0]) * (lab[0] - before[0]) +
                                          (lab[1] - before[1]) * (lab[1] - before[1]) +
                                          (lab[2] - before[2]) * (lab[2] - before[2]));
        memcpy(before, lab, sizeof lab);
    }
    int k = 1;
    for (int i = first; i <= last; i++) {
        float at = length[FINE] * (float)(i - first) / (float)(last - first);
        while (k < FINE && length[k] < at) k++;
        float step = length[k] - length[k - 1], t = step > 0 ? (at - length[k - 1]) / step : 0;
        path_at(r, u0 + (u1 - u0) * ((float)(k - 1) + t) / FINE, lab);
        colors[i] = into_gamut(lab);
    }
}

int firn_colormap_init(firn_colormap *map, const char *name)
{
    const recipe *r = NULL;
    if (!*name) name = recipes[0].name;
    for (size_t k = 0; k < sizeof recipes / sizeof *recipes; k++)
        if (!strcmp(recipes[k].name, name)) r = &recipes[k];
    if (!r) return 0;
    map->name = r->name;
    map->is_diverging = r->is_diverging;
    float end = (float)(r->n - 1);
    int last = FIRN_COLORMAP_SIZE - 1;
    if (r->is_diverging) { /* each half apart, so that zero is in the middle */
        walk(r, 0, 0.5f * end, 0, last / 2, map->colors);
        walk(r, 0.5f * end, end, last / 2 + 1, last, map->colors);
    } else {
        walk(r, 0, end, 0, last, map->colors);
    }
    return 1;
}

firn_color firn_colormap_at(const firn_colormap *map, double t)
{
    if (isnan(t)) return firn_color_rgb(1, 0, 1);
    double u = fmin(fmax(t, 0), 1) * (FIRN_COLORMAP_SIZE - 1);
    int k = (int)fmin(u, FIRN_COLORMAP_SIZE - 2);
    float w = (float)(u - k);
    const firn_color *a = &map->colors[k], *b = a + 1;
    return firn_color_rgb(a->r + w * (b->r - a->r), a->g + w * (b->g - a->g),
                          a->b + w * (b->b - a->b));
}
