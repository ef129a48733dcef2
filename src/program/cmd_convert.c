/* SPDX-License-Identifier: MIT */
/* cmd_convert.c: `firn convert FROM TO` - between all formats of the table, with attributes
 * chosen by name; with --retime a whole shot at another speed. */
#include "program/cli.h"
#include "base/file.h"
#include "base/messages.h"
#include "base/suggest.h"
#include "points/cache_sequence.h"
#include "points/format.h"
#include "points/retime.h"
#include "session/interrupt.h"
#include "shot/manifest.h"

#include <math.h>
#include <string.h>

/* The chosen attributes and every nth point, copied; P always comes along. */
static firn_points *choose(const firn_points *all, const char *names, int64_t nth)
{
    firn_points *chosen = firn_points_create((all->n + nth - 1) / nth);
    for (int pass = 0; chosen && pass < 2; pass++)
        for (int a = 0; a < (pass ? all->n_details : all->n_attributes); a++) {
            const firn_attribute *from = pass ? &all->details[a] : &all->attributes[a];
            if (!pass && names && !firn_suggest_has(names, from->name) &&
                strcmp(from->name, "P") != 0)
                continue;
            firn_attribute *to =
                pass ? firn_points_add_detail(chosen, from->name, from->type, from->n_components)
                     : firn_points_add(chosen, from->name, from->type, from->n_components);
            int is_good = to != NULL;
            for (int s = 0; is_good && s < from->n_strings; s++)
                is_good = firn_attribute_append(to, from->strings[s]) >= 0;
            if (!is_good) {
                firn_points_destroy(chosen);
                return NULL;
            }
            size_t bytes = (size_t)from->n_components * 4;
            for (int64_t i = 0; i < (pass ? 1 : chosen->n); i++)
                memcpy(to->data.i + i * to->n_components,
                       from->data.i + (pass ? 0 : i * nth) * to->n_components, bytes);
        }
    return chosen;
}

static firn_status check_names(const firn_points *points, const char *names,
                               firn_messages *messages)
{
    char word[64];
    for (const char *p = names; *p;) {
        size_t n = strcspn(p, " ");
        if (n >= sizeof word)
            return firn_messages_add(messages, FIRN_USAGE, "'%s' is not the name of an attribute",
                                     p);
        memcpy(word, p, n);
        word[n] = 0;
        if (n && !firn_points_find(points, word))
            return firn_messages_add(messages, FIRN_USAGE,
                                     "attribute '%s' does not exist; `firn info` lists all", word);
        p += n + (p[n] == ' ');
    }
    return FIRN_OK;
}

static firn_status convert(const firn_cli *cli, firn_messages *messages)
{
    const char *names = firn_cli_text(cli, "attributes", NULL);
    int64_t nth = firn_cli_integer(cli, "nth", 1);
    const firn_format *to = firn_format_of(cli->arguments[1]);
    firn_points *points, *chosen = NULL;
    if (!to || !to->write) /* before a large file is read for nothing */
        return firn_format_write(cli->arguments[1], NULL, NULL, messages);
    firn_status status = firn_format_read(cli->arguments[0], &points, messages);
    if (status != FIRN_OK) return status;
    if (names) status = check_names(points, names, messages);
    if (status == FIRN_OK && (names || nth > 1)) {
        chosen = choose(points, names, nth);
        if (!chosen) status = firn_messages_no_memory(messages, "copy of the points");
    }
    firn_interrupt_begin();
    if (status == FIRN_OK)
        status = firn_format_write(cli->arguments[1], chosen ? chosen : points, NULL, messages);
    firn_points_destroy(chosen);
    firn_points_destroy(points);
    return status;
}

/* ---------------------------------------------------------------- another speed */

/* Two neighbouring caches of a shot and their times. */
typedef struct window {
    const firn_cache_sequence *shot;
    int next; /* the frame after b */
    firn_points *a, *b;
    double t_a, t_b;
} window;

static double number_of(const firn_cache_sequence_frame *frame)
{
    return frame->frame + 1e-3 * frame->thousandths;
}

/* b becomes a, and the next cache b. */
static firn_status advance(window *w, firn_messages *messages)
{
    const char *path = w->shot->frames[w->next].path;
    firn_points_destroy(w->a);
    w->a = w->b;
    w->t_a = w->t_b;
    w->b = NULL;
    firn_status status = firn_format_read(path, &w->b, messages);
    const firn_attribute *time = status == FIRN_OK ? firn_points_find_detail(w->b, "time") : NULL;
    if (status == FIRN_OK && (!time || time->type != FIRN_ATTRIBUTE_FLOAT))
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "%s: no detail attribute \"time\", so its time is not known; "
                                 "allowed: caches of firn run",
                                 path);
    if (status != FIRN_OK) return status;
    w->t_b = time->data.f[0];
    w->next++;
    return FIRN_OK;
}

static void set_detail(firn_points *points, const char *name, int32_t whole, double number)
{
    const firn_attribute *detail = firn_points_find_detail(points, name);
    if (detail && detail->type == FIRN_ATTRIBUTE_INT) detail->data.i[0] = whole;
    if (detail && detail->type == FIRN_ATTRIBUTE_FLOAT) detail->data.f[0] = (float)number;
}

/* Frame k of the result, at `t` of the simulation. */
static firn_status write_retimed(const window *w, const char *folder, const char *extension, int k,
                                 double t, double frame_time, double speed, firn_messages *messages)
{
    char path[2 * FIRN_PATH];
    firn_points *points = NULL;
    const int frame = w->shot->frames[0].frame + k;
    firn_status status =
        firn_retime_between(w->a, w->b, w->t_a, w->t_b, t, speed, &points, messages);
    if (status != FIRN_OK) return status;
    set_detail(points, "frame", frame, frame);
    set_detail(points, "time", 0, frame * frame_time);
    snprintf(path, sizeof path, "%s/%s.%04d%s", folder, w->shot->title, frame, extension);
    status = firn_format_write(path, points, NULL, messages);
    firn_points_destroy(points);
    if (status == FIRN_OK) printf("%s\n", path);
    return status;
}

