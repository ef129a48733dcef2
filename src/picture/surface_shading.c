/* SPDX-License-Identifier: MIT */
/* surface_shading.c: see surface_shading.h. Rows of pixels are independent: first hits of all
 * samples, then their rays to sun and sky and those that a look wants, then sums for each pixel. A
 * second pass takes shares of sun and sky from the mean over the neighbours of like depth and
 * direction (surface_light.h) and puts surface, colliders, ground and backdrop together. */
#include "picture/surface_shading.h"
#include "base/memory.h"
#include "picture/spheres.h"
#include "picture/surface_cell.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#define GRAZE 12.0f /* spacings */

typedef struct sample {
    firn_surface_sample s;
    float t, lift, time, sun, sky;
    int piece;
    uint8_t kind, is_veiled, has_sun; /* has_sun: a ray to the sun was sent */
} sample;

/* Rays of one kind on their way: to a yes or no, or to the first hit. */
typedef struct batch {
    const firn_tracer *tracer;
    int n, is_first;
    firn_ray8 rays;
    float *target[FIRN_TRACER_WIDTH], weight[FIRN_TRACER_WIDTH];
} batch;

typedef struct row {
    const firn_surface_shading *shading;
    const firn_light_directions *table;
    int width, height, j;
    sample *samples; /* [width * samples^2] */
    batch seen, first;
} row;

static float dot(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* ---------------------------------------------------------------- rays */

static void flush(batch *b)
{
    int is_free[FIRN_TRACER_WIDTH];
    firn_hit8 hits;
    if (!b->n) return;
    for (int k = 0; k < FIRN_TRACER_WIDTH; k++) b->rays.is_used[k] = k < b->n ? -1 : 0;
    if (b->is_first)
        firn_tracer_embree->first(b->tracer, &b->rays, &hits);
    else
        firn_tracer_embree->free(b->tracer, &b->rays, is_free);
    for (int k = 0; k < b->n; k++) {
        if (b->is_first)
            *b->target[k] = hits.t[k];
        else if (is_free[k])
            *b->target[k] += b->weight[k];
    }
    b->n = 0;
}

static void send(batch *b, const float origin[3], const float direction[3], float near, float far,
                 float time, float *target, float weight)
{
    int k = b->n++;
    for (int c = 0; c < 3; c++) {
        b->rays.origin[c][k] = origin[c];
        b->rays.direction[c][k] = direction[c];
    }
    b->rays.near[k] = near;
    b->rays.far[k] = far;
    b->rays.time[k] = time;
    b->target[k] = target;
    b->weight[k] = weight;
    if (b->n == FIRN_TRACER_WIDTH) flush(b);
}

/* ---------------------------------------------------------------- first hits */

static void take_mesh(const firn_skin_piece *piece, uint32_t part, float u, float v, sample *at)
{
    const uint32_t *t = piece->triangles + 3 * (size_t)part;
    float w[3] = {1 - u - v, u, v}, n[3] = {0, 0, 0}, color[3] = {0, 0, 0};
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++) {
            n[c] += w[k] * piece->normal[3 * (size_t)t[k] + (size_t)c];
            color[c] += w[k] * piece->color[3 * (size_t)t[k] + (size_t)c];
        }
    memcpy(at->s.n, n, sizeof n);
    memcpy(at->s.albedo, color, sizeof color);
    at->s.hash = 0;
    at->lift = 0.4f * piece->spacing; /* over bumps of single particles, which else cast shadows */
}

static void take_grain(const firn_skin_piece *piece, uint32_t part, sample *at)
{
    const float *g = piece->grains + 4 * (size_t)part, *e = g;
    if (piece->grains_end) e = piece->grains_end + 4 * (size_t)part;
    float relief = piece->look->relief;
    for (int c = 0; c < 3; c++) {
        float middle = g[c] + at->time * (e[c] - g[c]);
        at->s.n[c] = relief * (at->s.p[c] - middle) / g[3] +
                     (1 - relief) * piece->grain_normal[3 * (size_t)part + (size_t)c];
        at->s.albedo[c] = piece->grain_color[3 * (size_t)part + (size_t)c];
    }
    at->s.hash = piece->grain_id[part] | 1;
    at->lift = 0.5f * g[3];
}

