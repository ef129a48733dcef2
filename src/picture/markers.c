/* SPDX-License-Identifier: MIT */
/* markers.c: see markers.h. Each kind is a set of colliders of its own, so that the tracing of
 * distances serves for all (sdf_trace.h). Glass is denser where it is seen edge-on. */
#include "picture/markers.h"
#include "base/memory.h"
#include "base/messages.h"
#include "picture/sdf_trace.h"
#include "picture/spheres.h"
#include "plot/font.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { EMITTERS, GRIPS, SINKS, N_KINDS };
static const char *const kinds[N_KINDS] = {"emitter", "grip", "sink"};
static const uint32_t tints[N_KINDS] = {0x58c27d, 0xf0c24a, 0xe0604f};

enum { LABELS_MAX = 64, SIDE = 2 };
#define LARGEST 3.0 /* diagonals of material and emitters: larger colliders are not framed */

struct firn_markers {
    firn_scene_colliders *shapes[N_KINDS];
};

/* ---------------------------------------------------------------- the scene's */

static firn_collider_def of_emitter(const firn_emitter_def *e)
{
    firn_collider_def def = {
        .n_shapes = e->n_shapes, .shapes = e->shapes, .start = e->start, .stop = e->stop};
    memcpy(def.name, e->name, FIRN_NAME);
    return def;
}

static firn_collider_def of_grip(const firn_grip_def *g)
{
    firn_collider_def def = {.n_shapes = g->n_shapes,
                             .shapes = g->shapes,
                             .motion = g->motion,
                             .start = g->start,
                             .stop = g->release};
    memcpy(def.name, g->name, FIRN_NAME);
    return def;
}

static firn_collider_def of_sink(const firn_sink_def *s)
{
    firn_collider_def def = {.n_shapes = s->n_shapes,
                             .shapes = s->shapes,
                             .motion = s->motion,
                             .start = s->start,
                             .stop = s->stop};
    memcpy(def.name, s->name, FIRN_NAME);
    return def;
}

/* The scene with things of one kind in place of its colliders. */
static firn_status take(const firn_scene_def *scene, int kind, firn_scene_colliders **shapes,
                        firn_messages *messages)
{
    const int counts[N_KINDS] = {scene->n_emitters, scene->n_grips, scene->n_sinks};
    size_t n = (size_t)counts[kind];
    firn_scene_def copy = *scene;
    firn_collider_def *defs = firn_memory_array(NULL, n, sizeof *defs);
    if (!defs) return firn_messages_no_memory(messages, "markers");
    for (size_t k = 0; k < n; k++)
        defs[k] = kind == EMITTERS ? of_emitter(&scene->emitters[k])
                  : kind == GRIPS  ? of_grip(&scene->grips[k])
                                   : of_sink(&scene->sinks[k]);
    copy.colliders = defs;
    copy.n_colliders = (int)n;
    firn_status status = firn_scene_colliders_of_scene(&copy, NULL, shapes, messages);
    if (!status) firn_scene_colliders_show_all(*shapes);
    firn_memory_release(NULL, defs, n * sizeof *defs);
    return status;
}

firn_status firn_markers_of_scene(const firn_scene_def *scene, firn_markers **out,
                                  firn_messages *messages)
{
    firn_status status = FIRN_OK;
    firn_markers *markers = firn_memory_allocate(NULL, sizeof *markers);
    *out = NULL;
    if (!markers) return firn_messages_no_memory(messages, "markers");
    for (int kind = 0; kind < N_KINDS && !status; kind++)
        status = take(scene, kind, &markers->shapes[kind], messages);
    if (status)
        firn_markers_destroy(markers);
    else
        *out = markers;
    return status;
}

void firn_markers_destroy(firn_markers *markers)
{
    if (!markers) return;
    for (int kind = 0; kind < N_KINDS; kind++) firn_scene_colliders_destroy(markers->shapes[kind]);
    firn_memory_release(NULL, markers, sizeof *markers);
}

void firn_markers_at(firn_markers *markers, double time)
{
    for (int kind = 0; kind < N_KINDS; kind++) firn_scene_colliders_at(markers->shapes[kind], time);
}

