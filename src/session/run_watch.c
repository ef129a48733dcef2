/* SPDX-License-Identifier: MIT */
/* run_watch.c: see run_watch.h. */
#include "session/run_watch.h"

#include "laws/law.h"
#include "measure/expect.h"
#include "measure/probes.h"
#include "mpm/roundoff.h"
#include "mpm/transfer_damping.h"
#include "session/dt_cause.h"
#include "session/interrupt.h"
#include "session/live_preview.h"
#include "session/run_ranks.h"
#include "session/run_summary.h"
#include "solver/emission.h"
#include "solver/overlap.h"

#include <math.h>
#include <signal.h>
#include <string.h>

typedef struct watch {
    const firn_voice *voice;
    firn_progress_display display;
    firn_progress_meter meter;
    const firn_scene_def *scene;
    firn_run_output *output;
    firn_messages *messages;
    firn_expect_recorder *expect;  /* NULL: the scene has no expectations */
    firn_probes *probes;           /* NULL: the scene has none */
    firn_live_preview *preview;    /* NULL: not asked for */
    firn_status output_status;     /* of a checkpoint between output times */
    double began, first_time, end; /* wall s; simulated s, s */
    double updates;                /* particles times steps since it began */
    int last_frame;
    int is_precise;                       /* round-off has been judged */
    int is_transfer_told;                 /* that transfers damp more than the material */
    int64_t steps_before, steps_of_frame; /* step count at the start of the run, of the frame */
    int64_t most_steps;                   /* of a frame so far */
    double first_dt;  /* s: of the first step that a limit other than the frame gave */
    int is_fall_told; /* that dt has fallen far below it */
    int is_quiet;
    int64_t bounded_before[FIRN_N_BOUNDS]; /* bounds of laws met up to the last frame */
    firn_dt_limit limit; /* of the frame's smallest step that the frame's end did not cut short */
} watch;

/* ---------------------------------------------------------------- progress */

static void show_progress(watch *w, firn_sim *sim, int frame, int is_frame_done)
{
    firn_stats stats = firn_sim_stats(sim);
    if (w->limit.criterion) stats.limit = w->limit;
    const double now = firn_run_output_clock() - w->began, time = firn_sim_time(sim);
    firn_progress_measure(&w->meter, now, time - w->first_time, w->updates);

    const double left = w->end - time, rate = w->meter.seconds_per_time;
    firn_progress progress = {.frame = frame,
                              .last_frame = w->last_frame,
                              .fraction = w->end > 0 ? time / w->end : 1,
                              .time = time,
                              .n_substeps = stats.n_steps - w->steps_of_frame,
                              .stats = stats,
                              .seconds = now,
                              .updates_per_second = w->meter.updates_per_second,
                              .eta = rate > 0   ? left * rate
                                     : left > 0 ? -1
                                                : 0};
    memcpy(progress.bounded_before, w->bounded_before, sizeof w->bounded_before);
    firn_progress_show(&w->display, &progress, is_frame_done);
    if (!is_frame_done) return;
    memcpy(w->bounded_before, stats.n_bounded, sizeof w->bounded_before);
    w->steps_of_frame = stats.n_steps;
    w->limit = (firn_dt_limit){0};
}

/* Keeps the limit of the frame's smallest step. The step that ends a frame is limited by the
 * frame ("frame"), which says nothing about the material. */
static void note_limit(watch *w, const firn_dt_limit *now)
{
    const int is_frame = !now->criterion || !strcmp(now->criterion, "frame");
    if (!w->limit.criterion ||
        (!is_frame && (!strcmp(w->limit.criterion, "frame") || now->dt < w->limit.dt)))
        w->limit = *now;
}

/* ---------------------------------------------------------------- the observer */

static int on_step(void *user, firn_sim *sim, int frame)
{
    watch *w = user;
    const firn_dt_limit now = firn_sim_stats(sim).limit;
    note_limit(w, &now);
    if (!(w->first_dt > 0) && now.criterion && strcmp(now.criterion, "frame") != 0)
        w->first_dt = now.dt;
    w->updates += (double)firn_sim_n_particles(sim);
    show_progress(w, sim, frame, 0);
    if (w->probes) w->output_status = firn_probes_sample(w->probes, w->messages);
    if (w->output_status != FIRN_OK) return 1; /* one rank alone: probes are refused on several */
    const firn_turn turn =
        firn_run_ranks_turn(sim, firn_interrupt_signal() != 0, firn_run_output_is_due(w->output));
    if (!turn.has_checkpoint) return turn.has_signal;
    w->output_status = firn_run_ranks_assemble(sim, w->messages);
    if (w->output_status != FIRN_OK) return 1;
    w->output_status = firn_run_output_step(w->output, sim, w->messages);
    firn_run_ranks_disperse(sim);
    w->output_status = firn_run_ranks_share(sim, w->output_status);
    return w->output_status != FIRN_OK || turn.has_signal;
}

