/* SPDX-License-Identifier: MIT */
/* cmd_mesh.c: `firn mesh`: surfaces of particles, frame by frame, from the caches of a shot. */
#include "program/cli.h"
#include "base/messages.h"
#include "base/file.h"
#include "points/format.h"
#include "picture/collider_mesh.h"
#include "session/interrupt.h"
#include "base/memory.h"
#include "session/progress.h"
#include "points/cache_sequence.h"
#include "points/surface.h"
#include "geometry/vdb/vdb.h"

#include <limits.h>
#include <omp.h>
#include <stdio.h>
#include <math.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static firn_status open_frames(const firn_cli *cli, firn_cache_sequence *shot,
                               firn_messages *messages)
{
    struct stat info;
    int is_folder = stat(cli->arguments[0], &info) == 0 && S_ISDIR(info.st_mode);
    if (is_folder && cli->n_arguments > 1)
        return firn_messages_add(
            messages, FIRN_USAGE,
            "arguments: several folders; allowed: one folder, or the files of one shot");
    firn_status status =
        is_folder ? firn_cache_sequence_open(cli->arguments[0], shot, messages)
                  : firn_cache_sequence_of_files(cli->n_arguments, cli->arguments, shot, messages);
    int first = 0, last = 100000000;
    if (!firn_cli_span(cli, "frames", &first, &last)) {
        first = INT_MIN;
        last = INT_MAX;
    }
    return status ? status
                  : firn_cache_sequence_select(shot, first, last,
                                               (int)firn_cli_integer(cli, "every", 1), messages);
}

static const char colliders_part[] = "_colliders";

static firn_status make_path(const firn_cli *cli, const firn_cache_sequence *shot,
                             const firn_cache_sequence_frame *frame, const char *part,
                             char path[2 * FIRN_PATH], firn_messages *messages)
{
    char folder[FIRN_PATH + 32];
    int is_collider = !strcmp(part, colliders_part);
    const char *out = firn_cli_text(cli, "out", NULL),
               *format = is_collider ? "obj" : firn_cli_text(cli, "format", "vdb");
    snprintf(folder, sizeof folder, "%s%s", out ? out : shot->folder, out ? "" : "/surface");
    firn_status status = firn_file_make_folder(folder, messages);
    if (frame->frame < 0)
        snprintf(path, 2 * FIRN_PATH, "%s/%s%s.surface.%s", folder, shot->title, part, format);
    else if (frame->has_decimals)
        snprintf(path, 2 * FIRN_PATH, "%s/%s%s.%04d.%03d.%s", folder, shot->title, part,
                 frame->frame, frame->thousandths, format);
    else
        snprintf(path, 2 * FIRN_PATH, "%s/%s%s.%04d.%s", folder, shot->title, part, frame->frame,
                 format);
    if (!status && strcmp(path, frame->path) == 0)
        status = firn_messages_add(messages, FIRN_USAGE,
                                   "%s: is the cache itself; try: another folder with --out", path);
    return status;
}

/* Surfaces are one file per frame, so --out is a folder. */
static firn_status check_out(const firn_cli *cli, firn_messages *messages)
{
    static const char *const extensions[] = {".vdb", ".obj", ".ply"};
    const char *out = firn_cli_text(cli, "out", "");
    struct stat info;
    for (size_t e = 0; e < sizeof extensions / sizeof *extensions; e++)
        if (strlen(out) > 4 && !strcmp(out + strlen(out) - 4, extensions[e]) &&
            stat(out, &info) != 0)
            return firn_messages_add(messages, FIRN_USAGE,
                                     "--out %s: one file, but surfaces are one file per frame; "
                                     "try: a folder, and --format %s",
                                     out, extensions[e] + 1);
    return FIRN_OK;
}

