/* SPDX-License-Identifier: MIT */
/* sdf_from_vdb.c: .vdb files to distance fields over time. A sequence is carried by its grids v,
 * where there are any (sdf_sequence.c). */
#include "geometry/sdf/sdf_motion.h"
#include "geometry/sdf/sdf_sequence.h"
#include "geometry/vdb/vdb.h"

#include <math.h>
#include <omp.h>

/* By how much a field that is carried by v may miss the next one: a share of the displacement
 * along the normal, and of a voxel. */
#define MISS_OF_MOVE 0.25
#define MISS_OF_VOXEL 0.2

static firn_status add(const firn_shape_def *def, firn_shape_need need, const char *path,
                       double time, int is_moving, firn_sdf_sequence *q, firn_messages *messages)
{
    const double half = 0.5 * def->thickness, above = half > 0 ? half + need.above : 0;
    firn_sdf *sdf;
    firn_vdb_channels channels;
    firn_status status = firn_vdb_read_volume(path, def->grid, def->scale > 0 ? def->scale : 1,
                                              fmax(need.depth, half), above, is_moving, need.memory,
                                              omp_get_max_threads(), &sdf, &channels, messages);
    if (status) return status;
    const int is_other = channels.friction != q->friction || channels.stickiness != q->stickiness ||
                         channels.velocity != q->velocity;
    if (q->n && is_other) {
        firn_sdf_destroy(sdf);
        return firn_messages_add(
            messages, FIRN_REFUSED,
            "%s: it has other grids (friction, stickiness, v) than the files before", path);
    }
    q->friction = channels.friction;
    q->stickiness = channels.stickiness;
    q->velocity = channels.velocity;
    double low[3], high[3];
    firn_sdf_bounds(sdf, low, high);
    return firn_sdf_sequence_append(q, time, sdf, low, high, path, messages);
}

/* Finds files that were written for another fps or in other units. */
static void check_velocity(const firn_shape_def *def, const firn_sdf_sequence *q,
                           firn_messages *messages)
{
    firn_sdf_motion_error worst = {0, 0};
    for (int i = 0; i + 1 < q->n; i++) {
        const firn_sdf_motion_error e = firn_sdf_motion_advect(
            q->sdfs[i], q->sdfs[i + 1], q->velocity, q->times[i + 1] - q->times[i]);
        if (e.missed - MISS_OF_MOVE * e.moved > worst.missed - MISS_OF_MOVE * worst.moved)
            worst = e;
    }
    if (worst.missed < MISS_OF_MOVE * worst.moved + MISS_OF_VOXEL * q->sdfs[0]->voxel) return;
    firn_messages_warn(messages,
                       "%s: its grid v carries a surface %.3g m along its normal to the next file, "
                       "and misses that one by %.3g m (means); v must be in m/s for this shape's "
                       "fps, scale and files",
                       def->file, worst.moved, worst.missed);
}

static firn_status add_sequence(const firn_shape_def *def, firn_shape_need need,
                                const firn_file_sequence *files, firn_sdf_sequence *q,
                                firn_messages *messages)
{
    for (int i = 0; i < files->n; i++) {
        char path[FIRN_PATH];
        firn_file_sequence_path(files, i, path);
        firn_status status =
            add(def, need, path, firn_file_sequence_time(files, i, def), 1, q, messages);
        if (status) return status;
    }
    if (q->velocity) {
        for (int i = 0; i < q->n; i++)
            q->max_speed = fmax(q->max_speed, firn_sdf_motion_speed(q->sdfs[i], q->velocity));
        check_velocity(def, q, messages);
    } else {
        double residual, depth;
        firn_sdf_sequence_find_shifts(q, &residual, &depth);
        firn_sdf_sequence_check_blend(q, residual, depth, def->file, "a grid v with its velocity",
                                      messages);
    }
    firn_sdf_sequence_note_max_speed(q);
    return FIRN_OK;
}

static firn_status add_single(const firn_shape_def *def, firn_shape_need need, firn_sdf_sequence *q,
                              firn_messages *messages)
{
    return add(def, need, def->file, 0, 0, q, messages);
}

firn_status firn_sdf_sequence_from_vdb(const firn_shape_def *def, firn_shape_need need,
                                       firn_sdf_sequence **sequence, firn_messages *messages)
{
    return firn_sdf_sequence_load(def, need, 1, add_single, add_sequence, sequence, messages);
}
