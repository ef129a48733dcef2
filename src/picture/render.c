/* SPDX-License-Identifier: MIT */
/* render.c: one frame of points as a picture, in the order of the steps: spheres in local
 * coordinates, their colours, the first hit of each ray (Embree or splat.h), colliders by sphere
 * tracing, shading, legend and caption.
 *
 * Local coordinates: m about the middle of the shot, y up, single precision. */
#include "picture/render.h"
#include "picture/legend.h"
#include "picture/render_surface.h"
#include "picture/shading.h"
#include "base/memory.h"
#include "base/messages.h"
#include "solver/attributes.h"
#include "picture/splat.h"
#include "picture/particle_color.h"
#include "picture/tracer.h"

#include <math.h>
#include <omp.h>
#include <string.h>

static const double degree = 0.017453292519943295;

firn_render_def firn_render_default(void)
{
    return (firn_render_def){
        .width = 1280,
        .height = 720,
        .samples = 2,
        .sky_rays = 1,
        .camera = {.azimuth = 30 * degree, .elevation = 16 * degree, .fov = 28 * degree},
        .radius_scale = 1.2, /* spheres that just touch leave dark holes */
        .sun_azimuth = NAN,
        .sun_elevation = 46 * degree,
        .has_legend = 1};
}

/* What the steps hand on. */
typedef struct frame {
    const firn_points *points;
    const firn_view_bounds *bounds;
    const firn_render_def *def;
    int n_threads;
    double origin[3]; /* scene m; of local coordinates, y up */
    float min[3], max[3];
    float radius; /* mean of the spheres, m */
    firn_spheres spheres;
    float *xyzr, *colors;
    firn_hit *hits;
    firn_sdf_hit *sdf_hits;
    size_t n_hits;
    firn_colormap map;
    firn_legend legend;
    firn_particle_color_palette palette;
} frame;

static firn_status check(const firn_render_def *def, firn_messages *messages)
{
    if (def->width < 1 || def->height < 1 || def->width > 16384 || def->height > 16384)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "size of the picture: %d x %d pixels; allowed: 1 to 16384 each",
                                 def->width, def->height);
    if (def->samples < 1 || def->samples > 8 || def->sky_rays < 0 || def->sky_rays > 256)
        return firn_messages_add(
            messages, FIRN_REFUSED,
            "samples per pixel side: %d, rays to the sky: %d; allowed: 1 to 8, "
            "0 to 256",
            def->samples, def->sky_rays);
    if (!(def->camera.fov > 0.001 && def->camera.fov < 3.0))
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "field of view: %g degrees; allowed: 0.1 to 170",
                                 def->camera.fov / degree);
    if (!isfinite(def->camera.azimuth) || !isfinite(def->camera.elevation) ||
        !isfinite(def->camera.distance))
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "camera: angles and distance must be finite");
    if (!(def->radius_scale > 0) || !isfinite(def->radius_scale))
        return firn_messages_add(messages, FIRN_REFUSED, "scale of radii: %g; allowed: above 0",
                                 def->radius_scale);
    if (def->has_range && (!(def->max > def->min) || !isfinite(def->max - def->min) ||
                           (def->is_log && !(def->min > 0))))
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "range of colours: %g to %g; allowed: rising%s", def->min,
                                 def->max, def->is_log ? ", above 0 on a logarithmic scale" : "");
    if (!(def->shutter >= 0) || !isfinite(def->shutter))
        return firn_messages_add(messages, FIRN_REFUSED, "shutter: %g s; allowed: 0 and more",
                                 def->shutter);
    return def->is_surface ? firn_render_surface_check(def, messages) : FIRN_OK;
}

/* ---------------------------------------------------------------- spheres */

static double detail(const firn_points *points, const char *name)
{
    const firn_attribute *a = firn_points_find_detail(points, name);
    return a && a->type == FIRN_ATTRIBUTE_FLOAT && a->n_components == 1 ? a->data.f[0] : 0;
}

/* The radius of particles without pscale: half of dx where the cache has it, else that at which n
 * spheres fill the box: V = n 4/3 pi r^3, r = 0.62 (V/n)^(1/3). */
