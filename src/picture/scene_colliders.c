/* SPDX-License-Identifier: MIT */
/* scene_colliders.c: see scene_colliders.h. */
#include "picture/scene_colliders.h"
#include "shot/manifest.h"
#include "base/memory.h"
#include "base/messages.h"
#include "base/file_sequence.h"
#include "geometry/shape.h"
#include "geometry/motion.h"
#include "solver/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A collider that is drawn. */
typedef struct drawn {
    char name[FIRN_NAME];
    firn_shape *shape;
    int is_lent; /* the shape belongs to a simulation */
    firn_motion motion;
    firn_pose pose;
    double start, stop;
    int is_shown;
} drawn;

typedef struct material {
    char name[FIRN_NAME], law[FIRN_NAME], preset[FIRN_NAME];
    firn_color color; /* a < 0: not given */
} material;

struct firn_scene_colliders {
    int up; /* axis */
    double time, fps;
    int has_floor, shows_all;
    char floor_name[FIRN_NAME];
    double floor, foot; /* foot: INFINITY where nothing stands */
    int n_colliders, n_materials;
    drawn *colliders;
    material *materials;
    size_t n_colliders_room, n_materials_room;
};

static int upright_axis(const double gravity[3])
{
    return fabs(gravity[2]) > fabs(gravity[0]) && fabs(gravity[2]) > fabs(gravity[1]) ? 2 : 1;
}

static int is_at_rest(const firn_motion_def *motion)
{
    double moves = motion->n_keys;
    for (int c = 0; c < 3; c++) moves += fabs(motion->velocity[c]) + fabs(motion->spin[c]);
    return moves == 0;
}

/* A level plane at rest becomes the ground of the picture. */
static int is_floor(const firn_collider_def *def, int up, double *height)
{
    if (def->n_shapes != 1 || def->distance || !is_at_rest(&def->motion)) return 0;
    const firn_shape_def *shape = &def->shapes[0];
    const firn_shape_kind_info *kind = firn_shape_kind_find(shape->kind);
    if (!kind || !kind->is_half_space) return 0;
    double length = 0, turns = 0;
    for (int c = 0; c < 3; c++) {
        length += shape->normal[c] * shape->normal[c];
        turns += fabs(shape->rotate[c]);
    }
    if (turns > 0 || shape->thickness > 0 || !(shape->normal[up] > 0.9999 * sqrt(length))) return 0;
    *height = shape->center[up];
    return 1;
}

static void take_floor(firn_scene_colliders *colliders, double height, const char *name)
{
    if (!colliders->has_floor || height > colliders->floor)
        memcpy(colliders->floor_name, name, FIRN_NAME);
    colliders->floor = colliders->has_floor ? fmax(colliders->floor, height) : height;
    colliders->has_floor = 1;
}

/* Depth below the surface to which distances must be right, m. Only the surface is drawn; but
 * sequences choose their voxels by this depth (sdf_sequence.c), and must choose those of the
 * simulation, or a long one does not fit into memory. */
static double depth_of(const firn_collider_def *def, double dx)
{
    for (int i = 0; i < def->n_shapes; i++)
        if (firn_file_sequence_is_pattern(def->shapes[i].file)) return 2.5 * dx;
    return 0;
}

/* The lowest point of a shape: rays upwards from below its box, which may be larger than it. */
static void find_foot(firn_scene_colliders *colliders, const drawn *p)
{
    enum { SIDE = 48, STEPS = 200 };
    double low[3], high[3], size = 0;
    if (!firn_shape_bounds(p->shape, low, high)) return;
    for (int c = 0; c < 3; c++) size = fmax(size, high[c] - low[c]);
    for (int k = 0; k < SIDE * SIDE; k++) {
        int a = (colliders->up + 1) % 3, b = (colliders->up + 2) % 3;
        double x[3], distance = INFINITY;
        x[a] = low[a] + (k % SIDE + 0.5) / SIDE * (high[a] - low[a]);
        x[b] = low[b] + (k / SIDE + 0.5) / SIDE * (high[b] - low[b]);
        x[colliders->up] = low[colliders->up] - 0.01 * size;
        for (int step = 0;
             step < STEPS && x[colliders->up] < fmin(colliders->foot, high[colliders->up]);
             step++) {
            distance = firn_shape_distance(p->shape, x, 0);
            if (distance < 1e-4 * size) break;
            x[colliders->up] += distance;
        }
        if (distance < 1e-4 * size) colliders->foot = fmin(colliders->foot, x[colliders->up]);
    }
}

