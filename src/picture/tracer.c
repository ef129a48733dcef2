/* SPDX-License-Identifier: MIT */
/* tracer.c: one Embree scene of spheres and triangles. Rays go in packets of eight: 4 x 2 cells of
 * the picture for first hits, in the order of the caller for shadows. The packet of a ray depends
 * on the picture alone, so results do not depend on threads. */
#include "picture/tracer.h"
#include "base/memory.h"
#include "base/messages.h"

#include <embree3/rtcore.h>
#include <math.h>
#include <stdio.h>

struct firn_tracer {
    RTCDevice device;
    RTCScene scene;
};

static void destroy(firn_tracer *tracer)
{
    if (!tracer) return;
    if (tracer->scene) rtcReleaseScene(tracer->scene);
    if (tracer->device) rtcReleaseDevice(tracer->device);
    firn_memory_release(NULL, tracer, sizeof *tracer);
}

/* Releases a tracer that cannot be made. Reading Embree's error clears it, hence the argument. */
static firn_status refuse(firn_tracer *tracer, enum RTCError error, firn_messages *messages)
{
    firn_status status = error == RTC_ERROR_OUT_OF_MEMORY ? FIRN_MEMORY : FIRN_USAGE;
    destroy(tracer);
    if (status == FIRN_MEMORY) return firn_messages_no_memory(messages, "picture");
    return firn_messages_add(messages, status,
                             "engine embree: error %d of Embree; try: --engine splat", (int)error);
}

static void share(RTCGeometry geometry, enum RTCBufferType type, int slot, enum RTCFormat format,
                  const void *data, size_t stride, int64_t n)
{
    rtcSetSharedGeometryBuffer(geometry, type, (unsigned)slot, format, data, 0, stride, (size_t)n);
}

/* Empty shapes keep their numbers. */
static void attach(firn_tracer *tracer, const firn_tracer_shape *shape, int number)
{
    int is_mesh = shape->n_triangles > 0;
    if (!is_mesh && shape->n_spheres < 1) return;
    RTCGeometry geometry = rtcNewGeometry(tracer->device, is_mesh ? RTC_GEOMETRY_TYPE_TRIANGLE
                                                                  : RTC_GEOMETRY_TYPE_SPHERE_POINT);
    if (!geometry) return; /* Embree remembers the error */
    const float *places[2] = {is_mesh ? shape->xyz : shape->xyzr,
                              is_mesh ? shape->xyz_end : shape->xyzr_end};
    int n_steps = places[1] ? 2 : 1;
    if (n_steps > 1) rtcSetGeometryTimeStepCount(geometry, (unsigned)n_steps);
    for (int step = 0; step < n_steps; step++)
        share(geometry, RTC_BUFFER_TYPE_VERTEX, step,
              is_mesh ? RTC_FORMAT_FLOAT3 : RTC_FORMAT_FLOAT4, places[step], is_mesh ? 12 : 16,
              is_mesh ? shape->n_vertices : shape->n_spheres);
    if (is_mesh)
        share(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, shape->triangles, 12,
              shape->n_triangles);
    rtcCommitGeometry(geometry);
    rtcAttachGeometryByID(tracer->scene, geometry, (unsigned)number);
    rtcReleaseGeometry(geometry);
}

static firn_status create(int n, const firn_tracer_shape *shapes, int n_threads, firn_tracer **out,
                          firn_messages *messages)
{
    *out = NULL;
    firn_tracer *tracer = firn_memory_allocate(NULL, sizeof *tracer);
    if (!tracer) return firn_messages_no_memory(messages, "picture");
    char settings[64];
    snprintf(settings, sizeof settings, "threads=%d,set_affinity=0", n_threads);
    tracer->device = rtcNewDevice(settings);
    if (!tracer->device) return refuse(tracer, rtcGetDeviceError(NULL), messages);
    tracer->scene = rtcNewScene(tracer->device);
    if (!tracer->scene) return refuse(tracer, rtcGetDeviceError(tracer->device), messages);
    rtcSetSceneBuildQuality(tracer->scene, RTC_BUILD_QUALITY_LOW);
    for (int k = 0; k < n; k++) attach(tracer, &shapes[k], k);
    rtcCommitScene(tracer->scene);
    enum RTCError error = rtcGetDeviceError(tracer->device);
    if (error != RTC_ERROR_NONE) return refuse(tracer, error, messages);
    *out = tracer;
    return FIRN_OK;
}

