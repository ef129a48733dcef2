/* SPDX-License-Identifier: MIT */
/* analytic_shapes.c: signed distance and normal of the analytic kinds, in double precision and in
 * closed form.
 *
 * Notation: p the point in the kind's frame (m), d the distance (m, negative inside), n the outward
 * unit normal. Round kinds are solved in the half plane (r, z), r = hypot(p_x, p_y).
 *
 * Where the nearest point is not unique (centre of a sphere, axis of a capsule) one of the nearest
 * is used, so that the normal always has length 1. Only the ellipsoid needs an iteration. */
#include "geometry/shape_kind.h"

#include <math.h>
#include <string.h>

/* hypot without its guard against overflow, in a quarter of the time */
static double length_of(double a, double b) { return sqrt(a * a + b * b); }

/* ---------------------------------------------------------------- checks */

static firn_status need_positive(double value, const char *name, const char *where,
                                 firn_messages *messages)
{
    if (value > 0) return FIRN_OK;
    return firn_messages_add(messages, FIRN_REFUSED, "%s: %s is %g; allowed: greater than 0", where,
                             name, value);
}

static firn_status check_plane(const firn_shape_def *def, const char *where,
                               firn_messages *messages)
{
    if (def->normal[0] != 0 || def->normal[1] != 0 || def->normal[2] != 0) return FIRN_OK;
    return firn_messages_add(
        messages, FIRN_REFUSED,
        "%s: normal is 0 0 0; allowed: the direction that points out of the solid", where);
}

static firn_status check_sphere(const firn_shape_def *def, const char *where,
                                firn_messages *messages)
{
    return need_positive(def->radius, "radius", where, messages);
}

static firn_status check_box(const firn_shape_def *def, const char *where, firn_messages *messages)
{
    for (int i = 0; i < 3; i++)
        if (!(def->size[i] > 0))
            return firn_messages_add(
                messages, FIRN_REFUSED,
                "%s: size is [%g, %g, %g]; allowed: three edges greater than 0", where,
                def->size[0], def->size[1], def->size[2]);
    return FIRN_OK;
}

static firn_status check_cylinder(const firn_shape_def *def, const char *where,
                                  firn_messages *messages)
{
    firn_status status = need_positive(def->radius, "radius", where, messages);
    return status ? status : need_positive(def->height, "height", where, messages);
}

static firn_status check_cone(const firn_shape_def *def, const char *where, firn_messages *messages)
{
    if (!(def->radius >= 0) || !(def->radius2 >= 0) || !(def->radius + def->radius2 > 0))
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "%s: radius (low end) is %g and radius2 (high end) %g; allowed: 0 "
                                 "or greater, not both 0",
                                 where, def->radius, def->radius2);
    return need_positive(def->height, "height", where, messages);
}

static firn_status check_funnel(const firn_shape_def *def, const char *where,
                                firn_messages *messages)
{
    firn_status status = check_cone(def, where, messages);
    return status ? status : need_positive(def->thickness, "thickness", where, messages);
}

static firn_status check_torus(const firn_shape_def *def, const char *where,
                               firn_messages *messages)
{
    firn_status status = need_positive(def->radius, "radius", where, messages);
    if (!status) status = need_positive(def->radius2, "radius2 (of the tube)", where, messages);
    if (!status && def->radius2 > def->radius)
        status = firn_messages_add(messages, FIRN_REFUSED,
                                   "%s: radius2 (of the tube) is %g; allowed: at most radius (%g)",
                                   where, def->radius2, def->radius);
    return status;
}

/* ---------------------------------------------------------------- numbers of a part */

/* All kinds but cones: radii, half the edges, half the height. */
static firn_status build_plain(firn_shape_part *part, const firn_shape_def *def, const char *where,
                               firn_messages *messages)
{
    (void)where, (void)messages;
    part->radius = def->radius;
    part->radius2 = def->radius2;
    for (int i = 0; i < 3; i++) part->half[i] = 0.5 * def->size[i];
    return FIRN_OK;
}

static firn_status build_cylinder(firn_shape_part *part, const firn_shape_def *def,
                                  const char *where, firn_messages *messages)
{
    (void)where, (void)messages;
    part->radius = part->radius2 = def->radius;
    part->half[2] = 0.5 * def->height;
    return FIRN_OK;
}

static firn_status build_cone(firn_shape_part *part, const firn_shape_def *def, const char *where,
                              firn_messages *messages)
{
    const double slant = length_of(def->height, def->radius - def->radius2);
    (void)where, (void)messages;
    part->radius = def->radius;
    part->radius2 = def->radius2;
    part->half[2] = 0.5 * def->height;
    part->side[0] = def->height / slant;
    part->side[1] = (def->radius - def->radius2) / slant;
    return FIRN_OK;
}