/* A shape whose files are missing is warned of and not drawn: p->shape is NULL. */
static firn_status build_shape(drawn *p, const firn_collider_def *def, double dx,
                               firn_messages *messages)
{
    firn_messages *why = firn_messages_create();
    firn_status status = firn_shape_create(
        def->n_shapes, def->shapes, (firn_shape_need){depth_of(def, dx), dx, 0}, &p->shape, why);
    if (status != FIRN_OK && status != FIRN_MEMORY) {
        firn_messages_warn(messages, "collider %s: not drawn (%s)", def->name,
                           firn_messages_text(why, 0, NULL));
        status = FIRN_OK;
    }
    firn_messages_destroy(why);
    return status;
}

/* `made`: the collider of the simulation, NULL: none. Its shape is shared where it is rigid; one
 * that deforms holds only what the present time of the simulation needs. */
static firn_status add_collider(firn_scene_colliders *colliders, const firn_collider_def *def,
                                const firn_collider *made, double dx, firn_messages *messages)
{
    drawn *p = &colliders->colliders[colliders->n_colliders];
    firn_status status = FIRN_OK;
    *p = (drawn){.start = def->start, .stop = def->stop, .is_lent = made && made->is_rigid};
    memcpy(p->name, def->name, FIRN_NAME);
    if (def->n_shapes < 1) return FIRN_OK;
    if (p->is_lent)
        p->shape = made->shape;
    else
        status = build_shape(p, def, dx, messages);
    if (status == FIRN_OK && !p->shape) return FIRN_OK;
    if (status == FIRN_OK) status = firn_motion_create(&def->motion, NULL, &p->motion);
    if (status == FIRN_OK && is_at_rest(&def->motion) && firn_shape_speed(p->shape) == 0)
        find_foot(colliders, p);
    if (status == FIRN_OK)
        colliders->n_colliders++;
    else if (!p->is_lent)
        firn_shape_destroy(p->shape);
    return status;
}

static firn_status fill(firn_scene_colliders *colliders, const firn_scene_def *scene,
                        const firn_sim *sim, firn_messages *messages)
{
    colliders->fps = scene->fps;
    colliders->up = upright_axis(scene->gravity);
    colliders->foot = INFINITY;
    const double *low = scene->grid.box_min;
    if (scene->grid.has_box && scene->grid.walls[2 * colliders->up] != FIRN_WALL_OPEN &&
        scene->grid.walls[2 * colliders->up] != FIRN_WALL_DELETE &&
        scene->grid.walls[2 * colliders->up] != FIRN_WALL_PERIODIC)
        take_floor(colliders, low[colliders->up], (const char[FIRN_NAME]){""});
    for (int k = 0; k < scene->n_materials; k++) {
        const firn_material_def *m = &scene->materials[k];
        int is_given =
            fabs(m->color[0] - 0.8) + fabs(m->color[1] - 0.8) + fabs(m->color[2] - 0.8) > 1e-9;
        material *to = &colliders->materials[k];
        memcpy(to->name, m->name, FIRN_NAME);
        memcpy(to->law, m->law, FIRN_NAME);
        memcpy(to->preset, m->preset, FIRN_NAME);
        to->color = (firn_color){(float)m->color[0], (float)m->color[1], (float)m->color[2],
                                 is_given ? 1 : -1};
    }
    colliders->n_materials = scene->n_materials;
    firn_status status = FIRN_OK;
    for (int k = 0; k < scene->n_colliders && status == FIRN_OK; k++) {
        double height;
        if (is_floor(&scene->colliders[k], colliders->up, &height))
            take_floor(colliders, height, scene->colliders[k].name);
        else
            status = add_collider(colliders, &scene->colliders[k], sim ? &sim->colliders[k] : NULL,
                                  scene->grid.dx, messages);
    }
    return status;
}