static double common_radius(const frame *f)
{
    double dx = detail(f->points, "dx"), volume = 1;
    if (dx > 0) return 0.5 * dx;
    double diagonal = 0;
    for (int c = 0; c < 3; c++)
        diagonal +=
            (f->bounds->max[c] - f->bounds->min[c]) * (f->bounds->max[c] - f->bounds->min[c]);
    for (int c = 0; c < 3; c++)
        volume *= fmax(f->bounds->max[c] - f->bounds->min[c], 1e-3 * sqrt(diagonal));
    double radius = 0.62 * cbrt(volume / (double)(f->points->n > 0 ? f->points->n : 1));
    return radius > 0 ? radius : 1;
}

static void place(frame *f)
{
    for (int c = 0; c < 3; c++) {
        f->origin[c] = 0.5 * (f->bounds->min[c] + f->bounds->max[c]);
        f->max[c] = (float)(f->bounds->max[c] - f->origin[c]);
        f->min[c] = -f->max[c];
    }
}

static int is_float(const firn_attribute *a)
{
    return a && (a->type == FIRN_ATTRIBUTE_FLOAT || a->type == FIRN_ATTRIBUTE_VECTOR);
}

/* Positions and radii in local coordinates. A particle that is not finite becomes a sphere of
 * radius 0 far below, which no ray meets; the others keep their numbers. */
static firn_status make_spheres(frame *f, firn_messages *messages)
{
    const firn_attribute *position = firn_points_find(f->points, "P"),
                         *scale = firn_points_find(f->points, "pscale");
    if (!is_float(position) || position->n_components != 3)
        return firn_messages_add(messages, FIRN_REFUSED, "points: no attribute P of three floats");
    if (f->points->n >= FIRN_NO_SPHERE)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "points: too many for one picture (%lld); allowed: below %u",
                                 (long long)f->points->n, FIRN_NO_SPHERE);
    f->xyzr = firn_memory_array(NULL, (size_t)f->points->n, 4 * sizeof *f->xyzr);
    if (!f->xyzr) return firn_messages_no_memory(messages, "picture");
    double common = common_radius(f), sum = 0;
    int has_scale = is_float(scale) && scale->n_components == 1;
    int64_t n_good = 0;
    for (int64_t k = 0; k < f->points->n; k++) {
        const float *p = position->data.f + 3 * k;
        double turned[3],
            r = (has_scale ? (double)scale->data.f[k] : common) * f->def->radius_scale;
        firn_view_bounds_turn(f->bounds->is_z_up, (double[3]){p[0], p[1], p[2]}, turned);
        float *s = f->xyzr + 4 * k;
        for (int c = 0; c < 3; c++) s[c] = (float)(turned[c] - f->origin[c]);
        s[3] = (float)r;
        if (isfinite(s[0]) && isfinite(s[1]) && isfinite(s[2]) && isfinite(s[3]) && s[3] >= 0) {
            sum += r;
            n_good++;
        } else
            memcpy(s, (float[4]){0, -1e18f, 0, 0}, 4 * sizeof *s);
    }
    f->radius = n_good && sum > 0 ? (float)(sum / (double)n_good) : (float)common;
    f->spheres = (firn_spheres){f->points->n, f->xyzr};
    return FIRN_OK;
}

/* ---------------------------------------------------------------- colours */

/* From the table of attributes; none for the determinant of F. */
static const char *unit_of(const char *name)
{
    const firn_attribute_info *info;
    for (int i = 0; (info = firn_attribute_at(i)); i++)
        if (!strcmp(info->name, name)) return info->unit;
    return "";
}

