/* SPDX-License-Identifier: MIT */
/* cmd_render.c: `firn render`: caches to pictures and films. */
#include "program/cli.h"
#include "program/render_scene.h"
#include "program/run_options.h"
#include "base/messages.h"
#include "base/file.h"
#include "picture/video.h"
#include "picture/contact_sheet.h"
#include "session/interrupt.h"
#include "base/memory.h"
#include "session/progress.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SHOTS_MAX = 16, FILMS_MAX = 4, PANELS_MAX = 400, LOOKS_MAX = 16 };

static const double degree = 0.017453292519943295;

typedef struct session {
    const firn_cli *cli;
    firn_messages *messages;
    int n_shots;
    firn_cache_sequence shots[SHOTS_MAX];
    firn_scene_colliders *props[SHOTS_MAX]; /* NULL: not known, or not wanted */
    firn_render_def def;
    firn_view_bounds survey;
    double fps;
    int n_films;
    firn_video *films[FILMS_MAX];
    int n_written;
    firn_progress_list pictures;
} session;

/* ---------------------------------------------------------------- options */

/* Exactly n numbers separated by `separator`; FIRN_OK where the option is absent. */
static firn_status read_numbers(session *s, const char *name, char separator, int n, double *values)
{
    const char *text = firn_cli_text(s->cli, name, NULL), *at = text;
    for (int k = 0; text && k < n; k++) {
        char *end;
        values[k] = strtod(at, &end);
        if (end == at || !isfinite(values[k]) || *end != (k + 1 < n ? separator : 0))
            return firn_messages_add(s->messages, FIRN_USAGE,
                                     "--%s: '%s' is not %d numbers separated by '%c'", name, text,
                                     n, separator);
        at = end + 1;
    }
    return FIRN_OK;
}

static firn_status read_ground(session *s)
{
    const char *text = firn_cli_text(s->cli, "ground", "auto");
    char *end;
    if (!strcmp(text, "auto")) return FIRN_OK;
    if (!strcmp(text, "none")) {
        s->def.ground = FIRN_GROUND_NONE;
        return FIRN_OK;
    }
    s->def.ground = FIRN_GROUND_GIVEN;
    s->def.ground_height = strtod(text, &end);
    if (end == text || *end || !isfinite(s->def.ground_height))
        return firn_messages_add(s->messages, FIRN_USAGE,
                                 "--ground: unknown '%s'; allowed: a height in m, auto, none",
                                 text);
    return FIRN_OK;
}

/* Options of surfaces; those that make no sense for spheres ask for surfaces. */
static firn_status read_surface(session *s)
{
    static const char *const names[] = {"look", "motion-blur", "layers"};
    firn_render_def *def = &s->def;
    const char *looks[LOOKS_MAX];
    int n = firn_cli_all(s->cli, "look", looks, LOOKS_MAX);
    def->is_surface = firn_cli_has(s->cli, "surface");
    for (size_t k = 0; k < sizeof names / sizeof *names && !def->is_surface; k++)
        if (firn_cli_has(s->cli, names[k]))
            return firn_messages_add(s->messages, FIRN_USAGE,
                                     "--%s: for surfaces only; try: with --surface", names[k]);
    if (n > LOOKS_MAX)
        return firn_messages_add(s->messages, FIRN_USAGE,
                                 "--look: given too often; allowed: up to %d", LOOKS_MAX);
    for (int k = 0; k < n; k++) {
        size_t used = strlen(def->look);
        snprintf(def->look + used, sizeof def->look - used, "%s%s", used ? "," : "", looks[k]);
    }
    if (firn_cli_has(s->cli, "motion-blur") && !firn_cli_has(s->cli, "samples")) def->samples = 4;
    return FIRN_OK;
}