/* Normals are turned to the eye's side, or reflections go wrong at silhouettes. */
static void face_eye(firn_surface_sample *s)
{
    float length = sqrtf(dot(s->n, s->n));
    for (int c = 0; c < 3; c++) s->n[c] = length > 0 ? s->n[c] / length : -s->view[c];
    float along = dot(s->n, s->view);
    if (along < -0.02f) return;
    for (int c = 0; c < 3; c++) s->n[c] -= (along + 0.02f) * s->view[c];
    length = sqrtf(dot(s->n, s->n));
    for (int c = 0; c < 3; c++) s->n[c] /= length;
}

static void take_surface(const row *r, const firn_hit8 *hits, int k, sample *at)
{
    const firn_skin_piece *piece = &r->shading->skin->pieces[hits->shape[k] / 2];
    at->kind = FIRN_SURFACE_MATERIAL;
    at->s.look = piece->look;
    at->s.spacing = piece->spacing;
    at->s.exit = at->s.through = 0;
    at->s.mirror = INFINITY;
    if (hits->shape[k] % 2)
        take_grain(piece, hits->part[k], at);
    else
        take_mesh(piece, hits->part[k], hits->u[k], hits->v[k], at);
    face_eye(&at->s);
    if (!r->shading->stage.is_data)
        firn_surface_light_roughen(at->s.look, piece->spacing, at->s.p, at->s.n);
    face_eye(&at->s);
}

/* What the ray of sample `at` of column i meets: `hits` has its first surface. */
static void meet(const row *r, int i, int k, const firn_hit8 *hits, int slot, sample *at)
{
    const firn_surface_shading *shading = r->shading;
    int side = shading->samples;
    float t_floor = INFINITY, t_solid = INFINITY, t = hits->t[slot];
    const float *eye = shading->camera->eye, *d = at->s.view;
    const firn_sdf_hit *solid = NULL;
    if (shading->stage.has_floor && d[1] < -1e-4f && eye[1] > shading->stage.floor.height)
        t_floor = (shading->stage.floor.height - eye[1]) / d[1];
    if (shading->sdf_hits) {
        solid = &shading->sdf_hits[(size_t)(r->j * side + k / side) * (size_t)(r->width * side) +
                                   (size_t)(i * side + k % side)];
        t_solid = solid->t;
    }
    at->is_veiled = shading->is_ghost && t_solid < t && t <= t_floor;
    at->kind = FIRN_SURFACE_NOTHING;
    if (t <= t_floor && (t <= t_solid || shading->is_ghost) && t < INFINITY) {
        at->t = t;
        for (int c = 0; c < 3; c++) at->s.p[c] = eye[c] + t * d[c];
        take_surface(r, hits, slot, at);
        return;
    }
    at->lift = 1e-3f * shading->radius;
    if (t_solid < t_floor) {
        at->kind = FIRN_SURFACE_SOLID;
        at->t = t_solid;
        memcpy(at->s.n, solid->normal, sizeof at->s.n);
    } else if (t_floor < INFINITY) {
        at->kind = FIRN_SURFACE_FLOOR;
        at->t = t_floor;
        memcpy(at->s.n, (float[3]){0, 1, 0}, sizeof at->s.n);
    }
    for (int c = 0; c < 3 && at->kind; c++) at->s.p[c] = eye[c] + at->t * d[c];
}

/* Times of a pixel's samples are spread over the shutter, each at its own place within its share. */
static float time_of(int i, int j, int square, int k)
{
    float within = ((float)(firn_light_turn(i, j, 1, 0)) + 0.5f) / 16;
    return ((float)k + within) / (float)square;
}

static void meet_row(row *r)
{
    const firn_surface_shading *shading = r->shading;
    int side = shading->samples, square = side * side, n = r->width * square;
    for (int first = 0; first < n; first += FIRN_TRACER_WIDTH) {
        firn_ray8 rays;
        firn_hit8 hits;
        for (int slot = 0; slot < FIRN_TRACER_WIDTH; slot++) {
            int at = first + slot < n ? first + slot : n - 1, i = at / square, k = at % square;
            sample *s = &r->samples[at];
            firn_spheres_ray(shading->camera, r->width * side, r->height * side,
                             i * side + k % side, r->j * side + k / side, s->s.view);
            s->time = time_of(i, r->j, square, k);
            for (int c = 0; c < 3; c++) {
                rays.origin[c][slot] = shading->camera->eye[c];
                rays.direction[c][slot] = s->s.view[c];
            }
            rays.near[slot] = 0;
            rays.far[slot] = INFINITY;
            rays.time[slot] = s->time;
            rays.is_used[slot] = first + slot < n ? -1 : 0;
        }
        firn_tracer_embree->first(shading->tracer, &rays, &hits);
        for (int slot = 0; slot < FIRN_TRACER_WIDTH && first + slot < n; slot++) {
            int at = first + slot;
            r->samples[at].sun = r->samples[at].sky = 0;
            r->samples[at].has_sun = 0;
            meet(r, at / square, at % square, &hits, slot, &r->samples[at]);
        }
    }
}

