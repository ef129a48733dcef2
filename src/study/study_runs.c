/* SPDX-License-Identifier: MIT */
/* study_runs.c: the runs of a study: their folders, commands and processes.
 *
 * A run is recognised by its command and the hash of its scene: OUT/runs/NAME.command holds those
 * of OUT/runs/NAME, with a hash over the files that the scene reads. Where all are the same, a shot
 * that is finished, or was stopped by its own simulation, and verifies is reused; one that was
 * interrupted, or failed by the machine (disk, memory), is resumed; anything else is run anew.
 *
 * Results are read only from a shot that the run itself has written: its scene has the hash of the
 * run, the program ended with 0 or 3, and a run from its start has replaced the manifest. */
#include "study/study.h"
#include "base/file.h"
#include "shot/manifest.h"
#include "base/memory.h"
#include "base/messages.h"
#include "base/hash.h"
#include "base/random.h"
#include "base/shell.h"
#include "scene/scene.h"
#include "scene/scene_files.h"
#include "shot/shot_verify.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { SETS_MAX = 72, ARGUMENTS_MAX = 2 * SETS_MAX + 16, COMMAND_MAX = 1 << 16 };

/* ---------------------------------------------------------------- planning */

static const char *keep(firn_compare *c, firn_text *text)
{
    const char *copy =
        text->data && !text->has_failed ? firn_arena_text(&c->arena, text->data, text->n) : NULL;
    firn_text_clear(text);
    if (!copy) c->arena.has_failed = 1;
    return copy ? copy : "";
}

/* "materials.NAME={name: NAME, law: L, E: 100}": the law replaces the scene's material as a whole.
 */
static const char *law_setting(firn_compare *c, const firn_study_law *law, firn_messages *messages)
{
    firn_material_def def;
    firn_material material;
    firn_text text = {0};
    const char *name = c->study->material;
    if (firn_lab_material(law->spec, &def, &material, messages) != FIRN_OK) return NULL;
    firn_text_add(&text, "materials.%s={name: %s, law: %s", name, name, material.law->info.name);
    if (def.preset[0]) firn_text_add(&text, ", preset: %s", def.preset);
    for (int i = 0; i < def.n_parameters; i++) {
        firn_text_add(&text, ", %s: ", def.parameters[i].name);
        firn_lab_write_value(&def.parameters[i], &text);
    }
    firn_text_add(&text, "}");
    return keep(c, &text);
}

