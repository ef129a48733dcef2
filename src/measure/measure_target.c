/* SPDX-License-Identifier: MIT */
/* measure_target.c: what a measure is of, from names and shapes of a scene. */
#include "measure/measure.h"
#include "base/memory.h"
#include "base/messages.h"
#include "geometry/shape.h"

#include <stddef.h>
#include <string.h>

static int index_of(const char *name, const void *first, size_t stride, size_t offset, int n)
{
    for (int i = 0; i < n; i++)
        if (strcmp((const char *)first + (size_t)i * stride + offset, name) == 0) return i;
    return -1;
}
#define INDEX(name, scene, member)                                                                 \
    index_of(name, (scene)->member##s, sizeof *(scene)->member##s,                                 \
             offsetof(firn_##member##_def, name), (scene)->n_##member##s)

firn_measure_target firn_measure_target_of(const firn_scene_def *scene, const firn_measure *measure,
                                           const char *name, const char *attribute, int component)
{
    firn_measure_target target = {.body = -1,
                                  .material = -1,
                                  .collider = -1,
                                  .grip = -1,
                                  .probe = -1,
                                  .particle = -1,
                                  .component = component};
    strncpy(target.attribute, attribute, sizeof target.attribute - 1);
    if (!*name) return target;
    switch (measure->kind) {
    case FIRN_MEASURE_REACTION:
        target.grip = INDEX(name, scene, grip);
        target.collider = INDEX(name, scene, collider);
        return target;
    case FIRN_MEASURE_PROBE: target.probe = INDEX(name, scene, probe); return target;
    case FIRN_MEASURE_PARTICLES:
        target.body = index_of(name, scene->bodies, sizeof *scene->bodies,
                               offsetof(firn_body_def, name), scene->n_bodies);
        break;
    case FIRN_MEASURE_LEDGER: break;
    }
    if (target.body < 0) target.material = INDEX(name, scene, material);
    return target;
}

firn_status firn_measure_region_mark(int n_shapes, const firn_shape_def *shapes, double cell,
                                     const firn_measure_start *start, unsigned char **in_region,
                                     firn_messages *messages)
{
    const firn_shape_need need = {0, cell, 1};
    firn_shape *shape;
    firn_status status = firn_shape_create(n_shapes, shapes, need, &shape, messages);
    if (status != FIRN_OK) return status;
    *in_region = firn_memory_allocate(NULL, (size_t)start->n);
    if (!*in_region) status = firn_messages_no_memory(messages, "region of a measure");
    for (int64_t i = 0; *in_region && i < start->n; i++)
        (*in_region)[i] = firn_shape_distance(shape, start->P + 3 * i, 0) <= 0;
    firn_shape_destroy(shape);
    return status;
}
