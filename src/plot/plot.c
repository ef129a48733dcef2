/* SPDX-License-Identifier: MIT */
/* plot.c: the layout of a figure: ranges, ticks, legends, the places of all strokes. SVG and
 * pixels are drawn by the canvases in plot_svg.c and plot_image.c.
 *
 * A panel, from above: title, legend (wrapped), label of the y axis (horizontal, above its axis),
 * the field, tick labels, label of the x axis:
 *
 *       title
 *       -o- series a   -- series b
 *       stress (kPa)
 *      |        ..--
 *      |   ..--
 *      +------------
 *       0     0.5    1
 *           strain
 *
 * Curves are clipped here, so that a canvas needs no clipping. Data are mapped by one axis_span per
 * axis. */
#include "plot/plot.h"
#include "base/memory.h"
#include "base/messages.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TICKS_MAX = 32, ROW = 19 };
static const double text_size = 13, title_size = 15;
static const unsigned ink = 0x222222, faint = 0xe4e4e4, middle = 0x8c8c8c;

/* Distinguishable with any common colour vision deficiency (M. Okabe, K. Ito, Color universal
 * design, 2008; yellow darkened for paper). */
static const unsigned palette[] = {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7,
                                   0x222222, 0xe69f00, 0x56b4e9, 0x8c6d1f};
enum { N_COLORS = FIRN_PLOT_COLORS };
_Static_assert(sizeof palette / sizeof *palette == N_COLORS, "one entry per color");

unsigned firn_plot_color(int i) { return palette[i % N_COLORS]; }

/* One axis of one panel: data * scale runs over [low, high] (their logarithms on a log axis)
 * along `pixels` starting at `origin`; y has its origin at the bottom and negative pixels. */
typedef struct axis_span {
    int is_log;
    double scale, low, high, origin, pixels;
    int n_ticks, decimals;
    double ticks[TICKS_MAX];
    char unit[48];
} axis_span;

typedef struct panel {
    const firn_plot *plot;
    const firn_canvas *canvas;
    double left, top, width, height; /* with legend */
    axis_span x, y;
} panel;

/* ---------------------------------------------------------------- ticks and ranges */

static int log_ticks(double min, double max, int n_wanted, int n_max, double *ticks)
{
    int n = 0, first = (int)floor(log10(min)), last = (int)ceil(log10(max));
    double decades = log10(max) - log10(min);
    int every = (int)fmax(1, ceil(decades / n_wanted));
    static const double within[] = {1, 2, 5};
    int n_within = decades < 2.5 ? 3 : 1;
    for (int e = first; e <= last; e++)
        for (int k = 0; k < n_within; k++) {
            double tick = within[k] * pow(10, e);
            int is_wanted = (e % every + every) % every == 0;
            if (is_wanted && tick >= min * (1 - 1e-9) && tick <= max * (1 + 1e-9) && n < n_max)
                ticks[n++] = tick;
        }
    return n;
}

int firn_plot_ticks(double min, double max, int is_log, int n_wanted, int n_max, double *ticks)
{
    if (!(max > min) || n_wanted < 1 || !isfinite(max - min)) return 0;
    if (is_log) return min > 0 ? log_ticks(min, max, n_wanted, n_max, ticks) : 0;
    double rough = (max - min) / n_wanted, power = pow(10, floor(log10(rough)));
    double share = rough / power;
    double step = power * (share <= 1.5 ? 1 : share <= 3.5 ? 2 : share <= 7.5 ? 5 : 10);
    double first = ceil(min / step - 1e-9), last = floor(max / step + 1e-9);
    int n = 0;
    for (double k = first; k <= last && n < n_max; k++) ticks[n++] = k == 0 ? 0 : k * step;
    return n;
}

static int is_drawable(double value, int is_log)
{
    return isfinite(value) && (!is_log || value > 0);
}

