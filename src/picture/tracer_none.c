/* SPDX-License-Identifier: MIT */
/* tracer_none.c: tracer.h for builds without Embree. */
#include "picture/tracer.h"

int firn_tracer_is_built(void) { return 0; }

firn_status firn_tracer_create(const firn_spheres *spheres, int n_threads, firn_tracer **tracer,
                               firn_messages *messages)
{
    (void)spheres, (void)n_threads, *tracer = NULL;
    return firn_messages_add(messages, FIRN_USAGE,
                             "this firn was built without Embree; use --engine splat, or install "
                             "Embree 3 and build again");
}

void firn_tracer_destroy(firn_tracer *tracer) { (void)tracer; }

void firn_tracer_hits(const firn_tracer *tracer, const firn_camera *camera, int columns, int rows,
                      int n_threads, firn_hit *hits)
{
    (void)tracer, (void)camera, (void)columns, (void)rows, (void)n_threads, (void)hits;
}

void firn_tracer_free(const firn_tracer *tracer, const firn_ray8 *rays,
                      int is_free[FIRN_TRACER_WIDTH])
{
    (void)tracer, (void)rays, (void)is_free;
}
