/* SPDX-License-Identifier: MIT */
/* scene_relations.c: what must hold between the values of a scene and is in no table: names that
 * must exist, ends after starts, shapes or points but not both, what a material, shape or measure
 * needs. */
#include "scene/scene_check_heat.h"
#include "scene/scene_check_measures.h"
#include "scene/scene_check_space.h"
#include "scene/scene_relations.h"
#include "base/messages.h"
#include "base/suggest.h"
#include "geometry/shape.h"
#include "laws/law.h"
#include "measure/measure.h"
#include "mpm/integrator.h"
#include "points/format.h"
#include "scene/methods.h"
#include "solver/attributes.h"
#include "solver/force.h"
#include "solver/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------- materials */

static void check_material_name(firn_complaints *c, const firn_scene_def *scene, const char *name)
{
    firn_known_words known = {.wanted = name};
    if (!*name) return;
    for (int i = 0; i < scene->n_materials; i++)
        firn_complaints_know(&known, scene->materials[i].name);
    firn_complaints_word(c, "material", "material of this scene", &known);
}

static void check_law_name(firn_complaints *c, const char *name)
{
    firn_known_words known = {.wanted = name};
    if (firn_law_find(name)) return;
    for (int i = 0; i < firn_law_count(); i++) {
        const firn_law_info *law = firn_law_at(i);
        firn_complaints_know_as(&known, law->name, law->title);
        for (int k = 0; k < law->n_presets; k++)
            if (strcmp(law->presets[k].name, name) == 0) {
                FIRN_COMPLAIN(c, "law", "is \"%s\", a preset of the law %s; try: preset: %s", name,
                              law->name, name);
                return;
            }
    }
    firn_complaints_word(c, "law", "law", &known);
}

static void check_parameter(firn_complaints *c, const firn_law_info *law,
                            const firn_parameter_def *given)
{
    for (int k = 0; k < FIRN_MATERIAL_PARAMETERS; k++) {
        const firn_parameter_info *info = firn_material_parameter(law, k);
        if (!info || strcmp(info->name, given->name) != 0) continue;
        const char *unit = strcmp(info->unit, "1") == 0 ? "" : info->unit;
        for (int i = -1; i < given->n_table && i < FIRN_MAX_TABLE; i++) { /* -1: the constant */
            double value = i < 0 ? given->value : given->table_value[i];
            const int is_preset = i < 0 && isnan(value) && (*given->map || given->noise_size > 0);
            if ((i < 0 && given->n_table) || is_preset ||
                (value >= info->min && value <= info->max))
                continue;
            FIRN_COMPLAIN(c, info->name, "is %g; allowed: %g to %g%s%s (%s)", value, info->min,
                          info->max, *unit ? " " : "", unit, info->meaning);
        }
        return;
    }
    FIRN_COMPLAIN(c, given->name, "is no parameter of the law %s; see `firn materials %s`",
                  law->name, law->name);
}

/* What the law's table says of parameters together, at their constant values. */
static void check_relations(firn_complaints *c, const firn_material *material)
{
    const firn_law_info *law = &material->law->info;
    for (int k = 0; k < law->n_relations; k++) {
        const firn_relation_info *relation = &law->relations[k];
        const double value = firn_law_relation(law, relation, material->value);
        char name[FIRN_NAME];
        if (!(value < relation->min || value > relation->max)) continue;
        firn_law_relation_place(relation, name);
        const size_t at = firn_complaints_enter(c, name);
        firn_complaints_warn(c, "is degenerate: %s is %g, %s; usual: %g to %g", relation->terms,
                             value, relation->otherwise, relation->min, relation->max);
        firn_complaints_leave(c, at);
    }
}

static int has_parameter(const firn_law_info *law, const char *name)
{
    for (int k = 0; k < law->n_parameters; k++)
        if (strcmp(law->parameters[k].name, name) == 0) return 1;
    return 0;
}

/* Stiffness and viscosity, with dx and the time to be simulated, decide on the number of steps:
 * dt = cfl min(dx / c, dx^2 / (6 nu)) of material at rest, with c the wave speed and nu the
 * kinematic viscosity. */
