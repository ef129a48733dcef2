/* SPDX-License-Identifier: MIT */
/* contact_sheet.c: see contact_sheet.h. */
#include "picture/contact_sheet.h"
#include "base/messages.h"
#include "points/format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FRAMES_READ = 9, GAP = 2 /* pixels between panels */ };

/* 0: not in the cache. */
static int time_of(const firn_points *points, double *time)
{
    const firn_attribute *a = firn_points_find_detail(points, "time");
    if (!a || a->type != FIRN_ATTRIBUTE_FLOAT || a->n_components != 1) return 0;
    *time = a->data.f[0];
    return isfinite(*time);
}

static double number_of(const firn_cache_sequence_frame *frame)
{
    return frame->frame + 1e-3 * frame->thousandths;
}

firn_status firn_contact_sheet_bounds(int n, const firn_cache_sequence *sequences,
                                      const char *attribute, firn_view_bounds *bounds, double *fps,
                                      firn_messages *messages)
{
    *fps = 0;
    for (int s = 0; s < n; s++) {
        const firn_cache_sequence *q = &sequences[s];
        int n_queries = q->n < FRAMES_READ ? q->n : FRAMES_READ;
        double first_time = 0, last_time = 0;
        for (int k = 0; k < n_queries; k++) {
            int at = n_queries > 1 ? (int)((int64_t)k * (q->n - 1) / (n_queries - 1)) : 0;
            firn_points *points;
            firn_status status = firn_format_read(q->frames[at].path, &points, messages);
            if (status != FIRN_OK) return status;
            double *time = k ? &last_time : &first_time;
            if (!time_of(points, time)) *time = NAN;
            status = firn_view_bounds_add(bounds, points, attribute, messages);
            firn_points_destroy(points);
            if (status != FIRN_OK) return status;
        }
        double rate = (q->n - 1) / (last_time - first_time);
        if (*fps == 0 && n_queries > 1 && rate > 0 && isfinite(rate))
            *fps = round(1000 * rate) / 1000;
    }
    return FIRN_OK;
}

static void make_caption(const firn_contact_sheet_panel *panel, const firn_points *points,
                         int is_single, char *text, size_t n)
{
    char frame[32] = "", time[40] = "";
    double seconds;
    int has_frame = panel->frame->frame >= 0;
    if (panel->frame->thousandths)
        snprintf(frame, sizeof frame, "frame %.3f", number_of(panel->frame));
    else if (has_frame)
        snprintf(frame, sizeof frame, "frame %d", panel->frame->frame);
    if (time_of(points, &seconds))
        snprintf(time, sizeof time, "%s%.3f s", has_frame ? " · " : "", seconds);
    /* one line in small panels */
    const char *between =
        panel->title && *panel->title && (has_frame || *time) ? (is_single ? "\n" : " · ") : "";
    snprintf(text, n, "%s%s%s%s", panel->title ? panel->title : "", between, frame, time);
}

static firn_status draw_panel(const firn_contact_sheet_panel *panel, const firn_view_bounds *bounds,
                              firn_render_def *def, int is_single, int with_captions,
                              firn_image **image, firn_messages *messages)
{
    firn_points *points;
    firn_status status = firn_format_read(panel->frame->path, &points, messages);
    if (status != FIRN_OK) return status;
    double time;
    def->caption[0] = 0;
    def->colliders = panel->colliders;
    if (panel->colliders)
        firn_scene_colliders_at(panel->colliders, time_of(points, &time) ? time : 0);
    if (with_captions) make_caption(panel, points, is_single, def->caption, sizeof def->caption);
    status = firn_render_frame(points, bounds, def, image, messages);
    firn_points_destroy(points);
    return status;
}

firn_status firn_contact_sheet_draw(int n, const firn_contact_sheet_panel *panels, int columns,
                                    const firn_view_bounds *bounds, const firn_render_def *def,
                                    int with_captions, firn_image **out, firn_messages *messages)
{
    *out = NULL;
    firn_render_def one = *def;
    if (n == 1) return draw_panel(panels, bounds, &one, 1, with_captions, out, messages);
    int rows = (n + columns - 1) / columns;
    one.width = (def->width - GAP * (columns - 1)) / columns;
    one.height = (def->height - GAP * (rows - 1)) / rows;
    if (one.width < 16 || one.height < 16)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "contact sheet: %d x %d panels do not fit into %d x %d pixels; "
                                 "allowed: 16 pixels and more per panel",
                                 columns, rows, def->width, def->height);
    firn_image *image = firn_image_create(def->width, def->height), *part;
    if (!image) return firn_messages_no_memory(messages, "contact sheet");
    firn_image_fill(image, firn_color_hex(0x0d0f12));
    firn_status status = FIRN_OK;
    for (int k = 0; k < n && status == FIRN_OK; k++) {
        int row = k / columns, column = k % columns;
        one.has_legend = def->has_legend && row == rows - 1 && column == 0;
        status = draw_panel(&panels[k], bounds, &one, 0, with_captions, &part, messages);
        if (status != FIRN_OK) break;
        firn_image_paste(image, part, column * (one.width + GAP), row * (one.height + GAP));
        firn_image_destroy(part);
    }
    if (status == FIRN_OK)
        *out = image;
    else
        firn_image_destroy(image);
    return status;
}
