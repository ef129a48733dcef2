/* SPDX-License-Identifier: MIT */
/* point_collision.c: the path of a particle in this step against one collider, at any thickness of
 * the wall and any speed.
 *
 * The path is taken relative to the moving surface, u = x - (x_before carried along with the body),
 * and traced from its beginning by sphere tracing: the distance d is a safe step, as the surface
 * cannot be nearer than d (colliders are at rest in this frame). Where path and surface meet, the
 * rest of the path continues along the surface, and the velocity is projected as by any contact
 * (contact.c).
 *
 * Invariant: a particle ends on the side of the surface on which it began. A test of its end alone
 * could not tell, as the end may lie behind a thin wall, where the distance is positive again. */
#include "solver/collider.h"
#include "solver/sim.h"

#include <math.h>

/* Distance (m) below which particle and surface are in contact. */
static double in_touch(const firn_sim *sim) { return 1e-3 * sim->h; }

/* Path (m) that a particle at this distance can travel before contact. */
static double clearance_of(const firn_sim *sim, const firn_collider *c, double distance)
{
    return firn_collider_clearance(c, distance - in_touch(sim));
}

/* The path u of a particle relative to the surface in its position at the end of the step, and its
 * length, m. A rigid body carries points from its pose before to its pose now, whatever its
 * velocity at the end; deformation adds `own`. */
static double path_of(const firn_moved_point *s, const firn_collider *c, const double own[3],
                      double u[3])
{
    double y[3], carried[3], length2 = 0;
    firn_pose_to_shape(&c->pose_before, s->before, y);
    firn_pose_to_world(&c->pose, y, carried);
    for (int a = 0; a < 3; a++) {
        u[a] = s->x[a] - carried[a] - own[a];
        length2 += u[a] * u[a];
    }
    return sqrt(length2);
}

/* Displacement of the surface around x by deformation in this step, m, in the world. `at`: a
 * distance query at the end. The velocity of a sequence jumps where its files begin and end, so
 * each part of the step between files is integrated apart. */
static void deformation(const firn_sim *sim, const firn_collider *c, const double x[3],
                        const firn_surface_point *at, double own[3])
{
    const double end = sim->time + sim->dt;
    double rigid[3];
    for (int a = 0; a < 3; a++) own[a] = 0;
    if (c->is_rigid) return;
    firn_pose_velocity(&c->pose, x, rigid);
    for (double from = sim->time, until; from < end; from = until) {
        firn_surface_point there = *at;
        until = c->shape ? firn_shape_border(c->shape, from, end) : end;
        if (until < end) firn_contact_distance_query(c, x, until, INFINITY, &there);
        for (int a = 0; a < 3; a++)
            own[a] += (until - from) * (there.velocity[a] - rigid[a] - c->def.surface_velocity[a]);
    }
}

/* Whether the path u, which ends at x relative to the moving surface, meets the surface, by sphere
 * tracing from its beginning (sdf_trace.h). Then x becomes the end of the path that glides along
 * the surface from there, and *s the surface where they met. *s comes as a distance query at x, or
 * with distance NAN if there was none. `touched`: the path begins on the surface, so its beginning
 * gets a complete query at once. */
static int meets(const firn_sim *sim, const firn_collider *c, int touched, const double u[3],
                 double x[3], firn_surface_point *s)
{
    enum { STEPS = 64 };
    const double time = sim->time + sim->dt, touch = in_touch(sim);
    double length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]), gone = 0, at[3], along = 0;
    int is_whole = touched;
    firn_surface_point there;
    for (int a = 0; a < 3; a++) at[a] = x[a] - u[a];
    if (touched) firn_contact_surface(c, at, time, INFINITY, &there);
    double distance = touched ? there.distance : firn_contact_distance(c, at, time);
    if (distance <
        -0.5 *
            sim->h) { /* began deep inside: out along the normal, by at most half a cell per step */
        firn_contact_surface(c, x, time, INFINITY, s);
        if (s->distance > 0) return 0;
        double depth = fmin(-s->distance, 0.5 * sim->h);
        for (int a = 0; a < 3; a++) x[a] += depth * s->normal[a];
        return 1;
    }
    for (int step = 0; step < STEPS && distance > touch; step++) {
        gone += distance;
        if (gone >= length) return 0;
        for (int a = 0; a < 3; a++) at[a] = x[a] - u[a] * (1 - gone / length);
        distance = firn_contact_distance(c, at, time);
        is_whole = 0;
    }
    if (!is_whole) firn_contact_surface(c, at, time, INFINITY, &there);
    /* Round-off may place the beginning of a path on the surface slightly below it. The side of the
     * beginning counts, not that of the end. */
    for (int a = 0; a < 3; a++) along += (x[a] - at[a]) * there.normal[a];
    along += fmin(there.distance, 0);
    if (along >= 0) return 0; /* it grazes the surface and leaves */
    for (int a = 0; a < 3; a++) x[a] -= along * there.normal[a];
    *s = there;
    return 1;
}

/* Returns the clearance that is left, -INFINITY after contact. Most particles only pass by, and
 * cheap tests come first: a distance that exceeds the length of the path (times L) ends the query.
 * A particle that was in contact before (`touched`) mostly is again: then one query at the
 * beginning of its path decides. Both orders give the same result, as the hint is not part of a
 * saved state. */
double firn_collider_keep_out(const firn_sim *sim, const firn_collider *c, int touched,
                              firn_moved_point *p, firn_boundary_impulse *e)
{
    const double time = sim->time + sim->dt;
    firn_surface_point at = {.distance = NAN};
    double x[3], u[3] = {0}, v[3], was[3], own[3] = {0, 0, 0}, length = INFINITY;
    if (touched && c->is_rigid) length = path_of(p, c, own, u);
    if (length > sim->h) { /* a path of more than a cell is rare: take the general case */
        if (!firn_contact_distance_query(c, p->x, time, 2 * sim->h, &at))
            return clearance_of(sim, c, at.distance);
        deformation(sim, c, p->x, &at, own);
        length = path_of(p, c, own, u);
        if (at.distance > c->lipschitz * length + in_touch(sim))
            return clearance_of(sim, c, at.distance);
    }
    for (int a = 0; a < 3; a++) {
        x[a] = p->x[a];
        v[a] = was[a] = p->v[a];
    }
    if (!meets(sim, c, touched, u, x, &at)) {
        if (isnan(at.distance)) at.distance = firn_contact_distance(c, p->x, time);
        return clearance_of(sim, c, at.distance);
    }
    firn_contact_resolve(c->def.contact, at.friction, 0, at.velocity, at.normal, v);
    for (int a = 0; a < 3; a++) {
        p->x[a] = x[a];
        p->v[a] = v[a];
    }
    firn_contact_impulse(e, p->x, p->mass, was, p->v, at.velocity, c->pose.position);
    return -INFINITY;
}
