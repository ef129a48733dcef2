/* SPDX-License-Identifier: MIT */
/* scene_check.c: every error of a scene definition at once, each with the path of what is wrong.
 *
 * First by the tables of scene_schema.c: markers, ranges, words, texts, lists. Then relations that
 * no table holds: names that must exist, ends after starts, shapes or points but not both. */
#include "scene/scene_check.h"
#include "base/messages.h"
#include "points/format.h"
#include "laws/law.h"
#include "measure/measure.h"
#include "base/suggest.h"
#include "scene/scene_schema.h"
#include "geometry/shape.h"
#include "solver/attributes.h"
#include "mpm/integrator.h"
#include "scene/methods.h"
#include "solver/force.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { PATH_MAX_BYTES = 512, PLACE_MAX = FIRN_PATH + 64 };

typedef struct check {
    firn_scene_locate locate;
    void *user;
    firn_messages *messages;
    firn_material *materials; /* resolved, for the caller; NULL: not wanted */
    firn_status status;
    int n_complaints;
    char path[PATH_MAX_BYTES];
} check;

FIRN_PRINTF(2, 3) static void complain(check *c, const char *format, ...)
{
    char place[PLACE_MAX] = "", text[2560];
    c->status = FIRN_REFUSED;
    c->n_complaints++;
    if (c->locate && !c->locate(c->user, c->path, place, sizeof place)) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    firn_messages_add(c->messages, FIRN_REFUSED, "%s%s %s", place, c->path, text);
}

/* Lengthens the path by ".key"; returns what `leave` needs to cut it again. */
static size_t enter(check *c, const char *key)
{
    size_t n = strlen(c->path);
    snprintf(c->path + n, sizeof c->path - n, "%s%s", n ? "." : "", key);
    return n;
}

static void leave(check *c, size_t n) { c->path[n] = 0; }

/* ---------------------------------------------------------------- by the tables */

static void check_section(check *c, const firn_schema_section *section, const void *def);

static int is_text_ended(const char *text, size_t size) { return memchr(text, 0, size) != NULL; }

/* Items go by name where they have one, as in scene files and --set; else by number from 0. */
static size_t enter_item(check *c, const firn_schema_key *list, const void *item, int i)
{
    char key[FIRN_NAME + 16];
    const firn_schema_key *name =
        list->section->is_named ? firn_schema_find(list->section, "name") : NULL;
    const char *text = name ? (const char *)item + name->offset : "";
    if (name && is_text_ended(text, name->size) && *text)
        snprintf(key, sizeof key, "%s", text);
    else
        snprintf(key, sizeof key, "%d", i);
    return enter(c, key);
}

static void check_names(check *c, const firn_schema_key *list, const void *def)
{
    const firn_schema_key *name = firn_schema_find(list->section, "name");
    int n = firn_schema_list_count(list, def);
    for (int i = 1; i < n; i++) {
        const char *item = firn_schema_list_item(list, def, i);
        for (int j = 0; j < i; j++) {
            const char *other = firn_schema_list_item(list, def, j);
            if (!item[name->offset] ||
                strncmp(item + name->offset, other + name->offset, name->size) != 0)
                continue;
            size_t at = enter_item(c, list, item, i);
            complain(c, "has the same name as another of the %s", list->key);
            leave(c, at);
            break;
        }
    }
}

static void check_list(check *c, const firn_schema_key *list, const void *def)
{
    int n = firn_schema_list_count(list, def);
    const void *first = firn_schema_list_item(list, def, 0);
    if (n < 0 || (n > 0 && !first)) {
        complain(c, "has %d items but no array of them", n);
        return;
    }
    for (int i = 0; i < n; i++) {
        const void *item = firn_schema_list_item(list, def, i);
        size_t at = enter_item(c, list, item, i);
        check_section(c, list->section, item);
        leave(c, at);
    }
    if (list->section->is_named) check_names(c, list, def);
}

static void check_number(check *c, const firn_schema_key *option, double value)
{
    if (firn_schema_in_range(option, value)) return;
    char range[128];
    firn_schema_range_for(option, value, range);
    if (option->flags & FIRN_SCHEMA_REQUIRED && value == 0)
        complain(c, "is missing; allowed: %s", range);
    else
        complain(c, "is %g; allowed: %s", value, range);
}