firn_status firn_scene_colliders_of_scene(const firn_scene_def *scene, const firn_sim *sim,
                                          firn_scene_colliders **out, firn_messages *messages)
{
    *out = NULL;
    firn_scene_colliders *colliders = firn_memory_allocate(NULL, sizeof *colliders);
    firn_status status = FIRN_MEMORY;
    if (colliders) {
        colliders->n_colliders_room = (size_t)scene->n_colliders;
        colliders->n_materials_room = (size_t)scene->n_materials;
        colliders->colliders =
            firn_memory_array(NULL, colliders->n_colliders_room, sizeof *colliders->colliders);
        colliders->materials =
            firn_memory_array(NULL, colliders->n_materials_room, sizeof *colliders->materials);
        if (colliders->colliders && colliders->materials)
            status = fill(colliders, scene, sim, messages);
    }
    if (status == FIRN_MEMORY) firn_messages_no_memory(messages, "colliders of the picture");
    if (status == FIRN_OK)
        *out = colliders;
    else
        firn_scene_colliders_destroy(colliders);
    return status;
}

firn_status firn_scene_colliders_open(const char *folder, firn_scene_colliders **colliders,
                                      firn_messages *messages)
{
    *colliders = NULL;
    if (!firn_manifest_exists(folder)) return FIRN_OK;
    firn_manifest manifest = {0};
    firn_status status = firn_manifest_read(folder, &manifest, messages);
    if (status != FIRN_OK) return status;
    char name[FIRN_PATH + 32];
    snprintf(name, sizeof name, "%.*s/%s", FIRN_PATH, folder, FIRN_MANIFEST_NAME);
    firn_scene *scene =
        firn_scene_parse(manifest.scene_json, strlen(manifest.scene_json), name, 0, NULL, messages);
    status = scene ? firn_scene_colliders_of_scene(firn_scene_definition(scene), NULL, colliders,
                                                   messages)
                   : FIRN_REFUSED;
    firn_scene_destroy(scene);
    firn_manifest_clear(&manifest);
    return status;
}

void firn_scene_colliders_destroy(firn_scene_colliders *colliders)
{
    if (!colliders) return;
    for (int k = 0; k < colliders->n_colliders; k++) {
        if (!colliders->colliders[k].is_lent) firn_shape_destroy(colliders->colliders[k].shape);
        firn_motion_destroy(&colliders->colliders[k].motion, NULL);
    }
    firn_memory_release(NULL, colliders->colliders,
                        colliders->n_colliders_room * sizeof *colliders->colliders);
    firn_memory_release(NULL, colliders->materials,
                        colliders->n_materials_room * sizeof *colliders->materials);
    firn_memory_release(NULL, colliders, sizeof *colliders);
}

int firn_scene_colliders_is_z_up(const firn_scene_colliders *colliders)
{
    return colliders->up == 2;
}

int firn_scene_colliders_floor(const firn_scene_colliders *colliders, double *height)
{
    if (colliders->has_floor) *height = colliders->floor;
    return colliders->has_floor;
}

int firn_scene_colliders_foot(const firn_scene_colliders *colliders, double *height)
{
    if (colliders->foot < INFINITY) *height = colliders->foot;
    return colliders->foot < INFINITY;
}

static const material *find_material(const firn_scene_colliders *colliders, const char *name)
{
    for (int k = 0; k < colliders->n_materials; k++)
        if (!strcmp(colliders->materials[k].name, name)) return &colliders->materials[k];
    return NULL;
}

int firn_scene_colliders_color(const firn_scene_colliders *colliders, const char *name,
                               firn_color *color)
{
    const material *m = find_material(colliders, name);
    if (!m || !(m->color.a > 0)) return 0;
    *color = m->color;
    return 1;
}

int firn_scene_colliders_material(const firn_scene_colliders *colliders, const char *name,
                                  const char **law, const char **preset)
{
    const material *m = find_material(colliders, name);
    if (!m) return 0;
    *law = m->law;
    *preset = m->preset;
    return 1;
}

const char *firn_scene_colliders_only_material(const firn_scene_colliders *colliders)
{
    return colliders->n_materials == 1 ? colliders->materials[0].name : NULL;
}

double firn_scene_colliders_fps(const firn_scene_colliders *colliders) { return colliders->fps; }

double firn_scene_colliders_time(const firn_scene_colliders *colliders) { return colliders->time; }

int firn_scene_colliders_is_endless(const firn_scene_colliders *colliders)
{
    double low[3], high[3];
    for (int k = 0; k < colliders->n_colliders; k++)
        if (colliders->colliders[k].is_shown &&
            !firn_shape_bounds(colliders->colliders[k].shape, low, high))
            return 1;
    return 0;
}

void firn_scene_colliders_show_all(firn_scene_colliders *colliders) { colliders->shows_all = 1; }