/* Letters, digits and dots of a text, everything else a dash. */
static void add_slug(firn_text *text, const char *words)
{
    int was_dash = 1;
    for (const char *w = words; *w && text->n < 72; w++) {
        int is_plain = (*w >= 'a' && *w <= 'z') || (*w >= 'A' && *w <= 'Z') ||
                       (*w >= '0' && *w <= '9') || *w == '.';
        if (is_plain)
            firn_text_add_bytes(text, w, 1);
        else if (!was_dash)
            firn_text_add_bytes(text, "-", 1);
        was_dash = !is_plain;
    }
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The label of a run: the settings in which it differs from the others. */
static const char *make_label(firn_compare *c, const firn_compare_run *run)
{
    const firn_study *s = c->study;
    firn_text text = {0};
    if (s->n_scenes > 1) firn_text_add(&text, "%s", file_name(s->scenes[run->scene]));
    if (run->law >= 0) firn_text_add(&text, "%s%s", text.n ? ", " : "", s->laws[run->law].label);
    for (int a = 0; a < s->n_axes; a++) {
        const char *dot = strrchr(s->axes[a].path, '.');
        firn_text_add(&text, "%s%s %s", text.n ? ", " : "", dot ? dot + 1 : s->axes[a].path,
                      s->axes[a].values[run->place[a]]);
    }
    if (!text.n) firn_text_add(&text, "%s", file_name(s->scenes[run->scene]));
    return keep(c, &text);
}

/* Settings of a repeat: its seed, and the shift of the grid in cells, the same for all runs of the
 * same repeat. Repeat 0 is the scene as it is. */
static void add_variations(firn_compare *c, firn_compare_run *run)
{
    const firn_study *s = c->study;
    firn_text text = {0};
    if (!run->repeat) return;
    if (s->varies_seed) {
        firn_text_add(&text, "scene.seed=%d", run->repeat);
        run->sets[run->n_sets++] = keep(c, &text);
    }
    if (s->varies_shift) {
        double u[3];
        firn_random_unit_cube(firn_random_mix((uint64_t)run->repeat * FIRN_RANDOM_STEP), u);
        firn_text_add(&text, "grid.shift=[%.3f, %.3f, %.3f]", u[0], u[1], u[2]);
        run->sets[run->n_sets++] = keep(c, &text);
    }
}

static void add_materials(firn_text *text, const firn_scene_def *def)
{
    for (int m = 0; m < def->n_materials; m++) {
        const firn_material *material = &firn_scene_materials(def)[m];
        const firn_law_info *law = &material->law->info;
        firn_text_add(text, "%s%s: %s", text->n ? "; " : "", def->materials[m].name, law->name);
        for (int k = 0; k < law->n_parameters; k++) {
            const char *unit = law->parameters[k].unit;
            firn_text_add(text, ", %s = %.6g%s%s", law->parameters[k].name, material->value[k],
                          strcmp(unit, "1") ? " " : "", strcmp(unit, "1") ? unit : "");
        }
    }
}

/* Names and checksums of the files that the scene reads; 0: it reads none. */
static firn_status hash_files(const firn_scene_def *def, uint64_t *hash, firn_messages *messages)
{
    firn_json_writer json;
    size_t n = 0;
    firn_json_init(&json, 0);
    firn_status status = firn_scene_files_write(def, &json, messages);
    const char *text = status == FIRN_OK ? firn_json_finish(&json, &n) : NULL;
    if (status == FIRN_OK && !text)
        status = firn_messages_no_memory(messages, "list of input files");
    *hash = text && strcmp(text, "[]\n") != 0 ? firn_hash_of(text, n) : 0;
    firn_json_clear(&json);
    return status;
}

/* Loads the scene with the settings of the run, so that the errors of all runs are found before the
 * first one starts. */
static firn_status load_scene(firn_compare *c, firn_compare_run *run, firn_messages *messages)
{
    firn_scene *scene =
        firn_scene_load(c->study->scenes[run->scene], run->n_sets, run->sets, messages);
    if (!scene) return firn_messages_status(messages);
    const firn_scene_def *def = firn_scene_definition(scene);
    memcpy(run->gravity, def->gravity, sizeof run->gravity);
    firn_text text = {0};
    add_materials(&text, def);
    run->parameters = keep(c, &text);
    firn_status status = firn_scene_hash(def, &run->scene_hash, messages);
    if (status == FIRN_OK) status = hash_files(def, &run->files_hash, messages);
    firn_scene_destroy(scene);
    return status;
}

static firn_status plan_run(firn_compare *c, int index, const firn_compare_options *options,
                            firn_messages *messages)
{
    const firn_study *s = c->study;
    firn_compare_run *run = &c->runs[index];
    firn_text text = {0};
    int rest = index / s->n_repeats;
    run->repeat = index % s->n_repeats;
    for (int a = s->n_axes - 1; a >= 0; a--) {
        run->place[a] = rest % s->axes[a].n;
        rest /= s->axes[a].n;
    }
    run->law = s->n_laws ? rest % s->n_laws : -1;
    run->scene = s->n_laws ? rest / s->n_laws : rest;
    run->exit_code = -1;
    run->sets = firn_arena_allocate(
        &c->arena, (size_t)(s->n_sets + options->n_sets + s->n_axes + 3) * sizeof *run->sets);
    if (!run->sets) return FIRN_MEMORY;
    for (int i = 0; i < s->n_sets; i++) run->sets[run->n_sets++] = s->sets[i];
    for (int i = 0; i < options->n_sets; i++) run->sets[run->n_sets++] = options->sets[i];
    if (run->law >= 0 && !(run->sets[run->n_sets++] = law_setting(c, &s->laws[run->law], messages)))
        return firn_messages_status(messages);
    for (int a = 0; a < s->n_axes; a++) {
        firn_text_add(&text, "%s=%s", s->axes[a].path, s->axes[a].values[run->place[a]]);
        run->sets[run->n_sets++] = keep(c, &text);
    }
    add_variations(c, run);
    if (run->n_sets > SETS_MAX)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "study: too many settings per run (%d); allowed: up to %d",
                                 run->n_sets, SETS_MAX);
    run->label = run->group_label = make_label(c, run);
    if (s->n_repeats > 1) {
        firn_text_add(&text, "%s, repeat %d", run->group_label, run->repeat);
        run->label = keep(c, &text);
    }
    firn_text_add(&text, "%03d-", index + 1);
    add_slug(&text, run->label);
    run->name = keep(c, &text);
    firn_text_add(&text, "%s/runs/%s", options->folder, run->name);
    run->folder = keep(c, &text);
    firn_text_add(&text, "firn run ");
    firn_shell_add_word(&text, s->scenes[run->scene]);
    for (int i = 0; i < run->n_sets; i++) {
        firn_text_add(&text, " --set ");
        firn_shell_add_word(&text, run->sets[i]);
    }
    firn_text_add(&text, " --out ");
    firn_shell_add_word(&text, run->folder);
    run->command = keep(c, &text);
    if (c->arena.has_failed) return FIRN_MEMORY;
    return load_scene(c, run, messages);
}

