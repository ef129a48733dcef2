/* SPDX-License-Identifier: MIT */
#include "session/run_session.h"

#include "measure/expect.h"
#include "scene/scene_files.h"
#include "session/interrupt.h"
#include "session/live_preview.h"
#include "session/progress.h"

#include <math.h>
#include <omp.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

firn_run_options firn_run_session_options(const firn_cli *cli)
{
    firn_run_options options = firn_run_options_default();
    options.n_threads = (int)firn_cli_integer(cli, "threads", options.n_threads);
    options.max_memory = firn_cli_bytes(cli, "max-memory", options.max_memory);
    snprintf(options.isa, sizeof options.isa, "%s", firn_cli_text(cli, "isa", options.isa));
    if (options.n_threads > 0)
        omp_set_num_threads(options.n_threads); /* also while shapes are read */
    return options;
}

int firn_run_session_sets(const firn_cli *cli, const char **sets, int *n_sets)
{
    *n_sets = firn_cli_all(cli, "set", sets, FIRN_RUN_SESSION_MAX_SETS);
    if (*n_sets > FIRN_RUN_SESSION_MAX_SETS)
        return firn_cli_fail(FIRN_USAGE,
                             "at most %d --set are possible; put them into the scene file",
                             FIRN_RUN_SESSION_MAX_SETS);
    return FIRN_OK;
}

firn_frame_plan firn_run_session_plan(const firn_cli *cli, const firn_scene_def *scene, int *first,
                                      int *last)
{
    firn_frame_plan plan = firn_frame_plan_of(scene);
    *first = 0;
    *last = scene->frames;
    if (firn_cli_has(cli, "until")) {
        plan.end = firn_cli_number(cli, "until", plan.end);
        *last = (int)floor(plan.end * scene->fps + 1e-9);
    }
    /* --frames may also go beyond the scene's last frame: that is how a shot is made longer. */
    if (firn_cli_span(cli, "frames", first, last)) plan.end = *last / scene->fps;
    return plan;
}

firn_status firn_run_session_inputs(const firn_cli *cli, const firn_scene_def *scene,
                                    firn_json_writer *json, const char **text,
                                    firn_messages *messages)
{
    firn_json_init(json, 0);
    firn_status status =
        firn_scene_files_check_lengths(scene, firn_cli_bytes(cli, "max-memory", 0), messages);
    if (status == FIRN_OK) status = firn_scene_files_write(scene, json, messages);
    if (status == FIRN_OK && !(*text = firn_json_finish(json, NULL)))
        status =
            firn_messages_add(messages, FIRN_MEMORY, "no memory for the list of the scene's files");
    return status;
}

/* ---------------------------------------------------------------- while it runs */

typedef struct show {
    firn_progress_display display;
    firn_progress_meter meter;
    firn_run_output *record;
    firn_messages *messages;
    firn_expect_recorder *expect;  /* NULL: the scene expects nothing */
    firn_live_preview *painter;    /* NULL: no preview is wanted */
    firn_status record_status;     /* of a checkpoint between moments */
    double began, first_time, end; /* wall s; simulated s */
    double updates;                /* particles times steps, since it began */
    int last_frame;
    int64_t steps_before, steps_of_frame; /* the count at the start of the run, of the frame */
    firn_dt_limit limit; /* of the frame's smallest step that was not just cut to reach its end */
} show;

static void tell(show *s, firn_sim *sim, int frame, int is_frame_done)
{
    firn_stats stats = firn_sim_stats(sim);
    if (s->limit.criterion) stats.limit = s->limit;
    double now = firn_run_output_clock() - s->began, time = firn_sim_time(sim);
    firn_progress_measure(&s->meter, now, time - s->first_time, s->updates);
    double left = s->end - time, rate = s->meter.seconds_per_time;
    firn_progress progress = {.frame = frame,
                              .last_frame = s->last_frame,
                              .fraction = s->end > 0 ? time / s->end : 1,
                              .time = time,
                              .n_substeps = stats.n_steps - s->steps_of_frame,
                              .stats = stats,
                              .seconds = now,
                              .updates_per_second = s->meter.updates_per_second,
                              .eta = rate > 0   ? left * rate
                                     : left > 0 ? -1
                                                : 0};
    firn_progress_show(&s->display, &progress, is_frame_done);
    if (is_frame_done) {
        s->steps_of_frame = stats.n_steps;
        s->limit = (firn_dt_limit){0};
    }
}

