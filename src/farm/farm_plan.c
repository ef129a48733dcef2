/* SPDX-License-Identifier: MIT */
/* farm_plan.c: from a scene or study to runs and ranges of frames, with what a task needs.
 *
 * Memory and time are those of `firn check`. Memory: the larger of what is expected and what was
 * measured, a quarter more, and 256 MiB of program and libraries. Time of a simulation: at the most
 * steps per frame, half as much again for other machines, never below ten minutes; a task that
 * takes longer is interrupted and continues. Surfaces and pictures are allowed a minute per frame
 * and million particles. */
#include "farm/farm.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/messages.h"
#include "base/shell.h"
#include "scene/scene.h"
#include "scene/scene_files.h"
#include "session/preflight.h"
#include "study/study.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double mib = 1 << 20;
enum { FRAMES_OF_RANGE = 24, MOST_THREADS = 64, PARTICLES_OF_THREAD = 2048 };

static const char *keep(firn_farm *farm, const char *text)
{
    const char *copy = firn_arena_text(&farm->arena, text, strlen(text));
    return copy ? copy : "";
}

/* Letters, digits and _, at least three: a name that every queue takes. */
static void take_name(firn_farm *farm, const char *name)
{
    size_t n = 0;
    for (; *name && n + 6 < sizeof farm->name; name++) {
        const int is_plain = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') ||
                             (*name >= '0' && *name <= '9');
        farm->name[n++] = is_plain ? *name : '_';
    }
    strcpy(farm->name + n, n < 3 ? "_firn" : "");
}

static firn_status find_paths(firn_farm *farm, firn_messages *messages)
{
    char path[FIRN_PATH];
    if (!getcwd(path, sizeof path))
        return firn_messages_add(messages, FIRN_IO, "working folder: %s", firn_file_reason(errno));
    farm->working = keep(farm, path);
    const ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n <= 0 || n >= (ssize_t)sizeof path - 1)
        return firn_messages_add(messages, FIRN_IO, "program: not found through /proc/self/exe");
    path[n] = 0;
    farm->program = keep(farm, path);
    firn_text folder = {0};
    firn_text_add(&folder, "%s%s%s", *farm->options->folder == '/' ? "" : farm->working,
                  *farm->options->folder == '/' ? "" : "/", farm->options->folder);
    farm->folder = folder.has_failed || !folder.data ? "" : keep(farm, folder.data);
    firn_text_clear(&folder);
    return *farm->folder && !farm->arena.has_failed
               ? FIRN_OK
               : firn_messages_no_memory(messages, "job files");
}

/* ---------------------------------------------------------------- cost */

static int count_threads(double particles)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const double n = fmin(ceil(particles / PARTICLES_OF_THREAD), fmax(1, (double)cores));
    return (int)fmin(fmax(n, 1), MOST_THREADS);
}

/* What this machine cannot hold may well run on the farm: then memory is the estimate from
 * volumes, and time is a day. */
static firn_status check_run(const firn_farm *farm, const firn_scene_def *scene, const char *shot,
                             firn_check *check, firn_messages *messages)
{
    firn_run_options options = firn_run_options_default();
    options.n_threads = farm->options->n_threads;
    firn_messages *own = firn_messages_create();
    if (!own) return firn_messages_no_memory(messages, "messages");
    firn_status status =
        firn_check_scene(scene, &options, shot, farm->options->seconds, 1, check, own);
    const int is_only_here = status == FIRN_MEMORY && !check->is_measured &&
                             check->memory_expected > check->memory_available;
    for (int i = 0; i < firn_messages_total(own) && !is_only_here; i++) {
        firn_level level = FIRN_NOTE;
        const char *text = firn_messages_text(own, i, &level);
        if (level == FIRN_ERROR)
            firn_messages_add(messages, status, "%s", text);
        else if (level == FIRN_WARNING)
            firn_messages_warn(messages, "%s", text);
    }
    firn_messages_destroy(own);
    if (!is_only_here) return status;
    firn_messages_warn(messages,
                       "memory: this machine has too little to measure the time (%.4g MiB, "
                       "available: %.4g MiB); tasks get a day; try: --time",
                       check->memory_expected / mib, check->memory_available / mib);
    return FIRN_OK;
}

