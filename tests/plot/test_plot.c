/* SPDX-License-Identifier: MIT */
/* Plots: ticks at nice numbers, and the strokes that reach a painter - nothing outside of the
 * field, gaps kept, prefixes chosen, log axes straight, panels where they belong. The pictures
 * themselves are for eyes. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plot/plot.h"

static void ticks(void **state)
{
    (void)state;
    double t[32];
    assert_int_equal(firn_plot_ticks(0, 1, 0, 5, 32, t), 6);
    for (int i = 0; i < 6; i++) assert_true(fabs(t[i] - 0.2 * i) < 1e-12);
    int n = firn_plot_ticks(-0.37, 0.41, 0, 4, 32, t);
    assert_int_equal(n, 4);
    assert_true(fabs(t[0] + 0.2) < 1e-12 && t[1] == 0 && fabs(t[3] - 0.4) < 1e-12);
    /* every decade on a wide log axis, 1 2 5 on a narrow one, inside the range only */
    assert_int_equal(firn_plot_ticks(1e-3, 1e3, 1, 8, 32, t), 7);
    assert_int_equal(firn_plot_ticks(1, 100, 1, 5, 32, t), 7);
    assert_true(fabs(t[1] - 2) < 1e-12 && fabs(t[2] - 5) < 1e-12);
    assert_int_equal(firn_plot_ticks(1, 1, 0, 5, 32, t), 0);
    assert_int_equal(firn_plot_ticks(-1, 1, 1, 5, 32, t), 0);
    assert_int_equal(firn_plot_ticks(0, 1, 0, 5, 3, t), 3);
}

/* A painter that only remembers. */
typedef struct record {
    double width, height;
    int n_curves, n_points, n_markers, n_straight, n_rectangles, n_bands, n_texts;
    double band_area;
    struct {
        double x, y;
        char string[32];
    } text[32];
    double area[3]; /* of rectangles, by the first three colours below */
    double min_x, max_x, min_y, max_y, curve_xy[64];
    char texts[4096];
} record;

static void begin(void *user, double width, double height)
{
    record *r = user;
    *r = (record){
        .width = width, .height = height, .min_x = 1e9, .max_x = -1e9, .min_y = 1e9, .max_y = -1e9};
}
static void lines(void *user, int n, const double *xy, unsigned color, double width,
                  firn_plot_style style)
{
    record *r = user;
    (void)color, (void)style;
    if (width != 2) return; /* axes and legend have other widths */
    for (int i = 0; i < n; i++) {
        r->min_x = fmin(r->min_x, xy[2 * i]);
        r->max_x = fmax(r->max_x, xy[2 * i]);
        r->min_y = fmin(r->min_y, xy[2 * i + 1]);
        r->max_y = fmax(r->max_y, xy[2 * i + 1]);
        if (r->n_points < 32) memcpy(r->curve_xy + 2 * r->n_points, xy + 2 * i, 16);
        r->n_points++;
    }
    r->n_curves++;
}
static void band(void *user, int n, const double *xy, unsigned color)
{
    record *r = user;
    (void)color;
    r->n_bands++;
    for (int i = 0, k = n - 1; i < n; k = i++) /* area by the shoelace formula */
        r->band_area += (xy[2 * k] - xy[2 * i]) * (xy[2 * k + 1] + xy[2 * i + 1]) / 2;
}
static void marker(void *user, double x, double y, double radius, int shape, unsigned color)
{
    record *r = user;
    (void)x, (void)y, (void)radius, (void)shape, (void)color;
    r->n_markers++;
}
static void rectangle(void *user, double x, double y, double width, double height, unsigned color)
{
    record *r = user;
    (void)x, (void)y;
    r->n_rectangles++;
    if (color < 3 && width > 0 && height > 0 && !(width == 16 && height == 12))
        r->area[color] += width * height;
}
static void text(void *user, double x, double y, const char *string, double size, int anchor,
                 int bold, unsigned color)
{
    record *r = user;
    (void)size, (void)anchor, (void)bold, (void)color;
    if (r->n_texts < 32) {
        r->text[r->n_texts].x = x;
        r->text[r->n_texts].y = y;
        snprintf(r->text[r->n_texts++].string, 32, "%s", string);
    }
    if (strlen(r->texts) + strlen(string) + 2 < sizeof r->texts)
        strcat(strcat(r->texts, string), "|");
}
static double text_width(void *user, const char *string, double size, int bold)
{
    (void)user, (void)bold;
    return 0.6 * size * (double)strlen(string);
}

static firn_status draw(const firn_figure *figure, record *r, firn_messages *messages)
{
    firn_canvas canvas = {r, begin, lines, band, marker, rectangle, text, text_width};
    return firn_plot_draw(figure, &canvas, messages);
}

/* A band of constant height over the whole panel, with a gap: two polygons, and their area. It takes
 * part in the range of the axis. */
