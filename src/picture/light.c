/* SPDX-License-Identifier: MIT */
/* light.c: see light.h. */
#include "picture/light.h"
#include "base/memory.h"

#include <math.h>

const float firn_light_sun[3] = {3.0f, 2.8f, 2.5f}, firn_light_sky[3] = {0.60f, 0.74f, 0.94f};
const float firn_light_solid[3] = {0.150f, 0.152f, 0.156f};
const float firn_light_ground[3] = {0.060f, 0.069f, 0.083f};
static const float zenith[3] = {0.030f, 0.040f, 0.058f};

/* ---------------------------------------------------------------- directions */

/* The k-th point of the R2 sequence, in the unit square. */
static void sequence(uint32_t k, float *u, float *v)
{
    *u = (float)((0.5 + 0.7548776662466927 * k) - floor(0.5 + 0.7548776662466927 * k));
    *v = (float)((0.5 + 0.5698402909980532 * k) - floor(0.5 + 0.5698402909980532 * k));
}

static void on_disc(uint32_t k, float scale, float *x, float *y, float *u)
{
    float v;
    sequence(k, u, &v);
    float radius = scale * sqrtf(*u);
    *x = radius * cosf(6.2831853f * v);
    *y = radius * sinf(6.2831853f * v);
}

int firn_light_directions_make(int samples, int n_sky, firn_light_directions *d)
{
    d->n_sun = (size_t)(FIRN_LIGHT_TILE * FIRN_LIGHT_TILE * samples * samples);
    d->n_sky = d->n_sun * (size_t)n_sky;
    d->sun = firn_memory_array(NULL, d->n_sun, sizeof *d->sun);
    d->sky = firn_memory_array(NULL, d->n_sky, sizeof *d->sky);
    if (!d->sun || !d->sky) return 0;
    float u;
    for (uint32_t k = 0; k < d->n_sun; k++)
        on_disc(k, FIRN_LIGHT_SUN_WIDTH, &d->sun[k][0], &d->sun[k][1], &u);
    for (uint32_t k = 0; k < d->n_sky; k++) {
        on_disc(k, 1, &d->sky[k][0], &d->sky[k][1], &u);
        d->sky[k][2] = sqrtf(1 - u);
    }
    return 1;
}

void firn_light_directions_release(firn_light_directions *d)
{
    firn_memory_release(NULL, d->sun, d->n_sun * sizeof *d->sun);
    firn_memory_release(NULL, d->sky, d->n_sky * sizeof *d->sky);
}

uint32_t firn_light_turn(int i, int j, int square, int k)
{
    /* the 16 pixels of a tile, neighbours far apart in the sequence */
    static const uint8_t order[FIRN_LIGHT_TILE][FIRN_LIGHT_TILE] = {
        {0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};
    return order[j % FIRN_LIGHT_TILE][i % FIRN_LIGHT_TILE] * (uint32_t)square + (uint32_t)k;
}

void firn_light_basis(const float n[3], float a[3], float b[3])
{
    float s = n[2] >= 0 ? 1.0f : -1.0f, u = -1.0f / (s + n[2]), v = n[0] * n[1] * u;
    a[0] = 1 + s * n[0] * n[0] * u;
    a[1] = s * v;
    a[2] = -s * n[0];
    b[0] = v;
    b[1] = s + n[1] * n[1] * u;
    b[2] = -n[1];
}

void firn_light_towards_sun(const float sun[3], const float at[2], float direction[3])
{
    float a[3], b[3];
    firn_light_basis(sun, a, b);
    for (int c = 0; c < 3; c++) direction[c] = sun[c] + at[0] * a[c] + at[1] * b[c];
}

void firn_light_towards_sky(const float n[3], const float at[3], float direction[3])
{
    float a[3], b[3];
    firn_light_basis(n, a, b);
    for (int c = 0; c < 3; c++) direction[c] = at[0] * a[c] + at[1] * b[c] + at[2] * n[c];
}

/* ---------------------------------------------------------------- colours */

float firn_light_luminance(float y) { return y > 0 ? 0.7f + 0.45f * y : 0.3f; }

float firn_light_tone(float x) { return x * (1 + x / (2.6f * 2.6f)) / (1 + x); }

float firn_light_smooth(float low, float high, float x)
{
    float t = (x - low) / (high - low);
    t = t > 0 ? (t < 1 ? t : 1) : 0;
    return t * t * (3 - 2 * t);
}

void firn_light_backdrop(const float sun[3], const float d[3], float color[3])
{
    /* the horizon is the open ground, a little darker, so that they join without an edge */
    float height = firn_light_smooth(-0.05f, 0.55f, d[1]), up = fmaxf(sun[1], 0.2f);
    for (int c = 0; c < 3; c++) {
        float horizon = 0.72f * firn_light_ground[c] * (firn_light_sun[c] * up + firn_light_sky[c]);
        color[c] = horizon + height * (zenith[c] - horizon);
    }
}

void firn_light_floor_color(const firn_light_floor *floor, const float eye[3], const float d[3],
                            float sun, float sky, float color[3])
{
    float back[3], t = (floor->height - eye[1]) / fminf(d[1], -1e-4f);
    float x = eye[0] + t * d[0], z = eye[2] + t * d[2];
    float fade = firn_light_smooth(1.5f * floor->size, 7.0f * floor->size, sqrtf(x * x + z * z));
    firn_light_backdrop(floor->sun, (float[3]){d[0], 0, d[2]}, back);
    for (int c = 0; c < 3; c++) {
        float lit = firn_light_ground[c] * (firn_light_sun[c] * fmaxf(floor->sun[1], 0.2f) * sun +
                                            firn_light_sky[c] * sky);
        color[c] = lit + fade * (back[c] - lit);
    }
}
