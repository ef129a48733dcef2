/* SPDX-License-Identifier: MIT */
/* geometry.h: meshes made from formulas, for tests. */
#ifndef FIRN_TEST_GEOMETRY_H
#define FIRN_TEST_GEOMETRY_H

#include "geometry/mesh/mesh.h"

#include <math.h>
#include <string.h>

/* A sphere of n rings and 2 n meridians, a triangle pair a patch, its poles single points */
static inline firn_mesh *geometry_sphere(int n, double radius, double x, double y, double z)
{
    int m = 2 * n;
    firn_mesh *mesh = firn_mesh_create((int64_t)(n - 1) * m + 2, (int64_t)2 * m * (n - 1));
    for (int64_t p = 0; p < mesh->n_points; p++) {
        int ring = p == 0                    ? 0
                   : p == mesh->n_points - 1 ? n
                                             : (int)((p - 1) / m) + 1,
            at = p == 0 ? 0 : (int)((p - 1) % m);
        double theta = M_PI * ring / n, phi = 2 * M_PI * at / m;
        mesh->xyz[3 * p] = x + radius * sin(theta) * cos(phi);
        mesh->xyz[3 * p + 1] = y + radius * sin(theta) * sin(phi);
        mesh->xyz[3 * p + 2] = z + radius * cos(theta);
    }
    uint32_t *t = mesh->triangles, last = (uint32_t)mesh->n_points - 1;
    for (int ring = 0; ring < n; ring++)
        for (int k = 0; k < m; k++) {
            uint32_t a = ring == 0 ? 0 : (uint32_t)((ring - 1) * m + k + 1),
                     b = ring == 0 ? 0 : (uint32_t)((ring - 1) * m + (k + 1) % m + 1),
                     c = ring == n - 1 ? last : (uint32_t)(ring * m + k + 1),
                     d = ring == n - 1 ? last : (uint32_t)(ring * m + (k + 1) % m + 1);
            if (ring < n - 1) {
                memcpy(t, (uint32_t[3]){a, c, d}, 12);
                t += 3;
            }
            if (ring > 0) {
                memcpy(t, (uint32_t[3]){a, d, b}, 12);
                t += 3;
            }
        }
    return mesh;
}

/* A block with corners low and high, twelve triangles */
static inline firn_mesh *geometry_block(const double low[3], const double high[3])
{
    static const uint32_t faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    firn_mesh *mesh = firn_mesh_create(8, 12);
    for (int p = 0; p < 8; p++)
        for (int a = 0; a < 3; a++) mesh->xyz[3 * p + a] = p >> a & 1 ? high[a] : low[a];
    for (int f = 0; f < 6; f++) {
        const uint32_t *q = faces[f];
        memcpy(mesh->triangles + 6 * f, (uint32_t[6]){q[0], q[1], q[2], q[0], q[2], q[3]}, 24);
    }
    return mesh;
}

/* The points and triangles of both, one after the other */
static inline firn_mesh *geometry_joined(const firn_mesh *a, const firn_mesh *b)
{
    firn_mesh *both = firn_mesh_create(a->n_points + b->n_points, a->n_triangles + b->n_triangles);
    memcpy(both->xyz, a->xyz, (size_t)a->n_points * 24);
    memcpy(both->xyz + 3 * a->n_points, b->xyz, (size_t)b->n_points * 24);
    memcpy(both->triangles, a->triangles, (size_t)a->n_triangles * 12);
    for (int64_t i = 0; i < 3 * b->n_triangles; i++)
        both->triangles[3 * a->n_triangles + i] = b->triangles[i] + (uint32_t)a->n_points;
    return both;
}

/* Turns n faces from `first` on to look the other way */
static inline void geometry_invert(firn_mesh *mesh, int64_t first, int64_t n)
{
    for (int64_t t = first; t < first + n; t++) {
        uint32_t swap = mesh->triangles[3 * t];
        mesh->triangles[3 * t] = mesh->triangles[3 * t + 1];
        mesh->triangles[3 * t + 1] = swap;
    }
}

/* A unit cube with a wall across at x = `wall`: two rooms, whose common edges have three faces */
static inline firn_mesh *geometry_two_rooms(double wall)
{
    static const uint32_t quads[11][4] = {
        {0, 1, 2, 3}, {4, 5, 6, 7},   {0, 3, 7, 4},  {1, 2, 6, 5},  {0, 4, 5, 1},  {3, 2, 6, 7},
        {4, 8, 9, 5}, {7, 6, 10, 11}, {4, 7, 11, 8}, {5, 9, 10, 6}, {8, 11, 10, 9}};
    firn_mesh *mesh = firn_mesh_create(12, 22);
    for (int p = 0; p < 12; p++) {
        mesh->xyz[3 * p] = p < 4 ? 0 : p < 8 ? wall : 1;
        mesh->xyz[3 * p + 1] = p % 4 == 1 || p % 4 == 2;
        mesh->xyz[3 * p + 2] = p % 4 >= 2;
    }
    for (int f = 0; f < 11; f++) {
        const uint32_t *q = quads[f];
        memcpy(mesh->triangles + 6 * f, (uint32_t[6]){q[0], q[1], q[2], q[0], q[2], q[3]}, 24);
    }
    return mesh;
}

#endif
