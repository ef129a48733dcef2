/* SPDX-License-Identifier: MIT */
/* mesh.c: triangles in memory, and their measures. */
#include "geometry/mesh/mesh.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

firn_mesh *firn_mesh_create(int64_t n_points, int64_t n_triangles)
{
    firn_mesh *mesh = firn_memory_allocate(NULL, sizeof *mesh);
    if (!mesh) return NULL;
    mesh->n_points = n_points;
    mesh->n_triangles = n_triangles;
    mesh->xyz = firn_memory_array(NULL, (size_t)n_points, 3 * sizeof *mesh->xyz);
    mesh->triangles = firn_memory_array(NULL, (size_t)n_triangles, 3 * sizeof *mesh->triangles);
    if (mesh->xyz && mesh->triangles) return mesh;
    firn_mesh_destroy(mesh);
    return NULL;
}

void firn_mesh_destroy(firn_mesh *mesh)
{
    if (!mesh) return;
    for (int i = 0; i < mesh->n_attributes; i++) {
        firn_mesh_attribute *a = &mesh->attributes[i];
        firn_memory_release(NULL, a->data,
                            (size_t)mesh->n_points * (size_t)a->n_components * sizeof *a->data);
    }
    firn_memory_release(NULL, mesh->xyz, (size_t)mesh->n_points * 3 * sizeof *mesh->xyz);
    firn_memory_release(NULL, mesh->triangles,
                        (size_t)mesh->n_triangles * 3 * sizeof *mesh->triangles);
    firn_memory_release(NULL, mesh, sizeof *mesh);
}

firn_mesh_attribute *firn_mesh_add(firn_mesh *mesh, const char *name, int n_components)
{
    if (mesh->n_attributes == FIRN_MESH_ATTRIBUTES) return NULL;
    firn_mesh_attribute *a = &mesh->attributes[mesh->n_attributes];
    *a = (firn_mesh_attribute){.n_components = n_components};
    snprintf(a->name, sizeof a->name, "%s", name);
    a->data =
        firn_memory_array(NULL, (size_t)mesh->n_points * (size_t)n_components, sizeof *a->data);
    if (!a->data) return NULL;
    mesh->n_attributes++;
    return a;
}

const firn_mesh_attribute *firn_mesh_find(const firn_mesh *mesh, const char *name)
{
    for (int i = 0; i < mesh->n_attributes; i++)
        if (!strcmp(mesh->attributes[i].name, name)) return &mesh->attributes[i];
    return NULL;
}

void firn_mesh_scale(firn_mesh *mesh, double factor)
{
    for (int64_t i = 0; i < 3 * mesh->n_points; i++) mesh->xyz[i] *= factor;
}

/* Of the points that triangles use; others are ignored. */
void firn_mesh_bounds(const firn_mesh *mesh, double min[3], double max[3])
{
    for (int a = 0; a < 3; a++) {
        min[a] = INFINITY;
        max[a] = -INFINITY;
    }
    for (int64_t c = 0; c < 3 * mesh->n_triangles; c++)
        for (int a = 0; a < 3; a++) {
            double x = mesh->xyz[3 * (size_t)mesh->triangles[c] + (size_t)a];
            min[a] = fmin(min[a], x);
            max[a] = fmax(max[a], x);
        }
}

/* Twice the area vector of a triangle, and its first corner relative to `origin` */
static void area_vector(const firn_mesh *mesh, int64_t t, const double origin[3], double corner[3],
                        double area[3])
{
    const double *p[3];
    double u[3], w[3];
    for (int c = 0; c < 3; c++) p[c] = mesh->xyz + 3 * (size_t)mesh->triangles[3 * t + c];
    for (int a = 0; a < 3; a++) {
        corner[a] = p[0][a] - origin[a];
        u[a] = p[1][a] - p[0][a];
        w[a] = p[2][a] - p[0][a];
    }
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        area[a] = u[b] * w[c] - u[c] * w[b];
    }
}

double firn_mesh_volume(const firn_mesh *mesh)
{
    double sum = 0;
    for (int64_t t = 0; t < mesh->n_triangles; t++) {
        double corner[3],
            area[3]; /* relative to the first point, against cancellation far from 0 */
        area_vector(mesh, t, mesh->xyz, corner, area);
        sum += corner[0] * area[0] + corner[1] * area[1] + corner[2] * area[2];
    }
    return sum / 6;
}

double firn_mesh_area(const firn_mesh *mesh)
{
    double sum = 0;
    for (int64_t t = 0; t < mesh->n_triangles; t++) {
        double corner[3], area[3];
        area_vector(mesh, t, mesh->xyz, corner, area);
        sum += sqrt(area[0] * area[0] + area[1] * area[1] + area[2] * area[2]);
    }
    return sum / 2;
}