/* Caches as far apart in time as those of the shot; from one to the next `speed` times as much
 * happens. */
static firn_status retime_all(window *w, const char *folder, const char *extension, double speed,
                              firn_messages *messages)
{
    const firn_cache_sequence_frame *f = w->shot->frames;
    firn_status status = advance(w, messages);
    const double t_first = w->t_b;
    if (status == FIRN_OK) status = advance(w, messages);
    double frame_time = (w->t_b - w->t_a) / (number_of(&f[1]) - number_of(&f[0]));
    /* times of caches are floats: to thousandths of a frame per second */
    if (frame_time > 0 && frame_time < 1) frame_time = 1000 / round(1000 / frame_time);
    if (status == FIRN_OK && !(frame_time > 0 && isfinite(frame_time)))
        status = firn_messages_add(messages, FIRN_REFUSED,
                                   "%s: times do not grow from cache to cache (%g s, %g s)",
                                   f[1].path, w->t_a, w->t_b);
    for (int k = 0; status == FIRN_OK; k++) {
        double t = t_first + k * frame_time * speed;
        const double slack = 1e-3 * frame_time;
        while (status == FIRN_OK && t > w->t_b + slack && w->next < w->shot->n)
            status = advance(w, messages);
        if (status != FIRN_OK || t > w->t_b + slack) break;
        if (fabs(t - w->t_b) < slack) t = w->t_b;
        if (fabs(t - w->t_a) < slack) t = w->t_a;
        if (firn_interrupt_signal()) return FIRN_INTERRUPTED;
        status = write_retimed(w, folder, extension, k, t, frame_time, speed, messages);
    }
    return status;
}

static firn_status check_folders(const firn_cli *cli, const firn_cache_sequence *shot,
                                 firn_messages *messages)
{
    const char *folder = cli->arguments[1];
    if (shot->n < 2)
        return firn_messages_add(messages, FIRN_REFUSED, "%s: one cache alone has no speed",
                                 cli->arguments[0]);
    if (firn_manifest_exists(folder))
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "%s: holds a shot, whose caches must not be mixed with others; "
                                 "try: another folder",
                                 folder);
    return firn_file_make_folder(folder, messages);
}

static firn_status retime(const firn_cli *cli, firn_messages *messages)
{
    firn_cache_sequence shot = {0};
    window w = {.shot = &shot};
    firn_status status = firn_cache_sequence_open(cli->arguments[0], &shot, messages);
    if (status == FIRN_OK) status = check_folders(cli, &shot, messages);
    const firn_format *format = status == FIRN_OK ? firn_format_of(shot.frames[0].path) : NULL;
    if (format && !format->write)
        status = firn_messages_add(messages, FIRN_REFUSED, "%s: %s cannot be written",
                                   shot.frames[0].path, format->name);
    firn_interrupt_begin();
    if (status == FIRN_OK)
        status = retime_all(&w, cli->arguments[1], format->extension,
                            firn_cli_number(cli, "retime", 1), messages);
    firn_points_destroy(w.a);
    firn_points_destroy(w.b);
    firn_cache_sequence_clear(&shot);
    return status;
}

static int run(const firn_cli *cli)
{
    if (firn_cli_has(cli, "list")) {
        const firn_format *format;
        for (int i = 0; (format = firn_format_at(i)); i++)
            printf("%-12s %-13s %s%s  %s\n", format->name, format->extension,
                   format->read ? "r" : "-", format->write ? "w" : "-", format->doc);
        return FIRN_OK;
    }
    if (cli->n_arguments != 2)
        return firn_cli_fail(
            FIRN_USAGE, "`firn convert` needs two files; usage: firn convert [options] FROM TO");
    firn_messages *messages = firn_messages_create();
    if (!messages) return firn_cli_no_memory("messages");
    firn_status status =
        firn_cli_has(cli, "retime") ? retime(cli, messages) : convert(cli, messages);
    firn_cli_report(messages, status);
    firn_messages_destroy(messages);
    return status;
}

static const firn_cli_option options[] = {
    {"attributes", 'a', FIRN_CLI_TEXT, "NAMES",
     "Only these attributes, separated by blanks; P is always kept."},
    {"nth", 'n', FIRN_CLI_INTEGER, "N", "Only every N-th point.", .min = 1, .max = 1e9},
    {"retime", 0, FIRN_CLI_NUMBER, "SPEED",
     "FROM is a shot and TO a folder: caches at another speed, 0.25 for four times slower. "
     "Positions "
     "follow the velocities between caches; v is that of the result.",
     .min = 1e-3, .max = 1e3},
    {"list", 0, FIRN_CLI_FLAG, .doc = "List the formats: r: readable, w: writable."},
    {0},
};

const firn_cli_verb firn_cmd_convert = {
    .name = "convert",
    .summary = "convert a cache to another format",
    .arguments = "FROM TO",
    .n_max = 2,
    .completes = FIRN_CLI_FILE,
    .text =
        "Reads points in one format and writes them in another, by the extensions of the names. "
        "Attributes and details are kept as far as the format can hold them.\n\n  firn convert "
        "snow.0010.bgeo snow.0010.vtp\n  firn convert -a 'v Jp' -n 10 snow.0010.bgeo "
        "preview.bgeo\n  firn convert --retime 0.25 "
        "shots/snowball slow",
    .options = options,
    .run = run,
};