/* The range of one axis over the points whose two coordinates can be drawn. */
static int data_range(const firn_plot *plot, int is_y, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (int s = 0; s < plot->n_series; s++) {
        const firn_plot_series *series = &plot->series[s];
        for (int i = 0; i < series->n; i++) {
            if (!is_drawable(series->x[i], plot->x.is_log) ||
                !is_drawable(series->y[i], plot->y.is_log))
                continue;
            /* points outside a fixed x range do not count for y */
            if (is_y && plot->x.has_range &&
                (series->x[i] < plot->x.min || series->x[i] > plot->x.max))
                continue;
            double value = is_y ? series->y[i] : series->x[i];
            *low = fmin(*low, is_y && series->low ? fmin(value, series->low[i]) : value);
            *high = fmax(*high, is_y && series->high ? fmax(value, series->high[i]) : value);
        }
    }
    return *low <= *high;
}

/* Metric prefixes where they are in use: kPa and MJ/m^3, not km or ks. */
double firn_plot_prefix(const char *unit, double largest, char shown[48])
{
    static const struct {
        const char *start;
        int small_only;
    } known[] = {{"Pa", 0}, {"J", 0}, {"N", 0}, {"W", 0}, {"m", 1}, {"s", 1}};
    static const struct {
        double size;
        const char *letter;
    } prefixes[] = {{1e9, "G"},  {1e6, "M"},  {1e3, "k"}, {1, ""},
                    {1e-3, "m"}, {1e-6, "u"}, {1e-9, "n"}};
    if (!unit || strcmp(unit, "1") == 0) unit = "";
    snprintf(shown, 48, "%s", unit);
    if (largest == 0) return 1;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        size_t n = strlen(known[k].start);
        if (strncmp(unit, known[k].start, n) != 0 || (unit[n] && !strchr("/ ", unit[n]))) continue;
        for (size_t p = 0; p < sizeof prefixes / sizeof *prefixes; p++) {
            if (known[k].small_only && prefixes[p].size > 1) continue;
            /* 1500 Pa stays in Pa, 0.4 N in N */
            double least = (prefixes[p].size > 1 ? 2 : 0.2) * prefixes[p].size;
            if (largest < least && p + 1 < sizeof prefixes / sizeof *prefixes) continue;
            snprintf(shown, 48, "%s%s", prefixes[p].letter, unit);
            return 1 / prefixes[p].size;
        }
    }
    return 1;
}

/* Decimals by which neighbouring ticks differ; -1: in powers of ten. */
static int tick_decimals(const axis_span *span)
{
    if (span->is_log || span->n_ticks < 2) return -1;
    double step = span->ticks[1] - span->ticks[0];
    double largest = fmax(fabs(span->ticks[0]), fabs(span->ticks[span->n_ticks - 1]));
    if (largest >= 1e6 || largest < 1e-4) return -1;
    return (int)fmax(0, -floor(log10(step) + 1e-6));
}

static firn_status measure_axis(const firn_plot *plot, int is_y, double pixels, axis_span *span,
                                firn_messages *messages)
{
    const firn_plot_axis *axis = is_y ? &plot->y : &plot->x;
    double low, high;
    span->is_log = axis->is_log;
    int has_data = data_range(plot, is_y, &low, &high);
    if (!has_data && !(plot->field && axis->has_range))
        return firn_messages_add(
            messages, FIRN_REFUSED,
            "plot \"%s\": no point to draw (all values missing or not finite%s)",
            plot->title ? plot->title : "", axis->is_log ? ", or not positive on a log axis" : "");
    for (int m = 0; m < plot->n_marks; m++)
        if (plot->marks[m].is_horizontal == is_y && is_drawable(plot->marks[m].at, axis->is_log)) {
            low = fmin(low, plot->marks[m].at);
            high = fmax(high, plot->marks[m].at);
        }
    if (axis->has_range) {
        low = axis->min;
        high = axis->max;
    }
    span->scale = firn_plot_prefix(axis->unit, fmax(fabs(low), fabs(high)), span->unit);
    low *= span->scale;
    high *= span->scale;
    if (axis->is_log) {
        if (!(high > low * 1.0001)) {
            low /= 2;
            high *= 2;
        }
        low = log10(low);
        high = log10(high);
    }
    /* a constant is drawn in the middle of a range as wide as its value */
    if (!(high - low > 1e-12 * fmax(fabs(low), fabs(high)))) {
        double half = low == 0 ? 1 : fabs(low) / 2;
        low -= half;
        high += half;
    } else if (is_y && !axis->has_range) {
        double margin = 0.05 * (high - low);
        low -= margin;
        high += margin;
    }
    span->low = low;
    span->high = high;
    double first = axis->is_log ? pow(10, low) : low, last = axis->is_log ? pow(10, high) : high;
    int wanted = (int)fmax(2, pixels / (is_y ? 55 : 85));
    span->n_ticks = firn_plot_ticks(first, last, axis->is_log, wanted, TICKS_MAX, span->ticks);
    span->decimals = tick_decimals(span);
    return FIRN_OK;
}

