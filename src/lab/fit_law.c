/* SPDX-License-Identifier: MIT */
/* fit_law.c: a law fitted to a measured curve by running the lab's path again and again.
 *
 * The path is stretched to where the data end - on both sides of rest, in two runs, when they
 * lie on both sides - and read off at the measured places by linear interpolation between its
 * steps (in logarithms for a flow curve). */
#include "lab/fit.h"
#include "base/memory.h"
#include "base/messages.h"
#include "plot/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct model {
    const firn_fit_law *problem;
    const firn_fit_parameter *parameters;
    firn_material_def def; /* the parameters of the trial go in here */
    int first_free;        /* index of the first free parameter in def */
    int n;                 /* rows with both numbers */
    double *x, *y, *fitted;
    double low, high; /* of the data */
} model;

/* ---------------------------------------------------------------- the curve of a trial */

/* y at x on the first branch of the curve that holds x; NAN: not reached. */
static double read_off(const firn_table *t, int cx, int cy, double x, int is_log)
{
    for (int i = 1; i < t->n_rows; i++) {
        double x0 = firn_table_value(t, i - 1, cx), x1 = firn_table_value(t, i, cx);
        double y0 = firn_table_value(t, i - 1, cy), y1 = firn_table_value(t, i, cy);
        if (fabs(x1 - x0) == 0 || (x - x0) * (x - x1) > 1e-12 * fabs(x1 - x0) * fabs(x1 - x0))
            continue;
        if (is_log && y0 > 0 && y1 > 0)
            return exp(log(y0) + log(x / x0) / log(x1 / x0) * log(y1 / y0));
        return y0 + (x - x0) / (x1 - x0) * (y1 - y0);
    }
    return NAN;
}

/* Runs the path to `to` and fills in those data that lie between rest and there. */
static int run_branch(model *m, const firn_material *material, double rest, double to)
{
    firn_lab_options options = m->problem->options;
    firn_table *table = NULL;
    int is_flow = strcmp(options.path, "flow_curve") == 0;
    const firn_lab_path_info *path = firn_lab_path_find(options.path);
    if (is_flow) {
        options.rate_from = m->low;
        options.rate_to = m->high;
    } else if (path->uses_time)
        options.hold = m->high;
    else if (options.by_stress)
        options.stress = to;
    else
        options.to = to;
    firn_status status = firn_lab_run(material, &options, &table, NULL, NULL);
    int cx = table ? firn_table_find(table, m->problem->x) : -1,
        cy = table ? firn_table_find(table, m->problem->y) : -1;
    int is_good = status == FIRN_OK && cx >= 0 && cy >= 0;
    for (int i = 0; is_good && i < m->n; i++) {
        if (!is_flow && !path->uses_time && (m->x[i] - rest) * (to - rest) < 0) continue;
        m->fitted[i] = read_off(table, cx, cy, m->x[i], is_flow);
    }
    firn_table_destroy(table);
    return is_good;
}

static int curve(model *m, const double *p)
{
    firn_material material;
    for (int k = 0; k < m->problem->n_free; k++) m->def.parameters[m->first_free + k].value = p[k];
    if (firn_material_resolve(&m->def, 0, &material, NULL) != FIRN_OK) return 0;
    for (int i = 0; i < m->n; i++) m->fitted[i] = NAN;
    /* the driven quantity rests at 1 for stretches and J, at 0 for everything else */
    double rest = strcmp(m->problem->x, "stretch") == 0 || strcmp(m->problem->x, "J") == 0;
    int is_done = 0;
    if (m->high > rest || firn_lab_path_find(m->problem->options.path)->uses_time) {
        if (!run_branch(m, &material, rest, m->high)) return 0;
        is_done = 1;
    }
    if (m->low < rest && strcmp(m->problem->options.path, "flow_curve") != 0) {
        if (!run_branch(m, &material, rest, m->low)) return 0;
        is_done = 1;
    }
    return is_done;
}

static int residuals(void *user, const double *p, double *r)
{
    model *m = user;
    if (!curve(m, p)) return 1;
    for (int i = 0; i < m->n; i++) {
        r[i] = m->fitted[i] - m->y[i];
        if (m->problem->is_relative) r[i] /= fabs(m->y[i]);
    }
    return 0;
}

/* ---------------------------------------------------------------- setting up */