/* ---------------------------------------------------------------- distances */

static void plane(const firn_shape_part *part, const double p[3], double time,
                  firn_surface_point *s)
{
    (void)part, (void)time;
    s->distance = p[2];
    s->normal[0] = s->normal[1] = 0;
    s->normal[2] = 1;
}

/* d = |v| - radius, n = v / |v|; n = spare where v vanishes */
static void from_center(firn_surface_point *s, const double v[3], double radius,
                        const double spare[3])
{
    double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    s->distance = length - radius;
    for (int i = 0; i < 3; i++) s->normal[i] = length > 0 ? v[i] / length : spare[i];
}

static void sphere(const firn_shape_part *part, const double p[3], double time,
                   firn_surface_point *s)
{
    (void)time;
    from_center(s, p, part->radius, (const double[3]){0, 0, 1});
}

static void capsule(const firn_shape_part *part, const double p[3], double time,
                    firn_surface_point *s)
{
    (void)time;
    double z = fmax(-part->half[2], fmin(part->half[2], p[2])); /* nearest point of the axis */
    from_center(s, (const double[3]){p[0], p[1], p[2] - z}, part->radius,
                (const double[3]){1, 0, 0});
}

/* q = |p| - half. Outside, the vector from the nearest point is max(q, 0); inside, the nearest point
 * is on the nearest face. */
static void box(const firn_shape_part *part, const double p[3], double time, firn_surface_point *s)
{
    (void)time;
    double q[3], out[3], length2 = 0;
    int nearest = 0;
    for (int i = 0; i < 3; i++) {
        q[i] = fabs(p[i]) - part->half[i];
        out[i] = fmax(q[i], 0);
        length2 += out[i] * out[i];
        if (q[i] > q[nearest]) nearest = i;
    }
    int is_outside = length2 > 0;
    s->distance = is_outside ? sqrt(length2) : q[nearest];
    for (int i = 0; i < 3; i++) {
        double along = is_outside ? out[i] / s->distance : (i == nearest);
        s->normal[i] = p[i] < 0 ? -along : along;
    }
}

/* A point in the half plane of a round kind, and the nearest face or edge so far */
typedef struct profile {
    double r, z;
    double distance2, normal[2]; /* squared distance; away from the nearest point */
} profile;

/* A face, with its normal, which is exact also where the distance is 0 */
static void offer_face(profile *f, double distance, double normal_r, double normal_z)
{
    if (distance * distance >= f->distance2) return;
    f->distance2 = distance * distance;
    f->normal[0] = normal_r;
    f->normal[1] = normal_z;
}

/* An edge; away: from it to the point. On the edge the normal is that of a face. */
static void offer_edge(profile *f, double away_r, double away_z, double normal_r, double normal_z)
{
    const double distance2 = away_r * away_r + away_z * away_z;
    if (distance2 >= f->distance2) return;
    const double distance = sqrt(distance2);
    f->distance2 = distance2;
    f->normal[0] = distance > 0 ? away_r / distance : normal_r;
    f->normal[1] = distance > 0 ? away_z / distance : normal_z;
}

/* Distance from the slanted side, the line from (radius, -h) to (radius2, h); above 0 outside */
static double above_side(const profile *f, const firn_shape_part *part)
{
    return (f->r - part->radius) * part->side[0] + (f->z + part->half[2]) * part->side[1];
}

/* 1 where the nearest point of that line lies between its ends. */
static int is_beside(const profile *f, const firn_shape_part *part)
{
    const double h = part->half[2], e[2] = {part->radius2 - part->radius, 2 * h},
                 along = (f->r - part->radius) * e[0] + (f->z + h) * e[1];
    return along > 0 && along < e[0] * e[0] + e[1] * e[1];
}

/* From (r, z) to space. On the axis the radial direction is x. */
static void normal_of(const double p[3], double r, double normal_r, double normal_z,
                      firn_surface_point *s)
{
    s->normal[0] = normal_r * (r > 0 ? p[0] / r : 1);
    s->normal[1] = normal_r * (r > 0 ? p[1] / r : 0);
    s->normal[2] = normal_z;
}