static void check_steps(firn_complaints *c, const firn_scene_def *scene,
                        const firn_material *material)
{
    const double most = 1e7, dx = scene->grid.dx, duration = scene->frames / scene->fps;
    const char *const stiff[] = {"E", "c"}, *const thick[] = {"viscosity", "eta", "K"};
    double wave, viscosity;
    firn_material_at_rest(material, 293.15, &wave, &viscosity);
    const double by_wave = wave / dx, by_viscosity = 6 * viscosity / (dx * dx);
    const double n = duration * fmax(by_wave, by_viscosity) / scene->time.cfl;
    if (!(n > most)) return;
    const int is_viscous = by_viscosity > by_wave, n_names = is_viscous ? 3 : 2;
    const char *const *names = is_viscous ? thick : stiff, *name = "law";
    for (int k = n_names - 1; k >= 0; k--)
        if (has_parameter(&material->law->info, names[k])) name = names[k];
    const size_t at = firn_complaints_enter(c, name);
    firn_complaints_warn(c,
                         "asks for %.2g steps: %s of %.3g %s in cells of %g m, %g s to simulate; "
                         "usual: up to %g; try: %s, larger cells, or less time",
                         n, is_viscous ? "a kinematic viscosity" : "waves",
                         is_viscous ? viscosity : wave, is_viscous ? "m^2/s" : "m/s", dx, duration,
                         most, is_viscous ? "a lower viscosity" : "a softer material");
    firn_complaints_leave(c, at);
}

/* What the resolver finds, each message after the path of the material. */
static void resolve(firn_complaints *c, const firn_scene_def *scene, const firn_material_def *def)
{
    firn_material material;
    firn_messages *own = firn_messages_create();
    if (!own) {
        c->status = firn_messages_no_memory(c->messages, "materials");
        return;
    }
    firn_material *into = c->materials ? &c->materials[def - scene->materials] : &material;
    if (firn_material_resolve(def, scene->seed, into, own) != FIRN_OK)
        for (int i = 0; i < firn_messages_total(own); i++)
            firn_complaints_add(c, "cannot be used: %s", firn_messages_text(own, i, NULL));
    else {
        check_relations(c, into);
        if (scene->grid.dx > 0 && scene->fps > 0 && scene->time.cfl > 0)
            check_steps(c, scene, into);
    }
    firn_messages_destroy(own);
}

/* First each parameter by the law's table, in its own place; what passes is resolved. */
static void check_material(firn_complaints *c, const firn_scene_def *scene,
                           const firn_material_def *def)
{
    const firn_status before = c->status;
    c->status = FIRN_OK;
    const firn_law_info *law = firn_law_find(def->law);
    if (*def->law) check_law_name(c, def->law);
    if (!*def->law && !*def->preset)
        FIRN_COMPLAIN(c, "law", "is missing; try: a law or a preset of `firn materials`");
    if (def->n_parameters < 0 || def->n_parameters > FIRN_MAX_PARAMETERS)
        firn_complaints_add(c, "has %d parameters; allowed: 0 to %d", def->n_parameters,
                            FIRN_MAX_PARAMETERS);
    for (int i = 0; law && i < def->n_parameters && i < FIRN_MAX_PARAMETERS; i++)
        if (memchr(def->parameters[i].name, 0, FIRN_NAME))
            check_parameter(c, law, &def->parameters[i]);
    if (c->status == FIRN_OK) resolve(c, scene, def);
    if (before != FIRN_OK) c->status = before;
}

/* ---------------------------------------------------------------- motions, bodies, colliders,
 * grips, forces */