static firn_status take_data(const firn_fit_law *problem, model *m, firn_messages *messages)
{
    const firn_table *data = problem->data;
    int cx = firn_table_find(data, problem->x), cy = firn_table_find(data, problem->y);
    if (cx < 0 || cy < 0)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "fit: the data have no column '%s'; needed: %s, %s",
                                 cx < 0 ? problem->x : problem->y, problem->x, problem->y);
    m->x = firn_memory_array(NULL, (size_t)data->n_rows, 3 * sizeof(double));
    if (!m->x) return firn_messages_no_memory(messages, "fit to %d data", data->n_rows);
    m->y = m->x + data->n_rows;
    m->fitted = m->y + data->n_rows;
    m->low = INFINITY;
    m->high = -INFINITY;
    for (int i = 0; i < data->n_rows; i++) {
        double x = firn_table_value(data, i, cx), y = firn_table_value(data, i, cy);
        if (!isfinite(x) || !isfinite(y) || (problem->is_relative && y == 0)) continue;
        m->x[m->n] = x;
        m->y[m->n++] = y;
        m->low = fmin(m->low, x);
        m->high = fmax(m->high, x);
    }
    return FIRN_OK;
}

/* The free parameters become the last entries of the definition, so that they can be set by place.
 */
static firn_status take_parameters(const firn_fit_law *problem, model *m,
                                   firn_fit_parameter *parameters, firn_messages *messages)
{
    firn_material start;
    firn_status status = firn_material_resolve(&problem->def, 0, &start, messages);
    if (status != FIRN_OK) return status;
    const firn_law_info *law = &start.law->info;
    m->def = problem->def;
    for (int f = 0; f < problem->n_free; f++) {
        int k = 0;
        while (k < law->n_parameters && strcmp(law->parameters[k].name, problem->free[f]) != 0) k++;
        if (k == law->n_parameters)
            return firn_messages_add(messages, FIRN_REFUSED, "fit: law '%s' has no parameter '%s'",
                                     law->name, problem->free[f]);
        const firn_parameter_info *info = &law->parameters[k];
        firn_fit_parameter *p = &parameters[f];
        *p = (firn_fit_parameter){.start = start.value[k], .min = info->min, .max = info->max};
        snprintf(p->name, sizeof p->name, "%s", info->name);
        snprintf(p->unit, sizeof p->unit, "%s", info->unit);
        /* numbers whose range spans decades are searched by their size */
        p->is_log = info->min >= 0 && p->start > 0 && info->max > 100 * fmax(info->min, 1e-3);
        if (p->is_log) p->min = fmax(p->min, 1e-12 * p->start);
        for (int i = 0; i < m->def.n_parameters; i++)
            if (strcmp(m->def.parameters[i].name, info->name) == 0)
                m->def.parameters[i] = m->def.parameters[--m->def.n_parameters];
    }
    m->first_free = m->def.n_parameters;
    if (m->first_free + problem->n_free > FIRN_MAX_PARAMETERS)
        return firn_messages_add(messages, FIRN_REFUSED, "fit: more than %d parameters are set",
                                 FIRN_MAX_PARAMETERS);
    for (int f = 0; f < problem->n_free; f++) {
        firn_parameter_def *d = &m->def.parameters[m->def.n_parameters++];
        *d = firn_parameter_default();
        snprintf(d->name, sizeof d->name, "%s", parameters[f].name);
    }
    return FIRN_OK;
}

static firn_status make_table(model *m, const firn_fit_law *problem, firn_fit_law_result *result,
                              firn_messages *messages)
{
    double p[FIRN_FIT_MAX];
    for (int k = 0; k < problem->n_free; k++) p[k] = result->parameters[k].value;
    firn_table_column columns[4] = {
        {.name = ""}, {.name = "measured"}, {.name = "fitted"}, {.name = "residual"}};
    const firn_table *data = problem->data;
    columns[0] = data->columns[firn_table_find(data, problem->x)];
    for (int c = 1; c < 4; c++)
        memcpy(columns[c].unit, data->columns[firn_table_find(data, problem->y)].unit,
               sizeof columns[c].unit);
    result->table = firn_table_create(4, columns);
    int is_good = result->table && curve(m, p);
    for (int i = 0; i < m->n && is_good; i++)
        is_good = firn_table_add(
            result->table, (double[4]){m->x[i], m->y[i], m->fitted[i], m->y[i] - m->fitted[i]});
    return is_good ? FIRN_OK : firn_messages_no_memory(messages, "table of the fit");
}

static void warn_of_weakness(const firn_fit_law *problem, const firn_fit_law_result *result,
                             firn_messages *messages)
{
    if (result->fit.rank < problem->n_free)
        firn_messages_warn(
            messages, "fit: the data determine %d of the %d free parameters; try: fix one of them",
            result->fit.rank, problem->n_free);
    for (int a = 0; a < problem->n_free; a++)
        for (int b = 0; b < a; b++)
            if (fabs(result->fit.correlation[a][b]) > 0.99)
                firn_messages_warn(
                    messages,
                    "fit: %s and %s are hardly distinguished by these data (correlation %.4f)",
                    problem->free[b], problem->free[a], result->fit.correlation[a][b]);
    for (int a = 0; a < problem->n_free; a++) {
        const firn_fit_parameter *p = &result->parameters[a];
        if (p->value <= p->min * (1 + 1e-9) || p->value >= p->max * (1 - 1e-9))
            firn_messages_warn(messages, "fit: %s ended at the edge of its range (%g %s)", p->name,
                               p->value, p->unit);
    }
}

