/* SPDX-License-Identifier: MIT */
/* plot_image.c: the canvas of pixels, and figures as files. `zoom`: pixels per unit of the
 * layout; 2 is sharp on paper and on dense screens. */
#include "plot/plot.h"
#include "base/file.h"
#include "plot/font.h"
#include "base/memory.h"
#include "base/messages.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct image_canvas {
    firn_image *image;
    float zoom;
    int has_failed; /* out of memory */
} image_canvas;

static void begin(void *user, double width, double height)
{
    image_canvas *p = user;
    p->image = firn_image_create((int)ceil(width * p->zoom), (int)ceil(height * p->zoom));
    if (p->image)
        firn_image_fill(p->image, firn_color_hex(0xffffff));
    else
        p->has_failed = 1;
}

/* Cuts the polyline into the strokes of its dash pattern; out NULL: counts only. */
static int dash_segments(int n, const double *xy, const double pattern[2], double zoom,
                         firn_segment *out)
{
    int n_out = 0, is_on = 1;
    double left = pattern[0]; /* of this dash or gap */
    for (int i = 1; i < n; i++) {
        double x0 = xy[2 * i - 2], y0 = xy[2 * i - 1], dx = xy[2 * i] - x0, dy = xy[2 * i + 1] - y0;
        double length = hypot(dx, dy), at = 0;
        while (at < length) {
            double end = fmin(length, at + left);
            if (is_on) {
                if (out)
                    out[n_out] = (firn_segment){(float)(zoom * (x0 + dx * at / length)),
                                                (float)(zoom * (y0 + dy * at / length)),
                                                (float)(zoom * (x0 + dx * end / length)),
                                                (float)(zoom * (y0 + dy * end / length))};
                n_out++;
            }
            left -= end - at;
            at = end;
            if (left <= 1e-9) {
                is_on = !is_on;
                left = pattern[!is_on];
            }
        }
    }
    return n_out;
}

static void lines(void *user, int n, const double *xy, unsigned color, double width,
                  firn_plot_style style)
{
    /* strokes have round ends: a dash of 5 and a width of 2 look like 7 */
    static const double solid[2] = {1e30, 0}, dashed[2] = {5, 6}, dotted[2] = {0.5, 4.5};
    image_canvas *p = user;
    if (!p->image) return;
    const double *pattern = style == FIRN_PLOT_DASHED   ? dashed
                            : style == FIRN_PLOT_DOTTED ? dotted
                                                        : solid;
    int n_segments = dash_segments(n, xy, pattern, p->zoom, NULL);
    firn_segment *segments = firn_memory_array(NULL, (size_t)n_segments, sizeof *segments);
    if (!segments) {
        p->has_failed = 1;
        return;
    }
    dash_segments(n, xy, pattern, p->zoom, segments);
    if (!firn_image_strokes(p->image, n_segments, segments, (float)width * p->zoom,
                            firn_color_hex(color)))
        p->has_failed = 1;
    firn_memory_release(NULL, segments, (size_t)n_segments * sizeof *segments);
}

/* One column of pixels after another, between the edges. */
static void band(void *user, int n, const double *xy, unsigned color)
{
    image_canvas *p = user;
    if (!p->image) return;
    firn_color ink = firn_color_hex(color);
    for (int i = 0; i + 1 < n / 2; i++) {
        const double *upper = xy + 2 * i, *lower = xy + 2 * (n - 1 - i);
        double left = upper[0] * p->zoom, right = upper[2] * p->zoom;
        for (double x = ceil(left - 0.5) + 0.5; x < right; x += 1) {
            double share = (x - left) / (right - left);
            double top = (upper[1] + share * (upper[3] - upper[1])) * p->zoom,
                   bottom = (lower[1] + share * (lower[-1] - lower[1])) * p->zoom;
            for (double y = floor(fmin(top, bottom)) + 0.5; y < fmax(top, bottom); y += 1)
                firn_image_blend(p->image, (int)x, (int)y, ink, 0.22f);
        }
    }
}

/* Circle, square, triangle, diamond; the last two as thin rows, smoothed by blending. */
static void marker(void *user, double x, double y, double r, int shape, unsigned color)
{
    image_canvas *p = user;
    if (!p->image) return;
    firn_color ink = firn_color_hex(color);
    float cx = (float)x * p->zoom, cy = (float)y * p->zoom, radius = (float)r * p->zoom,
          e = 0.9f * radius;
    if (shape % 4 == 0)
        firn_image_disc(p->image, cx, cy, radius, ink);
    else if (shape % 4 == 1)
        firn_image_rectangle(p->image, cx - e, cy - e, cx + e, cy + e, ink);
    else {
        float top = -1.3f * radius, bottom = shape % 4 == 2 ? e : 1.3f * radius;
        for (float t = top; t < bottom; t += 0.5f) {
            float share = shape % 4 == 2 ? (t - top) / (bottom - top) : 1 - fabsf(t) / bottom;
            float half = 1.3f * radius * share;
            firn_image_rectangle(p->image, cx - half, cy + t, cx + half, cy + t + 0.5f, ink);
        }
    }
}

static void rectangle(void *user, double x, double y, double width, double height, unsigned color)
{
    image_canvas *p = user;
    if (!p->image) return;
    float z = p->zoom, left = (float)x * z, top = (float)y * z;
    firn_image_rectangle(p->image, left, top, left + (float)width * z, top + (float)height * z,
                         firn_color_hex(color));
}

static void text(void *user, double x, double y, const char *string, double size, int anchor,
                 int is_bold, unsigned color)
{
    image_canvas *p = user;
    if (!p->image) return;
    firn_text_style style = {.size = (float)size * p->zoom,
                             .weight = is_bold ? 1.5f : 1,
                             .color = firn_color_hex(color),
                             .anchor = (firn_anchor)(anchor + 1)};
    if (!firn_font_draw(p->image, (float)x * p->zoom, (float)y * p->zoom, string, &style))
        p->has_failed = 1;
}

static double text_width(void *user, const char *string, double size, int is_bold)
{
    image_canvas *p = user;
    (void)is_bold;
    return firn_font_width(string, (float)size * p->zoom) / p->zoom;
}

static firn_image *draw_image(const firn_figure *figure, double zoom, firn_messages *messages)
{
    image_canvas p = {.zoom = (float)zoom};
    firn_canvas canvas = {&p, begin, lines, band, marker, rectangle, text, text_width};
    firn_status status = firn_plot_draw(figure, &canvas, messages);
    if (status == FIRN_OK && !p.has_failed) return p.image;
    if (status == FIRN_OK) firn_messages_no_memory(messages, "figure");
    firn_image_destroy(p.image);
    return NULL;
}

firn_status firn_plot_write(const firn_figure *figure, const char *path, firn_messages *messages)
{
    size_t n = strlen(path);
    if (n > 4 && strcmp(path + n - 4, ".png") == 0) {
        firn_image *image = draw_image(figure, 2, messages);
        if (!image)
            return firn_messages_status(messages) != FIRN_OK ? firn_messages_status(messages)
                                                             : FIRN_REFUSED;
        firn_status status = firn_image_write_png(image, path, messages);
        firn_image_destroy(image);
        return status;
    }
    if (n > 4 && strcmp(path + n - 4, ".svg") == 0) {
        firn_text svg = {0};
        firn_status status = firn_plot_svg(figure, &svg, messages);
        if (status == FIRN_OK) status = firn_text_write(&svg, path, messages);
        firn_text_clear(&svg);
        return status;
    }
    return firn_messages_add(messages, FIRN_USAGE,
                             "%s: unknown extension of a plot; allowed: .svg .png", path);
}