static void check_motion(firn_complaints *c, const firn_motion_def *motion)
{
    size_t at = firn_complaints_enter(c, "motion");
    for (int i = 0; i < motion->n_keys; i++) {
        char key[32];
        snprintf(key, sizeof key, "keys.%d", i);
        const double *q = motion->keys[i].rotation;
        double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        if (fabs(norm - 1) > 1e-3)
            FIRN_COMPLAIN(c, key,
                          "has a rotation of length %g; a quaternion x y z w must have length 1",
                          norm);
        if (i && motion->keys[i].time <= motion->keys[i - 1].time)
            FIRN_COMPLAIN(c, key, "is at %g s, which is not after the key before it (%g s)",
                          motion->keys[i].time, motion->keys[i - 1].time);
        if (i && motion->keys[i - 1].ease == FIRN_EASE_HOLD &&
            (memcmp(motion->keys[i].position, motion->keys[i - 1].position,
                    sizeof motion->keys[i].position) != 0 ||
             memcmp(q, motion->keys[i - 1].rotation, sizeof motion->keys[i].rotation) != 0))
            FIRN_COMPLAIN(c, key,
                          "moves although the key before it holds; try: another key of the same "
                          "place where the hold ends");
    }
    firn_complaints_leave(c, at);
}

/* A period is whole blocks of 4 cells (mpm/grid.h), 2^20 of them at most. */
static void check_period(firn_complaints *c, const firn_grid_def *grid, int axis)
{
    const int is_lower = grid->walls[2 * axis] == FIRN_WALL_PERIODIC,
              is_upper = grid->walls[2 * axis + 1] == FIRN_WALL_PERIODIC;
    const double length = grid->box_max[axis] - grid->box_min[axis],
                 blocks = length / (4 * grid->dx), whole = fmax(1, round(blocks));
    if (is_lower != is_upper)
        FIRN_COMPLAIN(c, "grid.walls", "are periodic at one end of %c; allowed: at both or none",
                      "xyz"[axis]);
    else if (is_lower && (fabs(blocks - whole) > 1e-6 || whole > 1 << 20))
        FIRN_COMPLAIN(c, "grid.dx",
                      "divides the period along %c, %g m, into %g cells; allowed: a multiple of 4 "
                      "up to %d; try: dx = %.9g m, or a box of %.9g m",
                      "xyz"[axis], length, 4 * blocks, 4 << 20, length / (4 * whole),
                      4 * whole * grid->dx);
}

static void check_grid(firn_complaints *c, const firn_grid_def *grid)
{
    int n_walls = 0;
    for (int i = 0; i < 6; i++) n_walls += grid->walls[i] != FIRN_WALL_OPEN;
    if (n_walls && !grid->has_box)
        FIRN_COMPLAIN(c, "grid.walls", "needs a box; try: grid.box_min and grid.box_max");
    if (!grid->has_box) return;
    for (int i = 0; i < 3; i++)
        if (!(grid->box_min[i] < grid->box_max[i]))
            FIRN_COMPLAIN(c, "grid.box_max", "has %g along %c, which is not above box_min (%g)",
                          grid->box_max[i], "xyz"[i], grid -> box_min[i]);
    for (int i = 0; i < 3; i++) check_period(c, grid, i);
    for (int w = 0; w < 6;
         w++) { /* a mirror between nodes would be off by up to half a cell without saying so */
        const char *key = w & 1 ? "grid.box_max" : "grid.box_min";
        double place = (w & 1 ? grid->box_max : grid->box_min)[w / 2], at = place / grid->dx;
        if ((grid->walls[w] == FIRN_WALL_MIRROR || grid->walls[w] == FIRN_WALL_NO_SLIP) &&
            fabs(at - round(at)) > 1e-6)
            FIRN_COMPLAIN(c, key,
                          "puts the mirror wall %c%c at %g m, off the nodes; allowed: whole "
                          "multiples of dx = %g m; try: %g m",
                          "-+"[w & 1], "xyz"[w / 2], place, grid -> dx, round(at) * grid -> dx);
    }
}

