/* SPDX-License-Identifier: MIT */
/* preflight.c: see preflight.h. Two passes: first an estimate from volumes and files alone, so that
 * a scene of a billion particles is refused at once; then the simulation itself, for what it holds
 * and how fast it steps. What the estimate has read is what the simulation is made from. */
#include "session/preflight.h"
#include "session/preflight_ranks.h"
#include "session/preflight_notes.h"
#include "solver/emission.h"
#include "base/file.h"
#include "base/messages.h"
#include "laws/hardening.h"
#include "points/points.h"
#include "scene/create.h"
#include "mpm/roundoff.h"
#include "mpm/separation.h"
#include "mpm/transfer_damping.h"
#include "base/memory.h"
#include "geometry/octree.h"
#include "geometry/sampling.h"
#include "solver/attributes.h"
#include "solver/sim.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

/* Bytes of a particle: in memory at the peak, grid and sorting included (tests/solver/test_sim.c
 * checks the 200), and in a checkpoint. */
enum {
    BYTES_FLOAT = 200,
    BYTES_DOUBLE = 400,
    SAVED_FLOAT = 140,
    SAVED_DOUBLE = 280,
    MIN_STEPS = 4
};

static double clock_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---------------------------------------------------------------- estimates */

void firn_check_write_size(const firn_check_body *body, char *text, size_t n_bytes)
{
    snprintf(text, n_bytes, "%.3g x %.3g x %.3g m", body->size[0], body->size[1], body->size[2]);
}

/* Particles of a shape: its volume over that of a cell's share, layer and inside apart. */
static firn_status estimate_shape(const firn_scene_def *scene, const firn_body_def *def,
                                  const firn_shape *shape, firn_check_body *body,
                                  firn_messages *messages)
{
    const double dx = scene->grid.dx, depth = firn_body_source_depth(def, dx),
                 spacing = def->spacing > 0 ? def->spacing : dx / cbrt(def->particles_per_cell);
    double volumes[2] = {0, 0}; /* within `depth` of the surface, and below it, m^3 */
    const int is_plane = scene->grid.geometry == FIRN_PLANE_STRAIN, n_axes = is_plane ? 2 : 3;
    double low[3], high[3];
    if (firn_shape_bounds(shape, low, high)) {
        for (int i = 0; i < 3; i++) body->size[i] = high[i] - low[i];
        body->thickness =
            fmin(fmin(body->size[0], body->size[1]), is_plane ? INFINITY : body->size[2]);
    }
    if (!(is_plane ? firn_sample_areas : firn_sample_volumes)(shape, 0, depth, volumes))
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "bodies.%s.shape: unbounded, so it cannot be filled", def->name);
    const double n = volumes[0] * pow(cbrt(def->particles_at_surface) / dx, n_axes) +
                     volumes[1] / pow(spacing, n_axes);
    if (!(n < 9e15)) /* also NAN */
        return firn_messages_add(
            messages, FIRN_REFUSED,
            "bodies.%s.shape: %.3g m^%d (%.3g x %.3g x %.3g m) would need %.3g "
            "particles; try: check its size and scale, or a larger grid.dx",
            def->name, volumes[0] + volumes[1], n_axes, body->size[0], body->size[1], body->size[2],
            n);
    body->n_expected = (int64_t)n;
    return FIRN_OK;
}

/* Leaves are counted: their sizes follow from the shape. */
static firn_status count_leaves(const firn_scene_def *scene, const firn_body_def *def,
                                const firn_shape *shape, firn_check_body *body,
                                firn_messages *messages)
{
    const double dx = scene->grid.dx,
                 spacing = def->spacing > 0 ? def->spacing : dx / cbrt(def->particles_per_cell);
    double *leaves = NULL, low[3], high[3];
    const firn_status status = firn_octree_sample(shape, spacing, FIRN_OCTREE_MOST * dx, &leaves,
                                                  &body->n_expected, messages);
    if (status != FIRN_OK) return status;
    firn_memory_release(NULL, leaves, (size_t)body->n_expected * 4 * sizeof *leaves);
    if (firn_shape_bounds(shape, low, high))
        body->thickness = fmin(fmin(high[0] - low[0], high[1] - low[1]), high[2] - low[2]);
    return FIRN_OK;
}