/* The cost of one run, where it is more than that of those before. */
static firn_status add_cost(firn_farm *farm, const firn_scene_def *scene, const char *shot,
                            double *minutes, firn_messages *messages)
{
    enum { DAY = 24 * 60 };
    firn_check check;
    firn_status status = firn_scene_files_check_lengths(scene, 0, messages);
    if (status != FIRN_OK) return status;
    status = check_run(farm, scene, shot, &check, messages);
    if (status == FIRN_OK) {
        const double n =
            (double)((check.n_particles ? check.n_particles : check.n_expected) + check.n_emitted);
        const double bytes = fmax(check.memory_expected, check.memory_peak);
        const int is_known = check.is_measured && isfinite(check.eta);
        farm->particles = fmax(farm->particles, n);
        farm->memory = fmax(farm->memory, 1.25 * bytes + 256 * mib);
        const double longest =
            is_known ? check.eta * fmax(1, check.steps_most / check.steps_a_frame) : 60.0 * DAY;
        *minutes = fmax(*minutes, (is_known ? 1.5 : 1) * longest / 60);
    }
    firn_check_clear(&check);
    return status;
}

static void settle_cost(firn_farm *farm, double minutes, int n_frames)
{
    const double share = farm->n_ranges > 1 ? 1.0 / farm->n_ranges : 1;
    const double frames = ceil(n_frames * share);
    if (farm->options->memory > 0) farm->memory = farm->options->memory;
    farm->sim_minutes = 10 + ceil(minutes * share);
    farm->still_minutes = 10 + ceil(frames * fmax(0.25, farm->particles * 1e-6));
    farm->n_threads =
        farm->options->n_threads > 0 ? farm->options->n_threads : count_threads(farm->particles);
}

/* ---------------------------------------------------------------- a scene */

/* Each range has a frame with caches; a short rest belongs to the range before it. */
static firn_status cut_ranges(firn_farm *farm, const firn_scene_def *scene, firn_messages *messages)
{
    const int n = scene->frames;
    int every = 1, chunk = farm->options->chunk;
    for (int i = 0; i < scene->n_outputs; i++)
        if (scene->outputs[i].every > every) every = scene->outputs[i].every;
    if (!chunk) chunk = (int)fmax(FRAMES_OF_RANGE, ceil(n / (double)FIRN_FARM_RANGES_MAX));
    chunk = (chunk + every - 1) / every * every;
    if (n > (int64_t)chunk * FIRN_FARM_RANGES_MAX)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "--chunk %d: too many ranges for %d frames; allowed: up to %d "
                                 "ranges; try: --chunk %d",
                                 farm->options->chunk, n, FIRN_FARM_RANGES_MAX,
                                 (n + FIRN_FARM_RANGES_MAX - 1) / FIRN_FARM_RANGES_MAX);
    farm->every = every;
    for (int first = 0; first <= n;) {
        int last = (farm->n_ranges + 1) * chunk;
        if (last + every > n) last = n;
        farm->ranges[farm->n_ranges++] = (firn_farm_range){first, last};
        first = last + 1;
    }
    return FIRN_OK;
}

static firn_status plan_scene(firn_farm *farm, firn_messages *messages)
{
    const firn_farm_options *options = farm->options;
    double minutes = 0;
    firn_scene *scene = firn_scene_load(options->file, options->n_sets, options->sets, messages);
    if (!scene) return firn_messages_status(messages);
    const firn_scene_def *def = firn_scene_definition(scene);
    char shot[FIRN_PATH];
    snprintf(shot, sizeof shot, "shots/%s", def->name);
    take_name(farm, def->name);
    farm->n_runs = 1;
    farm->runs = firn_arena_allocate(&farm->arena, sizeof *farm->runs);
    firn_status status = farm->runs ? FIRN_OK : firn_messages_no_memory(messages, "runs");
    if (status == FIRN_OK)
        *farm->runs = (firn_farm_run){.scene = options->file,
                                      .shot = options->results ? options->results
                                              : *def->folder   ? keep(farm, def->folder)
                                                               : keep(farm, shot),
                                      .n_sets = options->n_sets,
                                      .sets = options->sets};
    const int is_all = !options->has_steps && def->n_outputs > 0;
    farm->has_mesh |= is_all;
    farm->has_render |= is_all;
    if (status == FIRN_OK && !def->n_outputs && (farm->has_mesh || farm->has_render))
        status = firn_messages_add(messages, FIRN_REFUSED,
                                   "outputs: the scene writes no caches, so there is nothing to "
                                   "make surfaces and pictures of; try: --steps sim");
    if (status == FIRN_OK) status = cut_ranges(farm, def, messages);
    if (status == FIRN_OK) status = add_cost(farm, def, farm->runs->shot, &minutes, messages);
    if (status == FIRN_OK) settle_cost(farm, minutes, def->frames);
    firn_scene_files_explain(def, messages);
    firn_scene_destroy(scene);
    return status;
}