static double place(const axis_span *span, double scaled)
{
    double value = span->is_log ? log10(scaled) : scaled;
    return span->origin + (value - span->low) / (span->high - span->low) * span->pixels;
}

/* ---------------------------------------------------------------- small strokes */

static void line(const panel *p, double x0, double y0, double x1, double y1, unsigned color,
                 double width, firn_plot_style style)
{
    double xy[4] = {x0, y0, x1, y1};
    p->canvas->lines(p->canvas->user, 2, xy, color, width, style);
}

static void text(const panel *p, double x, double y, const char *string, int anchor, unsigned color)
{
    p->canvas->text(p->canvas->user, x, y, string, text_size, anchor, 0, color);
}

static double width_of(const panel *p, const char *string)
{
    return p->canvas->text_width(p->canvas->user, string, text_size, 0);
}

static void format_tick(const axis_span *span, double tick, char shown[32])
{
    if (span->decimals >= 0)
        snprintf(shown, 32, "%.*f", span->decimals, tick);
    else
        snprintf(shown, 32, fabs(tick) >= 1e4 && fabs(tick) < 1e6 ? "%.0f" : "%.4g", tick);
}

static void axis_label(const firn_plot_axis *axis, const axis_span *span, char *shown, size_t n)
{
    const char *label = axis->label ? axis->label : "";
    if (span->unit[0])
        snprintf(shown, n, "%s (%s)", label, span->unit);
    else
        snprintf(shown, n, "%s", label);
}

static unsigned color_of(const firn_plot_series *series, int place_in_list)
{
    int color = series->color > 0 ? series->color - 1 : place_in_list;
    return palette[color % N_COLORS];
}

/* Dashed once the palette is used up. */
static firn_plot_style style_of(const firn_plot_series *series, int place_in_list)
{
    if (series->style == FIRN_PLOT_LINE && series->color == 0 && place_in_list >= N_COLORS)
        return FIRN_PLOT_DASHED;
    return series->style;
}

/* ---------------------------------------------------------------- curves */

/* Clips the segment to the box (Y.-D. Liang, B. A. Barsky, 1984): the part from t0 to t1 is
 * inside; 0: none. */
static int clip(const double box[4], double x0, double y0, double x1, double y1, double *t0,
                double *t1)
{
    double d[4] = {x0 - x1, x1 - x0, y0 - y1, y1 - y0};
    double q[4] = {x0 - box[0], box[2] - x0, y0 - box[1], box[3] - y0};
    *t0 = 0;
    *t1 = 1;
    for (int side = 0; side < 4; side++) {
        if (d[side] == 0) {
            if (q[side] < 0) return 0;
            continue;
        }
        double t = q[side] / d[side];
        if (d[side] < 0)
            *t0 = fmax(*t0, t);
        else
            *t1 = fmin(*t1, t);
    }
    return *t0 <= *t1;
}

/* Points for the canvas; two on the same quarter pixel are one. */
typedef struct point_trail {
    int n;
    double *xy;
} point_trail;

