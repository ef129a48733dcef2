/* SPDX-License-Identifier: MIT */
/* mesh_write.c: OBJ (text, positions) and PLY (binary little-endian, with attributes: v as vx vy
 * vz). */
#include "base/file.h"
#include "geometry/mesh/mesh.h"

#include <string.h>
#include <strings.h>

static void write_obj(firn_file_writer *file, const firn_mesh *mesh)
{
    firn_file_print(file, "# %lld points, %lld triangles\n", (long long)mesh->n_points,
                    (long long)mesh->n_triangles);
    for (int64_t i = 0; i < mesh->n_points; i++) {
        const double *x = mesh->xyz + 3 * i;
        firn_file_print(file, "v %.9g %.9g %.9g\n", x[0], x[1], x[2]);
    }
    for (int64_t t = 0; t < mesh->n_triangles; t++) {
        const uint32_t *c = mesh->triangles + 3 * t;
        firn_file_print(file, "f %u %u %u\n", c[0] + 1, c[1] + 1, c[2] + 1);
    }
}

static void write_ply(firn_file_writer *file, const firn_mesh *mesh)
{
    firn_file_print(file, "ply\nformat binary_little_endian 1.0\nelement vertex %lld\n",
                    (long long)mesh->n_points);
    firn_file_print(file, "property float x\nproperty float y\nproperty float z\n");
    for (int i = 0; i < mesh->n_attributes; i++) {
        const firn_mesh_attribute *a = &mesh->attributes[i];
        for (int c = 0; c < a->n_components; c++)
            firn_file_print(file, "property float %s%.1s\n", a->name,
                            a->n_components > 1 ? &"xyz"[c] : "");
    }
    firn_file_print(file, "element face %lld\nproperty list uchar int vertex_indices\nend_header\n",
                    (long long)mesh->n_triangles);
    for (int64_t p = 0; p < mesh->n_points; p++) {
        float x[3] = {(float)mesh->xyz[3 * p], (float)mesh->xyz[3 * p + 1],
                      (float)mesh->xyz[3 * p + 2]};
        firn_file_write(file, x, sizeof x);
        for (int i = 0; i < mesh->n_attributes; i++) {
            const firn_mesh_attribute *a = &mesh->attributes[i];
            size_t n = (size_t)a->n_components;
            firn_file_write(file, a->data + (size_t)p * n, n * sizeof *a->data);
        }
    }
    for (int64_t t = 0; t < mesh->n_triangles; t++) {
        unsigned char record[13] = {3};
        memcpy(record + 1, mesh->triangles + 3 * t, 12);
        firn_file_write(file, record, sizeof record);
    }
}

firn_status firn_mesh_write(const char *path, const firn_mesh *mesh, firn_messages *messages)
{
    const char *extension = strrchr(path, '.');
    int is_obj = extension && !strcasecmp(extension, ".obj"),
        is_ply = extension && !strcasecmp(extension, ".ply");
    if (!is_obj && !is_ply)
        return firn_messages_add(messages, FIRN_REFUSED, "%s: not a mesh; allowed: .obj, .ply",
                                 path);
    firn_file_writer *file = firn_file_create(path, 0, messages);
    if (!file) return firn_file_failure(messages);
    if (is_obj)
        write_obj(file, mesh);
    else
        write_ply(file, mesh);
    return firn_file_commit(file, NULL, messages);
}
