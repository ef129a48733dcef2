/* SPDX-License-Identifier: MIT */
/* shading.c: sun, sky and composition of the layers of a pixel.
 *
 * Each sample of a pixel that hits something sends one ray to the disc of the sun and n_sky rays
 * to the sky, cosine-distributed about its normal, in the directions of light.h. A pixel gets the
 * mean over neighbours at a similar depth.
 *
 *     radiance = albedo (sun max(0, n.l + w)/(1 + w) visible + sky <L(direction)>)
 *
 * with <> the mean over free directions. w = 0.3: light wraps around the edge of a sphere as by
 * scattering in snow and dough. L rises from the horizon to the zenith and is small below the
 * horizon (light from the ground); its mean over an open upward face is 1. */
#include "picture/shading.h"
#include "picture/light.h"
#include "base/memory.h"

#include <math.h>
#include <omp.h>
#include <string.h>

static const float wrap = 0.3f;

enum { NOTHING, PARTICLE, GROUND, SOLID };

/* Sums over the samples of a pixel. */
typedef struct cell {
    /* of particles: colour, normal, visible parts of sun and sky */
    float albedo[3], n[3], sun, sky;
    float ground_sun, ground_sky, solid_sun, solid_sky;
    float depth;       /* of the last particle sample, m */
    float solid_depth; /* sum, m */
    uint8_t n_particle, n_ground, n_solid,
        n_veiled; /* samples; veiled: particles behind a collider */
} cell;

typedef struct sample {
    float p[3], n[3], t;
    float near; /* where a ray along the sun's direction has left the sphere it starts on */
    float sun, sky;
    uint32_t id; /* particles */
    uint8_t kind, is_veiled;
} sample;

typedef struct ray_list {
    const firn_shading *shading;
    firn_ray8 rays;
    float *target[FIRN_TRACER_WIDTH], weight[FIRN_TRACER_WIDTH];
    int n;
} ray_list;