/* Steps that have become far smaller than the first ones, the parameter that did it, and
 * what to set; once. */
static void note_fall(watch *w, const firn_sim *sim, int frame)
{
    const firn_dt_limit *limit = &w->limit;
    char cause[512];
    if (!limit->criterion || strcmp(limit->criterion, "frame") == 0 || !(limit->dt > 0)) return;
    if (w->is_fall_told || !(FIRN_DT_FALL * limit->dt < w->first_dt)) return;
    w->is_fall_told = 1;
    firn_dt_cause_tell(sim, limit, cause, sizeof cause);
    if (w->is_quiet) return;
    firn_progress_break(&w->display);
    firn_voice_say(w->voice, FIRN_WARNING,
                   "frame %d: dt has fallen from %.3g s at the start to %.3g s, limited by "
                   "%s%s",
                   frame, w->first_dt, limit->dt, limit->criterion, cause);
}

/* A frame that takes far more steps than all before it, and what limits its dt: the estimate of
 * `firn check` no longer holds. */
static void note_steps(watch *w, firn_sim *sim, int frame)
{
    enum { MANY_TIMES = 4, MANY = 50 };
    const int64_t n = firn_sim_step_count(sim) - w->steps_of_frame;
    const firn_dt_limit *limit = &w->limit;
    if (w->most_steps && n > MANY && n > MANY_TIMES * w->most_steps && !w->is_quiet) {
        firn_progress_break(&w->display);
        firn_voice_say(w->voice, FIRN_NOTE,
                       "frame %d took %lld steps, %.3g times those of any frame before: dt %.3g s, "
                       "limited by %s%s%s",
                       frame, (long long)n, (double)n / (double)w->most_steps, limit->dt,
                       limit->criterion ? limit->criterion : "frame",
                       limit->material && *limit->material ? " of " : "",
                       limit->material ? limit->material : "");
    }
    if (n > w->most_steps) w->most_steps = n;
    note_fall(w, sim, frame);
}

/* Warnings are reported at once, not at the end of the run. */
static void report_warnings(watch *w)
{
    if (firn_messages_total(w->messages) == 0) return;
    firn_progress_break(&w->display);
    w->voice->report(w->messages);
    firn_messages_clear(w->messages);
}

static firn_status write_outputs(watch *w, firn_sim *sim, const firn_output_time *at,
                                 firn_messages *messages)
{
    firn_status status = firn_run_output_write(w->output, sim, at, messages);
    if (status == FIRN_OK && w->expect)
        status = firn_expect_record(w->expect, sim, at->is_end, messages);
    if (status == FIRN_OK && w->preview && (at->sub == 0 || at->is_end))
        status = firn_live_preview_offer(w->preview, sim, at->frame, at->is_end, messages);
    const int has_stepped = firn_sim_step_count(sim) > w->steps_before;
    if (!w->is_transfer_told && has_stepped)
        w->is_transfer_told = firn_transfer_damping_warn(sim, 8, messages);
    if (status == FIRN_OK && !w->is_precise && has_stepped)
        status = firn_roundoff_check(sim, w->end - w->first_time, messages);
    w->is_precise |= has_stepped;
    if (status == FIRN_OK && at->sub == 0) status = firn_emission_watch(sim, messages);
    if (status == FIRN_OK) report_warnings(w);
    if (status == FIRN_OK && at->sub == 0 && at->frame > 0) note_steps(w, sim, at->frame);
    if (status == FIRN_OK && at->sub == 0) show_progress(w, sim, at->frame, 1);
    return status;
}

static firn_status on_output_time(void *user, firn_sim *sim, const firn_output_time *at,
                                  firn_messages *messages)
{
    firn_status status = firn_run_ranks_assemble(sim, messages);
    if (status != FIRN_OK) return status;
    status = write_outputs(user, sim, at, messages);
    firn_run_ranks_disperse(sim);
    return firn_run_ranks_share(sim, status);
}