firn_status firn_fit_law_run(const firn_fit_law *problem, firn_fit_law_result *result,
                             firn_messages *messages)
{
    model m = {.problem = problem, .parameters = result->parameters};
    *result = (firn_fit_law_result){0};
    firn_status status = take_data(problem, &m, messages);
    if (status == FIRN_OK) status = take_parameters(problem, &m, result->parameters, messages);
    if (status == FIRN_OK)
        status = firn_fit_minimise(residuals, &m, m.n, problem->n_free, result->parameters,
                                   &result->fit, messages);
    if (status == FIRN_OK) status = make_table(&m, problem, result, messages);
    if (status == FIRN_OK) warn_of_weakness(problem, result, messages);
    firn_memory_release(NULL, m.x, (size_t)problem->data->n_rows * 3 * sizeof(double));
    return status;
}

/* ---------------------------------------------------------------- what comes out */

void firn_fit_law_preset(const firn_fit_law *problem, const firn_fit_law_result *result,
                         const char *name, const char *source, firn_text *yaml)
{
    firn_text_add(
        yaml, "# Fitted to %d values of %s over %s from %s, path %s; residual deviation %.4g%s.\n",
        result->fit.n_data, problem->y, problem->x, source, problem->options.path,
        result->fit.deviation, problem->is_relative ? " (relative)" : "");
    firn_text_add(yaml, "materials:\n  - name: %s\n", name);
    if (problem->def.law[0]) firn_text_add(yaml, "    law: %s\n", problem->def.law);
    if (problem->def.preset[0]) firn_text_add(yaml, "    preset: %s\n", problem->def.preset);
    for (int i = 0; i < problem->def.n_parameters; i++) {
        const firn_parameter_def *p = &problem->def.parameters[i];
        int is_free = 0;
        for (int f = 0; f < problem->n_free; f++) is_free |= strcmp(problem->free[f], p->name) == 0;
        if (is_free) continue;
        firn_text_add(yaml, "    %s: ", p->name);
        firn_lab_write_value(p, yaml);
        firn_text_add(yaml, "\n");
    }
    for (int f = 0; f < problem->n_free; f++) {
        const firn_fit_parameter *p = &result->parameters[f];
        int has_unit = p->unit[0] && strcmp(p->unit, "1") != 0;
        firn_text_add(yaml, "    %s: %.8g%s%s  # 95 %%: %.6g .. %.6g\n", p->name, p->value,
                      has_unit ? " " : "", has_unit ? p->unit : "", p->low, p->high);
    }
}

firn_status firn_fit_law_draw(const firn_fit_law *problem, const firn_fit_law_result *result,
                              const char *path, firn_messages *messages)
{
    const firn_table *t = result->table;
    double *columns[4];
    int is_complete = 1;
    for (int c = 0; c < 4; c++) is_complete &= (columns[c] = firn_table_series(t, c)) != NULL;
    firn_status status = FIRN_MEMORY;
    if (is_complete) {
        int is_log = strcmp(problem->options.path, "flow_curve") == 0;
        firn_plot_series above[2] = {
            {"measured", t->n_rows, columns[0], columns[1], FIRN_PLOT_MARKERS, 2},
            {"fitted", t->n_rows, columns[0], columns[2], FIRN_PLOT_LINE, 1}};
        firn_plot_series below = {NULL, t->n_rows, columns[0], columns[3], FIRN_PLOT_MARKERS, 2};
        firn_plot_mark zero = {0, "", 1};
        firn_plot_axis x = {.label = problem->x, .unit = t->columns[0].unit, .is_log = is_log};
        firn_plot plots[2] = {{.title = "Fit", .x = x, .n_series = 2, .series = above},
                              {.title = "Residuals",
                               .x = x,
                               .n_series = 1,
                               .series = &below,
                               .n_marks = 1,
                               .marks = &zero}};
        plots[0].y =
            (firn_plot_axis){.label = problem->y, .unit = t->columns[1].unit, .is_log = is_log};
        plots[1].y = (firn_plot_axis){.label = "measured - fitted", .unit = t->columns[1].unit};
        firn_figure figure = {
            .n_plots = 2, .plots = plots, .n_columns = 1, .width = 680, .height = 380};
        status = firn_plot_write(&figure, path, messages);
    } else
        firn_messages_no_memory(messages, "picture of the fit");
    for (int c = 0; c < 4; c++)
        firn_memory_release(NULL, columns[c], (size_t)t->n_rows * sizeof(double));
    return status;
}
