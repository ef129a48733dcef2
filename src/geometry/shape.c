/* SPDX-License-Identifier: MIT */
/* shape.c: shapes placed, turned, hollowed and joined in the order of the list (constructive solid
 * geometry on signed distances).
 *
 * A shape is a list of parts. Each part is queried in its own frame (shape_kind.h), then joined in
 * the order of the list, a being the result so far and b the part:
 *
 *     union  min(a, b)        difference  max(a, -b)        intersection  max(a, b)
 *
 * Normal, velocity and paint are those of the part whose distance it is. Joined distances are exact
 * outside a union and inside an intersection, elsewhere lower bounds of the true distance, and
 * 1-Lipschitz everywhere. A part whose box is too far away to decide is not queried.
 *
 * A part with a thickness t becomes the wall |d| - t/2, which is solid from both sides. */
#include "geometry/shape_kind.h"
#include "base/memory.h"
#include "base/messages.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct firn_shape {
    int n;
    int is_formula; /* no part is interpolated */
    firn_shape_part parts[];
};

static const firn_shape_kind *const kind_tables[] = {firn_analytic_kinds, firn_sdf_kinds};

static const firn_shape_kind *kind_at(int i)
{
    for (size_t t = 0; t < sizeof kind_tables / sizeof *kind_tables; t++)
        for (const firn_shape_kind *kind = kind_tables[t]; kind->info.name; kind++)
            if (i-- == 0) return kind;
    return NULL;
}

const firn_shape_kind_info *firn_shape_kind_at(int i)
{
    const firn_shape_kind *kind = i < 0 ? NULL : kind_at(i);
    return kind ? &kind->info : NULL;
}

const firn_shape_kind_info *firn_shape_kind_find(const char *name)
{
    for (int i = 0; kind_at(i); i++)
        if (strcmp(kind_at(i)->info.name, name) == 0) return &kind_at(i)->info;
    return NULL;
}

static const firn_shape_kind *find_kind(const char *name, const char *where,
                                        firn_messages *messages)
{
    char known[512] = "";
    for (int i = 0; kind_at(i); i++) {
        const char *candidate = kind_at(i)->info.name;
        if (strcmp(candidate, name) == 0) return kind_at(i);
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", candidate);
    }
    firn_messages_add(messages, FIRN_REFUSED, "%s: unknown kind \"%s\"; allowed: %s", where, name,
                      known);
    return NULL;
}

static firn_status check_finite(const firn_shape_def *def, const char *where,
                                firn_messages *messages)
{
    const struct {
        const char *name;
        const double *value;
        int n;
    } numbers[] = {
        {"center", def->center, 3}, {"radius", &def->radius, 1}, {"radius2", &def->radius2, 1},
        {"size", def->size, 3},     {"height", &def->height, 1}, {"thickness", &def->thickness, 1},
        {"normal", def->normal, 3}, {"rotate", def->rotate, 3},  {"scale", &def->scale, 1},
        {"voxel", &def->voxel, 1},  {"fps", &def->fps, 1},       {"start", &def->start, 1}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        for (int k = 0; k < numbers[i].n; k++)
            if (!isfinite(numbers[i].value[k]))
                return firn_messages_add(messages, FIRN_REFUSED, "%s: %s is not a finite number",
                                         where, numbers[i].name);
    if (def->thickness < 0)
        return firn_messages_add(
            messages, FIRN_REFUSED,
            "%s: thickness is %g m; allowed: 0 (solid) or greater (a wall of this thickness)",
            where, def->thickness);
    return FIRN_OK;
}

/* R = Rz Ry Rx, rad: about x first. Without rotation exactly 1, so that such shapes stay exact. */
static void rotation(const double angles[3], double R[3][3])
{
    double cx = cos(angles[0]), sx = sin(angles[0]), cy = cos(angles[1]), sy = sin(angles[1]),
           cz = cos(angles[2]), sz = sin(angles[2]);
    const double full[3][3] = {{cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx},
                               {sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx},
                               {-sy, cy * sx, cy * cx}};
    memcpy(R, full, sizeof full);
}

/* A right-handed frame whose third column is the unit vector along `axis`; for +z, +x and +y an
 * exact permutation of the axes. */
static void frame_along(const double axis[3], double frame[3][3])
{
    double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    double w[3] = {axis[0] / length, axis[1] / length, axis[2] / length};
    int least = fabs(w[0]) <= fabs(w[1]) && fabs(w[0]) <= fabs(w[2]) ? 0
                : fabs(w[1]) <= fabs(w[2])                           ? 1
                                                                     : 2;
    double u[3], along = w[least], norm2 = 0;
    for (int i = 0; i < 3; i++) {
        u[i] = (i == least) - along * w[i];
        norm2 += u[i] * u[i];
    }
    for (int i = 0; i < 3; i++) u[i] /= sqrt(norm2);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        frame[i][0] = u[i];
        frame[i][1] = w[j] * u[k] - w[k] * u[j];
        frame[i][2] = w[i];
    }
}