static firn_status color_by_number(frame *f, firn_messages *messages)
{
    const firn_render_def *def = f->def;
    firn_particle_color_number number;
    firn_status status = firn_particle_color_find(f->points, def->attribute, &number, messages);
    if (status != FIRN_OK) return status;
    double low = def->has_range ? def->min : f->bounds->value_min,
           high = def->has_range ? def->max : f->bounds->value_max;
    if (!firn_colormap_init(&f->map, def->map))
        return firn_messages_add(messages, FIRN_REFUSED, "colour map: unknown (%s); allowed: %s",
                                 def->map, firn_colormap_names());
    if (!def->has_range && !f->bounds->has_values) {
        low = 0;
        high = 1;
    }
    if (!def->has_range && f->map.is_diverging) {
        high = fmax(fabs(low), fabs(high));
        low = -high;
    }
    if (!def->has_range && def->is_log && !(low > 0)) low = high > 0 ? 1e-4 * high : 1;
    if (!(high > low)) { /* all values are equal */
        low -= 0.5 * fmax(fabs(low), 1e-6);
        high = low + fmax(fabs(high), 1e-6);
    }
    f->legend = (firn_legend){
        def->attribute, unit_of(number.attribute->name), low, high, def->is_log, &f->map};
    float table[FIRN_COLORMAP_SIZE][3];
    for (int k = 0; k < FIRN_COLORMAP_SIZE; k++) {
        const firn_color *c = &f->map.colors[k];
        table[k][0] = firn_color_decode(c->r);
        table[k][1] = firn_color_decode(c->g);
        table[k][2] = firn_color_decode(c->b);
    }
    for (int64_t k = 0; k < f->points->n; k++) {
        double value = firn_particle_color_value(&number, k);
        double t = def->is_log ? log(value / low) / log(high / low) : (value - low) / (high - low);
        static const float bad[3] = {1, 0, 1}; /* NaN, or not positive on a logarithmic scale */
        int entry =
            t > 0 ? (t < 1 ? (int)(t * (FIRN_COLORMAP_SIZE - 1) + 0.5) : FIRN_COLORMAP_SIZE - 1)
                  : 0;
        memcpy(f->colors + 3 * k, isnan(t) ? bad : table[entry], 3 * sizeof(float));
    }
    return FIRN_OK;
}

static firn_status make_colors(frame *f, firn_messages *messages)
{
    f->colors = firn_memory_array(NULL, (size_t)f->points->n, 3 * sizeof *f->colors);
    if (!f->colors) return firn_messages_no_memory(messages, "picture");
    firn_particle_color_categories(f->points, &f->palette);
    const char *only =
        f->def->colliders ? firn_scene_colliders_only_material(f->def->colliders) : NULL;
    if (only) firn_particle_color_name(&f->palette, only); /* a cache without names of materials */
    if (f->def->attribute[0]) return color_by_number(f, messages);
    for (int k = 0; f->def->colliders && k < f->palette.n; k++)
        firn_scene_colliders_color(f->def->colliders, f->palette.names[k], &f->palette.colors[k]);
#pragma omp parallel for num_threads(f->n_threads) schedule(static)
    for (int64_t k = 0; k < f->points->n; k++)
        firn_particle_color_by_material(f->points, &f->palette, k, f->colors + 3 * k);
    return FIRN_OK;
}

/* ---------------------------------------------------------------- light */

double firn_render_sun_azimuth(const firn_render_def *def)
{
    return isnan(def->sun_azimuth) ? def->camera.azimuth - 58 * degree : def->sun_azimuth;
}

static void sun_direction(const firn_render_def *def, float sun[3])
{
    double azimuth = firn_render_sun_azimuth(def);
    double flat = cos(def->sun_elevation);
    sun[0] = (float)(sin(azimuth) * flat);
    sun[1] = (float)sin(def->sun_elevation);
    sun[2] = (float)(cos(azimuth) * flat);
}

enum { ENOUGH = 50 }; /* samples that tell the shape of a shot; fewer: its box */

static firn_camera make_camera(const frame *f)
{
    const firn_render_def *def = f->def;
    float target[3] = {0, 0, 0};
    if (def->camera.has_target) {
        double turned[3];
        firn_view_bounds_turn(f->bounds->is_z_up, def->camera.target, turned);
        for (int c = 0; c < 3; c++) target[c] = (float)(turned[c] - f->origin[c]);
    }
    /* the samples within the box: what flies off does not make the rest small */
    float points[FIRN_VIEW_SAMPLES][3];
    int64_t n = 0;
    for (int k = 0; k < f->bounds->n_samples; k++) {
        int is_inside = 1;
        for (int c = 0; c < 3; c++) {
            points[n][c] = (float)(f->bounds->samples[k][c] - f->origin[c]);
            is_inside &= fabsf(points[n][c]) <= 1.001f * f->max[c];
        }
        n += is_inside;
    }
    if (n < ENOUGH)
        return firn_camera_look(&def->camera, target, f->min, f->max, def->width, def->height);
    return firn_camera_fit(&def->camera, target, n, (const float(*)[3])points, def->width,
                           def->height);
}

void firn_render_view_of(const firn_view_bounds *bounds, const firn_render_def *def,
                         firn_render_view *view)
{
    frame f = {.bounds = bounds, .def = def};
    float diagonal = 0;
    place(&f);
    view->camera = make_camera(&f);
    view->is_z_up = bounds->is_z_up;
    for (int c = 0; c < 3; c++) {
        view->origin[c] = f.origin[c];
        diagonal += f.max[c] * f.max[c];
    }
    view->size = sqrtf(diagonal);
}