/* ---------------------------------------------------------------- the end */

static void print_stages(const firn_stats *stats)
{
    double total = 0;
    for (int i = 0; i < FIRN_N_STAGES; i++) total += stats->stage_seconds[i];
    if (total <= 0) return;
    fputs("time by stage:", stdout);
    for (int i = 0; i < FIRN_N_STAGES; i++)
        printf("%s %s %.0f %%", i ? "," : "", firn_stage_name(i),
               100 * stats->stage_seconds[i] / total);
    fputc('\n', stdout);
}

/* What laws held at a bound, by material and kind. */
static void print_bounds(const watch *w, firn_sim *sim)
{
    for (int m = 0; m < firn_sim_n_materials(sim); m++) {
        const firn_law_info *law = firn_material_def_law(&w->scene->materials[m]);
        firn_ledger ledger;
        if (firn_sim_ledger(sim, m, &ledger, NULL) != FIRN_OK) return;
        for (int kind = 0; law && kind < FIRN_N_BOUNDS; kind++)
            if (ledger.n_bounded_by[kind])
                printf("material '%s' met the bound '%s' %lld times, particles times steps: %s\n",
                       ledger.material, firn_bound_name(kind), (long long)ledger.n_bounded_by[kind],
                       firn_bound_meaning(law, kind));
    }
}

static void print_summary(const watch *w, firn_sim *sim)
{
    const firn_stats stats = firn_sim_stats(sim);
    const double seconds = firn_run_output_clock() - w->began;
    char clock[32];
    firn_progress_clock(seconds, clock, sizeof clock);
    printf("%lld steps of %lld particles in %s: %.3g M particle updates per second; memory peak "
           "%.0f MiB\n",
           (long long)(stats.n_steps - w->steps_before), (long long)stats.n_particles, clock,
           seconds > 0 ? w->updates / seconds * 1e-6 : 0, (double)stats.memory_peak / (1 << 20));
    const int n_checkpoints = w->output->n_checkpoints;
    if (n_checkpoints)
        printf("%d checkpoint%s: %.2g s, %.2g %% of the run\n", n_checkpoints,
               n_checkpoints == 1 ? "" : "s", w->output->checkpoint_seconds,
               100 * w->output->checkpoint_seconds / fmax(seconds, 1e-9));
    print_stages(&stats);
    firn_run_ranks_print(sim, seconds);

    if (stats.n_lost)
        printf("%lld particles left through deleting walls, into sinks or out of reach\n",
               (long long)stats.n_lost);
    print_bounds(w, sim);
    if (stats.n_retries)
        printf("%lld steps were repeated with a smaller dt\n", (long long)stats.n_retries);
}

/* The manifest's reason for the end. */
static const char *first_error(const firn_messages *messages)
{
    for (int i = 0; i < firn_messages_total(messages); i++) {
        firn_level level = FIRN_NOTE;
        const char *sentence = firn_messages_text(messages, i, &level);
        if (level == FIRN_ERROR) return sentence;
    }
    return "";
}

static void report_finished(const watch *w, firn_sim *sim, const char *folder)
{
    const firn_progress_style style = w->display.style;
    const int is_for_people = style == FIRN_PROGRESS_LINE || style == FIRN_PROGRESS_PLAIN;
    if (is_for_people && !w->display.is_broken) {
        print_summary(w, sim);
        if (w->expect) firn_expect_print(w->expect, stdout);
        firn_run_summary_print(folder, stdout);
    }
    const int n_missed = w->expect ? firn_expect_count(w->expect, FIRN_EXPECT_MISSED) : 0;
    if (n_missed)
        firn_voice_say(w->voice, FIRN_WARNING, "%d of the scene's expectations %s not met",
                       n_missed, n_missed == 1 ? "is" : "are");
}

/* Particles that are inside a collider at the end of a run. */
static void report_sunk(const watch *w, const firn_sim *sim)
{
    const firn_overlap_sunk s = firn_overlap_find_sunk(sim);
    if (s.n == 0 || w->is_quiet) return;
    const firn_collider *c = &sim->colliders[s.collider];
    firn_voice_say(
        w->voice, FIRN_WARNING,
        "%lld of %lld particles are deeper than half a cell inside colliders, up to %.3g "
        "m (%.2g cells) in '%s' at %.4g %.4g %.4g m; try: %s",
        (long long)s.n, (long long)s.n_all, s.depth, s.depth / sim->h, c->def.name, s.x[0], s.x[1],
        s.x[2],
        c->def.particle_pass ? "a smaller grid.dx, or a thicker collider"
                             : "particle_pass: true in the collider, or a smaller grid.dx");
}