static float dot(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static float clamp01(float x) { return x > 0 ? (x < 1 ? x : 1) : 0; }

/* ---------------------------------------------------------------- visibility */

static void flush(ray_list *list)
{
    int is_free[FIRN_TRACER_WIDTH];
    for (int k = 0; k < FIRN_TRACER_WIDTH; k++) list->rays.is_used[k] = k < list->n ? -1 : 0;
    if (list->n) firn_tracer_embree->free(list->shading->tracer, &list->rays, is_free);
    for (int k = 0; k < list->n; k++)
        if (is_free[k]) *list->target[k] += list->weight[k];
    list->n = 0;
}

static void send(ray_list *list, const float origin[3], const float direction[3], float near,
                 float far, float *target, float weight)
{
    int k = list->n++;
    for (int c = 0; c < 3; c++) {
        list->rays.origin[c][k] = origin[c];
        list->rays.direction[c][k] = direction[c];
    }
    list->rays.near[k] = near;
    list->rays.time[k] = 0;
    list->rays.far[k] = far;
    list->target[k] = target;
    list->weight[k] = weight;
    if (list->n == FIRN_TRACER_WIDTH) flush(list);
}

/* Sends the rays of one sample. `turn`: its place in the sequence of the tile. */
static void ask(const firn_shading *shading, const firn_light_directions *table, sample *s,
                uint32_t turn, ray_list *sun_rays, ray_list *sky_rays)
{
    float d[3], lift = 1e-3f * shading->radius, p[3];
    for (int c = 0; c < 3; c++) p[c] = s->p[c] + lift * s->n[c];
    firn_light_towards_sun(shading->sun, table->sun[turn], d);
    if (dot(shading->sun, s->n) > -wrap) send(sun_rays, p, d, s->near, INFINITY, &s->sun, 1);
    for (int k = 0; k < shading->n_sky; k++) {
        firn_light_towards_sky(s->n, table->sky[turn * (uint32_t)shading->n_sky + (uint32_t)k], d);
        float far = 0.5f * shading->size;
        /* rays end at the ground */
        if (shading->has_ground && d[1] < 0)
            far = fminf(far, fmaxf(p[1] - shading->ground, 0) / -d[1]);
        send(sky_rays, p, d, 0.35f * shading->radius, far, &s->sky,
             firn_light_luminance(d[1]) / (float)shading->n_sky);
    }
}

/* ---------------------------------------------------------------- samples */

/* The first hit of the ray of cell (i, j) of the grid of samples; ghosts let particles behind them
 * through. */
static sample meet(const firn_shading *shading, int columns, int rows, int i, int j)
{
    sample s = {.kind = NOTHING};
    float d[3], t_ground = INFINITY, t_solid = INFINITY;
    size_t at = (size_t)j * (size_t)columns + (size_t)i;
    const firn_hit *hit = &shading->hits[at];
    firn_spheres_ray(shading->camera, columns, rows, i, j, d);
    const float *eye = shading->camera->eye;
    if (shading->has_ground && d[1] < -1e-4f && eye[1] > shading->ground)
        t_ground = (shading->ground - eye[1]) / d[1];
    if (shading->sdf) t_solid = shading->sdf_hits[at].t;
    if (hit->t <= t_ground && (hit->t <= t_solid || shading->is_ghost) &&
        hit->id != FIRN_NO_SPHERE) {
        s.kind = PARTICLE;
        s.t = hit->t;
        s.is_veiled = t_solid < hit->t;
    } else if (t_solid < t_ground) {
        s.kind = SOLID;
        s.t = t_solid;
        memcpy(s.n, shading->sdf_hits[at].normal, sizeof s.n);
    } else if (t_ground < INFINITY) {
        s.kind = GROUND;
        s.t = t_ground;
        s.n[1] = 1;
    }
    for (int c = 0; c < 3; c++) s.p[c] = eye[c] + s.t * d[c];
    if (s.kind != PARTICLE) return s;
    s.id = hit->id;
    const float *sphere = shading->spheres->xyzr + 4 * (size_t)s.id;
    for (int c = 0; c < 3; c++) s.n[c] = (s.p[c] - sphere[c]) / sphere[3];
    float length = sqrtf(dot(s.n, s.n)), cosine;
    for (int c = 0; c < 3; c++) {
        s.n[c] /= length;
        s.p[c] = sphere[c] + sphere[3] * s.n[c];
    }
    cosine = dot(s.n, shading->sun);
    s.near = cosine < 0 ? -2.05f * sphere[3] * cosine : 0; /* wrapped light passes its own sphere */
    return s;
}

static void gather(const firn_shading *shading, const sample *s, cell *at)
{
    if (s->kind == GROUND) {
        at->n_ground++;
        at->ground_sun += s->sun;
        at->ground_sky += s->sky;
    }
    if (s->kind == SOLID) {
        at->n_solid++;
        at->solid_sun += s->sun * fmaxf(0, dot(s->n, shading->sun));
        at->solid_sky += s->sky;
        at->solid_depth += s->t;
    }
    if (s->kind != PARTICLE) return;
    const float *color = shading->colors + 3 * (size_t)s->id;
    for (int c = 0; c < 3; c++) {
        at->albedo[c] += color[c];
        at->n[c] += s->n[c];
    }
    at->sun += s->sun;
    at->sky += s->sky;
    at->n_particle++;
    at->n_veiled += s->is_veiled;
    at->depth = s->t;
}

/* Colliders take the sun of the samples of pixel (i, j): where the way from the first of them is
 * clear by more than the disc of the sun from all, else from each along its own ray; and part of the
 * sky, by their distance. */
static void darken(const firn_shading *shading, const firn_light_directions *table, int i, int j,
                   sample *samples)
{
    const sample *s = NULL;
    int n = shading->samples * shading->samples;
    for (int k = 0; k < n && !s; k++) s = samples[k].kind != NOTHING ? &samples[k] : NULL;
    if (!s) return;
    float p[3], d[3], lift = 1.5f * shading->radius + 2 * shading->sdf->precision,
                      reach = 0.3f * shading->size;
    for (int c = 0; c < 3; c++) p[c] = s->p[c] + lift * s->n[c];
    float clear = firn_sdf_trace_clearance(shading->sdf, p, shading->sun);
    for (int c = 0; c < 3; c++) p[c] = s->p[c] + reach * s->n[c];
    float open = 0.45f + 0.55f * clamp01(firn_sdf_trace_distance(shading->sdf, p) / reach);
    for (int k = 0; k < n; k++) {
        samples[k].sky *= open;
        if (clear > 2.5f * FIRN_LIGHT_SUN_WIDTH || samples[k].kind == NOTHING) continue;
        firn_light_towards_sun(shading->sun, table->sun[firn_light_turn(i, j, n, k)], d);
        for (int c = 0; c < 3; c++) p[c] = samples[k].p[c] + lift * samples[k].n[c];
        if (firn_sdf_trace_clearance(shading->sdf, p, d) <= 0) samples[k].sun = 0;
    }
}

static void light_row(const firn_shading *shading, const firn_light_directions *table, int width,
                      int height, int j, sample *samples, cell *row)
{
    int side = shading->samples, square = side * side;
    ray_list sun_rays = {.shading = shading}, sky_rays = {.shading = shading};
    for (int i = 0; i < width; i++)
        for (int k = 0; k < square; k++) {
            sample *s = &samples[i * square + k];
            *s = meet(shading, width * side, height * side, i * side + k % side,
                      j * side + k / side);
            if (s->kind == NOTHING) continue;
            uint32_t turn = firn_light_turn(i, j, square, k);
            if (shading->tracer)
                ask(shading, table, s, turn, &sun_rays, &sky_rays);
            else {
                s->sun = 1;
                s->sky = 0.8f + 0.2f * s->n[1];
            }
        }
    if (shading->tracer) {
        flush(&sun_rays);
        flush(&sky_rays);
    }
    for (int i = 0; i < width; i++) {
        if (shading->sdf && !shading->is_ghost) /* glass gives no shade */
            darken(shading, table, i, j, &samples[i * square]);
        for (int k = 0; k < square; k++) gather(shading, &samples[i * square + k], &row[i]);
    }
}

/* ---------------------------------------------------------------- composition */

/* Means over the surroundings of a pixel. */
typedef struct mean {
    float n[3], sun, sky; /* of particles at a similar depth */
    float ground_sun, ground_sky, solid_sun, solid_sky;
} mean;

/* Particles: over a square about three of them wide, at least 4 x 4; the rest: over 4 x 4. Large
 * squares are sampled in steps; odd ones, so that all places of a tile occur. */
static mean surroundings(const firn_shading *shading, const cell *cells, int width, int height,
                         int i, int j)
{
    const cell *here = &cells[(size_t)j * (size_t)width + (size_t)i];
    mean m = {0};
    float n = 0;
    if (here->n_particle) {
        float pixels =
            1.5f * shading->radius / here->depth * (float)height / (2 * shading->camera->tan_y);
        int half = pixels < 2 ? 2 : pixels < 12 ? (int)pixels : 12, step = half > 6 ? 3 : 1;
        float reach = 5 * shading->radius + 0.001f * here->depth;
        for (int y = j - half; y < j + half; y += step)
            for (int x = i - half; x < i + half; x += step) {
                if (x < 0 || y < 0 || x >= width || y >= height) continue;
                const cell *at = &cells[(size_t)y * (size_t)width + (size_t)x];
                if (!at->n_particle || fabsf(at->depth - here->depth) > reach) continue;
                for (int c = 0; c < 3; c++) m.n[c] += at->n[c];
                m.sun += at->sun;
                m.sky += at->sky;
                n += at->n_particle;
            }
        if (n > 0) {
            m.sun /= n;
            m.sky /= n;
        }
    }
    if (!here->n_ground && !here->n_solid) return m;
    float n_ground = 0, n_solid = 0;
    for (int y = j - FIRN_LIGHT_TILE / 2; y < j + FIRN_LIGHT_TILE / 2; y++)
        for (int x = i - FIRN_LIGHT_TILE / 2; x < i + FIRN_LIGHT_TILE / 2; x++) {
            if (x < 0 || y < 0 || x >= width || y >= height) continue;
            const cell *at = &cells[(size_t)y * (size_t)width + (size_t)x];
            m.ground_sun += at->ground_sun;
            m.ground_sky += at->ground_sky;
            n_ground += at->n_ground;
            m.solid_sun += at->solid_sun;
            m.solid_sky += at->solid_sky;
            n_solid += at->n_solid;
        }
    n_ground = fmaxf(n_ground, 1);
    n_solid = fmaxf(n_solid, 1);
    m.ground_sun /= n_ground;
    m.ground_sky /= n_ground;
    m.solid_sun /= n_solid;
    m.solid_sky /= n_solid;
    return m;
}

/* Without a tracer: a pixel deeper than its surroundings sees less sky. */
static float sky_from_depth(const firn_shading *shading, const cell *cells, int width, int height,
                            int i, int j)
{
    static const int8_t ring[8][2] = {{1, 0}, {0, 1},  {-1, 0},  {0, -1},
                                      {2, 2}, {-2, 2}, {-2, -2}, {2, -2}};
    const cell *here = &cells[(size_t)j * (size_t)width + (size_t)i];
    float sum = 0;
    for (int step = 1; step <= 4; step *= 2)
        for (int k = 0; k < 8; k++) {
            int x = i + step * ring[k][0], y = j + step * ring[k][1];
            if (x < 0 || y < 0 || x >= width || y >= height) continue;
            const cell *at = &cells[(size_t)y * (size_t)width + (size_t)x];
            if (at->n_particle)
                sum += clamp01((here->depth - at->depth) / (4 * shading->radius)) / 24;
        }
    return expf(-2.5f * sum);
}

/* Light on the particles of a pixel. Its normal is a blend of its own and that of its surroundings:
 * grains stay visible, and many of them appear as one surface. */
static void particle_color(const firn_shading *shading, const cell *at, const mean *m,
                           float color[3])
{
    float own = sqrtf(dot(at->n, at->n)) + 1e-20f, around = sqrtf(dot(m->n, m->n)) + 1e-20f,
          normal[3];
    for (int c = 0; c < 3; c++) normal[c] = 0.42f * at->n[c] / own + 0.58f * m->n[c] / around;
    float length = sqrtf(dot(normal, normal)) + 1e-20f, n = (float)at->n_particle;
    float visible =
        0.2f * at->sun / n + 0.8f * m->sun; /* more of its own shows the tiles in half-shadow */
    float sun = visible * fmaxf(0, (dot(normal, shading->sun) / length + wrap) / (1 + wrap));
    for (int c = 0; c < 3; c++) {
        float albedo = at->albedo[c] / n;
        color[c] =
            shading->is_data
                ? albedo * fminf(0.66f * sun + 0.46f * m->sky, 1)
                : firn_light_tone(albedo * (firn_light_sun[c] * sun + firn_light_sky[c] * m->sky));
    }
}

static void solid_color(float sun, float sky, float color[3])
{
    for (int c = 0; c < 3; c++)
        color[c] = firn_light_solid[c] * (firn_light_sun[c] * sun + firn_light_sky[c] * sky);
}

/* Far from the shot colliders fade into the backdrop, as the ground does. */
static void far_solid_color(const firn_shading *shading, const cell *at, const mean *m,
                            const float d[3], float color[3])
{
    float back[3], q[3], t = at->solid_depth / (float)at->n_solid;
    for (int c = 0; c < 3; c++) q[c] = shading->camera->eye[c] + t * d[c];
    float fade = firn_light_smooth(2 * shading->size, 6.5f * shading->size, sqrtf(dot(q, q)));
    firn_light_backdrop(shading->sun, d, back);
    solid_color(m->solid_sun, m->solid_sky, color);
    for (int c = 0; c < 3; c++) color[c] += fade * (back[c] - color[c]);
}

/* One of the four layers of a pixel, tone-mapped. */
static void layer_color(const firn_shading *shading, int kind, const cell *at, const mean *m,
                        const float d[3], float color[3])
{
    if (kind == PARTICLE) {
        float veil = 0.3f * (float)at->n_veiled / (float)at->n_particle, gray[3];
        particle_color(shading, at, m, color);
        if (!at->n_veiled) return;
        solid_color(0.3f, 0.8f, gray);
        for (int c = 0; c < 3; c++) color[c] += veil * (firn_light_tone(gray[c]) - color[c]);
        return;
    }
    firn_light_floor floor = {shading->ground, shading->size, {0}};
    memcpy(floor.sun, shading->sun, sizeof floor.sun);
    if (kind == GROUND)
        firn_light_floor_color(&floor, shading->camera->eye, d, m->ground_sun, m->ground_sky,
                               color);
    else if (kind == SOLID)
        far_solid_color(shading, at, m, d, color);
    else
        firn_light_backdrop(shading->sun, d, color);
    for (int c = 0; c < 3; c++) color[c] = firn_light_tone(color[c]);
}

static void compose_pixel(const firn_shading *shading, const cell *cells, const firn_image *image,
                          int i, int j, uint8_t rgb[3])
{
    int width = image->width, height = image->height;
    const cell *at = &cells[(size_t)j * (size_t)width + (size_t)i];
    mean m = surroundings(shading, cells, width, height, i, j);
    if (!shading->tracer && at->n_particle)
        m.sky *= sky_from_depth(shading, cells, width, height, i, j);
    float n = (float)(shading->samples * shading->samples), d[3], sum[3] = {0}, color[3];
    float shares[4] = {[PARTICLE] = at->n_particle, [GROUND] = at->n_ground, [SOLID] = at->n_solid};
    shares[NOTHING] = n - shares[PARTICLE] - shares[GROUND] - shares[SOLID];
    firn_spheres_ray(shading->camera, width, height, i, j, d);
    for (int kind = 0; kind < 4; kind++) {
        if (shares[kind] <= 0) continue;
        layer_color(shading, kind, at, &m, d, color);
        for (int c = 0; c < 3; c++) sum[c] += shares[kind] / n * color[c];
    }
    for (int c = 0; c < 3; c++) rgb[c] = (uint8_t)(255 * firn_color_encode(sum[c]) + 0.5f);
}

firn_status firn_shading_paint(const firn_shading *shading, firn_image *image)
{
    int width = image->width, height = image->height;
    size_t n_cells = (size_t)width * (size_t)height;
    size_t n_samples = (size_t)width * (size_t)(shading->samples * shading->samples);
    cell *cells = firn_memory_array(NULL, n_cells, sizeof *cells);
    sample *samples =
        firn_memory_array(NULL, n_samples * (size_t)shading->n_threads, sizeof *samples);
    firn_light_directions table;
    int good =
        firn_light_directions_make(shading->samples, shading->n_sky, &table) && cells && samples;
    if (good) {
#pragma omp parallel num_threads(shading->n_threads)
        {
            sample *mine = NULL;
#pragma omp for schedule(dynamic)
            for (int j = 0; j < height; j++) {
                if (!mine) mine = samples + n_samples * (size_t)omp_get_thread_num();
                light_row(shading, &table, width, height, j, mine,
                          cells + (size_t)j * (size_t)width);
            }
#pragma omp for schedule(static)
            for (int j = 0; j < height; j++)
                for (int i = 0; i < width; i++)
                    compose_pixel(shading, cells, image, i, j,
                                  image->rgb + 3 * ((size_t)j * (size_t)width + (size_t)i));
        }
    }
    firn_light_directions_release(&table);
    firn_memory_release(NULL, samples, n_samples * (size_t)shading->n_threads * sizeof *samples);
    firn_memory_release(NULL, cells, n_cells * sizeof *cells);
    return good ? FIRN_OK : FIRN_MEMORY;
}