static firn_status read_options(session *s)
{
    const firn_cli *cli = s->cli;
    firn_render_def *def = &s->def;
    *def = firn_render_default();
    int is_preview = firn_cli_has(cli, "preview");
    double size[2] = {is_preview ? 640 : def->width, is_preview ? 360 : def->height}, sun[2],
           range[2];
    firn_status status = read_numbers(s, "size", 'x', 2, size);
    if (status == FIRN_OK) status = read_numbers(s, "sun", ',', 2, sun);
    if (status == FIRN_OK) status = read_numbers(s, "range", ':', 2, range);
    if (status == FIRN_OK) status = read_numbers(s, "target", ',', 3, def->camera.target);
    if (status == FIRN_OK) status = read_ground(s);
    if (status != FIRN_OK) return status;
    def->width = size[0] < INT_MAX ? (int)size[0] : INT_MAX;
    def->height = size[1] < INT_MAX ? (int)size[1] : INT_MAX;
    def->samples = (int)firn_cli_integer(cli, "samples", is_preview ? 1 : def->samples);
    def->sky_rays = (int)firn_cli_integer(cli, "sky-rays", def->sky_rays);
    def->camera.azimuth = degree * firn_cli_number(cli, "azimuth", def->camera.azimuth / degree);
    def->camera.elevation =
        degree * firn_cli_number(cli, "elevation", def->camera.elevation / degree);
    def->camera.fov = degree * firn_cli_number(cli, "fov", def->camera.fov / degree);
    def->camera.distance = firn_cli_number(cli, "distance", 0);
    def->camera.has_target = firn_cli_has(cli, "target");
    if (firn_cli_has(cli, "sun")) {
        def->sun_azimuth = degree * sun[0];
        def->sun_elevation = degree * sun[1];
    }
    snprintf(def->attribute, sizeof def->attribute, "%s", firn_cli_text(cli, "attribute", ""));
    snprintf(def->map, sizeof def->map, "%s", firn_cli_text(cli, "map", ""));
    def->has_range = firn_cli_has(cli, "range");
    def->is_log = firn_cli_has(cli, "log");
    if (def->has_range) {
        def->min = range[0];
        def->max = range[1];
    }
    def->radius_scale = firn_cli_number(cli, "radius", def->radius_scale);
    const char *engine = firn_cli_text(cli, "engine", "auto");
    def->engine = !strcmp(engine, "embree")  ? FIRN_ENGINE_EMBREE
                  : !strcmp(engine, "splat") ? FIRN_ENGINE_SPLAT
                                             : FIRN_ENGINE_AUTO;
    def->n_threads = (int)firn_cli_integer(cli, "threads", 0);
    def->has_legend = !firn_cli_has(cli, "no-legend");
    def->is_ghost = firn_cli_has(cli, "ghost");
    return read_surface(s);
}

/* ---------------------------------------------------------------- shots */

/* Files are the frames of one shot, in the order given; folders are a shot each. */
static firn_status open_shots(session *s)
{
    int n_files = 0, n = s->cli->n_arguments;
    for (int k = 0; k < n; k++) {
        struct stat info;
        if (stat(s->cli->arguments[k], &info))
            return firn_messages_add(s->messages, FIRN_IO, "%s: %s", s->cli->arguments[k],
                                     firn_file_reason(errno));
        n_files += !S_ISDIR(info.st_mode);
    }
    if (n_files && n_files < n)
        return firn_messages_add(s->messages, FIRN_USAGE,
                                 "arguments: folders and files mixed; allowed: folders (shots side "
                                 "by side) or files (frames of one shot)");
    if (!n_files && n > SHOTS_MAX)
        return firn_messages_add(s->messages, FIRN_USAGE,
                                 "arguments: too many shots; allowed: up to %d", SHOTS_MAX);
    firn_status status = FIRN_OK;
    if (n_files) {
        status = firn_cache_sequence_of_files(n, s->cli->arguments, &s->shots[0], s->messages);
        s->n_shots = status == FIRN_OK;
    }
    for (int k = 0; !n_files && k < n && status == FIRN_OK; k++) {
        status = firn_cache_sequence_open(s->cli->arguments[k], &s->shots[k], s->messages);
        s->n_shots += status == FIRN_OK;
    }
    return status;
}

/* The frames that are drawn, once camera, ground and colours are chosen from all: pictures made in
 * several goes, or again, fit together. */
static firn_status select_frames(session *s)
{
    int first = 0, last = 100000000, every = (int)firn_cli_integer(s->cli, "every", 1);
    firn_status status = FIRN_OK;
    s->fps /= every;
    /* without the option also files whose names have no number */
    if (!firn_cli_span(s->cli, "frames", &first, &last)) {
        first = INT_MIN;
        last = INT_MAX;
    }
    for (int k = 0; k < s->n_shots && status == FIRN_OK; k++)
        status = firn_cache_sequence_select(&s->shots[k], first, last, every, s->messages);
    return status;
}

