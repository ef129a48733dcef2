/* SPDX-License-Identifier: MIT */
/* lab_figures.c: the stress-stretch figures 5, 6 and 7 of the thesis that firn grew from,
 * redrawn on the laws as they are built, so that a reader can lay the pictures side by side.
 *
 * One principal stretch s varies, the others are 1; drawn is the nominal stress P_1(s). The
 * figures were printed for mu = 100, lambda = 27.78. That lambda belongs to E = 100, nu = 0.2,
 * for which mu is 41.667, not 100: both pairs are drawn. Small-strain slopes are lambda + 2 mu =
 * 227.78 and 111.11. */
#include "lab/lab.h"
#include "base/file.h"
#include "base/memory.h"
#include "plot/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    N_FIGURES = 3,
    N_PAIRS = 2,
    CURVES_MAX = 4,
    N_DOWN = 97,
    N_UP = 160,
    N_ROWS = N_DOWN + 1 + N_UP
};

typedef struct curve {
    const char *spec, *label; /* of firn_lab_material, the moduli are added */
    double from;              /* least stretch that is drawn */
} curve;

typedef struct figure {
    const char *name, *title;
    double from, low, high; /* stretch at the left; range of the stress */
    curve curves[CURVES_MAX];
} figure;

static const figure figures[N_FIGURES] = {
    {"figure_5",
     "St. Venant-Kirchhoff",
     0,
     -100,
     600,
     {{"st_venant_kirchhoff", "St. Venant-Kirchhoff", 0.01}}},
    {"figure_6",
     "Neo-Hookean",
     0,
     -600,
     300,
     {{"neo_hookean", "lambda/2 (ln J)^2", 0.03}, {"neo_hookean_quadratic", "lambda/2 (J - 1)^2", 0.03}}},
    {"figure_7",
     "Bounded neo-Hookean, s_c = 0.4",
     -0.5,
     -900,
     300,
     {{"neo_hookean", "neo-Hookean", 0.03},
      {"bounded_neo_hookean,s_c=0.4,cap=1", "continued linearly (C1)", -0.5},
      {"bounded_neo_hookean,s_c=0.4,cap=0", "capped (C0)", -0.5}}},
};

static const struct {
    const char *moduli, *title;
} pairs[N_PAIRS] = {
    {"E=221.7404914697136,nu=0.10870245734856786", "as printed: mu = 100, lambda = 27.78"},
    {"E=100,nu=0.2", "consistent: mu = 41.667, lambda = 27.778"}};

/* From rest to `to`; row i of the path goes to y[at + i * step]. What the path does not reach
 * stays NAN. */
static firn_status branch(const firn_material *material, double to, int n, double *y, int at,
                          int step, firn_messages *messages)
{
    firn_lab_options options = firn_lab_options_default();
    firn_table *table = NULL;
    snprintf(options.path, sizeof options.path, "uniaxial_strain");
    options.to = to;
    options.n_steps = n;
    firn_status status = firn_lab_run(material, &options, &table, NULL, messages);
    if (status == FIRN_OK) {
        int column = firn_table_find(table, "nominal_xx");
        for (int i = 0; i <= n; i++) y[at + i * step] = firn_table_value(table, i, column);
    }
    firn_table_destroy(table);
    return status;
}

static firn_status compute(const figure *f, int c, int pair, const double *x, double *y,
                           firn_messages *messages)
{
    char spec[256];
    firn_material material;
    snprintf(spec, sizeof spec, "%s,%s", f->curves[c].spec, pairs[pair].moduli);
    firn_status status = firn_lab_material(spec, NULL, &material, messages);
    if (status == FIRN_OK) status = branch(&material, x[0], N_DOWN, y, N_DOWN, -1, messages);
    if (status == FIRN_OK) status = branch(&material, x[N_ROWS - 1], N_UP, y, N_DOWN, 1, messages);
    for (int i = 0; i < N_ROWS && x[i] < f->curves[c].from; i++) y[i] = NAN;
    return status;
}