/* Cone and frustum: below the slanted side and between the two discs */
static void cone(const firn_shape_part *part, const double p[3], double time, firn_surface_point *s)
{
    (void)time;
    const double h = part->half[2], low = part->radius, high = part->radius2;
    profile f = {length_of(p[0], p[1]), p[2], .distance2 = INFINITY};
    const double above = above_side(&f, part);
    if (is_beside(&f, part)) offer_face(&f, above, part->side[0], part->side[1]);
    if (f.r <= low)
        offer_face(&f, f.z + h, 0, -1);
    else
        offer_edge(&f, f.r - low, f.z + h, 0, -1);
    if (f.r <= high)
        offer_face(&f, f.z - h, 0, 1);
    else
        offer_edge(&f, f.r - high, f.z - h, 0, 1);
    s->distance = fabs(f.z) < h && above < 0 ? -sqrt(f.distance2) : sqrt(f.distance2);
    normal_of(p, f.r, f.normal[0], f.normal[1], s);
}

/* As the box, in the half plane */
static double distance_of_cylinder(const firn_shape_part *part, double r, double z)
{
    const double beside = r - part->radius, above = fabs(z) - part->half[2];
    if (beside > 0 && above > 0) return length_of(beside, above);
    return beside > above ? beside : above;
}

static void cylinder_distance(const firn_shape_part *part, const double p[3], double time,
                              firn_surface_point *s)
{
    (void)time;
    s->distance = distance_of_cylinder(part, length_of(p[0], p[1]), p[2]);
}

static void cylinder(const firn_shape_part *part, const double p[3], double time,
                     firn_surface_point *s)
{
    (void)time;
    const double r = length_of(p[0], p[1]), beside = r - part->radius,
                 above = fabs(p[2]) - part->half[2];
    const double up = p[2] < 0 ? -1 : 1;
    s->distance = distance_of_cylinder(part, r, p[2]);
    if (beside > 0 && above > 0)
        normal_of(p, r, beside / s->distance, up * above / s->distance, s);
    else if (beside > above)
        normal_of(p, r, 1, 0, s);
    else
        normal_of(p, r, 0, up, s);
}

/* The slanted side alone, unsigned; its thickness makes it a wall (shape.c). */
static void funnel(const firn_shape_part *part, const double p[3], double time,
                   firn_surface_point *s)
{
    (void)time;
    const double h = part->half[2];
    profile f = {length_of(p[0], p[1]), p[2], .distance2 = INFINITY};
    const double above = above_side(&f, part), up = above < 0 ? -1 : 1;
    if (is_beside(&f, part)) offer_face(&f, above, up * part->side[0], up * part->side[1]);
    offer_edge(&f, f.r - part->radius, f.z + h, 0, -1);
    offer_edge(&f, f.r - part->radius2, f.z - h, 0, 1);
    s->distance = sqrt(f.distance2);
    normal_of(p, f.r, f.normal[0], f.normal[1], s);
}

static void torus(const firn_shape_part *part, const double p[3], double time,
                  firn_surface_point *s)
{
    (void)time;
    double r = length_of(p[0], p[1]), v[2] = {r - part->radius, p[2]},
           length = length_of(v[0], v[1]);
    s->distance = length - part->radius2;
    normal_of(p, r, length > 0 ? v[0] / length : 0, length > 0 ? v[1] / length : 1, s);
}

/* Nearest point x of the ellipsoid  sum (x_i / e_i)^2 = 1  to y in the first octant: y - x is
 * parallel to the normal x_i / e_i^2, so with e_m the shortest half axis
 *
 *     x_i = e_i^2 y_i / (u + c_i),   c_i = e_i^2 - e_m^2 >= 0,
 *
 * for the one u > 0 that solves
 *
 *     g(u) = sum (e_i y_i / (u + c_i))^2 - 1 = 0.
 *
 * g is convex and decreasing, and at u0 = e_m y_m its term m alone is 1: Newton's method from u0
 * increases monotonically to the root. On the plane y_m = 0 the root may be u = 0; a y_m of
 * 1e-14 e_m avoids that and changes the result by no more. */
static double ellipsoid_root(const double e[3], const double c[3], const double y[3], int m)
{
    double u = e[m] * y[m];
    for (int step = 0; step < 120; step++) {
        double g = -1, slope = 0;
        for (int i = 0; i < 3; i++) {
            double w = 1 / (u + c[i]), a = e[i] * y[i] * w;
            g += a * a;
            slope -= 2 * a * a * w;
        }
        double next = u - g / slope;
        if (!(next > u)) break;
        u = next;
    }
    return u;
}