/* The step that ends a frame is limited by the frame, which tells nothing. */
static void note_limit(show *s, const firn_dt_limit *now)
{
    int is_frame = !now->criterion || !strcmp(now->criterion, "frame");
    if (!s->limit.criterion ||
        (!is_frame && (!strcmp(s->limit.criterion, "frame") || now->dt < s->limit.dt)))
        s->limit = *now;
}

static int on_step(void *user, firn_sim *sim, int frame)
{
    show *s = user;
    firn_dt_limit now = firn_sim_stats(sim).limit;
    note_limit(s, &now);
    s->updates += (double)firn_sim_n_particles(sim);
    tell(s, sim, frame, 0);
    s->record_status = firn_run_output_step(s->record, sim, s->messages);
    return s->record_status != FIRN_OK || firn_interrupt_signal() != 0;
}

/* What the moment is warned of cannot wait for the end of a night. */
static void tell_warnings(show *s)
{
    if (firn_messages_total(s->messages) == 0) return;
    firn_progress_break(&s->display);
    firn_cli_report(s->messages, FIRN_OK);
    firn_messages_clear(s->messages);
}

static firn_status on_moment(void *user, firn_sim *sim, const firn_output_time *output_time,
                             firn_messages *messages)
{
    show *s = user;
    firn_status status = firn_run_output_write(s->record, sim, output_time, messages);
    if (status == FIRN_OK && s->expect)
        status = firn_expect_record(s->expect, sim, output_time->is_end, messages);
    if (status == FIRN_OK && s->painter && (output_time->sub == 0 || output_time->is_end))
        status = firn_live_preview_offer(s->painter, sim, output_time->frame, output_time->is_end,
                                         messages);
    if (status == FIRN_OK) tell_warnings(s);
    if (status == FIRN_OK && output_time->sub == 0) tell(s, sim, output_time->frame, 1);
    return status;
}

static firn_progress_style style_of(const firn_cli *cli)
{
    const char *how = firn_cli_text(cli, "progress", "auto");
    if (firn_cli_has(cli, "quiet") || !strcmp(how, "none")) return FIRN_PROGRESS_NONE;
    if (!strcmp(how, "json")) return FIRN_PROGRESS_JSON;
    if (!strcmp(how, "plain")) return FIRN_PROGRESS_PLAIN;
    if (!strcmp(how, "line")) return FIRN_PROGRESS_LINE;
    return isatty(STDOUT_FILENO) && isatty(STDERR_FILENO) ? FIRN_PROGRESS_LINE
                                                          : FIRN_PROGRESS_PLAIN;
}

/* ---------------------------------------------------------------- afterwards */

static void summarize(const show *s, firn_sim *sim)
{
    firn_stats stats = firn_sim_stats(sim);
    double seconds = firn_run_output_clock() - s->began, total = 0;
    char clock[32];
    firn_progress_clock(seconds, clock, sizeof clock);
    printf("%lld steps of %lld particles in %s: %.3g M particle updates a second; memory peak %.0f "
           "MiB\n",
           (long long)(stats.n_steps - s->steps_before), (long long)stats.n_particles, clock,
           seconds > 0 ? s->updates / seconds * 1e-6 : 0, (double)stats.memory_peak / (1 << 20));
    for (int i = 0; i < FIRN_N_STAGES; i++) total += stats.stage_seconds[i];
    if (s->record->n_checkpoints)
        printf("%d checkpoint%s took %.2g s, %.2g %% of it\n", s->record->n_checkpoints,
               s->record->n_checkpoints == 1 ? "" : "s", s->record->checkpoint_seconds,
               100 * s->record->checkpoint_seconds / fmax(seconds, 1e-9));
    if (total <= 0) return;
    fputs("time by stage:", stdout);
    for (int i = 0; i < FIRN_N_STAGES; i++)
        printf("%s %s %.0f %%", i ? "," : "", firn_stage_name(i),
               100 * stats.stage_seconds[i] / total);
    fputc('\n', stdout);
    if (stats.n_lost)
        printf("%lld particles left through deleting walls, into sinks or out of reach\n",
               (long long)stats.n_lost);
    if (stats.n_inverted)
        printf("%lld times a particle was inverted in a step and its stress bounded\n",
               (long long)stats.n_inverted);
    if (stats.n_retries)
        printf("%lld steps were repeated with a smaller dt\n", (long long)stats.n_retries);
}