static firn_status write_csv(const figure *f, int n, const double *x, double (*y)[N_ROWS],
                             const char *path, firn_messages *messages)
{
    firn_table_column columns[1 + N_PAIRS * CURVES_MAX] = {{"stretch", "1"}};
    for (int k = 0; k < N_PAIRS * n; k++) {
        firn_table_column *column = &columns[1 + k];
        snprintf(column->name, sizeof column->name, "%s %s", k < n ? "printed" : "consistent",
                 f->curves[k % n].label);
        for (char *at = column->name; *at; at++)
            if (strchr(" (),", *at)) *at = '_';
        snprintf(column->unit, sizeof column->unit, "Pa");
    }
    firn_table *table = firn_table_create(1 + N_PAIRS * n, columns);
    int is_complete = table != NULL;
    for (int i = 0; i < N_ROWS && is_complete; i++) {
        double row[1 + N_PAIRS * CURVES_MAX] = {x[i]};
        for (int k = 0; k < N_PAIRS * n; k++) row[1 + k] = y[k][i];
        is_complete = firn_table_add(table, row);
    }
    firn_text csv = {0};
    if (is_complete) firn_table_csv(table, &csv);
    firn_table_destroy(table);
    firn_status status =
        is_complete ? firn_text_write(&csv, path, messages)
                    : firn_messages_add(messages, FIRN_MEMORY, "No memory left for %s.", path);
    firn_text_clear(&csv);
    return status;
}

static firn_status draw(const figure *f, int n, const double *x, double (*y)[N_ROWS],
                        const char *path, firn_messages *messages)
{
    firn_plot_series series[N_PAIRS][CURVES_MAX];
    firn_plot plots[N_PAIRS];
    firn_plot_mark lowest = {1 / sqrt(3), "least stress at 1/sqrt 3", 0};
    for (int p = 0; p < N_PAIRS; p++) {
        for (int c = 0; c < n; c++)
            series[p][c] = (firn_plot_series){f->curves[c].label,
                                              N_ROWS,
                                              x,
                                              y[p * n + c],
                                              c == 2 ? FIRN_PLOT_DASHED : FIRN_PLOT_LINE,
                                              0};
        plots[p] =
            (firn_plot){.title = pairs[p].title,
                        .x = {.label = "stretch s", .has_range = 1, .min = f->from, .max = 3},
                        .y = {.label = "principal nominal stress", .unit = "Pa", .has_range = 1},
                        .n_series = n,
                        .series = series[p]};
        plots[p].y.min = f->low;
        plots[p].y.max = f->high;
        if (f == &figures[0]) {
            plots[p].n_marks = 1;
            plots[p].marks = &lowest;
        }
    }
    firn_figure drawn = {.title = f->title, .n_plots = N_PAIRS, .plots = plots, .shared_legend = 1};
    drawn.width = 460;
    drawn.height = 380;
    return firn_plot_write(&drawn, path, messages);
}

static firn_status make(const figure *f, const char *folder, void (*written)(const char *path),
                        firn_messages *messages)
{
    int n = 0;
    while (n < CURVES_MAX && f->curves[n].spec) n++;
    double x[N_ROWS], y[N_PAIRS * CURVES_MAX][N_ROWS];
    /* -0.5 ... 3; no step falls on a stretch of exactly 0, where F cannot be inverted */
    for (int i = 0; i < N_ROWS; i++)
        x[i] = i < N_DOWN ? 1 - 1.5 * (N_DOWN - i) / N_DOWN : 1 + 2.0 * (i - N_DOWN) / N_UP;
    firn_status status = FIRN_OK;
    for (int k = 0; k < N_PAIRS * n && status == FIRN_OK; k++)
        status = compute(f, k % n, k / n, x, y[k], messages);
    static const char *const endings[] = {"csv", "svg", "png"};
    for (int e = 0; e < 3 && status == FIRN_OK; e++) {
        char path[FIRN_PATH + 32];
        snprintf(path, sizeof path, "%s/%s.%s", folder, f->name, endings[e]);
        status = e == 0 ? write_csv(f, n, x, y, path, messages) : draw(f, n, x, y, path, messages);
        if (status == FIRN_OK && written) written(path);
    }
    return status;
}

firn_status firn_lab_figures(const char *folder, void (*written)(const char *path),
                             firn_messages *messages)
{
    firn_status status = firn_file_make_folder(folder, messages);
    for (int i = 0; i < N_FIGURES && status == FIRN_OK; i++)
        status = make(&figures[i], folder, written, messages);
    return status;
}
