/* SPDX-License-Identifier: MIT */
/* study_curves.c: curves over time: the section of the page, and for each quantity
 *
 *     OUT/data/NAME.csv       run, repeats, time, value, low, high       one row per point
 *     OUT/figures/NAME.svg    the figure of the page
 *     OUT/figures/NAME.tex    the same curves for pgfplots, SI units
 *
 * A colour belongs to a law (to a scene or the first swept value where one law is compared), a dash
 * to what else differs. With more than CURVES_IN_ONE curves each combination of the other settings
 * has a panel of its own, all with the same axes. Repeated runs are one curve, their mean, with a
 * band of one standard deviation on either side. */
#include "study/study.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/messages.h"
#include "plot/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CURVES_IN_ONE = 6, LABELS_AT_ENDS = 8 };

typedef struct curve {
    const char *label; /* of the group or the reference */
    const char *name;  /* of its color */
    int group, panel, color, n, n_repeats;
    firn_plot_style style;
    double *values; /* [4][n]: time, mean, low, high */
    size_t n_bytes;
} curve;

typedef struct curve_set {
    const firn_compare *compare;
    const char *column;
    char title[FIRN_NAME], unit[32];
    int n, n_of_runs, n_panels, capacity;
    curve *curves; /* those of runs first, then references */
} curve_set;

/* ---------------------------------------------------------------- looks */

/* What a color stands for: the law, the scene or a value of the first sweep. */
static int color_of_run(const firn_study *s, const firn_compare_run *run, const char **name)
{
    *name = NULL;
    if (s->n_laws > 1) return *name = s->laws[run->law].label, run->law + 1;
    if (s->n_scenes > 1) return run->scene + 1;
    if (s->n_axes) return *name = s->axes[0].values[run->place[0]], run->place[0] + 1;
    return 1;
}

/* Number of the combination of all that no color stands for. */
static int combination(const firn_study *s, const firn_compare_run *run)
{
    int index = s->n_laws > 1 && s->n_scenes > 1 ? run->scene : 0;
    for (int a = 0; a < s->n_axes; a++)
        if (a > 0 || s->n_laws > 1 || s->n_scenes > 1) index = index * s->axes[a].n + run->place[a];
    return index;
}

/* The settings of a combination in words. */
static void name_combination(const firn_study *s, const firn_compare_run *run, char *text, size_t n)
{
    size_t used = 0;
    text[0] = 0;
    if (s->n_laws > 1 && s->n_scenes > 1) {
        const char *slash = strrchr(s->scenes[run->scene], '/');
        used += (size_t)snprintf(text, n, "%s", slash ? slash + 1 : s->scenes[run->scene]);
    }
    for (int a = 0; a < s->n_axes && used < n; a++) {
        if (a == 0 && s->n_laws < 2 && s->n_scenes < 2) continue;
        const char *dot = strrchr(s->axes[a].path, '.');
        used += (size_t)snprintf(text + used, n - used, "%s%s %s", used ? ", " : "",
                                 dot ? dot + 1 : s->axes[a].path, s->axes[a].values[run->place[a]]);
    }
}

static void choose_looks(curve_set *set)
{
    static const firn_plot_style styles[] = {FIRN_PLOT_LINE, FIRN_PLOT_DASHED,
                                             FIRN_PLOT_LINE_MARKERS};
    const firn_study *s = set->compare->study;
    const int is_one = set->n_of_runs <= CURVES_IN_ONE;
    int panel_of[FIRN_COMPARE_RUNS_MAX];
    set->n_panels = is_one && set->n_of_runs > 0;
    for (int i = 0; i < set->n_of_runs; i++) {
        curve *c = &set->curves[i];
        const firn_compare_run *run = firn_compare_group(set->compare, c->group);
        const int index = combination(s, run);
        c->color = color_of_run(s, run, &c->name);
        c->style = is_one ? styles[index % 3] : FIRN_PLOT_LINE;
        c->panel = 0;
        if (is_one) continue;
        int k = 0;
        while (k < set->n_panels && panel_of[k] != index) k++;
        if (k == set->n_panels) panel_of[set->n_panels++] = index;
        c->panel = k;
    }
}

/* ---------------------------------------------------------------- collecting */

static curve *add_curve(curve_set *set, const char *label, int n)
{
    curve *c = &set->curves[set->n];
    *c = (curve){.label = label, .n = n, .n_bytes = 4 * (size_t)n * sizeof(double)};
    c->values = firn_memory_allocate(NULL, c->n_bytes);
    if (!c->values) return NULL;
    set->n++;
    return c;
}

