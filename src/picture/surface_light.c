/* SPDX-License-Identifier: MIT */
/* surface_light.c: see surface_light.h. n normal, l towards the sun, v towards the eye, h halfway.
 *
 *     matt      a max((n.l + w)/(1 + w), w/(1 + w) exp(-x/d)) sun, w the look's wrap, longest for
 *               the channel that goes deepest, x the way through the material towards the sun, d
 *               the depth of scattering; for n.l >= 0 x = 0. The ray to the sun of a place that is
 *               turned away starts where it leaves its own body
 *     gloss     pi D F V sun, D of GGX, F by Schlick, V by Smith and Schlick (B. Walter and others,
 *               Microfacet models for refraction, EGSR 2007), and the mirrored sky
 *     clear     a^(y/depth) (what lies behind) + light that is scattered within, y the way through
 *               along the ray, which is not bent
 */
#include "picture/surface_light.h"

#include <math.h>
#include <string.h>

static const float pi = 3.14159265f;
static const float brightest = 6; /* of a highlight: smaller than any lamp, and no fireflies */

static float dot(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void normalize(float n[3])
{
    float length = sqrtf(dot(n, n));
    for (int c = 0; c < 3 && length > 0; c++) n[c] /= length;
}

/* ---------------------------------------------------------------- fine noise */

static float lattice(int i, int j, int k)
{
    uint32_t h = (uint32_t)i * 0x8da6b343u ^ (uint32_t)j * 0xd8163841u ^ (uint32_t)k * 0xcb1ab31fu;
    h = (h ^ h >> 15) * 0x2c1b3c6du;
    h = (h ^ h >> 12) * 0x297a2d39u;
    return (float)((h ^ h >> 15) >> 8) / 8388608.0f - 1;
}

/* Value noise in -1..1 and its gradient: cubic blending of random numbers at a unit lattice. */
static float noise(const float x[3], float gradient[3])
{
    float f[3], s[3], ds[3], value = 0;
    int i[3];
    for (int c = 0; c < 3; c++) {
        float whole = floorf(x[c]);
        i[c] = (int)whole;
        f[c] = x[c] - whole;
        s[c] = f[c] * f[c] * (3 - 2 * f[c]);
        ds[c] = 6 * f[c] * (1 - f[c]);
        gradient[c] = 0;
    }
    for (int k = 0; k < 8; k++) {
        int b[3] = {k & 1, k >> 1 & 1, k >> 2};
        float v = lattice(i[0] + b[0], i[1] + b[1], i[2] + b[2]), w[3], d[3];
        for (int c = 0; c < 3; c++) {
            w[c] = b[c] ? s[c] : 1 - s[c];
            d[c] = b[c] ? ds[c] : -ds[c];
        }
        value += v * w[0] * w[1] * w[2];
        gradient[0] += v * d[0] * w[1] * w[2];
        gradient[1] += v * w[0] * d[1] * w[2];
        gradient[2] += v * w[0] * w[1] * d[2];
    }
    return value;
}

void firn_surface_light_roughen(const firn_look *look, float spacing, const float p[3], float n[3])
{
    if (!(look->bump > 0)) return;
    float scale = 1 / (look->bump_size * spacing), slope = look->bump, x[3], g[3], sum[3] = {0};
    for (int octave = 0; octave < 3; octave++) {
        for (int c = 0; c < 3; c++) x[c] = p[c] * scale + 17.3f * (float)octave;
        noise(x, g);
        for (int c = 0; c < 3; c++) sum[c] += slope * g[c];
        scale *= 2.1f;
        slope *= 0.7f;
    }
    float along = dot(sum, n);
    for (int c = 0; c < 3; c++) n[c] -= sum[c] - along * n[c];
    normalize(n);
}

/* ---------------------------------------------------------------- gloss */

static float fresnel(float specular, float cosine)
{
    float m = 1 - fmaxf(cosine, 0), m2 = m * m;
    return specular + (1 - specular) * m2 * m2 * m;
}

/* D V of the highlight; alpha is widened by the disc of the sun. */
static float highlight(float roughness, float nl, float nv, float nh)
{
    float alpha = roughness * roughness + FIRN_LIGHT_SUN_WIDTH, a2 = alpha * alpha;
    float d = nh * nh * (a2 - 1) + 1, k = alpha / 2;
    return a2 / (pi * d * d) / (4 * (nl * (1 - k) + k) * (nv * (1 - k) + k));
}

/* What is mirrored from afar: the sky, the ground, and a large soft lamp opposite to the sun, as in
 * a studio; the rougher, the softer. */
static void surroundings(const firn_surface_stage *stage, float roughness, const float d[3],
                         float color[3])
{
    const float *sun = stage->floor.sun;
    float lamp[3] = {-0.75f * sun[0] + 0.3f * sun[2], 0.55f, -0.75f * sun[2] - 0.3f * sun[0]};
    normalize(lamp);
    float soft = 0.03f + 0.4f * roughness,
          bright = 1.3f * firn_light_smooth(0.9f - soft, 0.9f + soft, dot(d, lamp)) /
                   (1 + 2 * roughness);
    float up = firn_light_smooth(-0.1f - roughness, 0.1f + roughness, d[1]);
    for (int c = 0; c < 3; c++) {
        float low = 2 * firn_light_ground[c],
              high = firn_light_sky[c] * (0.35f + 0.5f * fmaxf(d[1], 0));
        color[c] = low + up * (high - low) + bright;
    }
}

void firn_surface_light_mirrored(const firn_surface_sample *s, float direction[3])
{
    float along = dot(s->view, s->n);
    for (int c = 0; c < 3; c++) direction[c] = s->view[c] - 2 * along * s->n[c];
}

int firn_surface_light_wants_mirror(const firn_surface_sample *s)
{
    return s->look->roughness < 0.45f && s->look->specular > 0;
}

int firn_surface_light_wants_exit(const firn_surface_sample *s, const float sun[3])
{
    return s->look->clearness > 0 || (s->look->wrap > 0 && dot(s->n, sun) < 0);
}

/* A share of the grains have one facet that glints where it stands halfway. */
static float glint(const firn_surface_sample *s, const float h[3])
{
    if (!s->hash || (float)(s->hash & 0xffff) >= 65536 * s->look->sparkle) return 0;
    float facet[3];
    for (int c = 0; c < 3; c++)
        facet[c] = s->n[c] + 0.9f * ((float)(s->hash >> (16 + 5 * c) & 31) / 15.5f - 1);
    normalize(facet);
    return 5 * firn_light_smooth(0.95f, 0.985f, dot(facet, h));
}

static void add_gloss(const firn_surface_stage *stage, const firn_surface_sample *s, float nl,
                      firn_surface_parts *parts)
{
    const float *sun = stage->floor.sun;
    float h[3], r[3], far[3], nv = fmaxf(-dot(s->view, s->n), 1e-3f);
    for (int c = 0; c < 3; c++) h[c] = sun[c] - s->view[c];
    normalize(h);
    int is_metal = s->look->specular > 0.5f;
    float flat = fresnel(s->look->specular, nv), soft = 1 - s->look->roughness;
    float peak = nl > 0 ? pi * nl * fresnel(s->look->specular, dot(h, sun)) *
                              highlight(s->look->roughness, nl, nv, dot(s->n, h))
                        : 0;
    peak = fminf(peak, brightest) + (nl > 0 ? glint(s, h) : 0);
    firn_surface_light_mirrored(s, r);
    surroundings(stage, s->look->roughness, r, far);
    int is_glossy = firn_surface_light_wants_mirror(s);
    for (int c = 0; c < 3; c++) {
        float tint = is_metal ? s->albedo[c] : 1;
        parts->sun[c] += tint * peak * firn_light_sun[c];
        if (!is_glossy)
            parts->sky[c] += 0.5f * soft * flat * firn_light_sky[c];
        else if (s->mirror < INFINITY)
            parts->sky[c] += tint * flat * 0.6f * s->albedo[c] * firn_light_sky[c];
        else
            parts->rest[c] += tint * flat * far[c];
    }
}

/* ---------------------------------------------------------------- clear */

/* What the ray would see behind the material: colliders, the ground, the backdrop. */
static void behind(const firn_surface_stage *stage, const firn_surface_sample *s, float color[3])
{
    float p[3], t_floor = INFINITY, t_solid = INFINITY;
    for (int c = 0; c < 3; c++) p[c] = s->p[c] + s->through * s->view[c];
    firn_sdf_hit hit = {.t = INFINITY};
    if (stage->sdf) {
        hit = firn_sdf_trace_trace(stage->sdf, p, s->view, INFINITY);
        t_solid = hit.t;
    }
    if (stage->has_floor && s->view[1] < -1e-4f)
        t_floor = fmaxf(0, (stage->floor.height - p[1]) / s->view[1]);
    if (t_solid < t_floor) {
        float light = fmaxf(0, dot(hit.normal, stage->floor.sun));
        for (int c = 0; c < 3; c++)
            color[c] =
                firn_light_solid[c] * (0.7f * light * firn_light_sun[c] + 0.7f * firn_light_sky[c]);
    } else if (t_floor < INFINITY)
        firn_light_floor_color(&stage->floor, p, s->view, 0.6f, 0.7f, color);
    else
        firn_light_backdrop(stage->floor.sun, s->view, color);
}

static float depth_of(const firn_surface_sample *s, int c)
{
    return fmaxf(s->look->scatter[c], 0.5f * s->spacing);
}

/* Replaces a share of the matt light. */
static void add_clear(const firn_surface_stage *stage, const firn_surface_sample *s,
                      firn_surface_parts *parts)
{
    float share = s->look->clearness, back[3];
    behind(stage, s, back);
    for (int c = 0; c < 3; c++) {
        float a = fminf(fmaxf(s->albedo[c], 0.004f), 0.996f),
              kept = powf(a, s->through / s->look->depth), within = 1 - kept;
        float deep = expf(-s->exit / depth_of(s, c));
        parts->sun[c] *= 1 - share;
        parts->sky[c] *= 1 - share * (1 - 0.5f * within);
        parts->rest[c] = (1 - share) * parts->rest[c] + share * kept * back[c] +
                         share * within * a * 0.55f * deep * firn_light_sun[c];
    }
}

/* ---------------------------------------------------------------- all */

static void add_matt(const firn_surface_sample *s, float nl, firn_surface_parts *parts)
{
    const firn_look *look = s->look;
    float most = fmaxf(look->scatter[0], fmaxf(look->scatter[1], look->scatter[2]));
    float share = look->specular > 0.5f ? 1 - look->specular : 1;
    for (int c = 0; c < 3; c++) {
        float w = most > 0 ? look->wrap * (0.5f + 0.5f * look->scatter[c] / most) : look->wrap;
        float a = share * s->albedo[c];
        float lit = (nl + w) / (1 + w);
        if (nl < 0) lit = fmaxf(lit, w / (1 + w) * expf(-s->exit / depth_of(s, c)));
        parts->sun[c] += a * lit * firn_light_sun[c];
        parts->sky[c] += a * firn_light_sky[c];
    }
}

void firn_surface_light_parts(const firn_surface_stage *stage, const firn_surface_sample *s,
                              firn_surface_parts *parts)
{
    float nl = dot(s->n, stage->floor.sun);
    memset(parts, 0, sizeof *parts);
    if (stage->is_data) {
        for (int c = 0; c < 3; c++) {
            parts->sun[c] = 0.66f * s->albedo[c] * fmaxf(0, nl);
            parts->sky[c] = 0.46f * s->albedo[c];
        }
        return;
    }
    add_matt(s, nl, parts);
    if (s->look->clearness > 0) add_clear(stage, s, parts);
    if (s->look->specular > 0) add_gloss(stage, s, nl, parts);
}