static void report_end(const watch *w, firn_sim *sim, firn_status status, const char *folder)
{
    if (status == FIRN_OK) report_finished(w, sim, folder);
    if (status == FIRN_OK) report_sunk(w, sim);
    if (status == FIRN_INTERRUPTED)
        firn_voice_say(w->voice, FIRN_NOTE,
                       "the shot is complete up to %g s; to continue: firn resume %s",
                       firn_sim_time(sim), folder);
    if (status == FIRN_STOPPED)
        firn_voice_say(w->voice, FIRN_NOTE,
                       "the shot is complete up to its last frame; to continue with other "
                       "settings: firn resume %s --set KEY=VALUE (from an earlier frame: --from)",
                       folder);
}

static firn_status begin_probes(watch *w, firn_sim *sim, const char *folder)
{
    const firn_scene_def *scene = w->output->scene;
    if (!scene->n_probes) return FIRN_OK;
    firn_probe_log *log = &w->output->probes;
    firn_status status = firn_probe_log_begin(log, folder, scene, firn_sim_time(sim), w->messages);
    log->expect = w->expect;
    if (status == FIRN_OK)
        status = firn_probes_create(scene, sim, firn_probe_log_put, log, &w->probes, w->messages);
    return status == FIRN_OK ? firn_probes_sample(w->probes, w->messages) : status;
}

/* The last checkpoint, on rank 0 with the particles of all ranks, which it keeps for the summary. */
static firn_status end_output(watch *w, firn_sim *sim, firn_status status)
{
    const int has_end = firn_run_ranks_has_end(status);
    const firn_status assembled = has_end ? firn_run_ranks_assemble(sim, w->messages) : FIRN_OK;
    if (assembled != FIRN_OK) status = assembled;
    status = firn_run_output_end(w->output, sim, status, first_error(w->messages), w->messages);
    return has_end && assembled == FIRN_OK ? firn_run_ranks_share(sim, status) : status;
}

firn_status firn_run_watch(const firn_session_options *options, firn_sim *sim,
                           firn_run_output *output, const firn_frame_plan *plan,
                           firn_messages *messages)
{
    const int64_t n_steps = firn_sim_step_count(sim);
    watch w = {.voice = options->voice,
               .display = firn_progress_open(options->progress),
               .scene = output->scene,
               .output = output,
               .messages = messages,
               .began = firn_run_output_clock(),
               .first_time = firn_sim_time(sim),
               .end = plan->end,
               .last_frame = (int)ceil(plan->end * plan->fps - 1e-9),
               .steps_before = n_steps,
               .steps_of_frame = n_steps,
               .is_quiet = options->is_quiet};
    const firn_frame_observer observer = {&w, on_step, on_output_time};
    char folder[FIRN_PATH];
    snprintf(folder, sizeof folder, "%s", firn_shot_folder(output->shot));

    firn_status status = FIRN_OK;
    if (output->scene->n_expects)
        status = firn_expect_create(output->scene, sim, &w.expect, messages);
    if (status == FIRN_OK) status = begin_probes(&w, sim, folder);
    if (status == FIRN_OK && options->has_live_preview)
        status = firn_live_preview_create(folder, output->scene, sim, &w.preview, messages);
    if (status == FIRN_OK) status = firn_frame_loop(sim, plan, &observer, messages);
    firn_live_preview_destroy(w.preview, messages);
    firn_run_ranks_tell(sim, status, messages);
    if (status == FIRN_INTERRUPTED && w.output_status != FIRN_OK) status = w.output_status;

    firn_progress_break(&w.display);
    if (status == FIRN_INTERRUPTED)
        firn_voice_say(w.voice, FIRN_NOTE, "%s: writing a checkpoint",
                       firn_interrupt_signal() == SIGINT ? "interrupted" : "asked to end");
    status = end_output(&w, sim, status);
    w.voice->report(messages);
    report_end(&w, sim, status, folder);
    firn_run_ranks_disperse(sim);
    firn_probes_destroy(w.probes);
    firn_expect_destroy(w.expect);
    return status;
}