/* The column of the runs of a group: rows that all of them have. 1: no memory. */
static int add_group(curve_set *set, int group)
{
    const firn_compare *compare = set->compare;
    const firn_compare_run *runs = firn_compare_group(compare, group);
    const firn_table *tables[FIRN_COMPARE_REPEATS_MAX];
    int n = 0, n_rows = 0, y = -1, time = -1;
    for (int i = 0; i < compare->study->n_repeats; i++) {
        const firn_table *table = runs[i].series.table;
        if (!table || (y = firn_table_find(table, set->column)) < 0) continue;
        time = firn_table_find(table, "time");
        n_rows = n && n_rows < table->n_rows ? n_rows : table->n_rows;
        tables[n++] = table;
    }
    if (!n || time < 0) return 0;
    y = firn_table_find(tables[0], set->column);
    curve *c = add_curve(set, runs->group_label, n_rows);
    if (!c) return 1;
    c->group = group;
    c->n_repeats = n;
    for (int k = 0; k < n_rows; k++) {
        double values[FIRN_COMPARE_REPEATS_MAX];
        for (int i = 0; i < n; i++)
            values[i] = firn_table_value(tables[i], k, firn_table_find(tables[i], set->column));
        firn_compare_spread spread = firn_compare_spread_of(n, values);
        c->values[k] = firn_table_value(tables[0], k, time);
        c->values[n_rows + k] = spread.mean;
        c->values[2 * n_rows + k] = spread.mean - spread.deviation;
        c->values[3 * n_rows + k] = spread.mean + spread.deviation;
    }
    if (!set->unit[0]) snprintf(set->unit, sizeof set->unit, "%s", tables[0]->columns[y].unit);
    return 0;
}

static int add_reference(curve_set *set, const firn_study_reference *reference,
                         const firn_table *table)
{
    int time = firn_table_find(table, "time"), y = firn_table_find(table, set->column);
    if (time < 0 || y < 0) return 0;
    curve *c = add_curve(set, reference->label, table->n_rows);
    if (!c) return 1;
    c->group = c->panel = -1;
    c->color = 5; /* black */
    c->style = FIRN_PLOT_DOTTED;
    for (int k = 0; k < c->n; k++) {
        c->values[k] = firn_table_value(table, k, time);
        c->values[c->n + k] = firn_table_value(table, k, y);
    }
    return 0;
}

static void clear_set(curve_set *set)
{
    for (int i = 0; i < set->n; i++)
        firn_memory_release(NULL, set->curves[i].values, set->curves[i].n_bytes);
    firn_memory_release(NULL, set->curves, (size_t)set->capacity * sizeof *set->curves);
}

static firn_status collect(curve_set *set, const firn_compare *compare, const char *column,
                           firn_table *const *references, firn_messages *messages)
{
    const firn_study *s = compare->study;
    const int n_groups = firn_compare_n_groups(compare);
    *set = (curve_set){.compare = compare, .column = column};
    set->capacity = n_groups + s->n_references;
    set->curves = firn_memory_array(NULL, (size_t)set->capacity, sizeof *set->curves);
    int has_failed = !set->curves;
    for (int g = 0; g < n_groups && !has_failed; g++) has_failed = add_group(set, g);
    set->n_of_runs = set->n;
    for (int i = 0; i < s->n_references && !has_failed; i++)
        if (strcmp(s->references[i].curve, column) == 0)
            has_failed = add_reference(set, &s->references[i], references[i]);
    if (has_failed) return firn_messages_no_memory(messages, "curves of the study");
    snprintf(set->title, sizeof set->title, "%s", column);
    for (char *t = set->title; *t; t++)
        if (*t == '_') *t = ' ';
    choose_looks(set);
    return FIRN_OK;
}

/* ---------------------------------------------------------------- the figure */

/* The same axes for all panels. */
static void common_axes(const curve_set *set, firn_plot_axis *x, firn_plot_axis *y)
{
    double low = INFINITY, high = -INFINITY, end = 0;
    for (int i = 0; i < set->n; i++) {
        const curve *c = &set->curves[i];
        for (int k = 0; k < c->n; k++) {
            const double *v = c->values + k;
            const int has_band = c->n_repeats > 1;
            low = fmin(low, has_band ? v[2 * c->n] : v[c->n]);
            high = fmax(high, has_band ? v[3 * c->n] : v[c->n]);
            end = fmax(end, v[0]);
        }
    }
    if (high > low) {
        y->has_range = 1;
        y->min = low - 0.03 * (high - low);
        y->max = high + 0.03 * (high - low);
    }
    if (end > 0) {
        x->has_range = 1;
        x->max = end;
    }
}