/* What has a part along z has no place in a plane of which it is the normal. */
static void check_plane(firn_complaints *c, const firn_scene_def *scene)
{
    if (scene->grid.geometry != FIRN_PLANE_STRAIN) return;
    if (strcmp(scene->time.integrator, "symplectic") != 0)
        FIRN_COMPLAIN(c, "time.integrator",
                      "is '%s', which has no plane strain; allowed: symplectic; try: geometry: "
                      "space, between mirror walls",
                      scene->time.integrator);
    for (int w = 4; w < 6 && scene->grid.has_box; w++)
        if (scene->grid.walls[w] != FIRN_WALL_OPEN)
            FIRN_COMPLAIN(c, "grid.walls", "has a wall along z; allowed in plane strain: open");
    if (scene->gravity[2] != 0)
        FIRN_COMPLAIN(c, "gravity", "has a part along z (%g m/s^2); allowed in plane strain: 0",
                      scene->gravity[2]);
    if (scene->n_emitters)
        FIRN_COMPLAIN(c, "emitters", "fill volumes; allowed in plane strain: bodies");
    for (int i = 0; i < scene->n_bodies; i++) {
        const firn_body_def *body = &scene->bodies[i];
        const double *F = body->F;
        size_t at = firn_complaints_enter(c, "bodies");
        firn_complaints_enter(c, body->name);
        if (*body->points)
            FIRN_COMPLAIN(c, "points", "is in space; allowed in plane strain: shapes");
        if (!*body->points && body->sampling != FIRN_REGULAR && body->sampling != FIRN_JITTERED)
            FIRN_COMPLAIN(c, "sampling", "fills space; allowed in plane strain: regular, jittered");
        if (body->velocity[2] != 0 || body->spin[0] != 0 || body->spin[1] != 0)
            FIRN_COMPLAIN(c, body->velocity[2] != 0 ? "velocity" : "spin",
                          "leaves the plane; allowed in plane strain: velocity along x and y, spin "
                          "about z");
        if (F[2] != 0 || F[5] != 0 || F[6] != 0 || F[7] != 0)
            FIRN_COMPLAIN(c, "F", "leaves the plane; allowed in plane strain: xx, xy, yx, yy, zz");
        firn_complaints_leave(c, at);
    }
}

static void check_method(firn_complaints *c, const char *method)
{
    firn_known_words methods = {.wanted = method};
    for (int i = 0; firn_method_at(i); i++) firn_complaints_know(&methods, firn_method_at(i)->name);
    firn_complaints_word(c, "scene.method", "method", &methods);
}

static void check_time(firn_complaints *c, const firn_time_def *time)
{
    firn_known_words integrators = {.wanted = time->integrator};
    for (int i = 0; firn_integrator_at(i); i++)
        firn_complaints_know(&integrators, firn_integrator_at(i)->name);
    firn_complaints_word(c, "time.integrator", "integrator", &integrators);
    if (time->dt_max > 0 && time->dt_max < time->dt_min)
        FIRN_COMPLAIN(c, "time.dt_max", "is %g s, below dt_min (%g s)", time->dt_max, time->dt_min);
    if (time->dt_fixed > 0 && time->dt_fixed < time->dt_min)
        FIRN_COMPLAIN(c, "time.dt_fixed", "is %g s, below dt_min (%g s)", time->dt_fixed,
                      time->dt_min);
}

static int is_damped(const firn_transfer_def *transfer)
{
    return transfer->damping > 0 || transfer->damping_rate > 0;
}

/* Combinations that have not been worked out, and would act silently as if one part were not there. */
static void check_combinations(firn_complaints *c, const firn_scene_def *scene)
{
    const int is_explicit = strcmp(scene->time.integrator, "symplectic") == 0;
    if (!is_explicit && strcmp(scene->method, "mpm") != 0)
        FIRN_COMPLAIN(c, "time.integrator", "is of the method mpm; with %s allowed: symplectic",
                      scene->method);
    int damped = is_damped(&scene->transfer);
    for (int m = 0; m < scene->n_materials; m++)
        damped |= scene->materials[m].has_transfer && is_damped(&scene->materials[m].transfer);
    if (damped && !is_explicit)
        FIRN_COMPLAIN(c, "transfer.damping",
                      "needs explicit steps; try: time.integrator: symplectic, or damping: 0");
    if (damped && scene->grid.geometry == FIRN_PLANE_STRAIN)
        FIRN_COMPLAIN(c, "transfer.damping",
                      "is not available in plane strain; try: geometry: space, or damping: 0");
    for (int i = 0; i < scene->n_colliders && !is_explicit; i++)
        if (scene->colliders[i].touch == FIRN_TOUCH_PARTICLES) {
            size_t at = firn_complaints_enter(c, "colliders");
            firn_complaints_enter(c, scene->colliders[i].name);
            FIRN_COMPLAIN(c, "touch",
                          "is particles, which needs explicit steps; try: touch: surface, or "
                          "time.integrator: symplectic");
            firn_complaints_leave(c, at);
        }
}