static firn_status estimate_body(const firn_scene_def *scene, const firn_body_def *def,
                                 size_t max_memory, firn_body_source *source, firn_check_body *body,
                                 firn_messages *messages)
{
    memcpy(body->name, def->name, sizeof body->name);
    body->n_expected = -1;
    const firn_status status =
        firn_body_source_open(def, scene->grid.dx, max_memory, source, messages);
    if (status != FIRN_OK) return status;
    if (source->shape && def->sampling == FIRN_OCTREE)
        return count_leaves(scene, def, source->shape, body, messages);
    if (source->shape) return estimate_shape(scene, def, source->shape, body, messages);
    body->n_expected = source->points->n;
    return FIRN_OK;
}

/* Memory that the machine can still give, bytes; infinite where the system does not tell. */
static double available_memory(void)
{
    FILE *file = fopen("/proc/meminfo", "r");
    char line[128];
    double kilobytes = INFINITY;
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %lf", &kilobytes) == 1) break;
    if (file) fclose(file);
    return 1024 * kilobytes;
}

/* The path itself, or its nearest parent that exists. */
static void find_existing(const char *folder, char path[FIRN_PATH])
{
    snprintf(path, FIRN_PATH, "%s", *folder ? folder : ".");
    while (access(path, F_OK) != 0 && strcmp(path, ".") != 0) {
        char *slash = strrchr(path, '/');
        if (!slash)
            strcpy(path, ".");
        else if (slash == path)
            strcpy(path, "/");
        else
            *slash = 0;
    }
}

/* Free bytes of the file system of a path, which need not exist. */
static double free_disk(const char *folder)
{
    char path[FIRN_PATH];
    struct statvfs info;
    find_existing(folder, path);
    if (statvfs(path, &info) != 0) return INFINITY;
    return (double)info.f_bavail * (double)info.f_frsize;
}

/* A run would end before its first step. */
static firn_status check_writable(const char *folder, firn_messages *messages)
{
    char path[FIRN_PATH];
    struct stat info;
    find_existing(folder, path);
    const int is_folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
    if (is_folder && access(path, W_OK | X_OK) == 0) return FIRN_OK;
    return firn_messages_add(
        messages, FIRN_IO, "%s: the shot cannot be written there: %s; try: another folder (--out)",
        path, is_folder ? firn_file_reason(errno) : "it is no folder");
}

/* Whether particles can leave: then fewer are present at a time than are ever emitted. */
static int can_lose(const firn_scene_def *scene)
{
    int loses = scene->n_sinks > 0;
    for (int w = 0; w < 6; w++)
        loses |= scene->grid.has_box && scene->grid.walls[w] == FIRN_WALL_DELETE;
    return loses;
}

/* The particles of the start and all that are emitted. Where particles can leave, too many are
 * only warned of. */
static firn_status forecast_memory(const firn_scene_def *scene, firn_check *c,
                                   firn_messages *messages)
{
    const double n = (double)(c->n_expected + c->n_emitted), mib = 1 << 20;
    c->memory_expected = n * (scene->is_double ? BYTES_DOUBLE : BYTES_FLOAT);
    if (FIRN_CHECK_MARGIN * c->memory_expected <= c->memory_available) return FIRN_OK;
    if (c->n_emitted && can_lose(scene)) {
        firn_messages_warn(messages,
                           "memory: too little if none of about %.3g M particles leaves (%.4g "
                           "MiB); available: %.4g MiB; try: sinks, or a smaller max_particles of "
                           "the emitters",
                           n * 1e-6, c->memory_expected / mib, c->memory_available / mib);
        return FIRN_OK;
    }
    return firn_messages_add(messages, FIRN_MEMORY,
                             "memory: too little for about %.3g M particles (%.4g MiB, and a "
                             "quarter of it as a margin); available: %.4g MiB; try: a larger "
                             "grid.dx or fewer particles_per_cell",
                             n * 1e-6, c->memory_expected / mib, c->memory_available / mib);
}