/* Colliders, floor and colours are in the shots' manifests. A scene that cannot be read is a
 * warning. */
static firn_status open_props(session *s)
{
    firn_status status = FIRN_OK;
    for (int k = 0; k < s->n_shots && !firn_cli_has(s->cli, "bare"); k++) {
        firn_messages *why = firn_messages_create();
        if (!why) return firn_messages_no_memory(s->messages, "colliders");
        status = firn_scene_colliders_open(s->shots[k].folder, &s->props[k], why);
        for (int i = 0; i < firn_messages_total(why); i++)
            firn_messages_warn(s->messages, "%s", firn_messages_text(why, i, NULL));
        firn_messages_destroy(why);
        if (status == FIRN_MEMORY) return firn_messages_no_memory(s->messages, "colliders");
    }
    return FIRN_OK;
}

/* Default azimuth of the camera, and the sun, which belongs to the scene and does not move with
 * the camera. */
static void settle_view(session *s)
{
    s->def.colliders = s->props[0];
    if (s->props[0]) firn_scene_colliders_at(s->props[0], 0);
    if (!firn_cli_has(s->cli, "azimuth"))
        s->def.camera.azimuth = firn_render_free_azimuth(&s->def, &s->survey);
    s->def.sun_azimuth = firn_render_sun_azimuth(&s->def);
}

/* Time that the shutter is open, and room for layers. */
static firn_status settle_surface(session *s)
{
    double fps = s->props[0] ? firn_scene_colliders_fps(s->props[0]) : 0;
    if (!(fps > 0)) fps = s->fps > 0 ? s->fps : 24;
    s->def.shutter = firn_cli_number(s->cli, "motion-blur", 0) / fps;
    if (!firn_cli_has(s->cli, "layers")) return FIRN_OK;
    if (s->n_shots > 1 || firn_cli_has(s->cli, "sheet"))
        return firn_messages_add(s->messages, FIRN_USAGE,
                                 "--layers: one shot and no --sheet; try: a run for each");
    int is_good = s->def.width > 0 && s->def.height > 0 && s->def.width <= 16384 &&
                  s->def.height <= 16384; /* else the picture is refused */
    if (is_good) s->def.layers = firn_layers_create(s->def.width, s->def.height);
    return s->def.layers || !is_good ? FIRN_OK : firn_messages_no_memory(s->messages, "layers");
}

/* With several shots the title is the folder's name: runs of a sweep share one stem. */
static const char *title_of(const session *s, int shot)
{
    const char *folder = s->shots[shot].folder, *slash = strrchr(folder, '/');
    return s->n_shots > 1 ? (slash && slash[1] ? slash + 1 : folder) : s->shots[shot].title;
}

/* The frame of a shot that belongs to picture k of n: shots of unequal length end together. */
static const firn_cache_sequence_frame *frame_at(const firn_cache_sequence *shot, int k, int n)
{
    int at = n > 1 ? (int)((int64_t)k * (shot->n - 1) / (n - 1)) : shot->n - 1;
    return &shot->frames[shot->n == n ? k : at];
}

/* ---------------------------------------------------------------- pictures */

static firn_status make_path(const session *s, const firn_cache_sequence_frame *frame, int k,
                             char path[FIRN_PATH + 256])
{
    char folder[FIRN_PATH + 32];
    const firn_cache_sequence *shot = &s->shots[0];
    const char *out = firn_cli_text(s->cli, "out", NULL);
    size_t n = strlen(out ? out : "");
    if (n > 4 && !strcmp(out + n - 4, ".png")) {
        snprintf(path, FIRN_PATH + 256, "%s", out);
        return FIRN_OK;
    }
    snprintf(folder, sizeof folder, "%s%s", out ? out : shot->folder, out ? "" : "/pictures");
    firn_status status = firn_file_make_folder(folder, s->messages);
    if (status != FIRN_OK) return status;
    if (frame && frame->frame >= 0 && frame->has_decimals)
        snprintf(path, FIRN_PATH + 256, "%s/%s.%04d.%03d.png", folder, shot->title, frame->frame,
                 frame->thousandths);
    else if (frame && frame->frame >= 0)
        snprintf(path, FIRN_PATH + 256, "%s/%s.%04d.png", folder, shot->title, frame->frame);
    else if (k >= 0)
        snprintf(path, FIRN_PATH + 256, "%s/%s.turn.%04d.png", folder, shot->title, k);
    else
        snprintf(path, FIRN_PATH + 256, "%s/%s.sheet.png", folder, shot->title);
    return FIRN_OK;
}

