/* SPDX-License-Identifier: MIT */
/* lab_map.c: the map of stability: where in the plane of two principal stretches a law keeps
 * ellipticity.
 *
 * At every node F_e = diag(s1, s2, s3) the smallest eigenvalue of the acoustic tensor is sought
 * over all directions (lab_stability.c), and the value for waves that run and swing along one of
 * the principal axes, as those of a bar do. Such a wave only stretches. Others shear as well, or
 * swing across their direction and feel the compressive stress as a column that buckles does; under
 * compression they are lost first: St. Venant-Kirchhoff in uniaxial strain loses the bar's wave
 * at 1/sqrt 3 whatever the moduli, an oblique one before, at 0.605 for mu = 100, lambda = 27.78.
 *
 * The contours of zero march through the squares of the grid, linear along their edges, and are
 * joined to lines. */
#include "lab/lab.h"
#include "base/memory.h"
#include "base/messages.h"
#include "plot/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N_MAX = 401 };

firn_lab_map_options firn_lab_map_options_default(void)
{
    return (firn_lab_map_options){
        .from = 0.3, .to = 1.7, .third = 1, .n = 57, .temperature = 293.15};
}

static double stretch_at(const firn_lab_map_options *o, int i)
{
    return o->from + (o->to - o->from) * i / (o->n - 1);
}

/* ---------------------------------------------------------------- computing */

static void fill_node(const firn_material *material, const double *history, firn_lab_map *map,
                      int i, int j)
{
    const firn_lab_map_options *o = &map->options;
    size_t node = (size_t)j * (size_t)o->n + (size_t)i;
    double F[9] = {stretch_at(o, i), 0, 0, 0, stretch_at(o, j), 0, 0, 0, o->third}, value;
    map->any[node] = map->axes[node] = NAN;
    if (firn_lab_acoustic(material, o->temperature, F, history, NULL, &value,
                          map->direction + 3 * node, NULL) != FIRN_OK)
        return;
    map->any[node] = value;
    double least = INFINITY;
    for (int a = 0; a < 3; a++) {
        double axis[3] = {a == 0, a == 1, a == 2};
        if (firn_lab_acoustic(material, o->temperature, F, history, axis, &value, NULL, NULL) !=
            FIRN_OK)
            return;
        least = fmin(least, value);
    }
    map->axes[node] = least;
}

/* From rest down to the map's least stretch, the other two at 1. */
static firn_status locate_losses(const firn_material *material, const double *history,
                                 firn_lab_map *map, firn_messages *messages)
{
    const double rest[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, along[3] = {1, 0, 0};
    double end[9] = {map->options.from, 0, 0, 0, 1, 0, 0, 0, 1}, at, value,
           T = map->options.temperature;
    map->lost_any = map->lost_axis = NAN;
    firn_status status =
        firn_lab_acoustic(material, T, rest, history, NULL, &map->at_rest, NULL, messages);
    if (status != FIRN_OK || !(end[0] < 1)) return status;
    for (int k = 0; k < 2 && status == FIRN_OK; k++) {
        status = firn_lab_ellipticity_loss(material, T, rest, end, history, k ? along : NULL, 40,
                                           &at, messages);
        *(k ? &map->lost_axis : &map->lost_any) = 1 + at * (end[0] - 1);
    }
    if (status != FIRN_OK || isnan(map->lost_any)) return status;
    double lost[9] = {map->lost_any, 0, 0, 0, 1, 0, 0, 0, 1};
    return firn_lab_acoustic(material, T, lost, history, NULL, &value, map->lost_direction,
                             messages);
}

firn_status firn_lab_map_run(const firn_material *material, const firn_lab_map_options *options,
                             firn_lab_map *map, firn_messages *messages)
{
    const firn_law_info *law = &material->law->info;
    *map = (firn_lab_map){.options = *options};
    if (!(options->from > 0 && options->to > options->from && options->third > 0) ||
        !isfinite(options->to) || !isfinite(options->third))
        return firn_messages_add(
            messages, FIRN_REFUSED,
            "map: stretches from %g to %g, the third %g; allowed: above 0 and rising",
            options->from, options->to, options->third);
    if (options->n < 3 || options->n > N_MAX)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "map: %d nodes along a side; allowed: 3 to %d", options->n, N_MAX);
    size_t n_nodes = (size_t)options->n * (size_t)options->n;
    map->any = firn_memory_array(NULL, n_nodes, sizeof(double));
    map->axes = firn_memory_array(NULL, n_nodes, sizeof(double));
    map->direction = firn_memory_array(NULL, n_nodes, 3 * sizeof(double));
    if (!map->any || !map->axes || !map->direction) {
        firn_lab_map_clear(map);
        return firn_messages_no_memory(messages, "map of %d x %d nodes", options->n, options->n);
    }
    double history[FIRN_MAX_HISTORY] = {0};
    for (int h = 0; h < law->n_history; h++) history[h] = law->history[h].initial;
    int n = options->n;
#pragma omp parallel for schedule(dynamic)
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) fill_node(material, history, map, i, j);
    firn_status status = locate_losses(material, history, map, messages);
    if (status != FIRN_OK) firn_lab_map_clear(map);
    return status;
}