static void trail_add(point_trail *trail, double x, double y)
{
    if (trail->n && hypot(x - trail->xy[2 * trail->n - 2], y - trail->xy[2 * trail->n - 1]) < 0.25)
        return;
    trail->xy[2 * trail->n] = x;
    trail->xy[2 * trail->n + 1] = y;
    trail->n++;
}

static void trail_end(point_trail *trail, const panel *p, unsigned color, firn_plot_style style)
{
    if (trail->n > 1) p->canvas->lines(p->canvas->user, trail->n, trail->xy, color, 2, style);
    trail->n = 0;
}

static void draw_curve(const panel *p, const firn_plot_series *series, double *work, unsigned color,
                       firn_plot_style style)
{
    double box[4] = {p->x.origin, p->y.origin + p->y.pixels, p->x.origin + p->x.pixels,
                     p->y.origin};
    point_trail out = {0, work};
    double px = NAN, py = NAN;
    for (int i = 0; i < series->n; i++) {
        int is_point =
            is_drawable(series->x[i], p->x.is_log) && is_drawable(series->y[i], p->y.is_log);
        double x = is_point ? place(&p->x, series->x[i] * p->x.scale) : NAN;
        double y = is_point ? place(&p->y, series->y[i] * p->y.scale) : NAN;
        double t0, t1;
        if (!isnan(px) && is_point && clip(box, px, py, x, y, &t0, &t1)) {
            if (t0 > 0) trail_end(&out, p, color, style);
            trail_add(&out, px + t0 * (x - px), py + t0 * (y - py));
            trail_add(&out, px + t1 * (x - px), py + t1 * (y - py));
            if (t1 < 1) trail_end(&out, p, color, style);
        } else if (!is_point)
            trail_end(&out, p, color, style);
        px = x;
        py = y;
    }
    trail_end(&out, p, color, style);
}

static void draw_markers(const panel *p, const firn_plot_series *series, unsigned color, int shape)
{
    /* on a curve a dozen markers identify it */
    int every = series->style == FIRN_PLOT_LINE_MARKERS && series->n > 24 ? series->n / 12 : 1;
    for (int i = 0; i < series->n; i += every) {
        if (!is_drawable(series->x[i], p->x.is_log) || !is_drawable(series->y[i], p->y.is_log))
            continue;
        double x = place(&p->x, series->x[i] * p->x.scale),
               y = place(&p->y, series->y[i] * p->y.scale);
        int is_inside = x >= p->x.origin - 0.5 && x <= p->x.origin + p->x.pixels + 0.5 &&
                        y <= p->y.origin + 0.5 && y >= p->y.origin + p->y.pixels - 0.5;
        if (is_inside)
            p->canvas->marker(p->canvas->user, x, y, series->n > 200 ? 2 : 3.5, shape, color);
    }
}

static double inside(double value, double a, double b)
{
    return fmin(fmax(value, fmin(a, b)), fmax(a, b));
}

/* The band of a series, cut at the edges of the panel; gaps end it. */
static void draw_band(const panel *p, const firn_plot_series *series, double *work, unsigned color)
{
    int n = 0;
    double x_end = p->x.origin + p->x.pixels, y_end = p->y.origin + p->y.pixels;
    for (int i = 0; i <= series->n; i++) {
        int is_point = i < series->n && is_drawable(series->x[i], p->x.is_log) &&
                       is_drawable(series->low[i], p->y.is_log) &&
                       is_drawable(series->high[i], p->y.is_log);
        double x = is_point ? place(&p->x, series->x[i] * p->x.scale) : NAN;
        if (is_point && x >= p->x.origin && x <= x_end) {
            double *point = work + 4 * n++;
            point[0] = point[2] = x;
            point[1] = inside(place(&p->y, series->high[i] * p->y.scale), p->y.origin, y_end);
            point[3] = inside(place(&p->y, series->low[i] * p->y.scale), p->y.origin, y_end);
            continue;
        }
        if (n > 1) { /* upper edge, then the lower one backwards */
            double *edge = work + 4 * n;
            for (int k = 0; k < n; k++) {
                memcpy(edge + 2 * k, work + 4 * k, 2 * sizeof *edge);
                memcpy(edge + 2 * (2 * n - 1 - k), work + 4 * k + 2, 2 * sizeof *edge);
            }
            p->canvas->band(p->canvas->user, 2 * n, edge, color);
        }
        n = 0;
    }
}