firn_status firn_compare_plan(firn_compare *c, firn_study *study,
                              const firn_compare_options *options, firn_messages *messages)
{
    *c = (firn_compare){.study = study, .folder = options->folder};
    int64_t n = (int64_t)study->n_scenes * study->n_repeats;
    if (study->n_laws) n *= study->n_laws;
    for (int a = 0; a < study->n_axes; a++) n *= study->axes[a].n;
    if (n > FIRN_COMPARE_RUNS_MAX)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "study: too many runs (%lld); allowed: up to %d", (long long)n,
                                 FIRN_COMPARE_RUNS_MAX);
    for (int i = 0; i < study->n_metrics && i < FIRN_COMPARE_METRICS_MAX; i++)
        c->metrics[c->n_metrics++] = firn_compare_metric_find(study->metrics[i]);
    for (int i = 0; !study->n_metrics && firn_compare_metric_at(i); i++)
        if (!firn_compare_metric_at(i)->by_name)
            c->metrics[c->n_metrics++] = firn_compare_metric_at(i);
    c->runs = firn_memory_array(NULL, (size_t)n, sizeof *c->runs);
    if (!c->runs) return firn_messages_no_memory(messages, "%lld runs", (long long)n);
    c->n_runs = (int)n;
    firn_status worst = FIRN_OK;
    for (int i = 0; i < c->n_runs; i++) {
        firn_status status = plan_run(c, i, options, messages);
        if (status == FIRN_MEMORY) return firn_messages_no_memory(messages, "runs of the study");
        if (status != FIRN_OK) worst = status;
    }
    return worst;
}

void firn_compare_clear(firn_compare *c)
{
    for (int i = 0; i < c->n_runs; i++) firn_compare_series_clear(&c->runs[i].series);
    firn_memory_release(NULL, c->runs, (size_t)c->n_runs * sizeof *c->runs);
    firn_arena_clear(&c->arena);
    *c = (firn_compare){0};
}

/* ---------------------------------------------------------------- processes */

/* Which manifest a folder has: each writing of it makes another file. */
typedef struct version {
    ino_t number;
    struct timespec written; /* 0: there is none */
} version;

