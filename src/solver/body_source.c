/* SPDX-License-Identifier: MIT */
/* body_source.c: see body_source.h. */
#include "solver/body_source.h"
#include "base/read_limits.h"
#include "points/format.h"

double firn_body_source_depth(const firn_body_def *def, double h)
{
    if (!(def->particles_at_surface > 0)) return 0;
    return def->surface_depth > 0 ? def->surface_depth : h;
}

firn_status firn_body_source_open(const firn_body_def *def, double h, size_t max_memory,
                                  firn_body_source *source, firn_messages *messages)
{
    *source = (firn_body_source){0};
    if (*def->points)
        return firn_format_read_within(def->points, firn_read_limits_bytes(max_memory),
                                       &source->points, messages);
    /* Distances are true a cell deeper than the layer, whose cubes reach beyond it; an octree asks
     * for twice its largest leaf, a cell. */
    const double depth = def->sampling == FIRN_OCTREE ? 2 * h : firn_body_source_depth(def, h);
    const firn_shape_need need = {
        .depth = depth > 0 ? depth + h : 0, .cell = h, .is_start = 1, .memory = max_memory};
    return firn_shape_create(def->n_shapes, def->shapes, need, &source->shape, messages);
}

void firn_body_source_close(firn_body_source *source)
{
    firn_shape_destroy(source->shape);
    firn_points_destroy(source->points);
    *source = (firn_body_source){0};
}