static void check_text(check *c, const firn_schema_key *option, const char *text)
{
    if (!is_text_ended(text, option->size))
        complain(c, "has no final zero within %zu bytes", option->size);
    else if (option->flags & FIRN_SCHEMA_REQUIRED && !*text)
        complain(c, "is missing");
}

static void check_option(check *c, const firn_schema_key *option, const void *def)
{
    const char *member = (const char *)def + option->offset;
    size_t at = enter(c, option->key);
    for (int i = 0; i < option->n; i++) switch (option->type) {
        case FIRN_SCHEMA_REAL:
        case FIRN_SCHEMA_MATRIX:
        case FIRN_SCHEMA_ROTATION: check_number(c, option, ((const double *)member)[i]); break;
        case FIRN_SCHEMA_INT: check_number(c, option, ((const int *)member)[i]); break;
        case FIRN_SCHEMA_INT64: check_number(c, option, (double)*(const int64_t *)member); break;
        case FIRN_SCHEMA_WORD: {
            int value = ((const int *)member)[i];
            char shown[512];
            firn_suggest_list(option->words, shown, sizeof shown);
            if (value < 0 || value >= firn_schema_n_words(option))
                complain(c, "is %d; allowed: %s", value, shown);
            break;
        }
        case FIRN_SCHEMA_TEXT: check_text(c, option, member); break;
        case FIRN_SCHEMA_LIST: check_list(c, option, def); break;
        case FIRN_SCHEMA_SECTION:
            if (firn_schema_is_present(option, def)) check_section(c, option->section, member);
            break;
        case FIRN_SCHEMA_SEED:
        case FIRN_SCHEMA_FLAG:
        case FIRN_SCHEMA_PARAMETERS: break;
        }
    leave(c, at);
}

static void check_shape(check *c, const firn_schema_section *section, const firn_shape_def *shape);

static void check_section(check *c, const firn_schema_section *section, const void *def)
{
    if (section->has_marker && *(const uint32_t *)def != FIRN_MARKER) {
        complain(c, "was not made by its default function; try: firn_..._default()");
        return;
    }
    int n_before = c->n_complaints;
    for (int i = 0; i < section->n_options; i++) check_option(c, &section->options[i], def);
    if (strcmp(section->name, "shape") == 0 && c->n_complaints == n_before)
        check_shape(c, section, def);
}

/* ---------------------------------------------------------------- relations */

/* Complains about `key` of the item that the path stands at. */
#define COMPLAIN_ABOUT(c, key, ...)                                                                \
    do {                                                                                           \
        size_t at_ = enter(c, key);                                                                \
        complain(c, __VA_ARGS__);                                                                  \
        leave(c, at_);                                                                             \
    } while (0)

/* ---------------------------------------------------------------- words of other tables */

typedef struct words {
    char text[2048]; /* separated by blanks */
    size_t used;
} words;

static void add_word(words *w, const char *word)
{
    if (w->used < sizeof w->text - FIRN_NAME)
        w->used += (size_t)snprintf(w->text + w->used, sizeof w->text - w->used, "%s%s",
                                    w->used ? " " : "", word);
}

static void check_word(check *c, const char *key, const char *word, const char *what,
                       const words *known)
{
    char shown[2200], near[64];
    if (firn_suggest_has(known->text, word)) return;
    int has_near = firn_suggest_word(word, known->text, near, sizeof near);
    firn_suggest_list(known->text, shown, sizeof shown);
    COMPLAIN_ABOUT(c, key, "is \"%s\", which is no %s; allowed: %s%s%s%s", word, what, shown,
                   has_near ? "; did you mean \"" : "", has_near ? near : "",
                   has_near ? "\"?" : "");
}

/* ---------------------------------------------------------------- materials */

static int has_material(const firn_scene_def *scene, const char *name)
{
    for (int i = 0; i < scene->n_materials; i++)
        if (strcmp(scene->materials[i].name, name) == 0) return 1;
    return 0;
}

static void check_material_name(check *c, const firn_scene_def *scene, const char *name)
{
    words known = {0};
    if (!*name || has_material(scene, name)) return;
    for (int i = 0; i < scene->n_materials; i++) add_word(&known, scene->materials[i].name);
    check_word(c, "material", name, "material of this scene", &known);
}