/* ---------------------------------------------------------------- a study */

/* The settings and folders of the runs, which the plan of the study owns. */
static firn_status take_runs(firn_farm *farm, const firn_compare *compare, const firn_study *study,
                             firn_messages *messages)
{
    farm->n_runs = compare->n_runs;
    farm->runs = firn_arena_allocate(&farm->arena, (size_t)compare->n_runs * sizeof *farm->runs);
    for (int i = 0; farm->runs && i < compare->n_runs; i++) {
        const firn_compare_run *run = &compare->runs[i];
        const char **sets =
            firn_arena_allocate(&farm->arena, ((size_t)run->n_sets + 1) * sizeof *sets);
        if (!sets) break;
        for (int k = 0; k < run->n_sets; k++) sets[k] = keep(farm, run->sets[k]);
        farm->runs[i] = (firn_farm_run){.scene = keep(farm, study->scenes[run->scene]),
                                        .shot = keep(farm, run->folder),
                                        .n_sets = run->n_sets,
                                        .sets = sets};
    }
    return farm->arena.has_failed ? firn_messages_no_memory(messages, "runs") : FIRN_OK;
}

static firn_status cost_runs(firn_farm *farm, firn_messages *messages)
{
    double minutes = 0;
    int n_frames = 0;
    firn_status status = FIRN_OK;
    for (int i = 0; i < farm->n_runs && status == FIRN_OK; i++) {
        const firn_farm_run *run = &farm->runs[i];
        firn_scene *scene = firn_scene_load(run->scene, run->n_sets, run->sets, messages);
        if (!scene) return firn_messages_status(messages);
        const firn_scene_def *def = firn_scene_definition(scene);
        status = add_cost(farm, def, run->shot, &minutes, messages);
        if (def->frames > n_frames) n_frames = def->frames;
        firn_scene_destroy(scene);
    }
    settle_cost(farm, minutes, n_frames);
    return status;
}

static firn_status plan_study(firn_farm *farm, firn_messages *messages)
{
    const firn_farm_options *options = farm->options;
    firn_study *study = firn_compare_study_load(options->file, messages);
    if (!study) return firn_messages_status(messages);
    firn_text folder = {0};
    firn_text_add(&folder, "studies/%s", study->name);
    farm->results = options->results ? options->results
                    : folder.data    ? keep(farm, folder.data)
                                     : "";
    firn_text_clear(&folder);
    farm->study = options->file;
    take_name(farm, study->name);
    farm->n_ranges = 1;
    farm->ranges[0] = (firn_farm_range){0, 0};
    firn_compare compare = {0};
    firn_compare_options how = {.folder = farm->results,
                                .program = farm->program,
                                .n_sets = options->n_sets,
                                .sets = (const char **)(uintptr_t)options->sets};
    firn_status status = firn_compare_plan(&compare, study, &how, messages);
    if (status == FIRN_OK && !compare.n_runs)
        status = firn_messages_add(messages, FIRN_REFUSED,
                                   "%s: the study has no runs; try: firn compare %s", options->file,
                                   options->file);
    if (status == FIRN_OK) status = take_runs(farm, &compare, study, messages);
    if (status == FIRN_OK) status = cost_runs(farm, messages);
    if (status == FIRN_OK) status = firn_compare_announce(&compare, messages);
    firn_compare_clear(&compare);
    firn_compare_study_destroy(study);
    return status;
}

firn_status firn_farm_plan(firn_farm *farm, const firn_farm_options *options,
                           firn_messages *messages)
{
    *farm = (firn_farm){
        .options = options, .has_mesh = options->has_mesh, .has_render = options->has_render};
    const firn_status status = find_paths(farm, messages);
    if (status != FIRN_OK) return status;
    return firn_compare_is_study(options->file) ? plan_study(farm, messages)
                                                : plan_scene(farm, messages);
}

void firn_farm_clear(firn_farm *farm)
{
    firn_arena_clear(&farm->arena);
    *farm = (firn_farm){0};
}

/* ---------------------------------------------------------------- for all targets */

long firn_farm_mebibytes(const firn_farm *farm)
{
    return (long)fmax(1, ceil(farm->memory / (1 << 20)));
}

void firn_farm_add_path(const firn_farm *farm, const char *file, firn_text *text)
{
    firn_text path = {0};
    firn_text_add(&path, "%s/%s", farm->folder, file);
    if (path.has_failed || !path.data)
        text->has_failed = 1;
    else
        firn_shell_add_word(text, path.data);
    firn_text_clear(&path);
}