static void widen(const firn_scene_colliders *shapes, double largest, firn_view_bounds *bounds)
{
    static const double center[3] = {0, 0, 0};
    for (int k = 0; k < firn_scene_colliders_count(shapes); k++) {
        double low[3], high[3], square = 0; /* with reach 0 one without an end has no box */
        if (!firn_scene_colliders_box(shapes, k, center, 0, low, high)) continue;
        for (int c = 0; c < 3; c++) square += (high[c] - low[c]) * (high[c] - low[c]);
        if (square <= largest * largest) firn_view_bounds_include(bounds, low, high);
    }
}

void firn_markers_widen(const firn_markers *markers, const firn_scene_colliders *colliders,
                        firn_view_bounds *bounds)
{
    double square = 0;
    int is_empty = bounds->n == 0; /* there are no particles: all is framed */
    widen(markers->shapes[EMITTERS], INFINITY, bounds);
    for (int c = 0; c < 3 && bounds->n > 0; c++)
        square += (bounds->max[c] - bounds->min[c]) * (bounds->max[c] - bounds->min[c]);
    double largest = is_empty ? INFINITY : LARGEST * sqrt(square);
    widen(colliders, largest, bounds);
    for (int kind = GRIPS; kind < N_KINDS; kind++) widen(markers->shapes[kind], largest, bounds);
}

/* ---------------------------------------------------------------- glass */

/* Share of the glass of one kind in the colour of pixel (i, j). */
static float density(const firn_sdf_trace *sdf, const firn_camera *camera, const firn_image *image,
                     int i, int j)
{
    float sum = 0;
    for (int k = 0; k < SIDE * SIDE; k++) {
        float d[3];
        firn_spheres_ray(camera, image->width * SIDE, image->height * SIDE, i * SIDE + k % SIDE,
                         j * SIDE + k / SIDE, d);
        firn_sdf_hit hit = firn_sdf_trace_trace(sdf, camera->eye, d, INFINITY);
        if (isinf(hit.t)) continue;
        float edge = 1 - fabsf(hit.normal[0] * d[0] + hit.normal[1] * d[1] + hit.normal[2] * d[2]);
        sum += 0.28f + 0.55f * edge * edge;
    }
    return sum / (SIDE * SIDE);
}

static void draw_glass(const firn_scene_colliders *shapes, const firn_render_view *view,
                       firn_color tint, int n_threads, firn_image *image)
{
    firn_sdf_trace sdf = {
        .colliders = shapes, .is_z_up = view->is_z_up, .precision = 2e-4f * view->size};
    if (firn_scene_colliders_count(shapes) == 0) return;
    memcpy(sdf.origin, view->origin, sizeof sdf.origin);
    for (int c = 0; c < 3; c++) {
        sdf.min[c] = -6 * view->size;
        sdf.max[c] = 6 * view->size;
    }
#pragma omp parallel for num_threads(n_threads) schedule(dynamic)
    for (int j = 0; j < image->height; j++)
        for (int i = 0; i < image->width; i++) {
            float share = density(&sdf, &view->camera, image, i, j);
            if (share > 0) firn_image_blend(image, i, j, tint, share);
        }
}

/* ---------------------------------------------------------------- names */

typedef struct label {
    float x, y; /* pixels, the middle of the text */
    char text[FIRN_NAME + 16];
    firn_color color;
} label;

typedef struct labels {
    int n;
    label all[LABELS_MAX];
} labels;

/* Where a place of the scene is in the picture; 0: behind the camera. */
static int project(const firn_render_view *view, const firn_image *image, const double x[3],
                   float at[2])
{
    double turned[3];
    float a = 0, b = 0, depth = 0;
    firn_view_bounds_turn(view->is_z_up, x, turned);
    for (int c = 0; c < 3; c++) {
        float q = (float)(turned[c] - view->origin[c]) - view->camera.eye[c];
        a += q * view->camera.right[c];
        b += q * view->camera.up[c];
        depth += q * view->camera.forward[c];
    }
    if (!(depth > 0)) return 0;
    at[0] = 0.5f * (1 + a / (depth * view->camera.tan_x)) * (float)image->width;
    at[1] = 0.5f * (1 - b / (depth * view->camera.tan_y)) * (float)image->height;
    return 1;
}

