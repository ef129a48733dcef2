/* budget.c: the lengths of a scene's files against the memory (see budget.h).
 *
 * Files of points and of meshes are held in memory whole while they are read, outside a simulation's own books, so a
 * limit of memory must hold for their lengths. A point takes about as much memory as it takes in its file, and the
 * particle made of it 200 bytes at its peak, mostly more than that: of points that need more than half of the memory
 * no simulation would have room. What compressed files unpack to is bounded by their readers, .vdb shapes,
 * of which one grid alone may be read, while they are read (vdb_bound.hpp). */
#include "budget.h"
#include "numbered.h"

#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct budget {
    double most; /* bytes */
    int is_given;
    firn_report *report;
} budget;

static firn_status check_file(const budget *b, const char *path, const char *remedy)
{
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode) || !((double)info.st_size > b->most)) return FIRN_OK;
    const double length = (double)info.st_size / (1 << 20), most = b->most / (1 << 20);
    if (b->is_given)
        return firn_report_add(b->report, FIRN_MEMORY,
                               "%s: the file is %.4g MB long and would be held in memory, of which --max-memory allows "
                               "%.4g MB; nothing of it was read. %s, or raise --max-memory.",
                               path, length, most, remedy);
    return firn_report_add(
        b->report, FIRN_MEMORY,
        "%s: the file is %.4g MB long, more than half of this machine's memory, %.4g MB, which would "
        "leave no room for its particles; nothing of it was read. %s.",
        path, length, most, remedy);
}

static firn_status check_shape(const budget *b, const firn_shape_def *shape)
{
    static const char remedy[] = "Give a mesh with fewer faces";
    firn_numbered files;
    if (!b->is_given || strcmp(shape->kind, "mesh") != 0) return FIRN_OK; /* meshes have a bound of their own */
    if (!firn_numbered_is(shape->file)) return check_file(b, shape->file, remedy);
    if (firn_numbered_find(shape->file, &files, NULL) != FIRN_OK) return FIRN_OK;
    firn_status status = FIRN_OK;
    for (int i = 0; i < files.n && status == FIRN_OK; i++) {
        char path[FIRN_PATH];
        firn_numbered_path(&files, i, path);
        status = check_file(b, path, remedy);
    }
    firn_numbered_clear(&files);
    return status;
}

static firn_status check_shapes(const budget *b, int n, const firn_shape_def *shapes)
{
    firn_status worst = FIRN_OK;
    for (int i = 0; i < n; i++) {
        firn_status status = check_shape(b, &shapes[i]);
        if (worst == FIRN_OK) worst = status;
    }
    return worst;
}

#define CHECK_SHAPES(items, n_items)                                                                                   \
    for (int i = 0; i < (n_items); i++) {                                                                              \
        firn_status status = check_shapes(&b, (items)[i].n_shapes, (items)[i].shapes);                                 \
        if (worst == FIRN_OK) worst = status;                                                                          \
    }

uint64_t firn_budget_points(size_t max_memory)
{
    const long n = sysconf(_SC_PHYS_PAGES), each = sysconf(_SC_PAGESIZE);
    return max_memory ? max_memory : n > 0 && each > 0 ? (uint64_t)n / 2 * (uint64_t)each : UINT64_MAX;
}

firn_status firn_budget_check(const firn_scene_def *scene, size_t max_memory, firn_report *report)
{
    const budget b = {(double)firn_budget_points(max_memory), max_memory > 0, report};
    firn_status worst = FIRN_OK;
    for (int i = 0; i < scene->n_bodies; i++) {
        const char *points = scene->bodies[i].points;
        firn_status status = *points ? check_file(&b, points, "Give fewer points, or fewer attributes") : FIRN_OK;
        if (worst == FIRN_OK) worst = status;
    }
    CHECK_SHAPES(scene->bodies, scene->n_bodies)
    CHECK_SHAPES(scene->emitters, scene->n_emitters)
    CHECK_SHAPES(scene->colliders, scene->n_colliders)
    CHECK_SHAPES(scene->grips, scene->n_grips)
    CHECK_SHAPES(scene->sinks, scene->n_sinks)
    CHECK_SHAPES(scene->expects, scene->n_expects)
    return worst;
}