static void check_law_name(check *c, const char *name)
{
    words known = {0};
    if (firn_law_find(name)) return;
    for (int i = 0; i < firn_law_count(); i++) add_word(&known, firn_law_at(i)->name);
    check_word(c, "law", name, "law", &known);
}

static void check_parameter(check *c, const firn_law_info *law, const firn_parameter_def *given)
{
    for (int k = 0; k < law->n_parameters; k++) {
        const firn_parameter_info *info = &law->parameters[k];
        if (strcmp(info->name, given->name) != 0) continue;
        const char *unit = strcmp(info->unit, "1") == 0 ? "" : info->unit;
        for (int i = -1; i < given->n_table && i < FIRN_MAX_TABLE; i++) { /* -1: the constant */
            double value = i < 0 ? given->value : given->table_value[i];
            if ((i < 0 && given->n_table) || (value >= info->min && value <= info->max)) continue;
            COMPLAIN_ABOUT(c, info->name, "is %g; allowed: %g to %g%s%s (%s)", value, info->min,
                           info->max, *unit ? " " : "", unit, info->meaning);
        }
        return;
    }
    COMPLAIN_ABOUT(c, given->name, "is no parameter of the law %s; see `firn materials %s`",
                   law->name, law->name);
}

/* What the resolver finds, each message after the path of the material. */
static void resolve(check *c, const firn_scene_def *scene, const firn_material_def *def)
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
            complain(c, "cannot be used: %s", firn_messages_text(own, i, NULL));
    firn_messages_destroy(own);
}

/* First each parameter by the law's table, in its own place; what passes is resolved. */
static void check_material(check *c, const firn_scene_def *scene, const firn_material_def *def)
{
    const firn_status before = c->status;
    c->status = FIRN_OK;
    const firn_law_info *law = firn_law_find(def->law);
    if (*def->law) check_law_name(c, def->law);
    if (!*def->law && !*def->preset)
        COMPLAIN_ABOUT(c, "law", "is missing; try: a law or a preset of `firn materials`");
    if (def->n_parameters < 0 || def->n_parameters > FIRN_MAX_PARAMETERS)
        complain(c, "has %d parameters; allowed: 0 to %d", def->n_parameters, FIRN_MAX_PARAMETERS);
    for (int i = 0; law && i < def->n_parameters && i < FIRN_MAX_PARAMETERS; i++)
        if (is_text_ended(def->parameters[i].name, FIRN_NAME))
            check_parameter(c, law, &def->parameters[i]);
    if (c->status == FIRN_OK) resolve(c, scene, def);
    if (before != FIRN_OK) c->status = before;
}

/* ---------------------------------------------------------------- motions, bodies, colliders,
 * grips, forces */

static void check_motion(check *c, const firn_motion_def *motion)
{
    size_t at = enter(c, "motion");
    for (int i = 0; i < motion->n_keys; i++) {
        char key[32];
        snprintf(key, sizeof key, "keys.%d", i);
        const double *q = motion->keys[i].rotation;
        double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        if (fabs(norm - 1) > 1e-3)
            COMPLAIN_ABOUT(c, key,
                           "has a rotation of length %g; a quaternion x y z w must have length 1",
                           norm);
        if (i && motion->keys[i].time <= motion->keys[i - 1].time)
            COMPLAIN_ABOUT(c, key, "is at %g s, which is not after the key before it (%g s)",
                           motion->keys[i].time, motion->keys[i - 1].time);
    }
    leave(c, at);
}