/* The curves of one panel, and all references; their number. */
static int fill_panel(const curve_set *set, int panel, firn_plot_series *series)
{
    int n = 0;
    for (int i = 0; i < set->n; i++) {
        const curve *c = &set->curves[i];
        if (c->panel != panel && c->panel >= 0) continue;
        const char *label = set->n_panels > 1 && c->name ? c->name : c->label;
        series[n] = (firn_plot_series){.label = label,
                                       .n = c->n,
                                       .x = c->values,
                                       .y = c->values + c->n,
                                       .style = c->style,
                                       .color = c->color,
                                       .low = c->n_repeats > 1 ? c->values + 2 * c->n : NULL,
                                       .high = c->n_repeats > 1 ? c->values + 3 * c->n : NULL};
        n++;
    }
    return n;
}

static firn_status draw(const curve_set *set, firn_text *svg, firn_messages *messages)
{
    const size_t n_all = (size_t)set->n * (size_t)set->n_panels;
    firn_plot *plots = firn_memory_array(NULL, (size_t)set->n_panels, sizeof *plots);
    firn_plot_series *series = firn_memory_array(NULL, n_all, sizeof *series);
    char(*titles)[128] = firn_memory_array(NULL, (size_t)set->n_panels, sizeof *titles);
    firn_status status = FIRN_OK;
    if (!plots || !series || !titles) status = firn_messages_no_memory(messages, "figure");
    firn_plot_axis x = {.label = "time", .unit = "s"}, y = {.label = set->title, .unit = set->unit};
    if (set->n_panels > 1) common_axes(set, &x, &y);
    for (int p = 0; p < set->n_panels && status == FIRN_OK; p++) {
        firn_plot_series *own = series + p * set->n;
        plots[p] = (firn_plot){.x = x, .y = y, .series = own};
        plots[p].n_series = fill_panel(set, p, own);
        plots[p].labels_at_ends = set->n_panels == 1 && plots[p].n_series <= LABELS_AT_ENDS;
        for (int i = 0; i < set->n_of_runs && set->n_panels > 1; i++)
            if (set->curves[i].panel == p)
                name_combination(set->compare->study,
                                 firn_compare_group(set->compare, set->curves[i].group), titles[p],
                                 sizeof titles[p]);
        if (set->n_panels > 1) plots[p].title = titles[p];
    }
    if (status == FIRN_OK) {
        firn_figure figure = {
            .n_plots = set->n_panels, .plots = plots, .width = 900, .height = 420};
        if (set->n_panels > 1) {
            figure.width = 340;
            figure.height = 240;
            figure.shared_legend = 1;
        }
        status = firn_plot_svg(&figure, svg, messages);
    }
    firn_memory_release(NULL, plots, (size_t)set->n_panels * sizeof *plots);
    firn_memory_release(NULL, series, n_all * sizeof *series);
    firn_memory_release(NULL, titles, (size_t)set->n_panels * sizeof *titles);
    return status;
}

/* ---------------------------------------------------------------- files */

static firn_status write_csv(const curve_set *set, const char *path, firn_messages *messages)
{
    firn_text csv = {0};
    firn_text_add(&csv, "curve,repeats,time (s),%s (%s),low,high\n", set->column, set->unit);
    for (int i = 0; i < set->n; i++) {
        const curve *c = &set->curves[i];
        for (int k = 0; k < c->n; k++) {
            const double *v = c->values + k;
            firn_text_add_csv(&csv, c->label);
            firn_text_add(&csv, ",%d,%.10g,%.10g,", c->n_repeats, v[0], v[c->n]);
            if (c->n_repeats > 1) firn_text_add(&csv, "%.10g", v[2 * c->n]);
            firn_text_add(&csv, ",");
            if (c->n_repeats > 1) firn_text_add(&csv, "%.10g", v[3 * c->n]);
            firn_text_add(&csv, "\n");
        }
    }
    firn_status status = firn_text_write(&csv, path, messages);
    firn_text_clear(&csv);
    return status;
}

