/* SPDX-License-Identifier: MIT */
/* preview.h: a small picture of the latest frame of a run, in the folder of its shot. */
#ifndef FIRN_PREVIEW_H
#define FIRN_PREVIEW_H

#include "picture/render.h"

/* One per run. The view widens as the material spreads and never narrows. It is turned only where a
 * collider of def.colliders would hide the material. */
typedef struct firn_preview {
    firn_view_bounds bounds;
    firn_render_def def;
} firn_preview;

/* Gravity mainly along z: z is up in the picture, else y. n_threads as in firn_render_def. */
firn_preview firn_preview_default(const double gravity[3], int n_threads);

/* Writes folder/preview.png; on failure it stays as it was. The points need P; pscale and material
 * are used where present. */
firn_status firn_preview_write(firn_preview *preview, const firn_points *points, const char *folder,
                               const char *caption, firn_messages *messages);

#endif
