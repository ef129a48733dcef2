/* SPDX-License-Identifier: MIT */
/* verify.c: the table of a verification program and the scenes in it; see verify.h. */
#include "verify.h"
#include "plot/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- the table */

verify_table verify_begin(int argc, char **argv)
{
    verify_table table = {0};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--full") == 0) table.is_full = 1;
        if (strcmp(argv[i], "--quick") == 0) table.is_quick = 1;
        if (strcmp(argv[i], "--csv") == 0 && i + 1 < argc) table.folder = argv[++i];
    }
    return table;
}

static void print_row(verify_table *table, const char *name, const char *reference, double value,
                      double error, const char *gate, int is_met)
{
    if (strchr(name, ',') || strchr(gate, ',')) {
        fprintf(stderr, "a comma in a cell of the table: %s %s\n", name, gate);
        exit(1);
    }
    printf("%s,%s,%.7g,%.3g,%s%s\n", name, reference, value, error, gate, is_met ? "" : " MISSED");
    fflush(stdout);
    table->n_rows++;
    if (!is_met) table->n_missed++;
    if (!is_met && table->is_quick) exit(1); /* one miss is what a quick run is made to find */
}

void verify_near(verify_table *table, const char *name, double reference, double value, double gate,
                 double scale)
{
    char text[32], bound[32];
    double error = fabs(value - reference) / (scale > 0 ? scale : fabs(reference));
    snprintf(text, sizeof text, "%.7g", reference);
    snprintf(bound, sizeof bound, "%g", gate);
    print_row(table, name, text, value, error, bound, error <= gate);
}

void verify_at_least(verify_table *table, const char *name, double value, double bound)
{
    char text[32];
    snprintf(text, sizeof text, ">= %g", bound);
    print_row(table, name, text, value, fmax(0, bound - value), text, value >= bound);
}

void verify_at_most(verify_table *table, const char *name, double value, double bound)
{
    char text[32];
    snprintf(text, sizeof text, "<= %g", bound);
    print_row(table, name, text, value, fmax(0, value - bound), text, value <= bound);
}

void verify_known_below(verify_table *table, const char *name, double value, double bound,
                        const char *reason)
{
    char text[32], gate[256];
    snprintf(text, sizeof text, ">= %g", bound);
    snprintf(gate, sizeof gate,
             value < bound ? ">= %g (missed: %s)" : ">= %g (met after all: drop the note '%s')",
             bound, reason);
    print_row(table, name, text, value, fmax(0, bound - value), gate, value < bound);
}

void verify_ran(verify_table *table, const char *name, firn_status status,
                const firn_messages *messages)
{
    print_row(table, name, "runs", status, status, "0", status == FIRN_OK);
    for (int i = 0; i < firn_messages_total(messages); i++)
        fprintf(stderr, "%s: %s\n", name, firn_messages_text(messages, i, NULL));
}

FILE *verify_curve(const verify_table *table, const char *name)
{
    char path[1200];
    if (!table->folder) return NULL;
    snprintf(path, sizeof path, "%s/%s.csv", table->folder, name);
    FILE *file = fopen(path, "w");
    if (!file) {
        fprintf(stderr, "cannot write %s\n", path);
        exit(1);
    }
    return file;
}

/* ---------------------------------------------------------------- convergence */

void verify_add(verify_series *series, double cells, double error)
{
    if (series->n == 8) {
        fprintf(stderr, "%s: more resolutions than fit\n", series->label);
        exit(1);
    }
    series->cells[series->n] = cells;
    series->error[series->n++] = error;
}

double verify_order(const verify_series *series)
{
    double least = INFINITY;
    for (int i = 1; i < series->n; i++)
        least = fmin(least, log(series->error[i - 1] / series->error[i]) /
                                log(series->cells[i] / series->cells[i - 1]));
    return least;
}

static void write_svg(const verify_table *table, const char *name, const firn_plot *plot)
{
    char path[1200];
    snprintf(path, sizeof path, "%s/%s.svg", table->folder, name);
    firn_messages *messages = firn_messages_create();
    if (firn_plot_write(&(firn_figure){.n_plots = 1, .plots = plot}, path, messages) != FIRN_OK) {
        fprintf(stderr, "%s: %s\n", path, firn_messages_text(messages, 0, NULL));
        exit(1);
    }
    firn_messages_destroy(messages);
}