static void add_label(labels *list, const firn_render_view *view, const firn_image *image,
                      const char *kind, const char *name, const double x[3], firn_color color)
{
    float at[2];
    if (list->n == LABELS_MAX || !project(view, image, x, at)) return;
    label *l = &list->all[list->n++];
    snprintf(l->text, sizeof l->text, "%s%s%s", kind, *kind ? " " : "", name);
    l->x = fminf(fmaxf(at[0], 0.06f * (float)image->width), 0.94f * (float)image->width);
    l->y = fminf(fmaxf(at[1], 0.05f * (float)image->height), 0.96f * (float)image->height);
    l->color = color;
}

static void add_labels(labels *list, const firn_scene_colliders *shapes,
                       const firn_render_view *view, const firn_image *image, const char *kind,
                       firn_color color)
{
    double center[3], low[3], high[3], middle[3];
    center[0] = view->origin[0];
    center[1] = view->is_z_up ? -view->origin[2] : view->origin[1];
    center[2] = view->is_z_up ? view->origin[1] : view->origin[2];
    for (int k = 0; k < firn_scene_colliders_count(shapes); k++) {
        const char *name = firn_scene_colliders_box(shapes, k, center, 4 * view->size, low, high);
        if (!name) continue;
        for (int c = 0; c < 3; c++) middle[c] = 0.5 * (low[c] + high[c]);
        add_label(list, view, image, kind, name, middle, color);
    }
    const char *floor = firn_scene_colliders_floor_name(shapes);
    double height;
    if (!*floor || !firn_scene_colliders_floor(shapes, &height)) return;
    float ahead[3] = {0, 0, 0};
    for (int c = 0; c < 3; c += 2) /* before the material, as the camera sees it */
        ahead[c] = (view->camera.eye[c] > 0 ? 0.75f : -0.75f) * view->size;
    middle[0] = view->origin[0] + ahead[0];
    middle[1] = view->is_z_up ? -(view->origin[2] + ahead[2]) : height;
    middle[2] = view->is_z_up ? height : view->origin[2] + ahead[2];
    add_label(list, view, image, kind, floor, middle, color);
}

/* Labels from top to bottom, each below those that it would cover. */
static void spread(labels *list, float size)
{
    for (int k = 1; k < list->n; k++) {
        label moved = list->all[k];
        int at = k;
        for (; at > 0 && list->all[at - 1].y > moved.y; at--) list->all[at] = list->all[at - 1];
        list->all[at] = moved;
    }
    for (int k = 1; k < list->n; k++)
        for (int m = 0; m < k; m++) {
            label *a = &list->all[m], *b = &list->all[k];
            float reach =
                0.5f * (firn_font_width(a->text, size) + firn_font_width(b->text, size)) + size;
            if (fabsf(a->x - b->x) < reach && fabsf(a->y - b->y) < 1.3f * size)
                b->y = a->y + 1.3f * size;
        }
}

static int draw_labels(const labels *list, float size, firn_image *image)
{
    int good = 1;
    const firn_color dark = {0.04f, 0.05f, 0.07f, 0.6f};
    for (int k = 0; k < list->n; k++) {
        const label *l = &list->all[k];
        float y = roundf(l->y + 0.5f * firn_font_cap_height(size));
        firn_text_style back = {
            .size = size, .weight = 3, .color = dark, .anchor = FIRN_ANCHOR_MIDDLE};
        firn_text_style front = {
            .size = size, .weight = 1.3f, .color = l->color, .anchor = FIRN_ANCHOR_MIDDLE};
        good = firn_font_draw(image, l->x, y, l->text, &back) && good;
        good = firn_font_draw(image, l->x, y, l->text, &front) && good;
    }
    return good;
}

int firn_markers_draw(const firn_markers *markers, const firn_view_bounds *bounds,
                      const firn_render_def *def, firn_image *image)
{
    const firn_color ink = firn_color_hex(0xf4f6f8);
    firn_render_view view;
    labels list = {.n = 0};
    float size = fmaxf(11.0f, roundf((float)image->height * 17.0f / 720.0f));
    int n_threads = def->n_threads > 0 ? def->n_threads : 1;
    firn_render_view_of(bounds, def, &view);
    for (int kind = 0; kind < N_KINDS; kind++)
        draw_glass(markers->shapes[kind], &view, firn_color_hex(tints[kind]), n_threads, image);
    if (def->colliders) add_labels(&list, def->colliders, &view, image, "", ink);
    for (int kind = 0; kind < N_KINDS; kind++)
        add_labels(&list, markers->shapes[kind], &view, image, kinds[kind], ink);
    spread(&list, size);
    return draw_labels(&list, size, image);
}