#define ENDLESS 8.0f  /* and those without an end */
#define FARTHEST 1.5f /* how far colliders are drawn beyond the shot, in sizes of the shot */

/* The colliders of the scene, in a box somewhat larger than the shot, or as large as they are where
 * that is not much larger. Of an endless one near the shot a part is drawn always, whichever frames
 * are; 0: none. */
static int make_sdf(const frame *f, float size, firn_sdf_trace *sdf)
{
    double anywhere[3] = {0, 0, 0};
    if (!f->def->colliders ||
        isinf(firn_scene_colliders_distance(f->def->colliders, anywhere, NULL)))
        return 0;
    *sdf = (firn_sdf_trace){
        .colliders = f->def->colliders, .is_z_up = f->bounds->is_z_up, .precision = 2e-4f * size};
    memcpy(sdf->origin, f->origin, sizeof sdf->origin);
    for (int c = 0; c < 3; c++) {
        sdf->min[c] = f->min[c] - 0.22f * size;
        sdf->max[c] = f->max[c] + 0.22f * size;
    }
    if (firn_scene_colliders_is_endless(f->def->colliders)) { /* they fade before they are cut */
        for (int c = 0; c < 3; c++) {
            sdf->min[c] = -ENDLESS * size;
            sdf->max[c] = ENDLESS * size;
        }
        return 1;
    }
    float middle[3];
    double center[3], low[3], high[3];
    for (int c = 0; c < 3; c++) middle[c] = 0.5f * (f->min[c] + f->max[c]);
    firn_sdf_trace_to_scene(sdf, middle, center);
    if (!firn_scene_colliders_bounds(f->def->colliders, center, (FARTHEST + 0.5f) * size, low,
                                     high))
        return 1;
    for (int corner = 0; corner < 8; corner++) {
        double p[3], turned[3];
        for (int c = 0; c < 3; c++) p[c] = corner >> c & 1 ? high[c] : low[c];
        firn_view_bounds_turn(f->bounds->is_z_up, p, turned);
        for (int c = 0; c < 3; c++) {
            float x = (float)(turned[c] - f->origin[c]), limit = FARTHEST * size;
            if (x > sdf->max[c]) sdf->max[c] = fminf(x, f->max[c] + limit);
            if (x < sdf->min[c]) sdf->min[c] = fmaxf(x, f->min[c] - limit);
        }
    }
    return 1;
}

/* Of nine places in the shot, how many are hidden from the camera by colliders. */
static int count_hidden(const frame *f, const firn_sdf_trace *sdf, double azimuth)
{
    double flat = cos(f->def->camera.elevation);
    float towards[3] = {(float)(sin(azimuth) * flat), (float)sin(f->def->camera.elevation),
                        (float)(cos(azimuth) * flat)};
    int n = 0;
    for (int corner = 0; corner < 9; corner++) {
        float p[3] = {0, 0, 0};
        for (int c = 0; c < 3 && corner < 8; c++)
            p[c] = 0.6f * (corner >> c & 1 ? f->max[c] : f->min[c]);
        n += firn_sdf_trace_trace(sdf, p, towards, INFINITY).t < INFINITY;
    }
    return n;
}

double firn_render_free_azimuth(const firn_render_def *def, const firn_view_bounds *bounds)
{
    frame f = {.bounds = bounds, .def = def};
    firn_sdf_trace sdf;
    if (bounds->n == 0) return def->camera.azimuth;
    place(&f);
    float size = sqrtf(f.max[0] * f.max[0] + f.max[1] * f.max[1] + f.max[2] * f.max[2]);
    if (!make_sdf(&f, size, &sdf)) return def->camera.azimuth;
    double best = def->camera.azimuth;
    int fewest = 28;
    for (int turn = 0; turn < 24 && fewest; turn++) { /* 0, 15, -15, 30, ... degrees */
        double azimuth = def->camera.azimuth + (turn % 2 ? 1 : -1) * ((turn + 1) / 2) * 15 * degree;
        int n = 0; /* 25 degrees to both sides as well: no wall seen edge-on */
        for (int side = -1; side <= 1; side++)
            n += count_hidden(&f, &sdf, azimuth + side * 25 * degree);
        if (n < fewest) {
            fewest = n;
            best = azimuth;
        }
    }
    return best;
}