static void bands(void **state)
{
    (void)state;
    double x[] = {0, 1, 2, 3, 4, 5}, y[] = {2, 2, 2, 2, 2, 2}, low[] = {1, 1, 1, NAN, 1, 1},
           high[] = {3, 3, 3, 3, 3, 3};
    firn_plot_series series = {.n = 6, .x = x, .y = y, .low = low, .high = high};
    firn_plot plot = {.x = {.has_range = 1, .max = 5},
                      .y = {.has_range = 1, .min = 0, .max = 10},
                      .n_series = 1,
                      .series = &series};
    firn_figure figure = {.n_plots = 1, .plots = &plot, .width = 400, .height = 300};
    record r;
    assert_int_equal(draw(&figure, &r, NULL), FIRN_OK);
    assert_int_equal(r.n_bands, 2);
    double wide = (r.curve_xy[2 * r.n_points - 2] - r.curve_xy[0]) / 5;
    plot.y.has_range = 0; /* 1 to 3 and a margin of a twentieth on either side */
    double tenth = fabs(r.band_area) / (3 * wide); /* height of 2 of 10 units */
    assert_int_equal(draw(&figure, &r, NULL), FIRN_OK);
    wide = (r.curve_xy[2 * r.n_points - 2] - r.curve_xy[0]) / 5;
    assert_true(fabs(fabs(r.band_area) / (3 * wide) / tenth - 5 / 1.1) < 1e-9);
}

/* Labels beside the ends of the curves stand apart, in the order of the curves, and take the place
 * of the legend. */
static void labels_at_ends(void **state)
{
    (void)state;
    double x[] = {0, 1}, up[] = {0, 2}, same[] = {0, 2.0001}, down[] = {0, -2};
    firn_plot_series series[] = {{"low", 2, x, down, FIRN_PLOT_LINE, 0},
                                 {"first", 2, x, same, FIRN_PLOT_LINE, 0},
                                 {"second", 2, x, up, FIRN_PLOT_LINE, 0}};
    firn_plot plot = {.n_series = 3, .series = series, .labels_at_ends = 1};
    firn_figure figure = {.n_plots = 1, .plots = &plot, .width = 400, .height = 300};
    record r;
    assert_int_equal(draw(&figure, &r, NULL), FIRN_OK);
    double at[3];
    static const char *const labels[] = {"first", "second", "low"};
    for (int i = 0; i < 3; i++) {
        at[i] = NAN;
        for (int k = 0; k < r.n_texts; k++)
            if (!strcmp(r.text[k].string, labels[i])) {
                assert_true(isnan(at[i])); /* once */
                at[i] = r.text[k].y;
                assert_true(r.text[k].x > r.curve_xy[2] && r.text[k].x < r.width);
            }
    }
    assert_true(at[1] - at[0] > 12 && at[2] - at[1] > 50);
}

static void clips_and_keeps_gaps(void **state)
{
    (void)state;
    /* leaves the field above between 1 and 2, comes back, then a gap, then two points */
    double x[] = {0, 1, 2, 3, 4, 5, 6}, y[] = {0, 1, 100, 1, NAN, 2, 2};
    firn_plot_series series = {"a", 7, x, y, FIRN_PLOT_LINE, 0};
    firn_plot plot = {.x = {.label = "t", .unit = "s"},
                      .y = {.label = "u", .unit = "1", .has_range = 1, .min = 0, .max = 10},
                      .n_series = 1,
                      .series = &series};
    firn_figure figure = {.n_plots = 1, .plots = &plot, .width = 400, .height = 300};
    record r;
    assert_int_equal(draw(&figure, &r, NULL), FIRN_OK);
    assert_int_equal(r.n_curves, 3);
    assert_int_equal(r.n_points, 3 + 2 + 2);
    /* the cut is where the straight line meets u = 10: at t = 1 + 9/99 */
    double x0 = r.curve_xy[0], x1 = r.curve_xy[2];
    assert_true(fabs((r.curve_xy[4] - x0) / (x1 - x0) - (1 + 9.0 / 99)) < 1e-9);
    assert_true(r.curve_xy[5] == r.min_y && r.min_y > 0);
    assert_true(r.max_x <= r.width && r.max_y <= r.height);
    assert_non_null(strstr(r.texts, "t (s)|"));
    assert_non_null(strstr(r.texts, "|u|"));
}