void firn_lab_map_clear(firn_lab_map *map)
{
    size_t n_bytes = (size_t)map->options.n * (size_t)map->options.n * sizeof(double);
    firn_memory_release(NULL, map->any, n_bytes);
    firn_memory_release(NULL, map->axes, n_bytes);
    firn_memory_release(NULL, map->direction, 3 * n_bytes);
    map->any = map->axes = map->direction = NULL;
}

/* ---------------------------------------------------------------- what comes out */

firn_status firn_lab_map_csv(const firn_lab_map *map, firn_text *csv, firn_messages *messages)
{
    static const firn_table_column columns[] = {
        {"stretch_1", "1"},      {"stretch_2", "1"},   {"stretch_3", "1"},   {"acoustic_min", "Pa"},
        {"acoustic_axes", "Pa"}, {"direction_1", "1"}, {"direction_2", "1"}, {"direction_3", "1"}};
    const firn_lab_map_options *o = &map->options;
    firn_table *table = firn_table_create(8, columns);
    int is_complete = table != NULL;
    for (int node = 0; node < o->n * o->n && is_complete; node++) {
        const double *N = map->direction + 3 * node;
        is_complete = firn_table_add(
            table, (double[8]){stretch_at(o, node % o->n), stretch_at(o, node / o->n), o->third,
                               map->any[node], map->axes[node], N[0], N[1], N[2]});
    }
    if (is_complete) firn_table_csv(table, csv);
    firn_table_destroy(table);
    return is_complete ? FIRN_OK : firn_messages_no_memory(messages, "table of the map");
}

/* Where the edge between two nodes crosses zero; 0: it does not. Both neighbouring squares find the
 * same numbers. */
static int crossing(const firn_lab_map *map, const double *values, const int p[2], const int q[2],
                    double xy[2])
{
    const firn_lab_map_options *o = &map->options;
    int is_ordered = p[1] * o->n + p[0] < q[1] * o->n + q[0];
    const int *a = is_ordered ? p : q, *b = is_ordered ? q : p;
    double at_a = values[a[1] * o->n + a[0]], at_b = values[b[1] * o->n + b[0]];
    if (isnan(at_a) || isnan(at_b) || (at_a < 0) == (at_b < 0)) return 0;
    double share = at_a / (at_a - at_b);
    xy[0] = stretch_at(o, a[0]) + share * (stretch_at(o, b[0]) - stretch_at(o, a[0]));
    xy[1] = stretch_at(o, a[1]) + share * (stretch_at(o, b[1]) - stretch_at(o, a[1]));
    return 1;
}

/* A straight piece of a contour, inside one square. */
typedef struct piece {
    double end[2][2];
    int is_used;
} piece;

static int cut_squares(const firn_lab_map *map, const double *values, piece *pieces)
{
    int n_pieces = 0, n = map->options.n;
    for (int j = 0; j + 1 < n; j++)
        for (int i = 0; i + 1 < n; i++) {
            const int corner[5][2] = {{i, j}, {i + 1, j}, {i + 1, j + 1}, {i, j + 1}, {i, j}};
            double found[5][2];
            int n_found = 0;
            for (int e = 0; e < 4; e++)
                n_found += crossing(map, values, corner[e], corner[e + 1], found[n_found]);
            for (int k = 0; k + 1 < n_found; k += 2) {
                pieces[n_pieces].is_used = 0;
                memcpy(pieces[n_pieces++].end, found[k], sizeof pieces->end);
            }
        }
    return n_pieces;
}

/* The unused piece that ends at xy, turned so that it starts there; -1: none. */
static int next_piece(piece *pieces, int n, const double xy[2])
{
    for (int k = 0; k < n; k++)
        for (int end = 0; end < 2 && !pieces[k].is_used; end++)
            if (memcmp(pieces[k].end[end], xy, 2 * sizeof(double)) == 0) {
                pieces[k].is_used = 1;
                if (end) memcpy(pieces[k].end[1], pieces[k].end[0], 2 * sizeof(double));
                memcpy(pieces[k].end[0], xy, 2 * sizeof(double));
                return k;
            }
    return -1;
}

/* The contour of zero as lines parted by NAN; x and y have room for 3 points per piece. Lines that
 * end at the border are begun there, so that none is cut in two. */
static int contour(const firn_lab_map *map, const double *values, piece *pieces, double *x,
                   double *y)
{
    const firn_lab_map_options *o = &map->options;
    int n_points = 0, n = cut_squares(map, values, pieces);
    for (int round = 0; round < 2; round++)
        for (int k = 0; k < n; k++)
            for (int end = 0; end < 2 && !pieces[k].is_used; end++) {
                double at[2] = {pieces[k].end[end][0], pieces[k].end[end][1]};
                int is_border =
                    at[0] == o->from || at[0] == o->to || at[1] == o->from || at[1] == o->to;
                if (round == 0 && !is_border) continue;
                x[n_points] = at[0];
                y[n_points++] = at[1];
                for (int next; (next = next_piece(pieces, n, at)) >= 0;) {
                    memcpy(at, pieces[next].end[1], sizeof at);
                    x[n_points] = at[0];
                    y[n_points++] = at[1];
                }
                x[n_points] = NAN;
                y[n_points++] = NAN;
            }
    return n_points;
}