static double determinant(const double F[9])
{
    return F[0] * (F[4] * F[8] - F[5] * F[7]) - F[1] * (F[3] * F[8] - F[5] * F[6]) +
           F[2] * (F[3] * F[7] - F[4] * F[6]);
}

static void check_body(firn_complaints *c, const firn_scene_def *scene, const firn_body_def *body)
{
    check_material_name(c, scene, body->material);
    if (!*body->material && !*body->points) FIRN_COMPLAIN(c, "material", "is missing");
    if (!body->n_shapes && !*body->points)
        FIRN_COMPLAIN(c, "shape", "is missing; try: a shape, or a points file");
    if (body->n_shapes && *body->points)
        FIRN_COMPLAIN(c, "points", "is given besides a shape; allowed: one of them");
    if (body->surface_depth > 0 && !(body->particles_at_surface > 0))
        FIRN_COMPLAIN(c, "surface_depth",
                      "is given without particles_at_surface, to which it belongs");
    if (body->sampling == FIRN_OCTREE && body->particles_at_surface > 0)
        FIRN_COMPLAIN(c, "particles_at_surface", "is for other samplings than octree");
    if (determinant(body->F) <= 0)
        FIRN_COMPLAIN(c, "F", "has determinant %g; it must be above 0", determinant(body->F));
}

static void check_emitter(firn_complaints *c, const firn_scene_def *scene,
                          const firn_emitter_def *emitter)
{
    check_material_name(c, scene, emitter->material);
    if (!emitter->n_shapes) FIRN_COMPLAIN(c, "shape", "is missing");
    const double *v = emitter->velocity;
    int is_still =
        v[0] == 0 && v[1] == 0 && v[2] == 0 && emitter->outward == 0 && !(emitter->rate > 0);
    if (emitter->outward != 0 && emitter->from != FIRN_FROM_SURFACE)
        FIRN_COMPLAIN(c, "outward", "is %g m/s; allowed: 0 without `from: surface`",
                      emitter->outward);
    if (emitter->from == FIRN_FROM_SURFACE && is_still)
        FIRN_COMPLAIN(c, "from",
                      "is surface, but nothing leaves it; try: velocity, outward or rate");
    if (!(emitter->start < emitter->stop))
        FIRN_COMPLAIN(c, "stop", "is %g s, which is not after start (%g s)", emitter->stop,
                      emitter->start);
    for (int i = 1; i < emitter->n_keys; i++)
        if (emitter->keys[i].time <= emitter->keys[i - 1].time)
            FIRN_COMPLAIN(c, "keys", "are not in order of time: %g s comes after %g s",
                          emitter->keys[i].time, emitter->keys[i - 1].time);
    check_motion(c, &emitter->motion);
}

static void check_collider(firn_complaints *c, const firn_collider_def *collider)
{
    if (!collider->n_shapes && !collider->distance) FIRN_COMPLAIN(c, "shape", "is missing");
    if (collider->n_shapes && collider->distance)
        FIRN_COMPLAIN(c, "shape", "is given besides a distance function; allowed: one of them");
    if (collider->touch != FIRN_TOUCH_GRID &&
        (collider->contact != FIRN_SEPARATE || collider->stickiness > 0))
        FIRN_COMPLAIN(c, "touch",
                      "is %s; allowed: only with `contact: separate` and stickiness 0; try: "
                      "touch: grid",
                      collider->touch == FIRN_TOUCH_SURFACE ? "surface" : "particles");
    if (!(collider->start < collider->stop))
        FIRN_COMPLAIN(c, "stop", "is %g s, which is not after start (%g s)", collider->stop,
                      collider->start);
    check_motion(c, &collider->motion);
}