/* The first sphere on each ray, and, with Embree, the tracer for shadows. */
static firn_status trace(frame *f, const firn_camera *camera, firn_tracer **tracer,
                         firn_messages *messages)
{
    const firn_render_def *def = f->def;
    int columns = def->width * def->samples, rows = def->height * def->samples;
    f->hits = firn_memory_array(NULL, f->n_hits, sizeof *f->hits);
    if (!f->hits) return FIRN_MEMORY;
    const firn_tracer_engine *embree = firn_tracer_embree;
    if (def->engine == FIRN_ENGINE_SPLAT || (def->engine == FIRN_ENGINE_AUTO && !embree))
        return firn_splat_hits(&f->spheres, camera, columns, rows, f->n_threads, f->hits);
    if (!embree)
        return firn_messages_add(messages, FIRN_USAGE,
                                 "engine embree: this firn was built without Embree; try: --engine "
                                 "splat, or install Embree 3 and build again");
    firn_tracer_shape shape = {.n_spheres = f->spheres.n, .xyzr = f->spheres.xyzr};
    firn_status status = embree->create(1, &shape, f->n_threads, tracer, messages);
    if (status == FIRN_OK) embree->hits(*tracer, camera, columns, rows, f->n_threads, f->hits);
    return status;
}

/* Height of the ground: given, or that of a floor collider, else below all particles and below
 * colliders at rest, so that it does not cut a terrain. */
static float ground_of(const frame *f, float size)
{
    double height = f->bounds->lowest - f->radius, floor, foot;
    if (f->def->ground == FIRN_GROUND_GIVEN)
        height = f->def->ground_height;
    else if (f->def->colliders && firn_scene_colliders_floor(f->def->colliders, &floor))
        height = floor;
    else if (f->def->colliders && firn_scene_colliders_foot(f->def->colliders, &foot))
        height = fmin(height, fmax(foot, f->origin[1] + f->min[1] - FARTHEST * size));
    return (float)(height - f->origin[1]);
}

/* What the rays of all samples meet of colliders. With a shutter sample k of a pixel sees them at the
 * k-th of as many times as samples. */
static firn_status trace_colliders(frame *f, const firn_camera *camera, firn_sdf_trace *sdf)
{
    const firn_render_def *def = f->def;
    f->sdf_hits = firn_memory_array(NULL, f->n_hits, sizeof *f->sdf_hits);
    if (!f->sdf_hits) return FIRN_MEMORY;
    if (!def->is_surface || !(def->shutter > 0))
        return firn_sdf_trace_hits(sdf, camera, def->width, def->height, def->samples, f->n_threads,
                                   f->sdf_hits);
    double middle = firn_scene_colliders_time(def->colliders);
    int n = def->samples * def->samples;
    for (int k = 0; k < n; k++) {
        double share = (k + 0.5) / n - 0.5;
        firn_scene_colliders_at(def->colliders, fmax(0, middle + share * def->shutter));
        firn_sdf_trace_sample(sdf, camera, def->width, def->height, def->samples, k, f->n_threads,
                              f->sdf_hits);
    }
    firn_scene_colliders_at(def->colliders, middle);
    return FIRN_OK;
}

static firn_status paint_spheres(frame *f, const firn_camera *camera, const firn_sdf_trace *sdf,
                                 float size, firn_image *image, firn_messages *messages)
{
    const firn_render_def *def = f->def;
    firn_tracer *tracer = NULL;
    firn_shading shading = {.spheres = &f->spheres,
                            .colors = f->colors,
                            .camera = camera,
                            .samples = def->samples,
                            .n_sky = def->sky_rays,
                            .is_data = def->attribute[0] != 0,
                            .is_ghost = def->is_ghost,
                            .has_ground = def->ground != FIRN_GROUND_NONE,
                            .n_threads = f->n_threads,
                            .size = size,
                            .radius = f->radius,
                            .ground = ground_of(f, size),
                            .sdf = sdf,
                            .sdf_hits = f->sdf_hits};
    sun_direction(def, shading.sun);
    firn_status status = trace(f, camera, &tracer, messages);
    shading.hits = f->hits;
    shading.tracer = tracer;
    if (status == FIRN_OK) status = firn_shading_paint(&shading, image);
    if (tracer) firn_tracer_embree->destroy(tracer);
    return status;
}