/* Options that belong to one kind of output are refused for the other. */
static firn_status check_format(const firn_cli *cli, firn_messages *messages)
{
    static const struct {
        const char *option, *what;
        int is_of_vdb;
    } options[] = {{"density", "a fog volume needs .vdb files", 1},
                   {"full-float", "only .vdb files have a choice of precision", 1},
                   {"adaptivity", "it applies to the polygons of .obj and .ply files", 0}};
    const char *format = firn_cli_text(cli, "format", "vdb");
    int is_vdb = !strcmp(format, "vdb");
    for (size_t k = 0; k < sizeof options / sizeof *options; k++)
        if (firn_cli_has(cli, options[k].option) && options[k].is_of_vdb != is_vdb)
            return firn_messages_add(messages, FIRN_USAGE,
                                     "--%s cannot be used with --format %s%s: %s; try: --format %s",
                                     options[k].option, format,
                                     firn_cli_has(cli, "format") ? "" : " (the default)",
                                     options[k].what, is_vdb ? "obj or ply" : "vdb");
    return FIRN_OK;
}

/* Velocity and temperature of the volume at the points of the mesh */
static firn_status carry(firn_mesh *mesh, const firn_sdf *volume,
                         const firn_surface_channels *channels, firn_messages *messages)
{
    firn_mesh_attribute *v = channels->velocity ? firn_mesh_add(mesh, "v", 3) : NULL;
    firn_mesh_attribute *T = channels->temperature ? firn_mesh_add(mesh, "T", 1) : NULL;
    if ((channels->velocity && !v) || (channels->temperature && !T))
        return firn_messages_no_memory(messages, "attributes of the mesh");
    for (int64_t p = 0; p < mesh->n_points; p++) {
        double value[FIRN_MAX_CHANNELS], gradient[3];
        firn_sdf_sample(volume, mesh->xyz + 3 * p, value, gradient);
        for (int a = 0; a < 3 && v; a++) v->data[3 * p + a] = (float)value[channels->velocity + a];
        if (T) T->data[p] = (float)value[channels->temperature];
    }
    return FIRN_OK;
}

static firn_status write_surface(const firn_cli *cli, const char *path, const firn_sdf *volume,
                                 const firn_surface_channels *channels, firn_messages *messages)
{
    int n_threads = omp_get_max_threads();
    if (!strcmp(firn_cli_text(cli, "format", "vdb"), "vdb")) {
        firn_vdb_contents contents = {channels->velocity, channels->temperature,
                                      firn_cli_has(cli, "density"),
                                      !firn_cli_has(cli, "full-float")};
        return firn_vdb_write_volume(path, volume, &contents, n_threads, messages);
    }
    firn_mesh *mesh;
    firn_status status = firn_vdb_polygons(volume, firn_cli_number(cli, "adaptivity", 0), n_threads,
                                           &mesh, messages);
    if (!status) status = carry(mesh, volume, channels, messages);
    if (!status) status = firn_mesh_write(path, mesh, messages);
    firn_mesh_destroy(mesh);
    return status;
}

/* Appends the messages of `from`, after the name of their file, if there is one. */
static void pass_on(const firn_messages *from, const char *path, firn_messages *to)
{
    for (int i = 0; i < firn_messages_total(from); i++) {
        firn_level level;
        const char *sentence = firn_messages_text(from, i, &level), *gap = *path ? ": " : "";
        if (level == FIRN_ERROR)
            firn_messages_add(to, firn_messages_status(from), "%s%s%s", path, gap, sentence);
        else
            firn_messages_warn(to, "%s%s%s", path, gap, sentence);
    }
}

/* The surface of some particles as a file; messages without a file's name get that of the cache. */
static firn_status surface_of(const firn_cli *cli, const firn_points *points, const char *cache,
                              const char *path, firn_messages *messages)
{
    firn_sdf *volume = NULL;
    firn_surface_channels channels;
    firn_surface_def def = {.radius = firn_cli_number(cli, "radius", 0),
                            .voxel = firn_cli_number(cli, "voxel", 0),
                            .n_smooth = (int)firn_cli_integer(cli, "smooth", 2)};
    firn_messages *own = firn_messages_create();
    firn_status status =
        own ? firn_surface_make(points, &def, &volume, &channels, own) : FIRN_MEMORY;
    pass_on(own, cache, messages);
    firn_messages_destroy(own);
    if (!status && firn_interrupt_signal()) status = FIRN_INTERRUPTED;
    if (!status) status = write_surface(cli, path, volume, &channels, messages);
    firn_sdf_destroy(volume);
    return status;
}

static void announce(const char *path, firn_progress_list *surfaces)
{
#pragma omp critical
    {
        firn_progress_list_hide(surfaces);
        printf("%s\n", path);
    }
}