static void check_body_name(firn_complaints *c, const firn_scene_def *scene, const char *name)
{
    firn_known_words known = {.wanted = name};
    for (int i = 0; i < scene->n_bodies; i++) firn_complaints_know(&known, scene->bodies[i].name);
    for (int i = 0; i < scene->n_emitters; i++)
        firn_complaints_know(&known, scene->emitters[i].name);
    if (*name) firn_complaints_word(c, "body", "body or emitter of this scene", &known);
}

static void check_grip(firn_complaints *c, const firn_scene_def *scene, const firn_grip_def *grip)
{
    if (!grip->n_shapes) FIRN_COMPLAIN(c, "shape", "is missing");
    check_body_name(c, scene, grip->body);
    if (grip->mode == FIRN_GRIP_FOLLOW && !(grip->stiffness > 0))
        FIRN_COMPLAIN(c, "stiffness", "is missing; allowed in mode follow: above 0 N/m");
    if (!(grip->start < grip->release))
        FIRN_COMPLAIN(c, "release", "is %g s, which is not after start (%g s)", grip->release,
                      grip->start);
    if (grip->mode == FIRN_GRIP_FOLLOW && firn_grid_def_is_periodic(&scene->grid))
        FIRN_COMPLAIN(c, "mode",
                      "is follow, whose springs would jump at periodic walls; allowed in a "
                      "periodic box: motion, traction");
    check_motion(c, &grip->motion);
}

static void check_sink(firn_complaints *c, const firn_sink_def *sink)
{
    if (!sink->n_shapes) FIRN_COMPLAIN(c, "shape", "is missing");
    if (!(sink->start < sink->stop))
        FIRN_COMPLAIN(c, "stop", "is %g s, which is not after start (%g s)", sink->stop,
                      sink->start);
    check_motion(c, &sink->motion);
}

static void check_force(firn_complaints *c, const firn_force_def *force)
{
    firn_known_words kinds = {.wanted = force->kind};
    for (int i = 0; firn_force_kind_at(i); i++)
        firn_complaints_know_as(&kinds, firn_force_kind_at(i)->name,
                                firn_force_kind_at(i)->meaning);
    firn_complaints_word(c, "kind", "kind of force", &kinds);
    const firn_force_info *kind = firn_force_kind_find(force->kind);
    const double *v = force->vector;
    if (kind && kind->needs_vector && v[0] * v[0] + v[1] * v[1] + v[2] * v[2] <= 0)
        FIRN_COMPLAIN(c, "vector", "is zero; kind %s needs a direction", kind->name);
    check_motion(c, &force->motion);
    for (int i = 1; i < force->n_keys; i++)
        if (force->keys[i].time <= force->keys[i - 1].time)
            FIRN_COMPLAIN(c, "keys", "are not in order of time: %g s comes after %g s",
                          force->keys[i].time, force->keys[i - 1].time);
}

static void check_pressure(firn_complaints *c, const firn_scene_def *scene,
                           const firn_pressure_def *pressure)
{
    check_material_name(c, scene, pressure->material);
    if (strcmp(scene->method, "mpm") != 0 || strcmp(scene->time.integrator, "symplectic") != 0)
        FIRN_COMPLAIN(c, "pressure", "needs the method mpm and time.integrator: symplectic");
    for (int i = 1; i < pressure->n_keys; i++)
        if (pressure->keys[i].time <= pressure->keys[i - 1].time)
            FIRN_COMPLAIN(c, "keys", "are not in order of time: %g s comes after %g s",
                          pressure->keys[i].time, pressure->keys[i - 1].time);
}

/* ---------------------------------------------------------------- shapes */

/* Whether a key of the present path was refused when it was read: its value is then the default. */
static int has_refused_key(firn_complaints *c, const firn_schema_section *section)
{
    char place[FIRN_COMPLAINTS_PLACE];
    int is_refused = 0;
    for (int i = 0; c->locate && i < section->n_options; i++) {
        size_t at = firn_complaints_enter(c, section->options[i].key);
        is_refused |= !c->locate(c->user, c->path, place, sizeof place);
        firn_complaints_leave(c, at);
    }
    return is_refused;
}