int firn_scene_colliders_at(firn_scene_colliders *colliders, double time)
{
    int n = 0;
    colliders->time = time;
    for (int k = 0; k < colliders->n_colliders; k++) {
        drawn *p = &colliders->colliders[k];
        p->is_shown = colliders->shows_all || (time >= p->start && time <= p->stop);
        firn_motion_at(&p->motion, time, p->start, &p->pose);
        n += p->is_shown;
    }
    return n;
}

/* The point of the surface nearest to x: distances may be too small, so in some steps. */
static void approach(const firn_scene_colliders *colliders, const drawn *p, const double x[3],
                     double nearest[3])
{
    enum { STEPS = 8 };
    double y[3];
    firn_pose_to_shape(&p->pose, x, y);
    for (int step = 0; step < STEPS; step++) {
        firn_surface_point s;
        firn_shape_query(p->shape, y, colliders->time, &s);
        for (int c = 0; c < 3; c++) y[c] -= s.distance * s.normal[c];
    }
    firn_pose_to_world(&p->pose, y, nearest);
}

/* The box of a cube around the nearest point of an endless surface; 0: it is out of reach. */
static int bounds_of_endless(const firn_scene_colliders *colliders, const drawn *p,
                             const double center[3], double reach, double low[3], double high[3])
{
    double x[3], square = 0;
    approach(colliders, p, center, x);
    for (int c = 0; c < 3; c++) {
        square += (x[c] - center[c]) * (x[c] - center[c]);
        low[c] = x[c] - 0.1 * reach;
        high[c] = x[c] + 0.1 * reach;
    }
    return square <= reach * reach;
}

int firn_scene_colliders_count(const firn_scene_colliders *colliders)
{
    return colliders->n_colliders;
}

const char *firn_scene_colliders_floor_name(const firn_scene_colliders *colliders)
{
    return colliders->has_floor ? colliders->floor_name : "";
}

const char *firn_scene_colliders_box(const firn_scene_colliders *colliders, int k,
                                     const double center[3], double reach, double min[3],
                                     double max[3])
{
    const drawn *p = &colliders->colliders[k];
    double low[3], high[3];
    if (!p->is_shown) return NULL;
    if (!firn_shape_bounds(p->shape, low, high))
        return bounds_of_endless(colliders, p, center, reach, min, max) ? p->name : NULL;
    for (int c = 0; c < 3; c++) {
        min[c] = INFINITY;
        max[c] = -INFINITY;
    }
    for (int corner = 0; corner < 8; corner++) {
        double y[3], x[3];
        for (int c = 0; c < 3; c++) y[c] = corner >> c & 1 ? high[c] : low[c];
        firn_pose_to_world(&p->pose, y, x);
        for (int c = 0; c < 3; c++) {
            min[c] = fmin(min[c], x[c]);
            max[c] = fmax(max[c], x[c]);
        }
    }
    return p->name;
}

int firn_scene_colliders_bounds(const firn_scene_colliders *colliders, const double center[3],
                                double reach, double min[3], double max[3])
{
    for (int c = 0; c < 3; c++) {
        min[c] = INFINITY;
        max[c] = -INFINITY;
    }
    for (int k = 0; k < colliders->n_colliders; k++) {
        double low[3], high[3];
        if (!firn_scene_colliders_box(colliders, k, center, reach, low, high)) continue;
        for (int c = 0; c < 3; c++) {
            min[c] = fmin(min[c], low[c]);
            max[c] = fmax(max[c], high[c]);
        }
    }
    return min[0] <= max[0];
}

double firn_scene_colliders_distance(const firn_scene_colliders *colliders, const double x[3],
                                     double normal[3])
{
    double nearest = INFINITY;
    for (int k = 0; k < colliders->n_colliders; k++) {
        const drawn *p = &colliders->colliders[k];
        if (!p->is_shown) continue;
        double y[3];
        firn_pose_to_shape(&p->pose, x, y);
        if (!normal) {
            nearest = fmin(nearest, firn_shape_distance(p->shape, y, colliders->time));
            continue;
        }
        firn_surface_point s;
        firn_shape_query(p->shape, y, colliders->time, &s);
        if (!(s.distance < nearest)) continue;
        nearest = s.distance;
        firn_pose_direction(&p->pose, s.normal, normal);
    }
    return nearest;
}