/* From the axes of the world to those of the part */
static void turn(const firn_shape_part *part, const double x[3], double y[3])
{
    memcpy(y, x, 3 * sizeof *y);
    for (int i = 0; part->is_turned && i < 3; i++)
        y[i] = part->frame[0][i] * x[0] + part->frame[1][i] * x[1] + part->frame[2][i] * x[2];
}

static void place(firn_shape_part *part, const firn_shape_def *def)
{
    double R[3][3], A[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    rotation(def->rotate, R);
    if (part->kind->is_axial && (def->normal[0] != 0 || def->normal[1] != 0 || def->normal[2] != 0))
        frame_along(def->normal, A);
    for (int i = 0; i < 3; i++) {
        part->center[i] = def->center[i];
        for (int j = 0; j < 3; j++) {
            part->frame[i][j] = R[i][0] * A[0][j] + R[i][1] * A[1][j] + R[i][2] * A[2][j];
            part->is_turned |= part->frame[i][j] != (i == j);
        }
    }
    turn(part, part->center, part->origin);
}

static firn_status build_part(firn_shape_part *part, const firn_shape_def *def,
                              firn_shape_need need, int i, firn_messages *messages)
{
    char where[2 * FIRN_NAME];
    snprintf(where, sizeof where, "shape %d (%.60s)", i + 1, def->kind);
    const firn_shape_kind *kind = find_kind(def->kind, where, messages);
    if (!kind) return FIRN_REFUSED;
    firn_status status = check_finite(def, where, messages);
    if (status) return status;
    if (i == 0 && def->csg != FIRN_UNION)
        return firn_messages_add(
            messages, FIRN_REFUSED,
            "%s: csg of the first shape of a list must be union, as there is no shape before it",
            where);
    *part = (firn_shape_part){
        .kind = kind, .csg = def->csg, .half_wall = 0.5 * def->thickness, .need = need};
    place(part, def);
    if (kind->check) status = kind->check(def, where, messages);
    if (!status) status = kind->build(part, def, where, messages);
    if (status) part->kind = NULL; /* a kind releases what it could not build by itself */
    part->has_box = !status && kind->bounds && !kind->voxel;
    if (part->has_box) kind->bounds(part, part->low, part->high);
    return status;
}

firn_status firn_shape_check(const firn_shape_def *def, firn_messages *messages)
{
    char where[FIRN_NAME + 16];
    for (int i = 0; kind_at(i); i++) {
        const firn_shape_kind *kind = kind_at(i);
        if (strcmp(kind->info.name, def->kind) != 0 || !kind->check) continue;
        snprintf(where, sizeof where, "is no %.60s", def->kind);
        return kind->check(def, where, messages);
    }
    return FIRN_OK;
}

firn_status firn_shape_create(int n_shapes, const firn_shape_def *shapes, firn_shape_need need,
                              firn_shape **shape, firn_messages *messages)
{
    *shape = NULL;
    if (n_shapes <= 0 || !shapes)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "shapes: the list is empty; it needs at least one shape");
    firn_shape *made =
        firn_memory_allocate(NULL, sizeof *made + (size_t)n_shapes * sizeof *made->parts);
    if (!made) return firn_messages_no_memory(messages, "list of %d shapes", n_shapes);
    made->n = n_shapes;
    firn_status worst = FIRN_OK;
    made->is_formula = 1;
    for (int i = 0; i < n_shapes; i++) { /* all of them, so that all errors are reported */
        firn_status status = build_part(&made->parts[i], &shapes[i], need, i, messages);
        if (!worst) worst = status;
        made->is_formula &= made->parts[i].kind && !made->parts[i].kind->voxel;
        made->parts[i].is_aligned = i > 0 && memcmp(made->parts[i].frame, made->parts[i - 1].frame,
                                                    sizeof made->parts[i].frame) == 0;
    }
    if (worst) {
        firn_shape_destroy(made);
        return worst;
    }
    *shape = made;
    return FIRN_OK;
}