static firn_status paint_surfaces(frame *f, const firn_camera *camera, const firn_sdf_trace *sdf,
                                  float size, firn_image *image, firn_messages *messages)
{
    const firn_render_def *def = f->def;
    firn_surface_shading shading = {.stage = {.sdf = sdf,
                                              .floor = {.height = ground_of(f, size), .size = size},
                                              .has_floor = def->ground != FIRN_GROUND_NONE,
                                              .is_data = def->attribute[0] != 0},
                                    .camera = camera,
                                    .sdf_hits = f->sdf_hits,
                                    .samples = def->samples,
                                    .n_sky = def->sky_rays,
                                    .is_ghost = def->is_ghost,
                                    .n_threads = f->n_threads,
                                    .size = size,
                                    .radius = f->radius};
    sun_direction(def, shading.stage.floor.sun);
    firn_render_surface surface = {f->points,          def,      &f->palette, f->xyzr, f->colors,
                                   f->bounds->is_z_up, f->radius};
    return firn_render_surface_paint(&surface, &shading, image, messages);
}

static firn_status paint(frame *f, firn_image *image, firn_messages *messages)
{
    const firn_render_def *def = f->def;
    firn_camera camera = make_camera(f);
    firn_sdf_trace sdf;
    float diagonal = 0;
    for (int c = 0; c < 3; c++) diagonal += f->max[c] * f->max[c];
    float size = fmaxf(sqrtf(diagonal), 4 * f->radius);
    f->n_hits = (size_t)(def->width * def->samples) * (size_t)(def->height * def->samples);
    firn_status status = FIRN_OK;
    int has_sdf = make_sdf(f, size, &sdf);
    if (has_sdf) status = trace_colliders(f, &camera, &sdf);
    if (status == FIRN_OK)
        status = (def->is_surface ? paint_surfaces : paint_spheres)(
            f, &camera, has_sdf ? &sdf : NULL, size, image, messages);
    if (status == FIRN_MEMORY && !firn_messages_count(messages, FIRN_ERROR))
        firn_messages_no_memory(messages, "picture");
    return status;
}

static int annotate(frame *f, firn_image *image)
{
    int good = 1;
    if (f->def->caption[0]) good = firn_legend_draw_caption(image, f->def->caption);
    if (!f->def->has_legend) return good;
    if (f->def->attribute[0]) return firn_legend_draw_bar(image, &f->legend) && good;
    int is_one_color = 1;
    for (int k = 1; k < f->palette.n; k++)
        is_one_color &= !memcmp(&f->palette.colors[k], &f->palette.colors[0], sizeof(firn_color));
    if (!is_one_color && !firn_points_find(f->points, "Cd"))
        good =
            firn_legend_draw_swatches(image, f->palette.n, f->palette.names, f->palette.colors) &&
            good;
    return good;
}

firn_status firn_render_frame(const firn_points *points, const firn_view_bounds *bounds,
                              const firn_render_def *def, firn_image **out, firn_messages *messages)
{
    *out = NULL;
    firn_status status = check(def, messages);
    if (status != FIRN_OK) return status;
    firn_view_bounds nothing = firn_view_bounds_default();
    if (bounds->n == 0) { /* an empty shot: a picture of the ground */
        for (int c = 0; c < 3; c++) {
            nothing.min[c] = -1;
            nothing.max[c] = 1;
        }
        nothing.lowest = 0;
        nothing.is_z_up = bounds->is_z_up;
        bounds = &nothing;
    }
    frame f = {.points = points, .bounds = bounds, .def = def};
    f.n_threads = def->n_threads > 0 ? def->n_threads : omp_get_max_threads();
    place(&f);
    firn_image *image = firn_image_create(def->width, def->height);
    if (!image) status = firn_messages_no_memory(messages, "picture");
    if (status == FIRN_OK) status = make_spheres(&f, messages);
    if (status == FIRN_OK) status = make_colors(&f, messages);
    if (status == FIRN_OK) status = paint(&f, image, messages);
    if (status == FIRN_OK && !annotate(&f, image))
        status = firn_messages_no_memory(messages, "picture");
    firn_memory_release(NULL, f.sdf_hits, f.n_hits * sizeof *f.sdf_hits);
    firn_memory_release(NULL, f.hits, f.n_hits * sizeof *f.hits);
    firn_memory_release(NULL, f.colors, (size_t)points->n * 3 * sizeof *f.colors);
    firn_memory_release(NULL, f.xyzr, (size_t)points->n * 4 * sizeof *f.xyzr);
    if (status == FIRN_OK)
        *out = image;
    else
        firn_image_destroy(image);
    return status;
}
