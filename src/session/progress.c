/* SPDX-License-Identifier: MIT */
/* progress.c: see progress.h. */
#include "session/progress.h"

#include <math.h>
#include <stdio_ext.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

void firn_progress_clock(double seconds, char *out, size_t n_out)
{
    if (!(seconds >= 0 && seconds < 1e9)) {
        snprintf(out, n_out, "--:--");
        return;
    }
    long s = lround(seconds);
    if (s >= 3600)
        snprintf(out, n_out, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    else
        snprintf(out, n_out, "%ld:%02ld", s / 60, s % 60);
}

/* 1234567 -> "1.23 M" */
static void count(double number, char out[32])
{
    static const char *const units[] = {"", " k", " M", " G"};
    int unit = 0;
    while (number >= 9999.5 && unit < 3) {
        number /= 1000;
        unit++;
    }
    int n_decimals = unit == 0 ? 0 : number < 10 ? 2 : number < 100 ? 1 : 0;
    snprintf(out, 32, "%.*f%s", n_decimals, number, units[unit]);
}

static void bytes(size_t n_bytes, char out[32])
{
    double megabytes = (double)n_bytes / (1 << 20);
    if (megabytes < 10)
        snprintf(out, 32, "%.1f MiB", megabytes);
    else if (megabytes < 1000)
        snprintf(out, 32, "%.0f MiB", megabytes);
    else
        snprintf(out, 32, "%.1f GiB", megabytes / 1024);
}

/* "wave, snow #123": which criterion of which particle sets the step. */
static void limit(const firn_dt_limit *dt_limit, char out[160])
{
    int n = snprintf(out, 160, "%s",
                     dt_limit->criterion && *dt_limit->criterion ? dt_limit->criterion : "-");
    if (dt_limit->material && *dt_limit->material)
        n += snprintf(out + n, 160 - (size_t)n, ", %.64s", dt_limit->material);
    if (dt_limit->particle >= 0)
        snprintf(out + n, 160 - (size_t)n, " #%lld", (long long)dt_limit->particle);
}

/* ", bounded: volume 12, flow 3": bounds of laws met since the frame before, by kind. */
static void bounded(const firn_progress *p, firn_text *text)
{
    const char *before = ", bounded: ";
    for (int kind = 0; kind < FIRN_N_BOUNDS; kind++) {
        const int64_t n = p->stats.n_bounded[kind] - p->bounded_before[kind];
        char number[32];
        if (n <= 0) continue;
        count((double)n, number);
        firn_text_add(text, "%s%s %s", before, firn_bound_name(kind), number);
        before = ", ";
    }
}

void firn_progress_line(const firn_progress *p, int width, firn_text *text)
{
    char particles[32], blocks[32], memory[32], rate[32], eta[32], why[200];
    count((double)p->stats.n_particles, particles);
    count((double)p->stats.n_blocks, blocks);
    bytes(p->stats.memory_now, memory);
    count(p->updates_per_second, rate);
    firn_progress_clock(p->eta, eta, sizeof eta);
    limit(&p->stats.limit, why);
    if (p->stats.own_viscosity > 0 && p->stats.transfer_viscosity > 0.1 * p->stats.own_viscosity)
        snprintf(why + strlen(why), sizeof why - strlen(why), ", numerical viscosity %.2g times",
                 p->stats.transfer_viscosity / p->stats.own_viscosity);
    char line[768];
    firn_text held = {0};
    bounded(p, &held);
    snprintf(line, sizeof line,
             "frame %d/%d %3.0f %%  ETA %s  %lld steps  dt %.2e (%s%s)  %s particles  %s blocks  "
             "%s  %s updates/s",
             p->frame, p->last_frame, 100 * p->fraction, eta, (long long)p->n_substeps,
             p->stats.limit.dt, why, held.data ? held.data : "", particles, blocks, memory, rate);
    if (width > 0 && width < (int)sizeof line) line[width] = 0;
    firn_text_add(text, "%s", line);
    firn_text_clear(&held);
}

void firn_progress_json(const firn_progress *p, firn_json_writer *json)
{
    const firn_dt_limit *dt_limit = &p->stats.limit;
    firn_json_begin(json, NULL, '{');
    firn_json_integer(json, "frame", p->frame);
    firn_json_integer(json, "last_frame", p->last_frame);
    firn_json_number(json, "percent", 100 * p->fraction);
    firn_json_number(json, "time", p->time);
    firn_json_integer(json, "steps", p->n_substeps);
    firn_json_integer(json, "steps_total", p->stats.n_steps);
    firn_json_integer(json, "retries", p->stats.n_retries);
    firn_json_number(json, "dt", dt_limit->dt);
    firn_json_string(json, "dt_criterion", dt_limit->criterion ? dt_limit->criterion : "");
    firn_json_string(json, "dt_material", dt_limit->material ? dt_limit->material : "");
    firn_json_integer(json, "dt_particle", dt_limit->particle);
    firn_json_number(json, "transfer_viscosity", p->stats.transfer_viscosity);
    firn_json_number(json, "own_viscosity", p->stats.own_viscosity);
    firn_json_integer(json, "particles", p->stats.n_particles);
    firn_json_integer(json, "lost", p->stats.n_lost);
    firn_json_integer(json, "inverted", p->stats.n_inverted);
    firn_json_begin(json, "bounded", '{');
    for (int kind = 0; kind < FIRN_N_BOUNDS; kind++)
        firn_json_integer(json, firn_bound_name(kind), p->stats.n_bounded[kind]);
    firn_json_end(json);
    firn_json_integer(json, "blocks", p->stats.n_blocks);
    firn_json_integer(json, "memory", (int64_t)p->stats.memory_now);
    firn_json_number(json, "updates_per_second", p->updates_per_second);
    firn_json_number(json, "seconds", p->seconds);
    firn_json_number(json, "eta", p->eta >= 0 ? p->eta : NAN); /* null: not known yet */
    firn_json_end(json);
}

/* ---------------------------------------------------------------- rates */

enum { WINDOW = 5 }; /* s */

void firn_progress_measure(firn_progress_meter *meter, double wall, double time, double updates)
{
    const double since[3] = {wall - meter->wall, time - meter->time, updates - meter->updates};
    if (meter->has_begun && (since[0] < 0.05 || since[1] <= 0)) return; /* too short for a rate */
    for (int i = 0; i < 3 && meter->has_begun; i++)
        meter->sums[i] = exp(-since[0] / WINDOW) * meter->sums[i] + since[i];
    if (meter->has_begun) {
        meter->seconds_per_time = meter->sums[0] / meter->sums[1];
        meter->updates_per_second = meter->sums[2] / meter->sums[0];
    }
    meter->has_begun = 1;
    meter->wall = wall;
    meter->time = time;
    meter->updates = updates;
}

/* ---------------------------------------------------------------- display */

firn_progress_display firn_progress_open(firn_progress_style style)
{
    return (firn_progress_display){
        .style = style, .out = style == FIRN_PROGRESS_LINE ? stderr : stdout, .last_shown = -1};
}

static int terminal_width(FILE *out)
{
    struct winsize size;
    return ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1 : 79;
}

static void put(const firn_progress_display *display, const firn_progress *progress)
{
    if (display->style == FIRN_PROGRESS_JSON) {
        firn_json_writer json;
        firn_json_init(&json, 0);
        firn_progress_json(progress, &json);
        const char *line = firn_json_finish(&json, NULL);
        if (line) fputs(line, display->out); /* ends in a newline */
        firn_json_clear(&json);
        return;
    }
    int is_living = display->style == FIRN_PROGRESS_LINE;
    firn_text text = {0};
    firn_progress_line(progress, is_living ? terminal_width(display->out) : 0, &text);
    if (text.data)
        fprintf(display->out, "%s%s%s", is_living ? "\r" : "", text.data,
                is_living ? "\033[K" : "\n");
    firn_text_clear(&text);
}

void firn_progress_show(firn_progress_display *display, const firn_progress *progress,
                        int is_frame_done)
{
    int is_living = display->style == FIRN_PROGRESS_LINE;
    if (display->style == FIRN_PROGRESS_NONE || display->is_broken) return;
    if (!is_frame_done && (!is_living || progress->seconds - display->last_shown < 0.1)) return;
    put(display, progress);
    display->last_shown = progress->seconds;
    display->is_line_open = is_living;
    if (fflush(display->out) != 0 || ferror(display->out)) {
        /* The reader has closed the stream. What is left in it is discarded, or the end of the program
         * would report it. */
        __fpurge(display->out);
        clearerr(display->out);
        display->is_broken = 1;
    }
}

void firn_progress_break(firn_progress_display *display)
{
    if (!display->is_line_open) return;
    fputc('\n', display->out);
    fflush(display->out);
    display->is_line_open = 0;
}

/* ---------------------------------------------------------------- lists */

static double wall_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

firn_progress_list firn_progress_list_begin(const char *what, int n)
{
    return (firn_progress_list){.what = what, .n = n, .began = wall_clock()};
}

void firn_progress_list_line(const firn_progress_list *list, double seconds, char *out,
                             size_t n_out)
{
    char eta[32];
    firn_progress_clock(list->n_done ? seconds / list->n_done * (list->n - list->n_done) : -1, eta,
                        sizeof eta);
    snprintf(out, n_out, "%d of %d %s  ETA %s", list->n_done, list->n, list->what, eta);
}

void firn_progress_list_hide(firn_progress_list *list)
{
    if (list->is_open) fputs("\r\033[K", stderr);
    list->is_open = 0;
}

void firn_progress_list_done(firn_progress_list *list)
{
    char line[160];
    firn_progress_list_hide(list);
    list->n_done++;
    if (list->n_done >= list->n || !isatty(STDERR_FILENO)) return;
    firn_progress_list_line(list, wall_clock() - list->began, line, sizeof line);
    fflush(stdout); /* where both are the same terminal */
    fprintf(stderr, "%s", line);
    list->is_open = 1;
}