/* The particles of material k alone. */
static firn_points *of_material(const firn_points *points, const firn_attribute *material, int k)
{
    int64_t n = 0;
    int64_t *which = firn_memory_array(NULL, (size_t)points->n, sizeof *which);
    for (int64_t i = 0; which && i < points->n; i++)
        if (material->data.i[i] == k) which[n++] = i;
    firn_points *own = which ? firn_points_subset(points, n, which) : NULL;
    firn_memory_release(NULL, which, (size_t)points->n * sizeof *which);
    return own;
}

/* With --by-material a file NAME_MATERIAL for each, also where it has no particles in this frame. */
static firn_status each_material(const firn_cli *cli, const firn_cache_sequence *shot,
                                 const firn_cache_sequence_frame *frame, const firn_points *points,
                                 firn_progress_list *surfaces, firn_messages *messages)
{
    const firn_attribute *material = firn_points_find(points, "material");
    firn_status status = FIRN_OK;
    if (!material || material->type != FIRN_ATTRIBUTE_INDEX)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "%s: no attribute material, by which --by-material parts; try: "
                                 "outputs with attributes: [P, v, pscale, material]",
                                 frame->path);
    for (int k = 0; k < material->n_strings && !status; k++) {
        char path[2 * FIRN_PATH], part[FIRN_NAME + 1];
        snprintf(part, sizeof part, "_%s", material->strings[k]);
        firn_points *own = of_material(points, material, k);
        status = own ? make_path(cli, shot, frame, part, path, messages)
                     : firn_messages_no_memory(messages, "particles of a material");
        if (!status) status = surface_of(cli, own, frame->path, path, messages);
        if (!status) announce(path, surfaces);
        firn_points_destroy(own);
    }
    return status;
}

static firn_status one_frame(const firn_cli *cli, const firn_cache_sequence *shot,
                             const firn_cache_sequence_frame *frame, firn_progress_list *surfaces,
                             firn_messages *messages)
{
    char path[2 * FIRN_PATH];
    firn_points *points = NULL;
    firn_status status = make_path(cli, shot, frame, "", path, messages);
    if (!status) status = firn_format_read(frame->path, &points, messages);
    if (!status && firn_interrupt_signal()) status = FIRN_INTERRUPTED;
    if (!status && firn_cli_has(cli, "by-material"))
        status = each_material(cli, shot, frame, points, surfaces, messages);
    else if (!status) {
        status = surface_of(cli, points, frame->path, path, messages);
        if (!status) announce(path, surfaces);
    }
    if (!status) {
#pragma omp critical
        firn_progress_list_done(surfaces);
    }
    firn_points_destroy(points);
    return status;
}

/* ---------------------------------------------------------------- frames at the same time */

/* The number of frames that fit into memory at the same time, from the size of the process after
 * the first one. That one alone exceeding the limit is a warning: it exists by then. */