void verify_convergence(const verify_table *table, const char *name, const char *title,
                        double order, int n, const verify_series *series)
{
    FILE *csv = verify_curve(table, name);
    if (!csv) return;
    char slope_label[64];
    firn_plot_series lines[9];
    double slope[8];
    fprintf(csv, "series,cells,error\n");
    for (int k = 0; k < n; k++) {
        lines[k] = (firn_plot_series){series[k].label,        series[k].n,
                                      series[k].cells,        series[k].error,
                                      FIRN_PLOT_LINE_MARKERS, 0};
        for (int i = 0; i < series[k].n; i++)
            fprintf(csv, "%s,%g,%.9g\n", series[k].label, series[k].cells[i], series[k].error[i]);
    }
    fclose(csv);
    for (int i = 0; i < series->n; i++)
        slope[i] = series->error[0] * pow(series->cells[0] / series->cells[i], order);
    snprintf(slope_label, sizeof slope_label, "order %g", order);
    lines[n] =
        (firn_plot_series){slope_label, series->n, series->cells, slope, FIRN_PLOT_DASHED, 0};
    firn_plot plot = {.title = title, .n_series = n + 1, .series = lines};
    plot.x = (firn_plot_axis){.label = "cells a unit", .is_log = 1};
    plot.y = (firn_plot_axis){.label = "error", .is_log = 1};
    write_svg(table, name, &plot);
}

void verify_beside(const verify_table *table, const char *name, const char *title,
                   const char *x_label, const char *y_label, int n, const double *x,
                   const double *reference, const double *value)
{
    FILE *csv = verify_curve(table, name);
    if (!csv) return;
    fprintf(csv, "%s,reference,firn\n", x_label);
    for (int i = 0; i < n; i++) fprintf(csv, "%g,%g,%.9g\n", x[i], reference[i], value[i]);
    fclose(csv);
    firn_plot_series lines[2] = {{"measured", n, x, reference, FIRN_PLOT_MARKERS, 0},
                                 {"firn", n, x, value, FIRN_PLOT_LINE, 0}};
    firn_plot plot = {.title = title, .n_series = 2, .series = lines};
    plot.x = (firn_plot_axis){.label = x_label};
    plot.y = (firn_plot_axis){.label = y_label};
    write_svg(table, name, &plot);
}

int verify_end(const verify_table *table)
{
    fflush(stdout);
    return table->n_rows == 0 || table->n_missed != 0;
}

/* ---------------------------------------------------------------- scenes */

void verify_parameter(verify_scene *s, const char *name, double value)
{
    firn_parameter_def *p = &s->material.parameters[s->material.n_parameters++];
    *p = firn_parameter_default();
    snprintf(p->name, sizeof p->name, "%s", name);
    p->value = value;
}

void verify_scene_init(verify_scene *s, double dx, const char *law, double E, double nu, double rho)
{
    *s = (verify_scene){.scene = firn_scene_default(),
                        .material = firn_material_default(),
                        .options = firn_run_options_default()};
    strcpy(s->material.name, "stuff");
    snprintf(s->material.law, sizeof s->material.law, "%s", law);
    verify_parameter(s, "rho", rho);
    if (E > 0) {
        verify_parameter(s, "E", E);
        verify_parameter(s, "nu", nu);
    }
    s->scene.is_double = 1;
    s->scene.grid.dx = dx;
    s->options.n_threads = 1; /* scenes are small; the same bits for any number, see test_sim.c */
    for (int a = 0; a < 3; a++) s->scene.gravity[a] = 0;
}

static void box_shape(firn_shape_def *shape, const double low[3], const double high[3])
{
    *shape = firn_shape_default();
    strcpy(shape->kind, "box");
    for (int a = 0; a < 3; a++) {
        shape->center[a] = (low[a] + high[a]) / 2;
        shape->size[a] = high[a] - low[a];
    }
}

static firn_body_def *add_body(verify_scene *s, double across)
{
    int i = s->n_bodies++;
    firn_body_def *body = &s->bodies[i];
    *body = firn_body_default();
    snprintf(body->name, sizeof body->name, "body%d", i);
    strcpy(body->material, "stuff");
    body->shapes = s->body_shapes[i];
    body->n_shapes = 1;
    body->sampling = FIRN_REGULAR;
    body->spacing = s->scene.grid.dx / across;
    return body;
}

firn_body_def *verify_box(verify_scene *s, const double low[3], const double high[3], double across)
{
    firn_body_def *body = add_body(s, across);
    box_shape(&s->body_shapes[s->n_bodies - 1][0], low, high);
    return body;
}

firn_body_def *verify_ball(verify_scene *s, const double center[3], double radius, double across)
{
    firn_body_def *body = add_body(s, across);
    firn_shape_def *shape = &s->body_shapes[s->n_bodies - 1][0];
    *shape = firn_shape_default();
    strcpy(shape->kind, "sphere");
    shape->radius = radius;
    memcpy(shape->center, center, sizeof shape->center);
    return body;
}

