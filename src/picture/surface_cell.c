/* SPDX-License-Identifier: MIT */
/* surface_cell.c: see surface_cell.h. Shares of sun and sky are means over the square of two tiles
 * (light.h) around the pixel, over neighbours of the same kind whose depth and normal are alike; a
 * square of whole tiles uses every direction equally often. Light that a bright surface returns to
 * its own hollows makes occlusion weaker:
 *
 *     o' = o / (1 - a (1 - o))     a the albedo: the sum of all bounces; each bounce is occluded
 *                                  again with the share 1 - o
 *
 * Kinds are tone-mapped each and mixed by their shares of the pixel. */
#include "picture/surface_cell.h"
#include "picture/spheres.h"

#include <math.h>
#include <string.h>

static float dot(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

void firn_surface_cell_add(firn_surface_cell *cell, const firn_surface_hit *hit,
                           const firn_surface_parts *parts)
{
    int kind = hit->kind;
    cell->count[kind]++;
    cell->n_sun[kind] += (uint8_t)(hit->has_sun != 0);
    cell->sun[kind] += hit->sun;
    cell->sky[kind] += hit->sky;
    if (kind == FIRN_SURFACE_FLOOR) return;
    if (!(cell->nearest > 0) || hit->t < cell->nearest) cell->nearest = hit->t;
    if (kind == FIRN_SURFACE_SOLID) {
        cell->solid_distance += hit->t;
        cell->solid_facing += fmaxf(0, hit->facing);
        return;
    }
    cell->n_veiled += (uint8_t)(hit->is_veiled != 0);
    cell->depth += hit->t;
    for (int c = 0; c < 3; c++) {
        cell->n[c] += hit->n[c];
        cell->parts.sun[c] += parts->sun[c];
        cell->parts.sky[c] += parts->sky[c];
        cell->parts.rest[c] += parts->rest[c];
    }
}

/* Of materials against the rest of the picture, which is darker than they are: snow stays below white,
 * where shape would be lost. */
static const float exposure = 0.62f;

/* Whether the materials of two pixels are parts of one surface. */
static int is_alike(const firn_surface_view *view, const firn_surface_cell *a,
                    const firn_surface_cell *b)
{
    float da = a->depth / a->count[FIRN_SURFACE_MATERIAL],
          db = b->depth / b->count[FIRN_SURFACE_MATERIAL];
    if (fabsf(da - db) > 3 * view->radius + 0.002f * da) return 0;
    return dot(a->n, b->n) > 0.6f * sqrtf(dot(a->n, a->n) * dot(b->n, b->n));
}

typedef struct visible {
    float sun, sky;
} visible;

static void find_shares(const firn_surface_view *view, int i, int j, visible shares[])
{
    const firn_surface_cell *here = &view->cells[(size_t)j * (size_t)view->width + (size_t)i];
    for (int kind = FIRN_SURFACE_MATERIAL; kind < FIRN_SURFACE_KINDS; kind++) {
        float sun = 0, sky = 0, n_sun = 0, n = 0;
        if (!here->count[kind]) continue;
        int half = FIRN_LIGHT_TILE;
        for (int y = j - half; y < j + half; y++)
            for (int x = i - half; x < i + half; x++) {
                if (x < 0 || y < 0 || x >= view->width || y >= view->height) continue;
                const firn_surface_cell *at =
                    &view->cells[(size_t)y * (size_t)view->width + (size_t)x];
                if (!at->count[kind]) continue;
                if (kind == FIRN_SURFACE_MATERIAL && !is_alike(view, here, at)) continue;
                /* sharper shadows than the square: near pixels count more */
                float dx = (float)(x - i) + 0.5f, dy = (float)(y - j) + 0.5f,
                      w = 1 / (1 + 0.25f * (dx * dx + dy * dy));
                sun += w * at->sun[kind];
                n_sun += w * at->n_sun[kind];
                sky += at->sky[kind];
                n += at->count[kind];
            }
        shares[kind].sun = n_sun > 0 ? sun / n_sun : 0;
        shares[kind].sky = n > 0 ? sky / n : 0;
    }
}

static void material_color(const firn_surface_view *view, const firn_surface_cell *at,
                           const visible *share, float color[3])
{
    float n = at->count[FIRN_SURFACE_MATERIAL];
    for (int c = 0; c < 3; c++) {
        float sun = at->parts.sun[c] / n, sky = at->parts.sky[c] / n, open = share->sky;
        if (view->stage->is_data) {
            color[c] = fminf(sun * share->sun + sky * open, sky / 0.46f);
            continue;
        }
        float albedo = fminf(0.9f, sky / firn_light_sky[c]);
        if (open < 1) open = open / (1 - albedo * (1 - open));
        color[c] = exposure * (sun * share->sun + sky * open + at->parts.rest[c] / n);
    }
}

/* Colliders; far from the shot they fade into the backdrop as the ground does. */
static void solid_color(const firn_surface_view *view, const firn_surface_cell *at,
                        const visible *share, const float d[3], float color[3])
{
    float n = at->count[FIRN_SURFACE_SOLID], facing = at->solid_facing / n, back[3], q[3];
    float t = at->solid_distance / n;
    for (int c = 0; c < 3; c++) q[c] = view->camera->eye[c] + t * d[c];
    float fade = firn_light_smooth(2 * view->size, 6.5f * view->size, sqrtf(dot(q, q)));
    firn_light_backdrop(view->stage->floor.sun, d, back);
    for (int c = 0; c < 3; c++) {
        float lit = firn_light_solid[c] *
                    (firn_light_sun[c] * facing * share->sun + firn_light_sky[c] * share->sky);
        color[c] = lit + fade * (back[c] - lit);
    }
}

static void kind_color(const firn_surface_view *view, int kind, const firn_surface_cell *at,
                       const visible *share, const float d[3], float color[3])
{
    if (kind == FIRN_SURFACE_MATERIAL) {
        material_color(view, at, share, color);
        float veil = 0.25f * (float)at->n_veiled / (float)at->count[kind];
        for (int c = 0; c < 3 && at->n_veiled; c++)
            color[c] += veil * (firn_light_solid[c] * 2 - color[c]);
    } else if (kind == FIRN_SURFACE_SOLID)
        solid_color(view, at, share, d, color);
    else if (kind == FIRN_SURFACE_FLOOR)
        firn_light_floor_color(&view->stage->floor, view->camera->eye, d, share->sun, share->sky,
                               color);
    else
        firn_light_backdrop(view->stage->floor.sun, d, color);
}

void firn_surface_cell_compose(const firn_surface_view *view, int i, int j, firn_image *image,
                               firn_layers *layers)
{
    size_t place = (size_t)j * (size_t)view->width + (size_t)i;
    const firn_surface_cell *at = &view->cells[place];
    visible shares[FIRN_SURFACE_KINDS] = {{0, 0}};
    float left = (float)view->n_samples, d[3], sum[3] = {0}, light[4] = {0};
    firn_spheres_ray(view->camera, view->width, view->height, i, j, d);
    find_shares(view, i, j, shares);
    for (int kind = FIRN_SURFACE_KINDS - 1; kind >= 0; kind--) {
        float color[3], part = kind ? (float)at->count[kind] : left;
        if (kind) left -= part;
        if (!(part > 0)) continue;
        part /= (float)view->n_samples;
        kind_color(view, kind, at, &shares[kind], d, color);
        int is_thing = kind == FIRN_SURFACE_MATERIAL || kind == FIRN_SURFACE_SOLID;
        for (int c = 0; c < 3; c++) {
            int is_plain = view->stage->is_data && kind == FIRN_SURFACE_MATERIAL;
            sum[c] += part * (is_plain ? color[c] : firn_light_tone(color[c]));
            if (is_thing) light[c] += part * color[c];
        }
        if (is_thing) light[3] += part;
    }
    for (int c = 0; c < 3; c++)
        image->rgb[3 * place + (size_t)c] = (uint8_t)(255 * firn_color_encode(sum[c]) + 0.5f);
    if (!layers) return;
    memcpy(layers->rgba + 4 * place, light, sizeof light);
    layers->material[place] = (float)at->count[FIRN_SURFACE_MATERIAL] / (float)view->n_samples;
    layers->depth[place] = at->nearest > 0 ? at->nearest * dot(d, view->camera->forward) : INFINITY;
}