/* One axis environment per panel; colors by name, so that a document can set its own. */
static firn_status write_pgf(const curve_set *set, const char *path, firn_messages *messages)
{
    static const char *const marks[] = {"solid", "dashed", "dotted"};
    firn_text tex = {0};
    firn_text_add(&tex, "%% %s over time; needs \\usepackage{pgfplots}\n", set->column);
    for (int k = 0; k < FIRN_PLOT_COLORS; k++)
        firn_text_add(&tex, "\\definecolor{firn%d}{HTML}{%06X}\n", k + 1, firn_plot_color(k));
    for (int p = 0; p < set->n_panels; p++) {
        firn_text_add(&tex,
                      "\\begin{tikzpicture}\n\\begin{axis}[xlabel={time (s)}, ylabel={%s (%s)}, "
                      "legend pos=outer north east, legend style={draw=none}]\n",
                      set->title, set->unit);
        for (int i = 0; i < set->n; i++) {
            const curve *c = &set->curves[i];
            if (c->panel != p && c->panel >= 0) continue;
            firn_text_add(&tex, "\\addplot[firn%d, thick, %s] coordinates {",
                          (c->color - 1) % FIRN_PLOT_COLORS + 1,
                          marks[c->style == FIRN_PLOT_DASHED   ? 1
                                : c->style == FIRN_PLOT_DOTTED ? 2
                                                               : 0]);
            for (int k = 0; k < c->n; k++)
                if (isfinite(c->values[c->n + k]))
                    firn_text_add(&tex, "(%.6g,%.6g)", c->values[k], c->values[c->n + k]);
            firn_text_add(&tex, "};\n\\addlegendentry{");
            firn_compare_add_tex(&tex, c->label);
            firn_text_add(&tex, "}\n");
        }
        firn_text_add(&tex, "\\end{axis}\n\\end{tikzpicture}\n");
    }
    firn_status status = firn_text_write(&tex, path, messages);
    firn_text_clear(&tex);
    return status;
}

static firn_status write_files(const curve_set *set, const firn_text *svg, firn_messages *messages)
{
    char path[2 * FIRN_PATH];
    const char *folder = set->compare->folder;
    snprintf(path, sizeof path, "%s/figures/%s.svg", folder, set->column);
    firn_status status = firn_text_write(svg, path, messages);
    snprintf(path, sizeof path, "%s/figures/%s.tex", folder, set->column);
    if (status == FIRN_OK) status = write_pgf(set, path, messages);
    snprintf(path, sizeof path, "%s/data/%s.csv", folder, set->column);
    if (status == FIRN_OK) status = write_csv(set, path, messages);
    return status;
}

/* ---------------------------------------------------------------- the section */

static firn_status add_curves(const firn_compare *compare, const char *column,
                              firn_table *const *references, firn_text *html,
                              firn_messages *messages)
{
    curve_set set;
    firn_text svg = {0};
    firn_status status = collect(&set, compare, column, references, messages);
    if (status == FIRN_OK && set.n_of_runs) {
        status = draw(&set, &svg, messages);
        if (status == FIRN_OK) status = write_files(&set, &svg, messages);
    }
    if (status == FIRN_OK && set.n_of_runs) {
        firn_text_add(html, "<h3>%s</h3>\n", set.title);
        firn_text_add_bytes(html, svg.data, svg.n);
        firn_text_add(html,
                      "<p class=\"note\"><a href=\"data/%s.csv\">data</a>, <a "
                      "href=\"figures/%s.svg\">svg</a>, <a href=\"figures/%s.tex\">pgf</a>%s</p>\n",
                      column, column, column,
                      compare->study->n_repeats > 1
                          ? "; mean of the repeats, band: one standard deviation"
                          : "");
    }
    firn_text_clear(&svg);
    clear_set(&set);
    return status;
}

firn_status firn_compare_curves(const firn_compare *compare, firn_text *html,
                                firn_messages *messages)
{
    static const char *const usual[] = {"kinetic", "total_energy", "force"};
    const firn_study *s = compare->study;
    if (!compare->n_runs) return FIRN_OK;
    char path[FIRN_PATH + 16];
    snprintf(path, sizeof path, "%s/figures", compare->folder);
    firn_status status = firn_file_make_folder(path, messages);
    snprintf(path, sizeof path, "%s/data", compare->folder);
    if (status == FIRN_OK) status = firn_file_make_folder(path, messages);
    firn_table **references = firn_memory_array(NULL, (size_t)s->n_references, sizeof *references);
    if (status == FIRN_OK && !references)
        status = firn_messages_no_memory(messages, "curves of the study");
    for (int i = 0; i < s->n_references && status == FIRN_OK; i++)
        if (!(references[i] = firn_table_read(s->references[i].file, messages)))
            status = firn_messages_status(messages);
    firn_text_add(html, "<h2>Over time</h2>\n");
    int n = s->n_curves ? s->n_curves : 3;
    for (int i = 0; i < n && status == FIRN_OK; i++)
        status =
            add_curves(compare, s->n_curves ? s->curves[i] : usual[i], references, html, messages);
    for (int i = 0; references && i < s->n_references; i++) firn_table_destroy(references[i]);
    firn_memory_release(NULL, references, (size_t)s->n_references * sizeof *references);
    return status;
}