static version version_of(const firn_compare_run *run)
{
    char path[2 * FIRN_PATH];
    struct stat info;
    snprintf(path, sizeof path, "%s/%s", run->folder, FIRN_MANIFEST_NAME);
    if (stat(path, &info) != 0) return (version){0};
    return (version){info.st_ino, info.st_mtim};
}

static int is_same_version(version a, version b)
{
    return a.number == b.number && a.written.tv_sec == b.written.tv_sec &&
           a.written.tv_nsec == b.written.tv_nsec;
}

/* The text of NAME.command. An edited scene or input file makes another run with the same
 * command. */
static void identity(const firn_compare_run *run, firn_text *text)
{
    firn_text_add(text, "%s\n# scene %016llx\n", run->command, (unsigned long long)run->scene_hash);
    if (run->files_hash)
        firn_text_add(text, "# files %016llx\n", (unsigned long long)run->files_hash);
}

/* The shot that lay in the folder when the run was begun, as the last line of NAME.command: while
 * it is there the run has written none. */
static void predecessor(const firn_compare_run *run, firn_text *text)
{
    version v = version_of(run);
    firn_text_add(text, "# after %llu %lld.%09ld\n", (unsigned long long)v.number,
                  (long long)v.written.tv_sec, v.written.tv_nsec);
}

/* Whether the shot in the folder is of this run: its command, and not the shot before it. */
static int is_the_same(const firn_compare_run *run)
{
    char path[2 * FIRN_PATH];
    size_t n;
    firn_text wanted = {0}, other = {0};
    identity(run, &wanted);
    identity(run, &other);
    predecessor(run, &other);
    snprintf(path, sizeof path, "%s.command", run->folder);
    char *found = access(path, R_OK) == 0 ? firn_file_text(path, COMMAND_MAX, &n, NULL) : NULL;
    int is_same = found && wanted.data && !wanted.has_failed && other.data && !other.has_failed &&
                  strncmp(found, wanted.data, wanted.n) == 0 && strcmp(found, other.data) != 0 &&
                  (!found[wanted.n] || strncmp(found + wanted.n, "# after ", 8) == 0);
    if (found) firn_memory_release(NULL, found, n + 1);
    firn_text_clear(&wanted);
    firn_text_clear(&other);
    return is_same;
}

/* What is to be done for a run: 0 nothing, 1 resume, 2 run. */
static int what_is_left(const firn_compare_run *run, int is_fresh)
{
    if (is_fresh || !is_the_same(run) || !firn_manifest_exists(run->folder)) return 2;
    firn_manifest manifest = {0};
    if (firn_manifest_read(run->folder, &manifest, NULL) != FIRN_OK) return 2;
    /* one that stopped would stop there again; one that failed was ended by disk or memory */
    int is_done = strcmp(manifest.state, "finished") == 0 || strcmp(manifest.state, "stopped") == 0;
    int is_older = manifest.scene_hash !=
                   run->scene_hash; /* left by a run that was killed before it began its shot */
    firn_manifest_clear(&manifest);
    if (is_older) return 2;
    if (!is_done) return 1;
    firn_verify_shot found;
    return firn_verify_shot_run(run->folder, &found, NULL) == FIRN_OK ? 0 : 2;
}

/* Runs the program with its output in `log`. The kernel sends it SIGTERM when this process dies.
 * -1: it could not be started. */
static pid_t spawn(const char *program, const char *const *arguments, const char *log)
{
    pid_t parent = getpid(), pid = fork();
    if (pid != 0) return pid;
    int in = open("/dev/null", O_RDONLY), out = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (in < 0 || out < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0)
        _exit(FIRN_IO);
    if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != parent) _exit(FIRN_INTERRUPTED);
    execve(program, (char *const *)(uintptr_t)arguments, environ);
    _exit(FIRN_IO);
}