static firn_status write_picture(session *s, const firn_image *image,
                                 const firn_cache_sequence_frame *frame, int k)
{
    char path[FIRN_PATH + 256];
    firn_status status = make_path(s, frame, k, path);
    if (status == FIRN_OK) status = firn_image_write_png(image, path, s->messages);
    if (status != FIRN_OK) return status;
    firn_progress_list_hide(&s->pictures);
    printf("%s\n", path);
    s->n_written++;
    return FIRN_OK;
}

/* The layers of a picture: a .exr beside where its .png is or would be. */
static firn_status write_layers(session *s, const firn_cache_sequence_frame *frame, int k)
{
    char path[FIRN_PATH + 256];
    firn_status status = make_path(s, frame, k, path);
    if (status != FIRN_OK) return status;
    memcpy(path + strlen(path) - 4, ".exr", 4);
    status = firn_layers_write(s->def.layers, path, s->messages);
    if (status != FIRN_OK) return status;
    firn_progress_list_hide(&s->pictures);
    printf("%s\n", path);
    return FIRN_OK;
}

/* A picture goes into every film; to a file too, unless only films are wanted. */
static firn_status deliver(session *s, const firn_image *image,
                           const firn_cache_sequence_frame *frame, int k)
{
    firn_status status = FIRN_OK;
    for (int f = 0; f < s->n_films && status == FIRN_OK; f++)
        status = firn_video_add(s->films[f], image, s->messages);
    if (status == FIRN_OK && (!s->n_films || firn_cli_has(s->cli, "out")))
        status = write_picture(s, image, frame, k);
    if (status == FIRN_OK && s->def.layers) status = write_layers(s, frame, k);
    return status;
}

/* Frames over time, or with --turntable the last frame from all sides; --orbit moves the camera
 * during the film. */
static firn_status draw_all(session *s)
{
    int turn = (int)firn_cli_integer(s->cli, "turntable", 0), n = turn;
    double azimuth = s->def.camera.azimuth,
           orbit = degree * firn_cli_number(s->cli, "orbit", turn ? 360 : 0);
    const char *out = firn_cli_text(s->cli, "out", "");
    for (int k = 0; k < s->n_shots && !turn; k++) n = s->shots[k].n > n ? s->shots[k].n : n;
    size_t n_out = strlen(out);
    if (n > 1 && n_out > 4 && !strcmp(out + n_out - 4, ".png"))
        return firn_messages_add(s->messages, FIRN_USAGE,
                                 "--out %s: one file for %d pictures; try: a folder, or --frames",
                                 out, n);
    s->pictures = firn_progress_list_begin("pictures", n);
    for (int k = 0; k < n; k++) {
        if (firn_interrupt_signal()) return FIRN_INTERRUPTED;
        firn_contact_sheet_panel panels[SHOTS_MAX];
        for (int p = 0; p < s->n_shots; p++)
            panels[p] = (firn_contact_sheet_panel){turn ? &s->shots[p].frames[s->shots[p].n - 1]
                                                        : frame_at(&s->shots[p], k, n),
                                                   title_of(s, p), s->props[p]};
        s->def.camera.azimuth = azimuth + orbit * k / (turn || n == 1 ? n : n - 1);
        firn_image *image;
        int columns = s->n_shots <= 3 ? s->n_shots : (int)ceil(sqrt(s->n_shots));
        firn_status status =
            firn_contact_sheet_draw(s->n_shots, panels, columns, &s->survey, &s->def,
                                    !firn_cli_has(s->cli, "no-caption"), &image, s->messages);
        if (status != FIRN_OK) return status;
        status = deliver(s, image, turn ? NULL : panels[0].frame, k);
        firn_image_destroy(image);
        if (status != FIRN_OK) return status;
        firn_progress_list_done(&s->pictures);
    }
    return FIRN_OK;
}

/* n frames of each shot in one picture: a shot alone fills a nearly square grid, several have a
 * row each. */
