/* SPDX-License-Identifier: MIT */
/* read_limits.c: the lengths of a scene's files against the memory (see read_limits.h).
 *
 * Files of points and of meshes are held in memory whole while they are read, outside a
 * simulation's own books, so a limit of memory must hold for their lengths. A point takes about
 * as much memory as it takes in its file, and the particle made of it 200 bytes at its peak,
 * mostly more than that: of points that need more than half of the memory no simulation would
 * have room. What compressed files unpack to is bounded by their readers, .vdb shapes, of which
 * one grid alone may be read, while they are read (vdb_bound.hpp). */
#include "scene/read_limits.h"
#include "scene/scene_files.h"

#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct budget {
    double most; /* bytes */
    int is_given;
    const char *remedy;        /* for the files of the name that is looked at */
    firn_status status, worst; /* of this name; the first of all */
    firn_messages *messages;
} budget;

static void check_file(void *user, const char *path)
{
    budget *b = user;
    struct stat info;
    if (b->status != FIRN_OK) return; /* one file of a sequence is told */
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode) || !((double)info.st_size > b->most))
        return;
    const double length = (double)info.st_size / (1 << 20), most = b->most / (1 << 20);
    if (b->is_given)
        b->status = firn_messages_add(b->messages, FIRN_MEMORY,
                                      "%s: the file is %.4g MB long and would be held in memory, "
                                      "of which --max-memory allows "
                                      "%.4g MB; nothing of it was read. %s, or raise --max-memory.",
                                      path, length, most, b->remedy);
    else
        b->status =
            firn_messages_add(b->messages, FIRN_MEMORY,
                              "%s: the file is %.4g MB long, more than half of this machine's "
                              "memory, %.4g MB, which would "
                              "leave no room for its particles; nothing of it was read. %s.",
                              path, length, most, b->remedy);
}

static void check_name(void *user, const char *name, const firn_shape_def *shape)
{
    budget *b = user;
    /* meshes have a bound of their own, of .vdb files one grid alone may be read */
    if (shape && (!b->is_given || strcmp(shape->kind, "mesh") != 0)) return;
    b->remedy = shape ? "Give a mesh with fewer faces" : "Give fewer points, or fewer attributes";
    b->status = FIRN_OK;
    if (shape)
        firn_scene_files_files(name, check_file, b);
    else
        check_file(b, name);
    if (b->worst == FIRN_OK) b->worst = b->status;
}

uint64_t firn_read_limits_points(size_t max_memory)
{
    const long n = sysconf(_SC_PHYS_PAGES), each = sysconf(_SC_PAGESIZE);
    return max_memory          ? max_memory
           : n > 0 && each > 0 ? (uint64_t)n / 2 * (uint64_t)each
                               : UINT64_MAX;
}

firn_status firn_read_limits_check(const firn_scene_def *scene, size_t max_memory,
                                   firn_messages *messages)
{
    budget b = {.most = (double)firn_read_limits_points(max_memory),
                .is_given = max_memory > 0,
                .messages = messages};
    firn_scene_files_names(scene, check_name, &b);
    return b.worst;
}
