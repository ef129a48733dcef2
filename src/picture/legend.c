/* SPDX-License-Identifier: MIT */
/* legend.c: see legend.h. */
#include "picture/legend.h"
#include "plot/font.h"
#include "plot/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const firn_color ink = {0.93f, 0.95f, 0.97f, 1}, panel = {0.05f, 0.07f, 0.10f, 0.42f};

/* Text size, pixels: 16 at 720 lines, at least 11 to be readable. */
static float text_size(const firn_image *image)
{
    return fmaxf(11.0f, roundf((float)image->height * 16.0f / 720.0f));
}

/* A dark plate with round corners behind the text, readable on light and dark material. */
static int plate(firn_image *image, float x0, float y0, float x1, float y1, float radius)
{
    for (int j = (int)floorf(y0); (float)j < y1; j++)
        for (int i = (int)floorf(x0); (float)i < x1; i++) {
            float dx =
                fmaxf(fmaxf(x0 + radius - (float)i - 0.5f, (float)i + 0.5f - x1 + radius), 0);
            float dy =
                fmaxf(fmaxf(y0 + radius - (float)j - 0.5f, (float)j + 0.5f - y1 + radius), 0);
            firn_image_blend(image, i, j, panel, radius + 0.5f - sqrtf(dx * dx + dy * dy));
        }
    return 1;
}

int firn_legend_draw_bar(firn_image *image, const firn_legend *legend)
{
    double ticks[16];
    char unit[48], title[160], shown[32];
    double largest = fmax(fabs(legend->min), fabs(legend->max));
    double scale = firn_plot_prefix(legend->unit ? legend->unit : "", largest, unit);
    int has_unit = *unit && strcmp(unit, "1");
    snprintf(title, sizeof title, has_unit ? "%s (%s)" : "%s", legend->title, unit);

    float size = text_size(image), gap = roundf(0.6f * size);
    float length = fminf(roundf(15.0f * size), (float)image->width - 6 * gap),
          thick = roundf(0.75f * size);
    float x0 = 3 * gap, y1 = (float)image->height - 2.2f * gap - size, y0 = roundf(y1 - thick);
    y1 = y0 + thick;
    plate(image, x0 - 1.6f * gap, y0 - 1.2f * gap - size, x0 + length + 2.2f * gap,
          y1 + 1.6f * gap + size, gap);
    firn_text_style style = {.size = size, .color = ink};
    int good = firn_font_draw(image, x0, y0 - 0.8f * gap, title, &style);
    for (float i = 0; i < length; i++)
        firn_image_rectangle(
            image, x0 + i, y0, x0 + i + 1, y1,
            firn_colormap_at(legend->map, (double)i / fmax((double)length - 1, 1)));

    double low = scale * legend->min, high = scale * legend->max;
    int n = firn_plot_ticks(low, high, legend->is_log, 4, 16, ticks);
    style.anchor = FIRN_ANCHOR_MIDDLE;
    style.size = roundf(0.9f * size);
    for (int k = 0; k < n; k++) {
        double t = legend->is_log ? log(ticks[k] / low) / log(high / low)
                                  : (ticks[k] - low) / (high - low);
        float x = floorf(x0 + (float)t * (length - 1)) + 0.5f;
        firn_image_line(image, x, y1, x, y1 + 0.4f * gap, 1, ink);
        snprintf(shown, sizeof shown, "%.6g", ticks[k]);
        good = firn_font_draw(image, x, y1 + 0.7f * gap + firn_font_cap_height(style.size), shown,
                              &style) &&
               good;
    }
    return good;
}

int firn_legend_draw_swatches(firn_image *image, int n, const char *const *names,
                              const firn_color *colors)
{
    float size = text_size(image), gap = roundf(0.6f * size), width = 0, line = roundf(1.4f * size);
    for (int k = 0; k < n; k++) width = fmaxf(width, firn_font_width(names[k], size));
    float x0 = 3 * gap, y0 = (float)image->height - 2.6f * gap - line * (float)n;
    plate(image, x0 - 1.6f * gap, y0 - gap, x0 + width + size + 2.6f * gap,
          y0 + line * (float)n + gap, gap);
    firn_text_style style = {.size = size, .color = ink};
    int good = 1;
    for (int k = 0; k < n; k++) {
        float y = y0 + line * ((float)k + 0.5f);
        firn_image_disc(image, x0 + 0.45f * size, y, 0.42f * size, colors[k]);
        good = firn_font_draw(image, x0 + size + gap, roundf(y + 0.5f * firn_font_cap_height(size)),
                              names[k], &style) &&
               good;
    }
    return good;
}

int firn_legend_draw_caption(firn_image *image, const char *text)
{
    float size = text_size(image), gap = roundf(0.6f * size), width = 0;
    char line[256];
    int n = 0, good = 1;
    for (int pass = 0; pass < 2; pass++) {
        const char *at = text;
        n = 0;
        for (int k = 0; *at; k++, n++) {
            size_t length = strcspn(at, "\n");
            snprintf(line, sizeof line, "%.*s", (int)(length < 255 ? length : 255), at);
            at += length + (at[length] == '\n');
            if (pass == 0) width = fmaxf(width, firn_font_width(line, size));
            firn_text_style style = {.size = size, .weight = k ? 1.0f : 1.35f, .color = ink};
            float y = 2 * gap + firn_font_cap_height(size) + 1.35f * size * (float)k;
            if (pass) good = firn_font_draw(image, 3 * gap, roundf(y), line, &style) && good;
        }
        if (pass == 0 && n)
            plate(image, 1.4f * gap, gap, 4.6f * gap + width,
                  3 * gap + 1.35f * size * (float)(n - 1) + 0.8f * size, gap);
    }
    return good;
}
