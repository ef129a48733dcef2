/* SPDX-License-Identifier: MIT */
/* preview.h: a small picture beside the caches that always shows the latest frame of a run. */
#ifndef FIRN_PREVIEW_H
#define FIRN_PREVIEW_H

#include "picture/render.h"

/* One a run. The view widens as the material spreads, and never narrows: the picture does not
 * jump to and fro. It is seen from another side only when a collider of def.props would hide it. */
typedef struct firn_preview {
    firn_view_bounds survey;
    firn_render_def def;
} firn_preview;

/* `gravity` tells what is down: along -z or +z the picture has z up, else y up. n_threads as in
 * firn_render_def. */
firn_preview firn_preview_default(const double gravity[3], int n_threads);

/* Leaves folder/preview.png, whole or as it was before. The points need P; pscale and material
 * are used where they are. A failure is no reason to stop a run. */
firn_status firn_preview_write(firn_preview *preview, const firn_points *points, const char *folder,
                               const char *caption, firn_messages *messages);

#endif
