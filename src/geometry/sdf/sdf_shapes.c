/* SPDX-License-Identifier: MIT */
/* sdf_shapes.c: the kinds of shape that come from files, as entries of the table behind shape.c. */
#include "geometry/sdf/sdf_sequence.h"
#include "geometry/shape_kind.h"

#include <math.h>
#include <string.h>

static firn_status build(firn_shape_part *part, const firn_shape_def *def, const char *where,
                         firn_messages *messages,
                         firn_status (*from_file)(const firn_shape_def *, firn_shape_need,
                                                  firn_sdf_sequence **, firn_messages *))
{
    if (!def->file[0])
        return firn_messages_add(messages, FIRN_REFUSED, "%s: a %s needs a file", where, def->kind);
    if (def->scale < 0 || def->voxel < 0 || def->fps < 0)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "%s: scale, voxel and fps must be 0 or more", where);
    firn_sdf_sequence *sequence;
    firn_status status = from_file(def, part->need, &sequence, messages);
    part->data = sequence;
    return status;
}

static firn_status build_mesh(firn_shape_part *part, const firn_shape_def *def, const char *where,
                              firn_messages *messages)
{
    return build(part, def, where, messages, firn_sdf_sequence_from_mesh);
}

static firn_status build_vdb(firn_shape_part *part, const firn_shape_def *def, const char *where,
                             firn_messages *messages)
{
    return build(part, def, where, messages, firn_sdf_sequence_from_vdb);
}

static void query(const firn_shape_part *part, const double p[3], double time,
                  firn_surface_point *surface)
{
    firn_sdf_sequence_query(part->data, p, time, surface);
}

static void distance_query(const firn_shape_part *part, const double p[3], double time,
                           firn_surface_point *surface)
{
    firn_sdf_sequence_distance_query(part->data, p, time, surface);
}

static void bounds(const firn_shape_part *part, double min[3], double max[3])
{
    const firn_sdf_sequence *q = part->data;
    memcpy(min, q->min, sizeof q->min);
    memcpy(max, q->max, sizeof q->max);
}

static double speed(const firn_shape_part *part)
{
    return ((const firn_sdf_sequence *)part->data)->max_speed;
}

static double speed_between(const firn_shape_part *part, double from, double until)
{
    return firn_sdf_sequence_speed(part->data, from, until);
}

static double border(const firn_shape_part *part, double from)
{
    return firn_sdf_sequence_border(part->data, from);
}

static double voxel(const firn_shape_part *part)
{
    const firn_sdf_sequence *q = part->data;
    double largest = 0;
    for (int i = 0; i < q->n; i++) largest = fmax(largest, q->sdfs[i]->voxel);
    return largest;
}

/* fmax ignores NAN, which is what unpainted voxels hold. */
static double stickiness(const firn_shape_part *part)
{
    const firn_sdf_sequence *q = part->data;
    double most = 0;
    for (int i = 0; i < q->n && q->stickiness; i++)
        for (int64_t l = 0; l < q->sdfs[i]->n_leaves; l++)
            for (int at = 0; at < FIRN_LEAF_SIZE; at++)
                most = fmax(most, *firn_sdf_at(q->sdfs[i], l, at, q->stickiness));
    return most;
}

static void release(firn_shape_part *part) { firn_sdf_sequence_destroy(part->data); }

#define FROM_FILE                                                                                  \
    .query = query, .bounds = bounds, .release = release, .speed = speed,                          \
    .distance_query = distance_query, .speed_between = speed_between, .voxel = voxel,              \
    .border = border, .stickiness = stickiness

const firn_shape_kind firn_sdf_kinds[] = {
    {{"mesh", "a triangle mesh from .obj, .ply or .stl, or a sequence of them (walk.%04d.obj)",
      "file scale voxel fps start"},
     build_mesh,
     FROM_FILE},
    {{"vdb",
      "a level set or fog from a .vdb file, or a sequence of them, which moves by their grids v "
      "where there are any",
      "file grid scale fps start"},
     build_vdb,
     FROM_FILE},
    {.info = {NULL, NULL, NULL}},
};