static firn_status draw_series(const panel *p, firn_messages *messages)
{
    int longest = 0;
    for (int s = 0; s < p->plot->n_series; s++)
        if (p->plot->series[s].n > longest) longest = p->plot->series[s].n;
    size_t n_bytes = (size_t)(2 * longest + 2) * 4 * sizeof(double);
    double *work = firn_memory_allocate(NULL, n_bytes);
    if (!work) return firn_messages_no_memory(messages, "plot: curve of %d points", longest);
    for (int s = 0; s < p->plot->n_series; s++) {
        const firn_plot_series *series = &p->plot->series[s];
        if (series->low && series->high) draw_band(p, series, work, color_of(series, s));
    }
    for (int s = 0; s < p->plot->n_series; s++) {
        const firn_plot_series *series = &p->plot->series[s];
        firn_plot_style style = style_of(series, s);
        if (style != FIRN_PLOT_MARKERS) draw_curve(p, series, work, color_of(series, s), style);
        if (style >= FIRN_PLOT_MARKERS) draw_markers(p, series, color_of(series, s), s);
    }
    firn_memory_release(NULL, work, n_bytes);
    return FIRN_OK;
}

/* ---------------------------------------------------------------- labels at the ends of curves */

enum { END_LABELS_MAX = 32 };

typedef struct end_label {
    const char *string;
    double curve, y; /* where the curve ends, and where the label stands */
    unsigned color;
} end_label;

/* The last point of a series inside the panel; 0: none. */
static int end_of(const panel *p, const firn_plot_series *series, double *y)
{
    for (int i = series->n - 1; i >= 0; i--) {
        if (!is_drawable(series->x[i], p->x.is_log) || !is_drawable(series->y[i], p->y.is_log))
            continue;
        double x = place(&p->x, series->x[i] * p->x.scale);
        *y = place(&p->y, series->y[i] * p->y.scale);
        if (x <= p->x.origin + p->x.pixels + 0.5 && *y <= p->y.origin &&
            *y >= p->y.origin + p->y.pixels)
            return 1;
    }
    return 0;
}

/* Sorted by height, each at least a row below the one before, and all of them above the axis. */
static void spread_labels(const panel *p, int n, end_label *labels)
{
    const double row = ROW - 4;
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && labels[k].curve < labels[k - 1].curve; k--) {
            end_label other = labels[k];
            labels[k] = labels[k - 1];
            labels[k - 1] = other;
        }
    for (int i = 0; i < n; i++)
        labels[i].y = i ? fmax(labels[i].curve, labels[i - 1].y + row) : labels[i].curve;
    for (int i = n - 1; i >= 0; i--)
        labels[i].y = fmin(labels[i].y, i < n - 1 ? labels[i + 1].y - row : p->y.origin);
}

static void draw_end_labels(const panel *p)
{
    end_label labels[END_LABELS_MAX];
    int n = 0;
    for (int s = 0; s < p->plot->n_series && n < END_LABELS_MAX; s++) {
        const firn_plot_series *series = &p->plot->series[s];
        if (!series->label || !end_of(p, series, &labels[n].curve)) continue;
        labels[n].string = series->label;
        labels[n++].color = color_of(series, s);
    }
    spread_labels(p, n, labels);
    double right = p->x.origin + p->x.pixels;
    for (int i = 0; i < n; i++) {
        line(p, right + 1, labels[i].curve, right + 8, labels[i].y, labels[i].color, 1,
             FIRN_PLOT_LINE);
        text(p, right + 11, labels[i].y + 4.5, labels[i].string, -1, labels[i].color);
    }
}

