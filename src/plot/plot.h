/* SPDX-License-Identifier: MIT */
/* plot.h: line plots. A figure is described once, as plain structs, and drawn as SVG (plot_svg.c)
 * or as pixels (plot_image.c) with the same strokes.
 *
 * A figure holds panels in rows of `n_columns`: one panel is a plot, several are small
 * multiples. Axes carry a label and a unit; with the units Pa, J, N, W, s and m a metric prefix
 * is chosen so that tick labels stay short (140000 Pa is drawn as 140 kPa). Points that are not
 * finite, or not positive on a log axis, are gaps. */
#ifndef FIRN_PLOT_H
#define FIRN_PLOT_H

#include "firn/base.h"
#include "plot/image.h"
#include "base/text.h"

typedef enum firn_plot_style {
    FIRN_PLOT_LINE,
    FIRN_PLOT_DASHED,
    FIRN_PLOT_DOTTED,
    FIRN_PLOT_MARKERS,
    FIRN_PLOT_LINE_MARKERS
} firn_plot_style;

typedef struct firn_plot_series {
    const char *label; /* NULL: not in the legend */
    int n;
    const double *x, *y;
    firn_plot_style style;
    int color;                /* 0: its place in the list; 1, 2, ...: that entry of the palette */
    const double *low, *high; /* [n], a band around the curve; NULL: none */
} firn_plot_series;

typedef struct firn_plot_axis {
    const char *label, *unit; /* unit NULL, "" or "1": no unit */
    int is_log;
    int has_range; /* else from the data */
    double min, max;
} firn_plot_axis;

/* A dashed line across the panel with a label. */
typedef struct firn_plot_mark {
    double at;
    const char *label;
    int is_horizontal;
} firn_plot_mark;

enum { FIRN_PLOT_BANDS_MAX = 8 };

/* A quantity over the plane of a panel, as bands of colour under the curves; NAN: white. */
typedef struct firn_plot_field {
    int nx, ny; /* nodes, evenly spaced over x0 .. x1 and y0 .. y1; at least 2 */
    double x0, x1, y0, y1;
    const double *values; /* [ny][nx] */
    int n_bands;
    double upper[FIRN_PLOT_BANDS_MAX]; /* band k: values below upper[k]; the last: all above */
    unsigned color[FIRN_PLOT_BANDS_MAX];
    const char *label[FIRN_PLOT_BANDS_MAX]; /* in the legend */
} firn_plot_field;

typedef struct firn_plot {
    const char *title;
    firn_plot_axis x, y;
    const firn_plot_field *field; /* NULL: none; it needs axes with ranges */
    int n_series;
    const firn_plot_series *series;
    int n_marks;
    const firn_plot_mark *marks;
    int labels_at_ends; /* labels beside the ends of the curves, instead of a legend */
} firn_plot;

typedef struct firn_figure {
    const char *title;
    int n_plots;
    const firn_plot *plots;
    int n_columns;        /* 0: up to three */
    double width, height; /* of a panel in pixels; 0: 640 x 420, or 360 x 270 in small multiples */
    int shared_legend;    /* one legend above all panels, of the series of the first */
} firn_figure;

/* The SVG element, self-contained: for HTML and as a file. */
firn_status firn_plot_svg(const firn_figure *figure, firn_text *svg, firn_messages *messages);

/* To a file, by its extension .svg or .png (zoom 2). */
firn_status firn_plot_write(const firn_figure *figure, const char *path, firn_messages *messages);

/* Colors of series 1, 2, ...: 0xRRGGBB. */
enum { FIRN_PLOT_COLORS = 8 };
unsigned firn_plot_color(int i);

/* Ticks at multiples of 1, 2 or 5 times a power of ten (at powers of ten on a log axis) in [min,
 * max]; returns their number, at most n_max. */
int firn_plot_ticks(double min, double max, int is_log, int n_wanted, int n_max, double *ticks);

/* The unit to be shown, with a metric prefix where one is in use, and the factor of the numbers. */
double firn_plot_prefix(const char *unit, double largest, char shown[48]);

/* ---------------------------------------------------------------- layout and canvas */

/* Colours are 0xRRGGBB, lengths pixels, y downwards; a canvas draws the styles solid, dashed and
 * dotted. `anchor`: text starts at x (-1), is centred (0) or ends there (1). */
typedef struct firn_canvas {
    void *user;
    void (*begin)(void *user, double width, double height);
    void (*lines)(void *user, int n, const double *xy, unsigned color, double width,
                  firn_plot_style style);
    /* filled, half transparent; n points, first those of the upper edge, then those of the lower one
     * backwards */
    void (*band)(void *user, int n, const double *xy, unsigned color);
    void (*marker)(void *user, double x, double y, double radius, int shape, unsigned color);
    void (*rectangle)(void *user, double x, double y, double width, double height, unsigned color);
    void (*text)(void *user, double x, double y, const char *string, double size, int anchor,
                 int is_bold, unsigned color);
    double (*text_width)(void *user, const char *string, double size, int is_bold);
} firn_canvas;

/* Draws the figure; FIRN_REFUSED: nothing can be drawn. */
firn_status firn_plot_draw(const firn_figure *figure, const firn_canvas *canvas,
                           firn_messages *messages);

#endif