static void ellipsoid(const firn_shape_part *part, const double p[3], double time,
                      firn_surface_point *s)
{
    (void)time;
    const double *e = part->half;
    int m = e[0] < e[1] ? (e[0] < e[2] ? 0 : 2) : (e[1] < e[2] ? 1 : 2);
    double y[3], c[3], n[3], level = -1, length2 = 0, distance2 = 0;
    for (int i = 0; i < 3; i++) {
        y[i] = fabs(p[i]);
        c[i] = (e[i] - e[m]) * (e[i] + e[m]);
        level += y[i] / e[i] * (y[i] / e[i]);
    }
    y[m] = fmax(y[m], 1e-14 * e[m]);
    double u = ellipsoid_root(e, c, y, m);
    for (int i = 0; i < 3; i++) {
        n[i] = y[i] / (u + c[i]); /* = x_i / e_i^2 */
        length2 += n[i] * n[i];
        distance2 += (y[i] - e[i] * e[i] * n[i]) * (y[i] - e[i] * e[i] * n[i]);
    }
    s->distance = level < 0 ? -sqrt(distance2) : sqrt(distance2);
    for (int i = 0; i < 3; i++) s->normal[i] = (p[i] < 0 ? -n[i] : n[i]) / sqrt(length2);
}

/* ---------------------------------------------------------------- boxes */

static void symmetric(double min[3], double max[3], double x, double y, double z)
{
    max[0] = x;
    max[1] = y;
    max[2] = z;
    for (int i = 0; i < 3; i++) min[i] = -max[i];
}

static void bounds_sphere(const firn_shape_part *part, double min[3], double max[3])
{
    symmetric(min, max, part->radius, part->radius, part->radius);
}

static void bounds_box(const firn_shape_part *part, double min[3], double max[3])
{
    symmetric(min, max, part->half[0], part->half[1], part->half[2]);
}

static void bounds_capsule(const firn_shape_part *part, double min[3], double max[3])
{
    symmetric(min, max, part->radius, part->radius, part->radius + part->half[2]);
}

static void bounds_cone(const firn_shape_part *part, double min[3], double max[3])
{
    double r = fmax(part->radius, part->radius2);
    symmetric(min, max, r, r, part->half[2]);
}

static void bounds_torus(const firn_shape_part *part, double min[3], double max[3])
{
    double r = part->radius + part->radius2;
    symmetric(min, max, r, r, part->radius2);
}

/* ---------------------------------------------------------------- the kinds */

const firn_shape_kind firn_analytic_kinds[] = {
    {{"plane", "everything below the plane through center; normal points out of the solid",
      "normal", 1},
     build_plain,
     plane,
     NULL,
     NULL,
     NULL,
     1,
     .check = check_plane},
    {{"half_space", "the same as plane", "normal", 1},
     build_plain,
     plane,
     NULL,
     NULL,
     NULL,
     1,
     .check = check_plane},
    {{"sphere", "a ball", "radius"},
     build_plain,
     sphere,
     bounds_sphere,
     NULL,
     NULL,
     0,
     .check = check_sphere},
    {{"box", "a block or cube with edges along the axes", "size (full edges)"},
     build_plain,
     box,
     bounds_box,
     NULL,
     NULL,
     0,
     .check = check_box},
    {{"capsule", "a cylinder with round ends; height is the straight part's",
      "radius height normal (axis)"},
     build_cylinder,
     capsule,
     bounds_capsule,
     NULL,
     NULL,
     1,
     .check = check_cylinder},
    {{"cylinder", "a cylinder with flat ends", "radius height normal (axis)"},
     build_cylinder,
     cylinder,
     bounds_cone,
     NULL,
     NULL,
     1,
     cylinder_distance,
     .check = check_cylinder},
    {{"ellipsoid", "an ellipsoid", "size (full axes)"},
     build_plain,
     ellipsoid,
     bounds_box,
     NULL,
     NULL,
     0,
     .check = check_box},
    {{"cone", "a cone or frustum, center at half height",
      "radius (low end) radius2 (high end) height normal (axis)"},
     build_cone,
     cone,
     bounds_cone,
     NULL,
     NULL,
     1,
     .check = check_cone},
    {{"funnel", "the wall of a cone, open at both ends; a pipe where both radii are equal",
      "radius (low end) radius2 (high end) height thickness normal (axis)"},
     build_cone,
     funnel,
     bounds_cone,
     NULL,
     NULL,
     1,
     .check = check_funnel},
    {{"torus", "a ring", "radius (of the ring) radius2 (of the tube) normal (axis)"},
     build_plain,
     torus,
     bounds_torus,
     NULL,
     NULL,
     1,
     .check = check_torus},
    {.info = {NULL, NULL, NULL}},
};
