/* check.c: how many particles, how much memory and disk, how long - estimated first from volumes alone, so that a
 * scene of a thousand million particles is refused at once, then measured on the real simulation. */
#include "check.h"
#include "format.h"
#include "gap.h"
#include "memory.h"
#include "shape.h"
#include "snapshot.h"
#include "solver.h"

#include <math.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

/* What a particle takes at its peak, grid and sorting included; tests/test_sim.c holds the 200 bytes. */
enum { BYTES_FLOAT = 200, BYTES_DOUBLE = 400, LATTICE = 48, MIN_STEPS = 4 };

static double clock_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---------------------------------------------------------------- estimates */

/* Volumes by a lattice of samples, within about 1 % for shapes that fill a fair part of their box: that down to a depth
 * below the surface, and that farther inside. False where the shape has no bounds. */
static int volumes_of(const firn_shape *shape, double depth, double volumes[2])
{
    double min[3], max[3], cell = 1, x[3];
    int64_t n[2] = {0, 0};
    if (!firn_shape_bounds(shape, min, max)) return 0;
    for (int a = 0; a < 3; a++) cell *= (max[a] - min[a]) / LATTICE;
    for (int i = 0; i < LATTICE * LATTICE * LATTICE; i++) {
        int k[3] = {i % LATTICE, i / LATTICE % LATTICE, i / LATTICE / LATTICE};
        for (int a = 0; a < 3; a++) x[a] = min[a] + (k[a] + 0.5) / LATTICE * (max[a] - min[a]);
        double d = firn_shape_distance(shape, x, 0);
        n[d < -depth] += d < 0;
    }
    for (int k = 0; k < 2; k++) volumes[k] = cell * (double)n[k];
    return 1;
}

static firn_status estimate_points(const firn_body_def *def, firn_check_body *body, firn_report *report)
{
    firn_points *points;
    firn_status status = firn_format_read(def->points, &points, report);
    if (status == FIRN_OK) body->n_expected = points->n;
    firn_points_destroy(points);
    return status;
}

static firn_status estimate_body(const firn_scene_def *scene, const firn_body_def *def, firn_check_body *body,
                                 firn_report *report)
{
    firn_shape *shape;
    memcpy(body->name, def->name, sizeof body->name);
    body->n_expected = -1;
    if (!def->n_shapes) return estimate_points(def, body, report);
    double dx = scene->grid.dx, depth = 0, volumes[2] = {0, 0}, surface = def->particles_at_surface;
    if (surface > 0) depth = def->surface_depth > 0 ? def->surface_depth : dx;
    firn_status status =
        firn_shape_create_for(def->n_shapes, def->shapes, (firn_shape_need){depth, dx, 1}, &shape, report);
    if (status != FIRN_OK) return status;
    double spacing = def->spacing > 0 ? def->spacing : dx / cbrt(def->particles_per_cell);
    int is_bounded = volumes_of(shape, depth, volumes);
    double n = volumes[0] * surface / (dx * dx * dx) + volumes[1] / (spacing * spacing * spacing);
    firn_shape_destroy(shape);
    if (!is_bounded)
        return firn_report_add(report, FIRN_REFUSED, "bodies.%s.shape has no bounds; it cannot be filled", def->name);
    if (!(n < 9e15)) /* also NAN */
        return firn_report_add(report, FIRN_REFUSED,
                               "bodies.%s.shape encloses %.3g m^3, which %.3g particles would have to fill; check its "
                               "size and scale, or make grid.dx larger",
                               def->name, volumes[0] + volumes[1], n);
    body->n_expected = (int64_t)n;
    return FIRN_OK;
}

/* What the machine could still give, in bytes; infinite where it does not say. */
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

/* Free bytes of the file system that a path will be on: that of its nearest existing parent. */
static double free_disk(const char *folder)
{
    char path[FIRN_PATH];
    struct statvfs info;
    snprintf(path, sizeof path, "%s", *folder ? folder : ".");
    while (statvfs(path, &info) != 0) {
        char *slash = strrchr(path, '/');
        if (!slash)
            strcpy(path, ".");
        else if (slash == path)
            strcpy(path, "/");
        else
            *slash = 0;
        if (strcmp(path, ".") == 0 && statvfs(path, &info) != 0) return INFINITY;
    }
    return (double)info.f_bavail * (double)info.f_frsize;
}

