/* SPDX-License-Identifier: MIT */
/* format.c: the table of particle file formats and the choice among them. */
#include "points/format.h"
#include "points/bgeo.h"
#include "points/partio.h"
#include "points/ply.h"
#include "points/vdb_points.h"
#include "points/vtp.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const firn_format formats[] = {
    {"bgeo", ".bgeo", "classic Houdini geometry, version 5: every attribute; the usual cache", NULL,
     firn_bgeo_read, firn_bgeo_write},
    {"bgeo.gz", ".bgeo.gz", "the same through gzip: smaller, slower to write", NULL,
     firn_bgeo_read_gzip, firn_bgeo_write_gzip, firn_bgeo_read_gzip_within},
    {"bhclassic", ".bhclassic",
     "the same under the name that newer Houdini gives to the classic format", NULL, firn_bgeo_read,
     firn_bgeo_write},
    {"ply", ".ply",
     "PLY: every attribute when read by firn; other programs may see positions only; text files "
     "are read too",
     NULL, firn_ply_read, firn_ply_write},
    {"vtp", ".vtp", "VTK PolyData, as ParaView reads and writes it: every attribute", NULL,
     firn_vtp_read, firn_vtp_write},
    {"vdb", ".vdb",
     "OpenVDB points with every attribute, and volumes density, v and T made from them for "
     "programs that open no points",
     NULL, firn_vdb_points_read, firn_vdb_points_write, firn_vdb_points_read_within,
     firn_vdb_points_check},
    {"volumes.vdb", ".volumes.vdb",
     "these OpenVDB volumes alone, for programs that refuse files with points",
     "volumes and no points", NULL, firn_vdb_volumes_write, NULL, firn_vdb_points_check},
#ifdef FIRN_HAVE_PARTIO
    {"geo", ".geo", "Houdini's classic text format, by Partio", NULL, firn_partio_read,
     firn_partio_write},
    {"pdc", ".pdc", "Maya's particle cache, by Partio; loses attributes", NULL, firn_partio_read,
     firn_partio_write},
    {"ptc", ".ptc", "RenderMan's point cloud, by Partio; loses attributes", NULL, firn_partio_read,
     firn_partio_write},
#endif
};

const firn_format *firn_format_at(int i)
{
    return i >= 0 && i < (int)(sizeof formats / sizeof *formats) ? &formats[i] : NULL;
}

const firn_format *firn_format_find(const char *name)
{
    const firn_format *format;
    for (int i = 0; (format = firn_format_at(i)) && strcmp(format->name, name) != 0; i++) {}
    return format;
}

const firn_format *firn_format_of(const char *path)
{
    const firn_format *format, *best = NULL;
    size_t n = strlen(path);
    for (int i = 0; (format = firn_format_at(i)); i++) {
        size_t n_extension = strlen(format->extension);
        if (n_extension >= n || strcasecmp(path + n - n_extension, format->extension) != 0)
            continue;
        if (!best || n_extension > strlen(best->extension)) best = format;
    }
    return best;
}

/* The names of all formats that can be read (or written), for messages. */
static void list_names(int for_writing, char *text, size_t n_text)
{
    const firn_format *format;
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; (format = firn_format_at(i)); i++) {
        if (for_writing ? !format->write : !format->read) continue;
        int n = snprintf(text + used, n_text - used, "%s%s", used ? " " : "", format->extension);
        if (n < 0 || used + (size_t)n >= n_text) return;
        used += (size_t)n;
    }
}

static firn_status refuse(const char *path, const firn_format *format, int for_writing,
                          firn_messages *messages)
{
    char names[512];
    list_names(for_writing, names, sizeof names);
    if (format && format->holds && !for_writing)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "%s: %s files hold %s; points are needed here; allowed: %s", path,
                                 format->extension, format->holds, names);
    if (format)
        return firn_messages_add(messages, FIRN_REFUSED, "%s: %s files cannot be %s; allowed: %s",
                                 path, format->extension, for_writing ? "written" : "read", names);
    return firn_messages_add(messages, FIRN_REFUSED, "%s: unknown extension; allowed: %s", path,
                             names);
}

firn_status firn_format_read(const char *path, firn_points **points, firn_messages *messages)
{
    const firn_format *format = firn_format_of(path);
    *points = NULL;
    if (!format || !format->read) return refuse(path, format, 0, messages);
    return format->read(path, points, messages);
}

firn_status firn_format_read_within(const char *path, uint64_t most, firn_points **points,
                                    firn_messages *messages)
{
    const firn_format *format = firn_format_of(path);
    return format && format->read_within ? format->read_within(path, most, points, messages)
                                         : firn_format_read(path, points, messages);
}

firn_status firn_format_write(const char *path, const firn_points *points,
                              firn_file_receipt *receipt, firn_messages *messages)
{
    const firn_format *format = firn_format_of(path);
    if (!format || !format->write) return refuse(path, format, 1, messages);
    return format->write(path, points, receipt, messages);
}

firn_status firn_format_check(const char *path, firn_messages *messages)
{
    const firn_format *format = firn_format_of(path);
    if (format && format->check) return format->check(path, messages);
    firn_points *points;
    firn_status status = firn_format_read(path, &points, messages);
    firn_points_destroy(points);
    return status;
}