static pid_t start(const firn_compare_run *run, const char *scene, int how,
                   const firn_compare_options *options, int n_threads)
{
    const char *arguments[ARGUMENTS_MAX];
    char threads[16], log[2 * FIRN_PATH];
    int n = 0;
    snprintf(threads, sizeof threads, "%d", n_threads);
    snprintf(log, sizeof log, "%s.log", run->folder);
    arguments[n++] = "firn";
    arguments[n++] = how == 1 ? "resume" : "run";
    arguments[n++] = how == 1 ? run->folder : scene;
    for (int i = 0; how == 2 && i < run->n_sets; i++) {
        arguments[n++] = "--set";
        arguments[n++] = run->sets[i];
    }
    if (how == 2) {
        arguments[n++] = "--out";
        arguments[n++] = run->folder;
        arguments[n++] = "--overwrite";
    }
    if (n_threads > 0) {
        arguments[n++] = "--threads";
        arguments[n++] = threads;
    }
    arguments[n++] = "--progress";
    arguments[n++] = "none";
    arguments[n] = NULL;
    return spawn(options->program, arguments, log);
}

static firn_status write_command(const firn_compare_run *run, firn_messages *messages)
{
    char path[2 * FIRN_PATH];
    firn_text text = {0};
    snprintf(path, sizeof path, "%s.command", run->folder);
    identity(run, &text);
    predecessor(run, &text);
    firn_status status = firn_text_write(&text, path, messages);
    firn_text_clear(&text);
    return status;
}

firn_status firn_compare_announce(const firn_compare *c, firn_messages *messages)
{
    char path[FIRN_PATH + 8];
    snprintf(path, sizeof path, "%s/runs", c->folder);
    firn_status status = firn_file_make_folder(path, messages);
    for (int i = 0; i < c->n_runs && status == FIRN_OK; i++)
        if (what_is_left(&c->runs[i], 0) == 2) status = write_command(&c->runs[i], messages);
    return status;
}

/* A slot for one process. */
typedef struct job {
    pid_t pid;
    int run, how;
    version before; /* of the manifest when the process was started */
} job;

/* Why the shot in the folder is not the result of the run; NULL: it is. */
static const char *not_its_own(const firn_compare_run *run, const job *j)
{
    if (run->exit_code != FIRN_OK && run->exit_code != FIRN_STOPPED) return "the run failed";
    if (j && j->how == 2 && is_same_version(j->before, version_of(run)))
        return "the run wrote no shot; the one in its folder is older";
    return NULL;
}

/* job NULL: a run that was done before. */
static void read_results(firn_compare *c, firn_compare_run *run, const job *j,
                         firn_messages *messages)
{
    firn_messages *own = firn_messages_create();
    for (int m = 0; m < c->n_metrics; m++) run->metrics[m] = NAN;
    const char *why = not_its_own(run, j);
    if (!why && firn_compare_series_read(run->folder, c->study->watch, run->gravity, &run->series,
                                         own) != FIRN_OK)
        why = firn_messages_text(own, 0, NULL);
    if (!why && run->series.scene_hash != run->scene_hash)
        why = "the shot in its folder is of another scene";
    for (int m = 0; !why && m < c->n_metrics; m++)
        run->metrics[m] = c->metrics[m]->of(&run->series);
    if (why) {
        firn_compare_series_clear(&run->series);
        snprintf(run->series.why, sizeof run->series.why, "%s", why);
        firn_messages_warn(messages, "%s: no results (%s); details: %s.log", run->name, why,
                           run->folder);
    }
    if (run->exit_code > 0 && run->exit_code != FIRN_STOPPED)
        firn_messages_warn(messages, "%s: exit code %d; details: %s.log", run->name, run->exit_code,
                           run->folder);
    firn_messages_destroy(own);
}