static firn_status draw_sheet(session *s, int n_wanted)
{
    static const char none[] = "";
    int n = n_wanted < s->shots[0].n ? n_wanted : s->shots[0].n;
    int columns = s->n_shots > 1 ? n : (int)ceil(sqrt(n));
    if (n * s->n_shots > PANELS_MAX)
        return firn_messages_add(s->messages, FIRN_USAGE,
                                 "--sheet: too many panels; allowed: up to %d", PANELS_MAX);
    firn_contact_sheet_panel panels[PANELS_MAX];
    for (int p = 0; p < s->n_shots; p++)
        for (int k = 0; k < n; k++)
            panels[p * n + k] = (firn_contact_sheet_panel){
                frame_at(&s->shots[p], k, n), s->n_shots > 1 ? title_of(s, p) : none, s->props[p]};
    firn_image *image;
    firn_status status =
        firn_contact_sheet_draw(n * s->n_shots, panels, columns, &s->survey, &s->def,
                                !firn_cli_has(s->cli, "no-caption"), &image, s->messages);
    if (status != FIRN_OK) return status;
    firn_interrupt_begin();
    status = write_picture(s, image, NULL, -1);
    firn_image_destroy(image);
    return status;
}

/* ---------------------------------------------------------------- the verb */

static firn_status begin_films(session *s)
{
    const char *paths[FILMS_MAX];
    int n = firn_cli_all(s->cli, "film", paths, FILMS_MAX);
    if (n > FILMS_MAX)
        return firn_messages_add(s->messages, FIRN_USAGE,
                                 "--film: given too often; allowed: up to %d", FILMS_MAX);
    double fps = firn_cli_number(s->cli, "fps", s->fps > 0 ? s->fps : 24);
    firn_status status = FIRN_OK;
    for (; s->n_films < n && status == FIRN_OK; s->n_films += status == FIRN_OK)
        status = firn_video_create(paths[s->n_films], fps, &s->films[s->n_films], s->messages);
    return status;
}

static firn_status end_films(session *s, firn_status status)
{
    for (int k = 0; k < s->n_films; k++) {
        if (status != FIRN_OK) {
            firn_video_abandon(s->films[k]);
            continue;
        }
        const char *paths[FILMS_MAX];
        firn_cli_all(s->cli, "film", paths, FILMS_MAX);
        status = firn_video_commit(s->films[k], s->messages);
        if (status == FIRN_OK) {
            printf("%s\n", paths[k]);
            s->n_written++;
        }
    }
    return status;
}

