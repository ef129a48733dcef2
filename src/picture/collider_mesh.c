/* SPDX-License-Identifier: MIT */
/* collider_mesh.c: see collider_mesh.h. The distance to the colliders is sampled in blocks of 8^3 voxels
 * near the surface and inside: one whose middle is farther off than half its diagonal and the band has
 * none of it, for a distance never grows faster than the way. */
#include "picture/collider_mesh.h"
#include "base/memory.h"
#include "base/messages.h"
#include "geometry/vdb/vdb.h"

#include <math.h>
#include <string.h>

enum { BAND = 3 }; /* voxels */
#define BLOCKS_MAX 4e7

typedef struct grid {
    const firn_scene_colliders *colliders;
    double min[3], max[3]; /* of what is meshed */
    double voxel;
    int first[3], n[3]; /* blocks */
} grid;

/* Cut by the box. */
static double distance_at(const grid *g, const double x[3])
{
    double d = firn_scene_colliders_distance(g->colliders, x, NULL);
    for (int c = 0; c < 3; c++) d = fmax(d, fmax(g->min[c] - x[c], x[c] - g->max[c]));
    return d;
}

static firn_status set_up(grid *g, firn_messages *messages)
{
    double n = 1;
    for (int c = 0; c < 3; c++) {
        double edge = 8 * g->voxel;
        g->first[c] = (int)floor((g->min[c] - BAND * g->voxel) / edge);
        g->n[c] = (int)floor((g->max[c] + BAND * g->voxel) / edge) - g->first[c] + 1;
        n *= g->n[c];
    }
    if (n <= BLOCKS_MAX) return FIRN_OK;
    return firn_messages_add(
        messages, FIRN_REFUSED, "colliders: %g m across with voxels of %g m; try: a larger --voxel",
        fmax(g->max[0] - g->min[0], fmax(g->max[1] - g->min[1], g->max[2] - g->min[2])), g->voxel);
}

/* Marks the blocks that are needed; returns their number. */
static int64_t mark_blocks(const grid *g, int n_threads, uint8_t *is_near)
{
    int64_t total = (int64_t)g->n[0] * g->n[1] * g->n[2], n = 0;
    double reach = (4 * sqrt(3.0) + BAND) * g->voxel;
#pragma omp parallel for num_threads(n_threads) schedule(dynamic, 64) reduction(+ : n)
    for (int64_t at = 0; at < total; at++) {
        int64_t block[3] = {at / ((int64_t)g->n[1] * g->n[2]), at / g->n[2] % g->n[1],
                            at % g->n[2]};
        double x[3];
        for (int c = 0; c < 3; c++) x[c] = (8 * (double)(g->first[c] + block[c]) + 3.5) * g->voxel;
        is_near[at] = distance_at(g, x) < reach; /* the inside too: polygons tell by it */
        n += is_near[at];
    }
    return n;
}

static void fill(const grid *g, int n_threads, firn_sdf *sdf)
{
#pragma omp parallel for num_threads(n_threads) schedule(dynamic, 4)
    for (int64_t leaf = 0; leaf < sdf->n_leaves; leaf++)
        for (int k = 0; k < 512; k++) {
            int cell[3] = {k >> 6, k >> 3 & 7, k & 7};
            double x[3];
            for (int c = 0; c < 3; c++)
                x[c] = (8 * (double)sdf->leaf_block[leaf][c] + cell[c]) * g->voxel;
            double d = fmin(fmax(distance_at(g, x), -sdf->band), sdf->band);
            *firn_sdf_at(sdf, leaf, (cell[0] * 9 + cell[1]) * 9 + cell[2], 0) = (float)d;
        }
}

static firn_status sample(const grid *g, int n_threads, firn_sdf **sdf, firn_messages *messages)
{
    size_t total = (size_t)g->n[0] * (size_t)g->n[1] * (size_t)g->n[2];
    const double origin[3] = {0, 0, 0};
    uint8_t *is_near = firn_memory_array(NULL, total, 1);
    if (!is_near) return firn_messages_no_memory(messages, "colliders");
    int64_t n = mark_blocks(g, n_threads, is_near), leaf = 0;
    int32_t(*blocks)[3] = firn_memory_array(NULL, (size_t)n, sizeof *blocks);
    firn_status status =
        blocks || n == 0 ? FIRN_OK : firn_messages_no_memory(messages, "colliders");
    for (size_t at = 0; at < total && !status; at++) {
        if (!is_near[at]) continue;
        blocks[leaf][0] = g->first[0] + (int32_t)(at / ((size_t)g->n[1] * (size_t)g->n[2]));
        blocks[leaf][1] = g->first[1] + (int32_t)(at / (size_t)g->n[2] % (size_t)g->n[1]);
        blocks[leaf++][2] = g->first[2] + (int32_t)(at % (size_t)g->n[2]);
    }
    if (!status && n > 0)
        status = firn_sdf_create(g->voxel, origin, BAND * g->voxel, 1, n,
                                 (const int32_t(*)[3])blocks, sdf, messages);
    if (*sdf) fill(g, n_threads, *sdf);
    firn_memory_release(NULL, blocks, (size_t)n * sizeof *blocks);
    firn_memory_release(NULL, is_near, total);
    return status;
}

firn_status firn_collider_mesh_make(const firn_scene_colliders *colliders, const double min[3],
                                    const double max[3], double voxel, int n_threads,
                                    firn_mesh **mesh, firn_messages *messages)
{
    static const double center[3] = {0, 0, 0};
    grid g = {.colliders = colliders, .voxel = voxel};
    firn_sdf *sdf = NULL;
    int has_any = firn_scene_colliders_is_endless(colliders);
    *mesh = NULL;
    for (int c = 0; c < 3; c++) {
        g.min[c] = has_any ? min[c] : INFINITY;
        g.max[c] = has_any ? max[c] : -INFINITY;
    }
    for (int k = 0; k < firn_scene_colliders_count(colliders); k++) {
        double low[3], high[3];
        if (!firn_scene_colliders_box(colliders, k, center, 0, low, high)) continue;
        has_any = 1;
        for (int c = 0; c < 3; c++) { /* room for the surface of what ends here */
            g.min[c] = fmin(g.min[c], low[c] - 2 * voxel);
            g.max[c] = fmax(g.max[c], high[c] + 2 * voxel);
        }
    }
    if (!has_any) return FIRN_OK;
    firn_status status = set_up(&g, messages);
    if (!status) status = sample(&g, n_threads, &sdf, messages);
    if (!status && sdf) {
        firn_sdf_finish(sdf);
        status = firn_vdb_polygons(sdf, 0, n_threads, mesh, messages);
    }
    firn_sdf_destroy(sdf);
    return status;
}