static void prefixes_and_log(void **state)
{
    (void)state;
    double x[] = {1e-3, 1e-1, 1e1}, y[] = {1.4e5, 1.4e3, 1.4e1};
    firn_plot_series series = {"a", 3, x, y, FIRN_PLOT_LINE_MARKERS, 0};
    firn_plot plot = {.x = {.label = "rate", .unit = "1/s", .is_log = 1},
                      .y = {.label = "stress", .unit = "Pa", .is_log = 1},
                      .n_series = 1,
                      .series = &series};
    firn_figure figure = {.n_plots = 1, .plots = &plot};
    record r;
    assert_int_equal(draw(&figure, &r, NULL), FIRN_OK);
    assert_non_null(strstr(r.texts, "stress (kPa)|"));
    assert_non_null(strstr(r.texts, "rate (1/s)|"));
    assert_int_equal(r.n_markers, 3 + 1); /* and one in the legend */
    /* a power law is straight on two log axes: the middle point is in the middle */
    assert_true(fabs(r.curve_xy[2] - (r.curve_xy[0] + r.curve_xy[4]) / 2) < 1e-9);
    assert_true(fabs(r.curve_xy[3] - (r.curve_xy[1] + r.curve_xy[5]) / 2) < 1e-9);
    plot.y.unit = "Pa^2";
    plot.x.unit = "m"; /* kPa^2 would be wrong, km is not wanted */
    x[2] = 5000;
    assert_int_equal(draw(&figure, &r, NULL), FIRN_OK);
    assert_non_null(strstr(r.texts, "stress (Pa^2)|"));
    assert_non_null(strstr(r.texts, "rate (m)|"));
}

static void refuses_nothing_to_draw(void **state)
{
    (void)state;
    double x[] = {0, 1}, y[] = {NAN, INFINITY};
    firn_plot_series series = {"a", 2, x, y, FIRN_PLOT_LINE, 0};
    firn_plot plot = {.title = "empty", .n_series = 1, .series = &series};
    firn_figure figure = {.n_plots = 1, .plots = &plot};
    firn_messages *messages = firn_messages_create();
    record r;
    assert_int_equal(draw(&figure, &r, messages), FIRN_REFUSED);
    assert_non_null(strstr(firn_messages_text(messages, 0, NULL), "empty"));
    firn_messages_destroy(messages);
}

static void svg_is_whole(void **state)
{
    (void)state;
    double x[] = {0, 1, 2}, y[] = {5, 5, 5}; /* a constant must not divide by zero */
    firn_plot_series series = {"a < b & c", 3, x, y, FIRN_PLOT_DASHED, 0};
    firn_plot_mark mark = {1, "here", 0};
    firn_plot plots[4];
    for (int i = 0; i < 4; i++)
        plots[i] = (firn_plot){
            .title = "p", .n_series = 1, .series = &series, .n_marks = 1, .marks = &mark};
    firn_figure figure = {.title = "all", .n_plots = 4, .plots = plots, .shared_legend = 1};
    firn_text svg = {0};
    assert_int_equal(firn_plot_svg(&figure, &svg, NULL), FIRN_OK);
    assert_null(strstr(svg.data, "nan"));
    assert_null(strstr(svg.data, "inf"));
    assert_non_null(strstr(svg.data, "a &lt; b &amp; c"));
    assert_string_equal(svg.data + svg.n - 7, "</svg>\n");
    int n_open = 0, n_close = 0, n_curves = 0;
    for (const char *c = svg.data; (c = strstr(c, "<text ")); c++) n_open++;
    for (const char *c = svg.data; (c = strstr(c, "</text>")); c++) n_close++;
    for (const char *c = svg.data; (c = strstr(c, "stroke-width=\"2\"")); c++) n_curves++;
    assert_int_equal(n_open, n_close);
    assert_int_equal(n_curves, 4);
    firn_text_clear(&svg);
}

/* x + y over the unit square in bands below 0.5, below 1.5 and above: areas 1/8, 3/4 and 1/8; a
 * missing node leaves its four squares white. */
static void fields_have_the_area_of_their_bands(void **state)
{
    (void)state;
    double values[25];
    for (int k = 0; k < 25; k++) values[k] = 0.25 * (k % 5) + 0.25 * (k / 5);
    firn_plot_field field = {
        5, 5, 0, 1, 0, 1, values, 3, {0.5, 1.5, INFINITY}, {0, 1, 2}, {"low", "middle", "high"}};
    firn_plot plot = {.x = {.label = "a", .has_range = 1, .max = 1},
                      .y = {.label = "b", .has_range = 1, .max = 1},
                      .field = &field};
    firn_figure figure = {.n_plots = 1, .plots = &plot, .width = 500, .height = 500};
    record r;
    assert_int_equal(draw(&figure, &r, NULL), FIRN_OK);
    double all = r.area[0] + r.area[1] + r.area[2];
    assert_true(fabs(r.area[0] / all - 0.125) < 0.005 && fabs(r.area[2] / all - 0.125) < 0.005);
    assert_non_null(strstr(r.texts, "low|middle|high"));
    values[12] = NAN;
    record with_hole;
    assert_int_equal(draw(&figure, &with_hole, NULL), FIRN_OK);
    assert_true(fabs((with_hole.area[0] + with_hole.area[1] + with_hole.area[2]) / all - 0.75) <
                0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fields_have_the_area_of_their_bands),
                                       cmocka_unit_test(ticks),
                                       cmocka_unit_test(clips_and_keeps_gaps),
                                       cmocka_unit_test(bands),
                                       cmocka_unit_test(labels_at_ends),
                                       cmocka_unit_test(prefixes_and_log),
                                       cmocka_unit_test(refuses_nothing_to_draw),
                                       cmocka_unit_test(svg_is_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
