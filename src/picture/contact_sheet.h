/* SPDX-License-Identifier: MIT */
/* contact_sheet.h: several views in one picture: shots side by side, frames on a contact sheet. A
 * picture is a grid of panels of equal size; a single view is a grid of one panel. */
#ifndef FIRN_CONTACT_SHEET_H
#define FIRN_CONTACT_SHEET_H

#include "picture/render.h"
#include "points/cache_sequence.h"

typedef struct firn_contact_sheet_panel {
    const firn_cache_sequence_frame *frame;
    const char *title;               /* first line of the caption; NULL: none */
    firn_scene_colliders *colliders; /* set to the time of the frame drawn; NULL: none */
} firn_contact_sheet_panel;

/* Bounds of up to nine frames of each sequence, spread evenly, first and last included, so that all
 * panels of all pictures share camera, ground and range. *fps: pictures per second at which a film
 * lasts as long as the shot; 0: unknown. */
firn_status firn_contact_sheet_bounds(int n, const firn_cache_sequence *sequences,
                                      const char *attribute, firn_view_bounds *bounds, double *fps,
                                      firn_messages *messages);

/* Draws the panels in rows of `columns`. The size in def is that of the whole picture, its
 * caption is not used. Captions hold title, frame and time; with_captions 0: none. The legend is
 * in the first panel of the last row. */
firn_status firn_contact_sheet_draw(int n, const firn_contact_sheet_panel *panels, int columns,
                                    const firn_view_bounds *bounds, const firn_render_def *def,
                                    int with_captions, firn_image **image, firn_messages *messages);

#endif
