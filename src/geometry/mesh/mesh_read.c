/* SPDX-License-Identifier: MIT */
/* mesh_read.c: the table of mesh formats.
 *
 * A file is read whole (at most MAX_FILE bytes), so that whatever its header claims can be compared
 * with what is there. */
#include "geometry/mesh/mesh_readers.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/messages.h"

#include <string.h>
#include <strings.h>

#define MAX_FILE ((size_t)8 << 30)

/* Mesh formats by extension */
static const struct {
    const char *extension;
    firn_status (*read)(firn_mesh_cursor *c, firn_mesh **mesh);
    int is_text; /* always: a single CR ends a line, too */
} formats[] = {
    {".obj", firn_mesh_obj_read, 1}, {".ply", firn_mesh_ply_read}, {".stl", firn_mesh_stl_read}};

static firn_status check_indices(const firn_mesh *mesh, const char *path, firn_messages *messages)
{
    for (int64_t i = 0; i < 3 * mesh->n_triangles; i++)
        if (mesh->triangles[i] >= mesh->n_points)
            return firn_messages_add(messages, FIRN_IO, "%s: a face names point %u of %lld", path,
                                     mesh->triangles[i], (long long)mesh->n_points);
    return FIRN_OK;
}

static firn_status read_all(firn_mesh_cursor *c, int format, firn_mesh **mesh)
{
    if (c->begin == c->end)
        return firn_messages_add(c->messages, FIRN_IO, "%s: the file is empty", c->path);
    firn_status status = formats[format].read(c, mesh);
    if (!status && (*mesh)->n_triangles == 0)
        status = firn_messages_add(c->messages, FIRN_REFUSED, "%s: no face in this file", c->path);
    if (!status) status = check_indices(*mesh, c->path, c->messages);
    if (status && *mesh) {
        firn_mesh_destroy(*mesh);
        *mesh = NULL;
    }
    return status;
}

firn_status firn_mesh_read(const char *path, firn_mesh **mesh, firn_messages *messages)
{
    *mesh = NULL;
    const char *extension = strrchr(path, '.');
    int format = -1;
    for (int i = 0; extension && i < (int)(sizeof formats / sizeof *formats); i++)
        if (!strcasecmp(extension, formats[i].extension)) format = i;
    if (format < 0)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "%s: not a mesh; allowed: .obj, .ply, .stl", path);
    size_t n;
    char *text = firn_file_text(path, MAX_FILE, &n, messages);
    if (!text) return FIRN_IO;
    for (size_t i = 0; i < n && formats[format].is_text; i++)
        if (text[i] == '\r' && text[i + 1] != '\n') text[i] = '\n';
    firn_mesh_cursor c = {path,    text, text, text + n, newlocale(LC_ALL_MASK, "C", (locale_t)0),
                          messages};
    firn_status status =
        c.locale ? read_all(&c, format, mesh) : firn_messages_no_memory(messages, "%s", path);
    if (c.locale) freelocale(c.locale);
    firn_memory_release(NULL, text, n + 1);
    return status;
}