/* The kind, and the parameters that it needs (geometry/shape.h). */
void firn_scene_relations_shape(firn_complaints *c, const firn_schema_section *section,
                                const firn_shape_def *shape)
{
    firn_known_words known = {.wanted = shape->kind};
    firn_messages *messages = firn_shape_kind_find(shape->kind) ? firn_messages_create() : NULL;
    for (int i = 0; firn_shape_kind_at(i); i++)
        firn_complaints_know_as(&known, firn_shape_kind_at(i)->name,
                                firn_shape_kind_at(i)->meaning);
    firn_complaints_word(c, "kind", "shape", &known);
    if (messages && firn_shape_check(shape, messages) != FIRN_OK && !has_refused_key(c, section))
        firn_complaints_add(c, "%s", firn_messages_text(messages, 0, NULL));
    firn_messages_destroy(messages);
}

static void check_output(firn_complaints *c, const firn_scene_def *scene,
                         const firn_output_def *output)
{
    firn_known_words formats = {.wanted = output->format};
    for (int i = 0; firn_format_at(i); i++)
        if (firn_format_at(i)->write) firn_complaints_know(&formats, firn_format_at(i)->name);
    firn_complaints_word(c, "format", "format that can be written", &formats);
    char name[FIRN_NAME];
    for (const char *p = output->attributes; *p;) {
        size_t n = strcspn(p, " ");
        snprintf(name, sizeof name, "%.*s", (int)n, p);
        firn_known_words known = {.wanted = name};
        firn_scene_know_attributes(&known, scene);
        if (n) firn_complaints_word(c, "attributes", "attribute of this scene's particles", &known);
        firn_scene_check_attribute(c, scene, "attributes", name);
        p += n + strspn(p + n, " ");
    }
}

#define EACH(list, count, item_check)                                                              \
    for (int i = 0; i < scene->count; i++) {                                                       \
        size_t at = firn_complaints_enter(c, #list);                                               \
        firn_complaints_enter(c, scene->list[i].name);                                             \
        item_check;                                                                                \
        firn_complaints_leave(c, at);                                                              \
    }

void firn_scene_relations_check(firn_complaints *c, const firn_scene_def *scene)
{
    check_grid(c, &scene->grid);
    check_plane(c, scene);
    check_method(c, scene->method);
    check_time(c, &scene->time);
    check_combinations(c, scene);
    if (!scene->n_bodies && !scene->n_emitters)
        FIRN_COMPLAIN(c, "bodies", "is missing; a scene needs at least one body or emitter");
    EACH(materials, n_materials, check_material(c, scene, &scene->materials[i]))
    EACH(bodies, n_bodies, check_body(c, scene, &scene->bodies[i]))
    EACH(emitters, n_emitters, check_emitter(c, scene, &scene->emitters[i]))
    EACH(colliders, n_colliders, check_collider(c, &scene->colliders[i]))
    if (scene->n_grips > FIRN_GRIPS_MAX)
        FIRN_COMPLAIN(c, "grips", "are %d; allowed: up to %d", scene->n_grips, FIRN_GRIPS_MAX);
    EACH(grips, n_grips, check_grip(c, scene, &scene->grips[i]))
    EACH(sinks, n_sinks, check_sink(c, &scene->sinks[i]))
    EACH(forces, n_forces, check_force(c, &scene->forces[i]))
    EACH(pressures, n_pressures, check_pressure(c, scene, &scene->pressures[i]))
    for (int i = 0; i < scene->heat.n_sources; i++) {
        size_t at = firn_complaints_enter(c, "heat.sources");
        firn_complaints_enter(c, scene->heat.sources[i].name);
        check_motion(c, &scene->heat.sources[i].motion);
        firn_complaints_leave(c, at);
    }
    firn_scene_check_heat(c, scene);
    firn_scene_check_space(c, scene);
    for (int i = 0; i < scene->n_outputs; i++) {
        char path[32];
        snprintf(path, sizeof path, "outputs.%d", i);
        size_t at = firn_complaints_enter(c, path);
        check_output(c, scene, &scene->outputs[i]);
        firn_complaints_leave(c, at);
    }
    firn_scene_check_measures(c, scene);
}