static int fitting(const firn_cli *cli, int wanted, firn_messages *messages)
{
    struct rusage usage;
    double limit = (double)firn_cli_bytes(cli, "max-memory", 0), each;
    const int is_given = limit > 0;
    if (!is_given) limit = 0.8 * (double)sysconf(_SC_AVPHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    getrusage(RUSAGE_SELF, &usage);
    each = 1024.0 * (double)usage.ru_maxrss;
    if (is_given && each > limit)
        firn_messages_warn(messages,
                           "--max-memory: less than one frame needs (%.3g MiB of %.3g MiB); frames "
                           "are made one at a time; try: a larger --voxel",
                           each / (1 << 20), limit / (1 << 20));
    double n = floor(limit / each);
    return n < 1 ? 1 : n < wanted ? (int)n : wanted;
}

/* Frames *next .. n - 1, n_jobs at the same time, which share the threads. The first failure is
 * reported. After an interruption *next is the first frame that was not made. */
static firn_status all_frames(const firn_cli *cli, const firn_cache_sequence *shot, int *next,
                              int n_jobs, firn_progress_list *surfaces, firn_messages *messages)
{
    const int first = *next;
    *next = shot->n;
    firn_status status = FIRN_OK;
    int each = omp_get_max_threads() / n_jobs;
    omp_set_max_active_levels(2);
#pragma omp parallel for schedule(dynamic, 1) num_threads(n_jobs)
    for (int k = first; k < shot->n; k++) {
        firn_status before;
#pragma omp atomic read
        before = status;
        if (before && before != FIRN_INTERRUPTED) continue;
        firn_messages *own = firn_messages_create();
        omp_set_num_threads(each > 1 ? each : 1);
        firn_status ended = firn_interrupt_signal() ? FIRN_INTERRUPTED
                            : own ? one_frame(cli, shot, &shot->frames[k], surfaces, own)
                                  : FIRN_MEMORY;
#pragma omp critical
        {
            if (!status && own) pass_on(own, "", messages);
            if (ended == FIRN_INTERRUPTED && k < *next) *next = k;
            if (!status) status = ended;
        }
        firn_messages_destroy(own);
    }
    return status;
}

/* ---------------------------------------------------------------- colliders */

/* The box of a frame's particles and half of its size around it: what is shown of endless colliders. */
static firn_status find_box(const firn_cache_sequence *shot, double min[3], double max[3],
                            double *voxel, firn_messages *messages)
{
    firn_points *points = NULL;
    firn_status status = firn_format_read(shot->frames[shot->n - 1].path, &points, messages);
    const firn_attribute *P = status ? NULL : firn_points_find(points, "P");
    if (*voxel <= 0 && !status) *voxel = firn_surface_natural_radius(points) / 2;
    for (int c = 0; c < 3; c++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t k = 0; P && k < points->n; k++) {
            low = fmin(low, P->data.f[3 * k + c]);
            high = fmax(high, P->data.f[3 * k + c]);
        }
        min[c] = low <= high ? low - 0.5 * (high - low) : -1;
        max[c] = low <= high ? high + 0.5 * (high - low) : 1;
    }
    firn_points_destroy(points);
    if (status || *voxel > 0) return status;
    return firn_messages_add(messages, FIRN_REFUSED,
                             "colliders: the particles have no size (attribute pscale or detail "
                             "dx); try: --voxel");
}

/* A mesh of the colliders for each frame, in place at its time; a level floor is not among them. */
static firn_status write_colliders(const firn_cli *cli, const firn_cache_sequence *shot,
                                   firn_messages *messages)
{
    firn_scene_colliders *colliders = NULL;
    double min[3], max[3], voxel = firn_cli_number(cli, "voxel", 0);
    firn_status status = firn_scene_colliders_open(shot->folder, &colliders, messages);
    if (!status && !colliders)
        status = firn_messages_add(messages, FIRN_REFUSED,
                                   "--colliders: %s has no manifest; allowed: the folder of a shot",
                                   shot->folder);
    if (!status) status = find_box(shot, min, max, &voxel, messages);
    for (int k = 0; k < shot->n && !status && !firn_interrupt_signal(); k++) {
        char path[2 * FIRN_PATH];
        const firn_cache_sequence_frame *frame = &shot->frames[k];
        firn_mesh *mesh = NULL;
        firn_scene_colliders_at(colliders, (frame->frame + 1e-3 * frame->thousandths) /
                                               firn_scene_colliders_fps(colliders));
        status = firn_collider_mesh_make(colliders, min, max, voxel, omp_get_max_threads(), &mesh,
                                         messages);
        if (!status && mesh) status = make_path(cli, shot, frame, colliders_part, path, messages);
        if (!status && mesh) status = firn_mesh_write(path, mesh, messages);
        if (!status && mesh) printf("%s\n", path);
        firn_mesh_destroy(mesh);
    }
    firn_scene_colliders_destroy(colliders);
    return status;
}