/* ---------------------------------------------------------------- light */

static void send_sky(row *r, sample *s, uint32_t turn, const float p[3], float near)
{
    const firn_surface_shading *shading = r->shading;
    int n_sky = shading->n_sky;
    for (int k = 0; k < n_sky; k++) {
        float d[3], far = 0.5f * shading->size;
        firn_light_towards_sky(s->s.n, r->table->sky[turn * (uint32_t)n_sky + (uint32_t)k], d);
        if (shading->stage.has_floor && d[1] < 0) /* rays end at the ground */
            far = fminf(far, fmaxf(p[1] - shading->stage.floor.height, 0) / -d[1]);
        send(&r->seen, p, d, near, far, s->time, &s->sky,
             firn_light_luminance(d[1]) / (float)n_sky);
    }
    if (!n_sky) s->sky = 0.65f + 0.35f * s->s.n[1];
}

static void send_special(row *r, sample *s)
{
    float p[3], d[3];
    const float *sun = r->shading->stage.floor.sun;
    if (firn_surface_light_wants_exit(&s->s, sun)) {
        for (int c = 0; c < 3; c++) p[c] = s->s.p[c] - 0.25f * s->lift * s->s.n[c];
        send(&r->first, p, sun, 0, INFINITY, s->time, &s->s.exit, 1);
    }
    if (s->s.look->clearness > 0)
        send(&r->first, s->s.p, s->s.view, 2 * s->lift, INFINITY, s->time, &s->s.through, 1);
    if (firn_surface_light_wants_mirror(&s->s)) {
        firn_surface_light_mirrored(&s->s, d);
        for (int c = 0; c < 3; c++) p[c] = s->s.p[c] + s->lift * s->s.n[c];
        send(&r->first, p, d, s->lift, INFINITY, s->time, &s->s.mirror, 1);
    }
}

/* Where the ray from the material to the sun starts to be stopped. Turned away, it first leaves its own
 * body; where it grazes it passes the bumps next to it, over which light goes in what scatters. */
static float start_of_sun(const sample *s, float nl)
{
    float wrap = s->s.look->wrap, graze = wrap > 0 ? fmaxf(0, 1 - fabsf(nl) / wrap) : 0;
    float exit = nl < 0 && !isinf(s->s.exit) ? s->s.exit : 0;
    return exit + 2 * s->lift + GRAZE * graze * graze * s->s.spacing;
}

static void send_rays(row *r, int i, int k, sample *s)
{
    const firn_surface_shading *shading = r->shading;
    int square = shading->samples * shading->samples,
        is_material = s->kind == FIRN_SURFACE_MATERIAL;
    uint32_t turn = firn_light_turn(i, r->j, square, k);
    float p[3], d[3];
    for (int c = 0; c < 3; c++) p[c] = s->s.p[c] + s->lift * s->s.n[c];
    firn_light_towards_sun(shading->stage.floor.sun, r->table->sun[turn], d);
    float nl = dot(s->s.n, shading->stage.floor.sun), near = is_material ? start_of_sun(s, nl) : 0;
    if (nl > 0 || is_material) {
        s->has_sun = 1;
        send(&r->seen, p, d, near, INFINITY, s->time, &s->sun, 1);
    }
    send_sky(r, s, turn, p, is_material ? s->lift : 0.35f * shading->radius);
}

/* Colliders take the sun of a pixel's samples: where the way from the first of them is clear by more
 * than the disc of the sun from all, else from each along its own ray; and part of the sky. */