static void check_grid(check *c, const firn_grid_def *grid)
{
    int n_walls = 0;
    for (int i = 0; i < 6; i++) n_walls += grid->walls[i] != FIRN_WALL_OPEN;
    if (n_walls && !grid->has_box)
        COMPLAIN_ABOUT(c, "grid.walls", "needs a box; try: grid.box_min and grid.box_max");
    if (!grid->has_box) return;
    for (int i = 0; i < 3; i++)
        if (!(grid->box_min[i] < grid->box_max[i]))
            COMPLAIN_ABOUT(c, "grid.box_max", "has %g along %c, which is not above box_min (%g)",
                           grid->box_max[i], "xyz"[i], grid -> box_min[i]);
    for (int w = 0; w < 6;
         w++) { /* a mirror between nodes would be off by up to half a cell without saying so */
        const char *key = w & 1 ? "grid.box_max" : "grid.box_min";
        double place = (w & 1 ? grid->box_max : grid->box_min)[w / 2], at = place / grid->dx;
        if (grid->walls[w] == FIRN_WALL_MIRROR && fabs(at - round(at)) > 1e-6)
            COMPLAIN_ABOUT(c, key,
                           "puts the mirror wall %c%c at %g m, off the nodes; allowed: whole "
                           "multiples of dx = %g m; try: %g m",
                           "-+"[w & 1], "xyz"[w / 2], place, grid -> dx, round(at) * grid -> dx);
    }
}

static void check_method(check *c, const char *method)
{
    words methods = {0};
    for (int i = 0; firn_method_at(i); i++) add_word(&methods, firn_method_at(i)->name);
    check_word(c, "scene.method", method, "method", &methods);
}

static void check_time(check *c, const firn_time_def *time)
{
    words integrators = {0};
    for (int i = 0; firn_integrator_at(i); i++) add_word(&integrators, firn_integrator_at(i)->name);
    check_word(c, "time.integrator", time->integrator, "integrator", &integrators);
    if (time->dt_max > 0 && time->dt_max < time->dt_min)
        COMPLAIN_ABOUT(c, "time.dt_max", "is %g s, below dt_min (%g s)", time->dt_max,
                       time->dt_min);
    if (time->dt_fixed > 0 && time->dt_fixed < time->dt_min)
        COMPLAIN_ABOUT(c, "time.dt_fixed", "is %g s, below dt_min (%g s)", time->dt_fixed,
                       time->dt_min);
}

static double determinant(const double F[9])
{
    return F[0] * (F[4] * F[8] - F[5] * F[7]) - F[1] * (F[3] * F[8] - F[5] * F[6]) +
           F[2] * (F[3] * F[7] - F[4] * F[6]);
}

static void check_body(check *c, const firn_scene_def *scene, const firn_body_def *body)
{
    check_material_name(c, scene, body->material);
    if (!*body->material && !*body->points) COMPLAIN_ABOUT(c, "material", "is missing");
    if (!body->n_shapes && !*body->points)
        COMPLAIN_ABOUT(c, "shape", "is missing; try: a shape, or a points file");
    if (body->n_shapes && *body->points)
        COMPLAIN_ABOUT(c, "points", "is given besides a shape; allowed: one of them");
    if (body->surface_depth > 0 && !(body->particles_at_surface > 0))
        COMPLAIN_ABOUT(c, "surface_depth",
                       "is given without particles_at_surface, to which it belongs");
    if (determinant(body->F) <= 0)
        COMPLAIN_ABOUT(c, "F", "has determinant %g; it must be above 0", determinant(body->F));
}

static void check_emitter(check *c, const firn_scene_def *scene, const firn_emitter_def *emitter)
{
    check_material_name(c, scene, emitter->material);
    if (!emitter->n_shapes) COMPLAIN_ABOUT(c, "shape", "is missing");
    const double *v = emitter->velocity;
    int is_still =
        v[0] == 0 && v[1] == 0 && v[2] == 0 && emitter->outward == 0 && !(emitter->rate > 0);
    if (emitter->outward != 0 && emitter->from != FIRN_FROM_SURFACE)
        COMPLAIN_ABOUT(c, "outward", "is %g m/s; allowed: 0 without `from: surface`",
                       emitter->outward);
    if (emitter->from == FIRN_FROM_SURFACE && is_still)
        COMPLAIN_ABOUT(c, "from",
                       "is surface, but nothing leaves it; try: velocity, outward or rate");
    if (!(emitter->start < emitter->stop))
        COMPLAIN_ABOUT(c, "stop", "is %g s, which is not after start (%g s)", emitter->stop,
                       emitter->start);
}

