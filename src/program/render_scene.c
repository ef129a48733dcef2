/* SPDX-License-Identifier: MIT */
/* render_scene.c: see render_scene.h. */
#include "program/render_scene.h"
#include "base/file.h"
#include "base/messages.h"
#include "picture/markers.h"
#include "program/run_options.h"
#include "solver/attributes.h"

#include <stdio.h>
#include <string.h>

/* What a picture of a scene is made of. */
typedef struct stage {
    firn_scene *scene;
    firn_points *points;
    firn_scene_colliders *colliders;
    firn_markers *markers;
    firn_view_bounds bounds;
    firn_image *image;
} stage;

int firn_render_is_scene(const char *path)
{
    size_t n = strlen(path);
    return (n > 5 && !strcmp(path + n - 5, ".yaml")) || (n > 4 && !strcmp(path + n - 4, ".yml"));
}

/* Options that are about several frames. */
static firn_status check_options(const firn_cli *cli, firn_messages *messages)
{
    static const char *const names[] = {"film",   "sheet", "turntable", "orbit",
                                        "frames", "every", "layers",    "motion-blur"};
    if (cli->n_arguments > 1)
        return firn_messages_add(messages, FIRN_USAGE,
                                 "arguments: several scenes; allowed: one scene");
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (firn_cli_has(cli, names[k]))
            return firn_messages_add(messages, FIRN_USAGE,
                                     "--%s: for shots only; try: firn run %s first", names[k],
                                     cli->arguments[0]);
    return FIRN_OK;
}

/* The particles with which a run begins. */
static firn_status take_particles(const firn_cli *cli, stage *s, firn_messages *messages)
{
    firn_sim *sim = NULL;
    firn_run_options options = firn_run_options_default();
    options.n_threads = (int)firn_cli_integer(cli, "threads", 0);
    firn_status status = firn_sim_create(firn_scene_definition(s->scene), &options, &sim, messages);
    if (!status) status = firn_snapshot_take(sim, "", 1, &s->points, messages);
    firn_sim_destroy(sim);
    return status;
}

static firn_status build(const firn_cli *cli, const firn_render_def *def, double time, stage *s,
                         firn_messages *messages)
{
    const char *sets[FIRN_SETS_ROOM];
    const int n_sets = firn_run_options_sets(cli, sets);
    if (n_sets < 0) return FIRN_USAGE;
    s->scene = firn_scene_load(cli->arguments[0], n_sets, sets, messages);
    if (!s->scene) return firn_messages_status(messages);
    const firn_scene_def *scene = firn_scene_definition(s->scene);
    firn_status status = take_particles(cli, s, messages);
    if (!status) status = firn_scene_colliders_of_scene(scene, NULL, &s->colliders, messages);
    if (!status) status = firn_markers_of_scene(scene, &s->markers, messages);
    if (status) return status;
    firn_scene_colliders_at(s->colliders, time);
    firn_markers_at(s->markers, time);
    s->bounds.is_z_up = firn_scene_colliders_is_z_up(s->colliders);
    status = firn_view_bounds_add(&s->bounds, s->points, def->attribute, messages);
    firn_markers_widen(s->markers, s->colliders, &s->bounds);
    return status;
}

static firn_status draw(const firn_cli *cli, firn_render_def *def, double time, stage *s,
                        firn_messages *messages)
{
    const firn_scene_def *scene = firn_scene_definition(s->scene);
    def->colliders = s->colliders;
    if (!firn_cli_has(cli, "azimuth"))
        def->camera.azimuth = firn_render_free_azimuth(def, &s->bounds);
    def->sun_azimuth = firn_render_sun_azimuth(def);
    if (!firn_cli_has(cli, "no-caption"))
        snprintf(def->caption, sizeof def->caption, "%s\n%s%.3f s", scene->name,
                 time > 0 ? "not run · colliders at " : "not run · ", time);
    firn_status status = firn_render_frame(s->points, &s->bounds, def, &s->image, messages);
    if (!status && s->bounds.n > 0 && !firn_cli_has(cli, "bare") &&
        !firn_markers_draw(s->markers, &s->bounds, def, s->image))
        status = firn_messages_no_memory(messages, "names in the picture");
    return status;
}

static firn_status deliver(const firn_cli *cli, const stage *s, firn_messages *messages)
{
    char path[2 * FIRN_PATH];
    const char *out = firn_cli_text(cli, "out", NULL),
               *name = firn_scene_definition(s->scene)->name;
    size_t n = strlen(out ? out : "");
    int is_file = n > 4 && !strcmp(out + n - 4, ".png");
    snprintf(path, sizeof path, "%s%s%s%s", out ? out : "", out && !is_file ? "/" : "",
             is_file ? "" : name, is_file ? "" : ".png");
    firn_status status = out && !is_file ? firn_file_make_folder(out, messages) : FIRN_OK;
    if (!status) status = firn_image_write_png(s->image, path, messages);
    if (!status) printf("%s\n", path);
    return status;
}

firn_status firn_render_scene(const firn_cli *cli, firn_render_def *def, firn_messages *messages)
{
    stage s = {.bounds = firn_view_bounds_default()};
    double time = firn_cli_number(cli, "at", 0);
    firn_status status = check_options(cli, messages);
    if (!status) status = build(cli, def, time, &s, messages);
    if (!status) status = draw(cli, def, time, &s, messages);
    if (!status) status = deliver(cli, &s, messages);
    def->colliders = NULL;
    firn_image_destroy(s.image);
    firn_markers_destroy(s.markers);
    firn_scene_colliders_destroy(s.colliders);
    firn_points_destroy(s.points);
    firn_scene_destroy(s.scene);
    return status;
}
