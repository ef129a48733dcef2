/* SPDX-License-Identifier: MIT */
/* preview.c: see preview.h. */
#include "picture/preview.h"
#include "base/file.h"
#include "firn/defs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

firn_preview firn_preview_default(const double gravity[3], int n_threads)
{
    firn_preview preview = {.bounds = firn_view_bounds_default(), .def = firn_render_default()};
    preview.bounds.is_z_up =
        fabs(gravity[2]) > fabs(gravity[0]) && fabs(gravity[2]) > fabs(gravity[1]);
    preview.def.width = 640;
    preview.def.height = 360;
    preview.def.n_threads = n_threads;
    return preview;
}

firn_status firn_preview_write(firn_preview *preview, const firn_points *points, const char *folder,
                               const char *caption, firn_messages *messages)
{
    char path[FIRN_PATH + 16];
    if (snprintf(path, sizeof path, "%s/preview.png", folder) >= (int)sizeof path)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "%s: path too long (%zu bytes); allowed: up to %d", folder,
                                 strlen(folder), FIRN_PATH);
    snprintf(preview->def.caption, sizeof preview->def.caption, "%s", caption);
    firn_image *image = NULL;
    firn_status status = firn_file_refuse_link(path, messages);
    if (status == FIRN_OK) status = firn_view_bounds_add(&preview->bounds, points, "", messages);
    preview->def.camera.azimuth = firn_render_free_azimuth(&preview->def, &preview->bounds);
    if (status == FIRN_OK)
        status = firn_render_frame(points, &preview->bounds, &preview->def, &image, messages);
    if (status == FIRN_OK) status = firn_image_write_png(image, path, messages);
    firn_image_destroy(image);
    return status;
}