/* The first error of a report, as the reason that the books give. */
static const char *first_error(const firn_messages *messages)
{
    for (int i = 0; i < firn_messages_total(messages); i++) {
        firn_level level = FIRN_NOTE;
        const char *sentence = firn_messages_text(messages, i, &level);
        if (level == FIRN_ERROR) return sentence;
    }
    return "";
}

/* What came of a finished run. */
static void tell_end(const show *s, firn_sim *sim, const char *folder)
{
    int n_missed = s->expect ? firn_expect_count(s->expect, FIRN_EXPECT_MISSED) : 0;
    int is_told = s->display.style == FIRN_PROGRESS_LINE || s->display.style == FIRN_PROGRESS_PLAIN;
    if (is_told && !s->display.is_broken) { /* else nobody reads stdout, or only objects */
        summarize(s, sim);
        if (s->expect) firn_expect_print(s->expect, stdout);
        printf("the shot is in %s; 'firn info %s' describes it\n", folder, folder);
    }
    if (n_missed)
        firn_cli_warn("%d of the scene's expectations %s not met", n_missed,
                      n_missed == 1 ? "is" : "are");
}

int firn_run_session(const firn_cli *cli, firn_sim *sim, firn_run_output *record,
                     const firn_frame_plan *plan, firn_messages *messages)
{
    int64_t n_steps = firn_sim_step_count(sim);
    show s = {.display = firn_progress_open(style_of(cli)),
              .record = record,
              .messages = messages,
              .began = firn_run_output_clock(),
              .first_time = firn_sim_time(sim),
              .end = plan->end,
              .last_frame = (int)ceil(plan->end * plan->fps - 1e-9),
              .steps_before = n_steps,
              .steps_of_frame = n_steps};
    firn_frame_observer observer = {&s, on_step, on_moment};
    char folder[FIRN_PATH];
    snprintf(folder, sizeof folder, "%s", firn_shot_folder(record->shot));
    firn_status status = FIRN_OK;
    if (record->scene->n_expects)
        status = firn_expect_create(record->scene, sim, &s.expect, messages);
    if (status == FIRN_OK && firn_cli_has(cli, "while-running"))
        status = firn_live_preview_create(folder, record->scene, &s.painter, messages);
    if (status == FIRN_OK) status = firn_frame_loop(sim, plan, &observer, messages);
    firn_live_preview_destroy(s.painter, messages);
    if (status == FIRN_INTERRUPTED && s.record_status != FIRN_OK) status = s.record_status;
    firn_progress_break(&s.display);
    if (status == FIRN_INTERRUPTED)
        firn_cli_note("%s: writing a checkpoint",
                      firn_interrupt_signal() == SIGINT ? "interrupted" : "asked to end");
    status = firn_run_output_end(record, sim, status, first_error(messages), messages);
    firn_cli_report(messages, status);
    if (status == FIRN_INTERRUPTED)
        firn_cli_note("the shot is whole up to %g s; to go on: firn resume %s", firn_sim_time(sim),
                      folder);
    if (status == FIRN_STOPPED)
        firn_cli_note("the shot is whole up to its last frame; change what made it stop and go on: "
                      "firn resume %s --set "
                      "KEY=VALUE (from an earlier frame: --from)",
                      folder);
    if (status == FIRN_OK) tell_end(&s, sim, folder);
    firn_expect_destroy(s.expect);
    return status;
}