static void check_collider(check *c, const firn_collider_def *collider)
{
    if (!collider->n_shapes && !collider->distance) COMPLAIN_ABOUT(c, "shape", "is missing");
    if (collider->n_shapes && collider->distance)
        COMPLAIN_ABOUT(c, "shape", "is given besides a distance function; allowed: one of them");
    if (collider->touch == FIRN_TOUCH_SURFACE &&
        (collider->contact != FIRN_SEPARATE || collider->stickiness > 0))
        COMPLAIN_ABOUT(c, "touch",
                       "is surface; allowed: only with `contact: separate` and stickiness 0; try: "
                       "touch: grid");
    if (!(collider->start < collider->stop))
        COMPLAIN_ABOUT(c, "stop", "is %g s, which is not after start (%g s)", collider->stop,
                       collider->start);
    check_motion(c, &collider->motion);
}

static void check_body_name(check *c, const firn_scene_def *scene, const char *name)
{
    words known = {0};
    for (int i = 0; i < scene->n_bodies; i++) add_word(&known, scene->bodies[i].name);
    for (int i = 0; i < scene->n_emitters; i++) add_word(&known, scene->emitters[i].name);
    if (*name) check_word(c, "body", name, "body or emitter of this scene", &known);
}

static void check_grip(check *c, const firn_scene_def *scene, const firn_grip_def *grip)
{
    if (!grip->n_shapes) COMPLAIN_ABOUT(c, "shape", "is missing");
    check_body_name(c, scene, grip->body);
    if (grip->mode == FIRN_GRIP_FOLLOW && !(grip->stiffness > 0))
        COMPLAIN_ABOUT(c, "stiffness", "is missing; allowed in mode follow: above 0 N/m");
    if (!(grip->start < grip->release))
        COMPLAIN_ABOUT(c, "release", "is %g s, which is not after start (%g s)", grip->release,
                       grip->start);
    check_motion(c, &grip->motion);
}

static void check_sink(check *c, const firn_sink_def *sink)
{
    if (!sink->n_shapes) COMPLAIN_ABOUT(c, "shape", "is missing");
    if (!(sink->start < sink->stop))
        COMPLAIN_ABOUT(c, "stop", "is %g s, which is not after start (%g s)", sink->stop,
                       sink->start);
    check_motion(c, &sink->motion);
}

static void check_force(check *c, const firn_force_def *force)
{
    words kinds = {0};
    for (int i = 0; firn_force_kind_at(i); i++) add_word(&kinds, firn_force_kind_at(i)->name);
    check_word(c, "kind", force->kind, "kind of force", &kinds);
    const firn_force_info *kind = firn_force_kind_find(force->kind);
    const double *v = force->vector;
    if (kind && kind->needs_vector && v[0] * v[0] + v[1] * v[1] + v[2] * v[2] <= 0)
        COMPLAIN_ABOUT(c, "vector", "is zero; kind %s needs a direction", kind->name);
    for (int i = 1; i < force->n_keys; i++)
        if (force->keys[i].time <= force->keys[i - 1].time)
            COMPLAIN_ABOUT(c, "keys", "are not in order of time: %g s comes after %g s",
                           force->keys[i].time, force->keys[i - 1].time);
}

/* ---------------------------------------------------------------- expectations, shapes */

static int has_name(const firn_scene_def *scene, const char *name, firn_measure_kind kind)
{
    int is_there = 0;
    if (kind == FIRN_MEASURE_REACTION) {
        for (int i = 0; i < scene->n_colliders; i++)
            is_there |= strcmp(scene->colliders[i].name, name) == 0;
        for (int i = 0; i < scene->n_grips; i++)
            is_there |= strcmp(scene->grips[i].name, name) == 0;
        return is_there;
    }
    for (int i = 0; kind == FIRN_MEASURE_PARTICLES && i < scene->n_bodies; i++)
        is_there |= strcmp(scene->bodies[i].name, name) == 0;
    return is_there || has_material(scene, name);
}

/* An attribute that the laws of the scene cannot give to every particle. */
static void check_attribute(check *c, const firn_scene_def *scene, const char *key,
                            const char *name)
{
    firn_attribute_answer answer = {0};
    char why[512];
    for (int m = 0; m < scene->n_materials; m++) {
        const firn_law_info *law = firn_material_def_law(&scene->materials[m]);
        if (!law) return; /* refused already */
        firn_attribute_ask(name, law, &answer);
    }
    if (scene->n_materials && firn_attribute_refusal(name, &answer, why, sizeof why))
        COMPLAIN_ABOUT(c, key, "cannot have \"%s\": %s", name, why);
}