static firn_status estimate(const firn_scene_def *scene, const firn_run_options *options, firn_check *c,
                            firn_report *report)
{
    firn_status status = FIRN_OK;
    c->n_bodies = scene->n_bodies;
    c->bodies = firn_memory_array(NULL, (size_t)c->n_bodies, sizeof *c->bodies);
    if (!c->bodies) return firn_report_add(report, FIRN_MEMORY, "there is not enough memory to check the scene");
    for (int i = 0; i < scene->n_bodies; i++) {
        firn_status ended = estimate_body(scene, &scene->bodies[i], &c->bodies[i], report);
        if (ended != FIRN_OK) status = ended;
        if (c->bodies[i].n_expected > 0) c->n_expected += c->bodies[i].n_expected;
    }
    if (status != FIRN_OK) return status;
    c->memory_expected = (double)c->n_expected * (scene->is_double ? BYTES_DOUBLE : BYTES_FLOAT);
    c->memory_available = options->max_memory ? (double)options->max_memory : available_memory();
    if (c->memory_expected <= c->memory_available) return FIRN_OK;
    return firn_report_add(report, FIRN_MEMORY,
                           "about %.3g M particles would need %.4g MiB of memory, but there are %.4g MiB; make grid.dx "
                           "larger or particles_per_cell smaller",
                           (double)c->n_expected * 1e-6, c->memory_expected / (1 << 20),
                           c->memory_available / (1 << 20));
}

/* ---------------------------------------------------------------- on the simulation */

static void count_bodies(firn_sim *sim, firn_check *c)
{
    size_t n = (size_t)c->n_particles;
    double *source = firn_memory_array(NULL, n, sizeof *source);
    if (source && firn_sim_copy(sim, "source", source, n, NULL) == FIRN_OK)
        for (size_t i = 0; i < n; i++)
            if (source[i] < c->n_bodies) c->bodies[(int)source[i]].n_particles++;
    firn_memory_release(NULL, source, n * sizeof *source);
}

/* Points that a file brought, and what the first steps stretched, if they were too far apart to hold each other. */
static firn_status look_at_gaps(const firn_scene_def *scene, firn_sim *sim, firn_report *report)
{
    unsigned char *told = firn_memory_array(NULL, (size_t)scene->n_materials, sizeof *told);
    if (!told) return firn_report_add(report, FIRN_MEMORY, "there is not enough memory to check the scene");
    firn_gap_begin(scene, told);
    firn_status status = firn_gap_look(scene, sim, told, report);
    firn_memory_release(NULL, told, (size_t)scene->n_materials);
    return status;
}

/* Caches are weighed by taking one snapshot of each kind, checkpoints by saving once. */
static firn_status weigh(const firn_scene_def *scene, firn_sim *sim, const char *folder, firn_check *c,
                         firn_report *report)
{
    for (int i = 0; i < scene->n_outputs; i++) {
        const firn_output_def *output = &scene->outputs[i];
        firn_points *points = NULL;
        firn_status status = firn_snapshot_take(sim, output->attributes, output->nth, &points, report);
        if (status != FIRN_OK) return status;
        int n_files = (scene->frames / output->every) * output->substeps + 1;
        c->disk_needed += (double)n_files * (double)firn_points_bytes(points);
        c->n_files += n_files;
        firn_points_destroy(points);
    }
    if (scene->checkpoint.every_frames > 0 || scene->checkpoint.every_seconds > 0) {
        size_t n_bytes;
        firn_status status = firn_save_stream(sim, NULL, NULL, &n_bytes, report);
        if (status != FIRN_OK) return status;
        c->disk_needed += (double)n_bytes * (scene->checkpoint.keep + 1); /* one more while it is being replaced */
    }
    c->disk_free = free_disk(folder);
    if (c->disk_needed <= c->disk_free) return FIRN_OK;
    return firn_report_add(
        report, FIRN_IO,
        "all frames would need %.3g GiB of disk, but %.3g GiB are free; write fewer attributes, every "
        "few frames, or into another folder (--out)",
        c->disk_needed / (1 << 30), c->disk_free / (1 << 30));
}