/* The 4 x 2 cells whose upper left one is (i, j). */
static void trace_packet(const firn_tracer *tracer, const firn_camera *camera, int columns,
                         int rows, int i, int j, firn_hit *hits)
{
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
    struct RTCRayHit8 r;
    _Alignas(32) int valid[8];
    for (int k = 0; k < 8; k++) {
        int column = i + k % 4, row = j + k / 4;
        float d[3];
        valid[k] = column < columns && row < rows ? -1 : 0;
        firn_spheres_ray(camera, columns, rows, column, row, d);
        r.ray.org_x[k] = camera->eye[0];
        r.ray.org_y[k] = camera->eye[1];
        r.ray.org_z[k] = camera->eye[2];
        r.ray.dir_x[k] = d[0];
        r.ray.dir_y[k] = d[1];
        r.ray.dir_z[k] = d[2];
        r.ray.tnear[k] = 0;
        r.ray.tfar[k] = INFINITY;
        r.ray.time[k] = 0;
        r.ray.mask[k] = UINT32_MAX;
        r.ray.id[k] = 0;
        r.ray.flags[k] = 0;
        r.hit.geomID[k] = RTC_INVALID_GEOMETRY_ID;
        r.hit.primID[k] = RTC_INVALID_GEOMETRY_ID;
    }
    rtcIntersect8(valid, tracer->scene, &context, &r);
    for (int k = 0; k < 8; k++) {
        if (!valid[k]) continue;
        int is_hit = r.hit.geomID[k] != RTC_INVALID_GEOMETRY_ID;
        hits[(int64_t)(j + k / 4) * columns + i + k % 4] =
            is_hit ? (firn_hit){r.ray.tfar[k], r.hit.primID[k]}
                   : (firn_hit){INFINITY, FIRN_NO_SPHERE};
    }
}

static void hits_of(const firn_tracer *tracer, const firn_camera *camera, int columns, int rows,
                    int n_threads, firn_hit *hits)
{
#pragma omp parallel for num_threads(n_threads) schedule(dynamic)
    for (int j = 0; j < rows; j += 2)
        for (int i = 0; i < columns; i += 4)
            trace_packet(tracer, camera, columns, rows, i, j, hits);
}

/* Embree's rays from ours; its record of eight rays begins a record of rays with hits. */
static void take_rays(const firn_ray8 *rays, struct RTCRay8 *r, int valid[8])
{
    for (int k = 0; k < 8; k++) {
        valid[k] = rays->is_used[k];
        r->org_x[k] = rays->origin[0][k];
        r->org_y[k] = rays->origin[1][k];
        r->org_z[k] = rays->origin[2][k];
        r->dir_x[k] = rays->direction[0][k];
        r->dir_y[k] = rays->direction[1][k];
        r->dir_z[k] = rays->direction[2][k];
        r->tnear[k] = rays->near[k];
        r->tfar[k] = rays->far[k];
        r->time[k] = rays->time[k];
        r->mask[k] = UINT32_MAX;
        r->id[k] = 0;
        r->flags[k] = 0;
    }
}

static void first_hits(const firn_tracer *tracer, const firn_ray8 *rays, firn_hit8 *hits)
{
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    struct RTCRayHit8 r;
    _Alignas(32) int valid[8];
    take_rays(rays, &r.ray, valid);
    for (int k = 0; k < 8; k++) r.hit.geomID[k] = r.hit.primID[k] = RTC_INVALID_GEOMETRY_ID;
    rtcIntersect8(valid, tracer->scene, &context, &r);
    for (int k = 0; k < 8; k++) {
        int is_hit = valid[k] && r.hit.geomID[k] != RTC_INVALID_GEOMETRY_ID;
        hits->t[k] = is_hit ? r.ray.tfar[k] : INFINITY;
        hits->shape[k] = r.hit.geomID[k];
        hits->part[k] = r.hit.primID[k];
        hits->u[k] = r.hit.u[k];
        hits->v[k] = r.hit.v[k];
    }
}

static void free_rays(const firn_tracer *tracer, const firn_ray8 *rays,
                      int is_free[FIRN_TRACER_WIDTH])
{
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    struct RTCRay8 r;
    _Alignas(32) int valid[8];
    take_rays(rays, &r, valid);
    rtcOccluded8(valid, tracer->scene, &context, &r);
    for (int k = 0; k < 8; k++)
        is_free[k] = !(r.tfar[k] < 0); /* Embree writes -infinity at a hit */
}

static const firn_tracer_engine engine = {create, destroy, hits_of, first_hits, free_rays};
const firn_tracer_engine *const firn_tracer_embree = &engine;