void firn_shape_destroy(firn_shape *shape)
{
    if (!shape) return;
    for (int i = 0; i < shape->n; i++) {
        firn_shape_part *part = &shape->parts[i];
        if (part->kind && part->kind->release) part->kind->release(part);
    }
    firn_memory_release(NULL, shape, sizeof *shape + (size_t)shape->n * sizeof *shape->parts);
}

static void to_world(const firn_shape_part *part, double v[3])
{
    const double x = v[0], y = v[1], z = v[2];
    for (int i = 0; part->is_turned && i < 3; i++)
        v[i] = part->frame[i][0] * x + part->frame[i][1] * y + part->frame[i][2] * z;
}

static void negate(double v[3])
{
    for (int i = 0; i < 3; i++) v[i] = -v[i];
}

/* Lower bound of the distance at p, in the kind's frame: the greatest distance from the box along
 * one axis. */
static double outside_box(const firn_shape_part *part, const double p[3])
{
    double most = -INFINITY;
    for (int a = 0; a < 3; a++) {
        const double below = part->low[a] - p[a], above = p[a] - part->high[a],
                     beyond = below > above ? below : above;
        most = beyond > most ? beyond : most;
    }
    return most - part->half_wall;
}

/* At p in the kind's frame. distance_only: distance and velocity alone */
static inline void query_part(const firn_shape_part *part, const double p[3], double time,
                              int distance_only, firn_surface_point *s)
{
    *s = (firn_surface_point){.friction = NAN, .stickiness = NAN};
    if (distance_only && part->kind->distance_query)
        part->kind->distance_query(part, p, time, s);
    else
        part->kind->query(part, p, time, s);
    if (part->half_wall > 0) {
        if (s->distance < 0) negate(s->normal);
        s->distance = fabs(s->distance) - part->half_wall;
    }
}

/* 1 where the distance d (of a difference its negative) replaces that of the parts before. */
static int decides(const firn_shape_part *part, double d, double so_far)
{
    return part->csg == FIRN_UNION ? d < so_far : d > so_far;
}

/* 1 where the lower bound of a part's distance shows that it does not decide. */
static int cannot_decide(const firn_shape_part *part, const double p[3], double so_far)
{
    if (!part->has_box || part->csg == FIRN_INTERSECTION) return 0;
    const double least = outside_box(part, p);
    return least > 0 && least >= (part->csg == FIRN_UNION ? so_far : -so_far);
}

static double distance_by_formula(const firn_shape_part *part, const double p[3], double time)
{
    firn_surface_point s;
    (part->kind->distance_query ? part->kind->distance_query : part->kind->query)(part, p, time,
                                                                                  &s);
    const double d = part->half_wall > 0 ? fabs(s.distance) - part->half_wall : s.distance;
    return part->csg == FIRN_DIFFERENCE ? -d : d;
}

/* Where no part is interpolated distances are cheap: they alone find the part that decides, and
 * its normal is computed last. */
static const firn_shape_part *query_formulas(const firn_shape *shape, const double x[3],
                                             double time, int distance_only,
                                             firn_surface_point *surface)
{
    const firn_shape_part *decided = &shape->parts[0];
    double y[3], p[3], there[3], distance = 0; /* `there`: p of the part that decided */
    for (int i = 0; i < shape->n; i++) {
        const firn_shape_part *part = &shape->parts[i];
        if (!part->is_aligned) turn(part, x, y);
        for (int a = 0; a < 3; a++) p[a] = y[a] - part->origin[a];
        if (i > 0 && cannot_decide(part, p, distance)) continue;
        const double d = distance_only || shape->n > 1 ? distance_by_formula(part, p, time) : 0;
        if (i > 0 && !decides(part, d, distance)) continue;
        decided = part;
        distance = d;
        for (int a = 0; a < 3; a++) there[a] = p[a];
    }
    if (distance_only) {
        *surface = (firn_surface_point){.distance = distance};
    } else {
        query_part(decided, there, time, 0, surface);
        if (decided->csg == FIRN_DIFFERENCE) {
            surface->distance = -surface->distance;
            negate(surface->normal);
        }
    }
    return decided;
}

