/* SPDX-License-Identifier: MIT */
/* lab_draw.c: pictures of lab curves: several laws over each other, measured points, and below
 * ellipticity's panel. */
#include "lab/lab.h"
#include "base/memory.h"
#include "base/messages.h"
#include "plot/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CURVES_MAX = 64, LABEL = 96 };

/* What a column is called on an axis. */
static void column_label(const char *name, char label[LABEL])
{
    static const struct {
        const char *start, *shown;
    } words[] = {{"nominal_", "nominal stress "},
                 {"cauchy_", "Cauchy stress "},
                 {"kirchhoff_", "Kirchhoff stress "},
                 {"acoustic_min", "smallest eigenvalue of the acoustic tensor"},
                 {"stress_ratio", "lateral over axial stress"},
                 {"mises", "von Mises stress"},
                 {"rate", "rate of deformation"},
                 {"shear", "amount of shear"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = strlen(words[i].start);
        if (strncmp(name, words[i].start, n) != 0) continue;
        snprintf(label, LABEL, "%s%s", words[i].shown, name + n);
        return;
    }
    snprintf(label, LABEL, "%s", name);
    for (char *c = label; *c; c++)
        if (*c == '_') *c = ' ';
}

/* The series of one panel, owning copies of the columns. */
typedef struct sheet {
    int n, n_marks;
    firn_plot_series series[CURVES_MAX];
    firn_plot_mark marks[CURVES_MAX];
    char mark_labels[CURVES_MAX][LABEL], x_label[LABEL], y_label[LABEL];
    const char *x_unit, *y_unit;
} sheet;

static void release(sheet *s)
{
    for (int i = 0; i < s->n; i++) {
        size_t n_bytes = (size_t)s->series[i].n * sizeof(double);
        firn_memory_release(NULL, (double *)(uintptr_t)s->series[i].x, n_bytes);
        firn_memory_release(NULL, (double *)(uintptr_t)s->series[i].y, n_bytes);
    }
}

/* Adds the curve when its table has both columns; 0: out of memory. */
static int add_curve(sheet *s, const firn_lab_curve *curve, int place, const char *x, const char *y)
{
    int cx = firn_table_find(curve->table, x), cy = firn_table_find(curve->table, y);
    if (cx < 0 || cy < 0) return 1;
    double *xs = firn_table_series(curve->table, cx), *ys = firn_table_series(curve->table, cy);
    /* solid and dashed in turn, so that a curve that lies on another does not hide it */
    firn_plot_style style = curve->is_measured ? FIRN_PLOT_MARKERS
                            : place % 2        ? FIRN_PLOT_DASHED
                                               : FIRN_PLOT_LINE;
    s->series[s->n++] =
        (firn_plot_series){curve->label, curve->table->n_rows, xs, ys, style, place + 1};
    s->x_unit = curve->table->columns[cx].unit;
    s->y_unit = curve->table->columns[cy].unit;
    if (xs && ys) return 1;
    s->series[s->n - 1].n = 0;
    return 0;
}

static void add_loss(sheet *s, const firn_lab_curve *curve, int is_only, const firn_lab_loss *loss,
                     const char *x, const char *how)
{
    double at = strcmp(x, "time") == 0    ? loss->time
                : strcmp(x, "shear") == 0 ? loss->shear
                                          : loss->stretch;
    if (curve->is_measured || isnan(at) || s->n_marks == CURVES_MAX) return;
    snprintf(s->mark_labels[s->n_marks], LABEL, "%.40s%slost %s at %.5g",
             is_only ? "" : curve->label, is_only ? "" : ": ", how, at);
    s->marks[s->n_marks] = (firn_plot_mark){at, s->mark_labels[s->n_marks], 0};
    s->n_marks++;
}

static firn_plot panel(sheet *s, const char *title, const char *x, const char *y,
                       const double range[2])
{
    column_label(x, s->x_label);
    column_label(y, s->y_label);
    int is_log = strcmp(x, "rate") == 0;
    return (firn_plot){.title = title,
                       .x = {.label = s->x_label, .unit = s->x_unit, .is_log = is_log},
                       .y = {.label = s->y_label,
                             .unit = s->y_unit,
                             .is_log = is_log,
                             .has_range = isfinite(range[0]) && isfinite(range[1]),
                             .min = range[0],
                             .max = range[1]},
                       .n_series = s->n,
                       .series = s->series,
                       .n_marks = s->n_marks,
                       .marks = s->marks};
}

/* To the file, or into `svg` when there is no path. */
static firn_status draw(const firn_lab_picture *p, const char *path, firn_text *svg,
                        firn_messages *messages)
{
    static const double of_data[2] = {NAN, NAN};
    if (p->n > CURVES_MAX)
        return firn_messages_add(messages, FIRN_REFUSED, "plot '%s': %d curves; allowed: %d",
                                 p->title, p->n, CURVES_MAX);
    sheet *sheets = firn_memory_array(NULL, 2, sizeof *sheets);
    if (!sheets) return firn_messages_no_memory(messages, "plot '%s'", p->title);
    int is_complete = 1;
    for (int i = 0; i < p->n; i++) {
        const firn_lab_curve *curve = &p->curves[i];
        is_complete &= add_curve(&sheets[0], curve, i, p->x, p->y);
        is_complete &= add_curve(&sheets[1], curve, i, p->x, "acoustic_min");
        add_loss(&sheets[1], curve, p->n == 1, &curve->stability.any, p->x, "in some direction");
        add_loss(&sheets[1], curve, p->n == 1, &curve->stability.axis, p->x, "by a bar");
    }
    firn_status status = FIRN_OK;
    if (!is_complete)
        status = firn_messages_no_memory(messages, "plot '%s'", p->title);
    else if (!sheets[0].n)
        status = firn_messages_add(messages, FIRN_REFUSED,
                                   "plot '%s': no curve has both columns '%s' and '%s'", p->title,
                                   p->x, p->y);
    else {
        firn_plot plots[2] = {panel(&sheets[0], p->title, p->x, p->y, p->range),
                              panel(&sheets[1], "Ellipticity", p->x, "acoustic_min", of_data)};
        firn_figure figure = {.n_plots = sheets[1].n ? 2 : 1,
                              .plots = plots,
                              .n_columns = 1,
                              .width = 720,
                              .height = 430};
        status =
            path ? firn_plot_write(&figure, path, messages) : firn_plot_svg(&figure, svg, messages);
    }
    release(&sheets[0]);
    release(&sheets[1]);
    firn_memory_release(NULL, sheets, 2 * sizeof *sheets);
    return status;
}

firn_status firn_lab_draw(const firn_lab_picture *picture, const char *path,
                          firn_messages *messages)
{
    return draw(picture, path, NULL, messages);
}

firn_status firn_lab_draw_svg(const firn_lab_picture *picture, firn_text *svg,
                              firn_messages *messages)
{
    return draw(picture, NULL, svg, messages);
}