/* Where particles can leave, too large a need is only warned of. */
static firn_status forecast_disk(const firn_scene_def *scene, const char *folder, firn_check *c,
                                 firn_messages *messages)
{
    const double gib = 1 << 30;
    c->disk_free = free_disk(folder);
    if (FIRN_CHECK_MARGIN * c->disk_needed <= c->disk_free) return FIRN_OK;
    if (c->n_emitted && can_lose(scene)) {
        firn_messages_warn(messages,
                           "disk: too little for all frames if no particle leaves (%.3g GiB); "
                           "free: %.3g GiB; try: sinks, or a smaller max_particles of the emitters",
                           c->disk_needed / gib, c->disk_free / gib);
        return FIRN_OK;
    }
    return firn_messages_add(messages, FIRN_IO,
                             "disk: too little for all frames (%.3g GiB, and a quarter of it as a "
                             "margin); free: %.3g GiB; try: fewer attributes, a larger `every` of "
                             "the outputs, or another folder (--out)",
                             c->disk_needed / gib, c->disk_free / gib);
}

/* Numbers of the attributes of an output; those of a history that is not known here count one. */
static int count_numbers(const char *attributes)
{
    const char *at = *attributes ? attributes : "P v id pscale material";
    int sum = 0;
    while (*at) {
        char name[FIRN_NAME];
        const int n = (int)strcspn(at, " ");
        snprintf(name, sizeof name, "%.*s", n, at);
        const int n_components = firn_attribute_components(name);
        sum += n_components > 0 ? n_components : 1;
        at += n;
        at += strspn(at, " ");
    }
    return sum;
}

/* The disk that the particles of the start take, before there is a simulation to weigh. */
static firn_status estimate_disk(const firn_scene_def *scene, const char *folder, firn_check *c,
                                 firn_messages *messages)
{
    const double n = (double)c->n_expected, wide = scene->is_double ? SAVED_DOUBLE : SAVED_FLOAT;
    for (int i = 0; i < scene->n_outputs; i++) {
        const firn_output_def *output = &scene->outputs[i];
        const int n_files = (scene->frames / output->every) * output->substeps + 1;
        c->disk_needed +=
            n_files * n / output->nth * (double)sizeof(float) * count_numbers(output->attributes);
    }
    if (scene->checkpoint.every_frames > 0 || scene->checkpoint.every_seconds > 0)
        c->disk_needed += n * wide * (scene->checkpoint.keep + 1);
    const firn_status status = forecast_disk(scene, folder, c, messages);
    if (status == FIRN_OK) c->disk_needed = 0; /* weighed later */
    return status;
}

static void warn_of_thin(const firn_scene_def *scene, const firn_check *c, firn_messages *messages)
{
    for (int i = 0; i < c->n_bodies; i++) {
        const firn_check_body *body = &c->bodies[i];
        const double cells = body->thickness / scene->grid.dx;
        if (!(cells > 0) || cells >= FIRN_CHECK_CELLS || strcmp(scene->method, "mpm") != 0)
            continue;
        firn_messages_warn(
            messages,
            "body '%s': only %.2g cells thick (%.3g m), so the grid does not resolve "
            "how it bends and its sides touch each other; try: grid.dx=%.2g m, for "
            "%d cells",
            body->name, cells, body->thickness, body->thickness / FIRN_CHECK_CELLS,
            FIRN_CHECK_CELLS);
    }
}

static firn_status estimate(const firn_scene_def *scene, const firn_run_options *options,
                            const char *folder, firn_body_source *sources, firn_check *c,
                            firn_messages *messages)
{
    firn_status status = FIRN_OK;
    c->n_bodies = scene->n_bodies;
    c->bodies = firn_memory_array(NULL, (size_t)c->n_bodies, sizeof *c->bodies);
    if (!c->bodies) return firn_messages_no_memory(messages, "estimates of bodies");
    for (int i = 0; i < scene->n_bodies; i++) {
        const firn_status ended = estimate_body(scene, &scene->bodies[i], options->max_memory,
                                                &sources[i], &c->bodies[i], messages);
        if (ended != FIRN_OK) status = ended;
        if (c->bodies[i].n_expected > 0) c->n_expected += c->bodies[i].n_expected;
    }
    c->memory_available = options->max_memory ? (double)options->max_memory : available_memory();
    if (status == FIRN_OK) status = forecast_memory(scene, c, messages);
    if (status == FIRN_OK) status = estimate_disk(scene, folder, c, messages);
    if (status == FIRN_OK) warn_of_thin(scene, c, messages);
    return status;
}

/* ---------------------------------------------------------------- on the simulation */