static void darken(row *r, int i)
{
    const firn_surface_shading *shading = r->shading;
    const firn_sdf_trace *sdf = shading->stage.sdf;
    int square = shading->samples * shading->samples;
    sample *all = r->samples + i * square, *s = NULL;
    for (int k = 0; k < square && !s; k++) s = all[k].kind ? &all[k] : NULL;
    if (!s) return;
    float p[3], d[3], lift = 1.2f * shading->radius + 2 * sdf->precision;
    float reach[2] = {0.05f * shading->size + lift, 0.3f * shading->size}, open = 0.4f;
    for (int c = 0; c < 3; c++) p[c] = s->s.p[c] + lift * s->s.n[c];
    float clear = firn_sdf_trace_clearance(sdf, p, shading->stage.floor.sun);
    for (int k = 0; k < square && clear < 2.5f * FIRN_LIGHT_SUN_WIDTH; k++) {
        if (!all[k].has_sun) continue;
        uint32_t turn = firn_light_turn(i, r->j, square, k);
        firn_light_towards_sun(shading->stage.floor.sun, r->table->sun[turn], d);
        for (int c = 0; c < 3; c++) p[c] = all[k].s.p[c] + lift * all[k].s.n[c];
        if (firn_sdf_trace_clearance(sdf, p, d) <= 0) all[k].sun = 0;
    }
    for (int side = 0; side < 2; side++) {
        for (int c = 0; c < 3; c++) p[c] = s->s.p[c] + reach[side] * s->s.n[c];
        open += 0.3f * fminf(1, fmaxf(0, firn_sdf_trace_distance(sdf, p) / reach[side]));
    }
    for (int k = 0; k < square; k++) all[k].sky *= open;
}

static void light_row(row *r, firn_surface_cell *cells)
{
    const firn_surface_shading *shading = r->shading;
    int square = shading->samples * shading->samples;
    r->seen = (batch){.tracer = shading->tracer};
    r->first = (batch){.tracer = shading->tracer, .is_first = 1};
    meet_row(r);
    for (int at = 0; at < r->width * square; at++)
        if (r->samples[at].kind == FIRN_SURFACE_MATERIAL && !shading->stage.is_data)
            send_special(r, &r->samples[at]);
    flush(&r->first);
    for (int at = 0; at < r->width * square; at++)
        if (r->samples[at].kind) send_rays(r, at / square, at % square, &r->samples[at]);
    flush(&r->seen);
    for (int i = 0; i < r->width; i++) {
        if (shading->stage.sdf && !shading->is_ghost) darken(r, i); /* glass gives no shade */
        for (int k = 0; k < square; k++) {
            sample *s = &r->samples[i * square + k];
            firn_surface_parts parts;
            if (s->kind == FIRN_SURFACE_NOTHING) continue;
            if (s->kind == FIRN_SURFACE_MATERIAL) {
                if (isinf(s->s.exit)) s->s.exit = 0;
                if (isinf(s->s.through)) s->s.through = 0;
                firn_surface_light_parts(&shading->stage, &s->s, &parts);
            }
            firn_surface_hit hit = {
                s->kind, s->is_veiled, s->has_sun, s->t,
                s->sun,  s->sky,       {0},        dot(s->s.n, shading->stage.floor.sun)};
            memcpy(hit.n, s->s.n, sizeof hit.n);
            firn_surface_cell_add(&cells[i], &hit, &parts);
        }
    }
}

firn_status firn_surface_shading_paint(const firn_surface_shading *shading, firn_image *image,
                                       firn_layers *layers)
{
    int width = image->width, height = image->height;
    size_t n_cells = (size_t)width * (size_t)height;
    size_t n_samples = (size_t)width * (size_t)(shading->samples * shading->samples);
    size_t n_all = n_samples * (size_t)shading->n_threads;
    firn_surface_cell *cells = firn_memory_array(NULL, n_cells, sizeof *cells);
    sample *samples = firn_memory_array(NULL, n_all, sizeof *samples);
    firn_light_directions table;
    int good =
        firn_light_directions_make(shading->samples, shading->n_sky, &table) && cells && samples;
    if (good) {
        firn_surface_view view = {&shading->stage, shading->camera,
                                  cells,           width,
                                  height,          shading->samples * shading->samples,
                                  shading->size,   shading->radius};
#pragma omp parallel num_threads(shading->n_threads)
        {
#pragma omp for schedule(dynamic)
            for (int j = 0; j < height; j++) {
                row r = {.shading = shading,
                         .table = &table,
                         .width = width,
                         .height = height,
                         .j = j,
                         .samples = samples + n_samples * (size_t)omp_get_thread_num()};
                light_row(&r, cells + (size_t)j * (size_t)width);
            }
#pragma omp for schedule(static)
            for (int j = 0; j < height; j++)
                for (int i = 0; i < width; i++)
                    firn_surface_cell_compose(&view, i, j, image, layers);
        }
    }
    firn_light_directions_release(&table);
    firn_memory_release(NULL, samples, n_all * sizeof *samples);
    firn_memory_release(NULL, cells, n_cells * sizeof *cells);
    return good ? FIRN_OK : FIRN_MEMORY;
}