/* Room for them beside the field. */
static double width_of_end_labels(const panel *p)
{
    double widest = 0;
    for (int s = 0; s < p->plot->n_series; s++)
        if (p->plot->series[s].label) widest = fmax(widest, width_of(p, p->plot->series[s].label));
    return widest > 0 ? widest + 12 : 0;
}

/* ---------------------------------------------------------------- a panel */

/* The swatches of the bands of a field, as part of the legend. */
static int legend_of_field(const panel *p, double left, double *x, double *y, double width,
                           int measure_only)
{
    const firn_plot_field *field = p->plot->field;
    for (int k = 0; field && k < field->n_bands; k++) {
        double needed = 22 + width_of(p, field->label[k]);
        if (*x > left && *x + needed > left + width) {
            *x = left;
            *y += ROW;
        }
        if (!measure_only) {
            p->canvas->rectangle(p->canvas->user, *x, *y + 3, 16, 12, field->color[k]);
            text(p, *x + 21, *y + ROW / 2.0 + 4.5, field->label[k], -1, ink);
        }
        *x += needed + 14;
    }
    return field ? field->n_bands : 0;
}

/* Draws the legend from (left, top) on, unless `measure_only`; returns its height. */
static double legend(const panel *p, double left, double top, double width, int measure_only)
{
    double x = left, y = top;
    int n_shown = legend_of_field(p, left, &x, &y, width, measure_only);
    if (n_shown) {
        x = left;
        y += ROW;
    } /* lines below swatches */
    for (int s = 0; s < p->plot->n_series; s++) {
        const firn_plot_series *series = &p->plot->series[s];
        if (!series->label) continue;
        double needed = 30 + width_of(p, series->label);
        if (x > left && x + needed > left + width) {
            x = left;
            y += ROW;
        }
        if (!measure_only) {
            unsigned color = color_of(series, s);
            firn_plot_style style = style_of(series, s);
            double middle_y = y + ROW / 2.0;
            if (style != FIRN_PLOT_MARKERS)
                line(p, x, middle_y, x + 24, middle_y, color, 2.5, style);
            if (style >= FIRN_PLOT_MARKERS)
                p->canvas->marker(p->canvas->user, x + 12, middle_y, 3.5, s, color);
            text(p, x + 29, middle_y + 4.5, series->label, -1, ink);
        }
        x += needed + 16;
        n_shown++;
    }
    return n_shown ? y + ROW - top : 0;
}

/* The band of a value; -1: not a number. */
static int band_of(const firn_plot_field *field, double value)
{
    if (isnan(value)) return -1;
    int k = 0;
    while (k < field->n_bands - 1 && value >= field->upper[k]) k++;
    return k;
}

/* Bilinear between the nodes. */
static double field_at(const firn_plot_field *f, double x, double y)
{
    double u = (x - f->x0) / (f->x1 - f->x0) * (f->nx - 1),
           v = (y - f->y0) / (f->y1 - f->y0) * (f->ny - 1);
    if (!(u >= 0 && u <= f->nx - 1 && v >= 0 && v <= f->ny - 1)) return NAN;
    int i = (int)fmin(u, f->nx - 2), j = (int)fmin(v, f->ny - 2);
    const double *low = f->values + (size_t)j * (size_t)f->nx + i, *high = low + f->nx;
    u -= i;
    v -= j;
    return (1 - v) * ((1 - u) * low[0] + u * low[1]) + v * ((1 - u) * high[0] + u * high[1]);
}