static firn_plot_field field_of(const firn_lab_map *map)
{
    const firn_lab_map_options *o = &map->options;
    double unit = map->at_rest > 0 ? map->at_rest : 1;
    return (firn_plot_field){.nx = o->n,
                             .ny = o->n,
                             .x0 = o->from,
                             .x1 = o->to,
                             .y0 = o->from,
                             .y1 = o->to,
                             .values = map->any,
                             .n_bands = 5,
                             .upper = {-0.5 * unit, 0, 0.5 * unit, unit, INFINITY},
                             .color = {0xd98e73, 0xf2cdbd, 0xdcebf5, 0xb3d3ea, 0x86b6dc},
                             .label = {"below -1/2", "lost", "below 1/2", "below 1",
                                       "above: share of the least at rest"}};
}

firn_status firn_lab_map_draw(const firn_lab_map *map, const char *title, const char *path,
                              firn_messages *messages)
{
    const firn_lab_map_options *o = &map->options;
    size_t n_pieces = 2 * (size_t)(o->n - 1) * (size_t)(o->n - 1), room = 3 * n_pieces;
    piece *pieces = firn_memory_array(NULL, n_pieces, sizeof *pieces);
    double *work = firn_memory_array(NULL, 4 * room, sizeof *work);
    if (!work || !pieces) {
        firn_memory_release(NULL, pieces, n_pieces * sizeof *pieces);
        firn_memory_release(NULL, work, 4 * room * sizeof *work);
        return firn_messages_no_memory(messages, "picture of the map");
    }
    double *x[2] = {work, work + 2 * room}, *y[2] = {work + room, work + 3 * room};
    int n_any = contour(map, map->any, pieces, x[0], y[0]),
        n_axes = contour(map, map->axes, pieces, x[1], y[1]);
    const double one = 1;
    char lost_any[64], lost_axis[64];
    snprintf(lost_any, sizeof lost_any, "uniaxial strain: first waves lost at %.4f", map->lost_any);
    snprintf(lost_axis, sizeof lost_axis, "of a bar at %.4f", map->lost_axis);
    const firn_plot_series series[] = {
        {n_any ? "ellipticity is lost in some direction" : NULL, n_any, x[0], y[0], FIRN_PLOT_LINE,
         5},
        {n_axes ? "lost for longitudinal waves along an axis" : NULL, n_axes, x[1], y[1],
         FIRN_PLOT_DASHED, 2},
        {"rest", 1, &one, &one, FIRN_PLOT_MARKERS, 5},
        {isnan(map->lost_any) ? NULL : lost_any, 1, &map->lost_any, &one, FIRN_PLOT_MARKERS, 5},
        {isnan(map->lost_axis) ? NULL : lost_axis, 1, &map->lost_axis, &one, FIRN_PLOT_MARKERS, 2}};
    char y_label[64];
    snprintf(y_label, sizeof y_label, "stretch 2   (stretch 3 = %g)", o->third);
    firn_plot_field field = field_of(map);
    firn_plot plot = {.title = title,
                      .x = {.label = "stretch 1", .has_range = 1, .min = o->from, .max = o->to},
                      .y = {.label = y_label, .has_range = 1, .min = o->from, .max = o->to},
                      .field = &field,
                      .n_series = sizeof series / sizeof *series,
                      .series = series};
    firn_figure figure = {.n_plots = 1, .plots = &plot, .width = 600, .height = 660};
    firn_status status = firn_plot_write(&figure, path, messages);
    firn_memory_release(NULL, pieces, n_pieces * sizeof *pieces);
    firn_memory_release(NULL, work, 4 * room * sizeof *work);
    return status;
}

void firn_lab_map_explain(const firn_lab_map *map, firn_text *text)
{
    const double *N = map->lost_direction;
    if (isnan(map->lost_any)) {
        firn_text_add(text, "Uniaxial strain, stretch %g .. 1: ellipticity is kept.\n",
                      map->options.from);
        return;
    }
    double angle = acos(fmin(fabs(N[0]), 1)) * 180 / M_PI;
    firn_text_add(text,
                  "Uniaxial strain: ellipticity is lost first at stretch %.9g, for waves at %.3g "
                  "degrees from the axis.\n",
                  map->lost_any, angle);
    if (isnan(map->lost_axis))
        firn_text_add(text, "Longitudinal waves along the axis are kept down to stretch %g.\n",
                      map->options.from);
    else
        firn_text_add(
            text,
            "Longitudinal waves along the axis, those of a bar, are lost at stretch %.9g. Waves "
            "that are lost before shear the material or swing across their direction.\n",
            map->lost_axis);
}