/* Emitted until `time`, as if no sink took any. */
static int64_t emitted_before(const firn_check *c, double time)
{
    int64_t n = 0;
    for (int i = 0; i < c->n_emitters; i++) n += firn_forecast_count(&c->emitters[i], time);
    return n;
}

static void count_bodies(firn_sim *sim, firn_check *c)
{
    size_t n = (size_t)c->n_particles;
    double *source = firn_memory_array(NULL, n, sizeof *source);
    if (source && firn_sim_copy(sim, "source", source, n, NULL) == FIRN_OK)
        for (size_t i = 0; i < n; i++)
            if (source[i] < c->n_bodies) c->bodies[(int)source[i]].n_particles++;
    firn_memory_release(NULL, source, n * sizeof *source);
}

/* Bodies from points, and what the first steps have stretched: whether particles are too far apart
 * to hold each other. */
static firn_status warn_separation(const firn_scene_def *scene, firn_sim *sim,
                                   firn_messages *messages)
{
    unsigned char *told = firn_memory_array(NULL, (size_t)scene->n_materials, sizeof *told);
    if (!told) return firn_messages_no_memory(messages, "separation of materials");
    firn_separation_begin(scene, told);
    firn_status status = firn_separation_measure(scene, sim, told, messages);
    firn_memory_release(NULL, told, (size_t)scene->n_materials);
    return status;
}

static firn_status forecast(const firn_scene_def *scene, const firn_sim *sim, firn_check *c,
                            firn_messages *messages)
{
    const double end = c->end = scene->frames / scene->fps;
    c->n_emitters = scene->n_emitters;
    c->emitters = firn_memory_array(NULL, (size_t)c->n_emitters, sizeof *c->emitters);
    if (!c->emitters) return firn_messages_no_memory(messages, "forecasts of emitters");
    for (int i = 0; i < c->n_emitters; i++) {
        firn_status status = firn_emission_forecast(sim, i, end, &c->emitters[i], messages);
        if (status != FIRN_OK) return status;
    }
    c->n_emitted = emitted_before(c, end);
    return forecast_memory(scene, c, messages);
}

/* Bytes that the emitters add to the files of an output. */
static double weigh_emitted(const firn_scene_def *scene, const firn_output_def *output,
                            const firn_points *points, const firn_check *c)
{
    double n = 0, bytes = 0;
    for (int a = 0; a < points->n_attributes; a++)
        bytes += sizeof(float) * points->attributes[a].n_components;
    for (int k = 0; k <= scene->frames / output->every * output->substeps; k++)
        n += (double)emitted_before(c, k * output->every / (output->substeps * scene->fps));
    return bytes * n / output->nth;
}

/* The size of caches from one snapshot of each output, of checkpoints from saving once. */
static firn_status weigh(const firn_scene_def *scene, firn_sim *sim, const char *folder,
                         firn_check *c, firn_messages *messages)
{
    for (int i = 0; i < scene->n_outputs; i++) {
        const firn_output_def *output = &scene->outputs[i];
        firn_points *points = NULL;
        firn_status status =
            firn_snapshot_take(sim, output->attributes, output->nth, &points, messages);
        if (status != FIRN_OK) return status;
        int n_files = (scene->frames / output->every) * output->substeps + 1;
        c->disk_needed += (double)n_files * (double)firn_points_bytes(points);
        c->disk_needed += weigh_emitted(scene, output, points, c);
        c->n_files += n_files;
        firn_points_destroy(points);
    }
    if (scene->checkpoint.every_frames > 0 || scene->checkpoint.every_seconds > 0) {
        size_t n_bytes;
        firn_status status = firn_save_stream(sim, NULL, NULL, &n_bytes, messages);
        if (status != FIRN_OK) return status;
        const double emitted =
            (double)c->n_emitted * (scene->is_double ? SAVED_DOUBLE : SAVED_FLOAT);
        c->disk_needed += ((double)n_bytes + emitted) *
                          (scene->checkpoint.keep + 1); /* one more while replacing */
    }
    return forecast_disk(scene, folder, c, messages);
}

/* Mean number of particles over the whole shot, over that of the measured steps; infinite where
 * no particle existed while measuring. */