/* Rows of two pixels; neighbours of one band are joined. */
static void draw_field(const panel *p)
{
    const firn_plot_field *f = p->plot->field;
    const double step = 2;
    double top = p->y.origin + p->y.pixels;
    for (double y = top; y < p->y.origin; y += step) {
        double height = fmin(step, p->y.origin - y), start = 0;
        double at_y =
            p->y.low + (y + height / 2 - p->y.origin) / p->y.pixels * (p->y.high - p->y.low);
        int band = -1;
        for (double x = 0; x <= p->x.pixels; x += 1) {
            double at_x = p->x.low + (x + 0.5) / p->x.pixels * (p->x.high - p->x.low);
            int next = x + 1 > p->x.pixels
                           ? -1
                           : band_of(f, field_at(f, at_x / p->x.scale, at_y / p->y.scale));
            if (next == band) continue;
            if (band >= 0)
                p->canvas->rectangle(p->canvas->user, p->x.origin + start, y, x - start, height,
                                     f->color[band]);
            start = x;
            band = next;
        }
    }
}

static void draw_axes(const panel *p)
{
    double left = p->x.origin, right = left + p->x.pixels, bottom = p->y.origin,
           top = bottom + p->y.pixels;
    char shown[160];
    for (int i = 0; i < p->y.n_ticks; i++) {
        double y = place(&p->y, p->y.ticks[i]);
        line(p, left, y, right, y, !p->y.is_log && p->y.ticks[i] == 0 ? middle : faint, 1,
             FIRN_PLOT_LINE);
        format_tick(&p->y, p->y.ticks[i], shown);
        text(p, left - 7, y + 4.5, shown, 1, ink);
    }
    for (int i = 0; i < p->x.n_ticks; i++) {
        double x = place(&p->x, p->x.ticks[i]);
        line(p, x, top, x, bottom, faint, 1, FIRN_PLOT_LINE);
        line(p, x, bottom, x, bottom + 5, ink, 1, FIRN_PLOT_LINE);
        format_tick(&p->x, p->x.ticks[i], shown);
        text(p, x, bottom + 18, shown, 0, ink);
    }
    line(p, left, bottom, right, bottom, ink, 1, FIRN_PLOT_LINE);
    line(p, left, top, left, bottom, ink, 1, FIRN_PLOT_LINE);
    axis_label(&p->plot->x, &p->x, shown, sizeof shown);
    text(p, (left + right) / 2, bottom + 37, shown, 0, ink);
    axis_label(&p->plot->y, &p->y, shown, sizeof shown);
    text(p, p->left, top - 9, shown, -1, ink);
}

static void draw_marks(const panel *p)
{
    double left = p->x.origin, right = left + p->x.pixels, bottom = p->y.origin,
           top = bottom + p->y.pixels;
    int n_vertical = 0;
    for (int m = 0; m < p->plot->n_marks; m++) {
        const firn_plot_mark *mark = &p->plot->marks[m];
        const axis_span *span = mark->is_horizontal ? &p->y : &p->x;
        if (!is_drawable(mark->at, span->is_log)) continue;
        double at = place(span, mark->at * span->scale);
        const char *label = mark->label ? mark->label : "";
        if (mark->is_horizontal) {
            if (at < top || at > bottom) continue;
            line(p, left, at, right, at, middle, 1.2, FIRN_PLOT_DASHED);
            text(p, right - 4, at - 5, label, 1, 0x555555);
        } else {
            if (at < left || at > right) continue;
            line(p, at, top, at, bottom, middle, 1.2, FIRN_PLOT_DASHED);
            /* on the side with more room, each one row lower, never over the left axis */
            int to_left = at - left > (right - left) / 2;
            if (to_left && width_of(p, label) > at - left - 6) at = left + width_of(p, label) + 6;
            text(p, at + (to_left ? -6 : 6), top + 15 + ROW * n_vertical++, label, to_left ? 1 : -1,
                 0x555555);
        }
    }
}

/* The title in bold; a long one is reduced, and cut where that is not enough. */
static void draw_title(const panel *p, double x, double y, const char *title, double size,
                       double width)
{
    char shown[160];
    int n = snprintf(shown, sizeof shown, "%s", title);
    if (n >= (int)sizeof shown) n = sizeof shown - 1;
    double needed = p->canvas->text_width(p->canvas->user, shown, size, 1);
    if (needed > width) size = fmax(11, size * width / needed);
    while (n > 4 && p->canvas->text_width(p->canvas->user, shown, size, 1) > width) {
        while (n > 4 && ((unsigned char)shown[n - 4] & 0xc0) == 0x80)
            n--; /* not inside a UTF-8 character */
        n--;
        memcpy(shown + n - 3, "...", 4);
    }
    p->canvas->text(p->canvas->user, x, y, shown, size, -1, 1, ink);
}