static int run(const firn_cli *cli)
{
    firn_cache_sequence shot = {0};
    firn_messages *messages = firn_messages_create();
    if (!messages) return firn_cli_no_memory("messages");
    int n_threads = (int)firn_cli_integer(cli, "threads", 0);
    if (n_threads > 0) omp_set_num_threads(n_threads);
    firn_status status = check_out(cli, messages);
    if (!status) status = check_format(cli, messages);
    if (!status) status = open_frames(cli, &shot, messages);
    firn_interrupt_begin();
    firn_progress_list surfaces = firn_progress_list_begin("surfaces", shot.n);
    if (!status) /* alone: what a frame needs is measured */
        status = one_frame(cli, &shot, &shot.frames[0], &surfaces, messages);
    int n_jobs = (int)firn_cli_integer(cli, "jobs", 0), n_fitting = 0, next = !status;
    if (!status) n_fitting = fitting(cli, omp_get_max_threads(), messages);
    if (!status)
        status = all_frames(cli, &shot, &next, n_jobs ? n_jobs : n_fitting, &surfaces, messages);
    firn_progress_list_hide(&surfaces);
    if (!status && firn_cli_has(cli, "colliders")) status = write_colliders(cli, &shot, messages);
    if (status == FIRN_INTERRUPTED)
        firn_cli_note_interrupted("surfaces", surfaces.n_done, shot.n, shot.frames[next].frame,
                                  shot.frames[shot.n - 1].frame);
    firn_cache_sequence_clear(&shot);
    status = (firn_status)firn_cli_report(messages, status);
    firn_messages_destroy(messages);
    return status;
}

static const firn_cli_option options[] = {
    {"out", 'o', FIRN_CLI_FOLDER, "DIR", "Folder of the surfaces. Default: SHOT/surface."},
    {"format", 0, FIRN_CLI_CHOICE, "NAME",
     "File format: vdb (level set), obj, or ply (with velocity and temperature).",
     .choices = "vdb obj ply"},
    {"radius", 'r', FIRN_CLI_NUMBER, "M", "Radius of a particle in m. Default: 2.4 times pscale.",
     .min = 1e-9, .max = 1e6},
    {"voxel", 0, FIRN_CLI_NUMBER, "M", "Voxel size in m. Default: the radius.", .min = 1e-9,
     .max = 1e6},
    {"smooth", 0, FIRN_CLI_INTEGER, "N",
     "Smoothing passes; isolated particles are kept. Default: 2.", .min = 0, .max = 1000},
    {"adaptivity", 0, FIRN_CLI_NUMBER, "A",
     "For obj and ply. 0: polygons of equal size; up to 1: fewer and larger ones on flat parts, at "
     "a cost of at most 1 % of the volume.",
     .min = 0, .max = 1},
    {"density", 0, FIRN_CLI_FLAG, .doc = "Also write a fog volume \"density\" to the .vdb."},
    {"full-float", 0, FIRN_CLI_FLAG, .doc = "32 instead of 16 bits per number in the .vdb."},
    {"by-material", 0, FIRN_CLI_FLAG,
     .doc = "A surface for each material, as NAME_MATERIAL.FRAME."},
    {"colliders", 0, FIRN_CLI_FLAG,
     .doc = "Also write the colliders of the shot's scene, at their time, as "
            "NAME_colliders.FRAME.obj, "
            "a file per frame; those without an end around the material, a level floor not."},
    {"frames", 'f', FIRN_CLI_SPAN, "A:B", "Only these frames."},
    {"every", 0, FIRN_CLI_INTEGER, "N", "Only every N-th of these frames.", .min = 1, .max = 1e6},
    {"jobs", 'j', FIRN_CLI_INTEGER, "N",
     "Number of frames at the same time, which share the threads. Default: one per thread, as far "
     "as memory allows, measured on the first frame.",
     .min = 1, .max = 4096},
    {"max-memory", 0, FIRN_CLI_BYTES, "SIZE",
     "Memory for frames at the same time, e.g. 8G. Default: most of the free memory."},
    {"threads", 't', FIRN_CLI_INTEGER, "N", "Number of threads. Default: all cores.", .min = 1,
     .max = 4096},
    {0},
};

const firn_cli_verb firn_cmd_mesh = {
    .name = "mesh",
    .summary = "make surfaces of a shot's particles",
    .arguments = "SHOT|FILE...",
    .n_min = 1,
    .n_max = -1,
    .completes = FIRN_CLI_FOLDER,
    .text = "Makes the surface of the particles of every frame, as a level set (.vdb with the "
            "grids surface, v and temperature) or as polygons. It reads the caches, so surfaces "
            "can be made again with other settings without simulating again.\n\n    firn mesh "
            "shots/snowball\n    firn mesh shots/snowball --format ply --smooth 4 --frames 20:30",
    .options = options,
    .run = run,
};
