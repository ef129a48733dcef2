/* SPDX-License-Identifier: MIT */
/* contact_sheet.h: several views in one picture - shots side by side, frames on a contact sheet.
 * A picture is a grid of panels of equal size; a single view is a grid of one. */
#ifndef FIRN_GALLERY_H
#define FIRN_GALLERY_H

#include "picture/render.h"
#include "points/cache_sequence.h"

typedef struct firn_contact_sheet_panel {
    const firn_cache_sequence_frame *frame;
    const char *title;           /* first line of the caption; NULL: none */
    firn_scene_colliders *props; /* set to the frame's time while it is drawn; NULL: none */
} firn_contact_sheet_panel;

/* Looks at up to nine frames of each sequence, spread evenly, first and last among them, so that
 * all panels of all pictures share camera, ground and range. *fps: pictures a second that make a
 * film last as long as the shot; 0: the caches do not say. */
firn_status firn_contact_sheet_survey(int n, const firn_cache_sequence *sequences,
                                      const char *attribute, firn_view_bounds *survey, double *fps,
                                      firn_messages *messages);

/* Draws the panels in rows of `columns`; def's size is that of the whole picture, its caption is
 * not used. Captions tell title, frame and time; with_captions 0 leaves them out. The legend is
 * in the first panel of the last row. */
firn_status firn_contact_sheet_draw(int n, const firn_contact_sheet_panel *panels, int columns,
                                    const firn_view_bounds *survey, const firn_render_def *def,
                                    int with_captions, firn_image **image, firn_messages *messages);

#endif