static const firn_shape_part *query_parts(const firn_shape *shape, const double x[3], double time,
                                          int distance_only, firn_surface_point *surface)
{
    if (shape->is_formula) return query_formulas(shape, x, time, distance_only, surface);
    const firn_shape_part *decided = &shape->parts[0];
    firn_surface_point next;
    double y[3], p[3];
    for (int i = 0; i < shape->n; i++) {
        const firn_shape_part *part = &shape->parts[i];
        if (!part->is_aligned) turn(part, x, y);
        for (int a = 0; a < 3; a++) p[a] = y[a] - part->origin[a];
        if (i > 0 && cannot_decide(part, p, surface->distance)) continue;
        query_part(part, p, time, distance_only, i ? &next : surface);
        if (i == 0) continue;
        if (part->csg == FIRN_DIFFERENCE) {
            next.distance = -next.distance;
            negate(next.normal);
        }
        if (decides(part, next.distance, surface->distance)) {
            *surface = next;
            decided = part;
        }
    }
    return decided;
}

void firn_shape_query(const firn_shape *shape, const double x[3], double time,
                      firn_surface_point *surface)
{
    const firn_shape_part *decided = query_parts(shape, x, time, 0, surface);
    to_world(decided, surface->normal);
    to_world(decided, surface->velocity);
}

void firn_shape_distance_query(const firn_shape *shape, const double x[3], double time,
                               firn_surface_point *surface)
{
    const firn_shape_part *decided = query_parts(shape, x, time, 1, surface);
    to_world(decided, surface->velocity);
}

double firn_shape_speed(const firn_shape *shape)
{
    double speed = 0;
    for (int i = 0; i < shape->n; i++)
        if (shape->parts[i].kind->speed)
            speed = fmax(speed, shape->parts[i].kind->speed(&shape->parts[i]));
    return speed;
}

double firn_shape_speed_between(const firn_shape *shape, double from, double until)
{
    double speed = -1;
    for (int i = 0; i < shape->n; i++) {
        const firn_shape_part *part = &shape->parts[i];
        if (part->kind->speed_between)
            speed = fmax(speed, part->kind->speed_between(part, from, until));
    }
    return speed;
}

double firn_shape_border(const firn_shape *shape, double from, double until)
{
    for (int i = 0; i < shape->n; i++)
        if (shape->parts[i].kind->border)
            until = fmin(until, shape->parts[i].kind->border(&shape->parts[i], from));
    return until;
}

double firn_shape_voxel(const firn_shape *shape)
{
    double voxel = 0;
    for (int i = 0; i < shape->n; i++)
        if (shape->parts[i].kind->voxel)
            voxel = fmax(voxel, shape->parts[i].kind->voxel(&shape->parts[i]));
    return voxel;
}

double firn_shape_stickiness(const firn_shape *shape)
{
    double most = 0;
    for (int i = 0; i < shape->n; i++)
        if (shape->parts[i].kind->stickiness)
            most = fmax(most, shape->parts[i].kind->stickiness(&shape->parts[i]));
    return most;
}

double firn_shape_distance(const firn_shape *shape, const double x[3], double time)
{
    firn_surface_point s;
    query_parts(shape, x, time, 1, &s);
    return s.distance;
}

/* Box of a part in the world, with its wall; 0 where it is unbounded. */
static int part_bounds(const firn_shape_part *part, double min[3], double max[3])
{
    for (int i = 0; i < 3; i++) {
        min[i] = -INFINITY;
        max[i] = INFINITY;
    }
    if (!part->kind->bounds) return 0;
    double low[3], high[3];
    part->kind->bounds(part, low, high);
    for (int i = 0; i < 3; i++) {
        double middle = 0, half = 0;
        for (int j = 0; j < 3; j++) {
            middle += part->frame[i][j] * 0.5 * (low[j] + high[j]);
            half += fabs(part->frame[i][j]) * (0.5 * (high[j] - low[j]) + part->half_wall);
        }
        min[i] = part->center[i] + middle - half;
        max[i] = part->center[i] + middle + half;
    }
    return 1;
}

int firn_shape_bounds(const firn_shape *shape, double min[3], double max[3])
{
    part_bounds(&shape->parts[0], min, max);
    for (int i = 1; i < shape->n; i++) {
        firn_csg csg = shape->parts[i].csg;
        double low[3], high[3];
        if (csg == FIRN_DIFFERENCE) continue; /* makes nothing larger */
        part_bounds(&shape->parts[i], low, high);
        for (int k = 0; k < 3; k++) {
            min[k] = csg == FIRN_UNION ? fmin(min[k], low[k]) : fmax(min[k], low[k]);
            max[k] = csg == FIRN_UNION ? fmax(max[k], high[k]) : fmin(max[k], high[k]);
        }
    }
    int is_bounded = 1;
    for (int k = 0; k < 3; k++) is_bounded = is_bounded && isfinite(min[k]) && isfinite(max[k]);
    return is_bounded;
}