/* Every attribute of the scene's particles: the solver's table and the history fields of the
 * laws. */
static void add_attributes(words *known, const firn_scene_def *scene)
{
    for (int i = 0; firn_attribute_at(i); i++) add_word(known, firn_attribute_at(i)->name);
    for (int m = 0; m < scene->n_materials; m++) {
        const firn_law_info *law = firn_material_def_law(&scene->materials[m]);
        for (int k = 0; law && k < law->n_history; k++)
            if (!firn_suggest_has(known->text, law->history[k].name))
                add_word(known, law->history[k].name);
    }
}

static void check_expect(check *c, const firn_scene_def *scene, const firn_expect_def *expect)
{
    static const char *const what[] = {"body or material", "material", "collider or grip"};
    const firn_measure *measure = firn_measure_find(expect->measure);
    if (!measure) {
        words known = {0};
        firn_measure_names(known.text, sizeof known.text);
        check_word(c, "measure", expect->measure, "measure", &known);
        return;
    }
    int is_named = *expect->body || measure->kind == FIRN_MEASURE_REACTION;
    if (is_named && !has_name(scene, expect->body, measure->kind))
        COMPLAIN_ABOUT(c, "of", "is \"%s\"; %s needs the name of a %s", expect->body, measure->name,
                       what[measure->kind]);
    if (measure->has_attribute && !*expect->attribute)
        COMPLAIN_ABOUT(c, "attribute", "is missing; %s needs one of `firn help attributes`",
                       measure->name);
    if (measure->has_attribute && *expect->attribute) {
        words known = {0};
        add_attributes(&known, scene);
        check_word(c, "attribute", expect->attribute, "attribute of this scene's particles",
                   &known);
        check_attribute(c, scene, "attribute", expect->attribute);
    }
    if (expect->n_shapes && measure->kind != FIRN_MEASURE_PARTICLES)
        COMPLAIN_ABOUT(c, "region", "has no effect: %s is not measured on particles",
                       measure->name);
    if (isinf(expect->value) && isinf(expect->at_least) && isinf(expect->at_most))
        COMPLAIN_ABOUT(c, "value", "is missing; try: value, at_least or at_most");
    if (isfinite(expect->value) && (isfinite(expect->at_least) || isfinite(expect->at_most)))
        COMPLAIN_ABOUT(c, "value", "is given besides at_least or at_most; allowed: one of them");
    if (expect->over != FIRN_OVER_MOMENT && !(expect->from < expect->time))
        COMPLAIN_ABOUT(c, "time", "is %g s, which is not after from (%g s)", expect->time,
                       expect->from);
}

/* Whether a key of the present path was refused when it was read: its value is then the default. */
static int has_refused_key(check *c, const firn_schema_section *section)
{
    char place[PLACE_MAX];
    int is_refused = 0;
    for (int i = 0; c->locate && i < section->n_options; i++) {
        size_t at = enter(c, section->options[i].key);
        is_refused |= !c->locate(c->user, c->path, place, sizeof place);
        leave(c, at);
    }
    return is_refused;
}

/* The kind, and the parameters that it needs (geometry/shape.h). */
static void check_shape(check *c, const firn_schema_section *section, const firn_shape_def *shape)
{
    words known = {0};
    firn_messages *messages = firn_shape_kind_find(shape->kind) ? firn_messages_create() : NULL;
    for (int i = 0; firn_shape_kind_at(i); i++) add_word(&known, firn_shape_kind_at(i)->name);
    check_word(c, "kind", shape->kind, "shape", &known);
    if (messages && firn_shape_check(shape, messages) != FIRN_OK && !has_refused_key(c, section))
        complain(c, "%s", firn_messages_text(messages, 0, NULL));
    firn_messages_destroy(messages);
}