static firn_status draw_panel(panel *p, int with_legend, firn_messages *messages)
{
    const firn_plot *plot = p->plot;
    double y = p->top, right = p->left + p->width - 14;
    if (plot->title && plot->title[0]) {
        draw_title(p, p->left, y + 16, plot->title, title_size, p->width);
        y += 26;
    }
    if (plot->labels_at_ends) right -= width_of_end_labels(p);
    if (with_legend && !plot->labels_at_ends) y += legend(p, p->left, y, p->width, 0) + 4;
    double bottom = p->top + p->height - 46, top = y + 24;
    if (!(bottom - top > 40))
        return firn_messages_add(
            messages, FIRN_REFUSED,
            "plot \"%s\": no room besides its legend; try: a larger height, or a "
            "shared legend",
            plot->title ? plot->title : "");
    firn_status status = measure_axis(plot, 1, bottom - top, &p->y, messages);
    if (status != FIRN_OK) return status;
    p->y.origin = bottom;
    p->y.pixels = top - bottom;
    double widest = 0;
    char shown[32];
    for (int i = 0; i < p->y.n_ticks; i++) {
        format_tick(&p->y, p->y.ticks[i], shown);
        widest = fmax(widest, width_of(p, shown));
    }
    double left = p->left + widest + 12;
    status = measure_axis(plot, 0, right - left, &p->x, messages);
    if (status != FIRN_OK) return status;
    p->x.origin = left;
    p->x.pixels = right - left;
    if (plot->field) draw_field(p);
    draw_axes(p);
    status = draw_series(p, messages);
    draw_marks(p);
    if (plot->labels_at_ends) draw_end_labels(p);
    return status;
}

/* ---------------------------------------------------------------- the figure */

firn_status firn_plot_draw(const firn_figure *figure, const firn_canvas *canvas,
                           firn_messages *messages)
{
    if (figure->n_plots < 1) return firn_messages_add(messages, FIRN_REFUSED, "figure: no plots");
    int columns = figure->n_columns > 0 ? figure->n_columns
                  : figure->n_plots < 3 ? figure->n_plots
                                        : 3;
    if (columns > figure->n_plots) columns = figure->n_plots;
    int rows = (figure->n_plots + columns - 1) / columns, is_single = figure->n_plots == 1;
    double width = figure->width > 0 ? figure->width : is_single ? 640 : 360;
    double height = figure->height > 0 ? figure->height : is_single ? 420 : 270;
    const double border = 14, gap = 26;
    double inner = columns * width + (columns - 1) * gap;

    panel first = {.plot = &figure->plots[0], .canvas = canvas, .left = border};
    int has_title = figure->title && figure->title[0];
    double legend_top = border + (has_title ? 30 : 0), top = legend_top;
    if (figure->shared_legend) top += legend(&first, border, legend_top, inner, 1) + 8;
    canvas->begin(canvas->user, inner + 2 * border,
                  top + rows * height + (rows - 1) * gap + border);
    if (has_title) draw_title(&first, border, border + 17, figure->title, title_size + 2, inner);
    if (figure->shared_legend) legend(&first, border, legend_top, inner, 0);

    firn_status status = FIRN_OK;
    for (int i = 0; i < figure->n_plots && status == FIRN_OK; i++) {
        panel p = {.plot = &figure->plots[i],
                   .canvas = canvas,
                   .left = border + (i % columns) * (width + gap),
                   .top = top + (i / columns) * (height + gap),
                   .width = width,
                   .height = height};
        status = draw_panel(&p, !figure->shared_legend, messages);
    }
    return status;
}