firn_body_def *verify_slice(verify_scene *s, const double low[2], const double high[2],
                            double across)
{
    double dx = s->scene.grid.dx, a[3] = {low[0], low[1], 0.5 * dx * (1 - 1 / across)},
           b[3] = {high[0], high[1], 0.5 * dx * (1 + 1 / across)};
    if (!s->scene.grid.has_box)
        verify_mirrors(s, 48, (double[3]){-1e4 * dx, -1e4 * dx, 0},
                       (double[3]){1e4 * dx, 1e4 * dx, dx});
    return verify_box(s, a, b, across);
}

firn_collider_def *verify_floor(verify_scene *s, int axis, double height)
{
    firn_shape_def *shape = &s->collider_shapes[s->n_colliders];
    firn_collider_def *floor = &s->colliders[s->n_colliders++];
    *shape = firn_shape_default();
    strcpy(shape->kind, "plane");
    for (int a = 0; a < 3; a++) {
        shape->normal[a] = a == axis;
        shape->center[a] = a == axis ? height : 0;
    }
    *floor = firn_collider_default();
    snprintf(floor->name, sizeof floor->name, "floor%d", s->n_colliders);
    floor->shapes = shape;
    floor->n_shapes = 1;
    return floor;
}

firn_grip_def *verify_grip(verify_scene *s, const double low[3], const double high[3])
{
    firn_shape_def *shape = &s->grip_shapes[s->n_grips];
    firn_grip_def *grip = &s->grips[s->n_grips++];
    box_shape(shape, low, high);
    *grip = firn_grip_default();
    snprintf(grip->name, sizeof grip->name, "grip%d", s->n_grips);
    grip->shapes = shape;
    grip->n_shapes = 1;
    return grip;
}

firn_force_def *verify_force(verify_scene *s, const char *kind)
{
    firn_force_def *force = &s->forces[s->n_forces++];
    *force = firn_force_default();
    snprintf(force->kind, sizeof force->kind, "%s", kind);
    snprintf(force->name, sizeof force->name, "%s%d", kind, s->n_forces);
    return force;
}

void verify_mirrors(verify_scene *s, unsigned walls, const double low[3], const double high[3])
{
    firn_grid_def *grid = &s->scene.grid;
    grid->has_box = 1;
    for (int a = 0; a < 3; a++) {
        grid->box_min[a] = low[a];
        grid->box_max[a] = high[a];
    }
    for (int w = 0; w < 6; w++) grid->walls[w] = walls >> w & 1 ? FIRN_WALL_MIRROR : FIRN_WALL_OPEN;
}

static void give_up(const char *what, const firn_messages *messages)
{
    fprintf(stderr, "%s\n", what);
    for (int i = 0; i < firn_messages_total(messages); i++)
        fprintf(stderr, "%s\n", firn_messages_text(messages, i, NULL));
    exit(1);
}

firn_sim *verify_start(verify_scene *s)
{
    firn_messages *messages = firn_messages_create();
    firn_sim *sim = NULL;
    s->scene.n_materials = 1;
    s->scene.materials = &s->material;
    s->scene.n_bodies = s->n_bodies;
    s->scene.bodies = s->bodies;
    s->scene.n_colliders = s->n_colliders;
    s->scene.colliders = s->colliders;
    s->scene.n_grips = s->n_grips;
    s->scene.grips = s->grips;
    if (s->n_forces) {
        s->scene.n_forces = s->n_forces;
        s->scene.forces = s->forces;
    }
    if (firn_sim_create(&s->scene, &s->options, &sim, messages) != FIRN_OK)
        give_up("the scene was refused:", messages);
    firn_messages_destroy(messages);
    return sim;
}

void verify_go(firn_sim *sim, double until)
{
    firn_messages *messages = firn_messages_create();
    if (firn_sim_advance_to(sim, until, messages) != FIRN_OK)
        give_up("the simulation stopped:", messages);
    firn_messages_destroy(messages);
}

double *verify_copy(firn_sim *sim, const char *attribute)
{
    size_t n = (size_t)firn_sim_n_particles(sim) * (size_t)firn_attribute_components(attribute);
    double *values = malloc(n * sizeof *values);
    if (!values || firn_sim_copy(sim, attribute, values, n, NULL) != FIRN_OK) {
        fprintf(stderr, "cannot copy %s\n", attribute);
        exit(1);
    }
    return values;
}

void verify_assign(firn_sim *sim, const char *attribute, const double *values)
{
    size_t n = (size_t)firn_sim_n_particles(sim) * (size_t)firn_attribute_components(attribute);
    if (firn_sim_assign(sim, attribute, values, n, NULL) != FIRN_OK) {
        fprintf(stderr, "cannot assign %s\n", attribute);
        exit(1);
    }
}

firn_ledger verify_ledger(firn_sim *sim)
{
    firn_ledger ledger;
    if (firn_sim_ledger(sim, -1, &ledger, NULL) != FIRN_OK) {
        fprintf(stderr, "no ledger\n");
        exit(1);
    }
    return ledger;
}