static firn_status check_shot_options(session *s)
{
    static const char *const names[] = {"at", "set"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (firn_cli_has(s->cli, names[k]))
            return firn_messages_add(s->messages, FIRN_USAGE,
                                     "--%s: for scenes only; allowed: with SCENE.yaml", names[k]);
    return FIRN_OK;
}

static firn_status work(session *s)
{
    firn_status status = read_options(s);
    if (status == FIRN_OK && firn_render_is_scene(s->cli->arguments[0]))
        return firn_render_scene(s->cli, &s->def, s->messages);
    if (status == FIRN_OK) status = check_shot_options(s);
    if (status == FIRN_OK) status = open_shots(s);
    if (status != FIRN_OK) return status;
    s->survey = firn_view_bounds_default();
    status = open_props(s);
    if (status != FIRN_OK) return status;
    int is_z_up = s->props[0] && firn_scene_colliders_is_z_up(s->props[0]);
    s->survey.is_z_up = !strcmp(firn_cli_text(s->cli, "up", is_z_up ? "z" : "y"), "z");
    status = firn_contact_sheet_bounds(s->n_shots, s->shots, s->def.attribute, &s->survey, &s->fps,
                                       s->messages);
    if (status == FIRN_OK) status = select_frames(s);
    if (status != FIRN_OK) return status;
    settle_view(s);
    status = settle_surface(s);
    if (status != FIRN_OK) return status;
    int n_sheet = (int)firn_cli_integer(s->cli, "sheet", 0);
    if (n_sheet) return draw_sheet(s, n_sheet);
    firn_interrupt_begin();
    status = begin_films(s);
    if (status == FIRN_OK) status = draw_all(s);
    firn_progress_list_hide(&s->pictures);
    return end_films(s, status);
}

/* A film is made again as a whole, and so are pictures from all around one frame; frames go on
 * where they ended. */
static void note_interrupted(const session *s)
{
    const firn_cache_sequence *shot = &s->shots[0];
    const int n_done = s->pictures.n_done;
    if (s->n_films || s->n_shots != 1 || s->pictures.n != shot->n || n_done >= shot->n)
        firn_cli_note("interrupted; %d pictures written, no film", s->n_written);
    else
        firn_cli_note_interrupted("pictures", n_done, shot->n, shot->frames[n_done].frame,
                                  shot->frames[shot->n - 1].frame);
}

static int run(const firn_cli *cli)
{
    session *s = firn_memory_allocate(NULL, sizeof *s);
    firn_messages *messages = firn_messages_create();
    if (!s || !messages) return firn_cli_no_memory("messages");
    s->cli = cli;
    s->messages = messages;
    firn_status status = work(s);
    if (status == FIRN_INTERRUPTED) note_interrupted(s);
    for (int k = 0; k < s->n_shots; k++) {
        firn_cache_sequence_clear(&s->shots[k]);
        firn_scene_colliders_destroy(s->props[k]);
    }
    firn_layers_destroy(s->def.layers);
    firn_memory_release(NULL, s, sizeof *s);
    status = (firn_status)firn_cli_report(messages, status);
    firn_messages_destroy(messages);
    return status;
}

static const firn_cli_option options[] = {
    {"out", 'o', FIRN_CLI_FOLDER, "PATH",
     "Folder of the pictures, or NAME.png for a single one. Default: SHOT/pictures."},
    {"film", 0, FIRN_CLI_FILE, "FILE", "Make a film FILE.mp4 or FILE.webm with ffmpeg.",
     .repeats = 1},
    {"fps", 0, FIRN_CLI_NUMBER, "N",
     "Frames per second of the film. Default: so that it lasts as long as the shot.", .min = 1,
     .max = 1000},
    {"surface", 0, FIRN_CLI_FLAG,
     .doc = "Smooth surfaces, lit as the material is, with grains on snow and sand, in place of "
            "spheres."},
    {"look", 0, FIRN_CLI_TEXT, "LOOK",
     "With --surface: a look for all materials, or MATERIAL=LOOK for one: snow ice dough sand "
     "wet_sand honey chocolate wax mud clay water jelly butter cream rubber metal lava plain. "
     "Default: by the name of the material, its preset or its law.",
     .repeats = 1},
    {"motion-blur", 0, FIRN_CLI_NUMBER, "SHUTTER",
     "With --surface: motion over that share of a frame, e.g. 0.5, by velocities. Takes 4 x 4 "
     "samples where --samples is not given.",
     .min = 0, .max = 1},
    {"layers", 0, FIRN_CLI_FLAG,
     .doc = "With --surface: also write NAME.exr for compositing: linear light and alpha without "
            "sky and ground, depth Z in m, material.A the share of the pixel that is material."},
    {"ghost", 0, FIRN_CLI_FLAG, .doc = "Colliders as glass: what lies behind them is seen."},
    {"sheet", 0, FIRN_CLI_INTEGER, "N", "Contact sheet: N frames in one picture, one row per shot.",
     .min = 1, .max = PANELS_MAX},
    {"turntable", 0, FIRN_CLI_INTEGER, "N", "N pictures of the last frame from all sides.",
     .min = 1, .max = 100000},
    {"orbit", 0, FIRN_CLI_NUMBER, "DEGREES", "Angle by which the camera orbits during the film.",
     .min = -36000, .max = 36000},
    {"frames", 'f', FIRN_CLI_SPAN, "A:B", "Only these frames."},
    {"every", 0, FIRN_CLI_INTEGER, "N", "Only every N-th of these frames.", .min = 1, .max = 1e6},
    {"preview", 0, FIRN_CLI_FLAG, .doc = "Quick preview: 640x360, one ray per pixel."},
    {"size", 's', FIRN_CLI_TEXT, "WxH", "Size of the picture in pixels. Default: 1280x720."},
    {"attribute", 'a', FIRN_CLI_TEXT, "NAME",
     "Colour by an attribute: Jp, v (its length), v.y, F (its determinant), F[4], ... Default: by "
     "material."},
    {"range", 0, FIRN_CLI_TEXT, "A:B", "Range of the colour map. Default: from the whole shot."},
    {"log", 0, FIRN_CLI_FLAG, .doc = "Logarithmic colour scale."},
    {"map", 0, FIRN_CLI_CHOICE, "NAME", "Colour map; polar is for signed numbers.",
     .choices = "lichen ember ice grey polar"},
    {"azimuth", 0, FIRN_CLI_NUMBER, "DEGREES",
     "Azimuth of the camera; 0 looks along -z. Default: near 30, where no collider is in the way.",
     .min = -36000, .max = 36000},
    {"elevation", 0, FIRN_CLI_NUMBER, "DEGREES", "Elevation of the camera above the horizon.",
     .min = -90, .max = 90},
    {"distance", 0, FIRN_CLI_NUMBER, "M",
     "Distance of the camera from its target. Default: the whole shot fits in.", .min = 1e-9,
     .max = 1e9},
    {"target", 0, FIRN_CLI_TEXT, "X,Y,Z", "Target of the camera. Default: the middle of the shot."},
    {"fov", 0, FIRN_CLI_NUMBER, "DEGREES", "Vertical angle of view. Default: 28.", .min = 0.1,
     .max = 170},
    {"up", 0, FIRN_CLI_CHOICE, "AXIS",
     "Axis that points up. Default: against the scene's gravity, else y.", .choices = "y z"},
    {"radius", 'r', FIRN_CLI_NUMBER, "SCALE",
     "Radius of a sphere in units of pscale. Default: 1.2.", .min = 1e-6, .max = 1e6},
    {"ground", 0, FIRN_CLI_TEXT, "HEIGHT",
     "Height of the ground, auto or none. auto: a level plane of the scene, else the lowest "
     "particle or resting collider."},
    {"sun", 0, FIRN_CLI_TEXT, "AZ,EL", "Azimuth and elevation of the sun in degrees."},
    {"samples", 0, FIRN_CLI_INTEGER, "N", "N x N rays per pixel. Default: 2.", .min = 1, .max = 8},
    {"sky-rays", 0, FIRN_CLI_INTEGER, "N", "Rays per sample for ambient occlusion. Default: 1.",
     .min = 0, .max = 256},
    {"engine", 0, FIRN_CLI_CHOICE, "NAME", "Renderer: embree, splat (no shadows) or auto.",
     .choices = "auto embree splat"},
    {"threads", 't', FIRN_CLI_INTEGER, "N", "Number of threads. Default: all cores.", .min = 1,
     .max = 4096},
    {"bare", 0, FIRN_CLI_FLAG,
     .doc = "Without colliders, floor and material colours of the scene."},
    {"at", 0, FIRN_CLI_NUMBER, "SECONDS",
     "With SCENE.yaml: time of the motion of colliders, grips and sinks. Default: 0.", .min = 0,
     .max = 1e9},
    {"set", 0, FIRN_CLI_SETTING, "KEY=VALUE",
     "With SCENE.yaml: change a setting of the scene, e.g. grid.dx=2cm.", .repeats = 1},
    {"no-legend", 0, FIRN_CLI_FLAG, .doc = "Without the legend."},
    {"no-caption", 0, FIRN_CLI_FLAG, .doc = "Without the caption."},
    {0},
};

const firn_cli_verb firn_cmd_render = {
    .name = "render",
    .summary = "render pictures and films of a shot",
    .arguments = "SHOT|FILE...|SCENE.yaml",
    .n_min = 1,
    .n_max = -1,
    .completes = FIRN_CLI_FILE,
    .text = "Renders particles as spheres with sun, sky and ground, coloured by material or by an "
            "attribute with a legend. Camera, ground and colour range are chosen from the whole "
            "shot and do not move; colliders are those of the shot's scene. With --surface, "
            "surfaces that look like the material take the place of the spheres. The pictures are "
            "bit for bit the same for any number of threads.\n\nA scene that has not been run is "
            "drawn with the particles that it begins with, and with its colliders, emitters, grips "
            "and sinks by name, into NAME.png:\n\n    firn render scenes/dough.yaml --at "
            "1.2\n\nFolders are shots, side by side. Files are frames of one shot:\n\n    "
            "firn render shots/snowball\n    firn render shots/snowball --surface\n    firn render "
            "shots/snowball --film snowball.mp4 --film "
            "snowball.webm\n    firn render shots/snowball --sheet 9 --out sheet.png\n    firn "
            "render shots/soft shots/stiff -a Jp --map polar --film both.mp4\n    firn render "
            "shots/snowball --turntable 96 --frames :40 --film turn.mp4",
    .options = options,
    .run = run,
};