/* Polls one slot; 1: it is free. */
static int poll_job(job *j, firn_compare *c, const firn_compare_options *options, int n_threads)
{
    int state;
    if (j->pid <= 0) return 1;
    if (waitpid(j->pid, &state, WNOHANG) == 0) return 0;
    firn_compare_run *run = &c->runs[j->run];
    run->exit_code = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
    j->pid = 0;
    /* Without a checkpoint it cannot be resumed, and is run from its start. One that was resumed
     * and failed again keeps what it has. */
    if (j->how == 1 && run->exit_code != FIRN_OK && run->exit_code != FIRN_STOPPED &&
        run->exit_code != FIRN_INTERRUPTED && is_same_version(j->before, version_of(run))) {
        j->how = 2;
        j->pid = start(run, c->study->scenes[run->scene], 2, options, n_threads);
        return j->pid <= 0;
    }
    return 1;
}

/* Threads of each run: by its particles, up to its share of the machine, or of OMP_NUM_THREADS. */
static void share_threads(int n_jobs)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const char *allowed = getenv("OMP_NUM_THREADS");
    char share[24];
    if (allowed && atol(allowed) > 0) cores = atol(allowed);
    snprintf(share, sizeof share, "%ld", cores > n_jobs ? cores / n_jobs : 1);
    setenv("OMP_NUM_THREADS", share, 1);
}

firn_status firn_compare_execute(firn_compare *c, const firn_compare_options *options,
                                 firn_messages *messages)
{
    enum { JOBS_MAX = 256 };
    job jobs[JOBS_MAX] = {0};
    int n_jobs = options->n_jobs < 1 ? 1 : options->n_jobs > JOBS_MAX ? JOBS_MAX : options->n_jobs;
    int n_threads = options->n_threads, n_done = 0, is_ending = 0;
    if (n_threads < 1) share_threads(n_jobs);
    char path[FIRN_PATH + 8];
    snprintf(path, sizeof path, "%s/runs", options->folder);
    firn_status status = firn_file_make_folder(path, messages);
    int next = 0, n_active = 0;
    while (status == FIRN_OK && (next < c->n_runs || n_active)) {
        int number = options->signal && !is_ending ? options->signal() : 0;
        if (number) is_ending = 1;
        /* Ctrl-C on a terminal reaches the runs too; other signals are passed on, and each run
         * writes a checkpoint */
        for (int k = 0; k < n_jobs && number && number != SIGINT; k++)
            if (jobs[k].pid > 0) kill(jobs[k].pid, SIGTERM);
        for (int k = 0; k < n_jobs; k++) {
            int was_active = jobs[k].pid > 0;
            if (!poll_job(&jobs[k], c, options, n_threads)) continue;
            if (was_active) {
                firn_compare_run *run = &c->runs[jobs[k].run];
                n_active--;
                n_done++;
                if (run->exit_code == FIRN_INTERRUPTED || run->exit_code == 128 + SIGINT)
                    is_ending = 1;
                read_results(c, run, &jobs[k], messages);
                if (options->done) options->done(options->done_user, run, n_done, c->n_runs);
            }
            if (next == c->n_runs || is_ending) continue;
            firn_compare_run *run = &c->runs[next];
            int how = what_is_left(run, options->is_fresh);
            if (how == 0) {
                run->is_reused = 1;
                run->exit_code = 0;
                next++;
                n_done++;
                read_results(c, run, NULL, messages);
                if (options->done) options->done(options->done_user, run, n_done, c->n_runs);
                continue;
            }
            if (how == 2 && write_command(run, messages) != FIRN_OK) return FIRN_IO;
            jobs[k] = (job){.run = next++, .how = how, .before = version_of(run)};
            jobs[k].pid = start(run, c->study->scenes[run->scene], how, options, n_threads);
            if (jobs[k].pid > 0)
                n_active++;
            else
                status =
                    firn_messages_add(messages, FIRN_IO, "%s: cannot be started", options->program);
        }
        if (is_ending && !n_active) return FIRN_INTERRUPTED;
        nanosleep(&(struct timespec){0, 20000000}, NULL);
    }
    return status;
}