static double growth(const firn_check *c, double end)
{
    enum { PARTS = 64 };
    double n = (double)c->n_particles;
    for (int k = 0; k < PARTS; k++) n += (double)emitted_before(c, (k + 0.5) / PARTS * end) / PARTS;
    return c->n_emitted && n > c->mean_particles ? n / c->mean_particles : 1;
}

/* The fastest point of a motion's path or surface, m/s: of the keys, or of the constant velocity;
 * what turns adds its radius times the spin, here that of the box of its shapes, which is left
 * out. */
static double speed_of(const firn_motion_def *motion)
{
    double most = 0;
    for (int k = 0; k + 1 < motion->n_keys; k++) {
        const firn_key *a = &motion->keys[k], *b = a + 1;
        double way2 = 0;
        for (int i = 0; i < 3; i++)
            way2 += (b->position[i] - a->position[i]) * (b->position[i] - a->position[i]);
        if (b->time > a->time) most = fmax(most, sqrt(way2) / (b->time - a->time));
    }
    const double *v = motion->velocity;
    return motion->n_keys ? most : sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* Steps per frame at the speed that material may reach: that of a free fall to the end, or through
 * the box, of the fastest body, and of the fastest collider or grip. dt <= cfl h / (v + c): each m/s takes 1 / (cfl h)
 * steps per second. What is struck at that speed hardens: its fastest wave takes more (a shock
 * against something rigid, laws/hardening.c). */
static double most_steps(const firn_scene_def *scene, const firn_sim *sim, firn_check *c,
                         double end)
{
    const double *g = scene->gravity;
    const double fall = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    double speed = fall * end, length2 = 0, moved = 0, thrown = 0;
    for (int a = 0; a < 3; a++) {
        const double edge = scene->grid.box_max[a] - scene->grid.box_min[a];
        length2 += edge * edge;
    }
    if (scene->grid.has_box) speed = fmin(speed, sqrt(2 * fall * sqrt(length2)));
    for (int i = 0; i < scene->n_colliders; i++)
        moved = fmax(moved, speed_of(&scene->colliders[i].motion));
    for (int i = 0; i < scene->n_grips; i++) moved = fmax(moved, speed_of(&scene->grips[i].motion));
    for (int i = 0; i < scene->n_bodies; i++) {
        const double *v = scene->bodies[i].velocity;
        thrown = fmax(thrown, sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
    }
    speed = hypot(speed, thrown);
    double hardened = 0; /* m/s, by which the waves of a material grow */
    c->strike_speed = speed + moved;
    for (int m = 0; m < sim->n_materials; m++) {
        double rest;
        const double wave = firn_hardening_struck(&sim->materials[m].resolved, 293.15,
                                                  c->strike_speed, sim->h, &rest);
        hardened = fmax(hardened, wave - rest);
        if (!(rest > 0) || !(wave / rest > c->hardening)) continue;
        c->hardening = wave / rest;
        snprintf(c->hardened, sizeof c->hardened, "%s", sim->materials[m].resolved.name);
    }
    return c->steps_a_frame +
           (speed + moved + hardened) / (scene->time.cfl * scene->grid.dx * scene->fps);
}

static firn_status measure(const firn_scene_def *scene, firn_sim *sim, double seconds,
                           firn_check *c, firn_messages *messages)
{
    double end = scene->frames / scene->fps, began = clock_seconds(),
           first_time = firn_sim_time(sim);
    int64_t first_step = firn_sim_step_count(sim);
    double n_updates = 0;
    firn_status status = FIRN_OK;
    while (status == FIRN_OK && firn_sim_time(sim) < end) {
        int64_t n_steps = firn_sim_step_count(sim) - first_step;
        if (n_steps >= MIN_STEPS && clock_seconds() - began > seconds) break;
        status = firn_sim_step(sim, end, messages);
        n_updates += (double)firn_sim_n_particles(sim);
    }
    double n_steps = (double)(firn_sim_step_count(sim) - first_step),
           simulated = firn_sim_time(sim) - first_time;
    c->stats = firn_sim_stats(sim);
    snprintf(c->material, sizeof c->material, "%s",
             c->stats.limit.material); /* the simulation's own goes with it */
    c->stats.limit.material = NULL;
    if (status != FIRN_OK || n_steps == 0 || simulated <= 0) return status;
    c->seconds_a_step = (clock_seconds() - began) / n_steps;
    c->dt = simulated / n_steps;
    c->steps_a_frame = 1 / (scene->fps * c->dt);
    c->steps_most = most_steps(scene, sim, c, end);
    c->mean_particles = n_updates / n_steps;
    c->eta = c->seconds_a_step * end / c->dt * growth(c, end);
    c->memory_peak = (double)c->stats.memory_peak;
    c->is_measured = 1;
    return FIRN_OK;
}

/* What transfers do to a layer as thick as the thinnest body. */
static void judge_transfer(const firn_scene_def *scene, const firn_sim *sim, firn_check *c,
                           firn_messages *messages)
{
    c->layer = 8;
    for (int i = 0; i < c->n_bodies; i++)
        if (c->bodies[i].thickness > 0 && c->bodies[i].thickness < c->layer * scene->grid.dx)
            c->layer = fmax(c->bodies[i].thickness / scene->grid.dx, 1);
    const firn_transfer_damping_found found = firn_transfer_damping_find(sim, c->layer);
    c->transfer_viscosity = found.numerical;
    c->own_viscosity = found.own;
    firn_transfer_damping_warn(sim, c->layer, messages);
}

static firn_status check_sim(const firn_scene_def *scene, firn_sim *sim, const char *folder,
                             double seconds, int n_ranks, firn_check *check,
                             firn_messages *messages)
{
    firn_status status = FIRN_OK;
    check->n_particles = firn_sim_n_particles(sim);
    if (check->n_particles == 0 && scene->n_emitters == 0) {
        char size[96] = "";
        if (check->n_bodies) firn_check_write_size(&check->bodies[0], size, sizeof size);
        status = firn_messages_add(messages, FIRN_REFUSED,
                                   "bodies: no particle fits in (%s: %s, cells of %.3g m); try: a "
                                   "smaller grid.dx, larger bodies, or their scale",
                                   check->n_bodies ? check->bodies[0].name : "none", size,
                                   scene->grid.dx);
    }
    count_bodies(sim, check);
    if (status == FIRN_OK && scene->n_emitters) status = forecast(scene, sim, check, messages);
    if (status == FIRN_OK) status = weigh(scene, sim, folder, check, messages);
    firn_preflight_contact(scene, check, messages);
    firn_preflight_flow(sim, scene, check->flow, sizeof check->flow);
    if (status == FIRN_OK && seconds > 0) status = measure(scene, sim, seconds, check, messages);
    if (status == FIRN_OK && check->is_measured) judge_transfer(scene, sim, check, messages);
    if (status == FIRN_OK && check->is_measured)
        status = firn_roundoff_check(sim, scene->frames / scene->fps, messages);
    if (status == FIRN_OK) status = warn_separation(scene, sim, messages);
    if (status == FIRN_OK) status = check_writable(folder, messages);
    if (status == FIRN_OK && n_ranks > 1)
        status = firn_preflight_ranks(sim, n_ranks, check, messages);
    return status;
}

firn_status firn_check_scene(const firn_scene_def *scene, const firn_run_options *options,
                             const char *folder, double seconds, int n_ranks, firn_check *check,
                             firn_messages *messages)
{
    firn_sim *sim = NULL;
    *check = (firn_check){.n_frames = scene->frames};
    const size_t n = (size_t)scene->n_bodies;
    firn_body_source *sources = firn_memory_array(NULL, n, sizeof *sources);
    if (!sources) return firn_messages_no_memory(messages, "shapes of bodies");
    firn_status status = estimate(scene, options, folder, sources, check, messages);
    if (status == FIRN_OK) status = firn_scene_create_sim(scene, options, sources, &sim, messages);
    if (status == FIRN_OK)
        status = check_sim(scene, sim, folder, seconds, n_ranks, check, messages);
    firn_sim_destroy(sim);
    for (size_t i = 0; i < n; i++) firn_body_source_close(&sources[i]);
    firn_memory_release(NULL, sources, n * sizeof *sources);
    return status;
}

void firn_check_clear(firn_check *check)
{
    firn_memory_release(NULL, check->bodies, (size_t)check->n_bodies * sizeof *check->bodies);
    firn_memory_release(NULL, check->emitters, (size_t)check->n_emitters * sizeof *check->emitters);
    check->bodies = NULL;
    check->n_bodies = 0;
    check->emitters = NULL;
    check->n_emitters = 0;
}