static firn_status measure(const firn_scene_def *scene, firn_sim *sim, double seconds, firn_check *c,
                           firn_report *report)
{
    double end = scene->frames / scene->fps, began = clock_seconds(), first_time = firn_sim_time(sim);
    int64_t first_step = firn_sim_step_count(sim);
    firn_status status = FIRN_OK;
    while (status == FIRN_OK && firn_sim_time(sim) < end) {
        int64_t n_steps = firn_sim_step_count(sim) - first_step;
        if (n_steps >= MIN_STEPS && clock_seconds() - began > seconds) break;
        status = firn_sim_step(sim, end, report);
    }
    double n_steps = (double)(firn_sim_step_count(sim) - first_step), simulated = firn_sim_time(sim) - first_time;
    c->stats = firn_sim_stats(sim);
    snprintf(c->material, sizeof c->material, "%s", c->stats.limit.material); /* the simulation's own goes with it */
    c->stats.limit.material = NULL;
    if (status != FIRN_OK || n_steps == 0 || simulated <= 0) return status;
    c->seconds_a_step = (clock_seconds() - began) / n_steps;
    c->dt = simulated / n_steps;
    c->steps_a_frame = 1 / (scene->fps * c->dt);
    c->eta = c->seconds_a_step * end / c->dt;
    c->memory_peak = (double)c->stats.memory_peak;
    c->is_measured = 1;
    return FIRN_OK;
}

firn_status firn_check_scene(const firn_scene_def *scene, const firn_run_options *options, const char *folder,
                             double seconds, firn_check *check, firn_report *report)
{
    firn_sim *sim = NULL;
    *check = (firn_check){.n_frames = scene->frames};
    firn_status status = estimate(scene, options, check, report);
    if (status == FIRN_OK) status = firn_sim_create(scene, options, &sim, report);
    if (status == FIRN_OK) {
        check->n_particles = firn_sim_n_particles(sim);
        if (check->n_particles == 0 && scene->n_emitters == 0)
            status = firn_report_add(report, FIRN_REFUSED,
                                     "there is not a single particle; make grid.dx smaller or the bodies larger");
        count_bodies(sim, check);
    }
    if (status == FIRN_OK) status = weigh(scene, sim, folder, check, report);
    if (status == FIRN_OK && seconds > 0) status = measure(scene, sim, seconds, check, report);
    if (status == FIRN_OK) status = look_at_gaps(scene, sim, report);
    firn_sim_destroy(sim);
    return status;
}

void firn_check_clear(firn_check *check)
{
    firn_memory_release(NULL, check->bodies, (size_t)check->n_bodies * sizeof *check->bodies);
    check->bodies = NULL, check->n_bodies = 0;
}

/* ---------------------------------------------------------------- print */

static void print_bytes(FILE *out, double bytes)
{
    if (isinf(bytes))
        fputs("unknown", out);
    else if (bytes < 1 << 20)
        fprintf(out, "%.0f KiB", bytes / (1 << 10));
    else if (bytes < 1 << 30)
        fprintf(out, "%.0f MiB", bytes / (1 << 20));
    else
        fprintf(out, "%.2f GiB", bytes / (1 << 30));
}

static void print_time(FILE *out, double seconds)
{
    if (seconds < 120)
        fprintf(out, "%.0f s", seconds);
    else if (seconds < 7200)
        fprintf(out, "%.0f min", seconds / 60);
    else
        fprintf(out, "%.1f h", seconds / 3600);
}

void firn_check_print(const firn_check *c, FILE *out)
{
    int64_t n = c->n_particles ? c->n_particles : c->n_expected;
    fprintf(out, "particles  %lld%s", (long long)n, c->n_particles ? "" : " (estimated)");
    for (int i = 0; i < c->n_bodies; i++) {
        const firn_check_body *body = &c->bodies[i];
        fprintf(out, "%s%s %lld", i ? ", " : ": ", body->name,
                (long long)(c->n_particles ? body->n_particles : body->n_expected));
    }
    fputs("\nmemory     ", out);
    print_bytes(out, c->is_measured ? c->memory_peak : c->memory_expected);
    fputs(c->is_measured ? " so far; expect up to " : " expected", out);
    if (c->is_measured) print_bytes(out, fmax(c->memory_expected, c->memory_peak));
    fputs("; available ", out);
    print_bytes(out, c->memory_available);
    fputc('\n', out);
    if (c->disk_free > 0) {
        fputs("disk       ", out);
        print_bytes(out, c->disk_needed);
        fprintf(out, " for %d frames in %d files, uncompressed, and checkpoints; free ", c->n_frames, c->n_files);
        print_bytes(out, c->disk_free);
        fputc('\n', out);
    }
    if (!c->is_measured) return;
    fprintf(out, "step       %.3g s, limited by %s%s%s; %.0f steps a frame\n", c->dt, c->stats.limit.criterion,
            *c->material ? " of " : "", c->material, ceil(c->steps_a_frame));
    fprintf(out, "time       about ");
    print_time(out, c->eta);
    fprintf(out, " for all, if it goes on as it begins (%.3g M particle updates a second)\n",
            (double)c->n_particles / c->seconds_a_step * 1e-6);
}