static void check_output(check *c, const firn_scene_def *scene, const firn_output_def *output)
{
    words formats = {0}, known = {0};
    for (int i = 0; firn_format_at(i); i++)
        if (firn_format_at(i)->write) add_word(&formats, firn_format_at(i)->name);
    check_word(c, "format", output->format, "format that can be written", &formats);
    add_attributes(&known, scene);
    char name[FIRN_NAME];
    for (const char *p = output->attributes; *p;) {
        size_t n = strcspn(p, " ");
        snprintf(name, sizeof name, "%.*s", (int)n, p);
        if (n) check_word(c, "attributes", name, "attribute of this scene's particles", &known);
        check_attribute(c, scene, "attributes", name);
        p += n + strspn(p + n, " ");
    }
}

#define EACH(list, count, item_check)                                                              \
    for (int i = 0; i < scene->count; i++) {                                                       \
        size_t at = enter(c, #list);                                                               \
        enter(c, scene->list[i].name);                                                             \
        item_check;                                                                                \
        leave(c, at);                                                                              \
    }

static void check_relations(check *c, const firn_scene_def *scene)
{
    check_grid(c, &scene->grid);
    check_method(c, scene->method);
    check_time(c, &scene->time);
    if (!scene->n_bodies && !scene->n_emitters)
        COMPLAIN_ABOUT(c, "bodies", "is missing; a scene needs at least one body or emitter");
    EACH(materials, n_materials, check_material(c, scene, &scene->materials[i]))
    EACH(bodies, n_bodies, check_body(c, scene, &scene->bodies[i]))
    EACH(emitters, n_emitters, check_emitter(c, scene, &scene->emitters[i]))
    EACH(colliders, n_colliders, check_collider(c, &scene->colliders[i]))
    if (scene->n_grips > FIRN_GRIPS_MAX)
        COMPLAIN_ABOUT(c, "grips", "are %d; allowed: up to %d", scene->n_grips, FIRN_GRIPS_MAX);
    EACH(grips, n_grips, check_grip(c, scene, &scene->grips[i]))
    EACH(sinks, n_sinks, check_sink(c, &scene->sinks[i]))
    EACH(forces, n_forces, check_force(c, &scene->forces[i]))
    for (int i = 0; i < scene->n_outputs; i++) {
        char path[32];
        snprintf(path, sizeof path, "outputs.%d", i);
        size_t at = enter(c, path);
        check_output(c, scene, &scene->outputs[i]);
        leave(c, at);
    }
    for (int i = 0; i < scene->n_expects; i++) {
        char path[32];
        snprintf(path, sizeof path, "expect.%d", i);
        size_t at = enter(c, path);
        check_expect(c, scene, &scene->expects[i]);
        leave(c, at);
    }
}

/* Whether markers, arrays and texts can be relied on; relations are checked only then. */
static int is_sound(const firn_schema_section *section, const void *def)
{
    if (section->has_marker && *(const uint32_t *)def != FIRN_MARKER) return 0;
    for (int i = 0; i < section->n_options; i++) {
        const firn_schema_key *option = &section->options[i];
        const char *member = (const char *)def + option->offset;
        if (option->type == FIRN_SCHEMA_TEXT && !is_text_ended(member, option->size)) return 0;
        if (option->type == FIRN_SCHEMA_SECTION && !is_sound(option->section, member)) return 0;
        if (option->type != FIRN_SCHEMA_LIST) continue;
        int n = firn_schema_list_count(option, def);
        if (n < 0 || (n > 0 && !firn_schema_list_item(option, def, 0))) return 0;
        for (int k = 0; k < n; k++)
            if (!is_sound(option->section, firn_schema_list_item(option, def, k))) return 0;
    }
    return 1;
}

firn_status firn_scene_check_located(const firn_scene_def *scene, firn_scene_locate locate,
                                     void *user, firn_material *materials, firn_messages *messages)
{
    check c = {.locate = locate, .user = user, .messages = messages, .materials = materials};
    if (!scene) return firn_messages_add(messages, FIRN_REFUSED, "scene: no definition (NULL)");
    if (scene->marker != FIRN_MARKER)
        return firn_messages_add(
            messages, FIRN_REFUSED,
            "scene: not made by its default function; try: firn_scene_default()");
    check_section(&c, &firn_schema_file, scene);
    if (is_sound(&firn_schema_file, scene)) check_relations(&c, scene);
    return c.status;
}

firn_status firn_scene_check(const firn_scene_def *scene, firn_messages *messages)
{
    return firn_scene_check_located(scene, NULL, NULL, NULL, messages);
}
